//! From data to a posterior: kernels, prediction, gradients, marginal likelihood and its search.

mod hyper;
mod kernel;
mod likelihood;
mod posterior;
mod whitened;

pub use hyper::{Hyperparameters, Metric, Noise};
pub use kernel::{Kernel, KernelKind, Matern32, Matern52, Rbf};
pub use likelihood::{Likelihood, MeanRule, NoiseRule, Shape};
pub use posterior::{Posterior, Prediction, Scratch};
