//! The folder with the files of a drive's trials.
//!
//! Only its owner can read it. A drive that was killed leaves its folder behind; the folder's name says which process
//! it was, so that the next drive of the same user on this machine removes it.

use std::fs::{self, DirEntry};
use std::path::Path;

use elbowroom_store::{is_gone, worker_name};
use tempfile::TempDir;

use crate::error::{Error, Result};

/// The prefix of the names of such folders.
const PREFIX: &str = "elbow-run+";

/// Creates one, after removing those of dead processes.
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

/// Removes the folders of processes that are gone. Folders that cannot be removed stay; they do no harm.
fn sweep(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let is_dead = entry.file_name().to_str().and_then(worker_of).is_some_and(|worker| is_gone(&worker));
        if is_dead && is_ours(&entry) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether it is a folder of this user.
#[cfg(unix)]
fn is_ours(entry: &DirEntry) -> bool {
    use std::os::unix::fs::MetadataExt;

    entry.metadata().is_ok_and(|data| data.is_dir() && data.uid() == rustix::process::geteuid().as_raw())
}

/// On other systems each user has their own temporary folder.
#[cfg(not(unix))]
fn is_ours(entry: &DirEntry) -> bool {
    entry.metadata().is_ok_and(|data| data.is_dir())
}

/// The worker that a folder's name refers to.
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
