//! Stores for [`elbowroom`] studies, where they survive and many workers can share them.
//!
//! A [`Store`] keeps the logs of studies: [`Memory`] for tests and for one process, [`Sqlite`] for one machine (one
//! file), [`Postgres`] for many. A [`SharedStudy`] is a study in a store, seen from one of its workers:
//!
//! ```
//! use elbowroom::space::{Parameter, SearchSpace};
//! use elbowroom::study::StudyConfig;
//! use elbowroom_store::{SharedStudy, open};
//!
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("plate.elbow");
//! # let path = path.to_str().unwrap();
//! let space = SearchSpace::new(vec![Parameter::float("x", -1.0, 1.0)])?;
//! let store = open(path)?; // a path, or postgres://…
//! let mut study = SharedStudy::open_or_create(store, "plate", StudyConfig::new(space).budget(8))?;
//! loop {
//!     let handed = study.ask(1)?; // stored, with a lease, before it is returned
//!     let Some(trial) = handed.trials.first() else { break };
//!     let x = trial.point().get("x").and_then(|v| v.as_f64()).unwrap_or(0.0);
//!     study.tell(trial, x * x)?; // stored before it returns
//! }
//! assert_eq!(study.counts().complete, 8);
//! # Ok::<(), elbowroom_store::Error>(())
//! ```
//!
//! `docs/guarantees.md` lists what you can rely on, with the tests that show it.

mod answer;
mod ask;
mod backend;
mod copy;
mod decode;
mod difference;
mod error;
mod heartbeat;
#[cfg(feature = "http")]
mod http;
mod identity;
#[doc(hidden)]
pub mod kill_point;
mod lease;
mod log;
mod many;
mod memory;
mod open;
#[cfg(feature = "postgres")]
mod postgres;
mod request;
mod rules;
pub mod settings;
mod shared;
#[cfg(feature = "sqlite")]
mod sqlite;
mod status;
mod store;
mod stored;
mod tell;
#[cfg(feature = "testing")]
pub mod testing;
mod time;
mod timeline;
mod transactions;

pub use answer::{
    AskAnswer, BestAnswer, BudgetAnswer, EventAnswer, EventsAnswer, FrontSummary, HeartbeatAnswer, Held, HoldAnswer,
    PauseAnswer, ReportAnswer, StatusAnswer, StudiesAnswer, StudyAnswer, TellAnswer,
};
pub use backend::{Backend, Filed, Rows};
pub use copy::{Copied, copy};
pub use difference::{Difference, differences, in_words};
pub use elbowroom::study::TrialStatus;
pub use error::{Error, ErrorKind, Result};
pub use heartbeat::Heartbeat;
#[cfg(feature = "http")]
pub use http::Http;
pub use identity::{Reclaimed, is_gone, worker_name};
pub use lease::{Attempt, DEFAULT_TTL, Hold, Lease, MAX_RETRIES};
pub use log::{Digest, Entry, Key, Scope, check_name};
pub use memory::Memory;
pub use open::{open, open_existing};
#[cfg(feature = "postgres")]
pub use postgres::{Dsn, Postgres};
pub use rules::Waiting;
pub use shared::{Assignment, Assignments, SharedStudy};
#[cfg(feature = "sqlite")]
pub use sqlite::{Health, Saved, Sqlite, check, salvage};
pub use status::Counts;
pub use store::{Appended, Handout, Reported, Snapshot, Store, StudyInfo, Ticket};
pub use stored::Stored;
pub use tell::About;
pub use time::{Clock, Time};
pub use timeline::{Span, Timeline, TrialAttempt, Worker, attempts};

/// Requests and answers of a store behind HTTP.
#[cfg(feature = "http")]
pub mod wire {
    pub use crate::http::{StoreReply, StoreRequest, WireAttempt, WireSnapshot};
}
