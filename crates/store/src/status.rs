//! The states of trials, by the log, the leases and the clock.

use elbowroom::study::{Trial, TrialStatus};
use serde::Serialize;

use crate::shared::SharedStudy;

/// How many trials are in each state.
///
/// ```
/// use elbowroom_store::Counts;
/// let counts = Counts { running: 2, queued: 1, complete: 7, ..Counts::default() };
/// assert_eq!(counts.open(), 3);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Counts {
    /// Handed out.
    pub running: usize,
    /// Waiting to be handed out again.
    pub queued: usize,
    /// Lost for good.
    pub lost: usize,
    /// With a value.
    pub complete: usize,
    /// Ended without one.
    pub failed: usize,
    /// At infeasible points.
    pub infeasible: usize,
    /// Given up.
    #[serde(rename = "released")]
    pub withdrawn: usize,
}

impl Counts {
    /// Counts the trials of a list by state.
    pub fn of(statuses: impl IntoIterator<Item = TrialStatus>) -> Self {
        let mut counts = Self::default();
        for status in statuses {
            let count = match status {
                TrialStatus::Running => &mut counts.running,
                TrialStatus::Queued => &mut counts.queued,
                TrialStatus::Lost => &mut counts.lost,
                TrialStatus::Complete => &mut counts.complete,
                TrialStatus::Failed => &mut counts.failed,
                TrialStatus::Infeasible => &mut counts.infeasible,
                TrialStatus::Withdrawn => &mut counts.withdrawn,
            };
            *count += 1;
        }
        counts
    }

    /// The number of trials that may still give a result.
    pub fn open(&self) -> usize {
        self.running + self.queued
    }
}

impl SharedStudy {
    /// The state of a trial when the store was last read.
    ///
    /// ```
    /// # use elbowroom::space::{Parameter, SearchSpace};
    /// # use elbowroom::study::StudyConfig;
    /// use elbowroom_store::{Clock, Memory, SharedStudy, TrialStatus};
    ///
    /// let clock = Clock::manual(0);
    /// let store = std::sync::Arc::new(Memory::with_clock(clock.clone()));
    /// # let space = SearchSpace::new(vec![Parameter::float("x", -1.0, 1.0)])?;
    /// # let config = StudyConfig::new(space);
    /// let mut study = SharedStudy::create(store, "plate", config)?;
    /// let handed = study.ask(1)?.trials.remove(0);
    /// assert_eq!(study.status(&handed.trial), TrialStatus::Running);
    /// clock.step(91_000); // and no sign of life
    /// study.refresh()?;
    /// assert_eq!(study.status(&handed.trial), TrialStatus::Queued);
    /// # Ok::<(), elbowroom_store::Error>(())
    /// ```
    pub fn status(&self, trial: &Trial) -> TrialStatus {
        match (TrialStatus::of(trial), self.leases.get(&trial.id)) {
            (TrialStatus::Running, Some(lease)) if lease.is_live(self.now) => TrialStatus::Running,
            (TrialStatus::Running, Some(lease)) if lease.is_due(self.now) => TrialStatus::Queued,
            (TrialStatus::Running, Some(_)) => TrialStatus::Lost,
            (status, _) => status,
        }
    }

    /// The number of trials in each state when the store was last read.
    pub fn counts(&self) -> Counts {
        Counts::of(self.study.trials().iter().map(|trial| self.status(trial)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_named_in_json_by_the_words_for_statuses() {
        let named = serde_json::to_value(Counts::default()).unwrap();
        let names: Vec<&str> = named.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(names, TrialStatus::ALL.map(TrialStatus::word));
    }
}
