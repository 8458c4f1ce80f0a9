//! Expected improvement over the best value: EI = s (u Φ(u) + φ(u)), u = (μ − y⁺)/s.
//!
//! The logarithm, ln s + ln(φ(u) + uΦ(u)), is computed directly (Ament et al. 2023): EI itself is 0 in floating point
//! over most of a well-explored space. ∂ ln EI/∂μ = Φ/((φ + uΦ) s), ∂ ln EI/∂s = φ/((φ + uΦ) s).

use super::{Acquisition, LogAcquisition, Score};
use crate::normal;

/// Expected improvement over `best`.
///
/// ```
/// use elbowroom::acquisition::{ExpectedImprovement, LogAcquisition};
/// // At μ = y⁺ the expected improvement is s φ(0) = s/√(2π).
/// let s = ExpectedImprovement { best: 1.0 }.ln_score(1.0, 2.0);
/// assert!((s.value.exp() - 2.0 * 0.3989422804014327).abs() < 1e-15);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExpectedImprovement {
    /// The value to improve on, y⁺.
    pub best: f64,
}

impl LogAcquisition for ExpectedImprovement {
    #[inline]
    fn ln_score(&self, mean: f64, sd: f64) -> Score {
        let u = (mean - self.best) / sd;
        let (ln, by_cdf, by_pdf) = normal::ln_ei_with_slopes(u);
        Score { value: sd.ln() + ln, by_mean: by_cdf / sd, by_sd: by_pdf / sd }
    }
}

impl Acquisition for ExpectedImprovement {
    fn score(&self, mean: f64, sd: f64) -> Score {
        let u = (mean - self.best) / sd;
        let (ln, _, _) = normal::ln_ei_with_slopes(u);
        Score { value: sd * ln.exp(), by_mean: normal::cdf(u), by_sd: normal::pdf(u) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_agree_with_the_closed_form_in_arbitrary_precision() {
        // ln EI for (μ, s, y⁺), from mpmath with 50 digits.
        for (mean, sd, best, want) in [
            (0.3, 0.5, 1.0, -3.998_994_127_542_594_5),
            (2.0, 0.1, 1.0, 7.474_560_254_589_328e-26),
            (-40.0, 1.0, 0.0, -808.298_568_356_62),
        ] {
            let got = ExpectedImprovement { best }.ln_score(mean, sd).value;
            // Relative to the larger of |value| and 1 (the second is ln 1 = 0 up to rounding of 1.0 − 1.0).
            assert!((got - want).abs() < 1e-14 * (1.0 + f64::abs(want)), "{mean} {sd}: {got}");
        }
    }

    #[test]
    fn it_has_a_slope_where_its_value_is_zero_in_floating_point() {
        let ei = ExpectedImprovement { best: 100.0 };
        assert_eq!(ei.score(0.0, 1.0).value, 0.0);
        let s = ei.ln_score(0.0, 1.0);
        // For u → −∞, d ln EI/du → |u| + O(1/|u|).
        assert!((s.by_mean - 100.0).abs() < 0.05 && s.value.is_finite());
    }
}
