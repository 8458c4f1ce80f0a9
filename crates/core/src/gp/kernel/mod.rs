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
//! | two scales, M of Matérn-5/2 | (1 − w) e^(−s/2) + w M(R²s) | −(1 − w) e^(−s/2)/2 + w R² M' | (1 − w) e^(−s/2)/4 + w R⁴ M'' |
//!
//! A priori each whitened partial derivative has variance −2κ'(0) σ_f²: 1, 5/3, 3 and 1 − w + 5/3 w R² times σ_f².

pub(crate) mod any;
mod matern32;
mod matern52;
mod rbf;
mod twoscale;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use any::AnyKernel;
pub use matern32::Matern32;
pub use matern52::Matern52;
pub use rbf::Rbf;
pub use twoscale::TwoScale;

use super::Prior;

/// A stationary correlation κ(s) of the squared whitened distance s, with its first two derivatives in s.
///
/// κ(0) is 1. A kernel may have parameters that a fit finds. An instance of the type then holds some values of them,
/// and [`with`](Self::with) returns one with other values. It should be positive definite in every dimension, whatever
/// the parameters.
///
/// ```
/// use elbowroom::gp::{Kernel, Rbf};
/// let (value, slope) = Rbf.value_and_slope(2.0);
/// assert!((value - (-1f64).exp()).abs() < 1e-15);
/// assert_eq!(slope, -value / 2.0);
/// ```
pub trait Kernel: Copy + fmt::Debug + Send + Sync + 'static {
    /// κ(s) and κ'(s).
    fn value_and_slope(self, s: f64) -> (f64, f64);
    /// κ''(s); where it is infinite (Matérn-3/2 at 0), a large number that vanishes next to a squared distance of 0.
    fn curvature(self, s: f64) -> f64;
    /// −2κ'(0): the prior variance of a whitened partial derivative, per unit of σ_f².
    fn gradient_variance(self) -> f64 {
        -2.0 * self.value_and_slope(0.0).1
    }
    /// The parameters for a fit to find, in the order of `with`; none by default.
    fn parameters(self) -> Vec<KernelParameter> {
        Vec::new()
    }
    /// The kernel at these values of its parameters.
    #[inline(always)]
    fn with(self, _values: &[f64]) -> Self {
        self
    }
    /// ∂κ(s)/∂ln p for each parameter p, at the kernel's current values.
    #[inline(always)]
    fn by_parameters(self, _s: f64, _slopes: &mut [f64]) {}
}

/// A positive parameter p of a kernel: its prior law, under which ln p is normal, and where a fit searches for it.
///
/// ```
/// use elbowroom::gp::KernelParameter;
/// let alpha = KernelParameter { name: "alpha", ln_mean: 0.0, ln_sd: 1.0, range: (0.05, 100.0) };
/// assert_eq!(alpha.typical(), 1.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KernelParameter {
    /// Its name.
    pub name: &'static str,
    /// Mean of ln p.
    pub ln_mean: f64,
    /// Standard deviation of ln p.
    pub ln_sd: f64,
    /// The smallest and the largest p considered.
    pub range: (f64, f64),
}

impl KernelParameter {
    /// The median of its law: the value before anything is fitted.
    pub fn typical(&self) -> f64 {
        self.ln_mean.exp()
    }

    pub(super) fn prior(&self) -> Prior {
        Prior::LogNormal { mu: self.ln_mean, sigma: self.ln_sd }
    }
}

/// Makes the list of kernels: `KernelKind`, and `with_kernel!`, which calls `$body` with `$kernel` bound to the
/// kernel's own type at its parameters, so that loops are compiled once for each. A custom kernel is bound to a handle.
macro_rules! kernels {
    ($d:tt $($(#[$about:meta])* $name:ident,)*) => {
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
            $($(#[$about])* $name,)*
        }

        impl KernelKind {
            /// All of them.
            pub fn all() -> Vec<Self> {
                vec![$(KernelKind::$name),*]
            }

            /// The parameters that a fit finds.
            pub(super) fn fitted(self) -> Vec<KernelParameter> {
                match self { $(KernelKind::$name => $name::default().parameters()),* }
            }
        }

        /// Each kernel with its parameters at their typical values.
        impl Kernel for KernelKind {
            fn value_and_slope(self, s: f64) -> (f64, f64) {
                match self { $(KernelKind::$name => $name::default().value_and_slope(s)),* }
            }

            fn curvature(self, s: f64) -> f64 {
                match self { $(KernelKind::$name => $name::default().curvature(s)),* }
            }

            fn gradient_variance(self) -> f64 {
                match self { $(KernelKind::$name => $name::default().gradient_variance()),* }
            }
        }

        macro_rules! with_kernel {
            ($d any:expr, $d kernel:ident => $d body:expr) => {
                match $d any.which() {
                    $($crate::gp::kernel::any::Which::Ours($crate::gp::KernelKind::$name) => {
                        let typical = <$crate::gp::$name as Default>::default();
                        let $d kernel = $crate::gp::Kernel::with(typical, $d any.values());
                        $d body
                    })*
                    $crate::gp::kernel::any::Which::Own(own) => {
                        let $d kernel = own.at($d any.values());
                        $d body
                    }
                }
            };
        }
        pub(crate) use with_kernel;
    };
}

kernels! { $
    /// Exponentiated quadratic: the paper's.
    Rbf,
    /// Matérn with ν = 5/2.
    Matern52,
    /// Matérn with ν = 3/2.
    Matern32,
    /// A smooth trend with rough detail on it.
    TwoScale,
}

/// An EQ kernel with a parameter that does nothing, for tests.
#[cfg(test)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Idle;

#[cfg(test)]
impl Kernel for Idle {
    fn value_and_slope(self, s: f64) -> (f64, f64) {
        Rbf.value_and_slope(s)
    }

    fn curvature(self, s: f64) -> f64 {
        Rbf.curvature(s)
    }

    fn parameters(self) -> Vec<KernelParameter> {
        vec![KernelParameter { name: "p", ln_mean: 0.2, ln_sd: 1.0, range: (0.1, 10.0) }]
    }

    fn by_parameters(self, _: f64, slopes: &mut [f64]) {
        slopes[0] = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_the_textbook_forms() {
        // κ(s) at s = 0.49 (distance 0.7), from the formulas of Rasmussen & Williams (2006), evaluated with mpmath; two
        // scales with w/(1 − w) = e⁻² and R = e^1.8.
        let expected =
            [0.782_704_538_241_868_2, 0.706_942_681_904_097_7, 0.658_137_376_316_583_9, 0.689_775_229_488_634_6];
        assert_eq!(KernelKind::all().len(), expected.len());
        for (kind, want) in KernelKind::all().into_iter().zip(expected) {
            let got = kind.value_and_slope(0.49).0;
            assert!((got - want).abs() < 1e-15, "{kind:?}: {got}");
        }
    }

    #[test]
    fn slopes_and_curvatures_are_derivatives() {
        for kind in KernelKind::all() {
            for s in [1e-4, 0.01, 0.3, 1.0, 4.0, 25.0] {
                let h = 1e-5 * s;
                let d1 = (kind.value_and_slope(s + h).0 - kind.value_and_slope(s - h).0) / (2.0 * h);
                let d2 = (kind.value_and_slope(s + h).1 - kind.value_and_slope(s - h).1) / (2.0 * h);
                let (_, slope) = kind.value_and_slope(s);
                assert!((d1 - slope).abs() < 1e-6 * slope.abs().max(1e-3), "{kind:?} {s}");
                assert!((d2 - kind.curvature(s)).abs() < 1e-6 * kind.curvature(s).abs().max(1e-3), "{kind:?} {s}");
            }
        }
    }

    #[test]
    fn the_gradient_variance_is_the_slope_at_zero() {
        for kind in KernelKind::all() {
            let (value, slope) = kind.value_and_slope(0.0);
            assert_eq!(value, 1.0);
            assert!((kind.gradient_variance() + 2.0 * slope).abs() < 1e-15);
        }
    }

    #[test]
    fn huge_distances_give_almost_nothing() {
        for kind in KernelKind::all() {
            let (value, slope) = kind.value_and_slope(1e300);
            assert!(value == 0.0 && slope == 0.0 && kind.curvature(1e300) == 0.0, "{kind:?}");
        }
    }
}
