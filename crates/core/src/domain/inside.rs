//! The part of a domain that linear constraints leave, where points are constructed: random points and nearest ones.
//!
//! A mixture of at most k parts is a union of polytopes, one for each choice of k parts, its *support*; the other parts
//! are exactly 0. A point is drawn from a random support; the nearest point keeps the k largest parts, which is exact
//! if parts do not have bounds of their own (Kyrillidis et al., ICML 2013).
//!
//! Numbers on grids are treated as continuous between their first and last level; `rounding` then finds the grid.

use super::few;
use super::rounding::{Levels, ON_ROW, round};
use crate::linalg::dot;
use crate::optim::Bounds;
use crate::polytope::{Polytope, Row, Walk};
use crate::rng::Stream;
use crate::space::{Linear, Parameter, SearchSpace, Value};

/// Points stay this far inside a half-space, so that rounding does not lead out of it.
const MARGIN: f64 = 1e-12;

/// The polytope extends this far beyond half-spaces of numbers on grids: these keep them exactly or to a billionth.
const SLACK: f64 = 1e-11;

/// Points of a walk to try for one that can be moved onto the grid, and failures in a row after which it gives up.
const ROUNDED: usize = 8;
const HOPELESS: usize = 100;

/// How far from a plane a point may be and still count as on it.
const ROUNDING: f64 = 1e-14;

/// Supports to try for one that has points.
const TRIES: usize = 64;

/// The most supports to list.
const MOST_SUPPORTS: f64 = 2000.0;

/// The number of walks when points are drawn from many supports.
const WALKS: usize = 48;

/// What linear constraints leave of a domain. Its coordinates are the numbers that linear constraints refer to.
#[derive(Debug, Clone)]
pub(super) struct Inside {
    /// The index in the unit cube of each of its coordinates.
    dims: Vec<usize>,
    polytope: Polytope,
    /// The levels of each of its coordinates that is on a grid.
    levels: Vec<Option<Levels>>,
    has_levels: bool,
    groups: Vec<Group>,
    /// The walk through the polytope, if there are no groups; none if it is empty.
    walk: Option<Walk>,
    /// Whether two half-spaces leave no room between them.
    is_flat: bool,
}

/// Parts of which at most `most` are not 0.
#[derive(Debug, Clone)]
struct Group {
    /// Coordinates of the polytope, each with its position of 0 and the width of its range.
    parts: Vec<Part>,
    most: usize,
}

#[derive(Debug, Clone, Copy)]
struct Part {
    at: usize,
    zero: f64,
    width: f64,
    /// Whether the domain holds it at another value.
    is_held: bool,
}

impl Inside {
    /// What is left of the box of a domain; none if points are found by rejection.
    pub fn new(space: &SearchSpace, bounds: &Bounds, levels: &[Option<(u64, u64)>]) -> Option<Self> {
        Self::of(space, space.constructed_from()?, bounds, levels)
    }

    /// What is left of the box of a domain, however its points are found; none without linear constraints.
    pub fn of_any(space: &SearchSpace, bounds: &Bounds, levels: &[Option<(u64, u64)>]) -> Option<Self> {
        let linear = space.linear();
        if linear == Linear::default() { None } else { Self::of(space, &linear, bounds, levels) }
    }

    fn of(space: &SearchSpace, linear: &Linear, bounds: &Bounds, levels: &[Option<(u64, u64)>]) -> Option<Self> {
        let named = linear.relations.iter().flat_map(|relation| relation.terms.iter().map(|(i, _)| *i));
        let mut parameters: Vec<usize> = named.chain(linear.sparse.iter().flat_map(|s| s.parts.clone())).collect();
        parameters.sort_unstable();
        parameters.dedup();
        let dims = parameters.iter().map(|&i| space.dimension_of(i)).collect::<Option<Vec<usize>>>()?;
        let position = |i: usize| parameters.partition_point(|&p| p < i);
        let of_grid = |&dim: &usize| {
            let (grid, (first, last)) = space.grid(dim).zip(levels[dim])?;
            Some(Levels { grid: grid.clone(), first, last })
        };
        let levels: Vec<Option<Levels>> = dims.iter().map(of_grid).collect();
        let side = |at: usize| match &levels[at] {
            Some(levels) => (levels.coordinate(levels.first), levels.coordinate(levels.last)),
            None => (bounds.low()[dims[at]], bounds.high()[dims[at]]),
        };
        let rows = linear.relations.iter().map(|relation| {
            let mut normal = vec![0.0; parameters.len()];
            let mut bound = relation.bound;
            for &(i, a) in &relation.terms {
                let (low, width) = range(space, i);
                normal[position(i)] += a * width;
                bound -= a * low;
            }
            let length = normal.iter().map(|a| a * a).sum::<f64>().sqrt();
            let is_on_grid = relation.terms.iter().all(|(i, _)| levels[position(*i)].is_some());
            match relation.is_equal {
                true => Row::equal(normal, bound),
                false if is_on_grid => Row::at_most(normal, bound + SLACK * length),
                false => Row::at_most(normal, bound - MARGIN * length),
            }
        });
        let part = |&i: &usize| {
            let (zero, at) = (space.coordinate_of(i, &Value::Float(0.0)), position(i));
            let (low, high) = side(at);
            Part { at, zero, width: range(space, i).1, is_held: !(low..=high).contains(&zero) }
        };
        let groups = linear.sparse.iter();
        let groups = groups.map(|group| Group { parts: group.parts.iter().map(part).collect(), most: group.most });
        let groups: Vec<Group> = groups.filter(|group| group.most < group.parts.len()).collect();
        let (low, high) = (0..dims.len()).map(side).unzip();
        let rows: Vec<Row> = rows.collect();
        // Ranges that overflow are left to rejection.
        if rows.iter().any(|row| !(row.bound.is_finite() && row.normal.iter().all(|a| a.is_finite()))) {
            return None;
        }
        let is_flat = is_flat(&rows);
        let polytope = Polytope::new(&Bounds::new(low, high).ok()?, rows);
        let walk = if groups.is_empty() && !is_flat { Walk::new(&polytope) } else { None };
        let has_levels = levels.iter().any(Option::is_some);
        Some(Self { dims, polytope, levels, has_levels, groups, walk, is_flat })
    }

    /// The indices in the unit cube of its coordinates.
    pub fn dims(&self) -> &[usize] {
        &self.dims
    }

    pub fn polytope(&self) -> &Polytope {
        &self.polytope
    }

    /// The levels of each of its coordinates that is on a grid.
    pub fn levels(&self) -> &[Option<Levels>] {
        &self.levels
    }

    /// Whether some of its coordinates are on grids.
    pub fn has_levels(&self) -> bool {
        self.has_levels
    }

    /// Whether a coordinate of the unit cube is one of those on grids.
    pub fn is_on_grid(&self, dim: usize) -> bool {
        self.dims.iter().zip(&self.levels).any(|(at, levels)| *at == dim && levels.is_some())
    }

    /// All settings of its coordinates, if all are on grids and there are few.
    pub fn settings(&self) -> Option<Vec<Vec<f64>>> {
        if self.has_levels { few::settings(&self.polytope, &self.levels) } else { None }
    }

    /// Whether the polytope was shown to be empty.
    pub fn is_empty(&self) -> bool {
        if self.settings().is_some_and(|settings| settings.is_empty()) {
            return true;
        }
        let holds_too_many = |group: &Group| group.parts.iter().filter(|part| part.is_held).count() > group.most;
        match self.supports() {
            _ if self.groups.iter().any(holds_too_many) => true,
            _ if self.is_flat => self.polytope.is_empty(),
            _ if self.groups.is_empty() => self.walk.is_none(),
            Some(supports) => supports.into_iter().all(|held| self.polytope.holding(held).is_empty()),
            None => self.polytope.is_empty(),
        }
    }

    /// Whether two half-spaces leave no room between them.
    pub fn is_flat(&self) -> bool {
        self.is_flat
    }

    /// An endless source of random points.
    pub fn walks(&self) -> Walks<'_> {
        Walks { inside: self, walks: Vec::new(), next: 0, fruitless: 0, unrounded: 0 }
    }

    /// Whether a point is inside, up to rounding. Tolerances would add up if points are made from points.
    pub fn holds(&self, u: &[f64]) -> bool {
        let x: Vec<f64> = self.dims.iter().map(|&dim| u[dim]).collect();
        let n_used = |group: &Group| group.parts.iter().filter(|part| x[part.at] != part.zero).count();
        let is_on_level = |(x, levels): (&f64, &Option<Levels>)| {
            levels.as_ref().is_none_or(|levels| levels.coordinate(levels.nearest(*x)) == *x)
        };
        let tolerance = if self.has_levels { ON_ROW } else { ROUNDING };
        self.polytope.contains(&x, tolerance)
            && x.iter().zip(&self.levels).all(is_on_level)
            && self.groups.iter().all(|group| n_used(group) <= group.most)
    }

    /// Moves a point of the unit cube to the nearest one inside, or with grids to one nearby; false, and no move, if
    /// there is none.
    pub fn project(&self, u: &mut [f64]) -> bool {
        let support = self.support_of(u, None);
        if !self.has_levels {
            return self.project_within(&support, u);
        }
        let held = self.polytope.holding(support.held);
        let mut x: Vec<f64> = self.dims.iter().map(|&dim| u[dim]).collect();
        let found = held.project(&mut x) && round(&held, &self.levels, &mut x);
        if found {
            self.put(&x, u);
        }
        found
    }

    /// Moves a point to the nearest one in a box, then to the nearest one inside with this support, ignoring levels.
    pub fn project_onto(&self, support: &Support, bounds: &Bounds, u: &mut [f64]) {
        let x: Vec<f64> = self.dims.iter().map(|&dim| u[dim]).collect();
        bounds.project(u);
        self.put(&x, u);
        self.project_within(support, u);
    }

    /// [`project`](Self::project) among points of one support.
    fn project_within(&self, support: &Support, u: &mut [f64]) -> bool {
        let mut x: Vec<f64> = self.dims.iter().map(|&dim| u[dim]).collect();
        let found = match support.held.is_empty() {
            true => self.polytope.project(&mut x),
            false => self.polytope.holding(support.held.iter().copied()).project(&mut x),
        };
        if found {
            self.put(&x, u);
        }
        found
    }

    /// The largest parts of a point; if fewer than allowed are not 0, those with the steepest slopes join them.
    pub fn support_of(&self, u: &[f64], slopes: Option<&[f64]>) -> Support {
        let mut held = Vec::new();
        for group in &self.groups {
            let amount = |part: &Part| (u[self.dims[part.at]] - part.zero).abs() * part.width;
            let slope = |part: &Part| slopes.map_or(0.0, |slopes| slopes[self.dims[part.at]] / part.width);
            let mut parts = group.parts.clone();
            parts.sort_by(|a, b| {
                let by_amount = amount(b).total_cmp(&amount(a));
                b.is_held.cmp(&a.is_held).then(by_amount).then(slope(b).total_cmp(&slope(a))).then(a.at.cmp(&b.at))
            });
            held.extend(group.at_zero(&parts));
        }
        Support { held }
    }

    /// The same point with the amount of one part given to another that is 0, for each such pair.
    pub fn swaps(&self, u: &[f64]) -> Vec<Vec<f64>> {
        let mut swapped = Vec::new();
        for group in &self.groups {
            let amount = |part: &Part| (u[self.dims[part.at]] - part.zero) * part.width;
            let movable = || group.parts.iter().filter(|part| !part.is_held);
            for from in movable().filter(|part| amount(part) != 0.0) {
                for to in movable().filter(|part| amount(part) == 0.0) {
                    let mut v = u.to_vec();
                    v[self.dims[from.at]] = from.zero;
                    v[self.dims[to.at]] = to.zero + amount(from) / to.width;
                    if self.project(&mut v) {
                        swapped.push(v);
                    }
                }
            }
        }
        swapped
    }

    fn put(&self, x: &[f64], u: &mut [f64]) {
        self.dims.iter().zip(x).for_each(|(&dim, x)| u[dim] = *x);
    }

    /// A walk through a random support, or through the whole polytope if there are no groups.
    fn walk(&self, stream: &mut Stream) -> Option<Walk> {
        if self.groups.is_empty() {
            return self.walk.clone();
        }
        let drawn = (0..TRIES).find_map(|_| {
            let mut held = Vec::new();
            for group in &self.groups {
                let mut parts = group.parts.clone();
                stream.shuffle(&mut parts);
                parts.sort_by_key(|part| !part.is_held);
                held.extend(group.at_zero(&parts));
            }
            Walk::new(&self.polytope.holding(held))
        });
        drawn.or_else(|| {
            let mut supports = self.supports()?;
            stream.shuffle(&mut supports);
            supports.into_iter().find_map(|held| Walk::new(&self.polytope.holding(held)))
        })
    }

    /// The parts that each support holds at 0, if there is one group and few supports.
    fn supports(&self) -> Option<Vec<Vec<(usize, f64)>>> {
        let [group] = self.groups.as_slice() else { return None };
        let n = group.parts.len();
        let n_supports = (0..group.most).fold(1.0, |count, i| count * (n - i) as f64 / (i + 1) as f64);
        if n_supports > MOST_SUPPORTS {
            return None;
        }
        let mut supports = Vec::new();
        let mut chosen: Vec<usize> = (0..group.most).collect();
        loop {
            let (mut inside, mut outside) = (Vec::new(), Vec::new());
            for (i, part) in group.parts.iter().enumerate() {
                if chosen.contains(&i) { inside.push(*part) } else { outside.push(*part) }
            }
            let is_possible = outside.iter().all(|part| !part.is_held);
            inside.extend(outside);
            if is_possible {
                supports.push(group.at_zero(&inside).collect());
            }
            // The next combination: raise the last number that can rise, and reset those after it.
            let Some(i) = (0..group.most).rev().find(|&i| chosen[i] < n - group.most + i) else { break };
            chosen[i] += 1;
            (i + 1..group.most).for_each(|j| chosen[j] = chosen[j - 1] + 1);
        }
        Some(supports)
    }
}

impl Group {
    /// The parts after the first `most`, with their positions of 0. A part that the domain holds elsewhere cannot be 0.
    fn at_zero<'a>(&self, parts: &'a [Part]) -> impl Iterator<Item = (usize, f64)> + use<'a> {
        parts[self.most..].iter().filter(|part| !part.is_held).map(|part| (part.at, part.zero))
    }
}

/// The parts that stay 0.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Support {
    held: Vec<(usize, f64)>,
}

/// Random points, by walks through up to `WALKS` supports.
pub(super) struct Walks<'a> {
    inside: &'a Inside,
    walks: Vec<Walk>,
    next: usize,
    fruitless: usize,
    /// Points in a row that could not be moved onto the grid.
    unrounded: usize,
}

impl Walks<'_> {
    /// Moves a point of the unit cube to a random one inside; it stays if none can be found.
    pub fn step(&mut self, stream: &mut Stream, u: &mut [f64]) {
        let most = if self.inside.groups.is_empty() { 1 } else { WALKS };
        if self.walks.len() < most && self.fruitless < 2 {
            match self.inside.walk(stream) {
                Some(mut walk) => {
                    walk.warm_up(stream);
                    self.walks.push(walk);
                }
                None => self.fruitless += 1,
            }
        }
        if self.walks.is_empty() {
            return;
        }
        self.next = if self.walks.len() < most { self.walks.len() - 1 } else { (self.next + 1) % self.walks.len() };
        let walk = &mut self.walks[self.next];
        if !self.inside.has_levels {
            return self.inside.put(walk.next_point(stream), u);
        }
        for _ in 0..if self.unrounded < HOPELESS { ROUNDED } else { 0 } {
            let mut x = walk.next_point(stream).to_vec();
            if round(walk.polytope(), &self.inside.levels, &mut x) {
                self.unrounded = 0;
                return self.inside.put(&x, u);
            }
            self.unrounded += 1;
        }
    }
}

/// Whether two opposite half-spaces just meet or leave a gap: as `a < b` and `b < a`, or `a <= b` and `b <= a`.
fn is_flat(rows: &[Row]) -> bool {
    let sides: Vec<(&Row, f64)> =
        rows.iter().filter(|row| !row.is_equal).map(|row| (row, dot(&row.normal, &row.normal).sqrt())).collect();
    sides.iter().enumerate().any(|(i, (one, length))| {
        sides[..i].iter().any(|(other, other_length)| {
            let turned = dot(&one.normal, &other.normal) <= (1e-12 - 1.0) * length * other_length;
            turned && *length > 0.0 && one.bound / length + other.bound / other_length < 0.0
        })
    })
}

/// The number at the start of a coordinate, and how much larger it is at the end.
fn range(space: &SearchSpace, i: usize) -> (f64, f64) {
    let parameter = &space.parameters()[i];
    let grid = space.dimension_of(i).and_then(|dim| space.grid(dim));
    match (parameter, grid) {
        (_, Some(grid)) => {
            let last = grid.n_levels() - 1;
            let number = |level: u64| space.parameters()[i].value_at(level).as_f64().unwrap_or(f64::NAN);
            let (begin, end) = (grid.coordinate(0), grid.coordinate(last));
            let width = (number(last) - number(0)) / (end - begin);
            (number(0) - begin * width, width)
        }
        (Parameter::Float { low, high, .. }, None) => (*low, high - low),
        _ => (0.0, 0.0),
    }
}
