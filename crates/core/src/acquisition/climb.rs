//! Climbing to a local maximum of a score inside a search space.
//!
//! Continuous coordinates climb by L-BFGS-B; long integer ranges go along as if they were continuous and are rounded
//! afterwards. Categories and short ranges move one coordinate at a time, trying every level. The two take turns until
//! nothing moves. What counts is the score at the decoded point; infeasible points are refused by the line search.

use crate::optim::{Bounds, Lbfgsb, LbfgsbParams, Objective};
use crate::space::{Dimension, SearchSpace};

/// Ranges of at most this many levels are tried level by level.
const SHORT_RANGE: u64 = 16;

/// Turns of climbing and coordinate moves.
const MAX_TURNS: usize = 6;

/// A reusable climber for one space.
pub struct Climb<'a> {
    space: &'a SearchSpace,
    solver: Lbfgsb,
    bounds: Bounds,
    gradient: Vec<f64>,
    evaluations: usize,
}

impl<'a> Climb<'a> {
    /// A climber that spends at most `max_evaluations` on each continuous climb.
    pub fn new(space: &'a SearchSpace, max_evaluations: usize) -> Self {
        let dim = space.dim();
        let params = LbfgsbParams {
            max_evaluations,
            max_iterations: max_evaluations,
            gradient_tolerance: 1e-5,
            value_tolerance: 1e-9,
            ..LbfgsbParams::default()
        };
        Self {
            space,
            solver: Lbfgsb::new(dim, params),
            bounds: Bounds::unit(dim),
            gradient: vec![0.0; dim],
            evaluations: 0,
        }
    }

    /// Evaluations so far.
    pub fn evaluations(&self) -> usize {
        self.evaluations
    }

    /// Climbs from `u` (changed in place, decodable afterwards); the score reached, −∞ if nothing feasible was found.
    pub fn from(&mut self, score: &mut impl Objective, u: &mut [f64]) -> f64 {
        let space = self.space;
        let constrained = !space.constraints().is_empty();
        let mut evaluations = 0;
        let mut guarded = |u: &[f64], gradient: &mut [f64]| {
            if constrained && !space.is_feasible(u) {
                return f64::NEG_INFINITY;
            }
            evaluations += 1;
            score.value_and_gradient(u, gradient)
        };
        space.snap(u);
        let mut best = guarded(u, &mut self.gradient);
        let mut trial = u.to_vec();
        for _ in 0..MAX_TURNS {
            if self.fix_short_ranges(u) {
                trial.copy_from_slice(u);
                self.solver.maximize(&mut guarded, &mut trial, &self.bounds);
                space.snap(&mut trial);
                let value = guarded(&trial, &mut self.gradient);
                if value > best {
                    best = value;
                    u.copy_from_slice(&trial);
                }
            }
            if !step_coordinates(space, &mut guarded, u, &mut best, &mut self.gradient) {
                break;
            }
        }
        self.evaluations += evaluations;
        best
    }

    /// Holds categories and short ranges where they are; false if nothing is left to climb.
    fn fix_short_ranges(&mut self, u: &[f64]) -> bool {
        let mut any = false;
        let (mut low, mut high) = (vec![0.0; u.len()], vec![1.0; u.len()]);
        for (k, dimension) in self.space.dimensions().iter().enumerate() {
            if is_short(dimension) {
                (low[k], high[k]) = (u[k], u[k]);
            } else {
                any = true;
            }
        }
        if let Ok(bounds) = Bounds::new(low, high) {
            self.bounds = bounds;
        }
        any
    }
}

/// Moves one discrete coordinate at a time to its best level; whether any moved.
fn step_coordinates(
    space: &SearchSpace,
    score: &mut impl Objective,
    u: &mut [f64],
    best: &mut f64,
    gradient: &mut [f64],
) -> bool {
    let mut moved = false;
    for (k, dimension) in space.dimensions().iter().enumerate() {
        let Some(levels) = dimension.levels() else { continue };
        let here = space.level(k, u[k]);
        let tries: Vec<u64> = if is_short(dimension) {
            (0..levels).collect()
        } else {
            [-2i64, -1, 1, 2].iter().filter_map(|s| here.checked_add_signed(*s)).filter(|l| *l < levels).collect()
        };
        let mut keep = u[k];
        for level in tries.into_iter().filter(|l| *l != here) {
            u[k] = space.coordinate(k, level);
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

fn is_short(dimension: &Dimension) -> bool {
    match dimension {
        Dimension::Category { .. } => true,
        _ => dimension.levels().is_some_and(|n| n <= SHORT_RANGE),
    }
}
