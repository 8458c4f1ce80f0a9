//! Studies in a PostgreSQL database, for workers on many machines.
//!
//! A write locks the row of its study and nothing else, for a few statements. The clock is the database's. Work that
//! fails for a passing reason (a deadlock, a restart, a broken connection) is tried again, which is safe since every
//! request has a name and every hand-out a revision.

mod dsn;
mod error;
mod rows;
mod schema;
mod tls;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ::postgres::{Client, IsolationLevel, NoTls};
pub use dsn::Dsn;
use error::RowError;
use rows::{Prepared, Within};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::backend::{Backend, Rows};
use crate::error::Result;
use crate::kill_point as moment;
use crate::request::jittered;

/// How long to keep trying a database that does not answer: in a running study, and on first contact.
const PATIENCE: Duration = Duration::from_secs(30);
const FIRST_PATIENCE: Duration = Duration::from_secs(5);
/// How long on first contact if nothing listens there: an address that refuses is more likely wrong than restarting.
const FIRST_REFUSALS: Duration = Duration::from_millis(700);

/// Every session: a commit is on disk before it is acknowledged, whatever the server's default, and a process that is
/// stopped inside a transaction soon loses its lock.
const SESSION: &str = "
    SET synchronous_commit = on;
    SET lock_timeout = '10s';
    SET idle_in_transaction_session_timeout = '10s';
";

/// A store in a PostgreSQL database, in tables of a schema named `elbowroom`.
///
/// Its methods block; in asynchronous code, call them from a thread for blocking work.
///
/// ```no_run
/// use elbowroom_store::{Dsn, Postgres, Store};
/// let store = Postgres::connect(&Dsn::from_env("ELBOW_STORE")?)?;
/// println!("{} holds {} studies", store.label(), store.studies()?.len());
/// # Ok::<(), elbowroom_store::Error>(())
/// ```
pub struct Postgres {
    dsn: Dsn,
    tls: Option<MakeRustlsConnect>,
    session: Mutex<Option<Session>>,
}

struct Session {
    client: Client,
    prepared: Prepared,
}

impl Postgres {
    /// Connects, and creates or upgrades the tables. Connections to another machine always use TLS and verify the
    /// server's certificate, unless the address says `sslmode=disable`; see [`Dsn::new`].
    pub fn connect(dsn: &Dsn) -> Result<Self> {
        let tls = dsn.roots.as_ref().map(tls::connector).transpose()?;
        let store = Self { dsn: dsn.clone(), tls, session: Mutex::new(None) };
        store.patiently(FIRST_PATIENCE, |_, _| Ok(()))?;
        Ok(store)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Session>> {
        // A transaction that a panic cut short was rolled back when it was dropped.
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Repeats work that failed for a passing reason, after a while; reconnects if necessary.
    fn patiently<T>(&self, patience: Duration, work: impl Fn(&mut Session, &str) -> Result<T, RowError>) -> Result<T> {
        let place = self.label();
        let mut session = self.lock();
        let start = Instant::now();
        let mut pause = Duration::from_millis(20);
        loop {
            let done = match &mut *session {
                Some(session) => work(session, &place),
                none => match self.new_session(&place) {
                    Ok(new) => work(none.insert(new), &place),
                    Err(fault) => Err(fault),
                },
            };
            match done {
                Ok(done) => return Ok(done),
                Err(fault) => {
                    if fault.is_gone() || session.as_ref().is_some_and(|session| session.client.is_closed()) {
                        *session = None;
                    }
                    let refused = patience == FIRST_PATIENCE && fault.is_refused();
                    let patience = if refused { FIRST_REFUSALS } else { patience };
                    if !fault.is_passing() || start.elapsed() > patience {
                        return Err(fault.at(&place));
                    }
                }
            }
            std::thread::sleep(jittered(pause));
            pause = (pause * 2).min(Duration::from_secs(2));
        }
    }

    fn new_session(&self, place: &str) -> Result<Session, RowError> {
        let client = match &self.tls {
            Some(tls) => self.dsn.config.connect(tls.clone()),
            None => self.dsn.config.connect(NoTls),
        };
        let mut client = client.map_err(|error| tls::row_error(error, place))?;
        client.batch_execute(SESSION)?;
        schema::prepare(&mut client, place)?;
        Ok(Session { client, prepared: Prepared::new() })
    }
}

impl Backend for Postgres {
    type RowError = RowError;

    fn label(&self) -> String {
        self.dsn.to_string()
    }

    fn transact<T>(
        &self,
        writes: bool,
        work: impl Fn(&mut dyn Rows<RowError = RowError>) -> Result<T, RowError>,
    ) -> Result<T> {
        // A reader sees one moment; a writer, which holds the study's row, sees everything that was written before it.
        let level = if writes { IsolationLevel::ReadCommitted } else { IsolationLevel::RepeatableRead };
        self.patiently(PATIENCE, |session, place| {
            let Session { client, prepared } = session;
            let mut transaction = client.build_transaction().isolation_level(level).read_only(!writes).start()?;
            let done = work(&mut Within { transaction: &mut transaction, prepared, writes, place })?;
            moment::at("commit: now");
            transaction.commit()?;
            moment::at("commit: done");
            Ok(done)
        })
    }
}
