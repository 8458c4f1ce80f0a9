//! Batch and asynchronous Bayesian optimization by local penalization.

pub mod error;
pub mod linalg;
pub mod optim;
pub mod rng;
