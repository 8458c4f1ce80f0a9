//! Problems to choose defaults on, kept apart from those that elbowroom is compared with its peers on, and problems some
//! of whose points fail.

pub mod failing;
pub mod generated;
pub mod problems;
