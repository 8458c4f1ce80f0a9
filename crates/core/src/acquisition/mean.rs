//! The posterior mean itself: pure exploitation, and the paper's final recommendation.

use super::{Acquisition, Score};

/// μ.
///
/// ```
/// use elbowroom::acquisition::{Acquisition, PosteriorMean};
/// assert_eq!(PosteriorMean.score(1.5, 0.5).value, 1.5);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PosteriorMean;

impl Acquisition for PosteriorMean {
    #[inline]
    fn score(&self, mean: f64, _sd: f64) -> Score {
        Score { value: mean, by_mean: 1.0, by_sd: 0.0 }
    }
}
