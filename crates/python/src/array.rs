//! numpy arrays as points, and back.

use elbowroom::linalg::Points;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::error::BindingError;

/// The rows of an array as points.
pub fn points(array: &PyReadonlyArray2<'_, f64>) -> PyResult<Points> {
    let values = array.as_array().iter().copied().collect();
    Ok(Points::from_rows(array.shape()[1], values).map_err(BindingError::from)?)
}

/// The numbers of an array.
pub fn numbers(array: &PyReadonlyArray1<'_, f64>) -> Vec<f64> {
    array.as_array().iter().copied().collect()
}

/// Numbers as an array.
pub fn vector(py: Python<'_>, values: Vec<f64>) -> Bound<'_, PyArray1<f64>> {
    PyArray1::from_vec(py, values)
}

/// Numbers, row by row, as an array of this many columns.
pub fn matrix(py: Python<'_>, values: Vec<f64>, columns: usize) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let rows = values.len().checked_div(columns).unwrap_or(0);
    PyArray1::from_vec(py, values).reshape([rows, columns])
}
