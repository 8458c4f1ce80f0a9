//! The tables of a store file, and how an older file becomes a newer one.

use rusqlite::{Connection, TransactionBehavior};

use super::fault::Fault;
use crate::error::Error;

/// Says in the file's header whose file it is: "elbo".
const APPLICATION_ID: i64 = 0x656c_626f;

/// Step i turns a file of version i into one of version i + 1. A step is never changed once it was released.
const STEPS: [&str; 1] = ["
    CREATE TABLE studies (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE
    ) STRICT;
    CREATE TABLE events (
        study INTEGER NOT NULL REFERENCES studies (id),
        number INTEGER NOT NULL,
        at INTEGER NOT NULL,
        scope INTEGER,
        request TEXT,
        trial INTEGER,
        text TEXT NOT NULL,
        digest BLOB NOT NULL,
        PRIMARY KEY (study, number)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX requests ON events (study, scope, request) WHERE request IS NOT NULL;
    CREATE TABLE leases (
        study INTEGER NOT NULL REFERENCES studies (id),
        trial INTEGER NOT NULL,
        attempt INTEGER NOT NULL,
        worker TEXT NOT NULL,
        ttl INTEGER NOT NULL,
        expires INTEGER NOT NULL,
        faults INTEGER NOT NULL,
        returned INTEGER NOT NULL,
        PRIMARY KEY (study, trial)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE queue (
        ticket INTEGER PRIMARY KEY AUTOINCREMENT,
        study INTEGER NOT NULL REFERENCES studies (id),
        expires INTEGER NOT NULL,
        ttl INTEGER NOT NULL
    ) STRICT;
"];

/// Makes the tables, brings older ones up to date, and refuses a file that is not ours or newer than this build.
pub(super) fn prepare(connection: &mut Connection, place: &str) -> Result<(), Fault> {
    if version(connection, place)? == STEPS.len() {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have been faster.
    for step in &STEPS[version(&transaction, place)?..] {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", STEPS.len() as i64)?;
    transaction.commit()?;
    Ok(())
}

/// The version of the tables; 0 for an empty file.
pub(super) fn version(connection: &Connection, place: &str) -> Result<usize, Fault> {
    // One statement, hence one snapshot: between separate looks another process may make the tables.
    let (id, version, n_tables) = connection.query_row(
        "SELECT (SELECT application_id FROM pragma_application_id),
                (SELECT user_version FROM pragma_user_version),
                (SELECT count(*) FROM sqlite_schema)",
        [],
        |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?)),
    )?;
    if id != APPLICATION_ID && (id, version, n_tables) != (0, 0, 0) {
        return Err(Error::refused(
            format!("{place} is a database, but no elbowroom store"),
            "give the path of a store file, or one where there is no file yet",
        )
        .into());
    }
    match usize::try_from(version) {
        Ok(version) if version <= STEPS.len() => Ok(version),
        _ => Err(Error::refused(
            format!("{place} has schema version {version}, and this build knows versions up to {}", STEPS.len()),
            "use a newer build of elbowroom; the file was not changed",
        )
        .into()),
    }
}
