//! The words of a command line. What cannot be understood ends the program with a message and the exit code 2.

use std::str::FromStr;

/// The words after the program's name, one by one.
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
    /// These words, of a program that is used like this.
    pub fn new(words: impl IntoIterator<Item = String>, usage: &'static str) -> Self {
        Self { rest: words.into_iter().collect::<Vec<_>>().into_iter(), usage }
    }

    /// The words that this program was started with.
    pub fn of_this_program(usage: &'static str) -> Self {
        Self::new(std::env::args().skip(1), usage)
    }

    /// The value behind an option.
    pub fn text(&mut self, option: &str) -> String {
        self.rest.next().unwrap_or_else(|| self.refuse(&format!("{option} has no value")))
    }

    /// The number behind an option.
    pub fn number<T: FromStr>(&mut self, option: &str) -> T {
        let word = self.text(option);
        word.parse().unwrap_or_else(|_| self.refuse(&format!("{option} is {word:?}, which is not such a number")))
    }

    /// The names behind an option, with commas between them.
    pub fn names(&mut self, option: &str) -> Vec<String> {
        self.text(option).split(',').map(String::from).collect()
    }

    /// Ends the program over a word that it does not know.
    pub fn unknown(&self, word: &str) -> ! {
        self.refuse(&format!("there is no option {word}"))
    }

    /// Ends the program over something else that is wrong with its words.
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

/// Ends the program with a message under its name, and the exit code 2.
pub fn stop(why: &str) -> ! {
    let program = std::env::args().next().unwrap_or_default();
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    eprintln!("{}: {why}", name.trim_end_matches(".exe"));
    std::process::exit(2)
}
