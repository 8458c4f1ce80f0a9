//! From data to a posterior: kernels, prediction, gradients, marginal likelihood and its search.

mod gradient;
mod hyper;
mod joint;
mod kernel;
mod posterior;
mod whitened;

pub use gradient::GradientPosterior;
pub use hyper::{Hyperparameters, Metric, Noise};
pub use joint::{Joint, LeftOut};
pub use kernel::{Kernel, KernelKind, Matern32, Matern52, Rbf};
pub use posterior::{Posterior, Prediction, Scratch};
