//! The command `elbow`: turns words into calls, and results into words.
//!
//! This library exists so that the command's readers of files can be tested; it promises nothing to other programs.
//! Those use `elbow … --json`, or the crates `elbowroom`, `elbowroom-store` and `elbowroom-run`.

/// Writes a line to standard error, if anybody reads it: `eprintln!` would end a run when its reader goes away.
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

use std::process::ExitCode;

use clap::Parser;

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let args = match args::Elbow::try_parse() {
        Ok(args) => args,
        Err(error) => return refuse(&error),
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

/// Says what is wrong with the command line, or the help that was asked for.
fn refuse(error: &clap::Error) -> ExitCode {
    if error.use_stderr() && std::env::args_os().any(|word| word == "--json") {
        say!("{}", serde_json::json!({ "error": error.to_string().trim_end(), "kind": "usage" }));
        return ExitCode::from(2);
    }
    error.exit()
}

/// Whether whoever read our output has seen enough, as `head` does.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let closed = |e: &std::io::Error| e.kind() == std::io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| cause.downcast_ref::<std::io::Error>().is_some_and(closed))
}
