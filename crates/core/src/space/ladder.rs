//! Listed numbers at their true distances, on a linear or a logarithmic scale.
//!
//! With t the value or its logarithm, level i of n has the coordinate (tᵢ − a)/(b − a), where a = t₀ − h and b = tₙ₋₁ + h
//! lie half a mean gap h = (tₙ₋₁ − t₀)/(2(n − 1)) beyond the ends: a list with equal gaps has the coordinates (i +
//! ½)/n, as a list without distances does. Cells meet halfway between neighbours. They are not equally wide, so a
//! uniform coordinate would favour isolated values; [`Ladder::drawn`] gives each level the same chance.

use super::unit::clamp_unit;

/// Where each value of a list is in [0, 1].
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ladder {
    /// In ascending order.
    coordinates: Vec<f64>,
    /// Where the cells of neighbours meet, one fewer than coordinates.
    edges: Vec<f64>,
}

impl Ladder {
    /// The ladder of at least two ascending numbers, above 0 if `log`; otherwise the index of the first of two
    /// neighbours that are too close to be told apart.
    pub fn new(values: &[f64], log: bool) -> Result<Self, usize> {
        // Half of each, so that the widest ranges do not overflow.
        let t: Vec<f64> = values.iter().map(|&x| if log { libm::log(x) } else { 0.5 * x }).collect();
        let n = t.len();
        let half_gap = (t[n - 1] - t[0]) / (2.0 * (n - 1) as f64);
        let (start, width) = (t[0] - half_gap, (t[n - 1] - t[0]) + 2.0 * half_gap);
        let coordinates: Vec<f64> = t.iter().map(|t| (t - start) / width).collect();
        let edges: Vec<f64> = coordinates.windows(2).map(|pair| 0.5 * (pair[0] + pair[1])).collect();
        let is_apart = |i: &usize| coordinates[*i] < edges[*i] && edges[*i] < coordinates[*i + 1];
        match (0..n - 1).find(|i| !is_apart(i)) {
            Some(i) => Err(i),
            None => Ok(Self { coordinates, edges }),
        }
    }

    pub fn n_levels(&self) -> u64 {
        self.coordinates.len() as u64
    }

    /// The level whose cell holds a coordinate.
    pub fn level(&self, u: f64) -> u64 {
        self.edges.partition_point(|edge| *edge <= u) as u64
    }

    pub fn coordinate(&self, level: u64) -> f64 {
        self.coordinates[level as usize]
    }

    /// Where a cell ends and the next begins, if `before` levels lie below; 0 < before < n.
    pub fn edge(&self, before: u64) -> f64 {
        self.edges[before as usize - 1]
    }

    /// The coordinate of the level that a uniform number stands for, among the levels from `first` to `last`.
    pub fn drawn(&self, u: f64, first: u64, last: u64) -> f64 {
        let n = last - first + 1;
        self.coordinate(first + ((clamp_unit(u) * n as f64) as u64).min(n - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_the_numbers_or_of_their_logarithms() {
        // By hand: h = 99/6, a = -15.5, b - a = 132.
        let linear = Ladder::new(&[1.0, 2.0, 3.0, 100.0], false).unwrap();
        for (level, value) in [(0, 1.0), (1, 2.0), (2, 3.0), (3, 100.0)] {
            assert!((linear.coordinate(level) - (value + 15.5) / 132.0).abs() < 1e-15);
        }
        // Equal ratios are equal gaps.
        let log = Ladder::new(&[16.0, 32.0, 64.0, 128.0], true).unwrap();
        for level in 0..4 {
            assert!((log.coordinate(level) - (level as f64 + 0.5) / 4.0).abs() < 1e-15);
        }
    }

    #[test]
    fn every_level_holds_its_coordinate_and_is_drawn_as_often_as_the_others() {
        for (values, log) in [
            (vec![-1e308, 1.0, 1e308], false),
            (vec![1e-300, 1.0, 1e300], true),
            (vec![0.0, 1e-6, 1.0], false),
            (vec![1.0, 2.0], false),
        ] {
            let ladder = Ladder::new(&values, log).unwrap();
            let n = ladder.n_levels();
            for level in 0..n {
                assert_eq!(ladder.level(ladder.coordinate(level)), level, "{values:?}");
                let middle = (level as f64 + 0.5) / n as f64;
                assert_eq!(ladder.drawn(middle, 0, n - 1), ladder.coordinate(level));
            }
            assert_eq!((ladder.level(0.0), ladder.level(1.0)), (0, n - 1));
            assert_eq!(ladder.drawn(1.0, 0, 1), ladder.coordinate(1));
        }
    }

    #[test]
    fn neighbours_that_cannot_be_told_apart_are_named() {
        assert_eq!(Ladder::new(&[0.0, 1.0, 1.0 + 1e-16 + f64::EPSILON, 1e9], false), Err(1));
    }
}
