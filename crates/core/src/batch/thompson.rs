//! Thompson sampling: each point is the maximizer of one function drawn from the posterior.
//!
//! Draws are joint over the candidates, and independent of each other: that alone spreads a batch, and pending points
//! need no treatment, for the maximizer of another draw is another point. The draws are given the data alone.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::candidates::any_point;
use super::{Batch, BatchInfo, BatchSize, BatchStrategy, Candidates, Situation};
use crate::error::Result;
use crate::space::{PointKey, UnitPoint};

/// The maximizers of joint posterior draws over the candidates.
///
/// ```
/// use elbowroom::batch::{Candidates, Thompson};
/// assert_eq!(Thompson::default().candidates, Candidates::Continuous);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Thompson {
    /// What is chosen among; the draws are not climbed.
    pub candidates: Candidates,
}

impl BatchStrategy for Thompson {
    fn choose(&self, situation: &Situation<'_>, q: BatchSize) -> Result<Batch> {
        let Situation { posterior, space, stream, .. } = *situation;
        let candidates = self.candidates.points(situation);
        let mut points: Vec<UnitPoint> = Vec::with_capacity(q.get());
        let mut work = 0.0;
        let mut is_chosen = vec![false; candidates.len()];
        if !candidates.is_empty() {
            let n_draws = q.get().min(candidates.len());
            work = posterior.work_of_draws(candidates.len(), n_draws);
            let ln_chances = situation.chance.map(|chance| chance.weights(&candidates));
            let mut draw = stream.child("success", 0);
            for f in posterior.sample(&candidates, n_draws, &mut stream.child("thompson", 0))?.iter() {
                let free = || (0..f.len()).filter(|&i| !is_chosen[i]);
                let highest = |a: &usize, b: &usize| f[*a].total_cmp(&f[*b]).then(b.cmp(a));
                let best = match &ln_chances {
                    None => free().max_by(highest),
                    // Each draw has a set of points that succeed, in which a point is with the chance that it does.
                    Some(ln) => {
                        let level = draw.uniform().ln();
                        let likeliest = || free().max_by(|&a, &b| ln[a].total_cmp(&ln[b]).then(b.cmp(&a)));
                        free().filter(|&i| ln[i] >= level).max_by(highest).or_else(likeliest)
                    }
                };
                let Some(best) = best else { break };
                is_chosen[best] = true;
                points.push(UnitPoint::clamped(candidates.row(best).to_vec()));
            }
        }
        // Fewer candidates than points wanted: the rest at random.
        let mut keys: HashSet<PointKey> = points.iter().map(|u| space.key(u)).collect();
        let mut draw = stream.child("fill", 0);
        while points.len() < q.get() {
            let Some(u) = any_point(situation, &keys, &mut draw) else { break };
            keys.insert(space.key(&u));
            points.push(u);
        }
        let evaluations = candidates.len() * points.len();
        Ok(Batch { points, info: BatchInfo { evaluations, work, ..BatchInfo::default() } })
    }
}
