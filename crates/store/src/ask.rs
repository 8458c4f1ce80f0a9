//! Asking a study that others ask too.
//!
//! Read the study at revision r, choose points outside any lock, and append them if the study is still at r. If in the
//! meantime
//!
//! - results came, values or failures, the points are as good as before, and are appended after them;
//! - others took points, those are pending now: choose again, with their penalizers and the same model as before. A
//!   model costs a fit, a penalizer almost nothing;
//! - others keep being faster, take a place in the store's queue of askers and wait for your turn. Only the first in
//!   the queue chooses, so every asker gets its turn in bounded time; an asker that dies loses its place by the clock.
//!
//! While a study is paused, no asker gets a turn.
//!
//! Lost trials come first: they are handed out again, as their next attempt.

use std::time::{Duration, Instant};

use elbowroom::study::{Ask, Belief, Event, Suggestion, TrialId, TrialStatus};

use crate::error::Result;
use crate::kill_point;
use crate::lease::Attempt;
use crate::log::Entry;
use crate::request;
use crate::shared::{Assignment, Assignments, MAX_ROUNDS, SharedStudy, too_busy};
use crate::store::{Appended, Handout, Ticket};

/// Losses after which an asker queues.
const PATIENCE: usize = 2;

/// How long an asker that gives no sign of life keeps its place, unless its choices take long.
const TURN: Duration = Duration::from_secs(3);

/// How long a waiting asker pauses between looks, for each asker before it: those far behind leave the store to those
/// in front.
const GLANCE: Duration = Duration::from_millis(5);
const LONGEST_GLANCE: Duration = Duration::from_millis(250);

/// What one ask keeps from round to round.
#[derive(Default)]
struct Asking {
    /// The belief behind the first choice, once results have come since.
    belief: Option<Belief>,
    /// How long the last choice took; `None` before the first.
    chose_in: Option<Duration>,
    ticket: Option<Ticket>,
}

impl SharedStudy {
    /// Takes more points to evaluate, or as many as there are: `study.ask(4)`, or an [`Ask`] with more details. They
    /// are stored, with leases, before this returns. While the study is paused, it waits.
    ///
    /// The store knows which trials are pending and lost, so leave them out of an `Ask`. Lost trials come first, if
    /// they lie in the part of the space that is asked for. Asking again under the same request name gives the same
    /// trials in their current state, even if the first answer never arrived. An answer without trials is not kept: the
    /// next one may have some.
    pub fn ask(&mut self, ask: impl Into<Ask>) -> Result<Assignments> {
        self.ask_while(ask, &|| true)
    }

    /// Like [`ask`](Self::ask), for a caller that may leave while points are chosen: each time before something is
    /// stored, `stays` says whether the caller is still there. If not, nothing is handed out.
    ///
    /// ```
    /// # use elbowroom::space::{Parameter, SearchSpace};
    /// # use elbowroom::study::StudyConfig;
    /// # use elbowroom_store::{Memory, SharedStudy};
    /// # let space = SearchSpace::new(vec![Parameter::float("x", -1.0, 1.0)])?;
    /// # let mut study = SharedStudy::create(std::sync::Arc::new(Memory::new()), "plate", StudyConfig::new(space))?;
    /// assert!(study.ask_while(2, &|| false)?.trials.is_empty());
    /// assert!(study.study().trials().is_empty());
    /// # Ok::<(), elbowroom_store::Error>(())
    /// ```
    pub fn ask_while(&mut self, ask: impl Into<Ask>, stays: &dyn Fn() -> bool) -> Result<Assignments> {
        let ask = with_name(ask.into());
        loop {
            if let Some(handed) = self.ask_now(&ask, stays)? {
                return Ok(handed);
            }
            std::thread::sleep(request::jittered(LONGEST_GLANCE));
        }
    }

    /// Like [`ask`](Self::ask), but returns `None` if the study is paused.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, SearchSpace};
    /// use elbowroom::study::StudyConfig;
    /// use elbowroom_store::{Memory, SharedStudy, Store};
    /// use std::{sync::Arc, time::Duration};
    ///
    /// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
    /// let store = Arc::new(Memory::new());
    /// let mut study = SharedStudy::create(store.clone(), "plate", StudyConfig::new(space))?;
    /// store.pause("plate", Some(Duration::from_secs(60)))?;
    /// assert!(study.ask_unless_paused(1)?.is_none() && study.stored().is_paused());
    /// store.pause("plate", None)?;
    /// assert!(study.ask_unless_paused(1)?.is_some());
    /// # Ok::<(), elbowroom_store::Error>(())
    /// ```
    pub fn ask_unless_paused(&mut self, ask: impl Into<Ask>) -> Result<Option<Assignments>> {
        self.ask_now(&with_name(ask.into()), &|| true)
    }

    fn ask_now(&mut self, ask: &Ask, stays: &dyn Fn() -> bool) -> Result<Option<Assignments>> {
        let request = ask.request.as_deref().unwrap_or_default();
        crate::log::check_name("the request", request)?;
        let mut asking = Asking::default();
        let handed = self.ask_until_handed(ask, request, stays, &mut asking);
        if let Some(ticket) = asking.ticket.take() {
            // A place that cannot be given up expires by itself.
            let _ = self.store.leave(&self.name, ticket);
        }
        handed
    }

    fn ask_until_handed(
        &mut self,
        ask: &Ask,
        request: &str,
        stays: &dyn Fn() -> bool,
        asking: &mut Asking,
    ) -> Result<Option<Assignments>> {
        self.refresh()?;
        if let Some(handed) = self.answer(request) {
            let attempts: Vec<Attempt> = handed.trials.iter().map(|handed| handed.attempt).collect();
            self.store.extend(&self.name, &attempts)?;
            return Ok(Some(handed));
        }
        for losses in 0..MAX_ROUNDS {
            if losses >= PATIENCE || asking.ticket.is_some() {
                self.wait_for_turn(asking)?;
            }
            if let Some(handed) = self.answer(request) {
                return Ok(Some(handed));
            }
            if self.stored().is_paused() {
                return Ok(None);
            }
            kill_point::at("ask: looked");
            let start = Instant::now();
            let suggestion = self.choose(ask, asking.belief.as_ref())?;
            asking.chose_in = Some(start.elapsed());
            kill_point::at("ask: chose");
            if suggestion.trials.is_empty() && suggestion.again.is_empty() {
                return Ok(Some(Assignments { trials: Vec::new(), shortfall: suggestion.shortfall, subset: None }));
            }
            if !stays() {
                let shortfall = Some("who asked has left".to_owned());
                return Ok(Some(Assignments { trials: Vec::new(), shortfall, subset: None }));
            }
            if self.hand_out(suggestion, request, asking)? {
                kill_point::at("ask: stored");
                self.refresh()?;
            }
        }
        Err(too_busy(&self.name))
    }

    /// Points for the study's current state, lost trials first, with the model of an earlier state if there is one.
    fn choose(&self, ask: &Ask, belief: Option<&Belief>) -> Result<Suggestion> {
        let status = |wanted: TrialStatus| -> Vec<TrialId> {
            self.study.pending().filter(|trial| self.status(trial) == wanted).map(|trial| trial.id).collect()
        };
        let (mut lost, running) = (status(TrialStatus::Queued), status(TrialStatus::Running));
        let narrowing = ask.narrowing.check(self.study.space())?;
        lost.retain(|id| self.study.trial(*id).is_ok_and(|trial| narrowing.holds_at(&trial.point)));
        // Lost trials beyond the number asked for stay lost: no worker has them.
        let ask = ask.clone().with_pending(running).retrying(lost);
        let mut suggestion = match belief {
            Some(belief) => self.study.suggest_with(ask, belief)?,
            None => self.study.suggest(ask)?,
        };
        suggestion.provenance.time = Some(self.now.0);
        suggestion.provenance.worker = Some(self.worker.clone());
        Ok(suggestion)
    }

    /// Appends a choice. False if it has to be made again.
    fn hand_out(&mut self, suggestion: Suggestion, request: &str, asking: &mut Asking) -> Result<bool> {
        let again = suggestion.again.iter().map(|retry| Attempt { trial: retry.id, number: retry.attempt });
        let attempts: Vec<Attempt> =
            again.chain(suggestion.trials.iter().map(|trial| Attempt::first(trial.id))).collect();
        let event = suggestion.into_event(Some(request.to_owned()));
        for _ in 0..MAX_ROUNDS {
            let ticket = asking.ticket;
            let (worker, ttl) = (&self.worker, Some(self.ttl));
            let handout = Handout { event: &event, attempts: &attempts, worker, ttl, ticket };
            let before = self.revision();
            match self.store.append(&self.name, before, &handout)? {
                Appended::Done(_) => {
                    asking.ticket = None;
                    return Ok(true);
                }
                Appended::Newer(_) => {}
                Appended::Queued => self.enter_queue(asking)?,
                Appended::Revived => {}
            }
            self.refresh_keeping_belief(asking)?;
            if asking.ticket != ticket || !self.still_holds(&event, before) {
                return Ok(false);
            }
        }
        Ok(false)
    }

    /// Whether a choice that was made at an earlier revision is as good at this one.
    fn still_holds(&self, event: &Event, before: usize) -> bool {
        let Event::Asked { trials, again, .. } = event else { return false };
        let harmless = |since: &Event| match since {
            Event::Told { trial, .. }
            | Event::Failed { trial, .. }
            | Event::Infeasible { trial, .. }
            | Event::Withdrawn { trial, .. } => again.iter().all(|retry| retry.id != *trial),
            // The budget is checked below.
            Event::Measured { .. } | Event::Budgeted { .. } | Event::Placed { .. } => true,
            Event::Created { .. } | Event::Asked { .. } | Event::Added { .. } => false,
        };
        // Without new events, it was a lease that changed.
        let since = &self.study.events()[before..];
        !since.is_empty()
            && since.iter().all(harmless)
            && self.study.budget_left().is_none_or(|left| trials.len() <= left)
    }

    /// Reads new events, and keeps the model of the last choice if results have come since.
    fn refresh_keeping_belief(&mut self, asking: &mut Asking) -> Result<()> {
        let snapshot = self.store.read(&self.name, self.revision())?;
        let keeps_model = asking.chose_in.is_some() && asking.belief.is_none();
        if keeps_model && snapshot.entries.iter().any(Entry::may_be_a_result) {
            asking.belief = self.study.cached_belief();
        }
        self.absorb(snapshot, |_, _, _| {})
    }

    fn enter_queue(&self, asking: &mut Asking) -> Result<()> {
        let turn = TURN.max(asking.chose_in.unwrap_or_default() * 4);
        asking.ticket = Some(self.store.queue(&self.name, asking.ticket, turn)?);
        Ok(())
    }

    fn wait_for_turn(&mut self, asking: &mut Asking) -> Result<()> {
        self.enter_queue(asking)?;
        let mut entered = Instant::now();
        loop {
            self.refresh_keeping_belief(asking)?;
            let n_before = self.queue.iter().filter(|other| asking.ticket.is_none_or(|own| **other < own)).count();
            if n_before == 0 || self.stored().is_paused() {
                return Ok(());
            }
            if entered.elapsed() > TURN / 3 {
                self.enter_queue(asking)?;
                entered = Instant::now();
            }
            std::thread::sleep(request::jittered((GLANCE * n_before as u32).min(LONGEST_GLANCE)));
        }
    }

    /// The answer that a request was given, if there was one.
    fn answer(&self, request: &str) -> Option<Assignments> {
        let asked = self.study.answered(request)?;
        let is_it = |event: &&Event| matches!(event, Event::Asked { request: Some(r), .. } if r == request);
        let Some(Event::Asked { again, .. }) = self.study.events().iter().rev().find(is_it) else { return None };
        let number = |id| again.iter().find(|retry| retry.id == id).map_or(1, |retry| retry.attempt);
        let handed = asked.trials.into_iter().map(|trial| {
            let attempt = Attempt { trial: trial.id, number: number(trial.id) };
            Assignment { trial, attempt }
        });
        Some(Assignments { trials: handed.collect(), shortfall: asked.shortfall, subset: asked.subset })
    }
}

/// An ask under a name, so that it can be repeated.
fn with_name(ask: Ask) -> Ask {
    Ask { request: Some(ask.request.unwrap_or_else(request::fresh)), ..ask }
}
