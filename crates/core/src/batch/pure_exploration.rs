//! PE-UCB, also GP-UCB-PE (Contal, Buffoni, Robicquet and Vayatis 2013): one confidence bound, then pure exploration
//! where the maximum may be.
//!
//! x_1 = arg max μ + √β s. A point with an upper bound below ẏ = max_x μ(x) − √β s(x) cannot be the maximum, so the
//! others are x_k = arg max s_after(x) over the region R = {x : μ + c√β s ≥ ẏ}, which depends on the data alone and is
//! the same for the whole batch. The theory has c = 2, the authors' program c = 1.
//!
//! R may be small and in pieces, so that few candidates are inside. Each piece has a peak of the upper bound, so a few
//! peaks are found by climbing; a random walk from them, from candidates inside, from x_1 and from the point of the
//! threshold adds more points. The climb then maximizes ln s_after + ε ln(μ + c√β s − ẏ), a barrier that keeps it
//! inside R and lets it slide along the edge, where the largest variance often is. Points outside R are chosen only if
//! no free point inside is known, those with the highest upper bound first.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::acquisition_kind::upper_bound;
use super::candidates::perturb;
use super::chooser::{term, terms};
use super::leader::{explain_leader, leader};
use super::score::{Climbable, Score};
use super::search::Search;
use super::{BatchInfo, BatchSize, BatchStrategy, Beta, Candidates, Chooser, Explanation, Proposal, Situation, Term};
use crate::error::Result;
use crate::gp::{Posterior, Prediction, Scratch};
use crate::space::UnitPoint;

/// The weight ε of the barrier: it costs about this share of the possible deviation.
const BARRIER: f64 = 1e-3;

/// Maximizers of the upper bound, each with those before it pending, that reveal the pieces of the region.
const PEAKS: usize = 4;

/// Steps of the walk.
const STEPS: usize = 256;

/// The width of the bounds that keep a point in the region.
///
/// ```
/// use elbowroom::batch::RegionRule;
/// assert_eq!(RegionRule::default(), RegionRule::Theory);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RegionRule {
    /// μ + 2√β s, as in the theory.
    #[default]
    Theory,
    /// μ + √β s, as in the authors' program.
    Program,
}

/// One point by the confidence bound, the others where the variance is largest within the relevant region.
///
/// Asynchronously the maximizer of the bound counts as pending if a pending point is within a tenth of a lengthscale of
/// it; then all points explore.
///
/// ```
/// use elbowroom::batch::{PureExploration, RegionRule};
/// let program: PureExploration = serde_json::from_str(r#"{"region":"program"}"#)?;
/// assert_eq!(program, PureExploration { region: RegionRule::Program, ..PureExploration::default() });
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PureExploration {
    /// The squared weight of the standard deviation.
    pub beta: Beta,
    /// The rule for the region.
    pub region: RegionRule,
    /// The points to choose from.
    pub candidates: Candidates,
}

impl BatchStrategy for PureExploration {
    fn validate(&self) -> Result<()> {
        self.beta.validate()
    }

    fn bind<'a>(&'a self, situation: &'a Situation<'a>, q: BatchSize) -> Result<Box<dyn Chooser + 'a>> {
        let t = situation.posterior.n_data() + 1;
        let kappa = self.beta.kappa(self.candidates.points(situation).len(), t);
        let bound = upper_bound(kappa, situation.posterior, situation);
        let (leader, info) = leader(situation, self.candidates, Score::Data(bound));
        let mut chooser = Exploring { strategy: self, situation, q, kappa, leader, info, n_joined: 0, search: None };
        if chooser.leader.is_none() {
            chooser.explore(None);
        }
        Ok(Box::new(chooser))
    }
}

/// The chooser of pure exploration.
struct Exploring<'a> {
    strategy: &'a PureExploration,
    situation: &'a Situation<'a>,
    q: BatchSize,
    kappa: f64,
    /// The maximizer of the bound, unless it is pending.
    leader: Option<Proposal>,
    /// What was counted outside the search.
    info: BatchInfo,
    n_joined: usize,
    /// The search in the region: needed from the second point on.
    search: Option<Search<'a>>,
}

impl Exploring<'_> {
    /// Finds the region and points inside, with a first point that is part of the batch.
    fn explore(&mut self, first: Option<&UnitPoint>) {
        let Self { strategy, situation, kappa, .. } = *self;
        let bound = |kappa| upper_bound(kappa, situation.posterior, situation);
        let (safest, threshold, more) = highest_lower_bound(situation, strategy.candidates, kappa);
        let mut info = std::mem::take(&mut self.info).also(&more);
        let factor = match strategy.region {
            RegionRule::Theory => 2.0,
            RegionRule::Program => 1.0,
        };
        let region = Region { kappa: factor * kappa, threshold };
        let mut search = Search::with_pending(situation, strategy.candidates, Score::Explore(region));
        if strategy.candidates.may_climb() {
            let inside = |u: &[f64]| region.rank_at(situation.posterior, u, 0.0) >= 0.0;
            let mut peaks = Search::with_pending(situation, strategy.candidates, Score::After(bound(region.kappa)));
            let mut known: Vec<Vec<f64>> = first.into_iter().chain(&safest).map(|u| u.to_vec()).collect();
            known.extend((0..PEAKS).filter_map(|_| peaks.next()).map(UnitPoint::into_vec));
            let n_candidates = search.panel().len();
            known.extend(peaks.panel().points().iter().skip(n_candidates).map(<[f64]>::to_vec));
            known.retain(|u| inside(u));
            known.iter().for_each(|u| search.offer(u));
            known.extend(search.panel().points().iter().take(n_candidates).filter(|u| inside(u)).map(<[f64]>::to_vec));
            let looked_at = (known.len() + n_candidates + STEPS) as f64;
            walk(situation, known, inside).iter().for_each(|u| search.offer(u));
            info = info.also(&peaks.info()).with_work(looked_at * situation.posterior.work_of_prediction());
        }
        first.into_iter().for_each(|u| search.join(u));
        (self.info, self.search) = (info, Some(search));
    }
}

impl Chooser for Exploring<'_> {
    fn propose(&mut self) -> Result<Option<Proposal>> {
        Ok(match &mut self.search {
            Some(search) => search.propose(),
            None => self.leader.clone().filter(|_| self.n_joined == 0),
        })
    }

    fn join(&mut self, u: &UnitPoint) -> Result<()> {
        self.n_joined += 1;
        match &mut self.search {
            Some(search) => search.join(u),
            None if self.n_joined < self.q.get() => self.explore(Some(u)),
            None => {}
        }
        Ok(())
    }

    fn explain(&self, u: &[f64]) -> Explanation {
        let situation = self.situation;
        let bound = || upper_bound(self.kappa, situation.posterior, situation);
        match &self.search {
            Some(search) => search.explain(u),
            None => explain_leader(situation, &bound(), !situation.is_weighed(), u),
        }
    }

    fn info(&self) -> BatchInfo {
        let info = self.info.clone();
        self.search.as_ref().map_or(info.clone(), |search| info.also(&search.info()))
    }
}

/// The point with the highest μ − κs, and that value: over the candidates and the data, taken or not.
fn highest_lower_bound(
    situation: &Situation<'_>,
    candidates: Candidates,
    kappa: f64,
) -> (Option<UnitPoint>, f64, BatchInfo) {
    let posterior = situation.posterior;
    let nothing = HashSet::new();
    let alone = Situation {
        chance: situation.chance,
        aims: situation.aims,
        ..Situation::new(posterior, situation.domain, &[], &nothing, situation.stream)
    };
    let score = Score::Data(upper_bound(-kappa, posterior, &alone));
    let mut search = Search::new(&alone, posterior.clone(), candidates, score);
    let safest = search.next();
    let bound = |x: &[f64]| {
        let p = posterior.predict(x);
        p.mean - kappa * p.variance.sqrt()
    };
    let limits = situation.limits();
    let observed = posterior.observed().filter(|x| limits.is_empty() || limits.are_likely(x));
    let over = observed.chain(safest.iter().map(|u| u.as_slice()));
    let highest = over.map(bound).fold(f64::NEG_INFINITY, f64::max);
    let n_data = posterior.n_data();
    let more =
        BatchInfo { evaluations: n_data, work: n_data as f64 * posterior.work_of_prediction(), ..BatchInfo::default() };
    (safest, highest, search.info().also(&more))
}

/// More points inside a region, by small steps from known ones.
fn walk(situation: &Situation<'_>, mut known: Vec<Vec<f64>>, inside: impl Fn(&[f64]) -> bool) -> Vec<Vec<f64>> {
    let domain = situation.domain;
    let n_known = known.len();
    let mut draw = situation.stream.child("walk", 0);
    let mut u = vec![0.0; domain.dim()];
    for _ in 0..if known.is_empty() { 0 } else { STEPS } {
        perturb(&known[draw.below(known.len())], situation, &mut draw, &mut u);
        domain.snap(&mut u);
        if domain.is_feasible(&u) && inside(&u) {
            known.push(u.clone());
        }
    }
    known.split_off(n_known)
}

/// The points whose upper bound μ + κs reaches a threshold.
#[derive(Clone, Copy)]
pub(super) struct Region {
    kappa: f64,
    threshold: f64,
}

impl Region {
    /// How far the upper bound is above the threshold.
    fn margin(&self, mean: f64, variance: f64) -> f64 {
        mean + self.kappa * variance.sqrt() - self.threshold
    }

    /// s_after inside, times the chance of a value; below 0 and falling with the bound outside.
    pub fn rank(&self, mean: f64, variance: f64, variance_after: f64, ln_chance: f64) -> f64 {
        let margin = self.margin(mean, variance);
        if margin >= 0.0 { variance_after.sqrt() * ln_chance.exp() } else { margin }
    }

    /// The terms whose sum is the rank of a point.
    pub fn terms(&self, p: &Prediction, ln_chance: Option<f64>) -> Vec<Term> {
        let by_chance = |value: f64| ln_chance.map(|_| term(terms::BY_CHANCE, value));
        if self.margin(p.mean, p.variance) >= 0.0 {
            let sd = p.variance_after.sqrt();
            let change = by_chance(sd * ln_chance.unwrap_or(0.0).exp_m1());
            return [term(terms::DEVIATION_AFTER, sd)].into_iter().chain(change).collect();
        }
        let deviation = term(terms::WEIGHTED_DEVIATION, self.kappa * p.variance.sqrt());
        let margin = [term(terms::MEAN, p.mean), deviation, term(terms::THRESHOLD, -self.threshold)];
        margin.into_iter().chain(by_chance(0.0)).collect()
    }

    /// The rank of a point.
    pub fn rank_at(&self, posterior: &Posterior, u: &[f64], ln_chance: f64) -> f64 {
        let p = posterior.predict(u);
        self.rank(p.mean, p.variance, p.variance_after, ln_chance)
    }

    /// ln s_after with the barrier, to climb from a point inside; −∞ outside.
    pub fn objective<'a>(&'a self, posterior: &'a Posterior) -> Box<Climbable<'a>> {
        let mut scratch = Scratch::default();
        Box::new(move |x, gradient| {
            let p = posterior.predict_gradient(x, &mut scratch);
            let margin = self.margin(p.mean, p.variance);
            if margin <= 0.0 {
                gradient.fill(0.0);
                return f64::NEG_INFINITY;
            }
            let sd = p.variance.sqrt();
            for (k, g) in gradient.iter_mut().enumerate() {
                let d_margin = scratch.d_mean[k] + self.kappa * scratch.d_variance[k] / (2.0 * sd);
                *g = scratch.d_variance_after[k] / (2.0 * p.variance_after) + BARRIER * d_margin / margin;
            }
            0.5 * p.variance_after.ln() + BARRIER * margin.ln()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Dataset;
    use crate::gp::{Hyperparameters, KernelKind};
    use crate::linalg::Points;
    use crate::rng::Stream;

    #[test]
    fn the_barrier_has_the_gradient_of_its_value_and_none_outside() {
        let mut draw = Stream::new(8);
        let (mut inside, mut outside) = (0, 0);
        for seed in 0..8 {
            let kernel = [KernelKind::Rbf, KernelKind::Matern52][seed % 2];
            let x = Points::from_rows(2, (0..30).map(|_| draw.uniform()).collect()).unwrap();
            let data = Dataset::new(x, (0..15).map(|_| draw.normal()).collect()).unwrap();
            let gp = Posterior::new(&data, Hyperparameters::new(kernel, 1.0, vec![0.4, 0.5], 1e-2)).unwrap();
            let phantoms: Vec<[f64; 2]> = (0..2).map(|_| [draw.uniform(), draw.uniform()]).collect();
            let gp = gp.with_phantoms(phantoms.iter().map(|u| u.as_slice()));
            let region = Region { kappa: 2.0, threshold: 0.3 };
            let mut objective = region.objective(&gp);
            for _ in 0..4 {
                let x = [draw.uniform(), draw.uniform()];
                let mut gradient = [f64::NAN; 2];
                let value = objective(&x, &mut gradient);
                if region.rank_at(&gp, &x, 0.0) < 0.0 {
                    assert_eq!((value, gradient), (f64::NEG_INFINITY, [0.0; 2]));
                    outside += 1;
                    continue;
                }
                let p = gp.predict(&x);
                let margin = p.mean + 2.0 * p.variance.sqrt() - 0.3;
                if margin < 1e-2 {
                    continue;
                }
                inside += 1;
                assert!((value - (0.5 * p.variance_after.ln() + 1e-3 * margin.ln())).abs() < 1e-12);
                for k in 0..2 {
                    let mut at = |h: f64| {
                        let mut x = x;
                        x[k] += h;
                        objective(&x, &mut [0.0; 2])
                    };
                    // As for any smooth function with a scale of 0.4: h² times a third derivative of 10².
                    let error = ((at(1e-5) - at(-1e-5)) / 2e-5 - gradient[k]).abs();
                    assert!(error < 1e-6 * gradient[k].abs().max(1.0), "{seed}: {error}");
                }
            }
        }
        assert!(inside >= 5 && outside >= 5, "{inside} {outside}");
    }
}
