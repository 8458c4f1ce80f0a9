//! A trial: one point, and what became of it.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::results::{Watched, not_finite};
use crate::space::{Formula, Point, UnitPoint};

/// The number of a trial in its study, from 0 on.
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
    /// The name of the study's optimized result.
    pub(super) metric: Arc<str>,
    /// What was measured besides it, by name, in the order of first appearance.
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
    Withdrawn,
}

/// One value that was told.
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
    /// One more value of the same point.
    Replicate,
    /// Told after the trial had failed, was infeasible, was given back or counted as lost.
    Late,
    /// Replaces all values before it.
    Correction,
}

impl Trial {
    /// The values of the optimized result that count: the last correction and what came after it, or else all of them.
    pub fn measurements(&self) -> &[Measurement] {
        match &self.state {
            TrialState::Complete { measurements } => counting(measurements),
            _ => &[],
        }
    }

    /// All that was told of the optimized result, in order, corrected values included, also of an infeasible trial.
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

    /// The mean of the values that count, if there is one.
    pub fn value(&self) -> Option<f64> {
        mean(self.measurements())
    }

    /// The noise variance of [`value`](Self::value): Σ σᵢ² / n², if all are known.
    pub fn noise(&self) -> Option<f64> {
        let n = self.measurements().len() as f64;
        self.value()?;
        self.measurements().iter().map(|m| m.noise.map(|v| v / n / n)).sum()
    }

    /// A result by name: [`value`](Self::value) for the optimized one, and for others the mean of what counts, whatever
    /// became of the trial.
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

    /// All results by name: the optimized one if the trial has its value, then the others in the order of first
    /// appearance.
    pub fn results(&self) -> impl Iterator<Item = (&str, f64)> {
        self.value().map(|value| (&*self.metric, value)).into_iter().chain(self.watched())
    }

    /// The results besides the optimized one.
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

    /// Sets a result besides the first objective that follows from others. What comes to no number is missing, and said.
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

    /// What was told of a result, as far as it counts. Of an infeasible trial nothing does.
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

    /// Whether it is under way.
    pub fn is_pending(&self) -> bool {
        self.state == TrialState::Pending
    }
}

/// The last correction and what came after it, or else all.
fn counting(measurements: &[Measurement]) -> &[Measurement] {
    let from = measurements.iter().rposition(|m| m.kind == MeasurementKind::Correction);
    &measurements[from.unwrap_or(0)..]
}

fn mean(measurements: &[Measurement]) -> Option<f64> {
    // Divided before they are added: the sum of a few 1e308 is infinite, their mean is not.
    let n = measurements.len() as f64;
    match measurements {
        [] => None,
        [one] => Some(one.value),
        all => Some(all.iter().map(|m| m.value / n).sum()),
    }
}
