//! The decisions that all stores make in the same way inside a transaction.

use std::time::Duration;

use elbowroom::study::{Event, TrialId};

use crate::error::{Error, Result};
use crate::lease::{Attempt, Lease};
use crate::log::{Key, request_reused, trial_of};
use crate::store::{Handout, Reported, Ticket};
use crate::time::Time;

/// The lease that an attempt takes, given the trial's current one; [`Taken::Revived`] if that one's worker is alive
/// after all.
pub(crate) fn take(attempt: Attempt, standing: Option<&Lease>, handout: &Handout<'_>, now: Time) -> Taken {
    let Some(ttl) = handout.ttl else { return Taken::None };
    match standing {
        // A new trial does not have a lease, unless the log was cut by hand.
        _ if attempt.number == 1 => Taken::New(Lease::new(attempt, handout.worker, ttl, now)),
        None => Taken::New(Lease::new(attempt, handout.worker, ttl, now)),
        Some(lease) if lease.is_due(now) && lease.attempt.number < attempt.number => {
            Taken::New(lease.next(attempt, handout.worker, ttl, now))
        }
        Some(_) => Taken::Revived,
    }
}

/// See [`take`].
pub(crate) enum Taken {
    New(Lease),
    None,
    Revived,
}

/// Judges a report, given the trial's lease: the event to append, or `None` to leave it out.
pub(crate) fn judge(event: &Event, attempt: Option<u32>, lease: Option<&Lease>, now: Time) -> Option<Event> {
    let superseded = lease.zip(attempt).is_some_and(|(lease, number)| number < lease.attempt.number);
    let mut event = event.clone();
    match &mut event {
        Event::Failed { .. } | Event::Withdrawn { .. } if superseded => return None,
        Event::Told { late, .. } => *late |= superseded || lease.is_some_and(|lease| !lease.is_live(now)),
        _ => {}
    }
    Some(event)
}

/// The trial that a report is about; other events cannot be reported.
pub(crate) fn reported_trial(event: &Event) -> Result<TrialId> {
    match event {
        Event::Told { .. }
        | Event::Measured { .. }
        | Event::Failed { .. }
        | Event::Infeasible { .. }
        | Event::Withdrawn { .. } => trial_of(event).ok_or_else(not_a_report),
        _ => Err(not_a_report()),
    }
}

/// A hand-out is an `asked` or an `added`.
pub(crate) fn check_handout(event: &Event) -> Result<()> {
    match event {
        Event::Asked { .. } | Event::Added { .. } => Ok(()),
        _ => Err(Error::request("this event hands nothing out", "append what was asked or added, and report the rest")),
    }
}

/// Only events that need no lease may be appended in groups.
pub(crate) fn check_unleased(event: &Event) -> Result<()> {
    match event {
        Event::Created { .. } | Event::Asked { .. } => Err(Error::request(
            "this event begins a study or hands points out",
            "create a study, and ask it for points",
        )),
        _ => Ok(()),
    }
}

/// A study begins with `created`, and a configuration that it can be opened with.
pub(crate) fn check_created(event: &Event) -> Result<()> {
    match event {
        Event::Created { config } => Ok(config.validate()?),
        _ => Err(Error::request("the first event is not `created`", "begin a study with its configuration")),
    }
}

/// The answer to a request that was seen before, as event `number` about `trial`.
pub(crate) fn repeated(key: &Key<'_>, number: usize, was: Option<TrialId>, is: TrialId) -> Result<Reported> {
    if was == Some(is) { Ok(Reported::Repeated(number)) } else { Err(request_reused(key.request, number)) }
}

/// A place in the queue of askers, as it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waiting {
    /// Which place.
    pub ticket: Ticket,
    /// When it is given up, unless its asker says again that it is waiting.
    pub expires: Time,
    /// How long the waiting asker may be silent.
    pub ttl: Duration,
}

impl Waiting {
    /// As with a lease, a place that ends too far ahead was given by a clock that has been set back.
    pub fn is_live(&self, now: Time) -> bool {
        now < self.expires && self.expires <= now.after(self.ttl + Duration::from_secs(1))
    }
}

/// Whether a hand-out has to wait for others. Points that users add are not chosen, so they do not wait.
pub(crate) fn must_wait(handout: &Handout<'_>, queue: impl IntoIterator<Item = Ticket>) -> bool {
    let asks = matches!(handout.event, Event::Asked { .. });
    asks && queue.into_iter().any(|other| handout.ticket.is_none_or(|own| other < own))
}

fn not_a_report() -> Error {
    Error::request(
        "this event does not report anything about a trial",
        "report that a trial was told, failed or given back",
    )
}
