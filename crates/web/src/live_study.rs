//! A study as it is shown and told results, which takes moments; asking uses a separate copy.
//!
//! All readers together read new events at most every [`STALE`]; a store file in WAL mode lets a writer continue in the
//! meantime.

use std::sync::{Arc, Mutex, RwLock};
use std::time::{Duration, Instant};

use elbowroom_store::{Error, SharedStudy, Store};
use elbowroom_view::Scene;

use crate::error::HttpError;
use crate::ranked::{Rank, Ranked};

/// How old the shown state may be.
const STALE: Duration = Duration::from_millis(200);

/// The name of a worker that gives no name.
pub const BY_HAND: &str = "by hand";

/// The study.
pub struct LiveStudy {
    store: Arc<dyn Store>,
    name: String,
    /// When the store was read; `None` if there is known to be something new.
    refreshed: Ranked<Mutex<Option<Instant>>>,
    shown: Ranked<RwLock<Shown>>,
}

struct Shown {
    study: SharedStudy,
    /// How often the study was found to have been replaced by another one of its name.
    generation: usize,
}

impl LiveStudy {
    pub fn open(store: Arc<dyn Store>, name: &str) -> Result<Self, HttpError> {
        let study = SharedStudy::open(store.clone(), name)?.worker(BY_HAND);
        Ok(Self {
            store,
            name: name.to_owned(),
            refreshed: Ranked::<Mutex<_>>::new(Rank::Refreshed, Some(Instant::now())),
            shown: Ranked::shared(Rank::Shown, Shown { study, generation: 0 }),
        })
    }

    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Shows the study in its current state.
    pub fn look<T>(&self, see: impl FnOnce(&Scene<'_>) -> T) -> Result<T, HttpError> {
        self.look_shared(|shared| see(&Scene::of(shared)))
    }

    /// Shows the study with what its store knows.
    pub fn look_shared<T>(&self, see: impl FnOnce(&SharedStudy) -> T) -> Result<T, HttpError> {
        self.look_at(|shared, _| see(shared))
    }

    /// Like [`look_shared`](Self::look_shared), with the study's generation: data kept from another generation belong
    /// to another study.
    pub fn look_at<T>(&self, see: impl FnOnce(&SharedStudy, usize) -> T) -> Result<T, HttpError> {
        let mut refreshed = self.refreshed.lock();
        if refreshed.is_none_or(|at| at.elapsed() >= STALE) {
            self.read()?;
            *refreshed = Some(Instant::now());
        }
        drop(refreshed);
        let shown = self.shown.read();
        Ok(see(&shown.study, shown.generation))
    }

    /// Reads new events from the store.
    pub fn read(&self) -> Result<(), HttpError> {
        let mut shown = self.shown.write();
        match shown.study.refresh() {
            // The study was restored from a copy or created again: that is the study from now on.
            Err(Error::Damaged { .. }) => {
                shown.study = SharedStudy::open(self.store.clone(), &self.name)?.worker(BY_HAND);
                shown.generation += 1;
            }
            other => drop(other?),
        }
        Ok(())
    }

    /// Says that there is something new, which the next reader will see.
    pub fn outdate(&self) {
        *self.refreshed.lock() = None;
    }

    /// Tells the study something.
    pub fn tell<T>(&self, tell: impl FnOnce(&mut SharedStudy) -> Result<T, HttpError>) -> Result<T, HttpError> {
        tell(&mut self.shown.write().study)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elbowroom::space::{Parameter, SearchSpace};
    use elbowroom::study::StudyConfig;
    use elbowroom_store::Memory;

    fn study() -> (LiveStudy, SharedStudy) {
        let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)]).unwrap();
        let store: Arc<dyn Store> = Arc::new(Memory::new());
        let worker = SharedStudy::create(store.clone(), "plate", StudyConfig::new(space)).unwrap();
        (LiveStudy::open(store, "plate").unwrap(), worker)
    }

    #[test]
    fn what_is_told_here_is_seen_at_once_and_what_is_told_elsewhere_after_it_was_outdated() {
        let (live, mut worker) = study();
        let handed = worker.ask(2).unwrap().trials;
        live.outdate();
        assert_eq!(live.look(|scene| scene.study.trials().len()).unwrap(), 2);
        live.tell(|study| Ok(study.tell(&handed[0], 1.0)?)).unwrap();
        assert_eq!(live.look(|scene| scene.study.n_observed()).unwrap(), 1);
        worker.tell(&handed[1], 2.0).unwrap();
        live.outdate();
        assert_eq!(live.look(|scene| scene.study.n_observed()).unwrap(), 2);
    }

    #[test]
    fn nobody_who_looks_sees_a_study_go_back_while_others_tell_and_ask() {
        let (live, mut worker) = study();
        let (mine, theirs): (Vec<_>, Vec<_>) =
            worker.ask(20).unwrap().trials.into_iter().partition(|handed| handed.id().0 % 2 == 0);
        live.read().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for handed in &mine {
                    live.tell(|study| Ok(study.tell(handed, 1.0)?)).unwrap();
                }
            });
            scope.spawn(|| {
                for handed in &theirs {
                    worker.tell(handed, 2.0).unwrap();
                    live.outdate();
                }
            });
            for _ in 0..2 {
                scope.spawn(|| {
                    let mut seen = 0;
                    while seen < 20 {
                        let now = live.look(|scene| scene.study.n_observed()).unwrap();
                        assert!(now >= seen, "{seen}, then {now}");
                        seen = now;
                    }
                });
            }
        });
    }
}
