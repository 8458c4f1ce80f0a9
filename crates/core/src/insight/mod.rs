//! Facts about a study: why a point was chosen, what a point would be worth, what one more trial may gain, what
//! matters, what may be wrong.
//!
//! Pure functions of a study, in the user's units. The command prints them, the dashboard draws them, Python returns
//! them.

mod ahead;
mod findings;
mod gain;
mod importance;
mod landscape;
mod quality;
mod steepest;
mod summary;
mod why;

pub use ahead::results_ahead;
pub use findings::{Finding, Level, findings, steepness};
pub use gain::expected_gain;
pub use importance::{Importance, Weight, importance, importance_of};
pub use landscape::{Expected, Landscape, Seen, expected, landscape};
pub use quality::{LeftOutResult, Quality, Share, quality};
pub use steepest::steepest;
pub use why::{BeliefThen, Neighbour, Reason, Score, Why, why};
