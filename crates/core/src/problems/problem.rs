//! A test function with its box and its minimizers, and the same function moved inside its box.

use crate::rng::Stream;

/// A function to be minimized on a box, whose minimum is known.
///
/// ```
/// use elbowroom::problems::Problem;
/// let problem = Problem::branin();
/// assert_eq!(problem.bounds, [(-5.0, 10.0), (0.0, 15.0)]);
/// assert_eq!(problem.minimizers.len(), 3);
/// for x in &problem.minimizers {
///     assert!((problem.value(x) - problem.minimum).abs() < 1e-12);
/// }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Problem {
    /// The name that [`Problem::by_name`] takes, with the dimension where there is a choice: `ackley5`.
    ///
    /// A shifted problem has `_shifted` at the end, and no entry under that name.
    pub name: String,
    /// The lowest and the highest value of each coordinate.
    pub bounds: Vec<(f64, f64)>,
    /// The smallest value in the box.
    pub minimum: f64,
    /// All points of the box where the minimum is attained; at least one.
    pub minimizers: Vec<Vec<f64>>,

    function: Function,
    /// Moves the function: the value at x is `function(x − shift)`.
    shift: Vec<f64>,
    /// A larger box, in the function's own coordinates, on which the minimum is still the minimum.
    reach: Vec<(f64, f64)>,
    /// The minimizers in the function's own coordinates, including those that a shift could bring into the box.
    everywhere: Vec<Vec<f64>>,
}

/// A formula, for points of the dimension it is made for.
pub(super) type Function = fn(&[f64]) -> f64;

/// How close to the edge a shift may bring the optimum, as a share of the box's width.
const MARGIN: f64 = 0.1;

impl Problem {
    /// A problem whose minimum is the minimum on the whole space, and is attained only at the given points (at least
    /// within reach of a shift).
    pub(super) fn new(
        name: impl Into<String>,
        function: Function,
        bounds: Vec<(f64, f64)>,
        minimum: f64,
        everywhere: Vec<Vec<f64>>,
    ) -> Self {
        let reach = vec![(f64::NEG_INFINITY, f64::INFINITY); bounds.len()];
        let shift = vec![0.0; bounds.len()];
        let minimizers = everywhere.iter().filter(|x| is_inside(x, &bounds)).cloned().collect();
        Self { name: name.into(), bounds, minimum, minimizers, function, shift, reach, everywhere }
    }

    /// The problem, if the minimum holds only where each coordinate is between `low` and `high`.
    pub(super) fn reaching(mut self, low: f64, high: f64) -> Self {
        self.reach.fill((low, high));
        self
    }

    /// The function at a point, which need not be in the box.
    ///
    /// # Panics
    ///
    /// If the point has a different dimension.
    pub fn value(&self, x: &[f64]) -> f64 {
        assert_eq!(x.len(), self.dim(), "{} at a point of another dimension", self.name);
        if self.shift.iter().all(|&s| s == 0.0) {
            return (self.function)(x);
        }
        let own: Vec<f64> = x.iter().zip(&self.shift).map(|(x, s)| x - s).collect();
        (self.function)(&own)
    }

    /// The number of coordinates of a point.
    pub fn dim(&self) -> usize {
        self.bounds.len()
    }

    /// The same function on the same box, moved by a random vector so that the optimum is no longer at a special
    /// position, such as the centre of the box.
    ///
    /// One of the minimizers is chosen, and its new position is uniform in the inner 80 % of the box, as far as the
    /// function can be moved without values below the minimum coming in from outside. (Only Forrester's and
    /// Michalewicz's functions have such values.) Minimizers that leave the box are dropped, and those that enter it
    /// are added.
    ///
    /// ```
    /// use elbowroom::{problems::Problem, rng::Stream};
    /// let centred = Problem::ackley(3);
    /// let moved = centred.shifted(&mut Stream::new(1));
    /// assert_eq!(moved.bounds, centred.bounds);
    /// assert_eq!(moved.minimum, centred.minimum);
    /// assert_ne!(moved.minimizers, centred.minimizers);
    /// ```
    pub fn shifted(&self, stream: &mut Stream) -> Self {
        let anchor = &self.minimizers[stream.below(self.minimizers.len())];
        let shift: Vec<f64> = (0..self.dim())
            .map(|i| {
                let (low, high) = self.bounds[i];
                let own = anchor[i] - self.shift[i];
                let margin = MARGIN * (high - low);
                // low − shift and high − shift must stay within reach; so must the anchor within its margins, unless
                // the reach does not allow it.
                let from = (low + margin - own).max(high - self.reach[i].1);
                let to = (high - margin - own).min(low - self.reach[i].0);
                if from < to { from + (to - from) * stream.uniform() } else { self.shift[i] }
            })
            .collect();

        let minimizers: Vec<Vec<f64>> = self
            .everywhere
            .iter()
            .map(|x| x.iter().zip(&shift).map(|(x, s)| x + s).collect())
            .filter(|x: &Vec<f64>| is_inside(x, &self.bounds))
            .collect();
        let name = format!("{}_shifted", self.name.trim_end_matches("_shifted"));
        Self { name, minimizers, shift, ..self.clone() }
    }
}

fn is_inside(x: &[f64], bounds: &[(f64, f64)]) -> bool {
    x.iter().zip(bounds).all(|(x, (low, high))| (low..=high).contains(&x))
}
