//! The normal law's functions compared with arbitrary precision and with each other, and at the edges.
//!
//! The tables come from mpmath with 80 digits; `data/normal.py` writes them.

use elbowroom::normal::*;
use proptest::prelude::*;

const EPS: f64 = f64::EPSILON;

/// The rows of a table: the argument, then the values in the order of the header.
fn rows(table: &'static str) -> impl Iterator<Item = Vec<f64>> {
    table.lines().skip(1).map(|row| row.split(',').map(|v| v.parse().unwrap()).collect())
}

/// Checks a column, and returns its worst error in units of EPS, relative to the value, or to 1 if `floor` is 1 and the
/// value is smaller. Values below the normal range are compared by the spacing of the numbers there.
fn worst_error(table: &'static str, name: &str, floor: f64, f: impl Fn(f64) -> f64) -> f64 {
    let column = table.lines().next().unwrap().split(',').position(|h| h == name).unwrap();
    let mut worst = (0.0, f64::NAN);
    let mut n = 0;
    for row in rows(table) {
        let (x, expected) = (row[0], row[column]);
        let got = f(x);
        n += 1;
        if got == expected {
            continue;
        }
        let scale = expected.abs().max(floor).max(f64::MIN_POSITIVE);
        let error = (got - expected).abs() / scale / EPS;
        assert!(error.is_finite(), "{name}({x:e}) = {got:e}, not {expected:e}");
        if error > worst.0 {
            worst = (error, x);
        }
    }
    assert!(n >= 300, "only {n} rows for {name}");
    println!("{name}: {:.2} eps = {:.1e} at {:e}", worst.0, worst.0 * EPS, worst.1);
    worst.0
}

/// The bound in EPS: half of one for each rounding on the longest path, one for exp, ln and their kin, one for a
/// polynomial, and what the rounding of 4 + x in the Mills ratio does near zero, where it moves x by up to 2 EPS:
/// 1.6 in R, whose logarithm has the slope -0.8 there, and 2.5 in its gap, with the slope -1.25.
#[test]
fn every_function_agrees_with_arbitrary_precision_from_tail_to_tail() {
    let table = include_str!("data/normal.csv");
    let check = |name: &str, floor: f64, bound: f64, f: &dyn Fn(f64) -> f64| {
        let worst = worst_error(table, name, floor, f);
        assert!(worst <= bound, "{name}: {worst} eps, more than {bound}");
    };
    check("pdf", 0.0, 3.0, &pdf);
    check("ln_pdf", 0.0, 2.0, &ln_pdf);
    check("cdf", 0.0, 6.0, &cdf);
    check("ln_cdf", 0.0, 6.0, &ln_cdf);
    check("inverse_mills", 0.0, 5.0, &inverse_mills);
    check("erfcx", 0.0, 6.0, &erfcx);
    check("ln_ei", 1.0, 6.0, &ln_ei);
    check("ei_slope_mean", 0.0, 8.0, &|u| ln_ei_slopes(u).0);
    check("ei_slope_sd", 0.0, 8.0, &|u| ln_ei_slopes(u).1);
    check("softplus", 0.0, 3.0, &softplus);
    check("ln_softplus", 1.0, 3.0, &ln_softplus);
    check("ln_softplus_slope", 0.0, 4.0, &ln_softplus_slope);
    check("sigmoid", 0.0, 3.0, &sigmoid);
}

#[test]
fn quantile_has_full_accuracy_from_the_smallest_number_to_one() {
    let worst = worst_error(include_str!("data/normal_quantile.csv"), "quantile", 0.0, quantile);
    assert!(worst <= 3.0, "{worst} eps");
}

#[test]
fn log1mexp_keeps_its_digits_for_small_and_large_arguments() {
    let worst = worst_error(include_str!("data/normal_log1mexp.csv"), "log1mexp", 0.0, log1mexp);
    assert!(worst <= 3.0, "{worst} eps");
}

/// Away from the two zeros the logarithms are relatively accurate too, in particular far out.
#[test]
fn ln_ei_and_ln_softplus_lose_relative_accuracy_only_at_their_zeros() {
    for row in rows(include_str!("data/normal.csv")) {
        let (u, ei, sp) = (row[0], row[7], row[11]);
        if ei.abs() > 0.05 {
            assert!((ln_ei(u) / ei - 1.0).abs() < 20.0 * EPS, "ln_ei({u})");
        }
        if sp.abs() > 0.05 && sp.is_finite() {
            assert!((ln_softplus(u) / sp - 1.0).abs() < 20.0 * EPS, "ln_softplus({u})");
        }
    }
}

/// Values to 15 digits, computed with mpmath independently of the table.
#[test]
fn golden_values_are_met() {
    for (got, expected) in [
        (inverse_mills(-38.0), 38.0262794665759),
        (inverse_mills(-1e8), 1e8),
        (inverse_mills(-1.0), 1.52513527616098),
        (inverse_mills(0.0), 0.797884560802865),
        (inverse_mills(8.0), 5.0522710835369e-15),
        (ln_ei(-10.0), -55.5531220361224),
        (ln_ei(-50.0), -1258.74418286846),
        (ln_ei(-1000.0), -500014.734452091),
    ] {
        assert!((got / expected - 1.0).abs() < 1e-14, "{got} is not {expected}");
    }
}

/// By Laplace's expansion ln Φ(z) = -z²/2 - ln(√2π |z|) - 1/z² + …, and at 2⁵⁰⁰ the first term alone is left, 2⁹⁹⁹.
#[test]
fn ln_cdf_keeps_its_digits_in_the_far_tail() {
    assert_eq!(ln_cdf(-2f64.powi(500)), -2f64.powi(999));
    assert!(ln_cdf(37.0) < 0.0 && cdf(37.0) == 1.0);
}

#[test]
fn limits_are_taken_at_infinity() {
    let inf = f64::INFINITY;
    assert_eq!((pdf(-inf), pdf(inf)), (0.0, 0.0));
    assert_eq!((ln_pdf(-inf), ln_pdf(inf)), (-inf, -inf));
    assert_eq!((cdf(-inf), cdf(inf)), (0.0, 1.0));
    assert_eq!((ln_cdf(-inf), ln_cdf(inf)), (-inf, 0.0));
    assert_eq!((inverse_mills(-inf), inverse_mills(inf)), (inf, 0.0));
    assert_eq!(ln_cdf_and_mills(-inf), (-inf, inf));
    assert_eq!((erfcx(-inf), erfcx(inf)), (inf, 0.0));
    assert_eq!((ln_ei(-inf), ln_ei(inf)), (-inf, inf));
    assert_eq!((ln_ei_slopes(-inf), ln_ei_slopes(inf)), ((inf, inf), (0.0, 0.0)));
    assert_eq!((softplus(-inf), softplus(inf)), (0.0, inf));
    assert_eq!((ln_softplus(-inf), ln_softplus(inf)), (-inf, inf));
    assert_eq!((ln_softplus_slope(-inf), ln_softplus_slope(inf)), (1.0, 0.0));
    assert_eq!((sigmoid(-inf), sigmoid(inf)), (0.0, 1.0));
    assert_eq!((log1mexp(0.0), log1mexp(inf)), (-inf, 0.0));
    assert_eq!((quantile(0.0), quantile(1.0)), (-inf, inf));
}

#[test]
fn what_is_not_a_number_stays_so() {
    let functions: [fn(f64) -> f64; 13] = [
        pdf,
        ln_pdf,
        cdf,
        ln_cdf,
        inverse_mills,
        erfcx,
        quantile,
        log1mexp,
        softplus,
        ln_softplus,
        ln_softplus_slope,
        sigmoid,
        ln_ei,
    ];
    for (i, f) in functions.iter().enumerate() {
        assert!(f(f64::NAN).is_nan(), "function {i}");
    }
    let (a, b) = ln_ei_slopes(f64::NAN);
    let (c, d) = ln_cdf_and_mills(f64::NAN);
    let (e, f, g) = ln_ei_with_slopes(f64::NAN);
    assert!([a, b, c, d, e, f, g].iter().all(|v| v.is_nan()));
    assert!([-1e-300, 1.0 + EPS, f64::INFINITY, -f64::INFINITY].iter().all(|&p| quantile(p).is_nan()));
    assert!(log1mexp(-1.0).is_nan());
}

/// An argument of any sign and size.
fn any_size() -> impl Strategy<Value = f64> {
    prop_oneof![
        -40.0..40.0,
        (-20.0..150.0, any::<bool>()).prop_map(|(e, up)| if up { 1.0 } else { -1.0 } * 10f64.powf(e))
    ]
}

/// f(x + h) - f(x - h) over 2h. The step balances h² of truncation against EPS/h of rounding: 1e-5 of the size of x.
fn slope(f: impl Fn(f64) -> f64, x: f64) -> f64 {
    let h = 1e-5 * x.abs().max(1.0);
    (f(x + h) - f(x - h)) / ((x + h) - (x - h))
}

proptest! {
    #[test]
    fn both_tails_add_up_to_one(z in any_size()) {
        prop_assert!((cdf(z) + cdf(-z) - 1.0).abs() <= EPS);
    }

    #[test]
    fn joint_functions_give_what_the_single_ones_give(z in any_size()) {
        prop_assert_eq!(ln_cdf_and_mills(z), (ln_cdf(z), inverse_mills(z)));
        let (a, b) = ln_ei_slopes(z);
        prop_assert_eq!(ln_ei_with_slopes(z), (ln_ei(z), a, b));
    }

    /// Up to 16 EPS, twice the accuracy of each value.
    #[test]
    fn functions_are_monotone(z in any_size(), gap in 0.0..1.0f64) {
        let w = z + gap * z.abs().max(1.0);
        let up = |f: fn(f64) -> f64| f(w) >= f(z) - 16.0 * EPS * f(z).abs();
        let down = |f: fn(f64) -> f64| f(w) <= f(z) + 16.0 * EPS * f(z).abs();
        prop_assert!(up(cdf) && up(ln_cdf) && up(softplus) && up(sigmoid));
        prop_assert!(up(|u| ln_ei(u).max(1.0)) && up(|u| ln_ei(u).min(-0.1)) && up(|a| ln_softplus(a).min(-0.1)));
        prop_assert!(down(inverse_mills) && down(erfcx) && down(ln_softplus_slope));
        prop_assert!(down(|u| ln_ei_slopes(u).0) && down(|u| ln_ei_slopes(u).1));
    }

    /// (ln Φ)' = φ/Φ. Truncation is h²/6 times the third derivative, h² relative at most |z|³h² ~ 1e-7 on this range,
    /// rounding EPS z²/h.
    #[test]
    fn the_slope_of_ln_cdf_is_the_inverse_mills_ratio(z in -1e3..6.0) {
        let h = inverse_mills(z);
        prop_assert!((slope(ln_cdf, z) - h).abs() <= 1e-7 * h + 1e-10, "{} {}", slope(ln_cdf, z), h);
    }

    /// (φ + uΦ)' = Φ.
    #[test]
    fn the_slope_of_ln_ei_is_its_first_slope(u in -1e3..30.0) {
        let a = ln_ei_slopes(u).0;
        prop_assert!((slope(ln_ei, u) - a).abs() <= 1e-7 * a, "{} {}", slope(ln_ei, u), a);
    }

    /// φ + uΦ = EI divided by EI.
    #[test]
    fn the_two_slopes_of_ln_ei_add_up(u in -30.0..1e6) {
        let (a, b) = ln_ei_slopes(u);
        prop_assert!((b + u * a - 1.0).abs() <= 10.0 * EPS * (b + (u * a).abs()));
    }

    /// ln(s EI(m/s)) as a function of s has the slope b/s: the part of the mean cancels.
    #[test]
    fn the_slope_in_the_deviation_is_the_second_slope(m in -20.0..3.0f64, s in 0.5..2.0f64) {
        let b = ln_ei_slopes(m / s).1 / s;
        let h = 1e-5;
        let f = |s: f64| s.ln() + ln_ei(m / s);
        let measured = (f(s + h) - f(s - h)) / (2.0 * h);
        prop_assert!((measured - b).abs() <= 1e-7 * (1.0 + b), "{measured} {b}");
    }

    #[test]
    fn the_slope_of_ln_softplus_is_a_logistic_ratio(a in -1e3..1e3) {
        let b = ln_softplus_slope(a);
        prop_assert!((slope(ln_softplus, a) - b).abs() <= 1e-8, "{} {}", slope(ln_softplus, a), b);
        prop_assert!((slope(softplus, a) - sigmoid(a)).abs() <= 1e-8);
    }

    #[test]
    fn softplus_is_a_ramp_plus_an_even_function(a in any_size()) {
        prop_assert!((softplus(a) - softplus(-a) - a).abs() <= 2.0 * EPS * softplus(a.abs()));
    }

    #[test]
    fn sigmoids_of_both_signs_add_up_to_one(a in any_size()) {
        prop_assert!((sigmoid(a) + sigmoid(-a) - 1.0).abs() <= EPS);
    }

    /// Down there Φ(z) is known to 6 EPS of itself, and z to that over φ/Φ, with what quantile adds. Above, only to
    /// EPS of 1 over φ(z).
    #[test]
    fn quantile_undoes_cdf(z in -37.5..7.0) {
        let back = quantile(cdf(z));
        let slack = if z < 0.0 { 6.0 * EPS / inverse_mills(z) } else { 6.0 * EPS / pdf(z) };
        prop_assert!((back - z).abs() <= slack + 3.0 * EPS * z.abs(), "{back} {z}");
    }

    /// 1 - p is exact for p ≥ 1/2.
    #[test]
    fn quantile_is_odd_around_one_half(p in 0.5..1.0) {
        prop_assert_eq!(quantile(p), -quantile(1.0 - p));
    }

    /// erfcx(x) = e^{x²} erfc(x), with the erfc of libm, where neither underflows; x² EPS is the rounding of the square.
    #[test]
    fn erfcx_is_a_scaled_erfc(x in -26.0..26.0f64) {
        let expected = (x * x).exp() * libm::erfc(x);
        prop_assert!((erfcx(x) / expected - 1.0).abs() <= (8.0 + 2.0 * x * x) * EPS);
    }

    #[test]
    fn ln_of_one_minus_exp_adds_up_with_its_complement(x in 1e-3..30.0) {
        prop_assert!((log1mexp(x).exp() + (-x).exp() - 1.0).abs() <= 4.0 * EPS);
    }
}
