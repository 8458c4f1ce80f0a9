//! A smooth trend with rough detail on it: κ(s) = (1 − w) e^(−s/2) + w M(R² s), M the Matérn-5/2 kernel.
//!
//! Both parts are positive definite in every dimension, and so is their sum. Lengthscales are those of the trend; the
//! detail is R times shorter, and has the share w = p/(1 + p) of the variance. A bowl with fine waves on it is such a
//! function: with one scale, the model must either follow the waves and miss the bowl, or treat the waves as noise.

use super::{Kernel, KernelParameter, Matern52, Rbf};

/// A smooth trend with rough detail on it.
///
/// ```
/// use elbowroom::gp::{Kernel, Rbf, TwoScale};
/// // With hardly any detail it is the trend alone.
/// let smooth = TwoScale::default().with(&[1e-4, 6.0]);
/// assert!((smooth.value_and_slope(0.5).0 - Rbf.value_and_slope(0.5).0).abs() < 1e-4);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct TwoScale {
    /// The share of the detail.
    share: f64,
    /// The square of how many times shorter the detail is.
    squared_ratio: f64,
}

const ODDS: KernelParameter = KernelParameter { name: "detail_odds", ln_mean: -2.0, ln_sd: 1.5, range: (1e-4, 10.0) };
const RATIO: KernelParameter = KernelParameter { name: "detail_ratio", ln_mean: 1.8, ln_sd: 0.7, range: (1.5, 100.0) };

impl Default for TwoScale {
    fn default() -> Self {
        Self::at(ODDS.typical(), RATIO.typical())
    }
}

impl TwoScale {
    #[inline(always)]
    fn at(odds: f64, ratio: f64) -> Self {
        Self { share: odds / (1.0 + odds), squared_ratio: ratio * ratio }
    }
}

impl Kernel for TwoScale {
    #[inline(always)]
    fn value_and_slope(self, s: f64) -> (f64, f64) {
        let (trend, trend_slope) = Rbf.value_and_slope(s);
        let (detail, detail_slope) = Matern52.value_and_slope(self.squared_ratio * s);
        let w = self.share;
        ((1.0 - w) * trend + w * detail, (1.0 - w) * trend_slope + w * self.squared_ratio * detail_slope)
    }

    #[inline(always)]
    fn curvature(self, s: f64) -> f64 {
        let detail = self.squared_ratio * self.squared_ratio * Matern52.curvature(self.squared_ratio * s);
        (1.0 - self.share) * Rbf.curvature(s) + self.share * detail
    }

    fn gradient_variance(self) -> f64 {
        1.0 - self.share + self.share * self.squared_ratio * Matern52.gradient_variance()
    }

    fn parameters(self) -> Vec<KernelParameter> {
        vec![ODDS, RATIO]
    }

    #[inline(always)]
    fn with(self, values: &[f64]) -> Self {
        Self::at(values[0], values[1])
    }

    #[inline(always)]
    fn by_parameters(self, s: f64, slopes: &mut [f64]) {
        let (trend, _) = Rbf.value_and_slope(s);
        let (detail, detail_slope) = Matern52.value_and_slope(self.squared_ratio * s);
        slopes[0] = self.share * (1.0 - self.share) * (detail - trend);
        slopes[1] = self.share * detail_slope * 2.0 * self.squared_ratio * s;
    }
}

#[cfg(test)]
mod tests {
    use super::super::AnyKernel;
    use super::*;

    #[test]
    fn its_slopes_in_the_parameters_are_derivatives() {
        // A custom kernel is refused unless all its derivatives agree with differences.
        AnyKernel::own("two scales", TwoScale::default()).unwrap();
    }
}
