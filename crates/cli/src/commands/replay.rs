//! `elbow replay`: choose every point again from the log, and compare.

use std::process::ExitCode;

use anyhow::Result;
use elbowroom::study::{Build, Event, verify};
use serde_json::json;

use super::answer;
use crate::args::Where;
use crate::place::Place;

/// Compares; the exit code is 1 if something differs.
pub fn replay(args: &Where, json: bool) -> Result<ExitCode> {
    let study = Place::find(args)?.open()?;
    let events = study.study().events();
    let n_asks = events.iter().filter(|event| matches!(event, Event::Asked { .. })).count();
    let differences = verify(events)?;
    let build = Build::current();
    answer(
        json,
        || {
            let listed: Vec<_> = differences.iter().map(|d| json!({ "event": d.event, "what": d.what })).collect();
            json!({ "asks": n_asks, "differences": listed, "version": build.version, "cpu": build.cpu })
        },
        || {
            let mut text: String = differences.iter().map(|d| format!("event {}: {}\n", d.event, d.what)).collect();
            let (version, cpu) = (&build.version, &build.cpu);
            text += &match differences.len() {
                0 => format!("all {n_asks} asks come out the same, to the last bit ({version} on {cpu})\n"),
                n => format!("{n} of {n_asks} asks come out differently ({version} on {cpu})\n"),
            };
            text
        },
    )?;
    Ok(if differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
