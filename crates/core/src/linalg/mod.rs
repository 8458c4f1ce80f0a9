//! Dense linear algebra: points, and (below) the Cholesky factorization.

mod points;

pub use points::Points;
