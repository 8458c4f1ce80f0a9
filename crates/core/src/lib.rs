//! Batch and asynchronous Bayesian optimization by local penalization.

pub mod error;
pub mod linalg;
pub mod rng;
pub mod space;
