//! Leases: who works on which trial, and until when.
//!
//! A lease is kept next to the log and does not change the revision. Whether it is live is derived from the store's
//! clock whenever it is read; no process has to run for a dead worker's trial to count as lost.
//!
//! A clock may be set. A lease whose end lies further ahead than its whole length was granted by a clock that has since
//! been set back: it counts as expired, so that it is wrong by at most one length. A worker that is alive extends it
//! with its next heartbeat.

use std::time::Duration;

use elbowroom::study::TrialId;

use crate::time::Time;

/// How long a worker may be silent.
pub const DEFAULT_TTL: Duration = Duration::from_secs(90);

/// How often a lost trial is handed out again after the first time.
pub const MAX_RETRIES: u32 = 2;

/// One hand-out of a trial: the trial's number and the number of the attempt, counted from 1.
///
/// ```
/// use elbowroom::study::TrialId;
/// use elbowroom_store::Attempt;
/// let attempt = Attempt::first(TrialId(3));
/// assert_eq!(attempt, Attempt { trial: TrialId(3), number: 1 });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Attempt {
    /// The trial.
    pub trial: TrialId,
    /// How often the trial has been handed out, including this time.
    pub number: u32,
}

impl Attempt {
    /// The first attempt of a trial.
    pub fn first(trial: TrialId) -> Self {
        Self { trial, number: 1 }
    }
}

/// A worker's claim on a trial, as it is in the store.
///
/// ```
/// use elbowroom::study::TrialId;
/// use elbowroom_store::{Attempt, Lease, Time};
/// use std::time::Duration;
///
/// let lease = Lease::new(Attempt::first(TrialId(0)), "worker 1", Duration::from_secs(90), Time(0));
/// assert!(lease.is_live(Time(89_999)) && !lease.is_live(Time(90_000)));
/// // Granted by a clock that was a day ahead: not to be trusted.
/// assert!(!lease.is_live(Time(-86_400_000)));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The attempt that it is a claim on.
    pub attempt: Attempt,
    /// The worker that has it.
    pub worker: String,
    /// How long its worker may be silent.
    pub ttl: Duration,
    /// When it runs out unless it is extended.
    pub expires: Time,
    /// How often the trial was lost before this attempt.
    pub faults: u32,
    /// Whether its worker handed the trial back for another worker.
    pub returned: bool,
}

impl Lease {
    /// A lease that starts now.
    pub fn new(attempt: Attempt, worker: &str, ttl: Duration, now: Time) -> Self {
        Self { attempt, worker: worker.to_owned(), ttl, expires: now.after(ttl), faults: 0, returned: false }
    }

    /// Whether its worker counts as alive.
    pub fn is_live(&self, now: Time) -> bool {
        // With a margin of one second, since a database may read its clock twice in one call.
        let longest = now.after(self.ttl + Duration::from_secs(1));
        !self.returned && now < self.expires && self.expires <= longest
    }

    /// Whether the trial is lost and due to be handed out again.
    pub fn is_due(&self, now: Time) -> bool {
        !self.is_live(now) && (self.returned || self.faults < MAX_RETRIES)
    }

    /// The lease that follows when the trial is handed out again.
    pub(crate) fn next(&self, attempt: Attempt, worker: &str, ttl: Duration, now: Time) -> Self {
        let faults = self.faults.saturating_add(u32::from(!self.returned));
        Self { faults, ..Self::new(attempt, worker, ttl, now) }
    }

    /// The length, in milliseconds.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn ttl_millis(&self) -> i64 {
        crate::time::millis(self.ttl)
    }
}

/// The answer to a worker that says that it is alive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hold {
    /// The trial is still its own, until then.
    Held(Time),
    /// The trial was handed to another worker in the meantime. A value is still welcome.
    Superseded,
    /// The trial has ended: it was told, failed or given back.
    Ended,
}
