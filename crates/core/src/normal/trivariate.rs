//! The normal law in three dimensions: Φ₃(b; R) = P(X₁ ≤ b₁, X₂ ≤ b₂, X₃ ≤ b₃).
//!
//! Plackett's identity ∂Φ₃/∂ρ₁₂ = φ₂(b₁, b₂; ρ₁₂) Φ(u₃), with u₃ the standardized limit of X₃ given X₁ = b₁, X₂ = b₂,
//! is integrated along the path on which X₁ loses its correlations while that of X₂ and X₃ stays:
//!
//! Φ₃ = Φ(b₁) Φ₂(b₂, b₃; ρ₂₃)
//!    + 1/2π ∫₀¹ [a₁₂ e^{−f(b₁, b₂, r₁₂)/2} Φ(u₃) + a₁₃ e^{−f(b₁, b₃, r₁₃)/2} Φ(u₂)] ds,
//!
//! a₁ⱼ = asin ρ₁ⱼ, r₁ⱼ = sin(s a₁ⱼ), f(x, y, r) = (x² + y² − 2xyr)/(1 − r²). Correlations are admissible where the
//! angles obey linear inequalities, so every matrix on the path is a correlation matrix if the last one is.
//!
//! Numerics: the pair with the largest |ρ| is the one that stays. A singular matrix makes Φ(u) a step at s = 1, so the
//! interval is halved until two halves agree with the whole. The error is absolute, below 10⁻¹³.
//!
//! Reference: Genz, Stat. Comput. 14 (2004), section 3.

use super::bivariate::{FAR, quadrature};
use super::{cdf, cdf2};
use std::f64::consts::TAU;

/// How much the sum of two halves may differ from the whole, and how often an interval is halved.
const TOLERANCE: f64 = 1e-15;
const MAX_DEPTH: usize = 40;

/// P(X₁ ≤ b₁, X₂ ≤ b₂, X₃ ≤ b₃) for standard normal variables with correlations `[ρ₁₂, ρ₁₃, ρ₂₃]`.
///
/// ```
/// use elbowroom::normal::cdf3;
/// // At the origin it is 1/8 + (asin ρ₁₂ + asin ρ₁₃ + asin ρ₂₃)/4π: with all correlations ½ a quarter.
/// assert!((cdf3([0.0; 3], [0.5; 3]) - 0.25).abs() < 1e-15);
/// ```
pub fn cdf3(b: [f64; 3], correlation: [f64; 3]) -> f64 {
    let [r12, r13, r23] = correlation;
    if b.iter().chain(&correlation).any(|v| v.is_nan()) {
        return f64::NAN;
    }
    if b.iter().any(|b| *b < -FAR) {
        return 0.0;
    }
    match b.map(|b| b > FAR) {
        [true, _, _] => return cdf2(b[1], b[2], r23),
        [_, true, _] => return cdf2(b[0], b[2], r13),
        [_, _, true] => return cdf2(b[0], b[1], r12),
        _ => {}
    }
    // The first variable is the one outside the pair with the largest correlation.
    let ([b1, b2, b3], [r12, r13, r23]) = if r23.abs() >= r12.abs().max(r13.abs()) {
        (b, correlation)
    } else if r13.abs() >= r12.abs() {
        ([b[1], b[0], b[2]], [r12, r23, r13])
    } else {
        ([b[2], b[0], b[1]], [r13, r23, r12])
    };
    if r23 >= 1.0 {
        return cdf2(b1, b2.min(b3), r12);
    }
    if r23 <= -1.0 {
        return if b2 > -b3 { (cdf2(b1, b2, r12) - cdf2(b1, -b3, r12)).max(0.0) } else { 0.0 };
    }
    let (a12, a13) = (r12.clamp(-1.0, 1.0).asin(), r13.clamp(-1.0, 1.0).asin());
    let gained = |s: f64| {
        let (r12, r13) = ((s * a12).sin(), (s * a13).sin());
        a12 * slope(b1, b2, b3, r12, r13, r23) + a13 * slope(b1, b3, b2, r13, r12, r23)
    };
    let whole = quadrature(0.0, 1.0, gained);
    let value = cdf(b1) * cdf2(b2, b3, r23) + halved(&gained, 0.0, 1.0, whole, 0) / TAU;
    value.clamp(0.0, cdf(b1.min(b2).min(b3)))
}

/// 2π cos(asin r₁₂) times ∂Φ₃/∂ρ₁₂: e^{−f/2} Φ(u₃).
fn slope(b1: f64, b2: f64, b3: f64, r12: f64, r13: f64, r23: f64) -> f64 {
    let rest = (1.0 - r12) * (1.0 + r12);
    let ends = (b1 - b2) * (b1 - b2) + 2.0 * b1 * b2 * (1.0 - r12);
    if rest <= 0.0 {
        return 0.0;
    }
    let density = (-0.5 * ends / rest).exp();
    if density == 0.0 {
        return 0.0;
    }
    let det = (rest - r13 * r13 - r23 * r23 + 2.0 * r12 * r13 * r23).max(0.0);
    let above = b3 * rest - b1 * (r13 - r12 * r23) - b2 * (r23 - r12 * r13);
    let below = (rest * det).sqrt();
    // Without any spread left, Φ is a step.
    density * if below > 0.0 { cdf(above / below) } else { 0.5 + 0.5 * above.signum() }
}

/// ∫ f from a to b, which one application of the rule estimates as `whole`.
fn halved(f: &impl Fn(f64) -> f64, a: f64, b: f64, whole: f64, depth: usize) -> f64 {
    let middle = 0.5 * (a + b);
    let (left, right) = (quadrature(a, middle, f), quadrature(middle, b, f));
    if (left + right - whole).abs() <= TOLERANCE || depth == MAX_DEPTH {
        return left + right;
    }
    halved(f, a, middle, left, depth + 1) + halved(f, middle, b, right, depth + 1)
}
