//! The truncated penalizer over several objectives.
//!
//! If objective k has the Lipschitz constant L_k, a point at distance d_k from a pending one has f_k ≤ f_k(x_j) + L_k
//! d_k. It can add to a front F only if f(x_j) + L d is not dominated by it. With independent normal f_k(x_j), and
//! given that f(x_j) itself is dominated by F, which includes the means of pending points,
//!
//! φ(d) = 1 − P(f(x_j) + L d dominated)/P(f(x_j) dominated) = (Q(d) − Q(0))/(1 − Q(0)),
//!
//! where Q is the chance of being undominated. It is 0 at x_j, rises with every distance and tends to 1. For one
//! objective with F = {M} it is the truncated penalizer φ_T. Logarithms are used, since Q is small far below the front.

use crate::normal::log1mexp;
use crate::pareto::Undominated;

/// Standard deviations beyond which Φ differs from 1 by less than 10⁻¹⁷.
const FAR: f64 = 8.5;

/// The facts at a pending point that the penalizer needs, except the distances.
///
/// ```
/// use elbowroom::{pareto::{Front, Undominated}, penalty::FrontBall};
/// let front = Front::new(&[vec![1.0, 4.0], vec![2.0, 3.0], vec![4.0, 1.0]], vec![0.0, 0.0]);
/// let region = Undominated::new(&front).expect("few boxes");
/// let ball = FrontBall::new(vec![0.5], region, vec![1.5, 2.0], vec![0.5, 0.7], vec![2.0, 1.5]);
/// let ln = ball.ln_value(&[0.1, 0.1], &mut [0.0; 2]);
/// assert!((ln - -1.7867986293713).abs() < 1e-12);
/// ```
#[derive(Debug, Clone)]
pub struct FrontBall {
    /// The pending point.
    pub center: Vec<f64>,
    region: Undominated,
    mean: Vec<f64>,
    sd: Vec<f64>,
    lipschitz: Vec<f64>,
    /// ln Q(0).
    ln_start: f64,
}

impl FrontBall {
    /// A ball around a point, given the region that the front leaves undominated, and a mean, a positive standard
    /// deviation and a Lipschitz constant for each objective.
    pub fn new(center: Vec<f64>, region: Undominated, mean: Vec<f64>, sd: Vec<f64>, lipschitz: Vec<f64>) -> Self {
        let ln_start = region.ln_chance(&mean, &sd, &mut vec![0.0; mean.len()]);
        Self { center, region, mean, sd, lipschitz, ln_start }
    }

    /// ln φ, given a distance for each objective; writes its slopes in these to `slopes`. At the centre it is −∞ with
    /// slopes 0.
    pub fn ln_value(&self, distances: &[f64], slopes: &mut [f64]) -> f64 {
        slopes.fill(0.0);
        let moved: Vec<f64> = (0..self.mean.len()).map(|k| self.mean[k] + self.lipschitz[k] * distances[k]).collect();
        let is_far = |((best, mean), sd): ((f64, &f64), &f64)| mean - best > FAR * sd;
        if self.region.best().zip(&moved).zip(&self.sd).any(is_far) {
            return 0.0;
        }
        let ln = self.region.ln_chance(&moved, &self.sd, slopes);
        let risen = ln - self.ln_start;
        if risen <= 0.0 {
            slopes.fill(0.0);
            return f64::NEG_INFINITY;
        }
        let over = -1.0 / (-risen).exp_m1();
        slopes.iter_mut().zip(&self.lipschitz).for_each(|(slope, lipschitz)| *slope *= over * lipschitz);
        ln + log1mexp(risen) - (-self.ln_start.exp()).ln_1p()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pareto::Front;
    use crate::penalty::{Penalizer, PenalizerKind};

    fn golden() -> FrontBall {
        let points = [[1.0, 4.0], [2.0, 3.0], [4.0, 1.0]].map(|p| p.to_vec());
        let region = Undominated::new(&Front::new(&points, vec![0.0, 0.0])).unwrap();
        FrontBall::new(vec![0.5], region, vec![1.5, 2.0], vec![0.5, 0.7], vec![2.0, 1.5])
    }

    /// In arbitrary precision (mpmath, 25 digits).
    #[test]
    fn the_penalizer_of_two_objectives_has_the_digits_of_its_closed_form() {
        for (d, expected, slope) in [
            (0.1, -1.7867986293713, 11.2400401137),
            (0.5, -0.14357556488769, 1.11961475232),
            (1.0, -5.8690037987526e-4, 0.00811692065247),
        ] {
            let mut slopes = [0.0; 2];
            let ln = golden().ln_value(&[d, d], &mut slopes);
            // 1 − φ of 10⁻⁴ keeps twelve digits of 1.
            assert!((ln - expected).abs() < 1e-12, "{ln} {expected}");
            assert!((slopes[0] + slopes[1] - slope).abs() < 1e-9, "{slopes:?} {slope}");
        }
    }

    #[test]
    fn over_one_objective_it_is_the_truncated_penalizer() {
        let region = Undominated::new(&Front::new(&[vec![1.0]], vec![f64::NEG_INFINITY])).unwrap();
        for (mean, sd) in [(0.3, 0.5), (-4.0, 0.5), (0.99, 0.1), (1.2, 0.4)] {
            let ball = FrontBall::new(vec![0.0], region.clone(), vec![mean], vec![sd], vec![2.0]);
            let one = Penalizer { kind: PenalizerKind::Truncated, lipschitz: 2.0, best: 1.0, mean, sd };
            for d in [1e-3, 0.01, 0.3, 1.0, 5.0] {
                let mut slope = [0.0];
                let (ln, (expected, by)) = (ball.ln_value(&[d], &mut slope), one.ln_value_and_slope(d));
                // Q(d) − Q(0) of numbers near 1 loses digits where the other form does not: 10⁻¹⁶ over the slope times d.
                assert!((ln - expected).abs() < 1e-11 * expected.abs().max(1.0), "{mean} {d}: {ln} {expected}");
                assert!((slope[0] - by).abs() < 1e-9 * by.max(1.0), "{mean} {d}: {} {by}", slope[0]);
            }
        }
    }

    #[test]
    fn it_is_nothing_at_the_centre_and_rises_to_one_with_every_distance() {
        let ball = golden();
        assert_eq!(ball.ln_value(&[0.0, 0.0], &mut [0.0; 2]), f64::NEG_INFINITY);
        assert_eq!(ball.ln_value(&[50.0, 0.1], &mut [0.0; 2]), 0.0);
        for k in 0..2 {
            let mut last = f64::NEG_INFINITY;
            for i in 1..40 {
                let mut distances = [0.01; 2];
                distances[k] = 0.05 * f64::from(i);
                let mut slopes = [0.0; 2];
                let ln = ball.ln_value(&distances, &mut slopes);
                assert!(ln >= last && ln <= 0.0 && slopes.iter().all(|s| *s >= 0.0), "{distances:?}: {ln} {last}");
                let h = 1e-6;
                let at = |by: f64| {
                    let mut moved = distances;
                    moved[k] += by;
                    ball.ln_value(&moved, &mut [0.0; 2])
                };
                // The difference is off by h² times a third derivative of up to 10³, and by rounding over h.
                let difference = (at(h) - at(-h)) / (2.0 * h);
                assert!((difference - slopes[k]).abs() < 1e-6 * slopes[k].max(1.0), "{difference} {}", slopes[k]);
                last = ln;
            }
        }
    }
}
