//! The exponentiated quadratic kernel: κ(s) = e^(−s/2).

use super::Kernel;
use crate::linalg::exp_nonpositive;

/// The exponentiated quadratic kernel of the paper.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rbf;

impl Kernel for Rbf {
    #[inline(always)]
    fn value_and_slope(self, s: f64) -> (f64, f64) {
        let e = exp_nonpositive(-0.5 * s);
        (e, -0.5 * e)
    }

    #[inline(always)]
    fn curvature(self, s: f64) -> f64 {
        0.25 * exp_nonpositive(-0.5 * s)
    }

    fn gradient_variance(self) -> f64 {
        1.0
    }
}
