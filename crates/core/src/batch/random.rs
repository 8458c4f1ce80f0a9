//! Uniform points, alone or behind one point of the acquisition: Rand-EI and Rand-UCB of the paper.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::search::{Score, leader};
use super::{AcquisitionKind, Batch, BatchInfo, BatchSize, BatchStrategy, Candidates, Situation, free_points, key};
use crate::error::Result;
use crate::space::UnitPoint;

/// Draws for each uniform point, of which those are kept that are likely to give a value.
const THINNING: usize = 10;

/// Uniform among the free points, whatever the model says: the yardstick for all others.
///
/// ```
/// use elbowroom::batch::{BatchStrategy, Random};
/// let strategy: &dyn BatchStrategy = &Random;
/// # let _ = strategy;
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Random;

impl BatchStrategy for Random {
    fn choose(&self, situation: &Situation<'_>, q: BatchSize) -> Result<Batch> {
        let mut stream = situation.stream.child("random", 0);
        let Situation { space, taken, tried, .. } = *situation;
        let (points, _) = free_points(space, taken, tried, &mut HashSet::new(), q.get(), &mut stream);
        Ok(Batch { points, info: BatchInfo::default() })
    }
}

/// The maximizer of the acquisition first, uniform points after it.
///
/// Asynchronously the maximizer counts as under way while a pending point is within a tenth of a lengthscale of it; then
/// all points are uniform.
///
/// ```
/// use elbowroom::batch::{AcquisitionKind, RandomRest};
/// let rand_ei = RandomRest { acquisition: AcquisitionKind::Ei };
/// assert_eq!(RandomRest::default(), rand_ei);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RandomRest {
    /// The acquisition of the first point.
    pub acquisition: AcquisitionKind,
}

impl Default for RandomRest {
    fn default() -> Self {
        Self { acquisition: AcquisitionKind::Ei }
    }
}

impl BatchStrategy for RandomRest {
    fn validate(&self) -> Result<()> {
        self.acquisition.validate()
    }

    fn choose(&self, situation: &Situation<'_>, q: BatchSize) -> Result<Batch> {
        let score = Score::Data(self.acquisition.bind_signed(situation.posterior, situation.chance));
        let (first, info) = leader(situation, Candidates::Continuous, score);
        let mut points: Vec<_> = first.into_iter().collect();
        let mut chosen = points.iter().map(|u| key(situation.space, u)).collect();
        let mut stream = situation.stream.child("random", 0);
        let Situation { space, taken, tried, chance, .. } = *situation;
        let missing = q.get() - points.len();
        let n_drawn = if chance.is_some() { THINNING * missing } else { missing };
        let (mut rest, _) = free_points(space, taken, tried, &mut chosen, n_drawn, &mut stream);
        if let Some(chance) = chance {
            // Each is kept with the chance that it gives a value; the likeliest of the others follow.
            let mut order: Vec<(bool, f64, UnitPoint)> = Vec::with_capacity(rest.len());
            for u in rest {
                let ln_p = chance.ln_p(&u);
                let is_kept = stream.uniform() < ln_p.exp();
                order.push((is_kept, if is_kept { 0.0 } else { ln_p }, u));
            }
            order.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)));
            rest = order.into_iter().take(missing).map(|(_, _, u)| u).collect();
        }
        points.extend(rest);
        Ok(Batch { points, info })
    }
}
