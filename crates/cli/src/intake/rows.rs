//! From a row to its effect, with everything that is wrong with it.

use std::collections::HashMap;

use elbowroom::space::{Parameter, Point, SearchSpace};
use elbowroom::study::{Results, Study, Tell, Trial, TrialId, TrialState};

use super::{Act, Wishes};
use crate::format::{number, point};
use crate::sheet::{Complaint, Row, RowResult, Sheet, as_planned, is_same_well};

/// Reads rows one by one, and collects complaints.
pub struct Rows<'a> {
    study: &'a Study,
    exported: bool,
    /// Parameters for which the sheet has no column.
    lacks: &'a [String],
    correct: bool,
    /// Whether all rows are new points.
    pub given: bool,
    /// The complaints so far.
    pub complaints: Vec<Complaint>,
    /// A separate space for each parameter, so that a cell can be checked on its own.
    alone: Vec<SearchSpace>,
    wells: Vec<(TrialId, &'a str)>,
    /// Trials with a value, by their points; filled only if corrections look for them.
    valued: HashMap<String, TrialId>,
}

impl<'a> Rows<'a> {
    pub fn new(study: &'a Study, sheet: &'a Sheet, wishes: Wishes) -> Self {
        let parameters = study.space().parameters().iter();
        let valued = study.trials().iter().rev().filter(|trial| wishes.correct && trial.value().is_some());
        Self {
            study,
            exported: sheet.exported,
            lacks: &sheet.lacks,
            correct: wishes.correct,
            given: wishes.given || is_of_another_study(study, sheet),
            complaints: sheet.complaints.clone(),
            alone: parameters.filter_map(|one| SearchSpace::new(vec![one.clone().always()]).ok()).collect(),
            wells: study.trials().iter().filter_map(|trial| Some((trial.id, study.well(trial.id)?))).collect(),
            valued: valued.map(|trial| (trial.point.to_string(), trial.id)).collect(),
        }
    }

    /// The effect of a row, also in words; `None` if it has no effect, or if its effect is not clear.
    pub fn act(&mut self, row: &Row) -> Option<(Act, String)> {
        let id = if self.given { None } else { row.trial.or_else(|| self.in_well(row)) };
        let Some(id) = id else { return self.own_point(row) };
        let Ok(trial) = self.study.trial(id) else {
            let hint = "check that the sheet belongs to this study; --given reads the rows as new points";
            self.complain(row, format!("there is no trial {id}"), hint);
            return None;
        };
        let why = reason(row);
        let stays = if trial.value().is_some() { "; its value stays, and this is recorded as a note" } else { "" };
        Some(match row.result {
            RowResult::Blank if row.others.is_empty() => return None,
            // Further results belong to the trial, whatever the actual settings.
            RowResult::Blank => {
                (Act::Tell(id, report(None, row)), format!("trial {id}: {}", shown(self.study, None, row)))
            }
            RowResult::Failed => {
                (Act::Fail(id, why.to_owned(), others(row)), format!("trial {id} failed: {why}{stays}"))
            }
            RowResult::Infeasible => {
                (Act::Infeasible(id, why.to_owned(), others(row)), format!("trial {id} is infeasible: {why}{stays}"))
            }
            RowResult::Value(value) if is_as_planned(trial, row) => {
                let old = |old: f64| format!(", in addition to {}", number(old));
                let beside = trial.value().filter(|_| !self.correct).map_or_else(String::new, old);
                (
                    Act::Tell(id, report(Some(value), row)),
                    format!("trial {id}: {}{beside}", shown(self.study, Some(value), row)),
                )
            }
            RowResult::Value(value) => {
                let full = self.complete(row, Some(trial))?;
                let (shown, at) = (shown(self.study, Some(value), row), point(&full));
                let words = format!("trial {id}: {shown} at {at} instead, which becomes a new trial");
                self.at_its_trial(Act::Elsewhere(id, full, report(Some(value), row)), words)
            }
        })
    }

    /// A row that does not name a trial.
    fn own_point(&mut self, row: &Row) -> Option<(Act, String)> {
        if row.point.is_none() && !row.is_blank() {
            if row.well.is_none() || self.given {
                self.complain(row, "there is a result without a point".to_owned(), "fill in the parameters' cells");
            }
            return None;
        }
        let full = self.complete(row, None)?;
        let (why, at) = (reason(row), format!("as a new point, {}", point(&full)));
        Some(match row.result {
            RowResult::Blank if row.others.is_empty() => return None,
            RowResult::Blank => (Act::Add(full, report(None, row)), format!("{} {at}", shown(self.study, None, row))),
            RowResult::Value(value) => {
                let words = format!("{} {at}", shown(self.study, Some(value), row));
                self.at_its_trial(Act::Add(full, report(Some(value), row)), words)
            }
            RowResult::Failed => (Act::AddFailed(full, why.to_owned(), others(row)), format!("failed {at}: {why}")),
            RowResult::Infeasible => {
                (Act::AddInfeasible(full, why.to_owned(), others(row)), format!("infeasible {at}: {why}"))
            }
        })
    }

    /// The trial in the well that a row names. A point in the row distinguishes trials that were in the same well of
    /// one plate at different times; without a point only a trial under way can be meant.
    fn in_well(&mut self, row: &Row) -> Option<TrialId> {
        let well = row.well.as_deref()?;
        let there = self.wells.iter().filter(|(_, own)| is_same_well(own, well));
        let there: Vec<&Trial> = there.filter_map(|(id, _)| self.study.trial(*id).ok()).collect();
        let planned: Vec<&Trial> =
            there.iter().copied().filter(|trial| row.point.is_some() && is_as_planned(trial, row)).collect();
        let pending: Vec<&Trial> = there.iter().copied().filter(|trial| trial.is_pending()).collect();
        match (planned.as_slice(), pending.as_slice()) {
            ([one], _) | ([], [one]) => Some(one.id),
            ([], []) if row.point.is_some() => None,
            ([], []) => {
                let what = format!("no running trial is in well {well}");
                self.complain(row, what, "write the trial's number, or keep the parameters' columns");
                None
            }
            ([], several) | (several, _) => {
                let ids: Vec<String> = several.iter().map(|trial| trial.id.to_string()).collect();
                self.complain(
                    row,
                    format!("well {well} holds several trials: {}", ids.join(", ")),
                    "write the trial's number",
                );
                None
            }
        }
    }

    /// Whether a row of an export agrees with its trial, now or when it was exported, except for rounding by a
    /// spreadsheet.
    pub fn stands(&self, act: &Act) -> bool {
        let Some(Ok(trial)) = act.trial().map(|id| self.study.trial(id)).filter(|_| self.exported) else {
            return false;
        };
        match act {
            Act::Tell(_, report) => said_so(trial, report),
            Act::Fail(..) | Act::Infeasible(..) => !matches!(trial.state, TrialState::Pending | TrialState::Withdrawn),
            _ => false,
        }
    }

    /// The known constraint that a measured point breaks.
    pub fn broken_constraint(&self, act: &Act) -> Option<String> {
        let point = match act {
            Act::Add(point, _) | Act::Elsewhere(_, point, _) => point,
            Act::Tell(trial, _) => &self.study.trial(*trial).ok()?.point,
            _ => return None,
        };
        let broken = self.study.space().broken_constraint(point).ok()??;
        Some(broken.text().to_owned())
    }

    /// Turns the addition of a point into a report of the trial that already has values at that point, if values are
    /// corrected.
    fn at_its_trial(&self, act: Act, words: String) -> (Act, String) {
        let (Act::Add(point, report) | Act::Elsewhere(_, point, report)) = &act else { return (act, words) };
        match self.valued.get(&point.to_string()) {
            Some(id) => (Act::Tell(*id, report.clone()), format!("{words}: that is trial {id}")),
            None => (act, words),
        }
    }

    /// A point completed with what the row leaves out: the planned values, or the fixed ones. `None`, with complaints,
    /// if some values are missing or unacceptable.
    fn complete(&mut self, row: &Row, trial: Option<&Trial>) -> Option<Point> {
        let (mut full, mut all_fine) = (Point::new(), true);
        let space = self.study.space();
        for (i, parameter) in space.parameters().iter().enumerate() {
            let name = parameter.name();
            let set = row.point.as_ref().and_then(|point| point.get(name));
            // If a setting differs from the plan, another branch may be meant.
            let planned = trial.filter(|trial| parameter.condition().is_none() || is_as_planned(trial, row));
            let planned = planned.and_then(|trial| trial.point.get(name));
            // A value set as planned has its full digits.
            let value = match (set, planned) {
                (Some(set), Some(planned)) if as_planned(planned, set) => Some(planned),
                (set, planned) => set.or(planned),
            };
            let Some(value) = value else {
                // Fixed values may be left out, and whether a conditional parameter should be there becomes clear once
                // the others are known.
                if parameter.condition().is_none() && !matches!(parameter, Parameter::Fixed { .. }) {
                    let (what, hint) = match self.lacks.iter().any(|lacking| lacking == name) {
                        true => ("column", "add it: a new point needs a value for each parameter"),
                        false => ("value", "fill in the cell"),
                    };
                    self.complain(row, format!("there is no {what} for `{name}`"), hint);
                    all_fine = false;
                }
                continue;
            };
            match self.alone[i].check(&Point::new().with(name, value.clone())) {
                Ok(checked) => full = full.with(name, checked.get(name).unwrap_or(value).clone()),
                Err(error) => {
                    self.complaints.push(Complaint::from_error(row.line, &error));
                    all_fine = false;
                }
            }
        }
        let full = all_fine.then(|| space.with_fixed(full))?;
        match space.check(&full) {
            Ok(checked) => Some(checked),
            Err(error) => {
                self.complaints.push(Complaint::from_error(row.line, &error));
                None
            }
        }
    }

    fn complain(&mut self, row: &Row, what: String, hint: &str) {
        self.complaints.push(Complaint::new(row.line, what, hint));
    }
}

/// Whether an export is from another study: most of its rows name trials that do not exist here, or that are at other
/// points.
fn is_of_another_study(study: &Study, sheet: &Sheet) -> bool {
    let rows: Vec<(TrialId, &Row)> =
        sheet.rows.iter().filter(|row| row.point.is_some()).filter_map(|row| Some((row.trial?, row))).collect();
    let is_here = |(id, row): &&(TrialId, &Row)| study.trial(*id).is_ok_and(|trial| is_as_planned(trial, row));
    sheet.exported && !rows.is_empty() && 2 * rows.iter().filter(is_here).count() <= rows.len()
}

/// Whether a row leaves its trial's point as it was planned.
fn is_as_planned(trial: &Trial, row: &Row) -> bool {
    let same = |(name, set): (&str, _)| trial.point.get(name).is_some_and(|planned| as_planned(planned, set));
    row.point.as_ref().is_none_or(|point| point.iter().all(same))
}

/// Whether the trial's value is this one, or was at some time, and its other results agree with the report.
fn said_so(trial: &Trial, report: &Tell) -> bool {
    let alike = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) => a == b || (a - b).abs() <= 1e-14 * a.abs().max(b.abs()),
        (a, b) => a == b,
    };
    if !report.results.named().all(|(name, told)| alike(trial.result(name), Some(told.value))) {
        return false;
    }
    let Some(value) = report.results.bare() else { return true };
    let TrialState::Complete { measurements } = &trial.state else { return false };
    (1..=measurements.len()).rev().any(|n| {
        let mut then = trial.clone();
        then.state = TrialState::Complete { measurements: measurements[..n].to_vec() };
        alike(then.value(), Some(value)) && alike(then.noise(), report.noise)
    })
}

fn reason(row: &Row) -> &str {
    if row.comment.is_empty() { "no reason was given" } else { &row.comment }
}

/// The results of a row other than the optimized one.
fn others(row: &Row) -> Results {
    row.others.iter().cloned().collect()
}

/// All results of a row in words. The optimized one is named if there are others.
fn shown(study: &Study, value: Option<f64>, row: &Row) -> String {
    let name = study.outcomes().metric();
    let bare = |value| if row.others.is_empty() { number(value) } else { format!("{name}={}", number(value)) };
    let others = row.others.iter().map(|(name, value)| format!("{name}={}", number(*value)));
    value.map(bare).into_iter().chain(others).collect::<Vec<_>>().join(" ")
}

fn report(value: Option<f64>, row: &Row) -> Tell {
    let bare = value.map_or_else(Results::default, Results::from);
    let results = row.others.iter().fold(bare, |results, (name, value)| results.with(name, *value));
    let mut report = Tell::new(results);
    report.noise = row.noise.filter(|_| value.is_some());
    report.comment = (!row.comment.is_empty()).then(|| row.comment.clone());
    report
}
