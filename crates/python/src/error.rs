//! Errors as Python exceptions, with the same wording.

use elbowroom::error::Kind;
use pyo3::prelude::*;
use pyo3::types::PyType;

/// Why a call failed: not yet a Python exception, so that it can be created without the interpreter.
#[derive(Debug)]
pub enum BindingError {
    Core(elbowroom::error::Error),
    Store(elbowroom_store::Error),
}

impl From<elbowroom::error::Error> for BindingError {
    fn from(error: elbowroom::error::Error) -> Self {
        BindingError::Core(error)
    }
}

impl From<elbowroom_store::Error> for BindingError {
    fn from(error: elbowroom_store::Error) -> Self {
        match error {
            elbowroom_store::Error::Study(error) => BindingError::Core(error),
            error => BindingError::Store(error),
        }
    }
}

impl From<BindingError> for PyErr {
    fn from(fault: BindingError) -> Self {
        match fault {
            BindingError::Core(error) => raised(class_of(error.kind()), error.to_string()),
            BindingError::Store(error) => raised("StoreError", error.to_string()),
        }
    }
}

fn class_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Space => "SpaceError",
        Kind::Data => "DataError",
        Kind::Config => "ConfigError",
        Kind::Trial => "TrialError",
        Kind::Numerical => "NumericalError",
        _ => "ElbowroomError",
    }
}

/// A setting that cannot be read.
pub fn config(what: impl Into<String>, hint: impl Into<String>) -> PyErr {
    BindingError::Core(elbowroom::error::Error::config(what, hint)).into()
}

/// The classes are defined in Python, where an exception can have two bases.
fn raised(class: &str, words: String) -> PyErr {
    Python::attach(|py| {
        let found = py.import("elbowroom._errors").and_then(|module| module.getattr(class));
        match found.and_then(|class| Ok(class.cast_into::<PyType>()?)) {
            Ok(class) => PyErr::from_type(class, words),
            Err(error) => error,
        }
    })
}
