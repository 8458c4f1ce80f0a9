//! Where a store file may be.

use std::fs::{self, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// File systems on which several machines, or a virtual one, see the same file. SQLite's locks and shared memory cannot
/// be trusted there. The numbers are those of `statfs(2)`.
#[cfg(target_os = "linux")]
const NETWORK: [(u32, &str); 17] = [
    (0x6969, "NFS"),
    (0x517b, "SMB"),
    (0xff53_4d42, "SMB (CIFS)"),
    (0xfe53_4d42, "SMB 2"),
    (0x0bd0_0bd0, "Lustre"),
    (0x4750_4653, "GPFS"),
    (0x6573_5546, "FUSE"),
    (0x0102_1997, "9P"),
    (0x00c3_6400, "Ceph"),
    (0x1983_0326, "BeeGFS"),
    (0x5346_414f, "AFS"),
    (0x6b41_4653, "kAFS"),
    (0x7375_7245, "Coda"),
    (0x7461_636f, "OCFS2"),
    (0x0116_1970, "GFS2"),
    (0x2003_0528, "OrangeFS"),
    (0x786f_4256, "a VirtualBox share"),
];

/// The file that a path leads to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Identity(Option<(u64, u64)>);

impl Identity {
    /// Its device and number, on systems that have them.
    pub fn of(path: &Path) -> Self {
        #[cfg(unix)]
        return Self(std::fs::metadata(path).ok().map(|data| {
            use std::os::unix::fs::MetadataExt as _;
            (data.dev(), data.ino())
        }));
        #[cfg(not(unix))]
        return Self(path.exists().then_some((0, 0)));
    }

    /// Refuses to continue if the path now leads to another file, or to none: data written into a removed file are lost
    /// when the last process that has it open ends.
    pub fn check(self, path: &Path) -> Result<()> {
        if Self::of(path) == self {
            return Ok(());
        }
        let what = format!("the store file {} was removed or replaced while it was in use", path.display());
        Err(Error::damaged(what, "put it back where it was; or stop, and start again with the file that is there"))
    }
}

impl Identity {
    /// The same check for the write-ahead log of a file: data written into a removed log are lost with the process.
    /// While a process has the file open, there is no reason to remove the log; a file that is only read may not have
    /// one.
    pub fn check_log(self, path: &Path) -> Result<()> {
        if self.0.is_none() || Self::of(&wal(path)) == self {
            return Ok(());
        }
        let what =
            format!("{}, with what was stored last, was removed or replaced while it was in use", wal(path).display());
        let hint = "stop all workers on this file: each writes what it knows into the file as it stops; then check \
                    with `elbow doctor`, and report again what is missing";
        Err(Error::damaged(what, hint))
    }
}

/// The write-ahead log of a store file.
pub(super) fn wal(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    name.into()
}

/// Whether the write-ahead log of a store file contains anything.
pub(super) fn has_log(path: &Path) -> bool {
    fs::metadata(wal(path)).is_ok_and(|log| log.len() > 0)
}

/// Refuses a network file system, with the ways out.
#[cfg(target_os = "linux")]
pub(super) fn refuse_network(path: &Path) -> Result<()> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    // A folder that cannot be examined cannot be opened either, which has its own message.
    let Ok(found) = rustix::fs::statfs(folder) else { return Ok(()) };
    refuse_type(path, found.f_type as u32)
}

/// Elsewhere the type of a file system is not known.
#[cfg(not(target_os = "linux"))]
pub(super) fn refuse_network(_: &Path) -> Result<()> {
    Ok(())
}

#[cfg(target_os = "linux")]
fn refuse_type(path: &Path, kind: u32) -> Result<()> {
    match NETWORK.iter().find(|(number, _)| *number == kind) {
        None => Ok(()),
        Some((_, name)) => Err(Error::refused(
            format!("{} is on a network file system ({name}), where a store file would be damaged", path.display()),
            "put it on a disk of this machine; for workers on many machines use postgres://…",
        )),
    }
}

/// Creates an empty file that only its owner can read, if there is none.
pub(super) fn make_private(path: &Path) -> Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(Error::not_written(
            format!("{} cannot be created: {error}", path.display()),
            "check that its folder exists and can be written",
        )),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn network_file_systems_are_refused_by_name_and_local_ones_are_not() {
        // The numbers of ext4, XFS, Btrfs, ZFS, tmpfs and overlayfs.
        for local in [0xef53, 0x5846_5342, 0x9123_683e, 0x2fc1_2fc1, 0x0102_1994, 0x794c_7630] {
            refuse_type(Path::new("a"), local).unwrap();
        }
        let message = refuse_type(Path::new("/net/a.elbow"), 0x6969).unwrap_err().to_string();
        assert!(message.starts_with("/net/a.elbow is on a network file system (NFS)"), "{message}");
        assert!(message.contains("postgres://"), "{message}");
    }
}
