//! The probability of an improvement, Φ(u), u = (μ − y⁺)/s. ∂ ln Φ(u)/∂u is the inverse Mills ratio.

use super::{Acquisition, LogAcquisition, Score};
use crate::normal;

/// Probability that the function exceeds `best`.
///
/// ```
/// use elbowroom::acquisition::{LogAcquisition, ProbabilityOfImprovement};
/// let s = ProbabilityOfImprovement { best: 1.0 }.ln_score(1.0, 2.0);
/// assert!((s.value - 0.5f64.ln()).abs() < 1e-15);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProbabilityOfImprovement {
    /// The value to improve on, y⁺ (plus a margin, if one is wanted).
    pub best: f64,
}

impl LogAcquisition for ProbabilityOfImprovement {
    #[inline]
    fn ln_score(&self, mean: f64, sd: f64) -> Score {
        let u = (mean - self.best) / sd;
        let (value, mills) = normal::ln_cdf_and_mills(u);
        Score { value, by_mean: mills / sd, by_sd: -u * mills / sd }
    }
}

impl Acquisition for ProbabilityOfImprovement {
    fn score(&self, mean: f64, sd: f64) -> Score {
        let u = (mean - self.best) / sd;
        let density = normal::pdf(u);
        Score { value: normal::cdf(u), by_mean: density / sd, by_sd: -u * density / sd }
    }
}
