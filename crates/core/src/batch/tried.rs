//! Trials that keep proposals at a distance, besides not being proposed again themselves.
//!
//! A point that differs from a tried one in the last digits is not a different point. And where a trial failed, the learned
//! chance of success is small but never zero, so a point beside it needs a rule of its own: nothing is proposed within
//! [`BESIDE`] of the range of a failed trial in every coordinate. Unless that was bad luck: where a value is next to as
//! likely as at the safest trial, on a cluster that loses runs at random, say, the same place is worth another run.

use crate::chance::Chance;
use crate::gp::Posterior;
use crate::space::{Dimension, SearchSpace};

/// How near to a failed trial, in ranges of the parameters, is beside it. A little more than a thousandth: encoding and
/// decoding round.
const BESIDE: f64 = 1.001e-3;

/// How near to a tried point, in lengthscales, is within a rounding of it. A smooth function changes by the square of
/// this over it: fourteen digits below its spread.
const ROUNDING: f64 = 1e-7;

/// How much less likely than at the safest trial a value may be at a failed one, for that to be bad luck.
const LUCK: f64 = 0.2;

/// How near to a failed trial another must have given a value, in every coordinate of the unit cube, for the failure to be
/// bad luck.
const WITNESS: f64 = 0.02;

/// How much of the belief may be that a failure had a place, for it to be bad luck. Half was too much: a region in
/// which a third of a category fails was not seen as one after seven failures, and an eighth came beside the seventh.
const NO_PLACE: f64 = 0.05;

/// Failures that are needed to call one of them bad luck.
const MIN_FAILURES: usize = 2;

/// The trials that proposals keep away from.
///
/// ```
/// use elbowroom::batch::Tried;
/// use elbowroom::space::{Parameter, SearchSpace};
/// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
/// let tried = Tried { points: vec![], failed: vec![&[0.5]] };
/// assert!(tried.is_beside_failure(&space, &[0.5005]) && !tried.is_beside_failure(&space, &[0.51]));
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Tried<'a> {
    /// Points that must not be proposed again, nor anything within a rounding of them.
    pub points: Vec<&'a [f64]>,
    /// Points whose trials failed or were infeasible, and are to be kept away from.
    pub failed: Vec<&'a [f64]>,
}

impl Tried<'_> {
    /// No longer keeps away from failures that were bad luck: next to all of the belief is that they had no place, for near
    /// a border the chance is large on both sides of it. `gave_value` are the points of trials that gave one; where none of
    /// them is near, nothing speaks for luck.
    pub fn forgive(&mut self, chance: &Chance, gave_value: &[&[f64]]) {
        if self.failed.len() >= MIN_FAILURES {
            let is_near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= WITNESS);
            let is_luck = |u: &[f64]| {
                let has_witness = gave_value.iter().any(|witness| is_near(witness, u));
                has_witness && chance.luck(u) > 1.0 - NO_PLACE && chance.risk(chance.ln_p(u)) < LUCK
            };
            self.failed.retain(|u| !is_luck(u));
        }
    }

    /// Whether a point lies beside one that failed.
    pub fn is_beside_failure(&self, space: &SearchSpace, u: &[f64]) -> bool {
        self.failed.iter().any(|failed| is_beside(space, failed, u))
    }

    /// Whether a point lies within a rounding of one that was tried.
    pub(super) fn is_same(&self, posterior: &Posterior, u: &[f64]) -> bool {
        self.points.iter().any(|tried| !super::search::is_apart(posterior, tried, u, ROUNDING))
    }
}

/// Whether two points are within a thousandth of the range of each other in every coordinate, and equal in categories.
pub(crate) fn is_beside(space: &SearchSpace, a: &[f64], b: &[f64]) -> bool {
    space.dimensions().iter().zip(a.iter().zip(b)).all(|(dimension, (a, b))| match dimension {
        Dimension::Category { .. } => a == b,
        _ => (a - b).abs() <= BESIDE,
    })
}
