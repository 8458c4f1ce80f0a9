//! The contract that all stores fulfil.

use std::time::Duration;

use elbowroom::study::Event;
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::lease::{Attempt, Hold, Lease};
use crate::log::Entry;
use crate::time::Time;

/// Keeps the logs of studies, and with each log the leases of its trials and a queue of askers.
///
/// A study's *revision* is the number of its events. Every method is one transaction: it happens as a whole or not at
/// all, and once it has returned, what it wrote survives a crash of every process (and with SQLite and PostgreSQL, of
/// the machine). Work outside a store that takes time, such as a fit, never happens inside a transaction.
///
/// Most programs use a [`SharedStudy`](crate::SharedStudy), which calls the store for them.
///
/// ```
/// use elbowroom::space::{Parameter, SearchSpace};
/// use elbowroom::study::{Event, StudyConfig};
/// use elbowroom_store::{Memory, Store};
///
/// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
/// let store = Memory::new();
/// store.create("plate", &Event::Created { config: Box::new(StudyConfig::new(space)) })?;
/// assert_eq!(store.studies()?[0].name, "plate");
/// assert_eq!(store.read("plate", 0)?.entries.len(), 1);
/// # Ok::<(), elbowroom_store::Error>(())
/// ```
pub trait Store: Send + Sync {
    /// Its location, for people: a path or an address, never with a password.
    fn label(&self) -> String;

    /// Creates a study with this name and its first event.
    fn create(&self, study: &str, created: &Event) -> Result<()>;

    /// Creates a study with this name, a complete log and its leases, or nothing. The entries are kept as they are; the
    /// leases are renewed.
    fn import(&self, study: &str, entries: &[Entry], leases: &[Lease]) -> Result<()>;

    /// The studies it holds, by name.
    fn studies(&self) -> Result<Vec<StudyInfo>>;

    /// The entries from revision `from` on, with the leases, the queue and the time of the same moment. Fails if the
    /// study has fewer events: then it is not the one that was read before.
    fn read(&self, study: &str, from: usize) -> Result<Snapshot>;

    /// Appends a hand-out and takes its leases, if the study is still at revision `expected`. An `Asked` also has to
    /// wait while others are before it in the queue.
    fn append(&self, study: &str, expected: usize, handout: &Handout<'_>) -> Result<Appended>;

    /// Appends many events that take no leases (all but `Created` and `Asked`), if the study is still at revision
    /// `expected`. A report about a trial ends its lease; a request that was used before is refused.
    fn append_all(&self, study: &str, expected: usize, events: &[Event]) -> Result<Appended>;

    /// Appends a report about a trial (told, failed, infeasible, released), at any revision, and ends the trial's
    /// lease. The same request again appends nothing. `attempt` is the number of the attempt it comes from, if that is
    /// known: from a lease that ran out, a value is kept and marked late; from one that was superseded, a failure or a
    /// release says nothing about the trial, and is left out. A log with fewer than `seen` events is not the one that
    /// the reporter knows, and is left unchanged.
    fn report(&self, study: &str, event: &Event, attempt: Option<u32>, seen: usize) -> Result<Reported>;

    /// Reports that these attempts are alive and renews their leases. The answers are in the same order.
    fn extend(&self, study: &str, attempts: &[Attempt]) -> Result<Vec<Hold>>;

    /// Hands trials back, to be handed out again at once. It does not count as a loss, and the log does not change.
    fn requeue(&self, study: &str, attempts: &[Attempt]) -> Result<()>;

    /// Reports that the workers of these attempts are gone, so that their leases run out now. Each attempt counts as
    /// lost, so that a trial which kills its workers is not handed out for ever.
    fn lose(&self, study: &str, attempts: &[Attempt]) -> Result<()>;

    /// Enters the queue of askers, or with a ticket stays in it, for `ttl` from now; returns the ticket.
    ///
    /// The queue is for fairness: the first asker has the next turn. Only waiting times depend on it: an ask is
    /// appended at the revision it knows or not at all, and an asker that dies drops out of the queue after `ttl`.
    fn queue(&self, study: &str, ticket: Option<Ticket>, ttl: Duration) -> Result<Ticket>;

    /// Leaves the queue of askers.
    fn leave(&self, study: &str, ticket: Ticket) -> Result<()>;

    /// Pauses a study for the given time, or resumes it. During a pause nothing is handed out; points that users add
    /// and results are still accepted. A pause is an entry at the front of the queue, so that every version respects
    /// it. Whoever pauses must renew the pause before it runs out; the pause of a process that died ends by itself.
    fn pause(&self, study: &str, ttl: Option<Duration>) -> Result<()>;
}

/// A place in the queue of askers; smaller ones come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ticket(pub i64);

impl Ticket {
    /// The place of a pause of the study with this number in its store: before all others, whose tickets are positive.
    pub(crate) fn of_pause(study: i64) -> Self {
        Self(-1 - study)
    }

    /// Whether it is the place of a pause.
    pub fn is_pause(self) -> bool {
        self.0 < 0
    }
}

/// A study in the list of a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StudyInfo {
    /// Its name.
    pub name: String,
    /// The number of its events.
    pub revision: usize,
    /// When it was created.
    pub created: Time,
    /// When its last event was stored.
    pub changed: Time,
}

/// A study at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// The store's time.
    pub now: Time,
    /// The entries from the requested revision on.
    pub entries: Vec<Entry>,
    /// The leases of trials that have not ended, by trial, including those of lost trials.
    pub leases: Vec<Lease>,
    /// The waiting askers, in order.
    pub queue: Vec<Ticket>,
}

/// What [`Store::append`] writes in one transaction.
#[derive(Debug, Clone, Copy)]
pub struct Handout<'a> {
    /// `Asked`, or `Added` for a point that a user adds.
    pub event: &'a Event,
    /// The attempts that it starts.
    pub attempts: &'a [Attempt],
    /// The worker that takes them.
    pub worker: &'a str,
    /// How long the worker may be silent; none for trials that are never lost, such as a person's.
    pub ttl: Option<Duration>,
    /// A place in the queue of askers, which is freed at the same time.
    pub ticket: Option<Ticket>,
}

/// What became of a conditional append.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appended {
    /// Done; the study has this revision now.
    Done(usize),
    /// Not done: the study already has this revision.
    Newer(usize),
    /// Not done: the worker of a trial that should be handed out again has come back.
    Revived,
    /// Not done: others are before it in the queue.
    Queued,
}

/// What became of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reported {
    /// Appended as the event of this number.
    Appended(usize),
    /// The event of this number was the same report.
    Repeated(usize),
    /// Ignored: another worker has the trial by now, and the report had no value.
    Superseded,
}

impl Reported {
    /// Its name in answers to programs.
    ///
    /// ```
    /// assert_eq!(elbowroom_store::Reported::Appended(7).word(), "appended");
    /// ```
    pub fn word(self) -> &'static str {
        match self {
            Reported::Appended(_) => "appended",
            Reported::Repeated(_) => "repeated",
            Reported::Superseded => "superseded",
        }
    }
}
