//! Parts of one's own, outside the crates that they extend: see `examples/`.
