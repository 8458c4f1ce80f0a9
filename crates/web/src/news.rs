//! News of a study as server-sent events: one whenever something changed.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use elbowroom_store::Time;
use elbowroom_view::overview::overview;
use futures_util::stream::{Stream, unfold};

use crate::error::HttpError;
use crate::queries::blocking;
use crate::studies::{ServedStudy, Studies};

/// How often to check for news.
const EVERY: Duration = Duration::from_millis(500);

/// The stream of overviews.
pub async fn news(
    State(studies): State<Arc<Studies>>,
    Path(study): Path<String>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, HttpError> {
    let served = blocking(move || studies.study(&study)).await?;
    let stream = unfold((served, String::new()), |(served, last)| async move {
        loop {
            if !last.is_empty() {
                tokio::time::sleep(EVERY).await;
            }
            let looker = served.clone();
            let seen = blocking(move || pulse(&looker)).await;
            let text = seen.unwrap_or_else(|error| serde_json::json!({ "error": error.what }).to_string());
            if text != last {
                return Some((Ok(Event::default().event("study").data(&text)), (served, text)));
            }
        }
    });
    Ok(Sse::new(stream).keep_alive(KeepAlive::new().interval(Duration::from_secs(15))))
}

/// The overview without the current time, which always changes.
fn pulse(served: &ServedStudy) -> Result<String, HttpError> {
    let mut seen = served.live.look(overview)?;
    (seen.status.now, seen.axes) = (Time(0), Vec::new());
    seen.status.held.iter_mut().for_each(|held| held.expires = Time(0));
    seen.status.paused = served.is_paused();
    serde_json::to_string(&seen).map_err(|error| HttpError::bad(error.to_string(), ""))
}
