//! `elbow export`: trials as CSV, trials or events as JSON lines.

use std::fs;
use std::io::Write;

use anyhow::Result;
use elbowroom_store::{SharedStudy, StatusAnswer};
use elbowroom_view::Scene;
use elbowroom_view::csv::csv;
use serde_json::json;

use crate::address::Address;
use crate::args::{Export, Format};
use crate::error::cli_error;

/// Writes the trials or events to a file, or to standard output.
pub fn export(args: &Export, json: bool) -> Result<()> {
    let study = Address::find(&args.study)?.open()?;
    let text = match args.format {
        // --json asks for JSON, whatever the default is.
        Some(Format::Csv) => csv(&Scene::of(&study)),
        None if !json => csv(&Scene::of(&study)),
        Some(Format::Jsonl) | None => jsonl(&study),
        Some(Format::Events) => events(&study)?,
    };
    match &args.output {
        Some(path) => fs::write(path, text).map_err(|error| {
            cli_error(format!("{} could not be written: {error}", path.display()), "choose another path")
        }),
        None => Ok(std::io::stdout().lock().write_all(text.as_bytes())?),
    }
}

fn jsonl(study: &SharedStudy) -> String {
    study.study().trials().iter().map(|trial| json!(StatusAnswer::of(study, trial)).to_string() + "\n").collect()
}

/// The events as they were written, byte for byte.
fn events(study: &SharedStudy) -> Result<String> {
    let entries = study.stored().store().read(study.name(), 0)?.entries;
    Ok(entries.iter().map(|entry| format!("{}\n", entry.text)).collect())
}
