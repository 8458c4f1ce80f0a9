//! The Matérn kernel with ν = 3/2: κ(s) = (1 + r) e^(−r) with r = √(3s).

use super::Kernel;
use crate::linalg::exp_nonpositive;

/// The Matérn kernel with ν = 3/2.
#[derive(Debug, Clone, Copy, Default)]
pub struct Matern32;

impl Kernel for Matern32 {
    #[inline(always)]
    fn value_and_slope(self, s: f64) -> (f64, f64) {
        let r = (3.0 * s).sqrt();
        let e = exp_nonpositive(-r);
        ((1.0 + r) * e, -1.5 * e)
    }

    #[inline(always)]
    fn curvature(self, s: f64) -> f64 {
        let r = (3.0 * s).sqrt();
        2.25 * exp_nonpositive(-r) / (r + 1e-150)
    }

    fn gradient_variance(self) -> f64 {
        3.0
    }
}
