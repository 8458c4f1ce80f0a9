//! The same job gives the same row, whatever runs before it or at the same time.

use std::path::{Path, PathBuf};
use std::process::Command;

use elbowroom_paper::raw::{NAME, Table};

/// Runs the program in a separate process: four methods, two replicates, in 2 dimensions with batches of 5.
fn run(dir: &Path, options: &[&str]) {
    let mut process = Command::new(env!("CARGO_BIN_EXE_paper"));
    process.args(["table", "--track", "R,W", "--dims", "2", "--batches", "5", "--replicates", "2", "--out"]).arg(dir);
    let output = process.args(options).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The rows by their keys, without the CPU time, which is a measurement.
fn rows(dir: &Path) -> Vec<Vec<String>> {
    let table = Table::read(dir).unwrap();
    let cpu = table.column("cpu").unwrap();
    let mut rows = table.rows;
    rows.iter_mut().for_each(|row| drop(row.remove(cpu)));
    rows.sort();
    rows
}

fn folder(name: &str) -> PathBuf {
    let dir = std::env::temp_dir().join(format!("elbowroom-paper-same-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    dir
}

#[test]
fn rows_depend_neither_on_threads_nor_on_the_order_of_jobs_nor_on_the_process() {
    let (one, two, resumed) = (folder("one"), folder("two"), folder("resumed"));
    run(&one, &["--threads", "1", "--methods", "LP-UCB,B-UCB,SM-UCB,Thompson"]);
    let expected = rows(&one);
    // Two tracks, four methods, two replicates; and LP-UCB-guarded with batches of 10, whose work is the budget of track W.
    assert_eq!(expected.len(), 2 * 4 * 2 + 2);

    run(&two, &["--threads", "2", "--methods", "Thompson,SM-UCB,B-UCB,LP-UCB"]);
    assert_eq!(rows(&two), expected, "two threads, the other way round");

    // Stopped in the middle of its seventh row, and resumed.
    std::fs::create_dir_all(&resumed).unwrap();
    let text = std::fs::read_to_string(one.join(NAME)).unwrap();
    let head = text.lines().take_while(|line| line.starts_with('#')).count() + 1;
    let kept: Vec<&str> = text.lines().take(head + 7).collect();
    let cut = kept.join("\n");
    std::fs::write(resumed.join(NAME), &cut[..cut.len() - 20]).unwrap();
    run(&resumed, &["--threads", "1", "--methods", "LP-UCB,B-UCB,SM-UCB,Thompson"]);
    assert_eq!(rows(&resumed), expected, "stopped and taken up");
    [one, two, resumed].into_iter().for_each(|dir| std::fs::remove_dir_all(dir).unwrap());
}

/// The lines at the head of the rows, as written by a process in this folder.
fn head_in(folder: &Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_paper")).arg("provenance").current_dir(folder).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn rows_stand_under_the_commit_of_the_build_and_the_processor_level() {
    // In a folder outside any repository, the commit cannot be the one that is checked out.
    let (here, elsewhere) = (head_in(Path::new(env!("CARGO_MANIFEST_DIR"))), head_in(&std::env::temp_dir()));
    assert_eq!(here, elsewhere);
    let level = elbowroom::study::Build::current().cpu;
    let machine = here.lines().find(|line| line.starts_with("# machine: ")).unwrap();
    assert!(machine.ends_with(&level), "{machine} does not name {level}");
}
