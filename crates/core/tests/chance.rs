//! The chance that a point gives a value: expectation propagation against exact values, and what is made of it.

use elbowroom::gp::{Hyperparameters, KernelKind, Posterior, Probit, Scratch, Sites, Sweeps};
use elbowroom::linalg::Points;
use elbowroom::normal;

/// Sweeps until nothing moves.
const EXACT: Sweeps = Sweeps { most: 200, tolerance: 1e-13 };

fn hyper(variance: f64, lengthscales: &[f64], mean: f64) -> Hyperparameters {
    Hyperparameters { mean, ..Hyperparameters::new(KernelKind::Matern52, variance, lengthscales.to_vec(), 0.0) }
}

/// ln Φ(μ/√(1 + s²)) under a latent posterior.
fn ln_p(latent: &Posterior, x: &[f64]) -> f64 {
    let p = latent.predict(x);
    normal::ln_cdf(p.mean / (1.0 + p.variance).sqrt())
}

fn assert_close(got: f64, want: f64, tolerance: f64) {
    assert!((got - want).abs() <= tolerance, "{got} {want}");
}

/// mpmath, 30 digits, expectation propagation to its fixed point: Matérn-5/2, six points on a line, ℓ 0.3, σ² 4, m 0.5.
/// The exact ln Z and ln p (orthant probabilities) are beside it: the method's own error is 0.01 nats.
#[test]
fn on_a_line_the_fixed_point_is_the_one_computed_elsewhere() {
    let x = Points::from_rows(1, vec![0.05, 0.2, 0.35, 0.55, 0.75, 0.95]).unwrap();
    let hyper = hyper(4.0, &[0.3], 0.5);
    let seen = Probit::new(&x, &[true, true, true, false, false, true], &hyper, Sites::new(6), EXACT).unwrap();
    assert_close(seen.ln_evidence, -3.99111997028058, 1e-10);
    let precisions = [0.166846203155, 0.173175771816, 0.333377572752, 0.413409198642, 0.406081816391, 0.401970736828];
    for (got, want) in seen.sites.precision.iter().zip(precisions) {
        assert_close(*got, want, 1e-9);
    }
    let latent = seen.posterior(&x, &hyper).unwrap();
    for (x, mean, variance, ln_chance, exact) in [
        (0.1, 2.1191276952022, 1.6633428553889, -0.10209579390871, -0.098145),
        (0.45, 0.11912038795563, 1.1199817889316, -0.62998062550029, -0.630269),
        (0.65, -1.0521463598522, 1.0660935701273, -1.4606327011557, -1.453142),
    ] {
        let p = latent.predict(&[x]);
        assert_close(p.mean, mean, 1e-9);
        assert_close(p.variance, variance, 1e-9);
        assert_close(ln_p(&latent, &[x]), ln_chance, 1e-9);
        assert_close(ln_p(&latent, &[x]), exact, 0.01);
    }
}

/// As above, in the plane: ℓ (0.4, 0.6), σ² 3, m 1.
#[test]
fn in_the_plane_the_fixed_point_is_the_one_computed_elsewhere() {
    let rows = [0.1, 0.2, 0.3, 0.8, 0.5, 0.5, 0.7, 0.1, 0.9, 0.6, 0.2, 0.5, 0.8, 0.9, 0.6, 0.3];
    let x = Points::from_rows(2, rows.to_vec()).unwrap();
    let answers = [true, true, true, true, false, true, false, false];
    let hyper = hyper(3.0, &[0.4, 0.6], 1.0);
    let seen = Probit::new(&x, &answers, &hyper, Sites::new(8), EXACT).unwrap();
    assert_close(seen.ln_evidence, -5.3989167370991, 1e-10);
    let latent = seen.posterior(&x, &hyper).unwrap();
    for (x, want) in [([0.25, 0.4], -0.1064625601309), ([0.75, 0.7], -1.2726969230993), ([0.62, 0.2], -0.4757408774554)]
    {
        assert_close(ln_p(&latent, &x), want, 1e-9);
    }
}

/// Φ₂ for two points: exact ln Z −1.73649328697928; expectation propagation −1.73607050666244.
#[test]
fn two_answers_have_the_probability_of_a_quadrant() {
    let x = Points::from_rows(1, vec![0.3, 0.6]).unwrap();
    let hyper = hyper(4.0, &[0.3], 0.5);
    let seen = Probit::new(&x, &[true, false], &hyper, Sites::new(2), EXACT).unwrap();
    assert_close(seen.ln_evidence, -1.73607050666244, 1e-11);
    let latent = |x: f64| normal::cdf(x);
    // The quadrant itself, by our own Φ₂, which is tested elsewhere against arbitrary precision.
    let s = (5f64.sqrt() * 0.3 / 0.3, 4.0);
    let k = s.1 * (1.0 + s.0 + s.0 * s.0 / 3.0) * (-s.0).exp();
    let exact = normal::cdf2(0.5 / 5f64.sqrt(), -0.5 / 5f64.sqrt(), -k / 5.0).ln();
    assert_close(exact, -1.73649328697928, 1e-10);
    assert_close(seen.ln_evidence, exact, 1e-3);
    assert_close(latent(0.0), 0.5, 1e-16);
}

/// All of five failed, then all of five succeeded: mpmath as above.
#[test]
fn where_all_answers_agree_what_is_unknown_keeps_the_prior() {
    let x = Points::from_rows(1, vec![0.1, 0.3, 0.5, 0.7, 0.9]).unwrap();
    let hyper = hyper(4.0, &[0.3], 0.5);
    for (answer, ln_evidence, at) in [
        (false, -2.640753388618, [-2.281364341754, -2.265771750230, -0.6414685098093]),
        (true, -1.664987442589, [-0.08196961091968, -0.08321675534436, -0.4568256262901]),
    ] {
        let seen = Probit::new(&x, &[answer; 5], &hyper, Sites::new(5), EXACT).unwrap();
        assert_close(seen.ln_evidence, ln_evidence, 1e-9);
        let latent = seen.posterior(&x, &hyper).unwrap();
        for (x, want) in [0.5, 0.4, 1.4].into_iter().zip(at) {
            assert_close(ln_p(&latent, &[x]), want, 1e-9);
        }
    }
    let _ = Scratch::default();
}
