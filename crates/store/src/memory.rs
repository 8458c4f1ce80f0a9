//! A store in memory, for tests and for studies in one process.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use elbowroom::study::TrialId;

use crate::backend::{Backend, Filed, Rows};
use crate::error::{Error, Result};
use crate::lease::Lease;
use crate::log::{Digest, Entry, Key, Scope};
use crate::rules::Waiting;
use crate::store::{StudyInfo, Ticket};
use crate::time::{Clock, Time};

const PLACE: &str = "memory";

/// A store that lasts as long as its process.
///
/// ```
/// use elbowroom::space::{Parameter, SearchSpace};
/// use elbowroom::study::StudyConfig;
/// use elbowroom_store::{Memory, SharedStudy};
/// use std::sync::Arc;
///
/// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
/// let store = Arc::new(Memory::new());
/// let mut study = SharedStudy::create(store, "plate", StudyConfig::new(space))?;
/// assert_eq!(study.ask(3)?.trials.len(), 3);
/// # Ok::<(), elbowroom_store::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Memory {
    shelf: Mutex<Shelf>,
}

#[derive(Debug, Default)]
struct Shelf {
    clock: Clock,
    studies: Vec<(String, Kept)>,
}

#[derive(Debug, Default)]
struct Kept {
    entries: Vec<Entry>,
    requests: HashMap<(Scope, String), (usize, Option<TrialId>)>,
    leases: BTreeMap<TrialId, Lease>,
    queue: Vec<Waiting>,
    n_tickets: i64,
}

impl Memory {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty store with a clock of your choice.
    pub fn with_clock(clock: Clock) -> Self {
        Self { shelf: Mutex::new(Shelf { clock, studies: Vec::new() }) }
    }

    fn lock(&self) -> MutexGuard<'_, Shelf> {
        // A change consists of steps that cannot fail half-way, so a panicking thread leaves the data intact.
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Backend for Memory {
    type RowError = Error;

    fn label(&self) -> String {
        PLACE.to_owned()
    }

    fn transact<T>(&self, _: bool, work: impl Fn(&mut dyn Rows<RowError = Error>) -> Result<T>) -> Result<T> {
        work(&mut *self.lock())
    }
}

impl Shelf {
    fn kept(&mut self, study: i64) -> &mut Kept {
        // Studies are never removed, and their numbers come from here.
        &mut self.studies[study as usize].1
    }
}

impl Rows for Shelf {
    type RowError = Error;

    fn now(&mut self) -> Result<Time> {
        Ok(self.clock.now())
    }

    fn study(&mut self, name: &str) -> Result<i64> {
        let at = self.studies.iter().position(|(known, _)| known == name);
        at.map(|at| at as i64).ok_or_else(|| Error::no_study(name, PLACE))
    }

    fn new_study(&mut self, name: &str) -> Result<Option<i64>> {
        if self.studies.iter().any(|(known, _)| known == name) {
            return Ok(None);
        }
        self.studies.push((name.to_owned(), Kept::default()));
        Ok(Some(self.studies.len() as i64 - 1))
    }

    fn studies(&mut self) -> Result<Vec<StudyInfo>> {
        let info = |(name, kept): &(String, Kept)| {
            let (created, changed) = (kept.entries.first()?.at, kept.entries.last()?.at);
            Some(StudyInfo { name: name.clone(), revision: kept.entries.len(), created, changed })
        };
        let mut studies: Vec<StudyInfo> = self.studies.iter().filter_map(info).collect();
        studies.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(studies)
    }

    fn end(&mut self, study: i64) -> Result<(usize, Digest)> {
        let entries = &self.kept(study).entries;
        Ok((entries.len(), entries.last().map_or(Digest::EMPTY, |entry| entry.digest)))
    }

    fn entries(&mut self, study: i64, from: usize) -> Result<Vec<Entry>> {
        Ok(self.kept(study).entries.get(from..).unwrap_or_default().to_vec())
    }

    fn push(&mut self, study: i64, number: usize, entry: &Entry, about: &Filed<'_>) -> Result<()> {
        let kept = self.kept(study);
        if let Some(Key { scope, request }) = about.key {
            kept.requests.insert((scope, request.to_owned()), (number, about.trial));
        }
        kept.entries.push(entry.clone());
        Ok(())
    }

    fn seen(&mut self, study: i64, key: &Key<'_>) -> Result<Option<(usize, Option<TrialId>)>> {
        Ok(self.kept(study).requests.get(&(key.scope, key.request.to_owned())).copied())
    }

    fn leases(&mut self, study: i64) -> Result<Vec<Lease>> {
        Ok(self.kept(study).leases.values().cloned().collect())
    }

    fn lease(&mut self, study: i64, trial: TrialId) -> Result<Option<Lease>> {
        Ok(self.kept(study).leases.get(&trial).cloned())
    }

    fn put_lease(&mut self, study: i64, lease: &Lease) -> Result<()> {
        self.kept(study).leases.insert(lease.attempt.trial, lease.clone());
        Ok(())
    }

    fn drop_lease(&mut self, study: i64, trial: TrialId) -> Result<()> {
        self.kept(study).leases.remove(&trial);
        Ok(())
    }

    fn queue(&mut self, study: i64) -> Result<Vec<Waiting>> {
        Ok(self.kept(study).queue.clone())
    }

    fn new_ticket(&mut self, study: i64, expires: Time, ttl: Duration) -> Result<Ticket> {
        let kept = self.kept(study);
        kept.n_tickets += 1;
        let ticket = Ticket(kept.n_tickets);
        kept.queue.push(Waiting { ticket, expires, ttl });
        Ok(ticket)
    }

    fn put_ticket(&mut self, study: i64, waiting: &Waiting) -> Result<()> {
        let places = self.kept(study).queue.iter_mut();
        places.filter(|place| place.ticket == waiting.ticket).for_each(|place| *place = *waiting);
        Ok(())
    }

    fn drop_ticket(&mut self, study: i64, ticket: Ticket) -> Result<()> {
        self.kept(study).queue.retain(|place| place.ticket != ticket);
        Ok(())
    }

    fn put_pause(&mut self, study: i64, waiting: &Waiting) -> Result<()> {
        self.drop_ticket(study, waiting.ticket)?;
        self.kept(study).queue.insert(0, *waiting);
        Ok(())
    }
}
