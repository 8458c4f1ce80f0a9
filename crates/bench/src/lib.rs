//! Problems to choose defaults on, kept apart from those that elbowroom is compared with its peers on, and raw results.

pub mod problems;
pub mod rows;
