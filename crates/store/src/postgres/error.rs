//! Errors of PostgreSQL, in words that help.

use std::io::ErrorKind;

use postgres::error::SqlState;

use crate::error::Error;

/// What can go wrong in a transaction.
pub enum RowError {
    Ours(Error),
    Postgres(postgres::Error),
}

impl From<Error> for RowError {
    fn from(error: Error) -> Self {
        RowError::Ours(error)
    }
}

impl From<postgres::Error> for RowError {
    fn from(error: postgres::Error) -> Self {
        RowError::Postgres(error)
    }
}

/// States in which the server says "not now".
const PASSING: [SqlState; 6] = [
    SqlState::T_R_SERIALIZATION_FAILURE,
    SqlState::T_R_DEADLOCK_DETECTED,
    SqlState::LOCK_NOT_AVAILABLE,
    SqlState::TOO_MANY_CONNECTIONS,
    SqlState::CANNOT_CONNECT_NOW,
    SqlState::QUERY_CANCELED,
];

/// States after which a connection is lost.
const GONE: [SqlState; 4] = [
    SqlState::ADMIN_SHUTDOWN,
    SqlState::CRASH_SHUTDOWN,
    SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
    SqlState::CONNECTION_FAILURE,
];

impl RowError {
    /// Whether the same transaction may succeed in a moment.
    pub fn is_passing(&self) -> bool {
        match self {
            RowError::Ours(_) => false,
            RowError::Postgres(error) => error.code().is_some_and(|code| PASSING.contains(code)) || self.is_gone(),
        }
    }

    /// Whether the connection can no longer be used.
    pub fn is_gone(&self) -> bool {
        match self {
            RowError::Ours(_) => false,
            // Without a code it is not an answer of the server: the connection broke, or was never made.
            RowError::Postgres(error) => error.code().is_none_or(|code| GONE.contains(code)),
        }
    }

    /// Whether nothing listens where the server should be.
    pub fn is_refused(&self) -> bool {
        let RowError::Postgres(error) = self else { return false };
        let cause = std::error::Error::source(error).and_then(|cause| cause.downcast_ref::<std::io::Error>());
        cause.is_some_and(|cause| matches!(cause.kind(), ErrorKind::ConnectionRefused | ErrorKind::NotFound))
    }

    /// The error to report about a database.
    pub fn at(self, place: &str) -> Error {
        let passing = self.is_passing();
        let error = match self {
            RowError::Ours(error) => return error,
            RowError::Postgres(error) => error,
        };
        let said = match error.as_db_error() {
            Some(answer) => format!("{} ({})", answer.message(), answer.code().code()),
            None => std::error::Error::source(&error).map_or_else(|| error.to_string(), |s| format!("{error}: {s}")),
        };
        match error.code() {
            _ if passing => Error::unreachable(
                format!("{place} does not answer: {said}"),
                "check that the server is running and can be reached, and repeat the request",
            ),
            Some(&SqlState::READ_ONLY_SQL_TRANSACTION | &SqlState::INSUFFICIENT_PRIVILEGE) => Error::not_written(
                format!("{place} cannot be written: {said}"),
                "connect to the primary server, as a user who may write",
            ),
            Some(&SqlState::DISK_FULL | &SqlState::OUT_OF_MEMORY) => Error::not_written(
                format!("{place} could not grow: {said}. What was stored before is intact"),
                "free some space on the server, and repeat the request",
            ),
            Some(&SqlState::DATA_CORRUPTED | &SqlState::INDEX_CORRUPTED) => Error::damaged(
                format!("{place} is damaged: {said}"),
                "stop writing to it, and restore the database from a backup",
            ),
            _ => Error::refused(
                format!("{place} refused: {said}"),
                "check the user, its password and its permissions, and the name of the database",
            ),
        }
    }
}
