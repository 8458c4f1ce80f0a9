//! The stores, from outside: each module is a file of tests.
//!
//! They form a single program, because each program would be linked separately with everything that the crate depends
//! on.

mod common;
mod contract;
mod files;
mod kills;
mod power;
mod tls;
mod verbs;
