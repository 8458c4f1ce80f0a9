//! Pools: finite sets of points with known values, so that a search among them can be replayed.
//!
//! | file | what |
//! |---|---|
//! | `data` | measured pools, read from files that are not part of the tree |
//! | `tuning` | drawn pools, on which defaults are chosen |
//! | `described` | drawn pools whose categories have descriptors |
//! | `race` | one search in a pool |
//! | `summary` | rows of results as a table |

pub mod data;
pub mod described;
pub mod race;
pub mod summary;
pub mod tuning;

use std::collections::HashMap;

use elbowroom::domain::Domain;
use elbowroom::space::{Dimension, Point, PointKey, SearchSpace};

/// A finite set of points with their values; the largest value is sought.
#[derive(Debug, Clone)]
pub struct Pool {
    /// Its name.
    pub name: String,
    /// What is searched.
    pub space: SearchSpace,
    values: HashMap<PointKey, f64>,
}

impl Pool {
    /// A pool of points with their values; a point that was measured twice has the mean of its values.
    pub fn new(name: &str, space: SearchSpace, rows: impl IntoIterator<Item = (Point, f64)>) -> Self {
        let mut sums: HashMap<PointKey, (f64, f64)> = HashMap::new();
        for (point, value) in rows {
            let u = space.encode(&point).unwrap_or_else(|error| panic!("{name}: {error}"));
            let sum = sums.entry(space.key(&u)).or_default();
            *sum = (sum.0 + value, sum.1 + 1.0);
        }
        let values = sums.into_iter().map(|(key, (sum, n))| (key, sum / n)).collect();
        Self { name: name.to_owned(), space, values }
    }

    /// The value at a unit point; `None` if the pool lacks the point.
    pub fn value(&self, u: &[f64]) -> Option<f64> {
        self.values.get(&self.space.key(u)).copied()
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The largest value.
    pub fn best(&self) -> f64 {
        self.values.values().copied().fold(f64::NEG_INFINITY, f64::max)
    }

    /// All points as comma-separated rows, for other programs: the level of a category, the unit coordinate of anything
    /// else, and the value last. The header names the kind of each column and its number of levels: `c12` for a
    /// category, `o3` for three values in order.
    pub fn to_csv(&self) -> String {
        let dimensions = self.space.dimensions();
        let is_category = |k: usize| matches!(dimensions[k], Dimension::Category { .. });
        let name = |k: usize| {
            let kind = if is_category(k) { 'c' } else { 'o' };
            format!("{kind}{}", dimensions[k].levels().map_or_else(String::new, |n| n.to_string()))
        };
        let header: Vec<String> = (0..dimensions.len()).map(name).collect();
        let mut text = format!("{},value\n", header.join(","));
        for u in Domain::whole(&self.space).enumerate().into_iter().flatten() {
            let Some(value) = self.value(&u) else { continue };
            for (k, x) in u.iter().enumerate() {
                let cell = if is_category(k) { self.space.level(k, *x).to_string() } else { x.to_string() };
                text += &format!("{cell},");
            }
            text += &format!("{value}\n");
        }
        text
    }

    /// How far a value is below the largest: 0 there, 1 at the mean of the pool.
    pub fn regret(&self, value: f64) -> f64 {
        let mut sorted: Vec<f64> = self.values.values().copied().collect();
        sorted.sort_by(f64::total_cmp);
        let mean = sorted.iter().sum::<f64>() / sorted.len().max(1) as f64;
        (self.best() - value) / (self.best() - mean).max(f64::MIN_POSITIVE)
    }
}
