//! Trials that keep proposals at a distance, besides not being proposed again themselves.
//!
//! A point that differs from a tried one in the last digits is not a different point. And where a trial failed, the
//! learned chance of success is small but never zero, so points beside it need a separate rule: no point is proposed
//! that is within [`BESIDE`] of a failed trial, in ranges of the parameters, in every coordinate. The exception is bad
//! luck: where a value is almost as likely as at the safest trial, for example on a cluster that loses runs at random,
//! the same position deserves another run.

use crate::chance::Chance;
use crate::gp::Posterior;
use crate::space::{Dimension, SearchSpace};

/// Points this close to a failed trial, in ranges of the parameters, are beside it. It is a little more than a
/// thousandth, because encoding and decoding round.
const BESIDE: f64 = 1.001e-3;

/// Points this close to a tried one, in lengthscales, differ from it only by rounding. Over this distance a smooth
/// function changes by its square: fourteen digits below the function's spread.
const ROUNDING: f64 = 1e-7;

/// How much less likely than at the safest trial a value may be at a failed one, for the failure to count as bad luck.
const LUCK: f64 = 0.2;

/// How close to a failed trial, in every coordinate of the unit cube, another must have given a value for the failure
/// to count as bad luck.
const WITNESS: f64 = 0.02;

/// The largest probability that a failure depended on its position, for it to count as bad luck. Half was too much: a
/// region in which a third of a category fails was not recognized after seven failures, and an eighth point was
/// proposed beside the seventh.
const NO_PLACE: f64 = 0.05;

/// The number of failures before one of them can count as bad luck.
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
    /// Points that must not be proposed again, not even within rounding.
    pub points: Vec<&'a [f64]>,
    /// Points whose trials failed or were infeasible, from which proposals keep away.
    pub failed: Vec<&'a [f64]>,
}

impl Tried<'_> {
    /// Stops keeping away from failures that were bad luck. This requires near certainty that the failure did not
    /// depend on its position, because near a border the chance is large on both sides of it. `gave_value` are the
    /// points of trials that gave a value; if none of them is near, nothing suggests bad luck.
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

    /// Whether a point differs from a tried one only by rounding.
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
