//! A study as it is shown: the input of all views.

use elbowroom::error::Result;
use elbowroom::space::UnitPoint;
pub use elbowroom::study::TrialStatus;
use elbowroom::study::{Study, Trial, TrialId};
pub use elbowroom_store::Held;
use elbowroom_store::{SharedStudy, StatusAnswer};

/// A study at one moment. Times are in milliseconds since 1970.
#[derive(Debug)]
pub struct Scene<'a> {
    /// Its name.
    pub name: &'a str,
    /// The study.
    pub study: &'a Study,
    /// The study with its store, if it is in one.
    pub shared: Option<&'a SharedStudy>,
    /// The status of each trial, by number.
    pub statuses: Vec<TrialStatus>,
    /// The leases, by trial.
    pub held: Vec<Held>,
    /// When each event was stored; empty if unknown.
    pub times: Vec<i64>,
    /// The current time.
    pub now: i64,
}

impl<'a> Scene<'a> {
    /// A study in a store, as it was when it was last read.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, SearchSpace};
    /// use elbowroom::study::{StudyConfig, TrialId};
    /// use elbowroom_store::{Memory, SharedStudy};
    /// use elbowroom_view::Scene;
    /// use std::sync::Arc;
    ///
    /// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
    /// let store = Arc::new(Memory::new());
    /// let mut study = SharedStudy::create(store, "plate", StudyConfig::new(space))?.worker("bench 1");
    /// study.ask(1)?;
    /// assert_eq!(Scene::of(&study).holder(TrialId(0)).unwrap().worker, "bench 1");
    /// # Ok::<(), elbowroom_store::Error>(())
    /// ```
    pub fn of(shared: &'a SharedStudy) -> Self {
        Self {
            name: shared.name(),
            study: shared.study(),
            shared: Some(shared),
            statuses: shared.study().trials().iter().map(|trial| shared.status(trial)).collect(),
            held: shared.held(),
            times: shared.stored().times().iter().map(|time| time.0).collect(),
            now: shared.stored().now().0,
        }
    }

    /// A study that is not in a store: times and workers are unknown.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, SearchSpace};
    /// use elbowroom::study::{Study, StudyConfig};
    /// use elbowroom_view::{Scene, TrialStatus};
    ///
    /// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
    /// let mut study = Study::new(StudyConfig::new(space))?;
    /// study.ask(2)?;
    /// assert_eq!(Scene::alone("plate", &study).statuses, [TrialStatus::Running; 2]);
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn alone(name: &'a str, study: &'a Study) -> Self {
        let statuses = study.trials().iter().map(TrialStatus::of).collect();
        Self { name, study, shared: None, statuses, held: Vec::new(), times: Vec::new(), now: 0 }
    }

    /// The status of a trial.
    pub fn status(&self, trial: &Trial) -> TrialStatus {
        self.statuses.get(trial.id.0 as usize).copied().unwrap_or_else(|| TrialStatus::of(trial))
    }

    /// The lease of a trial, if it has one.
    pub fn holder(&self, trial: TrialId) -> Option<&Held> {
        self.held.binary_search_by_key(&trial, |held| held.trial).ok().map(|i| &self.held[i])
    }

    /// A trial in the form in which the command, HTTP and Python return it.
    pub fn answer(&self, trial: &Trial) -> StatusAnswer {
        StatusAnswer::new(self.study, trial, self.status(trial), self.holder(trial.id))
    }

    /// The unit point that pictures go through: the recommended one.
    pub fn center(&self) -> Result<UnitPoint> {
        match self.study.recommended() {
            Some(found) => self.study.space().encode(&found.point),
            None => Ok(UnitPoint::clamped(vec![0.5; self.study.space().dim()])),
        }
    }

    /// The numbers of the trials whose points push others away.
    pub fn pending_ids(&self) -> Vec<TrialId> {
        self.pending().map(|trial| trial.id).collect()
    }

    /// The trials whose points push others away.
    pub fn pending(&self) -> impl Iterator<Item = &'a Trial> + '_ {
        self.study.pending().filter(|trial| self.status(trial).penalizes())
    }
}
