//! The batch with the largest joint expected improvement: qEI, maximized over all its points at once.
//!
//! max over x_1 … x_q of E max(0, f(x_1) − y⁺, …, f(x_q) − y⁺, f(pending) − y⁺), in q·d variables. It is the ideal
//! batch for expected improvement, one step ahead; the price is a search in many variables whose objective takes q²
//! normal probabilities in q dimensions.
//!
//! The search starts from batches of other strategies, which are already good: liars, local penalization, pure
//! exploration. Where the closed form needs a lattice, climbs from all starts first use fixed samples, which are cheap
//! and have the exact gradient of their own sum; then the best ends are polished. The answer is the best of starts and
//! ends under one objective, so it is never worse than the best start.
//!
//! Only floats are climbed; other coordinates keep the values of the start. The batch is evaluated as it decodes.
//!
//! References: Ginsbourger, Le Riche and Carraro (2010); Chevalier and Ginsbourger (2013); Marmin, Chevalier and
//! Ginsbourger (2015), who found starts by other strategies and exact gradients best.

use std::collections::HashSet;

use super::chooser::{Planned, term, terms};
use super::joint::{CLOSED_POINTS, EXACT_POINTS, JointImprovement};
use super::search::{MIN_SEPARATION, is_apart};
use super::{
    AcquisitionKind, Batch, BatchInfo, BatchSize, BatchStrategy, Believer, Chooser, Explanation, HallucinatedUcb, Lie,
    LocalPenalization, PureExploration, Refit, Situation,
};
use crate::error::Result;
use crate::gp::Scratch;
use crate::optim::{Bounds, Lbfgsb, LbfgsbParams, Objective, SpectralParams, best, climb_all, spectral_ascent};
use crate::space::{PointKey, UnitPoint};

/// Evaluations of a climb by samples, and by the closed form without and with a lattice.
const ROUGH_EVALUATIONS: usize = 80;
const CLOSED_EVALUATIONS: usize = 60;
const LATTICE_EVALUATIONS: usize = 10;

/// How many batches are climbed from at the end.
const POLISHED: usize = 2;

/// The batch with the largest joint expected improvement, qEI, given the pending points.
///
/// Expensive: about a hundred times the cost of local penalization for ten points together; less for more, which are
/// chosen by samples.
///
/// ```
/// use elbowroom::study::StrategyConfig;
/// let strategy: StrategyConfig = serde_json::from_str(r#"{"name":"multipoint"}"#)?;
/// assert_eq!(strategy, StrategyConfig::Multipoint);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Multipoint;

impl BatchStrategy for Multipoint {
    fn bind<'a>(&'a self, situation: &'a Situation<'a>, q: BatchSize) -> Result<Box<dyn Chooser + 'a>> {
        let explain = move |joined: &[UnitPoint], u: &[f64]| joint_at(situation, q, joined, u);
        Ok(Planned::boxed(move || Ok((together(situation, q)?, Vec::new())), explain))
    }
}

/// What a point adds to pending and joined points. Batches are ranked as a whole: single points do not have a score.
fn joint_at(situation: &Situation<'_>, q: BatchSize, joined: &[UnitPoint], u: &[f64]) -> Explanation {
    let n = joined.len();
    let value =
        |batch: &[UnitPoint]| JointImprovement::of_some(situation, batch.len(), q.get().max(n + 1)).value(batch);
    let with: Vec<UnitPoint> = joined.iter().cloned().chain([UnitPoint::clamped(u.to_vec())]).collect();
    let (ln_others, ln_all) = (value(joined).ln(), value(&with).ln());
    // The first point has no others.
    let mut all = if ln_others.is_finite() {
        vec![term(terms::LN_JOINT, ln_others), term(terms::LN_JOINT_FACTOR, ln_all - ln_others)]
    } else {
        vec![term(terms::LN_JOINT_FACTOR, ln_all)]
    };
    all.extend(situation.is_weighed().then(|| term(terms::LN_CHANCE, ln_chance(situation, &with))));
    Explanation::new(all, false)
}

/// The best batch under one objective.
fn together(situation: &Situation<'_>, q: BatchSize) -> Result<Batch> {
    let mut info = BatchInfo::default();
    let mut starts: Vec<Vec<UnitPoint>> = Vec::new();
    for strategy in start_strategies(situation.pending.len() + q.get()) {
        let batch = strategy.choose(situation, q)?;
        info = info.also(&batch.info);
        starts.push(batch.points);
    }
    // The space may have fewer points left than are wanted.
    let size = starts.iter().map(Vec::len).max().unwrap_or(0);
    starts.retain(|batch| batch.len() == size);
    if size == 0 {
        return Ok(Batch { points: Vec::new(), info });
    }

    let n = situation.pending.len() + size;
    let mut joint = JointImprovement::new(situation, size);
    let starts: Vec<Vec<f64>> = starts.iter().map(|batch| coordinates(batch)).collect();
    let mut from = starts.clone();
    if n > CLOSED_POINTS {
        let mut rough = Climber::new(situation, JointImprovement::rough(situation, size), ROUGH_EVALUATIONS, 1e-6);
        let mut ends = climb_all(starts.iter().map(Vec::as_slice), |x| rough.from(x));
        ends.sort_by(|a, b| b.value.total_cmp(&a.value));
        from = ends.into_iter().map(|end| end.point).take(POLISHED).collect();
        info = info.also(&rough.info);
    }
    if n <= EXACT_POINTS {
        let (evaluations, tolerance) =
            if n <= CLOSED_POINTS { (CLOSED_EVALUATIONS, 1e-10) } else { (LATTICE_EVALUATIONS, 1e-4) };
        let mut exact = Climber::new(situation, joint, evaluations, tolerance);
        let ends = climb_all(from.iter().map(Vec::as_slice), |x| exact.from(x));
        from = ends.into_iter().map(|end| end.point).collect();
        info = info.also(&exact.info);
        joint = exact.joint;
    }

    // Starts and ends are all evaluated again under one objective.
    let dim = situation.domain.dim();
    let ends = climb_all(starts.iter().chain(&from).map(Vec::as_slice), |x| {
        info.evaluations += 1;
        info.work += joint.work();
        let batch = points(x, dim);
        joint.value(&batch).ln() + ln_chance(situation, &batch)
    });
    let top = best(&ends).or(ends.first()).map(|end| points(&end.point, dim));
    Ok(Batch { points: top.unwrap_or_default(), info })
}

/// The strategies whose batches start the search. With many points the hallucinated bound replaces the liars, which
/// rescore all candidates each time.
fn start_strategies(n: usize) -> Vec<Box<dyn BatchStrategy>> {
    let liar = |lie| -> Box<dyn BatchStrategy> {
        Box::new(Believer { acquisition: AcquisitionKind::Ei, lie, refit: Refit::Never })
    };
    let mut strategies: Vec<Box<dyn BatchStrategy>> =
        vec![Box::new(LocalPenalization::penalized_only()), Box::new(PureExploration::default())];
    if n <= EXACT_POINTS {
        strategies.extend([Lie::Mean, Lie::Optimistic, Lie::Pessimistic].map(liar));
    } else {
        strategies.push(Box::new(HallucinatedUcb::default()));
    }
    strategies
}

/// Σ ln p over the points of a batch: the joint improvement counts only if all of them give a value within the limits.
/// This undervalues batches in which some points fail, and so avoids unlikely points.
fn ln_chance(situation: &Situation<'_>, batch: &[UnitPoint]) -> f64 {
    if situation.is_weighed() { batch.iter().map(|u| situation.weight(u)).sum() } else { 0.0 }
}

/// The coordinates of a batch, one point after the other, and back.
fn coordinates(batch: &[UnitPoint]) -> Vec<f64> {
    batch.iter().flat_map(|u| u.iter().copied()).collect()
}

fn points(x: &[f64], dim: usize) -> Vec<UnitPoint> {
    x.chunks_exact(dim).map(|u| UnitPoint::clamped(u.to_vec())).collect()
}

/// Climbs from batches to batches.
struct Climber<'a> {
    situation: &'a Situation<'a>,
    joint: JointImprovement<'a>,
    params: LbfgsbParams,
    info: BatchInfo,
}

impl<'a> Climber<'a> {
    fn new(
        situation: &'a Situation<'a>,
        joint: JointImprovement<'a>,
        max_evaluations: usize,
        value_tolerance: f64,
    ) -> Self {
        let params = LbfgsbParams {
            max_evaluations,
            max_iterations: max_evaluations,
            gradient_tolerance: 1e-5,
            value_tolerance,
            ..LbfgsbParams::default()
        };
        Self { situation, joint, params, info: BatchInfo::default() }
    }

    /// Moves a batch to the top and returns ln qEI there; leaves the batch unchanged if the top is not better or may
    /// not be proposed.
    fn from(&mut self, x: &mut [f64]) -> f64 {
        let domain = self.situation.domain;
        let dim = domain.dim();
        let start = points(x, dim);
        let here = self.joint.value(&start).ln() + ln_chance(self.situation, &start);
        let mut end = x.to_vec();
        let (mut low, mut high) = (end.clone(), end.clone());
        let active: Vec<bool> = start.iter().flat_map(|u| domain.space().active(u)).collect();
        for i in (0..end.len()).filter(|i| domain.levels(i % dim).is_none() && active[*i]) {
            (low[i], high[i]) = (domain.bounds().low()[i % dim], domain.bounds().high()[i % dim]);
        }
        let mut evaluations = 2;
        if let Some(bounds) = Bounds::new(low, high).ok().filter(|bounds| bounds.low() != bounds.high()) {
            let (joint, chance, mut scratch) = (&mut self.joint, self.situation.chance, Scratch::default());
            let limits = self.situation.limits();
            let mut guarded = |x: &[f64], gradient: &mut [f64]| {
                if !x.chunks_exact(dim).all(|u| domain.is_feasible(u)) {
                    return f64::NEG_INFINITY;
                }
                evaluations += 1;
                let mut value = joint.value_and_gradient(x, gradient);
                for (u, gradient) in x.chunks_exact(dim).zip(gradient.chunks_exact_mut(dim)) {
                    value += chance
                        .map_or(0.0, |chance| chance.add_weight_gradient(u, chance.gate(0.0), &mut scratch, gradient));
                    value += limits.add_gradient(u, &mut scratch, gradient);
                }
                value
            };
            if domain.is_constructed() {
                let along = SpectralParams {
                    max_evaluations: self.params.max_evaluations,
                    step_tolerance: 1e-9,
                    value_tolerance: self.params.value_tolerance,
                };
                let project = |x: &mut [f64]| {
                    bounds.project(x);
                    x.chunks_exact_mut(dim).for_each(|u| domain.snap(u));
                };
                spectral_ascent(&mut guarded, &mut end, project, &along);
            } else {
                Lbfgsb::new(end.len(), self.params).maximize(&mut guarded, &mut end, &bounds);
            }
            end.chunks_exact_mut(dim).for_each(|u| domain.snap(u));
        }
        let batch = points(&end, dim);
        let there = self.joint.value(&batch).ln() + ln_chance(self.situation, &batch);
        self.info.evaluations += evaluations;
        self.info.work += evaluations as f64 * self.joint.work();
        if !(there > here && self.may_propose(&batch)) {
            return here;
        }
        x.copy_from_slice(&coordinates(&batch));
        there
    }

    /// Whether all points are feasible, free, and apart from each other and from pending ones.
    fn may_propose(&self, batch: &[UnitPoint]) -> bool {
        let Situation { domain, taken, tried, pending, posterior, .. } = *self.situation;
        let space = domain.space();
        let mut keys: HashSet<PointKey> = HashSet::new();
        batch.iter().enumerate().all(|(i, u)| {
            let mut others = pending.iter().chain(&batch[..i]);
            let key = space.key(u);
            domain.is_feasible(u)
                && !taken.contains(&key)
                && !tried.is_beside_failure(space, u)
                && !tried.is_same(posterior, u)
                && keys.insert(key)
                && others.all(|other| is_apart(posterior, other, u, MIN_SEPARATION))
        })
    }
}
