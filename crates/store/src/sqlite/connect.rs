//! Opening a store file, and leaving it.
//!
//! While a file is in use it is in write-ahead-log mode: the latest events are in `FILE-wal`, and a plain copy of the
//! file lacks them. The last process to leave a file moves everything into it and takes it out of that mode. So a file
//! without a log that is still in that mode is known to be such a copy (see `rescue`), and a file that was left
//! properly can be read where nothing can be written.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::error::RowError;
use super::{BUSY, filesystem, rescue, schema};
use crate::error::Error;

/// Opens a file for writing, or for reading if it cannot be written.
pub(super) fn connect(path: &Path, place: &str) -> Result<Connection, RowError> {
    match to_write(path, place) {
        Err(fault) if cannot_write(&fault) => match to_look(path, place) {
            Ok(connection) => Ok(connection),
            // The reason why it cannot be written says more.
            Err(second) if cannot_write(&second) => Err(fault),
            Err(second) => Err(second),
        },
        other => other,
    }
}

fn to_write(path: &Path, place: &str) -> Result<Connection, RowError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY)?;
    connection.set_prepared_statement_cache_capacity(32);
    // Check first whose file it is: a file of another program is not changed.
    schema::version(&connection, place)?;
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "fullfsync", true)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    schema::prepare(&mut connection, place)?;
    Ok(connection)
}

fn to_look(path: &Path, place: &str) -> Result<Connection, RowError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let plain = Connection::open_with_flags(path, flags)?;
    plain.busy_timeout(BUSY)?;
    let (connection, version) = match schema::version(&plain, place) {
        Ok(version) => (plain, version),
        // SQLite keeps its locks in a file next to one that is in use. If it cannot create that file, and no other
        // process has, then no process writes either.
        Err(fault) if cannot_write(&fault) && !filesystem::has_log(path) => {
            let path = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
            let address = format!("file:{path}?immutable=1");
            let fixed = Connection::open_with_flags(address, flags | OpenFlags::SQLITE_OPEN_URI)?;
            let version = schema::version(&fixed, place)?;
            (fixed, version)
        }
        Err(fault) => return Err(fault),
    };
    if version == schema::NEWEST {
        return Ok(connection);
    }
    let what =
        format!("{place} has tables of version {version}, which must be updated, but the file cannot be written");
    Err(Error::refused(what, "copy it to a folder where it can be written, and open it there once").into())
}

/// Whether a file could not be written to.
fn cannot_write(fault: &RowError) -> bool {
    matches!(fault.code(), Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied))
}

/// Takes a file that no other process has open out of write-ahead-log mode. If others have it open, or if this fails,
/// the file stays as it is.
pub(super) fn leave(connection: &Connection) {
    if connection.is_readonly("main").unwrap_or(true) || connection.busy_timeout(Duration::ZERO).is_err() {
        return;
    }
    let _ = connection.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(()));
}

const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// What is wrong with a file that is in write-ahead-log mode but has no log, if it is such a file.
///
/// A process that opens a file, or is the last to leave it, changes the mode and creates or removes the log in two
/// steps, so that for a moment the log seems to be missing. So this looks again until the log has seemed to be missing
/// for as long as `patience`.
pub(super) fn lacks_log(path: &Path, patience: Duration) -> Option<String> {
    let stands_alone = || rescue::in_wal_mode(path) && !filesystem::wal(path).exists();
    let still_does = |_| {
        std::thread::sleep(BETWEEN_LOOKS);
        stands_alone()
    };
    let looks = patience.as_millis() / BETWEEN_LOOKS.as_millis();
    (stands_alone() && (0..looks).all(still_does)).then(|| {
        "it is a plain copy of a store file that was in use, or its write-ahead log (-wal) was removed: what was stored \
         last may be missing (a file left by a version before 0.3.0, or by a process that was killed while closing it, \
         looks the same and is intact)"
            .to_owned()
    })
}
