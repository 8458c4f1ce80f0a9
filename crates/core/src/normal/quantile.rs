//! The quantile function of the normal law, Φ⁻¹.
//!
//! A rational start, good to 2e-6, then one step of Halley's method, which cubes that error. The equation that the step
//! solves decides the accuracy: near the centre Φ(z) - 1/2 = p - 1/2, whose two sides vanish together (libm's erf), and
//! in the tail ln Φ(z) = ln p. The upper half is the mirror of the lower one: 1 - p is exact there.

use super::{ln_cdf_and_mills, pdf};
use std::f64::consts::FRAC_1_SQRT_2;

/// The z with Φ(z) = p: -∞ at 0, +∞ at 1, NaN outside.
///
/// ```
/// use elbowroom::normal::quantile;
/// assert_eq!(quantile(0.5), 0.0);
/// assert!((quantile(0.975) - 1.959963984540054).abs() < 1e-15);
/// assert_eq!(quantile(0.25), -quantile(0.75));
/// ```
pub fn quantile(p: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        f64::NAN
    } else if (p - 0.5).abs() <= 0.4 {
        centre(p - 0.5)
    } else if p < 0.5 {
        lower_tail(p)
    } else {
        -lower_tail(1.0 - p)
    }
}

/// The z with Φ(z) = 1/2 + r, |r| ≤ 0.4.
fn centre(r: f64) -> f64 {
    let v = r * r;
    let top = 2.5066282788936753 + v * (-14.992212814304523 + v * (23.35895419876854 - v * 6.278657975722558));
    let bottom = 1.0 + v * (-7.028224093362007 + v * (14.375810975090845 - v * 7.621234196736782));
    let z = r * (top / bottom);
    let newton = (0.5 * libm::erf(FRAC_1_SQRT_2 * z) - r) / pdf(z);
    // f'' / f' = -z for f = Φ.
    z - newton / (1.0 + 0.5 * newton * z)
}

/// The z with Φ(z) = p, p < 0.1.
fn lower_tail(p: f64) -> f64 {
    if p == 0.0 {
        return f64::NEG_INFINITY;
    }
    let ln_p = p.ln();
    let s = (-2.0 * ln_p).sqrt();
    let top = -2.621587117104777
        + s * (-0.8676686387097684 + s * (1.8570520327552698 + s * (0.6240474299442326 + s * 0.028628697358586933)));
    let bottom = 1.0 + s * (2.004694177562353 + s * (0.6244594436548941 + s * 0.028627093015326958));
    let z = -top / bottom;
    let (ln_cdf, h) = ln_cdf_and_mills(z);
    let newton = (ln_cdf - ln_p) / h;
    // f'' / f' = -(h + z) for f = ln Φ, f' = h.
    z - newton / (1.0 + 0.5 * newton * (h + z))
}
