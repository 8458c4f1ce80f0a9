//! One parameter's map to [0, 1] and back.
//!
//! | parameter | coordinate of a value | value at u |
//! |---|---|---|
//! | float | (x − low) / (high − low) | low + u (high − low) |
//! | log float | ln(x / low) / ln(high / low) | low (high / low)^u |
//! | level i of n (integers, steps, lists, categories) | (i + ½) / n | ⌊u n⌋ |
//! | ladder | spaced like the numbers or their logarithms, see `ladder.rs` | the number nearest to u |
//! | log integer k | ln(k / a) / ln(b / a), a = low − ½, b = high + ½ | the integer nearest to a (b / a)^u |
//!
//! Levels have cells of equal width, so a uniform u gives uniform levels, and a level's coordinate is its cell's centre.
//! The cell of a log integer is [k − ½, k + ½] on the log scale: uniform u gives k with a probability of about 1/k.
//!
//! Numerics. Floats reach both bounds exactly. The linear map is monotone: each operation in it rounds monotonically.
//! The naive inverse can miss by a few ulps, and a point that went through a file would then count as a new one; so
//! [`Interval::coordinate`] falls back on bisection where it misses: decode(encode(decode(u))) = decode(u), exactly.
//! A width that overflows (-1e308 to 1e308) is computed at half scale.

use super::ladder::Ladder;
use super::unit::clamp_unit;

/// With more levels than this, (i + ½)/n no longer tells neighbours apart: its relative error 2⁻⁵² must stay below ¼ of
/// a cell, 1/(4n).
pub(super) const MAX_LEVELS: u64 = 1 << 50;

/// A log integer above this cannot be told apart from its neighbours: the error of ln k, about 30 × 2⁻⁵², times k must
/// stay below ¼.
pub(super) const MAX_LOG_INT: i64 = 1 << 40;

/// How a parameter uses its coordinate, if it has one.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Axis {
    /// One possible value, no coordinate.
    Single,
    /// Any number of an interval.
    Continuous(Interval),
    /// Ordered levels.
    Ordered(Grid),
    /// Levels without order.
    Unordered(Grid),
}

impl Axis {
    pub fn grid(&self) -> Option<&Grid> {
        match self {
            Axis::Ordered(grid) | Axis::Unordered(grid) => Some(grid),
            Axis::Single | Axis::Continuous(_) => None,
        }
    }
}

/// The scale of a float with `low < high`.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Interval {
    Linear { low: f64, high: f64, scale: f64, width: f64 },
    Log { low: f64, high: f64, ln_low: f64, ln_width: f64 },
}

impl Interval {
    pub fn linear(low: f64, high: f64) -> Self {
        let scale = if (high - low).is_finite() { 1.0 } else { 0.5 };
        Interval::Linear { low, high, scale, width: high * scale - low * scale }
    }

    pub fn log(low: f64, high: f64) -> Self {
        let ln_low = libm::log(low);
        Interval::Log { low, high, ln_low, ln_width: libm::log(high) - ln_low }
    }

    /// The value at a coordinate.
    pub fn value(&self, u: f64) -> f64 {
        let (low, high) = self.bounds();
        if u >= 1.0 {
            return high;
        }
        if u <= 0.0 || u.is_nan() {
            return low;
        }
        let x = match *self {
            Interval::Linear { low, scale, width, .. } => (low * scale + u * width) / scale,
            Interval::Log { ln_low, ln_width, .. } => libm::exp(ln_low + u * ln_width),
        };
        x.clamp(low, high)
    }

    /// The coordinate of a value within the bounds.
    pub fn coordinate(&self, x: f64) -> f64 {
        let (low, high) = self.bounds();
        if x <= low {
            return 0.0;
        }
        if x >= high {
            return 1.0;
        }
        let estimate = clamp_unit(match *self {
            Interval::Linear { low, scale, width, .. } => (x * scale - low * scale) / width,
            Interval::Log { ln_low, ln_width, .. } => (libm::log(x) - ln_low) / ln_width,
        });
        if self.value(estimate) == x { estimate } else { self.bisect(x) }
    }

    /// The coordinate whose value is nearest to `x`, low < x < high.
    fn bisect(&self, x: f64) -> f64 {
        // Positive floats are ordered like their bits, so 62 halvings lead from 0 and 1 to two neighbours.
        let (mut below, mut above) = (0.0f64.to_bits(), 1.0f64.to_bits());
        while above - below > 1 {
            let middle = below + (above - below) / 2;
            if self.value(f64::from_bits(middle)) < x {
                below = middle;
            } else {
                above = middle;
            }
        }
        let [below, above] = [below, above].map(f64::from_bits);
        if x - self.value(below) < self.value(above) - x { below } else { above }
    }

    /// `x` moved within the bounds; `None` if it exceeds them by more than a billionth.
    pub fn admit(&self, x: f64) -> Option<f64> {
        let (low, high) = self.bounds();
        let (below, above) = match *self {
            Interval::Linear { scale, width, .. } => (width * SLACK / scale, width * SLACK / scale),
            Interval::Log { .. } => (low * SLACK, high * SLACK),
        };
        (low - x <= below && x - high <= above).then(|| x.clamp(low, high))
    }

    fn bounds(&self) -> (f64, f64) {
        match *self {
            Interval::Linear { low, high, .. } | Interval::Log { low, high, .. } => (low, high),
        }
    }
}

/// How far beyond a bound a float still counts as the bound, relative to the range (on a log scale, to the bound).
pub(super) const SLACK: f64 = 1e-9;

/// How the levels 0, 1, …, n − 1 share [0, 1].
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Grid {
    Even { n: u64 },
    LogInts { low: i64, n: u64, ln_start: f64, ln_width: f64 },
    Ladder(Ladder),
}

impl Grid {
    /// The integers from `low` to `high` on a log scale; 1 ≤ low < high ≤ [`MAX_LOG_INT`].
    pub fn log_ints(low: i64, high: i64) -> Self {
        let ln_start = libm::log(low as f64 - 0.5);
        let ln_width = libm::log(high as f64 + 0.5) - ln_start;
        Grid::LogInts { low, n: (high - low) as u64 + 1, ln_start, ln_width }
    }

    pub fn n_levels(&self) -> u64 {
        match self {
            Grid::Even { n } | Grid::LogInts { n, .. } => *n,
            Grid::Ladder(ladder) => ladder.n_levels(),
        }
    }

    /// The coordinate of the level from `first` to `last` that a uniform number from 0 to 1 stands for; `None` where
    /// drawing uniformly from the cells gives the right chances.
    pub fn drawn(&self, u: f64, first: u64, last: u64) -> Option<f64> {
        match self {
            Grid::Even { .. } | Grid::LogInts { .. } => None,
            Grid::Ladder(ladder) => Some(ladder.drawn(u, first, last)),
        }
    }

    pub fn level(&self, u: f64) -> u64 {
        let u = clamp_unit(u);
        // A cast of a float to an unsigned integer rounds towards zero and saturates.
        let level = match *self {
            Grid::Even { n } => (u * n as f64) as u64,
            Grid::LogInts { low, ln_start, ln_width, .. } => {
                (libm::exp(ln_start + u * ln_width) + 0.5 - low as f64) as u64
            }
            Grid::Ladder(ref ladder) => ladder.level(u),
        };
        level.min(self.n_levels() - 1)
    }

    /// Where the cell of a level begins and ends.
    pub fn cell(&self, level: u64) -> (f64, f64) {
        let edge = |before: u64| match *self {
            _ if before == 0 => 0.0,
            _ if before >= self.n_levels() => 1.0,
            Grid::Even { n } => before as f64 / n as f64,
            Grid::LogInts { low, ln_start, ln_width, .. } => {
                (libm::log(low as f64 + before as f64 - 0.5) - ln_start) / ln_width
            }
            Grid::Ladder(ref ladder) => ladder.edge(before),
        };
        (edge(level), edge(level + 1))
    }

    pub fn coordinate(&self, level: u64) -> f64 {
        let level = level.min(self.n_levels() - 1);
        match *self {
            Grid::Even { n } => (level as f64 + 0.5) / n as f64,
            Grid::LogInts { low, ln_start, ln_width, .. } => {
                (libm::log(low as f64 + level as f64) - ln_start) / ln_width
            }
            Grid::Ladder(ref ladder) => ladder.coordinate(level),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widest_grids_still_tell_neighbours_apart() {
        let wide = [
            Grid::Even { n: MAX_LEVELS },
            Grid::log_ints(1, MAX_LOG_INT),
            Grid::log_ints(MAX_LOG_INT - 5, MAX_LOG_INT),
        ];
        for grid in wide {
            let n = grid.n_levels();
            for level in (0..6).chain(n / 2..n / 2 + 1000).chain(n.saturating_sub(1000)..n).filter(|level| *level < n) {
                assert_eq!(grid.level(grid.coordinate(level)), level, "{grid:?}");
            }
        }
    }

    #[test]
    fn the_cells_of_log_integers_meet_at_the_halves() {
        // By hand: a = 1/2 and b = 9/2, so 1.5 and 2.5 lie at ln 3 / ln 9 = 1/2 and ln 5 / ln 9.
        let grid = Grid::log_ints(1, 4);
        let second = 5f64.ln() / 9f64.ln();
        for (u, level) in [(0.0, 0), (0.499, 0), (0.501, 1), (second - 1e-9, 1), (second + 1e-9, 2), (1.0, 3)] {
            assert_eq!(grid.level(u), level, "at {u}");
        }
        let (begin, end) = grid.cell(1);
        assert!((begin - 0.5).abs() < 1e-15 && (end - second).abs() < 1e-15);
        // 2 lies at ln 4 / ln 9.
        assert!((grid.coordinate(1) - 4f64.ln() / 9f64.ln()).abs() < 1e-15);
    }
}
