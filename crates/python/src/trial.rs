//! Trials as plain dicts, from which Python makes its own class.

use elbowroom::study::{MeasurementKind, Recommendation, Results, Source, Trial, TrialState};
use elbowroom_store::TrialStatus;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::value::point_to_python;

/// A trial with its standing; `attempt` is the one in this process's hands, if it is.
pub fn trial_to_python<'py>(
    py: Python<'py>,
    trial: &Trial,
    status: TrialStatus,
    attempt: Option<u32>,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("number", trial.id.0)?;
    dict.set_item("params", point_to_python(py, &trial.point)?)?;
    dict.set_item("value", trial.value())?;
    dict.set_item("noise", trial.noise())?;
    let results = PyDict::new(py);
    for (name, value) in trial.results() {
        results.set_item(name, value)?;
    }
    dict.set_item("results", results)?;
    dict.set_item("state", status.word())?;
    dict.set_item("source", source_name(trial.source))?;
    let reason = match &trial.state {
        TrialState::Failed { reason } | TrialState::Infeasible { reason, .. } => Some(reason),
        _ => None,
    };
    dict.set_item("reason", reason)?;
    dict.set_item("attempts", trial.attempts)?;
    dict.set_item("attempt", attempt)?;
    let measurements = PyList::empty(py);
    if let TrialState::Complete { measurements: all } | TrialState::Infeasible { measurements: all, .. } = &trial.state
    {
        for one in all {
            measurements.append((one.value, one.noise, kind_name(one.kind)))?;
        }
    }
    dict.set_item("measurements", measurements.to_tuple())?;
    dict.set_item("notes", &trial.notes)?;
    dict.set_item("unit", trial.unit.to_vec())?;
    Ok(dict)
}

/// What is told of a trial: a number, or a dict of them by name.
pub fn results_from_python(told: &Bound<'_, PyAny>) -> PyResult<Results> {
    match told.cast::<PyDict>() {
        Ok(named) => {
            named.iter().map(|(name, value)| Ok((name.extract::<String>()?, value.extract::<f64>()?))).collect()
        }
        Err(_) => Ok(Results::from(told.extract::<f64>()?)),
    }
}

/// A recommended point.
pub fn recommendation_to_python<'py>(py: Python<'py>, found: &Recommendation) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("params", point_to_python(py, &found.point)?)?;
    dict.set_item("mean", found.mean)?;
    dict.set_item("sd", found.sd)?;
    dict.set_item("trial", found.trial.map(|id| id.0))?;
    dict.set_item("fallback", found.fallback.as_deref())?;
    Ok(dict)
}

fn source_name(source: Source) -> &'static str {
    match source {
        Source::Design => "design",
        Source::Model => "model",
        Source::Random => "random",
        Source::Given => "given",
    }
}

fn kind_name(kind: MeasurementKind) -> &'static str {
    match kind {
        MeasurementKind::First => "first",
        MeasurementKind::Replicate => "replicate",
        MeasurementKind::Late => "late",
        MeasurementKind::Correction => "correction",
    }
}
