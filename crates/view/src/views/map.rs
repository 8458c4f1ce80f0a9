//! Trials over two parameters, and the room that each pending point keeps free.

use std::collections::HashMap;

use elbowroom::error::Result;
use elbowroom::insight::landscape;
use elbowroom::linalg::Points;
use elbowroom::study::{Study, Trial, TrialId};
use serde::Serialize;

use super::no_model;
use crate::axis::{Axis, axis};
use crate::scene::{Scene, TrialStatus};

/// The most observed trials to draw: the best ones, and the newest.
const MOST: usize = 1500;

/// A map of two parameters. Positions are in the unit square.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Map {
    /// The horizontal parameter.
    pub x: Axis,
    /// The vertical parameter.
    pub y: Axis,
    /// Trials with a value.
    pub observed: Vec<Observed>,
    /// Trials that failed.
    pub failed: Vec<MapPoint>,
    /// Trials at infeasible points.
    pub infeasible: Vec<MapPoint>,
    /// Trials that are running.
    pub pending: Vec<Pending>,
    /// The trial with the best value.
    pub best: Option<MapPoint>,
    /// Why something is missing.
    pub note: Option<String>,
}

/// The position of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MapPoint {
    /// The trial.
    pub trial: TrialId,
    /// Its horizontal position.
    pub x: f64,
    /// Its vertical position.
    pub y: f64,
}

/// A trial with a value.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Observed {
    /// Its position.
    #[serde(flatten)]
    pub at: MapPoint,
    /// The measured value.
    pub value: f64,
    /// The share of the values that are not better: 1 for the best.
    pub good: f64,
}

/// A running trial.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Pending {
    /// Its position.
    #[serde(flatten)]
    pub at: MapPoint,
    /// The worker that has it.
    pub worker: Option<String>,
    /// Half the width of its exclusion ball, r_j times the lengthscale; none without a model or penalizers.
    pub rx: Option<f64>,
    /// Half the height of its exclusion ball.
    pub ry: Option<f64>,
}

/// The map of two coordinates. Without a model there are no exclusion balls, and a note that says why.
pub fn map(scene: &Scene<'_>, with_model: bool, x: usize, y: usize) -> Map {
    let study = scene.study;
    let at = |trial: &Trial| map_point(trial, x, y);
    let those = |wanted: TrialStatus| -> Vec<&Trial> {
        let is_wanted = |trial: &&Trial| scene.status(trial) == wanted && has_both(study, trial, x, y);
        study.trials().iter().filter(is_wanted).collect()
    };
    let balls = if with_model { balls(scene, x, y) } else { Err(no_model()) };
    let radii = |trial: &Trial| balls.as_ref().ok()?.get(&trial.id).copied();
    let pending = those(TrialStatus::Running).into_iter().map(|trial| {
        let radii = radii(trial);
        let worker = scene.holder(trial.id).map(|held| held.worker.clone());
        Pending { at: at(trial), worker, rx: radii.map(|r| r.0), ry: radii.map(|r| r.1) }
    });
    Map {
        x: axis(study.space(), x),
        y: axis(study.space(), y),
        observed: observed(scene, x, y, MOST),
        failed: those(TrialStatus::Failed).into_iter().map(at).collect(),
        infeasible: those(TrialStatus::Infeasible).into_iter().map(at).collect(),
        pending: pending.collect(),
        best: study.best().filter(|best| has_both(study, best, x, y)).map(at),
        note: note(study, balls.as_ref().err().map(elbowroom::error::Error::what), x, y),
    }
}

/// Why something is missing: the balls around running points, or trials that have no position on this map.
fn note(study: &Study, balls: Option<&str>, x: usize, y: usize) -> Option<String> {
    let n = study.trials().iter().filter(|trial| !has_both(study, trial, x, y)).count();
    let trials = if n == 1 { "1 trial does".to_owned() } else { format!("{n} trials do") };
    let absent = (n > 0).then(|| format!("{trials} not have both parameters and cannot be shown here"));
    let all: Vec<String> = balls.map(str::to_owned).into_iter().chain(absent).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// Half the width and half the height of the exclusion ball of each pending trial; empty if the strategy has none.
fn balls(scene: &Scene<'_>, x: usize, y: usize) -> Result<HashMap<TrialId, (f64, f64)>> {
    let ids = scene.pending_ids();
    let found = landscape(scene.study, &ids, &Points::new(scene.study.space().dim()))?;
    let model = scene.study.model()?;
    let lengthscales = &model.posterior.hyper().lengthscales;
    let ball = |radius: f64| (radius * lengthscales[x], radius * lengthscales[y]);
    Ok(ids.into_iter().zip(found.penalizers.iter().map(|one| ball(one.penalizer.radius()))).collect())
}

/// Whether a trial has both parameters: if one of them is inactive, it has no position on their map.
pub fn has_both(study: &Study, trial: &Trial, x: usize, y: usize) -> bool {
    let active = study.space().active(&trial.unit);
    active[x] && active[y]
}

/// The position of a trial.
pub fn map_point(trial: &Trial, x: usize, y: usize) -> MapPoint {
    MapPoint { trial: trial.id, x: trial.unit[x], y: trial.unit[y] }
}

/// The observed trials: all of them, or the better half of `most` and the newest of the others.
pub fn observed(scene: &Scene<'_>, x: usize, y: usize, most: usize) -> Vec<Observed> {
    ranked(scene, most)
        .into_iter()
        .filter(|(trial, ..)| has_both(scene.study, trial, x, y))
        .map(|(trial, value, good)| Observed { at: map_point(trial, x, y), value, good })
        .collect()
}

/// Trials with their values and the share of values that are not better, from the worst to the best.
pub fn ranked<'a>(scene: &Scene<'a>, most: usize) -> Vec<(&'a Trial, f64, f64)> {
    let goal = scene.study.config().goal;
    let mut all: Vec<(&Trial, f64)> = scene.study.trials().iter().filter_map(|t| Some((t, t.value()?))).collect();
    all.sort_by(|a, b| goal.maximized(a.1).total_cmp(&goal.maximized(b.1)));
    let last = all.len().saturating_sub(1).max(1) as f64;
    let n = all.len();
    let shares = all.into_iter().enumerate().map(|(i, (trial, value))| (trial, value, i as f64 / last));
    let mut ranked: Vec<_> = shares.collect();
    if n <= most {
        return ranked;
    }
    let best = ranked.split_off(n - most / 2);
    ranked.sort_by_key(|(trial, ..)| std::cmp::Reverse(trial.id));
    ranked.truncate(most - best.len());
    ranked.sort_by(|a, b| a.2.total_cmp(&b.2));
    ranked.extend(best);
    ranked
}
