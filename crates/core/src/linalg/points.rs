//! n points of d coordinates, one after the other.

use crate::error::{Error, Result};

/// A list of points of equal dimension, stored row by row.
///
/// ```
/// use elbowroom::linalg::Points;
/// let mut p = Points::new(2);
/// p.push(&[0.1, 0.2]);
/// p.push(&[0.3, 0.4]);
/// assert_eq!(p.len(), 2);
/// assert_eq!(p.row(1), &[0.3, 0.4]);
/// assert_eq!(p.iter().map(|x| x[0]).sum::<f64>(), 0.4);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Points {
    dim: usize,
    data: Vec<f64>,
}

impl Points {
    /// An empty list of points with `dim` coordinates each.
    pub fn new(dim: usize) -> Self {
        Self { dim, data: Vec::new() }
    }

    /// Points from their coordinates, row by row; the length must be a multiple of `dim`.
    pub fn from_rows(dim: usize, data: Vec<f64>) -> Result<Self> {
        if dim == 0 || !data.len().is_multiple_of(dim) {
            return Err(Error::data(
                format!("{} numbers are not a whole number of points with {dim} coordinates", data.len()),
                "give n × d numbers, row by row, with d at least 1",
            ));
        }
        Ok(Self { dim, data })
    }

    /// Adds a point at the end. Its length must be the dimension.
    pub fn push(&mut self, x: &[f64]) {
        assert_eq!(x.len(), self.dim, "a point of another dimension");
        self.data.extend_from_slice(x);
    }

    /// Keeps the first n points only.
    pub fn truncate(&mut self, n: usize) {
        self.data.truncate(n * self.dim);
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.data.len().checked_div(self.dim).unwrap_or(0)
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// How many coordinates a point has.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The point at index `i`.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.data[i * self.dim..(i + 1) * self.dim]
    }

    /// The point at index `i`, to be changed in place.
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.data[i * self.dim..(i + 1) * self.dim]
    }

    /// The points in order.
    pub fn iter(&self) -> std::slice::ChunksExact<'_, f64> {
        self.data.chunks_exact(self.dim.max(1))
    }

    /// All coordinates, row by row.
    pub fn as_slice(&self) -> &[f64] {
        &self.data
    }
}
