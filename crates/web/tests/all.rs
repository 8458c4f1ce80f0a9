//! The server, from outside: each module is a file of tests.
//!
//! They form a single program, because each program would be linked separately with everything that the crate depends
//! on.

mod api;
mod browser;
mod common;
mod fronts;
mod fuzz;
mod pages;
mod schemas;
mod security;
mod shown;
