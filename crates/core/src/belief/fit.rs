//! From results to a model: scale, warp, fit.
//!
//! Kernel and output warp are chosen by evidence on a part of the observations (`contest.rs`). A last fit to all of
//! them starts from the winner. `subset.rs` says which observations each step sees.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::config::{HyperparameterRule, ModelConfig};
use super::contest::{BENDS, Entry, bend_at};
use super::kernels::{Contestant, KernelConfig};
use super::pivot::Pivot;
use super::scale::{Gauge, ResultScale, ScaleRule};
use super::subset::{self, TrainingSubset};
use super::trust;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::gp::{
    Described, FitParams, Hyperparameters, MeanRule, Metric, Noise, NoiseRule, Posterior, Priors, Shape, fit, rescale,
    work,
};
use crate::linalg::Points;
use crate::rng::Stream;
use crate::space::{Dimension, SearchSpace};

/// What a model is made of: unit points, values to be *maximized*, and noise variances where they are known.
#[derive(Debug, Clone, PartialEq)]
pub struct Observations {
    /// The points, in the unit cube.
    pub x: Points,
    /// Their values.
    pub values: Vec<f64>,
    /// The noise variance of every value, in its squared units; NaN where it is not known while others are. Then the noise
    /// that all values share is fitted, and the known variances are added to it.
    pub noise: Option<Vec<f64>>,
}

impl Observations {
    /// Limited results as their model sees them; noise is scaled by the slope of the map at each.
    fn through(mut self, pivot: &Pivot) -> Self {
        for (i, value) in self.values.iter_mut().enumerate() {
            *value = pivot.encode(*value);
            if let Some(noise) = &mut self.noise {
                noise[i] /= pivot.slope(*value).powi(2);
            }
        }
        self
    }

    /// The variances that are known, 0 for values without one; and whether there are such values.
    pub(super) fn known_noise(&self, config: &ModelConfig) -> Option<(Vec<f64>, bool)> {
        let of_all = || config.noise.map(|variance| vec![variance; self.values.len()]);
        let variances = self.noise.clone().or_else(of_all)?;
        let is_partial = variances.iter().any(|v| v.is_nan());
        Some((variances.into_iter().map(|v| if v.is_nan() { 0.0 } else { v }).collect(), is_partial))
    }

    /// Some of the observations, by index.
    pub(super) fn only(&self, indices: &[usize]) -> Self {
        let mut x = Points::new(self.x.dim());
        indices.iter().for_each(|&i| x.push(self.x.row(i)));
        let some = |all: &Vec<f64>| indices.iter().map(|&i| all[i]).collect();
        Self { x, values: some(&self.values), noise: self.noise.as_ref().map(some) }
    }
}

/// A fitted model of the objective on the unit cube.
#[derive(Debug, Clone)]
pub struct Model {
    /// The posterior, in the model's own units.
    pub posterior: Posterior,
    /// The map between results and the model's units.
    pub scale: ResultScale,
    /// What is recorded of the fit: enough for the next fit to start from.
    pub record: ModelRecord,
    /// Operations that the fit took, to leading order; see [`FitInfo::work`](crate::gp::FitInfo::work).
    pub work: f64,
    /// ln(likelihood · prior) of the results themselves, whatever the warp; 0 if the hyperparameters were given.
    pub(super) value: f64,
}

/// The result of a fit as it is recorded in the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelRecord {
    /// The kernel; for a user's part, in the version that was given.
    pub kernel: KernelConfig,
    /// Logarithms of the hyperparameters: lengthscales, variance, noise if it is fitted, then the kernel's own.
    pub theta: Vec<f64>,
    /// The bend of the output warp, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bend: Option<f64>,
    /// The subset of observations in the model, if there were too many for it.
    #[serde(rename = "part", default, skip_serializing_if = "Option::is_none")]
    pub subset: Option<TrainingSubset>,
}

impl ModelRecord {
    /// Whether two fits ended at the same place, with the same kernel in any version.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let Self { kernel, theta, bend, subset } = self;
        kernel.is_same(&other.kernel) && (theta, bend, subset) == (&other.theta, &other.bend, &other.subset)
    }
}

/// Distinct points that a warp needs. A few results can often be bent until they lie on a smooth curve, and the model
/// is then overconfident. Replicates do not count: they inform about the noise, not the function.
const MIN_WARPED: usize = 10;

fn n_distinct(data: &Dataset) -> usize {
    let bits = |x: &[f64]| x.iter().map(|v| v.to_bits()).collect::<Vec<u64>>();
    data.x().iter().map(bits).collect::<HashSet<_>>().len()
}

impl Model {
    /// Fits a model to observations; `warm` is the record of an earlier fit of this study. Fails with the kind
    /// `missing_part` if the configuration names a user's kernel: those need a [`Study`](crate::study::Study).
    pub fn fit(
        config: &ModelConfig,
        space: &SearchSpace,
        observations: &Observations,
        warm: Option<&ModelRecord>,
        stream: &Stream,
    ) -> Result<Self> {
        let ours = |kernel: &KernelConfig| match kernel {
            KernelConfig::Ours(kind) => Ok((*kind).into()),
            KernelConfig::Foreign { part, .. } => Err(part.is_missing("kernel")),
        };
        let kernels = config.kernels.iter().map(ours).collect::<Result<Vec<_>>>()?;
        FitPlan { config, kernels: &kernels, space, warm, stream }.fit(observations)
    }

    /// The prediction at a unit point in the units of the observed values: median and standard deviation.
    pub fn predict_value(&self, u: &[f64]) -> (f64, f64) {
        self.scale.in_users_units(&self.posterior.predict(u))
    }

    /// Adds the work of another fit.
    pub(super) fn with_work_of(mut self, other: &Model) -> Self {
        self.work += other.work;
        self
    }
}

/// What a fit needs besides the observations.
pub(crate) struct FitPlan<'a> {
    pub config: &'a ModelConfig,
    /// The kernels that the configuration names.
    pub kernels: &'a [Contestant],
    pub space: &'a SearchSpace,
    /// The record of an earlier fit of this study.
    pub warm: Option<&'a ModelRecord>,
    pub stream: &'a Stream,
}

impl FitPlan<'_> {
    /// Fits a model to limited results, as they were told or through a pivot: whichever has more evidence.
    pub fn fit_limited(&self, observations: &Observations, pivot: Pivot) -> Result<Model> {
        let as_told = self.fit(observations)?;
        let through = observations.clone().through(&pivot);
        let pivoted = self.fit(&through)?;
        let ln_jacobian: f64 = through.values.iter().map(|t| -pivot.slope(*t).ln()).sum();
        let work = as_told.work + pivoted.work;
        let model = match pivoted.value + ln_jacobian > as_told.value {
            true => Model { scale: pivoted.scale.behind(pivot), value: pivoted.value + ln_jacobian, ..pivoted },
            false => as_told,
        };
        Ok(Model { work, ..model })
    }

    /// Fits a model to observations.
    pub fn fit(&self, observations: &Observations) -> Result<Model> {
        self.with_fitting(observations, |fitting| match self.config.hyperparameters {
            HyperparameterRule::Fixed { .. } => fitting.fixed(),
            HyperparameterRule::MaximumLikelihoodOfAll { .. } => fitting.likeliest(),
            _ => trust::without_accident(fitting, fitting.whole()?),
        })
    }

    /// Calls a function with what a fit to these observations needs.
    pub(super) fn with_fitting<T>(
        &self,
        observations: &Observations,
        f: impl FnOnce(&Fitting<'_>) -> Result<T>,
    ) -> Result<T> {
        // Refuses values that are not finite, by index.
        let mut raw = Dataset::new(observations.x.clone(), observations.values.clone())?;
        let known = observations.known_noise(self.config);
        let is_noise_partial = known.as_ref().is_some_and(|(_, is_partial)| *is_partial);
        if let Some((variances, _)) = known {
            raw = raw.with_noise(variances)?;
        }
        let gauge = Gauge::new(raw.y(), &subset::typical(raw.x()));
        let described = &described(self.space);
        let Self { config, kernels, space, warm, stream } = *self;
        f(&Fitting { config, kernels, space, described, warm, stream, all: &raw, is_noise_partial, gauge })
    }
}

/// A fit in progress.
pub(super) struct Fitting<'a> {
    pub config: &'a ModelConfig,
    pub kernels: &'a [Contestant],
    pub space: &'a SearchSpace,
    pub described: &'a [Described],
    /// The record of an earlier fit of this study.
    pub warm: Option<&'a ModelRecord>,
    pub stream: &'a Stream,
    pub all: &'a Dataset,
    /// Whether some of the results have no noise variance though others do.
    pub is_noise_partial: bool,
    /// The gauge of all results, so that every part of them is on the same scale.
    pub gauge: Gauge,
}

impl Fitting<'_> {
    /// Runs the contest, the fit to all data, and the checks of that fit.
    pub fn whole(&self) -> Result<Model> {
        let mut work = 0.0;
        let entry = self.chosen(&mut work)?;
        let fitted = self.second_look(entry)?;
        let mut fitted = trust::checked(self, fitted)?;
        fitted.work += work;
        Ok(fitted)
    }

    /// Whether θ has the noise that all results share.
    pub fn is_noise_fitted(&self) -> bool {
        self.all.noise().is_none() || self.is_noise_partial
    }

    pub fn may_warp(&self) -> bool {
        self.config.scale == ScaleRule::Warped && n_distinct(self.all) >= MIN_WARPED
    }

    /// The map of all results with this bend.
    pub fn scale(&self, bend: Option<f64>) -> ResultScale {
        ResultScale::by(self.config.scale, &self.gauge, self.all.y(), bend)
    }

    /// Where to start on all data: at the winner of a contest on a part of them or at the last fit, with the bend and
    /// variances that fit its lengthscales best on all data.
    pub fn start(&self, winner: Entry, work: &mut f64) -> Result<Entry> {
        let mut entry = self.rescaled(&winner, work)?;
        if let Some(warm) =
            self.warm.filter(|w| w.kernel.is_same(&winner.kernel.name) && w.theta.len() == winner.theta.len())
        {
            let rescaled = self.rescaled(&Entry { theta: warm.theta.clone(), ..winner }, work)?;
            if rescaled.value > entry.value {
                entry = rescaled;
            }
        }
        // All data may show noise that a part of them did not.
        if let Some(theta) = self.other_noise(&entry) {
            let rescaled = self.rescaled(&Entry { theta, ..entry.clone() }, work)?;
            if rescaled.value > entry.value {
                entry = rescaled;
            }
        }
        Ok(entry)
    }

    /// The best bend for a θ on all data, with matching variances.
    pub fn rescaled(&self, entry: &Entry, work: &mut f64) -> Result<Entry> {
        if self.all.noise().is_some() {
            // Known variances do not scale with the variance of the kernel.
            return Ok(Entry { value: f64::NEG_INFINITY, ..entry.clone() });
        }
        let mut bends = vec![entry.bend];
        if self.may_warp() {
            bends.push(None);
            bends.extend((0..BENDS).map(|level| Some(bend_at(level))));
        }
        let maps: Vec<ResultScale> = bends.iter().map(|bend| self.scale(*bend)).collect();
        let values: Vec<Vec<f64>> =
            maps.iter().map(|map| self.all.y().iter().map(|&y| map.encode(y)).collect()).collect();
        let data = self.encoded(self.all, &maps[0])?;
        let found = rescale(&data, &self.params(&entry.kernel, &data), &entry.theta, &values)?;
        *work += found.work;
        let mut best = Entry { value: f64::NEG_INFINITY, ..entry.clone() };
        for ((theta, value), (map, bend)) in found.ends.into_iter().zip(maps.iter().zip(bends)) {
            let value = value + map.ln_jacobian(self.all.y());
            if value > best.value {
                best = Entry { value, bend, theta, ..best };
            }
        }
        Ok(best)
    }

    /// A model of all observations with this kernel and bend. The search starts at θ, or at the prior's mode, and ends
    /// after this many evaluations of the likelihood.
    pub fn complete(
        &self,
        kernel: &Contestant,
        bend: Option<f64>,
        theta: Option<Vec<f64>>,
        max_evaluations: Option<usize>,
    ) -> Result<Model> {
        let scale = self.scale(bend);
        let data = self.encoded(self.all, &scale)?;
        let mut params = self.params(kernel, &data);
        params.warm = theta;
        params.random_starts = 0;
        params.max_evaluations = max_evaluations.unwrap_or(params.max_evaluations);
        self.search(&data, kernel, scale, &params)
    }

    fn search(&self, data: &Dataset, kernel: &Contestant, scale: ResultScale, params: &FitParams) -> Result<Model> {
        let found = fit(data, params, self.stream)?;
        let record = record(kernel, found.theta, &scale);
        let value = found.value + scale.ln_jacobian(self.all.y());
        Ok(Model { posterior: found.posterior, scale, record, work: found.info.work, value })
    }

    pub fn encoded(&self, raw: &Dataset, scale: &ResultScale) -> Result<Dataset> {
        encoded(raw, scale, self.gauge.wild_noise(raw.y()).filter(|_| self.config.scale != ScaleRule::Centred))
    }

    /// The priors of a maximum a posteriori fit.
    pub fn priors(&self) -> Priors {
        let priors = Priors { noise: self.config.noise_prior, ..Priors::dimension_scaled(self.space.largest_dim()) };
        match self.config.category_prior {
            Some(prior) => Priors { category: prior.times((self.space.largest_dim().max(1) as f64).sqrt()), ..priors },
            None => priors,
        }
    }

    /// The hyperparameters to fit with this kernel.
    pub fn shape(&self, kernel: &Contestant) -> Shape {
        let mut shape = Shape::new(kernel.kernel.clone(), self.space.dim());
        shape.metric = metric(self.space);
        shape.described = self.described.to_vec();
        shape.ard = self.config.ard;
        shape
    }

    pub fn params(&self, kernel: &Contestant, data: &Dataset) -> FitParams {
        let mut shape = self.shape(kernel);
        // On the other scales the variance of the results is 1.
        let (mean, variance) = match self.config.scale {
            ScaleRule::Centred => (MeanRule::Known(0.0), mean_square(data.y())),
            ScaleRule::Warped | ScaleRule::Standardized => (MeanRule::Estimated { prior_sd: 1.0 }, 1.0),
        };
        shape.mean = mean;
        shape.noise = if self.is_noise_fitted() {
            NoiseRule::Fitted { floor: self.config.noise_floor * variance }
        } else {
            NoiseRule::PerObservation
        };
        let extent = vec![1.0; self.space.dim()];
        match self.config.hyperparameters {
            HyperparameterRule::MaximumLikelihood { starts } => FitParams::maximum_likelihood(shape, extent, starts),
            HyperparameterRule::MaximumLikelihoodOfAll { starts } => {
                FitParams::maximum_likelihood_of(shape, extent, starts)
            }
            HyperparameterRule::Map { random_starts } => {
                FitParams { priors: self.priors(), random_starts, ..FitParams::map(shape) }
            }
            HyperparameterRule::Fixed { .. } => FitParams { priors: self.priors(), ..FitParams::map(shape) },
        }
    }

    /// The model under which all results are most likely: tries every kernel from every start.
    fn likeliest(&self) -> Result<Model> {
        let scale = self.scale(None);
        let data = self.encoded(self.all, &scale)?;
        let mut best: Option<Model> = None;
        for kernel in self.kernels {
            let found = self.search(&data, kernel, scale, &self.params(kernel, &data))?;
            best = Some(match best {
                Some(best) if found.value > best.value => found.with_work_of(&best),
                Some(best) => best.with_work_of(&found),
                None => found,
            });
        }
        let nothing = || Error::config("model.kernels is empty", "name at least one kernel");
        best.ok_or_else(nothing)
    }

    /// The model with given hyperparameters.
    fn fixed(&self) -> Result<Model> {
        let HyperparameterRule::Fixed { variance, lengthscales, noise } = &self.config.hyperparameters else {
            return Err(Error::config("the hyperparameters are not fixed", "give all of them"));
        };
        let scale = self.scale(None);
        let data = self.encoded(self.all, &scale)?;
        let kernel = self.first_kernel();
        let mut hyper = Hyperparameters::new(kernel.kernel.clone(), *variance, lengthscales.clone(), *noise);
        hyper.metric = metric(self.space);
        hyper.described = self.described.to_vec();
        if let Some(noise) = data.noise() {
            hyper.noise = Noise::PerObservation(noise.to_vec());
        }
        let posterior = Posterior::new(&data, hyper)?;
        let record = record(&kernel, Vec::new(), &scale);
        Ok(Model { posterior, scale, record, work: work::factorization(self.all.len()), value: 0.0 })
    }

    /// The kernel of a record; none if it is a user's part that is not among the choices.
    pub fn recorded(&self, record: &ModelRecord) -> Option<Contestant> {
        match &record.kernel {
            KernelConfig::Ours(kind) => Some((*kind).into()),
            foreign => self.kernels.iter().find(|kernel| kernel.name.is_same(foreign)).cloned(),
        }
    }
}

pub(super) fn record(kernel: &Contestant, theta: Vec<f64>, scale: &ResultScale) -> ModelRecord {
    ModelRecord { kernel: kernel.name.clone(), theta, bend: scale.bend(), subset: None }
}

/// How the coordinates of a space are compared.
pub(crate) fn metric(space: &SearchSpace) -> Vec<Metric> {
    let metric = space.dimensions().iter().map(|d| match d {
        Dimension::Category { .. } => Metric::Mismatch,
        _ => Metric::Distance,
    });
    metric.collect()
}

/// The categories of a space whose levels have descriptors.
fn described(space: &SearchSpace) -> Vec<Described> {
    space.described().iter().map(|(dim, places)| Described::new(*dim, places)).collect()
}

/// The observations in the model's units. A noise variance is divided by the squared slope of the map at its value. The
/// additional noise of wild results is in the model's units already.
pub(super) fn encoded(raw: &Dataset, scale: &ResultScale, wild: Option<Vec<f64>>) -> Result<Dataset> {
    let y: Vec<f64> = raw.y().iter().map(|&y| scale.encode(y)).collect();
    // An observation with a noise of 1e30 variances has no influence; infinity would not be a valid variance.
    let most = 1e30 * mean_square(&y).max(1.0);
    let relative = |(v, z): (&f64, &f64)| (v.sqrt() / scale.slope(*z)).powi(2).min(most);
    let declared = raw.noise().map(|v| v.iter().zip(&y).map(relative).collect::<Vec<f64>>());
    let noise = match (declared, wild) {
        (Some(declared), Some(wild)) => Some(declared.iter().zip(wild).map(|(a, b)| a + b).collect()),
        (declared, wild) => declared.or(wild),
    };
    let data = Dataset::new(raw.x().clone(), y)?;
    match noise {
        Some(noise) => data.with_noise(noise),
        None => Ok(data),
    }
}

/// The mean of the squares.
pub(crate) fn mean_square(y: &[f64]) -> f64 {
    y.iter().map(|v| v * v).sum::<f64>() / y.len().max(1) as f64
}
