//! Batch Bayesian optimization by local penalization (González, Dai, Hennig and Lawrence 2016), Algorithm 1.
//!
//! 1. Once per batch: the Lipschitz constant L̂ and the maximum M̂ of the posterior mean.
//! 2. Every pending point becomes a penalizer, so that asynchronous use is the same code.
//! 3. Maximize ln α(x) + Σ_j ln φ(x; x_j); the maximizer joins the batch and becomes a penalizer itself; repeat.
//!
//! The model is not refitted inside the batch, and the raw scores of the candidates are computed once: each further
//! element only adds its penalizer to them.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::candidates::{any_point, candidates};
use super::{Batch, BatchInfo, BatchSize, BatchStrategy, Situation};
use crate::acquisition::{
    Climb, ExpectedImprovement, Exponential, LogAcquisition, PosteriorMean, ProbabilityOfImprovement, Softplus,
    UpperConfidenceBound,
};
use crate::error::Result;
use crate::gp::{Panel, Posterior};
use crate::optim::{Bounds, Lbfgsb, LbfgsbParams};
use crate::penalty::{Ball, Penalized, Penalizer, PenalizerKind, raw_score, shrinkage, whitened_lipschitz};
use crate::space::{PointKey, UnitPoint};

/// Local penalization with its parts to choose.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LocalPenalization {
    /// The acquisition.
    pub acquisition: AcquisitionKind,
    /// The shape of the penalizers; none leaves the variance term alone.
    pub penalizer: Option<PenalizerKind>,
    /// Whether the variance that pending results will take away lowers the acquisition as well.
    pub shrink: bool,
    /// Where the Lipschitz constant is taken.
    pub lipschitz: LipschitzRule,
    /// What the maximum of the function is taken to be.
    pub maximum: MaximumRule,
}

/// The acquisition, by name.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AcquisitionKind {
    /// Expected improvement over the best posterior mean at the data.
    Ei,
    /// Upper confidence bound, made positive by softplus above the best posterior mean at the data.
    Ucb {
        /// Weight of the standard deviation.
        kappa: f64,
    },
    /// Upper confidence bound as in the paper: softplus of the raw value.
    PaperUcb {
        /// Weight of the standard deviation.
        kappa: f64,
    },
    /// Probability of improvement over the best posterior mean at the data.
    Pi,
    /// The posterior mean, exponentiated.
    Mean,
}

/// Where the Lipschitz constant is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LipschitzRule {
    /// The maximum over the whole space: one for all penalizers.
    Global,
    /// For each penalizer the maximum over the box within one lengthscale, drawn halfway to the global one.
    Local,
    /// The gradient at the pending point itself, as the paper's remark on heteroscedastic functions has it.
    Point,
}

/// What the maximum M of the function is taken to be.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MaximumRule {
    /// The largest posterior mean.
    MaxMean,
    /// The largest observation.
    MaxObserved,
    /// A known value, in the model's units.
    Given(f64),
}

impl Default for LocalPenalization {
    /// Expected improvement, the truncated penalizer and the variance term, with the global L̂ and the largest mean.
    fn default() -> Self {
        Self {
            acquisition: AcquisitionKind::Ei,
            penalizer: Some(PenalizerKind::Truncated),
            shrink: true,
            lipschitz: LipschitzRule::Global,
            maximum: MaximumRule::MaxMean,
        }
    }
}

impl LocalPenalization {
    /// The paper's LP-EI.
    pub fn paper_ei() -> Self {
        Self {
            acquisition: AcquisitionKind::Ei,
            penalizer: Some(PenalizerKind::Soft),
            shrink: false,
            lipschitz: LipschitzRule::Global,
            maximum: MaximumRule::MaxObserved,
        }
    }

    /// The paper's LP-UCB with κ = 2.
    pub fn paper_ucb() -> Self {
        Self { acquisition: AcquisitionKind::PaperUcb { kappa: 2.0 }, ..Self::paper_ei() }
    }
}

/// Climbs from this many candidates for every element of the batch.
const STARTS: usize = 4;

/// Evaluations of one climb.
const MAX_EVALUATIONS: usize = 50;

/// Starts of one element are at least this many lengthscales apart.
const START_SEPARATION: f64 = 0.2;

/// Points of a batch are at least this many lengthscales apart.
const MIN_SEPARATION: f64 = 1e-3;

impl BatchStrategy for LocalPenalization {
    fn choose(&self, situation: &Situation<'_>, q: BatchSize) -> Result<Batch> {
        let mut model = situation.posterior.with_phantoms(situation.pending.iter().map(|u| u.as_slice()));
        let mut panel = Panel::new(&model, candidates(situation));
        let acquisition = self.acquisition.bind(situation.posterior);
        let mut raw: Vec<f64> = (0..panel.len()).map(|i| raw_score(&acquisition, &panel, i)).collect();
        let scale = Scale::estimate(self, situation, &panel);

        let mut balls = Vec::new();
        for u in situation.pending {
            balls.extend(self.ball(situation.posterior, &scale, u.as_slice()));
        }
        let mut penalties: Vec<f64> = (0..panel.len())
            .map(|i| balls.iter().map(|b: &Ball| b.ln_value(&model, panel.points().row(i))).sum())
            .collect();
        let mut chosen: Vec<UnitPoint> = Vec::new();
        let mut chosen_keys: HashSet<PointKey> = HashSet::new();
        let mut climb = Climb::new(situation.space, MAX_EVALUATIONS);
        let mut draw = situation.stream.child("fill", 0);

        while chosen.len() < q.get() {
            let totals: Vec<f64> = (0..panel.len())
                .map(|i| raw[i] + penalties[i] + if self.shrink { shrinkage(&panel, i) } else { 0.0 })
                .collect();
            let mut ends = Vec::new();
            {
                let mut objective = Penalized::new(&acquisition, &model, &balls, self.shrink);
                for i in starts(&model, &panel, &totals) {
                    let mut u = panel.points().row(i).to_vec();
                    let value = climb.from(&mut objective, &mut u);
                    ends.push((value, u));
                }
            }
            ends.sort_by(|a, b| b.0.total_cmp(&a.0));
            let free = |u: &[f64]| {
                let key = situation.space.key(u);
                !situation.taken.contains(&key)
                    && !chosen_keys.contains(&key)
                    && model.phantoms().all(|p| model.squared_distance(p, u) >= MIN_SEPARATION * MIN_SEPARATION)
            };
            let end = ends.iter().find(|(value, u)| value.is_finite() && free(u));
            // Where the best climb ends at a point that is not free, the candidates compete with the other ends.
            let beaten = end.is_none_or(|(value, _)| *value < ends[0].0);
            let candidate = if beaten { best_free(&panel, &totals, free) } else { None };
            let next = candidate
                .filter(|(total, _)| end.is_none_or(|(value, _)| total > value))
                .or_else(|| end.cloned())
                .map(|(_, u)| UnitPoint::clamped(u))
                .or_else(|| any_point(situation, &chosen_keys, &mut draw));
            let Some(next) = next else { break };

            // The next point is a penalizer from here on.
            let x = next.as_slice();
            for (_, end) in ends.iter().filter(|(_, end)| end != x) {
                panel.push(&model, end);
                raw.push(raw_score(&acquisition, &panel, panel.len() - 1));
                penalties.push(balls.iter().map(|b| b.ln_value(&model, end)).sum());
            }
            if let Some(ball) = self.ball(situation.posterior, &scale, x) {
                for (i, penalty) in penalties.iter_mut().enumerate() {
                    *penalty += ball.ln_value(&model, panel.points().row(i));
                }
                balls.push(ball);
            }
            panel.push_phantom(&model, x);
            model.push_phantom(x);
            chosen_keys.insert(situation.space.key(x));
            chosen.push(next);
        }
        let info = BatchInfo {
            evaluations: climb.evaluations() + panel.len(),
            lipschitz: Some(scale.lipschitz),
            maximum: Some(scale.maximum),
        };
        Ok(Batch { points: chosen, info })
    }
}

/// L̂ and M̂ of a batch.
struct Scale {
    lipschitz: f64,
    maximum: f64,
}

impl Scale {
    fn estimate(strategy: &LocalPenalization, situation: &Situation<'_>, panel: &Panel) -> Self {
        let posterior = situation.posterior;
        let maximum = match strategy.maximum {
            MaximumRule::Given(m) => m,
            MaximumRule::MaxObserved => posterior.values().iter().copied().fold(f64::NEG_INFINITY, f64::max),
            MaximumRule::MaxMean => largest_mean(posterior, panel),
        };
        let lipschitz = if strategy.penalizer.is_some() {
            let bounds = Bounds::unit(posterior.dim());
            whitened_lipschitz(posterior, &bounds, 64 + 32 * posterior.dim().min(16), situation.stream).value
        } else {
            0.0
        };
        Self { lipschitz, maximum }
    }
}

impl LocalPenalization {
    /// The penalizer around x.
    fn ball(&self, posterior: &Posterior, scale: &Scale, x: &[f64]) -> Option<Ball> {
        let kind = self.penalizer?;
        let p = posterior.predict(x);
        let hyper = posterior.hyper();
        let lipschitz = match self.lipschitz {
            LipschitzRule::Global => scale.lipschitz,
            // ‖∇_u μ‖ in lengthscales, as distances are.
            LipschitzRule::Point => {
                let mut scratch = crate::gp::Scratch::default();
                posterior.mean_gradient(x, &mut scratch);
                let squares = scratch.d_mean.iter().zip(&hyper.lengthscales).map(|(g, l)| (g * l).powi(2));
                squares.sum::<f64>().sqrt().max(1e-6 * scale.lipschitz)
            }
            LipschitzRule::Local => {
                let low = x.iter().zip(&hyper.lengthscales).map(|(x, l)| (x - l).max(0.0)).collect();
                let high = x.iter().zip(&hyper.lengthscales).map(|(x, l)| (x + l).min(1.0)).collect();
                match Bounds::new(low, high) {
                    Ok(bounds) => {
                        let stream = crate::rng::Stream::new(0);
                        let local = whitened_lipschitz(posterior, &bounds, 64, &stream).value;
                        (local * scale.lipschitz).sqrt()
                    }
                    Err(_) => scale.lipschitz,
                }
            }
        };
        let sd = p.variance.sqrt().max(1e-6 * hyper.variance.sqrt());
        let penalizer = Penalizer { kind, lipschitz, best: scale.maximum, mean: p.mean, sd };
        Some(Ball { center: x.to_vec(), penalizer })
    }
}

/// The largest posterior mean: over the data, the candidates, and climbs from the two best of them.
fn largest_mean(posterior: &Posterior, panel: &Panel) -> f64 {
    let dim = posterior.dim();
    let mut starts: Vec<(f64, Vec<f64>)> =
        (0..panel.len()).map(|i| (panel.mean(i), panel.points().row(i).to_vec())).collect();
    for x in posterior.observed() {
        let mut scratch = crate::gp::Scratch::default();
        starts.push((posterior.mean_gradient(x, &mut scratch), x.to_vec()));
    }
    starts.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut largest = starts.first().map_or(posterior.hyper().mean, |s| s.0);
    let mut scratch = crate::gp::Scratch::default();
    let mut mean = |u: &[f64], gradient: &mut [f64]| {
        let value = posterior.mean_gradient(u, &mut scratch);
        gradient.copy_from_slice(&scratch.d_mean);
        value
    };
    let mut solver = Lbfgsb::new(dim, LbfgsbParams { max_evaluations: 40, ..LbfgsbParams::default() });
    for (_, start) in starts.iter().take(2) {
        let mut u = start.clone();
        largest = largest.max(solver.maximize(&mut mean, &mut u, &Bounds::unit(dim)).value);
    }
    largest
}

/// Indices of candidates to climb from: the best ones that keep a distance from each other.
fn starts(posterior: &Posterior, panel: &Panel, totals: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..totals.len()).filter(|&i| totals[i] > f64::NEG_INFINITY).collect();
    order.sort_by(|&a, &b| totals[b].total_cmp(&totals[a]).then(a.cmp(&b)));
    let mut starts: Vec<usize> = Vec::with_capacity(STARTS);
    for i in order {
        let x = panel.points().row(i);
        let apart =
            |&j: &usize| posterior.squared_distance(x, panel.points().row(j)) >= START_SEPARATION * START_SEPARATION;
        if starts.iter().all(apart) {
            starts.push(i);
            if starts.len() == STARTS {
                break;
            }
        }
    }
    starts
}

/// The best candidate that may still be proposed, with its score.
fn best_free(panel: &Panel, totals: &[f64], free: impl Fn(&[f64]) -> bool) -> Option<(f64, Vec<f64>)> {
    let mut order: Vec<usize> = (0..totals.len()).collect();
    order.sort_by(|&a, &b| totals[b].total_cmp(&totals[a]).then(a.cmp(&b)));
    order.into_iter().map(|i| (totals[i], panel.points().row(i))).find(|(_, u)| free(u)).map(|(t, u)| (t, u.to_vec()))
}

impl AcquisitionKind {
    /// The acquisition for a posterior, in logarithms.
    pub fn bind(&self, posterior: &Posterior) -> Box<dyn LogAcquisition> {
        let best = || best_mean_at_data(posterior);
        match *self {
            AcquisitionKind::Ei => Box::new(ExpectedImprovement { best: best() }),
            AcquisitionKind::Ucb { kappa } => Box::new(Softplus {
                inner: UpperConfidenceBound { kappa },
                offset: best(),
                temperature: 0.1 * posterior.hyper().variance.sqrt(),
            }),
            AcquisitionKind::PaperUcb { kappa } => Box::new(Softplus::paper(UpperConfidenceBound { kappa })),
            AcquisitionKind::Pi => Box::new(ProbabilityOfImprovement { best: best() }),
            AcquisitionKind::Mean => Box::new(Exponential(PosteriorMean)),
        }
    }
}

/// max_i μ(x_i): the incumbent, without the luck of noise.
pub fn best_mean_at_data(posterior: &Posterior) -> f64 {
    let mut scratch = crate::gp::Scratch::default();
    posterior
        .observed()
        .map(|x| posterior.mean_gradient(x, &mut scratch))
        .fold(f64::NEG_INFINITY, f64::max)
        .max(if posterior.n_data() == 0 { posterior.hyper().mean } else { f64::NEG_INFINITY })
}
