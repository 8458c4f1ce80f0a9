//! Raw results: a file of comma-separated rows to which runs append, each with the build's commit.
//!
//! A row starts with what was run (its key) and ends with the outcomes. Runs that have a row are not run again, so a
//! run can be stopped and resumed.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crate::options::stop;

/// A file of rows.
pub struct Rows {
    file: File,
    commit: String,
    /// Outcomes by key.
    known: HashMap<String, Vec<f64>>,
    until: Option<Instant>,
}

impl Rows {
    /// Opens the file, or starts it with a header: the names of the key's columns, of the commit's, and of the
    /// outcomes. A truncated row is dropped, so its run is missing again.
    pub fn open(path: &str, key: &[&str], outcomes: &[&str]) -> Self {
        let mut text = fs::read_to_string(path).unwrap_or_default();
        let mut file = OpenOptions::new().create(true).append(true).open(path).expect("a file that can be written");
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        if whole < text.len() {
            text.truncate(whole);
            file.set_len(whole as u64).expect("a file that can be cut");
        }
        let parse = |line: &str| {
            let cells: Vec<&str> = line.split(',').collect();
            let numbers: Option<Vec<f64>> = cells.get(key.len() + 1..)?.iter().map(|c| c.parse().ok()).collect();
            numbers.filter(|n| n.len() == outcomes.len()).map(|n| (cells[..key.len()].join(","), n))
        };
        let known = text.lines().skip(1).filter_map(parse).collect();
        if text.is_empty() {
            writeln!(file, "{},commit,{}", key.join(","), outcomes.join(",")).expect("room on the disk");
        }
        Self { file, commit: commit(), known, until: None }
    }

    /// Starts no run after this moment.
    pub fn until(mut self, moment: Option<Instant>) -> Self {
        self.until = moment;
        self
    }

    /// Runs all jobs whose key has no row yet, on some threads, and writes each row as its job ends.
    pub fn run<J: Sync>(
        self,
        jobs: &[J],
        threads: usize,
        key: impl Fn(&J) -> String + Sync,
        outcomes: impl Fn(&J) -> Vec<f64> + Sync,
    ) -> HashMap<String, Vec<f64>> {
        let (next, until) = (AtomicUsize::new(0), self.until);
        let shared = Mutex::new(self);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let key = key(job);
                        if shared.lock().unwrap_or_else(PoisonError::into_inner).known.contains_key(&key) {
                            continue;
                        }
                        if until.is_some_and(|moment| Instant::now() >= moment) {
                            break;
                        }
                        let numbers = outcomes(job);
                        let cells: Vec<String> = numbers.iter().map(|v| format!("{v}")).collect();
                        let mut rows = shared.lock().unwrap_or_else(PoisonError::into_inner);
                        // In one write, so that the row is complete or absent.
                        let line = format!("{key},{},{}\n", rows.commit, cells.join(","));
                        rows.file.write_all(line.as_bytes()).expect("room on the disk");
                        rows.known.insert(key, numbers);
                    }
                });
            }
        });
        shared.into_inner().unwrap_or_else(PoisonError::into_inner).known
    }
}

/// The commit of this tree, with `-dirty` if the tree was changed; `ELBOWROOM_COMMIT` overrides it.
pub fn commit() -> String {
    let described = || output_of("git", &["describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]);
    std::env::var("ELBOWROOM_COMMIT").ok().or_else(described).unwrap_or_else(|| "unknown".into())
}

/// What a program prints, if it exists and succeeds.
pub fn output_of(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok().filter(|o| o.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// CPU seconds of this thread, the only one that elbowroom uses.
pub fn cpu_seconds() -> f64 {
    // The kernel updates the accounting of a running thread when it yields, otherwise only at the next tick.
    std::thread::yield_now();
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = stat.split(' ').next().and_then(|s| s.parse::<f64>().ok());
    1e-9 * nanoseconds.unwrap_or_else(|| stop("no CPU clock: this program reads Linux's /proc/thread-self/schedstat"))
}

/// The value below which this share of the values lies.
pub fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n => sorted[((n - 1) as f64 * share).round() as usize],
    }
}

/// The mean of the values.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
