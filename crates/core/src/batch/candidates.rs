//! The points among which the search for a batch starts: spread over the space and around the best observations.

use std::collections::HashSet;
use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use super::Situation;
use crate::design::{Sobol, uniform};
use crate::domain::Branch;
use crate::linalg::Points;
use crate::rng::Stream;
use crate::space::{PointKey, UnitPoint};

/// The points that a strategy chooses from.
///
/// ```
/// use elbowroom::batch::Candidates;
/// let grid: Candidates = serde_json::from_str(r#"{"grid":{"n":500}}"#)?;
/// assert_eq!(grid, Candidates::Grid { n: 500.try_into().unwrap(), seed: 0 });
/// assert!(serde_json::from_str::<Candidates>(r#"{"grid":{"n":0}}"#).is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Candidates {
    /// The whole space: spread and local starts, drawn again for every batch, from which climbs start.
    #[default]
    Continuous,
    /// Only these uniform points, the same for the whole study: the finite set of early implementations. The search
    /// finds the best of them and nothing better.
    Grid {
        /// How many points.
        n: NonZeroUsize,
        /// The seed of the points.
        #[serde(default)]
        seed: u64,
    },
}

impl Candidates {
    /// The candidates that are feasible and not taken.
    pub(super) fn points(self, situation: &Situation<'_>) -> Points {
        match self {
            Candidates::Continuous => candidates(situation),
            Candidates::Grid { n, seed } => {
                let mut gathered = Gathered::new(situation);
                let grid = uniform(n.get(), situation.domain.dim(), &mut Stream::new(seed).child("grid", 0));
                let mut point = vec![0.0; situation.domain.dim()];
                for u in grid.iter() {
                    point.copy_from_slice(u);
                    situation.domain.stretch(&mut point);
                    gathered.offer(&point);
                }
                gathered.points
            }
        }
    }

    /// Whether points between the candidates may be chosen.
    pub(super) fn may_climb(self) -> bool {
        self == Candidates::Continuous
    }
}

/// Every point of a finite space of at most this many is scored.
pub(crate) const EXHAUSTIVE: u64 = 2000;

/// Operations of a prediction, n² with n observations, that scoring a whole space may take: 100,000 points with 60
/// observations, and with 450 observations as many as are scored anyway.
const AFFORDABLE: f64 = 4e8;

/// Whether all points of a situation's domain are scored.
fn is_exhaustive(situation: &Situation<'_>) -> bool {
    let work_of_one = (situation.posterior.n_data() as f64).powi(2).max(1.0);
    let affordable = |n: u128| n <= EXHAUSTIVE.into() || n as f64 * work_of_one <= AFFORDABLE;
    let few = situation.domain.few_points().map(|few| few.len() as u128);
    few.or_else(|| situation.domain.n_points()).is_some_and(|n| n <= situation.score_all.into() && affordable(n))
}

/// The most branches that candidates are gathered in, and the fewest candidates in each.
const MOST_BRANCHES: usize = 64;
const LEAST_OF_BRANCH: usize = 16;

/// The number of observations that local candidates surround.
const CENTERS: usize = 5;

/// Feasible, decodable, distinct points that are not taken.
pub(super) fn candidates(situation: &Situation<'_>) -> Points {
    let domain = situation.domain;
    let mut gathered = Gathered::new(situation);
    if is_exhaustive(situation) {
        if let Some(few) = domain.few_points() {
            few.iter().for_each(|u| gathered.offer(u));
        } else if let Some(all) = domain.enumerate() {
            for u in all {
                gathered.offer(u.as_slice());
            }
        }
        return gathered.points;
    }
    let dim = domain.dim();
    let local = n_local(dim);
    spread(situation, &mut gathered);
    let mut u = vec![0.0; dim];
    let centers = best_observed(situation);
    let mut draw = situation.stream.child("candidates", 1);
    if !centers.is_empty() {
        for i in 0..local {
            perturb(centers[i % centers.len()], situation, &mut draw, &mut u);
            gathered.offer(&u);
        }
    }
    gathered.points
}

/// Gathers candidates all over the domain.
fn spread(situation: &Situation<'_>, gathered: &mut Gathered<'_>) {
    let domain = situation.domain;
    if domain.space().is_conditional() && !domain.is_constructed() && !domain.is_listed() {
        return spread_over_branches(situation, gathered);
    }
    let n = n_spread(domain.dim());
    let mut stream = situation.stream.child("candidates", 0);
    let mut u = vec![0.0; domain.dim()];
    let mut sampler = (domain.is_constructed() || domain.is_listed()).then(|| domain.sampler());
    let mut sobol = Sobol::scrambled(domain.dim(), &stream);
    // Tight constraints reject most points: try up to 20 times as many.
    for _ in 0..20 * n {
        if gathered.points.len() >= n {
            break;
        }
        match &mut sampler {
            Some(sampler) => u.copy_from_slice(&sampler.next(&mut stream)),
            None => {
                sobol.next_into(&mut u);
                domain.stretch(&mut u);
            }
        }
        gathered.offer(&u);
    }
}

/// Gathers the same number of candidates in each branch; if there are very many branches, in some of them.
fn spread_over_branches(situation: &Situation<'_>, gathered: &mut Gathered<'_>) {
    let domain = situation.domain;
    let stream = situation.stream.child("candidates", 0);
    let mut branches: Vec<&Branch> = domain.branches().open().collect();
    if branches.len() > MOST_BRANCHES {
        situation.stream.child("branches", 0).shuffle(&mut branches);
        branches.truncate(MOST_BRANCHES);
    }
    let share = (n_spread(domain.dim()) / branches.len().max(1)).max(LEAST_OF_BRANCH);
    let mut u = vec![0.0; domain.dim()];
    for (i, branch) in branches.iter().enumerate() {
        let mut v = vec![0.0; branch.dim()];
        let mut sobol = Sobol::scrambled(branch.dim(), &stream.child("branch", i as u64));
        let enough = gathered.points.len() + share;
        let tries = if v.is_empty() { 1 } else { 20 * share };
        for _ in 0..tries {
            if gathered.points.len() >= enough {
                break;
            }
            sobol.next_into(&mut v);
            branch.put(domain, &v, &mut u);
            gathered.offer(&u);
        }
    }
}

/// The number of candidates spread over the space.
fn n_spread(dim: usize) -> usize {
    (64 * dim).clamp(256, 1024)
}

/// The number of candidates around the best observations.
fn n_local(dim: usize) -> usize {
    (32 * dim).clamp(128, 512)
}

/// One feasible point that is not taken, by rejection or, in finite spaces, by enumeration.
pub(super) fn any_point(
    situation: &Situation<'_>,
    also_taken: &HashSet<PointKey>,
    draw: &mut Stream,
) -> Option<UnitPoint> {
    let domain = situation.domain;
    let free = |u: &UnitPoint| {
        let key = domain.key(u);
        !situation.taken.contains(&key)
            && !also_taken.contains(&key)
            && !situation.tried.is_beside_failure(domain.space(), u)
    };
    for _ in 0..1000 {
        match domain.sample_feasible(draw, 100) {
            Some(u) if free(&u) => return Some(u),
            Some(_) => {}
            None => break,
        }
    }
    if domain.few_points().is_some() || domain.n_points().is_some_and(|n| n <= 1_000_000) {
        return domain.enumerate_feasible()?.find(free);
    }
    None
}

struct Gathered<'a> {
    situation: &'a Situation<'a>,
    seen: HashSet<PointKey>,
    points: Points,
    buffer: Vec<f64>,
}

impl<'a> Gathered<'a> {
    fn new(situation: &'a Situation<'a>) -> Self {
        let dim = situation.domain.dim();
        Self { situation, seen: HashSet::new(), points: Points::new(dim), buffer: vec![0.0; dim] }
    }

    fn offer(&mut self, u: &[f64]) {
        let domain = self.situation.domain;
        let space = domain.space();
        self.buffer.copy_from_slice(u);
        domain.snap(&mut self.buffer);
        if domain.is_constrained() && !domain.is_feasible(&self.buffer) {
            return;
        }
        let key = space.key(&self.buffer);
        if !self.situation.taken.contains(&key)
            && !self.situation.tried.is_beside_failure(space, &self.buffer)
            && self.seen.insert(key)
        {
            self.points.push(&self.buffer);
        }
    }
}

/// The observed points with the largest values, starting with those that probably keep the limits; with several
/// objectives, those on the front.
fn best_observed<'a>(situation: &Situation<'a>) -> Vec<&'a [f64]> {
    let posterior = situation.posterior;
    if let Some(aims) = situation.aims.filter(|aims| aims.has_several_objectives()) {
        let centers = aims.centers(situation.domain, CENTERS);
        return centers.into_iter().map(|i| aims.measured[i].point).collect();
    }
    let values = posterior.values();
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[b].total_cmp(&values[a]).then(a.cmp(&b)));
    let points: Vec<&[f64]> = posterior.observed().collect();
    let limits = situation.limits();
    if limits.is_empty() {
        return order.into_iter().take(CENTERS).map(|i| points[i]).collect();
    }
    let feasible: Vec<&[f64]> =
        order.iter().map(|&i| points[i]).filter(|u| limits.are_likely(u)).take(CENTERS).collect();
    if !feasible.is_empty() {
        return feasible;
    }
    let mut nearest: Vec<(f64, usize)> = order.into_iter().map(|i| (limits.excess(points[i]), i)).collect();
    nearest.sort_by(|a, b| a.0.total_cmp(&b.0));
    nearest.into_iter().take(CENTERS).map(|(_, i)| points[i]).collect()
}

/// Moves some coordinates of a point: floats by a normal step of random size below a lengthscale, others by a level.
/// The result may lie outside the domain and must be snapped. In another branch, new parameters are drawn at random.
pub(super) fn perturb(center: &[f64], situation: &Situation<'_>, draw: &mut Stream, u: &mut [f64]) {
    u.copy_from_slice(center);
    let (space, dim) = (situation.domain.space(), u.len());
    let share = (20.0 / dim as f64).min(1.0);
    let size = 0.5 * 10f64.powf(-3.0 * draw.uniform());
    let active = space.is_conditional().then(|| space.active(center));
    let always = match &active {
        None => draw.below(dim),
        Some(active) => {
            let own: Vec<usize> = (0..dim).filter(|k| active[*k]).collect();
            own.get(draw.below(own.len().max(1))).copied().unwrap_or(0)
        }
    };
    for k in 0..dim {
        if k != always && draw.uniform() >= share {
            continue;
        }
        let dimension = space.dimensions()[k];
        let step = size * situation.posterior.hyper().lengthscales[k].min(1.0) * draw.normal();
        match dimension.levels() {
            None => u[k] = reflect(u[k] + step),
            Some(levels) if draw.uniform() < 0.5 || k == always => {
                let level = match dimension {
                    crate::space::Dimension::Category { .. } => draw.below(levels as usize) as u64,
                    _ => {
                        let hop = (step * levels as f64).round() as i64;
                        let hop = if hop == 0 { if draw.uniform() < 0.5 { 1 } else { -1 } } else { hop };
                        (space.level(k, u[k]) as i64 + hop).clamp(0, levels as i64 - 1) as u64
                    }
                };
                u[k] = space.coordinate(k, level);
            }
            Some(_) => {}
        }
    }
    if let Some(before) = active {
        let (low, high) = (situation.domain.bounds().low(), situation.domain.bounds().high());
        for (k, is_active) in space.active(u).into_iter().enumerate() {
            if is_active && !before[k] {
                u[k] = low[k] + draw.uniform() * (high[k] - low[k]);
            }
        }
    }
}

/// Folds a coordinate that left [0, 1] back into it.
fn reflect(v: f64) -> f64 {
    let v = v.abs() % 2.0;
    if v > 1.0 { 2.0 - v } else { v }
}
