//! Making an acquisition positive: the transforms g of the paper.
//!
//! An acquisition that is already positive needs no transform (the identity: use its [`LogAcquisition`]). For one that
//! changes sign, such as a confidence bound, g is exp or softplus. Softplus depends on the scale and the origin of the
//! values: far above zero it is the identity, far below zero it is exp. So both are parameters, g(α) = T·softplus((α −
//! offset)/T); the paper has offset 0 and T = 1 on raw values.

use super::{Acquisition, LogAcquisition, Score};
use crate::normal;

/// ln(T softplus((α − offset)/T)).
///
/// ```
/// use elbowroom::acquisition::{LogAcquisition, Softplus, UpperConfidenceBound};
/// let paper = Softplus::paper(UpperConfidenceBound { kappa: 2.0 });
/// // softplus(0) = ln 2
/// assert!((paper.ln_score(-2.0, 1.0).value - 2f64.ln().ln()).abs() < 1e-15);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Softplus<A> {
    /// The acquisition.
    pub inner: A,
    /// The value that counts as zero.
    pub offset: f64,
    /// The width of its bend, T.
    pub temperature: f64,
}

impl<A: Acquisition> Softplus<A> {
    /// The paper's g(α) = ln(1 + e^α).
    pub fn paper(inner: A) -> Self {
        Self { inner, offset: 0.0, temperature: 1.0 }
    }
}

impl<A: Acquisition> LogAcquisition for Softplus<A> {
    #[inline]
    fn ln_score(&self, mean: f64, sd: f64) -> Score {
        let s = self.inner.score(mean, sd);
        let a = (s.value - self.offset) / self.temperature;
        let slope = normal::ln_softplus_slope(a) / self.temperature;
        Score {
            value: self.temperature.ln() + normal::ln_softplus(a),
            by_mean: slope * s.by_mean,
            by_sd: slope * s.by_sd,
        }
    }
}

/// ln exp(α) = α: the acquisition taken as a logarithm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exponential<A>(
    /// The acquisition.
    pub A,
);

impl<A: Acquisition> LogAcquisition for Exponential<A> {
    #[inline]
    fn ln_score(&self, mean: f64, sd: f64) -> Score {
        self.0.score(mean, sd)
    }
}
