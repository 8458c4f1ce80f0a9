//! Gene design: a surrogate with 71 dimensions that was trained on measured genes.
//!
//! The paper's data were never published. They are replaced by real genes of yeast with 71 features of their coding
//! sequences (`yeast_codon71.csv` or its `.gz` in the folder of `--data`), so results are those of that function, not
//! of the paper's. The surrogate is the posterior mean of a process trained on 1,500 genes, as in the paper, and it is
//! searched between the 1 % and the 99 % quantile of every feature. Such a box contains points that no gene can have:
//! the shares of codons need not sum to 1 there.
//!
//! The clock counts one second for every batch, whatever its size, plus the time to choose it: many wells of a plate
//! for the price of one.

mod report;
mod surrogate;

use std::path::Path;

use clap::Args;

use crate::Result;
use crate::curves::Curve;
use crate::jobs::run_all;
use crate::methods::{PAPER, Track, is_sequential, strategy};
use crate::options::Options;
use crate::race::{Objective, Plan, race};
use crate::raw::{Columns, RawFile, Table, join};
use surrogate::{Genes, Surrogate};

/// Options of this experiment.
#[derive(Debug, Clone, Args)]
pub struct GeneOptions {
    /// Options of every experiment
    #[command(flatten)]
    pub common: Options,
    /// Batches of 10 after the initial points [default: 20]
    #[arg(long)]
    pub batches: Option<usize>,
    /// Methods [default: the paper's, without qEI, as in the paper; and LP, the library's default, and random points]
    #[arg(long, value_delimiter = ',')]
    pub methods: Vec<String>,
}

/// Methods in addition to the paper's.
const BESIDE: [&str; 2] = ["LP", "random"];

const N_BATCH: usize = 10;
const N_INITIAL: usize = 30;

/// Seconds that a batch takes on the parallel clock, in addition to choosing it.
const EVALUATION: f64 = 1.0;

const COLUMNS: Columns = Columns {
    keys: &["data", "batches", "method", "replicate"],
    values: &["evaluations", "best", "clock", "choosing", "recommended"],
};

/// The runs of the comparison, from the file of a folder.
pub fn curves(dir: &Path) -> Result<Vec<Curve>> {
    report::curves(&Table::read(dir)?)
}

/// Runs the experiment.
pub fn run(options: &GeneOptions) -> Result<()> {
    let common = &options.common;
    let dir = common.prepare("gene")?;
    if !common.report {
        let (genes, batches, data) = match (&common.data, common.quick) {
            (_, true) => (Genes::generated(120, 80), options.batches.unwrap_or(3), "generated"),
            (Some(folder), false) => (Genes::yeast(folder)?, options.batches.unwrap_or(20), "yeast"),
            (None, false) => {
                let what =
                    "the data of genes are needed\n  try: --data with the folder of yeast_codon71.csv, or --quick";
                return Err(what.into());
            }
        };
        let surrogate = Surrogate::load(&genes, &dir)?;
        let record = &surrogate.record;
        eprintln!("surrogate: {}, R² = {:.3} on {} genes", record.data, record.r_squared, record.n_valid);
        let paper = PAPER.iter().filter(|m| **m != "qEI").chain(&BESIDE).map(|m| m.to_string());
        let methods = if options.methods.is_empty() { paper.collect() } else { options.methods.clone() };
        let replicates = common.replicates(20, 1);
        // Replicates are the outer loop, so that after a stop all methods can be compared.
        let jobs: Vec<(u64, &str)> =
            (0..replicates).flat_map(|r| methods.iter().map(move |m| (r, m.as_str()))).collect();
        let key = |&(replicate, method): &(u64, &str)| {
            vec![data.into(), batches.to_string(), method.into(), replicate.to_string()]
        };
        run_all(RawFile::open(&dir, COLUMNS)?, &jobs, common.threads, key, |&(replicate, method)| {
            design(&surrogate, method, replicate, batches)
        })?;
    }
    report::report(&dir, &Table::read(&dir)?)
}

/// One run of one method: the values of its row.
fn design(surrogate: &Surrogate, method: &str, replicate: u64, batches: usize) -> Result<Vec<String>> {
    let objective = Objective {
        bounds: surrogate.bounds.clone(),
        minimum: f64::NEG_INFINITY,
        value: Box::new(|x| -surrogate.value(x)),
    };
    let n_batch = if is_sequential(method) { 1 } else { N_BATCH };
    let plan = Plan { rounds: batches, ..Plan::new(n_batch, N_INITIAL) };
    let outcome = race(&objective, strategy(method, Track::Modern)?, Track::Modern.model(), replicate, &plan)?;
    let best: Vec<f64> = outcome.rounds.iter().map(|round| -round.best).collect();
    let clock: Vec<f64> = (0..).zip(&outcome.rounds).map(|(k, round)| round.cpu + EVALUATION * f64::from(k)).collect();
    let [choosing, recommended] = [outcome.cpu, -outcome.recommended].map(|v| format!("{v:.6}"));
    Ok(vec![outcome.last().evaluations.to_string(), join(&best), join(&clock), choosing, recommended])
}
