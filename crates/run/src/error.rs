//! Errors of drives.

use std::borrow::Cow;

use thiserror::Error;

/// An error of this crate. What goes wrong in a trial is not an error: it is the trial's outcome.
///
/// ```
/// use elbowroom_run::Template;
/// let error = Template::parse("").unwrap_err();
/// assert_eq!(error.kind(), "command");
/// assert_eq!(error.to_string(), format!("{}\n  try: {}", error.what(), error.hint()));
/// ```
#[derive(Debug, Error)]
#[error("{}\n  try: {}", self.what(), self.hint())]
#[non_exhaustive]
pub enum Error {
    /// The command cannot be run as it is written.
    Command {
        /// What is wrong with it.
        what: String,
        /// What to try.
        hint: String,
    },
    /// A duration or an amount of memory that cannot be read.
    Quantity {
        /// What is wrong with it.
        what: String,
        /// What to try.
        hint: String,
    },
    /// The store could not be reached, or refused a request.
    #[error(transparent)]
    Store(#[from] elbowroom_store::Error),
    /// Results that could not be stored, even after retries. They are listed, so that nothing is lost.
    Untold {
        /// One line for each.
        results: String,
        /// Why.
        cause: String,
    },
}

/// A `Result` with this crate's error.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// The kind of error: a stable word, which programs may compare.
    pub fn kind(&self) -> &'static str {
        match self {
            Error::Command { .. } => "command",
            Error::Quantity { .. } => "quantity",
            Error::Store(error) => error.kind().as_str(),
            Error::Untold { .. } => "untold",
        }
    }

    /// What failed, and where.
    pub fn what(&self) -> Cow<'_, str> {
        match self {
            Error::Command { what, .. } | Error::Quantity { what, .. } => what.into(),
            Error::Store(error) => error.what(),
            Error::Untold { results, cause } => {
                let what = "the store did not accept these results, despite repeated attempts";
                format!("{what}:\n{results}\n  because: {cause}").into()
            }
        }
    }

    /// What to try.
    pub fn hint(&self) -> &str {
        match self {
            Error::Command { hint, .. } | Error::Quantity { hint, .. } => hint,
            Error::Store(error) => error.hint(),
            Error::Untold { .. } => "repair the store, then report them again",
        }
    }

    pub(crate) fn command(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Error::Command { what: what.into(), hint: hint.into() }
    }

    pub(crate) fn quantity(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Error::Quantity { what: what.into(), hint: hint.into() }
    }
}
