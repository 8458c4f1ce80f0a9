//! What every ask needs to know of all trials, updated with every event, so that an ask costs the same after a hundred
//! thousand trials as after ten.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::trial::{Source, Trial, TrialId, TrialState};
use crate::space::{PointKey, SearchSpace};

/// Counts and sets over the trials.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Tally {
    /// Trials with a value.
    pub n_observed: usize,
    /// Trials that were not withdrawn.
    pub n_started: usize,
    /// Those of them that the study chose: they count against the budget.
    pub n_counted: usize,
    /// Pending trials.
    pub pending: BTreeSet<TrialId>,
    /// Trials that failed or were infeasible.
    pub failed: BTreeSet<TrialId>,
    /// The points not to be proposed: of all trials except withdrawn ones and, if repeats are allowed, observed ones.
    pub taken: HashSet<PointKey>,
    /// For points that several trials take, how many trials beyond the first.
    further: HashMap<PointKey, usize>,
}

impl Tally {
    /// Counts a trial that is new, or has changed from what it was.
    pub fn note(&mut self, space: &SearchSpace, repeats: bool, was: Option<Account>, trial: &Trial) {
        let (was, is) = (was.unwrap_or_default(), Account::of(trial, repeats));
        let count = |n: &mut usize, before: bool, now: bool| *n = *n + usize::from(now) - usize::from(before);
        count(&mut self.n_observed, was.observed, is.observed);
        count(&mut self.n_started, was.started, is.started);
        count(&mut self.n_counted, was.counted, is.counted);
        let list = |ids: &mut BTreeSet<TrialId>, before: bool, now: bool| match (before, now) {
            (false, true) => drop(ids.insert(trial.id)),
            (true, false) => drop(ids.remove(&trial.id)),
            _ => {}
        };
        list(&mut self.pending, was.pending, is.pending);
        list(&mut self.failed, was.failed, is.failed);
        match (was.takes, is.takes) {
            (false, true) => self.take(space.key(&trial.unit)),
            (true, false) => self.free(&space.key(&trial.unit)),
            _ => {}
        }
    }

    fn take(&mut self, key: PointKey) {
        if let Some(key) = self.taken.replace(key) {
            *self.further.entry(key).or_default() += 1;
        }
    }

    fn free(&mut self, key: &PointKey) {
        match self.further.get_mut(key) {
            Some(1) => drop(self.further.remove(key)),
            Some(n) => *n -= 1,
            None => drop(self.taken.remove(key)),
        }
    }
}

/// How a trial counts.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Account {
    observed: bool,
    started: bool,
    counted: bool,
    pending: bool,
    failed: bool,
    takes: bool,
}

impl Account {
    pub fn of(trial: &Trial, repeats: bool) -> Self {
        let started = trial.state != TrialState::Withdrawn;
        Self {
            observed: matches!(trial.state, TrialState::Complete { .. }),
            started,
            counted: started && trial.source != Source::Given,
            pending: trial.is_pending(),
            failed: matches!(trial.state, TrialState::Failed { .. } | TrialState::Infeasible { .. }),
            takes: match trial.state {
                TrialState::Withdrawn => false,
                TrialState::Complete { .. } => !repeats,
                TrialState::Pending | TrialState::Failed { .. } | TrialState::Infeasible { .. } => true,
            },
        }
    }
}
