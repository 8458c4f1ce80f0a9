//! Stationary kernels as functions of the squared distance.
//!
//! k(x, x') = σ_f² κ(s), where s = Σ ((xᵢ − x'ᵢ)/ℓᵢ)² is the squared distance in lengthscales. Written in s, not in its
//! root, κ and κ' need no division at s = 0:
//!
//! | kernel | κ(s) | κ'(s) | κ''(s) |
//! |---|---|---|---|
//! | EQ (`rbf`) | e^(−s/2) | −κ/2 | κ/4 |
//! | Matérn-5/2, r = √(5s) | (1 + r + r²/3) e^(−r) | −5/6 (1 + r) e^(−r) | 25/12 e^(−r) |
//! | Matérn-3/2, r = √(3s) | (1 + r) e^(−r) | −3/2 e^(−r) | 9/4 e^(−r) / r |
//!
//! A priori each whitened partial derivative has variance −2κ'(0) σ_f²: 1, 5/3 and 3 times σ_f².

use crate::linalg::exp_nonpositive;
use serde::{Deserialize, Serialize};

/// A stationary correlation κ(s) of the squared whitened distance s, with its first two derivatives in s.
///
/// ```
/// use elbowroom::gp::{Kernel, Rbf};
/// let (value, slope) = Rbf.value_and_slope(2.0);
/// assert!((value - (-1f64).exp()).abs() < 1e-15);
/// assert_eq!(slope, -value / 2.0);
/// ```
pub trait Kernel: Copy {
    /// κ(s) and κ'(s).
    fn value_and_slope(self, s: f64) -> (f64, f64);
    /// κ''(s); where it is infinite (Matérn-3/2 at 0) a large number that vanishes against a squared distance of 0.
    fn bend(self, s: f64) -> f64;
    /// −2κ'(0): the prior variance of a whitened partial derivative, per unit of σ_f².
    fn gradient_variance(self) -> f64;
}

/// The exponentiated quadratic kernel of the paper.
#[derive(Debug, Clone, Copy)]
pub struct Rbf;

/// The Matérn kernel with ν = 5/2.
#[derive(Debug, Clone, Copy)]
pub struct Matern52;

/// The Matérn kernel with ν = 3/2.
#[derive(Debug, Clone, Copy)]
pub struct Matern32;

impl Kernel for Rbf {
    #[inline(always)]
    fn value_and_slope(self, s: f64) -> (f64, f64) {
        let e = exp_nonpositive(-0.5 * s);
        (e, -0.5 * e)
    }

    #[inline(always)]
    fn bend(self, s: f64) -> f64 {
        0.25 * exp_nonpositive(-0.5 * s)
    }

    fn gradient_variance(self) -> f64 {
        1.0
    }
}

impl Kernel for Matern52 {
    #[inline(always)]
    fn value_and_slope(self, s: f64) -> (f64, f64) {
        let r = (5.0 * s).sqrt();
        let e = exp_nonpositive(-r);
        let linear = (1.0 + r) * e;
        (linear + (5.0 / 3.0) * s * e, (-5.0 / 6.0) * linear)
    }

    #[inline(always)]
    fn bend(self, s: f64) -> f64 {
        (25.0 / 12.0) * exp_nonpositive(-(5.0 * s).sqrt())
    }

    fn gradient_variance(self) -> f64 {
        5.0 / 3.0
    }
}

impl Kernel for Matern32 {
    #[inline(always)]
    fn value_and_slope(self, s: f64) -> (f64, f64) {
        let r = (3.0 * s).sqrt();
        let e = exp_nonpositive(-r);
        ((1.0 + r) * e, -1.5 * e)
    }

    #[inline(always)]
    fn bend(self, s: f64) -> f64 {
        let r = (3.0 * s).sqrt();
        2.25 * exp_nonpositive(-r) / (r + 1e-150)
    }

    fn gradient_variance(self) -> f64 {
        3.0
    }
}

/// The kernels by name.
///
/// ```
/// use elbowroom::gp::{Kernel, KernelKind};
/// assert_eq!(KernelKind::Matern52.value_and_slope(0.0).0, 1.0);
/// assert_eq!(serde_json::to_string(&KernelKind::Rbf).unwrap(), "\"rbf\"");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum KernelKind {
    /// Exponentiated quadratic: the paper's.
    Rbf,
    /// Matérn with ν = 5/2.
    Matern52,
    /// Matérn with ν = 3/2.
    Matern32,
}

/// Calls `$body` with `$kernel` bound to the kernel's own type, so that loops are compiled once for each.
macro_rules! with_kernel {
    ($kind:expr, $kernel:ident => $body:expr) => {
        match $kind {
            $crate::gp::KernelKind::Rbf => {
                let $kernel = $crate::gp::Rbf;
                $body
            }
            $crate::gp::KernelKind::Matern52 => {
                let $kernel = $crate::gp::Matern52;
                $body
            }
            $crate::gp::KernelKind::Matern32 => {
                let $kernel = $crate::gp::Matern32;
                $body
            }
        }
    };
}
pub(crate) use with_kernel;

impl Kernel for KernelKind {
    fn value_and_slope(self, s: f64) -> (f64, f64) {
        with_kernel!(self, k => k.value_and_slope(s))
    }

    fn bend(self, s: f64) -> f64 {
        with_kernel!(self, k => k.bend(s))
    }

    fn gradient_variance(self) -> f64 {
        with_kernel!(self, k => k.gradient_variance())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [KernelKind; 3] = [KernelKind::Rbf, KernelKind::Matern52, KernelKind::Matern32];

    #[test]
    fn values_are_the_textbook_forms() {
        // κ(s) at s = 0.49 (distance 0.7), from the formulas of Rasmussen & Williams (2006), evaluated with mpmath.
        let expected = [0.782_704_538_241_868_2, 0.706_942_681_904_097_7, 0.658_137_376_316_583_9];
        for (kind, want) in ALL.into_iter().zip(expected) {
            let got = kind.value_and_slope(0.49).0;
            assert!((got - want).abs() < 1e-15, "{kind:?}: {got}");
        }
    }

    #[test]
    fn slopes_and_bends_are_derivatives() {
        for kind in ALL {
            for s in [1e-4, 0.01, 0.3, 1.0, 4.0, 25.0] {
                let h = 1e-5 * s;
                let d1 = (kind.value_and_slope(s + h).0 - kind.value_and_slope(s - h).0) / (2.0 * h);
                let d2 = (kind.value_and_slope(s + h).1 - kind.value_and_slope(s - h).1) / (2.0 * h);
                let (_, slope) = kind.value_and_slope(s);
                assert!((d1 - slope).abs() < 1e-6 * slope.abs().max(1e-3), "{kind:?} {s}");
                assert!((d2 - kind.bend(s)).abs() < 1e-6 * kind.bend(s).abs().max(1e-3), "{kind:?} {s}");
            }
        }
    }

    #[test]
    fn the_gradient_variance_is_the_slope_at_zero() {
        for kind in ALL {
            let (value, slope) = kind.value_and_slope(0.0);
            assert_eq!(value, 1.0);
            assert!((kind.gradient_variance() + 2.0 * slope).abs() < 1e-15);
        }
    }

    #[test]
    fn huge_distances_give_almost_nothing() {
        for kind in ALL {
            let (value, slope) = kind.value_and_slope(1e300);
            assert!(value == 0.0 && slope == 0.0 && kind.bend(1e300) == 0.0, "{kind:?}");
        }
    }
}
