//! The Matérn kernel with ν = 5/2: κ(s) = (1 + r + r²/3) e^(−r) with r = √(5s).

use super::Kernel;
use crate::linalg::exp_nonpositive;

/// The Matérn kernel with ν = 5/2.
#[derive(Debug, Clone, Copy, Default)]
pub struct Matern52;

impl Kernel for Matern52 {
    #[inline(always)]
    fn value_and_slope(self, s: f64) -> (f64, f64) {
        let r = (5.0 * s).sqrt();
        let e = exp_nonpositive(-r);
        let linear = (1.0 + r) * e;
        (linear + (5.0 / 3.0) * s * e, (-5.0 / 6.0) * linear)
    }

    #[inline(always)]
    fn curvature(self, s: f64) -> f64 {
        (25.0 / 12.0) * exp_nonpositive(-(5.0 * s).sqrt())
    }

    fn gradient_variance(self) -> f64 {
        5.0 / 3.0
    }
}
