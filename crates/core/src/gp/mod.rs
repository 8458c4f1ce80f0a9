//! From data to a posterior: kernels, prediction, gradients, marginal likelihood and its search.

mod described;
mod fit;
mod gradient;
mod hyper;
mod joint;
mod kernel;
mod likelihood;
mod panel;
mod posterior;
mod prior;
mod probit;
mod whitened;
pub(crate) mod work;

pub use described::Described;
pub(crate) use fit::{Bent, find, fit_bent, rescale, value_at_warm};
pub use fit::{Fit, FitInfo, FitParams, fit};
pub use gradient::GradientPosterior;
pub use hyper::{Hyperparameters, Metric, Noise};
pub use joint::{Joint, LeftOut};
#[cfg(test)]
pub(crate) use kernel::Idle;
pub use kernel::{AnyKernel, Kernel, KernelKind, KernelParameter, Matern32, Matern52, Rbf, TwoScale};
pub use likelihood::{Likelihood, MeanRule, NoiseRule, Shape};
pub use panel::Panel;
pub use posterior::{Posterior, Prediction, Scratch};
pub use prior::{Prior, Priors};
pub use probit::{Probit, Sites, Sweeps};
