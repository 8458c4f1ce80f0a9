//! What a study is told when it is made: every default is written here, once.

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

/// What is wanted of the objective. Below `study` everything is maximized.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Goal {
    /// Smaller is better.
    #[default]
    Minimize,
    /// Larger is better.
    Maximize,
}

impl Goal {
    /// A value as one to be maximized, and back: the map is its own inverse.
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

/// How the first points are spread.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum InitialDesign {
    /// A scrambled Sobol sequence: it can go on at any time.
    #[default]
    Sobol,
    /// A Latin hypercube of as many points as the design has; uniform points after that.
    LatinHypercube,
    /// Independent uniform points.
    Uniform,
}

/// What a trial that failed says about the points around it. An infeasible one always counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum FailureRule {
    /// That points near it may fail too: the chance of success is learned, and the search and the recommendation weigh
    /// it.
    #[default]
    Learn,
    /// Nothing, for example where a flaky cluster loses jobs. The point itself is still not proposed again.
    Ignore,
}

/// How the models of limited results see them, where these are not optimized too.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitedRule {
    /// As they are told, or by their distance to the limit, drawn in where they are far from it, whichever the evidence is
    /// for; see [`Pivot`](super::Pivot).
    #[default]
    ByDistance,
    /// As they are told.
    AsTold,
}

/// Everything that is fixed when a study is made.
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
    /// What is searched.
    pub space: SearchSpace,
    /// What is wanted of the optimized result, the first of them if there are several.
    pub goal: Goal,
    /// The name of the optimized result; [`DEFAULT_METRIC`] if it has none of its own.
    pub metric: String,
    /// All results, the optimized one first, where there is more to say than its name and its goal; else empty. Others may
    /// be told too, and come after these.
    pub outcomes: Vec<Outcome>,
    /// The root of all randomness.
    pub seed: u64,
    /// How many points come from the design; none for the rule of [`default_initial`].
    pub initial: Option<usize>,
    /// How those points are spread.
    pub design: InitialDesign,
    /// How points are chosen once there are results.
    pub strategy: StrategyConfig,
    /// How a model is made of the results.
    pub model: ModelConfig,
    /// Whether a point that was observed may be proposed again, which makes sense where results are noisy.
    pub repeats: bool,
    /// What failed trials say about the points around them.
    pub failures: FailureRule,
    /// Finite spaces of at most this many points are scored whole when points are chosen, as far as that can be afforded.
    /// None is what a log means that lacks it, and what spaces without categories have: 2,000. A configuration that lacks
    /// it gets 100,000 where its space has categories.
    pub score_all: Option<u64>,
    /// How the models of limited results see them. None is what a log means that lacks it: as they are told, with climbs
    /// that end early. A configuration that lacks it gets the default where a result is limited.
    pub limited: Option<LimitedRule>,
    /// The most trials to hand out, if there is a limit. Trials given back are not counted, nor points of one's own.
    pub budget: Option<usize>,
    /// The names of parameters that are observed, not chosen, such as today's humidity: every ask holds them at a value.
    pub contexts: Vec<String>,
}

/// Points of a finite space that are all scored by default.
const SCORE_ALL: u64 = 100_000;

/// How many points a study of this dimension takes from its design unless it says otherwise: 2(d + 1), at most 30. Where
/// parameters have conditions, d is the most that one point has.
pub fn default_initial(dim: usize) -> usize {
    dim.saturating_add(1).saturating_mul(2).min(30)
}

impl StudyConfig {
    /// All defaults.
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

    /// With the default rules for what its space has, where none are given, and without those for what it has not.
    pub(super) fn begun(mut self) -> Self {
        let has_categories = self.space.dimensions().iter().any(|d| matches!(d, Dimension::Category { .. }));
        let is_listed = self.space.candidates().is_some();
        self.score_all = self.score_all.or((has_categories || is_listed).then_some(SCORE_ALL));
        self.model = self.model.begun_in(&self.space);
        let has_limits = self.outcomes.iter().any(|outcome| outcome.limits != Limits::default());
        self.limited = self.limited.or(Some(LimitedRule::default())).filter(|_| has_limits);
        self
    }

    /// Sets what is wanted.
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

    /// Sets all results: what is optimized, what is limited, and what is kept beside.
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

    /// The results that are declared. Fails if two have one name, or one the name of a parameter.
    pub fn declared_outcomes(&self) -> Result<Outcomes> {
        let outcomes = Outcomes::new(self.listed())?;
        outcomes.check_against(&self.space)?;
        Ok(outcomes)
    }

    /// All results as a list, with the name and the goal of the optimized one as they are set.
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

    /// Sets the root of all randomness.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets how many points come from the design.
    pub fn initial(mut self, n: usize) -> Self {
        self.initial = Some(n);
        self
    }

    /// Sets how the first points are spread.
    pub fn design(mut self, design: InitialDesign) -> Self {
        self.design = design;
        self
    }

    /// This configuration, to be compared with that of a study which an earlier version began: a setting that is at its
    /// default here, and is there at the default of that version, is as it is there.
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

    /// Sets how points are chosen once there are results.
    pub fn strategy(mut self, strategy: StrategyConfig) -> Self {
        self.strategy = strategy.refining_by(RefineRule::default());
        self
    }

    /// Sets how a model is made of the results.
    pub fn model(mut self, model: ModelConfig) -> Self {
        self.model = model;
        self.begun()
    }

    /// Sets whether observed points may be proposed again.
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

    /// Sets up to how many points of a finite space are all scored.
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

    /// Sets the most trials to hand out.
    pub fn budget(mut self, n: usize) -> Self {
        self.budget = Some(n);
        self
    }

    /// Sets which parameters are observed, not chosen. They are part of every point and of the model, and are never searched:
    /// an ask says what they are, and gets points for that.
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

    /// How many points come from the design.
    pub fn n_initial(&self) -> usize {
        self.initial.unwrap_or_else(|| default_initial(self.space.largest_dim()))
    }

    /// Refuses a space that was shown to hold no feasible point. A study calls it when it is made; one that was recorded is
    /// read whatever its space.
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

    /// Refuses settings out of their range, by name. A study calls it when it begins, so that no setting has to be
    /// doubted later.
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

/// A Latin hypercube is made as a whole: this bounds its memory.
const MAX_INITIAL: usize = 1_000_000;
