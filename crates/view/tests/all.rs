//! The views, from outside: each module is a file of tests.
//!
//! They form a single program, because each program would be linked separately with everything that the crate depends
//! on.

mod conditions;
mod panels;
mod types;
mod views;
