//! The logarithm of the chance that a normal variable lies between two bounds, Φ(b) − Φ(a), with its slopes.
//!
//! Both bounds are mirrored to the lower side, where Φ keeps its digits: ln Φ(hi) + ln(1 − e^{−δ}), δ = ln Φ(hi) − ln
//! Φ(lo). If 0 lies between the bounds, it is ln(1 − Φ(a) − Φ(−b)). Where the bounds are so close that digits would
//! cancel, the density, which is nearly constant between them, is integrated instead.

use super::{LN_SQRT_TAU, cdf, inverse_mills, ln_cdf, ln_cdf_and_mills, ln_pdf, log1mexp};

/// A chance between two bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Between {
    /// The logarithm.
    pub value: f64,
    /// Its slope in the lower bound.
    pub by_low: f64,
    /// Its slope in the upper bound.
    pub by_high: f64,
}

/// A relative width below which digits would cancel.
const NARROW: f64 = 0.05;

/// Gauss–Legendre nodes and weights on [−1, 1]: the positive half of four.
const GAUSS: [(f64, f64); 2] =
    [(0.339_981_043_584_856_26, 0.652_145_154_862_546_1), (0.861_136_311_594_052_6, 0.347_854_845_137_453_85)];

/// ln(Φ(high) − Φ(low)) with its slopes; either bound may be infinite. −∞ unless low < high.
///
/// ```
/// use elbowroom::normal::{ln_between, ln_cdf};
/// assert_eq!(ln_between(f64::NEG_INFINITY, -3.0).value, ln_cdf(-3.0));
/// assert!((ln_between(20.0, 20.5).value - -203.91719446461).abs() < 1e-10);
/// assert!((ln_between(-1.0, 1.0).value.exp() - 0.6826894921370859).abs() < 1e-15);
/// ```
pub fn ln_between(low: f64, high: f64) -> Between {
    if low >= high {
        return Between { value: f64::NEG_INFINITY, by_low: 0.0, by_high: 0.0 };
    }
    if low == f64::NEG_INFINITY {
        let (value, by_high) = if high == f64::INFINITY { (0.0, 0.0) } else { ln_cdf_and_mills(high) };
        return Between { value, by_low: 0.0, by_high };
    }
    if high == f64::INFINITY {
        let (value, slope) = ln_cdf_and_mills(-low);
        return Between { value, by_low: -slope, by_high: 0.0 };
    }
    if low > 0.0 {
        let mirrored = below(-high, -low);
        return slopes(mirrored, low, high);
    }
    let value = if high <= 0.0 { below(low, high) } else { around(low, high) };
    slopes(value, low, high)
}

fn slopes(value: f64, low: f64, high: f64) -> Between {
    Between { value, by_low: -(ln_pdf(low) - value).exp(), by_high: (ln_pdf(high) - value).exp() }
}

/// [`ln_between`] for bounds that are not above 0.
fn below(low: f64, high: f64) -> f64 {
    // ln Φ has a slope of about 1/R there, so this is about δ.
    if (high - low) * inverse_mills(high) <= NARROW {
        return narrow(low, high);
    }
    let upper = ln_cdf(high);
    upper + log1mexp(upper - ln_cdf(low))
}

/// [`ln_between`] for bounds on either side of 0.
fn around(low: f64, high: f64) -> f64 {
    if high - low <= NARROW { narrow(low, high) } else { (-(cdf(low) + cdf(-high))).ln_1p() }
}

/// [`ln_between`] by integrating the density.
fn narrow(low: f64, high: f64) -> f64 {
    let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
    // φ(middle ± t) = φ(middle) e^{∓ middle t − t²/2}.
    let at = |t: f64| 0.5 * ((-middle * t - 0.5 * t * t).exp() + (middle * t - 0.5 * t * t).exp());
    let mean: f64 = GAUSS.iter().map(|(node, weight)| weight * at(half * node)).sum();
    (high - low).ln() - 0.5 * middle * middle - LN_SQRT_TAU + mean.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In arbitrary precision (mpmath, 25 digits).
    #[test]
    fn a_chance_between_two_bounds_has_its_digits_in_both_tails() {
        let of = |low: f64, high: f64, mean: f64, sd: f64| ln_between((low - mean) / sd, (high - mean) / sd).value;
        let (none, unbounded) = (f64::NEG_INFINITY, f64::INFINITY);
        for (found, expected) in [
            (of(0.5, unbounded, 0.8, 0.4), -0.25699426683837),
            (of(none, 2.0, 2.5, 0.3), -3.040931495153),
            (of(3.0, unbounded, -1.0, 0.2), -203.9171553711),
            (of(1.0, 1.2, 1.3, 0.2), -1.4199324821566),
            (ln_between(20.0, 20.5).value, -203.91719446461),
            (ln_between(-20.5, -20.0).value, -203.91719446461),
        ] {
            assert!((found - expected).abs() < 1e-12 * f64::abs(expected) + 5e-13, "{found} {expected}");
        }
    }

    #[test]
    fn a_narrow_band_is_the_density_times_its_width() {
        for z in [-30.0, -3.0, -1e-9, 0.0, 0.7, 12.0] {
            for width in [1e-3, 1e-8, 1e-12] {
                let (low, high) = (z, z + width);
                let middle = 0.5 * (low + high);
                // The next term of the series is (z² − 1) width²/24.
                let expected = ln_pdf(middle) + (high - low).ln() + ((middle * middle - 1.0) * width * width / 24.0);
                let found = ln_between(low, high);
                assert!((found.value - expected).abs() < 1e-12 * expected.abs() + 1e-9 * width, "{z} {width}");
            }
        }
    }

    #[test]
    fn slopes_of_a_band_agree_with_central_differences() {
        for (low, high) in [(-40.0, -39.0), (-3.0, -2.99), (-1.0, 2.0), (-0.01, 0.01), (5.0, 6.0), (30.0, 90.0)] {
            let at = |a: f64, b: f64| ln_between(a, b).value;
            let found = ln_between(low, high);
            let h = 1e-4 * (high - low).min(1.0 / (1.0 + f64::abs(low)));
            let by_low = (at(low + h, high) - at(low - h, high)) / (2.0 * h);
            let by_high = (at(low, high + h) - at(low, high - h)) / (2.0 * h);
            // h² times a third derivative of the order of the width's third power, and rounding over h.
            let close = |a: f64, b: f64| (a - b).abs() <= 1e-6 * (1.0 + a.abs() + found.value.abs() * 1e-3);
            assert!(close(found.by_low, by_low), "{low}: {} {by_low}", found.by_low);
            assert!(close(found.by_high, by_high), "{low}: {} {by_high}", found.by_high);
        }
    }

    #[test]
    fn a_band_without_bounds_is_sure_and_an_empty_one_impossible() {
        assert_eq!(ln_between(f64::NEG_INFINITY, f64::INFINITY).value, 0.0);
        assert_eq!(ln_between(1.0, 1.0).value, f64::NEG_INFINITY);
    }
}
