//! `elbow replay`: choose every point again from the log, and compare.

use std::process::ExitCode;

use anyhow::Result;
use elbowroom::study::{Build, Event, other_versions, verify};
use serde_json::json;

use super::answer;
use crate::address::Address;
use crate::args::Where;
use crate::format;

/// Compares; the exit code is 1 if something differs. Asks of other versions of elbowroom are listed, not compared.
pub fn replay(args: &Where, json: bool) -> Result<ExitCode> {
    let study = Address::find(args)?.open()?;
    let events = study.study().events();
    let n_asks = events.iter().filter(|event| matches!(event, Event::Asked { .. })).count();
    let others = other_versions(events);
    let n_compared = n_asks - others.values().map(Vec::len).sum::<usize>();
    let differences = verify(events)?;
    let build = Build::current();
    answer(
        json,
        || {
            let listed: Vec<_> = differences.iter().map(|d| json!({ "event": d.event, "what": d.what })).collect();
            let apart: Vec<_> =
                others.iter().map(|(version, events)| json!({ "version": version, "events": events })).collect();
            json!({
                "asks": n_asks,
                "compared": n_compared,
                "differences": listed,
                "not_compared": apart,
                "version": build.version,
                "cpu": build.cpu,
            })
        },
        || {
            let mut text: String = differences.iter().map(|d| format!("event {}: {}\n", d.event, d.what)).collect();
            for (version, events) in &others {
                let version = format::safe(version);
                text += &match events.len() {
                    1 => format!("1 ask was chosen by elbowroom {version} and is not compared\n"),
                    n => format!("{n} asks were chosen by elbowroom {version} and are not compared\n"),
                };
            }
            let (version, cpu) = (&build.version, &build.cpu);
            let of_ours = if others.is_empty() { "" } else { " of this version" };
            text += &match (differences.len(), n_compared) {
                (0, 0) if !others.is_empty() => format!("no ask was answered by this version ({version} on {cpu})\n"),
                (0, 1) => format!("the one ask{of_ours} comes out the same, to the last bit ({version} on {cpu})\n"),
                (0, n) => format!("all {n} asks{of_ours} come out the same, to the last bit ({version} on {cpu})\n"),
                (1, all) => format!("1 of {all} asks{of_ours} comes out differently ({version} on {cpu})\n"),
                (n, all) => format!("{n} of {all} asks{of_ours} come out differently ({version} on {cpu})\n"),
            };
            text
        },
    )?;
    Ok(if differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
