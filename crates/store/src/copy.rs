//! Copies a study from one store to another.

use crate::error::{Error, Result};
use crate::log::{Digest, Entry};
use crate::store::Store;

/// A summary of a copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copied {
    /// The number of events.
    pub n_events: usize,
    /// The hash of the log, which is equal in both stores.
    pub digest: Digest,
}

/// Copies a study under a name into another store: every event as it was written, and the leases, which start again.
///
/// The copy is complete, or there is none. It is read back and compared before this returns.
///
/// ```
/// use elbowroom::space::{Parameter, SearchSpace};
/// use elbowroom::study::StudyConfig;
/// use elbowroom_store::{Memory, SharedStudy, Store, copy};
/// use std::sync::Arc;
///
/// let (from, to) = (Arc::new(Memory::new()), Memory::new());
/// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
/// let mut study = SharedStudy::create(from.clone(), "plate", StudyConfig::new(space))?;
/// study.ask(2)?;
/// let copied = copy(&*from, "plate", &to, "plate, copied")?;
/// assert_eq!((copied.n_events, copied.digest), (2, study.stored().digest()));
/// assert_eq!(to.read("plate, copied", 0)?.entries, from.read("plate", 0)?.entries);
/// # Ok::<(), elbowroom_store::Error>(())
/// ```
pub fn copy(from: &dyn Store, study: &str, to: &dyn Store, name: &str) -> Result<Copied> {
    let source = from.read(study, 0)?;
    let digest = whole(&source.entries)?;
    to.import(name, &source.entries, &source.leases)?;
    let copy = to.read(name, 0)?.entries;
    // The copy is a study like any other: a worker may already have used it.
    let n_events = source.entries.len();
    if copy.len() < n_events || whole(&copy[..n_events])? != digest {
        let what = format!("the copy of `{study}` in {} differs from the one in {}", to.label(), from.label());
        return Err(Error::damaged(what, "copy it again under another name, and check both stores"));
    }
    Ok(Copied { n_events, digest })
}

/// The hash of a log, checked from entry to entry.
fn whole(entries: &[Entry]) -> Result<Digest> {
    let mut digest = Digest::EMPTY;
    for (number, entry) in entries.iter().enumerate() {
        entry.open(number, digest)?;
        digest = entry.digest;
    }
    Ok(digest)
}
