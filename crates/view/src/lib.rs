//! Pictures and tables of studies, as pure functions.
//!
//! A [`Scene`] is a study as it is shown: its trials, their statuses and their workers. Each view is a function of a
//! scene that returns plain serializable data; the dashboard, the report and the command line show the same views.
//! [`plot`] draws figures of such data, as SVG and PNG.

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
