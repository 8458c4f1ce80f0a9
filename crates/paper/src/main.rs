//! `paper EXPERIMENT`: repeats an experiment of the paper.

use clap::Parser;
use elbowroom_paper::options::Options;
use elbowroom_paper::{Result, figure1, figure2, gene, intractable, lipschitz, svr, table};

/// Repeats the experiments of "Batch Bayesian Optimization via Local Penalization".
#[derive(Parser)]
#[command(version)]
enum Cli {
    /// gSobol across dimensions, batch sizes and methods: the paper's table
    Table(table::TableOptions),
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
    /// Print the lines that head every raw.csv: command, commit, versions, machine
    Provenance,
}

fn run(cli: Cli) -> Result<()> {
    match cli {
        Cli::Table(options) => table::run(&options)?,
        Cli::Figure1(options) => figure1::run(&options)?,
        Cli::Figure2(options) => figure2::run(&options)?,
        Cli::Gene(options) => gene::run(&options)?,
        Cli::Svr(options) => svr::run(&options)?,
        Cli::Intractable(options) => intractable::run(&options)?,
        Cli::Lipschitz(options) => lipschitz::run(&options)?,
        Cli::Provenance => print!("{}", elbowroom_paper::raw::provenance()),
    }
    Ok(())
}

fn main() {
    if let Err(error) = run(Cli::parse()) {
        eprintln!("paper: {error}");
        std::process::exit(1);
    }
}
