//! What the stores do inside a transaction, written once over the rows that they keep.
//!
//! Everything is looked at before anything is written, so that a store without transactions of its own (memory) leaves
//! nothing half done either.

use std::collections::HashMap;
use std::time::Duration;

use elbowroom::study::{Event, TrialId};

use crate::error::{Error, Result};
use crate::fault;
use crate::lease::{Attempt, Hold, Lease};
use crate::log::{Digest, Entry, Key, Scope, check_name, request_reused, trial_of};
use crate::rules::{self, Taken, Waiting};
use crate::store::{Appended, Handout, Reported, Snapshot, StudyInfo, Ticket};
use crate::time::Time;

/// The rows of a store within one transaction. A study is known by a number here.
pub(crate) trait Rows {
    /// What can go wrong with them.
    type Fault: From<Error>;

    fn now(&mut self) -> Result<Time, Self::Fault>;
    /// The study of a name; within a write it is locked against other writers.
    fn study(&mut self, name: &str) -> Result<i64, Self::Fault>;
    /// A new study; none if the name is taken.
    fn new_study(&mut self, name: &str) -> Result<Option<i64>, Self::Fault>;
    fn studies(&mut self) -> Result<Vec<StudyInfo>, Self::Fault>;

    /// The study's revision, and the digest of its last entry.
    fn end(&mut self, study: i64) -> Result<(usize, Digest), Self::Fault>;
    fn entries(&mut self, study: i64, from: usize) -> Result<Vec<Entry>, Self::Fault>;
    fn push(&mut self, study: i64, number: usize, entry: &Entry, about: &Filed<'_>) -> Result<(), Self::Fault>;
    /// Many entries, the first of them with this number.
    fn push_all(&mut self, study: i64, first: usize, entries: &[(Entry, Filed<'_>)]) -> Result<(), Self::Fault> {
        let mut numbered = (first..).zip(entries);
        numbered.try_for_each(|(number, (entry, about))| self.push(study, number, entry, about))
    }
    /// One of these names that an event of the reports' family had, with the event's number.
    fn any_reported(&mut self, study: i64, requests: &[&str]) -> Result<Option<(String, usize)>, Self::Fault> {
        for request in requests {
            if let Some((number, _)) = self.seen(study, &Key { scope: Scope::Report, request })? {
                return Ok(Some(((*request).to_owned(), number)));
            }
        }
        Ok(None)
    }
    /// The number and the trial of the event that had this key.
    fn seen(&mut self, study: i64, key: &Key<'_>) -> Result<Option<(usize, Option<TrialId>)>, Self::Fault>;

    fn leases(&mut self, study: i64) -> Result<Vec<Lease>, Self::Fault>;
    fn lease(&mut self, study: i64, trial: TrialId) -> Result<Option<Lease>, Self::Fault>;
    fn put_lease(&mut self, study: i64, lease: &Lease) -> Result<(), Self::Fault>;
    fn drop_lease(&mut self, study: i64, trial: TrialId) -> Result<(), Self::Fault>;

    /// The queue in its order, dead places included.
    fn queue(&mut self, study: i64) -> Result<Vec<Waiting>, Self::Fault>;
    fn new_place(&mut self, study: i64, expires: Time, ttl: Duration) -> Result<Ticket, Self::Fault>;
    fn put_place(&mut self, study: i64, waiting: &Waiting) -> Result<(), Self::Fault>;
    fn drop_place(&mut self, study: i64, ticket: Ticket) -> Result<(), Self::Fault>;
    /// Puts a pause into the queue, or keeps it there.
    fn put_pause(&mut self, study: i64, waiting: &Waiting) -> Result<(), Self::Fault>;
}

/// What an entry is found by.
pub(crate) struct Filed<'a> {
    pub key: Option<Key<'a>>,
    pub trial: Option<TrialId>,
}

impl<'a> Filed<'a> {
    fn of(event: &'a Event) -> Result<Self> {
        Ok(Self { key: Key::of(event)?, trial: trial_of(event) })
    }
}

pub(crate) fn create<R: Rows>(rows: &mut R, place: &str, name: &str, created: &Event) -> Result<(), R::Fault> {
    rules::check_created(created)?;
    let entry = Entry::of(created, rows.now()?, Digest::EMPTY)?;
    import(rows, place, name, &[entry], &[])
}

pub(crate) fn import<R: Rows>(
    rows: &mut R,
    place: &str,
    name: &str,
    entries: &[Entry],
    leases: &[Lease],
) -> Result<(), R::Fault> {
    check_name("the name of the study", name)?;
    let mut events = Vec::with_capacity(entries.len());
    let mut digest = Digest::EMPTY;
    for (number, entry) in entries.iter().enumerate() {
        events.push(entry.open(number, digest)?);
        digest = entry.digest;
    }
    rules::check_created(events.first().unwrap_or(&NOTHING))?;
    let now = rows.now()?;
    let Some(study) = rows.new_study(name)? else { return Err(Error::exists(name, place).into()) };
    for (number, (entry, event)) in entries.iter().zip(&events).enumerate() {
        rows.push(study, number, entry, &Filed::of(event)?)?;
    }
    for lease in leases {
        rows.put_lease(study, &Lease { expires: now.after(lease.ttl), ..lease.clone() })?;
    }
    Ok(())
}

/// A log that is shorter than what was read of it is another one.
pub(crate) fn check_not_shorter(name: &str, revision: usize, seen: usize) -> Result<()> {
    if revision >= seen {
        return Ok(());
    }
    let what = format!("the study `{name}` has {revision} events, where it had {seen} before");
    Err(Error::damaged(what, "find out who replaced it, and open it again"))
}

/// Stands for the first event of an empty log.
const NOTHING: Event = Event::Released { trial: TrialId(0), request: None };

pub(crate) fn read<R: Rows>(rows: &mut R, name: &str, from: usize) -> Result<Snapshot, R::Fault> {
    let study = rows.study(name)?;
    let (revision, _) = rows.end(study)?;
    check_not_shorter(name, revision, from)?;
    let entries = if from < revision { rows.entries(study, from)? } else { Vec::new() };
    let leases = rows.leases(study)?;
    let now = rows.now()?;
    let queue = rows.queue(study)?.iter().filter(|place| place.is_live(now)).map(|place| place.ticket).collect();
    Ok(Snapshot { now, entries, leases, queue })
}

pub(crate) fn append<R: Rows>(
    rows: &mut R,
    name: &str,
    expected: usize,
    handout: &Handout<'_>,
) -> Result<Appended, R::Fault> {
    rules::check_handout(handout.event)?;
    let study = rows.study(name)?;
    let (revision, digest) = rows.end(study)?;
    if revision != expected {
        return Ok(Appended::Newer(revision));
    }
    let filed = Filed::of(handout.event)?;
    if let Some(key) = &filed.key
        && let Some((number, _)) = rows.seen(study, key)?
    {
        return Err(request_reused(key.request, number).into());
    }
    let now = rows.now()?;
    let queue = rows.queue(study)?;
    if rules::must_wait(handout, queue.iter().filter(|place| place.is_live(now)).map(|place| place.ticket)) {
        return Ok(Appended::Queued);
    }
    let mut leases = Vec::new();
    for attempt in handout.attempts {
        match rules::take(*attempt, rows.lease(study, attempt.trial)?.as_ref(), handout, now) {
            Taken::New(lease) => leases.push(lease),
            Taken::None => {}
            Taken::Revived => return Ok(Appended::Revived),
        }
    }
    let entry = Entry::of(handout.event, now, digest)?;
    fault::at("append: begun");
    rows.push(study, revision, &entry, &filed)?;
    fault::at("append: event written");
    for lease in &leases {
        rows.put_lease(study, lease)?;
    }
    if let Some(ticket) = handout.ticket {
        rows.drop_place(study, ticket)?;
    }
    fault::at("append: leases written");
    Ok(Appended::Done(revision + 1))
}

pub(crate) fn append_all<R: Rows>(
    rows: &mut R,
    name: &str,
    expected: usize,
    events: &[Event],
) -> Result<Appended, R::Fault> {
    events.iter().try_for_each(rules::check_unleased)?;
    let study = rows.study(name)?;
    let (revision, mut digest) = rows.end(study)?;
    if revision != expected {
        return Ok(Appended::Newer(revision));
    }
    let mut requests = HashMap::new();
    for (number, event) in (revision..).zip(events) {
        if let Some(key) = Key::of(event)?
            && let Some(before) = requests.insert(key.request, number)
        {
            return Err(request_reused(key.request, before).into());
        }
    }
    let names: Vec<&str> = requests.into_keys().collect();
    if let Some((request, number)) = rows.any_reported(study, &names)? {
        return Err(request_reused(&request, number).into());
    }
    let now = rows.now()?;
    let mut judged = Vec::with_capacity(events.len());
    for event in events {
        // Who adds a trial has no lease of it.
        let lease = match rules::reported_trial(event) {
            Ok(trial) => rows.lease(study, trial)?,
            Err(_) => None,
        };
        judged.extend(rules::judge(event, None, lease.as_ref(), now));
    }
    let mut entries = Vec::with_capacity(judged.len());
    for event in &judged {
        let entry = Entry::of(event, now, digest)?;
        digest = entry.digest;
        entries.push((entry, Filed::of(event)?));
    }
    rows.push_all(study, revision, &entries)?;
    for trial in judged.iter().filter_map(|event| rules::reported_trial(event).ok()) {
        rows.drop_lease(study, trial)?;
    }
    Ok(Appended::Done(revision + judged.len()))
}

pub(crate) fn report<R: Rows>(
    rows: &mut R,
    name: &str,
    event: &Event,
    attempt: Option<u32>,
    seen: usize,
) -> Result<Reported, R::Fault> {
    let trial = rules::reported_trial(event)?;
    let study = rows.study(name)?;
    let (revision, digest) = rows.end(study)?;
    check_not_shorter(name, revision, seen)?;
    if let Some(key) = Key::of(event)?
        && let Some((number, was)) = rows.seen(study, &key)?
    {
        return Ok(rules::repeated(&key, number, was, trial)?);
    }
    let now = rows.now()?;
    let Some(event) = rules::judge(event, attempt, rows.lease(study, trial)?.as_ref(), now) else {
        return Ok(Reported::Superseded);
    };
    let entry = Entry::of(&event, now, digest)?;
    fault::at("report: begun");
    rows.push(study, revision, &entry, &Filed::of(&event)?)?;
    fault::at("report: event written");
    rows.drop_lease(study, trial)?;
    fault::at("report: lease ended");
    Ok(Reported::Appended(revision))
}

pub(crate) fn extend<R: Rows>(rows: &mut R, name: &str, attempts: &[Attempt]) -> Result<Vec<Hold>, R::Fault> {
    let study = rows.study(name)?;
    let now = rows.now()?;
    let mut holds = Vec::with_capacity(attempts.len());
    for attempt in attempts {
        holds.push(match rows.lease(study, attempt.trial)? {
            None => Hold::Ended,
            Some(lease) if lease.attempt == *attempt && !lease.returned => {
                let expires = now.after(lease.ttl);
                rows.put_lease(study, &Lease { expires, ..lease })?;
                Hold::Held(expires)
            }
            Some(_) => Hold::Superseded,
        });
    }
    Ok(holds)
}

pub(crate) fn give_back<R: Rows>(rows: &mut R, name: &str, attempts: &[Attempt]) -> Result<(), R::Fault> {
    let study = rows.study(name)?;
    for attempt in attempts {
        if let Some(lease) = rows.lease(study, attempt.trial)?.filter(|lease| lease.attempt == *attempt) {
            rows.put_lease(study, &Lease { returned: true, ..lease })?;
        }
    }
    Ok(())
}

pub(crate) fn lose<R: Rows>(rows: &mut R, name: &str, attempts: &[Attempt]) -> Result<(), R::Fault> {
    let study = rows.study(name)?;
    let now = rows.now()?;
    for attempt in attempts {
        let held = rows.lease(study, attempt.trial)?.filter(|lease| lease.attempt == *attempt && lease.is_live(now));
        if let Some(lease) = held {
            rows.put_lease(study, &Lease { expires: now, ..lease })?;
        }
    }
    Ok(())
}

pub(crate) fn queue<R: Rows>(
    rows: &mut R,
    name: &str,
    ticket: Option<Ticket>,
    ttl: Duration,
) -> Result<Ticket, R::Fault> {
    let study = rows.study(name)?;
    let now = rows.now()?;
    let expires = now.after(ttl);
    let mut own = None;
    for place in rows.queue(study)? {
        if Some(place.ticket) == ticket {
            rows.put_place(study, &Waiting { ticket: place.ticket, expires, ttl })?;
            own = ticket;
        } else if !place.is_live(now) {
            rows.drop_place(study, place.ticket)?;
        }
    }
    match own {
        Some(ticket) => Ok(ticket),
        None => rows.new_place(study, expires, ttl),
    }
}

pub(crate) fn leave<R: Rows>(rows: &mut R, name: &str, ticket: Ticket) -> Result<(), R::Fault> {
    let study = rows.study(name)?;
    rows.drop_place(study, ticket)
}

pub(crate) fn pause<R: Rows>(rows: &mut R, name: &str, ttl: Option<Duration>) -> Result<(), R::Fault> {
    let study = rows.study(name)?;
    let ticket = Ticket::of_pause(study);
    match ttl {
        Some(ttl) => {
            let expires = rows.now()?.after(ttl);
            rows.put_pause(study, &Waiting { ticket, expires, ttl })
        }
        None => rows.drop_place(study, ticket),
    }
}
