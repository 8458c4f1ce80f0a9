//! The store itself over HTTP, for workers on other machines that choose points themselves.
//!
//! Events that they append must be valid after the log, or the log could no longer be read: they are applied here
//! first.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::response::Response;
use elbowroom::study::{Event, Study, TrialId};
use elbowroom_store::wire::{StoreReply, StoreRequest, WireSnapshot};
use elbowroom_store::{Appended, Attempt, Handout, SharedStudy, Ticket, check_name};
use serde::Deserialize;

use crate::changes::{MAX_LEASE, checked, read};
use crate::error::HttpError;
use crate::limits::MAX_ATTEMPTS;
use crate::queries::{blocking, in_json, understood};
use crate::studies::{ServedStudy, Studies};

type Answer = Result<Response, HttpError>;

/// How long an asker is kept waiting while a study is paused, before it has to ask again.
const PATIENCE: Duration = Duration::from_secs(10);

/// All studies.
pub async fn studies(State(studies): State<Arc<Studies>>) -> Answer {
    blocking(move || in_json(&studies.list()?)).await
}

/// The number of the first event to return.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Since {
    from: usize,
}

/// The log from some event on, with the leases.
pub async fn log(
    State(studies): State<Arc<Studies>>,
    Path(study): Path<String>,
    from: Result<Query<Since>, QueryRejection>,
) -> Answer {
    let Since { from } = understood(from)?;
    blocking(move || in_json(&WireSnapshot::from(studies.store.read(&study, from)?))).await
}

/// Changes the store.
pub async fn request(
    State(studies): State<Arc<Studies>>,
    Path(study): Path<String>,
    body: Result<Bytes, BytesRejection>,
) -> Answer {
    let deed = read::<StoreRequest>(body)?;
    if let StoreRequest::Append { event: Event::Asked { .. }, .. } = &deed {
        let (studies, study) = (studies.clone(), study.clone());
        let served = blocking(move || studies.study(&study)).await?;
        let asked = Instant::now();
        while served.is_paused() {
            // A queued worker asks again by itself; one that is refused would end.
            if asked.elapsed() > PATIENCE {
                return in_json(&StoreReply::from(Appended::Queued));
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
    blocking(move || in_json(&done(&studies, &study, deed)?)).await
}

fn done(studies: &Studies, name: &str, deed: StoreRequest) -> Result<StoreReply, HttpError> {
    let store = &studies.store;
    let counted = |attempts: Vec<_>| match attempts.len() {
        n if n > MAX_ATTEMPTS => {
            Err(HttpError::bad("too many attempts at once", format!("send at most {MAX_ATTEMPTS}")))
        }
        _ => checked(attempts.into_iter().map(Attempt::from).collect()),
    };
    Ok(match deed {
        StoreRequest::Create { created } => {
            let Event::Created { config } = created else {
                return Err(HttpError::bad("the first event is not `created`", "begin a study with its configuration"));
            };
            SharedStudy::create(store.clone(), name, *config)?;
            StoreReply::Done
        }
        StoreRequest::Append { expected, event, attempts, worker, ttl_ms, ticket } => {
            let served = studies.study(name)?;
            check_name("the worker's name", &worker)?;
            let ttl = ttl_ms.map(Duration::from_millis);
            if ttl.is_some_and(|ttl| ttl.as_secs_f64() > MAX_LEASE) {
                return Err(HttpError::bad("the lease is longer than a year", "ask for at most a year"));
            }
            let attempts = counted(attempts)?;
            let ticket = ticket.map(Ticket);
            if attempts.iter().any(|attempt| !hands_out(&event, attempt.trial)) {
                return Err(HttpError::bad(
                    "an attempt belongs to a trial that the event does not hand out",
                    "send them together",
                ));
            }
            let handout = Handout { event: &event, attempts: &attempts, worker: &worker, ttl, ticket };
            match newer_than(&served, expected, |study| follows(study, &event))? {
                Some(revision) => Appended::Newer(revision).into(),
                None => store.append(name, expected, &handout)?.into(),
            }
        }
        StoreRequest::AppendAll { expected, events } => {
            let follow = |study: &Study| {
                let mut study = study.clone();
                Ok(events.iter().try_for_each(|event| study.apply(event.clone()))?)
            };
            match newer_than(&*studies.study(name)?, expected, follow)? {
                Some(revision) => Appended::Newer(revision).into(),
                None => store.append_all(name, expected, &events)?.into(),
            }
        }
        StoreRequest::Report { event, attempt, seen } => {
            let known = studies.study(name)?.live.tell(|shared| {
                if shared.study().check(&event).is_err() {
                    shared.refresh()?;
                    shared.study().check(&event)?;
                }
                Ok(shared.study().events().len())
            })?;
            store.report(name, &event, attempt, seen.max(known))?.into()
        }
        StoreRequest::Extend { attempts } => {
            let holds = store.extend(name, &counted(attempts)?)?;
            StoreReply::Holds { holds: holds.into_iter().map(Into::into).collect() }
        }
        StoreRequest::GiveBack { attempts } => {
            store.requeue(name, &counted(attempts)?)?;
            StoreReply::Done
        }
        StoreRequest::Lose { attempts } => {
            store.lose(name, &counted(attempts)?)?;
            StoreReply::Done
        }
        StoreRequest::Queue { ticket, ttl_ms } => {
            let ttl = Duration::from_millis(ttl_ms.min(600_000));
            StoreReply::Place { ticket: store.queue(name, ticket.map(Ticket), ttl)?.0 }
        }
        StoreRequest::Leave { ticket } => {
            store.leave(name, Ticket(ticket))?;
            StoreReply::Done
        }
    })
}

/// The revision of a study if it is not the expected one; otherwise `None`, after checking that the events can follow.
fn newer_than(
    served: &ServedStudy,
    expected: usize,
    can_follow: impl FnOnce(&Study) -> Result<(), HttpError>,
) -> Result<Option<usize>, HttpError> {
    served.live.tell(|shared| {
        shared.refresh()?;
        let revision = shared.study().events().len();
        if revision != expected {
            return Ok(Some(revision));
        }
        can_follow(shared.study())?;
        Ok(None)
    })
}

/// Whether an event hands out a trial.
fn hands_out(event: &Event, id: TrialId) -> bool {
    match event {
        Event::Asked { trials, again, .. } => {
            trials.iter().any(|asked| asked.id == id) || again.iter().any(|retry| retry.id == id)
        }
        Event::Added { trial, .. } => *trial == id,
        _ => false,
    }
}

/// Whether an event can follow what a study has seen.
fn follows(study: &Study, event: &Event) -> Result<(), HttpError> {
    match event {
        Event::Asked { .. } => Ok(study.clone().apply(event.clone())?),
        other => Ok(study.check(other)?),
    }
}
