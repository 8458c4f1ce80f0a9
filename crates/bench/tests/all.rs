//! The promises of the benchmarks, and their programs from outside: each module is a file of tests.

mod options;
mod pages;
mod peers;
mod pools;
mod rows;
mod strategies;
mod trees;
