//! Observations: one finite value for every point.

use crate::error::{Error, Result};
use crate::linalg::Points;

/// Observations that a model can be fitted to: n points, n finite values, and the noise variance of each value if
/// known.
///
/// ```
/// use elbowroom::{data::Dataset, linalg::Points};
/// let x = Points::from_rows(1, vec![0.0, 0.5, 1.0]).unwrap();
/// let data = Dataset::new(x, vec![1.0, 2.0, 0.5]).unwrap();
/// assert_eq!(data.len(), 3);
/// assert_eq!(data.best(), Some((1, 2.0)));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    x: Points,
    y: Vec<f64>,
    noise: Option<Vec<f64>>,
}

impl Dataset {
    /// Pairs points with values. An error names the index of the first value that is not finite.
    pub fn new(x: Points, y: Vec<f64>) -> Result<Self> {
        if x.len() != y.len() {
            return Err(Error::data(
                format!("{} points but {} values", x.len(), y.len()),
                "give one value for every point",
            ));
        }
        if let Some(i) = y.iter().position(|v| !v.is_finite()) {
            return Err(Error::data(
                format!("value {i} is {}", y[i]),
                "leave the observation out, or report it as failed",
            ));
        }
        if let Some(i) = x.iter().position(|p| p.iter().any(|c| !c.is_finite())) {
            return Err(Error::data(
                format!("point {i} has a coordinate that is not finite: {:?}", x.row(i)),
                "give finite coordinates only",
            ));
        }
        Ok(Self { x, y, noise: None })
    }

    /// Sets the known noise variance of every observation.
    pub fn with_noise(mut self, variances: Vec<f64>) -> Result<Self> {
        if variances.len() != self.len() {
            return Err(Error::data(
                format!("{} observations but {} noise variances", self.len(), variances.len()),
                "give one noise variance for every observation",
            ));
        }
        if let Some(i) = variances.iter().position(|v| !v.is_finite() || *v < 0.0) {
            return Err(Error::data(
                format!("noise variance {i} is {}", variances[i]),
                "give a noise variance that is finite and not negative",
            ));
        }
        self.noise = Some(variances);
        Ok(self)
    }

    /// The number of observations.
    pub fn len(&self) -> usize {
        self.y.len()
    }

    /// Whether there are no observations.
    pub fn is_empty(&self) -> bool {
        self.y.is_empty()
    }

    /// The number of coordinates of a point.
    pub fn dim(&self) -> usize {
        self.x.dim()
    }

    /// The points.
    pub fn x(&self) -> &Points {
        &self.x
    }

    /// The values.
    pub fn y(&self) -> &[f64] {
        &self.y
    }

    /// The noise variance of every observation, if known.
    pub fn noise(&self) -> Option<&[f64]> {
        self.noise.as_deref()
    }

    /// The index and value of the largest observation, the first one in case of a tie.
    pub fn best(&self) -> Option<(usize, f64)> {
        self.y.iter().copied().enumerate().fold(None, |best, (i, y)| match best {
            Some((_, b)) if b >= y => best,
            _ => Some((i, y)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(n: usize) -> Points {
        Points::from_rows(1, (0..n).map(|i| i as f64).collect()).unwrap()
    }

    #[test]
    fn what_is_not_finite_is_refused_by_its_index() {
        let e = Dataset::new(line(3), vec![0.0, f64::NAN, 1.0]).unwrap_err();
        assert!(e.to_string().contains("value 1 is NaN"));
        let x = Points::from_rows(1, vec![0.0, f64::INFINITY]).unwrap();
        assert!(Dataset::new(x, vec![0.0, 1.0]).unwrap_err().to_string().contains("point 1"));
        let data = Dataset::new(line(2), vec![0.0, 1.0]).unwrap();
        assert!(data.with_noise(vec![0.1, -0.1]).unwrap_err().to_string().contains("noise variance 1"));
    }

    #[test]
    fn lengths_must_agree() {
        assert!(Dataset::new(line(3), vec![0.0]).is_err());
        assert!(Dataset::new(line(1), vec![0.0]).unwrap().with_noise(vec![]).is_err());
    }

    #[test]
    fn the_best_is_the_first_of_equals() {
        assert_eq!(Dataset::new(line(3), vec![1.0, 2.0, 2.0]).unwrap().best(), Some((1, 2.0)));
        assert_eq!(Dataset::new(line(0), vec![]).unwrap().best(), None);
    }
}
