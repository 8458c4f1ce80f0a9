//! Functions of the normal law, accurate in both tails.
//!
//! φ is the density, Φ the distribution function. Everything rests on two functions of x ≥ 0 that decay slowly and are
//! approximated directly (file `mills.rs`): the Mills ratio R(x) = Φ(-x)/φ(x) and its gap G(x) = 1 - x R(x). With them
//!
//! - Φ(-x) = φ(x) R(x) and ln Φ(-x) = -x²/2 + ln(R(x)/√2π), a sum of two negative terms: nothing cancels;
//! - φ(z)/Φ(z) = 1/R(-z) for z ≤ 0;
//! - φ(u) + uΦ(u) = φ(u) G(-u) for u ≤ 0, and = u + φ(u) G(u) for u > 0.
//!
//! The naive forms fail: Φ underflows below z = -38 although its logarithm is moderate; φ + uΦ loses u² units in the
//! last place for u < 0; and e^{-z²/2} loses z²/2 of them to the rounding of z² alone, which [`pdf`] corrects.
//!
//! For several variables together there are [`cdf2`], [`cdf3`] and [`cdf_q`], whose errors are small compared with 1,
//! not with the value.
//!
//! Every function of one variable gives NaN for NaN, and its limit at ±∞. The error is a few units in the last place of
//! the value; only [`ln_ei`] and [`ln_softplus`], whose values pass through zero (near 0.2761 and 0.5413), have an
//! error of a few units in the last place of 1 there.

mod between;
mod bivariate;
mod improvement;
mod logistic;
mod mills;
mod mills_table;
mod multivariate;
mod quantile;
mod trivariate;

pub use between::{Between, ln_between};
pub use bivariate::cdf2;
pub use improvement::{ln_ei, ln_ei_slopes, ln_ei_with_slopes};
pub use logistic::{ln_softplus, ln_softplus_slope, log1mexp, sigmoid, softplus};
pub use multivariate::{Lattice, MAX_VARIABLES, cdf_q};
pub use quantile::quantile;
pub use trivariate::cdf3;

use mills::Tail;
use std::f64::consts::SQRT_2;

/// 1/√2π.
const FRAC_1_SQRT_TAU: f64 = 0.3989422804014327;
/// ln √2π.
const LN_SQRT_TAU: f64 = 0.9189385332046728;
/// √(2/π).
const SQRT_FRAC_2_PI: f64 = 0.7978845608028654;

/// The density φ(z) = e^{-z²/2}/√2π.
///
/// ```
/// assert_eq!(elbowroom::normal::pdf(0.0), 0.3989422804014327);
/// ```
pub fn pdf(z: f64) -> f64 {
    if z.abs() > 39.0 {
        return 0.0; // less than half the smallest number, and z² may overflow below
    }
    let (square, rest) = square(z);
    FRAC_1_SQRT_TAU * ((-0.5 * square).exp() * (1.0 - 0.5 * rest))
}

/// ln φ(z), finite as long as z² is.
///
/// ```
/// assert_eq!(elbowroom::normal::ln_pdf(100.0), -5000.918938533205);
/// ```
pub fn ln_pdf(z: f64) -> f64 {
    -0.5 * (z * z) - LN_SQRT_TAU
}

/// The distribution function Φ(z).
///
/// ```
/// use elbowroom::normal::cdf;
/// assert_eq!(cdf(0.0), 0.5);
/// assert!((cdf(-10.0) / 7.61985302416053e-24 - 1.0).abs() < 1e-14);
/// ```
pub fn cdf(z: f64) -> f64 {
    let tail = pdf(z) * Tail::at(z.abs()).mills();
    if z <= 0.0 { tail } else { 1.0 - tail }
}

/// ln Φ(z), accurate both where Φ underflows and where it rounds to 1.
///
/// ```
/// use elbowroom::normal::ln_cdf;
/// assert!((ln_cdf(-50.0) / -1254.8313611394199 - 1.0).abs() < 1e-15);
/// assert!((ln_cdf(10.0) / -7.61985302416053e-24 - 1.0).abs() < 1e-14);
/// ```
pub fn ln_cdf(z: f64) -> f64 {
    let mills = Tail::at(z.abs()).mills();
    if z <= 0.0 { ln_lower_tail(z, mills) } else { (-pdf(z) * mills).ln_1p() }
}

/// φ(z)/Φ(z), the slope of ln Φ: near -z far below zero, near φ(z) far above.
///
/// ```
/// use elbowroom::normal::inverse_mills;
/// assert!((inverse_mills(-38.0) / 38.0262794665759 - 1.0).abs() < 1e-14);
/// ```
pub fn inverse_mills(z: f64) -> f64 {
    let tail = Tail::at(z.abs());
    if z <= 0.0 {
        tail.inverse_mills()
    } else {
        let density = pdf(z);
        density / (1.0 - density * tail.mills())
    }
}

/// (ln Φ(z), φ(z)/Φ(z)): the value and the slope, for little more than one of them.
///
/// ```
/// use elbowroom::normal::{inverse_mills, ln_cdf, ln_cdf_and_mills};
/// assert_eq!(ln_cdf_and_mills(-3.0), (ln_cdf(-3.0), inverse_mills(-3.0)));
/// ```
pub fn ln_cdf_and_mills(z: f64) -> (f64, f64) {
    let tail = Tail::at(z.abs());
    if z <= 0.0 {
        (ln_lower_tail(z, tail.mills()), tail.inverse_mills())
    } else {
        let density = pdf(z);
        let above = density * tail.mills();
        ((-above).ln_1p(), density / (1.0 - above))
    }
}

/// The scaled complementary error function e^{x²} erfc(x); infinite below x = -26.7, where it overflows.
///
/// ```
/// use elbowroom::normal::erfcx;
/// assert_eq!(erfcx(0.0), 1.0);
/// assert!((erfcx(1e10) / 5.641895835477563e-11 - 1.0).abs() < 1e-15);
/// ```
pub fn erfcx(x: f64) -> f64 {
    if x < -27.0 {
        return f64::INFINITY;
    }
    let above = SQRT_FRAC_2_PI * Tail::at(SQRT_2 * x.abs()).mills();
    if x >= 0.0 {
        above
    } else {
        let (square, rest) = square(x);
        2.0 * (square.exp() * (1.0 + rest)) - above
    }
}

/// ln Φ(z) for z ≤ 0, given R(-z).
#[inline]
fn ln_lower_tail(z: f64, mills: f64) -> f64 {
    (FRAC_1_SQRT_TAU * mills).ln() - 0.5 * (z * z)
}

/// z² as a double and what its rounding left out, both exact while nothing overflows or underflows.
///
/// Dekker's product, with z cut into 26 + 27 bits by a mask; `f64::mul_add` would be a call where the processor
/// has no fused multiplication.
#[inline]
fn square(z: f64) -> (f64, f64) {
    let high = f64::from_bits(z.to_bits() & !((1 << 27) - 1));
    let low = z - high;
    let square = z * z;
    (square, ((high * high - square) + 2.0 * high * low) + low * low)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 + 2⁻³⁰ has the square 1 + 2⁻²⁹ + 2⁻⁶⁰, of which a double holds all but the last term.
    #[test]
    fn a_square_keeps_what_its_rounding_left_out() {
        let e = 2f64.powi(-30);
        assert_eq!(square(1.0 + e), (1.0 + 2.0 * e, e * e));
    }
}
