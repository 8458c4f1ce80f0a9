//! Scores of one point under a posterior: how much is it worth to evaluate it?
//!
//! An acquisition is a function of the posterior mean and standard deviation at the point; its gradient in x follows by
//! the chain rule from the two slopes it reports. Acquisitions that are positive everywhere are given as logarithms
//! ([`LogAcquisition`]): only these can be penalized, and far from the data the logarithm still has a slope where the
//! value itself is 0 in floating point.
//!
//! Several points together are scored by their joint law ([`q_expected_improvement`], [`QSamples`]); with a posterior
//! and an integration rule this is a function to maximize ([`QObjective`]).

mod band;
mod expected_improvement;
mod mean;
mod probability_of_improvement;
mod q_expected_improvement;
mod q_samples;
mod transform;
mod upper_confidence_bound;

pub use band::Band;
pub use expected_improvement::ExpectedImprovement;
pub use mean::PosteriorMean;
pub use probability_of_improvement::ProbabilityOfImprovement;
pub use q_expected_improvement::{QExpectedImprovement, QObjective, QRule, q_expected_improvement};
pub use q_samples::QSamples;
pub use transform::{Exponential, Softplus};
pub use upper_confidence_bound::UpperConfidenceBound;

/// A value with its slopes in the posterior mean and standard deviation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    /// The value.
    pub value: f64,
    /// Its derivative in the mean.
    pub by_mean: f64,
    /// Its derivative in the standard deviation.
    pub by_sd: f64,
}

/// A score that may have either sign.
pub trait Acquisition {
    /// The score at a posterior mean and a positive standard deviation.
    fn score(&self, mean: f64, sd: f64) -> Score;
}

/// The logarithm of a score that is positive everywhere.
pub trait LogAcquisition {
    /// The logarithm of the score at a posterior mean and a positive standard deviation.
    fn ln_score(&self, mean: f64, sd: f64) -> Score;
}

impl<A: LogAcquisition + ?Sized> LogAcquisition for Box<A> {
    fn ln_score(&self, mean: f64, sd: f64) -> Score {
        (**self).ln_score(mean, sd)
    }
}

impl<A: LogAcquisition + ?Sized> LogAcquisition for &A {
    fn ln_score(&self, mean: f64, sd: f64) -> Score {
        (**self).ln_score(mean, sd)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, score: impl Fn(f64, f64) -> Score) {
        for mean in [-8.0, -1.0, 0.0, 0.3, 2.0] {
            for sd in [0.05, 0.4, 1.0, 3.0] {
                let s = score(mean, sd);
                let h = 1e-6 * sd;
                let by_mean = (score(mean + h, sd).value - score(mean - h, sd).value) / (2.0 * h);
                let by_sd = (score(mean, sd + h).value - score(mean, sd - h).value) / (2.0 * h);
                let close = |a: f64, b: f64| (a - b).abs() <= 1e-6 * (1.0 + a.abs().max(b.abs()) + s.value.abs());
                assert!(close(s.by_mean, by_mean), "{name} at {mean}, {sd}: {} {by_mean}", s.by_mean);
                assert!(close(s.by_sd, by_sd), "{name} at {mean}, {sd}: {} {by_sd}", s.by_sd);
            }
        }
    }

    #[test]
    fn slopes_agree_with_central_differences() {
        let ei = ExpectedImprovement { best: 0.2 };
        let ucb = UpperConfidenceBound { kappa: 2.0 };
        check("ei", |m, s| ei.score(m, s));
        check("ln ei", |m, s| ei.ln_score(m, s));
        check("ucb", |m, s| ucb.score(m, s));
        check("mean", |m, s| PosteriorMean.score(m, s));
        let pi = ProbabilityOfImprovement { best: 0.2 };
        check("pi", |m, s| pi.score(m, s));
        check("ln pi", |m, s| pi.ln_score(m, s));
        let softplus = Softplus { inner: ucb, offset: 0.3, temperature: 0.1 };
        check("softplus", |m, s| softplus.ln_score(m, s));
        check("exp", |m, s| Exponential(ucb).ln_score(m, s));
        let (none, unbounded) = (f64::NEG_INFINITY, f64::INFINITY);
        for (at_least, at_most) in [(0.2, unbounded), (none, 0.2), (0.1, 0.4), (0.2, 0.2 + 1e-4), (-9.0, 3.0)] {
            check("band", |m, s| Band { at_least, at_most }.ln_score(m, s));
        }
    }
}
