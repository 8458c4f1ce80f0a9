//! What failures teach: problems some of whose points fail, 48 trials, 4 workers.
//!
//! ```text
//! failures [--problems a,b] [--modes fail,nan] [--seeds 20] [--first 0] [--threads 1] [--out FILE] [--summary]
//! failures --summary --seeds 0          only the tables of what the file has
//! ```
//!
//! Each run is a row of the file (`crates/bench/results/failures.csv` unless told otherwise); rows that are there already
//! are not run again. `--baseline FILE` has the rows to compare with, and `--base COMMIT` says which of them.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use elbowroom_bench::failing::problems::{self, FailingProblem};
use elbowroom_bench::failing::score::Score;
use elbowroom_bench::failing::table::{self, Row};
use elbowroom_bench::failing::{Mode, library};

/// Where the rows are.
const RESULTS: &str = "crates/bench/results/failures.csv";

/// The last commit at which failures taught nothing.
const BASE: &str = "b63d896";

fn main() {
    if let Err(error) = start() {
        eprintln!("failures: {error}");
        std::process::exit(1);
    }
}

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

fn start() -> Fallible<()> {
    let plan = Plan::read(std::env::args().skip(1))?;
    run(&plan)?;
    if plan.summary {
        let mut rows = table::read(&plan.out)?;
        let known = table::keys(&rows);
        rows.extend(table::read(&plan.baseline)?.into_iter().filter(|row| {
            // Of the other file only what the rows here are compared with.
            row.commit == plan.base && row.mode == "infeasible" && !known.contains(&row.key())
        }));
        print!("{}", table::summary(&rows, &plan.base));
    }
    Ok(())
}

/// What is to be run.
struct Plan {
    problems: Vec<FailingProblem>,
    modes: Vec<Mode>,
    seeds: std::ops::Range<u64>,
    threads: usize,
    out: PathBuf,
    baseline: PathBuf,
    base: String,
    summary: bool,
}

impl Plan {
    fn read(mut arguments: impl Iterator<Item = String>) -> Fallible<Self> {
        let (mut seeds, mut first) = (20, 0);
        let mut plan = Plan {
            problems: problems::all(),
            modes: vec![Mode::Fail],
            seeds: 0..0,
            threads: 1,
            out: RESULTS.into(),
            baseline: RESULTS.into(),
            base: BASE.into(),
            summary: false,
        };
        while let Some(flag) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{flag} wants a value"));
            match flag.as_str() {
                "--problems" => {
                    let named = |name: &str| problems::named(name).ok_or(format!("there is no problem {name}"));
                    let asked = value()?;
                    plan.problems = match asked.as_str() {
                        "all" => problems::all(),
                        "regions" => problems::all().into_iter().filter(FailingProblem::has_region).collect(),
                        "chance" => problems::all().into_iter().filter(|p| !p.has_region()).collect(),
                        names => names.split(',').map(named).collect::<Result<_, _>>()?,
                    };
                }
                "--modes" => {
                    let named = |word: &str| Mode::named(word).ok_or(format!("there is no mode {word}"));
                    plan.modes = value()?.split(',').map(named).collect::<Result<_, _>>()?;
                }
                "--seeds" => seeds = value()?.parse()?,
                "--first" => first = value()?.parse()?,
                "--threads" => plan.threads = value()?.parse()?,
                "--out" => plan.out = value()?.into(),
                "--baseline" => plan.baseline = value()?.into(),
                "--base" => plan.base = value()?,
                "--summary" => plan.summary = true,
                _ => return Err(format!("unknown argument {flag}").into()),
            }
        }
        plan.seeds = first..first + seeds;
        Ok(plan)
    }
}

/// Runs what the file does not have yet, and appends each row as it comes.
fn run(plan: &Plan) -> Fallible<()> {
    let commit = commit();
    let known = table::keys(&table::read(&plan.out)?);
    let jobs = jobs(plan, "library", &commit, &known);
    if jobs.is_empty() {
        return Ok(());
    }
    let file = Mutex::new(table::append(&plan.out)?);
    let next = AtomicUsize::new(0);
    let work = || -> Fallible<()> {
        while let Some(&(problem, mode, seed)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let score = Score::of(problem, &library::run(problem, mode, seed)?)?;
            let (door, commit) = ("library".to_owned(), commit.clone());
            let row = Row { door, problem: problem.name.clone(), mode: mode.word().into(), seed, commit, score };
            writeln!(file.lock().map_err(|_| "another thread has panicked")?, "{}", row.line())?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..plan.threads.max(1)).map(|_| scope.spawn(|| work().map_err(|e| e.to_string()))).collect();
        threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| "a thread has panicked".to_owned())?)
    })?;
    Ok(())
}

fn jobs<'a>(
    plan: &'a Plan,
    door: &str,
    commit: &str,
    known: &BTreeSet<table::Key>,
) -> Vec<(&'a FailingProblem, Mode, u64)> {
    let mut jobs = Vec::new();
    for seed in plan.seeds.clone() {
        for problem in &plan.problems {
            for &mode in &plan.modes {
                let key = (door.to_owned(), problem.name.clone(), mode.word().to_owned(), seed, commit.to_owned());
                if !known.contains(&key) {
                    jobs.push((problem, mode, seed));
                }
            }
        }
    }
    jobs
}

/// The last commit that changed what is measured, or `ELBOWROOM_COMMIT`. Changes of the benchmark itself are none.
fn commit() -> String {
    const MEASURED: [&str; 6] = ["--", "crates/core", "crates/run", "crates/store", "crates/cli", "crates/python"];
    if let Ok(commit) = std::env::var("ELBOWROOM_COMMIT") {
        return commit;
    }
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).args(MEASURED).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let Some(commit) = git(&["log", "-1", "--format=%h", "--abbrev=7"]) else { return "unknown".into() };
    let dirty = git(&["status", "--porcelain"]).is_some_and(|changes| !changes.is_empty());
    if dirty { commit + "-dirty" } else { commit }
}
