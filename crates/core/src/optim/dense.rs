//! The Hessian model of limited-memory BFGS as a full matrix, for few variables.
//!
//! ```text
//! B = θ I with θ = yᵀy / sᵀy of the newest pair, then for each pair, oldest first:
//! B <- B - (B s)(B s)ᵀ / sᵀB s + y yᵀ / sᵀy
//! ```
//!
//! It is the same matrix as in `compact`; with few variables, rebuilding it costs less (`6 m n²` flops) than the
//! systems of size `2m` do. Rebuilding it lets `θ` follow the function. BFGS that keeps all pairs and its first `θ` was
//! tried on the problems of tests/optim.rs, against ten pairs: evaluations went up by 8 and 40 % on Rosenbrock-10, 5
//! and 42 % on Rosenbrock-25, 23 % on the quadratic in 6 variables, 12 and 22 % on the bumps in 3 and 20, and down by
//! 16 % on the quadratic in 30 and 12 % on the likelihood. Scaling `B` before updates (Oren and Luenberger) did not
//! help.
//!
//! Reference: J. Nocedal and S. J. Wright, Numerical Optimization, 2nd ed. (2006), eq. 6.19 and 7.20.

use super::model::{Bent, Model, dot};

#[derive(Debug)]
pub(super) struct Dense {
    n: usize,
    memory: usize,
    n_pairs: usize,
    /// One pair per row, oldest first.
    s: Vec<f64>,
    y: Vec<f64>,
    sy: Vec<f64>,
    b: Vec<f64>,
    /// `B d` and `B z` on the path: d is its direction, z the step so far.
    bd: Vec<f64>,
    bz: Vec<f64>,
    factor: Vec<f64>,
}

impl Dense {
    pub(super) fn new(n: usize, memory: usize) -> Self {
        let memory = memory.max(1);
        Dense {
            n,
            memory,
            n_pairs: 0,
            s: vec![0.0; n * memory],
            y: vec![0.0; n * memory],
            sy: vec![0.0; memory],
            b: vec![0.0; n * n],
            bd: vec![0.0; n],
            bz: vec![0.0; n],
            factor: vec![0.0; n * n],
        }
    }

    fn set_to_scaled_identity(&mut self, theta: f64) {
        self.b.fill(0.0);
        self.b.iter_mut().step_by(self.n + 1).for_each(|b| *b = theta);
    }

    /// Appends a pair as the newest, replacing the oldest if there is no more room.
    fn push(&mut self, s: &[f64], y: &[f64], sy: f64) {
        let n = self.n;
        if self.n_pairs == self.memory {
            self.s.copy_within(n.., 0);
            self.y.copy_within(n.., 0);
            self.sy.copy_within(1.., 0);
            self.n_pairs -= 1;
        }
        let k = self.n_pairs;
        self.s[k * n..(k + 1) * n].copy_from_slice(s);
        self.y[k * n..(k + 1) * n].copy_from_slice(y);
        self.sy[k] = sy;
        self.n_pairs += 1;
    }
}

impl Model for Dense {
    fn reset(&mut self, theta: f64) {
        self.n_pairs = 0;
        self.set_to_scaled_identity(theta);
    }

    fn n_pairs(&self) -> usize {
        self.n_pairs
    }

    fn update(&mut self, s: &[f64], y: &[f64]) -> bool {
        let n = self.n;
        let sy = dot(s, y);
        self.push(s, y, sy);
        self.set_to_scaled_identity(dot(y, y) / sy);
        for k in 0..self.n_pairs {
            let (s, y, sy) = (&self.s[k * n..(k + 1) * n], &self.y[k * n..(k + 1) * n], self.sy[k]);
            let bs = &mut self.bd;
            for (bs, row) in bs.iter_mut().zip(self.b.chunks_exact(n)) {
                *bs = dot(row, s);
            }
            let sbs = dot(s, bs);
            if sbs <= 0.0 || sbs.is_nan() {
                return false;
            }
            let (per_sy, per_sbs) = (1.0 / sy, 1.0 / sbs);
            for (i, row) in self.b.chunks_exact_mut(n).enumerate() {
                let (u, v) = (y[i] * per_sy, bs[i] * per_sbs);
                for ((b, &y), &bs) in row.iter_mut().zip(y).zip(bs.iter()) {
                    *b += u * y - v * bs;
                }
            }
        }
        true
    }

    fn start_path(&mut self, d: &[f64]) -> f64 {
        for (bd, row) in self.bd.iter_mut().zip(self.b.chunks_exact(self.n)) {
            *bd = dot(row, d);
        }
        self.bz.fill(0.0);
        dot(&self.bd, d)
    }

    fn advance(&mut self, t: f64) {
        for (bz, bd) in self.bz.iter_mut().zip(&self.bd) {
            *bz += t * bd;
        }
    }

    fn bend(&mut self, i: usize, d: f64, _z: f64) -> Bent {
        let row = &self.b[i * self.n..(i + 1) * self.n];
        let bent = Bent { bz: self.bz[i], bd: self.bd[i], b: row[i] };
        for (bd, b) in self.bd.iter_mut().zip(row) {
            *bd -= d * b;
        }
        bent
    }

    fn end_path(&mut self, _z: &[f64], bz: &mut [f64]) {
        bz.copy_from_slice(&self.bz);
    }

    fn solve_free(&mut self, free: &[usize], r: &mut [f64]) -> bool {
        let (n, m) = (self.n, free.len());
        let factor = &mut self.factor;

        for (i, &fi) in free.iter().enumerate() {
            for (j, &fj) in free[..=i].iter().enumerate() {
                let (above, row) = factor.split_at_mut(i * m);
                let sum = self.b[fi * n + fj];
                if j < i {
                    let lj = &above[j * m..j * m + j + 1];
                    row[j] = (sum - dot(&row[..j], &lj[..j])) * lj[j];
                } else {
                    let pivot = sum - dot(&row[..i], &row[..i]);
                    if pivot <= f64::EPSILON * sum || pivot.is_nan() {
                        return false;
                    }
                    // The diagonal holds reciprocals.
                    row[i] = 1.0 / pivot.sqrt();
                }
            }
        }

        for i in 0..m {
            let row = &factor[i * m..i * m + i + 1];
            r[i] = (r[i] - dot(&row[..i], &r[..i])) * row[i];
        }
        for i in (0..m).rev() {
            let row = &factor[i * m..i * m + i + 1];
            r[i] *= row[i];
            let ri = r[i];
            for (r, l) in r[..i].iter_mut().zip(row) {
                *r -= ri * l;
            }
        }
        true
    }
}
