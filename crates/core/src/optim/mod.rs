//! Maximize a differentiable function on a box: L-BFGS-B, and climbs from several starts.
//!
//! ```
//! use elbowroom::optim::{Bounds, Lbfgsb, LbfgsbParams};
//!
//! // A concave parabola whose top (2, 0.25) lies outside the unit square.
//! let mut f = |x: &[f64], gradient: &mut [f64]| {
//!     gradient[0] = -2.0 * (x[0] - 2.0);
//!     gradient[1] = -2.0 * (x[1] - 0.25);
//!     -(x[0] - 2.0).powi(2) - (x[1] - 0.25).powi(2)
//! };
//! let mut x = [0.5, 0.5];
//! let info = Lbfgsb::new(2, LbfgsbParams::default()).maximize(&mut f, &mut x, &Bounds::unit(2));
//! assert!((x[0] - 1.0).abs() < 1e-6 && (x[1] - 0.25).abs() < 1e-6);
//! assert!((info.value + 1.0).abs() < 1e-9);
//! ```

mod bounds;
mod compact;
mod dense;
mod lbfgsb;
mod line_search;
mod model;
mod multistart;
mod spectral;

pub use bounds::Bounds;
pub use lbfgsb::{Lbfgsb, LbfgsbInfo, LbfgsbParams, Stop};
pub use multistart::{End, best, climb_all, scattered};
pub use spectral::{SpectralParams, spectral_ascent};

/// A function to maximize.
///
/// Implemented for every closure `FnMut(&[f64], &mut [f64]) -> f64`.
pub trait Objective {
    /// The value at `x`; writes the gradient there.
    ///
    /// A value or gradient that is not finite means "not allowed here": the line search backs off.
    fn value_and_gradient(&mut self, x: &[f64], gradient: &mut [f64]) -> f64;
}

impl<F: FnMut(&[f64], &mut [f64]) -> f64> Objective for F {
    fn value_and_gradient(&mut self, x: &[f64], gradient: &mut [f64]) -> f64 {
        self(x, gradient)
    }
}
