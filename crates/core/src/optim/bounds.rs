//! A box.

use crate::error::{Error, Result};

/// The box `low <= x <= high`; bounds may be infinite, and equal bounds fix a variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Bounds {
    low: Vec<f64>,
    high: Vec<f64>,
}

impl Bounds {
    /// A box from its lower and upper bounds.
    ///
    /// # Errors
    ///
    /// If the lengths differ, a bound is NaN, a lower bound is above the upper one, or an interval holds no finite
    /// number.
    pub fn new(low: Vec<f64>, high: Vec<f64>) -> Result<Self> {
        if low.len() != high.len() {
            let what = format!("a box has {} lower and {} upper bounds", low.len(), high.len());
            return Err(Error::config(what, "give every variable one of each"));
        }
        for (i, (&l, &h)) in low.iter().zip(&high).enumerate() {
            if !(l <= h && l < f64::INFINITY && h > f64::NEG_INFINITY) {
                let what = format!("variable {i} of a box has lower bound {l} and upper bound {h}");
                return Err(Error::config(
                    what,
                    "give a lower bound that is not above the upper one; neither may be NaN",
                ));
            }
        }
        Ok(Bounds { low, high })
    }

    /// The unit cube in `dim` dimensions.
    pub fn unit(dim: usize) -> Self {
        Bounds { low: vec![0.0; dim], high: vec![1.0; dim] }
    }

    /// The lower bounds.
    pub fn low(&self) -> &[f64] {
        &self.low
    }

    /// The upper bounds.
    pub fn high(&self) -> &[f64] {
        &self.high
    }

    /// The number of variables.
    pub fn dim(&self) -> usize {
        self.low.len()
    }

    /// Moves `x` to the nearest point of the box (a NaN stays a NaN).
    ///
    /// # Panics
    ///
    /// If the length of `x` differs from the dimension of the box.
    pub fn project(&self, x: &mut [f64]) {
        assert_eq!(x.len(), self.dim(), "a point and a box of different dimensions");
        for (x, (&l, &h)) in x.iter_mut().zip(self.low.iter().zip(&self.high)) {
            *x = x.clamp(l, h);
        }
    }

    /// Whether `x` lies in the box.
    pub fn contains(&self, x: &[f64]) -> bool {
        x.len() == self.dim() && x.iter().zip(self.low.iter().zip(&self.high)).all(|(x, (l, h))| (l..=h).contains(&x))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_needs_ordered_bounds_of_equal_number() {
        const INF: f64 = f64::INFINITY;
        assert!(Bounds::new(vec![0.0], vec![1.0, 2.0]).is_err());
        assert!(Bounds::new(vec![1.0], vec![0.0]).is_err());
        assert!(Bounds::new(vec![f64::NAN], vec![0.0]).is_err());
        assert!(Bounds::new(vec![INF], vec![INF]).is_err());
        assert!(Bounds::new(vec![-INF], vec![-INF]).is_err());
        assert!(Bounds::new(vec![-INF, 1.0], vec![INF, 1.0]).is_ok());
    }

    #[test]
    fn a_projected_point_is_in_the_box_and_as_near_as_can_be() {
        let bounds = Bounds::new(vec![0.0, f64::NEG_INFINITY, 2.0], vec![1.0, 0.0, 2.0]).unwrap();
        let mut x = [1.5, -7.0, 0.0];
        assert!(!bounds.contains(&x));
        bounds.project(&mut x);
        assert_eq!(x, [1.0, -7.0, 2.0]);
        assert!(bounds.contains(&x));
    }
}
