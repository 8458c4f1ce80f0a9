//! One file for each thing that `elbow` does.

mod ask;
mod best;
mod init;
mod run;
mod status;
mod tell;
mod trials;

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use serde_json::Value;

use crate::args::{Command, Elbow};

/// Does what the command line says.
pub fn run(args: Elbow) -> Result<ExitCode> {
    let json = args.json;
    match args.command {
        Command::Init(args) => init::init(&args, json),
        Command::Run(args) => return run::run(&args, json),
        Command::Worker(args) => return run::worker(&args, json),
        Command::Ask(args) => ask::ask(&args, json),
        Command::Tell(args) => tell::tell(&args, json),
        Command::Fail(args) => tell::fail(&args, json),
        Command::Release(args) => tell::release(&args, json),
        Command::Status(args) => status::status(&args, json),
        Command::Best(args) => best::best(&args, json),
        Command::Trials(args) => trials::trials(&args, json),
    }?;
    Ok(ExitCode::SUCCESS)
}

/// Prints an answer: as JSON on one line, or in words.
fn answer(json: bool, value: impl FnOnce() -> Value, words: impl FnOnce() -> String) -> Result<()> {
    let text = if json { value().to_string() + "\n" } else { words() };
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}
