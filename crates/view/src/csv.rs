//! Trials as CSV, for spreadsheets.

use crate::axis::text;
use crate::cells::{column, guarded, result_column, value_column};
use crate::scene::Scene;
use elbowroom::space::Value;

/// A row for each trial and a column for each result: that of the first objective before the parameters, called `value`
/// unless there are several objectives or limits, and the others at the end. A text that a spreadsheet would run as a
/// formula gets a leading apostrophe.
///
/// ```
/// use elbowroom::space::{Parameter, SearchSpace};
/// use elbowroom::study::{Study, StudyConfig};
/// use elbowroom_view::{Scene, csv::csv};
///
/// let space = SearchSpace::new(vec![Parameter::category("gas", ["=1+1", "Ar"])])?;
/// let mut study = Study::new(StudyConfig::new(space))?;
/// study.ask(2)?;
/// let csv = csv(&Scene::alone("plate", &study));
/// assert!(csv.starts_with("trial,state,value,noise,gas,source,attempts,reason,notes\n"));
/// assert!(csv.contains(",'=1+1,") && !csv.contains(",=1+1,"));
///
/// study.tell(study.trials()[0].id, [("value", 0.5), ("minutes", 12.0)])?;
/// let csv = elbowroom_view::csv::csv(&Scene::alone("plate", &study));
/// assert!(csv.starts_with("trial,state,value,noise,gas,source,attempts,reason,notes,minutes\n0,complete,0.5,"));
/// assert!(csv.contains(",12.0\n1,"));
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
pub fn csv(scene: &Scene<'_>) -> String {
    let parameters = scene.study.space().parameters();
    let names = parameters.iter().map(|p| guarded(&column(p.name())));
    let outcomes = scene.study.outcomes();
    let value = value_column(outcomes).unwrap_or_else(|| result_column(outcomes.metric()));
    let mut head: Vec<String> = ["trial", "state", &guarded(&value), "noise"].map(str::to_owned).into();
    head.extend(names);
    head.extend(["source", "attempts", "reason", "notes"].map(str::to_owned));
    let watched: Vec<&str> = outcomes.watched().collect();
    head.extend(watched.iter().map(|name| guarded(&result_column(name))));
    let mut out = line(&head);
    let full = |x: Option<f64>| x.map_or_else(String::new, |x| format!("{x:?}"));
    for trial in scene.study.trials() {
        let mut row = vec![trial.id.to_string(), scene.status(trial).word().to_owned()];
        row.extend([full(trial.value()), full(trial.noise())]);
        row.extend(parameters.iter().map(|parameter| match trial.point.get(parameter.name()) {
            Some(Value::Float(x)) => full(Some(*x)),
            Some(other) => guarded(&text(other)),
            None => String::new(),
        }));
        let source = serde_json::to_value(trial.source).ok();
        row.push(source.as_ref().and_then(|word| word.as_str()).unwrap_or_default().to_owned());
        row.push(trial.attempts.to_string());
        row.push(guarded(trial.reason().unwrap_or_default()));
        row.push(guarded(&trial.notes.join("; ")));
        row.extend(watched.iter().map(|name| full(trial.result(name))));
        out += &line(&row);
    }
    out
}

fn line(cells: &[String]) -> String {
    let quoted = |cell: &String| match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.clone(),
    };
    cells.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n"
}
