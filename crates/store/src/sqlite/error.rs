//! Errors of SQLite, in words that help.

use rusqlite::ErrorCode;

use crate::error::Error;

/// What can go wrong in a transaction.
#[derive(Debug)]
pub enum RowError {
    Ours(Error),
    Sqlite(rusqlite::Error),
}

impl From<Error> for RowError {
    fn from(error: Error) -> Self {
        RowError::Ours(error)
    }
}

impl From<rusqlite::Error> for RowError {
    fn from(error: rusqlite::Error) -> Self {
        RowError::Sqlite(error)
    }
}

impl RowError {
    /// Whether the same transaction may succeed in a moment.
    pub fn is_busy(&self) -> bool {
        matches!(self.code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
    }

    /// The error to report about a file.
    pub fn at(self, place: &str) -> Error {
        let code = self.code();
        let error = match self {
            RowError::Ours(error) => return error,
            RowError::Sqlite(error) => error,
        };
        match code {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed) => {
                Error::unreachable(
                    format!("{place} stayed locked: {error}"),
                    "look for a process that was suspended while it was writing, and resume or end it",
                )
            }
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Error::damaged(
                format!("{place} is damaged: {error}. Nothing was written"),
                "keep the file, and save what can be read with `elbow doctor FILE --save NEW.elbow`",
            ),
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => Error::not_written(
                format!("{place} cannot be written: {error}"),
                "check the permissions of the file and of its folder, and that the file system is not read-only",
            ),
            Some(ErrorCode::DiskFull) => Error::not_written(
                format!("{place} could not grow: {error}. What was stored before is intact"),
                "free some space on its disk, and repeat the request",
            ),
            Some(ErrorCode::SystemIoFailure) => Error::not_written(
                format!("{place}: the disk reported an error: {error}. What was stored before is intact"),
                "check the disk and its free space, and repeat the request",
            ),
            _ if is_conversion(&error) => Error::damaged(
                format!("{place} holds something unexpected: {error}. Nothing was written"),
                "keep the file, and save what can be read with `elbow doctor FILE --save NEW.elbow`",
            ),
            _ => Error::unreachable(
                format!("{place}: {error}"),
                "repeat the request; if the error persists, report it as a bug",
            ),
        }
    }

    pub fn code(&self) -> Option<ErrorCode> {
        match self {
            RowError::Sqlite(error) => error.sqlite_error_code(),
            RowError::Ours(_) => None,
        }
    }
}

fn is_conversion(error: &rusqlite::Error) -> bool {
    use rusqlite::Error as E;
    matches!(error, E::FromSqlConversionFailure(..) | E::IntegralValueOutOfRange(..) | E::InvalidColumnType(..))
        || matches!(error, E::Utf8Error(..) | E::QueryReturnedNoRows)
}
