//! Values and points, from Python and to Python.

use elbowroom::error::Error;
use elbowroom::space::{Point, Value};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyMapping, PyString};

use crate::error::BindingError;

/// A number, a text or a boolean; a numpy scalar counts as its value.
pub fn from_python(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(truth) = value.cast::<PyBool>() {
        return Ok(Value::Bool(truth.is_true()));
    }
    if value.is_instance_of::<PyInt>() {
        let whole = value.extract().map_err(|_| no_value(value, "a whole number of 64 bits, or a float"))?;
        return Ok(Value::Int(whole));
    }
    if value.is_instance_of::<PyFloat>() {
        return Ok(Value::Float(value.extract()?));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Value::Text(text.to_str()?.to_owned()));
    }
    match value.getattr("item") {
        Ok(item) => from_python(&item.call0()?),
        Err(_) => Err(no_value(value, "a number, a text, True or False")),
    }
}

fn no_value(value: &Bound<'_, PyAny>, hint: &str) -> PyErr {
    let shown = value.repr().map_or_else(|_| "this".to_owned(), |text| text.to_string());
    BindingError::from(Error::space(format!("{shown} cannot be the value of a parameter"), hint)).into()
}

/// As Python's own types.
pub fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Float(x) => x.into_pyobject(py)?.into_any(),
        Value::Int(k) => k.into_pyobject(py)?.into_any(),
        Value::Text(text) => text.into_pyobject(py)?.into_any(),
        Value::Bool(truth) => truth.into_pyobject(py)?.to_owned().into_any(),
    })
}

/// A point from a mapping of names to values.
pub fn point_from_python(mapping: &Bound<'_, PyMapping>) -> PyResult<Point> {
    let mut point = Point::new();
    for item in mapping.items()?.iter() {
        let (name, value): (String, Bound<'_, PyAny>) = item.extract()?;
        point = point.with(name, from_python(&value)?);
    }
    Ok(point)
}

/// A point as a dict in the order of its space.
pub fn point_to_python<'py>(py: Python<'py>, point: &Point) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, value) in point.iter() {
        dict.set_item(name, to_python(py, value)?)?;
    }
    Ok(dict)
}
