//! What can go wrong between a study and its store.

use std::borrow::Cow;

use thiserror::Error;

/// Everything that can go wrong in this crate. Each message says what failed, where, and after `try:` what to do;
/// [`kind`](Self::kind), [`what`](Self::what) and [`hint`](Self::hint) have the parts.
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
    /// The store holds no study of this name.
    NoStudy {
        /// The name.
        study: String,
        /// The store.
        place: String,
        /// What to try.
        hint: String,
    },
    /// The store holds a study of this name already.
    Exists {
        /// The name.
        study: String,
        /// The store.
        place: String,
    },
    /// The store cannot be used as it is: another kind of file, a newer schema, a network file system, no permission.
    Refused {
        /// What is wrong, and where.
        what: String,
        /// What to try.
        hint: String,
    },
    /// What the store holds is damaged. Nothing was written.
    Damaged {
        /// What is damaged, and what is still whole.
        what: String,
        /// What to try.
        hint: String,
    },
    /// The store did not answer in time, or not at all. What was asked of it may be asked again.
    Unreachable {
        /// What did not answer.
        what: String,
        /// What to try.
        hint: String,
    },
    /// The store could not write: the disk is full or refuses.
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
    /// The study itself refused.
    #[error(transparent)]
    Study(#[from] elbowroom::error::Error),
}

/// The kinds of errors of this crate. Their words are stable: programs may compare them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The store holds no study of this name.
    NoStudy,
    /// The store holds a study of this name already.
    Exists,
    /// The store cannot be used as it is.
    Refused,
    /// What the store holds is damaged.
    Damaged,
    /// The store did not answer. Asking again may help.
    Unreachable,
    /// The store could not write.
    NotWritten,
    /// A name or a request that cannot be used.
    Request,
    /// The study itself refused, with a kind of the core.
    Study(elbowroom::error::Kind),
}

impl ErrorKind {
    /// The word for it in JSON.
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

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What to try where a name is taken.
const TAKEN: &str = "use another name, or open that study";

impl Error {
    /// What sort of error it is.
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

    /// There is no study of this name.
    pub fn no_study(study: &str, place: &str) -> Self {
        let hint = "list the studies, or create it first".to_owned();
        Error::NoStudy { study: study.to_owned(), place: place.to_owned(), hint }
    }

    /// There is a study of this name already.
    pub fn exists(study: &str, place: &str) -> Self {
        Error::Exists { study: study.to_owned(), place: place.to_owned() }
    }

    /// The store cannot be used as it is.
    pub fn refused(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Error::Refused { what: what.into(), hint: hint.into() }
    }

    /// What the store holds is damaged.
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
