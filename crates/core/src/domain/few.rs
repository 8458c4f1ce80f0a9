//! All points that keep sums of numbers on grids, if there are few.
//!
//! Of a hundred million points perhaps three keep an equation. The polytope's rows bound each coordinate given those
//! before it, so an enumeration of the levels wastes little. If the list is short, points are drawn from it, and it is
//! known when it is used up or empty.

use super::Domain;
use super::rounding::{Levels, ON_ROW};
use crate::polytope::{Polytope, Row};
use crate::space::{Grid, UnitPoint};

/// The most points to list.
const MOST: usize = 20_000;

/// The most levels to try.
const EFFORT: usize = 100_000;

/// All settings of the coordinates of a polytope that are on grids and keep its rows; none if a coordinate is
/// continuous or there are too many.
pub(super) fn settings(polytope: &Polytope, levels: &[Option<Levels>]) -> Option<Vec<Vec<f64>>> {
    let is_known = |(i, levels): (usize, &Option<Levels>)| {
        let (low, high) = polytope.side(i);
        levels.is_some() || low == high
    };
    if !levels.iter().enumerate().all(is_known) {
        return None;
    }
    if polytope.rows().iter().any(|row| is_missed(row, polytope, levels)) {
        return Some(Vec::new());
    }
    let least_behind = |row: &Row, sign: f64| {
        let mut least = vec![0.0; levels.len() + 1];
        for i in (0..levels.len()).rev() {
            let (low, high) = polytope.side(i);
            let a = sign * row.normal[i];
            least[i] = least[i + 1] + (a * low).min(a * high);
        }
        least
    };
    // An equation is two half-spaces.
    let sides = polytope.rows().iter().flat_map(|row| {
        let back = row.is_equal.then_some((row, -1.0));
        [(row, 1.0)].into_iter().chain(back)
    });
    let half_spaces = sides.map(|(row, sign)| HalfSpace {
        normal: row.normal.iter().map(|a| sign * a).collect(),
        bound: sign * row.bound + ON_ROW,
        least_behind: least_behind(row, sign),
    });
    let half_spaces = half_spaces.collect();
    let mut listing = Listing { polytope, levels, half_spaces, found: Vec::new(), effort: EFFORT };
    listing.walk(&mut Vec::new()).then_some(listing.found)
}

/// Whether an equation cannot be met because all its steps are multiples of the smallest one and its bound is not: even
/// numbers cannot have an odd sum.
fn is_missed(row: &Row, polytope: &Polytope, levels: &[Option<Levels>]) -> bool {
    let (mut steps, mut rest) = (Vec::new(), row.bound);
    for (i, levels) in levels.iter().enumerate().filter(|(i, _)| row.normal[*i] != 0.0) {
        let (low, high) = polytope.side(i);
        rest -= row.normal[i] * low;
        match levels {
            _ if low == high => {}
            Some(Levels { grid: Grid::Even { n }, .. }) => steps.push((row.normal[i] / *n as f64).abs()),
            _ => return false,
        }
    }
    let smallest = steps.iter().copied().fold(f64::INFINITY, f64::min);
    let is_off = |x: f64, tolerance: f64| (x / smallest - (x / smallest).round()).abs() > tolerance;
    // In wide ranges a step is lost in rounding.
    row.is_equal
        && smallest > 1e-7
        && smallest.is_finite()
        && !steps.iter().any(|step| is_off(*step, 1e-9))
        && is_off(rest, 1e-2)
}

struct HalfSpace {
    normal: Vec<f64>,
    bound: f64,
    /// For each index, the smallest sum of the terms from there on.
    least_behind: Vec<f64>,
}

struct Listing<'a> {
    polytope: &'a Polytope,
    levels: &'a [Option<Levels>],
    half_spaces: Vec<HalfSpace>,
    found: Vec<Vec<f64>>,
    effort: usize,
}

impl Listing<'_> {
    /// Adds all points that start with these coordinates; false if there are too many.
    fn walk(&mut self, begin: &mut Vec<f64>) -> bool {
        let i = begin.len();
        if i == self.levels.len() {
            self.found.push(begin.clone());
            return self.found.len() <= MOST;
        }
        let (mut low, mut high) = self.polytope.side(i);
        let held = low;
        let is_held = low == high;
        for half in &self.half_spaces {
            let before: f64 = begin.iter().zip(&half.normal).map(|(x, a)| x * a).sum();
            let room = half.bound - before - half.least_behind[i + 1];
            match half.normal[i] {
                a if a > 0.0 => high = high.min(room / a),
                a if a < 0.0 => low = low.max(room / a),
                _ if room < 0.0 => return true,
                _ => {}
            }
        }
        let Some(levels) = self.levels[i].as_ref().filter(|_| !is_held) else {
            begin.push(held);
            let is_possible = low <= held + ON_ROW && held - ON_ROW <= high;
            let goes_on = !is_possible || self.walk(begin);
            begin.pop();
            return goes_on;
        };
        for level in levels.nearest(low)..=levels.nearest(high.max(low)) {
            if self.effort == 0 {
                return false;
            }
            self.effort -= 1;
            let at = levels.coordinate(level);
            if at < low - ON_ROW || high + ON_ROW < at {
                continue;
            }
            begin.push(at);
            let goes_on = self.walk(begin);
            begin.pop();
            if !goes_on {
                return false;
            }
        }
        true
    }
}

impl Domain<'_> {
    /// All feasible points; none if they cannot be listed.
    pub(crate) fn enumerate_feasible(&self) -> Option<Box<dyn Iterator<Item = UnitPoint> + '_>> {
        match self.few_points() {
            Some(few) => Some(Box::new(few.iter().cloned())),
            None => Some(Box::new(self.enumerate()?.filter(|u| self.is_feasible(u)))),
        }
    }

    /// All feasible points, if they are constructed on grids and there are few.
    pub(crate) fn few_points(&self) -> Option<&[UnitPoint]> {
        self.few.get_or_init(|| self.list_few()).as_deref()
    }

    fn list_few(&self) -> Option<Vec<UnitPoint>> {
        let inside = self.inside.as_ref().filter(|inside| inside.has_levels() && !self.space.is_conditional())?;
        let settings = inside.settings()?;
        let others: Vec<usize> = (0..self.dim()).filter(|dim| !inside.dims().contains(dim)).collect();
        let times = |n: usize, dim: &usize| n.checked_mul(self.n_values(*dim)?.try_into().ok()?);
        others.iter().try_fold(settings.len(), times).filter(|n| *n <= MOST)?;
        let mut points = Vec::new();
        for setting in &settings {
            let given: Vec<(usize, f64)> = inside.dims().iter().copied().zip(setting.iter().copied()).collect();
            points.extend(self.odometer(others.clone(), &given).filter(|u| self.is_feasible(u)));
        }
        Some(points)
    }
}
