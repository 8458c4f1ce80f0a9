//! Options that every experiment has.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::Result;
use crate::raw::NAME;

/// Options of every experiment.
#[derive(Debug, Clone, Default, Args)]
pub struct Options {
    /// Folder for raw.csv, tables and figures [default: crates/paper/results/EXPERIMENT, or target/paper-quick/EXPERIMENT if quick]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// A small version that takes seconds, to see that everything works
    #[arg(long)]
    pub quick: bool,
    /// How many jobs run at the same time
    #[arg(long, default_value_t = 1)]
    pub threads: usize,
    /// How often everything is repeated [default: that of the experiment]
    #[arg(long)]
    pub replicates: Option<u64>,
    /// Folder of the data, where an experiment needs some
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Only make tables and figures from the raw.csv that is there
    #[arg(long)]
    pub report: bool,
}

impl Options {
    /// The folder of an experiment.
    pub fn dir(&self, experiment: &str) -> PathBuf {
        let default = if self.quick { "target/paper-quick" } else { "crates/paper/results" };
        self.out.clone().unwrap_or_else(|| Path::new(default).join(experiment))
    }

    /// The folder of an experiment, created if necessary. A quick run replaces earlier results: its purpose is to
    /// exercise the code.
    pub fn prepare(&self, experiment: &str) -> Result<PathBuf> {
        let dir = self.dir(experiment);
        std::fs::create_dir_all(&dir)?;
        let raw = dir.join(NAME);
        if self.quick && !self.report && raw.exists() {
            std::fs::remove_file(raw)?;
        }
        Ok(dir)
    }

    /// The number of repetitions: as requested, otherwise `full`, or `quick` for a quick run.
    pub fn replicates(&self, full: u64, quick: u64) -> u64 {
        self.replicates.unwrap_or(if self.quick { quick } else { full })
    }
}
