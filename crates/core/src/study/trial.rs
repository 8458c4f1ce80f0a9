//! Trials: one point each, and its outcome.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::results::{Watched, not_finite};
use crate::space::{Formula, Point, UnitPoint};

/// The number of a trial in its study, starting at 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
#[cfg_attr(feature = "schema", schemars(inline))]
pub struct TrialId(pub u64);

impl fmt::Display for TrialId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A point and what became of it.
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
    /// The trial's outcome so far.
    pub state: TrialState,
    /// How often it was handed out: more than once if it was lost.
    pub attempts: u32,
    /// Reports that changed nothing, such as a failure after a value, and remarks.
    pub notes: Vec<String>,
    /// The name of the study's optimized result.
    pub(super) metric: Arc<str>,
    /// Its other results, by name, in order of first appearance.
    pub(super) watched: Vec<(String, Vec<Measurement>)>,
}

/// Where a point came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The initial design.
    Design,
    /// The strategy, with a model of the results.
    Model,
    /// A random draw, because neither design nor strategy had a point to offer.
    Random,
    /// The user.
    Given,
}

/// What became of a trial.
#[derive(Debug, Clone, PartialEq)]
pub enum TrialState {
    /// It is running.
    Pending,
    /// It was measured at least once.
    Complete {
        /// All measured values, in order; [`Trial::value`] says which of them count.
        measurements: Vec<Measurement>,
    },
    /// It ended without a value. It is not an observation, and is not proposed again.
    Failed {
        /// The reason.
        reason: String,
    },
    /// Its point breaks a constraint that only the evaluation can detect.
    Infeasible {
        /// The constraint, or how it is broken.
        reason: String,
        /// Values that were reported for it; they do not count.
        measurements: Vec<Measurement>,
    },
    /// It was withdrawn: it is not running, and its point may be proposed again.
    Withdrawn,
}

/// A reported value.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum MeasurementKind {
    /// The first value, told while the trial was pending.
    First,
    /// A further value of the same point.
    Replicate,
    /// Reported after the trial had failed, was infeasible, was withdrawn or counted as lost.
    Late,
    /// Replaces all values before it.
    Correction,
}

impl Trial {
    /// The values of the optimized result that count: all of them or, if there was a correction, the last one and what
    /// came after it.
    pub fn measurements(&self) -> &[Measurement] {
        match &self.state {
            TrialState::Complete { measurements } => counting(measurements),
            _ => &[],
        }
    }

    /// All reported values of the optimized result, in order, including corrected ones and those of an infeasible
    /// trial.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, SearchSpace};
    /// use elbowroom::study::{Tell, Study, StudyConfig};
    ///
    /// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
    /// let mut study = Study::new(StudyConfig::new(space))?;
    /// let id = study.ask(1)?.trials[0].id;
    /// study.tell(id, 1.0)?;
    /// study.tell(id, Tell::new(2.0).correction())?;
    /// let trial = study.trial(id)?;
    /// assert_eq!((trial.all_measurements().len(), trial.measurements().len()), (2, 1));
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn all_measurements(&self) -> &[Measurement] {
        match &self.state {
            TrialState::Complete { measurements } | TrialState::Infeasible { measurements, .. } => measurements,
            _ => &[],
        }
    }

    /// Why it has no value, if there is a reason.
    pub fn reason(&self) -> Option<&str> {
        match &self.state {
            TrialState::Failed { reason } | TrialState::Infeasible { reason, .. } => Some(reason),
            _ => None,
        }
    }

    /// The mean of the values that count, if any.
    pub fn value(&self) -> Option<f64> {
        mean(self.measurements())
    }

    /// The noise variance of [`value`](Self::value): Σ σᵢ² / n², if all are known.
    pub fn noise(&self) -> Option<f64> {
        let n = self.measurements().len() as f64;
        self.value()?;
        self.measurements().iter().map(|m| m.noise.map(|v| v / n / n)).sum()
    }

    /// A result by name: [`value`](Self::value) for the optimized one; for others the mean of the values that count,
    /// whatever became of the trial.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, SearchSpace};
    /// use elbowroom::study::{Study, StudyConfig, Told};
    ///
    /// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
    /// let mut study = Study::new(StudyConfig::new(space).metric("loss"))?;
    /// let id = study.ask(1)?.trials[0].id;
    /// assert_eq!(study.tell(id, [("minutes", 12.0)])?, Told::Aside);
    /// assert!(study.trial(id)?.is_pending());
    /// assert_eq!(study.tell(id, 0.3)?, Told::Recorded);
    /// let trial = study.trial(id)?;
    /// assert_eq!((trial.result("loss"), trial.result("minutes"), trial.result("cost")), (Some(0.3), Some(12.0), None));
    /// assert_eq!(trial.results().collect::<Vec<_>>(), [("loss", 0.3), ("minutes", 12.0)]);
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn result(&self, name: &str) -> Option<f64> {
        self.results().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// All results by name: the optimized one if the trial has its value, then the others in order of first appearance.
    pub fn results(&self) -> impl Iterator<Item = (&str, f64)> {
        self.value().map(|value| (&*self.metric, value)).into_iter().chain(self.watched())
    }

    /// The results other than the optimized one.
    pub fn watched(&self) -> impl Iterator<Item = (&str, f64)> {
        self.watched.iter().filter_map(|(name, all)| Some((name.as_str(), mean(counting(all))?)))
    }

    /// Keeps results besides the optimized one; a correction replaces those of the same names.
    pub(super) fn watch(&mut self, results: &Watched, correction: bool) {
        for (name, measured) in results.iter() {
            let known = self.watched.iter().position(|(known, _)| known == name);
            let kind = match known {
                _ if correction => MeasurementKind::Correction,
                None => MeasurementKind::First,
                Some(_) => MeasurementKind::Replicate,
            };
            let measurement = Measurement { value: measured.value, noise: measured.noise, kind };
            match known {
                Some(i) => self.watched[i].1.push(measurement),
                None => self.watched.push((name.to_owned(), vec![measurement])),
            }
        }
    }

    /// Sets a computed result other than the first objective. If it is not finite, it is missing, and a note says so.
    pub(super) fn compute(&mut self, name: &str, formula: &Formula) {
        let value = formula.value(|name| self.result(name));
        let known = self.watched.iter().position(|(known, _)| known == name);
        let kind = MeasurementKind::First;
        let measurements = match value {
            Some(value) if value.is_finite() => vec![Measurement { value, noise: None, kind }],
            Some(value) => {
                self.notes.push(not_finite(&format!("`{name}`"), value));
                Vec::new()
            }
            None => Vec::new(),
        };
        match known {
            Some(i) => self.watched[i].1 = measurements,
            None if measurements.is_empty() => {}
            None => self.watched.push((name.to_owned(), measurements)),
        }
    }

    /// The reported values of a result that count. None count for an infeasible trial.
    pub(super) fn measurements_of(&self, name: &str) -> &[Measurement] {
        if *self.metric == *name {
            return self.measurements();
        }
        let told = self.watched.iter().find(|(known, _)| known == name);
        match self.state {
            TrialState::Infeasible { .. } => &[],
            _ => told.map_or(&[], |(_, all)| counting(all)),
        }
    }

    /// Whether it is running.
    pub fn is_pending(&self) -> bool {
        self.state == TrialState::Pending
    }
}

/// The last correction and what came after it; all if there was no correction.
fn counting(measurements: &[Measurement]) -> &[Measurement] {
    let from = measurements.iter().rposition(|m| m.kind == MeasurementKind::Correction);
    &measurements[from.unwrap_or(0)..]
}

fn mean(measurements: &[Measurement]) -> Option<f64> {
    // Divide before adding: the sum of a few 1e308 is infinite, their mean is not.
    let n = measurements.len() as f64;
    match measurements {
        [] => None,
        [one] => Some(one.value),
        all => Some(all.iter().map(|m| m.value / n).sum()),
    }
}
