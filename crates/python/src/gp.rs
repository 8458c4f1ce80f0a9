//! Gaussian processes on arrays, in their own units.

use elbowroom::data::Dataset;
use elbowroom::gp::{
    FitParams, Hyperparameters, KernelKind, MeanRule, Noise, NoiseRule, Posterior, Scratch, Shape, fit,
};
use elbowroom::insight::steepest;
use elbowroom::optim::Bounds;
use elbowroom::penalty::Norm;
use elbowroom::rng::Stream;
use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::array::{matrix, numbers, points, vector};
use crate::error::{BindingError, config};
use crate::interrupt::interruptible;
use crate::settings::named;

type Vector<'py> = Bound<'py, PyArray1<f64>>;
type Matrix<'py> = Bound<'py, PyArray2<f64>>;

/// The posterior of a Gaussian process.
#[pyclass(frozen, module = "elbowroom._elbowroom")]
pub struct GaussianProcess {
    posterior: Posterior,
}

#[pymethods]
impl GaussianProcess {
    #[new]
    #[allow(clippy::too_many_arguments, reason = "one for each hyperparameter")]
    fn new(
        py: Python<'_>,
        x: PyReadonlyArray2<'_, f64>,
        y: PyReadonlyArray1<'_, f64>,
        kernel: &str,
        variance: f64,
        lengthscales: Vec<f64>,
        noise: PyReadonlyArray1<'_, f64>,
        mean: f64,
    ) -> PyResult<Self> {
        let data = Dataset::new(points(&x)?, numbers(&y)).map_err(BindingError::from)?;
        let mut hyper = Hyperparameters::new(named::<KernelKind>("kernel", kernel)?, variance, lengthscales, 0.0);
        hyper.mean = mean;
        hyper.noise = match numbers(&noise).as_slice() {
            [one] => Noise::Equal(*one),
            each => Noise::PerObservation(each.to_vec()),
        };
        let posterior = py.detach(|| Posterior::new(&data, hyper)).map_err(BindingError::from)?;
        Ok(Self { posterior })
    }

    /// Finds hyperparameters: with priors, the mode of the posterior; without, the maximum of the likelihood.
    #[staticmethod]
    #[pyo3(signature = (x, y, kernel, ard, noise, mean, priors, starts, extent, seed))]
    #[allow(clippy::too_many_arguments, reason = "one for each thing to be found or given")]
    fn fit(
        py: Python<'_>,
        x: PyReadonlyArray2<'_, f64>,
        y: PyReadonlyArray1<'_, f64>,
        kernel: &str,
        ard: bool,
        noise: Option<PyReadonlyArray1<'_, f64>>,
        mean: Option<f64>,
        priors: bool,
        starts: Option<usize>,
        extent: Vec<f64>,
        seed: u64,
    ) -> PyResult<Self> {
        let mut data = Dataset::new(points(&x)?, numbers(&y)).map_err(BindingError::from)?;
        let mut shape = Shape { ard, ..Shape::new(named::<KernelKind>("kernel", kernel)?, data.dim()) };
        if let Some(noise) = noise {
            shape.noise = match numbers(&noise).as_slice() {
                [one] => NoiseRule::Known(*one),
                each => {
                    data = data.with_noise(each.to_vec()).map_err(BindingError::from)?;
                    NoiseRule::PerObservation
                }
            };
        }
        if let Some(mean) = mean {
            shape.mean = MeanRule::Known(mean);
        }
        let mut params = if priors {
            FitParams { extent, ..FitParams::map(shape) }
        } else {
            FitParams::maximum_likelihood(shape, extent, LIKELIHOOD_STARTS)
        };
        params.random_starts = starts.unwrap_or(params.random_starts);
        let found = interruptible(py, move || fit(&data, &params, &Stream::new(seed)), drop)?;
        Ok(Self { posterior: found.map_err(BindingError::from)?.posterior })
    }

    /// Means and standard deviations at the rows of x; with pending points, the deviations once their results are in.
    fn predict<'py>(&self, py: Python<'py>, x: PyReadonlyArray2<'py, f64>) -> PyResult<(Vector<'py>, Vector<'py>)> {
        let x = points(&x)?;
        let (mean, sd) = py.detach(|| {
            if self.posterior.phantoms().next().is_none() {
                let (mean, variance) = self.posterior.predict_many(&x);
                return (mean, variance.into_iter().map(f64::sqrt).collect());
            }
            let mut scratch = Scratch::default();
            let one = |x: &[f64]| self.posterior.predict_value(x, &mut scratch);
            x.iter().map(one).map(|p| (p.mean, p.variance_after.sqrt())).unzip()
        });
        Ok((vector(py, mean), vector(py, sd)))
    }

    /// ∇μ at the rows of x.
    fn mean_gradient<'py>(&self, py: Python<'py>, x: PyReadonlyArray2<'py, f64>) -> PyResult<Matrix<'py>> {
        self.gradients(py, &x, |posterior, x, scratch| {
            posterior.mean_gradient(x, scratch);
            scratch.d_mean.clone()
        })
    }

    /// ∇s at the rows of x.
    fn sd_gradient<'py>(&self, py: Python<'py>, x: PyReadonlyArray2<'py, f64>) -> PyResult<Matrix<'py>> {
        self.gradients(py, &x, |posterior, x, scratch| {
            let sd = posterior.predict_gradient(x, scratch).variance_after.sqrt();
            scratch.d_variance_after.iter().map(|slope| slope / (2.0 * sd)).collect()
        })
    }

    /// ln p(y | X).
    fn ln_marginal_likelihood(&self) -> f64 {
        self.posterior.ln_marginal_likelihood()
    }

    /// The largest norm of ∇μ in a box, and its position.
    fn lipschitz<'py>(
        &self,
        py: Python<'py>,
        low: Vec<f64>,
        high: Vec<f64>,
        norm: &str,
        seed: u64,
    ) -> PyResult<(f64, Vector<'py>)> {
        let norm = match norm {
            "1" => Norm::One,
            "2" => Norm::Two,
            "inf" => Norm::Infinity,
            _ => return Err(config(format!("there is no norm {norm}"), "use 1, 2 or inf")),
        };
        if low.len() != self.posterior.dim() {
            let (given, dim) = (low.len(), self.posterior.dim());
            return Err(config(
                format!("a box of {given} coordinates for a model of {dim}"),
                "give low and high for each",
            ));
        }
        let bounds = Bounds::new(low, high).map_err(BindingError::from)?;
        let posterior = self.posterior.clone();
        let found = interruptible(py, move || steepest(&posterior, &bounds, norm, &Stream::new(seed)), drop)?;
        Ok((found.value, vector(py, found.at)))
    }

    /// The mean and the covariance of the gradient, for each row of x and flattened.
    fn gradient_posterior<'py>(
        &self,
        py: Python<'py>,
        x: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<(Matrix<'py>, Matrix<'py>)> {
        let (x, d) = (points(&x)?, self.posterior.dim());
        let (mut mean, mut covariance) = (Vec::new(), Vec::new());
        py.detach(|| {
            for x in x.iter() {
                let found = self.posterior.gradient_posterior(x);
                mean.extend(found.mean);
                covariance.extend(found.covariance);
            }
        });
        Ok((matrix(py, mean, d)?, matrix(py, covariance, d * d)?))
    }

    /// The joint law at the rows of x, given the data.
    fn joint<'py>(&self, py: Python<'py>, x: PyReadonlyArray2<'py, f64>) -> PyResult<(Vector<'py>, Matrix<'py>)> {
        let x = points(&x)?;
        let joint = py.detach(|| self.posterior.joint(&x));
        Ok((vector(py, joint.mean), matrix(py, joint.covariance, x.len())?))
    }

    /// Draws of the latent function at the rows of x: one row per draw.
    fn sample<'py>(
        &self,
        py: Python<'py>,
        x: PyReadonlyArray2<'py, f64>,
        n: usize,
        seed: u64,
    ) -> PyResult<Matrix<'py>> {
        let x = points(&x)?;
        let drawn = py.detach(|| self.posterior.sample(&x, n, &mut Stream::new(seed))).map_err(BindingError::from)?;
        matrix(py, drawn.as_slice().to_vec(), x.len())
    }

    /// The process with more observations and the same hyperparameters.
    #[pyo3(signature = (x, y, noise))]
    fn condition(
        &self,
        py: Python<'_>,
        x: PyReadonlyArray2<'_, f64>,
        y: PyReadonlyArray1<'_, f64>,
        noise: Option<PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<Self> {
        let mut more = Dataset::new(points(&x)?, numbers(&y)).map_err(BindingError::from)?;
        if let Some(noise) = noise {
            more = more.with_noise(numbers(&noise)).map_err(BindingError::from)?;
        }
        Ok(Self { posterior: py.detach(|| self.posterior.condition(&more)).map_err(BindingError::from)? })
    }

    /// Adds points whose results are awaited: they leave the mean unchanged and shrink the deviation.
    fn with_pending(&self, py: Python<'_>, x: PyReadonlyArray2<'_, f64>) -> PyResult<Self> {
        let x = points(&x)?;
        Ok(Self { posterior: py.detach(|| self.posterior.with_phantoms(x.iter())) })
    }

    /// The hyperparameters.
    fn hyperparameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let hyper = self.posterior.hyper();
        let dict = PyDict::new(py);
        dict.set_item("kernel", hyper.kernel.name())?;
        dict.set_item("variance", hyper.variance)?;
        dict.set_item("lengthscales", vector(py, hyper.lengthscales.clone()))?;
        match &hyper.noise {
            Noise::Equal(noise) => dict.set_item("noise", noise)?,
            Noise::PerObservation(each) => dict.set_item("noise", vector(py, each.clone()))?,
        }
        dict.set_item("mean", hyper.mean)?;
        Ok(dict)
    }

    /// The number of coordinates of a point.
    fn dim(&self) -> usize {
        self.posterior.dim()
    }

    /// The amount that was added to the diagonal of the covariance so that it could be factored.
    fn jitter(&self) -> f64 {
        self.posterior.jitter()
    }
}

/// The paper's number of starts.
const LIKELIHOOD_STARTS: usize = 10;

impl GaussianProcess {
    fn gradients<'py>(
        &self,
        py: Python<'py>,
        x: &PyReadonlyArray2<'py, f64>,
        gradient: impl Fn(&Posterior, &[f64], &mut Scratch) -> Vec<f64> + Sync,
    ) -> PyResult<Matrix<'py>> {
        let x = points(x)?;
        let all = py.detach(|| {
            let mut scratch = Scratch::default();
            x.iter().flat_map(|x| gradient(&self.posterior, x, &mut scratch)).collect()
        });
        matrix(py, all, self.posterior.dim())
    }
}
