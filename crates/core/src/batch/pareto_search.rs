//! A front of several objectives, point by point: each is expected to add the most to the hypervolume.
//!
//! The score is ln EHVI(x), the logarithm of the expected improvement of the hypervolume (see `pareto`), with the
//! chances of success and of keeping the limits as further factors. Pending points lower it in up to three ways:
//!
//! * **believe**: their results are assumed to be as expected, so that the front includes their means, and the
//!   deviations are those they leave. Models are not refitted: this is the same as fantasies at the mean.
//! * **share**: the share of standard deviation that they leave, s_after/s, as a factor: of all objectives together, of
//!   the one that they reduce most, or the geometric mean.
//! * **penalize**: the truncated penalizer over several objectives around each of them (see `penalty/front_ball.rs`).
//!
//! While no measured point keeps the limits, the search is for one that does: its chance is the score.

use serde::{Deserialize, Serialize};

use super::front::FrontScore;
use super::score::Score;
use super::search::Search;
use super::{BatchSize, BatchStrategy, Candidates, Chooser, Situation};
use crate::error::{Error, Result};

/// The search for a front of several objectives. A situation of one objective is refused.
///
/// ```
/// use elbowroom::batch::{ParetoSearch, ShareRule};
/// let search = ParetoSearch { share: Some(ShareRule::Sum), ..ParetoSearch::default() };
/// let text = serde_json::to_string(&search)?;
/// assert_eq!(serde_json::from_str::<ParetoSearch>(&text)?, search);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ParetoSearch {
    /// Whether pending points are assumed to give the expected results.
    pub believe: bool,
    /// Which share of the deviation, as pending results leave it, is a factor, if any.
    pub share: Option<ShareRule>,
    /// Whether pending points have penalizers.
    pub penalize: bool,
}

/// Which objectives' share of deviation lowers the score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShareRule {
    /// The product over all objectives.
    Sum,
    /// The share of the objective whose deviation pending results reduce most.
    Least,
    /// The geometric mean.
    Mean,
}

impl Default for ParetoSearch {
    /// Pending points are assumed to give the expected results.
    fn default() -> Self {
        Self { believe: true, share: None, penalize: false }
    }
}

impl BatchStrategy for ParetoSearch {
    fn bind<'a>(&'a self, situation: &'a Situation<'a>, _q: BatchSize) -> Result<Box<dyn Chooser + 'a>> {
        let several = situation.aims.filter(|aims| aims.has_several_objectives());
        let Some(aims) = several else {
            let what = "a front was asked for, but there is one objective";
            return Err(Error::config(what, "name at least two objectives, or use another strategy"));
        };
        let score = FrontScore::new(*self, situation, aims);
        let first = score.with_phantoms(situation.posterior, situation.pending);
        Ok(Box::new(Search::new(situation, first, Candidates::Continuous, Score::Front(Box::new(score)))))
    }
}
