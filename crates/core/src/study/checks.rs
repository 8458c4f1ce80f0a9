//! Checks whether an event can follow those before it. Everything is checked before anything changes.

use super::event::{Event, PlacedTrial, Retry};
use super::outcome::{check_free, check_name};
use super::results::{Measured, Watched};
use super::state::{State, refuse};
use super::trial::{Source, TrialId};
use crate::error::{Error, Result};

impl State {
    /// Whether a report of a trial can be appended at any time from now on; for additions, positions and budgets,
    /// whether they can be appended right now.
    pub fn check(&self, event: &Event) -> Result<()> {
        match event {
            Event::Told { trial, value, noise, results, request, .. } => {
                self.is_new(*trial, request.as_deref())?;
                self.check_numbers(*trial, None, Measured { value: *value, noise: *noise })?;
                self.check_watched(*trial, results)
            }
            Event::Measured { trial, results, request, .. } | Event::Failed { trial, results, request, .. } => {
                self.is_new(*trial, request.as_deref())?;
                self.check_watched(*trial, results)
            }
            Event::Infeasible { trial, request, .. } | Event::Withdrawn { trial, request } => {
                self.is_new(*trial, request.as_deref()).map(|_| ())
            }
            Event::Added { trial, point, value, noise, results, request, .. } => {
                self.check_unused(*trial, request.as_deref())?;
                self.check_watched(*trial, results)?;
                self.new_trial(*trial, 0, point, Source::Given)?;
                value.map_or(Ok(()), |value| self.check_numbers(*trial, None, Measured { value, noise: *noise }))
            }
            Event::Budgeted { trials } => self.check_budget(*trials),
            Event::Placed { trials } => self.check_places(trials),
            Event::Created { .. } | Event::Asked { .. } => Err(refuse(
                self.revision,
                "only reports, additions, places and budgets are checked",
                "create a study with its configuration, and ask it for points",
            )),
        }
    }

    /// Only a pending trial can be handed out again, and its attempts are numbered without a gap.
    pub(super) fn check_retry(&self, retry: &Retry, before: &[Retry]) -> Result<()> {
        let Retry { id, attempt } = *retry;
        let trial = self.trial(id)?;
        let next = trial.attempts.saturating_add(1);
        if trial.is_pending() && attempt == next && before.iter().all(|b| b.id != id) {
            return Ok(());
        }
        let what = format!("trial {id} cannot be handed out again as attempt {attempt}");
        Err(refuse(self.revision, what, "keep the events in the order they were written"))
    }

    /// Whether a report was not folded before.
    pub(super) fn is_new(&self, trial: TrialId, request: Option<&str>) -> Result<bool> {
        self.index(trial)?;
        match request.and_then(|r| self.told.get_key_value(r)) {
            None => Ok(true),
            Some((_, known)) if *known == trial => Ok(false),
            Some((request, known)) => Err(refuse(
                self.revision,
                format!("trial {trial}: request `{request}` was a report of trial {known}"),
                "give each report its own name",
            )),
        }
    }

    /// A request that makes a new trial must not have been used before.
    pub(super) fn check_unused(&self, trial: TrialId, request: Option<&str>) -> Result<()> {
        match request.and_then(|r| self.told.get_key_value(r)) {
            None => Ok(()),
            Some((request, known)) => Err(refuse(
                self.revision,
                format!("trial {trial}: request `{request}` was a report of trial {known}"),
                "give each report its own name",
            )),
        }
    }

    pub(super) fn check_places(&self, trials: &[PlacedTrial]) -> Result<()> {
        trials.iter().try_for_each(|placed| self.index(placed.trial).map(|_| ()))
    }

    /// A budget must cover what was handed out, and allow at least one trial.
    pub(super) fn check_budget(&self, trials: Option<usize>) -> Result<()> {
        let n_counted = self.tally.n_counted;
        match trials {
            Some(0) => Err(Error::config("the budget is 0 trials", "allow at least 1 trial, or set no budget")),
            Some(n) if n < n_counted => Err(Error::config(
                format!("a budget of {n} trials is too small: {n_counted} were handed out"),
                format!("allow at least {n_counted}; with exactly that many, nothing more is handed out"),
            )),
            _ => Ok(()),
        }
    }

    /// A number must be finite, and its noise a variance; without a name it is the trial's value.
    pub(super) fn check_numbers(&self, trial: TrialId, name: Option<&str>, measured: Measured) -> Result<()> {
        let Measured { value, noise } = measured;
        if !value.is_finite() {
            let (what, hint) = match name {
                None => ("the value".to_owned(), "record the trial as failed, with the value as its reason"),
                Some(name) => (format!("the result `{name}`"), "leave it out, and say so in a comment"),
            };
            return Err(refuse(self.revision, format!("trial {trial}: {what} is {value}"), hint));
        }
        match noise {
            Some(v) if !(v.is_finite() && v >= 0.0) => {
                let of = name.map_or_else(String::new, |name| format!(" of `{name}`"));
                Err(refuse(
                    self.revision,
                    format!("trial {trial}: the noise variance{of} is {v}"),
                    "give a variance that is finite and not negative, or none",
                ))
            }
            _ => Ok(()),
        }
    }

    /// Results besides the optimized one must be numbers with their own names.
    pub(super) fn check_watched(&self, trial: TrialId, results: &Watched) -> Result<()> {
        for (i, (name, measured)) in results.iter().enumerate() {
            check_name(name)?;
            check_free(name, &self.config.space)?;
            if *name == *self.metric || results.iter().take(i).any(|(other, _)| other == name) {
                let what = format!("trial {trial}: the result `{name}` is listed among the others");
                return Err(refuse(self.revision, what, "give each result once, and the optimized one as `value`"));
            }
            self.check_numbers(trial, Some(name), measured)?;
        }
        Ok(())
    }
}
