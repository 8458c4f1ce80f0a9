//! What only a study in a store has.

use std::sync::Arc;

use crate::error::Result;
use crate::lease::{Attempt, Hold, Lease};
use crate::log::Digest;
use crate::shared::SharedStudy;
use crate::store::Store;
use crate::time::Time;

/// What only a study in a store has: a clock, leases, and a log to which others append. Everything is as of the last
/// time the store was read, by an ask, a tell or a [refresh](SharedStudy::refresh).
///
/// ```
/// use elbowroom::space::{Parameter, SearchSpace};
/// use elbowroom::study::StudyConfig;
/// use elbowroom_store::{Memory, SharedStudy};
///
/// let space = SearchSpace::new(vec![Parameter::float("x", -1.0, 1.0)])?;
/// let store = std::sync::Arc::new(Memory::new());
/// let mut study = SharedStudy::create(store, "plate", StudyConfig::new(space))?.worker("ours");
/// let mine = study.ask(1)?.trials.remove(0);
/// assert_eq!(study.stored().leases().next().unwrap().worker, "ours");
/// study.stored().requeue(&[mine.attempt])?; // whoever asks next gets it
/// assert_eq!(study.ask(1)?.trials[0].id(), mine.id());
/// # Ok::<(), elbowroom_store::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Stored<'a> {
    pub(crate) shared: &'a SharedStudy,
}

impl<'a> Stored<'a> {
    /// The store.
    pub fn store(self) -> &'a Arc<dyn Store> {
        &self.shared.store
    }

    /// The store's time.
    pub fn now(self) -> Time {
        self.shared.now
    }

    /// When each event was stored, by the store's clock.
    pub fn times(self) -> &'a [Time] {
        &self.shared.times
    }

    /// The hash of the whole log.
    pub fn digest(self) -> Digest {
        self.shared.digest
    }

    /// The leases, by trial.
    pub fn leases(self) -> impl Iterator<Item = &'a Lease> {
        self.shared.leases.values()
    }

    /// Whether the study is paused: then nothing is handed out.
    pub fn is_paused(self) -> bool {
        self.shared.queue.iter().any(|ticket| ticket.is_pause())
    }

    /// Hands trials back, to be handed out to whoever asks next. This does not count as a loss; workers that are told
    /// to stop do it.
    pub fn requeue(self, attempts: &[Attempt]) -> Result<()> {
        self.store().requeue(&self.shared.name, attempts)
    }

    /// Reports that these attempts are alive. Every 20 s is often enough for leases of 90 s; [`Heartbeat`] does it from
    /// a background thread.
    ///
    /// [`Heartbeat`]: crate::Heartbeat
    pub fn heartbeat(self, attempts: &[Attempt]) -> Result<Vec<Hold>> {
        self.store().extend(&self.shared.name, attempts)
    }
}
