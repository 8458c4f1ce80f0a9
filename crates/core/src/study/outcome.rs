//! A named result of a trial: what it is for, and how it is written.

use serde::{Deserialize, Serialize};

use super::config::Goal;
use crate::error::{Error, Result};
use crate::space::SearchSpace;

/// The maximum length of a result's name, in characters.
const LONGEST_NAME: usize = 200;

/// A named result of a trial.
///
/// ```
/// use elbowroom::study::{Goal, Outcome};
///
/// let written = |outcome: &Outcome| serde_json::to_string(outcome).unwrap();
/// let amount = Outcome::objective("yield", Goal::Maximize).worst(50.0);
/// assert_eq!(written(&amount), r#"{"name":"yield","goal":"maximize","worst":50.0}"#);
/// let purity = Outcome::watched("purity").at_least(95.0);
/// assert_eq!(written(&purity), r#"{"name":"purity","at_least":95.0}"#);
/// assert_eq!(written(&Outcome::target("viscosity", 4.2)), r#"{"name":"viscosity","near":4.2}"#);
/// let profit = Outcome::objective("profit", Goal::Maximize).computed("yield - 0.2 * cost");
/// assert_eq!(serde_json::from_str::<Outcome>(&written(&profit)).unwrap(), profit);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "WrittenOutcome", into = "WrittenOutcome")]
#[non_exhaustive]
pub struct Outcome {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub role: Role,
    /// The limits that it must keep for its trial to be feasible.
    pub limits: Limits,
    /// The formula that computes it from other results, if it is not reported itself.
    pub score: Option<String>,
}

/// What a result is for.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Role {
    /// It is optimized and has a model. The value of the first objective ends a trial.
    Objective {
        /// Whether smaller or larger values are better.
        goal: Goal,
        /// The worst acceptable value: with several objectives, its coordinate of the reference point.
        worst: Option<f64>,
    },
    /// It should come as close to a value as possible: the distance is an objective, to be minimized.
    Target {
        /// The value to come close to.
        near: f64,
        /// The largest acceptable distance.
        worst: Option<f64>,
    },
    /// It has limits and a model.
    Constraint,
    /// It is recorded, shown and exported, and does not influence the search.
    Watched,
}

/// The range that a result must lie in, ends included.
///
/// ```
/// use elbowroom::study::Limits;
/// let limits = Limits { at_least: Some(95.0), at_most: None };
/// assert!(limits.are_kept(95.0) && !limits.are_kept(94.9));
/// assert_eq!(limits.excess(94.0), 1.0);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Limits {
    /// The smallest acceptable value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<f64>,
    /// The largest acceptable value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
}

impl Limits {
    /// Whether there is no limit.
    pub fn is_empty(&self) -> bool {
        self.at_least.is_none() && self.at_most.is_none()
    }

    /// Whether a value is within the limits.
    pub fn are_kept(&self, value: f64) -> bool {
        self.excess(value) <= 0.0
    }

    /// How far a value is inside the limits, below 0 if it is outside.
    pub(super) fn margin(&self, value: f64) -> f64 {
        let above = self.at_least.map_or(f64::INFINITY, |least| value - least);
        above.min(self.at_most.map_or(f64::INFINITY, |most| most - value))
    }

    /// How far a value is outside the limits, in its own units; 0 inside.
    pub fn excess(&self, value: f64) -> f64 {
        let below = self.at_least.map_or(0.0, |least| least - value);
        below.max(self.at_most.map_or(0.0, |most| value - most)).max(0.0)
    }

    /// The range, infinite where there is no limit.
    pub(super) fn band(&self) -> (f64, f64) {
        (self.at_least.unwrap_or(f64::NEG_INFINITY), self.at_most.unwrap_or(f64::INFINITY))
    }
}

impl Outcome {
    /// A result to be optimized.
    pub fn objective(name: impl Into<String>, goal: Goal) -> Self {
        Self::new(name, Role::Objective { goal, worst: None })
    }

    /// A result that should come as close to a value as possible.
    pub fn target(name: impl Into<String>, near: f64) -> Self {
        Self::new(name, Role::Target { near, worst: None })
    }

    /// A result that is only recorded, unless it is given limits.
    pub fn watched(name: impl Into<String>) -> Self {
        Self::new(name, Role::Watched)
    }

    fn new(name: impl Into<String>, role: Role) -> Self {
        Self { name: name.into(), role, limits: Limits::default(), score: None }
    }

    /// Sets the worst acceptable value of an objective; for a target, the largest acceptable distance.
    pub fn worst(mut self, value: f64) -> Self {
        if let Role::Objective { worst, .. } | Role::Target { worst, .. } = &mut self.role {
            *worst = Some(value);
        }
        self
    }

    /// Sets the smallest acceptable value.
    pub fn at_least(mut self, value: f64) -> Self {
        self.limits.at_least = Some(value);
        self.limited()
    }

    /// Sets the largest acceptable value.
    pub fn at_most(mut self, value: f64) -> Self {
        self.limits.at_most = Some(value);
        self.limited()
    }

    /// Computes it from other results by a formula, instead of having it reported.
    pub fn computed(mut self, score: impl Into<String>) -> Self {
        self.score = Some(score.into());
        self
    }

    fn limited(mut self) -> Self {
        if self.role == Role::Watched {
            self.role = Role::Constraint;
        }
        self
    }

    /// Whether it is an objective.
    pub fn is_objective(&self) -> bool {
        matches!(self.role, Role::Objective { .. } | Role::Target { .. })
    }

    /// Whether it has nothing beyond its name, and its goal if it is an objective.
    pub(super) fn is_plain(&self) -> bool {
        let is_plain = matches!(self.role, Role::Watched | Role::Objective { worst: None, .. });
        is_plain && self.limits.is_empty() && self.score.is_none()
    }

    /// Refuses numbers that make no sense.
    pub(super) fn check(&self) -> Result<()> {
        let name = &self.name;
        check_name(name)?;
        let (worst, near) = match self.role {
            Role::Objective { worst, .. } => (worst, None),
            Role::Target { near, worst } => (worst, Some(near)),
            Role::Constraint | Role::Watched => (None, None),
        };
        let Limits { at_least, at_most } = self.limits;
        let keys = [("worst", worst), ("near", near), ("at_least", at_least), ("at_most", at_most)];
        for (key, value) in keys.into_iter().filter_map(|(key, value)| Some((key, value?))) {
            if !value.is_finite() {
                return Err(Error::config(
                    format!("`{key}` of the result `{name}` is {value}"),
                    "give a finite number",
                ));
            }
        }
        if let (Some(least), Some(most)) = (at_least, at_most)
            && least > most
        {
            let what = format!("the result `{name}` should be at least {least} and at most {most}");
            return Err(Error::config(what, "swap them, or give only one of them"));
        }
        self.check_worst()?;
        if self.score.is_some() && near.is_some() {
            let what = format!("the result `{name}` has both `near` and `score`");
            let hint = format!("write the distance into the score, such as \"abs({name} - 4.2)\", with a goal");
            return Err(Error::config(what, hint));
        }
        Ok(())
    }

    /// The worst acceptable value must be within the limits.
    fn check_worst(&self) -> Result<()> {
        let (name, Limits { at_least, at_most }) = (&self.name, self.limits);
        match self.role {
            Role::Target { worst: Some(worst), .. } if worst <= 0.0 => Err(Error::config(
                format!("`worst` of the result `{name}` is {worst}; a distance is never negative"),
                "give the largest distance that is acceptable",
            )),
            Role::Objective { goal: Goal::Maximize, worst: Some(worst) } => match at_most.filter(|most| worst >= *most)
            {
                Some(most) => Err(self.wrong_side(worst, "at most", most, "smaller")),
                None => Ok(()),
            },
            Role::Objective { goal: Goal::Minimize, worst: Some(worst) } => {
                match at_least.filter(|least| worst <= *least) {
                    Some(least) => Err(self.wrong_side(worst, "at least", least, "larger")),
                    None => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    fn wrong_side(&self, worst: f64, which: &str, limit: f64, other: &str) -> Error {
        let name = &self.name;
        let what = format!("`worst` of the result `{name}` is {worst}, but it should be {which} {limit}");
        Error::config(what, format!("give a {other} `worst`: nothing would be better than it"))
    }
}

/// Checks whether a result can have this name.
pub(super) fn check_name(name: &str) -> Result<()> {
    if name.trim().is_empty() || name.chars().count() > LONGEST_NAME || name.chars().any(char::is_control) {
        let shown: String = name.chars().take(60).collect();
        return Err(Error::config(
            format!("the name of a result is {shown:?}"),
            format!("use 1 to {LONGEST_NAME} letters, digits, spaces or symbols"),
        ));
    }
    Ok(())
}

/// Checks that no parameter has this name.
pub(super) fn check_free(name: &str, space: &SearchSpace) -> Result<()> {
    match space.parameters().iter().any(|parameter| parameter.name() == name) {
        true => Err(Error::config(
            format!("the result `{name}` has the name of a parameter"),
            "give it another name: both are columns of one table",
        )),
        false => Ok(()),
    }
}

/// An outcome in a configuration: with a goal or a target it is an objective, with limits a constraint.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct WrittenOutcome {
    /// The name of the result.
    name: String,
    /// Makes it an objective: whether smaller or larger values are better.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    goal: Option<Goal>,
    /// Makes it a target: it should come near this value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    near: Option<f64>,
    /// The worst value of an objective that still counts; for a target, the largest distance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    worst: Option<f64>,
    /// A limit: the smallest acceptable value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at_least: Option<f64>,
    /// A limit: the largest acceptable value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at_most: Option<f64>,
    /// A formula that computes it from other results, instead of being reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    score: Option<String>,
}

impl TryFrom<WrittenOutcome> for Outcome {
    type Error = Error;

    fn try_from(written: WrittenOutcome) -> Result<Self> {
        let WrittenOutcome { name, goal, near, worst, at_least, at_most, score } = written;
        let limits = Limits { at_least, at_most };
        let role = match (goal, near) {
            (Some(_), Some(_)) => {
                let what = format!("the result `{name}` has both `goal` and `near`");
                return Err(Error::config(what, "leave `goal` out: the goal is to be as near as possible"));
            }
            (Some(goal), None) => Role::Objective { goal, worst },
            (None, Some(near)) => Role::Target { near, worst },
            (None, None) if worst.is_some() => {
                let what = format!("the result `{name}` has a `worst` but no `goal`");
                return Err(Error::config(what, "add its goal, or write `at_least` or `at_most` for a limit"));
            }
            (None, None) if limits.is_empty() => Role::Watched,
            (None, None) => Role::Constraint,
        };
        let outcome = Self { name, role, limits, score };
        outcome.check()?;
        Ok(outcome)
    }
}

impl From<Outcome> for WrittenOutcome {
    fn from(outcome: Outcome) -> Self {
        let Outcome { name, role, limits: Limits { at_least, at_most }, score } = outcome;
        let (goal, near, worst) = match role {
            Role::Objective { goal, worst } => (Some(goal), None, worst),
            Role::Target { near, worst } => (None, Some(near), worst),
            Role::Constraint | Role::Watched => (None, None, None),
        };
        Self { name, goal, near, worst, at_least, at_most, score }
    }
}
