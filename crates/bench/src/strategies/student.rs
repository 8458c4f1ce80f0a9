//! Student's t for means over few problems, and Holm's correction for many comparisons.

use std::f64::consts::PI;

use crate::rows::mean;

/// A mean, tested against 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tested {
    /// The mean.
    pub mean: f64,
    /// Half the length of its 95 % interval; infinite for fewer than two values.
    pub half: f64,
    /// The two-sided p value that it is 0; 1 for fewer than two values.
    pub p: f64,
}

/// Tests the mean of independent values by Student's t.
///
/// ```
/// use elbowroom_bench::strategies::student::t_test;
/// // With two values t has one degree of freedom, and p = 1 − (2/π) arctan t; t = 1 here.
/// assert!((t_test(&[0.0, 1.0]).p - 0.5).abs() < 1e-15);
/// ```
pub fn t_test(values: &[f64]) -> Tested {
    let (n, centre) = (values.len(), mean(values));
    if n < 2 {
        return Tested { mean: centre, half: f64::INFINITY, p: 1.0 };
    }
    let squares: f64 = values.iter().map(|v| (v - centre).powi(2)).sum();
    let error = (squares / (n * (n - 1)) as f64).sqrt();
    let p = match (error > 0.0, centre == 0.0) {
        (true, _) => 1.0 - central(centre.abs() / error, n - 1),
        (false, true) => 1.0,
        (false, false) => 0.0,
    };
    Tested { mean: centre, half: quantile(n - 1) * error, p }
}

/// The probability that |T| < t, by the finite sums for whole degrees of freedom (Abramowitz and Stegun 26.7.3 and 4).
fn central(t: f64, freedom: usize) -> f64 {
    let angle = (t / (freedom as f64).sqrt()).atan();
    let (sine, cosine) = angle.sin_cos();
    let is_odd = freedom % 2 == 1;
    // Even: 1 + ½ cos² + (1·3)/(2·4) cos⁴ + …; odd: cos + ⅔ cos³ + (2·4)/(3·5) cos⁵ + …
    let (mut term, mut sum, mut power) = if is_odd { (cosine, 0.0, 1) } else { (1.0, 0.0, 0) };
    while power + 2 <= freedom {
        sum += term;
        term *= (power + 1) as f64 / (power + 2) as f64 * cosine * cosine;
        power += 2;
    }
    if is_odd { 2.0 / PI * (angle + sine * sum) } else { sine * sum }
}

/// The bound on |t| that holds with probability 95 %, by bisection.
fn quantile(freedom: usize) -> f64 {
    let (mut low, mut high) = (0.0, 20.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if central(middle, freedom) < 0.95 { low = middle } else { high = middle }
    }
    low
}

/// Holm's correction of p values for their number.
///
/// ```
/// use elbowroom_bench::strategies::student::holm;
/// // 3 × 0.01, then 2 × 0.02, then the larger of that and 0.03.
/// assert_eq!(holm(&[0.03, 0.01, 0.02]), [0.04, 0.03, 0.04]);
/// ```
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&i, &j| p[i].total_cmp(&p[j]));
    let (mut corrected, mut so_far) = (vec![0.0; p.len()], 0.0f64);
    for (rank, &i) in order.iter().enumerate() {
        so_far = so_far.max((p.len() - rank) as f64 * p[i]).min(1.0);
        corrected[i] = so_far;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_t_are_those_of_printed_tables() {
        let expected = [(1, 12.706205), (2, 4.302653), (3, 3.182446), (9, 2.262157), (10, 2.228139), (39, 2.022691)];
        for (freedom, t) in expected {
            assert!((quantile(freedom) - t).abs() < 1e-6, "{freedom}: {}", quantile(freedom));
        }
    }

    #[test]
    fn p_values_of_three_values_have_a_closed_form() {
        // Mean 2, standard error 1/√3, t = 2√3; with two degrees of freedom p = 1 − t/√(2 + t²).
        let found = t_test(&[1.0, 2.0, 3.0]);
        assert_eq!(found.mean, 2.0);
        assert!((found.p - (1.0 - (12f64 / 14.0).sqrt())).abs() < 1e-14);
        assert!((found.half - 4.302653 / 3f64.sqrt()).abs() < 1e-6);
    }

    #[test]
    fn equal_values_are_surely_different_from_0_unless_they_are_0() {
        assert_eq!((t_test(&[0.0, 0.0]).p, t_test(&[1.0, 1.0]).p, t_test(&[1.0]).p), (1.0, 0.0, 1.0));
    }
}
