//! The chance that a result lies within its limits: ln P(a ≤ f ≤ b) under the posterior.
//!
//! With z_a = (a − μ)/s and z_b = (b − μ)/s it is ln(Φ(z_b) − Φ(z_a)), and its slopes are those of the bounds:
//! ∂/∂μ = −(∂_a + ∂_b)/s, ∂/∂s = −(z_a ∂_a + z_b ∂_b)/s.

use super::{LogAcquisition, Score};
use crate::normal::ln_between;

/// A band that a result must lie in; either bound may be infinite.
///
/// ```
/// use elbowroom::acquisition::{Band, LogAcquisition};
/// let at_least = Band { at_least: 0.5, at_most: f64::INFINITY };
/// assert!((at_least.ln_score(0.8, 0.4).value - -0.25699426683837).abs() < 1e-13);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Band {
    /// The smallest acceptable value.
    pub at_least: f64,
    /// The largest acceptable value.
    pub at_most: f64,
}

impl LogAcquisition for Band {
    fn ln_score(&self, mean: f64, sd: f64) -> Score {
        let (low, high) = ((self.at_least - mean) / sd, (self.at_most - mean) / sd);
        let between = ln_between(low, high);
        // An infinite bound has a slope of 0.
        let moment = |z: f64, slope: f64| if slope == 0.0 { 0.0 } else { z * slope };
        Score {
            value: between.value,
            by_mean: -(between.by_low + between.by_high) / sd,
            by_sd: -(moment(low, between.by_low) + moment(high, between.by_high)) / sd,
        }
    }
}
