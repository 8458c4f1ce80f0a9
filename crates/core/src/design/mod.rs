//! Spread n points in the unit cube: Sobol, Latin hypercube, uniform.
//!
//! | | spreads evenly | how many points |
//! |---|---|---|
//! | [`sobol`], [`Sobol`] | every coordinate, and low-dimensional faces | best at powers of two; can go on at any time |
//! | [`latin_hypercube`] | every coordinate | exactly n, known in advance |
//! | [`uniform`] | nothing | any |
//!
//! [`farthest_first`] picks the most scattered of any given points.

mod directions;
mod random;
mod sobol;
mod spread;
mod stratified;

pub use random::{latin_hypercube, uniform};
pub use sobol::{SOBOL_TABLE_DIM, Sobol, sobol};
pub use spread::{farthest_first, farthest_from};
