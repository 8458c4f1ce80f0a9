//! The folder that the files of a drive's trials are in.
//!
//! Nobody else can look into it. A drive that was killed leaves its folder behind; its name says which process it was, so
//! that the next drive of the same user on this machine removes it.

use std::fs::{self, DirEntry};
use std::path::Path;

use elbowroom_store::{is_gone, worker_name};
use tempfile::TempDir;

use crate::error::{Error, Result};

/// What the names of such folders begin with.
const PREFIX: &str = "elbow-run+";

/// Makes one, after those of dead processes are removed.
pub(crate) fn make() -> Result<TempDir> {
    let parent = std::env::temp_dir();
    sweep(&parent);
    let name = format!("{PREFIX}{}+", worker_name().replace('/', "+"));
    let mut builder = tempfile::Builder::new();
    builder.prefix(&name);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder.tempdir_in(parent).map_err(|error| {
        Error::command(
            format!("no temporary folder for the parameters could be created: {error}"),
            "set TMPDIR to a folder that you may write to",
        )
    })
}

/// Removes the folders of processes that are gone. What cannot be removed stays: it is in nobody's way.
fn sweep(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let is_dead = entry.file_name().to_str().and_then(worker_of).is_some_and(|worker| is_gone(&worker));
        if is_dead && is_ours(&entry) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether it is a folder of this user's.
#[cfg(unix)]
fn is_ours(entry: &DirEntry) -> bool {
    use std::os::unix::fs::MetadataExt;

    entry.metadata().is_ok_and(|data| data.is_dir() && data.uid() == rustix::process::geteuid().as_raw())
}

/// Elsewhere each user has their own folder for such folders.
#[cfg(not(unix))]
fn is_ours(entry: &DirEntry) -> bool {
    entry.metadata().is_ok_and(|data| data.is_dir())
}

/// The worker that a folder's name speaks of.
fn worker_of(name: &str) -> Option<String> {
    let (machine, rest) = name.strip_prefix(PREFIX)?.split_once('+')?;
    let (process, _) = rest.split_once('+')?;
    Some(format!("{machine}/{process}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_known_by_its_worker() {
        let folder = make().unwrap();
        let name = folder.path().file_name().unwrap().to_str().unwrap();
        assert_eq!(worker_of(name), Some(worker_name()));
        assert_eq!(worker_of("elbow-run+lab"), None);
        assert_eq!(worker_of("systemd-private"), None);
        sweep(&std::env::temp_dir());
        assert!(folder.path().exists(), "its process is alive");
    }
}
