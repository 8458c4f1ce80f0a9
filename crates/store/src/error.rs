//! What can go wrong between a study and its store.

use thiserror::Error;

/// Everything that can go wrong in this crate. Each message says what failed, where, and after `try:` what to do.
///
/// ```
/// use elbowroom_store::{Error, Memory, Store};
/// let error = Memory::new().read("plate", 0).unwrap_err();
/// assert!(matches!(error, Error::NoStudy { .. }));
/// assert!(error.to_string().starts_with("there is no study `plate` in memory"));
/// ```
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The store holds no study of this name.
    #[error("there is no study `{study}` in {place}\n  try: {hint}")]
    NoStudy {
        /// The name.
        study: String,
        /// The store.
        place: String,
        /// What to try.
        hint: String,
    },
    /// The store holds a study of this name already.
    #[error("there is a study `{study}` in {place} already\n  try: another name, or open that study")]
    Exists {
        /// The name.
        study: String,
        /// The store.
        place: String,
    },
    /// The store cannot be used as it is: another kind of file, a newer schema, a network file system, no permission.
    #[error("{what}\n  try: {hint}")]
    Refused {
        /// What is wrong, and where.
        what: String,
        /// What to try.
        hint: String,
    },
    /// What the store holds is damaged. Nothing was written.
    #[error("{what}\n  try: {hint}")]
    Damaged {
        /// What is damaged, and what is still whole.
        what: String,
        /// What to try.
        hint: String,
    },
    /// The store did not answer in time, or not at all. What was asked of it may be asked again.
    #[error("{what}\n  try: {hint}")]
    Unreachable {
        /// What did not answer.
        what: String,
        /// What to try.
        hint: String,
    },
    /// The store could not write: the disk is full or refuses.
    #[error("{what}\n  try: {hint}")]
    NotWritten {
        /// What was not written, and why.
        what: String,
        /// What to try.
        hint: String,
    },
    /// A name or a request that cannot be used, or was used for something else.
    #[error("{what}\n  try: {hint}")]
    Request {
        /// What is wrong with it.
        what: String,
        /// What to try.
        hint: String,
    },
    /// The study itself refused.
    #[error(transparent)]
    Study(#[from] elbowroom::error::Error),
}

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn no_study(study: &str, place: &str) -> Self {
        let hint = "list the studies, or create it first".to_owned();
        Error::NoStudy { study: study.to_owned(), place: place.to_owned(), hint }
    }

    pub(crate) fn exists(study: &str, place: &str) -> Self {
        Error::Exists { study: study.to_owned(), place: place.to_owned() }
    }

    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn refused(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Error::Refused { what: what.into(), hint: hint.into() }
    }

    pub(crate) fn damaged(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Error::Damaged { what: what.into(), hint: hint.into() }
    }

    pub(crate) fn unreachable(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Error::Unreachable { what: what.into(), hint: hint.into() }
    }

    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn not_written(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Error::NotWritten { what: what.into(), hint: hint.into() }
    }

    pub(crate) fn request(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Error::Request { what: what.into(), hint: hint.into() }
    }
}
