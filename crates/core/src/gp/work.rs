//! Work that is counted instead of timed: operations to leading order, the same on every machine.
//!
//! With n data (and phantoms) in d coordinates: n³/3 for a factorization, and n³ for a likelihood with its gradient,
//! which needs the inverse as well; n² for a solve, hence n² + nd for a predicted mean and variance and twice that with
//! their gradients; nd for a kernel row, and 2nd for a mean with its gradient. m points together take m² n more; to
//! draw from their law, m³/3 and m² per draw. Work that does not grow with data or points is not counted.

use super::Posterior;

/// n³/3: a Cholesky factor.
pub(crate) fn factorization(n: usize) -> f64 {
    (n as f64).powi(3) / 3.0
}

/// n³ + n²d: a marginal likelihood with its gradient.
pub(crate) fn likelihood(n: usize, dim: usize) -> f64 {
    let n = n as f64;
    n * n * (n + dim as f64)
}

/// n² + nd with n data: a predicted mean and variance.
pub(crate) fn prediction(n: usize, dim: usize) -> f64 {
    let n = n as f64;
    n * (n + dim as f64)
}

impl Posterior {
    /// A mean and variance, by data and phantoms.
    pub(crate) fn work_of_prediction(&self) -> f64 {
        prediction(self.whitened().len(), self.dim())
    }

    /// A mean with its gradient.
    pub(crate) fn work_of_mean(&self) -> f64 {
        2.0 * (self.n_data() * self.dim()) as f64
    }

    /// The joint law of m points.
    pub(crate) fn work_of_joint(&self, m: usize) -> f64 {
        let points = m as f64;
        points * (prediction(self.n_data(), self.dim()) + points * self.n_data() as f64)
    }

    /// Joint draws at m points.
    pub(crate) fn work_of_draws(&self, m: usize, n_draws: usize) -> f64 {
        self.work_of_joint(m) + factorization(m) + (n_draws * m * m) as f64
    }
}
