//! From state to suggestions: design points first, then the strategy's, then random ones if there are too few.
//!
//! A suggestion depends on the log alone. Its random numbers are named by the number of asks before it; the model is a
//! function of the log up to the last result (see `state`), so caching it between asks saves time and changes nothing.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use super::aims::{MIN_RESULTS, Wanted};
use super::ask::Ask;
use super::event::{AskedTrial, Build, Event, OutcomeRecord, Provenance, Retry};
use super::initial::Initial;
use super::state::State;
use super::trial::{Source, TrialId};
use super::{Belief, Model, StrategyConfig, Study};
use crate::batch::{Aims, BatchSize, BatchStrategy, EXHAUSTIVE, Situation, Tried, free_points};
use crate::belief::{ModelRecord, OutcomeBelief};
use crate::chance::Chance;
use crate::domain::Domain;
use crate::error::{Error, Kind, Result};
use crate::linalg::Points;
use crate::rng::Stream;
use crate::space::{Point, PointKey, UnitPoint};

/// The smallest number of results for a model, if the design is that large: one value has no slope.
const MIN_OBSERVED: usize = 2;

/// How many design points in a row may be skipped, as infeasible or taken, before the design is given up.
const DESIGN_TRIES: usize = 1000;

/// The most points that a strategy chooses in one ask: each one makes the next more expensive, and beyond this many
/// they are hardly better than design points.
const MAX_CHOSEN: usize = 200;

/// The number of points to choose from if there are too few values for a model.
const LIKELY: usize = 512;

/// The largest batch: it limits the time and memory that one ask, or one damaged event, can take.
const MAX_BATCH: usize = 100_000;

/// Points for new trials, before they are recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Suggestion {
    /// The number of points that were asked for.
    pub wanted: usize,
    /// The points, with the numbers that their trials would get.
    pub trials: Vec<AskedTrial>,
    /// Lost trials to be handed out again; they count towards `wanted`.
    pub again: Vec<Retry>,
    /// Why there are fewer than were asked for.
    pub shortfall: Option<String>,
    /// What the choice was based on.
    pub provenance: Provenance,
    /// The cost of computing it. It is not part of the event.
    pub work: Work,
}

/// Operations to leading order, counted instead of timed: the same on every machine, and in a replay.
///
/// With n results in d coordinates a factorization counts n³/3, a solve n², a kernel row nd.
///
/// ```
/// use elbowroom::study::Work;
/// assert_eq!(Work { model: 2e6, choice: 1e6 }.total(), 3e6);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Work {
    /// For fitting the model that was used. Asks without a result in between share a model, and each counts its fit.
    pub model: f64,
    /// For choosing the points, given the model.
    pub choice: f64,
}

impl Work {
    /// Both together.
    pub fn total(&self) -> f64 {
        self.model + self.choice
    }
}

impl Suggestion {
    /// The event that makes these points pending.
    pub fn into_event(self, request: Option<String>) -> Event {
        Event::Asked {
            wanted: self.wanted,
            trials: self.trials,
            again: self.again,
            shortfall: self.shortfall,
            request,
            provenance: Box::new(self.provenance),
        }
    }
}

/// Chooses points for the current state of `study`, with its model or that of an earlier state. Lost trials are handed
/// out again, and only the remaining points are chosen.
pub(super) fn suggest(study: &Study, belief: Option<&Belief>, ask: &Ask) -> Result<Suggestion> {
    let state = &study.state;
    let strategy = study.strategy_with_parts()?;
    let q = BatchSize::new(ask.n)?;
    let narrowing = super::contexts::check_given(&state.config.contexts, ask.narrowing.check(&state.config.space)?)?;
    let domain = Domain::narrowed(&state.config.space, &narrowing)?;
    let pending = ask.pending.clone().unwrap_or_else(|| state.tally.pending.iter().copied().collect());
    if q.get() > MAX_BATCH {
        let what = format!("a batch of {q} points was asked for", q = q.get());
        return Err(Error::config(what, format!("ask for at most {MAX_BATCH} at a time")));
    }
    let left = state.budget_left().unwrap_or(usize::MAX);
    let again = retries(state, ask)?;
    let n_new = q.get() - again.len();
    let under_way = under_way(study, belief, pending.iter().copied().chain(again.iter().map(|retry| retry.id)));
    let mut choice = Choice::new(state, &domain, n_new.min(left), &under_way)?;

    let model_wanted = state.config.space.dim() > 0
        && belief.map_or(state.tally.n_observed, |belief| belief.n_observed)
            >= MIN_OBSERVED.min(state.config.n_initial())
        && choice.n_design < choice.wanted
        && has_all_objectives(state, belief)
        // Until results differ, points are spread, or as likely to give a value if trials have failed.
        && !belief.map_or_else(|| state.is_flat(), |belief| belief.is_flat);
    // Uniform points need no model of the values.
    let uniform = model_wanted && state.config.strategy == StrategyConfig::Random;
    let chance = match belief {
        _ if choice.n_design == choice.wanted || state.config.space.dim() == 0 => None,
        Some(belief) => belief.chance.clone()?,
        None => study.chance()?,
    };
    choice.forgive(chance.as_deref());
    // Without a failure and without a model, the design continues.
    if !model_wanted && chance.is_none() {
        choice.n_design = choice.wanted;
    }
    choice.add_design();
    let mut records = Records::default();
    if let Some(chance) = chance.as_deref().filter(|_| !model_wanted) {
        choice.add_likely(chance);
    }
    if uniform {
        choice.add_uniform();
    } else if model_wanted && choice.missing() > 0 {
        records = choice.add_by_models(study, belief, strategy, chance.as_deref())?;
    }
    if model_wanted && choice.fallback.is_none() && choice.shortfall.is_none() && choice.missing() > 0 {
        // More than a strategy chooses at once, or than it had to offer: spread the rest.
        choice.n_design = choice.wanted;
        choice.add_design();
    }
    choice.add_random();
    if choice.shortfall.is_none() && left < n_new {
        let budget = state.config.budget.unwrap_or_default();
        choice.shortfall = Some(Reason::new("budget", format!("the budget of {budget} trials is used up")));
    }

    let first = state.next_id().0;
    let trials = choice.points.into_iter().zip(first..);
    let trials = trials.map(|((point, source), id)| AskedTrial { id: TrialId(id), point, source }).collect();
    let provenance = Provenance {
        revision: state.revision,
        data_revision: belief.map_or(state.data_revision, |belief| belief.data_revision),
        pending,
        time: None,
        worker: None,
        design_next: choice.design_next,
        model: records.model,
        fallback_kind: choice.fallback.as_ref().map(|reason| reason.kind.to_owned()),
        fallback: choice.fallback.map(|reason| reason.text),
        shortfall_kind: choice.shortfall.as_ref().map(|reason| reason.kind.to_owned()),
        narrowing: (!narrowing.is_empty()).then_some(narrowing),
        strategy: study.foreign.as_ref().map(|foreign| foreign.part.clone()),
        outcomes: records.outcomes,
        reference: records.reference,
        build: Build::current(),
    };
    let shortfall = choice.shortfall.map(|reason| reason.text);
    Ok(Suggestion { wanted: q.get(), trials, again, shortfall, provenance, work: choice.work })
}

/// The recorded models of a choice.
#[derive(Default)]
struct Records {
    model: Option<ModelRecord>,
    outcomes: Vec<OutcomeRecord>,
    reference: Vec<f64>,
}

/// A reason to be recorded: a sentence for people, and a stable word for replays, so that the sentence can be reworded.
struct Reason {
    kind: &'static str,
    text: String,
}

impl Reason {
    fn new(kind: &'static str, text: impl Into<String>) -> Self {
        Self { kind, text: text.into() }
    }
}

/// The lost trials that an ask gets, each with the number of its next attempt.
fn retries(state: &State, ask: &Ask) -> Result<Vec<Retry>> {
    let next = |id: &TrialId| Ok(Retry { id: *id, attempt: state.trial(*id)?.attempts.saturating_add(1) });
    ask.retries.iter().take(ask.n).map(next).collect()
}

/// Calls `look` with what the strategy of an ask chooses from: after the design points that the ask got or, without
/// `with_design`, instead of them.
pub(super) fn in_situation<T>(
    study: &Study,
    belief: Option<&Belief>,
    ask: &Ask,
    with_design: bool,
    look: impl FnOnce(&Situation<'_>, BatchSize) -> Result<T>,
) -> Result<T> {
    let state = &study.state;
    let domain = Domain::narrowed(&state.config.space, &ask.narrowing)?;
    let pending = ask.pending.clone().unwrap_or_else(|| state.tally.pending.iter().copied().collect());
    let under_way = under_way(study, belief, pending.into_iter().chain(ask.retries.iter().copied()));
    let left = state.budget_left().filter(|_| with_design).unwrap_or(usize::MAX);
    let wanted = ask.n.saturating_sub(ask.retries.len()).min(left);
    let mut choice = Choice::new(state, &domain, wanted.max(1), &under_way)?;
    let (model, chance) = match belief {
        Some(belief) => (belief.model.clone()?, belief.chance.clone()?),
        None => (study.model()?, study.chance()?),
    };
    choice.forgive(chance.as_deref());
    if with_design {
        choice.add_design();
    }
    let wanted = Wanted::new(state, Arc::clone(&model), &outcome_models(study, belief))?;
    choice.in_situation(&model, wanted.aims().as_ref(), chance.as_deref(), look)
}

/// The models of further outcomes that a choice uses.
fn outcome_models(study: &Study, belief: Option<&Belief>) -> Vec<OutcomeBelief> {
    match belief {
        _ if study.state.outcomes.modelled().next().is_none() => Vec::new(),
        Some(belief) => belief.outcomes.clone(),
        None => study.outcome_models(),
    }
}

/// The trials that the search treats as pending: the pending ones, and those that have their value but wait for another
/// objective or a limited result.
fn under_way(study: &Study, belief: Option<&Belief>, pending: impl Iterator<Item = TrialId>) -> Vec<TrialId> {
    let mut ids: Vec<TrialId> = pending.collect();
    if study.state.outcomes.modelled().next().is_some() {
        let awaited = study.state.awaited(|name| match belief {
            Some(belief) => belief.model_of(name).is_some(),
            None => study.state.n_results(name) >= MIN_RESULTS,
        });
        let known: HashSet<TrialId> = ids.iter().copied().collect();
        ids.extend(awaited.into_iter().filter(|id| !known.contains(id)));
    }
    ids
}

/// Whether every objective has enough results for a model. Until then the design continues.
fn has_all_objectives(state: &State, belief: Option<&Belief>) -> bool {
    state.outcomes.objectives()[1..].iter().all(|one| match belief {
        Some(belief) => belief.model_of(&one.name).is_some(),
        None => state.n_results(&one.name) >= MIN_RESULTS,
    })
}

/// The distance in the unit cube to the nearest of some points.
fn distance_to(points: &[&[f64]], u: &[f64]) -> f64 {
    let squared = |p: &&[f64]| p.iter().zip(u).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    points.iter().map(squared).fold(f64::INFINITY, f64::min).sqrt()
}

/// A batch in progress.
struct Choice<'a> {
    state: &'a State,
    domain: &'a Domain<'a>,
    wanted: usize,
    /// How many of them should come from the design.
    n_design: usize,
    points: Vec<(Point, Source)>,
    /// Unit points of the pending trials, and of the points chosen so far.
    pending: Vec<UnitPoint>,
    /// Keys of the points chosen so far; the study has those that were taken before.
    chosen: HashSet<PointKey>,
    /// Where trials failed and were not forgiven.
    avoided: Tried<'a>,
    stream: Stream,
    design_next: u64,
    shortfall: Option<Reason>,
    fallback: Option<Reason>,
    work: Work,
}

impl<'a> Choice<'a> {
    fn new(state: &'a State, domain: &'a Domain<'a>, wanted: usize, pending: &[TrialId]) -> Result<Self> {
        let pending = pending.iter().map(|id| Ok(state.trial(*id)?.unit.clone())).collect::<Result<_>>()?;
        Ok(Self {
            state,
            domain,
            wanted,
            n_design: state.config.n_initial().saturating_sub(state.tally.n_started).min(wanted),
            points: Vec::new(),
            pending,
            chosen: HashSet::new(),
            avoided: Tried { points: Vec::new(), failed: state.failed() },
            stream: Stream::new(state.config.seed).child("ask", state.n_asks),
            design_next: state.design_next,
            shortfall: None,
            fallback: None,
            work: Work::default(),
        })
    }

    /// No longer keeps away from failures that were bad luck.
    fn forgive(&mut self, chance: Option<&Chance>) {
        let Some(chance) = chance else { return };
        let valued = self.state.trials.iter().filter(|trial| trial.value().is_some());
        self.avoided.forgive(chance, &valued.map(|trial| trial.unit.as_slice()).collect::<Vec<_>>());
    }

    fn missing(&self) -> usize {
        self.wanted - self.points.len()
    }

    fn add_design(&mut self) {
        let config = &self.state.config;
        if config.space.dim() == 0 || self.n_design == 0 {
            return;
        }
        let mut design = Initial::starting_at(config, self.domain, self.design_next);
        let mut passed_over = 0;
        while self.points.len() < self.n_design && passed_over < DESIGN_TRIES {
            let u = design.point();
            if self.take(&u, Source::Design) {
                passed_over = 0;
            } else {
                passed_over += 1;
            }
        }
        // An exhausted design is not searched again and again: random points follow here, and the next ask continues
        // after the last useful point.
        self.design_next = design.next_index() - passed_over as u64;
    }

    /// If trials have failed and there are too few values for a model: points likely to give a value, far from tried
    /// ones.
    fn add_likely(&mut self, chance: &Chance) {
        let mut stream = self.stream.child("likely", 0);
        let mut candidates = Points::new(self.domain.dim());
        let mut sampler = self.domain.sampler();
        for u in (0..LIKELY).filter_map(|_| sampler.next_feasible(&mut stream, 100)) {
            candidates.push(&u);
        }
        let ln_chances = chance.ln_p_many(&candidates);
        let tried: Vec<&[f64]> = self.state.trials.iter().map(|trial| trial.unit.as_slice()).collect();
        let mut room: Vec<f64> = candidates.iter().map(|u| distance_to(&tried, u)).collect();
        while self.missing() > 0 {
            let score = |i: usize| ln_chances[i] + room[i].ln();
            let best = (0..candidates.len()).max_by(|&a, &b| score(a).total_cmp(&score(b)).then(b.cmp(&a)));
            let Some(best) = best.filter(|best| room[*best] > 0.0) else { break };
            let u = UnitPoint::clamped(candidates.row(best).to_vec());
            self.take(&u, Source::Random);
            for (i, room) in room.iter_mut().enumerate() {
                *room = room.min(distance_to(&[&u], candidates.row(i)));
            }
        }
        let what = if self.state.is_flat() { "all results are equal" } else { "too few values for a model" };
        let text = format!("{what}: points where a value is likely, far from those tried");
        self.fallback = Some(Reason::new("few_values", text));
    }

    /// The points of [`Random`](crate::batch::Random).
    fn add_uniform(&mut self) {
        let mut stream = self.stream.child("strategy", 0).child("random", 0);
        let q = self.missing().min(MAX_CHOSEN);
        let tried = self.tried();
        let (points, _) = free_points(self.domain, &self.taken(), &tried, &mut HashSet::new(), q, &mut stream);
        for u in &points {
            self.take(u, Source::Model);
        }
    }

    /// The trials that proposals keep away from.
    fn tried(&self) -> Tried<'a> {
        Tried { failed: self.avoided.failed.clone(), ..self.state.tried() }
    }

    /// Keys of the points that are taken, including those chosen so far.
    fn taken(&self) -> Cow<'a, HashSet<PointKey>> {
        match &self.state.tally.taken {
            taken if self.chosen.is_empty() => Cow::Borrowed(taken),
            taken => Cow::Owned(taken.union(&self.chosen).cloned().collect()),
        }
    }

    /// What the strategy chooses from, and how many points it should choose.
    fn in_situation<T>(
        &self,
        model: &Model,
        aims: Option<&Aims<'_>>,
        chance: Option<&Chance>,
        look: impl FnOnce(&Situation<'_>, BatchSize) -> Result<T>,
    ) -> Result<T> {
        let (taken, tried, stream) = (self.taken(), self.tried(), self.stream.child("strategy", 0));
        let situation = Situation {
            posterior: &model.posterior,
            domain: self.domain,
            pending: &self.pending,
            taken: &taken,
            tried: &tried,
            chance,
            aims,
            stream: &stream,
            score_all: self.state.config.score_all.unwrap_or(EXHAUSTIVE),
        };
        look(&situation, BatchSize::new(self.missing().min(MAX_CHOSEN))?)
    }

    /// The strategy's points, with the models of a belief or the current ones of the study.
    fn add_by_models(
        &mut self,
        study: &Study,
        belief: Option<&Belief>,
        strategy: &dyn BatchStrategy,
        chance: Option<&Chance>,
    ) -> Result<Records> {
        let model = belief.map_or_else(|| study.model(), |belief| belief.model.clone());
        let others = outcome_models(study, belief);
        let models = model.and_then(|model| Ok((Arc::clone(&model), Wanted::new(self.state, model, &others)?)));
        match models {
            Ok((model, wanted)) => {
                self.work.model = model.work + wanted.work() + chance.map_or(0.0, |chance| chance.work());
                self.add_model(strategy, &model, wanted.aims().as_ref(), chance)?;
                let record = Some(model.record.clone());
                Ok(Records { model: record, outcomes: wanted.records(), reference: wanted.reference() })
            }
            Err(error) if error.kind() == Kind::Numerical => {
                self.fall_back(&error);
                Ok(Records::default())
            }
            Err(error) => Err(error),
        }
    }

    fn add_model(
        &mut self,
        strategy: &dyn BatchStrategy,
        model: &Model,
        aims: Option<&Aims<'_>>,
        chance: Option<&Chance>,
    ) -> Result<()> {
        match self.in_situation(model, aims, chance, |situation, q| strategy.choose(situation, q)) {
            Ok(batch) => {
                for u in batch.points.iter().take(self.missing()) {
                    self.take(u, Source::Model);
                }
                self.shortfall = batch.info.ended.map(|why| Reason::new("strategy_ended", why));
                self.work.choice = batch.info.work;
                Ok(())
            }
            Err(error) if error.kind() == Kind::Numerical => {
                self.fall_back(&error);
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// A failed computation affects the quality of some points, not the study, and is recorded.
    fn fall_back(&mut self, error: &Error) {
        // Logs record one line.
        let what = error.what().lines().next().unwrap_or_default();
        let text = format!("random points instead of the strategy's: {what}");
        self.fallback = Some(Reason::new(error.kind().as_str(), text));
    }

    fn add_random(&mut self) {
        // A strategy that ended its batch does not want more points, not even random ones.
        if self.missing() == 0 || self.shortfall.is_some() {
            return;
        }
        let missing = self.missing();
        let mut stream = self.stream.child("free", 0);
        let (taken, avoided) = (&self.state.tally.taken, &self.avoided);
        let (points, shortfall) = free_points(self.domain, taken, avoided, &mut self.chosen, missing, &mut stream);
        self.points.extend(points.iter().map(|u| (self.domain.decode(u), Source::Random)));
        self.shortfall = shortfall.map(|why| Reason::new("no_free_points", why));
    }

    /// Takes a point if it is feasible and free.
    fn take(&mut self, u: &UnitPoint, source: Source) -> bool {
        if !self.domain.is_feasible(u) {
            return false;
        }
        let key = self.domain.key(u);
        let is_taken = self.state.tally.taken.contains(&key) || self.avoided.is_beside_failure(self.domain.space(), u);
        if is_taken || !self.chosen.insert(key) {
            return false;
        }
        self.points.push((self.domain.decode(u), source));
        self.pending.push(u.clone());
        true
    }
}
