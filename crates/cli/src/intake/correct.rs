//! Corrections: results in rows replace what was reported before.

use std::collections::BTreeMap;

use anyhow::Result;
use elbowroom::study::{MeasurementKind, Study, Trial, TrialId, TrialState};

use super::{Act, Change, fitting};

/// Replaces the results of a trial by those in its rows: the first row is a correction, the others are added to it. If
/// the trial has the same results already, nothing changes.
pub fn correct_all(study: &Study, changes: &mut [Change]) -> Result<()> {
    let mut rows: BTreeMap<TrialId, Vec<&mut Change>> = BTreeMap::new();
    for change in changes {
        if let Act::Tell(trial, _) = &change.act {
            rows.entry(*trial).or_default().push(change);
        }
    }
    for (id, mut rows) in rows {
        let trial = study.trial(id)?;
        correct_others(study, trial, &mut rows);
        if trial.value().is_none() || rows.iter().all(|row| value(row).is_none()) {
            continue;
        }
        rows.retain(|row| value(row).is_some());
        let key = |value: f64, noise: Option<f64>| (value.to_bits(), noise.map(f64::to_bits));
        let mut has: Vec<_> = trial.measurements().iter().map(|m| key(m.value, m.noise)).collect();
        let mut told: Vec<_> = rows.iter().filter_map(|row| Some(key(value(row)?, row.act.told()?.noise))).collect();
        has.sort_unstable();
        told.sort_unstable();
        let same_others = rows.iter().all(|row| has_others(trial, row));
        let known = (has == told && same_others) || rows.iter().all(|row| row.stands);
        let number = n_corrections(trial) + 1;
        for (i, row) in rows.iter_mut().enumerate() {
            row.known = known;
            // Values that were corrected before may come back.
            row.request = fitting(format!("{}, correction {number}", row.request));
            if let (Act::Tell(_, report), 0) = (&mut row.act, i) {
                *report = report.clone().correction();
                row.words += ", instead of its earlier values";
            }
        }
    }
    Ok(())
}

/// The value that a row reports.
fn value(row: &Change) -> Option<f64> {
    row.act.told()?.results.bare()
}

/// Whether a trial has the results that a row reports besides its value.
fn has_others(trial: &Trial, row: &Change) -> bool {
    let told = row.act.told().into_iter().flat_map(|report| report.results.named());
    told.into_iter().all(|(name, told)| trial.result(name) == Some(told.value))
}

/// Rows without a value replace the trial's earlier results of the same names.
fn correct_others(study: &Study, trial: &Trial, rows: &mut [&mut Change]) {
    for row in rows.iter_mut().filter(|row| value(row).is_none()) {
        row.known = row.stands || has_others(trial, row);
        let known = |(name, _)| trial.result(name).is_some();
        let Act::Tell(_, report) = &mut row.act else { continue };
        if report.results.named().any(known) {
            *report = report.clone().correction();
            // Values that were corrected before may come back.
            row.request = fitting(format!("{}, correction at {}", row.request, study.events().len()));
            row.words += ", instead of its earlier results";
        }
    }
}

fn n_corrections(trial: &Trial) -> usize {
    let TrialState::Complete { measurements } = &trial.state else { return 0 };
    measurements.iter().filter(|m| m.kind == MeasurementKind::Correction).count()
}
