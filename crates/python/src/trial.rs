//! Answers as JSON, from which Python creates its own classes, and reports from Python.

use elbowroom::error::Error;
use elbowroom::study::{Results, Trial};
use elbowroom_store::{SharedStudy, StatusAnswer};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Serialize;

use crate::error::BindingError;

/// A trial as JSON, in the terms of the command and of HTTP, and its point in the unit cube.
pub type Row = (String, Vec<f64>);

/// A trial of its study.
pub fn row_of(shared: &SharedStudy, trial: &Trial) -> Result<Row, BindingError> {
    Ok((in_json(&StatusAnswer::of(shared, trial))?, trial.unit.to_vec()))
}

/// An answer as JSON.
pub fn in_json<T: Serialize + ?Sized>(answer: &T) -> Result<String, BindingError> {
    let unwritten = |error: serde_json::Error| Error::data(error.to_string(), "report this as a bug");
    Ok(serde_json::to_string(answer).map_err(unwritten)?)
}

/// What is reported for a trial: a number, or a dict of them by name.
pub fn results_from_python(told: &Bound<'_, PyAny>) -> PyResult<Results> {
    match told.cast::<PyDict>() {
        Ok(named) => {
            named.iter().map(|(name, value)| Ok((name.extract::<String>()?, value.extract::<f64>()?))).collect()
        }
        Err(_) => Ok(Results::from(told.extract::<f64>()?)),
    }
}
