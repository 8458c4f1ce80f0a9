//! Data points in lengthscales, one array per coordinate, so that distances to all of them are plain vector loops.

use super::{Described, Hyperparameters, Metric, kernel::any::Row};
use crate::linalg::{Points, dot_difference_lanes};

/// Points divided by the lengthscales, stored by coordinate.
#[derive(Debug, Clone)]
pub(crate) struct Whitened {
    len: usize,
    columns: Vec<Vec<f64>>,
    scale: Vec<f64>,
    metric: Vec<Metric>,
    /// For each coordinate, its descriptors.
    described: Vec<Option<Described>>,
}

impl Whitened {
    /// Points under a process.
    pub fn under(x: &Points, hyper: &Hyperparameters) -> Self {
        let mut whitened = Self::new(x, &hyper.lengthscales, &hyper.metric);
        whitened.describe(&hyper.described);
        whitened
    }

    /// Levels that are as far apart as these say.
    pub fn describe(&mut self, described: &[Described]) {
        self.described.fill(None);
        described.iter().for_each(|one| self.described[one.dim] = Some(one.clone()));
    }

    /// The descriptors of coordinate k.
    pub fn described(&self, k: usize) -> Option<&Described> {
        self.described[k].as_ref()
    }

    /// The level of a category at a whitened coordinate.
    pub fn level(&self, k: usize, described: &Described, u: f64) -> usize {
        described.level(u / self.scale[k])
    }

    pub fn new(x: &Points, lengthscales: &[f64], metric: &[Metric]) -> Self {
        let scale: Vec<f64> = lengthscales.iter().map(|l| 1.0 / l).collect();
        let columns = (0..x.dim()).map(|k| x.iter().map(|p| p[k] * scale[k]).collect()).collect();
        Self { len: x.len(), columns, scale, metric: metric.to_vec(), described: vec![None; x.dim()] }
    }

    /// Other lengthscales for the same points: `x` must be the points this was made of.
    pub fn rescale(&mut self, x: &Points, lengthscales: &[f64]) {
        for (k, column) in self.columns.iter_mut().enumerate() {
            self.scale[k] = 1.0 / lengthscales[k];
            for (c, p) in column.iter_mut().zip(x.iter()) {
                *c = p[k] * self.scale[k];
            }
        }
    }

    pub fn push(&mut self, x: &[f64]) {
        for (k, column) in self.columns.iter_mut().enumerate() {
            column.push(x[k] * self.scale[k]);
        }
        self.len += 1;
    }

    pub fn truncate(&mut self, n: usize) {
        for column in &mut self.columns {
            column.truncate(n);
        }
        self.len = self.len.min(n);
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn dim(&self) -> usize {
        self.columns.len()
    }

    /// 1/ℓ of coordinate k.
    pub fn scale(&self, k: usize) -> f64 {
        self.scale[k]
    }

    /// Whitens one point.
    pub fn whiten(&self, x: &[f64], u: &mut [f64]) {
        for k in 0..u.len() {
            u[k] = x[k] * self.scale[k];
        }
    }

    /// Coordinates k of points `from..from + out.len()`.
    #[inline(always)]
    pub fn column(&self, k: usize, from: usize, n: usize) -> &[f64] {
        &self.columns[k][from..from + n]
    }

    pub fn metric(&self, k: usize) -> Metric {
        self.metric[k]
    }

    /// s ← squared distances of u to the points `from..`, as many as `s` is long. Inline into a vectorized loop.
    #[inline(always)]
    pub fn squared_distances(&self, u: &[f64], from: usize, s: &mut [f64]) {
        s.fill(0.0);
        let n = s.len();
        for k in 0..self.columns.len() {
            let (a, column) = (u[k], &self.columns[k][from..from + n]);
            if let Some(described) = &self.described[k] {
                let step = self.scale[k] * self.scale[k];
                let shares = described.shares(self.level(k, described, a));
                for (s, c) in s.iter_mut().zip(column) {
                    *s += step * shares[self.level(k, described, *c)];
                }
                continue;
            }
            match self.metric[k] {
                Metric::Distance => {
                    for (s, c) in s.iter_mut().zip(column) {
                        let delta = a - c;
                        *s += delta * delta;
                    }
                }
                Metric::Mismatch => {
                    let step = self.scale[k] * self.scale[k];
                    for (s, c) in s.iter_mut().zip(column) {
                        *s += if a == *c { 0.0 } else { step };
                    }
                }
            }
        }
    }

    /// g_k ← Σ_j t_j (u_k − c_kj): what every gradient in x comes down to. Zero for categories.
    #[inline(always)]
    pub fn weighted_differences(&self, u: &[f64], t: &[f64], g: &mut [f64]) {
        let n = t.len();
        for k in 0..self.columns.len() {
            g[k] = match self.metric[k] {
                Metric::Distance => dot_difference_lanes(t, u[k], &self.columns[k][..n]),
                Metric::Mismatch => 0.0,
            };
        }
    }
}

/// k_j ← σ² κ(s_j) and c_j ← σ² κ'(s_j); `s` may be the same storage as `k` is copied from.
#[inline(always)]
pub(crate) fn kernel_row(kernel: impl Row, variance: f64, s: &[f64], k: &mut [f64], c: &mut [f64]) {
    kernel.row(variance, s, k, c);
}
