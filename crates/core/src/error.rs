//! Errors, with the facts, for people and for code.

use std::fmt;

use thiserror::Error;

/// An error of this crate: a [`Kind`] for code, and two sentences for people.
///
/// [`what`](Self::what) says what failed and with which value, and [`hint`](Self::hint) what to try. When the error is
/// displayed, the hint is on a separate line, after `try:`. You never need to parse that text: each part has a method.
///
/// ```
/// use elbowroom::error::{Error, Kind};
/// let e = Error::space("parameter `x`: low 3 is above high 1", "swap the two bounds");
/// assert_eq!(e.to_string(), "parameter `x`: low 3 is above high 1\n  try: swap the two bounds");
/// assert_eq!((e.kind(), e.hint()), (Kind::Space, "swap the two bounds"));
/// ```
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{what}\n  try: {hint}")]
pub struct Error {
    kind: Kind,
    what: String,
    hint: String,
}

/// The kinds of errors of this crate. Their names are stable, so programs may compare them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A search space that cannot be searched, or a point that is not in it.
    Space,
    /// Observations that a model cannot be fitted to.
    Data,
    /// A setting that is out of range, or settings that contradict each other.
    Config,
    /// A trial or an event that contradicts the study's history.
    Trial,
    /// A computation that failed although its input was valid.
    Numerical,
    /// The study needs a custom strategy or kernel that was not provided.
    MissingPart,
}

/// A `Result` with this crate's error.
pub type Result<T> = std::result::Result<T, Error>;

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 6] = [Kind::Space, Kind::Data, Kind::Config, Kind::Trial, Kind::Numerical, Kind::MissingPart];

    /// Its name in JSON.
    ///
    /// ```
    /// use elbowroom::error::Kind;
    /// assert_eq!(Kind::Config.as_str(), "config");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Space => "space",
            Kind::Data => "data",
            Kind::Config => "config",
            Kind::Trial => "trial",
            Kind::Numerical => "numerical",
            Kind::MissingPart => "missing_part",
        }
    }

    /// The kind with a name that [`as_str`](Self::as_str) returned.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Error {
    /// An error of any kind.
    pub fn new(kind: Kind, what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind, what: what.into(), hint: hint.into() }
    }

    /// An error in the search space or in a point of it.
    pub fn space(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(Kind::Space, what, hint)
    }

    /// An error in the observations.
    pub fn data(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(Kind::Data, what, hint)
    }

    /// An error in the settings.
    pub fn config(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(Kind::Config, what, hint)
    }

    /// An error concerning a trial or an event.
    pub fn trial(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(Kind::Trial, what, hint)
    }

    /// A numerical failure.
    pub fn numerical(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(Kind::Numerical, what, hint)
    }

    /// The kind of error.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// What failed, where, and with which value.
    pub fn what(&self) -> &str {
        &self.what
    }

    /// What to try.
    pub fn hint(&self) -> &str {
        &self.hint
    }

    /// The same error, preceded by where it happened.
    ///
    /// ```
    /// use elbowroom::error::Error;
    /// let e = Error::space("`x` is missing", "give every parameter a value").within("trial 3");
    /// assert_eq!(e.what(), "trial 3: `x` is missing");
    /// ```
    #[must_use]
    pub fn within(mut self, prefix: impl fmt::Display) -> Self {
        self.what = format!("{prefix}: {}", self.what);
        self
    }
}
