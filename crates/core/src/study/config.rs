//! The configuration of a study. Every default is written here, once.

use serde::{Deserialize, Serialize};

use super::contexts::check_contexts;
use super::outcome::{Limits, Outcome, Role};
use super::outcomes::{DEFAULT_METRIC, Outcomes};
use super::strategy::StrategyConfig;
use super::written::WrittenConfig;
use crate::batch::RefineRule;
use crate::belief::{KernelConfig, ModelConfig};
use crate::domain::Domain;
use crate::error::{Error, Result};
use crate::gp::{KernelKind, Prior};
use crate::space::{Dimension, SearchSpace};

/// Whether the objective is minimized or maximized. Modules below `study` maximize everything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Goal {
    /// Smaller values are better.
    #[default]
    Minimize,
    /// Larger values are better.
    Maximize,
}

impl Goal {
    /// Turns a value into one to be maximized, and back: the map is its own inverse.
    ///
    /// ```
    /// use elbowroom::study::Goal;
    /// assert_eq!(Goal::Minimize.maximized(3.0), -3.0);
    /// assert_eq!(Goal::Maximize.maximized(3.0), 3.0);
    /// ```
    pub fn maximized(self, value: f64) -> f64 {
        match self {
            Goal::Minimize => -value,
            Goal::Maximize => value,
        }
    }

    /// Whether `a` is strictly better than `b`.
    pub fn is_better(self, a: f64, b: f64) -> bool {
        self.maximized(a) > self.maximized(b)
    }
}

/// How the initial points are spread.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum InitialDesign {
    /// A scrambled Sobol sequence, which can be continued at any time.
    #[default]
    Sobol,
    /// A Latin hypercube with as many points as the design; uniform points after that.
    LatinHypercube,
    /// Independent uniform points.
    Uniform,
}

/// What a failed trial says about the points around it. An infeasible trial always counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum FailureRule {
    /// Points near it may fail too: the chance of success is learned, and the search and the recommendation take it
    /// into account.
    #[default]
    Learn,
    /// Nothing: for machines that lose jobs at random. The point itself is still not proposed again.
    Ignore,
}

/// How models see results that have limits but are not optimized.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitedRule {
    /// Either as reported, or as the distance to the limit, compressed where it is large, whichever the evidence
    /// favours; see [`Pivot`](super::Pivot).
    #[default]
    ByDistance,
    /// As reported.
    AsTold,
}

/// Everything that is fixed when a study is created.
///
/// ```
/// use elbowroom::space::{Parameter, SearchSpace};
/// use elbowroom::study::{Goal, StudyConfig};
///
/// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
/// let config = StudyConfig::new(space).goal(Goal::Maximize).seed(7).initial(4);
/// assert_eq!(config.n_initial(), 4);
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "WrittenConfig", into = "WrittenConfig")]
#[non_exhaustive]
pub struct StudyConfig {
    /// The search space.
    pub space: SearchSpace,
    /// Whether the optimized result is minimized or maximized; with several objectives, the first of them.
    pub goal: Goal,
    /// The name of the optimized result; [`DEFAULT_METRIC`] unless it was given one.
    pub metric: String,
    /// All declared results, the optimized one first; empty if there is no more to say than its name and goal. Further
    /// results may be reported, and come after these.
    pub outcomes: Vec<Outcome>,
    /// The seed of all random numbers.
    pub seed: u64,
    /// The number of initial points; `None` for [`default_initial`].
    pub initial: Option<usize>,
    /// How the initial points are spread.
    pub design: InitialDesign,
    /// The strategy that chooses points once there are results.
    pub strategy: StrategyConfig,
    /// How the model is fitted to the results.
    pub model: ModelConfig,
    /// Whether a point with a result may be proposed again, which makes sense if results are noisy.
    pub repeats: bool,
    /// What failed trials say about the points around them.
    pub failures: FailureRule,
    /// In a finite space of at most this many points, every point is scored in each ask, as far as time allows. `None`
    /// means 2,000: so it is in logs without this setting, and in spaces without categories. A new configuration
    /// without it gets 100,000 if its space has categories.
    pub score_all: Option<u64>,
    /// How models see limited results. `None`, as in logs without this setting, means as reported, with local searches
    /// that stop early. A new configuration without it gets the default if a result has limits.
    pub limited: Option<LimitedRule>,
    /// The maximum number of trials to hand out, if there is one. Withdrawn trials and points that users add do not
    /// count.
    pub budget: Option<usize>,
    /// The names of parameters that are observed, not chosen, such as today's humidity. Every ask holds them at a
    /// value.
    pub contexts: Vec<String>,
}

/// The default of `score_all`: finite spaces of up to this many points are scored whole.
const SCORE_ALL: u64 = 100_000;

/// The default number of initial points in d dimensions: 2(d + 1), at most 30. If parameters have conditions, d is the
/// largest number of parameters that any point has.
pub fn default_initial(dim: usize) -> usize {
    dim.saturating_add(1).saturating_mul(2).min(30)
}

impl StudyConfig {
    /// The default configuration of a space.
    pub fn new(space: SearchSpace) -> Self {
        Self {
            goal: Goal::default(),
            metric: DEFAULT_METRIC.to_owned(),
            outcomes: Vec::new(),
            seed: 0,
            initial: None,
            design: InitialDesign::default(),
            strategy: StrategyConfig::default(),
            model: ModelConfig::default(),
            space,
            repeats: false,
            failures: FailureRule::default(),
            budget: None,
            contexts: Vec::new(),
            score_all: None,
            limited: None,
        }
        .begun()
    }

    /// Adds the default rules for what the space has, where none are given, and removes rules for what it does not
    /// have.
    pub(super) fn begun(mut self) -> Self {
        let has_categories = self.space.dimensions().iter().any(|d| matches!(d, Dimension::Category { .. }));
        let is_listed = self.space.candidates().is_some();
        self.score_all = self.score_all.or((has_categories || is_listed).then_some(SCORE_ALL));
        self.model = self.model.begun_in(&self.space);
        let has_limits = self.outcomes.iter().any(|outcome| outcome.limits != Limits::default());
        self.limited = self.limited.or(Some(LimitedRule::default())).filter(|_| has_limits);
        self
    }

    /// Sets whether the objective is minimized or maximized.
    pub fn goal(mut self, goal: Goal) -> Self {
        self.goal = goal;
        self
    }

    /// Sets the name of the optimized result.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, SearchSpace};
    /// use elbowroom::study::{Study, StudyConfig};
    ///
    /// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
    /// let mut study = Study::new(StudyConfig::new(space).metric("loss"))?;
    /// let trial = study.ask(1)?.trials[0].id;
    /// study.tell(trial, [("loss", 0.3), ("minutes", 12.0)])?;
    /// assert_eq!(study.trial(trial)?.value(), Some(0.3));
    /// assert_eq!(study.trial(trial)?.result("minutes"), Some(12.0));
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn metric(mut self, name: impl Into<String>) -> Self {
        self.metric = name.into();
        self
    }

    /// Declares all results: what is optimized, what is limited, and what is only recorded.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, SearchSpace};
    /// use elbowroom::study::{Goal, Outcome, Outcomes, StudyConfig};
    ///
    /// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
    /// let outcomes = Outcomes::new(vec![Outcome::objective("yield", Goal::Maximize), Outcome::watched("cost")])?;
    /// let config = StudyConfig::new(space).outcomes(outcomes.clone());
    /// assert_eq!((config.goal, config.declared_outcomes()?), (Goal::Maximize, outcomes));
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn outcomes(mut self, outcomes: Outcomes) -> Self {
        let declared = outcomes.declared();
        self.goal = outcomes.goal();
        self.metric = declared[0].name.clone();
        let is_short = declared.len() == 1 && declared[0].is_plain();
        self.outcomes = if is_short { Vec::new() } else { declared.to_vec() };
        self.begun()
    }

    /// The declared results. Fails if two of them share a name, or if one has the name of a parameter.
    pub fn declared_outcomes(&self) -> Result<Outcomes> {
        let outcomes = Outcomes::new(self.listed())?;
        outcomes.check_against(&self.space)?;
        Ok(outcomes)
    }

    /// All results as a list, with the name and goal of the optimized one as they are set.
    pub(super) fn listed(&self) -> Vec<Outcome> {
        let mut list = self.outcomes.clone();
        match list.first_mut() {
            Some(first) => {
                first.name.clone_from(&self.metric);
                if let Role::Objective { goal, .. } = &mut first.role {
                    *goal = self.goal;
                }
            }
            None => list.push(Outcome::objective(self.metric.clone(), self.goal)),
        }
        list
    }

    /// Sets the seed of all random numbers.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the number of initial points.
    pub fn initial(mut self, n: usize) -> Self {
        self.initial = Some(n);
        self
    }

    /// Sets how the initial points are spread.
    pub fn design(mut self, design: InitialDesign) -> Self {
        self.design = design;
        self
    }

    /// This configuration, for comparison with that of a study created by an earlier version: a setting that has its
    /// default here and the earlier version's default in that study takes its value from that study.
    ///
    /// ```
    /// use elbowroom::gp::KernelKind;
    /// use elbowroom::study::{ModelConfig, StudyConfig};
    /// # use elbowroom::space::{Parameter, SearchSpace};
    /// # let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
    /// let now = StudyConfig::new(space);
    /// let kernels = vec![KernelKind::Matern52.into()];
    /// let then = now.clone().model(ModelConfig { kernels, ..ModelConfig::default() });
    /// assert!(now != then && now.with_defaults_of(&then) == then);
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    #[must_use]
    pub fn with_defaults_of(mut self, begun: &Self) -> Self {
        let was_default = begun.model.kernels == [KernelConfig::from(KernelKind::Matern52)];
        if was_default && self.model.kernels == ModelConfig::default().kernels {
            self.model.kernels.clone_from(&begun.model.kernels);
        }
        if begun.model.noise_prior == Prior::ONCE_OF_NOISE && self.model.noise_prior == Prior::OF_NOISE {
            self.model.noise_prior = begun.model.noise_prior;
        }
        if begun.model.category_prior.is_none() && self.model.category_prior == ModelConfig::default().category_prior {
            self.model.category_prior = None;
        }
        if begun.limited.is_none() && self.limited == Some(LimitedRule::default()) {
            self.limited = None;
        }
        if begun.score_all.is_none() && self.score_all == Some(SCORE_ALL) {
            self.score_all = None;
        }
        self.strategy = self.strategy.refining_as(&begun.strategy);
        self.space = self.space.constructed_like(&begun.space);
        self
    }

    /// Sets the strategy that chooses points once there are results.
    pub fn strategy(mut self, strategy: StrategyConfig) -> Self {
        self.strategy = strategy.refining_by(RefineRule::default());
        self
    }

    /// Sets how the model is fitted to the results.
    pub fn model(mut self, model: ModelConfig) -> Self {
        self.model = model;
        self.begun()
    }

    /// Sets whether points with results may be proposed again.
    pub fn repeats(mut self, repeats: bool) -> Self {
        self.repeats = repeats;
        self
    }

    /// Sets what failed trials say about the points around them.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, SearchSpace};
    /// use elbowroom::study::{FailureRule, StudyConfig};
    ///
    /// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
    /// let config = StudyConfig::new(space).failures(FailureRule::Ignore);
    /// assert_eq!(serde_json::to_value(config.failures).unwrap(), "ignore");
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn failures(mut self, failures: FailureRule) -> Self {
        self.failures = failures;
        self
    }

    /// Sets the largest size of a finite space at which every point is scored.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, SearchSpace};
    /// use elbowroom::study::StudyConfig;
    ///
    /// let space = SearchSpace::new(vec![Parameter::category("kind", ["a", "b"])])?;
    /// assert_eq!(StudyConfig::new(space.clone()).score_all, Some(100_000));
    /// assert_eq!(StudyConfig::new(space).score_all(5000).score_all, Some(5000));
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn score_all(mut self, n: u64) -> Self {
        self.score_all = Some(n);
        self
    }

    /// Sets the maximum number of trials to hand out.
    pub fn budget(mut self, n: usize) -> Self {
        self.budget = Some(n);
        self
    }

    /// Sets which parameters are observed, not chosen. They are part of every point and of the model, but they are not
    /// searched: each ask states their values and gets points for them.
    ///
    /// ```
    /// use elbowroom::domain::Narrowing;
    /// use elbowroom::space::{Parameter, SearchSpace};
    /// use elbowroom::study::{Ask, Study, StudyConfig};
    ///
    /// let space = SearchSpace::new(vec![Parameter::float("heat", 0.0, 1.0), Parameter::float("humidity", 0.0, 100.0)])?;
    /// let mut study = Study::new(StudyConfig::new(space).contexts(["humidity"]))?;
    /// assert!(study.ask(1).unwrap_err().to_string().contains("`humidity` is observed, not chosen"));
    /// let today = Narrowing::new().fix("humidity", 40.0);
    /// let trial = study.ask(Ask::new(1).narrowed(today))?.trials[0].clone();
    /// assert_eq!(trial.point.f64("humidity")?, 40.0);
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn contexts<T: Into<String>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        self.contexts = names.into_iter().map(Into::into).collect();
        self
    }

    /// The number of initial points.
    pub fn n_initial(&self) -> usize {
        self.initial.unwrap_or_else(|| default_initial(self.space.largest_dim()))
    }

    /// Refuses a space that provably has no feasible point. Called when a study is created; a recorded study is read
    /// regardless of its space.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, SearchSpace};
    /// use elbowroom::study::{Study, StudyConfig};
    ///
    /// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?.with_constraints(["exp(x) > 3"])?;
    /// let error = Study::new(StudyConfig::new(space)).unwrap_err();
    /// assert!(error.to_string().starts_with("no point within the parameters' ranges keeps `exp(x) > 3`"));
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn refuse_empty(&self) -> Result<()> {
        match Domain::whole(&self.space).why_empty() {
            Some(why) => Err(Error::space(why, "widen a parameter's range, or loosen a constraint")),
            None => Ok(()),
        }
    }

    /// Refuses settings that are out of range, by name. Called when a study is created, so that settings can be trusted
    /// from then on.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, SearchSpace};
    /// use elbowroom::study::{ModelConfig, StudyConfig};
    ///
    /// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
    /// let config = StudyConfig::new(space).model(ModelConfig { noise: Some(-1.0), ..ModelConfig::default() });
    /// assert!(config.validate().unwrap_err().to_string().contains("model.noise is -1"));
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn validate(&self) -> Result<()> {
        self.model.validate(self.space.dim())?;
        self.strategy.validate()?;
        let outcomes = self.declared_outcomes()?;
        self.strategy.check_for_front(outcomes.objectives())?;
        check_contexts(&self.contexts, &self.space)?;
        match self.initial {
            Some(0) => Err(Error::config(
                "an initial design of 0 points was asked for",
                "use at least 1: a model needs a result to start from",
            )),
            Some(n) if n > MAX_INITIAL => Err(Error::config(
                format!("an initial design of {n} points was asked for"),
                format!("use at most {MAX_INITIAL}"),
            )),
            _ if self.budget == Some(0) => {
                Err(Error::config("the budget is 0 trials", "allow at least 1 trial, or set no budget"))
            }
            _ => Ok(()),
        }
    }
}

/// A Latin hypercube is drawn as a whole: this bounds its memory.
const MAX_INITIAL: usize = 1_000_000;
