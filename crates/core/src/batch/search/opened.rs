//! Points beyond the gate, when next to nothing is left to gain above it.
//!
//! While any candidate is above the gate ([`Chance::gate`]), none below it is chosen. That alone would keep a search in
//! the first of several islands. So the gate is opened for a point if trials have given values for a while, no point
//! beyond the gate is under way, and the best candidate beyond it outweighs the best of the others.
//!
//! Beyond the gate a point is worth max(ln α, −7) + ln P(limits) + ln p_near + ln d². Here p_near is the chance by its
//! neighbours alone, and d the distance to the nearest trial in the lengthscales of a neighbourhood: near trials, what is
//! unknown of a smooth function grows with d².

use super::super::chooser::{Term, term, terms};
use super::super::score::Score;
use super::Search;
use crate::chance::Chance;
use crate::space::UnitPoint;

/// The gate is opened if what may be gained beyond it is larger by this, in ln.
const OUTWEIGHS: f64 = 4.0;

/// ln of the least gain beyond the gate, a thousandth of the deviation of the results: where nothing has ever given a
/// value, a model that is sure of smaller ones is too sure.
const LEAST_GAIN: f64 = -7.0;

impl<'a> Search<'a> {
    /// The chance of success if the gate may be opened for the next point: trials have given values for a while, the
    /// score is a logarithm of a gain, and no point under way is beyond the gate.
    pub(super) fn may_open(&self) -> Option<&'a Chance> {
        let chance = self.situation.chance.filter(|chance| chance.is_calm())?;
        let is_gain = matches!(self.score, Score::Data(_) | Score::Shrunk(_) | Score::Front(_));
        let gate = chance.gate(0.0);
        (is_gain && self.busy.iter().all(|u| chance.ln_p(u) >= gate)).then_some(chance)
    }

    /// The best candidate beyond the gate with its score, if it outweighs the best of the others, whose score is given.
    pub(super) fn beyond_the_gate(&mut self, within: f64) -> Option<(f64, UnitPoint)> {
        let chance = self.may_open()?;
        let gate = chance.gate(0.0);
        let beyond: Vec<usize> = (0..self.panel.len()).filter(|&i| self.ln_chances[i] < gate).collect();
        self.work += beyond.len() as f64 * chance.work_of_prediction_nearby();
        let score = |i: usize| {
            let gain = self.raw[i] + self.penalties[i] + self.score.moving(&self.panel, i);
            let u = self.panel.points().row(i);
            gain.max(LEAST_GAIN) + self.ln_limits[i] + chance.ln_p_nearby(u) + ln_distance(chance, u)
        };
        let mut scored: Vec<(f64, usize)> = beyond.into_iter().map(|i| (score(i), i)).collect();
        scored.retain(|(score, _)| *score > within + OUTWEIGHS);
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let (score, i) = scored.into_iter().find(|(_, i)| self.is_free(self.panel.points().row(*i)))?;
        Some((score, UnitPoint::clamped(self.panel.points().row(i).to_vec())))
    }
}

/// Adds the terms of a point beyond the gate to those of its gain.
pub(super) fn explain(chance: &Chance, u: &[f64], terms_so_far: &mut Vec<Term>) {
    let gain: f64 = terms_so_far.iter().map(|term| term.value).sum();
    terms_so_far.extend((gain < LEAST_GAIN).then(|| term(terms::LEAST_GAIN, LEAST_GAIN - gain)));
    terms_so_far.push(term(terms::LN_CHANCE_NEARBY, chance.ln_p_nearby(u)));
    terms_so_far.push(term(terms::LN_DISTANCE, ln_distance(chance, u)));
}

/// ln d².
fn ln_distance(chance: &Chance, u: &[f64]) -> f64 {
    2.0 * chance.distance(u).ln()
}
