//! The acquisition on completed data alone: what is pending is left out, but for not proposing it again.
//!
//! One point at a time with nothing pending, this is sequential Bayesian optimization. Asynchronously it is the baseline
//! that any treatment of pending points must beat: its points crowd where the first of them is.

use serde::{Deserialize, Serialize};

use super::search::{Score, Search};
use super::{AcquisitionKind, Batch, BatchSize, BatchStrategy, Candidates, Situation};
use crate::error::Result;

/// x_k = arg max α(x) among the points that are not taken.
///
/// ```
/// use elbowroom::batch::{AcquisitionKind, Plain};
/// let ucb: Plain = serde_json::from_str(r#"{"acquisition":{"ucb":{"kappa":2.0}}}"#)?;
/// assert_eq!(ucb, Plain { acquisition: AcquisitionKind::Ucb { kappa: 2.0 } });
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Plain {
    /// The acquisition.
    pub acquisition: AcquisitionKind,
}

impl Default for Plain {
    fn default() -> Self {
        Self { acquisition: AcquisitionKind::Ei }
    }
}

impl BatchStrategy for Plain {
    fn validate(&self) -> Result<()> {
        self.acquisition.validate()
    }

    fn choose(&self, situation: &Situation<'_>, q: BatchSize) -> Result<Batch> {
        let score = Score::Data(self.acquisition.bind_signed(situation.posterior, situation.chance));
        let mut search = Search::with_pending(situation, Candidates::Continuous, score);
        let points = (0..q.get()).map_while(|_| search.next()).collect();
        Ok(Batch { points, info: search.info() })
    }
}
