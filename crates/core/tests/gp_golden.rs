//! The posterior compared with numbers from GPy for Forrester's function with fixed hyperparameters.
//!
//! Kernel EQ with variance 1 and ℓ = 0.2, X = 0, ¼, ½, ¾, 1, y standardized with the population's deviation, noise
//! variance 10⁻⁶ and GPy's own 10⁻⁸ on the diagonal. GPy's deviations include the noise of an observation: they are
//! √(s² + 10⁻⁶). GPy minimized, this library maximizes: y is negated here, and with it the means and their slopes.
//!
//! The numbers have 12 decimals, so they are right to 5·10⁻¹³. The points are more than a lengthscale apart and K has a
//! condition number of about 10, so rounding in double precision, GPy's and ours, is a few times 10 · 2.2·10⁻¹⁶ of the
//! number: hence 5·10⁻¹³ plus 10⁻¹⁴ of the number.

use elbowroom::data::Dataset;
use elbowroom::gp::{Hyperparameters, KernelKind, Posterior, Scratch};
use elbowroom::linalg::Points;

const NOISE: f64 = 1e-6;

fn forrester() -> Posterior {
    let x = [0.0, 0.25, 0.5, 0.75, 1.0];
    let y = x.map(|x: f64| (6.0 * x - 2.0).powi(2) * (12.0 * x - 4.0).sin());
    let mean = y.iter().sum::<f64>() / 5.0;
    let sd = (y.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 5.0).sqrt();
    let negated = y.map(|v| -(v - mean) / sd).to_vec();
    let data = Dataset::new(Points::from_rows(1, x.to_vec()).unwrap(), negated).unwrap();
    Posterior::new(&data, Hyperparameters::new(KernelKind::Rbf, 1.0, vec![0.2], NOISE + 1e-8)).unwrap()
}

fn assert_printed(got: f64, printed: f64, what: &str) {
    let error = (got - printed).abs();
    assert!(error <= 5e-13 + 1e-14 * printed.abs(), "{what}: {got:.15} instead of {printed}, off by {error:e}");
}

#[test]
fn the_marginal_likelihood_is_that_of_gpy() {
    assert_printed(forrester().ln_marginal_likelihood(), -9.268515250050, "ln marginal likelihood");
    // Its data have the smallest value that GPy saw, with the opposite sign.
    assert_printed(forrester().values().iter().copied().fold(f64::MIN, f64::max), 1.2078666463841, "best value");
}

#[test]
fn predictions_and_their_slopes_are_those_of_gpy() {
    let gp = forrester();
    assert_eq!(gp.jitter(), 0.0);
    let mut scratch = Scratch::default();
    for (x, mean, sd, d_mean, d_sd) in [
        (0.1, -0.274482370463, 0.223958506251, -2.946516433402, 0.614574923705),
        (0.6, -0.890632039591, 0.189073500799, -6.907813766942, 0.798212037195),
        (0.9, 0.544560913738, 0.223958506251, 14.980725371804, -0.614574923705),
    ] {
        let p = gp.predict_gradient(&[x], &mut scratch);
        let noisy_sd = (p.variance + NOISE).sqrt();
        assert_printed(-p.mean, mean, "mean");
        assert_printed(noisy_sd, sd, "sd");
        assert_printed(-scratch.d_mean[0], d_mean, "slope of the mean");
        assert_printed(scratch.d_variance[0] / (2.0 * noisy_sd), d_sd, "slope of the sd");
    }
    for (x, mean, sd) in [(0.65, -1.19123920645, 0.190791132096), (0.85, -0.192590709504, 0.21160109138)] {
        let p = gp.predict(&[x]);
        assert_printed(-p.mean, mean, "mean");
        assert_printed((p.variance + NOISE).sqrt(), sd, "sd");
    }
}

#[test]
fn the_steepest_slope_is_where_and_what_gpy_says() {
    let gp = forrester();
    let (at, steepest) = (0.891520194896, 15.022466239509);
    let mut scratch = Scratch::default();
    let mut slope = |x: f64| {
        gp.mean_gradient(&[x], &mut scratch);
        scratch.d_mean[0].abs()
    };
    assert_printed(slope(at), steepest, "steepest slope");
    // No point of a fine grid is steeper, beyond the printed digits.
    for i in 0..=100_000 {
        assert!(slope(f64::from(i) * 1e-5) <= steepest + 1e-12);
    }
    // The third derivative of μ there is 1164 (by differences). An optimizer that stops when the value moves in its last
    // digits, 10⁻¹² or so, finds the place to √(2·10⁻¹²/1164) ≈ 4·10⁻⁸, and the second derivative is that times 1164.
    let mut hessian = [f64::NAN];
    gp.mean_hessian_times(&[at], &[1.0], &mut Scratch::default(), &mut hessian);
    assert!(hessian[0].abs() < 1164.0 * 4e-8, "{}", hessian[0]);
}
