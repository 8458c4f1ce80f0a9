//! A box cut by planes and half-spaces: the nearest point of it, whether it is empty, and random points in it.
//!
//! {x : low ≤ x ≤ high, aᵢ·x = bᵢ, aⱼ·x ≤ bⱼ}. Mixtures, whose parts sum to 1, and parts with a bounded sum have this
//! form. They may fill almost none of the unit cube (nine parts with a sum below 1 fill 1/9! of it) or have no volume
//! at all, so that drawing from the cube and rejecting points outside finds none. This module constructs such points.
//!
//! Rows are kept with normals of length 1, so that a row's error is a distance.

mod project;
mod walk;

pub use walk::Walk;

use crate::linalg::dot;
use crate::optim::Bounds;

/// A plane or a half-space.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The factors of the coordinates.
    pub normal: Vec<f64>,
    /// The value that `normal · x` must have or stay below.
    pub bound: f64,
    /// Whether `normal · x` must equal the bound.
    pub is_equal: bool,
}

impl Row {
    /// `normal · x ≤ bound`.
    pub fn at_most(normal: Vec<f64>, bound: f64) -> Self {
        Self { normal, bound, is_equal: false }
    }

    /// `normal · x = bound`.
    pub fn equal(normal: Vec<f64>, bound: f64) -> Self {
        Self { normal, bound, is_equal: true }
    }

    /// The signed distance of a point: above 0 outside a half-space.
    fn excess(&self, x: &[f64]) -> f64 {
        dot(&self.normal, x) - self.bound
    }
}

/// A bounded box cut by rows.
///
/// ```
/// use elbowroom::optim::Bounds;
/// use elbowroom::polytope::{Polytope, Row};
///
/// // Four parts of a whole; the nearest mixture to a point takes as much from each until one is used up.
/// let mixtures = Polytope::new(&Bounds::unit(4), vec![Row::equal(vec![1.0; 4], 1.0)]);
/// let mut x = [0.8, 0.6, 0.1, -0.2];
/// assert!(mixtures.project(&mut x));
/// assert!((x[0] - 0.6).abs() < 1e-15 && (x[1] - 0.4).abs() < 1e-15 && x[2..] == [0.0, 0.0]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Polytope {
    low: Vec<f64>,
    high: Vec<f64>,
    rows: Vec<Row>,
}

impl Polytope {
    /// A box cut by rows.
    ///
    /// # Panics
    ///
    /// If a row and the box differ in dimension, or a bound is infinite.
    pub fn new(bounds: &Bounds, rows: Vec<Row>) -> Self {
        let (low, high) = (bounds.low().to_vec(), bounds.high().to_vec());
        assert!(low.iter().chain(&high).all(|bound| bound.is_finite()), "a polytope is bounded");
        assert!(rows.iter().all(|row| row.normal.len() == low.len()), "a row and a box of different dimensions");
        Self { low, high, rows: rows.into_iter().map(unit_normal).collect() }
    }

    /// The number of coordinates.
    pub fn dim(&self) -> usize {
        self.low.len()
    }

    /// The polytope with some coordinates held at a value, which may lie outside their bounds.
    pub fn holding(&self, held: impl IntoIterator<Item = (usize, f64)>) -> Self {
        let mut held_there = self.clone();
        for (i, value) in held {
            (held_there.low[i], held_there.high[i]) = (value, value);
        }
        held_there
    }

    /// Whether a point lies in the polytope, or within `tolerance` of every bound and row that it breaks.
    pub fn contains(&self, x: &[f64], tolerance: f64) -> bool {
        let in_box = x.iter().zip(self.low.iter().zip(&self.high));
        let keeps = |row: &Row| {
            let excess = row.excess(x);
            excess <= tolerance && (!row.is_equal || excess >= -tolerance)
        };
        in_box.into_iter().all(|(x, (low, high))| low - tolerance <= *x && *x <= high + tolerance)
            && self.rows.iter().all(keeps)
    }

    /// Whether the polytope was shown to be empty.
    ///
    /// ```
    /// use elbowroom::optim::Bounds;
    /// use elbowroom::polytope::{Polytope, Row};
    /// let sum_above = |least: f64| Polytope::new(&Bounds::unit(2), vec![Row::at_most(vec![-1.0, -1.0], -least)]);
    /// assert!(sum_above(2.1).is_empty() && !sum_above(2.0).is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        !self.project(&mut self.middle())
    }

    /// The planes and half-spaces, with normals of length 1.
    pub(crate) fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The bounds of a coordinate.
    pub(crate) fn side(&self, i: usize) -> (f64, f64) {
        (self.low[i], self.high[i])
    }

    /// Sets the bounds of a coordinate.
    pub(crate) fn set_side(&mut self, i: usize, (low, high): (f64, f64)) {
        (self.low[i], self.high[i]) = (low, high);
    }

    /// The middle of the box.
    fn middle(&self) -> Vec<f64> {
        self.low.iter().zip(&self.high).map(|(low, high)| 0.5 * (low + high)).collect()
    }
}

/// The row with a normal of length 1. A row whose normal is 0 holds everywhere or nowhere, and is returned unchanged.
fn unit_normal(mut row: Row) -> Row {
    let length = dot(&row.normal, &row.normal).sqrt();
    if length > 0.0 && length.is_finite() {
        row.normal.iter_mut().for_each(|a| *a /= length);
        row.bound /= length;
    }
    row
}
