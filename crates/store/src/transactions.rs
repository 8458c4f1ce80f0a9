//! What stores do inside a transaction, written once in terms of the rows that they keep.
//!
//! Everything is read before anything is written, so that even a store that cannot roll back (memory) leaves nothing
//! half done.

use std::collections::HashMap;
use std::time::Duration;

use elbowroom::study::{Event, TrialId};

use crate::backend::{Filed, Rows};
use crate::error::{Error, Result};
use crate::kill_point;
use crate::lease::{Attempt, Hold, Lease};
use crate::log::{Digest, Entry, Key, check_name, request_reused};
use crate::rules::{self, Taken, Waiting};
use crate::store::{Appended, Handout, Reported, Snapshot, Ticket};

pub(crate) fn create<R: Rows + ?Sized>(
    rows: &mut R,
    place: &str,
    name: &str,
    created: &Event,
) -> Result<(), R::RowError> {
    rules::check_created(created)?;
    let entry = Entry::of(created, rows.now()?, Digest::EMPTY)?;
    import(rows, place, name, &[entry], &[])
}

pub(crate) fn import<R: Rows + ?Sized>(
    rows: &mut R,
    place: &str,
    name: &str,
    entries: &[Entry],
    leases: &[Lease],
) -> Result<(), R::RowError> {
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

/// A log that is shorter than the part already read is a different log.
pub(crate) fn check_not_shorter(name: &str, revision: usize, seen: usize) -> Result<()> {
    if revision >= seen {
        return Ok(());
    }
    let what = format!("the study `{name}` has {revision} events, but it had {seen} before");
    Err(Error::damaged(what, "find out who replaced it, and open it again"))
}

/// Stands for the first event of an empty log.
const NOTHING: Event = Event::Withdrawn { trial: TrialId(0), request: None };

pub(crate) fn read<R: Rows + ?Sized>(rows: &mut R, name: &str, from: usize) -> Result<Snapshot, R::RowError> {
    let study = rows.study(name)?;
    let (revision, _) = rows.end(study)?;
    check_not_shorter(name, revision, from)?;
    let entries = if from < revision { rows.entries(study, from)? } else { Vec::new() };
    let leases = rows.leases(study)?;
    let now = rows.now()?;
    let queue = rows.queue(study)?.iter().filter(|place| place.is_live(now)).map(|place| place.ticket).collect();
    Ok(Snapshot { now, entries, leases, queue })
}

pub(crate) fn append<R: Rows + ?Sized>(
    rows: &mut R,
    name: &str,
    expected: usize,
    handout: &Handout<'_>,
) -> Result<Appended, R::RowError> {
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
    kill_point::at("append: begun");
    rows.push(study, revision, &entry, &filed)?;
    kill_point::at("append: event written");
    for lease in &leases {
        rows.put_lease(study, lease)?;
    }
    if let Some(ticket) = handout.ticket {
        rows.drop_ticket(study, ticket)?;
    }
    kill_point::at("append: leases written");
    Ok(Appended::Done(revision + 1))
}

pub(crate) fn append_all<R: Rows + ?Sized>(
    rows: &mut R,
    name: &str,
    expected: usize,
    events: &[Event],
) -> Result<Appended, R::RowError> {
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
        // Adding a trial gives no lease of it.
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
    for trial in judged.iter().filter_map(Event::ends) {
        rows.drop_lease(study, trial)?;
    }
    Ok(Appended::Done(revision + judged.len()))
}

pub(crate) fn report<R: Rows + ?Sized>(
    rows: &mut R,
    name: &str,
    event: &Event,
    attempt: Option<u32>,
    seen: usize,
) -> Result<Reported, R::RowError> {
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
    kill_point::at("report: begun");
    rows.push(study, revision, &entry, &Filed::of(&event)?)?;
    kill_point::at("report: event written");
    // Results told aside do not end the trial, which stays with its worker.
    if event.ends().is_some() {
        rows.drop_lease(study, trial)?;
    }
    kill_point::at("report: lease ended");
    Ok(Reported::Appended(revision))
}

pub(crate) fn extend<R: Rows + ?Sized>(
    rows: &mut R,
    name: &str,
    attempts: &[Attempt],
) -> Result<Vec<Hold>, R::RowError> {
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

pub(crate) fn requeue<R: Rows + ?Sized>(rows: &mut R, name: &str, attempts: &[Attempt]) -> Result<(), R::RowError> {
    let study = rows.study(name)?;
    for attempt in attempts {
        if let Some(lease) = rows.lease(study, attempt.trial)?.filter(|lease| lease.attempt == *attempt) {
            rows.put_lease(study, &Lease { returned: true, ..lease })?;
        }
    }
    Ok(())
}

pub(crate) fn lose<R: Rows + ?Sized>(rows: &mut R, name: &str, attempts: &[Attempt]) -> Result<(), R::RowError> {
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

pub(crate) fn queue<R: Rows + ?Sized>(
    rows: &mut R,
    name: &str,
    ticket: Option<Ticket>,
    ttl: Duration,
) -> Result<Ticket, R::RowError> {
    let study = rows.study(name)?;
    let now = rows.now()?;
    let expires = now.after(ttl);
    let mut own = None;
    for place in rows.queue(study)? {
        if Some(place.ticket) == ticket {
            rows.put_ticket(study, &Waiting { ticket: place.ticket, expires, ttl })?;
            own = ticket;
        } else if !place.is_live(now) {
            rows.drop_ticket(study, place.ticket)?;
        }
    }
    match own {
        Some(ticket) => Ok(ticket),
        None => rows.new_ticket(study, expires, ttl),
    }
}

pub(crate) fn leave<R: Rows + ?Sized>(rows: &mut R, name: &str, ticket: Ticket) -> Result<(), R::RowError> {
    let study = rows.study(name)?;
    rows.drop_ticket(study, ticket)
}

pub(crate) fn pause<R: Rows + ?Sized>(rows: &mut R, name: &str, ttl: Option<Duration>) -> Result<(), R::RowError> {
    let study = rows.study(name)?;
    let ticket = Ticket::of_pause(study);
    match ttl {
        Some(ttl) => {
            let expires = rows.now()?.after(ttl);
            rows.put_pause(study, &Waiting { ticket, expires, ttl })
        }
        None => rows.drop_ticket(study, ticket),
    }
}
