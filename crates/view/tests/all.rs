//! The views, from outside: each module is a file of tests.
//!
//! One program for them all, because each would be linked for itself with everything that the crate stands on.

mod conditions;
mod panels;
mod types;
mod views;
