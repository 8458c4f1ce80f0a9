//! The front of a study with several objectives: as measured, and according to the models.
//!
//! With noise, the best measurement of each objective is partly luck, and so is the front of the measurements. The
//! front of the models consists of their means at the points that were tried, among those that are likely enough to
//! keep the limits.

use serde::Serialize;

use super::aims::Wanted;
use super::{Goal, Objective, Study, Trial, TrialId};
use crate::error::Result;
use crate::pareto::{Front, non_dominated};
use crate::space::Point;

/// The least chance of keeping all limits that a recommended point must have.
pub(super) const SURE_WITHIN: f64 = 0.8;

/// The trials that no other trial beats in every objective, among those that keep all limits.
///
/// ```
/// use elbowroom::space::{Parameter, Point, SearchSpace};
/// use elbowroom::study::{Goal, Outcome, Outcomes, Study, StudyConfig};
///
/// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
/// let outcomes = Outcomes::new(vec![
///     Outcome::objective("amount", Goal::Maximize).worst(0.0),
///     Outcome::objective("cost", Goal::Minimize).worst(10.0),
/// ])?;
/// let mut study = Study::new(StudyConfig::new(space).outcomes(outcomes))?;
/// for (x, amount, cost) in [(0.1, 4.0, 8.0), (0.2, 2.0, 5.0), (0.3, 1.0, 7.0)] {
///     study.add(&Point::new().with("x", x), [("amount", amount), ("cost", cost)])?;
/// }
/// let front = study.front();
/// assert_eq!(front.points.iter().map(|point| point.trial.0).collect::<Vec<_>>(), [0, 1]);
/// // 4 × 2 for the first and 2 × 3 more below it for the second.
/// assert_eq!(front.hypervolume, Some(14.0));
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct FrontAnswer {
    /// The objectives, in order of declaration.
    pub objectives: Vec<FrontObjective>,
    /// The trials, by number.
    pub points: Vec<FrontPoint>,
    /// The volume between the front and the reference point; none as long as there is no reference point.
    pub hypervolume: Option<f64>,
    /// The volume after each trial that keeps all limits, measured from the current reference point.
    pub history: Vec<FrontStep>,
}

/// An objective of a front.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct FrontObjective {
    /// Its name.
    pub name: String,
    /// Whether smaller or larger values are better.
    pub goal: Goal,
    /// The worst value that counts; none as long as it was neither given nor can be inferred.
    pub reference: Option<f64>,
    /// Whether `worst` is inferred from the results.
    pub is_inferred: bool,
}

/// A trial on the front.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct FrontPoint {
    /// Its number.
    pub trial: TrialId,
    /// The measured value of each objective.
    pub values: Vec<f64>,
    /// Its point.
    pub point: Point,
}

/// The front's hypervolume after a trial.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct FrontStep {
    /// The trial's number.
    pub trial: TrialId,
    /// The volume between the front and the reference point.
    pub hypervolume: f64,
}

/// A point on the front of the models.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct FrontRecommendation {
    /// The trial that evaluated this point.
    pub trial: TrialId,
    /// The point.
    pub point: Point,
    /// The models' prediction of each objective there, in the user's units.
    pub means: Vec<f64>,
    /// The standard deviations of these predictions.
    pub sds: Vec<f64>,
    /// The chance that the point keeps all limits; none if there are no limits.
    pub chance_within_limits: Option<f64>,
}

impl Study {
    /// The trials that no other trial beats in every objective, among those whose measured results keep all limits.
    /// With one objective, the best trial.
    pub fn front(&self) -> FrontAnswer {
        let (state, objectives) = (&self.state, self.outcomes().objectives());
        let measured: Vec<(&Trial, Vec<f64>)> = self.feasible_values().collect();
        let points: Vec<Vec<f64>> = measured.iter().map(|(_, values)| values.clone()).collect();
        let reference = state.reference();
        let on_front = non_dominated(&points).into_iter().map(|i| measured[i].0);
        let values = |trial: &Trial| objectives.iter().filter_map(|one| trial.result(&one.name)).collect();
        let front_point =
            |trial: &Trial| FrontPoint { trial: trial.id, values: values(trial), point: trial.point.clone() };
        let history = reference.as_deref().map_or_else(Vec::new, |reference| history(&measured, reference));
        let described = |(k, one): (usize, &Objective)| FrontObjective {
            name: one.name.clone(),
            goal: one.goal,
            reference: reference.as_ref().map(|reference| one.goal.maximized(reference[k])),
            is_inferred: one.worst.is_none(),
        };
        FrontAnswer {
            objectives: objectives.iter().enumerate().map(described).collect(),
            points: on_front.map(front_point).collect(),
            hypervolume: reference.map(|_| history.last().map_or(0.0, |step: &FrontStep| step.hypervolume)),
            history,
        }
    }

    /// The front according to the models: their predictions at the points that were tried, among those that keep all
    /// limits with a chance of at least 0.8. Fits the models unless they are cached. Empty if there is nothing to
    /// search.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, Point, SearchSpace};
    /// use elbowroom::study::{Goal, Outcome, Outcomes, Study, StudyConfig};
    ///
    /// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
    /// let objective = |name| Outcome::objective(name, Goal::Minimize);
    /// let outcomes = Outcomes::new(vec![objective("left"), objective("right")])?;
    /// let mut study = Study::new(StudyConfig::new(space).outcomes(outcomes))?;
    /// for i in 0..8 {
    ///     let x = f64::from(i) / 7.0;
    ///     study.add(&Point::new().with("x", x), [("left", x), ("right", (1.0 - x).powi(2))])?;
    /// }
    /// assert_eq!(study.recommended_front()?.len(), 8);
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn recommended_front(&self) -> Result<Vec<FrontRecommendation>> {
        if self.space().dim() == 0 {
            return Ok(Vec::new());
        }
        let (first, others) = (self.model()?, self.outcome_models());
        let wanted = Wanted::new(&self.state, first, &others)?;
        let objectives = self.outcomes().objectives();
        let mut found: Vec<(FrontRecommendation, Vec<f64>)> = Vec::new();
        for trial in self.trials().iter().filter(|trial| trial.value().is_some()) {
            let is_known = found.iter().any(|(known, _)| known.point == trial.point);
            let expected: Option<Vec<(f64, f64)>> =
                objectives.iter().map(|one| wanted.expected(one, &trial.unit)).collect();
            let chance = self.outcomes().has_limits().then(|| wanted.ln_feasible(&trial.unit).exp());
            let Some(expected) = expected.filter(|_| !is_known && chance.is_none_or(|p| p >= SURE_WITHIN)) else {
                continue;
            };
            let (means, sds): (Vec<f64>, Vec<f64>) = expected.into_iter().unzip();
            let maximized = objectives.iter().zip(&means).map(|(one, mean)| one.goal.maximized(*mean)).collect();
            let (trial, point) = (trial.id, trial.point.clone());
            found.push((FrontRecommendation { trial, point, means, sds, chance_within_limits: chance }, maximized));
        }
        let kept = non_dominated(&found.iter().map(|(_, values)| values.clone()).collect::<Vec<_>>());
        Ok(kept.into_iter().map(|i| found[i].0.clone()).collect())
    }

    /// The trials that keep all limits and have a value of every objective, with those values turned so that larger is
    /// better.
    fn feasible_values(&self) -> impl Iterator<Item = (&Trial, Vec<f64>)> {
        let is_feasible = |trial: &&Trial| self.is_feasible(trial) == Some(true);
        self.trials().iter().filter(is_feasible).filter_map(|trial| Some((trial, self.state.objective_values(trial)?)))
    }
}

/// The hypervolume after each trial.
fn history(measured: &[(&Trial, Vec<f64>)], reference: &[f64]) -> Vec<FrontStep> {
    let mut front = Front::new(&[], reference.to_vec());
    let mut hypervolume = 0.0;
    let step = |(i, (trial, values)): (usize, &(&Trial, Vec<f64>))| {
        let joined = front.joined_by(values, i);
        if joined.indices() != front.indices() {
            hypervolume = joined.hypervolume();
            front = joined;
        }
        FrontStep { trial: trial.id, hypervolume }
    };
    measured.iter().enumerate().map(step).collect()
}
