//! What goes wrong, as an answer: a status, what happened and what to try.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use elbowroom_store::Error;
use serde_json::json;

/// An answer that says no.
#[derive(Debug)]
pub struct HttpError {
    pub status: StatusCode,
    pub what: String,
    pub hint: String,
}

impl HttpError {
    pub fn new(status: StatusCode, what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { status, what: what.into(), hint: hint.into() }
    }

    pub fn bad(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, what, hint)
    }

    pub fn missing(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, what, hint)
    }
}

impl IntoResponse for HttpError {
    fn into_response(self) -> Response {
        let body = json!({ "error": self.what, "try": self.hint }).to_string();
        (self.status, [("content-type", "application/json")], body).into_response()
    }
}

impl From<Error> for HttpError {
    fn from(error: Error) -> Self {
        let status = match &error {
            Error::NoStudy { .. } => StatusCode::NOT_FOUND,
            Error::Exists { .. } => StatusCode::CONFLICT,
            Error::Request { .. } => StatusCode::BAD_REQUEST,
            Error::Study(_) => StatusCode::UNPROCESSABLE_ENTITY,
            // What was there is not there any more; asking again does not help.
            Error::Damaged { .. } => StatusCode::GONE,
            _ => StatusCode::SERVICE_UNAVAILABLE,
        };
        let text = error.to_string();
        let (what, hint) = text.split_once("\n  try: ").unwrap_or((&text, ""));
        HttpError::new(status, what, hint)
    }
}

impl From<elbowroom::error::Error> for HttpError {
    fn from(error: elbowroom::error::Error) -> Self {
        Error::from(error).into()
    }
}
