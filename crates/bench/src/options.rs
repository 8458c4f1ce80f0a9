//! Arguments on a command line. Anything that cannot be understood ends the program with a message and the exit code 2.

use std::str::FromStr;

/// The arguments of the program, one by one.
///
/// ```
/// use elbowroom_bench::options::Options;
///
/// let mut options = Options::new(["--seeds", "3", "--tasks", "a,b"].map(String::from), "usage: regret [--seeds 10]");
/// assert_eq!(options.next().as_deref(), Some("--seeds"));
/// assert_eq!(options.number::<u64>("--seeds"), 3);
/// assert_eq!(options.next().as_deref(), Some("--tasks"));
/// assert_eq!(options.names("--tasks"), ["a", "b"]);
/// ```
pub struct Options {
    rest: std::vec::IntoIter<String>,
    usage: &'static str,
}

impl Options {
    /// These arguments, for a program with this usage.
    pub fn new(words: impl IntoIterator<Item = String>, usage: &'static str) -> Self {
        Self { rest: words.into_iter().collect::<Vec<_>>().into_iter(), usage }
    }

    /// The arguments with which this program was started.
    pub fn of_this_program(usage: &'static str) -> Self {
        Self::new(std::env::args().skip(1), usage)
    }

    /// The value of an option.
    pub fn text(&mut self, option: &str) -> String {
        self.rest.next().unwrap_or_else(|| self.refuse(&format!("{option} has no value")))
    }

    /// The number given with an option.
    pub fn number<T: FromStr>(&mut self, option: &str) -> T {
        let word = self.text(option);
        word.parse().unwrap_or_else(|_| self.refuse(&format!("{option} is {word:?}, which is not such a number")))
    }

    /// The comma-separated names given with an option.
    pub fn names(&mut self, option: &str) -> Vec<String> {
        self.text(option).split(',').map(String::from).collect()
    }

    /// Ends the program because of an unknown argument.
    pub fn unknown(&self, word: &str) -> ! {
        self.refuse(&format!("there is no option {word}"))
    }

    /// Ends the program because of another problem with its arguments.
    pub fn refuse(&self, what: &str) -> ! {
        stop(&format!("{what}\n{}", self.usage))
    }
}

impl Iterator for Options {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        self.rest.next()
    }
}

/// Ends the program with its name, a message, and the exit code 2.
pub fn stop(why: &str) -> ! {
    let program = std::env::args().next().unwrap_or_default();
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    eprintln!("{}: {why}", name.trim_end_matches(".exe"));
    std::process::exit(2)
}
