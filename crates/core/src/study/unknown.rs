//! Keys of written settings that nobody reads.
//!
//! What is read from a log passes over what it does not know, so that later builds may write more. What a person writes is
//! another matter: a key that means nothing is a slip of theirs. It is found by writing down again what was understood.

use crate::space::nearest;

/// A key that means nothing.
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
            None if self.known.is_empty() => "take it away: there is nothing to set here".to_owned(),
            None => format!("take one of {}", self.known.join(", ")),
        }
    }
}

/// The first key of `written` that is not in `known`, at any depth: `known` is what was understood of it, written down
/// again. `entries` lists the keys and values of a table, and is none for what is no table.
///
/// ```
/// use elbowroom::study::unknown_key;
/// use serde_json::{Value, json};
///
/// let entries = |value: &Value| -> Option<Vec<(String, Value)>> {
///     Some(value.as_object()?.iter().map(|(key, value)| (key.clone(), value.clone())).collect())
/// };
/// let written = json!({ "name": "plain", "acquisition": { "ucb": { "kapa": 1.0 } } });
/// let known = json!({ "name": "plain", "acquisition": { "ucb": { "kappa": 2.0 } } });
/// let unknown = unknown_key(&written, &known, &entries).unwrap();
/// assert_eq!((unknown.path.join("."), unknown.hint().as_str()), ("acquisition.ucb.kapa".to_owned(), "did you mean `kappa`?"));
/// ```
pub fn unknown_key<V>(written: &V, known: &V, entries: &impl Fn(&V) -> Option<Vec<(String, V)>>) -> Option<UnknownKey> {
    let (written, known) = (entries(written)?, entries(known)?);
    for (key, value) in written {
        match known.iter().find(|(name, _)| *name == key) {
            None => {
                let known = known.into_iter().map(|(name, _)| name).filter(|name| name != "name").collect();
                return Some(UnknownKey { path: vec![key], known });
            }
            Some((_, inner)) => {
                if let Some(mut unknown) = unknown_key(&value, inner, entries) {
                    unknown.path.insert(0, key);
                    return Some(unknown);
                }
            }
        }
    }
    None
}
