//! The point to recommend at the end: the bounds to maximize, and the searches.
//!
//! Two bounds of the latent function are maximized over the points that may be recommended:
//!
//! μ(x) − κ s(x), and with a reference b the bound of the gain over it,
//! μ(x) − μ(b) − κ θ(x),   θ² = s²(x) + s²(b) − 2c(x, b),   c the posterior covariance.
//!
//! With κ = 0 the first gives the paper's recommendation, the point with the largest mean. With little noise that point
//! can lie where the model only extrapolates, and its value can be far worse than the best one observed. The second is
//! 0 at the reference: according to the model, a point above 0 is surely better.

use std::collections::HashSet;

use super::Situation;
use super::candidates::candidates;
use crate::domain::Domain;
use crate::gp::{Posterior, Scratch};
use crate::linalg::Points;
use crate::optim::{best, climb_all};
use crate::rng::Stream;
use crate::space::UnitPoint;

/// The number of best points to climb from.
const STARTS: usize = 5;

/// A climb that gains less than this, in deviations of the prior, returns its start, which is usually an observed
/// point.
const LEAST_GAIN: f64 = 1e-6;

/// The search for a point to recommend.
pub struct Sought<'a> {
    /// The model of the objective.
    pub posterior: &'a Posterior,
    /// The region in which it may lie.
    pub domain: &'a Domain<'a>,
    /// Whether a point may be recommended at all, as far as the trials say.
    pub may_recommend: &'a dyn Fn(&[f64]) -> bool,
    /// The random numbers of the search.
    pub stream: &'a Stream,
}

impl Sought<'_> {
    /// The point with the highest μ − κs; `None` if no point that may be recommended is known.
    pub fn highest_bound(&self, kappa: f64) -> Option<UnitPoint> {
        let posterior = self.posterior;
        let mut scratch = Scratch::default();
        self.highest(kappa, None, &mut |u: &[f64], gradient: &mut [f64]| {
            if kappa == 0.0 {
                let mean = posterior.mean_gradient(u, &mut scratch);
                gradient.copy_from_slice(&scratch.d_mean);
                return mean;
            }
            let p = posterior.predict_gradient(u, &mut scratch);
            let sd = p.variance.sqrt();
            for (k, g) in gradient.iter_mut().enumerate() {
                // At an observation without noise, s is 0 and has no slope.
                let slope = if sd > 0.0 { scratch.d_variance[k] / (2.0 * sd) } else { 0.0 };
                *g = scratch.d_mean[k] - kappa * slope;
            }
            p.mean - kappa * sd
        })
    }

    /// The point whose gain over the reference has the highest bound: the reference itself if nothing is surely better.
    pub fn surest_gain(&self, kappa: f64, reference: &[f64]) -> Option<UnitPoint> {
        let posterior = self.posterior;
        let dim = posterior.dim();
        self.highest(kappa, Some(reference), &mut |u: &[f64], gradient: &mut [f64]| {
            let mut pair = Points::new(dim);
            pair.push(u);
            pair.push(reference);
            let gain = Gain::of(posterior, &pair);
            if gain.sd > 0.0 {
                let by_variance = -kappa / (2.0 * gain.sd);
                let by_covariance = [by_variance, -by_variance, -by_variance, by_variance];
                gradient.copy_from_slice(&posterior.joint_gradient(&pair, &[1.0, -1.0], &by_covariance)[..dim]);
            } else {
                gradient.fill(0.0);
            }
            gain.bound(kappa)
        })
    }

    /// The best of a few climbs: from `also`, and from the candidates and observations of the highest μ − κs.
    fn highest(
        &self,
        kappa: f64,
        also: Option<&[f64]>,
        bound: &mut dyn FnMut(&[f64], &mut [f64]) -> f64,
    ) -> Option<UnitPoint> {
        let (posterior, domain) = (self.posterior, self.domain);
        let taken = HashSet::new();
        let mut spread = candidates(&Situation::new(posterior, domain, &[], &taken, self.stream));
        posterior.observed().for_each(|u| spread.push(u));
        let (means, variances) = posterior.predict_many(&spread);
        let heights = means.iter().zip(&variances).map(|(mean, variance)| mean - kappa * variance.sqrt());
        let mut starts: Vec<(f64, &[f64])> = heights.zip(spread.iter()).collect();
        starts.sort_by(|a, b| b.0.total_cmp(&a.0));
        let starts = starts.into_iter().map(|(_, u)| u).filter(|u| domain.is_inside(u) && (self.may_recommend)(u));

        let mut climb = domain.climber(100);
        climb.told(posterior.observed().chain(also));
        let mut gradient = vec![0.0; posterior.dim()];
        let least = LEAST_GAIN * posterior.hyper().variance.sqrt();
        let starts: Vec<&[f64]> = also.into_iter().chain(starts.take(STARTS)).collect();
        // The climb accepts every step, so that it meets no cliffs; its end may still be refused.
        let mut ends =
            climb_all(starts.iter().copied(), |u| climb.from(&mut |u: &[f64], g: &mut [f64]| bound(u, g), u));
        for end in &mut ends {
            let start = starts[end.start];
            let height = bound(start, &mut gradient);
            if end.value.is_nan() || end.value <= height + least || !(self.may_recommend)(&end.point) {
                (end.value, end.point) = (height, start.to_vec());
            }
        }
        best(&ends).or(ends.first()).map(|end| UnitPoint::clamped(end.point.clone()))
    }
}

/// The expected gain of one point over another, in the model's units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gain {
    /// The expected difference.
    pub mean: f64,
    /// Its standard deviation θ.
    pub sd: f64,
}

impl Gain {
    /// The gain of the first of two points over the second.
    ///
    /// ```
    /// use elbowroom::{batch::Gain, data::Dataset, gp::{Hyperparameters, KernelKind, Posterior}, linalg::Points};
    /// let data = Dataset::new(Points::from_rows(1, vec![0.0, 1.0])?, vec![1.0, 3.0])?;
    /// let gp = Posterior::new(&data, Hyperparameters::new(KernelKind::Rbf, 1.0, vec![1.0], 0.0))?;
    /// // Both were observed without noise: their difference is certain.
    /// let gain = Gain::of(&gp, &Points::from_rows(1, vec![1.0, 0.0])?);
    /// assert!((gain.mean - 2.0).abs() < 1e-12 && gain.sd < 1e-6);
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn of(posterior: &Posterior, pair: &Points) -> Self {
        let joint = posterior.joint(pair);
        let variance = joint.covariance[0] + joint.covariance[3] - 2.0 * joint.covariance[1];
        Self { mean: joint.mean[0] - joint.mean[1], sd: variance.max(0.0).sqrt() }
    }

    /// The mean minus κ standard deviations.
    pub fn bound(self, kappa: f64) -> f64 {
        self.mean - kappa * self.sd
    }
}
