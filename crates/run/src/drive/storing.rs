//! Storing the results of commands, while the store may fail for a while.
//!
//! Each result is retried on its own schedule, and none waits for another: the loop continues with the other results,
//! and a stop ends it at once and lists the results that are not stored, each as the command that tells it.

use std::time::{Duration, Instant};

use elbowroom::study::{Results, Told, TrialId};
use elbowroom_store::{About, Attempt, Error as StoreError, Result as StoreResult, worker_name};

use super::{Done, DriveEvent, Driving};
use crate::process::CommandEnd;
use crate::stop::Urgency;

/// Milliseconds before the store is tried again: half a minute in all.
const RETRY_AFTER: [u64; 6] = [100, 400, 1500, 5000, 10_000, 15_000];

/// When something is tried again, and how often it has been tried.
pub(super) struct Patience {
    n_tries: usize,
    at: Instant,
}

impl Patience {
    pub fn new() -> Self {
        Self { n_tries: 0, at: Instant::now() }
    }

    pub fn is_due(&self) -> bool {
        Instant::now() >= self.at
    }

    /// Whether this error may pass by itself and there are tries left; if so, schedules the next one.
    pub fn bears(&mut self, error: &StoreError) -> bool {
        let passes = matches!(error, StoreError::Unreachable { .. } | StoreError::NotWritten { .. });
        let Some(pause) = RETRY_AFTER.get(self.n_tries).filter(|_| passes) else { return false };
        self.n_tries += 1;
        self.at = Instant::now() + Duration::from_millis(*pause);
        true
    }
}

/// A result that is not stored yet.
pub(super) struct Letter {
    done: Done,
    patience: Patience,
}

impl Letter {
    pub fn new(done: Done) -> Self {
        Self { done, patience: Patience::new() }
    }
}

/// Trials to hand back, together.
pub(super) struct Returning {
    pub trials: Vec<Done>,
    pub patience: Patience,
}

impl Driving<'_> {
    /// Stores results and hands trials back, as far as the store accepts it now.
    pub(super) fn settle(&mut self) {
        let stops = self.stop.urgency() >= Urgency::Release;
        for mut letter in std::mem::take(&mut self.letters) {
            if !stops && !letter.patience.is_due() {
                self.letters.push(letter);
                continue;
            }
            match self.store(&letter.done) {
                Ok(()) => self.stored(&letter.done),
                Err(error) if !stops && letter.patience.bears(&error) => {
                    self.say(DriveEvent::Trouble(&error.to_string()));
                    self.letters.push(letter);
                }
                Err(error) => {
                    self.untold.extend(line(letter.done.handed.id(), &letter.done.outcome));
                    self.broken.get_or_insert(error.into());
                    self.heartbeat.let_go(letter.done.handed.attempt);
                    self.say(DriveEvent::NotStored(&letter.done.handed, &letter.done.outcome));
                }
            }
        }
        // When all commands must end, wait for the slow ones, so that one commit hands all trials back.
        let is_due = if stops { self.n_running == 0 } else { self.returning.patience.is_due() };
        if is_due && !self.returning.trials.is_empty() {
            self.requeue(stops);
        }
    }

    fn requeue(&mut self, stops: bool) {
        let trials = std::mem::take(&mut self.returning.trials);
        let attempts: Vec<Attempt> = trials.iter().map(|done| done.handed.attempt).collect();
        match self.study.stored().requeue(&attempts).and_then(|()| self.study.refresh()) {
            Ok(_) => {
                self.returning.patience = Patience::new();
                self.n_started -= trials.len();
                self.summary.n_given_back += trials.len();
                trials.iter().for_each(|done| self.stored(done));
            }
            Err(error) if !stops && self.returning.patience.bears(&error) => {
                self.say(DriveEvent::Trouble(&error.to_string()));
                self.returning.trials = trials;
            }
            // Their leases run out.
            Err(error) => {
                attempts.iter().for_each(|attempt| self.heartbeat.let_go(*attempt));
                self.broken.get_or_insert(error.into());
            }
        }
    }

    /// Stores a result, under a name, so that it can be retried safely.
    fn store(&mut self, done: &Done) -> StoreResult<()> {
        let attempt = done.handed.attempt;
        let request = format!("{} {}.{}", worker_name(), attempt.trial, attempt.number);
        let about = About::from(attempt).request(&request);
        match &done.outcome {
            CommandEnd::Value(_, results) => match self.study.tell(about, results.clone())? {
                Told::NotFinite => self.summary.n_failed += 1,
                _ => self.summary.n_told += 1,
            },
            CommandEnd::NoMetric(why, others) => {
                let beside = About::from(attempt).request(format!("{request}, its results"));
                self.study.tell(beside, others.iter().cloned().collect::<Results>())?;
                self.study.fail(about, why)?;
                self.summary.n_failed += 1;
            }
            CommandEnd::Failed(why) => {
                self.study.fail(about, why)?;
                self.summary.n_failed += 1;
            }
            CommandEnd::Infeasible(why) => {
                self.study.infeasible(about, why)?;
                self.summary.n_infeasible += 1;
            }
            CommandEnd::Requeue | CommandEnd::Stopped | CommandEnd::NotStarted(_) => {}
        }
        Ok(())
    }

    fn stored(&mut self, done: &Done) {
        self.heartbeat.let_go(done.handed.attempt);
        self.say(DriveEvent::Ended(&done.handed, &done.outcome, done.took));
        let streak = self.study.study().streak();
        if self.alarm.rings(streak.as_ref())
            && let Some(streak) = &streak
        {
            self.say(DriveEvent::Failing(streak));
        }
    }
}

/// The command with which a person can tell a result by hand.
fn line(trial: TrialId, outcome: &CommandEnd) -> Option<String> {
    match outcome {
        CommandEnd::Value(_, results) => {
            let bare = results.bare().map_or_else(String::new, |value| format!(" {value:?}"));
            let named = results.named().map(|(name, told)| format!(" '{name}={:?}'", told.value));
            Some(format!("    elbow tell {trial}{bare}{}", named.collect::<String>()))
        }
        CommandEnd::Infeasible(why) => Some(format!("    elbow fail {trial} --infeasible --reason {why:?}")),
        CommandEnd::Failed(why) | CommandEnd::NoMetric(why, _) => {
            Some(format!("    elbow fail {trial} --reason {why:?}"))
        }
        CommandEnd::Requeue | CommandEnd::Stopped | CommandEnd::NotStarted(_) => None,
    }
}
