//! Problems to choose defaults on, kept apart from those that elbowroom is compared with its peers on; problems some of
//! whose points fail; trees drawn at random; generated studies; what speed is measured on; and raw results.

pub mod asks;
pub mod calibration;
pub mod failing;
pub mod fronts;
pub mod generated;
pub mod limited;
pub mod options;
pub mod pools;
pub mod problems;
pub mod rows;
pub mod strategies;
pub mod trees;
pub mod workload;
