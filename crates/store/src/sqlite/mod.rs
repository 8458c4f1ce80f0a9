//! Studies in one file on a local disk, for all processes of one machine.
//!
//! The write-ahead log lets readers continue during a write; `synchronous=FULL` syncs it at every commit. Every write
//! begins with `BEGIN IMMEDIATE`, so that no writer finds out half-way that another was faster.

mod connect;
mod error;
mod filesystem;
mod rescue;
mod rows;
mod schema;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use error::RowError;
use rows::Within;
use rusqlite::{Connection, TransactionBehavior};

pub use rescue::{Health, Saved, check, salvage};

use crate::backend::{Backend, Rows};
use crate::error::Result;
use crate::kill_point as moment;
use crate::request::jittered;
use crate::time::Clock;

/// How long SQLite waits for another writer, each time.
const BUSY: Duration = Duration::from_secs(30);

/// How long the log of a file must seem to be missing, when the file is opened, before it counts as missing.
const PATIENCE: Duration = Duration::from_millis(200);

/// How often to try a transaction that found the file locked.
const ROUNDS: u32 = 4;

/// A store in a file.
///
/// ```
/// use elbowroom_store::{Sqlite, Store};
/// # let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("plate.elbow");
/// let store = Sqlite::open(&path)?;
/// assert!(store.studies()?.is_empty());
/// # Ok::<(), elbowroom_store::Error>(())
/// ```
pub struct Sqlite {
    path: PathBuf,
    /// The file and its write-ahead log as they were when the file was opened.
    file: filesystem::Identity,
    log: filesystem::Identity,
    /// The process that opened it: a fork must not use it.
    process: u32,
    /// Whether the file may leave write-ahead-log mode: if the log was missing, only after something has been written.
    may_leave: AtomicBool,
    clock: Clock,
    connection: Mutex<Connection>,
}

impl Sqlite {
    /// Opens the store file at a path, or creates it; an older file is upgraded.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_with_clock(path, Clock::system())
    }

    /// Like [`open`](Self::open), with a clock of your choice, for tests.
    pub fn open_with_clock(path: impl AsRef<Path>, clock: Clock) -> Result<Self> {
        let path = path.as_ref().to_owned();
        filesystem::refuse_network(&path)?;
        filesystem::make_private(&path)?;
        let name = path.display().to_string();
        rescue::refuse_truncated(&path)?;
        let may_leave = AtomicBool::new(connect::lacks_log(&path, PATIENCE).is_none());
        let connection = patiently(|| connect::connect(&path, &name)).map_err(|fault| fault.at(&name))?;
        let (file, log) = (filesystem::Identity::of(&path), filesystem::Identity::of(&filesystem::wal(&path)));
        let process = std::process::id();
        Ok(Self { path, file, log, process, may_leave, clock, connection: Mutex::new(connection) })
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        // A transaction that a panic cut short was rolled back when it was dropped.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the file and its write-ahead log are still those that were opened.
    fn check(&self) -> Result<()> {
        self.file.check(&self.path)?;
        self.log.check_log(&self.path)
    }
}

impl Drop for Sqlite {
    fn drop(&mut self) {
        let may_leave = self.may_leave.load(Ordering::Relaxed) && std::process::id() == self.process;
        if may_leave && self.check().is_ok() {
            connect::leave(&self.lock());
        }
    }
}

/// Repeats work that found the file locked, after a while.
fn patiently<T>(mut work: impl FnMut() -> Result<T, RowError>) -> Result<T, RowError> {
    for round in 1..ROUNDS {
        match work() {
            Err(fault) if fault.is_busy() => std::thread::sleep(jittered(Duration::from_millis(50) * round)),
            other => return other,
        }
    }
    work()
}

impl Backend for Sqlite {
    type RowError = RowError;

    fn label(&self) -> String {
        self.path.display().to_string()
    }

    fn transact<T>(
        &self,
        writes: bool,
        work: impl Fn(&mut dyn Rows<RowError = RowError>) -> Result<T, RowError>,
    ) -> Result<T> {
        let behavior = if writes { TransactionBehavior::Immediate } else { TransactionBehavior::Deferred };
        let place = self.label();
        let mut connection = self.lock();
        self.check()?;
        let once = || {
            let transaction = connection.transaction_with_behavior(behavior)?;
            let done = work(&mut Within { connection: &transaction, clock: &self.clock, place: &place })?;
            moment::at("commit: now");
            transaction.commit()?;
            moment::at("commit: done");
            Ok(done)
        };
        let done = patiently(once).map_err(|fault: RowError| fault.at(&place))?;
        if writes {
            // Data that went into a file that has been removed are not acknowledged.
            self.check()?;
            self.may_leave.store(true, Ordering::Relaxed);
        }
        Ok(done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_commit_is_synced() {
        let folder = tempfile::tempdir().unwrap();
        let store = Sqlite::open(folder.path().join("store.elbow")).unwrap();
        let connection = store.lock();
        let setting = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).unwrap();
        let mode: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
        // 2 is FULL: the write-ahead log is synced before a commit returns.
        assert_eq!((mode.as_str(), setting("synchronous"), setting("busy_timeout")), ("wal", 2, 30_000));
    }
}
