//! Remember trials; events to state; state to suggestions.
//!
//! A [`Study`] is a list of [`Event`]s and what they amount to. Everything that changes it appends an event, so that the
//! same events give the same study, and the same next batch, in any process.

mod config;
mod event;
mod initial;
mod model;
mod outcome;
mod part;
mod report;
mod standing;
mod state;
mod strategy;
mod suggest;
mod tally;
mod trial;
mod verify;

use std::sync::{Arc, Mutex, PoisonError};

pub use config::{FailureRule, Goal, InitialDesign, StudyConfig, default_initial};
pub use event::{AskedTrial, Build, EVENT_VERSION, Event, Provenance, Retry};
pub use model::{HyperparameterRule, Model, ModelConfig, ModelRecord, Observations};
pub use outcome::{Gauge, OutcomeMap, OutcomeRule};
pub use part::Part;
pub use report::{Report, Told};
pub use standing::Standing;
use state::State;
pub use strategy::StrategyConfig;
pub use suggest::{Suggestion, Work};
pub use trial::{Measurement, MeasurementKind, Source, Trial, TrialId, TrialState};
pub use verify::{Difference, verify};

use crate::batch::{BatchSize, highest_bound};
use crate::error::{Error, Result};
use crate::rng::Stream;
use crate::space::{Point, SearchSpace};

/// A search for the best point, as far as it has come.
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
    model: Mutex<Option<Kept>>,
}

/// The last model that was made, good or failed, and the data revision it belongs to. It is a function of the log up to
/// that revision: keeping it changes no result.
#[derive(Debug, Clone)]
struct Kept {
    data_revision: usize,
    model: Result<Arc<Model>>,
}

/// What a choice of points rests on besides the trials: the results at some data revision of a study, and their model.
/// Little to keep while the study goes on.
#[derive(Debug, Clone)]
pub struct Basis {
    data_revision: usize,
    n_observed: usize,
    model: Result<Arc<Model>>,
}

/// The answer to an ask.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// The trials, pending from here on.
    pub trials: Vec<Trial>,
    /// Why there are fewer than asked for.
    pub short: Option<String>,
    /// The part of the observations that its model was made of, if there were more than a model may have.
    pub part: Option<Part>,
    /// What it cost to compute; nothing for an answer that was given before.
    pub work: Work,
}

/// The point to use, given all results.
#[derive(Debug, Clone, PartialEq)]
pub struct Recommendation {
    /// The trial that observed it, if one did.
    pub trial: Option<TrialId>,
    /// The point.
    pub point: Point,
    /// What the model expects there, in the user's units.
    pub mean: f64,
    /// How sure it is: the standard deviation.
    pub sd: f64,
}

impl Study {
    /// A new study, with the one event that creates it.
    pub fn new(config: StudyConfig) -> Result<Self> {
        Self::replay([Event::Created { config: Box::new(config) }])
    }

    /// The study that these events amount to. An event that cannot follow its predecessors is an error that names it.
    pub fn replay(events: impl IntoIterator<Item = Event>) -> Result<Self> {
        let mut events = events.into_iter();
        let first = events.next().ok_or_else(|| Error::trial("the log is empty", "begin it with `Study::new`"))?;
        let state = State::begin(&first)?;
        let mut study = Self { events: vec![first], state, model: Mutex::new(None) };
        events.try_for_each(|event| study.apply(event))?;
        Ok(study)
    }

    /// Appends an event. If it is refused, nothing has changed.
    pub fn apply(&mut self, event: Event) -> Result<()> {
        self.state.apply(&event)?;
        self.events.push(event);
        Ok(())
    }

    /// All that happened, in order. Their number is the study's revision.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// What the study was made with.
    pub fn config(&self) -> &StudyConfig {
        &self.state.config
    }

    /// What is searched.
    pub fn space(&self) -> &SearchSpace {
        &self.state.config.space
    }

    /// All trials, by number.
    pub fn trials(&self) -> &[Trial] {
        &self.state.trials
    }

    /// One trial.
    pub fn trial(&self, id: TrialId) -> Result<&Trial> {
        self.state.trial(id)
    }

    /// The trials under way, by number.
    pub fn pending(&self) -> impl Iterator<Item = &Trial> {
        self.state.tally.pending.iter().filter_map(|id| self.trial(*id).ok())
    }

    /// The number of trials with a value.
    pub fn n_observed(&self) -> usize {
        self.state.tally.n_observed
    }

    /// The trial with the best value, the first of equals.
    pub fn best(&self) -> Option<&Trial> {
        let goal = self.config().goal;
        let valued = self.trials().iter().filter_map(|trial| Some((trial, trial.value()?)));
        let better = |best: (_, f64), next: (_, f64)| if goal.is_better(next.1, best.1) { next } else { best };
        valued.reduce(better).map(|(trial, _)| trial)
    }

    /// Points for the next q trials; changes nothing.
    pub fn suggest(&self, q: usize) -> Result<Suggestion> {
        let pending = self.state.tally.pending.iter().copied().collect();
        self.suggest_with(q, pending, None)
    }

    /// As [`suggest`](Self::suggest), for a store: with the trials that count as pending (lost ones left out), and with
    /// the basis of an earlier state of this study, where results that came in meanwhile are not worth another fit.
    pub fn suggest_with(&self, q: usize, pending: Vec<TrialId>, basis: Option<&Basis>) -> Result<Suggestion> {
        suggest::suggest(self, basis, BatchSize::new(q)?, &[], pending)
    }

    /// As [`suggest_with`](Self::suggest_with), where the first of the q are trials that were lost and are handed out
    /// once more; they are under way again, so `pending` leaves them out.
    pub fn suggest_again(
        &self,
        q: usize,
        again: &[TrialId],
        pending: Vec<TrialId>,
        basis: Option<&Basis>,
    ) -> Result<Suggestion> {
        suggest::suggest(self, basis, BatchSize::new(q)?, again, pending)
    }

    /// What a choice of points would rest on as the study stands. It takes a fit, unless one was made.
    pub fn basis(&self) -> Basis {
        let State { data_revision, ref tally, .. } = self.state;
        Basis { data_revision, n_observed: tally.n_observed, model: self.model() }
    }

    /// As [`basis`](Self::basis), if its model was made.
    pub fn kept_basis(&self) -> Option<Basis> {
        let kept = self.model.lock().unwrap_or_else(PoisonError::into_inner);
        let is_made = kept.as_ref().is_some_and(|kept| kept.data_revision == self.state.data_revision);
        drop(kept);
        is_made.then(|| self.basis())
    }

    /// The part of the observations that the model is made of, if there are more than a model may have. It takes no fit.
    pub fn part(&self) -> Option<Part> {
        self.state.part()
    }

    /// How many more points may be handed out, if there is a budget.
    pub fn budget_left(&self) -> Option<usize> {
        self.state.budget_left()
    }

    /// Whether a report of a trial can be appended, now or after any other events, or an addition right now. A store
    /// asks before it promises.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, SearchSpace};
    /// use elbowroom::study::{Event, Study, StudyConfig, TrialId};
    ///
    /// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
    /// let study = Study::new(StudyConfig::new(space))?;
    /// assert!(study.check(&Event::Released { trial: TrialId(0), request: None }).is_err());
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn check(&self, event: &Event) -> Result<()> {
        self.state.check(event)
    }

    /// The trial that a report or an addition of this name was about, if there was one.
    pub fn reported(&self, request: &str) -> Option<TrialId> {
        self.state.told.get(request).copied()
    }

    /// Takes q more points to be evaluated, or as many as there are.
    pub fn ask(&mut self, q: usize) -> Result<Asked> {
        let suggestion = self.suggest(q)?;
        self.record(suggestion, None)
    }

    /// As [`ask`](Self::ask), under a name: asking again under it gives the same trials, as they stand by then.
    ///
    /// An answer without any trial is not recorded: the next time there may be one.
    pub fn ask_as(&mut self, q: usize, request: &str) -> Result<Asked> {
        if let Some(asked) = self.answered(request) {
            return Ok(asked);
        }
        let suggestion = self.suggest(q)?;
        self.record(suggestion, Some(request.to_owned()))
    }

    /// The answer that a request got, if it got one.
    pub fn answered(&self, request: &str) -> Option<Asked> {
        let event = self.events.get(*self.state.asked.get(request)?)?;
        let Event::Asked { trials, again, short, provenance, .. } = event else { return None };
        let ids = again.iter().map(|retry| retry.id).chain(trials.iter().map(|asked| asked.id));
        let trials = ids.filter_map(|id| self.trial(id).ok().cloned()).collect();
        let part = provenance.model.as_ref().and_then(|model| model.part);
        Some(Asked { trials, short: short.clone(), part, work: Work::default() })
    }

    fn record(&mut self, suggestion: Suggestion, request: Option<String>) -> Result<Asked> {
        let (short, work) = (suggestion.short.clone(), suggestion.work);
        let part = suggestion.provenance.model.as_ref().and_then(|model| model.part);
        let first = self.state.trials.len();
        if !suggestion.trials.is_empty() {
            self.apply(suggestion.into_event(request))?;
        }
        Ok(Asked { trials: self.state.trials[first..].to_vec(), short, part, work })
    }

    /// The point to use in the end: that of the highest μ − s, with the model's mean and standard deviation there. It
    /// need not have been tried.
    ///
    /// Where there can be no model it is the best observed point, with its own value and noise.
    pub fn recommended(&self) -> Option<Recommendation> {
        self.expected_best(1.0).or_else(|| self.best_observed())
    }

    /// The paper's recommendation: the point that the model expects most of, arg max μ.
    ///
    /// With little noise it can lie where the model only extrapolates: prefer [`Study::recommended`].
    pub fn highest_mean(&self) -> Option<Recommendation> {
        self.expected_best(0.0).or_else(|| self.best_observed())
    }

    fn best_observed(&self) -> Option<Recommendation> {
        let best = self.best()?;
        let (mean, sd) = (best.value()?, best.noise().unwrap_or(0.0).sqrt());
        Some(Recommendation { trial: Some(best.id), point: best.point.clone(), mean, sd })
    }

    /// The point of the highest μ − κs, if there are results and a model of them.
    fn expected_best(&self, kappa: f64) -> Option<Recommendation> {
        self.best()?;
        let space = self.space();
        if space.dim() == 0 {
            return None;
        }
        let model = self.model().ok()?;
        let stream = Stream::new(self.config().seed).child("recommend", self.state.data_revision as u64);
        let bad = |t: &&Trial| matches!(t.state, TrialState::Failed { .. } | TrialState::Infeasible { .. });
        let excluded = self.trials().iter().filter(bad).map(|t| space.key(&t.unit)).collect();
        let unit = highest_bound(&model.posterior, kappa, space, &excluded, &stream)?;
        let (mean, sd) = model.predict_value(&unit);
        let key = space.key(&unit);
        let observed = self.trials().iter().find(|t| t.value().is_some() && space.key(&t.unit) == key);
        let found = Recommendation {
            trial: observed.map(|t| t.id),
            point: observed.map_or_else(|| space.decode(&unit), |t| t.point.clone()),
            mean: self.config().goal.maximized(mean),
            sd,
        };
        (mean.is_finite() && sd.is_finite()).then_some(found)
    }

    /// The model of the results so far: made once for each data revision.
    pub fn model(&self) -> Result<Arc<Model>> {
        let state = &self.state;
        // A thread that panicked while it held the lock left either the old model or the new one: both are whole.
        let mut kept = self.model.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = kept.as_ref().filter(|kept| kept.data_revision == state.data_revision) {
            return kept.model.clone();
        }
        let stream = Stream::new(state.config.seed).child("fit", state.data_revision as u64);
        let (observations, part) = state.observations();
        let model = Model::fit(&state.config.model, &state.config.space, &observations, state.warm.as_ref(), &stream);
        let model = model.map(|mut model| {
            model.record.part = part;
            Arc::new(model)
        });
        *kept = Some(Kept { data_revision: state.data_revision, model: model.clone() });
        model
    }
}

/// The same configuration and the same events; what is kept to save time does not count.
impl PartialEq for Study {
    fn eq(&self, other: &Self) -> bool {
        self.events == other.events && self.state == other.state
    }
}

impl Clone for Study {
    fn clone(&self) -> Self {
        let kept = self.model.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Self { events: self.events.clone(), state: self.state.clone(), model: Mutex::new(kept) }
    }
}
