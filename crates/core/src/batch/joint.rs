//! The joint expected improvement of a batch and the pending points: qEI over all of them.
//!
//! It is exact for up to [`EXACT_POINTS`] points in all (see `acquisition::q_expected_improvement`), and uses fixed
//! samples for more. Pending points are part of the joint law and do not move. Climbs use the logarithm, whose slopes
//! do not depend on how small the improvement is.

use super::Situation;
use crate::acquisition::{QExpectedImprovement, QObjective, QRule, QSamples};
use crate::gp::Posterior;
use crate::linalg::Points;
use crate::normal::Lattice;
use crate::optim::Objective;
use crate::space::UnitPoint;

/// With more points in all than this, samples replace the closed form.
pub(super) const EXACT_POINTS: usize = 10;

/// Up to this many points, the closed form does not need a lattice.
pub(super) const CLOSED_POINTS: usize = 3;

/// Points of the lattice.
const LATTICE: usize = 512;

/// Samples: for comparing batches, and for rough climbs.
const SAMPLES: usize = 2048;
const ROUGH_SAMPLES: usize = 512;

/// The joint expected improvement of `q` further points.
pub(super) struct JointImprovement<'a> {
    posterior: &'a Posterior,
    pending: Points,
    best: f64,
    rule: QRule,
    q: usize,
}

impl<'a> JointImprovement<'a> {
    /// As exact as this module can compute it.
    pub fn new(situation: &Situation<'a>, q: usize) -> Self {
        Self::of_some(situation, q, q)
    }

    /// For the first `q` points of a batch of `whole`, in the same way as for all of them: samples for few points are
    /// the first coordinates of those for many.
    pub fn of_some(situation: &Situation<'a>, q: usize, whole: usize) -> Self {
        let n = situation.pending.len() + q;
        let stream = situation.stream.child("joint improvement", 0);
        let rule = if situation.pending.len() + whole <= EXACT_POINTS {
            QRule::Exact(Lattice::new(LATTICE, 1, &stream))
        } else {
            QRule::Sampled(QSamples::new(n, SAMPLES, &stream))
        };
        Self::by(rule, situation, q)
    }

    /// An estimate by few samples.
    pub fn rough(situation: &Situation<'a>, q: usize) -> Self {
        let stream = situation.stream.child("joint improvement", 1);
        let samples = QSamples::new(situation.pending.len() + q, ROUGH_SAMPLES, &stream);
        Self::by(QRule::Sampled(samples), situation, q)
    }

    fn by(rule: QRule, situation: &Situation<'a>, q: usize) -> Self {
        let posterior = situation.posterior;
        let mut pending = Points::new(posterior.dim());
        situation.pending.iter().for_each(|u| pending.push(u));
        // If no point is known to keep the limits, improve on the prior mean.
        let best = situation.incumbent(posterior).unwrap_or(posterior.hyper().mean);
        Self { posterior, pending, best, rule, q }
    }

    /// The expected improvement of q points and the pending ones together; 0 if their law cannot be sampled.
    pub fn value(&self, batch: &[UnitPoint]) -> f64 {
        let mut points = self.pending.clone();
        batch.iter().for_each(|u| points.push(u));
        if points.is_empty() { 0.0 } else { self.improvement(&points).value.max(0.0) }
    }

    /// Operations of one evaluation, to leading order: the joint law, its gradient, and the integral.
    pub fn work(&self) -> f64 {
        let n = self.pending.len() + self.q;
        let squared = (n * n) as f64;
        let integral = match &self.rule {
            QRule::Exact(_) if n <= CLOSED_POINTS => 0.0,
            QRule::Exact(lattice) => (n + n * (n + 1) / 2) as f64 * lattice.len() as f64 * squared,
            QRule::Sampled(samples) => samples.len() as f64 * squared,
        };
        3.0 * self.posterior.work_of_joint(n) + integral
    }

    fn improvement(&self, points: &Points) -> QExpectedImprovement {
        QObjective { posterior: self.posterior, best: self.best, rule: &self.rule }.improvement(points)
    }
}

/// ln qEI as a function of the coordinates of the batch, point after point.
impl Objective for JointImprovement<'_> {
    fn value_and_gradient(&mut self, x: &[f64], gradient: &mut [f64]) -> f64 {
        let mut points = self.pending.clone();
        x.chunks_exact(self.posterior.dim()).for_each(|u| points.push(u));
        let improvement = self.improvement(&points);
        let all = improvement.gradient(self.posterior, &points);
        let of_batch = &all[self.pending.len() * self.posterior.dim()..];
        for (g, slope) in gradient.iter_mut().zip(of_batch) {
            *g = slope / improvement.value;
        }
        improvement.value.ln()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::data::Dataset;
    use crate::domain::Domain;
    use crate::gp::{Hyperparameters, KernelKind};
    use crate::rng::Stream;
    use crate::space::{Parameter, SearchSpace};

    fn with_situation(n_pending: usize, seed: u64, test: impl Fn(&Situation<'_>, &mut Stream)) {
        let mut draw = Stream::new(seed);
        let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0), Parameter::float("y", 0.0, 1.0)]).unwrap();
        let x = Points::from_rows(2, (0..16).map(|_| draw.uniform()).collect()).unwrap();
        let data = Dataset::new(x, (0..8).map(|_| draw.normal()).collect()).unwrap();
        let hyper = Hyperparameters::new(KernelKind::Matern52, 1.0, vec![0.3, 0.4], 1e-3);
        let posterior = Posterior::new(&data, hyper).unwrap();
        let pending: Vec<UnitPoint> = (0..n_pending).map(|_| space.sample_feasible(&mut draw, 1).unwrap()).collect();
        let (taken, stream) = (HashSet::new(), Stream::new(seed));
        let domain = Domain::whole(&space);
        let situation = Situation::new(&posterior, &domain, &pending, &taken, &stream);
        test(&situation, &mut draw);
    }

    #[test]
    fn the_slopes_are_those_of_the_logarithm() {
        // With up to three points in all there is no integration error. A step of 10⁻⁵ has an error of 10⁻¹⁰ from the
        // third derivative and 10⁻¹⁶/10⁻⁵ from rounding, in units of the value.
        for (n_pending, q) in [(0, 1), (1, 1), (0, 2), (1, 2), (2, 1), (0, 3)] {
            for seed in 0..4 {
                with_situation(n_pending, seed, |situation, draw| {
                    let mut joint = JointImprovement::new(situation, q);
                    let x: Vec<f64> = (0..2 * q).map(|_| 0.1 + 0.8 * draw.uniform()).collect();
                    let mut gradient = vec![0.0; 2 * q];
                    joint.value_and_gradient(&x, &mut gradient);
                    for k in 0..2 * q {
                        let mut at = |h: f64| {
                            let mut x = x.clone();
                            x[k] += h;
                            joint.value_and_gradient(&x, &mut vec![0.0; 2 * q])
                        };
                        let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
                        let error = (difference - gradient[k]).abs();
                        assert!(error < 1e-6 * gradient[k].abs().max(1.0), "{n_pending} {q} {seed}: {error}");
                    }
                });
            }
        }
    }

    #[test]
    fn samples_for_the_first_points_are_those_of_the_whole() {
        // A hopeless point adds exactly nothing if the samples of the others are the same.
        with_situation(0, 1, |situation, draw| {
            let u = |draw: &mut Stream| UnitPoint::clamped(vec![draw.uniform(), draw.uniform()]);
            let mut batch: Vec<UnitPoint> = (0..11).map(|_| u(draw)).collect();
            let some = JointImprovement::of_some(situation, 11, 12).value(&batch);
            let worst =
                (0..8).min_by(|&a, &b| situation.posterior.values()[a].total_cmp(&situation.posterior.values()[b]));
            let worst = situation.posterior.observed().nth(worst.unwrap()).unwrap();
            batch.push(UnitPoint::clamped(worst.to_vec()));
            let all = JointImprovement::new(situation, 12).value(&batch);
            assert!((all - some).abs() < 1e-9 * some, "{all} {some}");
        });
    }

    #[test]
    fn nothing_promises_nothing() {
        with_situation(0, 1, |situation, _| {
            assert_eq!(JointImprovement::new(situation, 0).value(&[]), 0.0);
            assert_eq!(JointImprovement::of_some(situation, 0, 50).value(&[]), 0.0);
        });
    }
}
