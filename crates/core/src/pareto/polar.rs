//! The expected improvement of the hypervolume as a mean over directions.
//!
//! In a direction λ of the positive part of the unit sphere, a front reaches R(λ) = max_p min_k (p_k − r_k)₊/λ_k from
//! the reference point r, and the results Y of a point reach further if all Y_k − r_k > ρλ_k for some ρ > R. Over
//! uniform λ,
//!
//! EHVI = c_m E_λ ∫_R^∞ m ρ^{m−1} Π_k Φ((μ_k − r_k − ρλ_k)/s_k) dρ,   c_m = π^{m/2}/(2^m Γ(m/2 + 1)).
//!
//! The directions are fixed, so this is a smooth function of μ and s, with slopes that are exact for the mean over them. The
//! integrand is log-concave: it is integrated around its mode, as far as it exceeds e⁻³⁰ of its value there. There are
//! no boxes, so the cost of a value does not depend on the front. The mean over directions is off by some percent where
//! a point adds much, and by more where only a few directions see what it adds.

use super::improvement::Slopes;
use super::{Front, strip::Ln};
use crate::normal;

/// The number of directions.
const DIRECTIONS: usize = 64;

/// The integrand is followed until it has fallen by this many nats.
const FALL: f64 = 30.0;

/// Gauss–Legendre nodes and weights on [−1, 1]: the positive half of sixteen.
const GAUSS_16: [(f64, f64); 8] = [
    (0.095_012_509_837_637_44, 0.189_450_610_455_068_5),
    (0.281_603_550_779_258_9, 0.182_603_415_044_923_58),
    (0.458_016_777_657_227_37, 0.169_156_519_395_002_54),
    (0.617_876_244_402_643_7, 0.149_595_988_816_576_74),
    (0.755_404_408_355_003, 0.124_628_971_255_533_88),
    (0.865_631_202_387_831_8, 0.095_158_511_682_492_78),
    (0.944_575_023_073_232_6, 0.062_253_523_938_647_89),
    (0.989_400_934_991_649_9, 0.027_152_459_411_754_095),
];

/// A front as seen along directions.
#[derive(Debug, Clone)]
pub struct Polar {
    reference: Vec<f64>,
    /// λ and R(λ).
    directions: Vec<(Vec<f64>, f64)>,
    ln_factor: f64,
}

impl Polar {
    pub fn new(front: &Front) -> Self {
        let m = front.n_objectives();
        let reference = front.reference().to_vec();
        let reach = |lambda: &[f64]| {
            let of = |p: &Vec<f64>| {
                let along = p.iter().zip(&reference).zip(lambda).map(|((p, r), l)| (p - r).max(0.0) / l);
                along.fold(f64::INFINITY, f64::min)
            };
            front.points().iter().map(of).fold(0.0, f64::max)
        };
        let directions =
            directions(m).into_iter().map(|lambda| (reach(&lambda), lambda)).map(|(r, l)| (l, r)).collect();
        // c_m m / DIRECTIONS, by Γ(x + 1) = xΓ(x) down to Γ(1) = 1 or Γ(½) = √π.
        let half = 0.5 * m as f64;
        let start = if m.is_multiple_of(2) { 0.0 } else { 0.5 * std::f64::consts::PI.ln() };
        let ln_gamma =
            start + (0..m.div_ceil(2)).map(|i| half - i as f64).filter(|v| *v > 0.0).map(f64::ln).sum::<f64>();
        let ln_volume = half * std::f64::consts::PI.ln() - m as f64 * std::f64::consts::LN_2 - ln_gamma;
        Self { reference, directions, ln_factor: ln_volume + (m as f64 / DIRECTIONS as f64).ln() }
    }

    /// The logarithm, with its slopes added to those given, which must be 0.
    pub fn ln_value(&self, mean: &[f64], sd: &[f64], slopes: &mut Slopes) -> f64 {
        let m = mean.len();
        let gains: Vec<f64> = mean.iter().zip(&self.reference).map(|(mean, r)| mean - r).collect();
        let mut ray = Ray { gains: &gains, sd, lambda: &[], by_mean: vec![0.0; m], by_sd: vec![0.0; m] };
        let found: Vec<(f64, Vec<f64>, Vec<f64>)> = self
            .directions
            .iter()
            .map(|(lambda, reach)| {
                ray.lambda = lambda;
                (ray.integral(*reach), ray.by_mean.clone(), ray.by_sd.clone())
            })
            .collect();
        let most = found.iter().map(|(ln, ..)| *ln).fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = found.iter().map(|(ln, ..)| (ln - most).exp()).sum();
        for (ln, by_mean, by_sd) in &found {
            let share = (ln - most).exp() / sum;
            for k in 0..m {
                slopes.by_mean[k] += share * by_mean[k];
                slopes.by_sd[k] += share * by_sd[k];
            }
        }
        self.ln_factor + most + sum.ln()
    }
}

/// The integral along one direction.
struct Ray<'a> {
    gains: &'a [f64],
    sd: &'a [f64],
    lambda: &'a [f64],
    by_mean: Vec<f64>,
    by_sd: Vec<f64>,
}

impl Ray<'_> {
    /// ln of ρ^{m−1} Π Φ, its slope and its curvature.
    fn integrand(&self, rho: f64) -> Ln {
        let power = (self.gains.len() - 1) as f64;
        let mut ln = Ln { value: power * rho.ln(), by_mean: power / rho, by_sd: -power / (rho * rho) };
        for ((gain, sd), lambda) in self.gains.iter().zip(self.sd).zip(self.lambda) {
            let (z, by_rho) = ((gain - rho * lambda) / sd, lambda / sd);
            let (ln_cdf, h) = normal::ln_cdf_and_mills(z);
            ln.value += ln_cdf;
            ln.by_mean -= h * by_rho;
            ln.by_sd -= h * (h + z) * by_rho * by_rho;
        }
        ln
    }

    /// ln of the integral from R on; leaves its slopes in the fields.
    fn integral(&mut self, reach: f64) -> f64 {
        let mode = self.mode(reach);
        let top = self.integrand(mode);
        let lower = if mode > reach { self.end(mode, &top, reach - mode) } else { mode };
        let upper = self.end(mode, &top, f64::INFINITY);
        self.by_mean.fill(0.0);
        self.by_sd.fill(0.0);
        let sum = self.gauss(lower, mode, top.value) + self.gauss(mode, upper, top.value);
        self.by_mean.iter_mut().chain(&mut self.by_sd).for_each(|slope| *slope /= sum);
        top.value + sum.ln()
    }

    /// Where the integrand is largest, by Newton's method within a bracket; it need not be exact.
    fn mode(&self, reach: f64) -> f64 {
        if reach > 0.0 && self.integrand(reach).by_mean <= 0.0 {
            return reach;
        }
        let width = self.sd.iter().zip(self.lambda).map(|(s, l)| s / l).fold(f64::INFINITY, f64::min);
        let (mut low, mut high) = (reach, reach + width);
        while self.integrand(high).by_mean > 0.0 {
            (low, high) = (high, high + 2.0 * (high - reach));
        }
        let mut rho = 0.5 * (low + high);
        for _ in 0..40 {
            let at = self.integrand(rho);
            if at.by_mean > 0.0 {
                low = rho
            } else {
                high = rho
            }
            let newton = rho - at.by_mean / at.by_sd;
            let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
            if (next - rho).abs() <= 1e-3 * (-1.0 / at.by_sd).sqrt() {
                return next;
            }
            rho = next;
        }
        rho
    }

    /// How far from the mode the integrand matters, in the direction of `most` and at most that far.
    fn end(&self, mode: f64, top: &Ln, most: f64) -> f64 {
        let sign = most.signum();
        let scale = (-1.0 / top.by_sd).sqrt().min(if top.by_mean < 0.0 { -FALL / top.by_mean } else { f64::INFINITY });
        let mut step = scale;
        while step < most.abs() && top.value - self.integrand(mode + sign * step).value < FALL {
            step *= 1.5;
        }
        mode + sign * step.min(most.abs())
    }

    /// The integral over a part, relative to the top; its slopes are added to the fields.
    fn gauss(&mut self, from: f64, to: f64, top: f64) -> f64 {
        let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
        let mut sum = 0.0;
        for (node, weight) in GAUSS_16 {
            for rho in [middle - half * node, middle + half * node] {
                let term = half * weight * (self.integrand(rho).value - top).exp();
                sum += term;
                for k in 0..self.gains.len() {
                    let z = (self.gains[k] - rho * self.lambda[k]) / self.sd[k];
                    let slope = term * normal::inverse_mills(z) / self.sd[k];
                    self.by_mean[k] += slope;
                    self.by_sd[k] -= slope * z;
                }
            }
        }
        sum
    }
}

/// Directions spread evenly over the positive part of the sphere: normal quantiles of an additive sequence with the powers
/// of the root of x^{m+1} = x + 1 (Roberts, "The unreasonable effectiveness of quasirandom sequences", 2018).
fn directions(m: usize) -> Vec<Vec<f64>> {
    let root = (0..64).fold(1.5f64, |x, _| (1.0 + x).powf(1.0 / (m as f64 + 1.0)));
    let direction = |i: usize| {
        let part = |k: usize| (0.5 + (i + 1) as f64 * root.powi(-(k as i32 + 1))).fract();
        // |Φ⁻¹| of the upper half.
        let normal: Vec<f64> = (0..m).map(|k| normal::quantile(0.5 + 0.5 * part(k)).max(1e-6)).collect();
        let norm = normal.iter().map(|v| v * v).sum::<f64>().sqrt();
        normal.iter().map(|v| v / norm).collect()
    };
    (0..DIRECTIONS).map(direction).collect()
}
