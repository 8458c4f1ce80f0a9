//! Damaged store files: checks them, and saves what is intact elsewhere.
//!
//! Nothing here writes to the examined file: it is opened for reading only, which also leaves its write-ahead log
//! unchanged. Where SQLite cannot even do that, for instance in a read-only folder, a private copy is examined.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use elbowroom::study::Study;
use rusqlite::{Connection, OpenFlags, OptionalExtension};

use super::error::RowError;
use super::filesystem::{has_log, wal};
use super::{connect, schema};
use crate::error::{Error, Result};
use crate::log::{Digest, Entry};
use crate::request;
use crate::store::Store;
use crate::time::Time;

/// How long the log of an examined file must seem to be missing before it is reported as missing.
const PATIENCE: Duration = Duration::from_secs(1);

/// The result of checking a store file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    /// What is wrong; empty if the file is intact.
    pub faults: Vec<String>,
    /// The studies, with the number of events that can be read and follow from each other.
    pub studies: Vec<Saved>,
}

/// How much of a study is intact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saved {
    /// Its name.
    pub study: String,
    /// The number of intact events, counted from the first one.
    pub n_events: usize,
    /// Why there are no more, if there should be more.
    pub fault: Option<String>,
}

/// Checks a whole store file, page by page and event by event, without changing it.
///
/// ```
/// use elbowroom_store::{Sqlite, check};
/// # let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("plate.elbow");
/// Sqlite::open(&path)?;
/// assert!(check(&path)?.faults.is_empty());
/// # Ok::<(), elbowroom_store::Error>(())
/// ```
pub fn check(path: impl AsRef<Path>) -> Result<Health> {
    let place = path.as_ref().display().to_string();
    let mut faults: Vec<String> = connect::lacks_log(path.as_ref(), PATIENCE).into_iter().collect();
    let view = View::of(path.as_ref(), !faults.is_empty())?;
    let mut look = || -> Result<Vec<Prefix>, RowError> {
        let connection = view.open()?;
        // Everything below sees one moment, even while others write.
        connection.execute_batch("BEGIN")?;
        schema::version(&connection, &place)?;
        let mut pages = connection.prepare("PRAGMA integrity_check(20)")?;
        let lines: Vec<String> = pages.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        faults.extend(lines.into_iter().filter(|line| line != "ok"));
        prefixes(&connection)
    };
    let studies: Vec<Saved> = match look() {
        Ok(found) => found.iter().map(Prefix::saved).collect(),
        Err(fault) => {
            faults.push(one_line(&fault.at(&place)));
            Vec::new()
        }
    };
    faults.extend(studies.iter().filter_map(|s| Some(format!("study `{}`: {}", s.study, s.fault.as_ref()?))));
    Ok(Health { faults, studies })
}

/// Copies the intact part of every study in a damaged store file to another store, and returns how much that was.
///
/// The intact part of a study consists of its events up to the first one that is damaged or missing.
///
/// ```
/// use elbowroom_store::{Memory, Sqlite, salvage};
/// # let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("plate.elbow");
/// Sqlite::open(&path)?;
/// assert!(salvage(&path, &Memory::new())?.is_empty()); // there was no study in it
/// # Ok::<(), elbowroom_store::Error>(())
/// ```
pub fn salvage(path: impl AsRef<Path>, to: &dyn Store) -> Result<Vec<Saved>> {
    let place = path.as_ref().display().to_string();
    let view = View::of(path.as_ref(), connect::lacks_log(path.as_ref(), PATIENCE).is_some())?;
    let found = view.open().and_then(|connection| prefixes(&connection)).map_err(|fault| fault.at(&place))?;
    for prefix in found.iter().filter(|prefix| !prefix.entries.is_empty()) {
        to.import(&prefix.study, &prefix.entries, &[])?;
    }
    Ok(found.iter().map(Prefix::saved).collect())
}

/// Refuses a file that is shorter than its own header says, before SQLite opens it for writing.
///
/// A file with a write-ahead log may be shorter for a while: the rest is in the log.
pub(super) fn refuse_truncated(path: &Path) -> Result<()> {
    let has_log = has_log(path);
    let mut header = [0; 100];
    let Ok(mut file) = fs::File::open(path) else { return Ok(()) };
    let Ok(size) = file.metadata().map(|data| data.len()) else { return Ok(()) };
    if size == 0 {
        return Ok(());
    }
    let place = path.display();
    let hint = "keep the file, and save what can be read into a new store with `elbow doctor FILE --save NEW.elbow`, or restore an older copy";
    if file.read_exact(&mut header).is_err() || !header.starts_with(b"SQLite format 3\0") {
        return Err(Error::damaged(format!("{place} is not a store file, or its beginning is damaged"), hint));
    }
    let page = match u16::from_be_bytes([header[16], header[17]]) {
        1 => 65536,
        other => u64::from(other),
    };
    let number = |at: usize| u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    // The count of pages is valid if the two change counters agree; otherwise it may be old.
    let n_pages = if number(24) == number(92) && !has_log { u64::from(number(28)) } else { 0 };
    if size < n_pages * page || !page.is_power_of_two() || page < 512 {
        let what = format!("{place} has {size} bytes, but its header says {}: it was cut short", n_pages * page);
        return Err(Error::damaged(what, hint));
    }
    Ok(())
}

/// Whether a file's header says that the latest data are in a log next to it.
pub(super) fn in_wal_mode(path: &Path) -> bool {
    let mut header = [0; 20];
    let read = fs::File::open(path).and_then(|mut file| file.read_exact(&mut header));
    read.is_ok() && header[18..] == [2, 2]
}

/// The intact events of a study, starting with the first, and the reason why they end.
struct Prefix {
    study: String,
    entries: Vec<Entry>,
    fault: Option<String>,
}

impl Prefix {
    fn saved(&self) -> Saved {
        Saved { study: self.study.clone(), n_events: self.entries.len(), fault: self.fault.clone() }
    }
}

fn prefixes(connection: &Connection) -> Result<Vec<Prefix>, RowError> {
    let mut names = connection.prepare("SELECT id, name FROM studies ORDER BY name")?;
    let names: Vec<(i64, String)> =
        names.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
    Ok(names.into_iter().map(|(id, name)| prefix(connection, id, name)).collect())
}

fn prefix(connection: &Connection, id: i64, name: String) -> Prefix {
    let (mut entries, mut digest): (Vec<Entry>, Digest) = (Vec::new(), Digest::EMPTY);
    let mut study: Option<Study> = None;
    let fault = loop {
        let number = entries.len();
        let entry = match entry(connection, id, number) {
            Ok(Some(entry)) => entry,
            // The end, unless there is more after a gap.
            Ok(None) => break gap(connection, id, number),
            Err(fault) => break Some(format!("event {number}: {}", one_line(&fault.at("the file")))),
        };
        let folded = entry.open(number, digest).and_then(|event| match &mut study {
            Some(study) => Ok(study.apply(event)?),
            None => {
                study = Some(Study::replay([event])?);
                Ok(())
            }
        });
        if let Err(error) = folded {
            break Some(one_line(&error));
        }
        digest = entry.digest;
        entries.push(entry);
    };
    Prefix { study: name, entries, fault }
}

fn entry(connection: &Connection, study: i64, number: usize) -> Result<Option<Entry>, RowError> {
    let sql = "SELECT at, text, digest FROM events WHERE study = ?1 AND number = ?2";
    let mut query = connection.prepare_cached(sql)?;
    let row = query.query_row(rusqlite::params![study, number], |row| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, Vec<u8>>(2)?))
    });
    let Some((at, text, digest)) = row.optional()? else { return Ok(None) };
    let digest = Digest::from_slice(&digest).ok_or_else(|| {
        Error::damaged(format!("the digest of event {number} is incomplete"), "save the events before it")
    })?;
    Ok(Some(Entry { at: Time(at), text, digest }))
}

fn gap(connection: &Connection, study: i64, number: usize) -> Option<String> {
    let sql = "SELECT count(*) FROM events WHERE study = ?1 AND number > ?2";
    match connection.query_row(sql, rusqlite::params![study, number], |row| row.get::<_, i64>(0)) {
        Ok(0) => None,
        Ok(n) => Some(format!("event {number} is missing; events after it: {n}")),
        Err(error) => Some(format!("what comes after event {number} cannot be read: {error}")),
    }
}

fn one_line(error: &Error) -> String {
    error.what().lines().next().unwrap_or_default().to_owned()
}

/// How a store file is examined.
enum View {
    Itself(PathBuf),
    /// A private copy with its write-ahead log, in a folder that is removed with it.
    Copy(PathBuf),
}

impl View {
    fn of(path: &Path, lacks_log: bool) -> Result<Self> {
        // SQLite would create the log whose absence shows what is wrong with the file.
        if lacks_log {
            return Self::copy(path);
        }
        let itself = View::Itself(path.to_owned());
        match itself.open().and_then(|connection| Ok(connection.execute_batch("SELECT count(*) FROM sqlite_schema")?)) {
            Ok(()) => Ok(itself),
            Err(_) => Self::copy(path),
        }
    }

    fn copy(path: &Path) -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("elbowroom-{}", request::fresh()));
        let make = || {
            private_folder(&folder)?;
            let view = View::Copy(folder.clone());
            fs::copy(path, view.file())?;
            if wal(path).exists() {
                fs::copy(wal(path), wal(&view.file()))?;
            }
            Ok(view)
        };
        make().map_err(|error: std::io::Error| {
            Error::not_written(
                format!("{} cannot be copied to {} for inspection: {error}", path.display(), folder.display()),
                "check that the file exists, and that there is free space for temporary files",
            )
        })
    }

    fn file(&self) -> PathBuf {
        match self {
            View::Itself(path) => path.clone(),
            View::Copy(folder) => folder.join("store"),
        }
    }

    fn open(&self) -> Result<Connection, RowError> {
        let flags = match self {
            View::Itself(_) => OpenFlags::SQLITE_OPEN_READ_ONLY,
            View::Copy(_) => OpenFlags::SQLITE_OPEN_READ_WRITE,
        };
        let connection = Connection::open_with_flags(self.file(), flags)?;
        connection.busy_timeout(super::BUSY)?;
        Ok(connection)
    }
}

/// Creates a folder that only its owner can read.
fn private_folder(path: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::DirBuilderExt::mode(&mut fs::DirBuilder::new(), 0o700).create(path);
    #[cfg(not(unix))]
    return fs::create_dir(path);
}

impl Drop for View {
    fn drop(&mut self) {
        if let View::Copy(folder) = self {
            let _ = fs::remove_dir_all(folder);
        }
    }
}
