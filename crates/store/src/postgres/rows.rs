//! The rows of a database.

use std::collections::HashMap;
use std::time::Duration;

use elbowroom::study::TrialId;
use postgres::types::ToSql;
use postgres::{Row, Statement, Transaction};

use super::error::RowError;
use crate::backend::{Filed, Rows};
use crate::error::Error;
use crate::lease::{Attempt, Lease};
use crate::log::{Digest, Entry, Key, Scope};
use crate::rules::Waiting;
use crate::store::{StudyInfo, Ticket};
use crate::time::{Time, millis};

/// The statements that a connection has prepared.
pub(super) type Prepared = HashMap<&'static str, Statement>;

/// One transaction.
pub(super) struct Within<'a, 'c> {
    pub transaction: &'a mut Transaction<'c>,
    pub prepared: &'a mut Prepared,
    pub writes: bool,
    pub place: &'a str,
}

impl Within<'_, '_> {
    fn query(&mut self, sql: &'static str, with: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>, RowError> {
        let statement = match self.prepared.get(sql) {
            Some(statement) => statement.clone(),
            None => {
                let statement = self.transaction.prepare(sql)?;
                self.prepared.insert(sql, statement.clone());
                statement
            }
        };
        Ok(self.transaction.query(&statement, with)?)
    }

    fn first(&mut self, sql: &'static str, with: &[&(dyn ToSql + Sync)]) -> Result<Option<Row>, RowError> {
        Ok(self.query(sql, with)?.into_iter().next())
    }
}

impl Rows for Within<'_, '_> {
    type RowError = RowError;

    fn now(&mut self) -> Result<Time, RowError> {
        let row = self.first("SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint", &[])?;
        get(&row.ok_or_else(no_row)?, 0).map(Time)
    }

    fn study(&mut self, name: &str) -> Result<i64, RowError> {
        let sql = match self.writes {
            true => "SELECT id FROM elbowroom.studies WHERE name = $1 FOR UPDATE",
            false => "SELECT id FROM elbowroom.studies WHERE name = $1",
        };
        match self.first(sql, &[&name])? {
            Some(row) => get(&row, 0),
            None => Err(Error::no_study(name, self.place).into()),
        }
    }

    fn new_study(&mut self, name: &str) -> Result<Option<i64>, RowError> {
        let sql = "INSERT INTO elbowroom.studies (name) VALUES ($1) ON CONFLICT DO NOTHING RETURNING id";
        self.first(sql, &[&name])?.map(|row| get(&row, 0)).transpose()
    }

    fn studies(&mut self) -> Result<Vec<StudyInfo>, RowError> {
        let sql = "SELECT name, last.number + 1, first.at, last.at FROM elbowroom.studies AS s
            JOIN elbowroom.events AS first ON first.study = s.id AND first.number = 0
            JOIN LATERAL (SELECT number, at FROM elbowroom.events WHERE study = s.id ORDER BY number DESC LIMIT 1)
                AS last ON true
            ORDER BY name COLLATE \"C\"";
        let info = |row: &Row| {
            let (created, changed) = (Time(get(row, 2)?), Time(get(row, 3)?));
            Ok(StudyInfo { name: get(row, 0)?, revision: count(row, 1)?, created, changed })
        };
        self.query(sql, &[])?.iter().map(info).collect()
    }

    fn end(&mut self, study: i64) -> Result<(usize, Digest), RowError> {
        let sql = "SELECT number + 1, digest FROM elbowroom.events WHERE study = $1 ORDER BY number DESC LIMIT 1";
        match self.first(sql, &[&study])? {
            Some(row) => Ok((count(&row, 0)?, digest(&row, 1)?)),
            None => Ok((0, Digest::EMPTY)),
        }
    }

    fn entries(&mut self, study: i64, from: usize) -> Result<Vec<Entry>, RowError> {
        let sql = "SELECT at, text, digest FROM elbowroom.events WHERE study = $1 AND number >= $2 ORDER BY number";
        let entry = |row: &Row| Ok(Entry { at: Time(get(row, 0)?), text: get(row, 1)?, digest: digest(row, 2)? });
        self.query(sql, &[&study, &(from as i64)])?.iter().map(entry).collect()
    }

    fn push(&mut self, study: i64, number: usize, entry: &Entry, about: &Filed<'_>) -> Result<(), RowError> {
        let sql = "INSERT INTO elbowroom.events (study, number, at, scope, request, trial, text, digest)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
        let (scope, request) = (about.key.as_ref().map(|k| k.scope as i32), about.key.as_ref().map(|k| k.request));
        let (trial, bytes) = (about.trial.map(|id| id.0 as i64), &entry.digest.0[..]);
        let with: [&(dyn ToSql + Sync); 8] =
            [&study, &(number as i64), &entry.at.0, &scope, &request, &trial, &entry.text, &bytes];
        self.query(sql, &with).map(|_| ())
    }

    /// In one statement: a server far away is asked once instead of once for each entry.
    fn push_all(&mut self, study: i64, first: usize, entries: &[(Entry, Filed<'_>)]) -> Result<(), RowError> {
        let sql = "INSERT INTO elbowroom.events (study, number, at, scope, request, trial, text, digest)
            SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::int[], $5::text[], $6::bigint[], $7::text[],
                $8::bytea[])";
        let numbers: Vec<i64> = (first..).take(entries.len()).map(|number| number as i64).collect();
        let times: Vec<i64> = entries.iter().map(|(entry, _)| entry.at.0).collect();
        let key = |about: &'_ Filed<'_>| about.key.as_ref().map(|key| key.scope as i32);
        let scopes: Vec<Option<i32>> = entries.iter().map(|(_, about)| key(about)).collect();
        let requests: Vec<Option<&str>> =
            entries.iter().map(|(_, about)| about.key.as_ref().map(|key| key.request)).collect();
        let trials: Vec<Option<i64>> = entries.iter().map(|(_, about)| about.trial.map(|id| id.0 as i64)).collect();
        let texts: Vec<&str> = entries.iter().map(|(entry, _)| entry.text.as_str()).collect();
        let digests: Vec<&[u8]> = entries.iter().map(|(entry, _)| &entry.digest.0[..]).collect();
        let with: [&(dyn ToSql + Sync); 8] = [&study, &numbers, &times, &scopes, &requests, &trials, &texts, &digests];
        self.query(sql, &with).map(|_| ())
    }

    fn any_reported(&mut self, study: i64, requests: &[&str]) -> Result<Option<(String, usize)>, RowError> {
        let sql = "SELECT request, number FROM elbowroom.events
            WHERE study = $1 AND scope = $2 AND request = ANY($3) LIMIT 1";
        let row = self.first(sql, &[&study, &(Scope::Report as i32), &requests])?;
        row.map(|row| Ok((get(&row, 0)?, count(&row, 1)?))).transpose()
    }

    fn seen(&mut self, study: i64, key: &Key<'_>) -> Result<Option<(usize, Option<TrialId>)>, RowError> {
        let sql = "SELECT number, trial FROM elbowroom.events WHERE study = $1 AND scope = $2 AND request = $3";
        let row = self.first(sql, &[&study, &(key.scope as i32), &key.request])?;
        let seen = |row: Row| Ok((count(&row, 0)?, get::<Option<i64>>(&row, 1)?.map(|id| TrialId(id as u64))));
        row.map(seen).transpose()
    }

    fn leases(&mut self, study: i64) -> Result<Vec<Lease>, RowError> {
        let sql = "SELECT trial, attempt, worker, ttl, expires, faults, returned FROM elbowroom.leases
            WHERE study = $1 ORDER BY trial";
        self.query(sql, &[&study])?.iter().map(lease).collect()
    }

    fn lease(&mut self, study: i64, trial: TrialId) -> Result<Option<Lease>, RowError> {
        let sql = "SELECT trial, attempt, worker, ttl, expires, faults, returned FROM elbowroom.leases
            WHERE study = $1 AND trial = $2";
        self.first(sql, &[&study, &(trial.0 as i64)])?.as_ref().map(lease).transpose()
    }

    fn put_lease(&mut self, study: i64, lease: &Lease) -> Result<(), RowError> {
        let sql = "INSERT INTO elbowroom.leases (study, trial, attempt, worker, ttl, expires, faults, returned)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            ON CONFLICT (study, trial) DO UPDATE SET attempt = excluded.attempt, worker = excluded.worker,
                ttl = excluded.ttl, expires = excluded.expires, faults = excluded.faults, returned = excluded.returned";
        let Lease { attempt: Attempt { trial, number }, worker, expires, faults, returned, .. } = lease;
        let (trial, number, ttl) = (trial.0 as i64, i64::from(*number), lease.ttl_millis());
        let with: [&(dyn ToSql + Sync); 8] =
            [&study, &trial, &number, worker, &ttl, &expires.0, &i64::from(*faults), returned];
        self.query(sql, &with).map(|_| ())
    }

    fn drop_lease(&mut self, study: i64, trial: TrialId) -> Result<(), RowError> {
        let sql = "DELETE FROM elbowroom.leases WHERE study = $1 AND trial = $2";
        self.query(sql, &[&study, &(trial.0 as i64)]).map(|_| ())
    }

    fn queue(&mut self, study: i64) -> Result<Vec<Waiting>, RowError> {
        let sql = "SELECT ticket, expires, ttl FROM elbowroom.queue WHERE study = $1 ORDER BY ticket";
        let waiting = |row: &Row| {
            let (ticket, expires) = (Ticket(get(row, 0)?), Time(get(row, 1)?));
            Ok(Waiting { ticket, expires, ttl: Duration::from_millis(get::<i64>(row, 2)? as u64) })
        };
        self.query(sql, &[&study])?.iter().map(waiting).collect()
    }

    fn new_ticket(&mut self, study: i64, expires: Time, ttl: Duration) -> Result<Ticket, RowError> {
        let sql = "INSERT INTO elbowroom.queue (study, expires, ttl) VALUES ($1, $2, $3) RETURNING ticket";
        let row = self.first(sql, &[&study, &expires.0, &millis(ttl)])?.ok_or_else(no_row)?;
        get(&row, 0).map(Ticket)
    }

    fn put_ticket(&mut self, study: i64, waiting: &Waiting) -> Result<(), RowError> {
        let sql = "UPDATE elbowroom.queue SET expires = $3, ttl = $4 WHERE study = $1 AND ticket = $2";
        let Waiting { ticket, expires, ttl } = waiting;
        self.query(sql, &[&study, &ticket.0, &expires.0, &millis(*ttl)]).map(|_| ())
    }

    fn drop_ticket(&mut self, study: i64, ticket: Ticket) -> Result<(), RowError> {
        let sql = "DELETE FROM elbowroom.queue WHERE study = $1 AND ticket = $2";
        self.query(sql, &[&study, &ticket.0]).map(|_| ())
    }

    fn put_pause(&mut self, study: i64, waiting: &Waiting) -> Result<(), RowError> {
        let sql = "INSERT INTO elbowroom.queue (ticket, study, expires, ttl) OVERRIDING SYSTEM VALUE \
                   VALUES ($1, $2, $3, $4) \
                   ON CONFLICT (ticket) DO UPDATE SET expires = excluded.expires, ttl = excluded.ttl";
        let Waiting { ticket, expires, ttl } = waiting;
        self.query(sql, &[&ticket.0, &study, &expires.0, &millis(*ttl)]).map(|_| ())
    }
}

fn lease(row: &Row) -> Result<Lease, RowError> {
    let small = |column| Ok::<u32, RowError>(u32::try_from(get::<i64>(row, column)?).unwrap_or(u32::MAX));
    Ok(Lease {
        attempt: Attempt { trial: TrialId(get::<i64>(row, 0)? as u64), number: small(1)? },
        worker: get(row, 2)?,
        ttl: Duration::from_millis(get::<i64>(row, 3)? as u64),
        expires: Time(get(row, 4)?),
        faults: small(5)?,
        returned: get(row, 6)?,
    })
}

/// A cell. Unlike `Row::get` it does not panic if a table was changed by hand.
fn get<'r, T: postgres::types::FromSql<'r>>(row: &'r Row, column: usize) -> Result<T, RowError> {
    row.try_get(column).map_err(|error| {
        let what = format!("a table of the store holds something unexpected: {error}");
        Error::damaged(what, "find out who changed the tables, or restore the database from a backup").into()
    })
}

fn count(row: &Row, column: usize) -> Result<usize, RowError> {
    get::<i64>(row, column).map(|n| usize::try_from(n).unwrap_or(0))
}

fn digest(row: &Row, column: usize) -> Result<Digest, RowError> {
    let wrong = || Error::damaged("a digest in the store is incomplete", "restore the database from a backup").into();
    Digest::from_slice(get(row, column)?).ok_or_else(wrong)
}

fn no_row() -> RowError {
    Error::unreachable("the database gave no answer where there must be one", "report this as a bug").into()
}
