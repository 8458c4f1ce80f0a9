//! The log as it is stored: numbered texts, chained by a hash.
//!
//! Each entry's digest is a hash of the previous digest, of its time and of its text. So a changed bit is noticed at
//! its position, as is a missing or swapped entry, and the last digest stands for the whole log: two stores hold the
//! same study if and only if their last digests agree.

use std::fmt;

use elbowroom::study::{Event, TrialId};
use sha2::{Digest as _, Sha256};

use crate::error::{Error, Result};
use crate::settings::{self, Unread};
use crate::time::Time;

/// The hash of a log up to some entry.
///
/// ```
/// use elbowroom_store::Digest;
/// assert_eq!(Digest::EMPTY.to_string().len(), 32);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digest(pub [u8; 16]);

impl Digest {
    /// The hash of a log without entries.
    pub const EMPTY: Digest = Digest([0; 16]);

    /// The hash of the log with one more entry.
    pub fn then(self, at: Time, text: &str) -> Digest {
        let hash = Sha256::new().chain_update(self.0).chain_update(at.0.to_le_bytes()).chain_update(text).finalize();
        let mut digest = [0; 16];
        digest.copy_from_slice(&hash[..16]);
        Digest(digest)
    }

    /// A digest from stored bytes, if there are 16 of them.
    pub fn from_slice(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Digest)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// One event as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// When it was stored, by the store's clock.
    pub at: Time,
    /// The event in JSON, exactly as it was written.
    pub text: String,
    /// The hash of the log up to here.
    pub digest: Digest,
}

impl Entry {
    /// The entry that stores an event after the entries with this digest.
    pub(crate) fn of(event: &Event, at: Time, before: Digest) -> Result<Self> {
        let text = serde_json::to_string(event)
            .map_err(|e| Error::request(format!("an event cannot be written: {e}"), "report this as a bug"))?;
        Ok(Self { at, digest: before.then(at, &text), text })
    }

    /// The event, if its hash is right; `number` is its position in the log, for the message.
    pub(crate) fn open(&self, number: usize, before: Digest) -> Result<Event> {
        if before.then(self.at, &self.text) != self.digest {
            let what =
                format!("event {number} of the log has changed since it was written; those before it are intact");
            return Err(Error::damaged(
                what,
                "save those with `elbow doctor FILE --save NEW.elbow`, or restore an older copy",
            ));
        }
        settings::from_json(self.text.as_bytes()).map_err(|unread| {
            let Unread { what, hint, .. } = unread;
            let meant = if hint.is_empty() { hint } else { format!(" ({hint})") };
            let what = format!("event {number} of the log cannot be read: {what}{meant}");
            Error::damaged(what, "use a newer build, or save the events before it into another store")
        })
    }
}

impl Entry {
    /// Whether the event begins a study and its configuration contains this setting, whatever its value.
    pub(crate) fn config_has(&self, setting: &str) -> bool {
        #[derive(serde::Deserialize)]
        struct Created {
            config: serde_json::Map<String, serde_json::Value>,
        }
        serde_json::from_str::<Created>(&self.text).is_ok_and(|created| created.config.contains_key(setting))
    }

    /// Whether the event may change the data of a model: values, infeasible points, and failures where models learn
    /// from them. Only its tag is read, so some of these events change nothing.
    pub(crate) fn may_be_a_result(&self) -> bool {
        #[derive(serde::Deserialize)]
        struct Tag<'a> {
            event: &'a str,
        }
        let tag = serde_json::from_str::<Tag<'_>>(&self.text).map_or("", |tag| tag.event);
        !matches!(tag, "asked" | "measured" | "released" | "budgeted" | "placed")
    }
}

/// The key by which a repeated event is recognized.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key<'a> {
    /// The family of the request: asks and reports have separate names.
    pub scope: Scope,
    /// The sender's name for it.
    pub request: &'a str,
}

/// A family of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Asks.
    Ask = 0,
    /// Reports, and points that users add.
    Report = 1,
}

impl<'a> Key<'a> {
    /// The key of an event, if it has one.
    pub(crate) fn of(event: &'a Event) -> Result<Option<Self>> {
        let (scope, request) = match event {
            Event::Created { .. } | Event::Budgeted { .. } | Event::Placed { .. } => return Ok(None),
            Event::Asked { request, .. } => (Scope::Ask, request),
            Event::Added { request, .. }
            | Event::Told { request, .. }
            | Event::Measured { request, .. }
            | Event::Failed { request, .. }
            | Event::Infeasible { request, .. }
            | Event::Withdrawn { request, .. } => (Scope::Report, request),
        };
        let Some(request) = request else { return Ok(None) };
        check_name("the request", request)?;
        Ok(Some(Self { scope, request }))
    }
}

/// The trial that an event is about, if any.
pub(crate) fn trial_of(event: &Event) -> Option<TrialId> {
    match event {
        Event::Created { .. } | Event::Asked { .. } | Event::Budgeted { .. } | Event::Placed { .. } => None,
        Event::Added { trial, .. }
        | Event::Told { trial, .. }
        | Event::Measured { trial, .. }
        | Event::Failed { trial, .. }
        | Event::Infeasible { trial, .. }
        | Event::Withdrawn { trial, .. } => Some(*trial),
    }
}

/// Whether a store takes a name of a study or of a request: names are short texts without control characters. `what` is
/// what the error calls the name.
///
/// ```
/// elbowroom_store::check_name("the name of the study", "Säule 3 / Ansatz 2")?;
/// assert!(elbowroom_store::check_name("the name of the study", "two\nlines").is_err());
/// # Ok::<(), elbowroom_store::Error>(())
/// ```
pub fn check_name(what: &str, name: &str) -> Result<()> {
    if name.is_empty() || name.chars().count() > 200 || name.chars().any(char::is_control) {
        let shown: String = name.chars().take(60).collect();
        return Err(Error::request(format!("{what} is {shown:?}"), "use 1 to 200 letters, digits, spaces or symbols"));
    }
    Ok(())
}

/// The error of a request that was used for another trial.
pub(crate) fn request_reused(request: &str, number: usize) -> Error {
    let what = format!("request `{request}` was already used in this study, for something else (event {number})");
    Error::request(what, "give each report its own name")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_text_time_or_order_changes_the_digest() {
        let (a, b) = (Digest::EMPTY.then(Time(1), "a").then(Time(2), "b"), Digest::EMPTY);
        assert_ne!(a, b.then(Time(2), "b").then(Time(1), "a"));
        assert_ne!(a, b.then(Time(1), "a").then(Time(3), "b"));
        assert_ne!(a, b.then(Time(1), "a").then(Time(2), "c"));
        assert_eq!(a, b.then(Time(1), "a").then(Time(2), "b"));
    }

    #[test]
    fn an_entry_says_where_it_was_changed() {
        let mut entry =
            Entry::of(&Event::Withdrawn { trial: TrialId(1), request: None }, Time(5), Digest::EMPTY).unwrap();
        assert!(entry.open(7, Digest::EMPTY).is_ok());
        entry.text = entry.text.replace('1', "2");
        assert!(entry.open(7, Digest::EMPTY).unwrap_err().to_string().starts_with("event 7 of the log has changed"));
    }

    #[test]
    fn all_that_may_teach_a_model_may_be_a_result() {
        let may = |event: &str| {
            let text = format!(r#"{{"v":1,"event":"{event}","trial":1}}"#);
            Entry { at: Time(1), digest: Digest::EMPTY.then(Time(1), &text), text }.may_be_a_result()
        };
        let taught: Vec<&str> = ["created", "asked", "added", "told", "measured", "failed", "infeasible", "released"]
            .into_iter()
            .filter(|e| may(e))
            .collect();
        assert_eq!(taught, ["created", "added", "told", "failed", "infeasible"]);
    }

    #[test]
    fn names_with_control_characters_are_refused() {
        for bad in ["", "a\0b", "a\nb", &"x".repeat(201)] {
            assert!(check_name("the name", bad).is_err(), "{bad:?}");
        }
        check_name("the name", "Säule 3 / Ansatz 2").unwrap();
    }
}
