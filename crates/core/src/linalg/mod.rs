//! Dense linear algebra: points, and the Cholesky factorization of a covariance matrix.

mod cholesky;
mod lanes;
mod points;

pub use cholesky::{Factor, FactorWork};
pub(crate) use lanes::{GROUP, add_lanes, dot_difference_lanes, dot_lanes, dot_squares_by_lane};
pub use lanes::{axpy, dot, exp_nonpositive, vectorized};
pub use points::Points;
