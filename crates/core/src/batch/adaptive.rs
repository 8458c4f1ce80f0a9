//! Batches that end early: a further point waits where results under way would change what is known of it.
//!
//! If the values of the pending points P are replaced by their means, the mean at the next point z will be off by
//! Δ ~ N(0, s²(z) − s²_after(z)) once they are in, so E|Δ| = √(2/π) √(s²(z) − s²_after(z)) (the criterion of Azimi,
//! Jalali and Fern 2012, exact for a Gaussian process). Or the score says it: where penalizers leave little of the
//! acquisition, there is little to gain.
//!
//! The first points of a batch do not depend on how many follow, so the batch is chosen whole and cut.

use serde::{Deserialize, Serialize};

use super::{Batch, BatchSize, BatchStrategy, LocalPenalization, Situation};
use crate::error::Result;

/// Local penalization with a batch that ends by itself.
///
/// ```
/// use elbowroom::batch::{Adaptive, StopRule};
/// let drop: Adaptive = serde_json::from_str(r#"{"stop":{"score_drop":{"most":4.0}}}"#)?;
/// assert_eq!(drop.stop, StopRule::ScoreDrop { most: 4.0 });
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Adaptive {
    /// How points are chosen.
    pub strategy: LocalPenalization,
    /// When the batch ends.
    pub stop: StopRule,
}

/// When a batch ends before its full size.
///
/// ```
/// use elbowroom::batch::StopRule;
/// assert_eq!(StopRule::default(), StopRule::MeanShift { most: 0.1 });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopRule {
    /// Before a point whose mean the results under way would move by more than this on average. A batch can be empty
    /// while points are pending.
    MeanShift {
        /// The most E|Δ|, in the model's units (about standard deviations of the results).
        most: f64,
    },
    /// Before a point whose ln α̃ lies more than this below that of the first point.
    ScoreDrop {
        /// The most difference of logarithms.
        most: f64,
    },
}

impl Default for StopRule {
    fn default() -> Self {
        StopRule::MeanShift { most: 0.1 }
    }
}

impl BatchStrategy for Adaptive {
    fn validate(&self) -> Result<()> {
        self.strategy.validate()
    }

    fn choose(&self, situation: &Situation<'_>, q: BatchSize) -> Result<Batch> {
        let mut batch = self.strategy.choose(situation, q)?;
        let end = match self.stop {
            StopRule::MeanShift { most } => {
                let pending = situation.pending.iter().map(|u| u.as_slice());
                let mut posterior = situation.posterior.with_phantoms(pending);
                batch.points.iter().position(|z| {
                    let p = posterior.predict(z);
                    posterior.push_phantom(z);
                    mean_shift(p.variance, p.variance_after) > most
                })
            }
            StopRule::ScoreDrop { most } => {
                let first = batch.info.scores.first().copied().unwrap_or_default();
                batch.info.scores.iter().position(|score| first - score > most)
            }
        };
        if let Some(end) = end {
            batch.points.truncate(end);
            batch.info.scores.truncate(end);
            let why = match self.stop {
                StopRule::MeanShift { .. } => "the results under way would change the choice of the next point",
                StopRule::ScoreDrop { .. } => "too little is expected of a further point",
            };
            batch.info.ended = Some(format!("the batch ended after {end} of {} points: {why}", q.get()));
        }
        Ok(batch)
    }
}

/// E|Δ| for a mean that will move by N(0, variance − variance_after).
fn mean_shift(variance: f64, variance_after: f64) -> f64 {
    (std::f64::consts::FRAC_2_PI * (variance - variance_after).max(0.0)).sqrt()
}
