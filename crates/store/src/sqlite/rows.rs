//! The rows of a store file.

use std::time::Duration;

use elbowroom::study::TrialId;
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::error::RowError;
use crate::backend::{Filed, Rows};
use crate::error::Error;
use crate::lease::{Attempt, Lease};
use crate::log::{Digest, Entry, Key};
use crate::rules::Waiting;
use crate::store::{StudyInfo, Ticket};
use crate::time::{Clock, Time, millis};

/// One transaction.
pub(super) struct Within<'a> {
    pub connection: &'a Connection,
    pub clock: &'a Clock,
    pub place: &'a str,
}

const LEASE: &str = "trial, attempt, worker, ttl, expires, faults, returned";

impl Rows for Within<'_> {
    type RowError = RowError;

    fn now(&mut self) -> Result<Time, RowError> {
        Ok(self.clock.now())
    }

    fn study(&mut self, name: &str) -> Result<i64, RowError> {
        let mut found = self.connection.prepare_cached("SELECT id FROM studies WHERE name = ?1")?;
        let id = found.query_row([name], |row| row.get(0)).optional()?;
        id.ok_or_else(|| Error::no_study(name, self.place).into())
    }

    fn new_study(&mut self, name: &str) -> Result<Option<i64>, RowError> {
        let sql = "INSERT INTO studies (name) VALUES (?1) ON CONFLICT DO NOTHING RETURNING id";
        Ok(self.connection.query_row(sql, [name], |row| row.get(0)).optional()?)
    }

    fn studies(&mut self) -> Result<Vec<StudyInfo>, RowError> {
        let sql = "SELECT name, last.number + 1, first.at, last.at FROM studies
            JOIN events AS first ON first.study = id AND first.number = 0
            JOIN events AS last ON last.study = id AND last.number = (SELECT max(number) FROM events WHERE study = id)
            ORDER BY name";
        let mut query = self.connection.prepare_cached(sql)?;
        let rows = query.query_map([], |row| {
            let (created, changed) = (Time(row.get(2)?), Time(row.get(3)?));
            Ok(StudyInfo { name: row.get(0)?, revision: row.get(1)?, created, changed })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn end(&mut self, study: i64) -> Result<(usize, Digest), RowError> {
        let sql = "SELECT number + 1, digest FROM events WHERE study = ?1 ORDER BY number DESC LIMIT 1";
        let mut query = self.connection.prepare_cached(sql)?;
        let end = query.query_row([study], |row| Ok((row.get(0)?, digest(row, 1)?))).optional()?;
        Ok(end.unwrap_or((0, Digest::EMPTY)))
    }

    fn entries(&mut self, study: i64, from: usize) -> Result<Vec<Entry>, RowError> {
        let sql = "SELECT at, text, digest FROM events WHERE study = ?1 AND number >= ?2 ORDER BY number";
        let mut query = self.connection.prepare_cached(sql)?;
        let rows = query.query_map(params![study, from], |row| {
            Ok(Entry { at: Time(row.get(0)?), text: row.get(1)?, digest: digest(row, 2)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn push(&mut self, study: i64, number: usize, entry: &Entry, about: &Filed<'_>) -> Result<(), RowError> {
        let sql = "INSERT INTO events (study, number, at, scope, request, trial, text, digest)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let (scope, request) = (about.key.as_ref().map(|k| k.scope as i64), about.key.as_ref().map(|k| k.request));
        let (trial, bytes) = (about.trial.map(|id| id.0), &entry.digest.0[..]);
        let mut insert = self.connection.prepare_cached(sql)?;
        insert.execute(params![study, number, entry.at.0, scope, request, trial, entry.text, bytes])?;
        Ok(())
    }

    fn seen(&mut self, study: i64, key: &Key<'_>) -> Result<Option<(usize, Option<TrialId>)>, RowError> {
        let sql = "SELECT number, trial FROM events WHERE study = ?1 AND scope = ?2 AND request = ?3";
        let mut query = self.connection.prepare_cached(sql)?;
        let seen = query.query_row(params![study, key.scope as i64, key.request], |row| {
            Ok((row.get(0)?, row.get::<_, Option<u64>>(1)?.map(TrialId)))
        });
        Ok(seen.optional()?)
    }

    fn leases(&mut self, study: i64) -> Result<Vec<Lease>, RowError> {
        let sql = format!("SELECT {LEASE} FROM leases WHERE study = ?1 ORDER BY trial");
        let mut query = self.connection.prepare_cached(&sql)?;
        Ok(query.query_map([study], lease)?.collect::<Result<_, _>>()?)
    }

    fn lease(&mut self, study: i64, trial: TrialId) -> Result<Option<Lease>, RowError> {
        let sql = format!("SELECT {LEASE} FROM leases WHERE study = ?1 AND trial = ?2");
        let mut query = self.connection.prepare_cached(&sql)?;
        Ok(query.query_row(params![study, trial.0], lease).optional()?)
    }

    fn put_lease(&mut self, study: i64, lease: &Lease) -> Result<(), RowError> {
        let sql = "INSERT OR REPLACE INTO leases (study, trial, attempt, worker, ttl, expires, faults, returned)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let Lease { attempt: Attempt { trial, number }, worker, expires, faults, returned, .. } = lease;
        let mut insert = self.connection.prepare_cached(sql)?;
        insert.execute(params![study, trial.0, number, worker, lease.ttl_millis(), expires.0, faults, returned])?;
        Ok(())
    }

    fn drop_lease(&mut self, study: i64, trial: TrialId) -> Result<(), RowError> {
        let mut delete = self.connection.prepare_cached("DELETE FROM leases WHERE study = ?1 AND trial = ?2")?;
        delete.execute(params![study, trial.0])?;
        Ok(())
    }

    fn queue(&mut self, study: i64) -> Result<Vec<Waiting>, RowError> {
        let sql = "SELECT ticket, expires, ttl FROM queue WHERE study = ?1 ORDER BY ticket";
        let mut query = self.connection.prepare_cached(sql)?;
        let rows = query.query_map([study], |row| {
            let (ticket, expires) = (Ticket(row.get(0)?), Time(row.get(1)?));
            Ok(Waiting { ticket, expires, ttl: Duration::from_millis(row.get(2)?) })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn new_ticket(&mut self, study: i64, expires: Time, ttl: Duration) -> Result<Ticket, RowError> {
        let sql = "INSERT INTO queue (study, expires, ttl) VALUES (?1, ?2, ?3)";
        self.connection.prepare_cached(sql)?.execute(params![study, expires.0, millis(ttl)])?;
        Ok(Ticket(self.connection.last_insert_rowid()))
    }

    fn put_ticket(&mut self, study: i64, waiting: &Waiting) -> Result<(), RowError> {
        let sql = "UPDATE queue SET expires = ?3, ttl = ?4 WHERE study = ?1 AND ticket = ?2";
        let Waiting { ticket, expires, ttl } = waiting;
        self.connection.prepare_cached(sql)?.execute(params![study, ticket.0, expires.0, millis(*ttl)])?;
        Ok(())
    }

    fn drop_ticket(&mut self, study: i64, ticket: Ticket) -> Result<(), RowError> {
        let sql = "DELETE FROM queue WHERE study = ?1 AND ticket = ?2";
        self.connection.prepare_cached(sql)?.execute(params![study, ticket.0])?;
        Ok(())
    }

    fn put_pause(&mut self, study: i64, waiting: &Waiting) -> Result<(), RowError> {
        let sql = "INSERT OR REPLACE INTO queue (ticket, study, expires, ttl) VALUES (?1, ?2, ?3, ?4)";
        let Waiting { ticket, expires, ttl } = waiting;
        self.connection.prepare_cached(sql)?.execute(params![ticket.0, study, expires.0, millis(*ttl)])?;
        Ok(())
    }
}

fn lease(row: &Row<'_>) -> rusqlite::Result<Lease> {
    Ok(Lease {
        attempt: Attempt { trial: TrialId(row.get(0)?), number: row.get(1)? },
        worker: row.get(2)?,
        ttl: Duration::from_millis(row.get(3)?),
        expires: Time(row.get(4)?),
        faults: row.get(5)?,
        returned: row.get(6)?,
    })
}

fn digest(row: &Row<'_>, column: usize) -> rusqlite::Result<Digest> {
    let bytes: Vec<u8> = row.get(column)?;
    let wrong = || rusqlite::Error::InvalidColumnType(column, "digest".to_owned(), Type::Blob);
    Digest::from_slice(&bytes).ok_or_else(wrong)
}
