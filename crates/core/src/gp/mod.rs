//! From data to a posterior: kernels, prediction, gradients, marginal likelihood and its search.

mod hyper;
mod kernel;
mod posterior;
mod whitened;

pub use hyper::{Hyperparameters, Metric, Noise};
pub use kernel::{Kernel, KernelKind, Matern32, Matern52, Rbf};
pub use posterior::{Posterior, Prediction, Scratch};
