//! Runs independent jobs on some threads, and writes the row of each as it finishes.
//!
//! Jobs that have a row are skipped, so a run that was stopped, in whatever way, continues where it was.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::raw::RawFile;
use crate::{Error, Result};

/// Runs the jobs in order on `threads` threads. `key` identifies a job, and `work` measures the other columns of a row.
///
/// The first job that fails ends the run; rows written so far are kept.
pub fn run_all<J: Sync>(
    raw: RawFile,
    jobs: &[J],
    threads: usize,
    key: impl Fn(&J) -> Vec<String> + Sync,
    work: impl Fn(&J) -> Result<Vec<String>> + Sync,
) -> Result<()> {
    let left: Vec<&J> = jobs.iter().filter(|job| !raw.is_done(&key(job))).collect();
    let progress = Progress::new(jobs.len(), jobs.len() - left.len());
    let (next, raw, failed) = (AtomicUsize::new(0), Mutex::new(raw), Mutex::new(None::<Error>));
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                while failed.lock().expect("no panic").is_none() {
                    let Some(job) = left.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                    let name = key(job);
                    let row = work(job).map_err(|e| format!("{}: {e}", name.join(" ")).into());
                    match row.and_then(|row| raw.lock().expect("no panic").append(&name, &row)) {
                        Ok(()) => progress.finished(&name.join(" ")),
                        Err(error) => *failed.lock().expect("no panic") = Some(error),
                    }
                }
            });
        }
    });
    progress.end();
    failed.into_inner().expect("no panic").map_or(Ok(()), Err)
}

/// A bar on a terminal; elsewhere, an occasional line.
struct Progress {
    bar: ProgressBar,
    started: Instant,
    before: usize,
    last_line: Mutex<Option<Instant>>,
}

/// How often a line is printed if there is no terminal.
const PAUSE: Duration = Duration::from_secs(10);

impl Progress {
    fn new(n: usize, before: usize) -> Self {
        let bar = ProgressBar::with_draw_target(Some(n as u64), ProgressDrawTarget::stderr());
        let style = "{bar:40} {pos}/{len}, {elapsed} gone, {eta} left  {msg}";
        bar.set_style(ProgressStyle::with_template(style).expect("a valid template"));
        bar.set_position(before as u64);
        bar.reset_eta();
        Self { bar, started: Instant::now(), before, last_line: Mutex::new(None) }
    }

    fn finished(&self, job: &str) {
        self.bar.set_message(job.to_owned());
        self.bar.inc(1);
        if !self.bar.is_hidden() {
            return;
        }
        let mut last = self.last_line.lock().expect("no panic");
        if last.is_none_or(|at| at.elapsed() >= PAUSE) {
            *last = Some(Instant::now());
            let (done, n) = (self.bar.position(), self.bar.length().unwrap_or(0));
            let gone = self.started.elapsed().as_secs_f64();
            let left = gone / (done - self.before as u64).max(1) as f64 * (n - done) as f64;
            eprintln!("{done}/{n}, {gone:.0} s gone, about {left:.0} s left: {job}");
        }
    }

    fn end(&self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raw::{Columns, Table};

    #[test]
    fn every_job_is_run_once_even_if_a_run_fails_in_between() {
        let dir = std::env::temp_dir().join(format!("elbowroom-paper-jobs-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        let columns = Columns { keys: &["job"], values: &["square"] };
        let jobs: Vec<u32> = (0..20).collect();
        let key = |job: &u32| vec![job.to_string()];
        let failing = |job: &u32| if *job == 7 { Err("seven".into()) } else { Ok(vec![(job * job).to_string()]) };
        let error = run_all(RawFile::open(&dir, columns).unwrap(), &jobs, 2, key, failing).unwrap_err();
        assert_eq!(error.to_string(), "7: seven");
        run_all(RawFile::open(&dir, columns).unwrap(), &jobs, 2, key, |job| Ok(vec![(job * job).to_string()])).unwrap();
        let mut squares = Table::read(&dir).unwrap().numbers("square").unwrap();
        squares.sort_by(f64::total_cmp);
        assert_eq!(squares, jobs.iter().map(|job| f64::from(job * job)).collect::<Vec<_>>());
        std::fs::remove_dir_all(dir).unwrap();
    }
}
