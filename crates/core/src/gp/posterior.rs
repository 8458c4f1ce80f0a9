//! The posterior of a Gaussian process with fixed hyperparameters.
//!
//! With K = k(X, X) + noise, α = K⁻¹(y − m) and k_x = k(X, x):
//!
//! μ(x) = m + k_xᵀ α,   s²(x) = σ_f² − k_xᵀ K⁻¹ k_x   (latent, without noise),
//! ∇μ = (∇k_x) α,   ∇s² = −2 (∇k_x) K⁻¹ k_x.
//!
//! A posterior can also carry *phantoms*: points whose evaluation is pending. They have no value and leave μ unchanged,
//! but they shrink the variance as their results will; one pass over M (see `linalg`) gives both variances.

use super::Hyperparameters;
use super::kernel::{any::Row, with_kernel};
use super::whitened::{Whitened, kernel_row};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::linalg::{Factor, FactorWork, GROUP, Points, dot, vectorized};

/// The smallest variance of a prediction, relative to σ_f²: anything below is rounding in k_xᵀK⁻¹k_x.
const VARIANCE_FLOOR: f64 = 1e-14;

/// How many points are predicted at the same time.
const BLOCK: usize = 16;

/// A Gaussian process given data. It never changes; conditioning returns a new one.
///
/// ```
/// use elbowroom::{data::Dataset, gp::{Hyperparameters, KernelKind, Posterior}, linalg::Points};
/// let x = Points::from_rows(1, vec![0.0, 1.0]).unwrap();
/// let data = Dataset::new(x, vec![0.0, 1.0]).unwrap();
/// let gp = Posterior::new(&data, Hyperparameters::new(KernelKind::Rbf, 1.0, vec![0.5], 0.0)).unwrap();
/// let p = gp.predict(&[1.0]);
/// assert!((p.mean - 1.0).abs() < 1e-12 && p.variance < 1e-12);
/// assert!(gp.predict(&[5.0]).variance > 0.99);
/// ```
#[derive(Debug, Clone)]
pub struct Posterior {
    hyper: Hyperparameters,
    points: Points,
    values: Vec<f64>,
    whitened: Whitened,
    factor: Factor,
    weights: Vec<f64>,
    n_data: usize,
}

/// Mean and latent variance at a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// Posterior mean μ.
    pub mean: f64,
    /// Posterior variance s² given the data.
    pub variance: f64,
    /// Posterior variance once the phantoms' results are in as well; equal to `variance` if there are none.
    pub variance_after: f64,
}

/// Storage for repeated predictions, and the gradients of the last one.
#[derive(Debug, Clone, Default)]
pub struct Scratch {
    u: Vec<f64>,
    s: Vec<f64>,
    k: Vec<f64>,
    c: Vec<f64>,
    v: Vec<f64>,
    w: Vec<f64>,
    t: Vec<f64>,
    /// ∇μ in the units of x.
    pub d_mean: Vec<f64>,
    /// ∇s² in the units of x.
    pub d_variance: Vec<f64>,
    /// ∇ of the variance with phantoms.
    pub d_variance_after: Vec<f64>,
}

impl Scratch {
    /// K⁻¹k_x of the last solve.
    pub(super) fn solved(&self) -> &[f64] {
        &self.w
    }

    /// k_x of the last prediction.
    pub(super) fn row(&self) -> &[f64] {
        &self.k[..self.v.len()]
    }

    fn resize(&mut self, n: usize, dim: usize) {
        // Whole groups of distances; entries beyond the last point are meaningless.
        for v in [&mut self.s, &mut self.k, &mut self.c] {
            v.resize(n.next_multiple_of(GROUP), 0.0);
        }
        for v in [&mut self.v, &mut self.w, &mut self.t] {
            v.resize(n, 0.0);
        }
        for v in [&mut self.u, &mut self.d_mean, &mut self.d_variance, &mut self.d_variance_after] {
            v.resize(dim, 0.0);
        }
    }
}

impl Posterior {
    /// Conditions the process on data. No jitter is added unless factoring fails.
    pub fn new(data: &Dataset, hyper: Hyperparameters) -> Result<Self> {
        hyper.check(data.len(), data.dim())?;
        let whitened = Whitened::under(data.x(), &hyper);
        let n = data.len();
        let mut work = FactorWork::new(n);
        let mut slopes = Vec::new();
        let diagonal = |j: usize| hyper.variance + hyper.noise.variance(j);
        whitened.fill_covariance(&hyper.kernel, hyper.variance, diagonal, &mut work, &mut slopes, &mut []);
        let jitter = work.factor_with_jitter()?;
        work.invert();
        Ok(Self::from_factor(data, hyper, work.to_factor(jitter)))
    }

    /// The posterior for hyperparameters whose covariance matrix has already been factored.
    pub(super) fn from_factor(data: &Dataset, hyper: Hyperparameters, factor: Factor) -> Self {
        let whitened = Whitened::under(data.x(), &hyper);
        let weights = solve_weights(&factor, data.y(), hyper.mean);
        let (points, values, n_data) = (data.x().clone(), data.y().to_vec(), data.len());
        Self { hyper, points, values, whitened, factor, weights, n_data }
    }

    /// The hyperparameters.
    pub fn hyper(&self) -> &Hyperparameters {
        &self.hyper
    }

    /// The number of observations that the mean is conditioned on.
    pub fn n_data(&self) -> usize {
        self.n_data
    }

    /// The number of coordinates of a point.
    pub fn dim(&self) -> usize {
        self.points.dim()
    }

    /// The observed points.
    pub fn observed(&self) -> impl Iterator<Item = &[f64]> {
        self.points.iter().take(self.n_data)
    }

    /// The points whose results are pending.
    pub fn phantoms(&self) -> impl Iterator<Item = &[f64]> {
        self.points.iter().skip(self.n_data)
    }

    /// The observed values.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// α = K⁻¹(y − m).
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The jitter that was added to the diagonal of K to factor it.
    pub fn jitter(&self) -> f64 {
        self.factor.jitter()
    }

    pub(crate) fn whitened(&self) -> &Whitened {
        &self.whitened
    }

    pub(super) fn factor(&self) -> &Factor {
        &self.factor
    }

    /// ln p(y | X): the marginal likelihood of the data.
    pub fn ln_marginal_likelihood(&self) -> f64 {
        let fit: f64 = self.values.iter().zip(&self.weights).map(|(y, a)| (y - self.hyper.mean) * a).sum();
        let ln_det: f64 = -2.0 * (0..self.n_data).map(|i| self.factor.row(i)[i].ln()).sum::<f64>();
        -0.5 * (fit + ln_det + self.n_data as f64 * (2.0 * std::f64::consts::PI).ln())
    }

    /// αᵀ K_f α, the squared norm of μ − m in the kernel's space (K_f without noise); infinite if it overflows.
    pub fn mean_norm_squared(&self) -> f64 {
        let fit: f64 = self.values.iter().zip(&self.weights).map(|(y, a)| (y - self.hyper.mean) * a).sum();
        let noise: f64 = self
            .weights
            .iter()
            .enumerate()
            .map(|(i, a)| a * a * (self.hyper.noise.variance(i) + self.factor.jitter()))
            .sum();
        let norm = fit - noise;
        // The difference of two infinities is a norm too large to compute: it serves as an upper bound.
        if norm.is_nan() { f64::INFINITY } else { norm.max(0.0) }
    }

    /// Mean and variance at one point.
    pub fn predict(&self, x: &[f64]) -> Prediction {
        let mut scratch = Scratch::default();
        self.predict_value(x, &mut scratch)
    }

    /// Mean and variance at one point, reusing storage.
    pub fn predict_value(&self, x: &[f64], scratch: &mut Scratch) -> Prediction {
        let n = self.whitened.len();
        scratch.resize(n, self.dim());
        self.kernel_row(x, scratch);
        let mean = self.hyper.mean + dot(&scratch.k[..self.n_data], &self.weights);
        self.factor.half_solve(&scratch.k[..n], &mut scratch.v);
        let (known, all) = self.variances(&scratch.v);
        Prediction { mean, variance: known, variance_after: all }
    }

    /// Mean and variance at one point; leaves their gradients in `scratch`.
    pub fn predict_gradient(&self, x: &[f64], scratch: &mut Scratch) -> Prediction {
        let (n, n_data) = (self.whitened.len(), self.n_data);
        scratch.resize(n, self.dim());
        self.kernel_row(x, scratch);
        let mean = self.hyper.mean + dot(&scratch.k[..n_data], &self.weights);
        scratch.w.fill(0.0);
        let Scratch { u, k, c, v, w, t, d_mean, d_variance, d_variance_after, .. } = scratch;
        self.factor.both_solves(k, 0..n_data, v, w);
        self.chain(u, c, &self.weights, 2.0, t, d_mean);
        self.chain(u, c, &w[..n_data], -4.0, t, d_variance);
        if n > n_data {
            self.factor.both_solves(k, n_data..n, v, w);
            self.chain(u, c, w, -4.0, t, d_variance_after);
        } else {
            d_variance_after.copy_from_slice(d_variance);
        }
        let (known, all) = self.variances(v);
        let floor = VARIANCE_FLOOR * self.hyper.variance;
        if known <= floor {
            d_variance.fill(0.0);
        }
        if all <= floor {
            d_variance_after.fill(0.0);
        }
        Prediction { mean, variance: known, variance_after: all }
    }

    /// The mean at one point, bitwise equal to that of [`mean_gradient`](Self::mean_gradient).
    pub(crate) fn mean(&self, x: &[f64], scratch: &mut Scratch) -> f64 {
        scratch.resize(self.whitened.len(), self.dim());
        self.kernel_row(x, scratch);
        self.hyper.mean + dot(&scratch.k[..self.n_data], &self.weights)
    }

    /// The mean at one point; leaves its gradient in `scratch.d_mean`. O(nd).
    pub fn mean_gradient(&self, x: &[f64], scratch: &mut Scratch) -> f64 {
        scratch.resize(self.whitened.len(), self.dim());
        self.kernel_row(x, scratch);
        let Scratch { u, k, c, t, d_mean, .. } = scratch;
        self.chain(u, c, &self.weights, 2.0, t, d_mean);
        self.hyper.mean + dot(&k[..self.n_data], &self.weights)
    }

    /// Σ_l (∂²μ/∂x_k∂x_l) d_l for a direction d, in the units of x: the Hessian of μ times a vector. O(nd).
    pub fn mean_hessian_times(&self, x: &[f64], direction: &[f64], scratch: &mut Scratch, out: &mut [f64]) {
        scratch.resize(self.whitened.len(), self.dim());
        self.kernel_row(x, scratch);
        self.mean_hessian_times_there(direction, scratch, out);
    }

    /// [`mean_hessian_times`](Self::mean_hessian_times) at the point of the last [`mean_gradient`](Self::mean_gradient)
    /// with this storage.
    pub(crate) fn mean_hessian_times_there(&self, direction: &[f64], scratch: &mut Scratch, out: &mut [f64]) {
        let (n, dim) = (self.n_data, self.dim());
        // In whitened coordinates: H v = Σ_i α_i σ²[4κ''(δᵢ·v) δᵢ + 2κ' v] with δᵢ = u − uᵢ, v = d/ℓ.
        let Scratch { u, s, c, v, t, .. } = scratch;
        let (v, t, variance) = (&mut v[..n], &mut t[..n], self.hyper.variance);
        v.fill(0.0);
        with_kernel!(self.hyper.kernel, kernel => vectorized(#[inline(always)] || {
            for k in (0..dim).filter(|&k| self.whitened.metric(k) == super::Metric::Distance) {
                let vk = direction[k] * self.whitened.scale(k);
                for (p, c) in v.iter_mut().zip(self.whitened.column(k, 0, n)) {
                    *p += vk * (u[k] - c);
                }
            }
            for (((t, weight), s), v) in t.iter_mut().zip(&self.weights).zip(s.iter()).zip(v.iter()) {
                *t = 4.0 * weight * variance * kernel.curvature(*s) * v;
            }
            self.whitened.weighted_differences(u, t, out);
        }));
        let straight = 2.0 * dot(&c[..n], &self.weights);
        for k in 0..dim {
            out[k] = match self.whitened.metric(k) {
                super::Metric::Distance => {
                    (out[k] + straight * direction[k] * self.whitened.scale(k)) * self.whitened.scale(k)
                }
                super::Metric::Mismatch => 0.0,
            };
        }
    }

    /// Means and variances (data only) at many points, several at a time.
    pub fn predict_many(&self, x: &Points) -> (Vec<f64>, Vec<f64>) {
        let predictions = self.predict_blocks(x, &mut |_: &[f64]| {});
        predictions.iter().map(|p| (p.mean, p.variance)).unzip()
    }

    /// Predictions at many points; `keep` gets the kernel row of each against data and phantoms.
    pub(super) fn predict_blocks(&self, x: &Points, keep: &mut impl FnMut(&[f64])) -> Vec<Prediction> {
        let (n_data, n) = (self.n_data, self.whitened.len());
        let mut predictions = Vec::with_capacity(x.len());
        let groups = n.next_multiple_of(GROUP);
        let (mut u, mut s) = (vec![0.0; self.dim()], vec![0.0; groups]);
        let (mut k, mut c) = (vec![0.0; groups], vec![0.0; groups]);
        let mut block = vec![[0.0; BLOCK]; n];
        let mut means = [0.0; BLOCK];
        let (variance, floor) = (self.hyper.variance, self.variance_floor());
        for from in (0..x.len()).step_by(BLOCK) {
            let width = BLOCK.min(x.len() - from);
            for lane in 0..width {
                self.whitened.whiten(x.row(from + lane), &mut u);
                with_kernel!(self.hyper.kernel, kernel => vectorized(#[inline(always)] || {
                    self.whitened.squared_distances(&u, 0, &mut s);
                    kernel_row(kernel, variance, &s, &mut k, &mut c);
                }));
                means[lane] = self.hyper.mean + dot(&k[..n_data], &self.weights);
                keep(&k[..n]);
                for (b, k) in block.iter_mut().zip(&k) {
                    b[lane] = *k;
                }
            }
            let known = self.factor.squared_norms(&block, 0..n_data);
            let awaited = self.factor.squared_norms(&block, n_data..n);
            predictions.extend((0..width).map(|lane| Prediction {
                mean: means[lane],
                variance: (variance - known[lane]).max(floor),
                variance_after: (variance - known[lane] - awaited[lane]).max(floor),
            }));
        }
        predictions
    }

    /// Solves K w = k_x for data and phantoms, with w left in the scratch; returns the variance at x with phantoms.
    pub(super) fn solve_row(&self, x: &[f64], scratch: &mut Scratch) -> f64 {
        let n = self.whitened.len();
        scratch.resize(n, self.dim());
        self.kernel_row(x, scratch);
        scratch.w.fill(0.0);
        let Scratch { k, v, w, .. } = scratch;
        self.factor.both_solves(k, 0..n, v, w);
        self.variances(&scratch.v).1
    }

    /// The smallest variance ever reported.
    pub(super) fn variance_floor(&self) -> f64 {
        VARIANCE_FLOOR * self.hyper.variance
    }

    /// Squared distance of two points in lengthscales.
    pub fn squared_distance(&self, a: &[f64], b: &[f64]) -> f64 {
        (0..self.dim())
            .map(|k| {
                let scale = self.whitened.scale(k);
                if let Some(described) = self.whitened.described(k) {
                    return scale * scale * described.share(a[k], b[k]);
                }
                match self.whitened.metric(k) {
                    super::Metric::Distance => (scale * (a[k] - b[k])).powi(2),
                    super::Metric::Mismatch if a[k] == b[k] => 0.0,
                    super::Metric::Mismatch => scale * scale,
                }
            })
            .sum()
    }

    /// The posterior with more observations and the same hyperparameters; O(n²) per observation.
    ///
    /// A posterior that carries phantoms loses them.
    pub fn condition(&self, more: &Dataset) -> Result<Self> {
        if more.dim() != self.dim() {
            return Err(Error::data(
                format!("points of {} coordinates for a model of {}", more.dim(), self.dim()),
                "give points of the model's dimension",
            ));
        }
        let mut new = self.without_phantoms();
        let noise = new.hyper.noise.typical();
        for i in 0..more.len() {
            let own = more.noise().map_or(noise, |v| v[i]);
            new.append(more.x().row(i), own);
            if let super::Noise::PerObservation(v) = &mut new.hyper.noise {
                v.push(own);
            } else if own != noise {
                let mut v = vec![noise; new.n_data];
                v.push(own);
                new.hyper.noise = super::Noise::PerObservation(v);
            }
            new.values.push(more.y()[i]);
            new.n_data += 1;
        }
        new.weights = solve_weights(&new.factor, &new.values, new.hyper.mean);
        Ok(new)
    }

    /// The posterior with more phantoms: points whose results are pending.
    pub fn with_phantoms<'a>(&self, points: impl IntoIterator<Item = &'a [f64]>) -> Self {
        let mut new = self.clone();
        for x in points {
            new.push_phantom(x);
        }
        new
    }

    /// Adds one phantom in place, for strategies that own their copy.
    pub(crate) fn push_phantom(&mut self, x: &[f64]) {
        self.append(x, self.hyper.noise.typical());
    }

    fn append(&mut self, x: &[f64], noise: f64) {
        let mut scratch = Scratch::default();
        scratch.resize(self.whitened.len(), self.dim());
        self.kernel_row(x, &mut scratch);
        self.factor.append(scratch.row(), self.hyper.variance + noise + self.factor.jitter());
        self.points.push(x);
        self.whitened.push(x);
    }

    pub(super) fn without_phantoms(&self) -> Self {
        let mut new = self.clone();
        new.points.truncate(self.n_data);
        new.whitened.truncate(self.n_data);
        new.factor.truncate(self.n_data);
        new
    }

    /// Fills u, s, k and c of the scratch for the point x against data and phantoms.
    fn kernel_row(&self, x: &[f64], scratch: &mut Scratch) {
        let Scratch { u, s, k, c, .. } = scratch;
        self.whitened.whiten(x, u);
        with_kernel!(self.hyper.kernel, kernel => vectorized(#[inline(always)] || {
            self.whitened.squared_distances(u, 0, s);
            kernel_row(kernel, self.hyper.variance, s, k, c);
        }));
    }

    /// out ← factor · Σ_j weights_j σ²κ'_j (u − u_j)/ℓ.
    pub(super) fn chain(&self, u: &[f64], c: &[f64], weights: &[f64], factor: f64, t: &mut [f64], out: &mut [f64]) {
        let n = weights.len();
        vectorized(
            #[inline(always)]
            || {
                for ((t, w), c) in t[..n].iter_mut().zip(weights).zip(c) {
                    *t = w * c;
                }
                self.whitened.weighted_differences(u, &t[..n], out);
            },
        );
        for (k, g) in out.iter_mut().enumerate() {
            *g *= factor * self.whitened.scale(k);
        }
    }

    fn variances(&self, v: &[f64]) -> (f64, f64) {
        let floor = VARIANCE_FLOOR * self.hyper.variance;
        let known = self.hyper.variance - dot(&v[..self.n_data], &v[..self.n_data]);
        let more = &v[self.n_data..self.whitened.len()];
        ((known).max(floor), (known - dot(more, more)).max(floor))
    }
}

fn solve_weights(factor: &Factor, y: &[f64], mean: f64) -> Vec<f64> {
    let mut weights: Vec<f64> = y.iter().map(|v| v - mean).collect();
    factor.solve(&mut weights);
    weights
}
