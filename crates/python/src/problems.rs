//! Test functions.

use elbowroom::problems::Problem as CoreProblem;
use elbowroom::rng::Stream;
use numpy::{PyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::array::{points, vector};
use crate::error::{BindingError, config};

/// A function to be minimized on a box, whose minimum is known.
#[pyclass(frozen, module = "elbowroom._elbowroom")]
pub struct Problem {
    problem: CoreProblem,
}

#[pymethods]
impl Problem {
    #[new]
    fn new(name: &str) -> PyResult<Self> {
        Ok(Self { problem: CoreProblem::by_name(name).map_err(BindingError::from)? })
    }

    /// Its values at the rows of x.
    fn values<'py>(&self, py: Python<'py>, x: PyReadonlyArray2<'py, f64>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let x = points(&x)?;
        if x.dim() != self.problem.dim() {
            let what = format!("a point of {} coordinates for {}", x.dim(), self.problem.name);
            return Err(config(what, format!("give {} numbers", self.problem.dim())));
        }
        Ok(vector(py, x.iter().map(|x| self.problem.value(x)).collect()))
    }

    /// The same function, moved inside its box.
    fn shifted(&self, seed: u64) -> Self {
        Self { problem: self.problem.shifted(&mut Stream::new(seed)) }
    }

    #[getter]
    fn name(&self) -> String {
        self.problem.name.clone()
    }

    #[getter]
    fn bounds(&self) -> Vec<(f64, f64)> {
        self.problem.bounds.clone()
    }

    #[getter]
    fn minimum(&self) -> f64 {
        self.problem.minimum
    }

    #[getter]
    fn minimizers(&self) -> Vec<Vec<f64>> {
        self.problem.minimizers.clone()
    }
}

/// The names of problems: all fixed ones, and the others in some dimensions.
#[pyfunction]
pub fn problem_names() -> Vec<String> {
    CoreProblem::all().into_iter().map(|problem| problem.name).collect()
}
