//! What failed, with the facts, for a person and for code.

use std::fmt;

use thiserror::Error;

/// What can go wrong in this crate: a [`Kind`] for code, and two sentences for people.
///
/// [`what`](Self::what) says what failed and with which value, [`hint`](Self::hint) what to try. Shown, the hint stands
/// on a line of its own, after `try:`. Nothing needs to read that text back: the parts have methods.
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

/// The kinds of errors of this crate. Their words are stable: programs may compare them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A search space that cannot be searched, or a point that is not in it.
    Space,
    /// Observations that a model cannot take.
    Data,
    /// A setting out of its range, or settings that contradict each other.
    Config,
    /// A trial or an event that does not fit the study's history.
    Trial,
    /// A computation that broke down although its input was valid.
    Numerical,
    /// A part of the user's own that the study needs was not handed in.
    MissingPart,
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 6] = [Kind::Space, Kind::Data, Kind::Config, Kind::Trial, Kind::Numerical, Kind::MissingPart];

    /// The word for it in JSON.
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

    /// The kind of a word that [`as_str`](Self::as_str) gave.
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

    /// A fault of the search space or of a point in it.
    pub fn space(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(Kind::Space, what, hint)
    }

    /// A fault of the observations.
    pub fn data(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(Kind::Data, what, hint)
    }

    /// A fault of the settings.
    pub fn config(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(Kind::Config, what, hint)
    }

    /// A fault of a trial or an event.
    pub fn trial(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(Kind::Trial, what, hint)
    }

    /// A numerical breakdown.
    pub fn numerical(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(Kind::Numerical, what, hint)
    }

    /// What sort of error it is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// What failed, where and with which value.
    pub fn what(&self) -> &str {
        &self.what
    }

    /// What to try.
    pub fn hint(&self) -> &str {
        &self.hint
    }

    /// The same error, with where it happened in front.
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
