//! How the model of a limited result sees it: as the distance to the limit, compressed where it is far.
//!
//! What matters about a limited result is which side of its limit it is on. A stress that explodes in a corner of the
//! space would take up the whole scale, and the model could not resolve the limit. The map asinh((y − limit)/width) is
//! linear near the limit and logarithmic far from it, on both sides; it is increasing and smooth, so limits stay
//! limits. If the results are already smooth, bending them costs precision: the evidence decides.

use serde::{Deserialize, Serialize};

/// The width, in medians of the distance to the limit; half a median did no better (`crates/bench/results/limits.md`).
const WIDTH: f64 = 3.0;

/// A map from results to their distance from a limit.
///
/// ```
/// use elbowroom::study::Pivot;
/// let pivot = Pivot::of(&[-1.0, 2.0, 1e9], (f64::NEG_INFINITY, 0.0)).unwrap();
/// assert_eq!(pivot.encode(0.0), 0.0);
/// assert!((pivot.decode(pivot.encode(1e9)) / 1e9 - 1.0).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Pivot {
    at: f64,
    width: f64,
}

impl Pivot {
    /// The map of results around the limit of their band, or around its middle if it has two limits. None if most
    /// results are exactly at a single limit, or the band is the whole line.
    pub fn of(results: &[f64], (low, high): (f64, f64)) -> Option<Self> {
        let (at, least) = match (low.is_finite(), high.is_finite()) {
            (true, true) => (0.5 * low + 0.5 * high, 0.5 * high - 0.5 * low),
            (true, false) => (low, 0.0),
            (false, true) => (high, 0.0),
            (false, false) => return None,
        };
        let mut halves: Vec<f64> = results.iter().map(|y| (0.5 * y - 0.5 * at).abs()).collect();
        halves.sort_by(f64::total_cmp);
        let width = (2.0 * WIDTH * halves.get(halves.len() / 2)?).max(least);
        (width > 0.0 && width.is_finite()).then_some(Self { at, width })
    }

    /// The model value of a result.
    pub fn encode(&self, y: f64) -> f64 {
        let distance = (y - self.at) / self.width;
        if distance.is_finite() {
            return distance.asinh();
        }
        // The quotient overflows; use the logarithm that asinh approaches.
        let half = 0.5 * y - 0.5 * self.at;
        ((half.abs().ln() - self.width.ln()) + 4.0f64.ln()).copysign(half)
    }

    /// The result of a model value.
    pub fn decode(&self, value: f64) -> f64 {
        self.at + self.width * value.sinh()
    }

    /// d result / d model value, at a model value.
    pub fn slope(&self, value: f64) -> f64 {
        self.width * value.cosh()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::belief::{FitPlan, ModelConfig, Observations, ScaleRule};
    use crate::gp::KernelKind;
    use crate::linalg::Points;
    use crate::rng::Stream;
    use crate::space::{Parameter, SearchSpace};

    /// Whether the evidence chooses the map for results of this function on the unit interval, told in another unit.
    fn is_chosen(f: fn(f64) -> f64, unit: f64) -> bool {
        let x: Vec<f64> = (0..24).map(|i| f64::from(i) / 23.0).collect();
        let values: Vec<f64> = x.iter().map(|x| unit * f(*x)).collect();
        let pivot = Pivot::of(&values, (0.0, f64::INFINITY)).unwrap();
        let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)]).unwrap();
        let config = ModelConfig { scale: ScaleRule::Standardized, ..ModelConfig::default() };
        let (kernels, stream) = ([KernelKind::Matern52.into()], Stream::new(1));
        let plan = FitPlan { config: &config, kernels: &kernels, space: &space, warm: None, stream: &stream };
        let observations = Observations { x: Points::from_rows(1, x).unwrap(), values, noise: None };
        plan.fit_limited(&observations, pivot).unwrap().scale.pivot.is_some()
    }

    #[test]
    fn evidence_is_of_the_results_themselves_whatever_their_unit() {
        // In another unit the density of the results differs by a constant factor, so the choice must be the same. In
        // millionths and millions, a missing Jacobian or one of the wrong sign would reverse it.
        for unit in [1e-6, 1.0, 1e6] {
            // Its asinh is smooth, and it is not.
            assert!(is_chosen(|x| (9.0 * (5.0 * x).sin()).sinh(), unit), "{unit}");
            // It is smooth, and its asinh less so.
            assert!(!is_chosen(|x| (9.0 * x).cos() + 0.8, unit), "{unit}");
        }
    }

    #[test]
    fn a_limited_result_is_seen_by_its_distance_to_the_limit() {
        // Distances 1, 2, 4 from the limit 10: the median is 2, the width 6. asinh(1/6) and asinh(4/6) in 40 digits.
        let pivot = Pivot::of(&[11.0, 8.0, 14.0], (10.0, f64::INFINITY)).unwrap();
        assert!((pivot.encode(11.0) - 0.165904550269301).abs() < 1e-14);
        assert!((pivot.encode(14.0) - 0.625145117250416).abs() < 1e-14);
        assert_eq!(pivot.encode(10.0), 0.0);
        // A band of 8 is wider than three medians of 0.5, and its middle is the pivot.
        let band = Pivot::of(&[4.5, 5.5, 5.0, 4.5], (1.0, 9.0)).unwrap();
        assert!((band.encode(9.0) - 1.0f64.asinh()).abs() < 1e-14 && band.encode(5.0) == 0.0);
    }

    #[test]
    fn results_that_are_all_at_the_limit_are_left_as_told() {
        assert_eq!(Pivot::of(&[3.0, 3.0], (3.0, f64::INFINITY)), None);
        assert_eq!(Pivot::of(&[3.0, 4.0], (f64::NEG_INFINITY, f64::INFINITY)), None);
        assert_eq!(Pivot::of(&[], (0.0, 1.0)), None);
    }

    proptest! {
        #[test]
        fn the_map_is_increasing_finite_and_has_its_inverse(
            mut results in prop::collection::vec(-1e300..1e300f64, 2..20),
            small in prop::collection::vec(-10.0..10.0f64, 2..20),
        ) {
            results.extend(&small);
            results.sort_by(f64::total_cmp);
            let pivot = Pivot::of(&small, (f64::NEG_INFINITY, 1.0)).unwrap();
            let seen: Vec<f64> = results.iter().map(|y| pivot.encode(*y)).collect();
            prop_assert!(seen.iter().all(|t| t.is_finite()));
            prop_assert!(seen.windows(2).all(|pair| pair[0] <= pair[1]));
            for y in small {
                prop_assert!((pivot.decode(pivot.encode(y)) - y).abs() < 1e-12 * (1.0 + y.abs()));
                let slope = (pivot.decode(pivot.encode(y) + 1e-6) - pivot.decode(pivot.encode(y) - 1e-6)) / 2e-6;
                prop_assert!((slope / pivot.slope(pivot.encode(y)) - 1.0).abs() < 1e-6);
            }
        }
    }
}
