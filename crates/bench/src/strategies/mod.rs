//! Is the default strategy ever worse than plain ones? In step and asynchronously, with and without noise.
//!
//! The protocol is `crates/bench/strategies.md`. [`problems`] has the problems, [`race`](mod@race) runs one strategy on
//! one of them, [`summary`] makes tables of the rows, and [`student`] has their statistics. The program is `strategies`.

pub mod problems;
pub mod race;
mod shapes;
pub mod student;
pub mod summary;

use elbowroom::batch::{Believer, HallucinatedUcb, LocalPenalization, Plain};
use elbowroom::penalty::PenalizerKind;
use elbowroom::study::StrategyConfig;

/// The names of the strategies; the others are compared with the first.
pub const STRATEGIES: [&str; 6] = ["default", "soft", "none", "hallucinated", "believer", "plain"];

/// The columns that say what was run.
pub const KEY: [&str; 8] = ["problem", "mode", "at_once", "times", "noise", "evaluations", "strategy", "seed"];

/// The columns of the outcomes: log10 of the regret in standard deviations of the problem, at the end and after half of
/// the evaluations, and the CPU seconds of choosing.
pub const OUTCOMES: [&str; 3] = ["log10_regret", "log10_regret_half", "cpu_s"];

/// Sizes of the noise, in standard deviations of the problem.
pub const NOISE: [f64; 2] = [0.0, 0.3];

/// The strategy of a name.
///
/// ```
/// use elbowroom::study::StrategyConfig;
/// use elbowroom_bench::strategies::strategy;
/// assert_eq!(strategy("default"), Some(StrategyConfig::default()));
/// assert_eq!(strategy("defualt"), None);
/// ```
pub fn strategy(name: &str) -> Option<StrategyConfig> {
    let lp =
        |penalizer| StrategyConfig::LocalPenalization(LocalPenalization { penalizer, ..LocalPenalization::default() });
    match name {
        "default" => Some(StrategyConfig::LocalPenalization(LocalPenalization::default())),
        "soft" => Some(lp(Some(PenalizerKind::Soft))),
        "none" => Some(lp(None)),
        "hallucinated" => Some(StrategyConfig::HallucinatedUcb(HallucinatedUcb::default())),
        "believer" => Some(StrategyConfig::Believer(Believer::default())),
        "plain" => Some(StrategyConfig::Plain(Plain::default())),
        _ => None,
    }
}

/// How long evaluations take, independently of their points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Times {
    /// All end at the same time, and then the next batch is chosen.
    Step,
    /// All about equally long: uniform between 0.95 and 1.05.
    Equal,
    /// Log-uniform between 1 and 10.
    Tenfold,
    /// Pareto with exponent 1.5: the variance is infinite.
    Heavy,
}

impl Times {
    /// All of them.
    pub const ALL: [Times; 4] = [Times::Step, Times::Equal, Times::Tenfold, Times::Heavy];

    /// The word for it in a row.
    pub fn word(self) -> &'static str {
        match self {
            Times::Step => "step",
            Times::Equal => "equal",
            Times::Tenfold => "tenfold",
            Times::Heavy => "heavy",
        }
    }

    /// In step, or asynchronously: the word in a row and on the command line.
    pub fn mode(self) -> &'static str {
        if self == Times::Step { "step" } else { "async" }
    }
}

/// A cell of the table: how evaluations are run.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Cell {
    /// How long evaluations take.
    pub times: Times,
    /// Points of a batch, or workers.
    pub at_once: usize,
    /// The standard deviation of the noise, in those of the problem.
    pub noise: f64,
    /// Evaluations of a run, including the design.
    pub evaluations: usize,
}

impl Cell {
    /// All of them: 10 in step, 24 asynchronous.
    pub fn all() -> Vec<Self> {
        let mut cells = Vec::new();
        for times in Times::ALL {
            let budgets: &[(usize, usize)] = if times == Times::Step { &STEP } else { &ASYNCHRONOUS };
            for &(at_once, evaluations) in budgets {
                cells.extend(NOISE.map(|noise| Cell { times, at_once, noise, evaluations }));
            }
        }
        cells
    }

    /// The strategies that differ in it. If points are taken one at a time with nothing pending, all but one are the
    /// same rule.
    pub fn strategies(&self) -> &'static [&'static str] {
        if self.at_once == 1 { &["default", "hallucinated"] } else { &STRATEGIES }
    }

    /// Whether it is run on this problem.
    pub fn has(&self, problem: &str) -> bool {
        self.times == Times::Step || problems::ASYNCHRONOUS.contains(&problem)
    }
}

/// Points of a batch, and evaluations of a run.
const STEP: [(usize, usize); 5] = [(1, 60), (5, 100), (10, 100), (20, 100), (50, 200)];

/// Workers, and evaluations of a run.
const ASYNCHRONOUS: [(usize, usize); 4] = [(2, 40), (8, 50), (32, 80), (64, 128)];

/// One run.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// The name of the problem.
    pub problem: String,
    /// How evaluations go.
    pub cell: Cell,
    /// The name of the strategy.
    pub strategy: &'static str,
    /// The replicate.
    pub seed: u64,
}

impl Job {
    /// The start of its row.
    pub fn key(&self) -> String {
        let Cell { times, at_once, noise, evaluations } = self.cell;
        let (mode, times) = (times.mode(), times.word());
        let (problem, strategy, seed) = (&self.problem, self.strategy, self.seed);
        format!("{problem},{mode},{at_once},{times},{noise},{evaluations},{strategy},{seed}")
    }
}

/// All runs, seed by seed over all problems and cells, so that a run that was stopped early gives a smaller table.
///
/// ```
/// use elbowroom_bench::strategies::{Cell, jobs};
/// // Two strategies where q = 1, six elsewhere; ten of the forty problems asynchronously.
/// let all = jobs(&elbowroom_bench::strategies::problems::names(), &Cell::all(), 1..16);
/// assert_eq!(all.len(), 15 * (40 * 2 * (2 + 4 * 6) + 10 * 24 * 6));
/// ```
pub fn jobs(problems: &[impl AsRef<str>], cells: &[Cell], seeds: std::ops::Range<u64>) -> Vec<Job> {
    let mut jobs = Vec::new();
    for seed in seeds {
        for problem in problems.iter().map(AsRef::as_ref) {
            for &cell in cells.iter().filter(|cell| cell.has(problem)) {
                let job = |strategy: &&'static str| Job { problem: problem.into(), cell, strategy, seed };
                jobs.extend(cell.strategies().iter().map(job));
            }
        }
    }
    jobs
}
