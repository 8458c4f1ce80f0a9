//! The formulas, for points of any dimension that makes sense.
//!
//! Unless another source is given: S. Surjanovic and D. Bingham, Virtual Library of Simulation Experiments,
//! <https://www.sfu.ca/~ssurjano>.

use std::f64::consts::{E, PI};

/// (6x − 2)² sin(12x − 4), of Forrester, Sóbester and Keane (2008).
pub(super) fn forrester(x: &[f64]) -> f64 {
    (6.0 * x[0] - 2.0).powi(2) * (12.0 * x[0] - 4.0).sin()
}

/// Σᵢ (uᵢ² − 0.3 cos 3πuᵢ) − 1 with u = 1.6x − ½: minus the function printed in the paper, which maximizes it.
pub(super) fn cosines(x: &[f64]) -> f64 {
    let term = |x: &f64| {
        let u = 1.6 * x - 0.5;
        u * u - 0.3 * (3.0 * PI * u).cos()
    };
    x.iter().map(term).sum::<f64>() - 1.0
}

/// Πᵢ (|4xᵢ − 2| + aᵢ)/(1 + aᵢ) with every aᵢ = 1.
pub(super) fn gsobol(x: &[f64]) -> f64 {
    x.iter().map(|x| ((4.0 * x - 2.0).abs() + 1.0) / 2.0).product()
}

/// (x₂ − 5.1x₁²/4π² + 5x₁/π − 6)² + 10(1 − 1/8π) cos x₁ + 10.
pub(super) fn branin(x: &[f64]) -> f64 {
    let parabola = x[1] - 5.1 / (4.0 * PI * PI) * x[0] * x[0] + 5.0 / PI * x[0] - 6.0;
    parabola * parabola + 10.0 * (1.0 - 1.0 / (8.0 * PI)) * x[0].cos() + 10.0
}

/// (4 − 2.1x₁² + x₁⁴/3)x₁² + x₁x₂ + (4x₂² − 4)x₂².
pub(super) fn six_hump_camel(x: &[f64]) -> f64 {
    let (a, b) = (x[0] * x[0], x[1] * x[1]);
    (4.0 - 2.1 * a + a * a / 3.0) * a + x[0] * x[1] + (4.0 * b - 4.0) * b
}

/// Goldstein and Price's polynomial of degree 8.
///
/// With t = x₁ + x₂ and s = 2x₁ − 3x₂ it is a product of two polynomials of one variable each:
/// (1 + (t+1)²(3t² − 14t + 19)) · (30 + s²(3s² − 16s + 18)).
pub(super) fn goldstein_price(x: &[f64]) -> f64 {
    let (t, s) = (x[0] + x[1], 2.0 * x[0] - 3.0 * x[1]);
    let first = 1.0 + (t + 1.0).powi(2) * ((3.0 * t - 14.0) * t + 19.0);
    let second = 30.0 + s * s * ((3.0 * s - 16.0) * s + 18.0);
    first * second
}

/// 20(1 − exp(−0.2 √mean(xᵢ²))) + e − exp(mean(cos 2πxᵢ)).
pub(super) fn ackley(x: &[f64]) -> f64 {
    let n = x.len() as f64;
    let root_mean_square = (x.iter().map(|x| x * x).sum::<f64>() / n).sqrt();
    let mean_cosine = x.iter().map(|x| (2.0 * PI * x).cos()).sum::<f64>() / n;
    // expm1, so that neither difference loses the digits of a small value.
    -20.0 * (-0.2 * root_mean_square).exp_m1() - E * (mean_cosine - 1.0).exp_m1()
}

/// sin² πw₁ + Σᵢ₌₁ᵈ⁻¹ (wᵢ−1)²(1 + 10 sin²(πwᵢ+1)) + (w_d−1)²(1 + sin² 2πw_d) with w = 1 + (x−1)/4.
pub(super) fn levy(x: &[f64]) -> f64 {
    let w = |x: f64| 1.0 + (x - 1.0) / 4.0;
    let (last, others) = x.split_last().expect("at least one coordinate");
    let middle = |x: &f64| (w(*x) - 1.0).powi(2) * (1.0 + 10.0 * (PI * w(*x) + 1.0).sin().powi(2));
    (PI * w(x[0])).sin().powi(2)
        + others.iter().map(middle).sum::<f64>()
        + (w(*last) - 1.0).powi(2) * (1.0 + (2.0 * PI * w(*last)).sin().powi(2))
}

/// Σᵢ 100(xᵢ₊₁ − xᵢ²)² + (1 − xᵢ)².
pub(super) fn rosenbrock(x: &[f64]) -> f64 {
    x.windows(2).map(|x| 100.0 * (x[1] - x[0] * x[0]).powi(2) + (1.0 - x[0]).powi(2)).sum()
}

/// −Σᵢ sin xᵢ · sin²⁰(i xᵢ²/π).
pub(super) fn michalewicz(x: &[f64]) -> f64 {
    -x.iter().enumerate().map(|(i, x)| x.sin() * ((i + 1) as f64 * x * x / PI).sin().powi(20)).sum::<f64>()
}

/// Where sin x · sin²⁰(i x²/π) is largest on [0, π].
///
/// The second factor vanishes at π√(k/i); between two of these zeros, the derivative of the logarithm,
/// cot x + 40(ix/π) cot(ix²/π), falls from +∞ to −∞, so that bisection finds the one peak to the last digit. The best
/// peak is between the zeros around π/2 or in a neighbouring interval: a neighbour's peak is at least sin of the place
/// where its second factor is 1, while in intervals beyond it sin x is smaller than there.
pub(super) fn michalewicz_minimizer(i: usize) -> f64 {
    let i = i as f64;
    let height = |x: f64| x.sin() * (i * x * x / PI).sin().powi(20);
    let slope = |x: f64| x.tan().recip() + 40.0 * i * x / PI * (i * x * x / PI).tan().recip();
    let around = (i / 4.0).floor();

    let mut best = 0.0;
    for k in [around - 1.0, around, around + 1.0] {
        if k < 0.0 || k >= i {
            continue;
        }
        let (mut low, mut high) = (PI * (k / i).sqrt(), PI * ((k + 1.0) / i).sqrt());
        loop {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if slope(middle) > 0.0 { low = middle } else { high = middle }
        }
        if height(low) > height(best) {
            best = low;
        }
    }
    best
}

/// ½ Σᵢ (xᵢ⁴ − 16xᵢ² + 5xᵢ).
pub(super) fn styblinski_tang(x: &[f64]) -> f64 {
    0.5 * x.iter().map(|x| ((x * x - 16.0) * x + 5.0) * x).sum::<f64>()
}

/// Σᵢ xᵢ²/4000 − Πᵢ cos(xᵢ/√i) + 1.
pub(super) fn griewank(x: &[f64]) -> f64 {
    let bowl = x.iter().map(|x| x * x).sum::<f64>() / 4000.0;
    let waves: f64 = x.iter().enumerate().map(|(i, x)| (x / ((i + 1) as f64).sqrt()).cos()).product();
    bowl - waves + 1.0
}

/// Σᵢ (xᵢ² + 10(1 − cos 2πxᵢ)).
pub(super) fn rastrigin(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x + 10.0 * (1.0 - (2.0 * PI * x).cos())).sum()
}
