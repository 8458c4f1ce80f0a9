//! The expected improvement of many points together, as a mean over fixed samples.
//!
//! With Σ = L Lᵀ and base samples z₁ … z_S, fixed once (scrambled Sobol points through Φ⁻¹),
//!
//! qEI ≈ 1/S Σ_s max(0, max_k (m + L z_s)_k − y⁺).
//!
//! Its slopes are those of the sum itself, so a search sees one consistent function: with k(s) the best point of sample s
//! where there is any improvement, p_k = #{s: k(s) = k}/S and ∂/∂L = 1/S Σ_s e_{k(s)} z_sᵀ =: B (lower triangle), which
//! the factorization carries back to Σ (Murray 2016): ∂/∂Σ = sym(L⁻ᵀ tril½(LᵀB) L⁻¹), tril½ being the lower triangle with
//! half the diagonal. As the sum is homogeneous, Σ_k (m_k − y⁺) p_k + Σ_ij Σ_ij H_ij is its value here too, with H = 2
//! ∂/∂Σ.
//!
//! Numerics: if a covariance is not positive definite, the smallest sufficient jitter is added to its diagonal.
//! References: Wilson, Hutter and Deisenroth, NeurIPS (2018); Murray, arXiv:1602.07527.

use super::QExpectedImprovement;
use crate::design;
use crate::linalg::{FactorWork, Points};
use crate::normal::quantile;
use crate::rng::Stream;

/// Base samples for the expected improvement of q points.
///
/// ```
/// use elbowroom::{acquisition::QSamples, rng::Stream};
/// let samples = QSamples::new(1, 4096, &Stream::new(1));
/// // One standard normal number improves on 0 by 1/√(2π) in the mean.
/// let q = samples.improvement(&[0.0], &[1.0], 0.0);
/// assert!((q.value - 0.3989422804014327).abs() < 1e-3);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct QSamples {
    normals: Points,
}

impl QSamples {
    /// `n_samples` (preferably a power of two) standard normal vectors of length q. They depend only on the stream's
    /// name.
    pub fn new(q: usize, n_samples: usize, stream: &Stream) -> Self {
        let mut normals = design::sobol(n_samples, q, stream);
        for i in 0..n_samples {
            for z in normals.row_mut(i) {
                *z = quantile(*z);
            }
        }
        Self { normals }
    }

    /// The number of samples.
    pub fn len(&self) -> usize {
        self.normals.len()
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.normals.is_empty()
    }

    /// The expected improvement over `best` of points with a joint normal law (covariance q × q, row by row); NaN if
    /// the covariance is not valid.
    ///
    /// # Panics
    ///
    /// If the number of points is not that of the samples.
    pub fn improvement(&self, mean: &[f64], covariance: &[f64], best: f64) -> QExpectedImprovement {
        let q = mean.len();
        assert_eq!(q, self.normals.dim(), "samples for another number of points");
        assert_eq!(covariance.len(), q * q, "a covariance of {q} points has {} entries", q * q);
        let Some(l) = factor(covariance, q) else {
            return QExpectedImprovement { value: f64::NAN, p: vec![f64::NAN; q], h: vec![f64::NAN; q * q] };
        };
        let mut value = 0.0;
        let (mut p, mut b) = (vec![0.0; q], vec![0.0; q * q]);
        for z in self.normals.iter() {
            let sample = |k: usize| mean[k] - best + (0..=k).map(|j| l[k * q + j] * z[j]).sum::<f64>();
            let first = (0, sample(0));
            let (k, highest) =
                (1..q).map(|k| (k, sample(k))).fold(first, |best, next| if next.1 > best.1 { next } else { best });
            if highest > 0.0 {
                value += highest;
                p[k] += 1.0;
                for j in 0..=k {
                    b[k * q + j] += z[j];
                }
            }
        }
        let share = 1.0 / self.normals.len() as f64;
        p.iter_mut().chain(&mut b).for_each(|v| *v *= share);
        QExpectedImprovement { value: value * share, p, h: back_through_factor(&l, &b, q) }
    }
}

/// L, row by row, with the least jitter that is necessary.
fn factor(covariance: &[f64], q: usize) -> Option<Vec<f64>> {
    let mut work = FactorWork::new(q);
    work.fill_columns(|j, column| column.copy_from_slice(&covariance[j * q + j..(j + 1) * q]));
    work.factor_with_jitter().ok()?;
    let (mut l, mut unit, mut column) = (vec![0.0; q * q], vec![0.0; q], vec![0.0; q]);
    for j in 0..q {
        unit[j] = 1.0;
        work.multiply_l(&unit, &mut column);
        unit[j] = 0.0;
        (0..q).for_each(|i| l[i * q + j] = column[i]);
    }
    Some(l)
}

/// 2 ∂/∂Σ from ∂/∂L = `b`.
fn back_through_factor(l: &[f64], b: &[f64], q: usize) -> Vec<f64> {
    // P = tril½(Lᵀ B), then L⁻ᵀ P L⁻¹ by two triangular solves, from the left and from the right.
    let mut p = vec![0.0; q * q];
    for i in 0..q {
        for j in 0..=i {
            let sum: f64 = (i..q).map(|k| l[k * q + i] * b[k * q + j]).sum();
            p[i * q + j] = if i == j { 0.5 * sum } else { sum };
        }
    }
    for column in 0..q {
        solve_transposed(l, q, &mut p, |k| k * q + column);
    }
    for row in 0..q {
        solve_transposed(l, q, &mut p, |k| row * q + k);
    }
    (0..q * q).map(|at| p[at] + p[at % q * q + at / q]).collect()
}

/// Solves Lᵀ x = v in place, where v is at the indices `at(0)`, `at(1)`, … of `p`.
fn solve_transposed(l: &[f64], q: usize, p: &mut [f64], at: impl Fn(usize) -> usize) {
    for i in (0..q).rev() {
        let rest: f64 = (i + 1..q).map(|k| l[k * q + i] * p[at(k)]).sum();
        p[at(i)] = (p[at(i)] - rest) / l[i * q + i];
    }
}
