//! What failures teach: problems some of whose points fail, 48 trials unless `--trials` asks for others, 4 workers.
//!
//! ```text
//! failures [library] [--problems a,b] [--modes fail,nan] [--seeds 20] [--first 0] [--threads 1] [--out FILE] [--summary]
//!          [--trials 48,100]
//! failures command …     the same through `elbow run`; --elbow says where that is, beside this program if nothing does
//! failures readme …      the first command of the README, on a copy of examples/search
//! failures summary       only the tables of what the file has
//! failures serve         the problems for programs in other languages, by lines of JSON
//! failures eval PROBLEM MODE SEED TRIAL name=value …     what `elbow run` calls
//! ```
//!
//! `--problems` also accepts `all`, `regions`, `chance` and `islands`, and `tuning`, `tuning-chance`, `tuning-both` and
//! `tuning-islands` for the problems on which rules are chosen. Each run is a row of the file
//! (`crates/bench/results/failures.csv` by default), or one for each number of `--trials`, after which it is scored;
//! existing rows are not run again. `--baseline FILE` has the rows to compare with, and `--base COMMIT` says which of
//! them.

use std::io::{BufRead as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, exit};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use elbowroom_bench::failing::problems::{self, FailingProblem};
use elbowroom_bench::failing::score::{Attempt, Score};
use elbowroom_bench::failing::table::{self, Row};
use elbowroom_bench::failing::{Fallible, Mode, TRIALS, command, islands, library, serve, tuning, tuning_islands};
use elbowroom_bench::options::stop;

/// The file of rows.
const RESULTS: &str = "crates/bench/results/failures.csv";

/// The last commit at which failures taught nothing.
const BASE: &str = "b63d896";

/// What the README's first command runs.
const EXAMPLE: &str = "examples/search";

/// The mean duration of an evaluation that is a process, so that several are under way at once.
const EVALUATION: Duration = Duration::from_millis(20);

fn main() {
    if let Err(error) = start() {
        eprintln!("failures: {error}");
        exit(1);
    }
}

fn start() -> Fallible<()> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let named = arguments.first().is_some_and(|word| !word.starts_with('-'));
    let word = if named { arguments.remove(0) } else { "library".into() };
    match word.as_str() {
        "eval" => return evaluate(&arguments),
        "serve" => return answer_lines(),
        _ => {}
    }
    let plan = Plan::read(arguments.into_iter()).unwrap_or_else(|error| stop(&error.to_string()));
    if word != "library" && plan.modes.iter().any(|mode| [Mode::Known, Mode::Random].contains(mode)) {
        stop("only the library runs the modes known and random");
    }
    if word != "library" && plan.trials != [TRIALS] {
        stop("only the library runs other numbers of trials");
    }
    match word.as_str() {
        "library" => run(&plan, "library", |problem, mode, seed| {
            Ok(library::attempts(&library::run(problem, mode, seed, plan.longest())?))
        })?,
        "command" => {
            let this = std::env::current_exe()?;
            run(&plan, "command", |problem, mode, seed| {
                Ok(library::attempts(&command::run(&plan.elbow, &this, problem, mode, seed)?))
            })?;
        }
        "readme" => run_readme(&plan)?,
        "summary" => {}
        other => stop(&format!("there is no command {other}")),
    }
    if plan.summary || word == "summary" {
        print!("{}", table::summary(&table::read(&plan.out)?, &table::read(&plan.baseline)?, &plan.base));
    }
    Ok(())
}

/// What is to be run.
struct Plan {
    problems: Vec<FailingProblem>,
    modes: Vec<Mode>,
    seeds: std::ops::Range<u64>,
    /// The numbers of trials after which runs are scored.
    trials: Vec<usize>,
    threads: usize,
    out: PathBuf,
    baseline: PathBuf,
    base: String,
    elbow: PathBuf,
    summary: bool,
}

impl Plan {
    fn read(mut arguments: impl Iterator<Item = String>) -> Fallible<Self> {
        let (mut seeds, mut first) = (20, 0);
        let mut plan = Plan {
            problems: problems::all(),
            modes: vec![Mode::Fail],
            seeds: 0..0,
            trials: vec![TRIALS],
            threads: 1,
            out: RESULTS.into(),
            baseline: RESULTS.into(),
            base: BASE.into(),
            elbow: std::env::current_exe()?.with_file_name("elbow"),
            summary: false,
        };
        while let Some(flag) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{flag} has no value"));
            let number = |word: String| {
                word.parse::<u64>().map_err(|_| format!("{flag} is {word:?}, which is not a whole number"))
            };
            match flag.as_str() {
                "--problems" => {
                    let named = |name: &str| problems::named(name).ok_or(format!("there is no problem {name}"));
                    plan.problems = match value()?.as_str() {
                        "all" => problems::all(),
                        "regions" => problems::all().into_iter().filter(FailingProblem::has_region).collect(),
                        "tuning" => tuning::all(),
                        "tuning-chance" => tuning::by_chance(),
                        "tuning-both" => tuning::with_both(),
                        "tuning-islands" => tuning_islands::all(),
                        "islands" => islands::all(),
                        "chance" => problems::all().into_iter().filter(|p| !p.has_region()).collect(),
                        names => names.split(',').map(named).collect::<Result<_, _>>()?,
                    };
                }
                "--modes" => {
                    let named = |word: &str| Mode::named(word).ok_or(format!("there is no mode {word}"));
                    plan.modes = value()?.split(',').map(named).collect::<Result<_, _>>()?;
                }
                "--seeds" => seeds = number(value()?)?,
                "--first" => first = number(value()?)?,
                "--trials" => {
                    let count = |word: &str| Ok(number(word.to_owned())?.try_into()?);
                    plan.trials = value()?.split(',').map(count).collect::<Fallible<_>>()?;
                }
                "--threads" => plan.threads = number(value()?)?.try_into()?,
                "--out" => plan.out = value()?.into(),
                "--baseline" => plan.baseline = value()?.into(),
                "--base" => plan.base = value()?,
                "--elbow" => plan.elbow = value()?.into(),
                "--summary" => plan.summary = true,
                _ => return Err(format!("there is no option {flag}").into()),
            }
        }
        plan.seeds = first..first + seeds;
        Ok(plan)
    }

    fn longest(&self) -> usize {
        self.trials.iter().copied().max().unwrap_or(TRIALS)
    }
}

/// Runs whatever the file does not have yet through one interface, and appends each row when it is done.
fn run(
    plan: &Plan,
    door: &str,
    attempts: impl Fn(&FailingProblem, Mode, u64) -> Fallible<Vec<Attempt>> + Sync,
) -> Fallible<()> {
    let commit = commit();
    let known = table::runs(&table::read(&plan.out)?);
    let mut jobs = Vec::new();
    for seed in plan.seeds.clone() {
        for problem in &plan.problems {
            jobs.extend(plan.modes.iter().map(|&mode| (problem, mode, seed)));
        }
    }
    jobs.retain(|(problem, mode, seed)| {
        let scored = known.get(&(door.into(), problem.name.clone(), mode.word().into(), *seed, commit.clone()));
        // Through other doors a run may end early.
        scored.is_none_or(|scored| door == "library" && !plan.trials.iter().all(|n| scored.contains(n)))
    });
    let file = Mutex::new(table::append(&plan.out)?);
    let next = AtomicUsize::new(0);
    let work = || -> Fallible<()> {
        while let Some(&(problem, mode, seed)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let attempts = attempts(problem, mode, seed)?;
            for &n in &plan.trials {
                let score = Score::of(problem, &attempts[..n.min(attempts.len())])?;
                let (door, problem, mode) = (door.into(), problem.name.clone(), mode.word().into());
                let row = Row { door, problem, mode, seed, commit: commit.clone(), score };
                let mut file = file.lock().map_err(|_| "another thread has panicked")?;
                table::write(&mut file, &row)?;
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..plan.threads.max(1)).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().unwrap_or_else(|_| Err("a thread has panicked".into())))
    })
}

/// Runs the README's first command with each seed, and appends a row for it.
fn run_readme(plan: &Plan) -> Fallible<()> {
    let commit = commit();
    let known = table::runs(&table::read(&plan.out)?);
    let mut file = table::append(&plan.out)?;
    for seed in plan.seeds.clone() {
        let key = ("readme".into(), "search".into(), "nan".into(), seed, commit.clone());
        if known.contains_key(&key) {
            continue;
        }
        let study = command::run_example(&plan.elbow, Path::new(EXAMPLE), seed)?;
        let score = Score::in_space(study.space(), f64::NAN, &library::attempts(&study))?;
        let (door, problem, mode, seed, commit) = key;
        table::write(&mut file, &Row { door, problem, mode, seed, commit, score })?;
    }
    Ok(())
}

/// Evaluates one point as a command: prints the value or `nan`, or ends with an exit code.
fn evaluate(arguments: &[String]) -> Fallible<()> {
    let [problem, mode, seed, trial, texts @ ..] = arguments else {
        return Err("eval wants PROBLEM MODE SEED TRIAL name=value …".into());
    };
    let problem = problems::named(problem).ok_or(format!("there is no problem {problem}"))?;
    let mode = Mode::named(mode).ok_or(format!("there is no mode {mode}"))?;
    let (seed, trial) = (seed.parse()?, trial.parse()?);
    let texts: Vec<(&str, &str)> = texts.iter().filter_map(|text| text.split_once('=')).collect();
    let point = problem.read(&texts).ok_or(format!("{texts:?} is no point of {}", problem.name))?;
    std::thread::sleep(EVALUATION.mul_f64(library::duration(seed, trial)));
    match (problem.evaluate(&point, seed, trial), mode) {
        (Some(value), _) => println!("{value}"),
        (None, Mode::Nan) => println!("nan"),
        (None, Mode::Infeasible) => exit(command::INFEASIBLE),
        (None, Mode::Fail | Mode::Ignore | Mode::Known | Mode::Random) => exit(command::FAILED),
    }
    Ok(())
}

/// Answers a program in another language until its input ends.
fn answer_lines() -> Fallible<()> {
    let commit = commit();
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        writeln!(out, "{}", serve::answer(&line?, &commit)?)?;
        out.flush()?;
    }
    Ok(())
}

/// The last commit that changed what is measured, or `ELBOWROOM_COMMIT`. Changes of the benchmark itself do not count.
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
