//! The tables of a database, in a schema of their own, and how older ones become newer ones.

use postgres::Client;

use super::fault::Fault;
use crate::error::Error;

/// Step i turns tables of version i into those of version i + 1. A step is never changed once it was released.
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

/// Makes the tables or brings them up to date, one process at a time; refuses those of a newer build.
pub(super) fn prepare(client: &mut Client, place: &str) -> Result<(), Fault> {
    // Whoever may use the tables need not be allowed to make them.
    let made: Option<String> = client.query_one("SELECT to_regclass('elbowroom.version')::text", &[])?.get(0);
    if made.is_some() && version(client.query("SELECT number FROM elbowroom.version", &[])?, place)? == STEPS.len() {
        return Ok(());
    }
    let mut transaction = client.transaction()?;
    transaction.batch_execute(
        "SELECT pg_advisory_xact_lock(1701601903);
         CREATE SCHEMA IF NOT EXISTS elbowroom;
         CREATE TABLE IF NOT EXISTS elbowroom.version (number BIGINT NOT NULL);",
    )?;
    // Another process may have been faster.
    let from = version(transaction.query("SELECT number FROM elbowroom.version", &[])?, place)?;
    for step in &STEPS[from..] {
        transaction.batch_execute(step)?;
    }
    transaction.execute("DELETE FROM elbowroom.version", &[])?;
    transaction.execute("INSERT INTO elbowroom.version VALUES ($1)", &[&(STEPS.len() as i64)])?;
    transaction.commit()?;
    Ok(())
}

fn version(rows: Vec<postgres::Row>, place: &str) -> Result<usize, Fault> {
    let number: i64 = rows.first().map_or(0, |row| row.get(0));
    match usize::try_from(number) {
        Ok(number) if number <= STEPS.len() => Ok(number),
        _ => Err(Error::refused(
            format!("{place} has schema version {number}, and this build knows versions up to {}", STEPS.len()),
            "use a newer build of elbowroom; nothing was changed",
        )
        .into()),
    }
}
