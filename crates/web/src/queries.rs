//! Queries: each answer is a view of `elbowroom-view`, computed on a thread that may block.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use elbowroom::study::TrialId;
use elbowroom_store::{BestAnswer, EventsAnswer, StudiesAnswer};
use elbowroom_view::overview::{Overview, Studies as StudiesPage, builds, overview};
use elbowroom_view::table;
use elbowroom_view::views::{View, trial_page};
use serde::{Deserialize, Serialize};

use crate::error::HttpError;
use crate::limits::MAX_EVENTS;
use crate::picture_cache::Recommended;
use crate::studies::Studies;

type Studied = (State<Arc<Studies>>, Path<String>);
type Answer = Result<Response, HttpError>;

/// Computes on a thread that may block, instead of the threads that serve.
pub async fn blocking<T: Send + 'static>(
    compute: impl FnOnce() -> Result<T, HttpError> + Send + 'static,
) -> Result<T, HttpError> {
    tokio::task::spawn_blocking(compute).await.unwrap_or_else(|_| {
        let hint = "report this as a bug, with the request";
        Err(HttpError::new(StatusCode::INTERNAL_SERVER_ERROR, "the computation failed", hint))
    })
}

/// An answer in JSON.
pub fn in_json(value: &impl Serialize) -> Answer {
    let text = serde_json::to_string(value).map_err(|error| {
        HttpError::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string(), "report this as a bug")
    })?;
    Ok(([(header::CONTENT_TYPE, "application/json")], text).into_response())
}

/// A query string; errors in it are answered like all other errors.
pub fn understood<T>(query: Result<Query<T>, axum::extract::rejection::QueryRejection>) -> Result<T, HttpError> {
    query
        .map(|Query(query)| query)
        .map_err(|error| HttpError::bad(error.body_text(), "see /api/openapi.json for what can be asked"))
}

/// All studies.
pub async fn studies(State(studies): State<Arc<Studies>>) -> Answer {
    blocking(move || in_json(&StudiesPage { found: StudiesAnswer::of(&*studies.store)?, write: studies.write })).await
}

/// A study at a glance.
pub async fn study((State(studies), Path(name)): Studied) -> Answer {
    blocking(move || {
        let served = studies.study(&name)?;
        let mut seen = served.live.look(|scene| {
            let builds = Some(builds(scene.study));
            Overview { builds, write: Some(studies.write), ..overview(scene) }
        })?;
        seen.status.paused = served.is_paused();
        in_json(&seen)
    })
    .await
}

/// The best observed point and the recommended one.
pub async fn best((State(studies), Path(name)): Studied) -> Answer {
    blocking(move || {
        let served = studies.study(&name)?;
        // Without a model nothing is recommended; the answer still has the best observed point.
        let Recommended { point, front } = served.pictures.recommended(&served.live).unwrap_or_default();
        in_json(&served.live.look(|scene| BestAnswer {
            recommended_front: front,
            ..BestAnswer::new(scene.study, |trial| scene.answer(trial), point)
        })?)
    })
    .await
}

/// A page of trials.
pub async fn trials(
    (State(studies), Path(name)): Studied,
    query: Result<Query<table::Query>, axum::extract::rejection::QueryRejection>,
) -> Answer {
    let query = understood(query)?;
    blocking(move || in_json(&studies.study(&name)?.live.look(|scene| table::table(scene, &query))??)).await
}

/// One trial.
pub async fn trial(State(studies): State<Arc<Studies>>, trial: Trial) -> Answer {
    let (name, id) = numbered(trial)?;
    blocking(move || {
        let page = studies.study(&name)?.live.look(|scene| trial_page(scene, id))?;
        in_json(&page.map_err(|error| HttpError::missing(error.what(), "look at the list of trials"))?)
    })
    .await
}

/// Why a trial's point was chosen.
pub async fn why(State(studies): State<Arc<Studies>>, trial: Trial) -> Answer {
    let (name, id) = numbered(trial)?;
    blocking(move || {
        let served = studies.study(&name)?;
        served
            .live
            .look(|scene| scene.study.trial(id).map(|_| ()))?
            .map_err(|error| HttpError::missing(error.what(), "look at the list of trials"))?;
        Ok(text(served.pictures.why(&served.live, id)?))
    })
    .await
}

type Trial = Result<Path<(String, u64)>, axum::extract::rejection::PathRejection>;

fn numbered(trial: Trial) -> Result<(String, TrialId), HttpError> {
    let Path((name, id)) = trial.map_err(|error| HttpError::missing(error.body_text(), "give a trial's number"))?;
    Ok((name, TrialId(id)))
}

/// An answer that is already JSON.
fn text(json: Arc<str>) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], json.to_string()).into_response()
}

/// The two parameters of a view.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Over {
    x: usize,
    y: usize,
}

/// A view, over two parameters if it needs them.
pub async fn view(
    view: &'static View,
    (State(studies), Path(name)): Studied,
    over: Result<Query<Over>, axum::extract::rejection::QueryRejection>,
) -> Answer {
    let Over { x, y } = understood(over)?;
    blocking(move || {
        let served = studies.study(&name)?;
        Ok(text(served.pictures.picture(&served.live, view, x, y)?))
    })
    .await
}

/// All trials as CSV.
pub async fn csv((State(studies), Path(name)): Studied) -> Answer {
    blocking(move || {
        let text = studies.study(&name)?.live.look(elbowroom_view::csv::csv)?;
        let kind = (header::CONTENT_TYPE, "text/csv; charset=utf-8");
        Ok(([kind, (header::CONTENT_DISPOSITION, "attachment; filename=\"trials.csv\"")], text).into_response())
    })
    .await
}

/// The part of the log to return.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Part {
    from: usize,
    events: Option<usize>,
}

/// A part of the log, as it is stored.
pub async fn events(
    (State(studies), Path(name)): Studied,
    part: Result<Query<Part>, axum::extract::rejection::QueryRejection>,
) -> Answer {
    let part = understood(part)?;
    blocking(move || {
        let n = part.events.unwrap_or(100).min(MAX_EVENTS);
        studies.study(&name)?.live.look_shared(|shared| in_json(&EventsAnswer::of(shared, part.from, n)))?
    })
    .await
}
