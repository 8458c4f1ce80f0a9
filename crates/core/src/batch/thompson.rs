//! Thompson sampling: each point is the maximizer of one function drawn from the posterior.
//!
//! Draws are joint over the candidates, and independent of each other: that alone spreads a batch. Pending points need
//! no treatment, since another draw has another maximizer. The draws are given the data alone.

use std::collections::HashSet;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::candidates::{EXHAUSTIVE, any_point};
use super::chooser::{Planned, Ranked, term, terms};
use super::{Batch, BatchInfo, BatchSize, BatchStrategy, Candidates, Chooser, Explanation, Situation};
use crate::error::Result;
use crate::linalg::Points;
use crate::space::{PointKey, UnitPoint};

/// The maximizers of joint posterior draws over the candidates.
///
/// ```
/// use elbowroom::batch::{Candidates, Thompson};
/// assert_eq!(Thompson::default().candidates, Candidates::Continuous);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Thompson {
    /// The points to choose from; the draws are not climbed.
    pub candidates: Candidates,
}

impl BatchStrategy for Thompson {
    fn bind<'a>(&'a self, situation: &'a Situation<'a>, q: BatchSize) -> Result<Box<dyn Chooser + 'a>> {
        // A joint draw costs the cube of the number of candidates.
        let few = Situation { score_all: situation.score_all.min(EXHAUSTIVE), ..*situation };
        let candidates = self.candidates.points(&few);
        let n_draws = q.get().min(candidates.len());
        let draws = if candidates.is_empty() {
            Points::new(0)
        } else {
            situation.posterior.sample(&candidates, n_draws, &mut situation.stream.child("thompson", 0))?
        };
        let drawn = Rc::new((candidates, draws));
        let planned = Rc::clone(&drawn);
        let plan = move || Ok(maximizers(situation, q, &planned.0, &planned.1));
        Ok(Planned::boxed(plan, move |joined, u| draw_at(situation, joined.len(), &drawn.0, &drawn.1, u)))
    }
}

/// The k-th point's draw at u, known at candidates only. With a chance of success, each draw also has a set of points
/// that succeed, so points are not ranked by a sum.
fn draw_at(situation: &Situation<'_>, k: usize, candidates: &Points, draws: &Points, u: &[f64]) -> Explanation {
    let mean = situation.posterior.predict(u).mean;
    let at = candidates.iter().position(|candidate| candidate == u).filter(|_| k < draws.len());
    let draw = at.map(|i| term(terms::DRAW, draws.row(k)[i] - mean));
    let is_score = draw.is_some() && !situation.is_weighed();
    let chance = situation.chance_terms(u);
    Explanation::new([term(terms::MEAN, mean)].into_iter().chain(draw).chain(chance).collect(), is_score)
}

/// The maximizers of the draws, and random points if there are fewer candidates than points wanted.
fn maximizers(situation: &Situation<'_>, q: BatchSize, candidates: &Points, draws: &Points) -> Ranked {
    let Situation { posterior, domain, stream, .. } = *situation;
    let mut points: Vec<UnitPoint> = Vec::with_capacity(q.get());
    let (mut work, mut scores) = (0.0, Vec::with_capacity(q.get()));
    let mut is_chosen = vec![false; candidates.len()];
    if !candidates.is_empty() {
        work = posterior.work_of_draws(candidates.len(), draws.len());
        let ln_chances = situation.weights(candidates);
        let mut draw = stream.child("success", 0);
        for f in draws.iter() {
            let free = || (0..f.len()).filter(|&i| !is_chosen[i]);
            let highest = |a: &usize, b: &usize| f[*a].total_cmp(&f[*b]).then(b.cmp(a));
            let best = match &ln_chances {
                None => free().max_by(highest),
                // Each draw has a set of points that succeed, to which a point belongs with the probability of its
                // success.
                Some(ln) => {
                    let level = draw.uniform().ln();
                    let likeliest = || free().max_by(|&a, &b| ln[a].total_cmp(&ln[b]).then(b.cmp(&a)));
                    free().filter(|&i| ln[i] >= level).max_by(highest).or_else(likeliest)
                }
            };
            let Some(best) = best else { break };
            is_chosen[best] = true;
            scores.push(f[best]);
            points.push(UnitPoint::clamped(candidates.row(best).to_vec()));
        }
    }
    // If there are too few candidates, take the rest at random.
    let mut keys: HashSet<PointKey> = points.iter().map(|u| domain.key(u)).collect();
    let mut draw = stream.child("fill", 0);
    while points.len() < q.get() {
        let Some(u) = any_point(situation, &keys, &mut draw) else { break };
        keys.insert(domain.key(&u));
        points.push(u);
    }
    let evaluations = candidates.len() * points.len();
    (Batch { points, info: BatchInfo { evaluations, work, ..BatchInfo::default() } }, scores)
}
