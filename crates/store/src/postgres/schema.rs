//! The tables of a database, in a schema of the store, and how older ones are upgraded.

use postgres::Client;

use super::error::RowError;
use crate::error::Error;

/// Step i turns tables of version i into those of version i + 1. A step is never changed once it has been released.
const STEPS: [&str; 1] = ["
    CREATE TABLE elbowroom.studies (
        id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        name TEXT NOT NULL UNIQUE
    );
    CREATE TABLE elbowroom.events (
        study BIGINT NOT NULL REFERENCES elbowroom.studies (id),
        number BIGINT NOT NULL,
        at BIGINT NOT NULL,
        scope INT,
        request TEXT,
        trial BIGINT,
        text TEXT NOT NULL,
        digest BYTEA NOT NULL,
        PRIMARY KEY (study, number)
    );
    CREATE UNIQUE INDEX requests ON elbowroom.events (study, scope, request) WHERE request IS NOT NULL;
    CREATE TABLE elbowroom.leases (
        study BIGINT NOT NULL REFERENCES elbowroom.studies (id),
        trial BIGINT NOT NULL,
        attempt BIGINT NOT NULL,
        worker TEXT NOT NULL,
        ttl BIGINT NOT NULL,
        expires BIGINT NOT NULL,
        faults BIGINT NOT NULL,
        returned BOOLEAN NOT NULL,
        PRIMARY KEY (study, trial)
    );
    CREATE TABLE elbowroom.queue (
        ticket BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        study BIGINT NOT NULL REFERENCES elbowroom.studies (id),
        expires BIGINT NOT NULL,
        ttl BIGINT NOT NULL
    );
    CREATE INDEX queue_of_study ON elbowroom.queue (study, ticket);
"];

/// Creates or upgrades the tables, one process at a time; refuses those of a newer build.
pub(super) fn prepare(client: &mut Client, place: &str) -> Result<(), RowError> {
    bring_up(client, place, &STEPS)
}

/// Applies the steps that a database still lacks, all or none.
fn bring_up(client: &mut Client, place: &str, steps: &[&str]) -> Result<(), RowError> {
    let newest = steps.len();
    // A user who may use the tables need not be allowed to create them.
    let made: Option<String> = client.query_one("SELECT to_regclass('elbowroom.version')::text", &[])?.get(0);
    if made.is_some() && version(client.query(VERSION, &[])?, newest, place)? == newest {
        return Ok(());
    }
    let mut transaction = client.transaction()?;
    transaction.batch_execute(
        "SELECT pg_advisory_xact_lock(1701601903);
         CREATE SCHEMA IF NOT EXISTS elbowroom;
         CREATE TABLE IF NOT EXISTS elbowroom.version (number BIGINT NOT NULL);",
    )?;
    // Another process may have been faster.
    let from = version(transaction.query(VERSION, &[])?, newest, place)?;
    for step in &steps[from..] {
        transaction.batch_execute(step)?;
    }
    transaction.execute("DELETE FROM elbowroom.version", &[])?;
    transaction.execute("INSERT INTO elbowroom.version VALUES ($1)", &[&(newest as i64)])?;
    transaction.commit()?;
    Ok(())
}

const VERSION: &str = "SELECT number FROM elbowroom.version";

fn version(rows: Vec<postgres::Row>, newest: usize, place: &str) -> Result<usize, RowError> {
    let number: i64 = rows.first().map_or(0, |row| row.get(0));
    match usize::try_from(number) {
        Ok(number) if number <= newest => Ok(number),
        _ => Err(Error::refused(
            format!("{place} has schema version {number}, and this build knows versions up to {newest}"),
            "use a newer build of elbowroom; nothing was changed",
        )
        .into()),
    }
}

#[cfg(test)]
#[allow(dead_code)]
#[path = "../../tests/common/cluster.rs"]
mod cluster;

#[cfg(test)]
mod tests {
    use postgres::NoTls;

    use super::*;

    /// What a later build might do: a column with a default, and a table.
    const LATER: [&str; 2] = [
        STEPS[0],
        "ALTER TABLE elbowroom.leases ADD COLUMN host TEXT NOT NULL DEFAULT 'unknown';
         CREATE TABLE elbowroom.marks (trial BIGINT PRIMARY KEY);",
    ];

    const BROKEN: [&str; 2] = [STEPS[0], "CREATE TABLE elbowroom.marks (trial BIGINT PRIMARY KEY); NONSENSE;"];

    /// Connections to a database with tables of version 1 and rows in them; `None` without PostgreSQL.
    fn database_of_version_1() -> Option<[Client; 2]> {
        let address = cluster::new_database()?;
        let mut clients = [(); 2].map(|()| Client::connect(&address, NoTls).unwrap());
        prepare(&mut clients[0], "here").ok().unwrap();
        clients[0]
            .batch_execute(
                "INSERT INTO elbowroom.studies OVERRIDING SYSTEM VALUE VALUES (7, 'plate');
                 INSERT INTO elbowroom.leases VALUES (7, 1, 1, 'w', 9, 9, 0, false);",
            )
            .unwrap();
        Some(clients)
    }

    fn text(client: &mut Client, query: &str) -> String {
        client.query_one(query, &[]).unwrap().get(0)
    }

    #[test]
    fn older_tables_become_newer_ones_with_all_that_is_in_them() {
        let Some([mut client, mut other]) = database_of_version_1() else { return };
        // Two at once: one applies the steps, the other finds them applied.
        std::thread::scope(|scope| {
            for client in [&mut client, &mut other] {
                scope.spawn(|| bring_up(client, "here", &LATER).ok().unwrap());
            }
        });
        assert_eq!(text(&mut client, "SELECT string_agg(number::text, ' ') FROM elbowroom.version"), "2");
        assert_eq!(text(&mut client, "SELECT name FROM elbowroom.studies WHERE id = 7"), "plate");
        assert_eq!(text(&mut client, "SELECT worker || host FROM elbowroom.leases WHERE trial = 1"), "wunknown");
        // Upgrading again changes nothing, and the earlier build refuses the tables.
        bring_up(&mut client, "here", &LATER).ok().unwrap();
        let refused = prepare(&mut client, "here").err().unwrap().at("here").to_string();
        assert!(refused.contains("schema version 2") && refused.contains("use a newer build"), "{refused}");
    }

    #[test]
    fn a_step_that_fails_leaves_the_tables_as_they_were() {
        let Some([mut client, _]) = database_of_version_1() else { return };
        assert!(bring_up(&mut client, "here", &BROKEN).is_err());
        assert_eq!(text(&mut client, "SELECT string_agg(number::text, ' ') FROM elbowroom.version"), "1");
        assert_eq!(text(&mut client, "SELECT (to_regclass('elbowroom.marks') IS NULL)::text"), "true");
        assert_eq!(text(&mut client, "SELECT worker FROM elbowroom.leases WHERE trial = 1"), "w");
    }
}
