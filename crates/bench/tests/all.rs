//! The programs, from outside: each module is a file of tests.

mod options;
