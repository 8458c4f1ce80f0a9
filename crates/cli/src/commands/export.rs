//! `elbow export`: trials as CSV, trials or events as JSON lines.

use std::fs;
use std::io::Write;

use anyhow::Result;
use elbowroom_store::SharedStudy;

use crate::args::{Export, Format};
use crate::cells::{column, guarded};
use crate::fault::fault;
use crate::place::Place;
use crate::words;

/// Writes them to a file, or to standard output.
pub fn export(args: &Export, json: bool) -> Result<()> {
    let study = Place::find(&args.study)?.open()?;
    let text = match args.format {
        // --json asks for JSON whatever else is the default.
        Some(Format::Csv) => csv(&study)?,
        None if !json => csv(&study)?,
        Some(Format::Jsonl) | None => jsonl(&study),
        Some(Format::Events) => events(&study)?,
    };
    match &args.output {
        Some(path) => fs::write(path, text)
            .map_err(|error| fault(format!("{} could not be written: {error}", path.display()), "name another place")),
        None => Ok(std::io::stdout().lock().write_all(text.as_bytes())?),
    }
}

fn csv(study: &SharedStudy) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let names: Vec<&str> = study.study().space().parameters().iter().map(|parameter| parameter.name()).collect();
    let mut head: Vec<String> = ["trial", "state", "value", "noise"].map(str::to_owned).to_vec();
    head.extend(names.iter().map(|name| guarded(&column(name))));
    head.extend(["source", "attempts", "reason", "notes"].map(str::to_owned));
    writer.write_record(&head)?;
    for trial in study.study().trials() {
        let full = |x: Option<f64>| x.map_or_else(String::new, |x| format!("{x:?}"));
        let mut row = vec![trial.id.to_string(), words::standing(study.standing(trial)).to_owned()];
        row.extend([full(trial.value()), full(trial.noise())]);
        row.extend(
            names.iter().map(|name| trial.point.get(name).map_or_else(String::new, |v| guarded(&words::plain(v)))),
        );
        let source = serde_json::to_value(trial.source)?;
        row.push(source.as_str().unwrap_or_default().to_owned());
        row.push(trial.attempts.to_string());
        row.push(guarded(words::reason(trial).unwrap_or_default()));
        row.push(guarded(&trial.notes.join("; ")));
        writer.write_record(&row)?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

fn jsonl(study: &SharedStudy) -> String {
    study.study().trials().iter().map(|trial| words::trial(study, trial).to_string() + "\n").collect()
}

fn events(study: &SharedStudy) -> Result<String> {
    let lines: Result<Vec<String>, _> = study.study().events().iter().map(serde_json::to_string).collect();
    Ok(lines?.iter().map(|line| format!("{line}\n")).collect())
}
