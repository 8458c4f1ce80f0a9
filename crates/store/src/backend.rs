//! What a custom store has to implement: how rows are kept, and what a transaction is. Everything else follows.

use std::time::Duration;

use elbowroom::study::{Event, TrialId};

use crate::error::{Error, Result};
use crate::lease::{Attempt, Hold, Lease};
use crate::log::{Digest, Entry, Key, Scope, trial_of};
use crate::rules::Waiting;
use crate::store::{Appended, Handout, Reported, Snapshot, Store, StudyInfo, Ticket};
use crate::time::Time;
use crate::transactions;

/// A place that keeps [`Rows`] and changes them in transactions. Every backend is a [`Store`].
///
/// The stores of this crate in memory, in SQLite and in PostgreSQL are backends; `examples/own_parts` contains another
/// one. The module `testing`, which the feature of that name turns on, tests what a store promises.
pub trait Backend: Send + Sync {
    /// What can go wrong with the rows.
    type RowError: From<Error>;

    /// Its location, for people: a path or an address, never with a password.
    fn label(&self) -> String;

    /// Does some work on the rows in one transaction. If it succeeds, all changes are kept before this returns (on
    /// disk, if the rows are there); if it fails, none are. With `writes`, nobody else changes the study in the
    /// meantime; without, all rows are read at one moment. The work may be repeated from the beginning if its changes
    /// were not kept.
    ///
    /// Work reads everything before it writes anything, so a backend that cannot undo its writes keeps this promise if
    /// its rows cannot fail.
    fn transact<T>(
        &self,
        writes: bool,
        work: impl Fn(&mut dyn Rows<RowError = Self::RowError>) -> Result<T, Self::RowError>,
    ) -> Result<T>;
}

/// The rows of a store within one transaction. Here a study is identified by a number, counted from 0.
pub trait Rows {
    /// What can go wrong with them.
    type RowError: From<Error>;

    /// The store's time.
    fn now(&mut self) -> Result<Time, Self::RowError>;
    /// The study with this name, or [`Error::no_study`]; within a write it is locked against other writers.
    fn study(&mut self, name: &str) -> Result<i64, Self::RowError>;
    /// Creates a study; `None` if the name is taken.
    fn new_study(&mut self, name: &str) -> Result<Option<i64>, Self::RowError>;
    /// All studies by name; those without an event are left out.
    fn studies(&mut self) -> Result<Vec<StudyInfo>, Self::RowError>;

    /// The study's revision, and the digest of its last entry.
    fn end(&mut self, study: i64) -> Result<(usize, Digest), Self::RowError>;
    /// The entries from this number on.
    fn entries(&mut self, study: i64, from: usize) -> Result<Vec<Entry>, Self::RowError>;
    /// Stores an entry, so that it can be found by its number and by `about`.
    fn push(&mut self, study: i64, number: usize, entry: &Entry, about: &Filed<'_>) -> Result<(), Self::RowError>;
    /// Stores many entries, the first of them with this number.
    fn push_all(&mut self, study: i64, first: usize, entries: &[(Entry, Filed<'_>)]) -> Result<(), Self::RowError> {
        let mut numbered = (first..).zip(entries);
        numbered.try_for_each(|(number, (entry, about))| self.push(study, number, entry, about))
    }
    /// One of these request names that a report or an added point used, with the event's number.
    fn any_reported(&mut self, study: i64, requests: &[&str]) -> Result<Option<(String, usize)>, Self::RowError> {
        for request in requests {
            if let Some((number, _)) = self.seen(study, &Key { scope: Scope::Report, request })? {
                return Ok(Some(((*request).to_owned(), number)));
            }
        }
        Ok(None)
    }
    /// The number and the trial of the event with this key.
    fn seen(&mut self, study: i64, key: &Key<'_>) -> Result<Option<(usize, Option<TrialId>)>, Self::RowError>;

    /// All leases, by trial.
    fn leases(&mut self, study: i64) -> Result<Vec<Lease>, Self::RowError>;
    /// The lease of a trial.
    fn lease(&mut self, study: i64, trial: TrialId) -> Result<Option<Lease>, Self::RowError>;
    /// Stores a lease, replacing the trial's earlier one.
    fn put_lease(&mut self, study: i64, lease: &Lease) -> Result<(), Self::RowError>;
    /// Removes the lease of a trial, if there is one.
    fn drop_lease(&mut self, study: i64, trial: TrialId) -> Result<(), Self::RowError>;

    /// The queue in its order, dead places included.
    fn queue(&mut self, study: i64) -> Result<Vec<Waiting>, Self::RowError>;
    /// Adds a place at the end of the queue, with a positive ticket that was never used before.
    fn new_ticket(&mut self, study: i64, expires: Time, ttl: Duration) -> Result<Ticket, Self::RowError>;
    /// Changes a place in the queue, if it exists.
    fn put_ticket(&mut self, study: i64, waiting: &Waiting) -> Result<(), Self::RowError>;
    /// Removes a place from the queue, if it exists.
    fn drop_ticket(&mut self, study: i64, ticket: Ticket) -> Result<(), Self::RowError>;
    /// Puts a pause into the queue before all others, or keeps it there.
    fn put_pause(&mut self, study: i64, waiting: &Waiting) -> Result<(), Self::RowError>;
}

/// The keys by which an entry can be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filed<'a> {
    /// The name of its request.
    pub key: Option<Key<'a>>,
    /// The trial that it is about.
    pub trial: Option<TrialId>,
}

impl<'a> Filed<'a> {
    pub(crate) fn of(event: &'a Event) -> Result<Self> {
        Ok(Self { key: Key::of(event)?, trial: trial_of(event) })
    }
}

impl<B: Backend> Store for B {
    fn label(&self) -> String {
        self.label()
    }

    fn create(&self, study: &str, created: &Event) -> Result<()> {
        let place = self.label();
        self.transact(true, |rows| transactions::create(rows, &place, study, created))
    }

    fn import(&self, study: &str, entries: &[Entry], leases: &[Lease]) -> Result<()> {
        let place = self.label();
        self.transact(true, |rows| transactions::import(rows, &place, study, entries, leases))
    }

    fn studies(&self) -> Result<Vec<StudyInfo>> {
        self.transact(false, |rows| rows.studies())
    }

    fn read(&self, study: &str, from: usize) -> Result<Snapshot> {
        self.transact(false, |rows| transactions::read(rows, study, from))
    }

    fn append(&self, study: &str, expected: usize, handout: &Handout<'_>) -> Result<Appended> {
        self.transact(true, |rows| transactions::append(rows, study, expected, handout))
    }

    fn append_all(&self, study: &str, expected: usize, events: &[Event]) -> Result<Appended> {
        self.transact(true, |rows| transactions::append_all(rows, study, expected, events))
    }

    fn report(&self, study: &str, event: &Event, attempt: Option<u32>, seen: usize) -> Result<Reported> {
        self.transact(true, |rows| transactions::report(rows, study, event, attempt, seen))
    }

    fn extend(&self, study: &str, attempts: &[Attempt]) -> Result<Vec<Hold>> {
        self.transact(true, |rows| transactions::extend(rows, study, attempts))
    }

    fn requeue(&self, study: &str, attempts: &[Attempt]) -> Result<()> {
        self.transact(true, |rows| transactions::requeue(rows, study, attempts))
    }

    fn lose(&self, study: &str, attempts: &[Attempt]) -> Result<()> {
        self.transact(true, |rows| transactions::lose(rows, study, attempts))
    }

    fn queue(&self, study: &str, ticket: Option<Ticket>, ttl: Duration) -> Result<Ticket> {
        self.transact(true, |rows| transactions::queue(rows, study, ticket, ttl))
    }

    fn leave(&self, study: &str, ticket: Ticket) -> Result<()> {
        self.transact(true, |rows| transactions::leave(rows, study, ticket))
    }

    fn pause(&self, study: &str, ttl: Option<Duration>) -> Result<()> {
        self.transact(true, |rows| transactions::pause(rows, study, ttl))
    }
}
