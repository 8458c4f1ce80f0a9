//! How a study is driven.

use std::path::PathBuf;
use std::time::Duration;

use crate::command::Template;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::result_reader::ResultReader;

/// The maximum number of trials that one drive runs at once: each takes a process, a thread and open files of this
/// machine.
pub const MOST_WORKERS: usize = 1000;

/// When free workers get new points.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Refill {
    /// As soon as a worker is free.
    #[default]
    AtOnce,
    /// When the whole batch has finished.
    InBatches,
}

/// How a study is driven.
///
/// ```
/// use elbowroom_run::{Plan, Refill, Template};
/// let plan = Plan { refill: Refill::InBatches, ..Plan::new(Template::parse("true")?).workers(4) };
/// assert_eq!(plan.n_workers, 4);
/// # Ok::<(), elbowroom_run::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Plan {
    /// The command.
    pub command: Template,
    /// How the command's result is read.
    pub reader: ResultReader,
    /// The limits of each trial.
    pub limits: Limits,
    /// The folder in which the command runs; none for the current folder.
    pub folder: Option<PathBuf>,
    /// How many trials run at once.
    pub n_workers: usize,
    /// When new points are asked for.
    pub refill: Refill,
    /// How long points are asked for, from the start of the drive.
    pub time: Option<Duration>,
    /// The value at which the drive stops.
    pub target: Option<f64>,
    /// The drive stops when one more trial is expected to improve on the best value by less than this, in the user's
    /// units.
    pub min_gain: Option<f64>,
    /// The maximum number of trials of this drive; the study's budget applies as well.
    pub max_trials: Option<usize>,
    /// How often the store is told that the workers are alive.
    pub heartbeat: Duration,
    /// How long the drive waits before it asks again after a command has asked to be run later (exit code 75). It is
    /// doubled each time until a trial ends otherwise, up to a minute.
    pub wait: Duration,
}

impl Plan {
    /// One worker, no limits.
    pub fn new(command: Template) -> Self {
        Self {
            command,
            reader: ResultReader::default(),
            limits: Limits::default(),
            folder: None,
            n_workers: 1,
            refill: Refill::default(),
            time: None,
            target: None,
            min_gain: None,
            max_trials: None,
            heartbeat: Duration::from_secs(20),
            wait: Duration::from_secs(1),
        }
    }

    /// Refuses more workers than a machine can run.
    pub(crate) fn check(&self) -> Result<()> {
        if self.n_workers <= MOST_WORKERS {
            return Ok(());
        }
        let what = format!("{} workers are more than one process can run", self.n_workers);
        Err(Error::command(what, format!("use at most {MOST_WORKERS}; start `elbow worker` on more machines for more")))
    }

    /// Sets how many trials run at once: at least one.
    pub fn workers(mut self, n: usize) -> Self {
        self.n_workers = n.max(1);
        self
    }
}
