//! A request for points.

use super::trial::TrialId;
use crate::domain::Narrowing;
use crate::space::Value;

/// A request for points to evaluate: how many, where, and under which name. A plain number also works.
///
/// ```
/// use elbowroom::space::{Parameter, SearchSpace, Value};
/// use elbowroom::study::{Ask, Study, StudyConfig};
///
/// let space = SearchSpace::new(vec![Parameter::float("minutes", 1.0, 30.0), Parameter::float("celsius", 20.0, 90.0)])?;
/// let mut study = Study::new(StudyConfig::new(space))?;
/// study.ask(2)?;
/// let plate = study.ask(Ask::new(4).fix("celsius", 60.0))?.trials;
/// assert!(plate.iter().all(|trial| trial.point.get("celsius") == Some(&Value::Float(60.0))));
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ask {
    /// How many points.
    pub n: usize,
    /// The parameters that are held fixed or kept in a narrower range.
    pub narrowing: Narrowing,
    /// A name for this request: asking again with the same name returns the same trials.
    pub request: Option<String>,
    /// The trials that count as pending, if these are not all pending trials of the log. A store leaves out lost ones.
    pub pending: Option<Vec<TrialId>>,
    /// Lost trials to hand out again. They count towards n and are not among the pending ones.
    pub retries: Vec<TrialId>,
}

impl Ask {
    /// A request for n points anywhere in the space.
    pub fn new(n: usize) -> Self {
        Self { n, ..Self::default() }
    }

    /// Holds a parameter at a value.
    pub fn fix(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.narrowing = self.narrowing.fix(name, value);
        self
    }

    /// Keeps a numeric parameter between two values, both included.
    pub fn within(mut self, name: impl Into<String>, low: impl Into<Value>, high: impl Into<Value>) -> Self {
        self.narrowing = self.narrowing.within(name, low, high);
        self
    }

    /// Restricts the request to a part of the space.
    pub fn narrowed(mut self, narrowing: Narrowing) -> Self {
        self.narrowing = narrowing;
        self
    }

    /// Names the request.
    pub fn named(mut self, request: impl Into<String>) -> Self {
        self.request = Some(request.into());
        self
    }

    /// Sets the trials that count as pending.
    pub fn with_pending(mut self, pending: Vec<TrialId>) -> Self {
        self.pending = Some(pending);
        self
    }

    /// Adds lost trials to hand out again.
    pub fn retrying(mut self, lost: Vec<TrialId>) -> Self {
        self.retries = lost;
        self
    }
}

impl From<usize> for Ask {
    fn from(n: usize) -> Self {
        Self::new(n)
    }
}
