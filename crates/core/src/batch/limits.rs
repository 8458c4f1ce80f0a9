//! Limits of further results, in a search for the best of one objective.
//!
//! A point that breaks a limit has no value, and results are modelled one by one, so the value of a point is multiplied
//! by the chance that it keeps every limit: ln α + Σ ln P_c. The chance of success works in the same way, but with a
//! gate: limited results are measured as numbers, so the search knows how near to a limit a point is.
//!
//! The incumbent is the best mean among the data that are probably feasible, Π P_c ≥ ½. While there are none, there is
//! nothing to improve on, and feasibility leads: α is 1 everywhere.
//!
//! A search for a front of several objectives handles limits itself (`front.rs`); for it, there are none here.

use super::acquisition_kind::{best_mean_in, observed_in};
use super::chooser::{Term, term, terms};
use super::{Limit, Situation};
use crate::acquisition::{Band, LogAcquisition, Score};
use crate::chance::Chance;
use crate::gp::{Posterior, Scratch};
use crate::linalg::Points;

/// The smallest standard deviation for computing a chance, in units of the model: anything below is rounding.
const LEAST_SD: f64 = 1e-9;

/// The limits of a situation with one objective.
#[derive(Clone, Copy)]
pub(super) struct Limited<'a>(&'a [Limit<'a>]);

impl<'a> Situation<'a> {
    /// The limits on further results; none in a search for a front.
    pub(super) fn limits(&self) -> Limited<'a> {
        match self.aims.filter(|aims| !aims.has_several_objectives()) {
            Some(aims) => Limited(&aims.limits),
            None => Limited(&[]),
        }
    }

    /// Whether scores are multiplied by a chance, of success or of keeping limits, and so must be positive.
    pub(super) fn is_weighed(&self) -> bool {
        self.chance.is_some() || !self.limits().is_empty()
    }

    /// The terms that chances add to the scores of points, with nothing pending; `None` if scores are not multiplied by
    /// any.
    pub(super) fn weights(&self, points: &Points) -> Option<Vec<f64>> {
        let within = self.limits().ln_p_many(points);
        match self.chance {
            Some(chance) => Some(chance.weights(points).into_iter().zip(within).map(|(a, b)| a + b).collect()),
            None => self.is_weighed().then_some(within),
        }
    }

    /// [`weights`](Self::weights) for one point.
    pub(super) fn weight(&self, u: &[f64]) -> f64 {
        let weigh = |chance: &Chance| Chance::weigh(chance.ln_p(u), chance.gate(0.0)).0;
        self.chance.map_or(0.0, weigh) + self.limits().ln_p(u)
    }

    /// ln of the chance that a point gives a value and keeps the limits; none if neither is in doubt.
    pub(super) fn ln_chance(&self, u: &[f64]) -> Option<f64> {
        let success = self.chance.map_or(0.0, |chance| chance.ln_p(u));
        self.is_weighed().then(|| success + self.limits().ln_p(u))
    }

    /// The terms of [`ln_chance`](Self::ln_chance).
    pub(super) fn chance_terms(&self, u: &[f64]) -> Vec<Term> {
        let success = self.chance.map(|chance| term(terms::LN_CHANCE, chance.ln_p(u)));
        success.into_iter().chain(self.limits().terms(u)).collect()
    }

    /// The incumbent: the best mean at the data, in the part of the space that is searched, among those that keep the
    /// limits. None if there are limits and no point is known to keep them.
    pub(super) fn incumbent(&self, posterior: &Posterior) -> Option<f64> {
        let limits = self.limits();
        if limits.is_empty() {
            return Some(best_mean_in(posterior, self.domain));
        }
        let mut scratch = Scratch::default();
        let mut known: Vec<(f64, Vec<f64>)> = observed_in(posterior, self.domain)
            .into_iter()
            .map(|x| (posterior.mean_gradient(&x, &mut scratch), x))
            .collect();
        known.sort_by(|a, b| b.0.total_cmp(&a.0));
        known.into_iter().find(|(_, x)| limits.are_likely(x)).map(|(mean, _)| mean)
    }
}

impl Limited<'_> {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// ln of the chance that a point keeps all limits.
    pub fn ln_p(&self, u: &[f64]) -> f64 {
        self.0.iter().map(|limit| ln_p(limit, u)).sum()
    }

    /// [`ln_p`](Self::ln_p) for many points.
    pub fn ln_p_many(&self, points: &Points) -> Vec<f64> {
        let mut all = vec![0.0; points.len()];
        for limit in self.0 {
            let (means, variances) = limit.posterior.predict_many(points);
            for (ln_p, (mean, variance)) in all.iter_mut().zip(means.into_iter().zip(variances)) {
                *ln_p += within(limit, mean, variance).value;
            }
        }
        all
    }

    /// [`ln_p`](Self::ln_p); adds its gradient to `gradient`.
    pub fn add_gradient(&self, u: &[f64], scratch: &mut Scratch, gradient: &mut [f64]) -> f64 {
        let mut sum = 0.0;
        for limit in self.0 {
            let p = limit.posterior.predict_gradient(u, scratch);
            let score = within(limit, p.mean, p.variance);
            let sd = p.variance.sqrt();
            for (k, g) in gradient.iter_mut().enumerate() {
                // The deviation of a result that is known without noise has no slope.
                let slope = if sd > 0.0 { scratch.d_variance[k] / (2.0 * sd) } else { 0.0 };
                *g += score.by_mean * scratch.d_mean[k] + score.by_sd * slope;
            }
            sum += score.value;
        }
        sum
    }

    /// Whether a point probably keeps all limits.
    pub fn are_likely(&self, u: &[f64]) -> bool {
        let mut scratch = Scratch::default();
        // If the mean is outside its band, the point is probably infeasible; this is cheaper than a deviation.
        let may_keep = |limit: &Limit<'_>| {
            let mean = limit.posterior.mean_gradient(u, &mut scratch);
            (limit.at_least..=limit.at_most).contains(&mean)
        };
        self.0.iter().all(may_keep) && self.ln_p(u) >= 0.5f64.ln()
    }

    /// How far the means at a point are outside the limits, in units of the models; 0 if none is.
    pub fn excess(&self, u: &[f64]) -> f64 {
        let mut scratch = Scratch::default();
        let outside = |limit: &Limit<'_>| {
            let mean = limit.posterior.mean_gradient(u, &mut scratch);
            (limit.at_least - mean).max(mean - limit.at_most).max(0.0)
        };
        self.0.iter().map(outside).sum()
    }

    /// One term for each limit, in their order.
    pub fn terms(&self, u: &[f64]) -> impl Iterator<Item = Term> {
        self.0.iter().map(|limit| term(terms::LN_LIMITS, ln_p(limit, u)))
    }

    /// Operations to score a point.
    pub fn work_of_prediction(&self) -> f64 {
        self.0.iter().map(|limit| limit.posterior.work_of_prediction()).sum()
    }
}

fn ln_p(limit: &Limit<'_>, u: &[f64]) -> f64 {
    let p = limit.posterior.predict(u);
    within(limit, p.mean, p.variance).value
}

/// ln of the chance that a result with this mean and variance is within the limit, with its slopes.
fn within(limit: &Limit<'_>, mean: f64, variance: f64) -> Score {
    Band { at_least: limit.at_least, at_most: limit.at_most }.ln_score(mean, variance.sqrt().max(LEAST_SD))
}

/// The acquisition of a search without an incumbent: every point has the same value.
pub(super) struct Indifferent;

impl LogAcquisition for Indifferent {
    fn ln_score(&self, _: f64, _: f64) -> Score {
        Score { value: 0.0, by_mean: 0.0, by_sd: 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::Aims;
    use super::*;
    use crate::data::Dataset;
    use crate::domain::Domain;
    use crate::gp::{Hyperparameters, KernelKind};
    use crate::rng::Stream;
    use crate::space::{Parameter, SearchSpace};

    fn posterior(values: Vec<f64>, noise: f64) -> Posterior {
        let x = Points::from_rows(2, vec![0.1, 0.2, 0.9, 0.3, 0.4, 0.8, 0.6, 0.6]).unwrap();
        let data = Dataset::new(x, values).unwrap();
        Posterior::new(&data, Hyperparameters::new(KernelKind::Matern52, 1.0, vec![0.4, 0.6], noise)).unwrap()
    }

    /// Runs `look` on a situation with an objective and limits.
    fn with_limits<T>(objective: &Posterior, limits: Vec<Limit<'_>>, look: impl FnOnce(&Situation<'_>) -> T) -> T {
        let floats = ["x", "y"].map(|name| Parameter::float(name, 0.0, 1.0)).to_vec();
        let space = SearchSpace::new(floats).unwrap();
        let (domain, taken, stream) = (Domain::whole(&space), HashSet::new(), Stream::new(1));
        let aims = Aims { limits, ..Aims::default() };
        let situation = Situation::new(objective, &domain, &[], &taken, &stream);
        look(&Situation { aims: Some(&aims), ..situation })
    }

    #[test]
    fn the_chance_within_limits_has_the_gradient_of_its_value() {
        let (a, b) = (posterior(vec![0.2, -0.5, 1.0, 0.4], 1e-3), posterior(vec![-1.0, 0.3, 0.1, 0.8], 1e-2));
        let limits = vec![
            Limit { posterior: &a, at_least: 0.3, at_most: f64::INFINITY },
            Limit { posterior: &b, at_least: -0.4, at_most: 0.2 },
        ];
        with_limits(&a, limits, |situation| {
            let (limits, mut scratch) = (situation.limits(), Scratch::default());
            for u in [[0.3, 0.3], [0.75, 0.9], [0.05, 0.95]] {
                let mut gradient = [1.0, 2.0];
                let value = limits.add_gradient(&u, &mut scratch, &mut gradient);
                assert_eq!(value, limits.ln_p(&u));
                assert_eq!(situation.weights(&Points::from_rows(2, u.to_vec()).unwrap()).unwrap(), [value]);
                for k in 0..2 {
                    let at = |h: f64| {
                        let mut u = u;
                        u[k] += h;
                        limits.ln_p(&u)
                    };
                    // The error of the difference is h² times a third derivative, which is 10³ for lengthscales of 0.4.
                    let slope = (at(1e-5) - at(-1e-5)) / 2e-5 + [1.0, 2.0][k];
                    assert!((slope - gradient[k]).abs() < 1e-6 * slope.abs().max(1.0), "{slope} {}", gradient[k]);
                }
            }
        });
    }

    #[test]
    fn the_incumbent_is_the_best_mean_among_what_is_likely_within_limits() {
        let objective = posterior(vec![3.0, 2.0, 1.0, 0.0], 1e-8);
        let limited = posterior(vec![-1.0, -0.5, 0.5, 1.0], 1e-8);
        let at_least = |at_least| vec![Limit { posterior: &limited, at_least, at_most: f64::INFINITY }];
        let incumbent = |limits| with_limits(&objective, limits, |situation| situation.incumbent(&objective));
        // The two best break the limit; the mean of the third is its value, up to the noise of 1e-8.
        assert!((incumbent(at_least(0.0)).unwrap() - 1.0).abs() < 1e-6);
        assert!((incumbent(at_least(-0.7)).unwrap() - 2.0).abs() < 1e-6);
        assert!(incumbent(at_least(1.5)).is_none());
        assert!((incumbent(Vec::new()).unwrap() - 3.0).abs() < 1e-6);
    }
}
