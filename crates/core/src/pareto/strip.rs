//! The expected part of a normal variable between two levels, E(min(Y, b) − a)₊, in logarithms with its slopes.
//!
//! With Ψ(c) = E(Y − c)₊ = s τ(u), τ(u) = φ(u) + uΦ(u) and u = (μ − c)/s, it is Ψ(a) − Ψ(b) = ∫ₐᵇ Φ((μ − c)/s) dc. The
//! difference is taken in logarithms where these differ. Where they hardly do, digits would cancel, but the integrand
//! is nearly constant, so the integral by four Gauss nodes is accurate.

use crate::normal;

/// Logarithms that differ by less than this are not subtracted: above it, the difference has a relative error of 10⁻¹⁴;
/// below it, four nodes have an error below 10⁻¹⁵.
const NARROW: f64 = 0.05;

/// Gauss–Legendre nodes and weights on [0, 1].
pub(super) const GAUSS: [(f64, f64); 4] = [
    (0.069_431_844_202_973_71, 0.173_927_422_568_726_93),
    (0.330_009_478_207_571_87, 0.326_072_577_431_273_07),
    (0.669_990_521_792_428_1, 0.326_072_577_431_273_07),
    (0.930_568_155_797_026_3, 0.173_927_422_568_726_93),
];

/// A logarithm with its slopes in the mean and the standard deviation.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Ln {
    pub value: f64,
    pub by_mean: f64,
    pub by_sd: f64,
}

/// ln Ψ(c), given ln s.
#[inline]
pub fn excess(mean: f64, sd: f64, ln_sd: f64, level: f64) -> Ln {
    let (value, by_mean, by_sd) = normal::ln_ei_with_slopes((mean - level) / sd);
    Ln { value: ln_sd + value, by_mean: by_mean / sd, by_sd: by_sd / sd }
}

/// ln(Ψ(a) − Ψ(b)) for the levels a < b, given ln Ψ at both.
#[inline]
pub fn strip(mean: f64, sd: f64, (a, at_a): (f64, Ln), (b, at_b): (f64, Ln)) -> Ln {
    let apart = at_a.value - at_b.value;
    if apart <= NARROW {
        return narrow(mean, sd, a, b);
    }
    let share = (-apart).exp();
    let over = 1.0 / (1.0 - share);
    Ln {
        value: at_a.value + (-share).ln_1p(),
        by_mean: (at_a.by_mean - share * at_b.by_mean) * over,
        by_sd: (at_a.by_sd - share * at_b.by_sd) * over,
    }
}

/// [`strip`] by integration.
fn narrow(mean: f64, sd: f64, a: f64, b: f64) -> Ln {
    let width = b - a;
    // Φ is largest at the lower level.
    let largest = normal::ln_cdf((mean - a) / sd);
    let (mut sum, mut by_mean, mut by_sd) = (0.0, 0.0, 0.0);
    for (node, weight) in GAUSS {
        let u = (mean - (a + node * width)) / sd;
        let (ln_cdf, mills) = normal::ln_cdf_and_mills(u);
        let term = weight * (ln_cdf - largest).exp();
        sum += term;
        by_mean += term * mills;
        by_sd -= term * mills * u;
    }
    Ln { value: width.ln() + largest + sum.ln(), by_mean: by_mean / (sum * sd), by_sd: by_sd / (sum * sd) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    fn between(mean: f64, sd: f64, a: f64, b: f64) -> Ln {
        strip(mean, sd, (a, excess(mean, sd, sd.ln(), a)), (b, excess(mean, sd, sd.ln(), b)))
    }

    /// Values in arbitrary precision (mpmath, 25 digits).
    #[test]
    fn strips_have_their_digits_where_they_are_narrow_and_in_the_tail() {
        for (mean, sd, a, width, expected) in [
            (0.0, 1.0, 3.0, 1e-9, -27.3309920600983),
            (0.0, 1.0, 30.0, 1e-3, -461.24397844748),
            (5.0, 1.0, 0.0, 1e-6, -13.8155108446166),
        ] {
            let found = between(mean, sd, a, a + width).value;
            // a + width is rounded: by 2⁻⁵¹ at 3, which is 4·10⁻⁷ of a width of 10⁻⁹.
            let rounding = ((a + width) - a - width).abs() / width;
            assert!((found - expected).abs() <= 2e-13 * f64::abs(expected) + rounding, "{found} {expected}");
        }
    }

    #[test]
    fn both_forms_agree_where_one_takes_over_from_the_other() {
        let mut draw = Stream::new(5);
        for _ in 0..2000 {
            let (mean, sd) = (3.0 * draw.normal(), 10f64.powf(draw.uniform() - 0.5));
            let a = mean - sd * (30.0 * draw.uniform() - 20.0).min(4.0);
            let at = |c: f64| excess(mean, sd, sd.ln(), c);
            // The width at which the logarithms differ by just as much, by bisection.
            let (mut low, mut high) = (0.0, 10.0 * sd + (mean - a).abs());
            for _ in 0..100 {
                let middle = 0.5 * (low + high);
                if at(a).value - at(a + middle).value > NARROW { high = middle } else { low = middle }
            }
            let b = a + high * 1.000_001;
            let (wide, integral) = (between(mean, sd, a, b), narrow(mean, sd, a, b));
            // A difference of 0.05 of numbers of rounding 10⁻¹⁶ ln Ψ, and of slopes up to u².
            let tolerance = 20.0 * 4e-16 * (1.0 + wide.value.abs()) + 1e-12;
            let close = |a: f64, b: f64| (a - b).abs() <= tolerance * (1.0 + a.abs().max(b.abs()));
            assert!(close(wide.value, integral.value), "{wide:?} {integral:?}");
            assert!(close(wide.by_mean * sd, integral.by_mean * sd), "{wide:?} {integral:?}");
            assert!(close(wide.by_sd * sd, integral.by_sd * sd), "{wide:?} {integral:?}");
        }
    }
}
