//! Keys of written settings that nobody reads: slips of whoever wrote them.

use crate::space::nearest;

/// A key that means nothing, for a reader of settings to report.
///
/// ```
/// use elbowroom::study::UnknownKey;
/// let known = ["kappa", "scale"].map(str::to_owned).to_vec();
/// let unknown = UnknownKey { path: vec!["acquisition".to_owned(), "kapa".to_owned()], known };
/// assert_eq!((unknown.key(), unknown.hint().as_str()), ("kapa", "did you mean `kappa`?"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownKey {
    /// The keys that lead to it, and itself.
    pub path: Vec<String>,
    /// The keys that mean something in its place.
    pub known: Vec<String>,
}

impl UnknownKey {
    /// The key itself.
    pub fn key(&self) -> &str {
        self.path.last().map_or("", String::as_str)
    }

    /// What to try instead.
    pub fn hint(&self) -> String {
        match nearest(self.key(), self.known.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None if self.known.is_empty() => "remove it: there is nothing to set here".to_owned(),
            None => format!("use one of {}", self.known.join(", ")),
        }
    }
}
