//! Search spaces, from and to Python.

use elbowroom::space::{Descriptors, Parameter, SearchSpace, Value};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyMapping};

use crate::error::{BindingError, config};
use crate::value::{from_python, point_from_python, point_to_python, to_python};

/// A space from a list of dicts, one for each parameter, and from constraints as text.
pub fn space_from_python(parameters: &[Bound<'_, PyDict>], constraints: Vec<String>) -> PyResult<SearchSpace> {
    let (tables, parameters): (Vec<_>, Vec<_>) = parameters.iter().partition(|dict| is_table(dict));
    let parameters = parameters.into_iter().map(parameter).collect::<PyResult<_>>()?;
    let mut space = SearchSpace::new(parameters).map_err(BindingError::from)?;
    for table in tables {
        let rows = table.as_any().get_item("rows")?.try_iter()?.map(|row| point_from_python(row?.cast::<PyMapping>()?));
        space = space.with_candidates(rows.collect::<PyResult<Vec<_>>>()?).map_err(BindingError::from)?;
    }
    Ok(space.with_constraints(constraints).map_err(BindingError::from)?)
}

/// Whether a dict has the rows of a table instead of a parameter.
fn is_table(dict: &Bound<'_, PyDict>) -> bool {
    matches!(dict.get_item("type"), Ok(Some(kind)) if kind.extract::<String>().is_ok_and(|kind| kind == "candidates"))
}

/// The descriptors of a category: names of columns, and rows.
fn descriptors(dict: &Bound<'_, PyDict>) -> PyResult<Option<Descriptors>> {
    let Some(given) = dict.get_item("descriptors")? else { return Ok(None) };
    let (columns, rows): (Vec<String>, Vec<Vec<f64>>) = given.extract()?;
    Ok(Some(Descriptors { columns, rows }))
}

fn parameter(dict: &Bound<'_, PyDict>) -> PyResult<Parameter> {
    let field = |key: &str| dict.as_any().get_item(key);
    let name: String = field("name")?.extract()?;
    let kind: String = field("type")?.extract()?;
    let when: Option<String> = dict.get_item("when")?.map(|when| when.extract()).transpose()?;
    let list =
        |key: &str| -> PyResult<Vec<Value>> { field(key)?.try_iter()?.map(|value| from_python(&value?)).collect() };
    Ok(match kind.as_str() {
        "float" => Parameter::Float {
            name,
            low: field("low")?.extract()?,
            high: field("high")?.extract()?,
            log: field("log")?.extract()?,
            step: dict.get_item("step")?.map(|step| step.extract()).transpose()?,
            when,
        },
        "int" => Parameter::Int {
            name,
            low: field("low")?.extract()?,
            high: field("high")?.extract()?,
            log: field("log")?.extract()?,
            when,
        },
        "ordered" => Parameter::Ordered { name, values: list("values")?, when },
        "ladder" => Parameter::Ladder { name, values: list("values")?, log: field("log")?.extract()?, when },
        "category" => Parameter::Category { name, choices: list("choices")?, descriptors: descriptors(dict)?, when },
        "fixed" => Parameter::Fixed { name, value: from_python(&field("value")?)?, when },
        _ => {
            return Err(config(
                format!("there is no parameter type {kind:?}"),
                "use float, int, ordered, ladder, category or fixed",
            ));
        }
    })
}

/// A space as such dicts.
pub fn space_to_python<'py>(py: Python<'py>, space: &SearchSpace) -> PyResult<Bound<'py, PyList>> {
    let values =
        |list: &[Value]| -> PyResult<Vec<Bound<'py, PyAny>>> { list.iter().map(|v| to_python(py, v)).collect() };
    let all = PyList::empty(py);
    for parameter in space.parameters() {
        let dict = PyDict::new(py);
        dict.set_item("name", parameter.name())?;
        match parameter {
            Parameter::Float { low, high, log, step, .. } => {
                dict.set_item("type", "float")?;
                dict.set_item("low", low)?;
                dict.set_item("high", high)?;
                dict.set_item("log", log)?;
                if let Some(step) = step {
                    dict.set_item("step", step)?;
                }
            }
            Parameter::Int { low, high, log, .. } => {
                dict.set_item("type", "int")?;
                dict.set_item("low", low)?;
                dict.set_item("high", high)?;
                dict.set_item("log", log)?;
            }
            Parameter::Ordered { values: list, .. } => {
                dict.set_item("type", "ordered")?;
                dict.set_item("values", values(list)?)?;
            }
            Parameter::Ladder { values: list, log, .. } => {
                dict.set_item("type", "ladder")?;
                dict.set_item("values", values(list)?)?;
                dict.set_item("log", log)?;
            }
            Parameter::Category { choices, descriptors, .. } => {
                dict.set_item("type", "category")?;
                dict.set_item("choices", values(choices)?)?;
                if let Some(table) = descriptors {
                    dict.set_item("descriptors", (&table.columns, &table.rows))?;
                }
            }
            Parameter::Fixed { value, .. } => {
                dict.set_item("type", "fixed")?;
                dict.set_item("value", to_python(py, value)?)?;
            }
        }
        if let Some(condition) = parameter.condition() {
            dict.set_item("when", condition)?;
        }
        all.append(dict)?;
    }
    if let Some(rows) = space.candidates() {
        let dict = PyDict::new(py);
        dict.set_item("name", "")?;
        dict.set_item("type", "candidates")?;
        let rows = rows.iter().map(|row| point_to_python(py, &space.decode(row)));
        dict.set_item("rows", rows.collect::<PyResult<Vec<_>>>()?)?;
        all.append(dict)?;
    }
    Ok(all)
}
