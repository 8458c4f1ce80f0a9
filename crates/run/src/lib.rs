//! Drives an [`elbowroom`] study: keeps n workers busy, runs the user's command for each trial, and reports the
//! results.
//!
//! ```
//! use elbowroom::space::{Parameter, SearchSpace};
//! use elbowroom::study::StudyConfig;
//! use elbowroom_run::{Plan, Stop, Template, drive};
//! use elbowroom_store::{Memory, SharedStudy};
//! use std::sync::Arc;
//!
//! let space = SearchSpace::new(vec![Parameter::int("n", 1, 9)])?;
//! let config = StudyConfig::new(space).budget(3);
//! let mut study = SharedStudy::create(Arc::new(Memory::new()), "count", config)?;
//! let plan = Plan::new(Template::parse("echo {n}")?).workers(2);
//! let summary = drive(&mut study, &plan, &Stop::new(), &mut |_, _| {})?;
//! assert_eq!(summary.n_told, 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A command comes from the caller of [`drive`], never from the study: a store only ever provides the *values* of a
//! command's placeholders. [`Template::check`] decides which values are allowed where.

mod command;
mod drive;
mod error;
mod folder;
mod group;
mod limits;
#[cfg(target_os = "linux")]
mod memory;
mod plan;
mod process;
mod result_reader;
mod stop;
mod units;

pub use command::{Template, Trust};
pub use drive::{DriveEvent, Ended, Summary, drive};
pub use error::{Error, Result};
pub use limits::Limits;
pub use plan::{MOST_WORKERS, Plan, Refill};
pub use process::CommandEnd;
pub use result_reader::{Read, ResultFrom, ResultReader};
pub use stop::{Stop, Urgency};
pub use units::{format_bytes, format_duration, parse_bytes, parse_duration};
