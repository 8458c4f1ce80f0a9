//! Which path leads where.

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use elbowroom_view::assets::ASSETS;
use elbowroom_view::views::VIEWS;

use crate::error::HttpError;
use crate::guard::{Guard, guard};
use crate::limits::MAX_BODY;
use crate::studies::Studies;
use crate::{changes, news, openapi, queries, store_api};

/// All routes, behind the guard.
pub fn router(studies: Arc<Studies>, door: Arc<Guard>) -> Router {
    let mut router = Router::new()
        .route("/api/openapi.json", get(|| async { queries::in_json(&openapi::document()) }))
        .route("/api/store", get(store_api::studies))
        .route("/api/store/{study}", get(store_api::log).post(store_api::request))
        .route("/api/studies", get(queries::studies))
        .route("/api/studies/{study}", get(queries::study))
        .route("/api/studies/{study}/best", get(queries::best))
        .route("/api/studies/{study}/trials", get(queries::trials))
        .route("/api/studies/{study}/trials/{trial}", get(queries::trial))
        .route("/api/studies/{study}/trials/{trial}/why", get(queries::why))
        .route("/api/studies/{study}/trials.csv", get(queries::csv))
        .route("/api/studies/{study}/events", get(queries::events))
        .route("/api/studies/{study}/live", get(news::news))
        .route("/api/studies/{study}/ask", post(changes::ask))
        .route("/api/studies/{study}/tell", post(changes::tell))
        .route("/api/studies/{study}/fail", post(changes::fail))
        .route("/api/studies/{study}/release", post(changes::withdraw))
        .route("/api/studies/{study}/heartbeat", post(changes::heartbeat))
        .route("/api/studies/{study}/add", post(changes::add))
        .route("/api/studies/{study}/budget", post(changes::budget))
        .route("/api/studies/{study}/pause", post(changes::pause));
    for view in VIEWS {
        let path = format!("/api/studies/{{study}}/{}", view.name);
        router = router.route(&path, get(move |studied, over| queries::view(view, studied, over)));
    }
    for asset in ASSETS.iter() {
        router = router.route(asset.path, get(move || async move { file(asset.kind, &asset.text) }));
    }
    router
        .fallback(|| async {
            HttpError::missing("this address does not exist", "see /api/openapi.json for the addresses there are")
        })
        .method_not_allowed_fallback(|| async {
            HttpError::new(StatusCode::METHOD_NOT_ALLOWED, "this method is not supported here", "see /api/openapi.json")
        })
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .with_state(studies)
        .layer(axum::middleware::from_fn_with_state(door, guard))
}

fn file(kind: &'static str, text: &'static str) -> Response {
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-cache")], text).into_response()
}
