//! The acquisition given completed data alone: pending points are ignored, except that they are not proposed again.
//!
//! One point at a time with nothing pending, this is sequential Bayesian optimization. Asynchronously it is the
//! baseline that any treatment of pending points must beat: its points crowd around the first of them.

use serde::{Deserialize, Serialize};

use super::score::Score;
use super::search::Search;
use super::{AcquisitionKind, BatchSize, BatchStrategy, Candidates, Chooser, Situation};
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
#[serde(default, deny_unknown_fields)]
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

    fn bind<'a>(&'a self, situation: &'a Situation<'a>, _: BatchSize) -> Result<Box<dyn Chooser + 'a>> {
        let score = Score::Data(self.acquisition.bind_signed(situation.posterior, situation));
        let search = Search::with_pending(situation, Candidates::Continuous, score);
        Ok(Box::new(search.explained_as_bound(self.acquisition.is_signed(situation))))
    }
}
