//! Smooth steps and ramps: ln(1 - e^-x), the sigmoid, and softplus with its logarithm.

use std::f64::consts::LN_2;

/// ln(1 - e^-x) for x > 0; -∞ at 0, NaN below.
///
/// The first form keeps the digits of small x, the second those of a small e^-x.
/// Reference: Mächler, "Accurately computing log(1 - exp(-|a|))", 2012.
///
/// ```
/// use elbowroom::normal::log1mexp;
/// assert!((log1mexp(1e-20) - 1e-20f64.ln()).abs() < 1e-14);
/// assert_eq!(log1mexp(50.0), -(-50f64).exp());
/// ```
pub fn log1mexp(x: f64) -> f64 {
    if x < LN_2 { (-(-x).exp_m1()).ln() } else { (-(-x).exp()).ln_1p() }
}

/// 1/(1 + e^-a), the slope of [`softplus`].
///
/// ```
/// use elbowroom::normal::sigmoid;
/// assert_eq!(sigmoid(0.0), 0.5);
/// assert_eq!(sigmoid(-700.0), (-700f64).exp());
/// ```
pub fn sigmoid(a: f64) -> f64 {
    let e = (-a.abs()).exp();
    if a < 0.0 { e / (1.0 + e) } else { 1.0 / (1.0 + e) }
}

/// ln(1 + e^a), a positive and smooth stand-in for max(a, 0).
///
/// ```
/// use elbowroom::normal::softplus;
/// assert_eq!(softplus(0.0), std::f64::consts::LN_2);
/// assert_eq!(softplus(1e300), 1e300);
/// ```
pub fn softplus(a: f64) -> f64 {
    let bend = (-a.abs()).exp().ln_1p();
    if a > 0.0 { a + bend } else { bend }
}

/// ln softplus(a), which behaves like a far below zero and like ln a far above.
///
/// ```
/// assert_eq!(elbowroom::normal::ln_softplus(-1e10), -1e10);
/// ```
pub fn ln_softplus(a: f64) -> f64 {
    // Below -37, ln softplus(a) = a - e^a/2 + … rounds to a, also where e^a underflows.
    if a < -37.0 { a } else { softplus(a).ln() }
}

/// The slope of [`ln_softplus`], sigmoid(a)/softplus(a): from 1 far below zero to 1/a far above.
///
/// ```
/// use elbowroom::normal::ln_softplus_slope;
/// assert_eq!(ln_softplus_slope(-1e10), 1.0);
/// assert_eq!(ln_softplus_slope(1e10), 1e-10);
/// ```
pub fn ln_softplus_slope(a: f64) -> f64 {
    if a < -37.0 {
        return 1.0; // 1 - e^a/2 + …
    }
    let e = (-a.abs()).exp();
    let bend = e.ln_1p();
    if a > 0.0 { 1.0 / ((1.0 + e) * (a + bend)) } else { e / ((1.0 + e) * bend) }
}
