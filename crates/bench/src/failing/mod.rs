//! What failures teach: problems some of whose points fail, runs over them with four workers, and what came of it.
//!
//! [`problems`] has the problems and [`tuning`] those that rules are chosen on, [`library`] runs them against the library and [`command`] through the command `elbow`,
//! [`serve`] is for programs in other languages, [`score`] counts what was wasted, and [`table`] keeps the rows and draws the tables. The program is `failures`.

pub mod command;
pub mod library;
pub mod problems;
pub mod score;
pub mod serve;
pub mod table;
pub mod tuning;

/// What a run may end with.
pub type Fallible<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Trials of a run.
pub const TRIALS: usize = 48;

/// Workers of a run.
pub const WORKERS: usize = 4;

/// What is done about a trial without a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// It is reported as failed: an exit code, an exception, `Study::fail`.
    Fail,
    /// Its value is told, which is not a number.
    Nan,
    /// It is reported as infeasible.
    Infeasible,
    /// It is reported as failed to a study that is told to learn nothing from failures.
    Ignore,
    /// It is reported as failed where a region fails, and withdrawn where chance did: a yardstick, for no user knows
    /// this. Only in the library.
    Known,
}

impl Mode {
    /// All of them.
    pub const ALL: [Mode; 5] = [Mode::Fail, Mode::Nan, Mode::Infeasible, Mode::Ignore, Mode::Known];

    /// The word for it in a row and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Mode::Fail => "fail",
            Mode::Nan => "nan",
            Mode::Infeasible => "infeasible",
            Mode::Ignore => "ignore",
            Mode::Known => "known",
        }
    }

    /// The mode of a word.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.word() == word)
    }
}
