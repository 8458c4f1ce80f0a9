//! The effect on a study when its processes are stopped and killed.

use std::process::Child;

use crate::common::{Bench, until};
use rustix::process::{Pid, Signal, kill_process};

/// Records which trial started, and prints a value after a while.
const SLOW: &str = "sh -c 'echo {trial} >> begun; sleep 0.2; echo {x}'";

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

#[test]
fn a_killed_run_goes_on_where_it_was_and_the_budget_is_exact() {
    let bench = Bench::new(12, SLOW, "workers = 4");
    for round in 1..=2 {
        let mut run = bench.start(&["run"]);
        until("some trials have begun", || bench.n_lines("begun") >= 5 * round);
        run.kill().unwrap();
        run.wait().unwrap();
    }
    let told = bench.count("complete");
    // The last run does not wait for the leases of dead processes: it sees that they are gone.
    let start = std::time::Instant::now();
    let run = bench.json(&["run"]);
    assert!(start.elapsed() < std::time::Duration::from_secs(45), "it waited for leases to run out");
    assert_eq!(run["told"].as_u64().unwrap() + told, 12);
    let status = bench.json(&["status"]);
    assert_eq!((&status["counts"]["complete"], &status["n_trials"]), (&12.into(), &12.into()));
    assert_eq!(status["held"].as_array().unwrap().len(), 0);
}

#[test]
fn a_trial_that_kills_its_worker_is_run_three_times_in_all() {
    // The first trial's command kills `elbow run` itself, again and again; the others give a value.
    let command = "sh -c 'echo {trial} >> begun; [ {trial} = 0 ] && kill -9 $PPID; echo {x}'";
    let bench = Bench::new(3, command, "");
    for _ in 0..3 {
        let run = bench.elbow(&["run"]);
        assert_eq!(run.status.code(), None, "{}", crate::common::stderr(&run));
    }
    // The same machine restarts it, and sees each time that the process is gone: this counts as a loss like any other.
    let run = bench.json(&["run"]);
    assert_eq!(run["told"], 2);
    let begun = std::fs::read_to_string(bench.path("begun")).unwrap();
    assert_eq!(begun.lines().collect::<Vec<_>>(), ["0", "0", "0", "1", "2"]);
    assert_eq!((bench.count("lost"), bench.count("complete")), (1, 2));
}

#[test]
fn ctrl_c_finishes_what_runs_and_a_second_one_gives_it_back() {
    let bench = Bench::new(30, SLOW, "workers = 2");
    let run = bench.start(&["run"]);
    until("two trials have begun", || bench.n_lines("begun") >= 2);
    signal(&run, Signal::INT);
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", crate::common::stderr(&output));
    let status = bench.json(&["status"]);
    assert_eq!(status["counts"]["complete"], status["n_trials"], "nothing was cut short");

    let run = bench.start(&["run", "--", "sh", "-c", "echo {trial} >> long; sleep 60"]);
    until("two more have begun", || bench.n_lines("long") >= 2);
    signal(&run, Signal::INT);
    std::thread::sleep(std::time::Duration::from_millis(200));
    signal(&run, Signal::INT);
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let counts = &bench.json(&["status"])["counts"];
    assert_eq!((&counts["queued"], &counts["failed"], &counts["running"]), (&2.into(), &0.into(), &0.into()));
}

#[test]
fn sigterm_gives_trials_back_and_another_worker_takes_them() {
    let bench = Bench::new(3, "sh -c 'echo {trial} >> begun; sleep 60'", "workers = 3");
    let run = bench.start(&["run"]);
    until("three trials have begun", || bench.n_lines("begun") >= 3);
    signal(&run, Signal::TERM);
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(143), "{}", crate::common::stderr(&output));
    assert_eq!(bench.count("queued"), 3);
    let run = bench.json(&["worker", "bench.elbow", "--", "echo", "{x}"]);
    assert_eq!(run["told"], 3);
    assert_eq!(bench.json(&["status"])["n_trials"], 3);
}

#[test]
fn temporary_folders_are_private_and_those_of_killed_workers_are_swept() {
    let bench = Bench::new(3, "sh -c 'echo {trial} >> begun; sleep 0.5; echo {x}'", "");
    std::fs::create_dir(bench.path("tmp")).unwrap();
    let folders = || -> Vec<std::fs::DirEntry> { std::fs::read_dir(bench.path("tmp")).unwrap().flatten().collect() };
    let run = |args: &[&str]| bench.command(args).env("TMPDIR", bench.path("tmp")).spawn().unwrap();
    let mut killed = run(&["run"]);
    until("a trial has begun", || bench.n_lines("begun") >= 1);
    let made = folders();
    assert_eq!(made.len(), 1);
    let mode = std::os::unix::fs::PermissionsExt::mode(&made[0].metadata().unwrap().permissions());
    assert_eq!(mode & 0o777, 0o700);
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!(run(&["run", "--trials", "1"]).wait().unwrap().success());
    assert_eq!(folders().len(), 0);
}

#[test]
fn more_workers_than_a_machine_can_have_are_refused() {
    let bench = Bench::new(3, "echo {x}", "workers = 100000");
    let said = bench.bad(1, &["run"]);
    assert!(said.contains("100000 workers are more than one process can run") && said.contains("line"), "{said}");
    let said = bench.bad(1, &["run", "--workers", "100000"]);
    assert!(said.contains("100000 workers"), "{said}");
}

#[test]
fn several_workers_share_a_budget() {
    let bench = Bench::new(20, "sh -c 'sleep 0.02; echo {x}'", "");
    let workers: Vec<Child> = (0..4).map(|_| bench.start(&["worker", "--json"])).collect();
    let told: u64 = workers
        .into_iter()
        .map(|worker| {
            let output = worker.wait_with_output().unwrap();
            assert!(output.status.success(), "{}", crate::common::stderr(&output));
            serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()["told"].as_u64().unwrap()
        })
        .sum();
    assert_eq!((told, bench.count("complete")), (20, 20));
}
