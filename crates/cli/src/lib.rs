//! The command `elbow`: turns words into calls, and results into words.
//!
//! This library exists so that the command's readers of files can be tested; it promises nothing to other programs.
//! Those use `elbow … --json`, or the crates `elbowroom`, `elbowroom-store` and `elbowroom-run`.

mod args;
mod chart;
mod commands;
mod fault;
mod place;
mod progress;
pub mod sheet;
mod spark;
pub mod study_file;
mod table;
mod words;

use std::process::ExitCode;

use clap::Parser;

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let args = args::Elbow::parse();
    let json = args.json;
    match commands::run(args) {
        Ok(code) => code,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            if json {
                eprintln!("{}", serde_json::json!({ "error": format!("{error:#}") }));
            } else {
                eprintln!("error: {}", words::safe(&format!("{error:#}")));
            }
            ExitCode::FAILURE
        }
    }
}

/// Whether whoever read our output has seen enough, as `head` does.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let closed = |e: &std::io::Error| e.kind() == std::io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| cause.downcast_ref::<std::io::Error>().is_some_and(closed))
}
