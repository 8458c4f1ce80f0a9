//! Pictures of the model: slices along each parameter, surfaces over two, importance, and how well it predicts.

use std::collections::HashMap;

use elbowroom::error::Result;
use elbowroom::gp::Scratch;
use elbowroom::linalg::Points;
use elbowroom::normal::quantile;
use elbowroom::rng::Stream;
use elbowroom::space::{Dimension, UnitPoint};
use elbowroom::study::{Goal, TrialId};
use serde::Serialize;

use crate::axis::{Axis, axes, axis};
use crate::lens::{Lens, Seen};
use crate::map::{Observed, Place, observed, place};

/// Points of a slice.
const STEPS: usize = 80;

/// What the model expects along each parameter.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Slices {
    /// What is wanted.
    pub goal: Goal,
    /// One for each searched parameter, all through the recommended point.
    pub slices: Vec<Slice>,
}

/// What the model expects along one parameter.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Slice {
    /// The parameter.
    pub axis: Axis,
    /// Where, from 0 to 1.
    pub u: Vec<f64>,
    /// What is expected there.
    pub mean: Vec<f64>,
    /// The standard deviation.
    pub sd: Vec<f64>,
    /// The acquisition of the results alone, as a share of its largest value on this slice.
    pub before: Vec<f64>,
    /// The acquisition with all that is pending, as a share of the same value.
    pub after: Vec<f64>,
}

/// Slices through the recommended point.
pub fn slices(lens: &Lens<'_>) -> Result<Slices> {
    let space = lens.scene.study.space();
    let center = lens.center()?;
    let mut scratch = Scratch::default();
    let mut slice = |axis: Axis| {
        let mut u: Vec<f64> = match space.dimensions()[axis.dim] {
            Dimension::Continuous => (0..=STEPS).map(|i| i as f64 / STEPS as f64).collect(),
            Dimension::Grid { levels } if levels > STEPS as u64 => {
                (0..=STEPS).map(|i| i as f64 / STEPS as f64).collect()
            }
            Dimension::Grid { levels } => (0..levels).map(|level| space.coordinate(axis.dim, level)).collect(),
            Dimension::Category { levels } => {
                (0..levels as u64).map(|level| space.coordinate(axis.dim, level)).collect()
            }
        };
        u.dedup();
        let mut at = |u: &f64| {
            let mut unit = center.to_vec();
            unit[axis.dim] = *u;
            lens.at(&unit, &mut scratch)
        };
        let seen: Vec<Seen> = u.iter().map(&mut at).collect();
        let (before, after) = shares(&seen);
        Slice {
            axis,
            u,
            mean: seen.iter().map(|s| s.mean).collect(),
            sd: seen.iter().map(|s| s.sd).collect(),
            before,
            after,
        }
    };
    let slices = axes(space).into_iter().map(&mut slice).collect();
    Ok(Slices { goal: lens.scene.study.config().goal, slices })
}

/// Acquisitions before and after, as shares of the largest one before.
fn shares(seen: &[Seen]) -> (Vec<f64>, Vec<f64>) {
    let largest = seen.iter().map(|s| s.ln_before).fold(f64::NEG_INFINITY, f64::max);
    let share = |ln: f64| if largest.is_finite() { (ln - largest).exp() } else { 0.0 };
    (seen.iter().map(|s| share(s.ln_before)).collect(), seen.iter().map(|s| share(s.ln_after)).collect())
}

/// What the model expects over two parameters: values on a grid of n × n, row by row from below.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Surface {
    /// The parameter across.
    pub x: Axis,
    /// The parameter upwards.
    pub y: Axis,
    /// Points along each side, at the middles of n equal parts.
    pub n: usize,
    /// What is expected.
    pub mean: Vec<f64>,
    /// The standard deviation.
    pub sd: Vec<f64>,
    /// The acquisition of the results alone, as a share of its largest value on the grid.
    pub before: Vec<f64>,
    /// The acquisition with all that is pending, as a share of its own largest value.
    pub after: Vec<f64>,
    /// Trials with a value.
    pub observed: Vec<Observed>,
    /// Trials under way.
    pub pending: Vec<Place>,
}

/// Predictions that a surface may take; with more results it is coarser.
const SURFACE_WORK: f64 = 3e8;

/// The surface of two coordinates, the others as in the recommended point.
pub fn surface(lens: &Lens<'_>, x: usize, y: usize) -> Result<Surface> {
    let n_data = lens.model.posterior.n_data().max(1) as f64;
    let n = ((SURFACE_WORK / (n_data * n_data)).sqrt() as usize).clamp(11, 41);
    let center = lens.center()?;
    let (space, mut scratch) = (lens.scene.study.space(), Scratch::default());
    let seen: Vec<Seen> = (0..n * n)
        .map(|i| {
            let mut unit = center.to_vec();
            unit[y] = ((i / n) as f64 + 0.5) / n as f64;
            unit[x] = ((i % n) as f64 + 0.5) / n as f64;
            space.snap(&mut unit);
            lens.at(&unit, &mut scratch)
        })
        .collect();
    let (before, mut after) = shares(&seen);
    let largest = after.iter().copied().fold(0.0, f64::max);
    after.iter_mut().for_each(|a| *a /= if largest > 0.0 { largest } else { 1.0 });
    Ok(Surface {
        x: axis(space, x),
        y: axis(space, y),
        n,
        mean: seen.iter().map(|s| s.mean).collect(),
        sd: seen.iter().map(|s| s.sd).collect(),
        before,
        after,
        observed: observed(lens.scene, x, y, 400),
        pending: lens.pending.iter().map(|trial| place(trial, x, y)).collect(),
    })
}

/// How much each parameter matters, by the model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Importance {
    /// The most important first.
    pub rows: Vec<Weight>,
    /// Draws from the posterior that it was taken from.
    pub n_draws: usize,
}

/// How much one parameter matters.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Weight {
    /// Its name.
    pub name: String,
    /// The share of the variation that it takes part in (the total Sobol index), the median over draws.
    pub share: f64,
    /// What a tenth of the draws stay below.
    pub low: f64,
    /// What a tenth of the draws lie above.
    pub high: f64,
}

/// Draws from the posterior.
const DRAWS: usize = 60;

/// Points that are drawn jointly.
const JOINT_POINTS: usize = 640;

/// Total Sobol indices of draws from the posterior, by Jansen's estimator: with f drawn at points x and at x⁽ⁱ⁾, the same
/// but for a fresh coordinate i, T_i = Σ (f(x) − f(x⁽ⁱ⁾))² / 2N over the variance of f. Their spread over the draws is what
/// the model does not know. In the model's units.
pub fn importance(lens: &Lens<'_>) -> Result<Importance> {
    let study = lens.scene.study;
    let (space, dim) = (study.space(), study.space().dim());
    let n = (JOINT_POINTS / (dim + 1)).max(8);
    let mut stream = Stream::new(study.config().seed).child("importance", 0);
    let mut points = Points::new(dim);
    for _ in 0..n {
        let (one, other) = (space.sample(&mut stream), space.sample(&mut stream));
        points.push(&one);
        for i in 0..dim {
            let mut mixed = one.to_vec();
            mixed[i] = other[i];
            points.push(&mixed);
        }
    }
    let draws = lens.model.posterior.sample(&points, DRAWS, &mut stream)?;
    let mut totals = vec![Vec::with_capacity(DRAWS); dim];
    for f in draws.iter() {
        let base: Vec<f64> = f.iter().step_by(dim + 1).copied().collect();
        let mean = base.iter().sum::<f64>() / n as f64;
        let variance = base.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1) as f64;
        for (i, totals) in totals.iter_mut().enumerate() {
            let moved = (0..n).map(|k| (f[k * (dim + 1)] - f[k * (dim + 1) + 1 + i]).powi(2)).sum::<f64>();
            totals.push(if variance > 0.0 { moved / (2 * n) as f64 / variance } else { 0.0 });
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

/// How well the model predicts each result from all others.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Quality {
    /// How many results.
    pub n: usize,
    /// Each of them, or some of very many.
    pub points: Vec<LeftOutResult>,
    /// How many results fell into intervals of the prediction.
    pub calibration: Vec<Share>,
    /// The root mean square of the errors, in predicted standard deviations: about 1 for a model that knows itself.
    pub deviations: f64,
}

/// A result, and what the others said of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LeftOutResult {
    /// Its trial.
    pub trial: Option<TrialId>,
    /// What was observed.
    pub observed: f64,
    /// What was expected.
    pub mean: f64,
    /// The standard deviation.
    pub sd: f64,
}

/// The share of results in an interval that should hold `level` of them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Share {
    /// How many should be in it.
    pub level: f64,
    /// How many are.
    pub share: f64,
}

/// Leave-one-out predictions.
pub fn quality(lens: &Lens<'_>) -> Quality {
    let posterior = &lens.model.posterior;
    let goal = lens.scene.study.config().goal;
    let bits = |x: &[f64]| x.iter().map(|v| v.to_bits()).collect::<Vec<u64>>();
    let trials: HashMap<Vec<u64>, TrialId> =
        lens.scene.study.trials().iter().map(|trial| (bits(&trial.unit), trial.id)).collect();
    let left_out = posterior.leave_one_out();
    let deviation = |i: usize| (posterior.values()[i] - left_out[i].mean) / left_out[i].variance.sqrt();
    let n = left_out.len();
    let decode = |value: f64| goal.maximized(lens.model.outcome.decode(value));
    let points = posterior.observed().enumerate().map(|(i, x)| {
        let (mean, sd) = (left_out[i].mean, left_out[i].variance.sqrt());
        LeftOutResult {
            trial: trials.get(&bits(x)).copied(),
            observed: decode(posterior.values()[i]),
            mean: decode(mean),
            sd: 0.5 * (decode(mean + sd) - decode(mean - sd)).abs(),
        }
    });
    let points = points.step_by(n.div_ceil(1000).max(1)).collect();
    let calibration = (1..20).map(|k| {
        let level = k as f64 / 20.0;
        let width = quantile(0.5 + 0.5 * level);
        let inside = (0..n).filter(|&i| deviation(i).abs() <= width).count();
        Share { level, share: inside as f64 / n.max(1) as f64 }
    });
    let mean_square = (0..n).map(|i| deviation(i).powi(2)).sum::<f64>() / n.max(1) as f64;
    Quality { n, points, calibration: calibration.collect(), deviations: mean_square.sqrt() }
}

/// Every searched parameter of the better trials at once.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Parallel {
    /// The searched parameters.
    pub axes: Vec<Axis>,
    /// The best value.
    pub best: Option<f64>,
    /// The worst value that is drawn.
    pub worst: Option<f64>,
    /// One for each trial, the best last.
    pub lines: Vec<Line>,
}

/// A trial as a line.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Line {
    /// The trial.
    pub trial: TrialId,
    /// Its value.
    pub value: f64,
    /// Where it is on each axis.
    pub u: UnitPoint,
    /// Where it is on the axis of values: 1 for the best of the drawn ones.
    pub height: f64,
    /// The share of values that are not better.
    pub good: f64,
}

/// Parallel coordinates of at most `most` trials.
pub fn parallel(scene: &crate::Scene<'_>, most: usize) -> Parallel {
    let ranked = crate::map::ranked(scene, most);
    let (worst, best) = (ranked.first().map(|r| r.1), ranked.last().map(|r| r.1));
    let height = |value: f64| match (worst, best) {
        (Some(worst), Some(best)) if best != worst => (value - worst) / (best - worst),
        _ => 1.0,
    };
    let line = |(trial, value, good): (&elbowroom::study::Trial, f64, f64)| Line {
        trial: trial.id,
        value,
        u: trial.unit.clone(),
        height: height(value),
        good,
    };
    Parallel { axes: axes(scene.study.space()), best, worst, lines: ranked.into_iter().map(line).collect() }
}
