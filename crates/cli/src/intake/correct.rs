//! Corrections: what rows say takes the place of what was told before.

use std::collections::BTreeMap;

use anyhow::Result;
use elbowroom::study::{MeasurementKind, Study, Trial, TrialId, TrialState};

use super::{Act, Change, fitting};

/// What rows say of a trial takes the place of what it had: the first as a correction, the others beside it. If it is what
/// it has, nothing changes.
pub fn correct_all(study: &Study, changes: &mut [Change]) -> Result<()> {
    let mut rows: BTreeMap<TrialId, Vec<&mut Change>> = BTreeMap::new();
    for change in changes {
        if let Act::Tell(trial, _) = &change.act {
            rows.entry(*trial).or_default().push(change);
        }
    }
    for (id, mut rows) in rows {
        let trial = study.trial(id)?;
        if trial.value().is_none() {
            continue;
        }
        let key = |value: f64, noise: Option<f64>| (value.to_bits(), noise.map(f64::to_bits));
        let mut has: Vec<_> = trial.measurements().iter().map(|m| key(m.value, m.noise)).collect();
        let mut told: Vec<_> = rows.iter().filter_map(|row| row.act.told()).map(|r| key(r.value, r.noise)).collect();
        has.sort_unstable();
        told.sort_unstable();
        let known = has == told || rows.iter().all(|row| row.stands);
        let number = n_corrections(trial) + 1;
        for (i, row) in rows.iter_mut().enumerate() {
            row.known = known;
            // Values may come back that were corrected before.
            row.request = fitting(format!("{}, correction {number}", row.request));
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
