//! From results to a model: scale, warp, fit.
//!
//! Kernel and output warp are chosen by evidence: the candidates are fitted to at most [`CONTEST`] observations, and
//! the one under which the results (not their warped images) are most likely is fitted to all of them.

use serde::{Deserialize, Serialize};

use super::outcome::OutcomeMap;
use crate::data::Dataset;
use crate::error::Result;
use crate::gp::{FitParams, KernelKind, MeanRule, Metric, NoiseRule, Posterior, Prior, Shape, fit};
use crate::linalg::Points;
use crate::rng::Stream;
use crate::space::{Dimension, SearchSpace};

/// Observations that kernels and warps are compared on.
const CONTEST: usize = 100;

/// How a model is made of results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelConfig {
    /// Kernels to choose from.
    pub kernels: Vec<KernelKind>,
    /// Whether results may be warped.
    pub warp: bool,
    /// Known noise variance of every result that comes without its own; fitted if none.
    pub noise: Option<f64>,
    /// Least noise variance of a fit, relative to the variance of the results.
    pub noise_floor: f64,
    /// Prior of the noise variance.
    pub noise_prior: Prior,
    /// Random starts of the search for hyperparameters.
    pub random_starts: usize,
}

impl Default for ModelConfig {
    fn default() -> Self {
        Self {
            kernels: vec![KernelKind::Matern52, KernelKind::Rbf],
            warp: true,
            noise: None,
            noise_floor: 1e-8,
            noise_prior: Prior::LogNormal { mu: -11.5, sigma: 3.0 },
            random_starts: 1,
        }
    }
}

/// What a model is made of: unit points, values to be *maximized*, and noise variances where they are known.
#[derive(Debug, Clone, PartialEq)]
pub struct Observations {
    /// The points, in the unit cube.
    pub x: Points,
    /// Their values.
    pub values: Vec<f64>,
    /// The noise variance of every value, in its squared units.
    pub noise: Option<Vec<f64>>,
}

/// A fitted model of the objective on the unit cube.
#[derive(Debug, Clone)]
pub struct Model {
    /// The posterior, in the model's own units.
    pub posterior: Posterior,
    /// The map between results and the model's units.
    pub outcome: OutcomeMap,
    /// What is recorded of the fit: enough to start the next one from.
    pub record: ModelRecord,
}

/// The outcome of a fit as it is recorded in the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelRecord {
    /// The kernel.
    pub kernel: KernelKind,
    /// Logarithms of the hyperparameters.
    pub theta: Vec<f64>,
    /// The bend of the output warp, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bend: Option<f64>,
}

/// Bends to choose from, from slight to logarithmic, in standard deviations of the results.
const BENDS: [f64; 4] = [1.0, 0.1, 1e-2, 1e-3];

/// A warp must make the results this much more likely (in nats) to be taken.
const WARP_MARGIN: f64 = 2.0;

impl Model {
    /// Fits a model to observations; `warm` is the record of an earlier fit of this study.
    pub fn fit(
        config: &ModelConfig,
        space: &SearchSpace,
        observations: &Observations,
        warm: Option<&ModelRecord>,
        stream: &Stream,
    ) -> Result<Self> {
        // Refuses what is not finite, by index.
        let mut raw = Dataset::new(observations.x.clone(), observations.values.clone())?;
        if let Some(noise) = &observations.noise {
            raw = raw.with_noise(noise.clone())?;
        } else if let Some(variance) = config.noise {
            raw = raw.with_noise(vec![variance; observations.values.len()])?;
        }
        let fitting = Fitting { config, space, warm, stream };
        let (kernel, bend, theta) = fitting.contest(&raw)?;
        let outcome = OutcomeMap::new(raw.y(), bend);
        let data = encoded(&raw, &outcome)?;
        let mut params = fitting.params(kernel, &data);
        params.warm = theta;
        params.random_starts = 0;
        let found = fit(&data, &params, stream)?;
        let record = ModelRecord { kernel, theta: found.theta, bend: outcome.bend() };
        Ok(Self { posterior: found.posterior, outcome, record })
    }

    /// The prediction at a unit point in the units of the observed values: median and standard
    /// deviation.
    pub fn predict_value(&self, u: &[f64]) -> (f64, f64) {
        let p = self.posterior.predict(u);
        let sd = p.variance.sqrt();
        let half_width = 0.5 * (self.outcome.decode(p.mean + sd) - self.outcome.decode(p.mean - sd));
        (self.outcome.decode(p.mean), half_width.abs())
    }
}

struct Fitting<'a> {
    config: &'a ModelConfig,
    space: &'a SearchSpace,
    warm: Option<&'a ModelRecord>,
    stream: &'a Stream,
}

impl Fitting<'_> {
    /// The kernel and bend under which the results are most likely, with their θ.
    fn contest(&self, raw: &Dataset) -> Result<(KernelKind, Option<f64>, Option<Vec<f64>>)> {
        let subset = part(raw, CONTEST, self.stream)?;
        let first = self.config.kernels.first().copied().unwrap_or(KernelKind::Matern52);
        let same = |k: KernelKind| self.warm.filter(|w| w.kernel == k).or(self.warm).map(|w| w.theta.clone());
        let mut best = self.entry(&subset, first, None, same(first), self.config.random_starts)?;
        if self.config.warp && raw.len() > 2 {
            let plain = best.value;
            let mut theta = best.theta.clone();
            for bend in BENDS {
                let entry = self.entry(&subset, first, Some(bend), Some(theta.clone()), 0)?;
                theta.clone_from(&entry.theta);
                if entry.value > best.value && entry.value > plain + WARP_MARGIN {
                    best = entry;
                }
            }
        }
        for &kernel in self.config.kernels.iter().skip(1) {
            let entry = self.entry(&subset, kernel, best.bend, Some(best.theta.clone()), 0)?;
            if entry.value > best.value {
                best = entry;
            }
        }
        Ok((best.kernel, best.bend, Some(best.theta)))
    }

    fn entry(
        &self,
        raw: &Dataset,
        kernel: KernelKind,
        bend: Option<f64>,
        warm: Option<Vec<f64>>,
        random_starts: usize,
    ) -> Result<Entry> {
        let outcome = OutcomeMap::new(raw.y(), bend);
        let data = encoded(raw, &outcome)?;
        let mut params = self.params(kernel, &data);
        params.warm = warm;
        params.random_starts = random_starts;
        let found = fit(&data, &params, self.stream)?;
        Ok(Entry { kernel, bend, value: found.value + outcome.ln_jacobian(raw.y()), theta: found.theta })
    }

    fn params(&self, kernel: KernelKind, data: &Dataset) -> FitParams {
        let metric = self.space.dimensions().iter().map(|d| match d {
            Dimension::Category { .. } => Metric::Mismatch,
            _ => Metric::Distance,
        });
        let mut shape = Shape::new(kernel, self.space.dim());
        shape.metric = metric.collect();
        shape.mean = MeanRule::Estimated { prior_sd: 1.0 };
        shape.noise = match data.noise() {
            Some(_) => NoiseRule::PerObservation,
            None => NoiseRule::Fitted { floor: self.config.noise_floor },
        };
        let mut params = FitParams::map(shape);
        params.priors.noise = self.config.noise_prior;
        params
    }
}

struct Entry {
    kernel: KernelKind,
    bend: Option<f64>,
    value: f64,
    theta: Vec<f64>,
}

/// The observations in the model's units. A noise variance is divided by the squared slope of the map at its value.
fn encoded(raw: &Dataset, outcome: &OutcomeMap) -> Result<Dataset> {
    let y: Vec<f64> = raw.y().iter().map(|&y| outcome.encode(y)).collect();
    // An observation with a noise of 1e30 variances says nothing; infinity would not be a variance.
    let relative = |(v, z): (&f64, &f64)| (v.sqrt() / outcome.slope(*z)).powi(2).min(1e30);
    let noise = raw.noise().map(|v| v.iter().zip(&y).map(relative).collect());
    let data = Dataset::new(raw.x().clone(), y)?;
    match noise {
        Some(noise) => data.with_noise(noise),
        None => Ok(data),
    }
}

/// At most `size` observations: the best half of them, and random others.
fn part(raw: &Dataset, size: usize, stream: &Stream) -> Result<Dataset> {
    if raw.len() <= size {
        return Ok(raw.clone());
    }
    let mut order: Vec<usize> = (0..raw.len()).collect();
    order.sort_by(|&a, &b| raw.y()[b].total_cmp(&raw.y()[a]).then(a.cmp(&b)));
    let mut rest = order.split_off(size / 2);
    stream.child("contest", 0).shuffle(&mut rest);
    order.extend(rest.into_iter().take(size - size / 2));
    let mut x = Points::new(raw.dim());
    for &i in &order {
        x.push(raw.x().row(i));
    }
    let part = Dataset::new(x, order.iter().map(|&i| raw.y()[i]).collect())?;
    match raw.noise() {
        Some(noise) => part.with_noise(order.iter().map(|&i| noise[i]).collect()),
        None => Ok(part),
    }
}
