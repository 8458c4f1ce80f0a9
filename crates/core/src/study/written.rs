//! A configuration in its written form: with results in a short form or in a long one.
//!
//! The short form is `goal`, and `metric` if the optimized result has its own name; the long form is a list of
//! `outcomes`, in which those with a `goal` are optimized. Only one of them can be given. The short form is written
//! unless results need more, and a metric only if it is not the default: a study without names is written as it was
//! before there were names.
//!
//! Missing settings have their defaults, and unknown settings are refused, in a log too, since ignoring one would
//! change what is chosen.

use serde::{Deserialize, Serialize};

use super::config::{FailureRule, Goal, InitialDesign, LimitedRule, StudyConfig};
use super::outcome::Outcome;
use super::outcomes::{DEFAULT_METRIC, Outcomes};
use super::strategy::StrategyConfig;
use crate::batch::RefineRule;
use crate::belief::ModelConfig;
use crate::error::{Error, Result};
use crate::space::SearchSpace;

#[derive(Serialize, Deserialize)]
#[serde(rename = "StudyConfig", deny_unknown_fields)]
pub(super) struct WrittenConfig {
    space: SearchSpace,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    goal: Option<Goal>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    metric: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    outcomes: Option<Vec<Outcome>>,
    #[serde(default)]
    seed: u64,
    #[serde(default)]
    initial: Option<usize>,
    #[serde(default)]
    design: InitialDesign,
    #[serde(default)]
    strategy: StrategyConfig,
    #[serde(default)]
    model: ModelConfig,
    #[serde(default)]
    repeats: bool,
    #[serde(default)]
    failures: Option<FailureRule>,
    #[serde(default)]
    budget: Option<usize>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    contexts: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    score_all: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    limited: Option<LimitedRule>,
}

/// The results of a configuration, from either of its forms.
///
/// ```
/// use elbowroom::study::{Goal, Outcome, outcomes_of};
/// assert_eq!(outcomes_of(None, Some("loss".to_owned()), None)?.metric(), "loss");
/// let long = Some(vec![Outcome::objective("loss", Goal::Minimize)]);
/// assert!(outcomes_of(Some(Goal::Minimize), None, long).is_err());
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
pub fn outcomes_of(goal: Option<Goal>, metric: Option<String>, outcomes: Option<Vec<Outcome>>) -> Result<Outcomes> {
    match outcomes {
        None => {
            let metric = metric.unwrap_or_else(|| DEFAULT_METRIC.to_owned());
            Outcomes::new(vec![Outcome::objective(metric, goal.unwrap_or_default())])
        }
        Some(list) if goal.is_none() && metric.is_none() => Outcomes::new(list),
        Some(_) => {
            let other = if goal.is_some() { "goal" } else { "metric" };
            Err(Error::config(
                format!("both `outcomes` and `{other}` are given"),
                format!("leave `{other}` out: `outcomes` names the optimized result and its goal"),
            ))
        }
    }
}

impl WrittenConfig {
    /// The configuration, with these rules if none are written.
    pub(super) fn or_else(self, failing: FailureRule, refining: Option<RefineRule>) -> Result<StudyConfig> {
        let Self { space, goal, metric, outcomes, seed, initial, design, .. } = self;
        let Self { strategy, model, repeats, failures, budget, contexts, score_all, limited, .. } = self;
        let failures = failures.unwrap_or(failing);
        let (is_new, strategy) = match refining {
            Some(rule) => (true, strategy.refining_by(rule)),
            None => (false, strategy),
        };
        // A log says how the points of its study are found; a new study uses the best way there is.
        let space = if refining.is_some() { space.constructed_if_needed() } else { space };
        let config = StudyConfig::new(space).outcomes(outcomes_of(goal, metric, outcomes)?);
        let config = StudyConfig {
            seed,
            initial,
            design,
            strategy,
            model,
            repeats,
            failures,
            budget,
            contexts,
            score_all,
            limited,
            ..config
        };
        Ok(if is_new { config.begun() } else { config })
    }
}

impl TryFrom<WrittenConfig> for StudyConfig {
    type Error = Error;

    fn try_from(written: WrittenConfig) -> Result<Self> {
        written.or_else(FailureRule::default(), Some(RefineRule::default()))
    }
}

impl From<StudyConfig> for WrittenConfig {
    fn from(config: StudyConfig) -> Self {
        let is_long = !config.outcomes.is_empty();
        Self {
            goal: (!is_long).then_some(config.goal),
            metric: (!is_long && config.metric != DEFAULT_METRIC).then(|| config.metric.clone()),
            outcomes: is_long.then(|| config.listed()),
            space: config.space,
            seed: config.seed,
            initial: config.initial,
            design: config.design,
            strategy: config.strategy,
            model: config.model,
            repeats: config.repeats,
            failures: Some(config.failures),
            budget: config.budget,
            contexts: config.contexts,
            score_all: config.score_all,
            limited: config.limited,
        }
    }
}
