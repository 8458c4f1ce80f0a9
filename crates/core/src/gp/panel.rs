//! A fixed set of points, predicted once and then updated with each phantom.
//!
//! Scoring candidates is the largest part of choosing a batch. Their kernel rows are kept, so that another phantom p
//! costs one dot product per candidate instead of a new solve: with w = K⁻¹k_p, cov(x, p) = k(x, p) − k_xᵀw, and
//! s²_after(x) falls by cov(x, p)² / (s²_after(p) + noise).

use super::kernel::with_kernel;
use super::posterior::{Posterior, Prediction, Scratch};
use super::whitened::kernel_row;
use crate::linalg::{Points, dot, vectorized};

/// Points with their means and variances, with and without the phantoms of a posterior.
#[derive(Debug, Clone)]
pub struct Panel {
    points: Points,
    rows: Vec<Vec<f64>>,
    predictions: Vec<Prediction>,
}

/// How many phantoms a kernel row has room for before it must be moved.
const ROOM: usize = 16;

impl Panel {
    /// Predicts all points under a posterior and the phantoms it carries.
    pub fn new(posterior: &Posterior, points: Points) -> Self {
        let mut rows = Vec::with_capacity(points.len());
        let predictions = posterior.predict_blocks(&points, &mut |row: &[f64]| {
            let mut kept = Vec::with_capacity(row.len() + ROOM);
            kept.extend_from_slice(row);
            rows.push(kept);
        });
        Self { points, rows, predictions }
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The points.
    pub fn points(&self) -> &Points {
        &self.points
    }

    /// Posterior mean at point i.
    pub fn mean(&self, i: usize) -> f64 {
        self.predictions[i].mean
    }

    /// Variance at point i given the data.
    pub fn variance(&self, i: usize) -> f64 {
        self.predictions[i].variance
    }

    /// Variance at point i once the results of all phantoms are in.
    pub fn variance_after(&self, i: usize) -> f64 {
        self.predictions[i].variance_after
    }

    /// Adds a phantom x; `posterior` is the one before x was added to it.
    pub fn push_phantom(&mut self, posterior: &Posterior, x: &[f64]) {
        let mut scratch = Scratch::default();
        let own = posterior.solve_row(x, &mut scratch);
        let denominator = own + posterior.hyper().noise.typical() + posterior.jitter();
        let floor = posterior.variance_floor();
        let mut column = vec![0.0; self.len()];
        posterior.prior_covariances(x, &self.points, &mut column);
        for ((row, p), k) in self.rows.iter_mut().zip(&mut self.predictions).zip(&column) {
            let covariance = k - dot(row, scratch.solved());
            p.variance_after = (p.variance_after - covariance * covariance / denominator).max(floor);
            row.push(*k);
        }
    }

    /// Adds a point to the panel; `posterior` carries the phantoms the panel has seen.
    pub fn push(&mut self, posterior: &Posterior, x: &[f64]) {
        let mut scratch = Scratch::default();
        self.predictions.push(posterior.predict_value(x, &mut scratch));
        self.points.push(x);
        self.rows.push(scratch.row().to_vec());
    }
}

impl Posterior {
    /// k(x, p) for all points p, without data.
    fn prior_covariances(&self, x: &[f64], points: &Points, out: &mut [f64]) {
        let dim = self.dim();
        let hyper = self.hyper();
        let mut s = vec![0.0; points.len()];
        for (s, p) in s.iter_mut().zip(points.iter()) {
            *s = self.squared_distance(x, p);
        }
        let mut slopes = vec![0.0; points.len()];
        debug_assert_eq!(x.len(), dim);
        with_kernel!(hyper.kernel, kernel => vectorized(#[inline(always)] || {
            kernel_row(kernel, hyper.variance, &s, out, &mut slopes);
        }));
    }
}
