//! What a row does.

use elbowroom::space::Point;
use elbowroom::study::{Results, Tell, TrialId};

/// What a row does to a study.
#[derive(Debug, Clone)]
pub enum Act {
    Tell(TrialId, Tell),
    Fail(TrialId, String, Results),
    Infeasible(TrialId, String, Results),
    /// Measured at another point than planned: the trial is withdrawn, and the point added.
    Elsewhere(TrialId, Point, Tell),
    Add(Point, Tell),
    AddFailed(Point, String, Results),
    AddInfeasible(Point, String, Results),
}

impl Act {
    /// The trial that the row names.
    pub fn trial(&self) -> Option<TrialId> {
        match self {
            Act::Tell(trial, ..) | Act::Fail(trial, ..) | Act::Infeasible(trial, ..) | Act::Elsewhere(trial, ..) => {
                Some(*trial)
            }
            Act::Add(..) | Act::AddFailed(..) | Act::AddInfeasible(..) => None,
        }
    }

    /// What it reports about a trial.
    pub fn told(&self) -> Option<&Tell> {
        match self {
            Act::Tell(_, report) => Some(report),
            _ => None,
        }
    }
}
