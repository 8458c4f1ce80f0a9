//! A point of the unit cube, the values that its coordinates can take, and a key to compare points by.

use std::ops::Deref;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// A point of [0, 1]^d, with a coordinate for each parameter that is searched.
///
/// It dereferences to a slice. Only [`SearchSpace::encode`](super::SearchSpace::encode) and
/// [`SearchSpace::decode`](super::SearchSpace::decode) convert from and to the user's units.
///
/// ```
/// use elbowroom::space::UnitPoint;
/// let u = UnitPoint::new(vec![0.0, 0.5])?;
/// assert_eq!(u[1], 0.5);
/// assert!(UnitPoint::new(vec![1.5]).is_err());
/// assert_eq!(UnitPoint::clamped(vec![1.5]).as_slice(), [1.0]);
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<f64>", into = "Vec<f64>")]
pub struct UnitPoint(Vec<f64>);

impl UnitPoint {
    /// A point whose coordinates are all in [0, 1].
    pub fn new(coordinates: Vec<f64>) -> Result<Self> {
        match coordinates.iter().position(|u| !(0.0..=1.0).contains(u)) {
            None => Ok(Self(coordinates)),
            Some(i) => Err(Error::space(
                format!("coordinate {i} of a unit point is {}, outside [0, 1]", coordinates[i]),
                "encode a point in your own units with `SearchSpace::encode`",
            )),
        }
    }

    /// The nearest point of the unit cube; a coordinate that is not a number becomes 0.
    pub fn clamped(mut coordinates: Vec<f64>) -> Self {
        coordinates.iter_mut().for_each(|u| *u = clamp_unit(*u));
        Self(coordinates)
    }

    /// The coordinates.
    pub fn as_slice(&self) -> &[f64] {
        &self.0
    }

    /// The coordinates, owned.
    pub fn into_vec(self) -> Vec<f64> {
        self.0
    }
}

impl Deref for UnitPoint {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        &self.0
    }
}

impl TryFrom<Vec<f64>> for UnitPoint {
    type Error = Error;

    fn try_from(coordinates: Vec<f64>) -> Result<Self> {
        Self::new(coordinates)
    }
}

impl From<UnitPoint> for Vec<f64> {
    fn from(point: UnitPoint) -> Self {
        point.0
    }
}

/// `u` in [0, 1]; NaN becomes 0, because `f64::max` prefers the number, and -0 becomes 0.
pub(super) fn clamp_unit(u: f64) -> f64 {
    if u > 0.0 { u.min(1.0) } else { 0.0 }
}

/// The values that a coordinate of the unit cube can take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dimension {
    /// Any number in [0, 1].
    Continuous,
    /// One of `levels` ordered values: an integer, or an ordered list.
    Grid {
        /// The number of values.
        levels: u64,
    },
    /// One of `levels` values without order.
    Category {
        /// The number of values.
        levels: usize,
    },
}

impl Dimension {
    /// The number of values, if it is finite.
    pub fn levels(self) -> Option<u64> {
        match self {
            Dimension::Continuous => None,
            Dimension::Grid { levels } => Some(levels),
            Dimension::Category { levels } => Some(levels as u64),
        }
    }
}

/// A key that two unit points share exactly if they decode to the same values, for sets and maps of points.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PointKey(pub(super) Box<[u64]>);
