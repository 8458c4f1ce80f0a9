//! The upper confidence bound μ + κ s.

use super::{Acquisition, Score};

/// μ + κ s.
///
/// ```
/// use elbowroom::acquisition::{Acquisition, UpperConfidenceBound};
/// assert_eq!(UpperConfidenceBound { kappa: 2.0 }.score(1.0, 0.5).value, 2.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UpperConfidenceBound {
    /// Weight κ of the standard deviation; the paper's experiments use 2.
    pub kappa: f64,
}

impl Acquisition for UpperConfidenceBound {
    #[inline]
    fn score(&self, mean: f64, sd: f64) -> Score {
        Score { value: mean + self.kappa * sd, by_mean: 1.0, by_sd: self.kappa }
    }
}
