//! Remember trials; events to state; state to suggestions.

mod model;
mod outcome;

pub use model::{Model, ModelConfig, ModelRecord};
pub use outcome::OutcomeMap;
