//! Choosing q points given a posterior and the points that are pending; one strategy per file.

mod acquisition_kind;
mod candidates;
mod local_penalization;
mod recommend;
mod search;

pub use acquisition_kind::{AcquisitionKind, best_mean_at_data};
pub use local_penalization::{LipschitzRule, LocalPenalization, MaximumRule};
pub use recommend::highest_mean;

use std::collections::HashSet;
use std::num::NonZeroUsize;

use crate::error::{Error, Result};
use crate::gp::Posterior;
use crate::rng::Stream;
use crate::space::{PointKey, SearchSpace, UnitPoint};

/// What a strategy chooses from. Everything is in the unit cube, and the objective is maximized.
pub struct Situation<'a> {
    /// The model of the objective.
    pub posterior: &'a Posterior,
    /// The space that points must decode in.
    pub space: &'a SearchSpace,
    /// Points under evaluation, in the order they were asked for.
    pub pending: &'a [UnitPoint],
    /// Points not to propose again: observed, pending and failed ones.
    pub taken: &'a HashSet<PointKey>,
    /// The random numbers of this ask.
    pub stream: &'a Stream,
}

/// How many points to choose: at least one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchSize(NonZeroUsize);

impl BatchSize {
    /// Refuses an empty batch.
    ///
    /// ```
    /// use elbowroom::batch::BatchSize;
    /// assert!(BatchSize::new(0).is_err());
    /// assert_eq!(BatchSize::new(3).unwrap().get(), 3);
    /// ```
    pub fn new(q: usize) -> Result<Self> {
        NonZeroUsize::new(q)
            .map(Self)
            .ok_or_else(|| Error::config("a batch of 0 points was asked for", "ask for at least one point"))
    }

    /// The number of points.
    pub fn get(self) -> usize {
        self.0.get()
    }
}

/// The chosen points, in order of choice. Fewer than asked for means that the space has no more points to offer.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    /// The points.
    pub points: Vec<UnitPoint>,
    /// What was done.
    pub info: BatchInfo,
}

/// Counted work of a choice, and the quantities it rested on.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BatchInfo {
    /// Evaluations of the acquisition (value and gradient, or value alone).
    pub evaluations: usize,
    /// The Lipschitz constant used, in whitened coordinates.
    pub lipschitz: Option<f64>,
    /// The estimate of the maximum used.
    pub maximum: Option<f64>,
}

/// A way to choose a batch.
pub trait BatchStrategy {
    /// Chooses up to q points that are feasible, distinct and not taken.
    fn choose(&self, situation: &Situation<'_>, q: BatchSize) -> Result<Batch>;
}
