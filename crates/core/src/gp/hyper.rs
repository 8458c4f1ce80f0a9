//! The settings of a Gaussian process: kernel, scales, noise and mean.

use super::{AnyKernel, Described};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// How two coordinates are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Metric {
    /// By their difference: floats, integers, ordered values.
    Distance,
    /// By whether they are equal: categories. Any two different ones are 1/ℓ apart.
    Mismatch,
}

/// Variance of the observation noise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Noise {
    /// One variance for all observations.
    Equal(f64),
    /// One known variance per observation, in the order of the data.
    PerObservation(Vec<f64>),
}

impl Noise {
    /// The variance of observation i.
    pub fn variance(&self, i: usize) -> f64 {
        match self {
            Noise::Equal(v) => *v,
            Noise::PerObservation(v) => v[i],
        }
    }

    /// The variance to expect of a future observation: the median of the known ones.
    pub fn typical(&self) -> f64 {
        match self {
            Noise::Equal(v) => *v,
            Noise::PerObservation(v) => {
                let mut sorted = v.clone();
                sorted.sort_by(f64::total_cmp);
                sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
            }
        }
    }
}

/// A noise variance below this share of the prior variance counts as no noise: a hundredth of the standard deviation.
const LEAST_NOISE: f64 = 1e-4;

/// Everything that determines a Gaussian process prior and its noise.
///
/// ```
/// use elbowroom::gp::{Hyperparameters, KernelKind};
/// let h = Hyperparameters::new(KernelKind::Rbf, 1.0, vec![0.2, 0.5], 1e-6);
/// assert_eq!(h.lengthscales.len(), 2);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hyperparameters {
    /// The kernel, with the values of its parameters if it has any.
    pub kernel: AnyKernel,
    /// Prior variance σ_f² of the function (θ in the paper).
    pub variance: f64,
    /// One lengthscale ℓ per coordinate; equal ones make the kernel isotropic (the paper's γ is 1/(2ℓ²)).
    pub lengthscales: Vec<f64>,
    /// Noise variance.
    pub noise: Noise,
    /// Constant prior mean.
    pub mean: f64,
    /// How each coordinate is compared.
    pub metric: Vec<Metric>,
    /// The categories whose levels have descriptors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub described: Vec<Described>,
}

impl Hyperparameters {
    /// A zero-mean process on ordinary coordinates, with one noise variance.
    pub fn new(kernel: impl Into<AnyKernel>, variance: f64, lengthscales: Vec<f64>, noise: f64) -> Self {
        let kernel = kernel.into();
        let metric = vec![Metric::Distance; lengthscales.len()];
        Self { kernel, variance, lengthscales, noise: Noise::Equal(noise), mean: 0.0, metric, described: Vec::new() }
    }

    /// Whether results have noticeable noise: a standard deviation above a hundredth of the function's.
    ///
    /// ```
    /// use elbowroom::gp::{Hyperparameters, KernelKind};
    /// let with_noise = |noise| Hyperparameters::new(KernelKind::Rbf, 4.0, vec![0.2], noise);
    /// assert!(with_noise(5e-4).is_noisy() && !with_noise(3e-4).is_noisy());
    /// ```
    pub fn is_noisy(&self) -> bool {
        self.noise.typical() > LEAST_NOISE * self.variance
    }

    /// Refuses hyperparameters that no kernel can use; `n` is the number of observations and `dim` of coordinates.
    pub(crate) fn check(&self, n: usize, dim: usize) -> Result<()> {
        let positive = |what: &str, v: f64| {
            if v.is_finite() && v > 0.0 {
                Ok(())
            } else {
                Err(Error::config(format!("{what} is {v}"), "give a positive, finite number"))
            }
        };
        self.kernel.check()?;
        positive("the kernel variance", self.variance)?;
        for (i, l) in self.lengthscales.iter().enumerate() {
            positive(&format!("lengthscale {i}"), *l)?;
        }
        for (what, got, want) in [
            ("lengthscales", self.lengthscales.len(), dim),
            ("metric entries", self.metric.len(), dim),
            ("noise variances", if let Noise::PerObservation(v) = &self.noise { v.len() } else { n }, n),
        ] {
            if got != want {
                return Err(Error::config(
                    format!("{got} {what} for data that need {want}"),
                    "give one per coordinate (noise: one per observation)",
                ));
            }
        }
        if let Some(i) = (0..n).find(|&i| !(self.noise.variance(i).is_finite() && self.noise.variance(i) >= 0.0)) {
            return Err(Error::config(
                format!("the noise variance of observation {i} is {}", self.noise.variance(i)),
                "give a noise variance that is finite and not negative",
            ));
        }
        if !self.mean.is_finite() {
            return Err(Error::config(format!("the prior mean is {}", self.mean), "give a finite number"));
        }
        Ok(())
    }
}
