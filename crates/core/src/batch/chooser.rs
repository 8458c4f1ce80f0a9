//! A strategy bound to a situation: it proposes points one by one, and explains the value of any point.

use std::borrow::Cow;
use std::collections::VecDeque;

use super::{Batch, BatchInfo};
use crate::error::Result;
use crate::penalty::Ball;
use crate::space::UnitPoint;

/// The terms that strategies of this crate explain points with.
pub mod terms {
    /// The logarithm of the acquisition.
    pub const LN_ACQUISITION: &str = "ln acquisition";
    /// ln of the bound that a refining point maximizes, if a chance of success or of keeping limits is added to it.
    pub const LN_BOUND: &str = "ln bound after results under way";
    /// The logarithm of the share of standard deviation that pending results will leave.
    pub const LN_DEVIATION_LEFT: &str = "ln share of deviation left";
    /// The logarithm of the penalty of one pending or joined point.
    pub const LN_PENALTY: &str = "ln penalty";
    /// The logarithm of the chance that the point gives a value, lowered further if the risk is too large.
    pub const LN_CHANCE: &str = "ln chance of success";
    /// The same if only trials nearby tell, of a point that was too risky until nothing was left to gain at others.
    pub const LN_CHANCE_NEARBY: &str = "ln chance of success by neighbours alone";
    /// How much an opened point's gain is raised to the least that counts for such points.
    pub const LEAST_GAIN: &str = "raised to the least gain";
    /// The logarithm of the squared distance from an opened point to the nearest trial.
    pub const LN_DISTANCE: &str = "ln squared distance from trials";
    /// How much the chance of success lowers a score that is not a logarithm.
    pub const BY_CHANCE: &str = "change by chance of success";
    /// The posterior mean.
    pub const MEAN: &str = "mean";
    /// The standard deviation times its weight.
    pub const WEIGHTED_DEVIATION: &str = "weighted deviation";
    /// The standard deviation that pending results will leave.
    pub const DEVIATION_AFTER: &str = "deviation after results under way";
    /// The highest lower bound, which an upper bound must reach.
    pub const THRESHOLD: &str = "threshold";
    /// How much made-up results change the logarithm of the acquisition.
    pub const BY_LIES: &str = "change by made-up results";
    /// How far a draw from the posterior is above its mean.
    pub const DRAW: &str = "draw above mean";
    /// The logarithm of the joint expected improvement of pending and joined points.
    pub const LN_JOINT: &str = "ln joint improvement of the others";
    /// The logarithm of the factor by which the point increases that improvement.
    pub const LN_JOINT_FACTOR: &str = "ln factor of this point";
    /// The logarithm of the chance that results lie within their limits.
    pub const LN_LIMITS: &str = "ln chance within limits";
    /// The logarithm of the share of the improvement that is left if pending results are as expected.
    pub const LN_IMPROVEMENT_LEFT: &str = "ln share of improvement left";
    /// All free points are equally likely.
    pub const UNIFORM: &str = "uniform";
}

/// One named part of the value of a point.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    /// Its name: one of [`terms`], or one of your own strategy's.
    pub name: Cow<'static, str>,
    /// Its contribution.
    pub value: f64,
    /// The point that it is about, if any: an index into the pending points followed by the joined ones.
    pub point: Option<usize>,
}

/// The value of a point to a strategy, as a sum.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The sum of the terms, from left to right.
    pub total: f64,
    /// Its parts.
    pub terms: Vec<Term>,
    /// Whether the total is what the strategy ranks points by. Some strategies have no such number for single points.
    pub is_score: bool,
}

impl Explanation {
    /// Adds the terms up.
    ///
    /// ```
    /// use elbowroom::batch::{Explanation, Term};
    /// let term = |name: &'static str, value| Term { name: name.into(), value, point: None };
    /// let explanation = Explanation::new(vec![term("gain", 3.0), term("cost", -1.0)], true);
    /// assert_eq!(explanation.total, 2.0);
    /// ```
    pub fn new(terms: Vec<Term>, is_score: bool) -> Self {
        Self { total: terms.iter().fold(0.0, |sum, term| sum + term.value), terms, is_score }
    }

    /// Whether the total is a logarithm: of an acquisition, or of a joint expected improvement.
    pub fn is_log(&self) -> bool {
        self.terms.first().is_some_and(|term| term.name.starts_with("ln "))
    }

    /// The sum of all terms with this name; none if there is no such term.
    pub fn term(&self, name: &str) -> Option<f64> {
        self.terms.iter().filter(|term| term.name == name).map(|term| term.value).reduce(|a, b| a + b)
    }
}

pub(super) fn term(name: &'static str, value: f64) -> Term {
    Term { name: name.into(), value, point: None }
}

/// A point that a strategy would take next.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// The point.
    pub point: UnitPoint,
    /// Its rank: −∞ for a point taken at random because no other was free, none if single points have no score.
    pub score: Option<f64>,
}

/// A strategy bound to a situation and a batch size.
pub trait Chooser {
    /// The next point. None if there is no more, or if the batch ended (see [`Chooser::info`]).
    fn propose(&mut self) -> Result<Option<Proposal>>;

    /// Adds a point to the batch, whether it was proposed or not.
    fn join(&mut self, u: &UnitPoint) -> Result<()>;

    /// The value of a point, given the pending points and those that have joined so far. Choosing never calls it.
    fn explain(&self, u: &[f64]) -> Explanation;

    /// The penalizers around pending points, then those around joined ones; empty if the strategy has none.
    fn penalizers(&self) -> Vec<Ball> {
        Vec::new()
    }

    /// Why the strategy ended the batch early, if it did.
    fn ended(&self) -> Option<String> {
        self.info().ended
    }

    /// The counts so far, and the quantities that the choice used.
    fn info(&self) -> BatchInfo;
}

/// A batch with the scores of its points; if there are fewer scores, the last points have none.
pub(super) type Ranked = (Batch, Vec<f64>);

type Plan<'a> = Box<dyn FnOnce() -> Result<Ranked> + 'a>;
type Explain<'a> = Box<dyn Fn(&[UnitPoint], &[f64]) -> Explanation + 'a>;

/// A strategy that computes all points of a batch at once, when the first is requested.
pub(super) struct Planned<'a> {
    plan: Option<Plan<'a>>,
    queue: VecDeque<Proposal>,
    info: BatchInfo,
    joined: Vec<UnitPoint>,
    explain: Explain<'a>,
}

impl<'a> Planned<'a> {
    /// Creates one from a plan, and a function that explains a point given those that joined.
    pub fn boxed(
        plan: impl FnOnce() -> Result<Ranked> + 'a,
        explain: impl Fn(&[UnitPoint], &[f64]) -> Explanation + 'a,
    ) -> Box<dyn Chooser + 'a> {
        Box::new(Self {
            plan: Some(Box::new(plan)),
            queue: VecDeque::new(),
            info: BatchInfo::default(),
            joined: Vec::new(),
            explain: Box::new(explain),
        })
    }
}

impl Chooser for Planned<'_> {
    fn propose(&mut self) -> Result<Option<Proposal>> {
        if let Some(plan) = self.plan.take() {
            let (batch, scores) = plan()?;
            let mut scores = scores.into_iter();
            self.queue = batch.points.into_iter().map(|point| Proposal { point, score: scores.next() }).collect();
            self.info = batch.info;
        }
        Ok(self.queue.pop_front())
    }

    fn join(&mut self, u: &UnitPoint) -> Result<()> {
        self.joined.push(u.clone());
        Ok(())
    }

    fn explain(&self, u: &[f64]) -> Explanation {
        (self.explain)(&self.joined, u)
    }

    fn info(&self) -> BatchInfo {
        self.info.clone()
    }
}
