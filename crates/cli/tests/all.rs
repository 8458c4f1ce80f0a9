//! The command, from outside: each module is a file of tests.
//!
//! They form a single program, because each program would be linked separately with everything that the crate depends
//! on.

mod answers;
mod check;
mod common;
#[cfg(unix)]
mod docs;
mod examples;
mod faults;
mod fuzz;
mod hostile;
mod life;
mod looking;
mod old;
mod outcomes;
mod release;
mod results;
mod serve;
mod spaces;
mod stores;
