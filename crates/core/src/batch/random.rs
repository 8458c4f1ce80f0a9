//! Uniform points, alone or after one point of the acquisition: Rand-EI and Rand-UCB of the paper.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::chooser::{Planned, Ranked, term, terms};
use super::leader::{explain_leader, leader};
use super::score::Score;
use super::{
    AcquisitionKind, Batch, BatchInfo, BatchSize, BatchStrategy, Candidates, Chooser, Explanation, Proposal, Situation,
    free_points,
};
use crate::error::Result;
use crate::space::UnitPoint;

/// Draws per uniform point; those that are likely to give a value are kept.
const THINNING: usize = 10;

/// Uniform among the free points, whatever the model says: the baseline for all others.
///
/// ```
/// use elbowroom::batch::{BatchStrategy, Random};
/// let strategy: &dyn BatchStrategy = &Random;
/// # let _ = strategy;
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Random;

impl BatchStrategy for Random {
    fn bind<'a>(&'a self, situation: &'a Situation<'a>, q: BatchSize) -> Result<Box<dyn Chooser + 'a>> {
        let plan = move || {
            let mut stream = situation.stream.child("random", 0);
            let Situation { domain, taken, tried, .. } = *situation;
            let (points, _) = free_points(domain, taken, tried, &mut HashSet::new(), q.get(), &mut stream);
            let scores = vec![0.0; points.len()];
            Ok((Batch { points, info: BatchInfo::default() }, scores))
        };
        Ok(Planned::boxed(plan, |_, u| uniform(situation, u)))
    }
}

/// The maximizer of the acquisition first, uniform points after it.
///
/// Asynchronously the maximizer counts as pending if a pending point is within a tenth of a lengthscale of it; then all
/// points are uniform.
///
/// ```
/// use elbowroom::batch::{AcquisitionKind, RandomRest};
/// let rand_ei = RandomRest { acquisition: AcquisitionKind::Ei };
/// assert_eq!(RandomRest::default(), rand_ei);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
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

    fn bind<'a>(&'a self, situation: &'a Situation<'a>, q: BatchSize) -> Result<Box<dyn Chooser + 'a>> {
        let acquisition = || self.acquisition.bind_signed(situation.posterior, situation);
        let (first, info) = leader(situation, Candidates::Continuous, Score::Data(acquisition()));
        let leads = first.is_some();
        let (acquisition, is_bound) = (acquisition(), self.acquisition.is_signed(situation));
        let explain = move |joined: &[UnitPoint], u: &[f64]| {
            if leads && joined.is_empty() {
                explain_leader(situation, &acquisition, is_bound, u)
            } else {
                uniform(situation, u)
            }
        };
        Ok(Planned::boxed(move || Ok(with_rest(situation, q, first, info)), explain))
    }
}

/// The value of a uniform point: the same as any other's. It states a chance of success, but does not rank points.
fn uniform(situation: &Situation<'_>, u: &[f64]) -> Explanation {
    let (chance, is_score) = (situation.chance_terms(u), !situation.is_weighed());
    Explanation::new([term(terms::UNIFORM, 0.0)].into_iter().chain(chance).collect(), is_score)
}

/// The leader, if there is one, and uniform points after it.
fn with_rest(situation: &Situation<'_>, q: BatchSize, first: Option<Proposal>, info: BatchInfo) -> Ranked {
    let mut scores: Vec<f64> = first.iter().filter_map(|first| first.score).collect();
    let mut points: Vec<_> = first.into_iter().map(|first| first.point).collect();
    let mut chosen = points.iter().map(|u| situation.domain.key(u)).collect();
    let mut stream = situation.stream.child("random", 0);
    let Situation { domain, taken, tried, .. } = *situation;
    let missing = q.get() - points.len();
    let n_drawn = if situation.is_weighed() { THINNING * missing } else { missing };
    let (mut rest, _) = free_points(domain, taken, tried, &mut chosen, n_drawn, &mut stream);
    if situation.is_weighed() {
        // Each is kept with its chance of giving a value and keeping the limits; the likeliest of the others follow.
        let mut order: Vec<(bool, f64, UnitPoint)> = Vec::with_capacity(rest.len());
        for u in rest {
            let ln_p = situation.ln_chance(&u).unwrap_or(0.0);
            let is_kept = stream.uniform() < ln_p.exp();
            order.push((is_kept, if is_kept { 0.0 } else { ln_p }, u));
        }
        order.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)));
        rest = order.into_iter().take(missing).map(|(_, _, u)| u).collect();
    }
    points.extend(rest);
    scores.resize(points.len(), 0.0);
    (Batch { points, info }, scores)
}
