//! How a model is made: its settings, and what they may be.

use serde::{Deserialize, Serialize};

use super::fit::metric;
use super::kernels::KernelConfig;
use super::scale::ScaleRule;
use crate::error::{Error, Result};
use crate::gp::{Hyperparameters, KernelKind, Metric, Prior};
use crate::space::SearchSpace;

/// The settings of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelConfig {
    /// Kernels to choose from, by how likely they make the results; the first fit starts with the first one.
    pub kernels: Vec<KernelConfig>,
    /// One lengthscale per parameter (ARD), or one for all.
    pub ard: bool,
    /// How hyperparameters are found.
    pub hyperparameters: HyperparameterRule,
    /// The scale on which the model sees results.
    #[serde(rename = "outcome", alias = "scale")]
    pub scale: ScaleRule,
    /// Known noise variance of each result that has no variance of its own; fitted if absent.
    pub noise: Option<f64>,
    /// Smallest noise variance of a fit, relative to the variance of the results.
    pub noise_floor: f64,
    /// Prior of the noise variance.
    pub noise_prior: Prior,
    /// Prior of the lengthscale of a category, in units of √d. A log without it means `None`: the prior of numbers. A
    /// new configuration without it gets the default if its space has categories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category_prior: Option<Prior>,
    /// The largest number of observations in a model; with more, it uses a [`TrainingSubset`](super::TrainingSubset).
    pub max_observations: usize,
}

/// How the hyperparameters of a model are found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum HyperparameterRule {
    /// Maximum a posteriori with dimension-scaled priors, starting from the last fit, the prior and some random draws.
    Map {
        /// Random starts.
        random_starts: usize,
    },
    /// Maximum likelihood: the best of some random starts on a part of the observations, then a short search on all of
    /// them. Close to what the paper does, at a cost that allows many observations.
    MaximumLikelihood {
        /// Random starts.
        starts: usize,
    },
    /// Maximum likelihood with every start on all observations, without a warp and without the last fit: exactly the
    /// paper's way, with 10 starts. It costs many times starts · n³.
    ///
    /// ```
    /// use elbowroom::study::HyperparameterRule;
    /// let paper: HyperparameterRule = serde_json::from_str(r#"{"maximum_likelihood_of_all":{"starts":10}}"#)?;
    /// assert_eq!(paper, HyperparameterRule::MaximumLikelihoodOfAll { starts: 10 });
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    MaximumLikelihoodOfAll {
        /// Starts: the first is always the same, the others are random.
        starts: usize,
    },
    /// Given values, for results on the model's scale and points in the unit cube. There is no search. The first kernel
    /// is used, and its own parameters, if it has any, have their typical values.
    Fixed {
        /// Kernel variance.
        variance: f64,
        /// One lengthscale per searched parameter.
        lengthscales: Vec<f64>,
        /// Noise variance.
        noise: f64,
    },
}

impl Default for ModelConfig {
    fn default() -> Self {
        Self {
            kernels: [KernelKind::Matern52, KernelKind::Matern32, KernelKind::TwoScale].map(Into::into).to_vec(),
            ard: true,
            hyperparameters: HyperparameterRule::Map { random_starts: 1 },
            scale: ScaleRule::Warped,
            noise: None,
            noise_floor: 1e-10,
            noise_prior: Prior::OF_NOISE,
            category_prior: Some(Prior::OF_CATEGORIES),
            max_observations: 1000,
        }
    }
}

/// The largest number of random starts: it limits the time that one damaged configuration can take.
const MAX_STARTS: usize = 1000;

impl ModelConfig {
    /// For a new study in a space: adds default rules for what the space has, where none are given, and removes rules
    /// for what it does not have, so that they are not written.
    pub(crate) fn begun_in(mut self, space: &SearchSpace) -> Self {
        let has_categories = metric(space).contains(&Metric::Mismatch);
        self.category_prior = self.category_prior.or(Self::default().category_prior).filter(|_| has_categories);
        self
    }

    /// Refuses settings that are out of range, by name; `dim` is the number of searched parameters.
    pub(crate) fn validate(&self, dim: usize) -> Result<()> {
        if self.kernels.is_empty() {
            return Err(Error::config("model.kernels is empty", "name at least one kernel"));
        }
        self.kernels.iter().try_for_each(KernelConfig::validate)?;
        if let Some(v) = self.noise.filter(|v| !(v.is_finite() && *v >= 0.0)) {
            let hint = "give a variance that is finite and not negative, or none to have it fitted";
            return Err(Error::config(format!("model.noise is {v}"), hint));
        }
        if !(0.0..=1.0).contains(&self.noise_floor) {
            let what = format!("model.noise_floor is {}", self.noise_floor);
            return Err(Error::config(what, "give a share of the variance of the results, from 0 to 1"));
        }
        for (name, prior) in [("noise_prior", Some(self.noise_prior)), ("category_prior", self.category_prior)] {
            if let Some(prior) = prior.filter(|prior| !prior.is_proper()) {
                let hint = "give finite parameters; all except mu must be positive";
                return Err(Error::config(format!("model.{name} is {prior:?}"), hint));
            }
        }
        if self.max_observations < MIN_OBSERVATIONS {
            let what = format!("model.max_observations is {}", self.max_observations);
            return Err(Error::config(
                what,
                format!("use at least {MIN_OBSERVATIONS}; the cost of a model of n results grows as n³"),
            ));
        }
        self.hyperparameters.validate(dim)
    }
}

/// The smallest permitted `max_observations`: each share of the subset should have some.
const MIN_OBSERVATIONS: usize = 20;

impl HyperparameterRule {
    fn validate(&self, dim: usize) -> Result<()> {
        match self {
            HyperparameterRule::Map { random_starts: n }
            | HyperparameterRule::MaximumLikelihood { starts: n }
            | HyperparameterRule::MaximumLikelihoodOfAll { starts: n }
                if *n > MAX_STARTS =>
            {
                let what = format!("model.hyperparameters: {n} random starts were asked for");
                Err(Error::config(what, format!("use at most {MAX_STARTS}")))
            }
            HyperparameterRule::MaximumLikelihood { starts: 0 }
            | HyperparameterRule::MaximumLikelihoodOfAll { starts: 0 } => Err(Error::config(
                "model.hyperparameters: maximum likelihood with 0 starts was asked for",
                "use at least 1; the paper uses 10",
            )),
            HyperparameterRule::Fixed { variance, lengthscales, noise } => {
                // The kernel does not matter here, and one observation is enough for the check.
                let hyper = Hyperparameters::new(KernelKind::Rbf, *variance, lengthscales.clone(), *noise);
                hyper.check(1, dim).map_err(|error| error.within("model.hyperparameters"))
            }
            _ => Ok(()),
        }
    }
}
