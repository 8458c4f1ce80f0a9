//! Which worker ran which attempt of which trial, and when.
//!
//! A worker that runs several trials at once has a lane for each: every attempt takes the first lane that is free when it
//! is handed out, so there are as many lanes as were ever busy together.

use std::collections::{BTreeMap, HashMap};

use elbowroom::study::{Event, TrialId};
use serde::Serialize;

use crate::TrialStatus;
use crate::shared::SharedStudy;

/// The attempts of each worker, in the order of their first attempts.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Timeline {
    /// The beginning of the first attempt.
    pub from: i64,
    /// The end of the last attempt, or the current time.
    pub to: i64,
    /// The workers.
    pub workers: Vec<Worker>,
    /// The number of earlier attempts that are left out.
    pub left_out: usize,
}

/// A worker and its attempts.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Worker {
    /// Its name.
    pub name: String,
    /// The largest number of its attempts that ran at once.
    pub n_lanes: usize,
    /// Its attempts, in order.
    pub spans: Vec<Span>,
}

/// One attempt of a trial.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Span {
    /// The trial.
    pub trial: TrialId,
    /// The number of the attempt.
    pub attempt: u32,
    /// Its worker's lane, starting at 0. Attempts in the same lane do not overlap.
    pub lane: usize,
    /// When it was handed out.
    pub from: i64,
    /// When it ended, according to the log.
    pub to: i64,
    /// How it ended: like the trial, or `lost` if the trial was handed out again.
    pub end: TrialStatus,
}

/// The name of a worker whose name is not in the log.
const UNKNOWN: &str = "unknown";

impl Timeline {
    /// The last `most` attempts of a study in a store.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, SearchSpace};
    /// use elbowroom::study::StudyConfig;
    /// use elbowroom_store::{Memory, SharedStudy, Timeline};
    ///
    /// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
    /// let store = std::sync::Arc::new(Memory::new());
    /// let mut study = SharedStudy::create(store, "plate", StudyConfig::new(space))?.worker("bench 1");
    /// study.ask(2)?;
    /// let bench = &Timeline::of(&study, 100).workers[0];
    /// assert_eq!((bench.name.as_str(), bench.spans.len()), ("bench 1", 2));
    /// # Ok::<(), elbowroom_store::Error>(())
    /// ```
    pub fn of(shared: &SharedStudy, most: usize) -> Self {
        let times: Vec<i64> = shared.times.iter().map(|time| time.0).collect();
        let statuses: Vec<TrialStatus> = shared.study().trials().iter().map(|trial| shared.status(trial)).collect();
        Self::new(shared.study().events(), &times, &statuses, shared.now.0, most)
    }

    /// The last `most` attempts, from events, when each was stored, and the states of the trials now.
    pub fn new(events: &[Event], times: &[i64], statuses: &[TrialStatus], now: i64, most: usize) -> Self {
        let mut all = attempts(events, times, statuses, now);
        let left_out = all.len().saturating_sub(most);
        let shown = all.split_off(left_out);
        let from = shown.iter().map(|one| one.from).min().unwrap_or(now);
        let to = shown.iter().map(|one| one.to).max().unwrap_or(now);
        let (mut order, mut workers) = (BTreeMap::new(), Vec::new());
        for TrialAttempt { trial, attempt, worker, from, to, end } in shown {
            let i = *order.entry(worker.clone()).or_insert_with(|| {
                workers.push(Worker { name: worker, n_lanes: 0, spans: Vec::new() });
                workers.len() - 1
            });
            workers[i].spans.push(Span { trial, attempt, lane: 0, from, to, end });
        }
        workers.iter_mut().for_each(Worker::take_lanes);
        Timeline { from, to, workers, left_out }
    }
}

/// One attempt of a trial. Times are milliseconds since 1970.
#[derive(Debug, Clone, PartialEq)]
pub struct TrialAttempt {
    /// The trial.
    pub trial: TrialId,
    /// The number of the attempt.
    pub attempt: u32,
    /// The worker that ran it.
    pub worker: String,
    /// When it was handed out.
    pub from: i64,
    /// When it ended; the current time if it has not ended.
    pub to: i64,
    /// How it ended: like the trial, or `lost` if the trial was handed out again.
    pub end: TrialStatus,
}

impl TrialAttempt {
    /// How long it took, or has taken so far.
    pub fn seconds(&self) -> f64 {
        (self.to - self.from).max(0) as f64 / 1000.0
    }
}

/// All attempts in the order in which they began, from events, when each was stored, and the states of the trials now;
/// empty if times are unknown.
///
/// ```
/// use elbowroom::space::{Parameter, SearchSpace};
/// use elbowroom::study::{Study, StudyConfig};
/// use elbowroom_store::attempts;
///
/// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
/// let mut study = Study::new(StudyConfig::new(space))?;
/// let trial = study.ask(1)?.trials[0].id;
/// study.tell(trial, 0.5)?;
/// // The study was made at 0 ms, asked at 1000 and told at 4500.
/// assert_eq!(attempts(study.events(), &[0, 1000, 4500], &[], 9000)[0].seconds(), 3.5);
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
pub fn attempts(events: &[Event], times: &[i64], statuses: &[TrialStatus], now: i64) -> Vec<TrialAttempt> {
    let mut all: Vec<TrialAttempt> = Vec::new();
    // The attempt of each trial that is not over yet, by its index in the list.
    let mut open: HashMap<TrialId, usize> = HashMap::new();
    for (event, &at) in events.iter().zip(times) {
        let mut begin = |trial: TrialId, attempt: u32, worker: &str| {
            if let Some(i) = open.insert(trial, all.len()) {
                (all[i].to, all[i].end) = (at, TrialStatus::Lost);
            }
            let (worker, to) = (worker.to_owned(), now.max(at));
            all.push(TrialAttempt { trial, attempt, worker, from: at, to, end: TrialStatus::Running });
        };
        let ended = match event {
            Event::Asked { trials, again, provenance, .. } => {
                let worker = provenance.worker.as_deref().unwrap_or(UNKNOWN);
                again.iter().for_each(|retry| begin(retry.id, retry.attempt, worker));
                trials.iter().for_each(|trial| begin(trial.id, 1, worker));
                None
            }
            Event::Added { trial, value: None, .. } => {
                begin(*trial, 1, "by hand");
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
        one.end = statuses.get(one.trial.0 as usize).copied().unwrap_or(TrialStatus::Running);
    }
    all
}

impl Worker {
    /// Gives each attempt the first lane that is free when it begins. Attempts are in the order in which they began.
    fn take_lanes(&mut self) {
        let mut free_from: Vec<i64> = Vec::new();
        for span in &mut self.spans {
            span.lane = free_from.iter().position(|end| *end <= span.from).unwrap_or(free_from.len());
            match free_from.get_mut(span.lane) {
                Some(end) => *end = span.to,
                None => free_from.push(span.to),
            }
        }
        self.n_lanes = free_from.len();
    }
}
