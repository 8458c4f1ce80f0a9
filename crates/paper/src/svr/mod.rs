//! Tuning a support vector regression: three parameters, where each evaluation is a training on thousands of rows.
//!
//! The data are the paper's: "Physicochemical Properties of Protein Tertiary Structure" from the UCI repository, as
//! `casp.csv` or `casp.csv.gz` in the folder of `--data`: a header `RMSD,F1,…,F9`, then 45,730 rows. As in the paper,
//! the objective is the root mean square error on rows that were not used for training. The paper does not print its
//! box; here it is C from 10⁻² to 10², ε from 10⁻² to 10, γ from 10⁻³ to 10², searched in logarithms, with attributes
//! scaled to standard deviation 1. Times are CPU seconds of one thread.

mod cache;
mod machine;
mod report;

use std::path::Path;
use std::sync::Mutex;

use clap::Args;

use crate::Result;
use crate::curves::Curve;
use crate::jobs::run_all;
use crate::methods::{Track, is_sequential, strategy};
use crate::options::Options;
use crate::race::{Objective, Plan, race};
use crate::raw::{Columns, RawFile, Table, join};
use cache::Cache;
use machine::{Parameters, Rows, Split, generated};

/// Options of this experiment.
#[derive(Debug, Clone, Args)]
pub struct SvrOptions {
    /// Options of every experiment
    #[command(flatten)]
    pub common: Options,
    /// One run of LP-UCB on the paper's 22,000 training rows, instead of the comparison on 5,000
    #[arg(long)]
    pub paper_size: bool,
    /// Batches of 10 after the initial points [default: 6; 3 with --paper-size]
    #[arg(long)]
    pub batches: Option<usize>,
    /// Methods [default: the paper's eight]
    #[arg(long, value_delimiter = ',')]
    pub methods: Vec<String>,
}

/// The paper's methods for this experiment, in its order.
const METHODS: [&str; 8] = ["EI", "UCB", "Rand-EI", "Rand-UCB", "Pred-EI", "Pred-UCB", "LP-EI", "LP-UCB"];

/// Decimal logarithms of C, ε and γ.
const BOX: [(f64, f64); 3] = [(-2.0, 2.0), (-2.0, 1.0), (-3.0, 2.0)];

const N_BATCH: usize = 10;
const N_INITIAL: usize = 9;

const COLUMNS: Columns = Columns {
    keys: &["data", "rows", "tests", "batches", "method", "replicate"],
    values: &["evaluations", "best", "clock", "choosing", "evaluating", "recommended", "log10_parameters"],
};

/// The size of a run.
struct Size {
    data: &'static str,
    rows: usize,
    tests: usize,
    batches: usize,
    replicates: u64,
}

/// The runs of the comparison, from the file of a folder.
pub fn curves(dir: &Path) -> Result<Vec<Curve>> {
    report::curves(&Table::read(dir)?)
}

/// Runs the experiment.
pub fn run(options: &SvrOptions) -> Result<()> {
    let common = &options.common;
    let dir = common.prepare("svr")?;
    if !common.report {
        let (rows, size) = load(options)?;
        let methods: Vec<String> = match (&options.methods[..], options.paper_size) {
            ([], true) => vec!["LP-UCB".into()],
            ([], false) => METHODS.map(String::from).to_vec(),
            (given, _) => given.to_vec(),
        };
        let mut jobs = Vec::new();
        // Replicates are the outer loop, so that after a stop all methods can be compared.
        for replicate in 0..size.replicates {
            jobs.extend(methods.iter().map(|method| (method.as_str(), replicate)));
        }
        let cache = Cache::open(&dir, common.quick)?;
        let key = |&(method, replicate): &(&str, u64)| {
            let numbers = [size.rows, size.tests, size.batches].map(|n| n.to_string());
            let [rows, tests, batches] = numbers;
            vec![size.data.into(), rows, tests, batches, method.into(), replicate.to_string()]
        };
        run_all(RawFile::open(&dir, COLUMNS)?, &jobs, common.threads, key, |&(method, replicate)| {
            tune(&rows, &size, &cache, method, replicate)
        })?;
    }
    report::report(&dir, &Table::read(&dir)?)
}

fn load(options: &SvrOptions) -> Result<(Rows, Size)> {
    let common = &options.common;
    match (&common.data, common.quick) {
        (Some(dir), false) => {
            let (_, text) = crate::data::read(dir, "casp")?;
            let numbers = |row: &Vec<String>| row.iter().map(|field| crate::data::number(field)).collect();
            let rows = text.iter().map(numbers).collect::<Result<Vec<Vec<f64>>>>()?;
            let y = rows.iter().map(|row| row[0]).collect();
            let x = rows.into_iter().map(|row| row[1..].to_vec()).collect();
            let (rows, tests, batches, replicates) =
                if options.paper_size { (22_000, 23_730, 3, 1) } else { (5_000, 5_000, 6, 3) };
            let batches = options.batches.unwrap_or(batches);
            let size = Size { data: "protein", rows, tests, batches, replicates: common.replicates(replicates, 1) };
            Ok((Rows { x, y }, size))
        }
        (None, false) => {
            Err("the protein data are needed\n  try: --data with the folder of casp.csv, or --quick".into())
        }
        (_, true) => {
            let batches = options.batches.unwrap_or(2);
            let size = Size { data: "generated", rows: 200, tests: 200, batches, replicates: common.replicates(1, 1) };
            Ok((generated(400), size))
        }
    }
}

/// One run of one method: the values of its row.
fn tune(rows: &Rows, size: &Size, cache: &Cache, method: &str, replicate: u64) -> Result<Vec<String>> {
    let split = Split::new(rows, size.rows, size.tests, replicate);
    let evaluated: Mutex<Vec<(Vec<f64>, f64)>> = Mutex::new(Vec::new());
    let value = |x: &[f64]| {
        let [c, epsilon, gamma] = [0, 1, 2].map(|k| 10f64.powf(x[k]));
        let key = cache.key(size.data, size.rows, replicate, x);
        // If a training fails, there is no number, and the study records that.
        let found = cache.get_or(key, || split.error(Parameters { c, epsilon, gamma }));
        let (error, seconds) = found.unwrap_or((f64::NAN, 0.0));
        evaluated.lock().expect("no panic").push((x.to_vec(), seconds));
        error
    };
    let objective = Objective { bounds: BOX.to_vec(), minimum: 0.0, value: Box::new(value) };
    let n_batch = if is_sequential(method) { 1 } else { N_BATCH };
    let plan = Plan { rounds: size.batches, ..Plan::new(n_batch, N_INITIAL) };
    let outcome = race(&objective, strategy(method, Track::Modern)?, Track::Modern.model(), replicate, &plan)?;
    drop(objective);

    let evaluated = evaluated.into_inner().expect("no panic");
    let mut clock = vec![0.0];
    for pair in outcome.rounds.windows(2) {
        let batch = &evaluated[pair[0].evaluations..pair[1].evaluations];
        let slowest = batch.iter().map(|e| e.1).fold(0.0, f64::max);
        clock.push(clock[clock.len() - 1] + pair[1].cpu - pair[0].cpu + slowest);
    }
    let n = outcome.last().evaluations;
    let best: Vec<f64> = outcome.rounds.iter().map(|round| round.best).collect();
    let evaluating: f64 = evaluated[..n].iter().map(|e| e.1).sum();
    // The recommended point is evaluated last.
    let recommended = evaluated.last().map_or(Vec::new(), |e| e.0.clone());
    let numbers = [outcome.cpu, evaluating, outcome.recommended].map(|v| format!("{v:.6}"));
    let [choosing, evaluating, at] = numbers;
    Ok(vec![n.to_string(), join(&best), join(&clock), choosing, evaluating, at, join(&recommended)])
}
