//! The server, from outside: each module is a file of tests.
//!
//! One program for them all, because each would be linked for itself with everything that the crate stands on.

mod api;
mod browser;
mod common;
mod fronts;
mod fuzz;
mod pages;
mod schemas;
mod security;
mod shown;
