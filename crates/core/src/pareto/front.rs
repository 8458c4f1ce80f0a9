//! Dominance, fronts and reference points.

/// How far below the worst value on a front its reference point lies, in ranges of the front. With a tenth, as is
/// common, a search gives little weight to the ends of the front and does not extend it (`DESIGN.md`).
const MARGIN: f64 = 1.0;

/// Whether a is no worse than b in any objective and better in one.
///
/// ```
/// use elbowroom::pareto::dominates;
/// assert!(dominates(&[1.0, 2.0], &[1.0, 1.0]));
/// assert!(!dominates(&[1.0, 2.0], &[2.0, 1.0]) && !dominates(&[1.0, 2.0], &[1.0, 2.0]));
/// ```
pub fn dominates(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a >= b) && a.iter().zip(b).any(|(a, b)| a > b)
}

/// The indices of the points that no other dominates, in the given order; of equal points, the first.
///
/// ```
/// use elbowroom::pareto::non_dominated;
/// let points = [vec![1.0, 3.0], vec![0.5, 2.0], vec![3.0, 1.0], vec![1.0, 3.0]];
/// assert_eq!(non_dominated(&points), [0, 2]);
/// ```
pub fn non_dominated(points: &[Vec<f64>]) -> Vec<usize> {
    let is_kept = |&i: &usize| {
        let beats = |(j, other): (usize, &Vec<f64>)| dominates(other, &points[i]) || (j < i && *other == points[i]);
        !points.iter().enumerate().any(beats)
    };
    (0..points.len()).filter(is_kept).collect()
}

/// The points that no other dominates and that are better than a reference point in every objective.
///
/// ```
/// use elbowroom::pareto::Front;
/// let front = Front::new(&[vec![1.0, 4.0], vec![2.0, 3.0], vec![4.0, 1.0], vec![9.0, 0.0]], vec![0.0, 0.0]);
/// assert_eq!(front.indices(), [0, 1, 2]);
/// assert_eq!(front.hypervolume(), 9.0);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Front {
    reference: Vec<f64>,
    points: Vec<Vec<f64>>,
    indices: Vec<usize>,
}

impl Front {
    /// The front of points, one number for each objective.
    pub fn new(points: &[Vec<f64>], reference: Vec<f64>) -> Self {
        let counts = |&i: &usize| points[i].iter().zip(&reference).all(|(v, r)| v > r);
        // A point that does not count cannot dominate one that does.
        let indices: Vec<usize> = non_dominated(points).into_iter().filter(counts).collect();
        Self { points: indices.iter().map(|&i| points[i].clone()).collect(), indices, reference }
    }

    /// The reference point.
    pub fn reference(&self) -> &[f64] {
        &self.reference
    }

    /// The points on the front, in the order in which they were given.
    pub fn points(&self) -> &[Vec<f64>] {
        &self.points
    }

    /// The indices of these points among all points.
    pub fn indices(&self) -> &[usize] {
        &self.indices
    }

    /// The number of objectives.
    pub fn n_objectives(&self) -> usize {
        self.reference.len()
    }

    /// The volume that the front dominates.
    pub fn hypervolume(&self) -> f64 {
        super::hypervolume(&self.points, &self.reference)
    }

    /// The front with one more point, which has the given index.
    pub fn joined_by(&self, point: &[f64], index: usize) -> Self {
        let beaten = |p: &[f64]| dominates(point, p);
        let is_new = point.iter().zip(&self.reference).all(|(v, r)| v > r)
            && !self.points.iter().any(|p| p == point || dominates(p, point));
        if !is_new {
            return self.clone();
        }
        let kept = self.points.iter().zip(&self.indices).filter(|(p, _)| !beaten(p));
        let (mut points, mut indices): (Vec<Vec<f64>>, Vec<usize>) = kept.map(|(p, &i)| (p.clone(), i)).unzip();
        points.push(point.to_vec());
        indices.push(index);
        Self { reference: self.reference.clone(), points, indices }
    }
}

/// A reference point: the given coordinates, and otherwise one range of the front below the worst value on the front.
///
/// Where all points on the front have the same value, the range of all points is used; where these are equal too, 1.
///
/// ```
/// use elbowroom::pareto::reference_point;
/// let points = [vec![1.0, 4.0], vec![3.0, 2.0], vec![0.0, 0.0]];
/// assert_eq!(reference_point(&points, &[None, Some(1.0)]), [1.0 - 2.0, 1.0]);
/// ```
pub fn reference_point(points: &[Vec<f64>], given: &[Option<f64>]) -> Vec<f64> {
    let on_front: Vec<&Vec<f64>> = non_dominated(points).into_iter().map(|i| &points[i]).collect();
    let range = |k: usize, of: &mut dyn Iterator<Item = &Vec<f64>>| {
        of.map(|p| p[k]).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
    };
    let inferred = |k: usize| {
        if points.is_empty() {
            return 0.0;
        }
        let (worst, best) = range(k, &mut on_front.iter().copied());
        let (lowest, highest) = range(k, &mut points.iter());
        let widths = [best - worst, highest - lowest];
        let width = widths.into_iter().find(|width| *width > 0.0).unwrap_or(1.0);
        // The result is recorded, so it must be finite, even next to the largest number.
        (worst - MARGIN * width).max(-f64::MAX)
    };
    given.iter().enumerate().map(|(k, given)| given.unwrap_or_else(|| inferred(k))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    #[test]
    fn a_reference_point_is_finite_beside_the_largest_number() {
        let points = [vec![-f64::MAX, 3.0], vec![-1.0, 1.0], vec![f64::MAX, 0.0]];
        let reference = reference_point(&points, &[None, None]);
        assert!(reference.iter().all(|r| r.is_finite()), "{reference:?}");
    }

    #[test]
    fn a_front_has_each_of_equal_points_once_and_none_that_is_not_above_the_reference() {
        let points = [[2.0, 2.0], [2.0, 2.0], [1.0, 3.0], [1.0, 2.5], [5.0, 0.0], [0.0, 9.0]].map(|p| p.to_vec());
        let front = Front::new(&points, vec![0.0, 0.0]);
        assert_eq!(front.indices(), [0, 2]);
        assert!(Front::new(&points, vec![9.0, 9.0]).points().is_empty());
    }

    #[test]
    fn points_that_join_one_by_one_make_the_same_front_as_all_at_once() {
        let mut draw = Stream::new(3);
        for m in [2, 3, 4] {
            let value = |draw: &mut Stream| (8.0 * draw.uniform()).floor();
            let points: Vec<Vec<f64>> = (0..60).map(|_| (0..m).map(|_| value(&mut draw)).collect()).collect();
            let mut front = Front::new(&[], vec![0.5; m]);
            for (i, p) in points.iter().enumerate() {
                front = front.joined_by(p, i);
            }
            assert_eq!(front, Front::new(&points, vec![0.5; m]));
        }
    }

    #[test]
    fn a_reference_point_is_below_every_point_of_the_front() {
        let line = [vec![1.0, 2.0], vec![1.0, 1.0], vec![0.0, 2.0]];
        // One point on the front: as far below it as the worst of all is.
        assert_eq!(reference_point(&line, &[None, None]), [0.0, 1.0]);
        let equal = [vec![1.0, 2.0], vec![1.0, 2.0]];
        assert_eq!(reference_point(&equal, &[None, None]), [0.0, 1.0]);
        let front = [vec![1.0, 4.0], vec![3.0, 3.0], vec![-50.0, -50.0]];
        assert_eq!(reference_point(&front, &[None, None]), [-1.0, 2.0]);
        assert_eq!(reference_point(&[], &[None, Some(3.0)]), [0.0, 3.0]);
    }
}
