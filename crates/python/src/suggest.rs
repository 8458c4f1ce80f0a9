//! The next points of a study that is kept elsewhere.

use elbowroom::space::Point;
use elbowroom::study::{Results, Study, StudyConfig, Tell};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping};

use crate::error::BindingError;
use crate::interrupt::interruptible;
use crate::settings::config_of;
use crate::space::space_from_python;
use crate::trial::results_from_python;
use crate::value::{point_from_python, point_to_python};

/// Points for the next trials of a study that is kept elsewhere: from its results and its trials under way.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "one for each of the words of Python's own `suggest`")]
#[pyo3(signature = (parameters, constraints, settings, observed, pending, failed, infeasible, n))]
pub fn suggest<'py>(
    py: Python<'py>,
    parameters: Vec<Bound<'py, PyDict>>,
    constraints: Vec<String>,
    settings: &str,
    observed: Vec<(Bound<'py, PyMapping>, Bound<'py, PyAny>, Option<f64>)>,
    pending: Vec<Bound<'py, PyMapping>>,
    failed: Vec<Bound<'py, PyMapping>>,
    infeasible: Vec<Bound<'py, PyMapping>>,
    n: usize,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let config: StudyConfig = config_of(&space_from_python(&parameters, constraints)?, settings)?;
    let points = |all: Vec<Bound<'py, PyMapping>>| all.iter().map(point_from_python).collect::<PyResult<Vec<Point>>>();
    let (pending, failed, infeasible) = (points(pending)?, points(failed)?, points(infeasible)?);
    let observed = observed
        .iter()
        .map(|(params, told, noise)| Ok((point_from_python(params)?, results_from_python(told)?, *noise)))
        .collect::<PyResult<Vec<(Point, Results, Option<f64>)>>>()?;
    let work = move || {
        let mut study = Study::new(config)?;
        for (point, told, noise) in observed {
            let trial = study.start(&point)?.id;
            let mut report = Tell::new(told);
            report.noise = noise;
            study.tell(trial, report)?;
        }
        for point in &failed {
            let trial = study.start(point)?.id;
            study.fail(trial, "failed elsewhere")?;
        }
        for point in &infeasible {
            let trial = study.start(point)?.id;
            study.infeasible(trial, "infeasible elsewhere")?;
        }
        for point in &pending {
            study.start(point)?;
        }
        Ok::<_, BindingError>(study.suggest(n)?.trials)
    };
    let trials = interruptible(py, work, drop)??;
    trials.iter().map(|trial| point_to_python(py, &trial.point)).collect()
}
