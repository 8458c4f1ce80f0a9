//! What is wanted besides the best value of one objective: the best of several at once, and results within limits.
//!
//! Every outcome has its own posterior, given the results that are in for it. Larger is better for objectives, and all
//! numbers are in the units of the outcome's own model.

use crate::acquisition::{Band, LogAcquisition};
use crate::domain::Domain;
use crate::gp::Posterior;
use crate::pareto::{Front, reference_point};

/// One objective of several. Larger is better.
#[derive(Debug, Clone, Copy)]
pub struct Objective<'a> {
    /// Its model.
    ///
    /// A pending point of the situation is a phantom of it, unless its result of this objective is in: then it is an
    /// observed point. The search adds the phantoms, so the posterior comes without any.
    pub posterior: &'a Posterior,
    /// The worst acceptable value: this objective's part of the reference point. Inferred from the results if none.
    pub reference: Option<f64>,
}

/// A result that must lie in a band.
#[derive(Debug, Clone, Copy)]
pub struct Limit<'a> {
    /// Its model; as for [`Objective::posterior`].
    pub posterior: &'a Posterior,
    /// The smallest acceptable value: −∞ if there is no such limit.
    pub at_least: f64,
    /// The largest acceptable value: +∞ if there is no such limit.
    pub at_most: f64,
}

impl Limit<'_> {
    /// The band, as a score: ln of the chance that a result lies in it.
    pub fn band(&self) -> Band {
        Band { at_least: self.at_least, at_most: self.at_most }
    }
}

/// A trial whose results are in for all objectives and all limits.
#[derive(Debug, Clone)]
pub struct Measured<'a> {
    /// Its point in the unit cube.
    pub point: &'a [f64],
    /// Its results for [`Aims::objectives`], in that order; empty if these are.
    pub values: Vec<f64>,
    /// Its results for [`Aims::limits`], in that order.
    pub limited: Vec<f64>,
}

/// What is wanted besides the best value of one objective. Absent in a study of one objective without limits.
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
///     ..Aims::default()
/// };
/// assert!(!aims.has_several_objectives());
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Aims<'a> {
    /// All objectives, if there are several: the first one's posterior is that of the situation. Otherwise empty.
    pub objectives: Vec<Objective<'a>>,
    /// Results that must lie in a band.
    pub limits: Vec<Limit<'a>>,
    /// The trials that make up the front and show whether anything feasible is known, in the order of their numbers. A
    /// trial with a missing result is pending instead, or failed.
    pub measured: Vec<Measured<'a>>,
    /// Whether climbs take the extra time that limits need: the chance of keeping a limit falls steeply beyond it.
    pub is_patient: bool,
}

impl Aims<'_> {
    /// Whether a front is wanted instead of a maximum.
    pub fn has_several_objectives(&self) -> bool {
        self.objectives.len() > 1
    }
}

/// What is known of a measured point, in the part of the space that is searched.
pub(super) struct Known {
    /// Its index in [`Aims::measured`].
    pub index: usize,
    /// Its objectives: as measured, or the means of the models if results are noisy.
    pub values: Vec<f64>,
    /// ln of the chance that it keeps the limits: 0 or −∞ if it was measured without noise.
    pub ln_feasible: f64,
}

impl Known {
    /// Whether the point probably keeps the limits.
    pub fn is_feasible(&self) -> bool {
        self.ln_feasible >= 0.5f64.ln()
    }
}

impl Aims<'_> {
    /// What is known of every measured point. If only a part of the space is searched, points are moved to the nearest
    /// ones there and get the values that the models expect: such an ask wants the best of that part.
    pub(super) fn known(&self, domain: &Domain<'_>) -> Vec<Known> {
        let known = |(index, measured): (usize, &Measured<'_>)| {
            let mut point = measured.point.to_vec();
            if !domain.is_whole() {
                domain.snap(&mut point);
            }
            let is_moved = point != measured.point;
            if is_moved && !domain.is_feasible(&point) {
                return None;
            }
            let is_expected = |posterior: &Posterior| is_moved || posterior.hyper().is_noisy();
            let value = |(k, objective): (usize, &Objective<'_>)| {
                let Objective { posterior, .. } = objective;
                if is_expected(posterior) { posterior.predict(&point).mean } else { measured.values[k] }
            };
            let ln_chance = |(k, limit): (usize, &Limit<'_>)| {
                if is_expected(limit.posterior) {
                    let p = limit.posterior.predict(&point);
                    limit.band().ln_score(p.mean, p.variance.sqrt()).value
                } else if (limit.at_least..=limit.at_most).contains(&measured.limited[k]) {
                    0.0
                } else {
                    f64::NEG_INFINITY
                }
            };
            let values = self.objectives.iter().enumerate().map(value).collect();
            Some(Known { index, values, ln_feasible: self.limits.iter().enumerate().map(ln_chance).sum() })
        };
        self.measured.iter().enumerate().filter_map(known).collect()
    }

    /// The front of the known feasible points, above the reference point.
    pub(super) fn front(&self, known: &[Known]) -> Front {
        let feasible: Vec<Vec<f64>> = known.iter().filter(|k| k.is_feasible()).map(|k| k.values.clone()).collect();
        let given: Vec<Option<f64>> = self.objectives.iter().map(|objective| objective.reference).collect();
        let reference = reference_point(&feasible, &given);
        Front::new(&feasible, reference)
    }

    /// The measured points to search around: those on the front, or those nearest to keeping the limits.
    pub(super) fn centers(&self, domain: &Domain<'_>, most: usize) -> Vec<usize> {
        let mut known = self.known(domain);
        let feasible: Vec<usize> = known.iter().filter(|k| k.is_feasible()).map(|k| k.index).collect();
        let on_front: Vec<usize> = self.front(&known).indices().iter().map(|&i| feasible[i]).collect();
        if !on_front.is_empty() {
            return on_front;
        }
        known.sort_by(|a, b| b.ln_feasible.total_cmp(&a.ln_feasible).then(a.index.cmp(&b.index)));
        known.into_iter().take(most).map(|k| k.index).collect()
    }
}
