//! What several test files need.
#![allow(dead_code, reason = "the tests and the fault runs each use a part")]

pub mod cluster;
pub mod crew;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use elbowroom::space::{Parameter, SearchSpace};
use elbowroom::study::{Event, InitialDesign, StudyConfig, TrialState};
use elbowroom_store::{Clock, Dsn, Memory, Postgres, SharedStudy, Sqlite, Store};

/// A store under test: opened as often as one likes, with time that can be made to pass.
pub struct Bench {
    pub name: &'static str,
    open: Box<dyn Fn() -> Arc<dyn Store> + Send + Sync>,
    clock: Option<Clock>,
    _folder: Option<tempfile::TempDir>,
}

impl Bench {
    pub fn memory() -> Option<Self> {
        let clock = Clock::manual(1_700_000_000_000);
        let store = Arc::new(Memory::with_clock(clock.clone()));
        Some(Self { name: "memory", open: Box::new(move || store.clone()), clock: Some(clock), _folder: None })
    }

    pub fn sqlite() -> Option<Self> {
        let (clock, folder) = (Clock::system(), tempfile::tempdir().unwrap());
        let (path, ours) = (folder.path().join("store.elbow"), clock.clone());
        let open = move || -> Arc<dyn Store> { Arc::new(Sqlite::open_with_clock(&path, ours.clone()).unwrap()) };
        Some(Self { name: "sqlite", open: Box::new(open), clock: Some(clock), _folder: Some(folder) })
    }

    /// A new database of this test program's private server; none where PostgreSQL is not installed.
    pub fn postgres() -> Option<Self> {
        let dsn = cluster::new_database()?;
        let open = move || -> Arc<dyn Store> { Arc::new(Postgres::connect(&Dsn::new(&dsn).unwrap()).unwrap()) };
        Some(Self { name: "postgres", open: Box::new(open), clock: None, _folder: None })
    }

    pub fn open(&self) -> Arc<dyn Store> {
        (self.open)()
    }

    /// Lets the store's time pass.
    pub fn pass(&self, time: Duration) {
        match &self.clock {
            Some(clock) => clock.step(time.as_millis() as i64),
            None => std::thread::sleep(time),
        }
    }

    /// Sets the clock, where that can be done.
    pub fn clock(&self) -> Option<&Clock> {
        self.clock.as_ref()
    }

    pub fn create(&self, config: StudyConfig) -> SharedStudy {
        SharedStudy::create(self.open(), "study", config).unwrap().worker("first")
    }

    /// As [`create`](Self::create), with leases that run out soon.
    pub fn create_brief(&self, config: StudyConfig) -> SharedStudy {
        self.create(config).ttl(TTL)
    }

    pub fn join(&self) -> SharedStudy {
        SharedStudy::open(self.open(), "study").unwrap().worker("other")
    }
}

/// Short, since a database's clock cannot be stepped.
pub const TTL: Duration = Duration::from_millis(600);

/// Longer than a lease.
pub const LONG: Duration = Duration::from_millis(700);

/// A plane of 400 points.
pub fn grid() -> SearchSpace {
    SearchSpace::new(vec![Parameter::int("a", 0, 19), Parameter::int("b", 0, 19)]).unwrap()
}

/// Random points and no model, where the choice does not matter.
pub fn random(budget: usize) -> StudyConfig {
    StudyConfig::new(grid()).design(InitialDesign::Uniform).initial(10_000).budget(budget)
}

/// The default strategy in a space of 225 points, where workers easily want the same one.
pub fn coarse(budget: usize) -> StudyConfig {
    let space = SearchSpace::new(vec![Parameter::int("a", 0, 14), Parameter::int("b", 0, 14)]).unwrap();
    StudyConfig::new(space).budget(budget)
}

/// Pairs of trials at the same point, of those that were not given back.
pub fn twice(study: &SharedStudy) -> Vec<String> {
    let (mut points, mut twice) = (HashMap::new(), Vec::new());
    for trial in study.study().trials().iter().filter(|trial| trial.state != TrialState::Released) {
        if let Some(other) = points.insert(trial.point.to_string(), trial.id) {
            twice.push(format!("trials {other} and {} are both at {}", trial.id, trial.point));
        }
    }
    twice
}

/// Trials that count, beyond the budget.
pub fn overshoot(study: &SharedStudy) -> usize {
    let counted = study.study().trials().iter().filter(|trial| trial.state != TrialState::Released).count();
    counted.saturating_sub(study.study().config().budget.unwrap_or(usize::MAX))
}

/// Nothing that a store promises is broken: every trial's point is its own, the budget holds, the log folds.
pub fn assert_sound(study: &SharedStudy) {
    let trials = study.study().trials();
    assert_eq!(twice(study), Vec::<String>::new());
    assert_eq!(overshoot(study), 0, "{} trials", trials.len());
    let handed: usize = study
        .study()
        .events()
        .iter()
        .map(|event| if let Event::Asked { trials, .. } = event { trials.len() } else { 0 })
        .sum();
    assert_eq!(handed, trials.len());
}
