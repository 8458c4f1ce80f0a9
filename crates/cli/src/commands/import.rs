//! `elbow import`: results from a sheet, shown as a difference before anything is written.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, IsTerminal, Read, Write};

use anyhow::Result;
use elbowroom::space::Point;
use elbowroom::study::{MeasurementKind, Report, Trial, TrialId, TrialState};
use elbowroom_store::{About, SharedStudy};
use serde_json::json;

use super::answer;
use crate::args::Import;
use crate::fault::fault;
use crate::place::Place;
use crate::sheet::{Row, RowResult, as_planned, read};
use crate::words::{number, point};

/// The largest file.
const MOST_BYTES: u64 = 20 << 20;

/// Reads the sheet, shows what it changes, and writes it if that is wanted.
pub fn import(args: &Import, json: bool) -> Result<()> {
    let shown = args.file.display();
    let mut bytes = Vec::new();
    let file = std::fs::File::open(&args.file)
        .map_err(|error| fault(format!("{shown} could not be read: {error}"), "name the filled-in sheet"))?;
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(fault(format!("{shown} has more than {} MB", MOST_BYTES >> 20), "import it in parts"));
    }
    let mut study = Place::find(&args.study.clone().into())?.open()?;
    let rows = read(&bytes, study.study().space()).map_err(|error| anyhow::anyhow!("{shown}, {error}"))?;
    let changes = plan(&study, &rows, args.correct).map_err(|error| anyhow::anyhow!("{shown}, {error}"))?;
    let n_blank = rows.iter().filter(|row| row.result == RowResult::Blank).count();
    let new: Vec<&Change> = changes.iter().filter(|change| !change.known).collect();
    if !json {
        for change in &new {
            println!("line {}: {}", change.line, crate::words::safe(&change.words));
        }
        println!("{} new, {} known already, {n_blank} still blank", new.len(), changes.len() - new.len());
    }
    let write = !new.is_empty() && (args.yes || (!json && confirmed()?));
    if write {
        for change in &new {
            change.apply(&mut study)?;
        }
    }
    answer(
        json,
        || {
            let listed: Vec<_> = new.iter().map(|c| json!({ "line": c.line, "what": c.words })).collect();
            json!({ "changes": listed, "known": changes.len() - new.len(), "blank": n_blank, "written": write })
        },
        || match (write, new.is_empty()) {
            (true, _) => "written\n".to_owned(),
            (false, true) => "there is nothing to write\n".to_owned(),
            (false, false) => "nothing is written; --yes writes it\n".to_owned(),
        },
    )
}

fn confirmed() -> Result<bool> {
    if !std::io::stdin().is_terminal() {
        return Ok(false);
    }
    print!("write this? [y/N] ");
    std::io::stdout().flush()?;
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}

/// One thing to write, under a name: the same sheet again changes nothing.
struct Change {
    line: usize,
    words: String,
    request: String,
    /// Whether it is a row of an export that says what its trial says.
    stands: bool,
    known: bool,
    act: Act,
}

enum Act {
    Tell(TrialId, Report),
    Fail(TrialId, String),
    Infeasible(TrialId, String),
    /// Measured elsewhere than planned: the trial is given up, and the point added.
    Elsewhere(TrialId, Point, Report),
    Add(Point, Report),
}

impl Change {
    /// What it tells of a trial.
    fn told(&self) -> Option<&Report> {
        match &self.act {
            Act::Tell(_, report) => Some(report),
            _ => None,
        }
    }

    fn apply(&self, study: &mut SharedStudy) -> Result<()> {
        let about = |trial: TrialId| About::from(trial).request(self.request.clone());
        match &self.act {
            Act::Tell(trial, report) => {
                study.tell(about(*trial), report.clone())?;
            }
            Act::Fail(trial, why) => {
                study.fail(about(*trial), why)?;
            }
            Act::Infeasible(trial, why) => {
                study.infeasible(about(*trial), why)?;
            }
            Act::Add(point, report) => {
                study.add(point, report.clone().request(self.request.clone()))?;
            }
            Act::Elsewhere(trial, point, report) => {
                study.add(point, report.clone().request(self.request.clone()))?;
                if study.study().trial(*trial)?.is_pending() {
                    study.release(*trial)?;
                }
            }
        }
        Ok(())
    }
}

fn plan(study: &SharedStudy, rows: &[Row], correct: bool) -> Result<Vec<Change>> {
    let mut changes = Vec::new();
    // Equal rows of a trial are replicates: the how-manieth a row is belongs to its name.
    let mut seen: HashMap<String, usize> = HashMap::new();
    for row in rows.iter().filter(|row| row.result != RowResult::Blank) {
        let Some((act, words)) = act(study, row, correct)? else { continue };
        let (act, words) = if correct { at_its_trial(study, act, words) } else { (act, words) };
        let name = format!("import: {}", name(row));
        let copies = seen.entry(name.clone()).or_default();
        *copies += 1;
        let request = if *copies == 1 { name } else { format!("{name}, number {copies}") };
        let stands = row.exported && stands_there(study, &act)?;
        let known = stands || study.study().reported(&request).is_some();
        changes.push(Change { line: row.line, words, request, stands, known, act });
    }
    if correct {
        correct_all(study, &mut changes)?;
    }
    Ok(changes)
}

/// Whether a row of an export says what its trial says, give or take what a spreadsheet rounds off.
fn stands_there(study: &SharedStudy, act: &Act) -> Result<bool> {
    let Act::Tell(trial, report) = act else { return Ok(false) };
    let trial = study.study().trial(*trial)?;
    let alike = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) => a == b || (a - b).abs() <= 1e-14 * a.abs().max(b.abs()),
        (a, b) => a == b,
    };
    Ok(alike(trial.value(), Some(report.value)) && alike(trial.noise(), report.noise))
}

/// A row that would add a point, as one of the trial that has values of that point already.
fn at_its_trial(study: &SharedStudy, act: Act, words: String) -> (Act, String) {
    let (Act::Add(point, report) | Act::Elsewhere(_, point, report)) = &act else { return (act, words) };
    let same = |trial: &&Trial| trial.value().is_some() && trial.point == *point;
    match study.study().trials().iter().find(same) {
        Some(trial) => (Act::Tell(trial.id, report.clone()), format!("{words}: that is trial {}", trial.id)),
        None => (act, words),
    }
}

/// What rows say of a trial takes the place of what it had: the first as a correction, the others beside it. If it is what
/// it has, nothing changes.
fn correct_all(study: &SharedStudy, changes: &mut [Change]) -> Result<()> {
    let mut rows: BTreeMap<TrialId, Vec<&mut Change>> = BTreeMap::new();
    for change in changes {
        if let Act::Tell(trial, _) = &change.act {
            rows.entry(*trial).or_default().push(change);
        }
    }
    for (id, mut rows) in rows {
        let trial = study.study().trial(id)?;
        if trial.value().is_none() {
            continue;
        }
        let key = |value: f64, noise: Option<f64>| (value.to_bits(), noise.map(f64::to_bits));
        let mut has: Vec<_> = trial.measurements().iter().map(|m| key(m.value, m.noise)).collect();
        let mut told: Vec<_> = rows.iter().filter_map(|row| row.told()).map(|r| key(r.value, r.noise)).collect();
        has.sort_unstable();
        told.sort_unstable();
        let known = has == told || rows.iter().all(|row| row.stands);
        let number = n_corrections(trial) + 1;
        for (i, row) in rows.iter_mut().enumerate() {
            row.known = known;
            // Values may come back that were corrected before.
            row.request = format!("{}, correction {number}", row.request);
            if let (Act::Tell(_, report), 0) = (&mut row.act, i) {
                *report = report.clone().correction();
                row.words += ", instead of its earlier values";
            }
        }
    }
    Ok(())
}

fn n_corrections(trial: &Trial) -> usize {
    let TrialState::Complete { measurements } = &trial.state else { return 0 };
    measurements.iter().filter(|m| m.kind == MeasurementKind::Correction).count()
}

/// What a row is called: the same row has the same name, wherever it stands.
fn name(row: &Row) -> String {
    let trial = row.trial.map_or_else(|| "own point".to_owned(), |trial| format!("trial {trial}"));
    let result = match row.result {
        RowResult::Value(value) => match row.noise {
            None => format!("{value:?}"),
            Some(noise) => format!("{value:?} with noise {noise:?}"),
        },
        RowResult::Failed => "failed".to_owned(),
        RowResult::Infeasible => "infeasible".to_owned(),
        RowResult::Blank => "blank".to_owned(),
    };
    let point = row.point.as_ref().map_or_else(String::new, |point| format!(" at {point}"));
    format!("{trial} {result}{point}")
}

fn act(study: &SharedStudy, row: &Row, correct: bool) -> Result<Option<(Act, String)>> {
    let why = if row.comment.is_empty() { "no reason was given" } else { &row.comment };
    let wrong = |what: String, hint: &str| fault(format!("line {}: {what}", row.line), hint);
    let Some(id) = row.trial else {
        let (Some(set), RowResult::Value(value)) = (&row.point, row.result) else { return Ok(None) };
        let point = complete(study, set, None).map_err(|error| wrong(error.to_string(), "mend the row"))?;
        let words = format!("{} at a point of your own, {}", number(value), crate::words::point(&point));
        return Ok(Some((Act::Add(point, report(value, row)), words)));
    };
    let trial = study
        .study()
        .trial(id)
        .map_err(|_| wrong(format!("there is no trial {id}"), "check that the sheet is of this study"))?;
    let stays = if trial.value().is_some() { "; it has a value, which stays, and this is noted" } else { "" };
    Ok(Some(match row.result {
        RowResult::Failed => (Act::Fail(id, why.to_owned()), format!("trial {id} failed: {why}{stays}")),
        RowResult::Infeasible => {
            (Act::Infeasible(id, why.to_owned()), format!("trial {id} is infeasible: {why}{stays}"))
        }
        RowResult::Blank => return Ok(None),
        RowResult::Value(value) => match set_otherwise(trial, row) {
            None => {
                let old = |old: f64| format!(", beside {}", number(old));
                let beside = trial.value().filter(|_| !correct).map_or_else(String::new, old);
                (Act::Tell(id, report(value, row)), format!("trial {id}: {}{beside}", number(value)))
            }
            Some(set) => {
                let full =
                    complete(study, set, Some(trial)).map_err(|error| wrong(error.to_string(), "mend the row"))?;
                let words = format!(
                    "trial {id}: {} at {} instead, which becomes a trial of its own",
                    number(value),
                    point(&full)
                );
                (Act::Elsewhere(id, full, report(value, row)), words)
            }
        },
    }))
}

fn report(value: f64, row: &Row) -> Report {
    let mut report = Report::new(value);
    report.noise = row.noise;
    report.comment = (!row.comment.is_empty()).then(|| row.comment.clone());
    report
}

/// The row's point, if it is not the planned one.
fn set_otherwise<'a>(trial: &Trial, row: &'a Row) -> Option<&'a Point> {
    let differs = |point: &&Point| {
        point.iter().any(|(name, set)| trial.point.get(name).is_none_or(|planned| !as_planned(planned, set)))
    };
    row.point.as_ref().filter(differs)
}

/// A point with what the row leaves out: the planned values, or the fixed ones.
fn complete(study: &SharedStudy, set: &Point, trial: Option<&Trial>) -> Result<Point> {
    let space = study.study().space();
    let mut point = Point::new();
    for parameter in space.parameters() {
        let name = parameter.name();
        let planned = trial.and_then(|trial| trial.point.get(name));
        let fixed = match parameter {
            elbowroom::space::Parameter::Fixed { value, .. } => Some(value),
            _ => None,
        };
        // What was set as planned has its full digits.
        let value = match (set.get(name), planned) {
            (Some(set), Some(planned)) if as_planned(planned, set) => Some(planned),
            (set, planned) => set.or(planned).or(fixed),
        };
        if let Some(value) = value {
            point = point.with(name, value.clone());
        }
    }
    Ok(space.check(&point)?)
}
