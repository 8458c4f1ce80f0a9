//! Parts of your own, outside the crates that they extend: see `examples/`.

/// The guide for Rust: each of its blocks is run as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/rust.md")]
mod guide {}
