//! Cells of a CSV file that a spreadsheet takes for what they are.

pub use elbowroom_view::cells::{column, guarded, unguarded};
