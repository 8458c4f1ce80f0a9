//! The experiments of "Batch Bayesian Optimization via Local Penalization" (González, Dai, Hennig and Lawrence 2016),
//! one module and one subcommand each.
//!
//! Every experiment is a list of independent [`jobs`] whose results are the rows of one [`raw`] file. Tables and
//! figures are made from that file alone, so that a run can be stopped, resumed and examined again.

pub mod ablation;
pub mod asynchronous;
pub mod cosines;
pub mod curves;
pub mod data;
pub mod figure1;
pub mod figure2;
pub mod gene;
pub mod intractable;
pub mod jobs;
pub mod lipschitz;
pub mod markdown;
pub mod methods;
pub mod options;
pub mod page;
pub mod panels;
pub mod race;
pub mod raw;
pub mod series;
pub mod stats;
pub mod style;
pub mod svr;
pub mod table;

/// Errors of files, data or the library, with a message for people.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// A result whose error has a message for people.
pub type Result<T> = std::result::Result<T, Error>;
