//! Which trials keep the limits of their results, and which come closest.

use serde::Serialize;

use super::outcome::Limits;
use super::{Study, Trial, TrialState};

/// A limit that a trial's result breaks.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct BrokenLimit {
    /// The name of the result.
    pub outcome: String,
    /// The value that was measured.
    pub value: f64,
    /// The limit, in words.
    #[serde(flatten)]
    pub limits: Limits,
}

impl Study {
    /// Whether the measured results of a trial keep all limits; unknown as long as a result is missing that may break
    /// one.
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

    /// The limits that a trial's results break, in the order of declaration.
    pub fn broken_limits(&self, trial: &Trial) -> Vec<BrokenLimit> {
        let broken = |(name, limits): (&str, Limits)| {
            let value = trial.result(name).filter(|value| !limits.are_kept(*value))?;
            Some(BrokenLimit { outcome: name.to_owned(), value, limits })
        };
        self.outcomes().limits().filter_map(broken).collect()
    }

    /// The results that a trial still waits for: those that are optimized or limited, or from which such a result is
    /// computed. Empty for a trial that has no result yet or that ended without a value.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, Point, SearchSpace};
    /// use elbowroom::study::{Goal, Outcome, Outcomes, Study, StudyConfig};
    ///
    /// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
    /// let outcomes = Outcomes::new(vec![
    ///     Outcome::objective("amount", Goal::Maximize),
    ///     Outcome::watched("purity").at_least(95.0),
    ///     Outcome::watched("minutes"),
    /// ])?;
    /// let mut study = Study::new(StudyConfig::new(space).outcomes(outcomes))?;
    /// let id = study.add(&Point::new().with("x", 0.1), [("amount", 80.0)])?.id;
    /// assert_eq!(study.awaited_results(study.trial(id)?), ["purity"]);
    /// study.tell(id, [("purity", 97.0)])?;
    /// assert!(study.awaited_results(study.trial(id)?).is_empty());
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn awaited_results<'a>(&'a self, trial: &Trial) -> Vec<&'a str> {
        let is_open = match trial.state {
            TrialState::Complete { .. } => true,
            TrialState::Pending => trial.results().next().is_some(),
            _ => false,
        };
        let mut awaited: Vec<&str> = Vec::new();
        for name in self.outcomes().needed().filter(|_| is_open) {
            if trial.result(name).is_none() && !awaited.contains(&name) {
                awaited.push(name);
            }
        }
        awaited
    }

    /// If results have limits and no trial keeps them all: the trial that comes closest, the first one in case of a
    /// tie. The distance is how far each result is outside its limit, in standard deviations of that result over all
    /// trials.
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

    /// The standard deviation of a result over all trials, or 1 if they are all equal.
    fn spread(&self, name: &str) -> f64 {
        let values: Vec<f64> = self.trials().iter().filter_map(|trial| trial.result(name)).collect();
        let n = values.len().max(1) as f64;
        let mean = values.iter().map(|value| value / n).sum::<f64>();
        let sd = values.iter().map(|value| (value - mean).powi(2) / n).sum::<f64>().sqrt();
        if sd.is_finite() && sd > 0.0 { sd } else { 1.0 }
    }
}
