//! Floats on a grid: low + k·step, as people write them.
//!
//! Computed in binary, 3 · 0.05 is 0.15000000000000002. Both numbers are written with few decimals, and their sums need
//! no more: the value is the float nearest to the exact sum, rounded to as many decimals as low and step have.

/// The grid of a float with a step; 0 < step ≤ high − low.
#[derive(Debug, Clone, Copy)]
pub(super) struct Steps {
    low: f64,
    high: f64,
    step: f64,
}

/// More decimals than this are not written by hand.
const MAX_DECIMALS: usize = 40;

impl Steps {
    pub fn new(low: f64, high: f64, step: f64) -> Self {
        Self { low, high, step }
    }

    /// How many steps lead from low to high or to the last value below it, and whether that is high.
    pub fn count(&self) -> (f64, bool) {
        // At half scale, for ranges that overflow.
        let exact = (0.5 * self.high - 0.5 * self.low) / (0.5 * self.step);
        let nearest = exact.round();
        // Each of the three numbers is off by half a unit in the last place, which counts n-fold.
        let is_whole = (exact - nearest).abs() <= 1e-9 + nearest * 1e-13;
        (if is_whole { nearest } else { exact.floor() }, is_whole)
    }

    /// The value after k steps; after the last one it is high.
    pub fn value(&self, k: u64) -> f64 {
        if k as f64 >= self.count().0 { self.high } else { self.after(k as f64) }
    }

    /// The value after k steps, whatever high is.
    pub fn after(&self, k: f64) -> f64 {
        let decimals = decimals(self.low).max(decimals(self.step));
        // At half scale, for ranges that overflow.
        let exact = self.low + k * self.step;
        let x = if exact.is_finite() { exact } else { 2.0 * (0.5 * self.low + k * (0.5 * self.step)) };
        let written = format!("{x:.decimals$}").parse().unwrap_or(x);
        // If more decimals are needed than are kept, the unrounded value is the better one.
        if f64::abs(written - x) <= 1e-9 * self.step { written } else { x }
    }

    /// The number of steps to a value, up to rounding; as an error, the number to the value below it.
    pub fn level(&self, x: f64) -> Result<u64, u64> {
        let k = (0.5 * x - 0.5 * self.low) / (0.5 * self.step);
        let nearest = k.round().clamp(0.0, self.count().0) as u64;
        let own = self.value(nearest);
        let rounding = (1e-6 * self.step).min(1e-9 * (self.high - self.low)).max(2.0 * f64::EPSILON * own.abs());
        if (x - own).abs() <= rounding { Ok(nearest) } else { Err(k.floor().clamp(0.0, self.count().0) as u64) }
    }
}

/// The number of decimals in the shortest text that reads back as the same number.
fn decimals(x: f64) -> usize {
    format!("{x}").split_once('.').map_or(0, |(_, behind)| behind.len()).min(MAX_DECIMALS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_that_people_write() {
        let steps = Steps::new(0.0, 1.0, 0.05);
        let written: Vec<f64> =
            "0 0.05 0.1 0.15 0.2 0.25 0.3 0.35 0.4 0.45 0.5 0.55 0.6 0.65 0.7 0.75 0.8 0.85 0.9 0.95 1"
                .split(' ')
                .map(|text| text.parse().unwrap())
                .collect();
        assert_eq!(steps.count(), (20.0, true));
        assert_eq!((0..=20).map(|k| steps.value(k)).collect::<Vec<_>>(), written);
        assert_ne!(3.0 * 0.05, 0.15, "what is printed with all its digits otherwise");
        assert_eq!(Steps::new(-0.3, 0.3, 0.1).value(4), 0.1);
        assert_eq!(Steps::new(1e-7, 5e-7, 1e-7).value(2), 3e-7);
        assert_eq!(Steps::new(0.0, 3e9, 1.5e9).value(1), 1.5e9);
    }

    #[test]
    fn steps_without_a_short_text_stay_what_they_are() {
        let third = 1.0 / 3.0;
        let steps = Steps::new(0.0, 1.0, third);
        assert_eq!(steps.count(), (3.0, true));
        assert_eq!([0, 1, 2, 3].map(|k| steps.value(k)), [0.0, third, 2.0 * third, 1.0]);
    }

    #[test]
    fn a_value_is_found_within_rounding_and_no_further() {
        let steps = Steps::new(0.0, 1.0, 0.05);
        assert_eq!(steps.level(3.0 * 0.05), Ok(3));
        assert_eq!(steps.level(0.17), Err(3));
        assert_eq!(steps.level(0.150001), Err(3));
        assert_eq!(Steps::new(0.0, 1.0, 0.3).count(), (3.0, false));
        let wide = Steps::new(-1e308, 1e308, 1e307);
        assert_eq!((wide.count(), wide.level(0.0)), ((20.0, true), Ok(10)));
        assert!((0..=20).all(|k| (wide.value(k) - 1e307 * (k as f64 - 10.0)).abs() < 1e293));
    }
}
