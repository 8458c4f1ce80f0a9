//! The map from results to the values a model sees: scaled, and where that helps, warped.
//!
//! A Gaussian process expects values that look normal; results often span decades. With g = (y⁺ − y)/scale, the gap to
//! the best result, the warp is t = −ln(1 + g/c). It is increasing in y, does almost nothing for a large bend c, and
//! becomes a logarithm for a small one: it spreads out what is near the best and draws the bad tail in. The bend is
//! chosen by the evidence of the model, with the Jacobian of the map, so that every bend predicts the same results.

use serde::{Deserialize, Serialize};

/// The scale on which a model sees results.
///
/// ```
/// use elbowroom::study::OutcomeRule;
/// assert_eq!(serde_json::from_str::<OutcomeRule>(r#""centred""#)?, OutcomeRule::Centred);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeRule {
    /// With mean 0 and standard deviation 1, warped if the evidence says so.
    #[default]
    Warped,
    /// With mean 0 and standard deviation 1.
    Standardized,
    /// In their own units, less their mean, under a process of mean 0: the paper's way. Acquisitions that depend on the
    /// scale of results, such as a softplus, then do.
    ///
    /// Results whose squares come near the limits of floating point, the largest above 10⁵⁰ or below 10⁻⁵⁰ in magnitude,
    /// are divided by the largest magnitude.
    Centred,
}

/// A monotone map between results (to be maximized) and model values with mean 0 and, unless they are only centred,
/// standard deviation 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct OutcomeMap {
    best: f64,
    scale: f64,
    bend: Option<f64>,
    center: f64,
    spread: f64,
}

impl OutcomeMap {
    /// The map of a rule; a bend is for [`OutcomeRule::Warped`] alone.
    ///
    /// ```
    /// use elbowroom::study::{OutcomeMap, OutcomeRule};
    /// let map = OutcomeMap::by(OutcomeRule::Centred, &[1.0, 4.0, 7.0], None);
    /// assert_eq!((map.encode(7.0), map.decode(-3.0)), (3.0, 1.0));
    /// ```
    pub fn by(rule: OutcomeRule, y: &[f64], bend: Option<f64>) -> Self {
        match rule {
            OutcomeRule::Warped => Self::new(y, bend),
            OutcomeRule::Standardized => Self::new(y, None),
            OutcomeRule::Centred => Self::centred(y),
        }
    }

    /// The map that takes the mean away and leaves the units.
    fn centred(y: &[f64]) -> Self {
        let size = y.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        let scale = if size == 0.0 || (1e-50..=1e50).contains(&size) { 1.0 } else { size };
        let (best, _) = mean_and_sd(&y.iter().map(|v| v / scale).collect::<Vec<_>>());
        // The mean takes the place of the best result: without a warp any origin will do.
        Self { best: best * scale, scale, bend: None, center: 0.0, spread: 1.0 }
    }

    /// The map for these results; `bend` is the c of the warp in units of their standard deviation, none for no warp.
    ///
    /// Results of any size that floating point can hold are fine; results that are all equal are only centred.
    pub fn new(y: &[f64], bend: Option<f64>) -> Self {
        let best = y.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let best = if best.is_finite() { best } else { 0.0 };
        // Divided by the largest magnitude first: squares of 1e300 would overflow.
        let size = y.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        let relative: Vec<f64> = y.iter().map(|v| v / size).collect();
        let (_, sd) = mean_and_sd(&relative);
        // Where only rounding differs it must stay small, also at 1e300.
        let scale = if sd > 1e-12 && size > 0.0 { (sd * size).max(f64::MIN_POSITIVE) } else { (1e-12 * size).max(1.0) };
        let bend = bend.filter(|_| sd > 1e-12);
        let mut map = Self { best, scale, bend, center: 0.0, spread: 1.0 };
        let warped: Vec<f64> = y.iter().map(|&v| map.warp(v)).collect();
        let (center, spread) = mean_and_sd(&warped);
        map.center = if center.is_finite() { center } else { 0.0 };
        map.spread = if sd > 1e-12 && spread > 1e-12 { spread } else { 1.0 };
        map
    }

    /// The standard deviation of these results, which bends are in units of.
    pub(super) fn deviation(y: &[f64]) -> f64 {
        Self::new(y, None).scale
    }

    /// The model value of a result.
    pub fn encode(&self, y: f64) -> f64 {
        (self.warp(y) - self.center) / self.spread
    }

    /// The result that a model value stands for. Model values beyond what any result maps to give the limit.
    pub fn decode(&self, value: f64) -> f64 {
        let t = value * self.spread + self.center;
        let gap = match self.bend {
            None => -t,
            Some(c) => c * (-t).exp_m1(),
        };
        self.best - gap * self.scale
    }

    /// d result / d model value: turns a small standard deviation of the model into one of results.
    pub fn slope(&self, value: f64) -> f64 {
        let t = value * self.spread + self.center;
        self.spread * self.scale * self.bend.map_or(1.0, |c| c * (-t).exp())
    }

    /// ln |d model value / d result| summed over results: what the evidence of different maps must be compared with.
    pub fn ln_jacobian(&self, y: &[f64]) -> f64 {
        let constant = -(self.spread.ln() + self.scale.ln());
        y.iter().map(|&v| constant + self.bend.map_or(0.0, |c| -(c + self.gap(v)).ln())).sum()
    }

    /// The bend in use.
    pub fn bend(&self) -> Option<f64> {
        self.bend
    }

    fn gap(&self, y: f64) -> f64 {
        // Halves first: the difference of two results of opposite sign may overflow.
        2.0 * ((0.5 * self.best - 0.5 * y) / self.scale)
    }

    fn warp(&self, y: f64) -> f64 {
        let gap = self.gap(y);
        match self.bend {
            None => -gap,
            Some(c) => -(gap.max(-0.5 * c) / c).ln_1p(),
        }
    }
}

fn mean_and_sd(v: &[f64]) -> (f64, f64) {
    let n = v.len().max(1) as f64;
    let mean = v.iter().sum::<f64>() / n;
    let variance = v.iter().map(|a| (a - mean) * (a - mean)).sum::<f64>() / n;
    (mean, variance.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn decoding_undoes_encoding_and_order_is_kept(
            y in prop::collection::vec(-1e3f64..1e3, 2..20), bend in prop::option::of(1e-3f64..10.0)
        ) {
            let map = OutcomeMap::new(&y, bend);
            let mut sorted = y.clone();
            sorted.sort_by(f64::total_cmp);
            let encoded: Vec<f64> = sorted.iter().map(|&v| map.encode(v)).collect();
            prop_assert!(encoded.windows(2).all(|w| w[0] <= w[1] + 1e-9));
            for (&v, &e) in sorted.iter().zip(&encoded) {
                prop_assert!((map.decode(e) - v).abs() < 1e-7 * 1e3, "{v} {e} {}", map.decode(e));
            }
        }

        #[test]
        fn slope_and_jacobian_are_derivatives(
            y in prop::collection::vec(-10f64..10.0, 3..12), bend in prop::option::of(1e-2f64..10.0)
        ) {
            let map = OutcomeMap::new(&y, bend);
            prop_assume!(y.iter().any(|v| (v - y[0]).abs() > 0.5));
            let mut total = 0.0;
            for &v in &y {
                let h = 1e-6;
                // Below the best only: above it the map is continued, not differentiated.
                let difference = (map.encode(v) - map.encode(v - h)) / h;
                let exact = 1.0 / map.slope(map.encode(v));
                prop_assert!((difference - exact).abs() < 1e-3 * exact.abs().max(1.0), "{difference} {exact}");
                total += exact.ln();
            }
            prop_assert!((map.ln_jacobian(&y) - total).abs() < 1e-6 * total.abs().max(1.0));
        }
    }

    #[test]
    fn results_of_any_size_are_standardized() {
        for size in [1e300, 1.0, 1e-300] {
            for bend in [None, Some(0.1)] {
                let y = [-size, 0.5 * size, 0.9 * size, 0.0];
                let map = OutcomeMap::new(&y, bend);
                let z: Vec<f64> = y.iter().map(|&v| map.encode(v)).collect();
                let (mean, sd) = mean_and_sd(&z);
                assert!(mean.abs() < 1e-12 && (sd - 1.0).abs() < 1e-12, "{size}: {z:?}");
            }
        }
    }

    #[test]
    fn centring_keeps_units_but_for_results_whose_squares_would_overflow() {
        for (size, kept) in [(1.0, true), (1e40, true), (1e-40, true), (1e300, false), (1e-300, false)] {
            // Their mean is a quarter of the size.
            let y = [-size, 0.5 * size, size, 0.5 * size];
            let map = OutcomeMap::by(OutcomeRule::Centred, &y, Some(0.1));
            let unit = if kept { size } else { 1.0 };
            for (v, z) in y.iter().zip([-1.25, 0.25, 0.75, 0.25]) {
                assert!((map.encode(*v) - z * unit).abs() <= 1e-15 * unit, "{size}: {}", map.encode(*v));
                assert!((map.decode(z * unit) - v).abs() <= 1e-15 * size, "{size}: {}", map.decode(z * unit));
            }
            assert_eq!((map.bend(), map.slope(0.3 * unit)), (None, size / unit));
        }
    }

    #[test]
    fn equal_results_are_only_centred() {
        for v in [0.0, 5.0, -1e300] {
            let map = OutcomeMap::new(&[v, v, v], Some(0.1));
            assert_eq!(map.encode(v), 0.0);
            assert_eq!(map.decode(0.0), v);
        }
    }
}
