//! The search for one more point of a batch, over candidates that are scored once.
//!
//! Raw scores ln α of the candidates are computed when the search begins. Every point that joins the batch adds its
//! penalizer to them and shrinks their variance; the best few sums are climbed from, under the full objective.

use std::collections::HashSet;

use super::Situation;
use super::candidates::{any_point, candidates};
use crate::acquisition::{Climb, LogAcquisition};
use crate::gp::{Panel, Posterior};
use crate::penalty::{Ball, Penalized, raw_score, shrinkage};
use crate::rng::Stream;
use crate::space::{PointKey, UnitPoint};

/// Climbs from this many candidates for every point.
const STARTS: usize = 3;

/// Evaluations of one climb.
const MAX_EVALUATIONS: usize = 30;

/// Starts are at least this many lengthscales apart.
const START_SEPARATION: f64 = 0.5;

/// Points of a batch are at least this many lengthscales apart from each other and from pending ones.
const MIN_SEPARATION: f64 = 1e-3;

/// A search under way: what was chosen so far is part of it.
pub(super) struct Search<'a> {
    situation: &'a Situation<'a>,
    acquisition: &'a dyn LogAcquisition,
    /// The posterior with pending and chosen points as phantoms.
    posterior: Posterior,
    panel: Panel,
    raw: Vec<f64>,
    /// Sum of ln φ at every candidate.
    penalties: Vec<f64>,
    balls: Vec<Ball>,
    /// Whether the variance that phantoms take away counts.
    shrink: bool,
    is_finite: bool,
    chosen: HashSet<PointKey>,
    climb: Climb<'a>,
    draw: Stream,
}

impl<'a> Search<'a> {
    /// Scores the candidates of a situation; pending points are phantoms from the start.
    pub fn new(situation: &'a Situation<'a>, acquisition: &'a dyn LogAcquisition, shrink: bool) -> Self {
        let posterior = situation.posterior.with_phantoms(situation.pending.iter().map(|u| u.as_slice()));
        let panel = Panel::new(&posterior, candidates(situation));
        let raw: Vec<f64> = (0..panel.len()).map(|i| raw_score(&acquisition, &panel, i)).collect();
        Self {
            penalties: vec![0.0; raw.len()],
            raw,
            panel,
            posterior,
            acquisition,
            balls: Vec::new(),
            shrink,
            is_finite: situation.space.n_points().is_some(),
            chosen: HashSet::new(),
            climb: Climb::new(situation.space, MAX_EVALUATIONS),
            draw: situation.stream.child("fill", 0),
            situation,
        }
    }

    /// The candidates with their predictions.
    pub fn panel(&self) -> &Panel {
        &self.panel
    }

    /// Evaluations of the acquisition so far.
    pub fn evaluations(&self) -> usize {
        self.raw.len() + self.climb.evaluations()
    }

    /// Lowers the score around a point.
    pub fn penalize(&mut self, ball: Ball) {
        for (i, penalty) in self.penalties.iter_mut().enumerate() {
            *penalty += ball.ln_value(&self.posterior, self.panel.points().row(i));
        }
        self.balls.push(ball);
    }

    /// The best point under all penalizers; it counts as pending from here on. None if the space has no more to offer.
    pub fn next(&mut self) -> Option<UnitPoint> {
        let totals: Vec<f64> = (0..self.panel.len())
            .map(|i| self.raw[i] + self.penalties[i] + if self.shrink { shrinkage(&self.panel, i) } else { 0.0 })
            .collect();
        let mut order: Vec<usize> = (0..totals.len()).collect();
        order.sort_by(|&a, &b| totals[b].total_cmp(&totals[a]).then(a.cmp(&b)));

        let mut ends: Vec<(f64, Vec<f64>)> = Vec::with_capacity(STARTS);
        let mut objective = Penalized::new(self.acquisition, &self.posterior, &self.balls, self.shrink);
        for i in self.starts(order.iter().copied().filter(|&i| totals[i] > f64::NEG_INFINITY)) {
            let mut u = self.panel.points().row(i).to_vec();
            let value = self.climb.from(&mut objective, &mut u);
            ends.push((value, u));
        }
        ends.sort_by(|a, b| b.0.total_cmp(&a.0));
        let climbed = ends.iter().find(|(value, u)| value.is_finite() && self.is_free(u));
        let reached = climbed.map_or(f64::NEG_INFINITY, |end| end.0);
        // Where the best climb ended at a point that is not free, a candidate may beat the other ends.
        let candidate = order.iter().take_while(|&&i| totals[i] > reached || climbed.is_none());
        let next = candidate
            .map(|&i| self.panel.points().row(i))
            .find(|u| self.is_free(u))
            .or_else(|| climbed.map(|end| end.1.as_slice()))
            .map(|u| UnitPoint::clamped(u.to_vec()))
            .or_else(|| any_point(self.situation, &self.chosen, &mut self.draw))?;
        self.remember(&ends, &next);
        Some(next)
    }

    /// The best candidates that keep a distance from each other.
    fn starts(&self, ranked: impl Iterator<Item = usize>) -> Vec<usize> {
        let mut starts: Vec<usize> = Vec::with_capacity(STARTS);
        for i in ranked {
            let x = self.panel.points().row(i);
            let far = |&j: &usize| {
                let squared = self.posterior.squared_distance(x, self.panel.points().row(j));
                squared >= START_SEPARATION * START_SEPARATION
            };
            if starts.iter().all(far) {
                starts.push(i);
                if starts.len() == STARTS {
                    break;
                }
            }
        }
        starts
    }

    fn is_free(&self, u: &[f64]) -> bool {
        let key = self.situation.space.key(u);
        // In a finite space keys tell points apart; neighbours there may be as close as they are.
        !self.situation.taken.contains(&key)
            && !self.chosen.contains(&key)
            && (self.is_finite || self.posterior.phantoms().all(|p| self.is_apart(p, u)))
    }

    /// Whether two points are far enough apart, in lengthscales; one longer than the space counts as that long.
    fn is_apart(&self, a: &[f64], b: &[f64]) -> bool {
        let lengthscales = &self.posterior.hyper().lengthscales;
        let squared: f64 = (0..a.len()).map(|k| ((a[k] - b[k]) / lengthscales[k].min(1.0)).powi(2)).sum();
        squared >= MIN_SEPARATION * MIN_SEPARATION
    }

    /// Keeps the other ends as candidates, for they are local maxima, and makes the chosen point a phantom.
    fn remember(&mut self, ends: &[(f64, Vec<f64>)], next: &UnitPoint) {
        for (_, end) in ends.iter().filter(|(value, end)| value.is_finite() && end != next.as_slice()) {
            self.panel.push(&self.posterior, end);
            self.raw.push(raw_score(&self.acquisition, &self.panel, self.panel.len() - 1));
            self.penalties.push(self.balls.iter().map(|b| b.ln_value(&self.posterior, end)).sum());
        }
        self.panel.push_phantom(&self.posterior, next);
        self.posterior.push_phantom(next);
        self.chosen.insert(self.situation.space.key(next));
    }
}
