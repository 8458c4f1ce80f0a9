//! What a row does.

use elbowroom::space::Point;
use elbowroom::study::{Report, TrialId};

/// What a row does to a study.
#[derive(Debug, Clone)]
pub enum Act {
    Tell(TrialId, Report),
    Fail(TrialId, String),
    Infeasible(TrialId, String),
    /// Measured elsewhere than planned: the trial is given up, and the point added.
    Elsewhere(TrialId, Point, Report),
    Add(Point, Report),
    AddFailed(Point, String),
    AddInfeasible(Point, String),
}

impl Act {
    /// The trial that the row names.
    pub fn trial(&self) -> Option<TrialId> {
        match self {
            Act::Tell(trial, _) | Act::Fail(trial, _) | Act::Infeasible(trial, _) | Act::Elsewhere(trial, ..) => {
                Some(*trial)
            }
            Act::Add(..) | Act::AddFailed(..) | Act::AddInfeasible(..) => None,
        }
    }

    /// What it tells of a trial.
    pub fn told(&self) -> Option<&Report> {
        match self {
            Act::Tell(_, report) => Some(report),
            _ => None,
        }
    }
}
