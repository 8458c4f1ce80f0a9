//! Problems to choose defaults on, kept apart from those that elbowroom is compared with its peers on.

pub mod generated;
pub mod problems;
