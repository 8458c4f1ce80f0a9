//! The posterior at several points together: joint mean and covariance, samples, and each observation from the others.
//!
//! With V = M k(X, A), where K⁻¹ = MᵀM (see `linalg`):
//!
//! cov(f(A), f(B)) = k(A, B) − V_Aᵀ V_B,
//!
//! given the data only; phantoms change nothing here. Samples are μ + L z with L Lᵀ the covariance and z standard normal
//! numbers; rounding in the covariance is relative to the prior variance σ_f², so the jitter that makes it positive
//! definite is tried in steps of σ_f² (at first none).
//!
//! A function V of the joint law has its gradient in the points by the chain rule: with p = ∂V/∂m, G = ∂V/∂Σ (symmetric)
//! and ∂₁ the gradient in the first argument, ∂V/∂x_l = p_l ∇μ(x_l) + 2 Σ_j G_lj ∂₁cov(x_l, x_j), the term j = l included
//! (a variance moves twice, once with each argument), and
//!
//! ∂₁cov(x, x') = ∂₁k(x, x') − (∇k_x) K⁻¹ k_x'.
//!
//! Leaving observation i out needs no second model (Rasmussen & Williams 2006, equations 5.10–5.12): with α = K⁻¹(y − m),
//! the others predict yᵢ with mean yᵢ − αᵢ/[K⁻¹]ᵢᵢ and variance 1/[K⁻¹]ᵢᵢ, and [K⁻¹]ᵢᵢ is the squared norm of column i
//! of M.

use super::Posterior;
use super::kernel::{any::Row, with_kernel};
use super::whitened::{Whitened, kernel_row};
use crate::error::Result;
use crate::linalg::{FactorWork, Points, axpy, dot, vectorized};
use crate::rng::Stream;

/// The joint normal law of the latent function at m points.
///
/// ```
/// use elbowroom::{data::Dataset, gp::{Hyperparameters, KernelKind, Posterior}, linalg::Points};
/// let data = Dataset::new(Points::from_rows(1, vec![0.0]).unwrap(), vec![1.0]).unwrap();
/// let gp = Posterior::new(&data, Hyperparameters::new(KernelKind::Rbf, 1.0, vec![1.0], 0.0)).unwrap();
/// let joint = gp.joint(&Points::from_rows(1, vec![1.0, -1.0]).unwrap());
/// // k(1, −1) − k(1, 0) k(0, −1) = e⁻² − e⁻¹.
/// assert!((joint.covariance(0, 1) - ((-2f64).exp() - (-1f64).exp())).abs() < 1e-15);
/// assert!((joint.mean[0] - (-0.5f64).exp()).abs() < 1e-15);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// Posterior mean at each point.
    pub mean: Vec<f64>,
    /// Posterior covariance, m × m, row by row.
    pub covariance: Vec<f64>,
}

impl Joint {
    /// The covariance of points i and j.
    pub fn covariance(&self, i: usize, j: usize) -> f64 {
        self.covariance[i * self.mean.len() + j]
    }
}

/// What the other observations predict for one of them.
///
/// ```
/// use elbowroom::gp::LeftOut;
/// let p = LeftOut { mean: 1.0, variance: 4.0 };
/// // The density of N(1, 4) at 1 is 1/(2 √(2π)).
/// assert!((p.ln_density(1.0) + (2.0 * (2.0 * std::f64::consts::PI).sqrt()).ln()).abs() < 1e-15);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeftOut {
    /// The mean of their prediction.
    pub mean: f64,
    /// The variance of their prediction, with the noise of the observation (and jitter, if there was any).
    pub variance: f64,
}

impl LeftOut {
    /// ln p(y): how well the prediction fits the observed value.
    pub fn ln_density(&self, y: f64) -> f64 {
        let z = (y - self.mean) / self.variance.sqrt();
        -0.5 * (z * z + (2.0 * std::f64::consts::PI * self.variance).ln())
    }
}

impl Posterior {
    /// The joint law of the latent function at the points `x`, given the data. O(m n² + m² n).
    pub fn joint(&self, x: &Points) -> Joint {
        let m = x.len();
        let (mean, v) = self.half_solved(x);
        let mut covariance = self.prior_covariance(x, x);
        for i in 0..m {
            for j in 0..=i {
                let mut c = covariance[i * m + j] - dot(&v[i], &v[j]);
                if i == j {
                    c = c.max(0.0);
                }
                covariance[i * m + j] = c;
                covariance[j * m + i] = c;
            }
        }
        Joint { mean, covariance }
    }

    /// The posterior covariance of every point of `a` (rows) with every point of `b` (columns), row by row.
    ///
    /// ```
    /// use elbowroom::{data::Dataset, gp::{Hyperparameters, KernelKind, Posterior}, linalg::Points};
    /// let data = Dataset::new(Points::from_rows(1, vec![0.0]).unwrap(), vec![1.0]).unwrap();
    /// let gp = Posterior::new(&data, Hyperparameters::new(KernelKind::Rbf, 1.0, vec![1.0], 0.0)).unwrap();
    /// let at = |x: f64| Points::from_rows(1, vec![x]).unwrap();
    /// // An observed value is certain, so it varies with nothing.
    /// assert!(gp.covariance_between(&at(0.0), &at(0.3))[0].abs() < 1e-15);
    /// ```
    pub fn covariance_between(&self, a: &Points, b: &Points) -> Vec<f64> {
        let (_, v) = self.half_solved(a);
        let (_, w) = self.half_solved(b);
        let mut covariance = self.prior_covariance(a, b);
        for (i, v) in v.iter().enumerate() {
            for (j, w) in w.iter().enumerate() {
                covariance[i * b.len() + j] -= dot(v, w);
            }
        }
        covariance
    }

    /// The posterior covariance of f(a) and f(b), and its gradient in `a`, written to `gradient`. O(n²).
    ///
    /// ```
    /// use elbowroom::{data::Dataset, gp::{Hyperparameters, KernelKind, Posterior}, linalg::Points};
    /// let data = Dataset::new(Points::from_rows(1, vec![0.0]).unwrap(), vec![1.0]).unwrap();
    /// let gp = Posterior::new(&data, Hyperparameters::new(KernelKind::Rbf, 1.0, vec![1.0], 0.0)).unwrap();
    /// let mut gradient = [0.0];
    /// gp.covariance_gradient(&[1.0], &[-1.0], &mut gradient);
    /// // d/da of e^{−(a+1)²/2} − e^{−a²/2} e^{−1/2} at a = 1.
    /// assert!((gradient[0] - (-2.0 * (-2f64).exp() + (-1f64).exp())).abs() < 1e-15);
    /// ```
    pub fn covariance_gradient(&self, a: &[f64], b: &[f64], gradient: &mut [f64]) -> f64 {
        let mut pair = Points::new(self.dim());
        pair.push(a);
        pair.push(b);
        let both = self.joint_gradient(&pair, &[0.0; 2], &[0.0, 0.5, 0.5, 0.0]);
        gradient.copy_from_slice(&both[..self.dim()]);
        self.joint(&pair).covariance(0, 1)
    }

    /// The gradient in the points `x` of a function of their joint law, from its slopes: `by_mean` in each mean, and
    /// `by_covariance` in each entry of the covariance (m × m, symmetric). One row of d numbers per point. O(m n²).
    ///
    /// ```
    /// use elbowroom::{data::Dataset, gp::{Hyperparameters, KernelKind, Posterior}, linalg::Points};
    /// let data = Dataset::new(Points::from_rows(1, vec![0.0]).unwrap(), vec![1.0]).unwrap();
    /// let gp = Posterior::new(&data, Hyperparameters::new(KernelKind::Rbf, 1.0, vec![1.0], 0.0)).unwrap();
    /// // The variance 1 − e^{−x²} of one point has the slope 2x e^{−x²}.
    /// let x = Points::from_rows(1, vec![0.5]).unwrap();
    /// let gradient = gp.joint_gradient(&x, &[0.0], &[1.0]);
    /// assert!((gradient[0] - (-0.25f64).exp()).abs() < 1e-15);
    /// ```
    pub fn joint_gradient(&self, x: &Points, by_mean: &[f64], by_covariance: &[f64]) -> Vec<f64> {
        let (m, n, dim, hyper) = (x.len(), self.n_data(), self.dim(), self.hyper());
        let (mut u, mut s, mut k, mut v) = (vec![0.0; dim], vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        let (mut slopes, mut solved) = (vec![vec![0.0; n]; m], vec![vec![0.0; n]; m]);
        for (j, x) in x.iter().enumerate() {
            self.whitened().whiten(x, &mut u);
            with_kernel!(hyper.kernel, kernel => vectorized(#[inline(always)] || {
                self.whitened().squared_distances(&u, 0, &mut s);
                kernel_row(kernel, hyper.variance, &s, &mut k, &mut slopes[j]);
            }));
            self.factor().both_solves(&k, 0..n, &mut v, &mut solved[j]);
        }

        let mut gradient = vec![0.0; m * dim];
        let among = Whitened::under(x, hyper);
        let (mut t, mut prior, mut c) = (vec![0.0; n], vec![0.0; m], vec![0.0; m]);
        let mut part = vec![0.0; dim];
        for (l, x) in x.iter().enumerate() {
            let twice: Vec<f64> = by_covariance[l * m..(l + 1) * m].iter().map(|g| 2.0 * g).collect();
            let out = &mut gradient[l * dim..(l + 1) * dim];
            // Through the data: both terms are (∇k_x) times a vector.
            let mut weights: Vec<f64> = self.weights().iter().map(|a| by_mean[l] * a).collect();
            for (g, solved) in twice.iter().zip(&solved) {
                axpy(-g, solved, &mut weights);
            }
            self.whitened().whiten(x, &mut u);
            self.chain(&u, &slopes[l], &weights, 2.0, &mut t, out);
            // Directly, from the prior.
            with_kernel!(hyper.kernel, kernel => {
                among.squared_distances(&u, 0, &mut prior);
                for ((c, s), g) in c.iter_mut().zip(&prior).zip(&twice) {
                    *c = g * hyper.variance * kernel.value_and_slope(*s).1;
                }
            });
            among.weighted_differences(&u, &c, &mut part);
            for (k, (out, part)) in out.iter_mut().zip(&part).enumerate() {
                *out += 2.0 * among.scale(k) * part;
            }
        }
        gradient
    }

    /// Draws the latent function at the points `x` jointly: one row per sample, one column per point.
    ///
    /// ```
    /// use elbowroom::{data::Dataset, gp::{Hyperparameters, KernelKind, Posterior}, linalg::Points, rng::Stream};
    /// let data = Dataset::new(Points::from_rows(1, vec![0.0]).unwrap(), vec![1.0]).unwrap();
    /// let gp = Posterior::new(&data, Hyperparameters::new(KernelKind::Rbf, 1.0, vec![1.0], 0.0)).unwrap();
    /// let x = Points::from_rows(1, vec![0.0, 3.0]).unwrap();
    /// let samples = gp.sample(&x, 5, &mut Stream::new(1)).unwrap();
    /// assert_eq!((samples.len(), samples.dim()), (5, 2));
    /// // All samples go through the observation.
    /// assert!(samples.iter().all(|f| (f[0] - 1.0).abs() < 1e-6));
    /// ```
    pub fn sample(&self, x: &Points, n_samples: usize, stream: &mut Stream) -> Result<Points> {
        let m = x.len();
        let joint = self.joint(x);
        let mut work = FactorWork::new(m);
        work.fill_columns(|j, column| column.copy_from_slice(&joint.covariance[j * m + j..(j + 1) * m]));
        work.factor_with_jitter_of(self.hyper().variance)?;

        let mut samples = Points::new(m);
        let (mut z, mut f) = (vec![0.0; m], vec![0.0; m]);
        for _ in 0..n_samples {
            z.fill_with(|| stream.normal());
            work.multiply_l(&z, &mut f);
            for (f, mean) in f.iter_mut().zip(&joint.mean) {
                *f += mean;
            }
            samples.push(&f);
        }
        Ok(samples)
    }

    /// For each observation, its prediction from the others, with the same hyperparameters. O(n²).
    ///
    /// ```
    /// use elbowroom::{data::Dataset, gp::{Hyperparameters, KernelKind, Posterior}, linalg::Points};
    /// let data = Dataset::new(Points::from_rows(1, vec![0.0, 1.0]).unwrap(), vec![1.0, 2.0]).unwrap();
    /// let gp = Posterior::new(&data, Hyperparameters::new(KernelKind::Rbf, 1.0, vec![1.0], 0.0)).unwrap();
    /// let out = gp.leave_one_out();
    /// // From y(1) = 2 alone: k(0, 1)·2 with variance 1 − k(0, 1)², and k(0, 1) = e^(−1/2).
    /// assert!((out[0].mean - 2.0 * (-0.5f64).exp()).abs() < 1e-15);
    /// assert!((out[0].variance - (1.0 - (-1f64).exp())).abs() < 1e-15);
    /// ```
    pub fn leave_one_out(&self) -> Vec<LeftOut> {
        let n = self.n_data();
        let mut precision = vec![0.0; n];
        for i in 0..n {
            for (p, m) in precision.iter_mut().zip(self.factor().row(i)) {
                *p += m * m;
            }
        }
        let left_out = |((p, a), y): ((&f64, &f64), &f64)| LeftOut { mean: y - a / p, variance: 1.0 / p };
        precision.iter().zip(self.weights()).zip(self.values()).map(left_out).collect()
    }

    /// The mean and M k(X, x) of every point.
    fn half_solved(&self, x: &Points) -> (Vec<f64>, Vec<Vec<f64>>) {
        let (n, hyper) = (self.n_data(), self.hyper());
        let mut u = vec![0.0; self.dim()];
        let (mut s, mut k, mut c) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        let half_solve = |x: &[f64]| {
            self.whitened().whiten(x, &mut u);
            with_kernel!(hyper.kernel, kernel => vectorized(#[inline(always)] || {
                self.whitened().squared_distances(&u, 0, &mut s);
                kernel_row(kernel, hyper.variance, &s, &mut k, &mut c);
            }));
            let mut v = vec![0.0; n];
            self.factor().half_solve(&k, &mut v);
            (hyper.mean + dot(&k, self.weights()), v)
        };
        x.iter().map(half_solve).unzip()
    }

    /// k(A, B), row by row.
    fn prior_covariance(&self, a: &Points, b: &Points) -> Vec<f64> {
        let hyper = self.hyper();
        let columns = Whitened::under(b, hyper);
        let mut u = vec![0.0; self.dim()];
        let mut s = vec![0.0; b.len()];
        let mut covariance = Vec::with_capacity(a.len() * b.len());
        for x in a.iter() {
            columns.whiten(x, &mut u);
            with_kernel!(hyper.kernel, kernel => {
                columns.squared_distances(&u, 0, &mut s);
                covariance.extend(s.iter().map(|s| hyper.variance * kernel.value_and_slope(*s).0));
            });
        }
        covariance
    }
}
