//! Store files that are cut, changed, copied, read-only or out of space: this is reported, and never causes a panic or
//! more damage.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use crate::common::crew::{Promises, Worker};
use crate::common::{assert_sound, random};
use elbowroom::study::Event;
use elbowroom_store::{Error, Memory, SharedStudy, Sqlite, check, open, salvage};

/// A store file with a study of some trials, closed.
fn some_file(folder: &Path) -> PathBuf {
    let path = folder.join("store.elbow");
    let mut study = SharedStudy::create(Arc::new(Sqlite::open(&path).unwrap()), "study", random(100)).unwrap();
    for _ in 0..30 {
        let trial = study.ask(1).unwrap().trials.remove(0);
        study.tell(&trial, 0.5).unwrap();
    }
    study.ask(2).unwrap();
    path
}

fn events(path: &Path) -> Result<Vec<Event>, Error> {
    let study = SharedStudy::open(Arc::new(Sqlite::open(path)?), "study")?;
    Ok(study.study().events().to_vec())
}

/// How much of a file can be saved.
fn n_saved(path: &Path) -> usize {
    match salvage(path, &Memory::new()) {
        Ok(saved) => saved.iter().map(|study| study.n_events).max().unwrap_or(0),
        Err(_) => 0,
    }
}

/// Uses a damaged copy normally, and checks that nothing gets worse. Returns whether the damage was noticed.
fn mistreat(bytes: &[u8], original: &[Event]) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged.elbow");
    fs::write(&path, bytes).unwrap();
    let before = n_saved(&path);
    let work = || -> Result<Vec<Event>, Error> {
        let mut study = SharedStudy::open(Arc::new(Sqlite::open(&path)?), "study")?;
        let found = study.study().events().to_vec();
        let trial = study.ask(1)?.trials.remove(0);
        study.tell(&trial, 0.25)?;
        Ok(found)
    };
    let worked = catch_unwind(AssertUnwindSafe(work)).expect("no panic");
    match &worked {
        // The damage was in a place that does not affect the log: the log is unchanged.
        Ok(found) => assert!(found == original, "a changed log was taken for a whole one"),
        Err(error) => assert!(error.to_string().contains("\n  try: "), "{error}"),
    }
    assert!(n_saved(&path) >= before, "{before} events could be saved before, {} after", n_saved(&path));
    if worked.is_err() {
        let health = check(&path).unwrap();
        let all = health.studies.iter().any(|study| study.n_events >= original.len() && study.fault.is_none());
        assert!(!health.faults.is_empty() || all || health.studies.is_empty(), "{health:?}");
    }
    worked.is_err()
}

#[test]
fn a_file_cut_short_anywhere_is_reported_and_never_made_worse() {
    let folder = tempfile::tempdir().unwrap();
    let path = some_file(folder.path());
    let (bytes, original) = (fs::read(&path).unwrap(), events(&path).unwrap());
    let step = bytes.len() / 24;
    for length in (1..24).map(|i| i * step + i * 37 % 512) {
        let cut = &bytes[..length];
        assert!(mistreat(cut, &original), "{length} of {} bytes", bytes.len());
        // It was refused before anything was written.
        let copy = folder.path().join("cut.elbow");
        fs::write(&copy, cut).unwrap();
        assert!(matches!(Sqlite::open(&copy), Err(Error::Damaged { .. })));
        assert_eq!(fs::read(&copy).unwrap(), cut);
    }
}

#[test]
fn a_bit_changed_anywhere_is_noticed_or_harmless_and_never_made_worse() {
    let folder = tempfile::tempdir().unwrap();
    let path = some_file(folder.path());
    let (bytes, original) = (fs::read(&path).unwrap(), events(&path).unwrap());
    let mut noticed = 0;
    let mut at = 11;
    for i in 0..150usize {
        // The header byte by byte, then everywhere in the file.
        at = if i < 40 { 2 * i + 17 } else { (at * 7_919 + 104_729) % bytes.len() };
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (i % 8);
        noticed += usize::from(mistreat(&changed, &original));
    }
    assert!(noticed > 30, "only {noticed} of 150 changes were noticed");
}

#[test]
fn what_is_whole_of_a_damaged_file_can_be_saved() {
    let folder = tempfile::tempdir().unwrap();
    let path = some_file(folder.path());
    let original = events(&path).unwrap();
    // One digit of one event near the end, also where SQLite left an old copy of its page.
    let mut bytes = fs::read(&path).unwrap();
    let text = br#""event":"told","trial":25"#;
    let found: Vec<usize> = (0..bytes.len() - text.len()).filter(|&at| bytes[at..].starts_with(text)).collect();
    assert!(!found.is_empty());
    found.into_iter().for_each(|at| bytes[at + text.len() - 1] = b'4');
    fs::write(&path, &bytes).unwrap();

    let error = events(&path).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("has changed since it was written; those before it are intact"), "{error}");
    let to = Arc::new(Memory::new());
    let saved = salvage(&path, &*to).unwrap();
    let number = original.iter().position(|e| matches!(e, Event::Told { trial, .. } if trial.0 == 25)).unwrap();
    assert_eq!((saved.len(), saved[0].n_events), (1, number));
    assert!(saved[0].fault.as_ref().unwrap().starts_with(&format!("event {number} ")));
    assert_eq!(SharedStudy::open(to, "study").unwrap().study().events(), &original[..number]);
    // Except the counters in its header, which count openings.
    let without_counters = |mut bytes: Vec<u8>| {
        [24..28, 92..96].into_iter().for_each(|counter| bytes[counter].fill(0));
        bytes
    };
    assert!(without_counters(fs::read(&path).unwrap()) == without_counters(bytes));
}

#[test]
fn other_files_and_newer_ones_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("notes.txt");
    fs::write(&text, "not a store, but longer than the header of one would be, so that it is looked at".repeat(2))
        .unwrap();
    assert!(Sqlite::open(&text).err().unwrap().to_string().contains("is not a store file"));

    let foreign = folder.path().join("foreign.db");
    let database = rusqlite::Connection::open(&foreign).unwrap();
    database.execute_batch("CREATE TABLE people (name TEXT)").unwrap();
    drop(database);
    let before = fs::read(&foreign).unwrap();
    assert!(Sqlite::open(&foreign).err().unwrap().to_string().contains("not an elbowroom store"));
    assert_eq!(fs::read(&foreign).unwrap(), before);

    let newer = some_file(folder.path());
    let database = rusqlite::Connection::open(&newer).unwrap();
    database.pragma_update(None, "user_version", 99).unwrap();
    drop(database);
    let error = Sqlite::open(&newer).err().unwrap().to_string();
    assert!(error.contains("schema version 99") && error.contains("newer build"), "{error}");
    assert!(Sqlite::open(folder.path().join("no/such/folder/a.elbow")).is_err());
}

#[test]
fn many_may_open_a_new_file_at_once() {
    for _ in 0..30 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new.elbow");
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| Sqlite::open(&path).map(drop).unwrap());
            }
        });
    }
}

#[test]
fn a_store_file_is_private() {
    let folder = tempfile::tempdir().unwrap();
    let path = some_file(folder.path());
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let _open = Sqlite::open(&path).unwrap();
    let wal = folder.path().join("store.elbow-wal");
    if wal.exists() {
        assert_eq!(fs::metadata(&wal).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn after_a_power_cut_between_operations_every_acknowledged_value_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.elbow");
    let wal = folder.path().join("store.elbow-wal");
    let mut study = SharedStudy::create(Arc::new(Sqlite::open(&path).unwrap()), "study", random(100)).unwrap();
    for n_told in 1..=20 {
        let trial = study.ask(1).unwrap().trials.remove(0);
        study.tell(&trial, n_told as f64).unwrap();
        // The files as a machine would leave them after a power cut; the shared memory is gone.
        for cut in [0, 1, 500] {
            let after = tempfile::tempdir().unwrap();
            let copy = after.path().join("store.elbow");
            fs::copy(&path, &copy).unwrap();
            let log = fs::read(&wal).unwrap_or_default();
            fs::write(after.path().join("store.elbow-wal"), &log[..log.len().saturating_sub(cut)]).unwrap();
            let mut found = SharedStudy::open(Arc::new(Sqlite::open(&copy).unwrap()), "study").unwrap();
            // A torn end of the log costs only the commit that was being written.
            let expected = if cut == 0 { n_told } else { n_told - 1 };
            assert!(found.counts().complete >= expected, "{cut}: {} of {n_told}", found.counts().complete);
            found.ask(1).unwrap();
            assert_sound(&found);
        }
    }
}

#[test]
fn a_full_disk_is_reported_and_costs_nothing_that_was_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.elbow");
    SharedStudy::create(open(path.to_str().unwrap()).unwrap(), "study", random(300)).unwrap();
    let mut command = Command::new("sh");
    // No file may grow beyond this many blocks of 512 bytes; the signal for that is ignored.
    let script = r#"trap "" XFSZ; ulimit -f 3000; exec "$0" "$@""#;
    command.args(["-c", script, env!("CARGO_BIN_EXE_elbowroom-store-worker")]);
    command.arg(&path).arg("1000");
    let (said, well) = Worker::spawn(command).end();
    let error = said.lines().last().unwrap();
    assert!(!well && error.contains("What was stored before is intact") && error.contains("try:"), "{error}");
    let mut promises = Promises::default();
    promises.note(&said);
    assert!(promises.count() > 10);
    let study = SharedStudy::open(open(path.to_str().unwrap()).unwrap(), "study").unwrap();
    promises.assert_kept(&study);
    assert_sound(&study);
    assert!(check(&path).unwrap().faults.is_empty());
}

#[test]
fn a_store_that_cannot_be_written_says_so() {
    let folder = tempfile::Builder::new().permissions(fs::Permissions::from_mode(0o755)).tempdir().unwrap();
    let path = some_file(folder.path());
    let before = fs::read(&path).unwrap();
    let program = folder.path().join("worker");
    fs::copy(env!("CARGO_BIN_EXE_elbowroom-store-worker"), &program).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o555)).unwrap();
    let mut command = Command::new(&program);
    command.arg(&path).arg("1").current_dir("/");
    if is_root() {
        // Permissions do not restrict root.
        command.uid(65534).gid(65534);
    }
    let (said, well) = Worker::spawn(command).end();
    // It can be read, but not asked.
    assert!(!well && said.contains("cannot be written") && said.contains("try:"), "{said}");
    assert_eq!(fs::read(&path).unwrap(), before);
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::metadata("/proc/self").is_ok_and(|data| data.uid() == 0)
}

#[test]
fn a_store_in_use_is_found_healthy() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.elbow");
    let address = path.to_str().unwrap();
    SharedStudy::create(open(address).unwrap(), "study", random(400)).unwrap();
    let workers: Vec<Worker> = (0..2).map(|_| Worker::start(address, 60, &[])).collect();
    let mut seen = 0;
    while seen < 200 {
        let health = check(&path).unwrap();
        assert!(health.faults.is_empty(), "{health:?}");
        assert!(health.studies[0].n_events >= seen);
        seen = health.studies[0].n_events;
    }
    for worker in workers {
        let (said, well) = worker.end();
        assert!(well, "{said}");
    }
}

/// A store that starts to show an older state of the study, as after a restored backup.
#[test]
fn a_file_that_was_removed_or_replaced_takes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.elbow");
    let mut study = SharedStudy::create(Arc::new(Sqlite::open(&path).unwrap()), "study", random(100)).unwrap();
    let trial = study.ask(1).unwrap().trials.remove(0);
    let kept = folder.path().join("kept.elbow");
    fs::rename(&path, &kept).unwrap();
    let error = study.tell(&trial, 1.0).unwrap_err().to_string();
    assert!(error.contains("removed or replaced"), "{error}");
    // Moved back, it is the same file.
    fs::rename(&kept, &path).unwrap();
    study.tell(&trial, 1.0).unwrap();
    fs::remove_file(&path).unwrap();
    fs::write(&path, "").unwrap();
    assert!(study.ask(1).unwrap_err().to_string().contains("removed or replaced"));
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    format!("{}{ending}", path.display()).into()
}

#[test]
fn a_write_ahead_log_that_was_removed_is_noticed_before_anything_more_is_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.elbow");
    let mut study = SharedStudy::create(Arc::new(Sqlite::open(&path).unwrap()), "study", random(100)).unwrap();
    let trials = study.ask(2).unwrap().trials;
    study.tell(&trials[0], 1.0).unwrap();
    fs::remove_file(beside(&path, "-wal")).unwrap();
    for error in [study.tell(&trials[1], 2.0).map(drop), study.ask(1).map(drop), study.refresh().map(drop)] {
        let error = error.unwrap_err().to_string();
        assert!(error.contains("study.elbow-wal, with what was stored last, was removed"), "{error}");
    }
    // As its error says: at its end, a process writes what it knows into the file.
    drop(study);
    let study = SharedStudy::open(Arc::new(Sqlite::open(&path).unwrap()), "study").unwrap();
    assert_eq!(study.study().trial(trials[0].id()).unwrap().value(), Some(1.0));
    assert_eq!(study.study().trial(trials[1].id()).unwrap().value(), None);
    assert_eq!(check(&path).unwrap().faults, Vec::<String>::new());
}

#[test]
fn a_plain_copy_of_a_store_in_use_is_told_from_a_whole_one() {
    let folder = tempfile::tempdir().unwrap();
    let (path, copy) = (folder.path().join("store.elbow"), folder.path().join("copy.elbow"));
    let mut study = SharedStudy::create(Arc::new(Sqlite::open(&path).unwrap()), "study", random(100)).unwrap();
    let trial = study.ask(1).unwrap().trials.remove(0);
    study.tell(&trial, 1.0).unwrap();
    fs::copy(&path, &copy).unwrap();
    let faults = check(&copy).unwrap().faults;
    assert!(faults[0].contains("plain copy of a store file that was in use"), "{faults:?}");
    // Reading it changes nothing; working with it accepts it as it is.
    drop(Sqlite::open(&copy).unwrap());
    assert_eq!(check(&copy).unwrap().faults[0], faults[0]);
    drop(SharedStudy::create(Arc::new(Sqlite::open(&copy).unwrap()), "another", random(100)).unwrap());
    assert_eq!(check(&copy).unwrap().faults, Vec::<String>::new());
    // The store itself is intact, and so is a copy that includes the log.
    assert_eq!(check(&path).unwrap().faults, Vec::<String>::new());
    fs::copy(&path, &copy).unwrap();
    fs::copy(beside(&path, "-wal"), beside(&copy, "-wal")).unwrap();
    assert_eq!(check(&copy).unwrap().faults, Vec::<String>::new());
    // A file that all processes have closed is complete on its own, and so is a copy of it.
    drop(study);
    let closed = folder.path().join("closed.elbow");
    fs::copy(&path, &closed).unwrap();
    assert_eq!(check(&closed).unwrap().faults, Vec::<String>::new());
    assert_eq!(events(&closed).unwrap(), events(&path).unwrap());
    // A process that closes it while others have it open leaves everything as it is.
    let (first, second) = (Sqlite::open(&path).unwrap(), Sqlite::open(&path).unwrap());
    drop(first);
    assert!(beside(&path, "-wal").exists());
    assert_eq!(SharedStudy::open(Arc::new(second), "study").unwrap().counts().complete, 1);
}

#[test]
fn a_file_that_somebody_is_just_leaving_is_found_healthy() {
    let folder = tempfile::tempdir().unwrap();
    let (path, copy) = (folder.path().join("store.elbow"), folder.path().join("copy.elbow"));
    let mut study = SharedStudy::create(Arc::new(Sqlite::open(&path).unwrap()), "study", random(100)).unwrap();
    study.ask(1).unwrap();
    drop(study);
    // The write-ahead mode is two bytes of the header, and the log itself is gone already.
    let whole = fs::read(&path).unwrap();
    let mut header = whole.clone();
    assert_eq!(header[18..20], [1, 1]);
    header[18..20].copy_from_slice(&[2, 2]);
    fs::write(&copy, &header).unwrap();
    let leaves = std::thread::spawn({
        let copy = copy.clone();
        move || {
            std::thread::sleep(std::time::Duration::from_millis(150));
            fs::write(copy, whole).unwrap();
        }
    });
    assert_eq!(check(&copy).unwrap().faults, Vec::<String>::new());
    leaves.join().unwrap();
    // If it stays like this, it is an error.
    fs::write(&copy, &header).unwrap();
    assert!(check(&copy).unwrap().faults[0].contains("plain copy"));
}

#[test]
fn a_log_that_became_shorter_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = some_file(folder.path());
    let mut study = SharedStudy::open(Arc::new(Sqlite::open(&path).unwrap()), "study").unwrap();
    let database = rusqlite::Connection::open(&path).unwrap();
    database.execute("DELETE FROM events WHERE number > 50", []).unwrap();
    let last = study.study().trials().last().unwrap().id;
    for error in [study.ask(1).map(drop), study.tell(last, 1.0).map(drop), study.refresh().map(drop)] {
        let error = error.unwrap_err().to_string();
        assert!(error.contains("has 51 events, but it had 62 before"), "{error}");
    }
    events(&path).expect("a report of a trial that is gone does not spoil the log");
    // And if it has grown again, differently, this is noticed too.
    let mut other = SharedStudy::open(Arc::new(Sqlite::open(&path).unwrap()), "study").unwrap();
    for _ in 0..12 {
        other.ask(1).unwrap();
    }
    assert!(matches!(study.refresh(), Err(Error::Damaged { .. })));
}
