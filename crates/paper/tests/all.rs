//! What is printed in the paper and what holds: each module is a file of tests.
//!
//! One program for them all, because each would be linked for itself with everything that the crate stands on.

mod errata;
mod faithful;
mod same_rows;
