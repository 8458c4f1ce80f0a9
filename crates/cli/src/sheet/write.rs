//! A sheet to fill in.

use anyhow::Result;
use elbowroom::space::{Parameter, Point, SearchSpace, Value};
use elbowroom::study::TrialId;
use elbowroom_view::cells::{column, guarded, result_column};

use crate::format::number;

/// A planned trial.
pub struct Planned<'a> {
    /// Its number.
    pub trial: TrialId,
    /// Its point.
    pub point: &'a Point,
    /// Its place on a plate.
    pub well: Option<String>,
}

/// Writes a sheet, with a column for each result besides the optimized one.
pub fn write(space: &SearchSpace, watched: &[&str], planned: &[Planned<'_>]) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let with_wells = planned.iter().any(|planned| planned.well.is_some());
    let names: Vec<&str> = space.parameters().iter().map(Parameter::name).collect();
    let mut head = vec!["trial".to_owned()];
    head.extend(with_wells.then(|| "well".to_owned()));
    head.extend(names.iter().map(|name| guarded(&column(name))));
    // People know standard deviations; where a parameter has that name, the variance has to do.
    let spread = if names.contains(&"sd") { "noise" } else { "sd" };
    head.extend(["value", spread, "comment"].map(str::to_owned));
    head.extend(watched.iter().map(|name| guarded(&result_column(name))));
    writer.write_record(&head)?;
    for planned in planned {
        let mut row = vec![planned.trial.to_string()];
        row.extend(with_wells.then(|| planned.well.clone().unwrap_or_default()));
        row.extend(names.iter().map(|name| planned.point.get(name).map_or_else(String::new, settable)));
        row.resize(head.len(), String::new());
        writer.write_record(&row)?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

/// A value as a person can set it: floats to six digits.
fn settable(value: &Value) -> String {
    match value {
        Value::Float(x) => number(*x),
        Value::Text(text) => guarded(text),
        other => other.to_string(),
    }
}
