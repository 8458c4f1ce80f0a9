//! The posterior of the gradient ∇f(x): how steep the function may be, not just how steep its mean is.
//!
//! A Gaussian process and its gradient are jointly normal. With J = ∂k(x, X)/∂x (d × n) and K⁻¹ = MᵀM (see `linalg`):
//!
//! E ∇f = ∇μ = J α,   cov ∇f = [∂²k(x, x')/∂xᵢ∂x'ⱼ at x' = x] − (M Jᵀ)ᵀ(M Jᵀ).
//!
//! The first term is the *mixed* derivative (the paper's GP-LCA prints the second derivative in x alone, which is 0 for
//! a stationary kernel): −2κ'(0) σ_f²/ℓᵢ² on the diagonal and 0 elsewhere, whatever x. It needs no second derivative, so
//! it holds for Matérn-3/2 too, whose samples are once differentiable. A category has no gradient: its row and its
//! column are zero.

use super::kernel::{any::Row, with_kernel};
use super::{Metric, Posterior, Scratch};
use crate::linalg::dot;

/// The normal law of the gradient at a point, in the units of x.
///
/// ```
/// use elbowroom::{data::Dataset, gp::{Hyperparameters, KernelKind, Posterior}, linalg::Points};
/// let data = Dataset::new(Points::from_rows(1, vec![0.0]).unwrap(), vec![1.0]).unwrap();
/// let gp = Posterior::new(&data, Hyperparameters::new(KernelKind::Rbf, 1.0, vec![2.0], 0.0)).unwrap();
/// let g = gp.gradient_posterior(&[0.0]);
/// // The value at 0 is known, which says nothing about the slope there: its variance stays σ_f²/ℓ².
/// assert_eq!(g.mean, vec![0.0]);
/// assert_eq!(g.covariance, vec![0.25]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct GradientPosterior {
    /// ∇μ.
    pub mean: Vec<f64>,
    /// Covariance of the partial derivatives, d × d, row by row.
    pub covariance: Vec<f64>,
}

impl GradientPosterior {
    /// The covariance of the partial derivatives in coordinates i and j.
    pub fn covariance(&self, i: usize, j: usize) -> f64 {
        self.covariance[i * self.mean.len() + j]
    }

    /// E|∇f|² = |∇μ|² + tr cov ∇f.
    ///
    /// ```
    /// use elbowroom::gp::GradientPosterior;
    /// let g = GradientPosterior { mean: vec![3.0, 4.0], covariance: vec![1.0, 0.5, 0.5, 2.0] };
    /// assert_eq!(g.expected_squared_norm(), 28.0);
    /// ```
    pub fn expected_squared_norm(&self) -> f64 {
        let d = self.mean.len();
        dot(&self.mean, &self.mean) + (0..d).map(|i| self.covariance(i, i)).sum::<f64>()
    }
}

impl Posterior {
    /// The law of the gradient at `x`, given the data only (phantoms change nothing). O(d n²).
    pub fn gradient_posterior(&self, x: &[f64]) -> GradientPosterior {
        let (n, d, whitened) = (self.n_data(), self.dim(), self.whitened());
        let mut scratch = Scratch::default();
        self.mean_gradient(x, &mut scratch);
        let v: Vec<Vec<f64>> = self
            .partial_derivatives(x)
            .iter()
            .map(|column| {
                let mut v = vec![0.0; n];
                self.factor().half_solve(column, &mut v);
                v
            })
            .collect();

        let prior = self.hyper().variance * self.hyper().kernel.gradient_variance();
        let mut covariance = vec![0.0; d * d];
        for i in (0..d).filter(|&i| whitened.metric(i) == Metric::Distance) {
            for j in 0..=i {
                let mut c = -dot(&v[i], &v[j]);
                if i == j {
                    c = (c + prior).max(0.0);
                }
                c *= whitened.scale(i) * whitened.scale(j);
                covariance[i * d + j] = c;
                covariance[j * d + i] = c;
            }
        }
        GradientPosterior { mean: scratch.d_mean, covariance }
    }

    /// ∂k(x, X)/∂u: for each coordinate, in lengthscales, one number per observation.
    fn partial_derivatives(&self, x: &[f64]) -> Vec<Vec<f64>> {
        let (n, whitened, hyper) = (self.n_data(), self.whitened(), self.hyper());
        let mut u = vec![0.0; self.dim()];
        let mut s = vec![0.0; n];
        whitened.whiten(x, &mut u);
        whitened.squared_distances(&u, 0, &mut s);
        // ∂k/∂u = 2 σ_f² κ'(s) (u − u_j).
        let slopes: Vec<f64> = with_kernel!(hyper.kernel, kernel => {
            s.iter().map(|s| 2.0 * hyper.variance * kernel.value_and_slope(*s).1).collect()
        });
        let along = |k: usize| match whitened.metric(k) {
            Metric::Distance => slopes.iter().zip(whitened.column(k, 0, n)).map(|(c, p)| c * (u[k] - p)).collect(),
            Metric::Mismatch => vec![0.0; n],
        };
        (0..self.dim()).map(along).collect()
    }
}
