//! The Cholesky factorization K = L Lᵀ of a positive definite matrix, kept as M = L⁻¹.
//!
//! Everything a Gaussian process asks of K comes from M: solves (K⁻¹b = Mᵀ(Mb)), posterior variances (|M k|²),
//! ln det K = −2 Σ ln Mᵢᵢ. M is stored by packed rows, so that a new data point only adds a row at the end (O(n²)), and
//! one pass over M gives both Mk and MᵀMk. The factor itself comes from `faer`, on one thread: its parallel code was
//! reported to be wrong, and does not pay below n = 1000. This is the only file that names faer's decompositions.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltParams, LltRegularization, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::linalg::triangular_inverse::invert_lower_triangular;
use faer::{Accum, Mat, Par, Spec};

use super::lanes::{GROUP, axpy_lanes, dot_lanes, vectorized};
use crate::error::{Error, Result};

/// Additions to the diagonal to try, relative to its mean; the first is none.
const JITTER_LADDER: [f64; 8] = [0.0, 1e-14, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2];

/// The inverse M = L⁻¹ of the lower Cholesky factor of K = L Lᵀ, by packed rows.
///
/// ```
/// use elbowroom::linalg::Factor;
/// // K = [[4, 2], [2, 5]] has L = [[2, 0], [1, 2]] and ln det = ln 16.
/// let f = Factor::new(2, |i, j| [[4.0, 2.0], [2.0, 5.0]][i][j]).unwrap();
/// assert!((f.ln_det() - 16f64.ln()).abs() < 1e-15);
/// let mut x = vec![8.0, 9.0];
/// f.solve(&mut x);
/// assert!((x[0] - 1.375).abs() < 1e-15 && (x[1] - 1.25).abs() < 1e-15);
/// ```
#[derive(Debug, Clone)]
pub struct Factor {
    n: usize,
    rows: Vec<f64>,
    jitter: f64,
}

impl Factor {
    /// Factors the matrix with lower-triangular entries `entry(i, j)`, j ≤ i.
    ///
    /// If K is not numerically positive definite, the smallest multiple of the identity that suffices is added;
    /// [`Factor::jitter`] says how much.
    pub fn new(n: usize, entry: impl Fn(usize, usize) -> f64) -> Result<Self> {
        let mut work = FactorWork::new(n);
        work.fill_columns(|j, column| {
            for (offset, value) in column.iter_mut().enumerate() {
                *value = entry(j + offset, j);
            }
        });
        let jitter = work.factor_with_jitter()?;
        work.invert();
        Ok(work.to_factor(jitter))
    }

    /// The order of K.
    pub fn len(&self) -> usize {
        self.n
    }

    /// Whether K has no rows.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// What was added to the diagonal of K.
    pub fn jitter(&self) -> f64 {
        self.jitter
    }

    /// ln det K.
    pub fn ln_det(&self) -> f64 {
        -2.0 * (0..self.n).map(|i| self.row(i)[i].ln()).sum::<f64>()
    }

    /// Row i of M, i + 1 numbers.
    pub fn row(&self, i: usize) -> &[f64] {
        let start = i * (i + 1) / 2;
        &self.rows[start..start + i + 1]
    }

    /// v ← M b, for as many leading rows of M as `b` has entries.
    pub fn half_solve(&self, b: &[f64], v: &mut [f64]) {
        vectorized(
            #[inline(always)]
            || {
                let mut start = 0;
                for i in 0..b.len() {
                    v[i] = dot_lanes(&self.rows[start..start + i + 1], &b[..i + 1]);
                    start += i + 1;
                }
            },
        );
    }

    /// v ← M b and w ← w + Mᵀv for a range of the rows of M, in one pass. Over all rows, starting from w = 0, this
    /// gives w = K⁻¹ b.
    pub fn both_solves(&self, b: &[f64], range: std::ops::Range<usize>, v: &mut [f64], w: &mut [f64]) {
        vectorized(
            #[inline(always)]
            || {
                let mut start = range.start * (range.start + 1) / 2;
                let mut i = range.start;
                // Two rows at a time: w is read and written half as often.
                while i + 2 <= range.end {
                    let (first, second) = self.rows[start..start + 2 * i + 3].split_at(i + 1);
                    let (s, t) = (dot_lanes(first, &b[..i + 1]), dot_lanes(second, &b[..i + 2]));
                    (v[i], v[i + 1]) = (s, t);
                    for ((w, x), y) in w[..i + 1].iter_mut().zip(first).zip(second) {
                        *w += s * x + t * y;
                    }
                    w[i + 1] += t * second[i + 1];
                    start += 2 * i + 3;
                    i += 2;
                }
                if i < range.end {
                    let row = &self.rows[start..start + i + 1];
                    v[i] = dot_lanes(row, &b[..i + 1]);
                    axpy_lanes(v[i], row, &mut w[..i + 1]);
                }
            },
        );
    }

    /// b ← K⁻¹ b.
    pub fn solve(&self, b: &mut [f64]) {
        let (mut v, mut w) = (vec![0.0; self.n], vec![0.0; self.n]);
        self.both_solves(b, 0..self.n, &mut v, &mut w);
        b[..self.n].copy_from_slice(&w);
    }

    /// Σᵢ (M b)ᵢ² over a range of the rows of M, for `W` right-hand sides at once; `b[j]` holds entry j of each.
    pub fn squared_norms<const W: usize>(&self, b: &[[f64; W]], range: std::ops::Range<usize>) -> [f64; W] {
        vectorized(
            #[inline(always)]
            || {
                let n = range.end;
                let mut total = [0.0; W];
                let mut i = range.start;
                while i + 4 <= n {
                    let rows = [self.row(i), self.row(i + 1), self.row(i + 2), self.row(i + 3)];
                    let mut sums = [[0.0; W]; 4];
                    let (r0, r1, r2, r3) = (&rows[0][..i + 1], &rows[1][..i + 1], &rows[2][..i + 1], &rows[3][..i + 1]);
                    for ((((x, a0), a1), a2), a3) in b[..i + 1].iter().zip(r0).zip(r1).zip(r2).zip(r3) {
                        for l in 0..W {
                            sums[0][l] += a0 * x[l];
                            sums[1][l] += a1 * x[l];
                            sums[2][l] += a2 * x[l];
                            sums[3][l] += a3 * x[l];
                        }
                    }
                    for (r, sum) in sums.iter_mut().enumerate() {
                        for j in i + 1..=i + r {
                            for l in 0..W {
                                sum[l] += rows[r][j] * b[j][l];
                            }
                        }
                        for l in 0..W {
                            total[l] += sum[l] * sum[l];
                        }
                    }
                    i += 4;
                }
                for i in i..n {
                    let mut sum = [0.0; W];
                    for (x, a) in b[..i + 1].iter().zip(self.row(i)) {
                        for l in 0..W {
                            sum[l] += a * x[l];
                        }
                    }
                    for l in 0..W {
                        total[l] += sum[l] * sum[l];
                    }
                }
                total
            },
        )
    }

    /// Keeps the first n rows of K only.
    pub fn truncate(&mut self, n: usize) {
        if n < self.n {
            self.n = n;
            self.rows.truncate(n * (n + 1) / 2);
        }
    }

    /// Adds a row to K: `column` are its entries with the earlier rows, `diagonal` its own. O(n²).
    ///
    /// If rounding makes the pivot too small or negative, it is raised to 10⁻¹² of the diagonal.
    pub fn append(&mut self, column: &[f64], diagonal: f64) {
        let n = self.n;
        let (mut l, mut w) = (vec![0.0; n], vec![0.0; n]);
        self.both_solves(column, 0..n, &mut l, &mut w);
        let pivot = diagonal - dot_lanes(&l, &l);
        let scale = 1.0 / pivot.max(1e-12 * diagonal).sqrt();
        self.rows.extend(w.iter().map(|a| -a * scale));
        self.rows.push(scale);
        self.n += 1;
    }
}

/// Reusable storage to factor many matrices of one order without allocating, as a likelihood search does.
pub struct FactorWork {
    n: usize,
    /// The lower triangle of K, column by column, followed by a group of padding.
    k: Vec<f64>,
    l: Mat<f64>,
    m: Mat<f64>,
    inverse: Mat<f64>,
    scratch: MemBuffer,
}

impl FactorWork {
    /// Storage for matrices of order n.
    pub fn new(n: usize) -> Self {
        let scratch = MemBuffer::new(cholesky_in_place_scratch::<f64>(n, Par::Seq, params()));
        let k = vec![0.0; n * (n + 1) / 2 + GROUP];
        Self { n, k, l: Mat::zeros(n, n), m: Mat::zeros(n, n), inverse: Mat::zeros(0, 0), scratch }
    }

    /// Writes the lower triangle of K: `fill(j, column)` gets the entries (j, j), (j+1, j), …
    pub fn fill_columns(&mut self, mut fill: impl FnMut(usize, &mut [f64])) {
        for j in 0..self.n {
            let at = self.column_range(j);
            fill(j, &mut self.k[at]);
        }
    }

    /// The lower triangle of K to be written, column by column, padded to whole groups.
    pub(crate) fn packed_mut(&mut self) -> &mut [f64] {
        let groups = (self.n * (self.n + 1) / 2).next_multiple_of(GROUP);
        &mut self.k[..groups]
    }

    /// Where column j of K begins in the packed triangle.
    fn column_range(&self, j: usize) -> std::ops::Range<usize> {
        let start = j * self.n - j * j.saturating_sub(1) / 2;
        start..start + self.n - j
    }

    /// Factors K as it is; false if a pivot is not positive.
    pub fn factor(&mut self) -> bool {
        self.factor_plus(0.0)
    }

    fn factor_plus(&mut self, jitter: f64) -> bool {
        let n = self.n;
        for j in 0..n {
            let at = self.column_range(j);
            self.l.col_as_slice_mut(j)[j..].copy_from_slice(&self.k[at]);
            self.l[(j, j)] += jitter;
        }
        let regularization =
            LltRegularization { dynamic_regularization_delta: 0.0, dynamic_regularization_epsilon: 0.0 };
        cholesky_in_place(self.l.as_mut(), regularization, Par::Seq, MemStack::new(&mut self.scratch), params()).is_ok()
            && (0..n).all(|i| self.l[(i, i)].is_finite() && self.l[(i, i)] > 0.0)
    }

    /// Factors K, adding the least to the diagonal that suffices; returns how much.
    pub fn factor_with_jitter(&mut self) -> Result<f64> {
        let n = self.n;
        let diagonal = (0..n).map(|j| self.k[self.column_range(j).start]).sum::<f64>() / n.max(1) as f64;
        self.factor_with_jitter_of(diagonal)
    }

    /// Factors K like [`FactorWork::factor_with_jitter`], with additions relative to `scale` instead of the mean of the
    /// diagonal: for a difference of matrices, whose rounding errors are relative to what was subtracted.
    pub fn factor_with_jitter_of(&mut self, scale: f64) -> Result<f64> {
        let n = self.n;
        for relative in JITTER_LADDER {
            if self.factor_plus(relative * scale) {
                return Ok(relative * scale);
            }
        }
        Err(Error::numerical(
            format!("a {n} × {n} covariance matrix of scale {scale:e} is not positive definite"),
            "check that the data are finite, or give a larger noise variance",
        ))
    }

    /// out ← L z, with the factor of the last factorization: what turns standard normal numbers into a sample.
    ///
    /// ```
    /// use elbowroom::linalg::FactorWork;
    /// // K = [[4, 2], [2, 5]] has L = [[2, 0], [1, 2]].
    /// let mut work = FactorWork::new(2);
    /// work.fill_columns(|j, column| column.copy_from_slice(&[4.0, 2.0, 5.0][2 * j..2 + j]));
    /// assert!(work.factor());
    /// let mut out = [0.0; 2];
    /// work.multiply_l(&[1.0, 10.0], &mut out);
    /// assert_eq!(out, [2.0, 21.0]);
    /// ```
    pub fn multiply_l(&self, z: &[f64], out: &mut [f64]) {
        vectorized(
            #[inline(always)]
            || {
                out.fill(0.0);
                for (j, t) in z.iter().enumerate() {
                    axpy_lanes(*t, &self.l.col_as_slice(j)[j..], &mut out[j..]);
                }
            },
        );
    }

    /// M ← L⁻¹.
    pub fn invert(&mut self) {
        invert_lower_triangular(self.m.as_mut(), self.l.as_ref(), Par::Seq);
    }

    /// The lower triangle of K⁻¹ = MᵀM; needs [`FactorWork::invert`] first.
    pub fn compute_inverse(&mut self) {
        let n = self.n;
        if self.inverse.nrows() != n {
            self.inverse = Mat::zeros(n, n);
        }
        matmul(
            self.inverse.as_mut(),
            BlockStructure::TriangularLower,
            Accum::Replace,
            self.m.as_ref().transpose(),
            BlockStructure::TriangularUpper,
            self.m.as_ref(),
            BlockStructure::TriangularLower,
            1.0,
            Par::Seq,
        );
    }

    /// Column j of K from the diagonal down.
    pub fn column(&self, j: usize) -> &[f64] {
        &self.k[self.column_range(j)]
    }

    /// Column j of K⁻¹ from the diagonal down.
    pub fn inverse_column(&self, j: usize) -> &[f64] {
        &self.inverse.col_as_slice(j)[j..]
    }

    /// ln det K of the last factorization.
    pub fn ln_det(&self) -> f64 {
        2.0 * (0..self.l.nrows()).map(|i| self.l[(i, i)].ln()).sum::<f64>()
    }

    /// w ← K⁻¹ b with `v` as scratch; needs [`FactorWork::invert`] first.
    pub fn solve(&self, b: &[f64], v: &mut [f64], w: &mut [f64]) {
        vectorized(
            #[inline(always)]
            || {
                let n = b.len();
                v[..n].fill(0.0);
                for j in 0..n {
                    axpy_lanes(b[j], &self.m.col_as_slice(j)[j..], &mut v[j..n]);
                }
                for j in 0..n {
                    w[j] = dot_lanes(&self.m.col_as_slice(j)[j..], &v[j..n]);
                }
            },
        );
    }

    /// [`solve`](Self::solve) for many b at once, with bitwise the same results: M is larger than the fast caches, and
    /// is read once for a few of them instead of once for each.
    pub fn solve_all(&self, b: &[Vec<f64>], w: &mut [Vec<f64>]) {
        const FEW: usize = 4;
        let mut v = vec![vec![0.0; self.n]; FEW];
        for (b, w) in b.chunks(FEW).zip(w.chunks_mut(FEW)) {
            vectorized(
                #[inline(always)]
                || {
                    v.iter_mut().for_each(
                        #[inline(always)]
                        |v| v.fill(0.0),
                    );
                    for j in 0..self.n {
                        let column = &self.m.col_as_slice(j)[j..];
                        for (v, b) in v.iter_mut().zip(b) {
                            axpy_lanes(b[j], column, &mut v[j..]);
                        }
                    }
                    for j in 0..self.n {
                        let column = &self.m.col_as_slice(j)[j..];
                        for (v, w) in v.iter().zip(w.iter_mut()) {
                            w[j] = dot_lanes(column, &v[j..]);
                        }
                    }
                },
            );
        }
    }

    /// M by packed rows, with the jitter that was added.
    pub fn to_factor(&self, jitter: f64) -> Factor {
        let n = self.m.nrows();
        let mut rows = vec![0.0; n * (n + 1) / 2];
        // Copies in blocks of columns, so that source and target stay in the cache.
        const BLOCK: usize = 32;
        for from in (0..n).step_by(BLOCK) {
            for i in from..n {
                let start = i * (i + 1) / 2;
                for j in from..(from + BLOCK).min(i + 1) {
                    rows[start + j] = self.m[(i, j)];
                }
            }
        }
        Factor { n, rows, jitter }
    }
}

fn params() -> Spec<LltParams, f64> {
    Spec::default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;
    use proptest::prelude::*;

    /// A random positive definite matrix A Aᵀ + I.
    fn spd(n: usize, seed: u64) -> Vec<Vec<f64>> {
        let mut s = Stream::new(seed);
        let a: Vec<Vec<f64>> = (0..n).map(|_| (0..n).map(|_| s.normal()).collect()).collect();
        (0..n)
            .map(|i| {
                (0..n).map(|j| (0..n).map(|k| a[i][k] * a[j][k]).sum::<f64>() + f64::from(u8::from(i == j))).collect()
            })
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn the_factor_reproduces_the_matrix(n in 1usize..90, seed in 0u64..1000) {
            let k = spd(n, seed);
            let f = Factor::new(n, |i, j| k[i][j]).unwrap();
            prop_assert_eq!(f.jitter(), 0.0);
            // M K Mᵀ = I, from the definition of M.
            for i in 0..n {
                for j in 0..=i {
                    let mut sum = 0.0;
                    for (a, x) in f.row(i).iter().enumerate() {
                        for (b, y) in f.row(j).iter().enumerate() {
                            sum += x * k[a][b] * y;
                        }
                    }
                    prop_assert!((sum - f64::from(u8::from(i == j))).abs() < 1e-9);
                }
            }
        }

        #[test]
        fn appending_rows_gives_the_factor_of_the_whole(n in 1usize..40, seed in 0u64..1000) {
            let k = spd(n, seed);
            let whole = Factor::new(n, |i, j| k[i][j]).unwrap();
            let half = n / 2;
            let mut grown = Factor::new(half, |i, j| k[i][j]).unwrap();
            for i in half..n {
                grown.append(&k[i][..i], k[i][i]);
            }
            prop_assert!((whole.ln_det() - grown.ln_det()).abs() < 1e-9 * whole.ln_det().abs().max(1.0));
            for i in 0..n {
                for (a, b) in whole.row(i).iter().zip(grown.row(i)) {
                    prop_assert!((a - b).abs() < 1e-9);
                }
            }
        }

        #[test]
        fn all_ways_to_solve_agree_with_the_matrix(n in 1usize..60, seed in 0u64..1000) {
            let k = spd(n, seed);
            let f = Factor::new(n, |i, j| k[i][j]).unwrap();
            let b: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
            let mut x = b.clone();
            f.solve(&mut x);
            for i in 0..n {
                let back: f64 = (0..n).map(|j| k[i.max(j)][i.min(j)] * x[j]).sum();
                prop_assert!((back - b[i]).abs() < 1e-8);
            }
            let mut v = vec![0.0; n];
            f.half_solve(&b, &mut v);
            let norm: f64 = v.iter().map(|a| a * a).sum();
            let wide: Vec<[f64; 8]> = b.iter().map(|&t| [t; 8]).collect();
            for s in f.squared_norms(&wide, 0..n) {
                prop_assert!((s - norm).abs() < 1e-11 * norm.max(1.0));
            }
            let split = n / 3;
            let (head, tail) = (f.squared_norms(&wide, 0..split), f.squared_norms(&wide, split..n));
            prop_assert!((head[3] + tail[3] - norm).abs() < 1e-11 * norm.max(1.0));
            // |M b|² = bᵀ K⁻¹ b.
            let quadratic: f64 = b.iter().zip(&x).map(|(p, q)| p * q).sum();
            prop_assert!((norm - quadratic).abs() < 1e-9 * norm.max(1.0));
        }
    }

    #[test]
    fn the_workspace_gives_the_inverse_and_the_determinant() {
        let n = 37;
        let k = spd(n, 5);
        let mut work = FactorWork::new(n);
        work.fill_columns(|j, c| c.iter_mut().enumerate().for_each(|(o, v)| *v = k[j + o][j]));
        assert!(work.factor());
        work.invert();
        work.compute_inverse();
        let b: Vec<f64> = (0..n).map(|i| i as f64).collect();
        let (mut v, mut w) = (vec![0.0; n], vec![0.0; n]);
        work.solve(&b, &mut v, &mut w);
        for i in 0..n {
            let by_inverse: f64 = (0..n).map(|j| work.inverse_column(i.min(j))[i.max(j) - i.min(j)] * b[j]).sum();
            assert!((by_inverse - w[i]).abs() < 1e-9);
            let back: f64 = (0..n).map(|j| k[i][j] * w[j]).sum();
            assert!((back - b[i]).abs() < 1e-8);
        }
        assert!((work.ln_det() - work.to_factor(0.0).ln_det()).abs() < 1e-11);
        let many: Vec<Vec<f64>> = (1..8).map(|by| b.iter().map(|b| (b * f64::from(by)).sin()).collect()).collect();
        let mut solved = vec![vec![f64::NAN; n]; many.len()];
        work.solve_all(&many, &mut solved);
        for (b, solved) in many.iter().zip(&solved) {
            work.solve(b, &mut v, &mut w);
            assert_eq!(&w, solved);
        }
    }

    #[test]
    fn the_factor_times_its_transpose_is_the_matrix() {
        let n = 21;
        let k = spd(n, 8);
        let mut work = FactorWork::new(n);
        work.fill_columns(|j, c| c.iter_mut().enumerate().for_each(|(o, v)| *v = k[j + o][j]));
        assert_eq!(work.factor_with_jitter_of(1.0).unwrap(), 0.0);
        // Row j of Lᵀ is L eⱼ, so the columns' outer products add up to K.
        let mut sum = vec![vec![0.0; n]; n];
        for j in 0..n {
            let e: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i == j))).collect();
            let mut column = vec![f64::NAN; n];
            work.multiply_l(&e, &mut column);
            for a in 0..n {
                for b in 0..n {
                    sum[a][b] += column[a] * column[b];
                }
            }
        }
        // Backward error of Cholesky: below (n + 1) eps times the diagonal, here below 21·2.2e-16·70.
        for a in 0..n {
            for b in 0..n {
                assert!((sum[a][b] - k[a][b]).abs() < 1e-12, "{a} {b}");
            }
        }
    }

    #[test]
    fn a_singular_matrix_gets_the_least_jitter_that_works() {
        // The matrix of ones has rank 1.
        let f = Factor::new(5, |_, _| 1.0).unwrap();
        assert!(f.jitter() > 0.0 && f.jitter() <= 1e-12);
    }

    #[test]
    fn a_hopeless_matrix_is_an_error_with_its_size() {
        let e = Factor::new(3, |_, _| f64::NAN).unwrap_err();
        assert!(e.to_string().contains("3 × 3"));
    }

    #[test]
    fn no_rows_are_a_valid_factor() {
        let f = Factor::new(0, |_, _| 0.0).unwrap();
        assert!(f.is_empty());
        assert_eq!(f.ln_det(), 0.0);
    }
}
