//! The status of a trial, in one word.

use serde::{Deserialize, Serialize};

use super::trial::{Trial, TrialState};

/// The status of a trial.
///
/// A study knows which trials are pending. Whether such a trial is running, waits to be handed out again or is lost for
/// good follows from the leases and the clock of its store.
///
/// ```
/// use elbowroom::space::{Parameter, SearchSpace};
/// use elbowroom::study::{TrialStatus, Study, StudyConfig};
///
/// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
/// let mut study = Study::new(StudyConfig::new(space))?;
/// let trial = study.ask(1)?.trials.remove(0).id;
/// assert_eq!(TrialStatus::of(study.trial(trial)?), TrialStatus::Running);
/// study.tell(trial, 3.0)?;
/// assert_eq!(TrialStatus::of(study.trial(trial)?).word(), "complete");
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TrialStatus {
    /// A worker has it.
    Running,
    /// Its worker is gone or handed it back; whoever asks next gets it.
    Queued,
    /// Its workers were lost too often: it is not handed out again, and no longer keeps other points away. A value for
    /// it is still accepted.
    Lost,
    /// It has a value.
    Complete,
    /// It ended without a value.
    Failed,
    /// Its point breaks a constraint that only the evaluation can detect.
    Infeasible,
    /// It was withdrawn and does not count.
    #[serde(rename = "released")]
    Withdrawn,
}

impl TrialStatus {
    /// All statuses, in the order in which to show them.
    pub const ALL: [TrialStatus; 7] = [
        TrialStatus::Running,
        TrialStatus::Queued,
        TrialStatus::Lost,
        TrialStatus::Complete,
        TrialStatus::Failed,
        TrialStatus::Infeasible,
        TrialStatus::Withdrawn,
    ];

    /// Its name.
    pub fn word(self) -> &'static str {
        match self {
            TrialStatus::Running => "running",
            TrialStatus::Queued => "queued",
            TrialStatus::Lost => "lost",
            TrialStatus::Complete => "complete",
            TrialStatus::Failed => "failed",
            TrialStatus::Infeasible => "infeasible",
            TrialStatus::Withdrawn => "released",
        }
    }

    /// The status of a trial in a study without a store: pending trials are running.
    pub fn of(trial: &Trial) -> Self {
        match trial.state {
            TrialState::Pending => TrialStatus::Running,
            TrialState::Complete { .. } => TrialStatus::Complete,
            TrialState::Failed { .. } => TrialStatus::Failed,
            TrialState::Infeasible { .. } => TrialStatus::Infeasible,
            TrialState::Withdrawn => TrialStatus::Withdrawn,
        }
    }

    /// Whether its point keeps other points away.
    pub fn penalizes(self) -> bool {
        self == TrialStatus::Running
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_what_json_has() {
        for status in TrialStatus::ALL {
            assert_eq!(serde_json::to_value(status).unwrap(), status.word());
        }
    }
}
