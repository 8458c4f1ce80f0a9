//! The Mills ratio R(x) = Φ(-x)/φ(x) and its gap G(x) = 1 - x R(x), for x ≥ 0.
//!
//! R decays like 1/x and G like 1/x². The gap is φ(x) - x Φ(-x) over φ(x), the expected improvement of a point whose
//! mean is x deviations below the incumbent; the difference in its definition loses x² units in the last place, so it has
//! its own approximation.
//!
//! The half line x ≥ 0 is mapped to 0 < y ≤ 1 by y = 4/(4 + x). There (4 + x) R and (4 + x)² G are smooth, positive and
//! bounded, 1 at y = 0, and each is a polynomial of degree 9 on each of 16 equal pieces: interpolation at Chebyshev
//! points, with relative error 2e-19 and 2e-18 before rounding (`tests/data/normal.py`). No branch, one division.

use super::mills_table::{GAP, MILLS};

/// A position x ≥ 0 in the tail, with what R and G share there.
#[derive(Clone, Copy)]
pub struct Tail {
    /// 4 + x.
    shifted: f64,
    /// 4/(4 + x).
    y: f64,
    piece: usize,
    /// The position within the piece, from -1 to 1.
    t: f64,
}

impl Tail {
    #[inline]
    pub fn at(x: f64) -> Self {
        let shifted = 4.0 + x;
        let y = 4.0 / shifted;
        // x = 0 belongs to the last piece, NaN to the first: `as` makes it 0.
        let piece = ((16.0 * y) as usize).min(15);
        let t = 32.0 * y - (2 * piece + 1) as f64;
        Self { shifted, y, piece, t }
    }

    /// R(x).
    #[inline]
    pub fn mills(self) -> f64 {
        0.25 * (self.y * self.scaled_mills())
    }

    /// 1/R(x) = φ(x)/Φ(-x); unlike R, it does not underflow for any x.
    #[inline]
    pub fn inverse_mills(self) -> f64 {
        self.shifted / self.scaled_mills()
    }

    /// G(x); it underflows for x > 1e154.
    #[inline]
    pub fn gap(self) -> f64 {
        let y = 0.25 * self.y;
        y * (y * self.scaled_gap())
    }

    /// (R/G, 1/G); the first does not overflow for any x.
    #[inline]
    pub fn over_gap(self) -> (f64, f64) {
        let a = self.shifted / self.scaled_gap();
        (a * self.scaled_mills(), a * self.shifted)
    }

    #[inline]
    fn scaled_mills(self) -> f64 {
        polynomial(&MILLS[self.piece], self.t)
    }

    #[inline]
    fn scaled_gap(self) -> f64 {
        polynomial(&GAP[self.piece], self.t)
    }
}

/// Sums even and odd powers separately, so that the two halves run in parallel.
#[inline]
fn polynomial(c: &[f64; 10], t: f64) -> f64 {
    let s = t * t;
    let even = c[2] + s * (c[4] + s * (c[6] + s * c[8]));
    let odd = c[1] + s * (c[3] + s * (c[5] + s * (c[7] + s * c[9])));
    c[0] + (t * odd + s * even)
}
