//! Errors as answers: a status, what happened and what to try.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use elbowroom_store::Error;
use serde_json::json;

/// An error, as an answer.
#[derive(Debug)]
pub struct HttpError {
    pub status: StatusCode,
    pub what: String,
    pub hint: String,
    /// A stable word, which programs may compare.
    pub kind: &'static str,
}

impl HttpError {
    pub fn new(status: StatusCode, what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { status, what: what.into(), hint: hint.into(), kind: kind_of(status) }
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
        let body = json!({ "error": self.what, "try": self.hint, "kind": self.kind }).to_string();
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
            // The study no longer exists; asking again does not help.
            Error::Damaged { .. } => StatusCode::GONE,
            _ => StatusCode::SERVICE_UNAVAILABLE,
        };
        Self { kind: error.kind().as_str(), ..HttpError::new(status, error.what(), error.hint()) }
    }
}

impl From<elbowroom::error::Error> for HttpError {
    fn from(error: elbowroom::error::Error) -> Self {
        Error::from(error).into()
    }
}

/// The kind of an error with which the server itself refuses a request.
fn kind_of(status: StatusCode) -> &'static str {
    match status {
        StatusCode::BAD_REQUEST => "request",
        StatusCode::UNAUTHORIZED => "unauthorized",
        StatusCode::FORBIDDEN => "forbidden",
        StatusCode::NOT_FOUND => "not_found",
        StatusCode::METHOD_NOT_ALLOWED => "method_not_allowed",
        StatusCode::CONFLICT => "conflict",
        StatusCode::PAYLOAD_TOO_LARGE => "too_large",
        StatusCode::UNSUPPORTED_MEDIA_TYPE => "media_type",
        StatusCode::MISDIRECTED_REQUEST => "misdirected",
        StatusCode::UNPROCESSABLE_ENTITY => "refused",
        StatusCode::SERVICE_UNAVAILABLE => "unreachable",
        _ => "internal",
    }
}
