//! Where a search may go: a space, or a part of it with parameters held fixed or in narrower ranges.
//!
//! A domain is a box in the space's unit cube. A random point of the cube is stretched into the box after all its
//! coordinates were drawn, so that random numbers are the same whatever is held fixed; for the whole space it is the
//! identity.

mod branch;
mod climb;
mod emptiness;
mod exchange;
mod few;
mod inside;
mod narrowing;
mod rounding;

pub(crate) use branch::{Branch, Branches};
pub use climb::Climber;
pub use narrowing::Narrowing;

use std::sync::OnceLock;

use self::inside::{Inside, Walks};
use crate::error::{Error, Result};
use crate::optim::{Bounds, LbfgsbParams};
use crate::rng::Stream;
use crate::space::{Point, PointKey, SearchSpace, UnitPoint, Value};

/// The part of a space that may be searched.
///
/// ```
/// use elbowroom::domain::{Domain, Narrowing};
/// use elbowroom::rng::Stream;
/// use elbowroom::space::{Parameter, SearchSpace, Value};
///
/// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0), Parameter::int("n", 1, 9)])?;
/// let domain = Domain::narrowed(&space, &Narrowing::new().fix("n", 4))?;
/// let u = domain.sample(&mut Stream::new(1));
/// assert_eq!(domain.decode(&u).get("n"), Some(&Value::Int(4)));
/// assert!(domain.is_inside(&u));
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Domain<'a> {
    space: &'a SearchSpace,
    /// In the unit cube; on a grid, the edges of the first and last cell.
    bounds: Bounds,
    /// The first and the last level of each coordinate that has levels.
    levels: Vec<Option<(u64, u64)>>,
    /// The value of each parameter that is held.
    held: Vec<Option<Value>>,
    /// Whether a parameter is held at a value that no coordinate decodes to.
    is_off_scale: bool,
    is_whole: bool,
    /// What linear constraints leave of it, if its points are constructed.
    inside: Option<Inside>,
    /// The numbers of its candidates, if the space is a table.
    rows: Option<Vec<usize>>,
    /// Parameters with conditions that are held or kept in a range, so that their conditions must hold.
    required: Vec<usize>,
    /// Computed when first needed.
    branches: OnceLock<Branches>,
    /// All its points, if they are constructed on grids and there are few; computed when first needed.
    few: OnceLock<Option<Vec<UnitPoint>>>,
}

impl<'a> Domain<'a> {
    /// All of a space.
    pub fn whole(space: &'a SearchSpace) -> Self {
        let of_all = |n: u64| (0, n - 1);
        let levels: Vec<_> = space.dimensions().iter().map(|dimension| dimension.levels().map(of_all)).collect();
        let held = vec![None; space.parameters().len()];
        let bounds = Bounds::unit(space.dim());
        let inside = Inside::new(space, &bounds, &levels);
        let rows = space.candidates().map(|rows| (0..rows.len()).collect());
        let (required, branches, few) = (Vec::new(), OnceLock::new(), OnceLock::new());
        Self { space, bounds, levels, held, is_off_scale: false, is_whole: true, inside, rows, required, branches, few }
    }

    /// A part of a space. Fails, naming the parameter, if the space does not have such a parameter or value, or if its
    /// condition does not hold in this part: a parameter that is held is present in every point.
    pub fn narrowed(space: &'a SearchSpace, narrowing: &Narrowing) -> Result<Self> {
        let narrowing = narrowing.check(space)?;
        let mut domain = Self { is_whole: narrowing.is_empty(), ..Self::whole(space) };
        let (mut low, mut high) = (domain.bounds.low().to_vec(), domain.bounds.high().to_vec());
        let fixed = narrowing.fixed.iter().map(|(name, value)| (name, [value, value], true));
        // A range of one value holds the parameter there, since its coordinate may decode to a neighbour.
        let within = narrowing.within.iter().map(|(name, [low, high])| (name, [low, high], low == high));
        for (name, ends, is_fixed) in fixed.chain(within) {
            let Some(i) = space.parameters().iter().position(|parameter| parameter.name() == name) else { continue };
            domain.held[i] = is_fixed.then(|| ends[0].clone());
            if space.parameters()[i].condition().is_some() {
                domain.required.push(i);
            }
            let Some(dim) = space.dimension_of(i) else { continue };
            let [first, last] = ends.map(|value| space.coordinate_of(i, value));
            if let Some((from, to)) = &mut domain.levels[dim] {
                (*from, *to) = (space.level(dim, first), space.level(dim, last));
                (low[dim], high[dim]) = (space.cell(dim, *from).0, space.cell(dim, *to).1);
            } else {
                (low[dim], high[dim]) = (first, last);
                // Rounding must not lead out of the range.
                let value = |u: f64| space.value_of(i, u);
                let [least, most] = ends.map(|end| end.as_f64().unwrap_or(f64::NAN));
                while !is_fixed && value(low[dim]) < least && low[dim] < high[dim] {
                    low[dim] = low[dim].next_up();
                }
                while !is_fixed && value(high[dim]) > most && low[dim] < high[dim] {
                    high[dim] = high[dim].next_down();
                }
            }
        }
        domain.bounds = Bounds::new(low, high)?;
        if !domain.is_whole {
            domain.inside = Inside::new(space, &domain.bounds, &domain.levels);
        }
        if let (Some(mut rows), Some(all)) = (domain.rows.take(), space.candidates()) {
            rows.retain(|&i| domain.is_in_box(&all[i]));
            domain.rows = Some(rows);
        }
        let middle = UnitPoint::clamped(domain.bounds.low().to_vec());
        domain.is_off_scale = match space.is_conditional() {
            false => space.decode(&middle) != domain.decode(&middle),
            true => domain.holds_off_scale(),
        };
        domain.refuse_absent()?;
        Ok(domain)
    }

    /// Whether a float is held at a value that no coordinate decodes to.
    fn holds_off_scale(&self) -> bool {
        let is_off = |(i, held): (usize, &Option<Value>)| {
            let dim = self.space.dimension_of(i).filter(|dim| self.levels[*dim].is_none());
            dim.zip(held.as_ref())
                .is_some_and(|(dim, held)| held.as_f64() != Some(self.space.value_of(i, self.bounds.low()[dim])))
        };
        self.held.iter().enumerate().any(is_off)
    }

    /// Refuses to hold a parameter whose condition does not hold anywhere.
    fn refuse_absent(&self) -> Result<()> {
        let Some(&first) = self.required.first() else { return Ok(()) };
        let branches = self.branches();
        if !branches.all.is_empty() || !branches.is_complete {
            return Ok(());
        }
        let parameter = &self.space.parameters()[first];
        let (name, condition) = (parameter.name(), parameter.condition().unwrap_or_default());
        let what =
            format!("parameter `{name}` is held or given a range where its condition `{condition}` does not hold");
        Err(Error::space(what, format!("leave `{name}` out, or hold the others where its condition holds")))
    }

    /// The space it is a part of.
    pub fn space(&self) -> &'a SearchSpace {
        self.space
    }

    /// The number of coordinates of the space.
    pub fn dim(&self) -> usize {
        self.space.dim()
    }

    /// The box in the unit cube; on a grid it ends at the edges of cells.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// Whether it is all of the space.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// The first and the last level of a coordinate; none if it is continuous.
    pub fn levels(&self, dim: usize) -> Option<(u64, u64)> {
        self.levels[dim]
    }

    /// Maps a point of the unit cube into the box. Each value of a ladder gets an equal share of the cube.
    pub fn stretch(&self, u: &mut [f64]) {
        let sides = self.bounds.low().iter().zip(self.bounds.high());
        for (dim, (u, (low, high))) in u.iter_mut().zip(sides).enumerate() {
            let drawn = self.levels[dim].and_then(|(first, last)| self.space.drawn(dim, *u, first, last));
            *u = drawn.unwrap_or_else(|| low + *u * (high - low));
        }
    }

    /// Moves each coordinate to that of its nearest allowed value; then, if points are constructed, to the nearest
    /// point that keeps the linear constraints; in a table, to the nearest row.
    pub fn snap(&self, u: &mut [f64]) {
        let before = self.inside.as_ref().filter(|inside| inside.has_levels()).map(|_| u.to_vec());
        self.snap_to_values(u);
        if let Some(rows) = self.rows.as_ref().filter(|_| !self.space.is_feasible(u))
            && let Some(nearest) = self.space.nearest_candidate(u, rows)
        {
            u.copy_from_slice(nearest);
        }
        if let Some(inside) = &self.inside
            && !inside.holds(u)
        {
            let Some(before) = before else {
                inside.project(u);
                return;
            };
            let snapped = u.to_vec();
            inside.dims().iter().for_each(|&dim| u[dim] = before[dim]);
            if !inside.project(u) {
                u.copy_from_slice(&snapped);
            }
            if self.may_move_conditions() {
                self.space.lay_to_rest(u);
            }
        }
    }

    /// Whether constructed numbers on grids may decide conditions.
    fn may_move_conditions(&self) -> bool {
        self.space.is_conditional() && self.inside.as_ref().is_some_and(Inside::has_levels)
    }

    fn snap_to_values(&self, u: &mut [f64]) {
        if self.is_whole {
            return self.space.snap(u);
        }
        self.space.snap_to_values(u);
        for (dim, u) in u.iter_mut().enumerate() {
            *u = match self.levels[dim] {
                Some((first, last)) => self.space.coordinate(dim, self.space.level(dim, *u).clamp(first, last)),
                None => u.clamp(self.bounds.low()[dim], self.bounds.high()[dim]),
            };
        }
        self.space.lay_to_rest(u);
    }

    /// Whether a point is in the box and keeps the constraints.
    pub fn is_inside(&self, u: &[f64]) -> bool {
        self.is_in_box(u) && self.is_feasible(u)
    }

    /// Whether a point of the box keeps the constraints and has the parameters that are held.
    pub fn is_feasible(&self, u: &[f64]) -> bool {
        if !self.required.is_empty() {
            let active = self.space.active_parameters(u);
            if !self.required.iter().all(|i| active[*i]) {
                return false;
            }
        }
        if self.is_off_scale {
            let point = self.decode(&UnitPoint::clamped(u.to_vec()));
            return matches!(self.space.broken_constraint(&point), Ok(None));
        }
        self.space.is_feasible(u)
    }

    /// Whether points of the box may be infeasible.
    pub(crate) fn is_constrained(&self) -> bool {
        self.space.is_constrained() || !self.required.is_empty()
    }

    fn is_in_box(&self, u: &[f64]) -> bool {
        let active = self.space.active(u);
        let is_in = |(dim, &u): (usize, &f64)| match self.levels[dim] {
            _ if !active[dim] => true,
            Some((first, last)) => (first..=last).contains(&self.space.level(dim, u)),
            None => (self.bounds.low()[dim]..=self.bounds.high()[dim]).contains(&u),
        };
        self.is_whole || u.iter().enumerate().all(is_in)
    }

    /// The point in the user's units. Held values are returned as they were given.
    pub fn decode(&self, u: &UnitPoint) -> Point {
        let point = self.space.decode(u);
        if self.is_whole {
            return point;
        }
        // The point has the parameters that are active, in their order.
        let mut all = self.space.parameters().iter().zip(&self.held);
        let held = |(name, value): (String, Value)| {
            let held = all.find(|(parameter, _)| parameter.name() == name).and_then(|(_, held)| held.clone());
            (name, held.unwrap_or(value))
        };
        point.into_iter().map(held).collect()
    }

    /// The key of a point: points that decode to the same values have the same one.
    pub fn key(&self, u: &[f64]) -> PointKey {
        self.space.key(u)
    }

    /// Whether its points are rows of a table.
    pub fn is_listed(&self) -> bool {
        self.rows.is_some()
    }

    /// Whether points that keep the linear constraints are constructed, since rejection would find few or none.
    pub fn is_constructed(&self) -> bool {
        self.inside.is_some()
    }

    /// Whether the linear constraints were shown to leave it empty.
    fn is_cut_off(&self) -> bool {
        match &self.inside {
            Some(inside) => inside.is_empty(),
            None => Inside::of_any(self.space, &self.bounds, &self.levels).is_some_and(|inside| inside.is_empty()),
        }
    }

    /// Whether two linear bounds leave no room between them, so that no point can be constructed.
    pub(crate) fn is_flat(&self) -> bool {
        self.inside.as_ref().is_some_and(Inside::is_flat)
    }

    /// A random point: each coordinate uniform in the box, then snapped; if points are constructed, uniform among those
    /// that keep the linear constraints.
    pub fn sample(&self, stream: &mut Stream) -> UnitPoint {
        self.sampler().next(stream)
    }

    /// Random points one after another; if they are constructed, this is cheaper than drawing each separately.
    ///
    /// ```
    /// use elbowroom::domain::Domain;
    /// use elbowroom::rng::Stream;
    /// use elbowroom::space::{Parameter, SearchSpace};
    ///
    /// let parts = ["a", "b", "c", "d"].map(|name| Parameter::float(name, 0.0, 1.0));
    /// let space = SearchSpace::new(parts.to_vec())?.with_constraints(["a + b + c + d == 1", "nonzero(a, b, c, d) <= 2"])?;
    /// let domain = Domain::whole(&space);
    /// let (mut sampler, mut stream) = (domain.sampler(), Stream::new(1));
    /// assert!((0..100).all(|_| domain.is_feasible(&sampler.next(&mut stream))));
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn sampler(&self) -> Sampler<'_> {
        Sampler { domain: self, walks: self.inside.as_ref().map(Inside::walks) }
    }

    /// A random feasible point, by rejection; none if `tries` draws were all infeasible.
    pub fn sample_feasible(&self, stream: &mut Stream, tries: usize) -> Option<UnitPoint> {
        self.sampler().next_feasible(stream, tries)
    }

    /// The number of different points, ignoring constraints; none if infinite, beyond `u128`, or not countable.
    pub fn n_points(&self) -> Option<u128> {
        if let Some(rows) = &self.rows {
            return Some(rows.len() as u128);
        }
        let times = |n: u128, dim: usize| n.checked_mul(self.n_values(dim)?.into());
        if !self.space.is_conditional() {
            return (0..self.dim()).try_fold(1u128, times);
        }
        let branches = Some(self.branches()).filter(|branches| branches.is_complete)?;
        branches.all.iter().try_fold(0u128, |n, branch| {
            n.checked_add(branch.free().iter().copied().try_fold(branch.settings().len() as u128, times)?)
        })
    }

    /// Its branches; empty if no parameter has a condition.
    pub(crate) fn branches(&self) -> &Branches {
        self.branches.get_or_init(|| match self.space.is_conditional() {
            true => Branches::of(self),
            false => Branches::default(),
        })
    }

    /// Sets some coordinates to given values, and puts all others at rest.
    fn set(&self, given: &[(usize, f64)], u: &mut [f64]) {
        u.iter_mut().enumerate().for_each(|(dim, u)| *u = self.space.rest(dim));
        given.iter().for_each(|(dim, at)| u[*dim] = *at);
    }

    /// All points, ignoring constraints, the last coordinate moving fastest; none if they cannot be listed.
    ///
    /// ```
    /// use elbowroom::domain::Domain;
    /// use elbowroom::space::{Parameter, SearchSpace};
    /// let space = SearchSpace::new(vec![Parameter::int("n", 1, 2), Parameter::category("b", [false, true])])?;
    /// let domain = Domain::whole(&space);
    /// let all: Vec<String> = domain.enumerate().unwrap().map(|u| space.decode(&u).to_string()).collect();
    /// assert_eq!(all, ["n=1 b=false", "n=1 b=true", "n=2 b=false", "n=2 b=true"]);
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn enumerate(&self) -> Option<impl Iterator<Item = UnitPoint> + '_> {
        let listed =
            self.space.candidates().zip(self.rows.as_ref()).map(|(all, rows)| rows.iter().map(|&i| all[i].clone()));
        if self.space.is_conditional() && !self.branches().is_complete {
            return None;
        }
        if listed.is_none() {
            (0..self.dim()).try_for_each(|dim| self.n_values(dim).map(|_| ()))?;
        }
        let mut parts = Vec::new();
        for branch in &self.branches().all {
            parts.extend(branch.settings().iter().map(|setting| (branch.free().to_vec(), setting.as_slice())));
        }
        if !self.space.is_conditional() && listed.is_none() {
            parts.push(((0..self.dim()).collect(), [].as_slice()));
        }
        let made = parts.into_iter().flat_map(|(dims, setting)| self.odometer(dims, setting));
        Some(listed.into_iter().flatten().chain(made))
    }

    /// All points that differ in some coordinates and have the others as given.
    fn odometer<'b>(&'b self, dims: Vec<usize>, setting: &'b [(usize, f64)]) -> impl Iterator<Item = UnitPoint> + 'b {
        let sizes: Vec<u64> = dims.iter().map(|dim| self.n_values(*dim).unwrap_or(1)).collect();
        let mut next = Some(vec![0u64; dims.len()]);
        std::iter::from_fn(move || {
            let mut wheels = next.take()?;
            let mut point = vec![0.0; self.dim()];
            self.set(setting, &mut point);
            dims.iter().zip(&wheels).for_each(|(dim, wheel)| point[*dim] = self.coordinate(*dim, *wheel));
            // Count up like an odometer; when every wheel has gone round, there is no next point.
            for (wheel, size) in wheels.iter_mut().zip(&sizes).rev() {
                *wheel += 1;
                if *wheel < *size {
                    next = Some(wheels);
                    break;
                }
                *wheel = 0;
            }
            Some(UnitPoint::clamped(point))
        })
    }

    /// A climber that spends at most `max_evaluations` on each continuous climb.
    pub fn climber(&self, max_evaluations: usize) -> Climber<'_> {
        let params = LbfgsbParams {
            max_evaluations,
            max_iterations: max_evaluations,
            gradient_tolerance: 1e-5,
            value_tolerance: 1e-9,
            ..LbfgsbParams::default()
        };
        self.climber_with(params)
    }

    /// A climber whose continuous climbs have these limits and tolerances.
    pub fn climber_with(&self, params: LbfgsbParams) -> Climber<'_> {
        Climber::new(self, params)
    }

    /// The number of values of a coordinate.
    fn n_values(&self, dim: usize) -> Option<u64> {
        match self.levels[dim] {
            Some((first, last)) => Some(last - first + 1),
            None => (self.bounds.low()[dim] == self.bounds.high()[dim]).then_some(1),
        }
    }

    /// The coordinate of one of those values.
    fn coordinate(&self, dim: usize, value: u64) -> f64 {
        match self.levels[dim] {
            Some((first, _)) => self.space.coordinate(dim, first + value),
            None => self.bounds.low()[dim],
        }
    }
}

/// Random points of a domain, one after another.
pub struct Sampler<'a> {
    domain: &'a Domain<'a>,
    walks: Option<Walks<'a>>,
}

impl Sampler<'_> {
    /// The next point. If points are constructed, it keeps the linear constraints; it may break others.
    pub fn next(&mut self, stream: &mut Stream) -> UnitPoint {
        if let (Some(rows), Some(all)) = (&self.domain.rows, self.domain.space.candidates())
            && !rows.is_empty()
        {
            return all[rows[stream.below(rows.len())]].clone();
        }
        if let Some(few) = self.domain.few_points().filter(|few| !few.is_empty()) {
            return few[stream.below(few.len())].clone();
        }
        let mut u: Vec<f64> = (0..self.domain.dim()).map(|_| stream.uniform()).collect();
        self.domain.stretch(&mut u);
        if let Some(walks) = self.walks.as_mut().filter(|_| self.domain.may_move_conditions()) {
            walks.step(stream, &mut u);
            self.domain.snap_to_values(&mut u);
            return UnitPoint::clamped(u);
        }
        self.domain.snap_to_values(&mut u);
        if let Some(walks) = &mut self.walks {
            walks.step(stream, &mut u);
        } else if !self.domain.required.is_empty() && !self.domain.is_feasible(&u) {
            self.draw_branch(stream, &mut u);
        }
        UnitPoint::clamped(u)
    }

    /// A point of a random branch, for parts of the space where the required branches are rare.
    fn draw_branch(&self, stream: &mut Stream, u: &mut [f64]) {
        let open: Vec<&Branch> = self.domain.branches().open().collect();
        if open.is_empty() {
            return;
        }
        let branch = open[stream.below(open.len())];
        let v: Vec<f64> = (0..branch.dim()).map(|_| stream.uniform()).collect();
        branch.put(self.domain, &v, u);
        self.domain.snap_to_values(u);
    }

    /// The next feasible point; none if `tries` draws were all infeasible.
    pub fn next_feasible(&mut self, stream: &mut Stream, tries: usize) -> Option<UnitPoint> {
        let domain = self.domain;
        (0..tries).map(|_| self.next(stream)).find(|u| domain.is_feasible(u))
    }
}
