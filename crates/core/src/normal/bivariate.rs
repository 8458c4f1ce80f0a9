//! The normal law in two dimensions: Φ₂(x, y; ρ) = P(X ≤ x, Y ≤ y) for standard normal X, Y with correlation ρ.
//!
//! Plackett's identity ∂Φ₂/∂ρ = φ₂(x, y; ρ) leads from a correlation where Φ₂ is known to the one wanted:
//!
//! Φ₂ = Φ(x)Φ(y) + 1/2π ∫₀^{asin ρ} exp(−(x² + y² − 2xy sin θ)/(2 cos² θ)) dθ.
//!
//! Near |ρ| = 1 that integrand has a spike at the far end, and the path starts from there instead: with t = √(1 − r²),
//! h = x − y and p = xy (y and ρ mirrored first if ρ < 0),
//!
//! Φ₂ = Φ(min(x, y)) − 1/2π ∫₀^{√(1−ρ²)} e^{−h²/2t²} g(t) dt,   g(t) = e^{−p/(1+√(1−t²))}/√(1−t²).
//!
//! What g shares with its expansion e^{−p/2}(1 + c t² + c d t⁴), c = (4 − p)/8, d = (12 − p)/16, is integrated in closed
//! form, and the small rest by quadrature.
//!
//! References: Drezner and Wesolowsky, J. Stat. Comput. Simul. 35 (1990); Genz, Stat. Comput. 14 (2004).
//! The error is absolute, a few 10⁻¹⁶: where Φ₂ is smaller than that, none of its digits need be right.

use super::cdf;
use std::f64::consts::TAU;

/// Above this |ρ| the integral starts at |ρ| = 1 (Genz 2004); from either start, 20 nodes give all digits.
const STEEP: f64 = 0.925;

/// Beyond ±40 a limit is as good as infinite: Φ(−40) is 0 in floating point.
pub(super) const FAR: f64 = 40.0;

/// P(X ≤ x, Y ≤ y) for standard normal X, Y with correlation `rho` in [−1, 1].
///
/// ```
/// use elbowroom::normal::cdf2;
/// // Sheppard: at the origin it is 1/4 + asin(ρ)/2π.
/// assert!((cdf2(0.0, 0.0, 0.5) - 1.0 / 3.0).abs() < 1e-15);
/// assert_eq!(cdf2(f64::INFINITY, 0.0, 0.3), 0.5);
/// ```
pub fn cdf2(x: f64, y: f64, rho: f64) -> f64 {
    if x.is_nan() || y.is_nan() || rho.is_nan() {
        return f64::NAN;
    }
    if x.min(y) < -FAR {
        return 0.0;
    }
    if x > FAR {
        return cdf(y);
    }
    if y > FAR {
        return cdf(x);
    }
    let value = if rho.abs() < STEEP {
        from_independence(x, y, rho)
    } else if rho > 0.0 {
        cdf(x.min(y)) - to_certainty(x, y, rho)
    } else {
        // P(X ≤ x, Y ≤ y) = P(X ≤ x) − P(X ≤ x, −Y ≤ −y), and the last has the correlation −ρ.
        let apart = if x > -y { cdf_between(-y, x) } else { 0.0 };
        apart + to_certainty(x, -y, -rho)
    };
    value.clamp(0.0, cdf(x.min(y)))
}

/// Φ(b) − Φ(a) for a ≤ b, from the tails on the side where both are small.
pub(super) fn cdf_between(a: f64, b: f64) -> f64 {
    if a > 0.0 { cdf(-a) - cdf(-b) } else { cdf(b) - cdf(a) }
}

fn from_independence(x: f64, y: f64, rho: f64) -> f64 {
    let (squares, product) = (0.5 * (x * x + y * y), x * y);
    let integral = quadrature(0.0, rho.asin(), |theta| {
        let r = theta.sin();
        ((r * product - squares) / ((1.0 - r) * (1.0 + r))).exp()
    });
    cdf(x) * cdf(y) + integral / TAU
}

/// The gain of Φ₂ from ρ > 0 to 1, an integral with the factor 1/2π.
fn to_certainty(x: f64, y: f64, rho: f64) -> f64 {
    let end_squared = (1.0 - rho) * (1.0 + rho);
    if end_squared <= 0.0 {
        return 0.0;
    }
    let (a, b, p) = (end_squared.sqrt(), (x - y).abs(), x * y);
    let (c, d, b2) = ((4.0 - p) / 8.0, (12.0 - p) / 16.0, b * b);

    // ∫ e^{−b²/2t²} (1 + c t² + c d t⁴) dt by parts: each power gives the one below it.
    let spike = a * (-0.5 * b2 / end_squared - 0.5 * p).exp();
    // Where the first factor could overflow, b² ≥ −4p makes the last one far smaller still.
    let step = if p < -100.0 { 0.0 } else { (-0.5 * p).exp() * TAU.sqrt() * b * cdf(-b / a) };
    let a2 = end_squared;
    let zeroth = spike - step;
    let second = (a2 * spike - b2 * zeroth) / 3.0;
    let fourth = (a2 * a2 * spike - b2 * second) / 5.0;
    let smooth = zeroth + c * (second + d * fourth);

    let rest = quadrature(0.0, a, |t| {
        let t2 = t * t;
        let r = ((1.0 - t) * (1.0 + t)).sqrt();
        let gate = -0.5 * (b2 / t2 + p);
        if gate < -700.0 {
            return 0.0;
        }
        // −p/(1 + r) = −p/2 − p t²/(2 (1 + r)²): the bracket is a difference of numbers near 1.
        gate.exp() * ((-0.5 * p * t2 / ((1.0 + r) * (1.0 + r))).exp() / r - (1.0 + c * t2 * (1.0 + d * t2)))
    });
    (smooth + rest) / TAU
}

/// ∫ f from a to b by the Gauss–Legendre rule with 20 nodes.
pub(super) fn quadrature(a: f64, b: f64, f: impl Fn(f64) -> f64) -> f64 {
    let (middle, half) = (0.5 * (a + b), 0.5 * (b - a));
    half * NODES.iter().map(|(x, w)| w * (f(middle - half * x) + f(middle + half * x))).sum::<f64>()
}

/// The positive nodes and their weights; written by `tests/data/multinormal.py nodes`.
const NODES: [(f64, f64); 10] = [
    (0.07652652113349734, 0.15275338713072584),
    (0.22778585114164507, 0.14917298647260374),
    (0.37370608871541955, 0.14209610931838204),
    (0.5108670019508271, 0.13168863844917664),
    (0.636053680726515, 0.11819453196151841),
    (0.7463319064601508, 0.10193011981724044),
    (0.8391169718222188, 0.08327674157670475),
    (0.912234428251326, 0.06267204833410907),
    (0.9639719272779138, 0.04060142980038694),
    (0.9931285991850949, 0.017614007139152118),
];
