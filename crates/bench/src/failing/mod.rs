//! What failures teach: problems some of whose points fail, runs on them with four workers, and the outcomes.
//!
//! [`problems`] has the problems and [`tuning`] those on which rules are chosen, [`islands`] and [`tuning_islands`] those
//! whose feasible points lie apart, [`library`] runs them with the library and [`command`] through the command `elbow`, [`serve`] is for programs in other languages, [`score`] counts wasted
//! trials, and [`table`] keeps the rows and prints the tables. The program is `failures`.

pub mod command;
pub mod islands;
pub mod library;
pub mod problems;
pub mod score;
pub mod serve;
pub mod table;
pub mod tuning;
pub mod tuning_islands;

/// The outcome of a run.
pub type Fallible<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Trials of a run, unless more are asked for.
pub const TRIALS: usize = 48;

/// Workers of a run.
pub const WORKERS: usize = 4;

/// What to do about a trial without a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// It is reported as failed: an exit code, an exception, `Study::fail`.
    Fail,
    /// Its value is reported as NaN.
    Nan,
    /// It is reported as infeasible.
    Infeasible,
    /// It is reported as failed to a study that is configured to learn nothing from failures.
    Ignore,
    /// It is reported as failed if a region fails, and withdrawn if it failed by chance: a yardstick, since no user
    /// knows this. Only in the library.
    Known,
    /// It is reported as failed to a study that draws its points at random: a yardstick. Only in the library.
    Random,
}

impl Mode {
    /// All of them.
    pub const ALL: [Mode; 6] = [Mode::Fail, Mode::Nan, Mode::Infeasible, Mode::Ignore, Mode::Known, Mode::Random];

    /// The word for it in a row and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Mode::Fail => "fail",
            Mode::Nan => "nan",
            Mode::Infeasible => "infeasible",
            Mode::Ignore => "ignore",
            Mode::Known => "known",
            Mode::Random => "random",
        }
    }

    /// The mode with this word.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.word() == word)
    }
}
