//! Posteriors compared with the textbook formulas in arbitrary precision; `data/gp_reference.py` writes the numbers.
//!
//! Three kernels, 12 points in 3 coordinates with different lengthscales, with and without a category, noisy and nearly
//! noiseless.

use elbowroom::data::Dataset;
use elbowroom::gp::{Hyperparameters, KernelKind, Metric, Noise, Posterior};
use elbowroom::linalg::Points;
use serde_json::Value;

fn numbers(v: &Value) -> Vec<f64> {
    v.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn points(v: &Value) -> Points {
    let rows: Vec<f64> = v.as_array().unwrap().iter().flat_map(numbers).collect();
    Points::from_rows(3, rows).unwrap()
}

/// A case of the table, with its posterior.
struct Case {
    name: String,
    gp: Posterior,
    queries: Points,
    expected: Value,
    /// Relative error of a solve with K: eps times the condition number (to first order; the factors of n in strict
    /// bounds assume that all roundings conspire). The condition number is at most
    /// tr K · tr K⁻¹; in the worst of the cases this is 2.2·10⁻¹⁶ · 21 · 107 = 5·10⁻¹³.
    solve_error: f64,
}

fn cases() -> Vec<Case> {
    let table: Value = serde_json::from_str(include_str!("data/gp_reference.json")).unwrap();
    let case = |c: &Value| {
        let (x, y) = (points(&c["x"]), numbers(&c["y"]));
        let n = y.len() as f64;
        let noise = c["noise"].as_f64().unwrap();
        let hyper = Hyperparameters {
            kernel: serde_json::from_value::<KernelKind>(c["kernel"].clone()).unwrap().into(),
            variance: c["variance"].as_f64().unwrap(),
            lengthscales: numbers(&c["lengthscales"]),
            noise: Noise::Equal(noise),
            mean: c["mean"].as_f64().unwrap(),
            metric: serde_json::from_value::<Vec<Metric>>(c["metric"].clone()).unwrap(),
            described: Vec::new(),
        };
        let condition = n * (hyper.variance + noise) * c["expected"]["inverse_trace"].as_f64().unwrap();
        let gp = Posterior::new(&Dataset::new(x, y).unwrap(), hyper).unwrap();
        assert_eq!(gp.jitter(), 0.0);
        Case {
            name: format!("{}, noise {noise:e}, {}", c["kernel"], c["metric"][2]),
            gp,
            queries: points(&c["queries"]),
            expected: c["expected"].clone(),
            solve_error: f64::EPSILON * condition,
        }
    };
    let cases: Vec<Case> = table.as_array().unwrap().iter().map(case).collect();
    assert_eq!(cases.len(), 12);
    cases
}

impl Case {
    /// Σ k|α| bounds the terms of the mean, so their rounding is relative to it.
    fn mean_scale(&self) -> f64 {
        self.gp.hyper().variance * self.gp.weights().iter().map(|a| a.abs()).sum::<f64>()
    }

    fn assert_near(&self, got: &[f64], expected: &[f64], tolerance: f64, what: &str) -> f64 {
        assert_eq!(got.len(), expected.len());
        let mut worst: f64 = 0.0;
        for (g, e) in got.iter().zip(expected) {
            let error = (g - e).abs();
            assert!(error <= tolerance, "{}: {what} {g} instead of {e}, off by {error:e} > {tolerance:e}", self.name);
            worst = worst.max(error);
        }
        println!("{}: {what} off by {worst:.1e}, allowed {tolerance:.1e}", self.name);
        worst
    }
}

#[test]
fn the_marginal_likelihood_is_the_textbooks() {
    for c in cases() {
        let expected = c.expected["ln_marginal_likelihood"].as_f64().unwrap();
        // The quadratic form yᵀα is at most twice |ln p| plus the determinant's share, itself below 100 here.
        let tolerance = c.solve_error * (100.0 + expected.abs());
        c.assert_near(&[c.gp.ln_marginal_likelihood()], &[expected], tolerance, "ln p");
    }
}

#[test]
fn means_and_variances_are_the_textbooks() {
    for c in cases() {
        let (means, variances) = c.gp.predict_many(&c.queries);
        let expected = numbers(&c.expected["mean"]);
        c.assert_near(&means, &expected, c.solve_error * c.mean_scale(), "mean");
        let m = expected.len();
        let covariance = numbers(&c.expected["covariance"]);
        let diagonal: Vec<f64> = (0..m).map(|i| covariance[i * m + i]).collect();
        c.assert_near(&variances, &diagonal, c.solve_error * c.gp.hyper().variance, "variance");
    }
}

#[test]
fn the_joint_law_is_the_textbooks() {
    for c in cases() {
        let joint = c.gp.joint(&c.queries);
        let expected = numbers(&c.expected["covariance"]);
        let tolerance = c.solve_error * c.gp.hyper().variance;
        c.assert_near(&joint.mean, &numbers(&c.expected["mean"]), c.solve_error * c.mean_scale(), "joint mean");
        c.assert_near(&joint.covariance, &expected, tolerance, "covariance");
        let between = c.gp.covariance_between(&c.queries, &c.queries);
        c.assert_near(&between, &expected, tolerance, "covariance between");
    }
}

#[test]
fn the_gradients_law_is_the_textbooks() {
    for c in cases() {
        // In lengthscales the kernel's slope is below σ_f² √3 (1, 5/3 and 3 are −2κ'(0)); the least ℓ is 1/4.
        let steepness = 3f64.sqrt() / 0.25;
        for (x, expected) in c.queries.iter().zip(c.expected["gradient"].as_array().unwrap()) {
            let g = c.gp.gradient_posterior(x);
            let mean = numbers(&expected["mean"]);
            c.assert_near(&g.mean, &mean, c.solve_error * c.mean_scale() * steepness, "mean gradient");
            let covariance = numbers(&expected["covariance"]);
            let tolerance = c.solve_error * c.gp.hyper().variance * steepness * steepness;
            c.assert_near(&g.covariance, &covariance, tolerance, "gradient covariance");
            if c.gp.hyper().metric[2] == Metric::Mismatch {
                assert_eq!(g.mean[2], 0.0);
                assert!((0..3).all(|i| g.covariance(2, i) == 0.0 && g.covariance(i, 2) == 0.0));
            }
        }
    }
}
