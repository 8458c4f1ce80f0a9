//! The command, from outside: each module is a file of tests.
//!
//! One program for them all, because each would be linked for itself with everything that the crate stands on.

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
