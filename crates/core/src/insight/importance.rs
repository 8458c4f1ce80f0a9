//! How much each parameter matters.

use serde::Serialize;

use crate::error::{Error, Result};
use crate::linalg::Points;
use crate::rng::Stream;
use crate::space::SearchSpace;
use crate::study::Study;

/// How much each parameter matters, according to the model.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Importance {
    /// The parameters, the most important first.
    pub rows: Vec<Weight>,
    /// The number of draws from the posterior.
    pub n_draws: usize,
}

/// How much one parameter matters.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Weight {
    /// Its name.
    pub name: String,
    /// The share of the variation in which it takes part (the total Sobol index): the median over draws.
    pub share: f64,
    /// The lowest tenth of the draws is below this.
    pub low: f64,
    /// The highest tenth of the draws is above this.
    pub high: f64,
}

/// The number of draws from the posterior.
const DRAWS: usize = 60;

/// The number of points that are drawn jointly.
const JOINT_POINTS: usize = 640;

/// Total Sobol indices of draws from the posterior, by Jansen's estimator: with f drawn at points x and at x⁽ⁱ⁾, the
/// same except for a new coordinate i, T_i = Σ (f(x) − f(x⁽ⁱ⁾))² / 2N over the variance of f. Their spread over the
/// draws shows the model's uncertainty. In the model's units.
///
/// ```
/// use elbowroom::insight::importance;
/// use elbowroom::space::{Parameter, SearchSpace};
/// use elbowroom::study::{Study, StudyConfig};
///
/// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0), Parameter::float("idle", 0.0, 1.0)])?;
/// let mut study = Study::new(StudyConfig::new(space).initial(16))?;
/// for trial in study.ask(16)?.trials {
///     study.tell(trial.id, trial.unit[0])?;
/// }
/// assert_eq!(importance(&study)?.rows[0].name, "x");
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
pub fn importance(study: &Study) -> Result<Importance> {
    importance_of(study, study.outcomes().metric())
}

/// [`importance`] for any outcome that has a model: an objective, or a result with limits.
///
/// ```
/// use elbowroom::insight::importance_of;
/// use elbowroom::space::{Parameter, SearchSpace};
/// use elbowroom::study::{Goal, Outcome, Outcomes, Study, StudyConfig};
///
/// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0), Parameter::float("y", 0.0, 1.0)])?;
/// let outcomes =
///     Outcomes::new(vec![Outcome::objective("loss", Goal::Minimize), Outcome::watched("purity").at_least(0.5)])?;
/// let mut study = Study::new(StudyConfig::new(space).initial(16).outcomes(outcomes))?;
/// for trial in study.ask(16)?.trials {
///     study.tell(trial.id, [("loss", trial.unit[0]), ("purity", trial.unit[1])])?;
/// }
/// assert_eq!(importance_of(&study, "purity")?.rows[0].name, "y");
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
pub fn importance_of(study: &Study, outcome: &str) -> Result<Importance> {
    // Without results it would describe the prior, which says nothing about the function.
    if study.n_observed() < 2 {
        return Err(Error::data("a model needs at least two results", "run more trials first"));
    }
    let (space, dim) = (study.space(), study.space().dim());
    let n = (JOINT_POINTS / (dim + 1)).max(8);
    let mut stream = Stream::new(study.config().seed).child("importance", 0);
    let mut points = Points::new(dim);
    for _ in 0..n {
        let (one, other) = (space.sample(&mut stream), space.sample(&mut stream));
        points.push(&one);
        for i in 0..dim {
            points.push(&mixed(space, &one, &other, i));
        }
    }
    let draws = study.model_of(outcome)?.posterior.sample(&points, DRAWS, &mut stream)?;
    let mut totals = vec![Vec::with_capacity(DRAWS); dim];
    for f in draws.iter() {
        let base: Vec<f64> = f.iter().step_by(dim + 1).copied().collect();
        let mean = base.iter().sum::<f64>() / n as f64;
        let variance = base.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1) as f64;
        for (i, totals) in totals.iter_mut().enumerate() {
            let moved = (0..n).map(|k| (f[k * (dim + 1)] - f[k * (dim + 1) + 1 + i]).powi(2)).sum::<f64>();
            // No true share is above 1: any excess is the error of a mean over n points.
            totals.push(if variance > 0.0 { (moved / (2 * n) as f64 / variance).min(1.0) } else { 0.0 });
        }
    }
    let weight = |(i, mut totals): (usize, Vec<f64>)| {
        totals.sort_by(f64::total_cmp);
        let at = |share: f64| totals[((totals.len() - 1) as f64 * share).round() as usize];
        Weight { name: space.searched(i).name().to_owned(), share: at(0.5), low: at(0.1), high: at(0.9) }
    };
    let mut rows: Vec<Weight> = totals.into_iter().enumerate().map(weight).collect();
    rows.sort_by(|a, b| b.share.total_cmp(&a.share));
    Ok(Importance { rows, n_draws: DRAWS })
}

/// The first point with one coordinate of the other. If its parameter is inactive, nothing changes; if it activates
/// other parameters, their values are the other point's too.
fn mixed(space: &SearchSpace, one: &[f64], other: &[f64], i: usize) -> Vec<f64> {
    let mut mixed = one.to_vec();
    mixed[i] = other[i];
    if space.is_conditional() {
        let had = space.active(one);
        (0..space.dim()).filter(|k| !had[*k]).for_each(|k| mixed[k] = other[k]);
        space.snap(&mut mixed);
    }
    mixed
}
