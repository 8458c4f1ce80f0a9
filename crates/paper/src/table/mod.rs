//! The paper's table: gSobol in 2, 5 and 10 dimensions, batches of 5, 10 and 20, all methods, four kinds of budget.
//!
//! The paper gave every method 1, 5 or 10 minutes on a machine of 2015, which cannot be repeated. This experiment uses
//! budgets that can be: rounds (R), evaluations (E), counted work (W); and literal minutes (T) for curiosity.

pub(crate) mod cells;
mod figure;
pub mod printed;
pub(crate) mod ranks;
mod report;

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::Mutex;

use clap::{Args, ValueEnum};
use elbowroom::problems::Problem;
use elbowroom::rng::Stream;

use crate::Result;
use crate::jobs::run_all;
use crate::methods::{OTHERS, PAPER, Track, is_sequential, strategy, variant_of};
use crate::options::Options;
use crate::race::{Objective, Plan, race};
use crate::raw::{Columns, RawFile, Table, join};

/// Options of this experiment.
#[derive(Debug, Clone, Args)]
pub struct TableOptions {
    /// Options of every experiment
    #[command(flatten)]
    pub common: Options,
    /// Budgets: rounds, evaluations, work, minutes
    #[arg(long, value_enum, ignore_case = true, value_delimiter = ',', default_value = "R")]
    pub track: Vec<Budget>,
    /// The model
    #[arg(long, value_enum, default_value = "modern")]
    pub model: Track,
    /// Move the optimum to a random place in [−3, 3]ᵈ, another one for every replicate
    #[arg(long)]
    pub shifted: bool,
    /// Methods [default: the paper's twelve, and descendants and yardsticks beside them; in track T the four that it is for]
    #[arg(long, value_delimiter = ',')]
    pub methods: Vec<String>,
    /// Dimensions
    #[arg(long, value_delimiter = ',', default_value = "2,5,10")]
    pub dims: Vec<usize>,
    /// Batch sizes
    #[arg(long, value_delimiter = ',', default_value = "5,10,20")]
    pub batches: Vec<usize>,
    /// CPU seconds that a cell (a method, a dimension, a batch size; all replicates) may take; then it is "-"
    #[arg(long, default_value_t = 1800.0)]
    pub cap: f64,
}

/// What all methods are given the same of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ValueEnum)]
pub enum Budget {
    /// 10, 15 or 20 batches, by dimension
    R,
    /// 100, 200 or 400 evaluations after the initial points
    E,
    /// The counted work that LP-UCB-guarded takes for the same replicate in track R with batches of 10
    W,
    /// 1, 5 or 10 minutes, on the clock of a core that does nothing else
    T,
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// Methods of track T: the others would only make it longer.
const TIMED: [&str; 4] = ["LP-UCB", "Rand-EI", "B-UCB", "Pred-EI"];

/// Descendants and yardsticks that are in the table in addition to the paper's methods.
const BESIDE: [&str; 7] = ["LP", "LP-T-UCB", "Thompson", "random", "PE-UCB-theory", "LP-EI-guarded", "LP-UCB-guarded"];

/// The method and the batch size whose work is the budget of track W: with the short search that all methods share.
const CLOCK: (&str, usize) = ("LP-UCB-guarded", 10);

/// The columns of `raw.csv`; `curve` is the regret after the initial points and after every batch.
const COLUMNS: Columns = Columns {
    keys: &["track", "model", "shifted", "method", "d", "n_b", "replicate"],
    values: &["state", "batches", "evaluations", "best", "regret", "recommended", "near", "cpu", "work", "curve"],
};

/// The index of the CPU time among the values.
const CPU: usize = 7;

/// One race of the table.
#[derive(Debug, Clone, PartialEq)]
struct Job {
    track: Budget,
    method: String,
    d: usize,
    n_b: usize,
    replicate: u64,
}

/// Runs the experiment.
pub fn run(options: &TableOptions) -> Result<()> {
    let dir = options.common.prepare("table")?;
    let options = &if options.common.quick { quick(options) } else { options.clone() };
    if !options.common.report {
        let tracks = |is_wanted: fn(Budget) -> bool| -> Vec<Budget> {
            options.track.iter().copied().filter(|t| is_wanted(*t)).collect()
        };
        // The work of track R is the budget of track W, so it comes first; races against the clock come last.
        let mut first = jobs(options, &tracks(|t| matches!(t, Budget::R | Budget::E)))?;
        if options.track.contains(&Budget::W) {
            let clock: Vec<Job> = clock_jobs(options).into_iter().filter(|job| !first.contains(job)).collect();
            first.extend(clock);
        }
        run_jobs(options, &dir, &first, options.common.threads)?;
        run_jobs(options, &dir, &jobs(options, &tracks(|t| t == Budget::W))?, options.common.threads)?;
        run_jobs(options, &dir, &jobs(options, &tracks(|t| t == Budget::T))?, options.common.threads)?;
    }
    report::write(&dir)
}

/// A small part of the table that takes seconds.
fn quick(options: &TableOptions) -> TableOptions {
    let mut quick = options.clone();
    (quick.dims, quick.batches) = (vec![2], vec![5]);
    quick.track = vec![Budget::R, Budget::W];
    quick
}

/// All races of some tracks, replicate by replicate, so that the existing rows are balanced at any time.
fn jobs(options: &TableOptions, tracks: &[Budget]) -> Result<Vec<Job>> {
    let mut jobs = Vec::new();
    for replicate in 0..options.common.replicates(20, 2) {
        for &track in tracks {
            for method in methods(options, track)? {
                for &d in &options.dims {
                    let batches = if is_sequential(&method) { &[1][..] } else { &options.batches };
                    let job = |n_b: &usize| Job { track, method: method.clone(), d, n_b: *n_b, replicate };
                    jobs.extend(batches.iter().map(job));
                }
            }
        }
    }
    Ok(jobs)
}

/// The races that set the budget of track W.
fn clock_jobs(options: &TableOptions) -> Vec<Job> {
    let job = |replicate, d| Job { track: Budget::R, method: CLOCK.0.into(), d, n_b: CLOCK.1, replicate };
    let replicates = 0..options.common.replicates(20, 2);
    replicates.flat_map(|replicate| options.dims.iter().map(move |&d| job(replicate, d))).collect()
}

/// The requested methods, or those of the track.
fn methods(options: &TableOptions, track: Budget) -> Result<Vec<String>> {
    let default: Vec<&str> = match track {
        Budget::T => TIMED.to_vec(),
        _ => PAPER.into_iter().chain(BESIDE).collect(),
    };
    if options.methods.is_empty() {
        return Ok(default.into_iter().map(String::from).collect());
    }
    for name in &options.methods {
        strategy(name, options.model)?;
    }
    Ok(options.methods.clone())
}

/// What a race is about, apart from its budget: the unit for which the CPU cap is counted.
type Cell = (Budget, String, usize, usize);

fn run_jobs(options: &TableOptions, dir: &Path, jobs: &[Job], threads: usize) -> Result<()> {
    if jobs.is_empty() {
        return Ok(());
    }
    let raw = RawFile::open(dir, COLUMNS)?;
    let table = Table::read(dir)?;
    let key = |job: &Job| -> Vec<String> {
        vec![
            job.track.to_string(),
            options.model.to_string(),
            options.shifted.to_string(),
            job.method.clone(),
            job.d.to_string(),
            job.n_b.to_string(),
            job.replicate.to_string(),
        ]
    };
    let cell = |job: &Job| -> Cell { (job.track, job.method.clone(), job.d, job.n_b) };
    // Existing rows count towards the cap, and give the budget of track W.
    let (cpu_column, work_column) = (COLUMNS.keys.len() + CPU, table.column("work")?);
    let measured: HashMap<&[String], &Vec<String>> =
        table.rows.iter().map(|row| (&row[..COLUMNS.keys.len()], row)).collect();
    let number = |job: &Job, column: usize| -> Option<f64> { measured.get(&key(job)[..])?[column].parse().ok() };
    let mut spent: HashMap<Cell, f64> = HashMap::new();
    for job in jobs {
        *spent.entry(cell(job)).or_default() += number(job, cpu_column).unwrap_or(0.0);
    }
    let spent = Mutex::new(spent);
    run_all(raw, jobs, threads, key, |job| {
        let budget = match job.track {
            Budget::W => {
                let clock = Job { track: Budget::R, method: CLOCK.0.into(), n_b: CLOCK.1, ..job.clone() };
                number(&clock, work_column).ok_or_else(|| format!("the work of {} in track R is not known", CLOCK.0))?
            }
            _ => f64::INFINITY,
        };
        let so_far = spent.lock().expect("no panic").get(&cell(job)).copied().unwrap_or(0.0);
        let plan = Plan { work: budget, cap: options.cap - so_far, ..plan(job) };
        let (row, cpu) = measure(options, job, &plan)?;
        *spent.lock().expect("no panic").entry(cell(job)).or_default() += cpu;
        Ok(row)
    })
}

/// The budget of a race, except in track W.
fn plan(job: &Job) -> Plan {
    let by_dimension = |values: [f64; 3]| match job.d {
        ..=2 => values[0],
        3..=5 => values[1],
        _ => values[2],
    };
    let mut plan = Plan::new(job.n_b, 3 * job.d);
    match job.track {
        Budget::R => plan.rounds = by_dimension([10.0, 15.0, 20.0]) as usize,
        Budget::E => plan.evaluations = by_dimension([100.0, 200.0, 400.0]) as usize,
        Budget::W => {}
        Budget::T => plan.seconds = by_dimension([60.0, 300.0, 600.0]),
    }
    plan
}

/// Runs a race and returns its row, and the CPU seconds it took.
fn measure(options: &TableOptions, job: &Job, plan: &Plan) -> Result<(Vec<String>, f64)> {
    let nothing = |state: &str, cpu: f64| {
        let mut row = vec![String::new(); COLUMNS.values.len()];
        (row[0], row[CPU]) = (state.into(), format!("{cpu:.3}"));
        (row, cpu)
    };
    if plan.cap <= 0.0 {
        return Ok(nothing("capped", 0.0));
    }
    let problem = Problem::gsobol(job.d);
    let objective = if options.shifted { shifted(&problem, job.replicate) } else { Objective::of(&problem) };
    let method = strategy(&job.method, options.model)?;
    let outcome = race(&objective, method, options.model.model(), job.replicate, plan)?;
    let last = outcome.last();
    if outcome.is_capped {
        return Ok(nothing("capped", outcome.cpu));
    }
    if outcome.rounds.len() == 1 {
        return Ok(nothing("no batch", outcome.cpu));
    }
    let curve: Vec<f64> = outcome.rounds.iter().map(|round| round.best - objective.minimum).collect();
    let row = vec![
        "done".into(),
        (outcome.rounds.len() - 1).to_string(),
        last.evaluations.to_string(),
        last.best.to_string(),
        (last.best - objective.minimum).to_string(),
        outcome.recommended.to_string(),
        format!("{:.4}", outcome.near),
        format!("{:.3}", last.cpu),
        format!("{:.6e}", last.work),
        join(&curve),
    ];
    Ok((row, last.cpu))
}

/// gSobol with its optimum at a random place in [−3, 3]ᵈ, the same for every method of a replicate.
fn shifted(problem: &Problem, replicate: u64) -> Objective<'_> {
    let mut stream = Stream::new(replicate).child("shift", problem.dim() as u64);
    let shift: Vec<f64> = problem.minimizers[0].iter().map(|x| -3.0 + 6.0 * stream.uniform() - x).collect();
    let value = move |x: &[f64]| {
        let own: Vec<f64> = x.iter().zip(&shift).map(|(x, s)| x - s).collect();
        problem.value(&own)
    };
    Objective { bounds: problem.bounds.clone(), minimum: problem.minimum, value: Box::new(value) }
}

/// The order of methods in a report; variants follow the methods that they vary.
fn order(method: &str) -> usize {
    let base = variant_of(method).unwrap_or(method);
    PAPER.into_iter().chain(OTHERS).position(|name| name == base).unwrap_or(usize::MAX)
}
