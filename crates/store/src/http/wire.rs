//! What a store behind HTTP is asked and what it answers, as JSON.

use std::time::Duration;

use elbowroom::study::{Event, TrialId};
use serde::{Deserialize, Serialize};

use crate::lease::{Attempt, Hold, Lease};
use crate::log::{Digest, Entry};
use crate::store::{Appended, Reported, Snapshot, Ticket};
use crate::time::{Time, millis};

/// A study as it stood at one moment.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WireSnapshot {
    /// The store's time, in milliseconds since 1970.
    now: i64,
    /// The log from the event on that was asked for.
    entries: Vec<WireEntry>,
    /// Who has which trial.
    leases: Vec<WireLease>,
    /// Tickets, in their order.
    queue: Vec<i64>,
}

/// An entry of the log.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct WireEntry {
    /// When it was stored, in milliseconds since 1970.
    at: i64,
    /// The event, as it was written.
    text: String,
    /// The hash of the log up to here.
    digest: String,
}

/// A lease.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct WireLease {
    trial: u64,
    attempt: u32,
    worker: String,
    ttl_ms: u64,
    expires: i64,
    faults: u32,
    returned: bool,
}

impl From<Snapshot> for WireSnapshot {
    fn from(snapshot: Snapshot) -> Self {
        let entry = |Entry { at, text, digest }: Entry| WireEntry { at: at.0, text, digest: digest.to_string() };
        let lease = |lease: Lease| WireLease {
            trial: lease.attempt.trial.0,
            attempt: lease.attempt.number,
            worker: lease.worker,
            ttl_ms: millis(lease.ttl).unsigned_abs(),
            expires: lease.expires.0,
            faults: lease.faults,
            returned: lease.returned,
        };
        Self {
            now: snapshot.now.0,
            entries: snapshot.entries.into_iter().map(entry).collect(),
            leases: snapshot.leases.into_iter().map(lease).collect(),
            queue: snapshot.queue.iter().map(|ticket| ticket.0).collect(),
        }
    }
}

impl WireSnapshot {
    /// The snapshot, if its digests can be read.
    pub(crate) fn open(self) -> Option<Snapshot> {
        let entry = |WireEntry { at, text, digest }| Some(Entry { at: Time(at), text, digest: from_hex(&digest)? });
        let lease = |lease: WireLease| Lease {
            attempt: Attempt { trial: TrialId(lease.trial), number: lease.attempt },
            worker: lease.worker,
            ttl: Duration::from_millis(lease.ttl_ms),
            expires: Time(lease.expires),
            faults: lease.faults,
            returned: lease.returned,
        };
        Some(Snapshot {
            now: Time(self.now),
            entries: self.entries.into_iter().map(entry).collect::<Option<_>>()?,
            leases: self.leases.into_iter().map(lease).collect(),
            queue: self.queue.into_iter().map(Ticket).collect(),
        })
    }
}

fn from_hex(text: &str) -> Option<Digest> {
    let mut digest = [0; 16];
    if text.len() != 32 || !text.is_ascii() {
        return None;
    }
    for (i, byte) in digest.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * i..2 * i + 2], 16).ok()?;
    }
    Some(Digest(digest))
}

/// What is asked of a store that changes something.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum StoreRequest {
    /// [`Store::create`](crate::Store::create).
    Create {
        /// The first event.
        created: Event,
    },
    /// [`Store::append`](crate::Store::append).
    Append {
        /// The revision that the study should be at.
        expected: usize,
        /// What is handed out.
        event: Event,
        /// The attempts it begins.
        attempts: Vec<WireAttempt>,
        /// Who takes them.
        worker: String,
        /// How long the worker may be silent.
        ttl_ms: Option<u64>,
        /// A place in the queue.
        ticket: Option<i64>,
    },
    /// [`Store::append_all`](crate::Store::append_all).
    AppendAll {
        /// The revision that the study should be at.
        expected: usize,
        /// What happened.
        events: Vec<Event>,
    },
    /// [`Store::report`](crate::Store::report).
    Report {
        /// What is reported.
        event: Event,
        /// The attempt it comes from.
        attempt: Option<u32>,
        /// How many events the reporter knows.
        #[serde(default)]
        seen: usize,
    },
    /// [`Store::extend`](crate::Store::extend).
    Extend {
        /// The attempts that are alive.
        attempts: Vec<WireAttempt>,
    },
    /// [`Store::requeue`](crate::Store::requeue).
    GiveBack {
        /// The attempts that are given back.
        attempts: Vec<WireAttempt>,
    },
    /// [`Store::lose`](crate::Store::lose).
    Lose {
        /// The attempts whose workers are gone.
        attempts: Vec<WireAttempt>,
    },
    /// [`Store::queue`](crate::Store::queue).
    Queue {
        /// The place, if there is one already.
        ticket: Option<i64>,
        /// How long it is kept.
        ttl_ms: u64,
    },
    /// [`Store::leave`](crate::Store::leave).
    Leave {
        /// The place.
        ticket: i64,
    },
}

/// What became of it.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "done", rename_all = "snake_case")]
pub enum StoreReply {
    /// Nothing more to say.
    Done,
    /// Appended, or the report of this number was the same.
    Appended {
        /// The revision, or the number of the event.
        number: usize,
    },
    /// The report was there before.
    Repeated {
        /// As the event of this number.
        number: usize,
    },
    /// The study has a newer revision.
    Newer {
        /// Which.
        revision: usize,
    },
    /// A worker has come back.
    Revived,
    /// Others stand before.
    Queued,
    /// Another worker has the trial.
    Superseded,
    /// A place in the queue.
    Place {
        /// Which.
        ticket: i64,
    },
    /// What became of each attempt: until when it is held, or a word.
    Holds {
        /// In order.
        holds: Vec<WireHold>,
    },
}

/// What became of an attempt.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum WireHold {
    /// Until then.
    Held(i64),
    /// Another worker has it.
    Superseded,
    /// It is over.
    Ended,
}

impl From<Hold> for WireHold {
    fn from(hold: Hold) -> Self {
        match hold {
            Hold::Held(until) => WireHold::Held(until.0),
            Hold::Superseded => WireHold::Superseded,
            Hold::Ended => WireHold::Ended,
        }
    }
}

impl From<WireHold> for Hold {
    fn from(hold: WireHold) -> Self {
        match hold {
            WireHold::Held(until) => Hold::Held(Time(until)),
            WireHold::Superseded => Hold::Superseded,
            WireHold::Ended => Hold::Ended,
        }
    }
}

impl From<Appended> for StoreReply {
    fn from(appended: Appended) -> Self {
        match appended {
            Appended::Done(number) => StoreReply::Appended { number },
            Appended::Newer(revision) => StoreReply::Newer { revision },
            Appended::Revived => StoreReply::Revived,
            Appended::Queued => StoreReply::Queued,
        }
    }
}

impl From<Reported> for StoreReply {
    fn from(reported: Reported) -> Self {
        match reported {
            Reported::Appended(number) => StoreReply::Appended { number },
            Reported::Repeated(number) => StoreReply::Repeated { number },
            Reported::Superseded => StoreReply::Superseded,
        }
    }
}

/// An attempt of a trial.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WireAttempt {
    trial: u64,
    attempt: u32,
}

impl From<Attempt> for WireAttempt {
    fn from(Attempt { trial, number }: Attempt) -> Self {
        Self { trial: trial.0, attempt: number }
    }
}

impl From<WireAttempt> for Attempt {
    fn from(WireAttempt { trial, attempt }: WireAttempt) -> Self {
        Self { trial: TrialId(trial), number: attempt }
    }
}
