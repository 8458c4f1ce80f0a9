//! What can go wrong while a study is driven.

use thiserror::Error;

/// Everything that can go wrong in this crate. What goes wrong in a trial is no error: it is the trial's outcome.
///
/// ```
/// use elbowroom_run::Template;
/// let error = Template::parse("").unwrap_err();
/// assert!(error.to_string().contains("try:"));
/// ```
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// A command that cannot be run as it is written.
    #[error("{what}\n  try: {hint}")]
    Command {
        /// What is wrong with it.
        what: String,
        /// What to try.
        hint: String,
    },
    /// A length of time or an amount of memory that cannot be read.
    #[error("{what}\n  try: {hint}")]
    Quantity {
        /// What is wrong with it.
        what: String,
        /// What to try.
        hint: String,
    },
    /// The store could not be reached or did not keep what it was given.
    #[error(transparent)]
    Store(#[from] elbowroom_store::Error),
    /// Results that the store did not take, however often it was tried. They are listed, so that nothing is lost.
    #[error(
        "the store did not take these results, however often it was tried:\n{results}\n  because: {cause}\n  try: mend the store, then tell them again"
    )]
    Untold {
        /// One line for each.
        results: String,
        /// Why.
        cause: String,
    },
}

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn command(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Error::Command { what: what.into(), hint: hint.into() }
    }

    pub(crate) fn quantity(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Error::Quantity { what: what.into(), hint: hint.into() }
    }
}
