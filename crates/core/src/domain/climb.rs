//! Climbing to a local maximum of a score inside a domain.
//!
//! Continuous coordinates climb by L-BFGS-B; long integer ranges climb as if they were continuous and are rounded
//! afterwards. Where points are constructed, the climb follows the polytope that linear constraints leave, by projected
//! gradients, and parts of a mixture of few are tried in place of each other. Numbers on grids climb as if they were
//! continuous, are rounded, and then exchange levels in pairs. Categories and short ranges move one coordinate at a
//! time, trying every level. The two kinds of moves alternate until nothing changes. The score is that of the decoded
//! point; the line search refuses infeasible points.
//!
//! A score that depends on some points can tell two levels of a category apart only if one of these points has one of
//! them: all other levels have exactly the same score. If a category has many levels and the climber was told the
//! points, it tries the levels that they have, and the first of the others.
//!
//! If parameters have conditions, a climb stays in its branch: coordinates of inactive parameters rest, and those that
//! conditions refer to move only to levels that leave the same parameters active.

use std::cell::Cell;
use std::collections::BTreeSet;

use super::Domain;
use crate::optim::{Bounds, Lbfgsb, LbfgsbParams, Objective, SpectralParams, spectral_ascent};
use crate::space::Dimension;

/// Ranges of at most this many levels are tried level by level.
const SHORT_RANGE: u64 = 16;

/// Categories with more levels than this are tried only at levels that tell points apart, if these are known.
const MANY_LEVELS: u64 = 64;

/// How many times climbing and coordinate moves alternate.
const MAX_TURNS: usize = 6;

/// A reusable climber for one domain.
pub struct Climber<'a> {
    domain: &'a Domain<'a>,
    solver: Lbfgsb,
    along: SpectralParams,
    bounds: Bounds,
    /// Coordinates that conditions refer to.
    deciding: Vec<usize>,
    /// The active coordinates of the current branch.
    active: Vec<bool>,
    /// For each category with many levels, the levels that some point of the score has, if they are known.
    told_apart: Vec<Option<BTreeSet<u64>>>,
    gradient: Vec<f64>,
    evaluations: usize,
}

impl<'a> Climber<'a> {
    pub(super) fn new(domain: &'a Domain<'a>, params: LbfgsbParams) -> Self {
        let dim = domain.dim();
        Self {
            domain,
            solver: Lbfgsb::new(dim, params),
            along: SpectralParams {
                max_evaluations: params.max_evaluations,
                step_tolerance: 1e-9,
                value_tolerance: params.value_tolerance,
            },
            bounds: domain.bounds().clone(),
            deciding: domain.space().deciding(),
            active: vec![true; dim],
            told_apart: vec![None; dim],
            gradient: vec![0.0; dim],
            evaluations: 0,
        }
    }

    /// Names the points that the score depends on: those of its models and any others. This only saves work.
    pub(crate) fn told<'p>(&mut self, points: impl Iterator<Item = &'p [f64]>) {
        let space = self.domain.space();
        let is_many = |dim: usize| {
            let is_category = matches!(space.dimensions()[dim], Dimension::Category { .. });
            let n = self.domain.levels(dim).map_or(0, |(first, last)| last - first + 1);
            is_category && n > MANY_LEVELS && !space.described().iter().any(|(described, _)| *described == dim)
        };
        // Constraints and conditions may tell any two levels apart.
        let may_skip = !self.domain.is_constrained();
        let many: Vec<usize> =
            (0..space.dim()).filter(|dim| may_skip && is_many(*dim) && !self.deciding.contains(dim)).collect();
        many.iter().for_each(|dim| self.told_apart[*dim] = Some(BTreeSet::new()));
        for point in points.filter(|_| !many.is_empty()) {
            for dim in &many {
                self.told_apart[*dim].get_or_insert_default().insert(space.level(*dim, point[*dim]));
            }
        }
    }

    /// Evaluations so far.
    pub fn evaluations(&self) -> usize {
        self.evaluations
    }

    /// Climbs from `u` (changed in place, decodable afterwards) and returns the score; −∞ if no point is feasible.
    pub fn from(&mut self, score: &mut impl Objective, u: &mut [f64]) -> f64 {
        let domain = self.domain;
        let constrained = domain.is_constrained();
        let mut evaluations = 0;
        // Between levels the constraints cannot be checked; the climb stays in the polytope.
        let is_between = Cell::new(false);
        let mut last = Evaluated::default();
        let mut guarded = |u: &[f64], gradient: &mut [f64]| {
            if constrained && !is_between.get() && !domain.is_feasible(u) {
                return f64::NEG_INFINITY;
            }
            evaluations += 1;
            last.value_and_gradient(score, u, gradient)
        };
        domain.snap(u);
        self.active = domain.space().active(u);
        let mut best = guarded(u, &mut self.gradient);
        let mut trial = u.to_vec();
        for _ in 0..MAX_TURNS {
            if self.fix_short_ranges(u) {
                trial.copy_from_slice(u);
                match &domain.inside {
                    Some(inside) => {
                        guarded(&trial, &mut self.gradient);
                        let support = inside.support_of(&trial, Some(&self.gradient));
                        let project = |u: &mut [f64]| inside.project_onto(&support, &self.bounds, u);
                        is_between.set(inside.has_levels());
                        spectral_ascent(&mut guarded, &mut trial, project, &self.along);
                        is_between.set(false);
                    }
                    None => {
                        self.solver.maximize(&mut guarded, &mut trial, &self.bounds);
                    }
                }
                domain.snap(&mut trial);
                let value = guarded(&trial, &mut self.gradient);
                if value > best && self.active == domain.space().active(&trial) {
                    best = value;
                    u.copy_from_slice(&trial);
                }
            }
            let branch = (self.active.as_slice(), self.deciding.as_slice());
            let told_apart = self.told_apart.as_slice();
            let stepped = step_coordinates(domain, branch, told_apart, &mut guarded, u, &mut best, &mut self.gradient);
            let exchanged = exchange(domain, &self.active, &mut guarded, u, &mut best, &mut self.gradient);
            if !swap_parts(domain, &mut guarded, u, &mut best, &mut self.gradient) && !stepped && !exchanged {
                break;
            }
        }
        self.evaluations += evaluations;
        best
    }

    /// Fixes categories, short ranges and coordinates that determine the branch; false if none is left to climb.
    fn fix_short_ranges(&mut self, u: &[f64]) -> bool {
        let mut any = false;
        let (mut low, mut high) = (self.domain.bounds().low().to_vec(), self.domain.bounds().high().to_vec());
        for (k, dimension) in self.domain.space().dimensions().iter().enumerate() {
            let goes_along = self.domain.inside.as_ref().is_some_and(|inside| inside.is_on_grid(k));
            if (is_short(dimension) && !goes_along) || !self.active[k] || self.deciding.contains(&k) {
                (low[k], high[k]) = (u[k], u[k]);
            } else {
                any |= low[k] < high[k];
            }
        }
        if let Ok(bounds) = Bounds::new(low, high) {
            self.bounds = bounds;
        }
        any
    }
}

/// The last evaluated point and its score: climbs start and end with evaluations that the solver makes too.
#[derive(Default)]
struct Evaluated {
    point: Vec<f64>,
    gradient: Vec<f64>,
    value: Option<f64>,
}

impl Evaluated {
    fn value_and_gradient(&mut self, score: &mut impl Objective, u: &[f64], gradient: &mut [f64]) -> f64 {
        if let Some(value) = self.value.filter(|_| self.point == u) {
            gradient.copy_from_slice(&self.gradient);
            return value;
        }
        let value = score.value_and_gradient(u, gradient);
        // Without a value, there may not be a gradient.
        self.value = Some(value).filter(|value| value.is_finite());
        self.point.clear();
        self.point.extend_from_slice(u);
        self.gradient.clear();
        self.gradient.extend_from_slice(gradient);
        value
    }
}

/// Moves one discrete coordinate at a time to its best level within a branch; returns whether any moved.
fn step_coordinates(
    domain: &Domain<'_>,
    (active, deciding): (&[bool], &[usize]),
    told_apart: &[Option<BTreeSet<u64>>],
    score: &mut impl Objective,
    u: &mut [f64],
    best: &mut f64,
    gradient: &mut [f64],
) -> bool {
    let mut moved = false;
    let space = domain.space();
    for (k, dimension) in space.dimensions().iter().enumerate() {
        let Some((first, last)) = domain.levels(k).filter(|_| active[k]) else { continue };
        let here = space.level(k, u[k]);
        let tries: Vec<u64> = if let Some(known) = &told_apart[k] {
            let other = (first..=last).find(|level| *level != here && !known.contains(level));
            let mut tries: Vec<u64> = known.range(first..=last).copied().chain(other).collect();
            tries.sort_unstable();
            tries
        } else if is_short(dimension) {
            (first..=last).collect()
        } else {
            let near = [-2i64, -1, 1, 2].iter().filter_map(|s| here.checked_add_signed(*s));
            near.filter(|level| (first..=last).contains(level)).collect()
        };
        let mut keep = u[k];
        for level in tries.into_iter().filter(|l| *l != here) {
            u[k] = space.coordinate(k, level);
            if deciding.contains(&k) && space.active(u) != active {
                continue;
            }
            let value = score.value_and_gradient(u, gradient);
            if value > *best {
                *best = value;
                keep = u[k];
                moved = true;
            }
        }
        u[k] = keep;
    }
    moved
}

/// Exchanges levels between two coordinates of a sum on grids while that helps; returns whether it did.
fn exchange(
    domain: &Domain<'_>,
    active: &[bool],
    score: &mut impl Objective,
    u: &mut [f64],
    best: &mut f64,
    gradient: &mut [f64],
) -> bool {
    let Some(inside) = domain.inside.as_ref().filter(|inside| inside.has_levels()) else { return false };
    let mut moved = false;
    for _ in 0..MAX_TURNS {
        let before = *best;
        score.value_and_gradient(u, gradient);
        for exchanged in inside.exchanges(u, gradient) {
            let value = score.value_and_gradient(&exchanged, gradient);
            if value > *best && domain.space().active(&exchanged) == active {
                *best = value;
                u.copy_from_slice(&exchanged);
            }
        }
        if *best == before {
            break;
        }
        moved = true;
    }
    moved
}

/// Replaces one part of a mixture by another if that is better, and keeps the best; returns whether it did.
fn swap_parts(
    domain: &Domain<'_>,
    score: &mut impl Objective,
    u: &mut [f64],
    best: &mut f64,
    gradient: &mut [f64],
) -> bool {
    let swaps = domain.inside.as_ref().map_or_else(Vec::new, |inside| inside.swaps(u));
    let mut moved = false;
    for swapped in swaps {
        let value = score.value_and_gradient(&swapped, gradient);
        if value > *best {
            *best = value;
            u.copy_from_slice(&swapped);
            moved = true;
        }
    }
    moved
}

fn is_short(dimension: &Dimension) -> bool {
    match dimension {
        Dimension::Category { .. } => true,
        _ => dimension.levels().is_some_and(|n| n <= SHORT_RANGE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::{Parameter, SearchSpace};

    #[test]
    fn no_point_is_evaluated_twice_in_a_row() {
        let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0), Parameter::float("y", 0.0, 1.0)]).unwrap();
        let domain = Domain::whole(&space);
        let (mut calls, mut last) = (0, Vec::new());
        // A bowl with its top at (0.3, 0.9).
        let mut score = |u: &[f64], gradient: &mut [f64]| {
            assert_ne!(last, u);
            last = u.to_vec();
            calls += 1;
            gradient.copy_from_slice(&[-2.0 * (u[0] - 0.3), -8.0 * (u[1] - 0.9)]);
            -(u[0] - 0.3).powi(2) - 4.0 * (u[1] - 0.9).powi(2)
        };
        let mut climber = domain.climber(50);
        let mut u = [0.8, 0.1];
        let reached = climber.from(&mut score, &mut u);
        assert!((u[0] - 0.3).abs() < 1e-4 && (u[1] - 0.9).abs() < 1e-4 && reached > -1e-6, "{u:?}");
        assert!(calls < climber.evaluations(), "looks at both ends are counted");
    }
}
