//! Random trees, on which rules for spaces with conditions are chosen; none of them is among those that `trees.py`
//! reports.
//!
//! | file | what |
//! |---|---|
//! | `drawn` | how a tree is drawn |
//! | `race` | one search in a tree |
//! | `summary` | rows of results as a table |

pub mod drawn;
pub mod race;
pub mod summary;

use std::collections::HashMap;

use elbowroom::domain::Domain;
use elbowroom::rng::Stream;
use elbowroom::space::{SearchSpace, UnitPoint};

use self::drawn::Node;
use crate::rows::quantile;

/// A function of a space with branches, which is minimized.
#[derive(Debug, Clone)]
pub struct Tree {
    /// Its name.
    pub name: String,
    /// What is searched.
    pub space: SearchSpace,
    /// Its parts; the value is their sum.
    parts: Vec<Node>,
    /// The smallest value found by trying every branch.
    least: f64,
    /// The median of the smallest values of random searches of 60 trials.
    typical: f64,
    /// The standard deviation of the noise of reported values, as a share of the difference of those two.
    noise: f64,
}

/// Random points, of which the best of each branch are improved; improving steps from each; random searches.
const SAMPLES: usize = 20_000;
const STEPS: usize = 600;
const SEARCHES: usize = 101;
const SEARCH: usize = 60;

impl Tree {
    /// Finds the smallest and the typical value by brute force.
    fn new(name: String, space: SearchSpace, parts: Vec<Node>, noise: f64, stream: &Stream) -> Self {
        let mut tree = Self { name, space, parts, least: 0.0, typical: 1.0, noise };
        let (mut draw, domain) = (stream.child("gauge", 0), Domain::whole(&tree.space));
        let mut best: HashMap<Vec<u64>, (f64, UnitPoint)> = HashMap::new();
        let mut values = Vec::with_capacity(SAMPLES);
        for _ in 0..SAMPLES {
            let u = domain.sample(&mut draw);
            let value = tree.value(&u);
            values.push(value);
            let found = best.entry(tree.choices(&u)).or_insert_with(|| (value, u.clone()));
            if value < found.0 {
                *found = (value, u);
            }
        }
        let searches: Vec<f64> = values
            .chunks_exact(SEARCH)
            .take(SEARCHES)
            .map(|search| search.iter().copied().fold(f64::INFINITY, f64::min))
            .collect();
        let mut starts: Vec<(f64, UnitPoint)> = best.into_values().collect();
        starts.sort_by(|a, b| a.0.total_cmp(&b.0));
        let least =
            starts.into_iter().map(|start| tree.improved(&domain, start, &mut draw)).fold(f64::INFINITY, f64::min);
        (tree.least, tree.typical) = (least, quantile(&searches, 0.5));
        tree
    }

    /// The smallest value on a random walk from a point that stays in its branch and takes smaller and smaller steps.
    fn improved(&self, domain: &Domain<'_>, (mut value, start): (f64, UnitPoint), draw: &mut Stream) -> f64 {
        let (choices, mut at) = (self.choices(&start), start.into_vec());
        for step in 0..STEPS {
            let size = 0.3 * 0.985f64.powi(step as i32);
            let mut u = at.clone();
            let keeps = draw.uniform();
            for u in &mut u {
                if draw.uniform() >= 0.7 * keeps {
                    *u = (*u + size * draw.normal()).clamp(0.0, 1.0);
                }
            }
            // Category levels have separate coordinates: a level stays as it is unless it is moved far.
            for (dim, dimension) in self.space.dimensions().iter().enumerate() {
                if matches!(dimension, elbowroom::space::Dimension::Category { .. }) {
                    u[dim] = at[dim];
                }
            }
            domain.snap(&mut u);
            let here = self.value(&u);
            if here < value && self.choices(&u) == choices {
                (value, at) = (here, u);
            }
        }
        value
    }

    /// The levels of the categories: points that agree in them have the same parameters.
    fn choices(&self, u: &[f64]) -> Vec<u64> {
        let dimensions = self.space.dimensions().iter().enumerate();
        let categories = dimensions.filter(|(_, d)| matches!(d, elbowroom::space::Dimension::Category { .. }));
        categories.map(|(dim, _)| self.space.level(dim, u[dim])).collect()
    }

    /// The value at a unit point, without noise.
    pub fn value(&self, u: &[f64]) -> f64 {
        self.parts.iter().map(|part| part.value(&self.space, u)).sum()
    }

    /// How far a value is above the smallest: 1 is the median of random searches of 60 trials.
    pub fn regret(&self, value: f64) -> f64 {
        ((value - self.least) / (self.typical - self.least)).max(0.0)
    }

    /// The standard deviation of the noise of reported values.
    pub fn noise(&self) -> f64 {
        self.noise * (self.typical - self.least)
    }
}
