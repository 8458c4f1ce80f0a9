//! Pictures of a study's model, drawn once for all viewers.
//!
//! They are drawn from a frozen copy of the study, because a model takes a fit that no worker asked for. One of the
//! viewers makes a new copy, after at least [`REST`] times as long as the last one and its pictures took. In the
//! meantime the others are answered from the previous copy.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use elbowroom::study::{FrontRecommendation, Recommendation, Study, TrialId};
use elbowroom_view::views::{Look, View, why_page};
use elbowroom_view::{Held, Scene, TrialStatus};

use crate::error::HttpError;
use crate::live_study::LiveStudy;
use crate::ranked::{Rank, Ranked};

/// The number of results beyond which no model is fitted for a picture: that needs a copy of the study, which would
/// double its memory.
const MOST_MODELLED: usize = 20_000;

/// A copy is kept for this many times as long as its model and its pictures took to make.
const REST: u32 = 16;
const LEAST_REST: Duration = Duration::from_secs(1);

/// The most pictures of one state to keep, enough for a few views over a few pairs of parameters; also the most
/// reasons.
const MOST_KEPT: usize = 100;

/// The pictures of one study.
pub struct PictureCache {
    slot: Ranked<Mutex<Slot<Arc<FrozenStudy>>>>,
    /// Signals that a copy was made, or could not be.
    made: Condvar,
    /// Held while a reason is computed, which takes a fit.
    reasoning: Ranked<Mutex<()>>,
    reasons: Ranked<Mutex<Reasons>>,
}

/// Why trials were chosen, by generation and trial.
type Reasons = HashMap<(usize, TrialId), Arc<str>>;

/// A study that does not change while pictures of its model are drawn.
pub struct FrozenStudy {
    study: Study,
    moment: Moment,
    held: Vec<Held>,
    now: i64,
    times: Vec<i64>,
    made: Instant,
    /// How long its model and pictures took, in nanoseconds.
    took: AtomicU64,
    drawn: Ranked<Mutex<Drawn>>,
}

/// The pictures drawn of a frozen study.
#[derive(Default)]
struct Drawn {
    /// `None` before it is computed.
    recommended: Option<Recommended>,
    /// By the name of the view and its two parameters.
    pictures: HashMap<(&'static str, usize, usize), Arc<str>>,
}

/// The recommendations, as far as a model can be fitted.
#[derive(Debug, Clone, Default)]
pub struct Recommended {
    /// The point.
    pub point: Option<Recommendation>,
    /// The front according to the models, if there are several objectives.
    pub front: Option<Vec<FrontRecommendation>>,
}

/// The state of a study: another generation is another study of the same name; the states of trials change with time
/// alone.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Moment {
    generation: usize,
    revision: usize,
    statuses: Vec<TrialStatus>,
}

impl FrozenStudy {
    /// A copy of the study as it is now. If an earlier copy has the same results, its model is reused.
    fn new(live: &LiveStudy, earlier: Option<&FrozenStudy>) -> Result<Self, HttpError> {
        let start = Instant::now();
        let mut frozen = live.look_at(|shared, generation| {
            let n = shared.study().n_observed();
            if n > MOST_MODELLED {
                return Err(too_many(n));
            }
            let Scene { study, statuses, held, times, now, .. } = Scene::of(shared);
            let moment = Moment { generation, revision: study.events().len(), statuses };
            let same = earlier.filter(|earlier| {
                (earlier.moment.generation, earlier.moment.revision) == (moment.generation, moment.revision)
            });
            let (study, took) = match same {
                Some(earlier) => (earlier.study.clone(), earlier.took.load(Ordering::SeqCst)),
                None => (study.clone(), 0),
            };
            let drawn = Ranked::<Mutex<_>>::new(Rank::Drawn, Drawn::default());
            Ok(Self { study, moment, held, now, times, made: Instant::now(), took: AtomicU64::new(took), drawn })
        })??;
        // If a model cannot be fitted, that is an answer too: the view says why.
        let _ = frozen.study.model();
        frozen.took(start);
        frozen.made = Instant::now();
        Ok(frozen)
    }

    fn scene<'a>(&'a self, name: &'a str) -> Scene<'a> {
        let Self { study, moment, held, times, now, .. } = self;
        let statuses = moment.statuses.clone();
        Scene { name, study, shared: None, statuses, held: held.clone(), times: times.clone(), now: *now }
    }

    /// Adds the time since a moment to the time spent on it.
    fn took(&self, since: Instant) {
        let spent = u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.took.fetch_add(spent, Ordering::SeqCst);
    }

    /// Whether it is new enough, however the study has changed.
    fn rests(&self) -> bool {
        let took = Duration::from_nanos(self.took.load(Ordering::SeqCst));
        self.made.elapsed() < (took * REST).max(LEAST_REST)
    }
}

impl Default for PictureCache {
    fn default() -> Self {
        Self {
            slot: Ranked::<Mutex<_>>::new(Rank::Slot, Slot { kept: None, is_making: false }),
            made: Condvar::new(),
            reasoning: Ranked::<Mutex<_>>::new(Rank::Reasoning, ()),
            reasons: Ranked::<Mutex<_>>::new(Rank::Leaf, HashMap::new()),
        }
    }
}

impl PictureCache {
    /// A picture, drawn once for all viewers of the same state.
    pub fn picture(&self, live: &LiveStudy, view: &View, x: usize, y: usize) -> Result<Arc<str>, HttpError> {
        let frozen = if view.looks_at_model() { self.frozen(live).ok() } else { None };
        let (x, y) = if view.is_over_two { (x, y) } else { (0, 0) };
        let Some(frozen) = frozen else {
            return Ok(live.look(|scene| view.draw(scene, Look { x, y, with_model: false }))??.to_string().into());
        };
        let mut drawn = frozen.drawn.lock();
        if let Some(picture) = drawn.pictures.get(&(view.name, x, y)) {
            return Ok(picture.clone());
        }
        let start = Instant::now();
        let mut picture = view.draw(&frozen.scene(live.name()), Look { x, y, with_model: true })?;
        picture["revision"] = serde_json::json!(frozen.moment.revision);
        let picture: Arc<str> = picture.to_string().into();
        frozen.took(start);
        if drawn.pictures.len() < MOST_KEPT {
            drawn.pictures.insert((view.name, x, y), picture.clone());
        }
        Ok(picture)
    }

    /// The recommendations, computed once for all viewers of the same state.
    pub fn recommended(&self, live: &LiveStudy) -> Result<Recommended, HttpError> {
        let frozen = self.frozen(live)?;
        let mut drawn = frozen.drawn.lock();
        if drawn.recommended.is_none() {
            let start = Instant::now();
            let several = frozen.study.outcomes().has_several_objectives();
            let front = several.then(|| frozen.study.recommended_front().ok()).flatten();
            drawn.recommended = Some(Recommended { point: frozen.study.recommended(), front });
            frozen.took(start);
        }
        Ok(drawn.recommended.clone().unwrap_or_default())
    }

    /// Why a trial's point was chosen: computed once, since it takes a fit and does not change. One reason is computed
    /// at a time; known reasons are returned without waiting.
    pub fn why(&self, live: &LiveStudy, trial: TrialId) -> Result<Arc<str>, HttpError> {
        let known = |generation| self.reasons.lock().get(&(generation, trial)).cloned();
        let generation = live.look_at(|_, generation| generation)?;
        if let Some(reasons) = known(generation) {
            return Ok(reasons);
        }
        let _turn = self.reasoning.lock();
        if let Some(reasons) = known(generation) {
            return Ok(reasons);
        }
        let frozen = match self.frozen(live)? {
            frozen if frozen.study.trial(trial).is_ok() => frozen,
            _ => self.newest(live)?,
        };
        let reasons: Arc<str> = why_page(&frozen.scene(live.name()), trial)?.to_string().into();
        let mut kept = self.reasons.lock();
        if kept.len() >= MOST_KEPT {
            kept.clear();
        }
        kept.insert((frozen.moment.generation, trial), reasons.clone());
        Ok(reasons)
    }

    /// A study whose model is fitted: not always the newest, so that many viewers cost only one fit now and then.
    fn frozen(&self, live: &LiveStudy) -> Result<Arc<FrozenStudy>, HttpError> {
        self.freeze(live, false, |earlier| FrozenStudy::new(live, earlier))
    }

    /// Like [`frozen`](Self::frozen), of the study as it is in the store now.
    fn newest(&self, live: &LiveStudy) -> Result<Arc<FrozenStudy>, HttpError> {
        live.read()?;
        self.freeze(live, true, |earlier| FrozenStudy::new(live, earlier))
    }

    fn freeze(
        &self,
        live: &LiveStudy,
        newest: bool,
        make: impl FnOnce(Option<&FrozenStudy>) -> Result<FrozenStudy, HttpError>,
    ) -> Result<Arc<FrozenStudy>, HttpError> {
        loop {
            let moment = live.look_at(|shared, generation| Moment {
                generation,
                revision: shared.study().events().len(),
                statuses: Scene::of(shared).statuses,
            })?;
            let mut slot = self.slot.lock();
            match slot.plan(&moment, newest, |frozen| frozen.rests()) {
                Plan::Use(frozen) => return Ok(frozen),
                Plan::Wait => drop(slot.wait(&self.made)),
                Plan::Make => {
                    let earlier = slot.kept.as_ref().map(|(_, frozen)| frozen.clone());
                    drop(slot);
                    let mut making = Making { cache: self, frozen: None };
                    let frozen = Arc::new(make(earlier.as_deref())?);
                    making.frozen = Some(frozen.clone());
                    return Ok(frozen);
                }
            }
        }
    }
}

/// Puts the new copy into the slot, and wakes those who wait for it, even if no copy could be made.
struct Making<'a> {
    cache: &'a PictureCache,
    frozen: Option<Arc<FrozenStudy>>,
}

impl Drop for Making<'_> {
    fn drop(&mut self) {
        let made = self.frozen.take().map(|frozen| (frozen.moment.clone(), frozen));
        self.cache.slot.lock().end(made);
        self.cache.made.notify_all();
    }
}

/// The kept copy, and whether its successor is being made. Each method is one step under the lock.
#[derive(Debug, Clone)]
struct Slot<T> {
    kept: Option<(Moment, T)>,
    is_making: bool,
}

/// What a viewer should do.
#[derive(Debug, PartialEq)]
enum Plan<T> {
    /// Use the kept copy.
    Use(T),
    /// Make the next copy, and signal when it is done.
    Make,
    /// Wait for another viewer to make it.
    Wait,
}

impl<T: Clone> Slot<T> {
    /// The plan for a viewer of the study at a moment. `rests` says whether the kept copy is still new enough for those
    /// who do not need the newest.
    fn plan(&mut self, moment: &Moment, newest: bool, rests: impl Fn(&T) -> bool) -> Plan<T> {
        let kept = self.kept.as_ref().filter(|(kept, _)| kept.generation == moment.generation);
        if let Some((known, it)) = kept {
            let is_current = known == moment || known.revision > moment.revision;
            // An old picture now is better than a new one after a fit, which another viewer is already making.
            if is_current || !newest && (self.is_making || rests(it)) {
                return Plan::Use(it.clone());
            }
        }
        if self.is_making {
            return Plan::Wait;
        }
        self.is_making = true;
        Plan::Make
    }

    /// Ends the making of a copy, and keeps it if there is one.
    fn end(&mut self, made: Option<(Moment, T)>) {
        self.is_making = false;
        if made.is_some() {
            self.kept = made;
        }
    }
}

fn too_many(n: usize) -> HttpError {
    let what = format!("pictures of the model are drawn for up to {MOST_MODELLED} results, and this study has {n}");
    let hint = "look at the history, the trials and the parallel coordinates";
    HttpError::new(StatusCode::UNPROCESSABLE_ENTITY, what, hint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interleavings::{Step, walk};
    use elbowroom::space::{Parameter, SearchSpace};
    use elbowroom::study::StudyConfig;
    use elbowroom_store::{Memory, SharedStudy, Store};
    use std::sync::mpsc;

    fn moment(generation: usize, revision: usize) -> Moment {
        Moment { generation, revision, statuses: Vec::new() }
    }

    /// Three viewers, the last of whom wants the newest picture, and one writer.
    #[derive(Debug, Clone)]
    struct World {
        slot: Slot<usize>,
        revision: usize,
        at: [usize; 4],
        saw: [usize; 3],
        made: [Option<usize>; 3],
        used: [Option<usize>; 3],
    }

    impl World {
        fn step(&mut self, client: usize) -> Step {
            if client == 3 {
                if self.at[3] == 1 {
                    return Step::Ended;
                }
                (self.at[3], self.revision) = (1, self.revision + 1);
                return Step::Made;
            }
            let newest = client == 2;
            match self.at[client] {
                0 => (self.saw[client], self.at[client]) = (self.revision, 1),
                1 => match self.slot.plan(&moment(0, self.saw[client]), newest, |_| false) {
                    Plan::Use(it) => (self.used[client], self.at[client]) = (Some(it), 4),
                    Plan::Make => self.at[client] = 2,
                    Plan::Wait => {
                        assert!(newest || self.slot.kept.is_none(), "somebody waits though there is an old picture");
                        return Step::Waits;
                    }
                },
                2 => (self.made[client], self.at[client]) = (Some(self.revision), 3),
                3 => {
                    let it = self.made[client].unwrap();
                    self.slot.end(Some((moment(0, it), it)));
                    (self.used[client], self.at[client]) = (Some(it), 4);
                }
                _ => return Step::Ended,
            }
            let n_making = self.at[..3].iter().filter(|at| [2, 3].contains(*at)).count();
            assert_eq!(n_making, usize::from(self.slot.is_making), "one makes at a time");
            Step::Made
        }
    }

    #[test]
    fn in_every_order_one_makes_at_a_time_and_who_wants_the_newest_gets_it() {
        for kept in [None, Some((moment(0, 1), 1))] {
            let has_old = kept.is_some();
            let slot = Slot { kept, is_making: false };
            let world = World { slot, revision: 2, at: [0; 4], saw: [0; 3], made: [None; 3], used: [None; 3] };
            let n_states = walk(&world, 4, &World::step, &mut |world| {
                assert!(world.used[2] >= Some(world.saw[2]), "{:?}", world.used);
                assert!(world.used.iter().all(|used| *used >= Some(if has_old { 1 } else { 2 })));
                assert!(!world.slot.is_making);
            });
            assert!(n_states > 100, "{n_states}");
        }
    }

    #[test]
    fn another_study_of_the_same_name_is_never_shown_as_this_one() {
        let mut slot = Slot { kept: Some((moment(0, 9), "old")), is_making: false };
        assert_eq!(slot.plan(&moment(1, 3), false, |_| true), Plan::Make);
        assert_eq!(slot.plan(&moment(1, 3), false, |_| true), Plan::Wait);
        slot.end(None);
        assert_eq!(slot.plan(&moment(1, 3), false, |_| true), Plan::Make, "the first one failed");
        slot.end(Some((moment(1, 3), "new")));
        assert_eq!(slot.plan(&moment(1, 3), true, |_| false), Plan::Use("new"));
    }

    /// A study with some results, and a worker of it.
    fn study() -> (LiveStudy, SharedStudy) {
        let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)]).unwrap();
        let store: Arc<dyn Store> = Arc::new(Memory::new());
        let mut worker = SharedStudy::create(store.clone(), "plate", StudyConfig::new(space)).unwrap();
        tell(&mut worker, 4);
        (LiveStudy::open(store, "plate").unwrap(), worker)
    }

    fn tell(worker: &mut SharedStudy, n: usize) {
        for (i, handed) in worker.ask(n).unwrap().trials.iter().enumerate() {
            worker.tell(handed, i as f64).unwrap();
        }
    }

    #[test]
    fn who_looks_is_answered_from_the_old_state_while_a_new_fit_is_made() {
        let (live, mut worker) = study();
        let cache = PictureCache::default();
        let mut old = FrozenStudy::new(&live, None).unwrap();
        // It has rested for long enough.
        old.made = Instant::now().checked_sub(100 * LEAST_REST).unwrap();
        let old = Arc::new(old);
        cache.slot.lock().end(Some((old.moment.clone(), old.clone())));
        tell(&mut worker, 2);
        let (begun, begins) = mpsc::channel();
        let (go_on, goes_on) = mpsc::channel::<()>();
        let (live, cache) = (&live, &cache);
        std::thread::scope(|scope| {
            let maker = scope.spawn(move || {
                live.outdate();
                cache.freeze(live, true, |earlier| {
                    begun.send(()).unwrap();
                    goes_on.recv().unwrap();
                    FrozenStudy::new(live, earlier)
                })
            });
            begins.recv().unwrap();
            // If this waited for the copy that is being made, it would wait for ever.
            let meanwhile = cache.frozen(live).unwrap();
            assert!(Arc::ptr_eq(&meanwhile, &old));
            go_on.send(()).unwrap();
            let new = maker.join().unwrap().map_err(|error| error.what).unwrap();
            assert!(new.moment.revision > old.moment.revision);
            assert!(Arc::ptr_eq(&cache.frozen(live).unwrap(), &new));
        });
    }

    #[test]
    fn a_fit_that_panics_leaves_the_next_one_free_to_try() {
        let (live, _) = study();
        let cache = PictureCache::default();
        let panics = std::panic::AssertUnwindSafe(|| cache.freeze(&live, false, |_| panic!("on purpose")).is_ok());
        assert!(std::panic::catch_unwind(panics).is_err());
        assert!(cache.frozen(&live).is_ok());
    }
}
