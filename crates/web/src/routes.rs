//! Which path leads where.

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use elbowroom_view::Picture;
use elbowroom_view::assets::ASSETS;

use crate::fault::Fault;
use crate::guard::{Guard, guard};
use crate::limits::MAX_BODY;
use crate::studies::Studies;
use crate::{actions, document, live, looks, remote};

/// All routes, behind the guard.
pub fn router(studies: Arc<Studies>, door: Arc<Guard>) -> Router {
    let mut router = Router::new()
        .route("/api/openapi.json", get(|| async { looks::in_json(&document::document()) }))
        .route("/api/store", get(remote::studies))
        .route("/api/store/{study}", get(remote::log).post(remote::deed))
        .route("/api/studies", get(looks::studies))
        .route("/api/studies/{study}", get(looks::study))
        .route("/api/studies/{study}/best", get(looks::best))
        .route("/api/studies/{study}/trials", get(looks::trials))
        .route("/api/studies/{study}/trials/{trial}", get(looks::trial))
        .route("/api/studies/{study}/trials/{trial}/why", get(looks::why))
        .route("/api/studies/{study}/trials.csv", get(looks::csv))
        .route("/api/studies/{study}/events", get(looks::events))
        .route("/api/studies/{study}/live", get(live::live))
        .route("/api/studies/{study}/ask", post(actions::ask))
        .route("/api/studies/{study}/tell", post(actions::tell))
        .route("/api/studies/{study}/fail", post(actions::fail))
        .route("/api/studies/{study}/release", post(actions::release))
        .route("/api/studies/{study}/heartbeat", post(actions::heartbeat))
        .route("/api/studies/{study}/add", post(actions::add))
        .route("/api/studies/{study}/budget", post(actions::budget))
        .route("/api/studies/{study}/pause", post(actions::pause));
    for (name, which) in Picture::ALL {
        let path = format!("/api/studies/{{study}}/{name}");
        router = router.route(&path, get(move |studied, over| looks::picture(which, studied, over)));
    }
    for asset in ASSETS {
        router = router.route(asset.path, get(move || async move { file(asset.kind, asset.text) }));
    }
    router
        .fallback(|| async { Fault::missing("there is nothing here", "see /api/openapi.json for what there is") })
        .method_not_allowed_fallback(|| async {
            Fault::new(StatusCode::METHOD_NOT_ALLOWED, "this method is not served here", "see /api/openapi.json")
        })
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .with_state(studies)
        .layer(axum::middleware::from_fn_with_state(door, guard))
}

fn file(kind: &'static str, text: &'static str) -> Response {
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-cache")], text).into_response()
}
