//! Batch and asynchronous Bayesian optimization by local penalization.
//!
//! When an experiment is slow and several can run at once (cores, machines, wells on a plate), elbowroom says which points
//! to try next, so that the points under way give each other room. This page is a tour; each section stands alone.
//!
//! - [A closure, on threads](#a-closure-on-threads)
//! - [Ask and tell](#ask-and-tell)
//! - [Asynchronous use](#asynchronous-use)
//! - [Failures](#failures)
//! - [Noise](#noise)
//! - [Constraints](#constraints)
//! - [Several outcomes](#several-outcomes)
//! - [Stores](#stores)
//! - [Reproducing](#reproducing)
//! - [What the study knows](#what-the-study-knows)
//! - [A strategy of your own](#a-strategy-of-your-own)
//! - [What it does not do](#what-it-does-not-do)
//! - [The modules](#the-modules)
//!
//! # A closure, on threads
//!
//! [`minimize`](fn@minimize) takes a space, a number of evaluations, a number of workers and a closure:
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
//! # Ask and tell
//!
//! If the evaluations happen elsewhere, in a laboratory or on other machines, ask a [`Study`] for points and tell it the
//! values. The study itself does no input or output and does not read the clock, so it fits into any program:
//!
//! ```
//! use elbowroom::{Goal, Parameter, SearchSpace, Study, StudyConfig};
//!
//! let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
//! let mut study = Study::new(StudyConfig::new(space).goal(Goal::Maximize).seed(1))?;
//! for _ in 0..6 {
//!     for trial in study.ask(4)?.trials {
//!         let x = trial.point.f64("x")?;
//!         study.tell(trial.id, 1.0 - (x - 0.3).powi(2))?; // in any order, at any time
//!     }
//! }
//! let recommended = study.recommended().expect("there are results"); // the point to use in the end
//! assert!((recommended.point.f64("x")? - 0.3).abs() < 0.05);
//! # Ok::<(), elbowroom::Error>(())
//! ```
//!
//! [`Study::best`] is the best trial as it was measured, [`Study::recommended`] the point that the model trusts most, which
//! need not have been tried. [`Study::add`] takes earlier results, and [`Ask::fix`](study::Ask::fix) holds a parameter
//! fixed for one ask.
//!
//! # Asynchronous use
//!
//! A point that was handed out is *pending* until you report its result, and later asks keep their distance from it. A
//! worker that becomes free therefore gets its next point at once, whatever the others are doing:
//!
//! ```
//! use elbowroom::{Parameter, SearchSpace, Study, StudyConfig};
//!
//! let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
//! let mut study = Study::new(StudyConfig::new(space).initial(3))?;
//! let slow = study.ask(3)?.trials;
//! study.tell(slow[1].id, 0.2)?; // the second was the fastest
//! let next = &study.ask(1)?.trials[0]; // chosen with two others still under way
//! assert_eq!(study.pending().count(), 3);
//! assert!(next.point.f64("x")? != slow[0].point.f64("x")?);
//! # Ok::<(), elbowroom::Error>(())
//! ```
//!
//! # Failures
//!
//! A crash is not a bad value. Say what happened, and the study learns where evaluations fail and weighs the chance of
//! success from then on. [`Study::fail`] is for a run that broke, [`Study::infeasible`] for a point that cannot be
//! evaluated, and [`Study::withdraw`] for one that will not be evaluated. A NaN counts as a failure too, and values are
//! never refused:
//!
//! ```
//! use elbowroom::study::Told;
//! use elbowroom::{Parameter, SearchSpace, Study, StudyConfig};
//!
//! let space = SearchSpace::new(vec![Parameter::float("heat", 0.0, 1.0)])?;
//! let mut study = Study::new(StudyConfig::new(space).seed(1))?;
//! for trial in study.ask(16)?.trials {
//!     match trial.point.f64("heat")? {
//!         heat if heat > 0.7 => study.infeasible(trial.id, "the sample melted")?,
//!         heat => drop(study.tell(trial.id, -heat)?),
//!     }
//! }
//! let chance = study.chance()?.expect("something failed");
//! assert!(chance.ln_p(&[0.2]) > chance.ln_p(&[0.9]));
//!
//! let best = study.best().expect("there are results").id;
//! assert_eq!(study.tell(best, -0.1)?, Told::Replicate); // a second value of the same trial
//! # Ok::<(), elbowroom::Error>(())
//! ```
//!
//! If your machines lose jobs at random, and failures say nothing about the points, choose
//! [`FailureRule::Ignore`](study::FailureRule::Ignore).
//!
//! # Noise
//!
//! Noise is estimated from the results. If you know the noise, give it: for each value
//! ([`Tell::noise`](study::Tell::noise), a variance), or for all of them in the [`ModelConfig`](study::ModelConfig).
//! With noise the best value is partly luck; the recommended point allows for that:
//!
//! ```
//! use elbowroom::study::Tell;
//! use elbowroom::{Parameter, SearchSpace, Study, StudyConfig};
//!
//! let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
//! let mut study = Study::new(StudyConfig::new(space).repeats(true))?;
//! for (i, trial) in study.ask(20)?.trials.into_iter().enumerate() {
//!     let x = trial.point.f64("x")?;
//!     let measured = (x - 0.5).powi(2) + if i % 2 == 0 { 0.05 } else { -0.05 };
//!     study.tell(trial.id, Tell::new(measured).noise(0.05 * 0.05))?;
//! }
//! let recommended = study.recommended().expect("there are results");
//! assert!(recommended.mean > study.best().and_then(|best| best.value()).expect("there are results"));
//! # Ok::<(), elbowroom::Error>(())
//! ```
//!
//! # Constraints
//!
//! Constraints that you know beforehand are written as text, and no point that breaks one is proposed. Equations
//! between sums hold to within a billionth:
//!
//! ```
//! use elbowroom::{Parameter, SearchSpace, Study, StudyConfig};
//!
//! let parts = ["water", "ethanol", "glycerol"].map(|name| Parameter::float(name, 0.0, 1.0));
//! let space = SearchSpace::new(parts.to_vec())?
//!     .with_constraints(["water + ethanol + glycerol == 1", "ethanol <= 2 * water", "nonzero(ethanol, glycerol) <= 1"])?;
//! let mut study = Study::new(StudyConfig::new(space))?;
//! for trial in study.ask(8)?.trials {
//!     let (water, ethanol) = (trial.point.f64("water")?, trial.point.f64("ethanol")?);
//!     assert!((water + ethanol + trial.point.f64("glycerol")? - 1.0).abs() < 1e-9 && ethanol <= 2.0 * water);
//! }
//! # Ok::<(), elbowroom::Error>(())
//! ```
//!
//! If only a measurement can tell whether a point is acceptable, put a limit on an outcome, as below.
//!
//! # Several outcomes
//!
//! A trial may have any number of results. [`Outcomes`](study::Outcomes) says what each is for: an objective, a limit, or
//! something to keep an eye on. With several objectives the search is for their front:
//!
//! ```
//! use elbowroom::study::{Outcome, Outcomes};
//! use elbowroom::{Goal, Parameter, SearchSpace, Study, StudyConfig};
//!
//! let space = SearchSpace::new(vec![Parameter::float("celsius", 20.0, 90.0)])?;
//! let outcomes = Outcomes::new(vec![
//!     Outcome::objective("yield", Goal::Maximize),
//!     Outcome::objective("cost", Goal::Minimize),
//!     Outcome::watched("purity").at_least(95.0),
//!     Outcome::watched("minutes"),
//! ])?;
//! let mut study = Study::new(StudyConfig::new(space).outcomes(outcomes))?;
//! for trial in study.ask(12)?.trials {
//!     let t = trial.point.f64("celsius")?;
//!     study.tell(trial.id, [("yield", t), ("cost", 0.1 * t), ("purity", 100.0 - t / 12.0), ("minutes", 30.0)])?;
//! }
//! let front = study.front(); // the trials that no other beats, among those that keep the limit
//! assert!(front.points.len() > 3);
//! assert!(study.best().is_none_or(|best| study.is_feasible(best) == Some(true)));
//! # Ok::<(), elbowroom::Error>(())
//! ```
//!
//! # Stores
//!
//! A study is its list of [`Event`](study::Event)s. Events can be serialized, are only ever appended, and recreate the
//! same study:
//!
//! ```
//! use elbowroom::study::Event;
//! use elbowroom::{Parameter, SearchSpace, Study, StudyConfig};
//!
//! let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
//! let mut study = Study::new(StudyConfig::new(space))?;
//! let trial = study.ask(1)?.trials.remove(0);
//! study.tell(trial.id, 0.5)?;
//!
//! let log: Vec<String> = study.events().iter().map(|event| serde_json::to_string(event).unwrap()).collect();
//! let events = log.iter().map(|line| serde_json::from_str::<Event>(line).unwrap());
//! assert_eq!(Study::replay(events)?.best(), study.best());
//! # Ok::<(), elbowroom::Error>(())
//! ```
//!
//! The crate `elbowroom-store` keeps such logs in a SQLite file, in PostgreSQL or behind HTTP, and lets any number of
//! workers share one: every point is stored with a lease before it is handed out, and goes to another worker if its
//! worker dies.
//!
//! # Reproducing
//!
//! The same configuration, seed and events give the same batch to the bit, on any number of threads and cores. So a log
//! can be checked: [`verify`](study::verify) makes every choice again and lists those that came out differently.
//!
//! ```
//! use elbowroom::study::verify;
//! use elbowroom::{Parameter, SearchSpace, Study, StudyConfig};
//!
//! let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
//! let mut study = Study::new(StudyConfig::new(space).seed(7))?;
//! for _ in 0..4 {
//!     for trial in study.ask(3)?.trials {
//!         study.tell(trial.id, trial.point.f64("x")?.sin())?;
//!     }
//! }
//! assert!(verify(study.events())?.is_empty());
//! # Ok::<(), elbowroom::Error>(())
//! ```
//!
//! # What the study knows
//!
//! [`insight`] answers questions about a study: [why](insight::why) a point was chosen, how much each parameter
//! [matters](insight::importance), what to [expect](insight::expected) at any point, what one more trial may
//! [gain](insight::expected_gain), and what may be [wrong](insight::findings).
//!
//! ```
//! use elbowroom::insight::{importance, why};
//! use elbowroom::study::TrialId;
//! use elbowroom::{Parameter, SearchSpace, Study, StudyConfig};
//!
//! let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0), Parameter::float("idle", 0.0, 1.0)])?;
//! let mut study = Study::new(StudyConfig::new(space))?;
//! for trial in study.ask(14)?.trials {
//!     study.tell(trial.id, (3.0 * trial.point.f64("x")?).sin())?;
//! }
//! assert_eq!(importance(&study)?.rows[0].name, "x");
//! assert_eq!(why(&study, TrialId(0))?.trial, TrialId(0));
//! # Ok::<(), elbowroom::Error>(())
//! ```
//!
//! # A strategy of your own
//!
//! Strategies are chosen by name ([`StrategyConfig`](study::StrategyConfig); local penalization is the default). Your
//! own is handed in as a part: a type that implements [`BatchStrategy`](batch::BatchStrategy), under a name and a
//! version that the log keeps. Kernels can be handed in the same way. A strategy that builds on those of this crate
//! takes a few lines:
//!
//! ```
//! use elbowroom::batch::{BatchSize, BatchStrategy, Believer, Chooser, LocalPenalization, Situation};
//! use elbowroom::error::Result;
//! use elbowroom::study::{PartId, Parts, StrategyConfig};
//! use elbowroom::{Parameter, SearchSpace, Study, StudyConfig};
//!
//! /// Local penalization for small batches, a believer for large ones.
//! #[derive(Debug, Default)]
//! struct BySize {
//!     small: LocalPenalization,
//!     large: Believer,
//! }
//!
//! impl BatchStrategy for BySize {
//!     fn bind<'a>(&'a self, situation: &'a Situation<'a>, size: BatchSize) -> Result<Box<dyn Chooser + 'a>> {
//!         if size.get() <= 8 { self.small.bind(situation, size) } else { self.large.bind(situation, size) }
//!     }
//! }
//!
//! let part = PartId::new("acme/by-size", "1")?;
//! let parts = Parts::new().with_strategy(part.clone(), |_settings| Ok(BySize::default()));
//! let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
//! let mut study = Study::with(StudyConfig::new(space).strategy(StrategyConfig::foreign(part)), &parts)?;
//! assert_eq!(study.ask(4)?.trials.len(), 4);
//! # Ok::<(), elbowroom::Error>(())
//! ```
//!
//! `examples/own_parts` in the repository has a complete strategy, a kernel and a store.
//!
//! # What it does not do
//!
//! - **Thousands of cheap evaluations.** A Gaussian process pays off if an evaluation takes at least seconds. A model
//!   is fitted to at most 1,000 results; with more results, or more than about 20 parameters, expect less of it.
//! - **Gradients.** If your objective has them, use an optimizer that takes them.
//! - **Stopping trials early.** A trial runs to its end; there is no pruning, and no cheaper fidelity.
//! - **Conditions on floats.** A parameter may depend on categories, lists, integers and fixed values, not on where a
//!   float lies.
//! - **Integers beyond 2⁵⁰**, and spaces that non-linear constraints reduce to next to nothing.
//! - **Running things.** This crate chooses points. `elbowroom-run` runs commands, `elbowroom-web` serves a dashboard, and
//!   the command `elbow` of `elbowroom-cli` puts them together.
//!
//! # The modules
//!
//! The modules form a list; each uses only those before it: [`error`], [`rng`], [`normal`], [`linalg`], [`pareto`],
//! [`optim`], [`polytope`], [`space`], [`design`], [`domain`], [`data`], [`gp`], [`chance`], [`acquisition`],
//! [`penalty`], [`belief`], [`batch`], [`problems`], [`study`], [`insight`], [`mod@minimize`]. `ARCHITECTURE.md` is the
//! map, and `NOTATION.md` relates the paper's symbols to the names used here.

/// The crate's page on crates.io, whose program is run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

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
