//! `paper EXPERIMENT`: repeats an experiment of the paper.

use std::path::Path;
use std::time::Instant;

use clap::Parser;
use elbowroom_paper::options::Options;
use elbowroom_paper::{
    Result, ablation, cosines, figure1, figure2, gene, intractable, lipschitz, page, panels, svr, table,
};

/// Repeats the experiments of "Batch Bayesian Optimization via Local Penalization".
#[derive(Parser)]
#[command(version)]
enum Cli {
    /// gSobol across dimensions, batch sizes and methods: the paper's table
    Table(table::TableOptions),
    /// The Cosines function: best value against batches and time
    Cosines(cosines::CosinesOptions),
    /// From the library's default, one thing changed at a time
    Ablation(ablation::AblationOptions),
    /// Balls that cannot hold the maximum, on Forrester's function: the paper's figure 1
    Figure1(Options),
    /// Three turns of maximization and penalization: the paper's figure 2
    Figure2(Options),
    /// Gene design in 71 dimensions, on a surrogate trained on yeast genes: needs --data
    Gene(gene::GeneOptions),
    /// Tuning a support vector regression on the protein data: needs --data
    Svr(svr::SvrOptions),
    /// Local penalization against the intractable Eq. 2 of the paper, for two points on a line
    Intractable(Options),
    /// How fast a model learns the Lipschitz constant of Cosines: the figure of the paper's appendix C
    Lipschitz(Options),
    /// The paper's figure of six panels, from the results of cosines, gene and svr
    Panels(Options),
    /// All of them, one after another
    All(Options),
    /// Write docs/paper.md from crates/paper/page.md and the rows, in the root of the workspace
    Page,
    /// Compute every number of docs/paper.md again from the rows; fails if one differs
    Verify,
    /// Print the lines that head every raw.csv: command, commit, versions, machine
    Provenance,
}

fn run(cli: Cli) -> Result<()> {
    match cli {
        Cli::Table(options) => table::run(&options)?,
        Cli::Cosines(options) => cosines::run(&options)?,
        Cli::Ablation(options) => ablation::run(&options)?,
        Cli::Figure1(options) => figure1::run(&options)?,
        Cli::Figure2(options) => figure2::run(&options)?,
        Cli::Gene(options) => gene::run(&options)?,
        Cli::Svr(options) => svr::run(&options)?,
        Cli::Intractable(options) => intractable::run(&options)?,
        Cli::Lipschitz(options) => lipschitz::run(&options)?,
        Cli::Panels(options) => panels::run(&options)?,
        Cli::All(options) => all(&options)?,
        Cli::Page => page::write(Path::new("."))?,
        Cli::Verify => page::verify(Path::new("."))?,
        Cli::Provenance => print!("{}", elbowroom_paper::raw::provenance()),
    }
    Ok(())
}

/// The experiments, the short ones first.
const ALL: [&str; 10] =
    ["figure1", "figure2", "lipschitz", "intractable", "cosines", "table", "ablation", "gene", "svr", "panels"];

/// Runs every experiment with the options they share; each has its own folder.
fn all(options: &Options) -> Result<()> {
    if options.out.is_some() {
        return Err("all experiments cannot share one folder\n  try: leave --out away".into());
    }
    let mut shared = vec![format!("--threads={}", options.threads)];
    shared.extend(options.quick.then(|| "--quick".into()));
    shared.extend(options.report.then(|| "--report".into()));
    shared.extend(options.replicates.map(|n| format!("--replicates={n}")));
    shared.extend(options.data.as_ref().map(|dir| format!("--data={}", dir.display())));
    for name in ALL {
        let started = Instant::now();
        println!("== {name}");
        let arguments = ["paper", name].map(String::from).into_iter().chain(shared.clone());
        run(Cli::try_parse_from(arguments)?)?;
        println!("   {:.1} s", started.elapsed().as_secs_f64());
    }
    Ok(())
}

fn main() {
    if let Err(error) = run(Cli::parse()) {
        eprintln!("paper: {error}");
        std::process::exit(1);
    }
}
