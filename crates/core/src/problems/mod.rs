//! Test functions as values: domain, optimum, minimizers.
//!
//! Every function is minimized. Its minimum is exact to double precision: where no closed form exists, the minimizers
//! were found with 34 digits and rounded.
//!
//! ```
//! use elbowroom::problems::Problem;
//! let problem = Problem::by_name("hartmann6")?;
//! assert_eq!(problem.dim(), 6);
//! let regret = problem.value(&[0.5; 6]) - problem.minimum;
//! assert!(regret > 0.0);
//! # Ok::<(), elbowroom::error::Error>(())
//! ```

mod catalogue;
mod functions;
mod problem;
mod shekel_hartmann;

pub use catalogue::{COSINES_LIPSCHITZ, COSINES_WIDE_LIPSCHITZ};
pub use problem::Problem;
