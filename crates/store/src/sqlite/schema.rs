//! The tables of a store file, and how an older file is upgraded.

use rusqlite::{Connection, TransactionBehavior};

use super::error::RowError;
use crate::error::Error;

/// Identifies store files in their header: "elbo".
const APPLICATION_ID: i64 = 0x656c_626f;

/// Step i turns a file of version i into one of version i + 1. A step is never changed once it has been released.
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

/// The version of the tables that this build creates.
pub(super) const NEWEST: usize = STEPS.len();

/// Creates the tables, upgrades older ones, and refuses a file that is not a store or is newer than this build.
pub(super) fn prepare(connection: &mut Connection, place: &str) -> Result<(), RowError> {
    bring_up(connection, place, &STEPS)
}

/// The version of the tables; 0 for an empty file.
pub(super) fn version(connection: &Connection, place: &str) -> Result<usize, RowError> {
    version_up_to(STEPS.len(), connection, place)
}

/// Applies the steps that a file still lacks, all or none.
fn bring_up(connection: &mut Connection, place: &str, steps: &[&str]) -> Result<(), RowError> {
    if version_up_to(steps.len(), connection, place)? == steps.len() {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have been faster.
    for step in &steps[version_up_to(steps.len(), &transaction, place)?..] {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", steps.len() as i64)?;
    transaction.commit()?;
    Ok(())
}

fn version_up_to(newest: usize, connection: &Connection, place: &str) -> Result<usize, RowError> {
    // One statement, hence one snapshot: between two statements another process could create the tables.
    let (id, version, n_tables) = connection.query_row(
        "SELECT (SELECT application_id FROM pragma_application_id),
                (SELECT user_version FROM pragma_user_version),
                (SELECT count(*) FROM sqlite_schema)",
        [],
        |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?)),
    )?;
    if id != APPLICATION_ID && (id, version, n_tables) != (0, 0, 0) {
        return Err(Error::refused(
            format!("{place} is a database, but not an elbowroom store"),
            "give the path of a store file, or one where there is no file yet",
        )
        .into());
    }
    match usize::try_from(version) {
        Ok(version) if version <= newest => Ok(version),
        _ => Err(Error::refused(
            format!("{place} has schema version {version}, and this build knows versions up to {newest}"),
            "use a newer build of elbowroom; the file was not changed",
        )
        .into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a later build might do: a column with a default, and a table.
    const LATER: [&str; 2] = [
        STEPS[0],
        "ALTER TABLE leases ADD COLUMN host TEXT NOT NULL DEFAULT 'unknown';
         CREATE TABLE marks (trial INTEGER PRIMARY KEY) STRICT;",
    ];

    const BROKEN: [&str; 2] = [STEPS[0], "CREATE TABLE marks (trial INTEGER PRIMARY KEY) STRICT; NONSENSE;"];

    fn file_of_version_1(path: &std::path::Path) -> Connection {
        let mut connection = Connection::open(path).unwrap();
        prepare(&mut connection, "here").unwrap();
        connection
            .execute_batch("INSERT INTO studies VALUES (7, 'plate'); INSERT INTO leases VALUES (7,1,1,'w',9,9,0,0);")
            .unwrap();
        connection
    }

    fn text(connection: &Connection, query: &str) -> String {
        connection.query_row(query, [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn an_older_file_becomes_a_newer_one_with_all_that_is_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let mut connection = file_of_version_1(&folder.path().join("store.elbow"));
        bring_up(&mut connection, "here", &LATER).unwrap();
        assert_eq!(version_up_to(2, &connection, "here").ok(), Some(2));
        assert_eq!(text(&connection, "SELECT name FROM studies WHERE id = 7"), "plate");
        assert_eq!(text(&connection, "SELECT worker || host FROM leases WHERE trial = 1"), "wunknown");
        // Upgrading again changes nothing, and the earlier build refuses the file.
        bring_up(&mut connection, "here", &LATER).unwrap();
        let refused = prepare(&mut connection, "here").err().unwrap().at("here").to_string();
        assert!(refused.contains("schema version 2") && refused.contains("use a newer build"), "{refused}");
    }

    #[test]
    fn a_step_that_fails_leaves_the_file_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let mut connection = file_of_version_1(&folder.path().join("store.elbow"));
        assert!(bring_up(&mut connection, "here", &BROKEN).is_err());
        assert_eq!(version(&connection, "here").ok(), Some(1));
        assert_eq!(text(&connection, "SELECT count(*) || '' FROM sqlite_schema WHERE name = 'marks'"), "0");
    }
}
