//! Data points in lengthscales, one array per coordinate, so that distances to all of them are plain vector loops.
//!
//! Each array ends with zeros as padding, so that a loop over groups of [`GROUP`] numbers need not handle the last few
//! one by one: with a few dozen points, those would take half of the time.

use super::kernel::{any::Row, with_kernel};
use super::{AnyKernel, Described, Hyperparameters, Metric};
use crate::linalg::{
    FactorWork, GROUP, Points, add_lanes, dot_difference_lanes, dot_lanes, dot_squares_by_lane, vectorized,
};

/// Numbers that are summed side by side, each in a register.
const BLOCK: usize = 4 * GROUP;

/// Points divided by the lengthscales, stored by coordinate.
#[derive(Debug, Clone)]
pub(crate) struct Whitened {
    len: usize,
    /// For each coordinate `len` numbers, followed by a group of zeros.
    columns: Vec<Vec<f64>>,
    scale: Vec<f64>,
    metric: Vec<Metric>,
    /// For each coordinate, its descriptors.
    described: Vec<Option<Described>>,
    /// Whether there are categories.
    has_categories: bool,
}

impl Whitened {
    /// The points, with the lengthscales of a process.
    pub fn under(x: &Points, hyper: &Hyperparameters) -> Self {
        let mut whitened = Self::new(x, &hyper.lengthscales, &hyper.metric);
        whitened.describe(&hyper.described);
        whitened
    }

    /// Sets the distances between levels from their descriptors.
    pub fn describe(&mut self, described: &[Described]) {
        self.described.fill(None);
        described.iter().for_each(|one| self.described[one.dim] = Some(one.clone()));
        self.has_categories = !described.is_empty() || self.metric.contains(&Metric::Mismatch);
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
        let of_points = |k: usize| x.iter().map(move |p| p[k]);
        let column = |k: usize| of_points(k).map(|v| v * scale[k]).chain([0.0; GROUP]).collect();
        let columns = (0..x.dim()).map(column).collect();
        let has_categories = metric.contains(&Metric::Mismatch);
        Self { len: x.len(), columns, scale, metric: metric.to_vec(), described: vec![None; x.dim()], has_categories }
    }

    /// Changes the lengthscales; `x` must be the points from which this was created.
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
            column[self.len] = x[k] * self.scale[k];
            column.push(0.0);
        }
        self.len += 1;
    }

    pub fn truncate(&mut self, n: usize) {
        self.len = self.len.min(n);
        for column in &mut self.columns {
            column.truncate(self.len);
            column.resize(self.len + GROUP, 0.0);
        }
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

    /// Coordinate k of the points `from..from + n`.
    #[inline(always)]
    pub fn column(&self, k: usize, from: usize, n: usize) -> &[f64] {
        &self.columns[k][from..from + n]
    }

    pub fn metric(&self, k: usize) -> Metric {
        self.metric[k]
    }

    /// s ← squared distances of u to the points from index `from` on, one for each entry of `s`; entries beyond the
    /// last point are meaningless. Inlined into a vectorized loop.
    #[inline(always)]
    pub fn squared_distances(&self, u: &[f64], from: usize, s: &mut [f64]) {
        if self.has_categories {
            return self.squared_distances_with_categories(u, from, s);
        }
        let mut at = from;
        let (blocks, rest) = s.as_chunks_mut::<BLOCK>();
        for s in blocks {
            *s = self.block_of_squared_distances(u, at);
            at += BLOCK;
        }
        let (groups, rest) = rest.as_chunks_mut::<GROUP>();
        for s in groups {
            *s = self.block_of_squared_distances(u, at);
            at += GROUP;
        }
        for s in rest {
            [*s] = self.block_of_squared_distances(u, at);
            at += 1;
        }
    }

    /// The squared distances of u to `N` points. All coordinates of one block are added before the next block begins, so
    /// that the sums need not be written and read again for each coordinate.
    #[inline(always)]
    fn block_of_squared_distances<const N: usize>(&self, u: &[f64], from: usize) -> [f64; N] {
        let mut s = [0.0; N];
        for (a, column) in u.iter().zip(&self.columns) {
            let column = &column[from..from + N];
            for l in 0..N {
                let delta = a - column[l];
                s[l] += delta * delta;
            }
        }
        s
    }

    #[inline(always)]
    fn squared_distances_with_categories(&self, u: &[f64], from: usize, s: &mut [f64]) {
        s.fill(0.0);
        let n = s.len();
        for k in 0..self.columns.len() {
            let (a, column) = (u[k], &self.columns[k][from..from + n]);
            if self.metric[k] == Metric::Mismatch || self.described[k].is_some() {
                self.add_mismatches(a, k, column, s);
                continue;
            }
            for (s, c) in s.iter_mut().zip(column) {
                let delta = a - c;
                *s += delta * delta;
            }
        }
    }

    /// Adds the contribution of a category, coordinate k, to the squared distances between a and the entries of a
    /// column.
    #[inline(always)]
    pub fn add_mismatches(&self, a: f64, k: usize, column: &[f64], s: &mut [f64]) {
        let step = self.scale[k] * self.scale[k];
        let Some(described) = &self.described[k] else {
            for (s, c) in s.iter_mut().zip(column) {
                *s += if a == *c { 0.0 } else { step };
            }
            return;
        };
        let shares = described.shares(self.level(k, described, a));
        for (s, c) in s.iter_mut().zip(column) {
            *s += step * shares[self.level(k, described, *c)];
        }
    }

    /// Writes K, the covariance of the points with this diagonal, and σ² κ' of each entry of its packed lower triangle;
    /// `own` receives all ∂κ/∂ln p of the kernel's first parameter, then of the next, or is empty.
    pub fn fill_covariance(
        &self,
        kernel: &AnyKernel,
        variance: f64,
        diagonal: impl Fn(usize) -> f64,
        work: &mut FactorWork,
        slopes: &mut Vec<f64>,
        own: &mut [f64],
    ) {
        let n = self.len;
        let k = work.packed_mut();
        slopes.resize(k.len() + GROUP, 0.0);
        let mut u = vec![0.0; self.dim()];
        vectorized(
            #[inline(always)]
            || {
                // In whole groups: entries written beyond the end of a column are overwritten by the next one.
                let mut start = 0;
                for j in 0..n {
                    for (u, column) in u.iter_mut().zip(&self.columns) {
                        *u = column[j];
                    }
                    let groups = (n - j).next_multiple_of(GROUP);
                    self.squared_distances(&u, j, &mut slopes[start..start + groups]);
                    start += n - j;
                }
            },
        );
        with_kernel!(kernel, kernel => vectorized(#[inline(always)] || {
            kernel.entries(variance, &mut slopes[..k.len()], k, own);
        }));
        let mut start = 0;
        for j in 0..n {
            k[start] = diagonal(j);
            start += n - j;
        }
    }

    /// The last points, fewer than a group, point by point: the `dim` coordinates of each, padded to whole groups.
    pub fn last_points(&self, out: &mut Vec<f64>) {
        let width = self.dim().next_multiple_of(GROUP);
        let n = (GROUP - 1).min(self.len);
        out.clear();
        out.resize(n * width, 0.0);
        for (i, point) in out.chunks_exact_mut(width.max(1)).enumerate() {
            for (x, column) in point.iter_mut().zip(&self.columns) {
                *x = column[self.len - n + i];
            }
        }
    }

    /// g_k ← Σ_i t_i d_k(j, i)² over the points i after point j, which has the whitened coordinates u, where d_k² is
    /// the contribution of coordinate k to the squared distance; `last` are the [`last_points`](Self::last_points) and
    /// `parts` is storage. The sums are bitwise those of [`dot_lanes`]: whole groups coordinate by coordinate, then the
    /// remainder for a group of coordinates at a time, since adding it number by number would take longer than all
    /// groups.
    #[inline(always)]
    pub fn weighted_squares(&self, u: &[f64], j: usize, t: &[f64], last: &[f64], parts: &mut [f64], g: &mut [f64]) {
        let width = self.dim().next_multiple_of(GROUP);
        let (whole, left) = t.split_at(t.len() - t.len() % GROUP);
        let points = last.split_at(last.len() - left.len() * width).1;
        for (from, g) in (0..).step_by(GROUP).zip(g.chunks_mut(GROUP)) {
            let mut by_lane = [[0.0; GROUP]; GROUP];
            for (l, by_lane) in by_lane[..g.len()].iter_mut().enumerate() {
                *by_lane = dot_squares_by_lane(whole, u[from + l], &self.columns[from + l][j + 1..][..whole.len()]);
            }
            let mut rest = [0.0; GROUP];
            let u: &[f64; GROUP] = u[from..].first_chunk().expect("whole groups");
            for (t, point) in left.iter().zip(points.chunks_exact(width)) {
                for ((rest, u), c) in rest.iter_mut().zip(u).zip(&point[from..from + GROUP]) {
                    *rest += t * ((u - c) * (u - c));
                }
            }
            for ((g, by_lane), rest) in g.iter_mut().zip(&by_lane).zip(rest) {
                *g = add_lanes(by_lane) + rest;
            }
        }
        for k in (0..g.len()).filter(|k| self.metric[*k] == Metric::Mismatch) {
            let parts = &mut parts[..t.len()];
            parts.fill(0.0);
            self.add_mismatches(u[k], k, &self.columns[k][j + 1..self.len], parts);
            g[k] = dot_lanes(t, parts);
        }
    }

    /// g_k ← Σ_j t_j (u_k − c_kj): every gradient in x reduces to this. Zero for categories.
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

/// k_j ← σ² κ(s_j) and c_j ← σ² κ'(s_j).
#[inline(always)]
pub(crate) fn kernel_row(kernel: impl Row, variance: f64, s: &[f64], k: &mut [f64], c: &mut [f64]) {
    kernel.row(variance, s, k, c);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gp::{Kernel, KernelKind, TwoScale};

    /// Points with five numbers and a category, some pushed one by one and some removed again.
    fn points(n: usize) -> (Points, Whitened) {
        let mut x = Points::new(6);
        let row = |i: usize| (0..6).map(|k| (i as f64 * 0.7 + k as f64).sin()).collect::<Vec<f64>>();
        (0..n).for_each(|i| x.push(&row(i)));
        (0..n).for_each(|i| x.row_mut(i)[2] = (i % 3) as f64);
        let metric = std::array::from_fn::<Metric, 6, _>(|k| if k == 2 { Metric::Mismatch } else { Metric::Distance });
        let mut first = x.clone();
        first.truncate(n / 2);
        let mut whitened = Whitened::new(&first, &[0.3, 0.5, 0.7, 0.9, 1.1, 1.3], &metric);
        (n / 2..n).for_each(|i| whitened.push(x.row(i)));
        (0..5).for_each(|_| whitened.push(&[7.0; 6]));
        whitened.truncate(n);
        (x, whitened)
    }

    #[test]
    fn distances_in_groups_are_those_one_by_one_to_the_bit() {
        for n in 1..40 {
            let (x, whitened) = points(n);
            let mut u = [0.0; 6];
            whitened.whiten(&[0.1, 0.2, 1.0, 0.3, 0.4, 0.5], &mut u);
            for from in [0, n / 3] {
                let mut s = vec![f64::NAN; n - from];
                whitened.squared_distances(&u, from, &mut s);
                for (i, s) in s.iter().enumerate() {
                    let mut want = 0.0;
                    for k in 0..6 {
                        let other = x.row(from + i)[k] * whitened.scale(k);
                        want += match (k, u[k] == other) {
                            (2, true) => 0.0,
                            (2, false) => whitened.scale(k) * whitened.scale(k),
                            _ => (u[k] - other) * (u[k] - other),
                        };
                    }
                    assert_eq!(*s, want, "{n} {from} {i}");
                }
            }
        }
    }

    #[test]
    fn a_covariance_has_the_kernels_values_and_slopes_to_the_bit() {
        for n in [1, 7, 8, 23] {
            let (_, whitened) = points(n);
            let kernel = AnyKernel::from(KernelKind::TwoScale).at(&[0.3, 4.0]);
            let mut work = FactorWork::new(n);
            let (mut slopes, mut own) = (Vec::new(), vec![0.0; 2 * work.packed_mut().len()]);
            let n_own = own.len() / 2;
            whitened.fill_covariance(&kernel, 1.7, |j| 2.0 + j as f64, &mut work, &mut slopes, &mut own);
            let (plain, mut at, mut u) = (TwoScale::default().with(&[0.3, 4.0]), 0, [0.0; 6]);
            for j in 0..n {
                (0..6).for_each(|k| u[k] = whitened.column(k, j, 1)[0]);
                let mut s = vec![0.0; n - j];
                whitened.squared_distances(&u, j, &mut s);
                assert_eq!(work.column(j)[0], 2.0 + j as f64);
                for (i, s) in s.iter().enumerate() {
                    let ((value, slope), mut by) = (Kernel::value_and_slope(plain, *s), [0.0; 2]);
                    Kernel::by_parameters(plain, *s, &mut by);
                    assert!(i == 0 || work.column(j)[i] == 1.7 * value);
                    assert_eq!((slopes[at], own[at], own[n_own + at]), (1.7 * slope, by[0], by[1]));
                    at += 1;
                }
            }
        }
    }
}
