//! How the strategy rates any point at the moment: the data behind pictures of a model.

use crate::batch::Explanation;
use crate::error::{Error, Result};
use crate::linalg::Points;
use crate::penalty::Ball;
use crate::study::{Ask, Study, TrialId};

/// Some points as the strategy sees them.
#[derive(Debug, Clone)]
pub struct Landscape {
    /// One entry for each point.
    pub seen: Vec<Seen>,
    /// The penalizer around each pending trial, in order; none if the strategy has no penalizers.
    pub penalizers: Vec<Ball>,
    /// Whether `before` and `after` are logarithms.
    pub is_log: bool,
}

/// A point as the strategy sees it. Values are in the user's units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seen {
    /// The model's prediction.
    pub mean: f64,
    /// The standard deviation of the prediction.
    pub sd: f64,
    /// The value of the point to the strategy if nothing were pending.
    pub before: f64,
    /// The value of the point given the pending trials.
    pub after: f64,
    /// The chance that it gives a value; none as long as nothing has failed.
    pub chance: Option<f64>,
    /// The chance that its results keep all limits; none if there are no limits, or no models of them yet.
    pub within_limits: Option<f64>,
}

/// A model's prediction at a point, in the user's units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expected {
    /// The value.
    pub mean: f64,
    /// Its standard deviation.
    pub sd: f64,
}

/// Predictions of any outcome that has a model: an objective, or a result with limits.
///
/// ```
/// use elbowroom::insight::expected;
/// use elbowroom::linalg::Points;
/// use elbowroom::space::{Parameter, SearchSpace};
/// use elbowroom::study::{Goal, Outcome, Outcomes, Study, StudyConfig};
///
/// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
/// let outcomes =
///     Outcomes::new(vec![Outcome::objective("loss", Goal::Minimize), Outcome::watched("cost").at_most(8.0)])?;
/// let mut study = Study::new(StudyConfig::new(space).initial(8).outcomes(outcomes))?;
/// for trial in study.ask(8)?.trials {
///     study.tell(trial.id, [("loss", trial.unit[0]), ("cost", 10.0 * trial.unit[0])])?;
/// }
/// let at_half = expected(&study, "cost", &Points::from_rows(1, vec![0.5])?)?[0];
/// assert!((at_half.mean - 5.0).abs() < 0.1);
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
pub fn expected(study: &Study, outcome: &str, points: &Points) -> Result<Vec<Expected>> {
    let (model, goal) = (study.model_of(outcome)?, study.outcomes().goal_of(outcome));
    let at = |u: &[f64]| {
        let (mean, sd) = model.predict_value(u);
        Expected { mean: goal.maximized(mean), sd }
    };
    Ok(points.iter().map(at).collect())
}

/// Rates points, given these pending trials. Fits the model unless it is cached; fails if there are too few results.
///
/// ```
/// use elbowroom::insight::landscape;
/// use elbowroom::linalg::Points;
/// use elbowroom::space::{Parameter, SearchSpace};
/// use elbowroom::study::{Study, StudyConfig};
///
/// let space = SearchSpace::new(vec![Parameter::float("x", -1.0, 1.0)])?;
/// let mut study = Study::new(StudyConfig::new(space).initial(4))?;
/// for trial in study.ask(4)?.trials {
///     study.tell(trial.id, (trial.unit[0] - 0.3).powi(2))?;
/// }
/// let busy = study.ask(1)?.trials.remove(0);
/// let seen = landscape(&study, &[busy.id], &Points::from_rows(1, vec![busy.unit[0]])?)?;
/// assert!(seen.seen[0].after < seen.seen[0].before && seen.penalizers.len() == 1);
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
pub fn landscape(study: &Study, pending: &[TrialId], points: &Points) -> Result<Landscape> {
    if study.space().dim() == 0 {
        return Err(Error::space("no parameter has more than one value", "search at least one"));
    }
    if study.n_observed() < 2 {
        return Err(Error::data("a model needs at least two results", "run more trials first"));
    }
    let explain = |pending: Vec<TrialId>| {
        // Ask for a batch, whose first point never refines: pictures should not depend on a random choice.
        study.in_situation(Ask::new(2).with_pending(pending), |situation, q| {
            let chooser = study.strategy()?.bind(situation, q)?;
            let all: Vec<Explanation> = points.iter().map(|u| chooser.explain(u)).collect();
            Ok((all, chooser.penalizers()))
        })
    };
    let (before, _) = if points.is_empty() { (Vec::new(), Vec::new()) } else { explain(Vec::new())? };
    let (after, penalizers) = explain(pending.to_vec())?;
    let (outlook, chance, goal) = (study.outlook()?, study.chance()?, study.config().goal);
    let within = study.chances_within_limits(points)?;
    let seen = points.iter().zip(before.iter().zip(&after)).enumerate().map(|(i, (u, (before, after)))| {
        let (mean, sd) = outlook.predict_value(u);
        Seen {
            mean: goal.maximized(mean),
            sd,
            before: before.total,
            after: after.total,
            chance: chance.as_ref().map(|chance| chance.ln_p(u).exp()),
            within_limits: within.as_ref().map(|within| within[i]),
        }
    });
    let is_log = after.first().is_some_and(Explanation::is_log);
    Ok(Landscape { seen: seen.collect(), penalizers, is_log })
}
