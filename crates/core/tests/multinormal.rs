//! The normal law of several variables, and the expected improvement of several points, compared with other integrals.
//!
//! Tables come from mpmath (two variables) and nested quadrature (three); `data/multinormal.py` writes them.

use elbowroom::acquisition::{
    ExpectedImprovement, LogAcquisition, QExpectedImprovement, QSamples, q_expected_improvement,
};
use elbowroom::normal::{Lattice, cdf, cdf_q, cdf2, cdf3};
use elbowroom::rng::Stream;

fn rows(table: &str) -> Vec<Vec<f64>> {
    table.lines().skip(1).map(|row| row.split(',').map(|v| v.parse().unwrap()).collect()).collect()
}

fn lattice() -> Lattice {
    Lattice::new(1024, 8, &Stream::new(5))
}

/// The mean over ten lattices, each with a different shift, and its standard error.
fn with_error(b: &[f64], covariance: &[f64]) -> (f64, f64) {
    let values: Vec<f64> =
        (0..10).map(|s| cdf_q(b, covariance, &Lattice::new(2048, 1, &Stream::new(100 + s)))).collect();
    let mean = values.iter().sum::<f64>() / 10.0;
    let spread: f64 = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 9.0;
    (mean, (spread / 10.0).sqrt())
}

fn equal_correlation(q: usize, rho: f64) -> Vec<f64> {
    (0..q * q).map(|i| if i % (q + 1) == 0 { 1.0 } else { rho }).collect()
}

/// A random mean and covariance, well conditioned.
fn law(q: usize, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let mut s = Stream::new(seed);
    let a: Vec<f64> = (0..q * q).map(|_| s.normal()).collect();
    let dot = |i: usize, j: usize| (0..q).map(|k| a[i * q + k] * a[j * q + k]).sum::<f64>() / q as f64;
    let covariance = (0..q * q).map(|at| dot(at / q, at % q) + if at % (q + 1) == 0 { 0.2 } else { 0.0 }).collect();
    ((0..q).map(|_| 0.5 * s.normal()).collect(), covariance)
}

#[test]
fn two_variables_agree_with_arbitrary_precision() {
    let mut worst: f64 = 0.0;
    let rows = rows(include_str!("data/multinormal_2.csv"));
    assert!(rows.len() > 300);
    for r in rows {
        let error = (cdf2(r[0], r[1], r[2]) - r[3]).abs();
        assert!(error <= 1e-15, "{r:?}: {}", cdf2(r[0], r[1], r[2]));
        worst = worst.max(error);
    }
    println!("cdf2: {worst:e}");
}

#[test]
fn three_variables_agree_with_nested_quadrature() {
    let mut worst: f64 = 0.0;
    let rows = rows(include_str!("data/multinormal_3.csv"));
    assert!(rows.len() > 30);
    for r in rows {
        let got = cdf3([r[0], r[1], r[2]], [r[3], r[4], r[5]]);
        let error = (got - r[6]).abs();
        assert!(error <= 1e-13, "{r:?}: {got}");
        worst = worst.max(error);
    }
    println!("cdf3: {worst:e}");
}

#[test]
fn limits_at_infinity_and_certain_correlations_reduce_the_dimension() {
    let (inf, x, y) = (f64::INFINITY, 0.3, -0.7);
    assert_eq!(cdf2(-inf, x, 0.4), 0.0);
    assert_eq!(cdf2(1e200, -1e200, 0.99), 0.0);
    assert_eq!(cdf2(x, y, 1.0), cdf(y));
    assert_eq!(cdf2(x, y, -1.0), 0.0);
    assert!((cdf2(x, -y, -1.0) - (cdf(x) - cdf(y))).abs() < 1e-16);
    assert_eq!(cdf3([x, inf, y], [0.1, 0.5, 0.2]), cdf2(x, y, 0.5));
    assert_eq!(cdf3([x, -inf, y], [0.1, 0.5, 0.2]), 0.0);
    // X₃ = X₂, X₃ = −X₂, and X₃ = (X₁ + X₂)/√2 with limits that X₁ and X₂ imply, or never meet.
    assert!((cdf3([x, y, 0.1], [0.4, 0.4, 1.0]) - cdf2(x, y, 0.4)).abs() < 1e-15);
    assert!((cdf3([x, 0.7, 0.1], [0.4, -0.4, -1.0]) - (cdf2(x, 0.7, 0.4) - cdf2(x, -0.1, 0.4))).abs() < 1e-15);
    let half = std::f64::consts::FRAC_1_SQRT_2;
    assert!((cdf3([x, y, 1.0], [0.0, half, half]) - cdf(x) * cdf(y)).abs() < 1e-13);
    assert!((cdf3([5.0, 5.0, -0.3], [0.0, half, half]) - cdf(-0.3)).abs() < 1e-6);
    let covariance = equal_correlation(4, 0.3);
    assert_eq!(cdf_q(&[x, inf, y, inf], &covariance, &lattice()), cdf2(x, y, 0.3));
    assert_eq!(cdf_q(&[], &[], &lattice()), 1.0);
    assert_eq!(cdf_q(&[0.0, -inf, 0.0, 0.0], &covariance, &lattice()), 0.0);
}

#[test]
fn equal_correlations_of_one_half_give_one_over_q_plus_one() {
    for q in 1..=10 {
        let (got, sd) = with_error(&vec![0.0; q], &equal_correlation(q, 0.5));
        let error = (got - 1.0 / (q as f64 + 1.0)).abs();
        println!("orthant of {q}: {error:e}, standard error {sd:e}");
        // Plain sampling with the same number of points would have a standard error near 2·10⁻³.
        assert!(error < 5.0 * sd + 1e-14 && sd < 4e-5, "{q}: {got}");
    }
}

#[test]
fn independent_variables_multiply() {
    for q in 1..=8 {
        let b: Vec<f64> = (0..q).map(|k| 0.4 * k as f64 - 1.0).collect();
        let want: f64 = b.iter().map(|b| cdf(*b)).product();
        assert!((cdf_q(&b, &equal_correlation(q, 0.0), &lattice()) - want).abs() < 1e-15, "{q}");
    }
}

/// From scipy's `multivariate_normal`, whose own error here is below 10⁻⁶ (`multinormal.py scipy`).
#[test]
#[rustfmt::skip]
fn several_variables_agree_with_scipy() {
    let cases: [(&[f64], &[f64], f64); 4] = [
        (&[2.1, 0.0, 3.8, 0.2], &[11.58, -1.16, -10.06, 1.02, -1.16, 4.63, -0.53, 2.57, -10.06, -0.53, 12.2, -2.1, 1.02, 2.57, -2.1, 2.25], 0.23654805969884787),
        (&[-4.4, 2.6, -0.9, -1.8], &[3.05, 1.85, 1.2, 0.6, 1.85, 4.29, -1.08, 0.1, 1.2, -1.08, 2.24, 0.12, 0.6, 0.1, 0.12, 1.97], 0.0012228241290377774),
        (&[-0.9, 1.9, 2.1, -5.6, -1.0], &[2.25, 0.45, -1.59, 0.13, -0.89, 0.45, 4.01, -0.92, -0.7, -2.44, -1.59, -0.92, 1.91, -1.2, 0.51, 0.13, -0.7, -1.2, 7.97, 3.36, -0.89, -2.44, 0.51, 3.36, 8.51], 0.0015138446901750127),
        (&[0.2, 2.1, 0.9, 6.4, 4.4, 2.5], &[5.91, 1.7, 1.26, 0.2, -0.66, -1.97, 1.7, 8.84, 0.02, 3.53, -2.2, -2.98, 1.26, 0.02, 3.88, -1.17, -4.35, 0.11, 0.2, 3.53, -1.17, 5.36, 0.79, -1.09, -0.66, -2.2, -4.35, 0.79, 6.75, 0.19, -1.97, -2.98, 0.11, -1.09, 0.19, 1.81], 0.27858968919051974),
    ];
    for (b, covariance, want) in cases {
        let (got, sd) = with_error(b, covariance);
        println!("scipy, {}: {:e}, standard error {sd:e}", b.len(), got - want);
        assert!((got - want).abs() < 5.0 * sd + 1e-6 && sd < 1e-4, "{got} {want}");
    }
}

#[test]
fn order_does_not_matter_and_a_larger_limit_is_no_less_likely() {
    let (b, covariance) = law(5, 3);
    let order = [3, 0, 4, 2, 1];
    let permuted: Vec<f64> = order.iter().map(|&i| b[i]).collect();
    let matrix: Vec<f64> =
        order.iter().flat_map(|&i| order.iter().map(move |&j| i * 5 + j)).map(|at| covariance[at]).collect();
    let got = cdf_q(&b, &covariance, &lattice());
    assert!((cdf_q(&permuted, &matrix, &lattice()) - got).abs() < 1e-14);
    for k in 0..5 {
        let mut more = b.clone();
        more[k] += 0.01;
        assert!(cdf_q(&more, &covariance, &lattice()) > got);
    }
    let r = [0.3, -0.2, 0.6];
    let swapped = cdf3([-0.4, 0.2, 0.9], [0.3, 0.6, -0.2]);
    assert!((cdf3([0.2, -0.4, 0.9], r) - swapped).abs() < 1e-15);
    assert_eq!(cdf2(0.2, -0.4, 0.95), cdf2(-0.4, 0.2, 0.95));
}

#[test]
fn a_singular_covariance_is_integrated_where_it_lives() {
    // Four variables of which two are copies: a cdf2; five with a sum to zero; all the same.
    let rho = 0.3;
    let r = |i: usize, j: usize| if i % 2 == j % 2 { 1.0 } else { rho };
    let covariance: Vec<f64> = (0..16).map(|at| r(at / 4, at % 4)).collect();
    let got = cdf_q(&[0.5, -0.1, 0.2, 0.4], &covariance, &lattice());
    assert!((got - cdf2(0.2, -0.1, rho)).abs() < 1e-5, "{got}");
    assert!((cdf_q(&[0.3, -0.2, 0.5, 0.1], &[1.0; 16], &lattice()) - cdf(-0.2)).abs() < 1e-13);
    // Variables with correlation −1/(q−1) add to 0, so they cannot all be below 0.
    let got = cdf_q(&[0.0; 5], &equal_correlation(5, -0.25), &lattice());
    assert!((0.0..1e-6).contains(&got), "{got}");
}

/// Values of qEI from ∫₀^∞ (1 − P(Y ≤ y⁺ + t)) dt by nested quadrature; p and H are printed to eight digits.
#[test]
fn improvement_of_two_and_three_points_has_all_digits() {
    let close = |got: &[f64], want: &[f64]| got.iter().zip(want).all(|(a, b)| (a - b).abs() < 6e-9);
    let two = q_expected_improvement(&[0.2, -0.1], &[1.0, 0.3, 0.3, 0.5], 0.4, &lattice());
    assert!((two.value - 0.34965424118278).abs() < 1e-13, "{}", two.value);
    assert!(
        close(&two.p, &[0.37882969, 0.12675217]) && close(&two.h, &[0.39902516, -0.10417487, -0.10417487, 0.30455205])
    );
    let three =
        q_expected_improvement(&[0.2, -0.1, 0.0], &[1.0, 0.3, 0.1, 0.3, 0.5, -0.2, 0.1, -0.2, 0.8], 0.4, &lattice());
    assert!((three.value - 0.4784903084350).abs() < 1e-12, "{}", three.value);
    assert!(close(&three.p, &[0.31702913, 0.11852309, 0.23364177]));
    let h = [
        0.36786220,
        -0.09355145,
        -0.09523673,
        -0.09355145,
        0.27925393,
        -0.01794441,
        -0.09523673,
        -0.01794441,
        0.31890709,
    ];
    assert!(close(&three.h, &h), "{:?}", three.h);
}

#[test]
fn one_point_has_the_expected_improvement_of_one() {
    for (mean, variance) in [(0.0, 1.0), (-2.0, 0.3), (1.5, 4.0), (0.7, 1e-4)] {
        let q = q_expected_improvement(&[mean], &[variance], 0.6, &lattice());
        let want = ExpectedImprovement { best: 0.6 }.ln_score(mean, f64::sqrt(variance)).value.exp();
        assert!((q.value - want).abs() < 1e-13 * (1.0 + want), "{mean} {variance}");
    }
}

/// The mean of 2¹⁶ samples has an error near 10⁻⁴ at most: five standard errors of plain sampling are 0.015.
#[test]
fn improvement_agrees_with_samples_of_it() {
    for q in 2..=6 {
        let (mean, covariance) = law(q, 40 + q as u64);
        let exact = q_expected_improvement(&mean, &covariance, 0.3, &lattice());
        let sampled = QSamples::new(q, 1 << 16, &Stream::new(9)).improvement(&mean, &covariance, 0.3);
        println!("q = {q}: {} {}", exact.value, sampled.value - exact.value);
        assert!((exact.value - sampled.value).abs() < 5e-4);
        for (a, b) in exact.p.iter().zip(&sampled.p) {
            assert!((a - b).abs() < 2e-3);
        }
        for (a, b) in exact.h.iter().zip(&sampled.h) {
            assert!((a - b).abs() < 1e-2, "{a} {b}");
        }
    }
}

/// Value, slopes in the means and in the covariances (both copies of an entry moved together).
fn check_slopes(q: usize, tolerance: f64, f: &dyn Fn(&[f64], &[f64]) -> QExpectedImprovement) {
    let (mean, covariance) = law(q, 70 + q as u64);
    let at = f(&mean, &covariance);
    let h = 1e-4;
    for i in 0..q {
        let moved = |d: f64| {
            let mut m = mean.clone();
            m[i] += d;
            f(&m, &covariance).value
        };
        let slope = (moved(h) - moved(-h)) / (2.0 * h);
        assert!((slope - at.p[i]).abs() < tolerance, "q = {q}, mean {i}: {slope} {}", at.p[i]);
        for j in 0..=i {
            let moved = |d: f64| {
                let mut c = covariance.clone();
                c[i * q + j] += d;
                if i != j {
                    c[j * q + i] += d;
                }
                f(&mean, &c).value
            };
            let slope = (moved(h) - moved(-h)) / (2.0 * h);
            let want = at.h[i * q + j] * if i == j { 0.5 } else { 1.0 };
            assert!((slope - want).abs() < tolerance, "q = {q}, covariance {i}, {j}: {slope} {want}");
        }
    }
}

/// Differences of second order: h² times a third derivative of order one; beyond three points the lattice's error, too.
#[test]
fn slopes_in_means_and_covariances_agree_with_differences() {
    for q in 1..=5 {
        check_slopes(q, if q <= 3 { 1e-7 } else { 2e-4 }, &|m, c| q_expected_improvement(m, c, 0.3, &lattice()));
    }
}

/// A sum of maxima has kinks; with few samples and a small step there are none in between.
#[test]
fn slopes_of_the_sampled_improvement_are_those_of_the_sum() {
    let samples = QSamples::new(12, 64, &Stream::new(2));
    let (mean, covariance) = law(12, 5);
    let at = samples.improvement(&mean, &covariance, 0.3);
    let product: f64 = at.h.iter().zip(&covariance).map(|(h, c)| h * c).sum::<f64>()
        + at.p.iter().zip(&mean).map(|(p, m)| p * (m - 0.3)).sum::<f64>();
    assert!((product - at.value).abs() < 1e-12);
    let d = 1e-7;
    for (i, j) in [(0, 0), (3, 1), (11, 11), (7, 10)] {
        let moved = |d: f64| {
            let mut c = covariance.clone();
            c[i * 12 + j] += d;
            if i != j {
                c[j * 12 + i] += d;
            }
            samples.improvement(&mean, &c, 0.3).value
        };
        let slope = (moved(d) - moved(-d)) / (2.0 * d);
        let want = at.h[i * 12 + j] * if i == j { 0.5 } else { 1.0 };
        assert!((slope - want).abs() < 1e-6, "{i}, {j}: {slope} {want}");
    }
}

#[test]
fn a_point_given_twice_counts_once_and_a_certain_one_raises_the_bar() {
    let once = q_expected_improvement(&[0.2, -0.1], &[1.0, 0.3, 0.3, 0.5], 0.4, &lattice());
    let c = [1.0, 0.3, 1.0, 0.3, 0.5, 0.3, 1.0, 0.3, 1.0];
    let twice = q_expected_improvement(&[0.2, -0.1, 0.2], &c, 0.4, &lattice());
    assert!((twice.value - once.value).abs() < 1e-15);
    assert!((twice.p.iter().sum::<f64>() - once.p.iter().sum::<f64>()).abs() < 1e-15);
    // Nearly the same: between one and the other, and finite.
    for gap in [1e-13, 1e-10, 1e-7, 1e-5] {
        let c = [1.0, 0.3, 1.0 - gap, 0.3, 0.5, 0.3, 1.0 - gap, 0.3, 1.0];
        let near = q_expected_improvement(&[0.2, -0.1, 0.2], &c, 0.4, &lattice());
        let gain = near.value - once.value;
        // E max(Y₁ − Y₃, 0) = √(2 gap/2π) at most, more by the jitter.
        assert!((-1e-9..=f64::sqrt(gap / 3.1) + 1e-5).contains(&gain), "{gap}: {gain}");
        assert!(near.p.iter().chain(&near.h).all(|v| v.is_finite()));
    }
    let sure = q_expected_improvement(&[0.2, 0.9], &[1.0, 0.0, 0.0, 0.0], 0.4, &lattice());
    let rest = q_expected_improvement(&[0.2], &[1.0], 0.9, &lattice());
    assert!((sure.value - (0.5 + rest.value)).abs() < 1e-15 && (sure.p.iter().sum::<f64>() - 1.0).abs() < 1e-15);
    let none = q_expected_improvement(&[0.2, 0.9], &[0.0; 4], 1.0, &lattice());
    assert_eq!((none.value, none.p), (0.0, vec![0.0; 2]));
}

#[test]
fn the_same_streams_give_the_same_bits() {
    let (mean, covariance) = law(5, 1);
    let one = || q_expected_improvement(&mean, &covariance, 0.0, &lattice());
    assert_eq!(one(), one());
}
