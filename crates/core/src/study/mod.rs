//! Studies: from events to state, and from state to suggestions.
//!
//! A [`Study`] is a list of [`Event`]s and the state that follows from them. Every change appends an event, so the same
//! events give the same study, and the same next batch, in any process.

mod aims;
mod answers;
mod ask;
mod branched;
mod checks;
mod config;
mod contexts;
mod event;
mod feasible;
mod front;
mod initial;
mod observed;
mod outcome;
mod outcomes;
mod parts;
mod recommend;
mod results;
mod state;
mod status;
mod strategy;
mod streak;
mod suggest;
mod tally;
mod tell;
mod trial;
mod trial_answer;
mod unknown;
mod verify;
mod written;

use std::sync::{Arc, Mutex, PoisonError};

pub use ask::Ask;
pub use config::{FailureRule, Goal, InitialDesign, LimitedRule, StudyConfig, default_initial};
pub use event::{AskedTrial, Build, EVENT_VERSION, Event, OutcomeRecord, PlacedTrial, Provenance, Retry};
pub use feasible::BrokenLimit;
pub use front::{FrontAnswer, FrontObjective, FrontPoint, FrontRecommendation, FrontStep};
pub use outcome::{Limits, Outcome, Role};
pub use outcomes::{DEFAULT_METRIC, Objective, Outcomes};
use parts::Foreign;
pub use parts::Parts;
pub use recommend::Recommendation;
pub use results::{Measured, Resolved, Results, Watched};
use state::State;
pub use status::TrialStatus;
pub use strategy::StrategyConfig;
pub use streak::{Alarm, Streak};
pub use suggest::{Suggestion, Work};
pub use tell::{Tell, Told};
pub use trial::{Measurement, MeasurementKind, Source, Trial, TrialId, TrialState};
pub use trial_answer::TrialAnswer;
pub use unknown::UnknownKey;
pub use verify::{Difference, other_versions, verify, verify_with};
pub use written::outcomes_of;

use crate::batch::{BatchSize, Situation};
pub use crate::belief::{
    Belief, Doubt, Errors, Gauge, HyperparameterRule, KernelConfig, LeaveOneOut, Model, ModelConfig, ModelRecord,
    Observations, Outlook, Pivot, ResultScale, ScaleRule, TrainingSubset,
};
use crate::belief::{Contestant, FitPlan, OutcomeBelief, metric};
use crate::chance::Chance;
use crate::error::{Error, Result};
pub use crate::part_id::{PartId, PartSettings};
use crate::rng::Stream;
use crate::space::SearchSpace;

/// A search for the best point, with everything that has happened so far.
///
/// ```
/// use elbowroom::space::{Parameter, SearchSpace};
/// use elbowroom::study::{Study, StudyConfig};
///
/// let space = SearchSpace::new(vec![Parameter::float("x", -1.0, 1.0)])?;
/// let mut study = Study::new(StudyConfig::new(space).seed(1))?;
/// for _ in 0..3 {
///     for trial in study.ask(4)?.trials {
///         let x = trial.point.get("x").unwrap().as_f64().unwrap();
///         study.tell(trial.id, x * x)?;
///     }
/// }
/// assert_eq!(study.n_observed(), 12);
/// assert!(study.best().unwrap().value().unwrap() < 0.1);
///
/// // The events are the study.
/// let again = Study::replay(study.events().to_vec())?;
/// assert_eq!(again.suggest(2)?, study.suggest(2)?);
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
#[derive(Debug)]
pub struct Study {
    events: Vec<Event>,
    state: State,
    model: Kept<Result<Arc<Model>>>,
    outcome_models: Kept<Vec<OutcomeBelief>>,
    outlook: Kept<Result<Outlook>>,
    chance: Kept<Result<Option<Arc<Chance>>>>,
    parts: Parts,
    foreign: Option<Foreign>,
    /// For each kernel of the configuration, the kernel if it was given.
    kernels: Vec<Option<Contestant>>,
}

/// The answer to an ask.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// The trials, pending from now on.
    pub trials: Vec<Trial>,
    /// Why there are fewer than were asked for.
    pub shortfall: Option<String>,
    /// The observations that the model was fitted to, if there were more than a model may have.
    pub subset: Option<TrainingSubset>,
    /// The cost of computing it; zero if the same request was answered before.
    pub work: Work,
}

impl Study {
    /// Creates a study. Its log has one event, the one that creates it.
    pub fn new(config: StudyConfig) -> Result<Self> {
        config.refuse_empty()?;
        Self::replay([Event::Created { config: Box::new(config) }])
    }

    /// Recreates a study from its events. If an event contradicts those before it, the error names it.
    pub fn replay(events: impl IntoIterator<Item = Event>) -> Result<Self> {
        let mut events = events.into_iter();
        let first = events.next().ok_or_else(|| Error::trial("the log is empty", "begin it with `Study::new`"))?;
        let state = State::begin(&first)?;
        let mut study = Self {
            events: vec![first],
            state,
            model: Kept::default(),
            outcome_models: Kept::default(),
            outlook: Kept::default(),
            chance: Kept::default(),
            parts: Parts::new(),
            foreign: None,
            kernels: Vec::new(),
        };
        events.try_for_each(|event| study.apply(event))?;
        Ok(study)
    }

    /// Appends an event. If it is refused, nothing changes.
    pub fn apply(&mut self, event: Event) -> Result<()> {
        self.state.apply(&event)?;
        self.events.push(event);
        Ok(())
    }

    /// All events, in order. Their number is the study's revision.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The study's configuration, with the current budget.
    pub fn config(&self) -> &StudyConfig {
        &self.state.config
    }

    /// The search space.
    pub fn space(&self) -> &SearchSpace {
        &self.state.config.space
    }

    /// The results of the study's trials: first the declared ones, then those that were reported in addition, in order of
    /// appearance.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, SearchSpace};
    /// use elbowroom::study::{Study, StudyConfig};
    ///
    /// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
    /// let mut study = Study::new(StudyConfig::new(space).metric("loss"))?;
    /// let trial = study.ask(1)?.trials[0].id;
    /// study.tell(trial, [("minutes", 12.0), ("loss", 0.3)])?;
    /// assert_eq!(study.outcomes().names().collect::<Vec<_>>(), ["loss", "minutes"]);
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn outcomes(&self) -> &Outcomes {
        &self.state.outcomes
    }

    /// All trials, in the order of their numbers.
    pub fn trials(&self) -> &[Trial] {
        &self.state.trials
    }

    /// The trial of this number.
    pub fn trial(&self, id: TrialId) -> Result<&Trial> {
        self.state.trial(id)
    }

    /// The pending trials, in the order of their numbers.
    pub fn pending(&self) -> impl Iterator<Item = &Trial> {
        self.state.tally.pending.iter().filter_map(|id| self.trial(*id).ok())
    }

    /// The number of trials with a value.
    pub fn n_observed(&self) -> usize {
        self.state.tally.n_observed
    }

    /// The trial with the best value, the first one in case of a tie. If results have limits, the best trial whose
    /// measured results keep them all; if there is none, see [`least_infeasible`](Self::least_infeasible). With several
    /// objectives only the first one counts here; [`front`](Self::front) takes all into account.
    pub fn best(&self) -> Option<&Trial> {
        let goal = self.outcomes().goal();
        let is_feasible = |trial: &&Trial| !self.outcomes().has_limits() || self.is_feasible(trial) == Some(true);
        let valued = self.trials().iter().filter(is_feasible).filter_map(|trial| Some((trial, trial.value()?)));
        let better = |best: (_, f64), next: (_, f64)| if goal.is_better(next.1, best.1) { next } else { best };
        valued.reduce(better).map(|(trial, _)| trial)
    }

    /// Suggests points for the next trials without changing the study.
    pub fn suggest(&self, ask: impl Into<Ask>) -> Result<Suggestion> {
        suggest::suggest(self, None, &ask.into())
    }

    /// Like [`suggest`](Self::suggest), with the belief of an earlier state of this study. Stores use it when results
    /// that arrived in the meantime are not worth another fit.
    pub fn suggest_with(&self, ask: impl Into<Ask>, belief: &Belief) -> Result<Suggestion> {
        suggest::suggest(self, Some(belief), &ask.into())
    }

    /// Calls a function with what the strategy would choose from now, including the model and the chance of success. Use
    /// it to ask what the strategy would make of a point. Fits the model unless it is cached.
    ///
    /// ```
    /// use elbowroom::batch::BatchStrategy;
    /// use elbowroom::space::{Parameter, SearchSpace};
    /// use elbowroom::study::{Study, StudyConfig};
    ///
    /// let space = SearchSpace::new(vec![Parameter::float("x", -1.0, 1.0)])?;
    /// let mut study = Study::new(StudyConfig::new(space).initial(4))?;
    /// for trial in study.ask(4)?.trials {
    ///     study.tell(trial.id, (trial.unit[0] - 0.3).powi(2))?;
    /// }
    /// let worth = study.in_situation(1, |situation, q| {
    ///     let chooser = study.strategy()?.bind(situation, q)?;
    ///     Ok([0.3, 0.9].map(|u| chooser.explain(&[u]).total))
    /// })?;
    /// assert!(worth[0] > worth[1]);
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn in_situation<T>(
        &self,
        ask: impl Into<Ask>,
        look: impl FnOnce(&Situation<'_>, BatchSize) -> Result<T>,
    ) -> Result<T> {
        suggest::in_situation(self, None, &ask.into(), false, look)
    }

    /// The same for an earlier ask, with what it was based on.
    pub(crate) fn in_situation_of<T>(
        &self,
        ask: &Ask,
        belief: &Belief,
        look: impl FnOnce(&Situation<'_>, BatchSize) -> Result<T>,
    ) -> Result<T> {
        suggest::in_situation(self, Some(belief), ask, true, look)
    }

    /// The belief that the next ask would use. Fits the model unless it is cached.
    pub fn belief(&self) -> Belief {
        let State { data_revision, ref tally, .. } = self.state;
        let (model, chance, outcomes) = (self.model(), self.chance(), self.outcome_models());
        Belief { data_revision, n_observed: tally.n_observed, is_flat: self.state.is_flat(), model, chance, outcomes }
    }

    /// The belief that the next ask would use, if it is cached.
    pub fn cached_belief(&self) -> Option<Belief> {
        self.model.is_of(self.state.data_revision).then(|| self.belief())
    }

    /// The observations that the model is fitted to, if there are more than a model may have. Does not fit the model.
    pub fn subset(&self) -> Option<TrainingSubset> {
        self.state.subset()
    }

    /// The number of points that may still be handed out, if there is a budget.
    pub fn budget_left(&self) -> Option<usize> {
        self.state.budget_left()
    }

    /// The position of a trial, such as the well of a plate, if it was assigned one.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, SearchSpace};
    /// use elbowroom::study::{Event, PlacedTrial, Study, StudyConfig};
    ///
    /// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
    /// let mut study = Study::new(StudyConfig::new(space))?;
    /// let trial = study.ask(1)?.trials[0].id;
    /// study.apply(Event::Placed { trials: vec![PlacedTrial { trial, well: "B7".to_owned() }] })?;
    /// assert_eq!(study.well(trial), Some("B7"));
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn well(&self, trial: TrialId) -> Option<&str> {
        self.state.wells.get(&trial).map(String::as_str)
    }

    /// Sets the budget: a number of trials, including those already handed out, or none for no limit. A number below
    /// what was handed out is refused. Returns whether anything changed.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, SearchSpace};
    /// use elbowroom::study::{Study, StudyConfig};
    ///
    /// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
    /// let mut study = Study::new(StudyConfig::new(space).budget(2))?;
    /// assert_eq!(study.ask(5)?.trials.len(), 2);
    /// study.set_budget(Some(3))?;
    /// assert_eq!(study.ask(5)?.trials.len(), 1);
    /// assert!(study.set_budget(Some(2)).unwrap_err().to_string().contains("3 were handed out"));
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn set_budget(&mut self, trials: Option<usize>) -> Result<bool> {
        if self.config().budget == trials {
            return Ok(false);
        }
        self.apply(Event::Budgeted { trials })?;
        Ok(true)
    }

    /// Checks whether an event can be appended: reports of trials now or after any other events; additions, positions
    /// and budgets right now. A store checks this before it promises anything.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, SearchSpace};
    /// use elbowroom::study::{Event, Study, StudyConfig, TrialId};
    ///
    /// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
    /// let study = Study::new(StudyConfig::new(space))?;
    /// assert!(study.check(&Event::Withdrawn { trial: TrialId(0), request: None }).is_err());
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn check(&self, event: &Event) -> Result<()> {
        self.state.check(event)
    }

    /// The trial that was reported or added under this request name, if any.
    pub fn reported(&self, request: &str) -> Option<TrialId> {
        self.state.told.get(request).copied()
    }

    /// Takes up to n points to evaluate: `study.ask(4)`, or an [`Ask`] with more details.
    ///
    /// Asking again with the same request name returns the same trials in their current state. An answer without trials
    /// is not recorded, since there may be trials the next time.
    pub fn ask(&mut self, ask: impl Into<Ask>) -> Result<Asked> {
        let ask = ask.into();
        if let Some(asked) = ask.request.as_deref().and_then(|request| self.answered(request)) {
            return Ok(asked);
        }
        let suggestion = self.suggest(ask.clone())?;
        self.record(suggestion, ask.request)
    }

    /// The answer that a request got, if any.
    pub fn answered(&self, request: &str) -> Option<Asked> {
        let event = self.events.get(*self.state.asked.get(request)?)?;
        let Event::Asked { trials, again, shortfall, provenance, .. } = event else { return None };
        let ids = again.iter().map(|retry| retry.id).chain(trials.iter().map(|asked| asked.id));
        let trials = ids.filter_map(|id| self.trial(id).ok().cloned()).collect();
        let subset = provenance.model.as_ref().and_then(|model| model.subset);
        Some(Asked { trials, shortfall: shortfall.clone(), subset, work: Work::default() })
    }

    fn record(&mut self, suggestion: Suggestion, request: Option<String>) -> Result<Asked> {
        let (shortfall, work) = (suggestion.shortfall.clone(), suggestion.work);
        let subset = suggestion.provenance.model.as_ref().and_then(|model| model.subset);
        let first = self.state.trials.len();
        if !suggestion.trials.is_empty() {
            self.apply(suggestion.into_event(request))?;
        }
        Ok(Asked { trials: self.state.trials[first..].to_vec(), shortfall, subset, work })
    }

    /// The model of the results so far, fitted once for each data revision.
    pub fn model(&self) -> Result<Arc<Model>> {
        let (state, kernels) = (&self.state, self.kernels()?);
        self.model.at(state.data_revision, || {
            let stream = Stream::new(state.config.seed).child("fit", state.data_index);
            let subset = state.subset();
            let observations = state.observations(subset);
            let (config, space) = (self.config_of_model(state.outcomes.metric()), &state.config.space);
            let plan =
                FitPlan { config: &config, kernels: &kernels, space, warm: state.warm.as_ref(), stream: &stream };
            let mut model = plan.fit(&observations)?;
            model.record.subset = subset;
            Ok(Arc::new(model))
        })
    }

    /// Predicts any point: with the study's model or, if there are more results than a model may have, with one for the
    /// whole space. Computed once for each data revision.
    ///
    /// Unlike the model alone, it allows for noise as long as the results do not rule noise out; see
    /// [`Outlook::doubt`].
    ///
    /// ```
    /// use elbowroom::space::{Parameter, SearchSpace};
    /// use elbowroom::study::{Study, StudyConfig};
    ///
    /// let space = SearchSpace::new(vec![Parameter::float("x", -1.0, 1.0)])?;
    /// let mut study = Study::new(StudyConfig::new(space).initial(16))?;
    /// for trial in study.ask(4)?.trials {
    ///     study.tell(trial.id, trial.unit[0].powi(2))?;
    /// }
    /// // Few results may be noisy, whatever the model makes of them.
    /// assert!(study.outlook()?.predict_value(&[0.2]).1 > study.model()?.predict_value(&[0.2]).1);
    /// for trial in study.ask(12)?.trials {
    ///     study.tell(trial.id, trial.unit[0].powi(2))?;
    /// }
    /// assert_eq!(study.outlook()?.predict_value(&[0.2]), study.model()?.predict_value(&[0.2]));
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn outlook(&self) -> Result<Outlook> {
        let state = &self.state;
        let (kernels, config) = (self.kernels()?, &self.config_of_model(state.outcomes.metric()));
        self.outlook.at(state.data_revision, || {
            if state.subset().is_none() {
                let (model, stream) = (self.model()?, &Stream::new(state.config.seed).child("doubt", 0));
                let plan = FitPlan { config, kernels: &kernels, space: &state.config.space, warm: None, stream };
                let doubt = plan.doubt(&state.observations(None), &model)?;
                return Ok(Outlook::of(model).with_doubt(doubt));
            }
            let stream = &Stream::new(state.config.seed).child("outlook", 0);
            let plan = FitPlan { config, kernels: &kernels, space: &state.config.space, warm: None, stream };
            Outlook::of_many(&state.observations(None), config, stream, |some| plan.fit(some))
        })
    }

    /// The model of the search with the doubt about its predictions: the same as [`outlook`](Self::outlook), unless
    /// there are more results than a model may have.
    pub(crate) fn said(&self) -> Result<Outlook> {
        match self.state.subset() {
            None => self.outlook(),
            Some(_) => self.model().map(Outlook::of),
        }
    }

    /// The chance that a point gives a value, learned from the trials that did and those that did not. Computed once
    /// for each data revision. None as long as nothing has failed.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, SearchSpace};
    /// use elbowroom::study::{Study, StudyConfig};
    ///
    /// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
    /// let mut study = Study::new(StudyConfig::new(space))?;
    /// let trials = study.ask(4)?.trials;
    /// study.tell(trials[0].id, 1.0)?;
    /// assert!(study.chance()?.is_none());
    /// study.fail(trials[1].id, "out of memory")?;
    /// let chance = study.chance()?.expect("a failure");
    /// assert!(chance.ln_p(&trials[1].unit) < chance.ln_p(&trials[0].unit));
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn chance(&self) -> Result<Option<Arc<Chance>>> {
        self.chance.at(self.state.data_revision, || {
            let Some(answers) = self.state.answers() else { return Ok(None) };
            let chance = Chance::learn(&answers.x, &answers.gave_value, &metric(self.space()))?;
            let of_all = |chance: Chance| chance.among(answers.n_failed, answers.n_ended).since_failure(answers.n_calm);
            Ok(chance.map(|chance| Arc::new(of_all(chance))))
        })
    }
}

/// The last computation, with its data revision. It depends only on the log up to that revision, so caching it changes
/// no result.
#[derive(Debug)]
struct Kept<T>(Mutex<Option<(usize, T)>>);

impl<T: Clone> Kept<T> {
    /// The value for a data revision, computed unless it is cached.
    fn at(&self, data_revision: usize, compute: impl FnOnce() -> T) -> T {
        // If a thread panicked while it held the lock, the value is the old one or the new one: both are intact.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, value)) = kept.as_ref().filter(|kept| kept.0 == data_revision) {
            return value.clone();
        }
        let value = compute();
        *kept = Some((data_revision, value.clone()));
        value
    }

    /// Whether the value for a data revision is cached.
    fn is_of(&self, data_revision: usize) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).as_ref().is_some_and(|kept| kept.0 == data_revision)
    }
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T: Clone> Clone for Kept<T> {
    fn clone(&self) -> Self {
        Self(Mutex::new(self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()))
    }
}

/// Equal if configuration and events are equal; caches do not count.
impl PartialEq for Study {
    fn eq(&self, other: &Self) -> bool {
        self.events == other.events && self.state == other.state
    }
}

impl Clone for Study {
    fn clone(&self) -> Self {
        Self {
            events: self.events.clone(),
            state: self.state.clone(),
            model: self.model.clone(),
            outcome_models: self.outcome_models.clone(),
            outlook: self.outlook.clone(),
            chance: self.chance.clone(),
            parts: self.parts.clone(),
            foreign: self.foreign.clone(),
            kernels: self.kernels.clone(),
        }
    }
}
