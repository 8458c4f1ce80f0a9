//! Penalizers and acquisitions on numbers.

use elbowroom::acquisition::{QSamples, q_expected_improvement};
use elbowroom::normal::{Lattice, MAX_VARIABLES, ln_ei};
use elbowroom::penalty::{Penalizer, PenalizerKind};
use elbowroom::rng::Stream;
use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::array::{matrix, numbers, points, vector};
use crate::error::config;
use crate::settings::named;

/// ln φ at the rows of x around a center, and its gradients.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "one for each symbol of the formula")]
#[allow(clippy::type_complexity, reason = "a pair of arrays")]
pub fn ln_penalizer<'py>(
    py: Python<'py>,
    x: PyReadonlyArray2<'py, f64>,
    center: Vec<f64>,
    lipschitz: f64,
    best: f64,
    mean: f64,
    sd: f64,
    kind: &str,
) -> PyResult<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>)> {
    let kind: PenalizerKind = named("penalizer", kind)?;
    for (name, number) in [("lipschitz", lipschitz), ("sd", sd)] {
        if !(number > 0.0 && number.is_finite()) {
            return Err(config(format!("{name} is {number}"), "give a positive, finite number"));
        }
    }
    let penalizer = Penalizer { kind, lipschitz, best, mean, sd };
    let x = points(&x)?;
    let (mut values, mut gradients) = (Vec::with_capacity(x.len()), Vec::with_capacity(x.as_slice().len()));
    for x in x.iter() {
        let difference: Vec<f64> = x.iter().zip(&center).map(|(x, c)| x - c).collect();
        let distance = difference.iter().map(|d| d * d).sum::<f64>().sqrt();
        let (value, slope) = penalizer.ln_value_and_slope(distance);
        values.push(value);
        // At the center, a cusp, there is no direction: the gradient is taken to be 0.
        gradients.extend(difference.iter().map(|d| if distance > 0.0 { slope * d / distance } else { 0.0 }));
    }
    Ok((vector(py, values), matrix(py, gradients, center.len())?))
}

/// ln E max(0, Y − best) of normal Y, element by element.
#[pyfunction]
pub fn ln_expected_improvement<'py>(
    py: Python<'py>,
    mean: PyReadonlyArray1<'py, f64>,
    sd: PyReadonlyArray1<'py, f64>,
    best: PyReadonlyArray1<'py, f64>,
) -> Bound<'py, PyArray1<f64>> {
    let (mean, sd, best) = (mean.as_array(), sd.as_array(), best.as_array());
    let all = mean.iter().zip(&sd).zip(&best).map(|((mean, sd), best)| match *sd {
        // A certain value improves by its distance above the best.
        0.0 => (mean - best).max(0.0).ln(),
        sd => sd.ln() + ln_ei((mean - best) / sd),
    });
    vector(py, all.collect())
}

/// The number of lattice points for up to `MAX_VARIABLES` points, and of samples beyond.
const LATTICE: usize = 4096;
const SHIFTS: usize = 8;
const SAMPLES: usize = 1 << 14;

/// The joint expected improvement of q points, with p and H.
#[pyfunction]
#[allow(clippy::type_complexity, reason = "a value and two arrays")]
pub fn qei<'py>(
    py: Python<'py>,
    mean: PyReadonlyArray1<'py, f64>,
    covariance: PyReadonlyArray2<'py, f64>,
    best: f64,
    seed: u64,
) -> PyResult<(f64, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>)> {
    let (mean, covariance) = (numbers(&mean), points(&covariance)?);
    let q = mean.len();
    if q == 0 || covariance.len() != q || covariance.dim() != q {
        let (rows, columns) = (covariance.len(), covariance.dim());
        let what = format!("{q} means with a covariance of {rows} × {columns}");
        return Err(config(what, "give one mean for each row and column"));
    }
    let found = py.detach(|| {
        let stream = Stream::new(seed);
        if q <= MAX_VARIABLES {
            q_expected_improvement(&mean, covariance.as_slice(), best, &Lattice::new(LATTICE, SHIFTS, &stream))
        } else {
            QSamples::new(q, SAMPLES, &stream).improvement(&mean, covariance.as_slice(), best)
        }
    });
    Ok((found.value, vector(py, found.p), matrix(py, found.h, q)?))
}
