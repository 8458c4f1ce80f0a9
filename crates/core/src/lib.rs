//! Batch and asynchronous Bayesian optimization by local penalization.

pub mod error;
