//! Batch and asynchronous Bayesian optimization by local penalization.

pub mod acquisition;
pub mod batch;
pub mod data;
pub mod design;
pub mod error;
pub mod gp;
pub mod linalg;
pub mod normal;
pub mod optim;
pub mod penalty;
pub mod problems;
pub mod rng;
pub mod space;
pub mod study;
