//! Penalizers: how much a pending point x_j lowers the acquisition at distance d.
//!
//! If f has Lipschitz constant L and maximum M, its maximizer is not inside the ball around x_j of radius
//! r_j = (M − f(x_j))/L. With f(x_j) ~ N(μ_j, s_j²) the chance that a point at distance d is outside is
//!
//! * **soft**, the paper's: φ = Φ((Ld − M + μ_j)/s_j). It is not 0 at x_j itself, and at least ½ where μ_j ≥ M.
//! * **truncated**: f(x_j) ≤ M holds with certainty, so condition on it: φ_T = 1 − Φ(a − t)/Φ(a), a = (M − μ_j)/s_j,
//!   t = Ld/s_j. It is 0 at x_j, grows with d, and becomes the soft one for a ≫ 1.
//! * **hard**: min(1, Ld/(|M − μ_j| + s_j)), smoothed by a norm of order −5 so that it has a gradient.
//!
//! All are computed in logarithms, with the slope in d (the printed gradient of the paper has the wrong sign and twice
//! the size; the correct one is h(z) L/s_j with the inverse Mills ratio h). φ_T takes several forms to avoid
//! cancellation.

use crate::normal::{erfcx, inverse_mills, ln_cdf, ln_cdf_and_mills, ln_pdf, log1mexp, softplus};
use serde::{Deserialize, Serialize};
use std::f64::consts::FRAC_1_SQRT_2;

/// The shape of a penalizer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PenalizerKind {
    /// The paper's.
    Soft,
    /// A cone, smoothed at its edge.
    Hard,
    /// The paper's, conditioned on f(x_j) ≤ M.
    Truncated,
}

/// The facts at a pending point that a penalizer needs, except the distance.
///
/// ```
/// use elbowroom::penalty::{Penalizer, PenalizerKind};
/// let p = Penalizer { kind: PenalizerKind::Soft, lipschitz: 2.0, best: 1.0, mean: 0.3, sd: 0.5 };
/// // Φ(0) = ½ at the distance (M − μ)/L.
/// assert!((p.ln_value_and_slope(0.35).0 - 0.5f64.ln()).abs() < 1e-15);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Penalizer {
    /// Its shape.
    pub kind: PenalizerKind,
    /// Lipschitz constant L in the units of the distance.
    pub lipschitz: f64,
    /// The maximum M of the function, or its estimate.
    pub best: f64,
    /// Posterior mean μ_j at the pending point.
    pub mean: f64,
    /// Posterior standard deviation s_j there; positive.
    pub sd: f64,
}

impl Penalizer {
    /// ln φ and its slope in the distance d ≥ 0. At d = 0 the hard and the truncated penalizer are −∞ with slope +∞.
    pub fn ln_value_and_slope(&self, d: f64) -> (f64, f64) {
        let (a, t, rate) = ((self.best - self.mean) / self.sd, self.lipschitz * d / self.sd, self.lipschitz / self.sd);
        match self.kind {
            PenalizerKind::Soft => {
                let (value, mills) = ln_cdf_and_mills(t - a);
                (value, mills * rate)
            }
            PenalizerKind::Hard => {
                let ratio = t / (a.abs() + 1.0);
                if ratio <= 0.0 {
                    return (f64::NEG_INFINITY, f64::INFINITY);
                }
                // ln φ = −⅕ softplus(−5 ln ratio); its slope in ln ratio is sigmoid(−5 ln ratio) = 1/(1 + ratio⁵).
                (-0.2 * softplus(-5.0 * ratio.ln()), 1.0 / (1.0 + ratio.powi(5)) / d)
            }
            PenalizerKind::Truncated => {
                let (value, slope) = ln_truncated(a, t);
                (value, slope * rate)
            }
        }
    }

    /// The mean radius of the exclusion ball: r_j = (M − μ_j)/L, not below 0.
    pub fn radius(&self) -> f64 {
        ((self.best - self.mean) / self.lipschitz).max(0.0)
    }
}

/// ln(1 − Φ(a − t)/Φ(a)) and its slope in t.
fn ln_truncated(a: f64, t: f64) -> (f64, f64) {
    if t <= 0.0 {
        return (f64::NEG_INFINITY, f64::INFINITY);
    }
    if t * (1.0 + a.abs()) < 1e-4 {
        // Near the centre the differences below cancel; three terms of a series in t leave an error of t⁴.
        return if a > 0.0 {
            // ∫ of the density over [a − t, a].
            let series = 1.0 + t * (0.5 * a + t * (a * a - 1.0) / 6.0);
            (ln_pdf(a) + t.ln() + series.ln() - ln_cdf(a), (t * (a - 0.5 * t)).exp() / (t * series))
        } else {
            // ln Φ(a) − ln Φ(a − t); (ln Φ)' = h and h' = −h(a + h).
            let h = inverse_mills(a);
            let b = a + h;
            let delta = h * t * (1.0 + t * (0.5 * b + t * (b * b + h * b - 1.0) / 6.0));
            (log1mexp(delta), inverse_mills(a - t) / delta.exp_m1())
        };
    }
    if a - t <= 0.0 {
        let delta = if a < 0.0 {
            t * (0.5 * t - a) + (erfcx(-a * FRAC_1_SQRT_2) / erfcx((t - a) * FRAC_1_SQRT_2)).ln()
        } else {
            ln_cdf(a) - ln_cdf(a - t)
        };
        return (log1mexp(delta), inverse_mills(a - t) / delta.exp_m1());
    }
    // Far inside the ball 1 − Φ(a − t)/Φ(a) is a difference of numbers near 1: use the other tail.
    let (ln_outside, mills) = ln_cdf_and_mills(t - a);
    let delta = ln_outside - ln_cdf(-a);
    (ln_outside + log1mexp(delta) - ln_cdf(a), mills / -(-delta).exp_m1())
}

/// ln φ at x for a pending point `center`, by Euclidean distance, and its gradient in x.
///
/// At the centre itself the direction is undefined; the gradient is 0 there.
///
/// ```
/// use elbowroom::penalty::{Penalizer, PenalizerKind, ln_penalizer};
/// let p = Penalizer { kind: PenalizerKind::Soft, lipschitz: 2.0, best: 1.0, mean: 0.3, sd: 0.5 };
/// let mut gradient = [0.0; 2];
/// let value = ln_penalizer(&p, &[0.1, 0.0], &[0.0, 0.0], &mut gradient);
/// assert!((value - -1.84102164500926).abs() < 1e-13 && (gradient[0] - 6.10054110464393).abs() < 1e-12);
/// ```
pub fn ln_penalizer(penalizer: &Penalizer, x: &[f64], center: &[f64], gradient: &mut [f64]) -> f64 {
    let d = x.iter().zip(center).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    let (value, slope) = penalizer.ln_value_and_slope(d);
    let slope = slope.min(f64::MAX);
    for ((g, a), b) in gradient.iter_mut().zip(x).zip(center) {
        *g = if d > 0.0 { slope * (a - b) / d } else { 0.0 };
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;
    use proptest::prelude::*;

    const KINDS: [PenalizerKind; 3] = [PenalizerKind::Soft, PenalizerKind::Hard, PenalizerKind::Truncated];

    fn golden(kind: PenalizerKind) -> Penalizer {
        Penalizer { kind, lipschitz: 2.0, best: 1.0, mean: 0.3, sd: 0.5 }
    }

    #[test]
    fn the_golden_values_hold_to_their_printed_digits() {
        // L = 2, M = 1, μ = 0.3, s = 0.5; from mpmath. Rows: d, ln φ, slope, ln φ_T, slope, ln φ_H.
        for [d, soft, soft_slope, truncated, truncated_slope, hard] in [
            [0.1, -1.84102164500926, 6.10054110464393, -2.46814296306229, 12.4249083289987, -1.79178518773899],
            [0.35, -std::f64::consts::LN_2, 3.19153824321146, -0.785099359057014, 3.80630761764570, -0.552068555575540],
            [
                1.0,
                -0.00467208523643940,
                0.0545863140078548,
                -0.00508357864843964,
                0.0594062291417127,
                -0.0149769626383431,
            ],
        ] {
            let close =
                |got: f64, want: f64| assert!((got - want).abs() < 2e-14 * want.abs().max(0.5), "{d}: {got} {want}");
            let (value, slope) = golden(PenalizerKind::Soft).ln_value_and_slope(d);
            close(value, soft);
            close(slope, soft_slope);
            let (value, slope) = golden(PenalizerKind::Truncated).ln_value_and_slope(d);
            close(value, truncated);
            close(slope, truncated_slope);
            close(golden(PenalizerKind::Hard).ln_value_and_slope(d).0, hard);
        }
        let (value, slope) = golden(PenalizerKind::Soft).ln_value_and_slope(0.0);
        assert!((value - -2.51631485298833).abs() < 1e-13 && (slope - 7.41622880670782).abs() < 1e-13);
        assert_eq!(golden(PenalizerKind::Truncated).ln_value_and_slope(0.0), (f64::NEG_INFINITY, f64::INFINITY));
        assert_eq!(golden(PenalizerKind::Hard).ln_value_and_slope(0.0).0, f64::NEG_INFINITY);
    }

    #[test]
    fn the_truncated_one_keeps_its_digits_where_the_naive_form_cancels() {
        // ln(1 − Φ(a−t)/Φ(a)) by mpmath.
        for (a, t, want) in TRUNCATED {
            let got = ln_truncated(a, t).0;
            // The rounding error of a difference of at least 1e-4, and of its logarithms.
            assert!((got - want).abs() <= 1e-12 * want.abs().max(1.0), "a={a} t={t}: {got} {want}");
        }
    }

    // Generated with mpmath (dps = 400, 1500 at a = 50): log(1 - ncdf(a - t)/ncdf(a)) over a, t.
    const TRUNCATED: [(f64, f64, f64); 96] = [
        (-200.0, 1e-09, -15.42492357196068),
        (-200.0, 3e-07, -9.721170997154497),
        (-200.0, 2e-06, -7.8242210057526),
        (-200.0, 0.01, -0.14539780759641008),
        (-200.0, 0.5, -3.2747690124713016e-44),
        (-200.0, 2.5, -3.091676372257962e-219),
        (-40.0, 1e-09, -17.033762376397295),
        (-40.0, 3e-07, -11.32998588173511),
        (-40.0, 2e-06, -9.432899896589213),
        (-40.0, 0.01, -1.1090239316144377),
        (-40.0, 0.5, -1.7965328403004176e-09),
        (-40.0, 2.5, -1.538450468086075e-45),
        (-40.0, 5.0, -4.584868479048784e-93),
        (-40.0, 12.0, -1.4309128530059274e-240),
        (-12.0, 1e-09, -18.23153137458229),
        (-12.0, 3e-07, -12.527750693925562),
        (-12.0, 2e-06, -10.630640909016872),
        (-12.0, 0.01, -2.172851958284083),
        (-12.0, 0.5, -0.0021033091286424333),
        (-12.0, 2.5, -3.409825926888004e-15),
        (-12.0, 5.0, -2.311307372128139e-32),
        (-12.0, 12.0, -7.826659830104196e-95),
        (-9.0, 1e-09, -18.51405526131897),
        (-9.0, 3e-07, -12.810274132162478),
        (-9.0, 2e-06, -10.913161797264053),
        (-9.0, 0.01, -2.4406384213712147),
        (-9.0, 0.5, -0.00934230124029878),
        (-9.0, 2.5, -5.844266529176728e-12),
        (-9.0, 5.0, -6.905561653901623e-26),
        (-9.0, 12.0, -2.905645673550503e-79),
        (-3.0, 1e-09, -19.534478150140735),
        (-3.0, 3e-07, -13.830696123984515),
        (-3.0, 2e-06, -11.93357868909782),
        (-3.0, 0.01, -3.43136153964651),
        (-3.0, 0.5, -0.18914178517308322),
        (-3.0, 2.5, -1.4067504055208538e-05),
        (-3.0, 5.0, -4.608467031217891e-13),
        (-3.0, 12.0, -2.7194396267692956e-48),
        (-0.5, 1e-09, -20.591292608807464),
        (-0.5, 3e-07, -14.88751020890128),
        (-0.5, 2e-06, -12.990390649016009),
        (-0.5, 0.01, -4.475712561658469),
        (-0.5, 0.5, -0.7219932994203635),
        (-0.5, 2.5, -0.004384749039058529),
        (-0.5, 5.0, -6.154701022337451e-08),
        (-0.5, 12.0, -1.209760184867688e-35),
        (0.0, 1e-09, -20.949057189591137),
        (0.0, 3e-07, -15.245274714934952),
        (0.0, 2e-06, -13.348154730049723),
        (0.0, 0.01, -4.830978205188375),
        (0.0, 0.5, -0.9599163336956223),
        (0.0, 2.5, -0.01249709506390489),
        (0.0, 5.0, -5.733033080966979e-07),
        (0.0, 12.0, -3.552964224155358e-33),
        (0.7, 1e-09, -21.610180427523954),
        (0.7, 3e-07, -15.906397848217765),
        (0.7, 2e-06, -14.009277268332456),
        (0.7, 0.01, -5.488599430978707),
        (0.7, 0.5, -1.444594140567962),
        (0.7, 2.5, -0.048559354488923324),
        (0.7, 5.0, -1.1265889295337664e-05),
        (0.7, 12.0, -8.655125786705588e-30),
        (3.0, 1e-09, -26.140853558686334),
        (3.0, 3e-07, -20.437070635530116),
        (3.0, 2e-06, -18.53994810064342),
        (3.0, 0.01, -10.007737201187528),
        (3.0, 0.5, -5.325413914114314),
        (3.0, 2.5, -1.178945700667929),
        (3.0, 5.0, -0.02304437759013915),
        (3.0, 12.0, -1.130113944543097e-19),
        (10.0, 1e-09, -71.64220436515109),
        (10.0, 3e-07, -65.93842039549452),
        (10.0, 2e-06, -64.041291910593),
        (10.0, 0.01, -55.47370917178282),
        (10.0, 0.5, -48.3133065825652),
        (10.0, 2.5, -31.0758909031288),
        (10.0, 5.0, -15.064998393988725),
        (10.0, 12.0, -0.02301290932896349),
        (30.0, 1e-09, -471.6422043551511),
        (30.0, 3e-07, -465.9384173954915),
        (30.0, 2e-06, -464.04127191045967),
        (30.0, 0.01, -455.3703794548358),
        (30.0, 0.5, -439.4294749500187),
        (30.0, 2.5, -382.35944250888986),
        (30.0, 5.0, -316.63940800802027),
        (30.0, 12.0, -165.8123732507142),
        (30.0, 60.0, -4.906713927148187e-198),
        (50.0, 1e-09, -1271.6422043451512),
        (50.0, 3e-07, -1265.9384143954856),
        (50.0, 2e-06, -1264.041251910193),
        (50.0, 0.01, -1255.2637324439709),
        (50.0, 0.5, -1229.946318908843),
        (50.0, 2.5, -1132.905110967517),
        (50.0, 5.0, -1017.2260942419524),
        (50.0, 12.0, -726.5572160188201),
        (50.0, 60.0, -7.619853024160525e-24),
    ];

    #[test]
    fn definition_1_of_the_paper_holds() {
        // 0 ≤ φ ≤ 1 and φ does not decrease with the distance, for every kind and over extreme parameters.
        let mut s = Stream::new(11);
        for _ in 0..2000 {
            let p = Penalizer {
                kind: KINDS[s.below(3)],
                lipschitz: (6.0 * s.normal()).exp(),
                best: 3.0 * s.normal(),
                mean: 3.0 * s.normal(),
                sd: (5.0 * s.normal()).exp(),
            };
            let mut last = f64::NEG_INFINITY;
            for i in 0..60 {
                let d = if i == 0 { 0.0 } else { 1e-8 * 1.5f64.powi(i) };
                let (value, slope) = p.ln_value_and_slope(d);
                assert!(value <= 0.0 && slope >= 0.0, "{p:?} {d}: {value} {slope}");
                assert!(value >= last - 1e-12 * last.abs(), "{p:?} {d}: {value} after {last}");
                last = value;
            }
        }
    }

    #[test]
    fn proposition_1_of_the_paper_agrees_with_monte_carlo() {
        // The chance that a point at distance d is outside the ball of radius (M − f_j)/L, f_j ~ N(μ_j, s_j²): all
        // draws for the soft penalizer, those with f_j ≤ M for the truncated one.
        let (n, d) = (400_000, 0.3);
        let p = golden(PenalizerKind::Soft);
        let mut s = Stream::new(5);
        let (mut outside, mut below, mut outside_below) = (0.0, 0.0, 0.0);
        for _ in 0..n {
            let f = p.mean + p.sd * s.normal();
            let is_outside = d >= (p.best - f) / p.lipschitz;
            outside += f64::from(u8::from(is_outside));
            if f <= p.best {
                below += 1.0;
                outside_below += f64::from(u8::from(is_outside));
            }
        }
        let check = |kind: PenalizerKind, share: f64, n: f64| {
            let value = golden(kind).ln_value_and_slope(d).0.exp();
            assert!((value - share).abs() < 4.0 * (value * (1.0 - value) / n).sqrt(), "{kind:?}: {value} {share}");
        };
        check(PenalizerKind::Soft, outside / f64::from(n), f64::from(n));
        check(PenalizerKind::Truncated, outside_below / below, below);
    }

    #[test]
    fn truncated_and_soft_agree_when_the_point_is_surely_below_the_maximum() {
        for a in [6.5, 8.0, 20.0] {
            for t in [0.1, 1.0, 5.0, 10.0, 30.0] {
                let soft = crate::normal::ln_cdf(t - a).exp();
                assert!((ln_truncated(a, t).0.exp() - soft).abs() < 1e-8);
            }
        }
    }

    proptest! {
        #[test]
        fn slopes_agree_with_central_differences(
            kind in 0usize..3, mean in -3.0f64..3.0, sd in 0.01f64..2.0, lipschitz in 0.1f64..20.0, d in 1e-3f64..3.0
        ) {
            let p = Penalizer { kind: KINDS[kind], lipschitz, best: 1.0, mean, sd };
            let h = 1e-5 * d.min(sd / lipschitz);
            let (value, slope) = p.ln_value_and_slope(d);
            let difference = (p.ln_value_and_slope(d + h).0 - p.ln_value_and_slope(d - h).0) / (2.0 * h);
            // Rounding of the two values, divided by the step.
            let rounding = 4e-16 * value.abs().max(1e-16) / h * 8.0;
            prop_assert!((slope - difference).abs() <= 1e-6 * slope + rounding + 1e-9, "{slope} {difference}");
        }

        #[test]
        fn the_gradient_points_away_from_the_centre(x in -1.0f64..1.0, y in -1.0f64..1.0, kind in 0usize..3) {
            let p = golden(KINDS[kind]);
            let mut gradient = [0.0; 2];
            ln_penalizer(&p, &[x, y], &[0.2, -0.1], &mut gradient);
            let h = 1e-6;
            let mut scratch = [0.0; 2];
            for k in 0..2 {
                let (mut up, mut down) = ([x, y], [x, y]);
                up[k] += h;
                down[k] -= h;
                let difference = (ln_penalizer(&p, &up, &[0.2, -0.1], &mut scratch)
                    - ln_penalizer(&p, &down, &[0.2, -0.1], &mut scratch)) / (2.0 * h);
                let distance = (x - 0.2).hypot(y + 0.1);
                prop_assume!(distance > 1e-2);
                prop_assert!((difference - gradient[k]).abs() < 1e-5 * (1.0 + gradient[k].abs()));
            }
        }
    }
}
