//! What is printed in the paper and what holds: each module is a file of tests.
//!
//! They form a single program, because each program would be linked separately with everything that the crate depends
//! on.

mod errata;
mod faithful;
mod methods;
mod page;
mod same_rows;
