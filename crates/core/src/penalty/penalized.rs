//! A positive acquisition, lowered around pending points, in logarithms:
//!
//! ln α̃(x) = ln α(x) + Σ_j ln φ(x; x_j) + ½ ln(s²_after(x)/s²(x)).
//!
//! Distances are in lengthscales. The last term, if it is used, is the share of standard deviation that remains once
//! the pending results are in: the model's own estimate of how much a pending point tells about x. The acquisition
//! itself depends on the data alone, and nothing is refitted.

use super::{Penalizer, PenalizerKind};
use crate::acquisition::LogAcquisition;
use crate::gp::{Metric, Panel, Posterior, Scratch};
use crate::optim::Objective;

/// An acquisition with penalizers around points; it must be a [`LogAcquisition`], positive everywhere.
pub struct Penalized<'a, A> {
    acquisition: A,
    posterior: &'a Posterior,
    balls: &'a [Ball],
    shrink: bool,
    scratch: Scratch,
}

/// Standard deviations beyond which Φ differs from 1 by less than 10⁻¹⁷.
const FAR: f64 = 8.5;

/// A penalizer and the point it is centred on.
#[derive(Debug, Clone, PartialEq)]
pub struct Ball {
    /// The pending point.
    pub center: Vec<f64>,
    /// Its penalizer.
    pub penalizer: Penalizer,
}

impl<'a, A: LogAcquisition> Penalized<'a, A> {
    /// Combines an acquisition, penalizers and, if `shrink` is true, the variance term of the posterior's phantoms.
    pub fn new(acquisition: A, posterior: &'a Posterior, balls: &'a [Ball], shrink: bool) -> Self {
        Self { acquisition, posterior, balls, shrink, scratch: Scratch::default() }
    }
}

/// ln α at point i of a panel: the part of the score that stays the same for the whole batch.
pub fn raw_score(acquisition: &impl LogAcquisition, panel: &Panel, i: usize) -> f64 {
    acquisition.ln_score(panel.mean(i), panel.variance(i).sqrt()).value
}

/// ½ ln(s²_after/s²) at point i of a panel.
pub fn shrinkage(panel: &Panel, i: usize) -> f64 {
    0.5 * (panel.variance_after(i) / panel.variance(i)).ln()
}

impl Ball {
    /// ln φ at x, with the posterior's distance.
    pub fn ln_value(&self, posterior: &Posterior, x: &[f64]) -> f64 {
        let d = posterior.squared_distance(x, &self.center).sqrt();
        if self.is_far(d) { 0.0 } else { self.penalizer.ln_value_and_slope(d).0 }
    }

    /// Whether φ differs from 1 by less than rounding: most pending points are that far away.
    fn is_far(&self, d: f64) -> bool {
        let p = &self.penalizer;
        let may_be = match p.kind {
            PenalizerKind::Soft => true,
            PenalizerKind::Truncated => p.mean <= p.best,
            PenalizerKind::Hard => false,
        };
        may_be && p.lipschitz * d - (p.best - p.mean) > FAR * p.sd
    }
}

impl<A: LogAcquisition> Objective for Penalized<'_, A> {
    fn value_and_gradient(&mut self, x: &[f64], gradient: &mut [f64]) -> f64 {
        let p = self.posterior.predict_gradient(x, &mut self.scratch);
        let sd = p.variance.sqrt();
        let score = self.acquisition.ln_score(p.mean, sd);
        let mut value = score.value;
        for (k, g) in gradient.iter_mut().enumerate() {
            *g = score.by_mean * self.scratch.d_mean[k] + score.by_sd * self.scratch.d_variance[k] / (2.0 * sd);
        }
        if self.shrink {
            value += 0.5 * (p.variance_after / p.variance).ln();
            for (k, g) in gradient.iter_mut().enumerate() {
                *g += 0.5
                    * (self.scratch.d_variance_after[k] / p.variance_after - self.scratch.d_variance[k] / p.variance);
            }
        }
        let hyper = self.posterior.hyper();
        for ball in self.balls {
            let d = self.posterior.squared_distance(x, &ball.center).sqrt();
            if ball.is_far(d) {
                continue;
            }
            let (ln, slope) = ball.penalizer.ln_value_and_slope(d);
            value += ln;
            if d > 0.0 && slope.is_finite() {
                for (k, g) in gradient.iter_mut().enumerate() {
                    if hyper.metric[k] == Metric::Distance {
                        let scale = 1.0 / hyper.lengthscales[k];
                        *g += slope * scale * scale * (x[k] - ball.center[k]) / d;
                    }
                }
            }
        }
        value
    }
}
