//! Which trials keep the limits of their results, and which come nearest to it.

use serde::Serialize;

use super::outcome::Limits;
use super::{Study, Trial};

/// A limit that a trial's result breaks.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct BrokenLimit {
    /// The name of the result.
    pub outcome: String,
    /// What it was.
    pub value: f64,
    /// What it should have been.
    #[serde(flatten)]
    pub limits: Limits,
}

impl Study {
    /// Whether a trial keeps the limits of all its results, as they were measured; unknown while one of them is missing that
    /// it may break.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, Point, SearchSpace};
    /// use elbowroom::study::{Goal, Outcome, Outcomes, Study, StudyConfig};
    ///
    /// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
    /// let outcomes = Outcomes::new(vec![
    ///     Outcome::objective("amount", Goal::Maximize),
    ///     Outcome::watched("purity").at_least(95.0),
    /// ])?;
    /// let mut study = Study::new(StudyConfig::new(space).outcomes(outcomes))?;
    /// let dirty = study.add(&Point::new().with("x", 0.1), [("amount", 80.0), ("purity", 90.0)])?;
    /// assert!(study.best().is_none() && study.is_feasible(&dirty) == Some(false));
    /// assert_eq!(study.broken_limits(&dirty)[0].outcome, "purity");
    /// assert_eq!(study.least_infeasible().unwrap().id, dirty.id);
    ///
    /// let clean = study.add(&Point::new().with("x", 0.2), [("amount", 60.0), ("purity", 97.0)])?;
    /// assert_eq!(study.best().unwrap().id, clean.id);
    /// assert!(study.least_infeasible().is_none());
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn is_feasible(&self, trial: &Trial) -> Option<bool> {
        self.state.is_feasible(trial)
    }

    /// The limits that a trial's results break, in the order in which they were declared.
    pub fn broken_limits(&self, trial: &Trial) -> Vec<BrokenLimit> {
        let broken = |(name, limits): (&str, Limits)| {
            let value = trial.result(name).filter(|value| !limits.are_kept(*value))?;
            Some(BrokenLimit { outcome: name.to_owned(), value, limits })
        };
        self.outcomes().limits().filter_map(broken).collect()
    }

    /// Where results have limits and no trial keeps them all: the trial that comes nearest, the first of equals. Each result
    /// counts by how far it is outside, in standard deviations of all its results.
    pub fn least_infeasible(&self) -> Option<&Trial> {
        if !self.outcomes().has_limits() || self.best().is_some() {
            return None;
        }
        let spreads: Vec<(&str, Limits, f64)> =
            self.outcomes().limits().map(|(name, limits)| (name, limits, self.spread(name))).collect();
        let excess = |trial: &Trial| {
            trial.value()?;
            let outside =
                |(name, limits, spread): &(&str, Limits, f64)| Some(limits.excess(trial.result(name)?) / spread);
            spreads.iter().map(outside).sum::<Option<f64>>()
        };
        let far = self.trials().iter().filter_map(|trial| Some((excess(trial)?, trial)));
        far.reduce(|best, next| if next.0 < best.0 { next } else { best }).map(|(_, trial)| trial)
    }

    /// The standard deviation of all results of a name, or 1 where they do not differ.
    fn spread(&self, name: &str) -> f64 {
        let values: Vec<f64> = self.trials().iter().filter_map(|trial| trial.result(name)).collect();
        let n = values.len().max(1) as f64;
        let mean = values.iter().map(|value| value / n).sum::<f64>();
        let sd = values.iter().map(|value| (value - mean).powi(2) / n).sum::<f64>().sqrt();
        if sd.is_finite() && sd > 0.0 { sd } else { 1.0 }
    }
}
