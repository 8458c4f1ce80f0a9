//! A power cut that loses everything that was not synced.
//!
//! A worker runs with a library between it and the system, which records every write, every sync and every line that
//! the worker prints, in order. From these records the files are rebuilt as a disk might hold them after a power cut at
//! any moment: everything that was synced and, by chance, any of the other sectors of 512 bytes. Names of files are
//! assumed to be as durable as on a journalling file system.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use crate::common::crew::{Promises, Worker};
use crate::common::{assert_sound, random};
use elbowroom_store::{SharedStudy, Sqlite, check};

const SECTOR: usize = 512;

/// A record of the library.
struct Note {
    kind: u8,
    file: String,
    at: usize,
    bytes: Vec<u8>,
}

/// Builds the library; `None` without a C compiler.
fn library(folder: &Path) -> Option<PathBuf> {
    let library = folder.join("disk.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/disk.c");
    let made =
        Command::new("cc").args(["-O1", "-shared", "-fPIC", "-o"]).arg(&library).arg(source).arg("-ldl").status();
    made.is_ok_and(|status| status.success()).then_some(library)
}

/// Reads the records: kind, length of the name, offset, length of the bytes, and then these two.
fn read(path: &Path) -> Vec<Note> {
    let all = fs::read(path).unwrap();
    let (mut notes, mut rest) = (Vec::new(), &all[..]);
    let number = |bytes: &[u8]| u64::from_ne_bytes(bytes.try_into().unwrap()) as usize;
    while let Some((head, more)) = rest.split_at_checked(32) {
        let (n_name, n_bytes) = (number(&head[8..16]), number(&head[24..32]));
        let (name, more) = more.split_at(n_name);
        let (bytes, more) = more.split_at(n_bytes);
        let file = Path::new(std::str::from_utf8(name).unwrap()).file_name().unwrap_or_default();
        let file = file.to_str().unwrap().to_owned();
        notes.push(Note { kind: head[0], file, at: number(&head[16..24]), bytes: bytes.to_vec() });
        rest = more;
    }
    notes
}

/// A write that was not synced yet: bytes from an offset on, or a length.
type Pending = (usize, Option<Vec<u8>>);

/// The files of a disk, and the writes to each since its last sync.
#[derive(Default, Clone)]
struct Disk {
    files: HashMap<String, (Vec<u8>, Vec<Pending>)>,
}

impl Disk {
    fn take(&mut self, note: &Note, syncs: bool) {
        // Folders are synced too.
        if note.kind == b'S' && !self.files.contains_key(&note.file) {
            return;
        }
        let (durable, pending) = self.files.entry(note.file.clone()).or_default();
        match note.kind {
            b'W' => pending.push((note.at, Some(note.bytes.clone()))),
            b'T' => pending.push((note.at, None)),
            b'S' if syncs => pending.drain(..).for_each(|(at, bytes)| write(durable, at, bytes.as_deref(), |_| true)),
            b'U' => drop(self.files.remove(&note.file)),
            _ => {}
        }
    }

    /// Creates the files in a folder as they are after a power cut.
    fn cut(&self, folder: &Path, seed: &mut u64) {
        for (name, (durable, pending)) in &self.files {
            let mut bytes = durable.clone();
            for (at, written) in pending {
                write(&mut bytes, *at, written.as_deref(), |_| heads(seed));
            }
            fs::write(folder.join(name), bytes).unwrap();
        }
    }
}

/// Writes the sectors that are kept; without bytes, the file has this length from now on.
fn write(file: &mut Vec<u8>, at: usize, bytes: Option<&[u8]>, mut keeps: impl FnMut(usize) -> bool) {
    let Some(bytes) = bytes else {
        if keeps(0) {
            file.resize(at, 0);
        }
        return;
    };
    for (i, sector) in bytes.chunks(SECTOR).enumerate() {
        let start = at + i * SECTOR;
        if keeps(i) {
            file.resize(file.len().max(start + sector.len()), 0);
            file[start..start + sector.len()].copy_from_slice(sector);
        }
    }
}

fn heads(seed: &mut u64) -> bool {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) & 1 == 1
}

/// Cuts the power at many moments; returns how often an acknowledged value is missing, or the store cannot be read.
fn n_lost(notes: &[Note], before: &Disk, syncs: bool, n_cuts: usize) -> usize {
    let (mut disk, mut said, mut lost, mut seed) = (before.clone(), String::new(), 0, 5);
    for (i, note) in notes.iter().enumerate() {
        if note.kind == b'A' {
            said += std::str::from_utf8(&note.bytes).unwrap();
        } else {
            disk.take(note, syncs);
        }
        if i % (notes.len() / n_cuts).max(1) != 0 {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        disk.cut(folder.path(), &mut seed);
        let mut promises = Promises::default();
        promises.note(&said);
        let path = folder.path().join("store.elbow");
        let found = Sqlite::open(&path).and_then(|store| SharedStudy::open(Arc::new(store), "study"));
        let whole = found.is_ok_and(|study| {
            let whole = promises.missing(&study).is_empty();
            if whole && syncs {
                assert_sound(&study);
            }
            whole
        });
        // A cut while the last process closes the file leaves a file that looks like a plain copy. Nothing in it is
        // missing.
        let is_harmless = |fault: &String| fault.contains("plain copy");
        lost += usize::from(!whole || !check(&path).is_ok_and(|health| health.faults.iter().all(is_harmless)));
    }
    lost
}

#[test]
fn a_power_cut_that_drops_what_was_not_synced_costs_nothing_that_was_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let Some(library) = library(folder.path()) else {
        eprintln!("skipped: it takes a C compiler");
        return;
    };
    let (place, notes) = (folder.path().join("disk"), folder.path().join("notes"));
    fs::create_dir(&place).unwrap();
    let path = place.join("store.elbow");
    // Long enough for the write-ahead log to be moved into the file more than once.
    SharedStudy::create(Arc::new(Sqlite::open(&path).unwrap()), "study", random(300)).unwrap();
    let mut before = Disk::default();
    before.files.insert("store.elbow".to_owned(), (fs::read(&path).unwrap(), Vec::new()));
    let mut command = Command::new(env!("CARGO_BIN_EXE_elbowroom-store-worker"));
    command.arg(&path).arg("300");
    command.env("LD_PRELOAD", &library).env("ELBOW_DISK", &place).env("ELBOW_NOTES", &notes);
    let (said, well) = Worker::spawn(command).end();
    assert!(well, "{said}");

    let notes = read(&notes);
    let count = |kind: u8, file: &str| notes.iter().filter(|note| note.kind == kind && note.file == file).count();
    assert_eq!(notes.iter().filter(|note| note.kind == b'A' && note.bytes.starts_with(b"told")).count(), 300);
    assert!(count(b'S', "store.elbow-wal") >= 600, "a sync for each commit, but {}", count(b'S', "store.elbow-wal"));
    assert!(count(b'S', "store.elbow") >= 2 && count(b'W', "store.elbow") > 10, "it was put into the file");
    // The records reproduce the files.
    let mut disk = before.clone();
    notes.iter().filter(|note| note.kind != b'A').for_each(|note| disk.take(note, true));
    assert_eq!(disk.files.len(), 1);
    assert!(disk.files["store.elbow"].0 == fs::read(&path).unwrap());

    assert_eq!(n_lost(&notes, &before, true, 150), 0);
    // A disk that does not sync loses something: the cuts are effective.
    assert!(n_lost(&notes, &before, false, 20) > 10);
}
