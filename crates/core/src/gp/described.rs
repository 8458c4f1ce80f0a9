//! Categories with descriptors: numbers for each level that say which levels are alike.
//!
//! Two different levels z and z' of such a category are
//!
//! s(z, z') = [(1 − w) δ²(z, z') + w]/ℓ²
//!
//! apart, where δ² is the squared distance of their descriptors, 1 on average over all pairs. The share w of the mismatch is
//! learned like a lengthscale: near 0 the descriptors decide, near 1 all levels are equally far apart, as they are without
//! descriptors. The kernel stays valid, since level z is the point (√(1 − w) D_z, √(w/2) e_z)/ℓ of a Euclidean space, and w > 0
//! keeps levels with equal descriptors apart.
//!
//! ∂s/∂ ln ℓ = −2s,   ∂s/∂ logit w = w(1 − w)(1 − δ²)/ℓ².

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Prior;

/// Distances between the levels of one coordinate by their descriptors, and how much the descriptors count.
///
/// ```
/// use elbowroom::gp::Described;
/// let levels = Described::new(0, &[vec![0.0], vec![1.0], vec![3.0]]).with_weight(0.5);
/// // 1, 4 and 9, of which the mean is 14/3.
/// let at = |level: usize| (level as f64 + 0.5) / 3.0;
/// assert!((levels.share(at(0), at(1)) - (0.5 * 3.0 / 14.0 + 0.5)).abs() < 1e-15);
/// assert_eq!(levels.share(at(2), at(2)), 0.0);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Described {
    /// The coordinate; without descriptors it would be compared by mismatch.
    pub dim: usize,
    /// The share w of the mismatch.
    pub weight: f64,
    levels: Levels,
}

/// Squared distances of all pairs of levels, row by row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<f64>", into = "Vec<f64>")]
struct Levels {
    n: usize,
    squared: Arc<Vec<f64>>,
}

impl From<Vec<f64>> for Levels {
    fn from(squared: Vec<f64>) -> Self {
        Self { n: squared.len().isqrt(), squared: Arc::new(squared) }
    }
}

impl From<Levels> for Vec<f64> {
    fn from(levels: Levels) -> Self {
        levels.squared.to_vec()
    }
}

/// The range in which a fit searches for logit w.
pub(crate) const LOGIT_RANGE: (f64, f64) = (-6.0, 6.0);

impl Described {
    /// How many times longer a lengthscale is expected to be than that of a category without descriptors: √e, chosen
    /// from 1, √e and e on randomly drawn pools.
    pub(crate) const LONGER: f64 = 1.648_721_270_700_128_2;

    /// The law of the odds w/(1 − w): logit w is normal with mean 0 and standard deviation 1.5. (A log-normal density
    /// in the odds v has a factor 1/v, which adds σ² to the mean.) Chosen on randomly drawn pools: with a mean of −1,
    /// descriptors without information cost more than informative ones gained.
    pub(crate) const ODDS: Prior = Prior::LogNormal { mu: 1.5 * 1.5, sigma: 1.5 };

    /// Distances from the levels' positions in a Euclidean space, with the most likely weight. If all positions are
    /// equal, all levels are equally far apart.
    pub fn new(dim: usize, places: &[Vec<f64>]) -> Self {
        let n = places.len();
        let between = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        let mut squared: Vec<f64> = places.iter().flat_map(|a| places.iter().map(|b| between(a, b))).collect();
        let mean = squared.iter().sum::<f64>() / (n * n.saturating_sub(1)).max(1) as f64;
        if mean.is_normal() {
            squared.iter_mut().for_each(|s| *s /= mean);
        } else {
            squared = (0..n * n).map(|i| f64::from(u8::from(i / n != i % n))).collect();
        }
        Self { dim, weight: share_at(Self::ODDS.ln_mode()), levels: squared.into() }
    }

    /// The same distances with another weight w.
    pub fn with_weight(mut self, weight: f64) -> Self {
        self.weight = weight;
        self
    }

    /// (1 − w) δ² + w between the levels at two coordinates; 0 for one level.
    pub fn share(&self, a: f64, b: f64) -> f64 {
        self.between(self.level(a), self.level(b))
    }

    fn between(&self, a: usize, b: usize) -> f64 {
        if a == b { 0.0 } else { (1.0 - self.weight) * self.levels.squared[a * self.levels.n + b] + self.weight }
    }

    /// logit w.
    pub(crate) fn logit(&self) -> f64 {
        (self.weight / (1.0 - self.weight)).ln()
    }

    pub(super) fn level(&self, u: f64) -> usize {
        ((u * self.levels.n as f64) as usize).min(self.levels.n.saturating_sub(1))
    }

    /// The shares between one level and all levels.
    pub(super) fn shares(&self, level: usize) -> Vec<f64> {
        (0..self.levels.n).map(|other| self.between(level, other)).collect()
    }

    /// w(1 − w)(1 − δ²) between one level and all levels: the slopes of the shares in logit w.
    pub(super) fn slopes(&self, level: usize) -> Vec<f64> {
        let row = &self.levels.squared[level * self.levels.n..(level + 1) * self.levels.n];
        let slope = |(other, squared): (usize, &f64)| match other == level {
            true => 0.0,
            false => self.weight * (1.0 - self.weight) * (1.0 - squared),
        };
        row.iter().enumerate().map(slope).collect()
    }
}

/// w at logit w = t.
pub(crate) fn share_at(t: f64) -> f64 {
    1.0 / (1.0 + (-t).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gp::{Kernel, Matern52};

    #[test]
    fn distances_are_those_computed_elsewhere() {
        // Levels (.1, 1), (.4, 1.5), (2, .5) in standardized columns, w = .25, ℓ = .8: δ², s and Matérn-5/2 by mpmath.
        let rows = [[0.1, 1.0], [0.4, 1.5], [2.0, 0.5]];
        let standardized = |k: usize| {
            let mean = rows.iter().map(|row| row[k]).sum::<f64>() / 3.0;
            let sd = (rows.iter().map(|row| (row[k] - mean).powi(2)).sum::<f64>() / 3.0).sqrt();
            rows.map(|row| (row[k] - mean) / sd)
        };
        let (first, second) = (standardized(0), standardized(1));
        let places: Vec<Vec<f64>> = (0..3).map(|i| vec![first[i], second[i]]).collect();
        let described = Described::new(0, &places);
        for (a, b, squared, s, kernel) in [
            (0, 1, 0.27156549520767, 0.70886581469649, 0.61850438314396),
            (0, 2, 1.1150159744409, 1.6972843450479, 0.36611908607527),
            (1, 2, 1.6134185303514, 2.2813498402556, 0.27922424567452),
        ] {
            assert!((described.levels.squared[a * 3 + b] - squared).abs() < 1e-13);
            let share = described.clone().with_weight(0.25).share((a as f64 + 0.5) / 3.0, (b as f64 + 0.5) / 3.0);
            let found = share / (0.8 * 0.8);
            assert!((found - s).abs() < 1e-12, "{found}");
            assert!((Matern52.value_and_slope(found).0 - kernel).abs() < 1e-13);
        }
    }

    #[test]
    fn slopes_are_differences_of_shares() {
        let described = Described::new(0, &[vec![0.0, 1.0], vec![0.3, 0.2], vec![2.0, 0.0], vec![0.0, 1.0]]);
        let at = |t: f64| described.clone().with_weight(share_at(t)).shares(1);
        let (t, h) = (-0.4, 1e-5);
        let slopes = described.clone().with_weight(share_at(t)).slopes(1);
        for (level, slope) in slopes.into_iter().enumerate() {
            let difference = (at(t + h)[level] - at(t - h)[level]) / (2.0 * h);
            assert!((difference - slope).abs() < 1e-9, "{level}: {difference} {slope}");
        }
    }

    #[test]
    fn the_law_of_the_weight_is_normal_in_its_logit() {
        // −t²/(2 · 1.5²) up to a constant.
        let ln = |t: f64| Described::ODDS.ln_density(t).0;
        for t in [-4.0, -1.0, 2.5] {
            let want = -t * t / 4.5;
            assert!((ln(t) - ln(0.0) - want).abs() < 1e-12, "{t}");
        }
    }
}
