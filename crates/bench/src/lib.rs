//! Problems on which defaults are chosen, separate from those on which elbowroom is compared with its peers; problems
//! some of whose points fail; random trees; generated studies; the workload for measuring speed; and raw results.

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
