//! The Hessian model of limited-memory BFGS in compact form: the last `m` pairs.
//!
//! ```text
//! B = θ I - W M Wᵀ,      W = [Y  θ S],      M⁻¹ = [ -D    Lᵀ   ]      D = diag(sᵢᵀyᵢ),  Lᵢⱼ = sᵢᵀyⱼ for i > j
//!                                                 [  L   θ SᵀS ]
//! ```
//!
//! On the free variables F, Woodbury's identity leaves one system of size `2m`:
//!
//! ```text
//! B_FF⁻¹ = I / θ + W_F (M⁻¹ - W_Fᵀ W_F / θ)⁻¹ W_Fᵀ / θ²
//! ```
//!
//! Both small matrices are symmetric but indefinite, so they are factored by LU with row pivoting.
//!
//! Reference: R. H. Byrd, P. Lu, J. Nocedal and C. Zhu, A limited memory algorithm for bound constrained optimization,
//! SIAM J. Sci. Comput. 16 (1995) 1190–1208, eq. 3.2 to 3.6 and 5.10.

use super::model::{Bent, Model, dot};

#[derive(Debug)]
pub(super) struct Compact {
    memory: usize,
    n_pairs: usize,
    theta: f64,
    /// One row per variable: `memory` entries of Y, then as many of S; the pairs in order of age.
    ys: Vec<f64>,
    /// `SᵀS` and `SᵀY`, row by row with stride `memory`.
    ss: Vec<f64>,
    sy: Vec<f64>,
    inverse: Vec<f64>,
    middle: Lu,
    reduced: Lu,
    /// `M Wᵀd` and `M Wᵀz` on the path.
    mp: Vec<f64>,
    mc: Vec<f64>,
    w: Vec<f64>,
    mw: Vec<f64>,
}

impl Compact {
    pub(super) fn new(n: usize, memory: usize) -> Self {
        let m = memory.max(1);
        Compact {
            memory: m,
            n_pairs: 0,
            theta: 1.0,
            ys: vec![0.0; n * 2 * m],
            ss: vec![0.0; m * m],
            sy: vec![0.0; m * m],
            inverse: vec![0.0; 4 * m * m],
            middle: Lu::new(2 * m),
            reduced: Lu::new(2 * m),
            mp: vec![0.0; 2 * m],
            mc: vec![0.0; 2 * m],
            w: vec![0.0; 2 * m],
            mw: vec![0.0; 2 * m],
        }
    }

    fn forget_oldest(&mut self) {
        let m = self.memory;
        for row in self.ys.chunks_exact_mut(m) {
            row.copy_within(1.., 0);
        }
        for square in [&mut self.ss, &mut self.sy] {
            for i in 1..m {
                square.copy_within(i * m + 1..(i + 1) * m, (i - 1) * m);
            }
        }
        self.n_pairs -= 1;
    }

    /// Appends `s` and `y` as the newest pair.
    fn push(&mut self, s: &[f64], y: &[f64]) {
        let (m, k) = (self.memory, self.n_pairs);
        self.n_pairs += 1;
        for j in 0..=k {
            (self.ss[k * m + j], self.sy[k * m + j], self.sy[j * m + k]) = (0.0, 0.0, 0.0);
        }
        for ((row, &s), &y) in self.ys.chunks_exact_mut(2 * m).zip(s).zip(y) {
            (row[k], row[m + k]) = (y, s);
            for j in 0..=k {
                self.ss[k * m + j] += s * row[m + j];
                self.sy[k * m + j] += s * row[j];
            }
        }
        for j in 0..k {
            self.ss[j * m + k] = self.ss[k * m + j];
        }
    }

    /// `M⁻¹`, which [`Lu::factor`] overwrites a copy of.
    fn fill_inverse(&mut self) {
        let (m, k) = (self.memory, self.n_pairs);
        let size = 2 * k;
        for i in 0..k {
            for j in 0..k {
                let below = if i > j { self.sy[i * m + j] } else { 0.0 };
                self.inverse[i * size + j] = if i == j { -self.sy[i * m + i] } else { 0.0 };
                self.inverse[(k + i) * size + j] = below;
                self.inverse[j * size + k + i] = below;
                self.inverse[(k + i) * size + k + j] = self.theta * self.ss[i * m + j];
            }
        }
    }
}

/// Row `i` of `W`.
fn gather(ys: &[f64], memory: usize, theta: f64, i: usize, w: &mut [f64]) {
    let row = &ys[i * 2 * memory..(i + 1) * 2 * memory];
    let (y, s) = w.split_at_mut(w.len() / 2);
    y.copy_from_slice(&row[..y.len()]);
    s.iter_mut().zip(&row[memory..]).for_each(|(w, s)| *w = theta * s);
}

fn add(sum: &mut [f64], scale: f64, v: &[f64]) {
    sum.iter_mut().zip(v).for_each(|(sum, v)| *sum += scale * v);
}

impl Model for Compact {
    fn reset(&mut self, theta: f64) {
        self.theta = theta;
        self.n_pairs = 0;
    }

    fn n_pairs(&self) -> usize {
        self.n_pairs
    }

    fn update(&mut self, s: &[f64], y: &[f64]) -> bool {
        if self.n_pairs == self.memory {
            self.forget_oldest();
        }
        self.push(s, y);
        self.theta = dot(y, y) / dot(s, y);
        self.fill_inverse();
        let size = 2 * self.n_pairs;
        self.middle.factor(size, &self.inverse[..size * size])
    }

    fn start_path(&mut self, d: &[f64]) -> f64 {
        let size = 2 * self.n_pairs;
        let (w, mp) = (&mut self.w[..size], &mut self.mp[..size]);
        let p = &mut self.mw[..size];
        p.fill(0.0);
        for (i, &d) in d.iter().enumerate().filter(|(_, d)| **d != 0.0) {
            gather(&self.ys, self.memory, self.theta, i, w);
            add(p, d, w);
        }
        mp.copy_from_slice(p);
        self.middle.solve(mp);
        self.mc[..size].fill(0.0);
        self.theta * dot(d, d) - dot(p, mp)
    }

    fn advance(&mut self, t: f64) {
        let size = 2 * self.n_pairs;
        add(&mut self.mc[..size], t, &self.mp[..size]);
    }

    fn bend(&mut self, i: usize, d: f64, z: f64) -> Bent {
        let size = 2 * self.n_pairs;
        let (w, mw, mp) = (&mut self.w[..size], &mut self.mw[..size], &mut self.mp[..size]);
        gather(&self.ys, self.memory, self.theta, i, w);
        mw.copy_from_slice(w);
        self.middle.solve(mw);
        let bent = Bent {
            bz: self.theta * z - dot(w, &self.mc[..size]),
            bd: self.theta * d - dot(w, mp),
            b: self.theta - dot(w, mw),
        };
        add(mp, -d, mw);
        bent
    }

    fn end_path(&mut self, z: &[f64], bz: &mut [f64]) {
        let size = 2 * self.n_pairs;
        let w = &mut self.w[..size];
        for (i, (bz, &z)) in bz.iter_mut().zip(z).enumerate() {
            gather(&self.ys, self.memory, self.theta, i, w);
            *bz = self.theta * z - dot(w, &self.mc[..size]);
        }
    }

    fn solve_free(&mut self, free: &[usize], r: &mut [f64]) -> bool {
        let (size, theta) = (2 * self.n_pairs, self.theta);
        if size == 0 {
            r.iter_mut().for_each(|r| *r /= theta);
            return true;
        }

        // The lower half of M⁻¹ - W_Fᵀ W_F / θ, mirrored, and W_Fᵀ r.
        self.fill_inverse();
        let (w, v) = (&mut self.w[..size], &mut self.mw[..size]);
        v.fill(0.0);
        for (&i, &r) in free.iter().zip(r.iter()) {
            gather(&self.ys, self.memory, theta, i, w);
            add(v, r, w);
            for a in 0..size {
                add(&mut self.inverse[a * size..a * size + a + 1], -w[a] / theta, &w[..=a]);
            }
        }
        for a in 0..size {
            for b in 0..a {
                self.inverse[b * size + a] = self.inverse[a * size + b];
            }
        }
        if !self.reduced.factor(size, &self.inverse[..size * size]) {
            return false;
        }
        self.reduced.solve(v);

        for (&i, r) in free.iter().zip(r.iter_mut()) {
            gather(&self.ys, self.memory, theta, i, w);
            *r = (*r + dot(w, v) / theta) / theta;
        }
        true
    }
}

/// A small LU factorization with row pivoting, in reused memory.
#[derive(Debug)]
struct Lu {
    size: usize,
    lu: Vec<f64>,
    pivots: Vec<usize>,
}

impl Lu {
    fn new(max_size: usize) -> Self {
        Lu { size: 0, lu: vec![0.0; max_size * max_size], pivots: vec![0; max_size] }
    }

    /// Whether the matrix was regular.
    fn factor(&mut self, size: usize, matrix: &[f64]) -> bool {
        self.size = size;
        let lu = &mut self.lu[..size * size];
        lu.copy_from_slice(matrix);
        for k in 0..size {
            let largest = (k..size).max_by(|&i, &j| lu[i * size + k].abs().total_cmp(&lu[j * size + k].abs()));
            let p = largest.unwrap_or(k);
            self.pivots[k] = p;
            if p != k {
                let (top, bottom) = lu.split_at_mut(p * size);
                top[k * size..(k + 1) * size].swap_with_slice(&mut bottom[..size]);
            }
            let (top, bottom) = lu.split_at_mut((k + 1) * size);
            let pivot_row = &top[k * size..];
            let pivot = pivot_row[k];
            if !(pivot != 0.0 && pivot.is_finite()) {
                return false;
            }
            for row in bottom.chunks_exact_mut(size) {
                let factor = row[k] / pivot;
                row[k] = factor;
                if factor != 0.0 {
                    add(&mut row[k + 1..], -factor, &pivot_row[k + 1..]);
                }
            }
        }
        true
    }

    fn solve(&self, b: &mut [f64]) {
        let size = self.size.min(b.len());
        for k in 0..size {
            b.swap(k, self.pivots[k]);
        }
        for i in 0..size {
            b[i] -= dot(&self.lu[i * size..i * size + i], &b[..i]);
        }
        for i in (0..size).rev() {
            let row = &self.lu[i * size..(i + 1) * size];
            b[i] = (b[i] - dot(&row[i + 1..], &b[i + 1..])) / row[i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::dense::Dense;
    use super::*;

    /// Everything the solver can learn from a model, after seven pairs of which it keeps four.
    fn answers(model: &mut impl Model) -> Vec<f64> {
        let n = 6;
        model.reset(1.0);
        for k in 0..7 {
            let s: Vec<f64> = (0..n).map(|i| ((i * i + 3 * k + 1) as f64).sin()).collect();
            // y = H s for a diagonal H, so that sᵀy > 0.
            let y: Vec<f64> = (0..n).map(|i| (1.0 + i as f64 + 0.2 * k as f64) * s[i]).collect();
            assert!(model.update(&s, &y));
        }

        let mut d: Vec<f64> = (0..n).map(|i| (2.0 + i as f64).cos()).collect();
        let mut z = vec![0.0; n];
        let mut answers = vec![model.start_path(&d)];
        for (t, i) in [(0.5, 2), (0.25, 4)] {
            model.advance(t);
            z.iter_mut().zip(&d).for_each(|(z, d)| *z += t * d);
            let bent = model.bend(i, d[i], z[i]);
            answers.extend([bent.bz, bent.bd, bent.b]);
            d[i] = 0.0;
        }
        model.advance(0.1);
        z.iter_mut().zip(&d).for_each(|(z, d)| *z += 0.1 * d);
        let mut bz = vec![0.0; n];
        model.end_path(&z, &mut bz);
        answers.extend(bz);

        let mut r = [1.0, -2.0, 0.5];
        assert!(model.solve_free(&[0, 3, 5], &mut r));
        answers.extend(r);
        answers
    }

    #[test]
    fn the_compact_form_is_the_same_matrix_as_the_recursion() {
        // Byrd, Nocedal and Schnabel (1994), theorem 2.3. Condition number below 100: ten digits are safe.
        for (a, b) in answers(&mut Compact::new(6, 4)).iter().zip(answers(&mut Dense::new(6, 4))) {
            assert!((a - b).abs() <= 1e-10 * (1.0 + b.abs()), "{a} and {b}");
        }
    }
}
