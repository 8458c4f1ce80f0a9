//! From events to state: the fold.
//!
//! `State::apply` takes any sequence of events without panicking. An event that cannot follow its predecessors is
//! refused with its number and its trial, and leaves the state as it was. Workers append results independently of each
//! other, so reports that come late or twice are not errors: they are kept and marked as such.
//!
//! The model is a function of the log up to and including the last event that changed the data: the length of that
//! prefix is the data revision, and `warm` is the last model recorded within it. Two asks without a result in between
//! therefore use the same model, whichever process computes them.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::config::{FailureRule, StudyConfig};
use super::event::{AskedTrial, Event, OutcomeRecord, Provenance, Retry};
use super::outcomes::Outcomes;
use super::results::{Measured, Watched, not_finite};
use super::tally::{Account, Tally};
use super::trial::{Measurement, MeasurementKind, Source, Trial, TrialId, TrialState};
use crate::belief::ModelRecord;
use crate::error::{Error, Result};
use crate::space::Point;

/// The state that follows from the events so far.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct State {
    pub config: StudyConfig,
    /// The results that were declared, and those that were reported in addition.
    pub outcomes: Outcomes,
    /// The name of the optimized result, shared by all trials.
    pub(super) metric: Arc<str>,
    pub trials: Vec<Trial>,
    /// What asks need to know of all trials.
    pub tally: Tally,
    /// Events folded.
    pub revision: usize,
    /// Events up to and including the last one that changed the data.
    pub data_revision: usize,
    /// The index of the random streams that belong to the data: the data revision, minus the number of events up to it
    /// that only reported results aside, so that such results do not change a suggestion.
    pub data_index: u64,
    /// The number of folded events that only reported results aside.
    n_aside: u64,
    /// The number of folded asks.
    pub n_asks: u64,
    /// The index at which the initial design continues.
    pub design_next: u64,
    /// The last model recorded before the last change of the data: the next fit starts from it.
    pub warm: Option<ModelRecord>,
    /// The last model recorded.
    last_record: Option<ModelRecord>,
    /// The same two for further outcomes.
    pub warm_outcomes: Vec<OutcomeRecord>,
    last_outcomes: Vec<OutcomeRecord>,
    /// Requests of asks, with the number of the event.
    pub asked: HashMap<String, usize>,
    /// Requests of tells, with the trial.
    pub told: HashMap<String, TrialId>,
    /// The positions of trials that were assigned one.
    pub wells: BTreeMap<TrialId, String>,
}

impl State {
    /// The state after the first event, which must be `Created`.
    pub fn begin(event: &Event) -> Result<Self> {
        let Event::Created { config } = event else {
            return Err(refuse(0, "the log does not begin with `created`", "look for the beginning of the log"));
        };
        config.validate()?;
        let outcomes = config.declared_outcomes()?;
        Ok(Self {
            // A target is always minimized.
            config: StudyConfig { goal: outcomes.goal(), ..(**config).clone() },
            metric: outcomes.metric().into(),
            outcomes,
            trials: Vec::new(),
            tally: Tally::default(),
            revision: 1,
            data_revision: 1,
            data_index: 1,
            n_aside: 0,
            n_asks: 0,
            design_next: 0,
            warm: None,
            last_record: None,
            warm_outcomes: Vec::new(),
            last_outcomes: Vec::new(),
            asked: HashMap::new(),
            told: HashMap::new(),
            wells: BTreeMap::new(),
        })
    }

    /// Folds one more event. If it is refused, nothing changes.
    pub fn apply(&mut self, event: &Event) -> Result<()> {
        match event {
            Event::Created { .. } => {
                return Err(refuse(self.revision, "a second `created`", "keep one study in one log"));
            }
            Event::Asked { trials, again, request, provenance, .. } => {
                self.ask(trials, again, request.as_deref(), provenance)?;
            }
            Event::Added { trial, point, value, noise, results, comment, request } => {
                self.check_unused(*trial, request.as_deref())?;
                self.check_watched(*trial, results)?;
                self.add(*trial, point, value.map(|value| Measured { value, noise: *noise }))?;
                self.watch(*trial, results, false)?;
                if value.is_none() {
                    self.compute_metric(*trial)?;
                }
                self.remark(*trial, comment.as_deref())?;
                self.keep(*trial, request.as_deref());
            }
            Event::Told { trial, value, noise, results, comment, correction, late, request } => {
                if self.is_new(*trial, request.as_deref())? {
                    let measured = Measured { value: *value, noise: *noise };
                    self.check_numbers(*trial, None, measured)?;
                    self.check_watched(*trial, results)?;
                    self.tell(*trial, measured, *correction, *late)?;
                    self.watch(*trial, results, *correction)?;
                    self.remark(*trial, comment.as_deref())?;
                    self.keep(*trial, request.as_deref());
                }
            }
            Event::Measured { trial, results, comment, correction, request } => {
                if self.is_new(*trial, request.as_deref())? {
                    self.check_watched(*trial, results)?;
                    self.watch(*trial, results, *correction)?;
                    self.compute_metric(*trial)?;
                    self.remark(*trial, comment.as_deref())?;
                    self.keep(*trial, request.as_deref());
                }
                // Results aside are left out wherever events are counted.
                self.n_aside += u64::from(!results.iter().any(|(name, _)| self.outcomes.is_data(name)));
            }
            Event::Failed { trial, reason, results, request } => {
                if self.is_new(*trial, request.as_deref())? {
                    self.check_watched(*trial, results)?;
                    self.fail(*trial, reason)?;
                    self.watch(*trial, results, false)?;
                    self.keep(*trial, request.as_deref());
                }
            }
            Event::Infeasible { trial, reason, request } => {
                if self.is_new(*trial, request.as_deref())? {
                    self.infeasible(*trial, reason)?;
                    self.keep(*trial, request.as_deref());
                }
            }
            Event::Withdrawn { trial, request } => {
                if self.is_new(*trial, request.as_deref())? {
                    self.withdraw(*trial)?;
                    self.keep(*trial, request.as_deref());
                }
            }
            Event::Budgeted { trials } => {
                self.check_budget(*trials)?;
                self.config.budget = *trials;
            }
            Event::Placed { trials } => {
                self.check_places(trials)?;
                self.wells.extend(trials.iter().map(|placed| (placed.trial, placed.well.clone())));
            }
        }
        self.revision += 1;
        Ok(())
    }

    /// The trial with this number.
    pub fn trial(&self, id: TrialId) -> Result<&Trial> {
        self.index(id).map(|i| &self.trials[i])
    }

    /// The number of the next new trial.
    pub fn next_id(&self) -> TrialId {
        TrialId(self.trials.len() as u64)
    }

    /// The number of points that may still be handed out, if there is a budget. Withdrawn trials and added points do
    /// not count.
    pub fn budget_left(&self) -> Option<usize> {
        Some(self.config.budget?.saturating_sub(self.tally.n_counted))
    }

    fn ask(
        &mut self,
        asked: &[AskedTrial],
        again: &[Retry],
        request: Option<&str>,
        provenance: &Provenance,
    ) -> Result<()> {
        if let Some(request) = request.filter(|r| self.asked.contains_key(*r)) {
            let what = format!("request `{request}` was already answered, by event {}", self.asked[request]);
            return Err(refuse(self.revision, what, "give each request its own name"));
        }
        let mut new = Vec::with_capacity(asked.len());
        for (i, AskedTrial { id, point, source }) in asked.iter().enumerate() {
            new.push(self.new_trial(*id, i, point, *source)?);
        }
        for (i, retry) in again.iter().enumerate() {
            self.check_retry(retry, &again[..i])?;
        }
        for Retry { id, attempt } in again {
            self.change(*id, |trial| trial.attempts = *attempt)?;
        }
        new.into_iter().for_each(|trial| self.push(trial));
        if let Some(request) = request {
            self.asked.insert(request.to_owned(), self.revision);
        }
        self.n_asks += 1;
        self.design_next = self.design_next.max(provenance.design_next);
        if provenance.model.is_some() {
            self.last_record = provenance.model.clone();
            self.last_outcomes.clone_from(&provenance.outcomes);
        }
        Ok(())
    }

    fn add(&mut self, id: TrialId, point: &Point, measured: Option<Measured>) -> Result<()> {
        let trial = self.new_trial(id, 0, point, Source::Given)?;
        if let Some(measured) = measured {
            self.check_numbers(id, None, measured)?;
        }
        self.push(trial);
        match measured {
            Some(measured) => self.tell(id, measured, false, false),
            None => Ok(()),
        }
    }

    /// Checks the number of a new trial, the next one plus `offset`, and creates the trial.
    pub(super) fn new_trial(&self, id: TrialId, offset: usize, point: &Point, source: Source) -> Result<Trial> {
        let expected = TrialId(self.trials.len() as u64 + offset as u64);
        if id != expected {
            let what = format!("the next new trial is {id}, but it should be {expected}");
            return Err(refuse(self.revision, what, "keep the events in the order they were written"));
        }
        let space = &self.config.space;
        let checked = space.check(point).and_then(|point| Ok((space.encode(&point)?, point)));
        let (unit, point) =
            checked.map_err(|error| error.within(format_args!("event {}: trial {id}", self.revision)))?;
        Ok(Trial {
            id,
            point,
            unit,
            source,
            state: TrialState::Pending,
            attempts: 1,
            notes: Vec::new(),
            metric: Arc::clone(&self.metric),
            watched: Vec::new(),
        })
    }

    fn withdraw(&mut self, id: TrialId) -> Result<()> {
        self.change(id, |trial| {
            if trial.is_pending() {
                trial.state = TrialState::Withdrawn;
            }
        })
    }

    fn tell(&mut self, id: TrialId, measured: Measured, correction: bool, late: bool) -> Result<()> {
        let Measured { value, noise } = measured;
        self.change(id, |trial| {
            let kind = match next_kind(&trial.state) {
                _ if correction => MeasurementKind::Correction,
                MeasurementKind::First if late => MeasurementKind::Late,
                kind => kind,
            };
            let measurement = Measurement { value, noise, kind };
            match &mut trial.state {
                TrialState::Complete { measurements } => measurements.push(measurement),
                // The value is kept, but does not make the point feasible; only a correction overrules the verdict.
                TrialState::Infeasible { measurements, .. } if !correction => measurements.push(measurement),
                TrialState::Infeasible { measurements, .. } => {
                    let mut measurements = std::mem::take(measurements);
                    measurements.push(measurement);
                    trial.state = TrialState::Complete { measurements };
                }
                TrialState::Pending | TrialState::Failed { .. } | TrialState::Withdrawn => {
                    if let TrialState::Failed { reason } = &trial.state {
                        trial.notes.push(format!("failed before its value came: {reason}"));
                    }
                    trial.state = TrialState::Complete { measurements: vec![measurement] };
                }
            }
        })?;
        self.data_changed();
        Ok(())
    }

    /// Keeps results besides the first objective, and computes what depends on them. Watched results do not change
    /// anything that a choice of points uses.
    fn watch(&mut self, id: TrialId, results: &Watched, correction: bool) -> Result<()> {
        let i = self.index(id)?;
        let was = Account::of(&self.trials[i], self.config.repeats);
        self.trials[i].watch(results, correction);
        results.iter().for_each(|(name, _)| self.outcomes.appear(name));
        for (name, formula) in self.outcomes.computed().filter(|(name, _)| **name != *self.metric) {
            self.trials[i].compute(name, formula);
        }
        self.tally.note(&self.config.space, self.config.repeats, Some(was), &self.trials[i]);
        if results.iter().any(|(name, _)| self.outcomes.is_data(name)) {
            self.data_changed();
        }
        Ok(())
    }

    /// Computes the first objective, if it is computed, from the results that are in by now: the trial's first value,
    /// or one that replaces earlier ones.
    fn compute_metric(&mut self, id: TrialId) -> Result<()> {
        let trial = self.trial(id)?;
        let formula = self.outcomes.computed_metric();
        let Some(value) = formula.and_then(|formula| formula.value(|name| trial.result(name))) else { return Ok(()) };
        if !value.is_finite() {
            return self.fail(id, &not_finite(&format!("`{}`", self.metric), value));
        }
        let correction = matches!(trial.state, TrialState::Complete { .. });
        self.tell(id, value.into(), correction, false)
    }

    fn fail(&mut self, id: TrialId, reason: &str) -> Result<()> {
        let is_news = matches!(self.trial(id)?.state, TrialState::Pending | TrialState::Withdrawn);
        self.change(id, |trial| match trial.state {
            TrialState::Pending | TrialState::Withdrawn => {
                trial.state = TrialState::Failed { reason: reason.to_owned() }
            }
            _ => trial.notes.push(format!("failed: {reason}")),
        })?;
        if is_news && self.config.failures == FailureRule::Learn {
            self.data_changed();
        }
        Ok(())
    }

    fn infeasible(&mut self, id: TrialId, reason: &str) -> Result<()> {
        let known = matches!(self.trial(id)?.state, TrialState::Infeasible { .. });
        self.change(id, |trial| {
            let measurements = match &mut trial.state {
                TrialState::Infeasible { .. } => {
                    trial.notes.push(format!("infeasible: {reason}"));
                    return;
                }
                TrialState::Complete { measurements } => std::mem::take(measurements),
                TrialState::Failed { reason } => {
                    trial.notes.push(format!("failed before it was infeasible: {reason}"));
                    Vec::new()
                }
                TrialState::Pending | TrialState::Withdrawn => Vec::new(),
            };
            trial.state = TrialState::Infeasible { reason: reason.to_owned(), measurements };
        })?;
        if !known {
            self.data_changed();
        }
        Ok(())
    }

    fn remark(&mut self, id: TrialId, comment: Option<&str>) -> Result<()> {
        match comment {
            Some(comment) => self.change(id, |trial| trial.notes.push(comment.to_owned())),
            None => Ok(()),
        }
    }

    /// Marks the current event as the last one that the model uses.
    fn data_changed(&mut self) {
        self.data_revision = self.revision + 1;
        self.data_index = self.data_revision as u64 - self.n_aside;
        self.warm.clone_from(&self.last_record);
        self.warm_outcomes.clone_from(&self.last_outcomes);
    }

    fn keep(&mut self, trial: TrialId, request: Option<&str>) {
        if let Some(request) = request {
            self.told.insert(request.to_owned(), trial);
        }
    }

    fn push(&mut self, trial: Trial) {
        self.tally.note(&self.config.space, self.config.repeats, None, &trial);
        self.trials.push(trial);
    }

    fn change(&mut self, id: TrialId, change: impl FnOnce(&mut Trial)) -> Result<()> {
        let i = self.index(id)?;
        let trial = &mut self.trials[i];
        let was = Account::of(trial, self.config.repeats);
        change(trial);
        self.tally.note(&self.config.space, self.config.repeats, Some(was), trial);
        Ok(())
    }

    pub(super) fn index(&self, id: TrialId) -> Result<usize> {
        match usize::try_from(id.0) {
            Ok(i) if i < self.trials.len() => Ok(i),
            _ => Err(Error::trial(
                match self.trials.len() {
                    1 => format!("trial {id} does not exist: the study has 1 trial"),
                    n => format!("trial {id} does not exist: the study has {n} trials"),
                },
                "use the number of a trial that was handed out or added",
            )),
        }
    }
}

/// The kind of the next value.
pub(super) fn next_kind(state: &TrialState) -> MeasurementKind {
    match state {
        TrialState::Pending => MeasurementKind::First,
        TrialState::Complete { .. } => MeasurementKind::Replicate,
        TrialState::Failed { .. } | TrialState::Infeasible { .. } | TrialState::Withdrawn => MeasurementKind::Late,
    }
}

pub(super) fn refuse(event: usize, what: impl std::fmt::Display, hint: &str) -> Error {
    Error::trial(format!("event {event}: {what}"), hint)
}
