//! Unknown keys in settings.

use crate::space::nearest;

/// A key that is not known, for a reader of settings to report.
///
/// ```
/// use elbowroom::study::UnknownKey;
/// let known = ["kappa", "scale"].map(str::to_owned).to_vec();
/// let unknown = UnknownKey { path: vec!["acquisition".to_owned(), "kapa".to_owned()], known };
/// assert_eq!((unknown.key(), unknown.hint().as_str()), ("kapa", "did you mean `kappa`?"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownKey {
    /// The path to the key, including the key itself.
    pub path: Vec<String>,
    /// The known keys at that position.
    pub known: Vec<String>,
}

impl UnknownKey {
    /// The unknown key.
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
