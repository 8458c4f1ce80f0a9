//! One file for each command of `elbow`.

mod ask;
mod best;
mod copy;
mod deploy;
mod doctor;
mod export;
mod front;
mod import;
mod init;
mod plot;
mod replay;
mod report;
mod run;
mod serve;
mod sheet;
mod status;
mod studies;
pub mod tell;
mod trials;
mod why;

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::CommandFactory;
use serde_json::Value;

use crate::args::{Command, Elbow};
use crate::error::cli_error;
pub use tell::value;

/// Runs the command line.
pub fn run(args: Elbow) -> Result<ExitCode> {
    let json = args.json;
    match args.command {
        Command::Init(args) => init::init(&args, json),
        Command::Run(args) => return run::run(&args, json),
        Command::Worker(args) => return run::worker(&args, json),
        Command::Ask(args) => ask::ask(&args, json),
        Command::Tell(args) => tell::tell(&args, json),
        Command::Fail(args) => tell::fail(&args, json),
        Command::Release(args) => tell::withdraw(&args, json),
        Command::Studies(args) => studies::studies(&args, json),
        Command::Status(args) => status::status(&args, json),
        Command::Best(args) => best::best(&args, json),
        Command::Trials(args) => trials::trials(&args, json),
        Command::Why(args) => why::why(&args, json),
        Command::Plot(args) => plot::plot(&args, json),
        Command::Report(args) => report::report(&args, json),
        Command::Serve(args) => serve::serve(&args, json),
        Command::Sheet(args) => sheet::sheet(&args, json),
        Command::Import(args) => import::import(&args, json),
        Command::Export(args) => export::export(&args, json),
        Command::Copy(args) => copy::copy(&args, json),
        Command::Replay(args) => return replay::replay(&args, json),
        Command::Doctor(args) => return doctor::doctor(&args, json),
        Command::Deploy(args) => deploy::deploy(&args, json),
        Command::Schema => Ok(std::io::stdout().write_all(crate::study_file::schema::SCHEMA.as_bytes())?),
        Command::Completions { shell } => {
            // Into memory first: the generator panics if a reader such as `head` goes away.
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Elbow::command(), "elbow", &mut script);
            Ok(std::io::stdout().write_all(&script)?)
        }
        Command::Man { folder } => clap_mangen::generate_to(Elbow::command(), &folder).map_err(|error| {
            let what = format!("manual pages cannot be written to {}: {error}", folder.display());
            cli_error(what, "name an existing folder that you may write to")
        }),
    }?;
    Ok(ExitCode::SUCCESS)
}

/// Prints an answer: as JSON on one line, or in words.
fn answer(json: bool, value: impl FnOnce() -> Value, words: impl FnOnce() -> String) -> Result<()> {
    let text = if json { value().to_string() + "\n" } else { crate::format::safe(&words()) };
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}
