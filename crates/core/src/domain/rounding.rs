//! From a point of the polytope of linear constraints to one whose integers, steps and ladders are on their grids.
//!
//! One coordinate after another is held at a nearby level, and the others move to the nearest point of what is left; if
//! nothing is left, the next level is tried. Coarse coordinates come first, so that fine ones and floats absorb the
//! rest; among equals, the one nearest to a level; and then an order that depends on the point itself, so that it is
//! not always the same coordinate that gives way.

use crate::polytope::{Polytope, Row};
use crate::space::Grid;

/// How far from a row a point may be: steps and ladders keep it to a billionth of its largest term. Floats come closer.
pub(super) const ON_ROW: f64 = 1e-10;

/// Levels to try for one coordinate.
const LEVELS: usize = 8;

/// Projections for one point, and additional ones per coordinate.
const EFFORT: (usize, usize) = (40, 6);

/// How far from a level, in distances between levels, a coordinate without a choice may be.
const ON_LEVEL: f64 = 1e-6;

/// The levels of a coordinate, from a first to a last one.
#[derive(Debug, Clone)]
pub(super) struct Levels {
    pub grid: Grid,
    pub first: u64,
    pub last: u64,
}

impl Levels {
    pub fn coordinate(&self, level: u64) -> f64 {
        self.grid.coordinate(level)
    }

    /// The nearest level to a coordinate.
    pub fn nearest(&self, u: f64) -> u64 {
        self.grid.level(u).clamp(self.first, self.last)
    }

    /// The mean distance between neighbours.
    pub fn pitch(&self) -> f64 {
        match self.last - self.first {
            0 => 1.0,
            n => (self.coordinate(self.last) - self.coordinate(self.first)) / n as f64,
        }
    }

    /// Some of the nearest levels, the nearest first.
    fn near(&self, u: f64, most: usize) -> Vec<u64> {
        let middle = self.nearest(u);
        let from = middle.saturating_sub(most as u64).max(self.first);
        let to = middle.saturating_add(most as u64).min(self.last);
        let mut near: Vec<u64> = (from..=to).collect();
        let distance = |level: &u64| (self.coordinate(*level) - u).abs();
        near.sort_by(|a, b| distance(a).total_cmp(&distance(b)).then(a.cmp(b)));
        near.truncate(most);
        near
    }
}

/// Moves a point of a polytope to one nearby that is on all grids; false if none was found, and then the point stays.
pub(super) fn round(polytope: &Polytope, levels: &[Option<Levels>], x: &mut [f64]) -> bool {
    let coarseness = |i: usize, levels: &Levels| {
        let most = polytope.rows().iter().map(|row| row.normal[i].abs()).fold(0.0, f64::max);
        (most * levels.pitch()).max(f64::MIN_POSITIVE)
    };
    let class = |(i, levels): (usize, &Option<Levels>)| {
        levels.as_ref().map_or(0, |levels| -(2.0 * libm::log(coarseness(i, levels))).round() as i64)
    };
    let classes = levels.iter().enumerate().map(class).collect();
    let turns = turns(x);
    let effort = EFFORT.0 + EFFORT.1 * x.len();
    let mut rounding = Rounding { polytope: polytope.clone(), levels, target: x.to_vec(), classes, turns, effort };
    let Some(found) = rounding.settle(x.to_vec()) else { return false };
    x.copy_from_slice(&found);
    true
}

struct Rounding<'a> {
    polytope: Polytope,
    levels: &'a [Option<Levels>],
    /// The point that is to be rounded.
    target: Vec<f64>,
    /// The coarseness class of each coordinate, coarse first.
    classes: Vec<i64>,
    /// The order of coordinates that are otherwise equal.
    turns: Vec<u64>,
    effort: usize,
}

impl<'a> Rounding<'a> {
    /// Holds all remaining coordinates at levels.
    fn settle(&mut self, x: Vec<f64>) -> Option<Vec<f64>> {
        let Some((i, levels)) = self.next(&x) else {
            return self.end(x);
        };
        let is_forced = self.is_forced(i);
        for level in levels.near(x[i], if is_forced { 1 } else { LEVELS }) {
            let at = levels.coordinate(level);
            if is_forced && (at - x[i]).abs() > ON_LEVEL * levels.pitch() {
                break;
            }
            if self.effort == 0 {
                break;
            }
            self.effort -= 1;
            let sides = self.polytope.side(i);
            self.polytope.set_side(i, (at, at));
            // If the coordinate is already at the level, such as one at the end of its range, nothing else has to move.
            let is_there = (at - x[i]).abs() <= 1e-14;
            let mut y = if is_there { x.clone() } else { self.target.clone() };
            y[i] = at;
            if (is_there || self.polytope.project(&mut y))
                && let Some(found) = self.settle(y)
            {
                return Some(found);
            }
            self.polytope.set_side(i, sides);
        }
        None
    }

    /// The point with everything held, if it keeps the rows. Rounding adds up if coordinates were at their levels.
    fn end(&self, mut x: Vec<f64>) -> Option<Vec<f64>> {
        let is_continuous = |i: usize| {
            let (low, high) = self.polytope.side(i);
            low < high
        };
        if (0..x.len()).any(is_continuous) && !self.polytope.project(&mut x) {
            return None;
        }
        self.polytope.contains(&x, ON_ROW).then_some(x)
    }

    /// The coordinate whose turn it is.
    fn next(&self, x: &[f64]) -> Option<(usize, &'a Levels)> {
        let all: &'a [Option<Levels>] = self.levels;
        let open = all.iter().enumerate().filter_map(|(i, levels)| {
            let (low, high) = self.polytope.side(i);
            levels.as_ref().filter(|_| low < high).map(|levels| (i, levels))
        });
        open.min_by_key(|(i, levels)| {
            let off = (levels.coordinate(levels.nearest(x[*i])) - x[*i]).abs() / levels.pitch();
            (self.classes[*i], (1e6 * off).round() as u64, self.turns[*i])
        })
    }

    /// Whether an equation leaves a coordinate without a choice.
    fn is_forced(&self, i: usize) -> bool {
        let is_held = |j: usize| {
            let (low, high) = self.polytope.side(j);
            low == high
        };
        let leaves_none = |row: &Row| {
            row.is_equal
                && row.normal[i] != 0.0
                && (0..row.normal.len()).all(|j| j == i || row.normal[j] == 0.0 || is_held(j))
        };
        self.polytope.rows().iter().any(leaves_none)
    }
}

/// An order of the coordinates derived from a point's bits.
fn turns(x: &[f64]) -> Vec<u64> {
    // FNV-1a over the words, and a finalizer for each index.
    let seed = x.iter().fold(0xcbf2_9ce4_8422_2325u64, |hash, x| (hash ^ x.to_bits()).wrapping_mul(0x0100_0000_01b3));
    let mix = |i: u64| {
        let z = (seed ^ (seed >> 29)).wrapping_add(i.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    (1..=x.len() as u64).map(mix).collect()
}
