//! Answers about studies: the command, HTTP and Python return the same data.

use elbowroom::study::{
    Event, FrontAnswer, FrontRecommendation, Goal, Outcome, Recommendation, Streak, Study, Told, TrainingSubset, Trial,
    TrialAnswer, TrialId,
};
use serde::Serialize;

use crate::lease::{Attempt, Hold, Lease};
use crate::shared::{Assignment, Assignments, SharedStudy};
use crate::status::Counts;
use crate::store::{Reported, Store, StudyInfo};
use crate::time::Time;
use crate::{Result, TrialStatus};

/// A trial, and the worker that has it.
///
/// ```
/// use elbowroom::space::{Parameter, SearchSpace};
/// use elbowroom::study::StudyConfig;
/// use elbowroom_store::{Memory, SharedStudy, StatusAnswer};
///
/// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
/// let store = std::sync::Arc::new(Memory::new());
/// let mut study = SharedStudy::create(store, "plate", StudyConfig::new(space))?.worker("bench 1");
/// study.ask(1)?;
/// let answer = serde_json::to_value(StatusAnswer::of(&study, &study.study().trials()[0])).unwrap();
/// assert_eq!((&answer["state"], &answer["worker"]), (&"running".into(), &"bench 1".into()));
/// # Ok::<(), elbowroom_store::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct StatusAnswer {
    /// The trial. Its state takes leases and the store's clock into account.
    #[serde(flatten)]
    pub facts: TrialAnswer,
    /// The attempt that was handed out with this answer; none if nothing was handed out.
    pub attempt: Option<u32>,
    /// The worker that has it, or had it last before it was lost.
    pub worker: Option<String>,
    /// Until when the worker may be silent, in milliseconds since 1970. Missing in the answer to an ask, which must be
    /// the same whenever the request is repeated.
    pub expires: Option<Time>,
}

impl StatusAnswer {
    /// A trial of a study in a store.
    pub fn of(shared: &SharedStudy, trial: &Trial) -> Self {
        let held = shared.leases.get(&trial.id).map(|lease| Held::of(lease, shared.now));
        Self::new(shared.study(), trial, shared.status(trial), held.as_ref())
    }

    /// A trial, with its status and its worker.
    pub fn new(study: &Study, trial: &Trial, state: TrialStatus, held: Option<&Held>) -> Self {
        let mut facts = TrialAnswer::of(study, trial);
        facts.state = state;
        let worker = held.map(|held| held.worker.clone());
        Self { facts, attempt: None, worker, expires: held.map(|held| held.expires) }
    }

    /// A trial that was just handed out.
    pub fn handed(shared: &SharedStudy, handed: &Assignment) -> Self {
        Self { attempt: Some(handed.attempt.number), expires: None, ..Self::of(shared, &handed.trial) }
    }
}

/// A trial's lease.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Held {
    /// The trial.
    pub trial: TrialId,
    /// The number of the attempt.
    pub attempt: u32,
    /// The worker that has it.
    pub worker: String,
    /// Until when the worker may be silent, in milliseconds since 1970.
    pub expires: Time,
    /// Whether the worker counts as alive.
    pub live: bool,
}

impl Held {
    /// A lease as seen at a given time.
    pub fn of(lease: &Lease, now: Time) -> Self {
        let (trial, attempt) = (lease.attempt.trial, lease.attempt.number);
        Self { trial, attempt, worker: lease.worker.clone(), expires: lease.expires, live: lease.is_live(now) }
    }
}

/// The answer to an ask.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct AskAnswer {
    /// The trials, each with its attempt.
    pub trials: Vec<StatusAnswer>,
    /// Why there are fewer than were asked for.
    #[serde(rename = "short")]
    pub shortfall: Option<String>,
    /// The observations that the model was fitted to, if there were more than a model may have.
    pub model: Option<TrainingSubset>,
}

impl AskAnswer {
    /// The trials that were just handed out.
    pub fn of(shared: &SharedStudy, handed: &Assignments) -> Self {
        let trials = handed.trials.iter().map(|handed| StatusAnswer::handed(shared, handed)).collect();
        Self { trials, shortfall: handed.shortfall.clone(), model: handed.subset }
    }
}

/// The answer to a tell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TellAnswer {
    /// The trial.
    pub trial: TrialId,
    /// What became of the results.
    pub told: Told,
    /// A note that names the optimized result, if it was not among those reported.
    pub hint: Option<String>,
}

impl TellAnswer {
    /// The answer to a tell of results with these names.
    pub fn new<'a>(shared: &SharedStudy, trial: TrialId, told: Told, names: impl IntoIterator<Item = &'a str>) -> Self {
        let (outcomes, names) = (shared.study().outcomes(), names.into_iter().collect::<Vec<_>>());
        let is_wanted = |name: &str| {
            outcomes.objectives().iter().any(|one| one.name == name) || outcomes.limits().any(|(one, _)| one == name)
        };
        // A further objective or a limited result may come later.
        let has_value = shared.study().trial(trial).is_ok_and(|trial| trial.value().is_some());
        let is_awaited = has_value && names.iter().any(|name| is_wanted(name));
        let hint = (told == Told::Aside && !is_awaited).then(|| outcomes.say_missing(names));
        Self { trial, told, hint }
    }
}

/// The answer to a report that a trial ended without a value, was withdrawn or was handed back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ReportAnswer {
    /// The trial.
    pub trial: TrialId,
    /// What became of the report: `appended`, `repeated` or `superseded`; `queued` for a trial that was handed back.
    pub reported: &'static str,
    /// The trial's status now.
    pub state: TrialStatus,
}

impl ReportAnswer {
    /// The answer to a report; `reported` is `None` for a trial that was handed back.
    pub fn new(shared: &SharedStudy, trial: TrialId, reported: Option<Reported>) -> Result<Self> {
        let state = shared.status(shared.study().trial(trial)?);
        Ok(Self { trial, reported: reported.map_or("queued", Reported::word), state })
    }
}

/// The answer to a heartbeat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HeartbeatAnswer {
    /// The state of each attempt, in order.
    pub attempts: Vec<HoldAnswer>,
}

impl HeartbeatAnswer {
    /// The answer about these attempts.
    ///
    /// ```
    /// use elbowroom::study::TrialId;
    /// use elbowroom_store::{Attempt, HeartbeatAnswer, Hold};
    ///
    /// let answer = HeartbeatAnswer::new(&[Attempt { trial: TrialId(3), number: 1 }], &[Hold::Ended]);
    /// assert_eq!(serde_json::to_string(&answer).unwrap(), r#"{"attempts":[{"hold":"ended","trial":3}]}"#);
    /// ```
    pub fn new(attempts: &[Attempt], holds: &[Hold]) -> Self {
        let one = |(attempt, hold): (&Attempt, &Hold)| match (attempt.trial, *hold) {
            (trial, Hold::Held(until)) => HoldAnswer::Held { trial, until },
            (trial, Hold::Superseded) => HoldAnswer::Superseded { trial },
            (trial, Hold::Ended) => HoldAnswer::Ended { trial },
        };
        Self { attempts: attempts.iter().zip(holds).map(one).collect() }
    }
}

/// Whether a trial still belongs to an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "hold", rename_all = "snake_case")]
pub enum HoldAnswer {
    /// It does, and its lease was renewed.
    Held {
        /// The trial.
        trial: TrialId,
        /// Until when its worker may be silent, in milliseconds since 1970.
        until: Time,
    },
    /// Another worker has the trial.
    Superseded {
        /// The trial.
        trial: TrialId,
    },
    /// The trial has ended.
    Ended {
        /// The trial.
        trial: TrialId,
    },
}

/// The answer to a change of the budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BudgetAnswer {
    /// The maximum number of trials to hand out, including earlier ones; none for no limit.
    pub trials: Option<usize>,
    /// Whether the budget changed.
    pub changed: bool,
}

/// The answer when a study is paused or resumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PauseAnswer {
    /// Whether the study is paused: then nothing is handed out.
    pub paused: bool,
}

/// A page of a study's log.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EventsAnswer<'a> {
    /// The total number of events.
    pub revision: usize,
    /// The events that were asked for.
    pub events: Vec<EventAnswer<'a>>,
}

/// An event of a study's log.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EventAnswer<'a> {
    /// Its number, starting at 0.
    pub number: usize,
    /// When it was stored, in milliseconds since 1970.
    pub at: Time,
    /// What happened.
    pub event: &'a Event,
}

impl<'a> EventsAnswer<'a> {
    /// Up to `n` events of a study in a store, starting at number `from`.
    pub fn of(shared: &'a SharedStudy, from: usize, n: usize) -> Self {
        let (events, times) = (shared.study().events(), shared.stored().times());
        let all = events.iter().zip(times).enumerate().skip(from).take(n);
        let page = all.map(|(number, (event, &at))| EventAnswer { number, at, event }).collect();
        Self { revision: events.len(), events: page }
    }
}

/// The best observed point and the recommended one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BestAnswer {
    /// The trial with the best value.
    pub observed: Option<StatusAnswer>,
    /// The point to use in the end.
    pub recommended: Option<Recommendation>,
    /// The trial that comes closest to keeping the limits of its results; left out unless there are limits and no trial
    /// keeps them all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least_infeasible: Option<StatusAnswer>,
    /// The front: the trials that no other trial beats in every objective; left out with one objective.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub front: Option<FrontAnswer>,
    /// The front according to the models; left out with one objective, and if models cannot be fitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recommended_front: Option<Vec<FrontRecommendation>>,
}

impl BestAnswer {
    /// The complete answer for a study in a store. Recommending may take fits.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, Point, SearchSpace};
    /// use elbowroom::study::{Goal, Outcome, Outcomes, StudyConfig};
    /// use elbowroom_store::{BestAnswer, Memory, SharedStudy};
    ///
    /// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
    /// let both = ["loss", "cost"].map(|name| Outcome::objective(name, Goal::Minimize)).to_vec();
    /// let config = StudyConfig::new(space).outcomes(Outcomes::new(both)?);
    /// let mut study = SharedStudy::create(std::sync::Arc::new(Memory::new()), "plate", config)?;
    /// study.add(&Point::new().with("x", 0.5), [("loss", 1.0), ("cost", 2.0)])?;
    /// assert_eq!(BestAnswer::of(&study).front.unwrap().points[0].values, [1.0, 2.0]);
    /// # Ok::<(), elbowroom_store::Error>(())
    /// ```
    pub fn of(shared: &SharedStudy) -> Self {
        let study = shared.study();
        let several = study.outcomes().has_several_objectives();
        let recommended_front = several.then(|| study.recommended_front().ok()).flatten();
        let answer = Self::new(study, |trial| StatusAnswer::of(shared, trial), study.recommended());
        Self { recommended_front, ..answer }
    }

    /// The parts that take no fit, with trials in the form that `answer` gives them, and a recommendation.
    pub fn new(study: &Study, answer: impl Fn(&Trial) -> StatusAnswer, recommended: Option<Recommendation>) -> Self {
        Self {
            observed: study.best().map(&answer),
            recommended,
            least_infeasible: study.least_infeasible().map(&answer),
            front: study.outcomes().has_several_objectives().then(|| study.front()),
            recommended_front: None,
        }
    }
}

/// The state of a study.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct StudyAnswer {
    /// Its name.
    pub name: String,
    /// Its store, as a person would call it; none if it is not in a store.
    pub store: Option<String>,
    /// The number of events.
    pub revision: usize,
    /// The hash of the whole log.
    pub log_hash: Option<String>,
    /// Whether the optimized result is minimized or maximized.
    pub goal: Goal,
    /// The name of the optimized result.
    pub metric: String,
    /// The names of the other results, in order.
    pub watched: Vec<String>,
    /// What the declared results are for, the first objective first; left out if only its name and goal are given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outcomes: Vec<Outcome>,
    /// The strategy's name.
    pub strategy: String,
    /// The seed of all random numbers.
    pub seed: u64,
    /// The budget: the maximum number of trials; none for no limit.
    pub budget: Option<usize>,
    /// The number of trials that may still be handed out; points that users add do not count.
    pub budget_left: Option<usize>,
    /// The number of initial points.
    pub n_initial: usize,
    /// The number of trials.
    pub n_trials: usize,
    /// The number of trials by status.
    pub counts: Counts,
    /// The trial with the best value.
    pub best: Option<StatusAnswer>,
    /// Size and hypervolume of the front; left out with one objective.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub front: Option<FrontSummary>,
    /// The number of trials that keep all limits; left out if there are no limits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n_feasible: Option<usize>,
    /// All parameters, in order.
    pub parameters: Vec<String>,
    /// Constraints between parameters.
    pub constraints: Vec<String>,
    /// The leases of the running trials.
    pub held: Vec<Held>,
    /// Whether the study is paused: then nothing is handed out.
    pub paused: bool,
    /// The latest trials, if none of them gave a value.
    pub streak: Option<Streak>,
    /// The observations that the model is fitted to, if there are more than a model may have.
    pub model: Option<TrainingSubset>,
    /// When it was created, in milliseconds since 1970.
    pub created: Option<Time>,
    /// When the last event was stored.
    pub changed: Option<Time>,
    /// The current time of the store's clock; 0 without a store.
    pub now: Time,
}

impl StudyAnswer {
    /// A study in a store, as it was when it was last read.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, SearchSpace};
    /// use elbowroom::study::StudyConfig;
    /// use elbowroom_store::{Memory, SharedStudy, StudyAnswer};
    ///
    /// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
    /// let store = std::sync::Arc::new(Memory::new());
    /// let mut study = SharedStudy::create(store, "plate", StudyConfig::new(space).budget(9))?;
    /// study.ask(2)?;
    /// let answer = StudyAnswer::of(&study);
    /// assert_eq!((answer.counts.running, answer.budget_left, answer.held.len()), (2, Some(7), 2));
    /// # Ok::<(), elbowroom_store::Error>(())
    /// ```
    pub fn of(shared: &SharedStudy) -> Self {
        Self {
            store: Some(shared.stored().store().label()),
            log_hash: Some(shared.stored().digest().to_string()),
            counts: shared.counts(),
            best: shared.study().best().map(|best| StatusAnswer::of(shared, best)),
            held: shared.held(),
            paused: shared.stored().is_paused(),
            created: shared.stored().times().first().copied(),
            changed: shared.stored().times().last().copied(),
            now: shared.stored().now(),
            ..Self::alone(shared.name(), shared.study())
        }
    }

    /// A study that is not in a store: times and workers are unknown.
    pub fn alone(name: &str, study: &Study) -> Self {
        let config = study.config();
        let best = study.best().map(|best| StatusAnswer::new(study, best, TrialStatus::of(best), None));
        Self {
            name: name.to_owned(),
            store: None,
            revision: study.events().len(),
            log_hash: None,
            goal: config.goal,
            metric: study.outcomes().metric().to_owned(),
            watched: study.outcomes().watched().map(str::to_owned).collect(),
            outcomes: config.outcomes.clone(),
            strategy: config.strategy.name().to_owned(),
            seed: config.seed,
            budget: config.budget,
            budget_left: study.budget_left(),
            n_initial: config.n_initial(),
            n_trials: study.trials().len(),
            counts: Counts::of(study.trials().iter().map(TrialStatus::of)),
            best,
            front: study.outcomes().has_several_objectives().then(|| FrontSummary::of(&study.front())),
            n_feasible: study.outcomes().has_limits().then(|| n_feasible(study)),
            parameters: study.space().parameters().iter().map(|parameter| parameter.name().to_owned()).collect(),
            constraints: study.space().constraints().iter().map(|one| one.text().to_owned()).collect(),
            held: Vec::new(),
            paused: false,
            streak: study.streak(),
            model: study.subset(),
            created: None,
            changed: None,
            now: Time(0),
        }
    }
}

/// A front in two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FrontSummary {
    /// The number of trials on the front.
    pub n_points: usize,
    /// The volume between the front and the reference point; none as long as there is no reference point.
    pub hypervolume: Option<f64>,
}

impl FrontSummary {
    fn of(front: &FrontAnswer) -> Self {
        Self { n_points: front.points.len(), hypervolume: front.hypervolume }
    }
}

/// Trials with a value that keep all limits.
fn n_feasible(study: &Study) -> usize {
    let is_feasible = |trial: &&Trial| trial.value().is_some() && study.is_feasible(trial) == Some(true);
    study.trials().iter().filter(is_feasible).count()
}

/// The studies of a store.
///
/// ```
/// # use elbowroom::space::{Parameter, SearchSpace};
/// # use elbowroom::study::StudyConfig;
/// use elbowroom_store::{Memory, SharedStudy, StudiesAnswer};
///
/// let store = std::sync::Arc::new(Memory::new());
/// # let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
/// SharedStudy::create(store.clone(), "plate", StudyConfig::new(space))?;
/// assert_eq!(StudiesAnswer::of(&*store)?.studies[0].name, "plate");
/// # Ok::<(), elbowroom_store::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StudiesAnswer {
    /// The store, as a person would call it.
    pub store: String,
    /// Its studies, by name.
    pub studies: Vec<StudyInfo>,
}

impl StudiesAnswer {
    /// The studies that a store holds.
    pub fn of(store: &dyn Store) -> Result<Self> {
        Ok(Self { store: store.label(), studies: store.studies()? })
    }
}

impl SharedStudy {
    /// Who had which trial when the store was last read, by trial.
    pub fn held(&self) -> Vec<Held> {
        self.leases.values().map(|lease| Held::of(lease, self.now)).collect()
    }
}
