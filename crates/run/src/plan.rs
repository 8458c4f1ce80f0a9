//! What a drive should do.

use std::path::PathBuf;
use std::time::Duration;

use crate::command::Template;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::result_reader::ResultReader;

/// The most trials that one drive runs at once: each is a process, a thread and open files of this machine.
pub const MOST_WORKERS: usize = 1000;

/// When free workers get new points.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Refill {
    /// As soon as one is free.
    #[default]
    AtOnce,
    /// When all of a batch have finished.
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
    /// How its result is read.
    pub reader: ResultReader,
    /// What each trial may take.
    pub limits: Limits,
    /// Where the command runs; none for the folder of this process.
    pub folder: Option<PathBuf>,
    /// How many trials run at once.
    pub n_workers: usize,
    /// When new points are asked for.
    pub refill: Refill,
    /// How long points are asked for, from the beginning of the drive.
    pub time: Option<Duration>,
    /// The value that is good enough.
    pub target: Option<f64>,
    /// The least that one more trial should be expected to improve on the best value, in the user's units.
    pub min_gain: Option<f64>,
    /// The most trials of this drive; the study's own budget holds besides.
    pub max_trials: Option<usize>,
    /// How often the store hears that the workers are alive.
    pub heartbeat: Duration,
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
        }
    }

    /// Refuses more workers than a machine can have.
    pub(crate) fn check(&self) -> Result<()> {
        if self.n_workers <= MOST_WORKERS {
            return Ok(());
        }
        let what = format!("{} workers are more than one process can run", self.n_workers);
        Err(Error::command(what, format!("use at most {MOST_WORKERS}; start `elbow worker` on more machines for more")))
    }

    /// Sets how many trials run at once; at least one does.
    pub fn workers(mut self, n: usize) -> Self {
        self.n_workers = n.max(1);
        self
    }
}
