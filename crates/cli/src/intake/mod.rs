//! From the rows of a sheet to what they change in a study.
//!
//! Each row that is not blank becomes one change with its own name, so importing the same sheet again changes nothing,
//! whoever does it.

mod act;
mod correct;
mod rows;

use std::collections::{HashMap, HashSet};

use anyhow::Result;
use elbowroom::space::Point;
use elbowroom::study::{Event, Results, Study, Tell, TrialId, Watched};
use elbowroom_store::{Digest, Time, check_name};

use crate::sheet::{Row, RowResult, Sheet, all_of};
use act::Act;
use rows::Rows;

/// The changes from a sheet.
pub struct Plan {
    /// One for each row that is not blank.
    pub changes: Vec<Change>,
    /// Whether its rows are read as new points, whatever trials they name.
    pub given: bool,
}

/// One thing to write, under a name.
pub struct Change {
    /// The row's line.
    pub line: usize,
    /// Its effect, in words.
    pub words: String,
    /// The known constraint that the measured point breaks.
    pub breaks: Option<String>,
    /// Whether the study has it already.
    pub known: bool,
    request: String,
    /// Whether it is a row of an export that agrees with a present or past state of its trial.
    stands: bool,
    act: Act,
}

/// Options of the import besides the sheet.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wishes {
    /// Values replace the earlier ones of their trials.
    pub correct: bool,
    /// Rows are new points, whatever trials they name.
    pub given: bool,
}

/// The changes that a sheet makes to a study in its current state; everything wrong with it is one error.
pub fn plan(study: &Study, sheet: &Sheet, wishes: Wishes) -> Result<Plan> {
    let mut rows = Rows::new(study, sheet, wishes);
    let mut changes = Vec::new();
    // Equal rows of a trial are replicates, so the name of a row includes its ordinal among its equals.
    let mut seen: HashMap<String, usize> = HashMap::new();
    for row in sheet.rows.iter().filter(|row| !row.is_blank()) {
        let late = if rows.given || wishes.correct { None } else { late_results(study, row) };
        let row = late.as_ref().unwrap_or(row);
        let Some((act, words)) = rows.act(row) else { continue };
        let breaks = rows.broken_constraint(&act);
        let name = name(row, act.trial().filter(|_| !rows.given));
        let copies = seen.entry(name.clone()).or_default();
        *copies += 1;
        let request = if *copies == 1 { name } else { format!("{name}, number {copies}") };
        let request = fitting(request);
        let stands = rows.stands(&act);
        let known = stands || study.reported(&request).is_some();
        let words = match &breaks {
            Some(constraint) => format!("{words}, which breaks the constraint `{constraint}`"),
            None => words,
        };
        changes.push(Change { line: row.line, words, breaks, known, request, stands, act });
    }
    if !rows.complaints.is_empty() {
        return Err(all_of(rows.complaints));
    }
    if wishes.correct {
        correct::correct_all(study, &mut changes)?;
    }
    Ok(Plan { changes, given: rows.given })
}

impl Plan {
    /// The changes that the study does not have yet.
    pub fn news(&self) -> impl Iterator<Item = &Change> {
        self.changes.iter().filter(|change| !change.known)
    }

    /// The same changes as events that follow the study's own.
    pub fn events(&self, study: &Study) -> Result<Vec<Event>> {
        let outcomes = study.outcomes();
        let mut events = Vec::new();
        let mut next = study.trials().len() as u64;
        let mut released = HashSet::new();
        for Change { act, request, .. } in self.news() {
            let request = Some(request.clone());
            let failure = request.as_ref().map(|request| fitting(format!("{request}, its failure")));
            let new = TrialId(next);
            let begun = |point: &Point| Event::begun(new, point, request.clone());
            // Results measured in a trial without a value.
            let aside = |trial: TrialId, others: Results| {
                if others.is_empty() {
                    return Ok(None);
                }
                let mut report = Tell::new(others);
                report.request = request.as_ref().map(|request| fitting(format!("{request}, its results")));
                report.into_event(trial, outcomes).map(Some)
            };
            match act.clone() {
                Act::Tell(trial, mut report) => {
                    report.request = request;
                    events.push(report.into_event(trial, outcomes)?);
                    continue;
                }
                Act::Fail(trial, reason, others) => {
                    events.extend(aside(trial, others)?);
                    events.push(Event::Failed { trial, reason, results: Watched::NONE, request });
                    continue;
                }
                Act::Infeasible(trial, reason, others) => {
                    events.extend(aside(trial, others)?);
                    events.push(Event::Infeasible { trial, reason, request });
                    continue;
                }
                Act::Add(point, mut report) | Act::Elsewhere(_, point, mut report) => {
                    report.request = request.clone();
                    match report.clone().into_event(new, outcomes)? {
                        Event::Failed { .. } => {
                            report.request = failure;
                            events.extend([begun(&point), report.into_event(new, outcomes)?]);
                        }
                        told => events.push(Event::added(new, &point, told)),
                    }
                }
                Act::AddFailed(point, reason, others) => {
                    events.push(begun(&point));
                    events.extend(aside(new, others)?);
                    events.push(Event::Failed { trial: new, reason, results: Watched::NONE, request: failure });
                }
                Act::AddInfeasible(point, reason, others) => {
                    events.push(begun(&point));
                    events.extend(aside(new, others)?);
                    events.push(Event::Infeasible { trial: new, reason, request: failure });
                }
            }
            next += 1;
            if let Act::Elsewhere(trial, ..) = act
                && study.trial(*trial).is_ok_and(|trial| trial.is_pending())
                && released.insert(*trial)
            {
                events.push(Event::Withdrawn { trial: *trial, request: None });
            }
        }
        Ok(events)
    }
}

/// The largest number of results in a row for which parts are searched.
const MOST_PARTS: usize = 8;

/// The rest of a row, if parts of it were imported before, while some of its results were still missing. If nothing is
/// left, the last such part, which the study has already. `None` for a row that was imported in one piece, or not at
/// all.
fn late_results(study: &Study, row: &Row) -> Option<Row> {
    let (mut rest, mut is_late) = (row.clone(), false);
    while let Some((part, left)) = imported_part(study, &rest) {
        if left.is_blank() {
            return is_late.then_some(part);
        }
        (rest, is_late) = (left, true);
    }
    is_late.then_some(rest)
}

/// A part of a row that was imported, and the rest of the row.
fn imported_part(study: &Study, row: &Row) -> Option<(Row, Row)> {
    let n = row.others.len();
    let subsets = if n <= MOST_PARTS { 1_usize << n } else { 0 };
    (0..subsets).rev().find_map(|subset| {
        let is_in = |i: usize| subset >> i & 1 == 1;
        let those = |wanted: bool| {
            let chosen = row.others.iter().enumerate().filter(|(i, _)| is_in(*i) == wanted);
            chosen.map(|(_, other)| other.clone()).collect::<Vec<_>>()
        };
        let part = Row { others: those(true), ..row.clone() };
        let id = study.reported(&fitting(name(&part, part.trial)))?;
        let left = Row { trial: Some(id), result: RowResult::Blank, noise: None, others: those(false), ..row.clone() };
        (!part.is_blank()).then_some((part, left))
    })
}

/// The name of a row: the same row has the same name, wherever it is in the sheet.
fn name(row: &Row, trial: Option<TrialId>) -> String {
    let trial = trial.map_or_else(|| "own point".to_owned(), |trial| format!("trial {trial}"));
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
    let others: String = row.others.iter().map(|(name, value)| format!(", {name} {value:?}")).collect();
    format!("import: {trial} {result}{others}{point}")
}

/// A name that a store accepts: a long one is shortened to its digest.
fn fitting(name: String) -> String {
    if check_name("", &name).is_ok() { name } else { format!("import: {}", Digest::EMPTY.then(Time(0), &name)) }
}
