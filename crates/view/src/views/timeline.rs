//! Who ran which attempt of which trial, from when to when.
//!
//! A worker that runs several trials at once has a lane for each: every attempt takes the first lane that is free when it
//! is handed out, so there are as many lanes as were ever busy together.

use std::collections::BTreeMap;

use elbowroom::study::TrialId;
use serde::Serialize;

use crate::attempts::{Attempt, attempts};
use crate::scene::{Scene, TrialStatus};

/// Attempts of each worker, in the order of its first one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Timeline {
    /// The beginning of the first attempt.
    pub from: i64,
    /// The end of the last one, or the time of looking.
    pub to: i64,
    /// The workers.
    pub workers: Vec<Worker>,
    /// Earlier attempts that are left out.
    pub left_out: usize,
}

/// A worker and its attempts.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Worker {
    /// Its name.
    pub name: String,
    /// How many of its attempts ran at once, at most.
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
    /// Which attempt of it.
    pub attempt: u32,
    /// Which lane of its worker it takes, from 0: no two attempts of a lane overlap.
    pub lane: usize,
    /// When it was handed out.
    pub from: i64,
    /// When it ended, as far as the log knows.
    pub to: i64,
    /// How it ended: as the trial did, or `lost` where the trial was handed out again.
    pub end: TrialStatus,
}

/// The last `most` attempts.
pub fn timeline(scene: &Scene<'_>, most: usize) -> Timeline {
    let mut all = attempts(scene);
    let left_out = all.len().saturating_sub(most);
    let shown = all.split_off(left_out);
    let from = shown.iter().map(|one| one.from).min().unwrap_or(scene.now);
    let to = shown.iter().map(|one| one.to).max().unwrap_or(scene.now);
    let (mut order, mut workers) = (BTreeMap::new(), Vec::new());
    for Attempt { trial, attempt, worker, from, to, end } in shown {
        let i = *order.entry(worker.clone()).or_insert_with(|| {
            workers.push(Worker { name: worker, n_lanes: 0, spans: Vec::new() });
            workers.len() - 1
        });
        workers[i].spans.push(Span { trial, attempt, lane: 0, from, to, end });
    }
    workers.iter_mut().for_each(Worker::take_lanes);
    Timeline { from, to, workers, left_out }
}

impl Worker {
    /// Gives each attempt the first lane that is free when it begins. They are in the order of their beginnings.
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
