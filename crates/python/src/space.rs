//! Search spaces, from Python and to it.

use elbowroom::space::{Parameter, SearchSpace, Value};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::error::{BindingError, config};
use crate::value::{from_python, to_python};

/// A space from a list of dicts, one for each parameter, and from texts for constraints.
pub fn space_from_python(parameters: &[Bound<'_, PyDict>], constraints: Vec<String>) -> PyResult<SearchSpace> {
    let parameters = parameters.iter().map(parameter).collect::<PyResult<_>>()?;
    let space = SearchSpace::new(parameters).and_then(|space| space.with_constraints(constraints));
    Ok(space.map_err(BindingError::from)?)
}

fn parameter(dict: &Bound<'_, PyDict>) -> PyResult<Parameter> {
    let field = |key: &str| dict.as_any().get_item(key);
    let name: String = field("name")?.extract()?;
    let kind: String = field("type")?.extract()?;
    let list =
        |key: &str| -> PyResult<Vec<Value>> { field(key)?.try_iter()?.map(|value| from_python(&value?)).collect() };
    Ok(match kind.as_str() {
        "float" => Parameter::Float {
            name,
            low: field("low")?.extract()?,
            high: field("high")?.extract()?,
            log: field("log")?.extract()?,
            step: dict.get_item("step")?.map(|step| step.extract()).transpose()?,
        },
        "int" => Parameter::Int {
            name,
            low: field("low")?.extract()?,
            high: field("high")?.extract()?,
            log: field("log")?.extract()?,
        },
        "ordered" => Parameter::Ordered { name, values: list("values")? },
        "ladder" => Parameter::Ladder { name, values: list("values")?, log: field("log")?.extract()? },
        "category" => Parameter::Category { name, choices: list("choices")? },
        "fixed" => Parameter::Fixed { name, value: from_python(&field("value")?)? },
        _ => {
            return Err(config(
                format!("there is no parameter type {kind:?}"),
                "take float, int, ordered, ladder, category or fixed",
            ));
        }
    })
}

/// The same dicts, of a space.
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
            Parameter::Category { choices, .. } => {
                dict.set_item("type", "category")?;
                dict.set_item("choices", values(choices)?)?;
            }
            Parameter::Fixed { value, .. } => {
                dict.set_item("type", "fixed")?;
                dict.set_item("value", to_python(py, value)?)?;
            }
        }
        all.append(dict)?;
    }
    Ok(all)
}
