//! Pictures and tables of studies, as pure functions.
//!
//! A [`Scene`] is a study as somebody sees it: its trials, how they stand, who has them. Each view is a function of it
//! to plain data that serializes; the dashboard, the report and the command line show the same ones. [`plot`] draws figures of plain data, as SVG and PNG.

pub mod assets;
pub mod attempts;
pub mod axis;
pub mod bundle;
pub mod cells;
pub mod csv;
pub mod filter;
pub mod overview;
pub mod plot;
pub mod report;
pub mod scene;
pub mod table;
pub mod views;

pub use scene::{Held, Scene, TrialStatus};
