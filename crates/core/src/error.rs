//! What failed, with the facts, for a person and for code.

use thiserror::Error;

/// Everything that can go wrong in this crate.
///
/// Each message says what failed and with which value; where there is something to try, the hint stands on a line of
/// its own, after `try:`.
///
/// ```
/// use elbowroom::error::Error;
/// let e = Error::space("parameter `x`: low 3 is above high 1", "swap the two bounds");
/// assert_eq!(e.to_string(), "parameter `x`: low 3 is above high 1\n  try: swap the two bounds");
/// ```
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Error {
    /// A search space that cannot be searched, or a point that is not in it.
    #[error("{what}\n  try: {hint}")]
    Space {
        /// What is wrong, and where.
        what: String,
        /// What to try.
        hint: String,
    },
    /// Observations that a model cannot take.
    #[error("{what}\n  try: {hint}")]
    Data {
        /// What is wrong, and where.
        what: String,
        /// What to try.
        hint: String,
    },
    /// A setting out of its range, or settings that contradict each other.
    #[error("{what}\n  try: {hint}")]
    Config {
        /// What is wrong, and where.
        what: String,
        /// What to try.
        hint: String,
    },
    /// A trial or an event that does not fit the study's history.
    #[error("{what}\n  try: {hint}")]
    Trial {
        /// What is wrong, and where.
        what: String,
        /// What to try.
        hint: String,
    },
    /// A computation that broke down although its input was valid.
    #[error("{what}\n  try: {hint}")]
    Numerical {
        /// What broke, with the numbers.
        what: String,
        /// What to try.
        hint: String,
    },
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// A fault of the search space or of a point in it.
    pub fn space(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Error::Space { what: what.into(), hint: hint.into() }
    }

    /// A fault of the observations.
    pub fn data(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Error::Data { what: what.into(), hint: hint.into() }
    }

    /// A fault of the settings.
    pub fn config(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Error::Config { what: what.into(), hint: hint.into() }
    }

    /// A fault of a trial or an event.
    pub fn trial(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Error::Trial { what: what.into(), hint: hint.into() }
    }

    /// A numerical breakdown.
    pub fn numerical(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Error::Numerical { what: what.into(), hint: hint.into() }
    }
}
