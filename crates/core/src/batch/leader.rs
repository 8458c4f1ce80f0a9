//! The first point of a batch: the maximizer of a score of the data alone.

use std::collections::HashSet;

use super::chooser::{Explanation, Proposal, term, terms};
use super::score::Score;
use super::search::Search;
use super::{BatchInfo, Candidates, Situation};
use crate::acquisition::LogAcquisition;
use crate::chance::Chance;
use crate::space::{PointKey, UnitPoint};

/// A pending point within this many lengthscales of a maximizer counts as that maximizer.
const SAME: f64 = 0.1;

/// The maximizer of a score of the data alone, unless a pending point is already there: then the batch continues
/// without it. Also returns the work that this took.
pub(super) fn leader(situation: &Situation<'_>, candidates: Candidates, score: Score) -> (Option<Proposal>, BatchInfo) {
    let pending: HashSet<PointKey> = situation.pending.iter().map(|u| situation.domain.key(u)).collect();
    let taken = situation.taken.difference(&pending).cloned().collect();
    let alone = Situation { pending: &[], taken: &taken, ..*situation };
    let mut search = Search::new(&alone, situation.posterior.clone(), candidates, score);
    let found = search.propose();
    found.iter().for_each(|found| search.join(&found.point));
    let found = found.filter(|Proposal { point: u, .. }| {
        let is_there = |p: &UnitPoint| situation.posterior.squared_distance(p, u) < SAME * SAME;
        !situation.taken.contains(&situation.domain.key(u)) && !situation.pending.iter().any(is_there)
    });
    (found, search.info())
}

/// The value of a point in the search of [`leader`].
pub(super) fn explain_leader(
    situation: &Situation<'_>,
    acquisition: &impl LogAcquisition,
    is_bound: bool,
    u: &[f64],
) -> Explanation {
    let p = situation.posterior.predict(u);
    let value = acquisition.ln_score(p.mean, p.variance.sqrt()).value;
    let mut all = if is_bound {
        vec![term(terms::MEAN, p.mean), term(terms::WEIGHTED_DEVIATION, value - p.mean)]
    } else {
        vec![term(terms::LN_ACQUISITION, value)]
    };
    // The search for the leader ignores pending points.
    let weigh = |chance: &Chance| Chance::weigh(chance.ln_p(u), chance.gate(0.0)).0;
    all.extend(situation.chance.map(|chance| term(terms::LN_CHANCE, weigh(chance))));
    all.extend(situation.limits().terms(u));
    Explanation::new(all, true)
}
