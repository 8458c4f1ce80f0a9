//! Who ran which attempt of which trial, from when to when, as the log tells.

use std::collections::HashMap;

use elbowroom::study::{Event, TrialId};

use crate::scene::{Scene, TrialStatus};

/// The name of somebody whose name the log does not know.
const UNKNOWN: &str = "unknown";

/// The worker of a point that somebody added.
const BY_HAND: &str = "by hand";

/// One attempt of a trial. Times are milliseconds since 1970.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// The trial.
    pub trial: TrialId,
    /// Which attempt of it.
    pub attempt: u32,
    /// Who ran it.
    pub worker: String,
    /// When it was handed out.
    pub from: i64,
    /// When it ended; the time of looking if it has not.
    pub to: i64,
    /// How it ended: as the trial did, or `lost` where the trial was handed out again.
    pub end: TrialStatus,
}

impl Attempt {
    /// How long it took, or has taken so far.
    pub fn seconds(&self) -> f64 {
        (self.to - self.from).max(0) as f64 / 1000.0
    }
}

/// All attempts in the order in which they began; none if nobody knows of times.
///
/// ```
/// use elbowroom::space::{Parameter, SearchSpace};
/// use elbowroom::study::{Study, StudyConfig};
/// use elbowroom_view::{Scene, attempts::attempts};
///
/// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
/// let mut study = Study::new(StudyConfig::new(space))?;
/// let trial = study.ask(1)?.trials[0].id;
/// study.tell(trial, 0.5)?;
/// // The study was made at 0 ms, asked at 1000 and told at 4500.
/// let scene = Scene { times: vec![0, 1000, 4500], now: 9000, ..Scene::alone("plate", &study) };
/// assert_eq!(attempts(&scene)[0].seconds(), 3.5);
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
pub fn attempts(scene: &Scene<'_>) -> Vec<Attempt> {
    let mut all: Vec<Attempt> = Vec::new();
    // The attempt of each trial that is not over yet, by its index in the list.
    let mut open: HashMap<TrialId, usize> = HashMap::new();
    for (event, &at) in scene.study.events().iter().zip(&scene.times) {
        let mut begin = |trial: TrialId, attempt: u32, worker: &str| {
            if let Some(i) = open.insert(trial, all.len()) {
                (all[i].to, all[i].end) = (at, TrialStatus::Lost);
            }
            let (worker, to) = (worker.to_owned(), scene.now.max(at));
            all.push(Attempt { trial, attempt, worker, from: at, to, end: TrialStatus::Running });
        };
        let ended = match event {
            Event::Asked { trials, again, provenance, .. } => {
                let worker = provenance.worker.as_deref().unwrap_or(UNKNOWN);
                again.iter().for_each(|retry| begin(retry.id, retry.attempt, worker));
                trials.iter().for_each(|trial| begin(trial.id, 1, worker));
                None
            }
            Event::Added { trial, value: None, .. } => {
                begin(*trial, 1, BY_HAND);
                None
            }
            Event::Told { trial, .. } => Some((trial, TrialStatus::Complete)),
            Event::Failed { trial, .. } => Some((trial, TrialStatus::Failed)),
            Event::Infeasible { trial, .. } => Some((trial, TrialStatus::Infeasible)),
            Event::Withdrawn { trial, .. } => Some((trial, TrialStatus::Withdrawn)),
            Event::Created { .. }
            | Event::Added { .. }
            | Event::Measured { .. }
            | Event::Budgeted { .. }
            | Event::Placed { .. } => None,
        };
        if let Some((trial, end)) = ended
            && let Some(i) = open.remove(trial)
        {
            (all[i].to, all[i].end) = (at, end);
        }
    }
    for i in open.values() {
        let one = &mut all[*i];
        one.end = scene.statuses.get(one.trial.0 as usize).copied().unwrap_or(TrialStatus::Running);
    }
    all
}

/// The last attempt of each trial that was ever handed out.
pub fn latest(scene: &Scene<'_>) -> HashMap<TrialId, Attempt> {
    attempts(scene).into_iter().map(|one| (one.trial, one)).collect()
}

/// Attempts that an estimate looks back at.
const RECENT: usize = 32;

/// How long the rest of the budget will take, in seconds, if trials go on to take as long as the last ones and as many
/// run at once as now. None without a budget, while nothing runs, or before anything has ended.
///
/// ```
/// use elbowroom::space::{Parameter, SearchSpace};
/// use elbowroom::study::{Study, StudyConfig};
/// use elbowroom_view::{Scene, attempts::seconds_left};
///
/// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
/// let mut study = Study::new(StudyConfig::new(space).budget(5))?;
/// let trial = study.ask(1)?.trials[0].id;
/// study.tell(trial, 0.5)?;
/// study.ask(2)?;
/// // The first trial took 10 s. Two have run for 4 s: 6 s each to go, and 10 s for each of two more, on two workers.
/// let scene = Scene { times: vec![0, 0, 10_000, 10_000], now: 14_000, ..Scene::alone("plate", &study) };
/// assert_eq!(seconds_left(&scene), Some(16.0));
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
pub fn seconds_left(scene: &Scene<'_>) -> Option<f64> {
    let not_handed_out = scene.study.config().budget?.saturating_sub(scene.study.trials().len()) as f64;
    let all = attempts(scene);
    let ended =
        |one: &&Attempt| matches!(one.end, TrialStatus::Complete | TrialStatus::Failed | TrialStatus::Infeasible);
    let recent: Vec<f64> = all.iter().rev().filter(ended).take(RECENT).map(Attempt::seconds).collect();
    let running: Vec<f64> = all.iter().filter(|one| one.end == TrialStatus::Running).map(Attempt::seconds).collect();
    if recent.is_empty() || running.is_empty() {
        return None;
    }
    let mean = recent.iter().sum::<f64>() / recent.len() as f64;
    let under_way: f64 = running.iter().map(|taken| (mean - taken).max(0.0)).sum();
    Some((not_handed_out * mean + under_way) / running.len() as f64)
}
