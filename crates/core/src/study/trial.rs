//! A trial: one point, and what became of it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::space::{Point, UnitPoint};

/// The number of a trial in its study, from 0 on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TrialId(pub u64);

impl fmt::Display for TrialId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One point and what became of it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Trial {
    /// Its number.
    pub id: TrialId,
    /// The point in the user's units, as it was recorded.
    pub point: Point,
    /// The same point in the unit cube.
    pub unit: UnitPoint,
    /// Where the point came from.
    pub source: Source,
    /// What became of it.
    pub state: TrialState,
    /// How often it was handed out: more than once if it was lost on the way.
    pub attempts: u32,
    /// What was reported of it and changed nothing, such as a failure after a value, and what tellers remarked.
    pub notes: Vec<String>,
}

/// Where a point came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The initial design.
    Design,
    /// The strategy, with a model of the results.
    Model,
    /// A random draw, where neither design nor strategy had a point to offer.
    Random,
    /// The user.
    Given,
}

/// What became of a trial.
#[derive(Debug, Clone, PartialEq)]
pub enum TrialState {
    /// Under way.
    Pending,
    /// Measured at least once.
    Complete {
        /// All that was measured, in order; [`Trial::value`] says what counts.
        measurements: Vec<Measurement>,
    },
    /// Ended without a value; no observation, and not proposed again.
    Failed {
        /// Why.
        reason: String,
    },
    /// The point breaks a constraint that only the evaluation can tell.
    Infeasible {
        /// Which, or how.
        reason: String,
        /// Values that came with it; they do not count.
        measurements: Vec<Measurement>,
    },
    /// Given back: not under way, and free to be proposed again.
    Released,
}

/// One value that was told.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// The value, in the user's units.
    pub value: f64,
    /// The variance of its noise, if it is known.
    pub noise: Option<f64>,
    /// What it is among the trial's values.
    pub kind: MeasurementKind,
}

/// What a value is among its trial's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MeasurementKind {
    /// The first value, told while the trial was pending.
    First,
    /// One more value of the same point.
    Replicate,
    /// Told after the trial had failed, was infeasible, was given back or counted as lost.
    Late,
    /// Replaces all values before it.
    Correction,
}

impl Trial {
    /// The values that count: the last correction and what came after it, or else all of them.
    pub fn measurements(&self) -> &[Measurement] {
        let TrialState::Complete { measurements } = &self.state else { return &[] };
        let from = measurements.iter().rposition(|m| m.kind == MeasurementKind::Correction);
        &measurements[from.unwrap_or(0)..]
    }

    /// The mean of the values that count, if there is one.
    pub fn value(&self) -> Option<f64> {
        let values = self.measurements();
        // Divided before they are added: the sum of a few 1e308 is infinite, their mean is not.
        let n = values.len() as f64;
        match values {
            [] => None,
            [one] => Some(one.value),
            all => Some(all.iter().map(|m| m.value / n).sum()),
        }
    }

    /// The noise variance of [`value`](Self::value): Σ σᵢ² / n², if all are known.
    pub fn noise(&self) -> Option<f64> {
        let n = self.measurements().len() as f64;
        self.value()?;
        self.measurements().iter().map(|m| m.noise.map(|v| v / n / n)).sum()
    }

    /// Whether it is under way.
    pub fn is_pending(&self) -> bool {
        self.state == TrialState::Pending
    }
}
