//! What is wanted besides the best value of one objective: the best of several at once, and results within limits.
//!
//! Every outcome has a posterior of its own, with the results that are in for it. Larger is better for objectives, and all
//! numbers are in the units of the outcome's own model.

use crate::gp::Posterior;

/// One objective of several. Larger is better.
#[derive(Debug, Clone, Copy)]
pub struct Objective<'a> {
    /// What is known of it.
    ///
    /// A pending point of the situation is a phantom of it, unless its result of this objective is in: then it is among the
    /// observed points. Phantoms are added by the search, so the posterior comes without any.
    pub posterior: &'a Posterior,
    /// The worst that is acceptable, which is this objective's part of the reference point; inferred from the results if
    /// none.
    pub reference: Option<f64>,
}

/// A result that must lie in a band.
#[derive(Debug, Clone, Copy)]
pub struct Limit<'a> {
    /// What is known of it; as for [`Objective::posterior`].
    pub posterior: &'a Posterior,
    /// The least that will do: −∞ if there is no such limit.
    pub at_least: f64,
    /// The most that will do: +∞ if there is no such limit.
    pub at_most: f64,
}

/// A trial whose results are in for all objectives and all limits.
#[derive(Debug, Clone)]
pub struct Measured<'a> {
    /// Where it was, in the unit cube.
    pub point: &'a [f64],
    /// Its results, one for each of [`Aims::objectives`] and in their order; empty where these are.
    pub values: Vec<f64>,
    /// Its results, one for each of [`Aims::limits`] and in their order.
    pub limited: Vec<f64>,
}

/// What is wanted besides the best value of one objective. A study of one objective without limits has none.
///
/// ```
/// use elbowroom::batch::{Aims, Limit, Measured};
/// use elbowroom::{data::Dataset, gp::{Hyperparameters, KernelKind, Posterior}, linalg::Points};
/// let x = Points::from_rows(1, vec![0.0, 1.0]).unwrap();
/// let data = Dataset::new(x, vec![0.2, 0.9]).unwrap();
/// let purity = Posterior::new(&data, Hyperparameters::new(KernelKind::Rbf, 1.0, vec![0.5], 0.0))?;
/// let aims = Aims {
///     objectives: vec![],
///     limits: vec![Limit { posterior: &purity, at_least: 0.5, at_most: f64::INFINITY }],
///     measured: vec![
///         Measured { point: &[0.0], values: vec![], limited: vec![0.2] },
///         Measured { point: &[1.0], values: vec![], limited: vec![0.9] },
///     ],
/// };
/// assert!(!aims.has_several_objectives());
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Aims<'a> {
    /// All objectives where there are several: the first one's posterior is that of the situation. Empty where there is one.
    pub objectives: Vec<Objective<'a>>,
    /// Results that must lie in a band.
    pub limits: Vec<Limit<'a>>,
    /// The trials that the front is made of, and that tell whether anything feasible is known, in the order of their
    /// numbers. One with a result missing is pending instead, or failed.
    pub measured: Vec<Measured<'a>>,
}

impl Aims<'_> {
    /// Whether there is a front to find instead of a maximum.
    pub fn has_several_objectives(&self) -> bool {
        self.objectives.len() > 1
    }
}
