//! The chance that the results of a point are not dominated by a front, and how it rises along a direction.
//!
//! The results Y are independent and normal. Q = P(Y is undominated) is the sum over the undominated boxes, which reach
//! down to −∞ here because the reference point does not count. It is computed in logarithms, because Q is small where a
//! point lies far below the front.

use super::Front;
use super::cells::{Cells, UNBOUNDED};
use crate::normal::ln_between;

/// More boxes than this are not summed: they would take longer than everything else.
const MAX_BOXES: usize = 20_000;

/// The region that a front leaves undominated.
///
/// ```
/// use elbowroom::pareto::{Front, Undominated};
/// let front = Front::new(&[vec![0.0, 0.0]], vec![-1.0, -1.0]);
/// let region = Undominated::new(&front).expect("few boxes");
/// // Both results are below the only point with chance a quarter.
/// assert!((region.ln_chance(&[0.0, 0.0], &[1.0, 1.0], &mut [0.0, 0.0]).exp() - 0.75).abs() < 1e-15);
/// ```
#[derive(Debug, Clone)]
pub struct Undominated(Cells);

impl Undominated {
    /// The region of a front, whose reference point does not count; `None` if it has too many boxes.
    pub fn new(front: &Front) -> Option<Self> {
        let mut cells = Cells::new(front, MAX_BOXES)?;
        cells.levels.iter_mut().for_each(|levels| levels[0] = f64::NEG_INFINITY);
        Some(Self(cells))
    }

    /// ln of the chance that results with these means and standard deviations are undominated; writes its slopes in the
    /// means to `by_mean`.
    pub fn ln_chance(&self, mean: &[f64], sd: &[f64], by_mean: &mut [f64]) -> f64 {
        let Cells { levels, boxes } = &self.0;
        by_mean.fill(0.0);
        let mut own = vec![0.0; by_mean.len()];
        let (mut most, mut sum) = (f64::NEG_INFINITY, 0.0);
        for cell in boxes {
            let mut ln = 0.0;
            for (k, &(from, to)) in cell.iter().enumerate() {
                let z = |level: f64| (level - mean[k]) / sd[k];
                let above = if to == UNBOUNDED { f64::INFINITY } else { z(levels[k][to as usize]) };
                let band = ln_between(z(levels[k][from as usize]), above);
                ln += band.value;
                own[k] = -(band.by_low + band.by_high) / sd[k];
            }
            if ln == f64::NEG_INFINITY {
                continue;
            }
            if ln > most {
                let shrink = (most - ln).exp();
                by_mean.iter_mut().chain([&mut sum]).for_each(|v| *v *= shrink);
                most = ln;
            }
            let share = (ln - most).exp();
            sum += share;
            by_mean.iter_mut().zip(&own).for_each(|(slope, own)| *slope += share * own);
        }
        by_mean.iter_mut().for_each(|slope| *slope /= sum);
        most + sum.ln()
    }

    /// The best value of each objective on the front; −∞ if it is empty. A point above any of them is not dominated.
    pub fn best(&self) -> impl Iterator<Item = f64> + '_ {
        self.0.levels.iter().map(|levels| levels[levels.len() - 1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region() -> Undominated {
        let points = [[1.0, 4.0], [2.0, 3.0], [4.0, 1.0]].map(|p| p.to_vec());
        Undominated::new(&Front::new(&points, vec![0.0, 0.0])).unwrap()
    }

    /// In arbitrary precision (mpmath, 25 digits): the chance of being dominated at the mean, and ln of 1 − P(d)/P(0)
    /// with its slope in d where the mean moves by (2, 1.5) d.
    #[test]
    fn the_chance_along_a_direction_has_the_digits_of_its_closed_form() {
        let (region, mean, sd, along) = (region(), [1.5, 2.0], [0.5, 0.7], [2.0, 1.5]);
        let mut slopes = [0.0; 2];
        let ln = region.ln_chance(&mean, &sd, &mut slopes);
        assert!((1.0 - ln.exp() - 0.80088360604873).abs() < 1e-14);
        for (d, expected, slope) in [
            (0.1, -1.7867986293713, 11.2400401137),
            (0.5, -0.14357556488769, 1.11961475232),
            (1.0, -5.8690037987526e-4, 0.00811692065247),
        ] {
            let at = region.ln_chance(&[mean[0] + along[0] * d, mean[1] + along[1] * d], &sd, &mut slopes);
            let by = slopes[0] * along[0] + slopes[1] * along[1];
            let risen = at.exp() - ln.exp();
            assert!(((risen / (1.0 - ln.exp())).ln() - expected).abs() < 1e-12);
            assert!((by * at.exp() / risen / slope - 1.0).abs() < 1e-10, "{d}: {}", by * at.exp() / risen);
        }
    }

    #[test]
    fn the_chance_far_below_the_front_is_a_number() {
        let mut slopes = [0.0; 2];
        let ln = region().ln_chance(&[-30.0, -40.0], &[0.5, 0.5], &mut slopes);
        // The nearest way out is above 4 in the first objective: 68 deviations.
        assert!((ln - crate::normal::ln_cdf(-68.0)).abs() < 1e-9, "{ln}");
        assert!((slopes[0] / 136.0 - 1.0).abs() < 0.01 && slopes[1].abs() < 1e-9, "{slopes:?}");
    }
}
