//! The command `elbow`: turns words into calls, and results into words.
//!
//! This library exists so that the command's file readers can be tested; it promises nothing to other programs. Those
//! use `elbow … --json`, or the crates `elbowroom`, `elbowroom-store` and `elbowroom-run`.

/// Writes a line to standard error, as long as somebody reads it: `eprintln!` would end a run when its reader goes
/// away.
macro_rules! say {
    ($($what:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($what)*);
    }};
}

mod address;
mod args;
mod chart;
mod commands;
mod differ;
mod error;
mod format;
mod intake;
mod narrow;
mod outcomes;
mod progress;
#[cfg(test)]
mod reference;
pub mod sheet;
mod signals;
mod spark;
pub mod study_file;
mod table;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let args = match args::Elbow::try_parse_from(plain_numbers(std::env::args_os())) {
        Ok(args) => args,
        Err(error) => return refuse(with_tip(error)),
    };
    let json = args.json;
    match commands::run(args) {
        Ok(code) => code,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            if json {
                say!("{}", error::in_json(&error));
            } else {
                say!("error: {}", format::safe(&format!("{error:#}")));
            }
            ExitCode::FAILURE
        }
    }
}

/// Rewrites negative numbers in a form that clap accepts: it takes `-1e-3` and `-.5` for options. Words after `--`
/// belong to another command.
fn plain_numbers(words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut is_ours = true;
    let mut plain = |word: &OsString| -> Option<OsString> {
        is_ours &= word != "--";
        let number = word.to_str().filter(|text| is_ours && text.starts_with('-'))?.parse::<f64>().ok()?;
        number.is_finite().then(|| number.to_string().into())
    };
    words.map(|word| plain(&word).unwrap_or(word)).collect()
}

/// If a study was given as a plain argument, adds a tip on how to name it.
fn with_tip(mut error: clap::Error) -> clap::Error {
    let is_study = |word: &str| word.ends_with(".toml") || word.ends_with(".elbow") || word.contains("://");
    if error.kind() == ErrorKind::UnknownArgument
        && let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg)
        && is_study(word)
    {
        let tip = StyledStr::from(format!("name the study with `--in {word}`"));
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    }
    error
}

/// Prints what is wrong with the command line, or the requested help.
fn refuse(error: clap::Error) -> ExitCode {
    if error.use_stderr() && std::env::args_os().any(|word| word == "--json") {
        say!("{}", error::in_json(&misused(&error)));
        return ExitCode::from(2);
    }
    error.exit()
}

/// A mistake in the command line as an error of ours: clap's text begins with what is wrong, followed by tips and by
/// how the command is used.
fn misused(error: &clap::Error) -> anyhow::Error {
    let text = error.to_string();
    let (what, after) = text.split_once("\n\n").unwrap_or((&text, ""));
    let what = what.strip_prefix("error: ").unwrap_or(what).lines().map(str::trim).collect::<Vec<_>>().join(" ");
    let line = |start: &str| after.lines().find_map(|line| line.trim().strip_prefix(start).map(str::trim));
    let usage = || line("Usage:").map(|usage| format!("write `{usage}`; see --help"));
    let hint = line("tip:").map(str::to_owned).or_else(usage).unwrap_or_else(|| "see `elbow --help`".to_owned());
    error::cli_error(what, hint)
}

/// Whether the reader of the output has stopped reading, as `head` does.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let closed = |e: &std::io::Error| e.kind() == std::io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| cause.downcast_ref::<std::io::Error>().is_some_and(closed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(words: &[&str]) -> Vec<String> {
        let words = plain_numbers(words.iter().map(OsString::from));
        words.into_iter().map(|word| word.into_string().unwrap()).collect()
    }

    #[test]
    fn negative_numbers_are_values_however_they_are_written() {
        assert_eq!(written(&["elbow", "tell", "3", "-1e-3", "-.5", "-2E+2"])[3..], ["-0.001", "-0.5", "-200"]);
        for value in ["-1e-3", "-.5", "-1e+300", "-4.9E-324"] {
            let words = plain_numbers(["elbow", "tell", "3", value].iter().map(OsString::from));
            let parsed = args::Elbow::try_parse_from(words).unwrap();
            let args::Command::Tell(tell) = parsed.command else { panic!("it is a tell") };
            let told: f64 = tell.what[1].parse().unwrap();
            assert_eq!(told.to_bits(), value.parse::<f64>().unwrap().to_bits(), "{value}");
        }
        // Options stay options, and the user's command keeps its words.
        let command = ["elbow", "run", "--json", "-n", "--", "./solve", "-1e-3"];
        assert_eq!(written(&command), command);
    }

    #[test]
    fn a_mistake_in_the_command_line_says_in_json_what_to_try() {
        let said = |words: &[&str]| {
            let error = args::Elbow::try_parse_from(words).unwrap_err();
            error::in_json(&misused(&with_tip(error)))
        };
        let json = said(&["elbow", "ask", "study.toml"]);
        assert_eq!(json["error"], "unexpected argument 'study.toml' found");
        assert_eq!(json["try"], "name the study with `--in study.toml`");
        assert_eq!(json["kind"], "usage");
        let json = said(&["elbow", "tell"]);
        assert_eq!(json["error"], "the following required arguments were not provided: <TRIAL VALUE>...");
        assert!(json["try"].as_str().unwrap().starts_with("write `elbow tell"), "{json}");
        assert_eq!(said(&["elbow", "tel"])["try"], "some similar subcommands exist: 'help', 'tell'");
    }

    #[test]
    fn a_study_named_as_an_argument_is_answered_with_the_option() {
        let error = args::Elbow::try_parse_from(["elbow", "ask", "study.toml"]).unwrap_err();
        assert!(with_tip(error).to_string().contains("name the study with `--in study.toml`"));
    }
}
