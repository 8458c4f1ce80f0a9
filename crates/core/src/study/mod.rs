//! Remember trials; events to state; state to suggestions.

mod model;

pub use model::{Model, ModelRecord};
