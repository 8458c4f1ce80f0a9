//! The search for the next point of a batch, over candidates that are predicted once.
//!
//! The value of a point is a [`Score`]. The part of it that chosen points do not change is computed for all candidates
//! when the search starts; every point that joins the batch adds its penalizer and shrinks the variance of the others.
//! The best few candidates are climbed from, under the full score.

mod opened;

use std::collections::HashSet;

use super::candidates::any_point;
use super::chooser::{Explanation, Proposal, Term, term, terms};
use super::score::Score;
use super::tried::is_beside;
use super::{BatchInfo, Candidates, Chooser, Situation};
use crate::chance::Chance;
use crate::domain::Climber;
use crate::error::Result;
use crate::gp::{Panel, Posterior, Scratch};
use crate::linalg::Points;
use crate::optim::{End, climb_all, scattered};
use crate::penalty::Ball;
use crate::rng::Stream;
use crate::space::{PointKey, UnitPoint};

/// The number of candidates to climb from for every point, unless a strategy says otherwise.
pub(super) const STARTS: usize = 3;

/// If parameters have conditions, the best candidates of this many branches are climbed from.
const BRANCHES: usize = 8;

/// Evaluations of one climb, unless a strategy says otherwise.
pub(super) const MAX_EVALUATIONS: usize = 30;

/// Evaluations of one climb if scores include the chance of keeping limits: next to a well-known limit, that is a
/// cliff.
const PATIENT_EVALUATIONS: usize = 200;

/// Starts are at least this many lengthscales apart, in the whole space and in a region of it, which may be small.
const START_SEPARATION: f64 = 0.5;
const REGION_SEPARATION: f64 = 0.1;

/// Points of a batch are at least this many lengthscales apart from each other and from pending ones.
pub(super) const MIN_SEPARATION: f64 = 1e-3;

/// The gate is shut if failures depend on the position with more than this probability.
const SURE_PLACE: f64 = 0.95;

/// If failures depend on the position with more than this probability, points near pending ones are not proposed,
/// however likely their values are: near a border, no model can be certain.
const POSSIBLE_PLACE: f64 = 0.05;

/// A point that is riskier than this may fail for the same reason as a nearby pending one.
const RISKY: f64 = 0.1;

/// A search in progress, including the points chosen so far.
pub(super) struct Search<'a> {
    situation: &'a Situation<'a>,
    score: Score,
    /// The posterior of the search, with pending and chosen points as phantoms.
    posterior: Posterior,
    panel: Panel,
    raw: Vec<f64>,
    /// ln of the chance that a candidate gives a value; 0 while nothing has failed.
    ln_chances: Vec<f64>,
    /// ln of the chance that a candidate keeps the limits; 0 if there are none.
    ln_limits: Vec<f64>,
    /// The combined risk of pending and chosen points.
    risk: f64,
    /// Sum of ln φ at every candidate.
    penalties: Vec<f64>,
    balls: Vec<Ball>,
    may_climb: bool,
    is_finite: bool,
    /// Pending and chosen points.
    busy: Points,
    chosen: HashSet<PointKey>,
    climb: Climber<'a>,
    draw: Stream,
    scored: usize,
    work: f64,
    /// Whether the score is μ + κs.
    is_bound: bool,
    /// Climbs per point.
    n_starts: usize,
    /// Whether points keep a minimum distance from busy and tried ones.
    keeps_apart: bool,
}

impl<'a> Search<'a> {
    /// Scores the candidates of a situation; pending points are phantoms from the start.
    pub fn with_pending(situation: &'a Situation<'a>, candidates: Candidates, score: Score) -> Self {
        // A trial that waits for a limited result may already have its value.
        let has_value = |u: &[f64]| situation.aims.is_some() && situation.posterior.observed().any(|x| x == u);
        let awaited = situation.pending.iter().map(|u| u.as_slice()).filter(|u| !has_value(u));
        let posterior = situation.posterior.with_phantoms(awaited);
        let mut search = Self::new(situation, posterior, candidates, score);
        search.work += situation.pending.len() as f64 * search.posterior.work_of_prediction();
        search
    }

    /// Scores the candidates of a situation under a given posterior.
    pub fn new(situation: &'a Situation<'a>, posterior: Posterior, candidates: Candidates, mut score: Score) -> Self {
        let panel = Panel::new(&posterior, candidates.points(situation));
        if let Score::Front(front) = &mut score {
            front.begin(&posterior, situation.pending, panel.points());
        }
        let raw: Vec<f64> = (0..panel.len()).map(|i| score.fixed(&panel, i)).collect();
        let ln_chances =
            situation.chance.map_or_else(|| vec![0.0; raw.len()], |chance| chance.ln_p_many(panel.points()));
        let ln_limits = situation.limits().ln_p_many(panel.points());
        let chance_work = chance_work(situation);
        let is_patient = situation.aims.is_some_and(|aims| aims.is_patient);
        let mut busy = Points::new(situation.domain.dim());
        situation.pending.iter().for_each(|u| busy.push(u));
        Self {
            penalties: vec![0.0; raw.len()],
            scored: raw.len(),
            work: raw.len() as f64 * (posterior.work_of_prediction() + score.work_of_prediction() + chance_work),
            risk: situation.pending.iter().map(|u| risk(situation, u)).sum(),
            ln_chances,
            ln_limits,
            raw,
            panel,
            posterior,
            score,
            balls: Vec::new(),
            may_climb: candidates.may_climb(),
            is_finite: situation.domain.n_points().is_some(),
            busy,
            chosen: HashSet::new(),
            climb: situation.domain.climber(if is_patient { PATIENT_EVALUATIONS } else { MAX_EVALUATIONS }),
            draw: situation.stream.child("fill", 0),
            is_bound: false,
            n_starts: STARTS,
            keeps_apart: true,
            situation,
        }
    }

    /// Climbs from this many candidates for every point, each with at most this many evaluations; the usual number is
    /// raised if there are limits.
    pub fn climbing(mut self, n_starts: usize, max_evaluations: usize) -> Self {
        self.n_starts = n_starts;
        if max_evaluations != MAX_EVALUATIONS {
            self.climb = self.situation.domain.climber(max_evaluations);
        }
        self
    }

    /// Whether points keep a minimum distance from busy and tried ones. Otherwise they must only differ.
    pub fn apart(mut self, keeps_apart: bool) -> Self {
        self.keeps_apart = keeps_apart;
        self
    }

    /// The candidates with their predictions.
    pub fn panel(&self) -> &Panel {
        &self.panel
    }

    /// The counts so far.
    pub fn info(&self) -> BatchInfo {
        let evaluations = self.scored + self.climb.evaluations();
        BatchInfo { evaluations, work: self.work, ..BatchInfo::default() }
    }

    /// Lowers the score around a point.
    pub fn penalize(&mut self, ball: Ball) {
        for (i, penalty) in self.penalties.iter_mut().enumerate() {
            *penalty += ball.ln_value(&self.posterior, self.panel.points().row(i));
        }
        self.work += (self.panel.len() * self.panel.points().dim()) as f64;
        self.balls.push(ball);
    }

    /// Continues with another score.
    pub fn rescore(&mut self, score: Score) {
        self.score = score;
        self.raw = (0..self.panel.len()).map(|i| self.score.fixed(&self.panel, i)).collect();
        self.scored += self.raw.len();
    }

    /// Continues under another posterior, over the same candidates.
    pub fn believe(&mut self, posterior: Posterior, score: Score) {
        self.panel = Panel::new(&posterior, self.panel.points().clone());
        self.posterior = posterior;
        self.work += self.panel.len() as f64 * self.posterior.work_of_prediction();
        self.rescore(score);
    }

    /// Adds a candidate.
    pub fn offer(&mut self, u: &[f64]) {
        self.panel.push(&self.posterior, u);
        if let Score::Front(front) = &mut self.score {
            front.offer(&self.posterior, u);
        }
        self.raw.push(self.score.fixed(&self.panel, self.panel.len() - 1));
        self.penalties.push(self.balls.iter().map(|b| b.ln_value(&self.posterior, u)).sum());
        self.ln_chances.push(self.ln_chance(u));
        self.ln_limits.push(self.situation.limits().ln_p(u));
        self.scored += 1;
        self.work += self.work_of_prediction() + self.chance_work();
    }

    /// Adds a point to the batch: it becomes a phantom and cannot be chosen again.
    pub fn join(&mut self, u: &UnitPoint) {
        // One row of the factor, and one covariance per candidate.
        let row = self.posterior.whitened().len() + self.posterior.dim();
        self.work += 2.0 * self.work_of_prediction() + (self.panel.len() * row) as f64;
        if let Score::Front(front) = &mut self.score {
            front.join(&self.posterior, u, self.panel.points());
        }
        self.panel.push_phantom(&self.posterior, u);
        self.posterior.push_phantom(u);
        self.busy.push(u);
        self.risk += risk(self.situation, u);
        self.chosen.insert(self.situation.domain.key(u));
    }

    /// The best point under the score; from here on it counts as pending. None if the space has no more points.
    pub fn next(&mut self) -> Option<UnitPoint> {
        let next = self.propose()?.point;
        self.join(&next);
        Some(next)
    }

    /// The best point under the score. None if the space has no more points.
    pub fn propose(&mut self) -> Option<Proposal> {
        let mut totals: Vec<f64> = (0..self.panel.len()).map(|i| self.total(i)).collect();
        // If failures certainly depend on the position, points that are too risky come last, however little the others
        // promise.
        let gate = self.situation.chance.map_or(f64::NEG_INFINITY, |chance| chance.gate(self.risk));
        let is_sure = self.situation.chance.is_some_and(|chance| chance.weight_of_place() > SURE_PLACE);
        let is_shut = is_sure && (0..totals.len()).any(|i| self.ln_chances[i] >= gate && totals[i] > f64::NEG_INFINITY);
        let behind = |(_, ln_chance): &(&mut f64, &f64)| is_shut && **ln_chance < gate;
        totals.iter_mut().zip(&self.ln_chances).filter(behind).for_each(|(total, _)| *total = f64::NEG_INFINITY);
        let mut order: Vec<usize> = (0..totals.len()).collect();
        order.sort_by(|&a, &b| totals[b].total_cmp(&totals[a]).then(a.cmp(&b)));

        let ends = self.climb_from(order.iter().copied().filter(|&i| totals[i] > f64::NEG_INFINITY), is_shut);
        let climbed = ends.iter().find(|end| end.value.is_finite() && self.is_free(&end.point));
        let reached = climbed.map_or(f64::NEG_INFINITY, |end| end.value);
        // If the best climb ended at a point that is not free, a candidate may beat the other ends.
        let candidate = order.iter().take_while(|&&i| totals[i] > reached || climbed.is_none());
        let (value, next) = candidate
            .map(|&i| (totals[i], self.panel.points().row(i)))
            .find(|(_, u)| self.is_free(u))
            .or_else(|| climbed.map(|end| (end.value, end.point.as_slice())))
            .map(|(value, u)| (value, UnitPoint::clamped(u.to_vec())))
            .or_else(|| {
                any_point(self.situation, &self.chosen, &mut self.draw).map(|point| (f64::NEG_INFINITY, point))
            })?;
        let (value, next) = self.beyond_the_gate(value).unwrap_or((value, next));
        // Keep the other ends as candidates: they are local maxima.
        for end in ends.iter().filter(|end| end.value.is_finite() && end.point != next.as_slice()) {
            self.offer(&end.point);
        }
        Some(Proposal { point: next, score: Some(value) })
    }

    /// The current value of a point, as a sum of terms.
    pub fn explain(&self, u: &[f64]) -> Explanation {
        self.explain_by(&self.score, self.is_bound, u)
    }

    /// The value of a point under another score.
    pub fn explain_by(&self, score: &Score, is_bound: bool, u: &[f64]) -> Explanation {
        let p = self.posterior.predict(u);
        let mut all = Vec::new();
        let split = |value: f64, all: &mut Vec<Term>| {
            if is_bound {
                all.extend([term(terms::MEAN, p.mean), term(terms::WEIGHTED_DEVIATION, value - p.mean)]);
            } else {
                all.push(term(terms::LN_ACQUISITION, value));
            }
        };
        match score {
            Score::Data(acquisition) => split(acquisition.ln_score(p.mean, p.variance.sqrt()).value, &mut all),
            Score::Shrunk(acquisition) => {
                split(acquisition.ln_score(p.mean, p.variance.sqrt()).value, &mut all);
                all.push(term(terms::LN_DEVIATION_LEFT, 0.5 * (p.variance_after / p.variance).ln()));
            }
            Score::After(acquisition) => {
                let value = acquisition.ln_score(p.mean, p.variance_after.sqrt()).value;
                if is_bound { split(value, &mut all) } else { all.push(term(terms::LN_BOUND, value)) }
            }
            Score::Front(front) => all = front.terms(&self.posterior, u),
            Score::Explore(region) => {
                let weight = || self.weigh(self.ln_chance(u)) + self.situation.limits().ln_p(u);
                let ln_chance = self.situation.is_weighed().then(weight);
                return Explanation::new(region.terms(&p, ln_chance), true);
            }
        }
        let passed_over = matches!(score, Score::After(_));
        for (i, ball) in self.balls.iter().enumerate().filter(|_| !passed_over) {
            all.push(Term { point: Some(i), ..term(terms::LN_PENALTY, ball.ln_value(&self.posterior, u)) });
        }
        match self.may_open().filter(|chance| !passed_over && chance.ln_p(u) < chance.gate(0.0)) {
            Some(chance) => opened::explain(chance, u, &mut all),
            None if self.situation.chance.is_some() => {
                all.push(term(terms::LN_CHANCE, self.weigh(self.ln_chance(u))));
            }
            None => {}
        }
        all.extend(self.situation.limits().terms(u));
        Explanation::new(all, true)
    }

    /// The penalizers so far.
    pub fn balls(&self) -> &[Ball] {
        &self.balls
    }

    /// Explains the score as a mean and a weighted deviation, the parts of a confidence bound.
    pub fn explained_as_bound(mut self, is_bound: bool) -> Self {
        self.is_bound = is_bound;
        self
    }

    /// The current value of candidate i.
    fn total(&self, i: usize) -> f64 {
        let (panel, weight) = (&self.panel, self.weigh(self.ln_chances[i]) + self.ln_limits[i]);
        match &self.score {
            Score::Explore(region) => region.rank(panel.mean(i), panel.variance(i), panel.variance_after(i), weight),
            Score::After(_) => self.score.moving(panel, i) + weight,
            score => self.raw[i] + self.penalties[i] + score.moving(panel, i) + weight,
        }
    }

    /// The term that a point's chance of success adds to its score.
    fn weigh(&self, ln_chance: f64) -> f64 {
        self.situation.chance.map_or(0.0, |chance| Chance::weigh(ln_chance, chance.gate(self.risk)).0)
    }

    fn ln_chance(&self, u: &[f64]) -> f64 {
        self.situation.chance.map_or(0.0, |chance| chance.ln_p(u))
    }

    fn work_of_prediction(&self) -> f64 {
        self.posterior.work_of_prediction() + self.score.work_of_prediction()
    }

    fn chance_work(&self) -> f64 {
        chance_work(self.situation)
    }

    /// The ends of climbs from the best candidates, highest first.
    fn climb_from(&mut self, ranked: impl Iterator<Item = usize>, is_shut: bool) -> Vec<End> {
        if !self.may_climb {
            return Vec::new();
        }
        let starts = self.starts(ranked);
        let mut objective = self.score.objective(&self.posterior, &self.balls);
        if let Some(chance) = self.situation.chance {
            let (mut of_value, mut scratch, gate) = (objective, Scratch::default(), chance.gate(self.risk));
            objective = Box::new(move |x, gradient| {
                let value = of_value(x, gradient);
                if value == f64::NEG_INFINITY || (is_shut && chance.ln_p(x) < gate) {
                    gradient.fill(0.0);
                    return f64::NEG_INFINITY;
                }
                value + chance.add_weight_gradient(x, gate, &mut scratch, gradient)
            });
        }
        let limits = self.situation.limits();
        if !limits.is_empty() {
            let (mut unlimited, mut scratch) = (objective, Scratch::default());
            objective = Box::new(move |x, gradient| match unlimited(x, gradient) {
                f64::NEG_INFINITY => f64::NEG_INFINITY,
                value => value + limits.add_gradient(x, &mut scratch, gradient),
            });
        }
        if self.situation.aims.is_none() {
            let of_chance = self.situation.chance.into_iter().flat_map(Chance::points);
            let of_balls = self.balls.iter().map(|ball| ball.center.as_slice());
            let points = self.posterior.observed().chain(self.posterior.phantoms());
            self.climb.told(points.chain(of_balls).chain(of_chance));
        }
        let before = self.climb.evaluations();
        let starts = starts.iter().map(|&i| self.panel.points().row(i));
        let climb = &mut self.climb;
        let mut ends = climb_all(starts, |u| climb.from(&mut objective, u));
        drop(objective);
        if let Score::Explore(region) = &self.score {
            for end in &mut ends {
                let weight = self.weigh(self.ln_chance(&end.point)) + limits.ln_p(&end.point);
                end.value = region.rank_at(&self.posterior, &end.point, weight);
            }
        }
        let balls = (self.balls.len() * self.posterior.dim()) as f64;
        let evaluations = (self.climb.evaluations() - before) as f64;
        self.work += evaluations * (2.0 * (self.work_of_prediction() + self.chance_work()) + balls);
        ends.sort_by(|a, b| b.value.total_cmp(&a.value));
        ends
    }

    /// The best candidates that keep a distance from each other.
    fn starts(&self, ranked: impl Iterator<Item = usize>) -> Vec<usize> {
        let separation = if let Score::Explore(_) = self.score { REGION_SEPARATION } else { START_SEPARATION };
        let row = |i: usize| self.panel.points().row(i);
        let is_apart = |i: usize, j: usize| self.posterior.squared_distance(row(i), row(j)) >= separation * separation;
        let space = self.situation.domain.space();
        if !space.is_conditional() {
            return scattered(ranked, self.n_starts, is_apart);
        }
        // A climb stays in its branch, so the best of every branch is climbed from too.
        let ranked: Vec<usize> = ranked.collect();
        let mut starts = scattered(ranked.iter().copied(), self.n_starts, is_apart);
        let mut branches = HashSet::new();
        for i in ranked {
            if branches.len() >= BRANCHES {
                break;
            }
            if branches.insert(space.active(row(i))) && !starts.contains(&i) {
                starts.push(i);
            }
        }
        starts
    }

    fn is_free(&self, u: &[f64]) -> bool {
        let Situation { domain, taken, tried, .. } = *self.situation;
        let space = domain.space();
        let key = space.key(u);
        if taken.contains(&key) || self.chosen.contains(&key) || tried.is_beside_failure(space, u) {
            return false;
        }
        // In a finite space, keys tell points apart; neighbours may be at any distance.
        if self.is_finite || !self.keeps_apart {
            return true;
        }
        let has_place = |chance: &Chance| chance.weight_of_place() > POSSIBLE_PLACE;
        let is_risky = self.situation.chance.is_some_and(has_place) || risk(self.situation, u) > RISKY;
        let is_apart_from =
            |p: &[f64]| is_apart(&self.posterior, p, u, MIN_SEPARATION) && !(is_risky && is_beside(space, p, u));
        self.busy.iter().all(is_apart_from) && !tried.is_same(&self.posterior, u)
    }
}

/// Proposes points one by one under the same score.
impl Chooser for Search<'_> {
    fn propose(&mut self) -> Result<Option<Proposal>> {
        Ok(Search::propose(self))
    }

    fn join(&mut self, u: &UnitPoint) -> Result<()> {
        Search::join(self, u);
        Ok(())
    }

    fn explain(&self, u: &[f64]) -> Explanation {
        Search::explain(self, u)
    }

    fn info(&self) -> BatchInfo {
        Search::info(self)
    }
}

/// Operations to compute the chances of a point.
fn chance_work(situation: &Situation<'_>) -> f64 {
    situation.chance.map_or(0.0, Chance::work_of_prediction) + situation.limits().work_of_prediction()
}

/// The risk of a point; 0 if nothing has failed yet.
fn risk(situation: &Situation<'_>, u: &[f64]) -> f64 {
    situation.chance.map_or(0.0, |chance| chance.risk(chance.ln_p(u)))
}

/// Whether two points are this many lengthscales apart; a lengthscale larger than the space counts as that large.
pub(super) fn is_apart(posterior: &Posterior, a: &[f64], b: &[f64], distance: f64) -> bool {
    let lengthscales = &posterior.hyper().lengthscales;
    let squared: f64 = (0..a.len()).map(|k| ((a[k] - b[k]) / lengthscales[k].min(1.0)).powi(2)).sum();
    squared >= distance * distance
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acquisition::{ExpectedImprovement, Exponential, LogAcquisition, UpperConfidenceBound};
    use crate::data::Dataset;
    use crate::domain::Domain;
    use crate::gp::{Hyperparameters, KernelKind, Metric};
    use crate::space::{Parameter, SearchSpace};

    #[test]
    fn levels_that_no_point_has_are_alike_so_that_a_climb_may_pass_over_them_and_ends_at_the_same_bits() {
        let parameters = [Parameter::category("a", 0..300i64), Parameter::category("b", 0..80i64)];
        let parameters = parameters.into_iter().chain([Parameter::int("n", 1, 9), Parameter::float("x", 0.0, 1.0)]);
        let space = SearchSpace::new(parameters.collect()).unwrap();
        let domain = Domain::whole(&space);
        let mut draw = Stream::new(11);
        let (mut n_short, mut n_long) = (0, 0);
        for _ in 0..20 {
            let mut x = Points::new(4);
            (0..25).for_each(|_| x.push(&domain.sample(&mut draw)));
            let data = Dataset::new(x, (0..25).map(|_| draw.normal()).collect()).unwrap();
            let mut hyper = Hyperparameters::new(KernelKind::Matern52, 1.0, vec![0.8, 1.1, 0.4, 0.3], 1e-3);
            hyper.metric = vec![Metric::Mismatch, Metric::Mismatch, Metric::Distance, Metric::Distance];
            let pending: Vec<UnitPoint> = (0..3).map(|_| domain.sample(&mut draw)).collect();
            let gp = Posterior::new(&data, hyper).unwrap().with_phantoms(pending.iter().map(|u| u.as_slice()));
            let start = domain.sample(&mut draw);
            let climbed = |told: bool| {
                let mut climb = domain.climber(30);
                if told {
                    climb.told(gp.observed().chain(gp.phantoms()));
                }
                let score = Score::Shrunk(Box::new(ExpectedImprovement { best: 0.5 }));
                let (mut objective, mut u) = (score.objective(&gp, &[]), start.to_vec());
                let value = climb.from(&mut objective, &mut u);
                let bits: Vec<u64> = u.iter().map(|u| u.to_bits()).collect();
                (value.to_bits(), bits, climb.evaluations())
            };
            let (short, long) = (climbed(true), climbed(false));
            assert_eq!((short.0, short.1), (long.0, long.1));
            (n_short, n_long) = (n_short + short.2, n_long + long.2);
        }
        // Of 380 levels at most 28 are known in each category, and one of the others is tried.
        assert!(3 * n_short < n_long, "{n_short} of {n_long}");
    }

    #[test]
    fn the_score_after_results_has_the_gradient_of_its_value() {
        let mut draw = Stream::new(5);
        for seed in 0..5 {
            let kernel = [KernelKind::Rbf, KernelKind::Matern52][seed % 2];
            let x = Points::from_rows(2, (0..20).map(|_| draw.uniform()).collect()).unwrap();
            let data = Dataset::new(x, (0..10).map(|_| draw.normal()).collect()).unwrap();
            let gp = Posterior::new(&data, Hyperparameters::new(kernel, 1.0, vec![0.3, 0.5], 1e-3)).unwrap();
            let phantoms: Vec<[f64; 2]> = (0..3).map(|_| [draw.uniform(), draw.uniform()]).collect();
            let gp = gp.with_phantoms(phantoms.iter().map(|u| u.as_slice()));
            let ei = || -> Box<dyn LogAcquisition> { Box::new(ExpectedImprovement { best: 0.5 }) };
            let ucb: Box<dyn LogAcquisition> = Box::new(Exponential(UpperConfidenceBound { kappa: 2.0 }));
            for score in [Score::After(ucb), Score::After(ei())] {
                let mut objective = score.objective(&gp, &[]);
                let x = [draw.uniform(), draw.uniform()];
                let mut gradient = [0.0; 2];
                objective(&x, &mut gradient);
                for k in 0..2 {
                    let mut at = |h: f64| {
                        let mut x = x;
                        x[k] += h;
                        objective(&x, &mut [0.0; 2])
                    };
                    // The error of the difference is h² times a third derivative, which is 10³ for lengthscales of 0.3.
                    let error = ((at(1e-5) - at(-1e-5)) / 2e-5 - gradient[k]).abs();
                    assert!(error < 1e-6 * gradient[k].abs().max(1.0), "{seed}: {error}");
                }
            }
        }
    }
}
