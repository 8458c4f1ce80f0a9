//! `elbow sheet`: points as a sheet to fill in.

use std::fs::OpenOptions;
use std::io::Write;

use anyhow::Result;
use elbowroom::study::Trial;
use elbowroom_store::Standing;
use serde_json::json;

use super::answer;
use super::ask::BY_HAND;
use crate::args::Sheet;
use crate::fault::fault;
use crate::place::Place;
use crate::sheet::{Planned, well, write};

/// Asks for points, or takes those under way, and writes the sheet.
pub fn sheet(args: &Sheet, json: bool) -> Result<()> {
    if let Some(plate) = args.plate {
        let most = well(plate, args.n.saturating_sub(1)).is_some();
        let known = "6, 12, 24, 48, 96, 384 and 1536";
        if !most {
            return Err(fault(
                format!("{} points do not fit on a plate of {plate} wells", args.n),
                format!("there are plates of {known} wells"),
            ));
        }
    }
    let place = Place::find(&args.study)?;
    // The file first: points that were asked for and never seen would be a pity.
    let mut file = match &args.output {
        Some(path) => Some(OpenOptions::new().write(true).create_new(true).open(path).map_err(|error| {
            let what = format!("{} could not be written: {error}", path.display());
            fault(what, "name a file that is not there yet")
        })?),
        None => None,
    };
    let study = if args.pending { place.open()? } else { place.open_or_create()? };
    let mut study = study.worker(BY_HAND).ttl(args.due);
    let mut short = None;
    let trials: Vec<Trial> = if args.pending {
        study.study().pending().filter(|trial| study.standing(trial) == Standing::Running).cloned().collect()
    } else {
        let handed = study.ask(args.n, args.request.as_deref())?;
        short = handed.short;
        handed.trials.into_iter().map(|handed| handed.trial).collect()
    };
    let planned: Vec<Planned<'_>> = trials
        .iter()
        .enumerate()
        .map(|(i, trial)| Planned {
            trial: trial.id,
            point: &trial.point,
            well: args.plate.and_then(|plate| well(plate, i)),
        })
        .collect();
    let text = write(study.study().space(), &planned)?;
    if let Some(short) = &short {
        eprintln!("{} of {} points: {short}", planned.len(), args.n);
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
        || format!("{path}: {n} trials; fill in the values, then: elbow import {path}\n"),
    )
}
