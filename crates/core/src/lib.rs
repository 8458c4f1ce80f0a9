//! Batch and asynchronous Bayesian optimization by local penalization.
//!
//! When an experiment is slow and several can run at once, a [`study::Study`] says which points to try next, so that
//! the points of a batch give each other room:
//!
//! ```
//! use elbowroom::space::{Parameter, SearchSpace};
//! use elbowroom::study::{Study, StudyConfig};
//!
//! let space = SearchSpace::new(vec![
//!     Parameter::float("rate", 1e-4, 1.0).log(),
//!     Parameter::int("layers", 1, 8),
//!     Parameter::category("kind", ["relu", "tanh"]),
//! ])?;
//! let mut study = Study::new(StudyConfig::new(space).seed(1))?;
//! for _ in 0..6 {
//!     let batch = study.ask(4)?.trials; // four points, to be evaluated in parallel
//!     for trial in batch {
//!         let rate = trial.point.get("rate").and_then(|v| v.as_f64()).unwrap_or(1.0);
//!         let layers = trial.point.get("layers").and_then(|v| v.as_f64()).unwrap_or(1.0);
//!         study.tell(trial.id, (rate.log10() + 2.0).powi(2) + (layers - 3.0).abs())?;
//!     }
//! }
//! let best = study.best().expect("there are results");
//! assert!(best.value().expect("it has a value") < 1.0);
//! # Ok::<(), elbowroom::error::Error>(())
//! ```
//!
//! The modules form a list, each using only those above it: [`error`], [`rng`], [`normal`], [`linalg`], [`optim`],
//! [`space`], [`design`], [`domain`], [`data`], [`gp`], [`chance`], [`acquisition`], [`penalty`], [`batch`], [`problems`], [`study`],
//! [`insight`].
//! `ARCHITECTURE.md` is the map, `NOTATION.md` ties the paper's symbols to the names here.

pub mod acquisition;
pub mod batch;
pub mod chance;
pub mod data;
pub mod design;
pub mod domain;
pub mod error;
pub mod gp;
pub mod insight;
pub mod linalg;
pub mod normal;
pub mod optim;
pub mod penalty;
pub mod problems;
pub mod rng;
pub mod space;
pub mod study;
