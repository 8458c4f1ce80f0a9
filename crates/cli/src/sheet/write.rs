//! A sheet to fill in.

use anyhow::Result;
use elbowroom::space::{Parameter, Point, SearchSpace, Value};
use elbowroom::study::{Outcomes, TrialId};
use elbowroom_view::cells::{column, guarded, result_column, value_column};

use crate::format::number;

/// A planned trial.
pub struct Planned<'a> {
    /// Its number.
    pub trial: TrialId,
    /// Its point.
    pub point: &'a Point,
    /// Its position on a plate.
    pub well: Option<String>,
}

/// Writes a sheet, with a column for each reported result.
pub fn write(space: &SearchSpace, outcomes: &Outcomes, planned: &[Planned<'_>]) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let with_wells = planned.iter().any(|planned| planned.well.is_some());
    let names: Vec<&str> = space.parameters().iter().map(Parameter::name).collect();
    let mut head = vec!["trial".to_owned()];
    head.extend(with_wells.then(|| "well".to_owned()));
    head.extend(names.iter().map(|name| guarded(&column(name))));
    let told = outcomes.watched().filter(|name| !outcomes.is_computed(name));
    let mut others: Vec<String> = told.map(|name| guarded(&result_column(name))).collect();
    let value = value_column(outcomes);
    let by_name = value.as_deref() != Some("value");
    // People know standard deviations; if a parameter has that name, the variance must do.
    let spread = if names.contains(&"sd") { "noise" } else { "sd" };
    head.extend(value.into_iter().flat_map(|value| [guarded(&value), spread.to_owned()]));
    // If all results have names, they are kept together.
    others.insert(if by_name { others.len() } else { 0 }, "comment".to_owned());
    head.extend(others);
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

/// A value as a person can set it: floats rounded to six digits.
fn settable(value: &Value) -> String {
    match value {
        Value::Float(x) => number(*x),
        Value::Text(text) => guarded(text),
        other => other.to_string(),
    }
}
