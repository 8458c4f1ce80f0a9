//! The chance that a point gives a value: expectation propagation against exact values, and how the chance is used.

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

/// By mpmath with 30 digits, expectation propagation to its fixed point: Matérn-5/2, six points on a line, ℓ 0.3, σ² 4,
/// m 0.5. The exact ln Z and ln p (orthant probabilities) are given as well: the method's own error is 0.01 nats.
#[test]
fn on_a_line_the_fixed_point_is_the_one_computed_elsewhere() {
    let x = Points::from_rows(1, vec![0.05, 0.2, 0.35, 0.55, 0.75, 0.95]).unwrap();
    let hyper = hyper(4.0, &[0.3], 0.5);
    let seen = Probit::new(&x, &[true, true, true, false, false, true], &hyper, 0.0, Sites::new(6), EXACT).unwrap();
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
    let seen = Probit::new(&x, &answers, &hyper, 0.0, Sites::new(8), EXACT).unwrap();
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
    let seen = Probit::new(&x, &[true, false], &hyper, 0.0, Sites::new(2), EXACT).unwrap();
    assert_close(seen.ln_evidence, -1.73607050666244, 1e-11);
    // The quadrant itself, by our Φ₂, which another test compares with arbitrary precision.
    let s = (5f64.sqrt() * 0.3 / 0.3, 4.0);
    let k = s.1 * (1.0 + s.0 + s.0 * s.0 / 3.0) * (-s.0).exp();
    let exact = normal::cdf2(0.5 / 5f64.sqrt(), -0.5 / 5f64.sqrt(), -k / 5.0).ln();
    assert_close(exact, -1.73649328697928, 1e-10);
    assert_close(seen.ln_evidence, exact, 1e-3);
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
        let seen = Probit::new(&x, &[answer; 5], &hyper, 0.0, Sites::new(5), EXACT).unwrap();
        assert_close(seen.ln_evidence, ln_evidence, 1e-9);
        let latent = seen.posterior(&x, &hyper).unwrap();
        for (x, want) in [0.5, 0.4, 1.4].into_iter().zip(at) {
            assert_close(ln_p(&latent, &[x]), want, 1e-9);
        }
    }
}

/// By mpmath as above, with a lapse rate of 0.1, on the line and in the plane. In the plane the last failure is among
/// values and would have a precision of −0.059 (ln Z −5.32729793730038): both computations keep it at 0 and match the
/// mean.
#[test]
fn with_lapses_the_fixed_point_is_the_one_computed_elsewhere() {
    let x = Points::from_rows(1, vec![0.05, 0.2, 0.35, 0.55, 0.75, 0.95]).unwrap();
    let on_line = hyper(4.0, &[0.3], 0.5);
    let answers = [true, true, true, false, false, true];
    let seen = Probit::new(&x, &answers, &on_line, 0.1, Sites::new(6), EXACT).unwrap();
    assert_close(seen.ln_evidence, -4.13852986264075, 1e-10);
    let latent = seen.posterior(&x, &on_line).unwrap();
    for (x, want) in [(0.1, -0.10176418125151), (0.45, -0.50712154691113), (0.65, -1.0355241321788)] {
        assert_close(ln_p(&latent, &[x]), want, 1e-9);
    }

    let rows = [0.1, 0.2, 0.3, 0.8, 0.5, 0.5, 0.7, 0.1, 0.9, 0.6, 0.2, 0.5, 0.8, 0.9, 0.6, 0.3];
    let x = Points::from_rows(2, rows.to_vec()).unwrap();
    let in_plane = hyper(3.0, &[0.4, 0.6], 1.0);
    let answers = [true, true, true, true, false, true, false, false];
    let seen = Probit::new(&x, &answers, &in_plane, 0.1, Sites::new(8), EXACT).unwrap();
    // A precision of 10⁻⁹ instead of mpmath's 10⁻¹⁰ makes a difference of 2·10⁻¹⁰; but the variance (1 − R/τ)/τ at such
    // a site is known only to a rounding over τ, 2·10⁻¹⁶/10⁻⁹.
    assert_close(seen.ln_evidence, -5.327375356007, 2e-7);
    assert_close(seen.sites.shift[7], -0.617407520288, 2e-7);
    assert!((0.0..=1e-9).contains(&seen.sites.precision[7]), "{:?}", seen.sites.precision);
    let latent = seen.posterior(&x, &in_plane).unwrap();
    for (x, want) in
        [([0.25, 0.4], -0.08998290896845), ([0.75, 0.7], -0.9089866255048), ([0.62, 0.2], -0.3115142005442)]
    {
        assert_close(ln_p(&latent, &x), want, 2e-7);
    }
}

/// If the latent function is known to be a, the pull of a no on it is reduced to the share of a probit's pull that is
/// not chance, 1 − ε/(ε + (1 − ε)Φ(−a)), by scipy; and ln Z is that of one answer.
#[test]
fn a_lapse_takes_its_share_of_a_no() {
    let x = Points::from_rows(1, vec![0.5]).unwrap();
    for (a, share) in [(0.0, 0.181818181818), (1.0, 0.411879038714), (2.0, 0.830046909559), (3.0, 0.987996746233)] {
        let hyper = hyper(1e-9, &[0.3], a);
        let pull = |lapse: f64| {
            let seen = Probit::new(&x, &[false], &hyper, lapse, Sites::new(1), EXACT).unwrap();
            (seen.sites.shift[0], seen.ln_evidence)
        };
        let ((with, ln_z), (without, ln_phi)) = (pull(0.1), pull(0.0));
        assert_close(with / without, 1.0 - share, 1e-7);
        assert_close(ln_z.exp(), 0.1 + 0.9 * ln_phi.exp(), 1e-9);
        assert_close(ln_z.exp(), 0.1 / share, 1e-8);
    }
}

#[test]
fn with_lapses_all_numbers_are_finite_in_every_tail() {
    let x = Points::from_rows(1, (0..8).map(|i| f64::from(i) / 7.0).collect()).unwrap();
    for mean in [0.0, 1.0, -1.0, 9.0, -9.0, 40.0, -40.0, 1e4, -1e4, 1e8, -1e8] {
        for variance in [1e-9, 1.0, 1e4, 1e8] {
            for lapse in [1e-300, 1e-12, 0.01, 0.3, 0.999] {
                for answers in [[false; 8], [true; 8], [true, true, false, true, true, true, false, false]] {
                    let seen = Probit::new(
                        &x,
                        &answers,
                        &hyper(variance, &[0.3], mean * (1.0 + variance).sqrt()),
                        lapse,
                        Sites::new(8),
                        Sweeps { most: 20, tolerance: 0.01 },
                    );
                    let case = format!("mean {mean}, variance {variance}, lapse {lapse}, {answers:?}");
                    let seen = seen.unwrap_or_else(|| panic!("{case}"));
                    assert!(seen.ln_evidence.is_finite(), "{case}");
                    assert!(seen.sites.precision.iter().all(|tau| tau.is_finite() && *tau > 0.0), "{case}");
                    assert!(seen.sites.shift.iter().all(|nu| nu.is_finite()), "{case}");
                    let hyper = hyper(variance, &[0.3], mean * (1.0 + variance).sqrt());
                    assert!(ln_p(&seen.posterior(&x, &hyper).unwrap(), &[0.4]).is_finite(), "{case}");
                }
            }
        }
    }
}

mod learned {
    use super::*;
    use elbowroom::chance::Chance;
    use elbowroom::gp::Metric;
    use elbowroom::rng::Stream;

    fn trials(n: usize, dim: usize, seed: u64, succeeds: impl Fn(&[f64], &mut Stream) -> bool) -> (Points, Vec<bool>) {
        let mut draw = Stream::new(seed);
        let x = Points::from_rows(dim, (0..n * dim).map(|_| draw.uniform()).collect()).unwrap();
        let answers = x.iter().map(|u| succeeds(u, &mut draw)).collect();
        (x, answers)
    }

    fn chance(x: &Points, answers: &[bool]) -> Chance {
        Chance::learn(x, answers, &vec![Metric::Distance; x.dim()]).unwrap().unwrap()
    }

    #[test]
    fn a_region_that_fails_is_told_from_one_that_does_not() {
        for seed in 0..5 {
            let (x, answers) = trials(40, 2, seed, |u, _| u[0] + u[1] < 1.3);
            let chance = chance(&x, &answers);
            assert!(chance.weight_of_place() > 0.99, "{}", chance.weight_of_place());
            assert!(chance.ln_p(&[0.2, 0.3]).exp() > 0.85 && chance.ln_p(&[0.9, 0.95]).exp() < 0.2);
        }
    }

    #[test]
    fn failures_at_random_leave_the_chance_nearly_the_same_everywhere() {
        // A region moves ln p by nats (see above); chance should not move it by one, over the middle 95 % of the box.
        let mut spreads = Vec::new();
        for seed in 0..10 {
            let (x, answers) = trials(48, 2, 100 + seed, |_, draw| draw.uniform() > 0.3);
            let chance = chance(&x, &answers);
            let (probes, _) = trials(200, 2, 7, |_, _| true);
            let mut ln_p = chance.ln_p_many(&probes);
            ln_p.sort_by(f64::total_cmp);
            spreads.push(ln_p[194] - ln_p[5]);
        }
        spreads.sort_by(f64::total_cmp);
        assert!(spreads[5] < 0.5, "{spreads:?}");
    }

    #[test]
    fn a_region_is_seen_though_chance_fails_too_and_what_is_good_is_not_lost_for_it() {
        let (mut n_good, mut n_bad, mut passed, mut let_through) = (0, 0, 0, 0);
        for seed in 0..20 {
            // A quarter of the square fails, and a fifth of the other trials.
            let (x, answers) = trials(40, 2, 300 + seed, |u, draw| u[0] + u[1] < 1.3 && draw.uniform() > 0.2);
            let chance = chance(&x, &answers);
            let (probes, _) = trials(200, 2, 11, |_, _| true);
            for (u, ln_p) in probes.iter().zip(chance.ln_p_many(&probes)) {
                let is_passed = usize::from(chance.risk(ln_p) < 0.3);
                // The border itself is only known as exactly as the trials are dense.
                match u[0] + u[1] - 1.3 {
                    d if d < -0.15 => (n_good, passed) = (n_good + 1, passed + is_passed),
                    d if d > 0.15 => (n_bad, let_through) = (n_bad + 1, let_through + is_passed),
                    _ => {}
                }
            }
        }
        let share = |n: usize, of: usize| n as f64 / of as f64;
        let (passed, let_through) = (share(passed, n_good), share(let_through, n_bad));
        assert!(passed > 0.85 && let_through < 0.25, "{passed} {let_through}");
    }

    #[test]
    fn gradients_and_values_agree_with_each_other() {
        let (x, answers) = trials(25, 3, 3, |u, _| u[0] < 0.6 || u[2] > 0.7);
        let chance = chance(&x, &answers);
        let gate = chance.gate(0.0);
        let (probes, _) = trials(12, 3, 8, |_, _| true);
        for (u, many) in probes.iter().zip(chance.ln_p_many(&probes)) {
            assert_close(chance.ln_p(u), many, 1e-9 * many.abs().max(1.0));
            let mut gradient = vec![0.0; 3];
            let value = chance.add_weight_gradient(u, gate, &mut Scratch::default(), &mut gradient);
            let at = |k: usize, h: f64| {
                let mut u = u.to_vec();
                u[k] += h;
                Chance::weigh(chance.ln_p(&u), gate).0
            };
            assert_close(at(0, 0.0), value, 1e-7 * value.abs().max(1.0));
            for k in 0..3 {
                // Slopes of hundreds beyond the gate: a step of 10⁻⁶ has an error of 10⁻¹² times a third derivative.
                let difference = (at(k, 1e-6) - at(k, -1e-6)) / 2e-6;
                assert_close(gradient[k], difference, 2e-4 * difference.abs().max(1.0));
            }
        }
    }

    /// `data/chance.py`: mpmath, expectation propagation one site after the other to its fixed point, averaged over the
    /// whole grid. Here a dozen sweeps must do, and members with less than a twentieth of the weight of the best are
    /// left out, so ln p is accurate to a twentieth. With a flat prior of sharpness it is up to 87 % off (the script
    /// with other weights), with (0.05, 0.1, 0.25, 0.6) up to 14 %.
    #[test]
    fn the_average_over_the_grid_is_the_one_computed_elsewhere() {
        let cases: serde_json::Value = serde_json::from_str(include_str!("data/chance.json")).unwrap();
        let numbers = |v: &serde_json::Value| -> Vec<f64> { serde_json::from_value(v.clone()).unwrap() };
        let rows = |v: &serde_json::Value| -> Vec<Vec<f64>> { v.as_array().unwrap().iter().map(numbers).collect() };
        for case in cases.as_array().unwrap() {
            let x = rows(&case["x"]);
            let answers: Vec<bool> = serde_json::from_value(case["gave_value"].clone()).unwrap();
            let chance = chance(&Points::from_rows(x[0].len(), x.concat()).unwrap(), &answers);
            // After the last sweep ln Z₁ is accurate to a hundredth, and counts three times: 3w₁(1 − w₁)/100.
            assert_close(chance.weight_of_place(), case["weight_of_place"].as_f64().unwrap(), 0.0075);
            // Around a trial that failed among values, the members with lapses still move after the last sweep: 0.09 of
            // 0.77.
            let part = if case["name"] == "a border, and a failure far from it" { 0.125 } else { 0.05 };
            let wanted = numbers(&case["ln_p"]);
            assert_eq!(wanted.len(), rows(&case["at"]).len());
            for ((u, want), luck) in rows(&case["at"]).iter().zip(wanted).zip(numbers(&case["luck"])) {
                assert_close(chance.ln_p(u), want, part * want.abs());
                // The members with lapses have half the prior, so more of these are left out.
                assert_close(chance.luck(u), luck, 0.1);
            }
        }
    }

    #[test]
    fn the_average_is_that_of_bayes() {
        // One failed and one succeeded at the same point: no process distinguishes them better than a constant rate
        // does. p₀ = 3/5.
        let x = Points::from_rows(1, vec![0.5, 0.5]).unwrap();
        let chance = chance(&x, &[true, false]);
        assert!(chance.weight_of_place() < 0.8);
        assert!((chance.ln_p(&[0.5]).exp() - 0.6).abs() < 0.15, "{}", chance.ln_p(&[0.5]).exp());
    }

    #[test]
    fn trials_that_tell_nothing_of_each_other_leave_place_and_chance_as_they_were() {
        // So far apart that all are independent: every explanation gives each its rate, and the odds of a place are the
        // prior ones at that rate: ((1 + κ)e^1.2/(3p₀²))³, with κ = ½ for members with lapses.
        let x = Points::from_rows(1, (0..20).map(|i| 1e6 * f64::from(i)).collect()).unwrap();
        for n_failed in [1, 5, 13] {
            let answers: Vec<bool> = (0..20).map(|i| i >= n_failed).collect();
            let found = chance(&x, &answers);
            let rate = (22.0 - f64::from(n_failed)) / 23.0;
            let odds = (1.5 * 1.2f64.exp() / (3.0 * rate * rate)).powi(3);
            assert_close(found.weight_of_place(), odds / (1.0 + odds), 1e-3);
            // Far from all of them it is the rate itself.
            assert_close(found.ln_p(&[-1e6]).exp(), rate, 1e-6);
        }
    }

    #[test]
    fn a_failure_beside_a_value_is_bad_luck_and_one_beyond_a_border_is_not() {
        use elbowroom::batch::Tried;
        let at_random = trials(40, 2, 3, |_, draw| draw.uniform() > 0.2);
        let beyond = trials(40, 2, 3, |u, _| u[0] + u[1] < 1.2);
        for ((x, answers), is_luck) in [(at_random, true), (beyond, false)] {
            let failed: Vec<&[f64]> = x.iter().zip(&answers).filter(|(_, gave)| !**gave).map(|(u, _)| u).collect();
            let beside: Vec<Vec<f64>> = failed.iter().map(|u| u.iter().map(|v| v + 0.01).collect()).collect();
            let beside: Vec<&[f64]> = beside.iter().map(Vec::as_slice).collect();
            let mut tried = Tried { points: vec![], failed: failed.clone() };
            tried.forgive(&chance(&x, &answers), &beside);
            assert_eq!(tried.failed.len() < failed.len() / 2, is_luck, "{} of {}", tried.failed.len(), failed.len());
            // If no trial near it gave a value, a failure does not count as bad luck.
            let mut alone = Tried { points: vec![], failed: failed.clone() };
            alone.forgive(&chance(&x, &answers), &[&[5.0, 5.0]]);
            assert_eq!(alone.failed.len(), failed.len());
            // A single failure is never enough to tell.
            let mut few = Tried { points: vec![], failed: failed[..1].to_vec() };
            few.forgive(&chance(&x, &answers), &beside);
            assert_eq!(few.failed.len(), 1);
        }
    }

    #[test]
    fn a_failure_that_may_have_a_place_is_not_called_luck() {
        use elbowroom::batch::Tried;
        let (mut n_possible, mut n_luck) = (0, 0);
        for seed in 0..40 {
            let (x, answers) = trials(24, 2, seed, |_, draw| draw.uniform() > 0.25);
            let failed: Vec<&[f64]> = x.iter().zip(&answers).filter(|(_, gave)| !**gave).map(|(u, _)| u).collect();
            let chance = chance(&x, &answers);
            let mut tried = Tried { points: vec![], failed: failed.clone() };
            tried.forgive(&chance, &failed);
            let is_forgiven = tried.failed.len() < failed.len();
            if failed.iter().all(|u| chance.luck(u) < 0.95) {
                assert!(!is_forgiven, "seed {seed}: {}", chance.weight_of_place());
                n_possible += 1;
            }
            n_luck += usize::from(is_forgiven);
        }
        assert!(n_possible >= 3 && n_luck >= 3, "{n_possible} {n_luck}");
    }

    #[test]
    fn what_each_point_may_risk_is_less_where_many_trials_failed() {
        let (x, answers) = trials(40, 2, 1, |u, _| u[0] < 0.6);
        let chance = chance(&x, &answers);
        // 1 − r of the safest trial: at most a fifth failed, and more than that.
        let (few, many) = (chance.clone().among(20, 100), chance.among(21, 100));
        assert_close(few.gate(5.0) - many.gate(5.0), (0.93f64 / 0.965).ln(), 1e-12);
        assert_close(few.gate(0.0) - many.gate(5.0), (0.55f64 / 0.965).ln(), 1e-12);
        assert_close(many.gate(0.0) - many.gate(5.0), (0.74f64 / 0.965).ln(), 1e-12);
        assert_close(few.gate(0.1) - many.gate(0.1), (0.65f64 / 0.84).ln(), 1e-12);
    }

    #[test]
    fn the_gate_allows_the_same_risk_however_likely_a_place_is_and_lets_everything_pass_where_there_is_none() {
        // Trials without information about each other: the odds of a place are (1.5e^1.2/(3p₀²))³, 7.8 with one failure
        // in twenty and 670 with twelve; the risk at a gate is the permitted one.
        let x = Points::from_rows(1, (0..20).map(|i| 1e6 * f64::from(i)).collect()).unwrap();
        for (n_failed, is_place, alone, beside, least) in [(1, false, 0.45, 0.3, 0.07), (12, true, 0.26, 0.11, 0.035)] {
            let answers: Vec<bool> = (0..20).map(|i| i >= n_failed).collect();
            let chance = chance(&x, &answers);
            assert_eq!(chance.weight_of_place() > 0.9, is_place);
            assert_close(chance.risk(chance.gate(0.0)), alone, 1e-12);
            assert_close(chance.risk(chance.gate(0.15)), beside, 1e-12);
            assert_close(chance.risk(chance.gate(5.0)), least, 1e-12);
        }
        // Random failures among neighbours: a place is out of the question, and any of the points may be tried.
        let (x, answers) = trials(60, 2, 4, |_, draw| draw.uniform() > 0.2);
        let chance = chance(&x, &answers);
        assert!(chance.weight_of_place() < 0.1, "{}", chance.weight_of_place());
        let (probes, _) = trials(200, 2, 9, |_, _| true);
        assert!(chance.ln_p_many(&probes).into_iter().all(|ln_p| ln_p >= chance.gate(5.0)));
    }

    #[test]
    fn failures_by_chance_do_not_make_a_search_careful() {
        let risk = |gives: &dyn Fn(&[f64], &mut Stream) -> bool| {
            let (x, answers) = trials(60, 2, 4, gives);
            assert!(answers.iter().filter(|gave| !**gave).count() > 12, "more than a fifth");
            let found = chance(&x, &answers);
            found.risk(found.gate(0.0))
        };
        assert_close(risk(&|_, draw| draw.uniform() > 0.4), 0.45, 1e-12);
        assert_close(risk(&|u, _| u[0] + u[1] < 1.2), 0.26, 1e-12);
    }

    #[test]
    fn risk_is_counted_from_the_safest_trial_and_used_up_by_what_is_under_way() {
        let (x, answers) = trials(40, 2, 1, |u, _| u[0] < 0.6);
        let chance = chance(&x, &answers);
        assert!(chance.risk(chance.ln_p(&[0.9, 0.5])) > 0.8 && chance.risk(chance.ln_p(&[0.1, 0.5])) < 0.1);
        assert!(chance.gate(0.0) < chance.gate(0.1) && chance.gate(0.5) == chance.gate(5.0));
        assert_eq!(Chance::weigh(-0.5, -1.0), (-0.5, 1.0));
        assert!(Chance::weigh(-1.5, -1.0).0 < -100.0);
    }
}

mod studies {
    use elbowroom::space::{Parameter, SearchSpace};
    use elbowroom::study::{FailureRule, StrategyConfig, Study, StudyConfig, Trial, verify};

    fn square(seed: u64) -> StudyConfig {
        let parameters = vec![Parameter::float("x", 0.0, 1.0), Parameter::float("y", 0.0, 1.0)];
        StudyConfig::new(SearchSpace::new(parameters).unwrap()).seed(seed)
    }

    fn at(trial: &Trial, name: &str) -> f64 {
        trial.point.get(name).unwrap().as_f64().unwrap()
    }

    /// −x + (y − 0.4)², which fails beyond x = 0.6, where it is best; batches of 4. Returns how many failed after the
    /// design.
    fn run(mut study: Study, n: usize, infeasible: bool) -> (Study, usize) {
        let mut n_failed = 0;
        while study.trials().len() < n {
            for trial in study.ask(4).unwrap().trials {
                let (x, y) = (at(&trial, "x"), at(&trial, "y"));
                if x <= 0.6 {
                    study.tell(trial.id, -x + (y - 0.4).powi(2)).unwrap();
                    continue;
                }
                n_failed += usize::from(trial.id.0 >= 6);
                match infeasible {
                    true => study.infeasible(trial.id, "too far").unwrap(),
                    false => study.fail(trial.id, "exit code 1").unwrap(),
                }
            }
        }
        (study, n_failed)
    }

    #[test]
    fn the_search_learns_where_trials_fail_and_finds_what_lies_beside() {
        for infeasible in [false, true] {
            let (mut wasted, mut best) = (0, f64::INFINITY);
            for seed in 0..4 {
                let (study, n_failed) = run(Study::new(square(seed)).unwrap(), 40, infeasible);
                wasted += n_failed;
                best = best.min(study.best().unwrap().value().unwrap());
            }
            // Without learning, nearly all of 4 × 34 fail; 30 % of them would be 41.
            assert!(wasted <= 41, "{wasted}");
            assert!(best < -0.58, "{best}");
        }
    }

    #[test]
    fn failures_that_mean_nothing_teach_nothing() {
        let config = square(1).failures(FailureRule::Ignore);
        let (study, wasted) = run(Study::new(config).unwrap(), 40, false);
        assert!(study.chance().unwrap().is_none());
        assert!(wasted > 20, "{wasted}");
    }

    #[test]
    fn no_point_lies_beside_one_that_failed() {
        for strategy in StrategyConfig::all() {
            let (study, _) = run(Study::new(square(2).strategy(strategy.clone())).unwrap(), 28, false);
            let failed: Vec<&Trial> = study.trials().iter().filter(|t| at(t, "x") > 0.6).collect();
            for (i, a) in failed.iter().enumerate() {
                for b in &failed[..i] {
                    let far = (at(a, "x") - at(b, "x")).abs().max((at(a, "y") - at(b, "y")).abs());
                    assert!(far > 1e-3, "{}: {a:?} {b:?}", strategy.name());
                }
            }
        }
    }

    #[test]
    fn every_strategy_but_chance_itself_weighs_failures() {
        for strategy in StrategyConfig::all().into_iter().filter(|s| s.name() != "random") {
            let waste = |rule: FailureRule| {
                let config = square(3).strategy(strategy.clone()).failures(rule);
                run(Study::new(config).unwrap(), 30, false).1
            };
            let (learned, ignored) = (waste(FailureRule::Learn), waste(FailureRule::Ignore));
            assert!(learned < ignored && learned <= 12, "{}: {learned} of 24, {ignored}", strategy.name());
        }
    }

    #[test]
    fn suggestions_with_failures_come_from_the_log_alone() {
        for strategy in StrategyConfig::all() {
            let (study, _) = run(Study::new(square(4).strategy(strategy)).unwrap(), 20, false);
            assert_eq!(verify(study.events()).unwrap(), []);
        }
    }

    #[test]
    fn without_a_failure_the_setting_changes_nothing() {
        let points = |rule: FailureRule| {
            let mut study = Study::new(square(5).failures(rule)).unwrap();
            for _ in 0..5 {
                for trial in study.ask(3).unwrap().trials {
                    study.tell(trial.id, (at(&trial, "x") - 0.3).powi(2) + at(&trial, "y")).unwrap();
                }
            }
            study.trials().iter().map(|t| t.point.clone()).collect::<Vec<_>>()
        };
        assert_eq!(points(FailureRule::Learn), points(FailureRule::Ignore));
    }

    #[test]
    fn a_design_that_failed_wholly_is_left_for_places_that_are_not_near_it() {
        // Only a corner gives values: the points after the design keep away from failed points and from each other.
        let mut study = Study::new(square(6)).unwrap();
        let mut found = 0;
        for _ in 0..10 {
            for trial in study.ask(4).unwrap().trials {
                let (x, y) = (at(&trial, "x"), at(&trial, "y"));
                if x + y < 0.35 {
                    study.tell(trial.id, x - y).unwrap();
                    found += 1;
                } else {
                    study.fail(trial.id, "exit code 1").unwrap();
                }
            }
        }
        // The corner is 6 % of the box: 2.4 of 40 uniform points would be in it.
        assert!(found >= 8, "{found}");
        assert_eq!(verify(study.events()).unwrap(), []);
    }

    #[test]
    fn nothing_is_proposed_within_a_rounding_of_what_was_tried() {
        // A bowl with a kink, so that the search reaches its optimum and would then stay there.
        let mut study = Study::new(square(7)).unwrap();
        while study.trials().len() < 60 {
            for trial in study.ask(3).unwrap().trials {
                study.tell(trial.id, (at(&trial, "x") - 0.5).abs() + (at(&trial, "y") - 0.5).abs()).unwrap();
            }
        }
        let least = study.model().unwrap().posterior.hyper().lengthscales.iter().copied().fold(1.0, f64::min);
        for (i, a) in study.trials().iter().enumerate() {
            for b in &study.trials()[..i] {
                let apart = (at(a, "x") - at(b, "x")).hypot(at(a, "y") - at(b, "y"));
                assert!(apart > 1e-9 * least, "{a:?} {b:?}");
            }
        }
    }

    fn line(rule: FailureRule) -> Study {
        let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)]).unwrap();
        Study::new(StudyConfig::new(space).failures(rule)).unwrap()
    }

    #[test]
    fn a_lost_job_that_means_nothing_forbids_only_its_own_point() {
        // The optimum of a parabola fails once. If failures are ignored, the search may come as close to it as it
        // likes.
        let nearest = |rule: FailureRule| {
            let mut study = line(rule);
            let mut lost: Option<f64> = None;
            let mut nearest = f64::INFINITY;
            for _ in 0..25 {
                for trial in study.ask(1).unwrap().trials {
                    let x = at(&trial, "x");
                    if let Some(lost) = lost {
                        nearest = nearest.min((x - lost).abs());
                    } else if (x - 0.3).abs() < 5e-4 {
                        lost = Some(x);
                        study.fail(trial.id, "node lost").unwrap();
                        continue;
                    }
                    study.tell(trial.id, (x - 0.3).powi(2)).unwrap();
                }
            }
            assert!(lost.is_some());
            nearest
        };
        assert!(nearest(FailureRule::Learn) > 1e-3);
        let nearest = nearest(FailureRule::Ignore);
        assert!(nearest < 1e-3 && nearest > 0.0, "{nearest}");
    }

    #[test]
    fn failures_all_over_a_line_do_not_end_the_study() {
        let mut study = line(FailureRule::Learn);
        for i in 0..600 {
            let x = (f64::from(i) + 0.5) / 600.0;
            let trial = study.start(&elbowroom::space::Point::new().with("x", x)).unwrap();
            study.fail(trial.id, "exit code 1").unwrap();
        }
        let asked = study.ask(2).unwrap();
        assert_eq!((asked.trials.len(), asked.shortfall), (2, None));
    }
}
