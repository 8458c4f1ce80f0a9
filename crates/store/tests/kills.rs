//! Processes that are killed, stopped and crowded: nothing acknowledged is lost, no point is handed out twice at once,
//! and the budget is exact.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::common::crew::{MOMENTS, Promises, Worker};
use crate::common::{assert_sound, cluster, coarse, random};
use elbowroom::study::{MeasurementKind, StudyConfig, verify};
use elbowroom_store::{SharedStudy, TrialStatus, open};

/// The address of a new store with a study in it, and the folder that must live as long.
fn sqlite(config: StudyConfig) -> (String, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let address = folder.path().join("store.elbow").display().to_string();
    SharedStudy::create(open(&address).unwrap(), "study", config).unwrap();
    (address, folder)
}

fn postgres(config: StudyConfig) -> Option<String> {
    let address = cluster::new_database()?;
    SharedStudy::create(open(&address).unwrap(), "study", config).unwrap();
    Some(address)
}

fn joined(address: &str) -> SharedStudy {
    SharedStudy::open(open(address).unwrap(), "study").unwrap()
}

/// Finishes a study that was mistreated, and checks that all promises were kept.
fn finish(address: &str, mut promises: Promises, budget: usize) {
    let (said, well) = Worker::start(address, usize::MAX, &["ttl=500", "wait=yes"]).end();
    assert!(well, "{said}");
    promises.note(&said);
    let study = joined(address);
    promises.assert_kept(&study);
    assert_sound(&study);
    let counts = study.counts();
    // Trials that were lost three times are given up; all others have values.
    assert_eq!((counts.complete + counts.lost, counts.open()), (budget, 0), "{counts:?}");
    assert!(study.study().trials().iter().all(|trial| trial.attempts <= 3));
    assert_eq!(verify(study.study().events()).unwrap(), []);
}

fn killed_at_every_moment(address: &str) {
    let mut promises = Promises::default();
    for (i, moment) in MOMENTS.iter().enumerate() {
        let (die, nth) = (format!("die={moment}"), format!("nth={}", 1 + i % 3));
        let (said, well) = Worker::start(address, 10, &["ttl=500", &die, &nth]).end();
        assert!(!well && !said.contains("error"), "{moment}: {said}");
        promises.note(&said);
        promises.assert_kept(&joined(address));
        assert_sound(&joined(address));
    }
    finish(address, promises, 40);
}

/// Kills each worker in its first evaluation, and immediately starts the next one, which sees that the last one is
/// dead. Leases are long: none runs out on its own.
fn killed_and_restarted(address: &str) {
    let mut promises = Promises::default();
    for _ in 0..16 {
        let mut worker = Worker::start(address, usize::MAX, &["evaluate=60000", "reclaim=yes"]);
        assert!(worker.line().starts_with("asked"));
        worker.kill();
        promises.note(&worker.end().0);
    }
    let (said, well) = Worker::start(address, usize::MAX, &["reclaim=yes"]).end();
    assert!(well, "{said}");
    promises.note(&said);
    // Sixteen kills: five trials lost three times each, and the sixth once.
    assert_eq!(joined(address).counts().lost, 5);
    finish(address, promises, 12);
}

#[test]
fn killed_and_restarted_on_the_same_machine_a_trial_is_run_three_times_in_all_on_sqlite() {
    let (address, _folder) = sqlite(random(12));
    killed_and_restarted(&address);
}

#[test]
fn killed_and_restarted_on_the_same_machine_a_trial_is_run_three_times_in_all_on_postgres() {
    let Some(address) = postgres(random(12)) else { return };
    killed_and_restarted(&address);
}

/// A library that shifts the clock of a process by `ELBOW_CLOCK` seconds; `None` without a C compiler.
fn another_clock(folder: &Path) -> Option<PathBuf> {
    let (source, library) = (folder.join("clock.c"), folder.join("clock.so"));
    let text = r#"
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <stdlib.h>
        #include <time.h>
        int clock_gettime(clockid_t id, struct timespec *t) {
            static int (*real)(clockid_t, struct timespec *);
            if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
            int done = real(id, t);
            const char *by = getenv("ELBOW_CLOCK");
            if (by && id == CLOCK_REALTIME) t->tv_sec += atol(by);
            return done;
        }"#;
    std::fs::write(&source, text).unwrap();
    let made = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).arg("-ldl").status();
    made.is_ok_and(|status| status.success()).then_some(library)
}

#[test]
fn workers_whose_clocks_are_hours_apart_share_a_database() {
    let folder = tempfile::tempdir().unwrap();
    let (Some(address), Some(library)) = (postgres(random(30)), another_clock(folder.path())) else {
        eprintln!("skipped: it takes PostgreSQL and a C compiler");
        return;
    };
    let apart = |program: &str, by: &str| {
        let mut command = Command::new(program);
        command.env("LD_PRELOAD", &library).env("ELBOW_CLOCK", by);
        command
    };
    let shown = apart("date", "10800").arg("+%s").output().unwrap().stdout;
    let shown: u64 = String::from_utf8(shown).unwrap().trim().parse().unwrap();
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    assert!(shown.abs_diff(now() + 10800) < 60, "the clock of a process can be set apart");
    let start = |by: &str| {
        let mut command = apart(env!("CARGO_BIN_EXE_elbowroom-store-worker"), by);
        command.args([&address, "10", "ttl=20000", "evaluate=20"]);
        Worker::spawn(command)
    };
    let mut promises = Promises::default();
    for worker in ["10800", "-7200", "0"].map(start) {
        let (said, well) = worker.end();
        assert!(well, "{said}");
        promises.note(&said);
    }
    let study = joined(&address);
    promises.assert_kept(&study);
    assert_sound(&study);
    // No worker regarded another's trial as lost, and every time is the database's.
    assert_eq!(study.counts().complete, 30);
    assert!(study.study().trials().iter().all(|trial| trial.attempts == 1));
    assert!(study.stored().times().iter().all(|at| (at.0 as u64 / 1000).abs_diff(now()) < 600));
    assert_eq!(verify(study.study().events()).unwrap(), []);
}

#[test]
fn killed_at_every_moment_of_ask_and_tell_on_sqlite() {
    let (address, _folder) = sqlite(random(40));
    killed_at_every_moment(&address);
}

#[test]
fn killed_at_every_moment_of_ask_and_tell_on_postgres() {
    if let Some(address) = postgres(random(40)) {
        killed_at_every_moment(&address);
    }
}

fn killed_at_random(address: &str) {
    let (mut promises, mut interrupted) = (Promises::default(), 0);
    // Four at a time, each killed some time after its first few lines, at moments unrelated to the rhythm of the work.
    // Together they cannot use up the budget.
    for round in 0..5u64 {
        let mut workers: Vec<Worker> = (0..4).map(|_| Worker::start(address, 5, &["ttl=500", "evaluate=3"])).collect();
        for (i, worker) in workers.iter_mut().enumerate() {
            for _ in 0..1 + (round as usize + i) % 5 {
                worker.line();
            }
            std::thread::sleep(Duration::from_micros(517 + 1_701 * round + 617 * i as u64));
            worker.kill();
        }
        for worker in workers {
            let (said, _) = worker.end();
            promises.note(&said);
            interrupted += usize::from(said.lines().last().is_some_and(|line| line.starts_with("asked")));
        }
    }
    assert!(promises.count() > 0 && interrupted > 0, "killed too early or too late to mean anything");
    finish(address, promises, 110);
}

#[test]
fn killed_at_random_on_sqlite() {
    let (address, _folder) = sqlite(random(110));
    killed_at_random(&address);
}

#[test]
fn killed_at_random_on_postgres() {
    if let Some(address) = postgres(random(110)) {
        killed_at_random(&address);
    }
}

fn crowded(address: &str, n_workers: usize, each: usize) {
    let workers: Vec<Worker> = (0..n_workers).map(|_| Worker::start(address, each, &[])).collect();
    let mut promises = Promises::default();
    for worker in workers {
        let (said, well) = worker.end();
        assert!(well, "{said}");
        promises.note(&said);
    }
    let study = joined(address);
    assert_eq!((promises.count(), study.counts().complete), (n_workers * each, n_workers * each));
    promises.assert_kept(&study);
    assert_sound(&study);
    assert_eq!(verify(study.study().events()).unwrap(), []);
}

#[test]
fn six_processes_share_a_file_in_a_coarse_space() {
    let (address, _folder) = sqlite(coarse(120));
    crowded(&address, 6, 20);
}

#[test]
fn four_processes_share_a_database_in_a_coarse_space() {
    if let Some(address) = postgres(coarse(40)) {
        crowded(&address, 4, 10);
    }
}

#[test]
fn a_worker_that_was_stopped_beyond_its_lease_is_still_listened_to() {
    let (address, _folder) = sqlite(random(40));
    for taken in [false, true] {
        let mut worker = Worker::start(&address, 1, &["ttl=300", "evaluate=100"]);
        let asked = worker.line();
        worker.signal("-STOP");
        std::thread::sleep(Duration::from_millis(400));
        let mut study = joined(&address);
        let trial = study.study().trials().last().unwrap().clone();
        assert_eq!(asked, format!("asked {} 1", trial.id));
        assert_eq!(study.status(&trial), TrialStatus::Queued);
        if taken {
            let retry = study.ask(1).unwrap().trials.remove(0);
            assert_eq!((retry.id(), retry.attempt.number), (trial.id, 2));
            study.tell(&retry, 1.0).unwrap();
        }
        worker.signal("-CONT");
        let (said, well) = worker.end();
        assert!(well, "{said}");
        study.refresh().unwrap();
        let kinds: Vec<MeasurementKind> =
            study.study().trial(trial.id).unwrap().measurements().iter().map(|m| m.kind).collect();
        let expected: &[MeasurementKind] =
            if taken { &[MeasurementKind::First, MeasurementKind::Replicate] } else { &[MeasurementKind::Late] };
        assert_eq!(kinds, expected);
    }
}

#[test]
fn a_database_that_restarts_and_cuts_connections_loses_nothing() {
    let Some(server) = cluster::Cluster::start() else { return };
    let address = server.database();
    SharedStudy::create(open(&address).unwrap(), "study", random(60)).unwrap();
    let mut workers: Vec<Worker> = (0..3).map(|_| Worker::start(&address, 1000, &["evaluate=10"])).collect();
    for _ in 0..3 {
        // In the middle of the work of at least one of them.
        workers[0].line();
        let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE 'test%'";
        server.client().unwrap().batch_execute(cut).unwrap();
    }
    workers[0].line();
    server.restart();
    let mut promises = Promises::default();
    for worker in workers {
        let (said, well) = worker.end();
        assert!(well, "{said}");
        promises.note(&said);
    }
    let study = joined(&address);
    assert_eq!((promises.count(), study.counts().complete), (60, 60));
    promises.assert_kept(&study);
    assert_sound(&study);
    // Each was reported once, although some replies were lost and the reports sent again.
    assert!(study.study().trials().iter().all(|trial| trial.measurements().len() == 1));
}
