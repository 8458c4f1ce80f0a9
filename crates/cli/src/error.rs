//! Errors of the command itself: what went wrong, where, and what to try.

use std::fmt::Display;

use serde_json::{Value, json};

/// An error of the command, with the same parts as errors of the other crates.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{what}\n  try: {hint}")]
pub struct CliError {
    kind: &'static str,
    what: String,
    hint: String,
}

/// An error in what was typed or in a file, with a hint on its own line, like errors of the other crates.
pub fn cli_error(what: impl Display, hint: impl Display) -> anyhow::Error {
    fault_of("usage", what, hint)
}

/// An error of a kind, which is a stable word.
pub fn fault_of(kind: &'static str, what: impl Display, hint: impl Display) -> anyhow::Error {
    CliError { kind, what: what.to_string(), hint: hint.to_string() }.into()
}

/// The same error, preceded by where it happened.
pub fn within(place: impl Display, error: &anyhow::Error) -> anyhow::Error {
    let CliError { kind, what, hint } = parts(error);
    CliError { kind, what: format!("{place}{what}"), hint }.into()
}

/// An error as `--json` shows it, in the words of the HTTP interface.
pub fn in_json(error: &anyhow::Error) -> Value {
    let CliError { kind, what, hint } = parts(error);
    let mut shown = json!({ "error": what, "kind": kind });
    if !hint.is_empty() {
        shown["try"] = hint.into();
    }
    shown
}

/// The parts of an error, whichever crate it comes from.
pub fn parts(error: &anyhow::Error) -> CliError {
    if let Some(fault) = error.downcast_ref::<CliError>() {
        return fault.clone();
    }
    if let Some(e) = error.downcast_ref::<elbowroom::error::Error>() {
        return CliError { kind: e.kind().as_str(), what: e.what().to_owned(), hint: e.hint().to_owned() };
    }
    if let Some(e) = error.downcast_ref::<elbowroom_store::Error>() {
        return CliError { kind: e.kind().as_str(), what: e.what().into_owned(), hint: e.hint().to_owned() };
    }
    if let Some(e) = error.downcast_ref::<elbowroom_run::Error>() {
        return CliError { kind: e.kind(), what: e.what().into_owned(), hint: e.hint().to_owned() };
    }
    let kind = if error.downcast_ref::<std::io::Error>().is_some() { "io" } else { "other" };
    CliError { kind, what: format!("{error:#}"), hint: String::new() }
}
