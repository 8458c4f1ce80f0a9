//! Batches that end early: a further point waits if the pending results would change what is known about it.
//!
//! If the values of the pending points P are replaced by their means, the mean at the next point z will be wrong by
//! Δ ~ N(0, s²(z) − s²_after(z)) once they are in, so E|Δ| = √(2/π) √(s²(z) − s²_after(z)) (the criterion of Azimi,
//! Jalali and Fern 2012, exact for a Gaussian process). Other rules for the end:
//!
//! * the score: if penalizers leave little of the acquisition, there is little to gain;
//! * the information that the pending results will bring, I = ½ Σ_k ln(1 + s²_{k−1}(x_k)/σ_n²) over the points of P,
//!   each given those before it: beyond some nats the model is too old to choose with (GP-AUCB, Desautels, Krause and
//!   Burdick 2014);
//! * what the point adds to the expected improvement of all, qEI(P ∪ z) − qEI(P), relative to EI of the first alone.
//!
//! The first points of a batch do not depend on how many follow, so the whole batch is chosen and then cut.

use std::cell::RefCell;

use serde::{Deserialize, Serialize};

use super::chooser::Planned;
use super::joint::JointImprovement;
use super::{
    Batch, BatchInfo, BatchSize, BatchStrategy, Chooser, Explanation, LocalPenalization, Proposal, RefineRule,
    Situation,
};
use crate::acquisition::{ExpectedImprovement, LogAcquisition};
use crate::error::{Error, Result};
use crate::penalty::Ball;
use crate::space::UnitPoint;

/// Local penalization that decides itself when a batch ends.
///
/// ```
/// use elbowroom::batch::{Adaptive, StopRule};
/// let drop: Adaptive = serde_json::from_str(r#"{"stop":{"score_drop":{"most":4.0}}}"#)?;
/// assert_eq!(drop.stop, StopRule::ScoreDrop { most: 4.0 });
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Adaptive {
    /// How points are chosen. None of them may refine, since the rules must measure all points alike.
    pub strategy: LocalPenalization,
    /// When the batch ends.
    pub stop: StopRule,
}

/// When a batch ends before its full size.
///
/// ```
/// use elbowroom::batch::StopRule;
/// assert_eq!(StopRule::default(), StopRule::MeanShift { most: 0.1 });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum StopRule {
    /// Before a point whose mean would change by more than this on average when the pending results come in. A batch
    /// can be empty while points are pending.
    MeanShift {
        /// The largest E|Δ|, in the model's units (about standard deviations of the results).
        most: f64,
    },
    /// Before a point whose ln α̃ is lower than that of the first point by more than this.
    ScoreDrop {
        /// The largest difference of logarithms.
        most: f64,
    },
    /// Before a point if the pending results already bring more information than this; without noise that is after one
    /// point. A batch can be empty while points are pending.
    Information {
        /// The largest information, in nats.
        most: f64,
    },
    /// Before a point that adds too little to the joint expected improvement of batch and pending points: less than
    /// this share of the expected improvement of the first point alone. A batch can be empty while points are pending.
    Gain {
        /// The smallest share, such as 0.05.
        least: f64,
    },
}

impl Default for StopRule {
    fn default() -> Self {
        StopRule::MeanShift { most: 0.1 }
    }
}

impl Default for Adaptive {
    fn default() -> Self {
        Self { strategy: LocalPenalization::penalized_only(), stop: StopRule::default() }
    }
}

impl BatchStrategy for Adaptive {
    fn validate(&self) -> Result<()> {
        if !matches!(self.strategy.refine, None | Some(RefineRule::Never)) {
            let what =
                "strategy.adaptive: its `strategy` refines, and points that refine cannot be compared with others";
            return Err(Error::config(what, "set `refine = \"never\"` in its `strategy`"));
        }
        self.strategy.validate()
    }

    fn bind<'a>(&'a self, situation: &'a Situation<'a>, q: BatchSize) -> Result<Box<dyn Chooser + 'a>> {
        let cut = move || {
            let batch = self.cut(situation, q)?;
            let scores = batch.info.scores.clone();
            Ok((batch, scores))
        };
        let plan = Planned::boxed(cut, |_, _| Explanation::new(Vec::new(), false));
        Ok(Box::new(Ending { strategy: self, situation, q, plan, joined: Vec::new(), inner: RefCell::new(None) }))
    }
}

/// The chooser of an adaptive batch.
struct Ending<'a> {
    strategy: &'a Adaptive,
    situation: &'a Situation<'a>,
    q: BatchSize,
    plan: Box<dyn Chooser + 'a>,
    joined: Vec<UnitPoint>,
    /// The underlying strategy, bound only to explain, and how many points have joined it.
    inner: RefCell<Option<(usize, Box<dyn Chooser + 'a>)>>,
}

impl<'a> Ending<'a> {
    /// Asks the underlying strategy.
    fn of_inner<T>(&self, say: impl Fn(&dyn Chooser) -> T) -> Result<T> {
        let mut inner = self.inner.borrow_mut();
        let (n_joined, mut chooser) = match inner.take() {
            Some(bound) => bound,
            None => (0, self.strategy.strategy.bind(self.situation, self.q)?),
        };
        self.joined[n_joined..].iter().try_for_each(|u| chooser.join(u))?;
        let said = say(chooser.as_ref());
        *inner = Some((self.joined.len(), chooser));
        Ok(said)
    }
}

impl Chooser for Ending<'_> {
    fn propose(&mut self) -> Result<Option<Proposal>> {
        self.plan.propose()
    }

    fn join(&mut self, u: &UnitPoint) -> Result<()> {
        self.joined.push(u.clone());
        Ok(())
    }

    fn explain(&self, u: &[f64]) -> Explanation {
        self.of_inner(|inner| inner.explain(u)).unwrap_or_else(|_| Explanation::new(Vec::new(), false))
    }

    fn penalizers(&self) -> Vec<Ball> {
        self.of_inner(|inner| inner.penalizers()).unwrap_or_default()
    }

    fn info(&self) -> BatchInfo {
        self.plan.info()
    }
}

impl Adaptive {
    /// The whole batch, cut at its end.
    fn cut(&self, situation: &Situation<'_>, q: BatchSize) -> Result<Batch> {
        let mut batch = self.strategy.choose(situation, q)?;
        let end = match self.stop {
            StopRule::MeanShift { most } => {
                let pending = situation.pending.iter().map(|u| u.as_slice());
                let mut posterior = situation.posterior.with_phantoms(pending);
                batch.points.iter().position(|z| {
                    let p = posterior.predict(z);
                    posterior.push_phantom(z);
                    mean_shift(p.variance, p.variance_after) > most
                })
            }
            StopRule::ScoreDrop { most } => {
                let first = batch.info.scores.first().copied().unwrap_or_default();
                batch.info.scores.iter().position(|score| first - score > most)
            }
            StopRule::Information { most } => {
                let noise = situation.posterior.hyper().noise.typical();
                let mut posterior = situation.posterior.clone();
                let mut information = 0.0;
                let mut add = |u: &[f64]| {
                    information += 0.5 * (posterior.predict(u).variance_after / noise).ln_1p();
                    posterior.push_phantom(u);
                    information
                };
                let mut so_far = situation.pending.iter().fold(0.0, |_, u| add(u));
                batch.points.iter().position(|z| std::mem::replace(&mut so_far, add(z)) > most)
            }
            StopRule::Gain { least } => little_gain(situation, &mut batch, least),
        };
        if let Some(end) = end {
            batch.points.truncate(end);
            batch.info.scores.truncate(end);
            let why = match self.stop {
                StopRule::MeanShift { .. } => "the results under way would change the choice of the next point",
                StopRule::ScoreDrop { .. } => "too little is expected of a further point",
                StopRule::Information { .. } => "the results under way will bring enough information",
                StopRule::Gain { .. } => "a further point would improve too little on those under way",
            };
            batch.info.ended = Some(format!("the batch ended after {end} of {} points: {why}", q.get()));
        }
        Ok(batch)
    }
}

/// The index of the first point that adds less than a share of the first one's expected improvement.
fn little_gain(situation: &Situation<'_>, batch: &mut Batch, least: f64) -> Option<usize> {
    let first = situation.posterior.predict(batch.points.first()?);
    let best = situation.incumbent(situation.posterior).unwrap_or(situation.posterior.hyper().mean);
    let alone = ExpectedImprovement { best };
    let alone = alone.ln_score(first.mean, first.variance.sqrt()).value.exp();
    let whole = batch.points.len();
    let (points, info) = (&batch.points, &mut batch.info);
    let mut promised = |k: usize| {
        let joint = JointImprovement::of_some(situation, k, whole);
        info.work += joint.work();
        joint.value(&points[..k])
    };
    let mut before = promised(0);
    (0..whole).find(|k| {
        let after = promised(k + 1);
        after - std::mem::replace(&mut before, after) < least * alone
    })
}

/// E|Δ| for a mean that will move by N(0, variance − variance_after).
fn mean_shift(variance: f64, variance_after: f64) -> f64 {
    (std::f64::consts::FRAC_2_PI * (variance - variance_after).max(0.0)).sqrt()
}
