//! `paper EXPERIMENT`: repeats an experiment of the paper.

use clap::Parser;
use elbowroom_paper::{Result, table};

/// Repeats the experiments of "Batch Bayesian Optimization via Local Penalization".
#[derive(Parser)]
#[command(version)]
enum Cli {
    /// gSobol across dimensions, batch sizes and methods: the paper's table
    Table(table::TableOptions),
    /// Print the lines that head every raw.csv: command, commit, versions, machine
    Provenance,
}

fn run(cli: Cli) -> Result<()> {
    match cli {
        Cli::Table(options) => table::run(&options)?,
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
