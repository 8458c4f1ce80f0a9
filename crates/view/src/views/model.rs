//! Pictures of the model: slices along each parameter, surfaces over two, and all parameters at once.

use std::ops::Range;

use elbowroom::error::Result;
use elbowroom::insight::{Landscape, Seen, expected, landscape};
use elbowroom::linalg::Points;
use elbowroom::space::Dimension;
use elbowroom::study::{Goal, Limits, Study, Trial, TrialId};
use serde::Serialize;

use super::map::{MapPoint, Observed, has_both, map_point, observed};
use crate::axis::{Axis, axes, axis, spans_decades};
use crate::scene::Scene;

/// Points of a slice.
const STEPS: usize = 80;

/// The model along each parameter.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Slices {
    /// Whether the optimized result is minimized or maximized.
    pub goal: Goal,
    /// If a logarithmic scale of values shows more, the smallest value down to which a band is drawn; none on a linear
    /// scale.
    pub log_floor: Option<f64>,
    /// A slice for each searched parameter, all through the recommended point.
    pub slices: Vec<Slice>,
}

/// The model along one parameter.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Slice {
    /// The parameter.
    pub axis: Axis,
    /// Positions, from 0 to 1.
    pub u: Vec<f64>,
    /// The predictions there.
    pub mean: Vec<f64>,
    /// The standard deviations of the predictions.
    pub sd: Vec<f64>,
    /// What points would be worth to the strategy if nothing were pending, as a share of the largest value on this
    /// slice.
    pub before: Vec<f64>,
    /// What they are worth with all that is pending, as a share of the same value.
    pub after: Vec<f64>,
    /// The chance that a point gives a value; none as long as nothing has failed.
    pub chance: Option<Vec<f64>>,
    /// The chance that its results keep all limits; left out if there are no limits, or no models of them yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within_limits: Option<Vec<f64>>,
    /// Predictions of the other objectives and of results with limits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<OutcomeSlice>,
}

/// The model of another result along a parameter.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OutcomeSlice {
    /// The result.
    pub name: String,
    /// The predictions.
    pub mean: Vec<f64>,
    /// The standard deviations of the predictions.
    pub sd: Vec<f64>,
    /// Its limits.
    #[serde(flatten)]
    pub limits: Limits,
}

/// Slices through the recommended point.
pub fn slices(scene: &Scene<'_>) -> Result<Slices> {
    let space = scene.study.space();
    let center = scene.center()?;
    let mut points = Points::new(space.dim());
    // There is no slice along a parameter that the point does not have.
    let active = space.active(&center);
    let axes: Vec<Axis> = axes(space).into_iter().filter(|axis| active[axis.dim]).collect();
    let along: Vec<Vec<f64>> = axes.iter().map(|axis| steps(scene, axis.dim)).collect();
    for (axis, along) in axes.iter().zip(&along) {
        for u in along {
            let mut unit = center.to_vec();
            unit[axis.dim] = *u;
            if space.is_conditional() {
                space.snap(&mut unit);
            }
            points.push(&unit);
        }
    }
    let Landscape { seen, is_log, .. } = landscape(scene.study, &scene.pending_ids(), &points)?;
    let outcomes = others(scene.study, &points);
    let mut from = 0;
    let slice = |(axis, u): (Axis, Vec<f64>)| {
        let part = from..from + u.len();
        from = part.end;
        let seen = &seen[part.clone()];
        let (before, after) = shares(seen, is_log);
        let (chance, within_limits) = (chances(seen), seen.iter().map(|s| s.within_limits).collect());
        let others = outcomes.iter().map(|one| one.part(&part)).collect();
        Slice { axis, u, mean: means(seen), sd: deviations(seen), before, after, chance, within_limits, others }
    };
    let slices: Vec<Slice> = axes.into_iter().zip(along).map(slice).collect();
    Ok(Slices { goal: scene.study.config().goal, log_floor: log_floor(scene, &slices), slices })
}

/// Predictions at some points for the results, besides the first objective, that have models.
fn others(study: &Study, points: &Points) -> Vec<OutcomeSlice> {
    let outcomes = study.outcomes();
    let limits = |name: &str| outcomes.limits().find(|(limited, _)| *limited == name).map(|(_, limits)| limits);
    let is_modelled = |name: &&str| outcomes.objectives().iter().any(|one| one.name == *name) || limits(name).is_some();
    let one = |name: &str| {
        let (mean, sd) = expected(study, name, points).ok()?.iter().map(|e| (e.mean, e.sd)).unzip();
        Some(OutcomeSlice { name: name.to_owned(), mean, sd, limits: limits(name).unwrap_or_default() })
    };
    outcomes.watched().filter(is_modelled).filter_map(one).collect()
}

impl OutcomeSlice {
    /// The slice at some of its points.
    fn part(&self, part: &Range<usize>) -> Self {
        let (mean, sd) = (self.mean[part.clone()].to_vec(), self.sd[part.clone()].to_vec());
        Self { mean, sd, ..self.clone() }
    }
}

/// A decade below all values and predictions, if the values span decades and a log scale can show them all. The lower
/// end of a band, two standard deviations below a small value, need not be positive.
fn log_floor(scene: &Scene<'_>, slices: &[Slice]) -> Option<f64> {
    let values = || scene.study.trials().iter().filter_map(Trial::value);
    let least =
        values().chain(slices.iter().flat_map(|slice| slice.mean.iter().copied())).fold(f64::INFINITY, f64::min);
    (spans_decades(values()) && least > 0.0).then_some(least / 10.0)
}

/// The positions of a slice.
fn steps(scene: &Scene<'_>, dim: usize) -> Vec<f64> {
    let space = scene.study.space();
    let evenly = || (0..=STEPS).map(|i| i as f64 / STEPS as f64).collect();
    let mut u: Vec<f64> = match space.dimensions()[dim] {
        Dimension::Continuous => evenly(),
        Dimension::Grid { levels } if levels > STEPS as u64 => evenly(),
        Dimension::Grid { levels } => (0..levels).map(|level| space.coordinate(dim, level)).collect(),
        Dimension::Category { levels } => (0..levels as u64).map(|level| space.coordinate(dim, level)).collect(),
    };
    u.dedup();
    u
}

/// The values of points before and after, as shares of the largest before: for logarithms the ratio, otherwise the
/// position between the smallest and the largest.
fn shares(seen: &[Seen], is_log: bool) -> (Vec<f64>, Vec<f64>) {
    let finite = || seen.iter().map(|s| s.before).filter(|worth| worth.is_finite());
    let largest = finite().fold(f64::NEG_INFINITY, f64::max);
    let smallest = finite().chain(seen.iter().map(|s| s.after).filter(|a| a.is_finite())).fold(f64::INFINITY, f64::min);
    let share = |worth: f64| match () {
        () if !largest.is_finite() || !worth.is_finite() => 0.0,
        () if is_log => (worth - largest).exp(),
        () if largest > smallest => (worth - smallest) / (largest - smallest),
        () => 1.0,
    };
    (seen.iter().map(|s| share(s.before)).collect(), seen.iter().map(|s| share(s.after)).collect())
}

fn means(seen: &[Seen]) -> Vec<f64> {
    seen.iter().map(|s| s.mean).collect()
}

fn deviations(seen: &[Seen]) -> Vec<f64> {
    seen.iter().map(|s| s.sd).collect()
}

fn chances(seen: &[Seen]) -> Option<Vec<f64>> {
    seen.iter().map(|s| s.chance).collect()
}

/// The model over two parameters: values on a grid of n × n, row by row from the bottom.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Surface {
    /// The horizontal parameter.
    pub x: Axis,
    /// The vertical parameter.
    pub y: Axis,
    /// The number of points along each side, at the midpoints of n equal parts.
    pub n: usize,
    /// The predictions.
    pub mean: Vec<f64>,
    /// The standard deviations of the predictions.
    pub sd: Vec<f64>,
    /// What points would be worth to the strategy if nothing were pending, as a share of the largest value on the grid.
    pub before: Vec<f64>,
    /// What they are worth with all that is pending, as a share of their own largest value.
    pub after: Vec<f64>,
    /// The chance that a point gives a value; none as long as nothing has failed.
    pub chance: Option<Vec<f64>>,
    /// Trials with a value.
    pub observed: Vec<Observed>,
    /// Trials that are running.
    pub pending: Vec<MapPoint>,
}

/// The work that the predictions of a surface may take; with more results it is coarser.
const SURFACE_WORK: f64 = 3e8;

/// The surface of two coordinates, the others as in the recommended point.
pub fn surface(scene: &Scene<'_>, x: usize, y: usize) -> Result<Surface> {
    let study = scene.study;
    let n_data = study.subset().map_or(study.n_observed(), |subset| subset.len()).max(1) as f64;
    let n = ((SURFACE_WORK / (n_data * n_data)).sqrt() as usize).clamp(11, 41);
    let center = scene.center()?;
    let space = study.space();
    let mut points = Points::new(space.dim());
    for i in 0..n * n {
        let mut unit = center.to_vec();
        unit[y] = ((i / n) as f64 + 0.5) / n as f64;
        unit[x] = ((i % n) as f64 + 0.5) / n as f64;
        space.snap(&mut unit);
        points.push(&unit);
    }
    let Landscape { seen, is_log, .. } = landscape(study, &scene.pending_ids(), &points)?;
    let (before, mut after) = shares(&seen, is_log);
    let largest = after.iter().copied().fold(0.0, f64::max);
    after.iter_mut().for_each(|a| *a /= if largest > 0.0 { largest } else { 1.0 });
    Ok(Surface {
        x: axis(space, x),
        y: axis(space, y),
        n,
        mean: means(&seen),
        sd: deviations(&seen),
        before,
        after,
        chance: chances(&seen),
        observed: observed(scene, x, y, 400),
        pending: scene
            .pending()
            .filter(|trial| has_both(scene.study, trial, x, y))
            .map(|trial| map_point(trial, x, y))
            .collect(),
    })
}

/// Every searched parameter of the better trials at once.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Parallel {
    /// The searched parameters.
    pub axes: Vec<Axis>,
    /// The best value.
    pub best: Option<f64>,
    /// The worst value that is drawn.
    pub worst: Option<f64>,
    /// A line for each trial, the best last.
    pub lines: Vec<Line>,
}

/// A trial as a line.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Line {
    /// The trial.
    pub trial: TrialId,
    /// Its value.
    pub value: f64,
    /// Its position on each axis; none where it does not have the parameter.
    pub u: Vec<Option<f64>>,
    /// Its position on the axis of values: 1 for the best of those drawn.
    pub height: f64,
    /// The share of values that are not better.
    pub good: f64,
}

/// Parallel coordinates of at most `most` trials.
pub fn parallel(scene: &Scene<'_>, most: usize) -> Parallel {
    let ranked = super::map::ranked(scene, most);
    let (worst, best) = (ranked.first().map(|r| r.1), ranked.last().map(|r| r.1));
    let height = |value: f64| match (worst, best) {
        (Some(worst), Some(best)) if best != worst => (value - worst) / (best - worst),
        _ => 1.0,
    };
    let there = |trial: &Trial| {
        let active = scene.study.space().active(&trial.unit);
        trial.unit.iter().zip(active).map(|(u, is_there)| is_there.then_some(*u)).collect()
    };
    let line = |(trial, value, good): (&Trial, f64, f64)| Line {
        trial: trial.id,
        value,
        u: there(trial),
        height: height(value),
        good,
    };
    Parallel { axes: axes(scene.study.space()), best, worst, lines: ranked.into_iter().map(line).collect() }
}
