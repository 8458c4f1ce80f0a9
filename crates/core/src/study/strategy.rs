//! The strategies a study can be told to use.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::free::free_points;
use crate::batch::{Batch, BatchInfo, BatchSize, BatchStrategy, LocalPenalization, Situation};
use crate::error::Result;

/// How points are chosen once there are results; a variant carries its own parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "snake_case")]
#[non_exhaustive]
pub enum StrategyConfig {
    /// Local penalization, with its parts.
    LocalPenalization(LocalPenalization),
    /// Uniform among the points that are feasible and not taken: the yardstick for all others.
    Random,
}

impl Default for StrategyConfig {
    fn default() -> Self {
        StrategyConfig::LocalPenalization(LocalPenalization::default())
    }
}

impl StrategyConfig {
    /// Refuses settings out of their range, by name.
    pub(super) fn validate(&self) -> Result<()> {
        match self {
            StrategyConfig::LocalPenalization(strategy) => strategy.validate(),
            StrategyConfig::Random => Ok(()),
        }
    }
}

impl BatchStrategy for StrategyConfig {
    fn choose(&self, situation: &Situation<'_>, q: BatchSize) -> Result<Batch> {
        match self {
            StrategyConfig::LocalPenalization(strategy) => strategy.choose(situation, q),
            StrategyConfig::Random => Random.choose(situation, q),
        }
    }
}

/// Uniform among the free points, whatever the model says.
struct Random;

impl BatchStrategy for Random {
    fn choose(&self, situation: &Situation<'_>, q: BatchSize) -> Result<Batch> {
        let mut taken: HashSet<_> = situation.taken.clone();
        let mut stream = situation.stream.child("random", 0);
        let (points, _) = free_points(situation.space, &mut taken, q.get(), &mut stream);
        Ok(Batch { points, info: BatchInfo::default() })
    }
}
