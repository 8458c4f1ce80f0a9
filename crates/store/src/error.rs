//! Errors of stores.

use std::borrow::Cow;

use thiserror::Error;

/// An error of this crate. Its message says what failed, where, and after `try:` what to do; [`kind`](Self::kind),
/// [`what`](Self::what) and [`hint`](Self::hint) return the parts.
///
/// ```
/// use elbowroom_store::{Error, ErrorKind, Memory, Store};
/// let error = Memory::new().read("plate", 0).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::NoStudy);
/// assert_eq!(error.what(), "there is no study `plate` in memory");
/// assert_eq!(error.to_string(), format!("{}\n  try: {}", error.what(), error.hint()));
/// ```
#[derive(Debug, Error)]
#[error("{}\n  try: {}", self.what(), self.hint())]
#[non_exhaustive]
pub enum Error {
    /// The store has no study of this name.
    NoStudy {
        /// The name.
        study: String,
        /// The store.
        place: String,
        /// What to try.
        hint: String,
    },
    /// The store already has a study of this name.
    Exists {
        /// The name.
        study: String,
        /// The store.
        place: String,
    },
    /// The store cannot be used: another kind of file, a newer schema, a network file system, no permission.
    Refused {
        /// What is wrong, and where.
        what: String,
        /// What to try.
        hint: String,
    },
    /// The store is damaged. Nothing was written.
    Damaged {
        /// What is damaged, and what is still intact.
        what: String,
        /// What to try.
        hint: String,
    },
    /// The store did not answer in time, or not at all. The request may be repeated.
    Unreachable {
        /// What did not answer.
        what: String,
        /// What to try.
        hint: String,
    },
    /// The store could not write: the disk is full or refuses to write.
    NotWritten {
        /// What was not written, and why.
        what: String,
        /// What to try.
        hint: String,
    },
    /// A name or a request that cannot be used, or was used for something else.
    Request {
        /// What is wrong with it.
        what: String,
        /// What to try.
        hint: String,
    },
    /// The study refused the request.
    #[error(transparent)]
    Study(#[from] elbowroom::error::Error),
}

/// The kinds of errors of this crate. Their names are stable, so programs may compare them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The store has no study of this name.
    NoStudy,
    /// The store already has a study of this name.
    Exists,
    /// The store cannot be used.
    Refused,
    /// The store is damaged.
    Damaged,
    /// The store did not answer. Trying again may help.
    Unreachable,
    /// The store could not write.
    NotWritten,
    /// A name or a request that cannot be used.
    Request,
    /// The study refused, with a kind of error of the core.
    Study(elbowroom::error::Kind),
}

impl ErrorKind {
    /// Its name in JSON.
    ///
    /// ```
    /// use elbowroom_store::ErrorKind;
    /// assert_eq!(ErrorKind::NoStudy.as_str(), "no_study");
    /// assert_eq!(ErrorKind::Study(elbowroom::error::Kind::Trial).as_str(), "trial");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            ErrorKind::NoStudy => "no_study",
            ErrorKind::Exists => "exists",
            ErrorKind::Refused => "refused",
            ErrorKind::Damaged => "damaged",
            ErrorKind::Unreachable => "unreachable",
            ErrorKind::NotWritten => "not_written",
            ErrorKind::Request => "request",
            ErrorKind::Study(kind) => kind.as_str(),
        }
    }
}

/// A `Result` with this crate's error.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What to try if a name is taken.
const TAKEN: &str = "use another name, or open that study";

impl Error {
    /// The kind of error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::NoStudy { .. } => ErrorKind::NoStudy,
            Error::Exists { .. } => ErrorKind::Exists,
            Error::Refused { .. } => ErrorKind::Refused,
            Error::Damaged { .. } => ErrorKind::Damaged,
            Error::Unreachable { .. } => ErrorKind::Unreachable,
            Error::NotWritten { .. } => ErrorKind::NotWritten,
            Error::Request { .. } => ErrorKind::Request,
            Error::Study(error) => ErrorKind::Study(error.kind()),
        }
    }

    /// What failed, and where.
    pub fn what(&self) -> Cow<'_, str> {
        match self {
            Error::NoStudy { study, place, .. } => format!("there is no study `{study}` in {place}").into(),
            Error::Exists { study, place } => format!("there is already a study `{study}` in {place}").into(),
            Error::Refused { what, .. }
            | Error::Damaged { what, .. }
            | Error::Unreachable { what, .. }
            | Error::NotWritten { what, .. }
            | Error::Request { what, .. } => what.into(),
            Error::Study(error) => error.what().into(),
        }
    }

    /// What to try.
    pub fn hint(&self) -> &str {
        match self {
            Error::Exists { .. } => TAKEN,
            Error::NoStudy { hint, .. }
            | Error::Refused { hint, .. }
            | Error::Damaged { hint, .. }
            | Error::Unreachable { hint, .. }
            | Error::NotWritten { hint, .. }
            | Error::Request { hint, .. } => hint,
            Error::Study(error) => error.hint(),
        }
    }

    /// There is no study with this name.
    pub fn no_study(study: &str, place: &str) -> Self {
        let hint = "list the studies, or create it first".to_owned();
        Error::NoStudy { study: study.to_owned(), place: place.to_owned(), hint }
    }

    /// There is already a study with this name.
    pub fn exists(study: &str, place: &str) -> Self {
        Error::Exists { study: study.to_owned(), place: place.to_owned() }
    }

    /// The store cannot be used.
    pub fn refused(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Error::Refused { what: what.into(), hint: hint.into() }
    }

    /// The store is damaged.
    pub fn damaged(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Error::Damaged { what: what.into(), hint: hint.into() }
    }

    /// The store did not answer.
    pub fn unreachable(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Error::Unreachable { what: what.into(), hint: hint.into() }
    }

    /// The store could not write.
    pub fn not_written(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Error::NotWritten { what: what.into(), hint: hint.into() }
    }

    /// A name or a request that cannot be used.
    pub fn request(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Error::Request { what: what.into(), hint: hint.into() }
    }
}
