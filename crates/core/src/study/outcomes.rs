//! All named results of a study's trials: what is optimized, what is limited, and what is only recorded.
//!
//! A target adds an objective to the result it is about: the distance, which is computed from that result. Likewise a
//! result with a score is computed. A computed result is available as soon as everything that it is computed from is.

use super::config::Goal;
use super::outcome::{Limits, Outcome, Role, check_free};
use crate::error::{Error, Result};
use crate::space::{Formula, SearchSpace};

/// The name of the optimized result if the study does not give it one.
pub const DEFAULT_METRIC: &str = "value";

/// A result that is optimized.
///
/// ```
/// use elbowroom::study::{Outcome, Outcomes};
/// let outcomes = Outcomes::new(vec![Outcome::target("viscosity", 4.2)])?;
/// assert_eq!(outcomes.objectives()[0].name, "distance of viscosity to 4.2");
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Objective {
    /// The name of its values among the results.
    pub name: String,
    /// Which of them are better.
    pub goal: Goal,
    /// The worst acceptable value, if given.
    pub worst: Option<f64>,
}

/// All results of a study's trials: the first objective, then the others in the order in which they were declared or
/// first reported.
///
/// ```
/// use elbowroom::study::{Goal, Outcome, Outcomes};
///
/// let outcomes = Outcomes::new(vec![
///     Outcome::objective("loss", Goal::Minimize),
///     Outcome::watched("purity").at_least(95.0),
///     Outcome::watched("minutes"),
/// ])?;
/// assert_eq!((outcomes.metric(), outcomes.goal()), ("loss", Goal::Minimize));
/// assert_eq!(outcomes.watched().collect::<Vec<_>>(), ["purity", "minutes"]);
/// assert_eq!(outcomes.limits().next().unwrap().0, "purity");
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Outcomes {
    /// The first objective's, then the others.
    declared: Vec<Outcome>,
    objectives: Vec<Objective>,
    /// The formulas of computed results, with their names.
    computed: Vec<(String, Formula)>,
    /// All names: the first objective's, then the others.
    names: Vec<String>,
}

impl Outcomes {
    /// Declares a list of results with distinct names, at least one of which is an objective. The first objective is
    /// moved to the front; the others keep their order.
    pub fn new(mut list: Vec<Outcome>) -> Result<Self> {
        list.iter().try_for_each(Outcome::check)?;
        let Some(first) = list.iter().position(Outcome::is_objective) else {
            return Err(Error::config(
                "`outcomes` has no objective",
                "give the result to optimize a `goal`, such as { name = \"loss\", goal = \"minimize\" }",
            ));
        };
        list[..=first].rotate_right(1);
        let told: Vec<&str> =
            list.iter().filter(|one| one.score.is_none()).map(|outcome| outcome.name.as_str()).collect();
        let (mut objectives, mut computed, mut names) = (Vec::new(), Vec::new(), Vec::<String>::new());
        for Outcome { name, role, score, .. } in &list {
            let mut formula = |name: &str, text: &str| {
                let formula = Formula::parse(text, &told, "result").map_err(|error| of_score(name, &error))?;
                computed.push((name.to_owned(), formula));
                Ok::<(), Error>(())
            };
            match *role {
                Role::Objective { goal, worst } => objectives.push(Objective { name: name.clone(), goal, worst }),
                Role::Target { near, worst } => {
                    let distance = format!("distance of {name} to {near}");
                    formula(&distance, &format!("abs(`{name}` - {near:?})"))?;
                    names.push(distance.clone());
                    objectives.push(Objective { name: distance, goal: Goal::Minimize, worst });
                }
                Role::Constraint | Role::Watched => {}
            }
            if let Some(text) = score {
                formula(name, text)?;
            }
            names.push(name.clone());
        }
        match (1..names.len()).find(|&i| names[..i].contains(&names[i])) {
            Some(i) => {
                let name = &names[i];
                Err(Error::config(format!("`outcomes` has `{name}` twice"), "list each result once"))
            }
            None => Ok(Self { declared: list, objectives, computed, names }),
        }
    }

    /// All declared results, the first objective first.
    pub fn declared(&self) -> &[Outcome] {
        &self.declared
    }

    /// The objectives, in order: at least one.
    pub fn objectives(&self) -> &[Objective] {
        &self.objectives
    }

    /// The results that have limits, with their limits.
    pub fn limits(&self) -> impl Iterator<Item = (&str, Limits)> {
        let limited = self.declared.iter().filter(|outcome| !outcome.limits.is_empty());
        limited.map(|outcome| (outcome.name.as_str(), outcome.limits))
    }

    /// Whether there is more than one objective.
    pub fn has_several_objectives(&self) -> bool {
        self.objectives.len() > 1
    }

    /// Whether any result has limits.
    pub fn has_limits(&self) -> bool {
        self.limits().next().is_some()
    }

    /// The name of the first objective, whose value ends a trial.
    pub fn metric(&self) -> &str {
        &self.objectives[0].name
    }

    /// Whether smaller or larger values of the first objective are better.
    pub fn goal(&self) -> Goal {
        self.objectives[0].goal
    }

    /// The names of the other results.
    pub fn watched(&self) -> impl Iterator<Item = &str> {
        self.names().skip(1)
    }

    /// All names, that of the first objective first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Whether names matter: there is more than one result, or the only one was given a name.
    pub fn are_named(&self) -> bool {
        self.metric() != DEFAULT_METRIC || self.names.len() > 1
    }

    /// The results other than the first objective that have models: further objectives, and results with limits.
    pub(super) fn modelled(&self) -> impl Iterator<Item = &str> {
        let is_modelled = |name: &&str| self.objective(name).is_some() || self.limits().any(|(one, _)| one == *name);
        self.names().skip(1).filter(is_modelled)
    }

    fn objective(&self, name: &str) -> Option<&Objective> {
        self.objectives.iter().find(|one| one.name == name)
    }

    /// Whether results of this name are optimized.
    pub(super) fn is_objective(&self, name: &str) -> bool {
        self.objective(name).is_some()
    }

    /// The results that must be reported before every objective and every limited result is known; names may repeat.
    pub(super) fn needed(&self) -> impl Iterator<Item = &str> {
        let formula = |name: &str| self.computed().find(|(computed, _)| *computed == name).map(|(_, formula)| formula);
        let parts = move |name| formula(name).map_or_else(|| vec![name], |formula| formula.names().collect());
        std::iter::once(self.metric()).chain(self.modelled()).flat_map(parts)
    }

    /// Which values of a result its model treats as better. For a result with limits only: smaller ones if it has only
    /// an upper limit, otherwise larger ones.
    pub(crate) fn goal_of(&self, name: &str) -> Goal {
        let limits = || self.limits().find(|(limited, _)| *limited == name).map(|(_, limits)| limits);
        match (self.objective(name), limits()) {
            (Some(objective), _) => objective.goal,
            (None, Some(Limits { at_least: None, at_most: Some(_) })) => Goal::Minimize,
            (None, _) => Goal::Maximize,
        }
    }

    /// Whether a result of this name is computed from others instead of being reported.
    ///
    /// ```
    /// use elbowroom::study::{Goal, Outcome, Outcomes};
    /// let profit = Outcome::objective("profit", Goal::Maximize).computed("amount - 0.2 * cost");
    /// let outcomes = Outcomes::new(vec![profit, Outcome::watched("amount"), Outcome::watched("cost")])?;
    /// assert!(outcomes.is_computed("profit") && !outcomes.is_computed("cost"));
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn is_computed(&self, name: &str) -> bool {
        self.computed().any(|(computed, _)| computed == name)
    }

    /// Whether results of this name influence the search: they, or results computed from them, have a model.
    pub(super) fn is_data(&self, name: &str) -> bool {
        let is_modelled = |name: &str| name == self.metric() || self.modelled().any(|modelled| modelled == name);
        is_modelled(name)
            || self.computed.iter().any(|(of, formula)| is_modelled(of) && formula.names().any(|used| used == name))
    }

    /// The computed results, with their formulas.
    pub(super) fn computed(&self) -> impl Iterator<Item = (&str, &Formula)> {
        self.computed.iter().map(|(name, formula)| (name.as_str(), formula))
    }

    /// The formula of the first objective, if it is computed.
    pub(super) fn computed_metric(&self) -> Option<&Formula> {
        self.computed().find(|(name, _)| *name == self.metric()).map(|(_, formula)| formula)
    }

    /// The value of the first objective, if it is computed and these results include everything that it needs.
    ///
    /// ```
    /// use elbowroom::study::{Outcome, Outcomes};
    /// let outcomes = Outcomes::new(vec![Outcome::target("viscosity", 4.0)])?;
    /// assert_eq!(outcomes.computed_value(|name| (name == "viscosity").then_some(5.5)), Some(1.5));
    /// assert_eq!(outcomes.computed_value(|_| None), None);
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn computed_value(&self, told: impl Fn(&str) -> Option<f64>) -> Option<f64> {
        self.computed_metric()?.value(told)
    }

    /// The result that a number without a name refers to: the first objective or, if that is a distance, the result it
    /// is computed from.
    pub(super) fn bare(&self) -> Option<&str> {
        match self.computed_metric() {
            None => Some(self.metric()),
            Some(_) => matches!(self.declared[0].role, Role::Target { .. }).then(|| self.declared[0].name.as_str()),
        }
    }

    /// A sentence that names the optimized result, for somebody who reported only others.
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
        let list = |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let (names, metric) = (list(&told), self.metric());
        if let Some(formula) = self.computed_metric() {
            let missing: Vec<&str> = formula.names().filter(|name| !told.contains(name)).collect();
            return format!("this study computes `{metric}` as {}; {} is missing", formula.text(), list(&missing));
        }
        match told.first() {
            Some(first) if metric == DEFAULT_METRIC => format!(
                "this study optimizes `{metric}`, but {names} came without it; report `{metric}` too, or create a study \
                 with metric = \"{first}\""
            ),
            Some(_) => format!("this study optimizes `{metric}`, but {names} came without it"),
            None => format!("this study optimizes `{metric}`, which is missing"),
        }
    }

    /// Adds a name that was reported: it is recorded from now on.
    pub(super) fn appear(&mut self, name: &str) {
        if !self.names().any(|known| known == name) {
            self.names.push(name.to_owned());
        }
    }

    /// Checks that no result has the name of a parameter, since tables have a column for each.
    pub(super) fn check_against(&self, space: &SearchSpace) -> Result<()> {
        self.names()
            .filter(|name| self.are_named() || *name != DEFAULT_METRIC)
            .try_for_each(|name| check_free(name, space))
    }
}

/// The error of a score that cannot be read, with the result that it belongs to.
fn of_score(name: &str, error: &Error) -> Error {
    let what = format!("the score of the result `{name}`: {}", error.what());
    Error::config(
        what,
        format!("{}; each name must be listed among the outcomes, and must not have its own score", error.hint()),
    )
}
