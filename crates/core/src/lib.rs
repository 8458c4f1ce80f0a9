//! Batch and asynchronous Bayesian optimization by local penalization.
//!
//! When an experiment is slow and several can run at once, [`minimize`](fn@minimize) runs a closure on threads and says
//! which points to try next, so that the points under way give each other room:
//!
//! ```
//! use elbowroom::{Error, Parameter, SearchSpace, minimize};
//!
//! let space = SearchSpace::new(vec![
//!     Parameter::float("rate", 1e-4, 1.0).log(),
//!     Parameter::int("layers", 1, 8),
//!     Parameter::category("kind", ["relu", "tanh"]),
//! ])?;
//! let study = minimize(space, 24, 4, |p| {
//!     let (rate, layers) = (p.f64("rate")?, p.f64("layers")?);
//!     let loss = (rate.log10() + 2.0).powi(2) + (layers - 3.0).abs();
//!     Ok::<_, Error>(if p.str("kind")? == "relu" { loss } else { loss + 0.1 })
//! })?;
//! let best = study.best().expect("there are results");
//! assert!(best.value().expect("it has a value") < 1.0);
//! # Ok::<(), Error>(())
//! ```
//!
//! Who evaluates elsewhere, in a laboratory or on other machines, asks a [`Study`] for points and tells it the values:
//!
//! ```
//! use elbowroom::{Parameter, SearchSpace, Study, StudyConfig};
//!
//! let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
//! let mut study = Study::new(StudyConfig::new(space).seed(1))?;
//! for _ in 0..6 {
//!     for trial in study.ask(4)?.trials {
//!         let x = trial.point.f64("x")?;
//!         study.tell(trial.id, (x - 0.3).powi(2))?; // in any order, at any time
//!     }
//! }
//! assert!(study.best().and_then(|best| best.value()).expect("there are results") < 0.01);
//! # Ok::<(), elbowroom::Error>(())
//! ```
//!
//! The modules form a list, each using only those above it: [`error`], [`rng`], [`normal`], [`linalg`], [`pareto`], [`optim`], [`polytope`],
//! [`space`], [`design`], [`domain`], [`data`], [`gp`], [`chance`], [`acquisition`], [`penalty`], [`belief`], [`batch`], [`problems`], [`study`],
//! [`insight`], [`mod@minimize`].
//! `ARCHITECTURE.md` is the map, `NOTATION.md` ties the paper's symbols to the names here.

pub mod acquisition;
pub mod batch;
pub mod belief;
pub mod chance;
pub mod data;
pub mod design;
pub mod domain;
pub mod error;
pub mod gp;
pub mod insight;
pub mod linalg;
pub mod minimize;
pub mod normal;
pub mod optim;
pub mod pareto;
mod part_id;
pub mod penalty;
pub mod polytope;
pub mod problems;
pub mod rng;
pub mod space;
pub mod study;

pub use error::Error;
pub use minimize::minimize;
pub use space::{Parameter, Point, SearchSpace};
pub use study::{Goal, Results, Study, StudyConfig, Trial};
