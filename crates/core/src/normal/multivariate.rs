//! The normal law in q dimensions: Φ_q(b; Σ) = P(X₁ ≤ b₁, …, X_q ≤ b_q) for X ~ N(0, Σ).
//!
//! One, two and three dimensions have their own formulas. From four on, the variables are separated (Genz, J. Comput.
//! Graph. Stat. 1, 1992): with X = C y, C lower triangular, each limit bounds one y given those before it, so that
//!
//! Φ_q = ∫ over (0,1)^{q−1} of Π_k (Φ(u_k) − Φ(l_k)),   y_k = Φ⁻¹(Φ(l_k) + w_k (Φ(u_k) − Φ(l_k))).
//!
//! - Order: the variable least likely to keep its limit comes first (Gibson, Glasbey and Elston 1994), which leaves the
//!   least variance to integrate.
//! - Points: a rank-1 lattice with a few random shifts, folded by w ↦ |2w − 1|. Lattice and shifts are fixed in a
//!   [`Lattice`], so the result is one smooth function of limits and covariance (as long as the order stays), and the
//!   same at every call.
//! - A singular Σ: a row of C without a diagonal bounds the last y it contains, from above or from below (Genz and
//!   Kwong, J. Stat. Comput. Simul. 68, 2000). Nothing is divided by zero, and nothing is added to the diagonal.
//!
//! Numerics: the error is absolute, with 8 × 1024 points 10⁻⁷ to 10⁻⁵, and up to 10⁻⁴ for six
//! variables near a singular covariance (`tests/multinormal.rs` prints it).

use super::bivariate::cdf_between;
use super::{cdf, cdf2, cdf3, inverse_mills, quantile};
use crate::rng::Stream;

/// A conditional variance below this share of the variable's total variance is rounding error.
const RANK_TOLERANCE: f64 = 1e-13;

/// The largest number of variables of [`cdf_q`].
pub const MAX_VARIABLES: usize = GENERATOR.len() + 1;

/// Points of integration in up to 15 dimensions: a rank-1 lattice, shifted at random a few times.
///
/// ```
/// use elbowroom::{normal::{Lattice, cdf_q}, rng::Stream};
/// let lattice = Lattice::new(1000, 8, &Stream::new(1));
/// assert_eq!(lattice.len(), 8 * 1024);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Lattice {
    n_points: usize,
    shifts: Vec<[f64; GENERATOR.len()]>,
}

impl Lattice {
    /// A lattice of `n_points`, rounded up to a power of two (its quality is assured from 256 to 4096), under `n_shifts`
    /// shifts, at least one.
    ///
    /// The shifts depend on the stream's name only, not on what was drawn from it.
    pub fn new(n_points: usize, n_shifts: usize, stream: &Stream) -> Self {
        let shift = |s: usize| {
            let mut random = stream.child("lattice", s as u64);
            std::array::from_fn(|_| random.uniform())
        };
        Self { n_points: n_points.next_power_of_two(), shifts: (0..n_shifts.max(1)).map(shift).collect() }
    }

    /// How many points there are, over all shifts.
    pub fn len(&self) -> usize {
        self.n_points * self.shifts.len()
    }

    /// Never: a lattice has at least one point.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The mean of f over the first `dim` coordinates of all points.
    fn mean(&self, dim: usize, mut f: impl FnMut(&[f64]) -> f64) -> f64 {
        let mut w = [0.0; GENERATOR.len()];
        let mut total = 0.0;
        for shift in &self.shifts {
            let mut sum = 0.0;
            for i in 0..self.n_points {
                for k in 0..dim {
                    let on_lattice = ((i * GENERATOR[k]) & (self.n_points - 1)) as f64 / self.n_points as f64;
                    w[k] = (2.0 * (on_lattice + shift[k]).fract() - 1.0).abs();
                }
                sum += f(&w[..dim]);
            }
            total += sum / self.n_points as f64;
        }
        total / self.shifts.len() as f64
    }
}

/// P(X ≤ `upper`, each coordinate) for X ~ N(0, `covariance`), a q × q matrix row by row.
///
/// Exact for up to three variables, and by the lattice beyond. A limit may be infinite and the covariance singular; a
/// variable without variance is 0.
///
/// # Panics
///
/// If the covariance does not have q² entries, or q exceeds [`MAX_VARIABLES`].
///
/// ```
/// use elbowroom::{normal::{Lattice, cdf_q}, rng::Stream};
/// let lattice = Lattice::new(1024, 8, &Stream::new(1));
/// // Five variables with all correlations ½ are negative together with probability 1/6.
/// let covariance: Vec<f64> = (0..25).map(|i| if i % 6 == 0 { 1.0 } else { 0.5 }).collect();
/// assert!((cdf_q(&[0.0; 5], &covariance, &lattice) - 1.0 / 6.0).abs() < 1e-4);
/// ```
pub fn cdf_q(upper: &[f64], covariance: &[f64], lattice: &Lattice) -> f64 {
    let n = upper.len();
    assert_eq!(covariance.len(), n * n, "a covariance of {n} variables has {} entries", n * n);
    assert!(n <= MAX_VARIABLES, "the normal distribution is implemented for up to {MAX_VARIABLES} variables, not {n}");
    if upper.iter().chain(covariance).any(|v| v.is_nan()) {
        return f64::NAN;
    }
    // First remove the variables whose limits are certainly kept or certainly broken.
    let mut kept = Vec::with_capacity(n);
    for i in 0..n {
        let variance = covariance[i * n + i];
        if upper[i] == f64::NEG_INFINITY || (variance <= 0.0 && upper[i] < 0.0) {
            return 0.0;
        }
        if variance > 0.0 && upper[i] < f64::INFINITY {
            kept.push(i);
        }
    }
    let sd: Vec<f64> = kept.iter().map(|&i| covariance[i * n + i].sqrt()).collect();
    let b: Vec<f64> = kept.iter().zip(&sd).map(|(&i, sd)| upper[i] / sd).collect();
    let r = |i: usize, j: usize| (covariance[kept[i] * n + kept[j]] / sd[i] / sd[j]).clamp(-1.0, 1.0);
    match b[..] {
        [] => 1.0,
        [x] => cdf(x),
        [x, y] => cdf2(x, y, r(1, 0)),
        [x, y, z] => cdf3([x, y, z], [r(1, 0), r(2, 0), r(2, 1)]),
        _ => Separated::new(b, r).probability(lattice),
    }
}

/// The limits on independent variables y₁, y₂, …: row · y ≤ limit, ordered by the last y in the row.
struct Separated {
    /// Coefficients of y₁ … y_k, scaled so that the last one is ±1; and the limit on the same scale.
    rows: Vec<(Vec<f64>, f64)>,
    /// How many y there are: the rank.
    rank: usize,
    /// The factor that does not depend on any y: 1, or 0 if a limit cannot be kept.
    constant: f64,
}

impl Separated {
    fn new(mut b: Vec<f64>, correlation: impl Fn(usize, usize) -> f64) -> Self {
        let n = b.len();
        let mut order: Vec<usize> = (0..n).collect();
        let mut c = vec![vec![0.0; n]; n];
        let mut left = vec![1.0_f64; n]; // conditional variances
        let mut given = vec![0.0; n]; // conditional means, at the expected y
        let mut rank = 0;
        for k in 0..n {
            let standardized = |i: usize| (b[i] - given[i]) / left[i].sqrt();
            let free = (k..n).filter(|&i| left[i] > RANK_TOLERANCE);
            let Some(next) = free.min_by(|&i, &j| standardized(i).total_cmp(&standardized(j))) else {
                break;
            };
            let z = standardized(next);
            order.swap(k, next);
            b.swap(k, next);
            left.swap(k, next);
            given.swap(k, next);
            c.swap(k, next);
            let diagonal = left[k].sqrt();
            c[k][k] = diagonal;
            // The mean of y_k below its limit: −φ(z)/Φ(z).
            let expected = -inverse_mills(z);
            for i in k + 1..n {
                if left[i] <= RANK_TOLERANCE {
                    continue;
                }
                let dot: f64 = (0..k).map(|m| c[i][m] * c[k][m]).sum();
                let entry = (correlation(order[i], order[k]) - dot) / diagonal;
                c[i][k] = entry;
                left[i] = (left[i] - entry * entry).max(0.0);
                given[i] += entry * expected;
            }
            rank = k + 1;
        }
        let mut constant = 1.0;
        let mut rows = Vec::with_capacity(n);
        for (row, limit) in c.into_iter().zip(b) {
            let norm = row.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
            match row.iter().rposition(|v| v.abs() > RANK_TOLERANCE.sqrt() * norm) {
                Some(last) => {
                    let scale = row[last].abs();
                    rows.push((row[..=last].iter().map(|v| v / scale).collect::<Vec<f64>>(), limit / scale));
                }
                None if limit < 0.0 => constant = 0.0,
                None => {}
            }
        }
        rows.sort_by_key(|(row, _)| row.len());
        Self { rows, rank, constant }
    }

    fn probability(&self, lattice: &Lattice) -> f64 {
        if self.constant == 0.0 {
            return 0.0;
        }
        let mut y = vec![0.0; self.rank];
        lattice.mean(self.rank - 1, |w| self.product(w, &mut y)).clamp(0.0, 1.0)
    }

    /// Π (Φ(u_k) − Φ(l_k)) at one point of integration.
    fn product(&self, w: &[f64], y: &mut [f64]) -> f64 {
        let mut product = 1.0;
        let mut rows = self.rows.iter().peekable();
        for k in 0..self.rank {
            let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
            while let Some((row, limit)) = rows.next_if(|(row, _)| row.len() == k + 1) {
                let bound = limit - row[..k].iter().zip(&*y).map(|(c, y)| c * y).sum::<f64>();
                if row[k] > 0.0 {
                    high = high.min(bound);
                } else {
                    low = low.max(-bound);
                }
            }
            if high <= low {
                return 0.0;
            }
            let chance = cdf_between(low, high);
            product *= chance;
            if product == 0.0 || k + 1 == self.rank {
                break;
            }
            y[k] = inside(low, high, w[k], chance);
        }
        product
    }
}

/// The y in [low, high] with the share w of the interval's probability below it, from the tail on the side where that
/// is small.
fn inside(low: f64, high: f64, w: f64, chance: f64) -> f64 {
    let y = if low > 0.0 { -quantile(cdf(-low) - w * chance) } else { quantile(cdf(low) + w * chance) };
    y.clamp(low.max(-40.0), high.min(40.0))
}

/// The generator of the lattice; written by `tests/data/multinormal.py lattice`.
const GENERATOR: [usize; 15] = [1, 1605, 981, 1927, 411, 1489, 1409, 1943, 1697, 1011, 1659, 1809, 1381, 1123, 157];
