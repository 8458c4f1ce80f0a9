//! Random points of a polytope, by hit-and-run.
//!
//! From a point inside, a random direction of the planes' common null space meets the border at both ends; the next point
//! is uniform between them. In the limit, points are uniform in the polytope (Smith, Operations Research 32, 1984). A
//! walk starts in the relative interior: points far out in each direction are projected, and the mean of the
//! projections lies off every border except those that contain the whole polytope, which are treated as planes.

use super::{Polytope, Row};
use crate::linalg::{axpy, dot};
use crate::rng::Stream;

/// How far out the projected points lie, in widths of the box.
const FAR: f64 = 2.0;

/// A border this close to the mean of points all over the polytope contains the whole polytope.
const NEVER_LEFT: f64 = 1e-10;

/// The most steps before the first point: 10 d² would take long in a hundred dimensions.
const MAX_WARMUP: usize = 20_000;

/// A walk through a polytope.
///
/// ```
/// use elbowroom::optim::Bounds;
/// use elbowroom::polytope::{Polytope, Row, Walk};
/// use elbowroom::rng::Stream;
///
/// let mixtures = Polytope::new(&Bounds::unit(9), vec![Row::equal(vec![1.0; 9], 1.0)]);
/// let mut walk = Walk::new(&mixtures).expect("there are mixtures");
/// let mut stream = Stream::new(1);
/// walk.warm_up(&mut stream);
/// assert!(mixtures.contains(walk.next_point(&mut stream), 1e-12));
/// ```
#[derive(Debug, Clone)]
pub struct Walk {
    polytope: Polytope,
    /// Coordinates that can move.
    free: Vec<usize>,
    /// An orthonormal basis of the directions that lead out of the planes; 0 in coordinates that cannot move.
    across: Vec<Vec<f64>>,
    center: Vec<f64>,
    at: Vec<f64>,
}

impl Walk {
    /// A walk that starts at a point of the relative interior; `None` if the polytope was shown to be empty.
    pub fn new(polytope: &Polytope) -> Option<Self> {
        let center = interior_point(polytope)?;
        let is_free =
            |i: &usize| polytope.low[*i] + NEVER_LEFT < center[*i] && center[*i] < polytope.high[*i] - NEVER_LEFT;
        let free: Vec<usize> = (0..center.len()).filter(is_free).collect();
        let is_plane = |row: &&Row| row.is_equal || row.excess(&center) > -NEVER_LEFT;
        let mut across: Vec<Vec<f64>> = Vec::new();
        for row in polytope.rows.iter().filter(is_plane) {
            let mut normal = vec![0.0; center.len()];
            free.iter().for_each(|&i| normal[i] = row.normal[i]);
            // Two passes remove what rounding leaves.
            for _ in 0..2 {
                across.iter().for_each(|q| axpy(-dot(q, &normal), q, &mut normal));
            }
            let length = dot(&normal, &normal).sqrt();
            if length > NEVER_LEFT {
                normal.iter_mut().for_each(|a| *a /= length);
                across.push(normal);
            }
        }
        Some(Self { polytope: polytope.clone(), free, across, at: center.clone(), center })
    }

    /// The polytope that it walks through.
    pub(crate) fn polytope(&self) -> &Polytope {
        &self.polytope
    }

    /// A point of the relative interior.
    pub fn center(&self) -> &[f64] {
        &self.center
    }

    /// The number of directions in which points can move.
    pub fn freedom(&self) -> usize {
        self.free.len().saturating_sub(self.across.len())
    }

    /// Walks until the starting point is forgotten: 10 d² steps.
    pub fn warm_up(&mut self, stream: &mut Stream) {
        for _ in 0..(10 * self.freedom() * self.freedom()).min(MAX_WARMUP) {
            self.step(stream);
        }
    }

    /// The point after d further steps.
    pub fn next_point(&mut self, stream: &mut Stream) -> &[f64] {
        for _ in 0..self.freedom() {
            self.step(stream);
        }
        // The rounding errors of many steps do not matter for the walk, but may break its rows.
        if !self.polytope.contains(&self.at, 1e-15) {
            self.polytope.project(&mut self.at);
        }
        &self.at
    }

    fn step(&mut self, stream: &mut Stream) {
        if self.freedom() == 0 {
            return;
        }
        let mut direction = vec![0.0; self.at.len()];
        self.free.iter().for_each(|&i| direction[i] = stream.normal());
        self.across.iter().for_each(|q| axpy(-dot(q, &direction), q, &mut direction));
        let (mut back, mut ahead) = (f64::NEG_INFINITY, f64::INFINITY);
        let mut meet = |speed: f64, room: f64| match room.max(0.0) / speed {
            t if speed > 0.0 => ahead = ahead.min(t),
            t if speed < 0.0 => back = back.max(t),
            _ => {}
        };
        for &i in &self.free {
            meet(direction[i], self.polytope.high[i] - self.at[i]);
            meet(-direction[i], self.at[i] - self.polytope.low[i]);
        }
        for row in self.polytope.rows.iter().filter(|row| !row.is_equal) {
            let speed = dot(&row.normal, &direction);
            if speed.abs() > 1e-13 {
                meet(speed, -row.excess(&self.at));
            }
        }
        let length = ahead - back;
        if length.is_finite() && length > 0.0 {
            let t = back + stream.uniform() * length;
            axpy(t, &direction, &mut self.at);
            for &i in &self.free {
                self.at[i] = self.at[i].max(self.polytope.low[i]).min(self.polytope.high[i]);
            }
        }
    }
}

/// The mean of the projections of points far out in each direction and on the inner side of each half-space.
fn interior_point(polytope: &Polytope) -> Option<Vec<f64>> {
    let mut base = polytope.middle();
    if !polytope.project(&mut base) {
        return None;
    }
    let mut mean = vec![0.0; base.len()];
    let mut n = 0.0;
    let mut add = |change: &dyn Fn(&mut [f64])| {
        let mut point = base.clone();
        change(&mut point);
        if polytope.project(&mut point) {
            axpy(1.0, &point, &mut mean);
            n += 1.0;
        }
    };
    add(&|_| {});
    for i in 0..base.len() {
        let far = FAR * (polytope.high[i] - polytope.low[i]);
        if far > 0.0 {
            add(&|point| point[i] += far);
            add(&|point| point[i] -= far);
        }
    }
    for row in polytope.rows.iter().filter(|row| !row.is_equal) {
        add(&|point| axpy(-FAR, &row.normal, point));
    }
    mean.iter_mut().for_each(|x| *x /= n);
    Some(mean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optim::Bounds;

    fn sum_to_one(n: usize) -> Polytope {
        Polytope::new(&Bounds::unit(n), vec![Row::equal(vec![1.0; n], 1.0)])
    }

    fn points(polytope: &Polytope, n: usize) -> Vec<Vec<f64>> {
        let (mut walk, mut stream) = (Walk::new(polytope).unwrap(), Stream::new(7));
        walk.warm_up(&mut stream);
        (0..n).map(|_| walk.next_point(&mut stream).to_vec()).collect()
    }

    #[test]
    fn points_are_spread_over_a_simplex_as_dirichlets_law_says() {
        // Uniform on the simplex of n parts: mean 1/n, variance (n − 1)/(n²(n + 1)), P(x > t) = (1 − t)^(n − 1).
        let (n, drawn) = (5, 20_000);
        let all = points(&sum_to_one(n), drawn);
        // Neighbours on a walk are correlated, with fewer than ten of them worth one: ten times the variance of the mean.
        let tolerance = |variance: f64| 4.0 * (10.0 * variance / drawn as f64).sqrt();
        for i in 0..n {
            let mean = all.iter().map(|x| x[i]).sum::<f64>() / drawn as f64;
            assert!((mean - 0.2).abs() < tolerance(4.0 / 150.0), "{mean}");
            let above = all.iter().filter(|x| x[i] > 0.3).count() as f64 / drawn as f64;
            assert!((above - 0.7f64.powi(4)).abs() < tolerance(0.25), "{above}");
        }
        // All of five parts are below 0.35 with probability Σ(−1)^|S| (1 − 0.35|S|)₊⁴ = 0.18846875.
        let below = all.iter().filter(|x| x.iter().all(|x| *x <= 0.35)).count() as f64 / drawn as f64;
        assert!((below - 0.18846875).abs() < tolerance(0.16), "{below}");
        assert!(all.iter().all(|x| (x.iter().sum::<f64>() - 1.0).abs() < 1e-14));
    }

    #[test]
    fn nine_parts_with_a_sum_below_one_are_found_at_once() {
        let tiny = Polytope::new(&Bounds::unit(9), vec![Row::at_most(vec![1.0; 9], 1.0)]);
        let all = points(&tiny, 2000);
        assert!(all.iter().all(|x| tiny.contains(x, 1e-15)));
        // The sum is the first nine of ten parts of a whole: its mean is 0.9.
        let mean = all.iter().map(|x| x.iter().sum::<f64>()).sum::<f64>() / 2000.0;
        assert!((mean - 0.9).abs() < 0.02, "{mean}");
    }

    #[test]
    fn borders_that_cannot_be_left_are_walked_along() {
        // x + y ≤ 1 and x + y ≥ 1 leave a segment, whose mean is its middle; x + y ≤ 0 leaves one corner.
        let pair = |sum: f64| vec![Row::at_most(vec![1.0, 1.0], sum), Row::at_most(vec![-1.0, -1.0], -sum)];
        let segment = Polytope::new(&Bounds::unit(2), pair(1.0));
        let all = points(&segment, 4000);
        let mean = all.iter().map(|x| x[0]).sum::<f64>() / 4000.0;
        assert!((mean - 0.5).abs() < 0.03 && all.iter().all(|x| segment.contains(x, 1e-12)), "{mean}");
        let corner = Walk::new(&Polytope::new(&Bounds::unit(2), pair(0.0))).unwrap();
        assert_eq!((corner.freedom(), corner.center().to_vec()), (0, vec![0.0, 0.0]));
        assert!(Walk::new(&Polytope::new(&Bounds::unit(2), pair(-1.0))).is_none());
    }
}
