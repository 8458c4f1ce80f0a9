//! `elbow sheet`: points as a sheet to fill in.

use std::collections::HashSet;
use std::fs::OpenOptions;
use std::io::Write;

use anyhow::Result;
use elbowroom::study::{Ask, PlacedTrial, Study, Trial};
use elbowroom_store::{SharedStudy, TrialStatus};
use serde_json::json;

use super::answer;
use super::ask::{BY_HAND, paused, refuse_nothing};
use crate::address::Address;
use crate::args::Sheet;
use crate::error::cli_error;
use crate::format;
use crate::narrow::narrowing;
use crate::sheet::{Planned, well, write};

/// Asks for points, or takes those under way, and writes the sheet.
pub fn sheet(args: &Sheet, json: bool) -> Result<()> {
    let place = Address::find(&args.study)?;
    let pending = args.pending.then(|| pending(&place)).transpose()?;
    let n = pending.as_ref().map_or(args.n, |(_, trials)| trials.len());
    if let Some(plate) = args.plate.filter(|plate| well(*plate, n.saturating_sub(1)).is_none()) {
        let what = match well(plate, 0) {
            None => format!("there is no plate of {plate} wells"),
            Some(_) => format!("{n} points do not fit on a plate of {plate} wells"),
        };
        return Err(cli_error(what, "use a plate of 6, 12, 24, 48, 96, 384 or 1536 wells"));
    }
    // Open the file before asking for new points: points that nobody sees would be wasted.
    let mut file = match &args.output {
        Some(path) => Some(OpenOptions::new().write(true).create_new(true).open(path).map_err(|error| {
            let what = match error.kind() {
                std::io::ErrorKind::AlreadyExists => format!("{} already exists", path.display()),
                _ => format!("{} could not be written: {error}", path.display()),
            };
            cli_error(what, "name a file that does not exist yet, in a folder that you may write to")
        })?),
        None => None,
    };
    let (mut study, trials, short) = match pending {
        Some((study, trials)) => (study, trials, None),
        None => new(args, &place).inspect_err(|_| {
            if let Some(path) = &args.output {
                drop(file.take());
                // The file is empty; the refusal is reported even if the file cannot be removed.
                let _ = std::fs::remove_file(path);
            }
        })?,
    };
    let wells = wells(study.study(), &trials, args.plate, args.pending);
    let placed: Vec<PlacedTrial> = wells
        .iter()
        .zip(&trials)
        .filter_map(|(well, t)| Some(PlacedTrial { trial: t.id, well: well.clone()? }))
        .collect();
    // Record the positions of trials before anybody reads the sheet.
    study.place_trials(&placed)?;
    let planned: Vec<Planned<'_>> =
        trials.iter().zip(wells).map(|(trial, well)| Planned { trial: trial.id, point: &trial.point, well }).collect();
    let text = write(study.study().space(), study.study().outcomes(), &planned)?;
    if let Some(why) = &short {
        say!("{}: {why}", super::ask::so_many(planned.len(), args.n));
    }
    let ids: Vec<_> = trials.iter().map(|trial| trial.id).collect();
    let Some(file) = &mut file else {
        if json {
            return answer(json, || json!({ "csv": text, "trials": ids, "short": short }), String::new);
        }
        return Ok(std::io::stdout().lock().write_all(text.as_bytes())?);
    };
    file.write_all(text.as_bytes())?;
    let path = args.output.as_deref().map_or_else(String::new, |path| path.display().to_string());
    let n = planned.len();
    answer(
        json,
        || json!({ "written": path, "trials": ids, "short": short }),
        || format!("{path}: {}; fill in the values, then: elbow import {path}\n", format::trials(n)),
    )
}

/// New points, and why there are fewer than were asked for.
fn new(args: &Sheet, place: &Address) -> Result<(SharedStudy, Vec<Trial>, Option<String>)> {
    let mut study = place.open_or_create()?.worker(BY_HAND).ttl(args.due);
    let narrowing = narrowing(study.study().space(), &args.narrow)?;
    let wanted = Ask { request: args.request.clone(), ..Ask::new(args.n) }.narrowed(narrowing);
    let handed = study.ask_unless_paused(wanted)?.ok_or_else(paused)?;
    refuse_nothing(study.study(), handed.trials.is_empty(), handed.shortfall.as_deref())?;
    Ok((study, handed.trials.into_iter().map(|handed| handed.trial).collect(), handed.shortfall))
}

/// The well of each trial: for trials under way the one that was assigned, and for the others the first free wells of a
/// plate.
fn wells(study: &Study, trials: &[Trial], plate: Option<usize>, pending: bool) -> Vec<Option<String>> {
    let kept = |trial: &Trial| study.well(trial.id).filter(|_| pending).map(str::to_owned);
    let taken: HashSet<String> = trials.iter().filter_map(kept).collect();
    let mut free = (0..).map_while(|i| well(plate?, i)).filter(|well| !taken.contains(well));
    trials.iter().map(|trial| kept(trial).or_else(|| free.next())).collect()
}

/// The trials under way.
fn pending(place: &Address) -> Result<(SharedStudy, Vec<Trial>)> {
    let study = place.open()?;
    let running = |trial: &&Trial| study.status(trial) == TrialStatus::Running;
    let trials = study.study().pending().filter(running).cloned().collect();
    Ok((study, trials))
}
