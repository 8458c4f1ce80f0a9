//! The named results of a study's trials: the one that is optimized, and those that are only kept.

use serde::{Deserialize, Serialize};

use super::config::Goal;
use crate::error::{Error, Result};
use crate::space::SearchSpace;

/// The name of the optimized result in a study that gives it none.
pub const DEFAULT_METRIC: &str = "value";

/// The most characters of a result's name.
const LONGEST_NAME: usize = 200;

/// A named result of a trial.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "WrittenOutcome", into = "WrittenOutcome")]
pub struct Outcome {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub role: Role,
}

/// What a result is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Role {
    /// It is optimized: it ends a trial, and models are made of it.
    Objective {
        /// Which values are better.
        goal: Goal,
    },
    /// It is kept, shown and exported; nothing is chosen by it.
    Watched,
}

impl Outcome {
    /// The result that is optimized.
    pub fn objective(name: impl Into<String>, goal: Goal) -> Self {
        Self { name: name.into(), role: Role::Objective { goal } }
    }

    /// A result that is only kept.
    pub fn watched(name: impl Into<String>) -> Self {
        Self { name: name.into(), role: Role::Watched }
    }
}

/// All results of a study's trials: exactly one objective, and the watched ones in the order in which they were declared
/// or first told.
///
/// ```
/// use elbowroom::study::{Goal, Outcome, Outcomes};
///
/// let outcomes = Outcomes::new(vec![Outcome::objective("loss", Goal::Minimize), Outcome::watched("minutes")])?;
/// assert_eq!((outcomes.metric(), outcomes.goal()), ("loss", Goal::Minimize));
/// assert_eq!(outcomes.watched().collect::<Vec<_>>(), ["minutes"]);
///
/// let two = vec![Outcome::objective("loss", Goal::Minimize), Outcome::objective("speed", Goal::Maximize)];
/// assert!(Outcomes::new(two).unwrap_err().to_string().contains("a later version"));
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcomes {
    metric: String,
    goal: Goal,
    watched: Vec<String>,
}

impl Outcomes {
    /// From a list of results with distinct names, exactly one of them an objective.
    pub fn new(list: Vec<Outcome>) -> Result<Self> {
        let (mut objectives, mut watched) = (Vec::new(), Vec::<String>::new());
        for Outcome { name, role } in list {
            check_name(&name)?;
            if watched.contains(&name) || objectives.iter().any(|(other, _)| *other == name) {
                return Err(Error::config(format!("`outcomes` has `{name}` twice"), "list each result once"));
            }
            match role {
                Role::Objective { goal } => objectives.push((name, goal)),
                Role::Watched => watched.push(name),
            }
        }
        match objectives.len() {
            1 => {
                let (metric, goal) = objectives.remove(0);
                Ok(Self { metric, goal, watched })
            }
            0 => Err(Error::config(
                "`outcomes` has no objective",
                "give the result to optimize a `goal`, such as { name = \"loss\", goal = \"minimize\" }",
            )),
            n => {
                let names: Vec<String> = objectives.iter().map(|(name, _)| format!("`{name}`")).collect();
                Err(Error::config(
                    format!("`outcomes` has {n} objectives: {}", names.join(", ")),
                    "leave `goal` out of all but one, and they are stored beside it; optimizing several comes in a \
                     later version",
                ))
            }
        }
    }

    /// The name of the result that is optimized.
    pub fn metric(&self) -> &str {
        &self.metric
    }

    /// Which of its values are better.
    pub fn goal(&self) -> Goal {
        self.goal
    }

    /// The names of the others.
    pub fn watched(&self) -> impl Iterator<Item = &str> {
        self.watched.iter().map(String::as_str)
    }

    /// All names, the objective's first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.metric()).chain(self.watched())
    }

    /// Whether the results have names at all: there is a watched one, or the optimized one has a name of its own.
    pub fn are_named(&self) -> bool {
        self.metric != DEFAULT_METRIC || !self.watched.is_empty()
    }

    /// Which result is optimized, in words for somebody who told others.
    ///
    /// ```
    /// use elbowroom::study::{Goal, Outcome, Outcomes};
    /// let outcomes = Outcomes::new(vec![Outcome::objective("value", Goal::Minimize)])?;
    /// let words = outcomes.say_missing(["loss", "minutes"]);
    /// assert!(words.contains("`value`") && words.contains("metric = \"loss\""));
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn say_missing<'a>(&self, told: impl IntoIterator<Item = &'a str>) -> String {
        let told: Vec<&str> = told.into_iter().collect();
        let names: Vec<String> = told.iter().map(|name| format!("`{name}`")).collect();
        let (names, metric) = (names.join(", "), &self.metric);
        match told.first() {
            Some(first) if metric == DEFAULT_METRIC => format!(
                "this study optimizes `{metric}`, and {names} came without it; tell `{metric}` too, or make a study \
                 with metric = \"{first}\""
            ),
            Some(_) => format!("this study optimizes `{metric}`, and {names} came without it"),
            None => format!("this study optimizes `{metric}`, which is missing"),
        }
    }

    /// A name that was told: watched from here on.
    pub(super) fn appear(&mut self, name: &str) {
        if !self.names().any(|known| known == name) {
            self.watched.push(name.to_owned());
        }
    }

    /// No result has the name of a parameter: they stand in one table.
    pub(super) fn check_against(&self, space: &SearchSpace) -> Result<()> {
        self.names()
            .filter(|name| self.are_named() || *name != DEFAULT_METRIC)
            .try_for_each(|name| check_free(name, space))
    }
}

/// Whether a result can have this name.
pub(super) fn check_name(name: &str) -> Result<()> {
    if name.trim().is_empty() || name.chars().count() > LONGEST_NAME || name.chars().any(char::is_control) {
        let shown: String = name.chars().take(60).collect();
        return Err(Error::config(
            format!("the name of a result is {shown:?}"),
            format!("take 1 to {LONGEST_NAME} letters, digits, spaces or signs"),
        ));
    }
    Ok(())
}

/// Whether no parameter has this name.
pub(super) fn check_free(name: &str, space: &SearchSpace) -> Result<()> {
    match space.parameters().iter().any(|parameter| parameter.name() == name) {
        true => Err(Error::config(
            format!("the result `{name}` has the name of a parameter"),
            "give it another name: both are columns of one table",
        )),
        false => Ok(()),
    }
}

/// An outcome in a configuration: with a goal it is the objective.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenOutcome {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    goal: Option<Goal>,
}

impl TryFrom<WrittenOutcome> for Outcome {
    type Error = Error;

    fn try_from(written: WrittenOutcome) -> Result<Self> {
        check_name(&written.name)?;
        let role = written.goal.map_or(Role::Watched, |goal| Role::Objective { goal });
        Ok(Self { name: written.name, role })
    }
}

impl From<Outcome> for WrittenOutcome {
    fn from(outcome: Outcome) -> Self {
        let goal = match outcome.role {
            Role::Objective { goal } => Some(goal),
            Role::Watched => None,
        };
        Self { name: outcome.name, goal }
    }
}
