//! Batch and asynchronous Bayesian optimization by local penalization.

pub mod design;
pub mod error;
pub mod linalg;
pub mod problems;
pub mod rng;
