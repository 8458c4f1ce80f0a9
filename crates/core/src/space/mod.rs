//! The search space: parameters, constraints, and the map to the unit cube and back.
//!
//! A [`SearchSpace`] is a list of [`Parameter`]s and of constraints between them. Outside, a point is named values in
//! the user's units ([`Point`]); inside, it is a [`UnitPoint`] of [0, 1]^d, where d counts the parameters that have
//! more than one value. Only [`SearchSpace::encode`] and [`SearchSpace::decode`] lead from one to the other.

mod axis;
mod conditions;
mod constraint;
mod construction;
mod descriptors;
mod ladder;
mod nearest;
mod parameter;
mod point;
mod step;
mod table;
mod turns;
mod unit;
mod value;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use self::axis::Axis;
pub(crate) use self::axis::Grid;
use self::conditions::Conditions;
pub(crate) use self::constraint::Linear;
use self::constraint::Scalar;
pub use self::constraint::{Condition, Constraint, Formula};
use self::construction::Feasible;
pub use self::descriptors::Descriptors;
pub use self::nearest::nearest;
use self::parameter::Admitted;
pub use self::parameter::Parameter;
pub use self::point::Point;
use self::table::Table;
use self::unit::clamp_unit;
pub use self::unit::{Dimension, PointKey, UnitPoint};
use self::value::Identity;
pub use self::value::{Value, brief};
use crate::error::{Error, Result};
use crate::rng::Stream;

/// A search space: parameters, and constraints that each point must satisfy.
///
/// A value of this type has been checked, even if it was read from JSON.
///
/// ```
/// use elbowroom::space::{Parameter, Point, SearchSpace};
///
/// let space = SearchSpace::new(vec![
///     Parameter::float("lr", 1e-5, 1e-1).log(),
///     Parameter::int("layers", 1, 4),
///     Parameter::category("kind", ["adam", "sgd"]),
///     Parameter::fixed("epochs", 20),
/// ])?
/// .with_constraints(["layers <= 2 or kind == 'adam'"])?;
///
/// // `epochs` has one value only and takes no coordinate.
/// assert_eq!(space.dim(), 3);
///
/// let point = Point::new().with("lr", 1e-3).with("layers", 3).with("kind", "adam").with("epochs", 20);
/// let u = space.encode(&point)?;
/// assert!((u[0] - 0.5).abs() < 1e-12);
/// assert_eq!(u[1..], [0.625, 0.25]);
/// assert!(space.is_feasible(&u));
/// assert_eq!(space.decode(&u).get("layers"), point.get("layers"));
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct SearchSpace {
    parameters: Vec<Parameter>,
    constraints: Vec<Constraint>,
    /// One for each parameter.
    axes: Vec<Axis>,
    /// For each parameter with a long list, the level of each of its values.
    lookups: Vec<Option<Lookup>>,
    /// For each parameter its coordinate, if it has one.
    coordinates: Vec<Option<usize>>,
    /// For each coordinate its parameter.
    searched: Vec<usize>,
    /// One for each coordinate.
    dimensions: Vec<Dimension>,
    feasible: Feasible,
    /// For coordinates whose levels have descriptors, the position of each level.
    described: Vec<(usize, Vec<Vec<f64>>)>,
    /// The only points of the space, if it is a table.
    table: Option<Arc<Table>>,
    /// The conditions under which parameters are active, if some have conditions.
    conditions: Option<Conditions>,
}

impl SearchSpace {
    /// Checks the parameters and creates a space from them, without constraints.
    ///
    /// Bounds may be equal: such a parameter has one value and is not searched.
    pub fn new(parameters: Vec<Parameter>) -> Result<Self> {
        if parameters.is_empty() {
            return Err(Error::space("the search space has no parameters", "add at least one parameter"));
        }
        let mut names = HashSet::new();
        for (i, parameter) in parameters.iter().enumerate() {
            let name = parameter.name();
            if name.trim().is_empty() {
                return Err(Error::space(format!("parameter {} has no name", i + 1), "name each parameter"));
            }
            if !names.insert(name) {
                return Err(Error::space(
                    format!("parameter `{name}` appears twice"),
                    "give each parameter its own name",
                ));
            }
        }

        let axes = parameters.iter().map(Parameter::axis).collect::<Result<Vec<_>>>()?;
        let searched: Vec<usize> = (0..axes.len()).filter(|&i| axes[i] != Axis::Single).collect();
        let dimensions = searched.iter().map(|&i| dimension(&axes[i])).collect();
        let mut coordinates = vec![None; axes.len()];
        for (dim, &i) in searched.iter().enumerate() {
            coordinates[i] = Some(dim);
        }
        let described = searched.iter().enumerate().filter_map(|(dim, &i)| match &parameters[i] {
            Parameter::Category { descriptors: Some(descriptors), .. } => Some((dim, descriptors.places())),
            _ => None,
        });
        let described = described.collect();
        let (conditions, feasible) = (Conditions::new(&parameters, &axes)?, Feasible::default());
        let lookups = parameters.iter().map(|parameter| Lookup::new(parameter.listed())).collect();
        let (constraints, table) = (Vec::new(), None);
        Ok(Self {
            parameters,
            constraints,
            axes,
            lookups,
            coordinates,
            searched,
            dimensions,
            feasible,
            described,
            table,
            conditions,
        })
    }

    /// Adds constraints: expressions over the parameters' names, all of which must hold.
    ///
    /// [`Constraint`] describes the notation.
    pub fn with_constraints<T: Into<String>>(self, constraints: impl IntoIterator<Item = T>) -> Result<Self> {
        let constrained = self.constrained(constraints)?;
        // In a table every row is checked instead.
        Ok(if constrained.table.is_some() { constrained } else { constrained.constructed_if_needed() })
    }

    /// Adds constraints like [`with_constraints`](Self::with_constraints), with points found by rejection in any case.
    fn constrained<T: Into<String>>(mut self, constraints: impl IntoIterator<Item = T>) -> Result<Self> {
        for text in constraints {
            let constraint = Constraint::parse(text.into(), &self.parameters)?;
            self.refuse_conditional_sum(&constraint)?;
            self.constraints.push(constraint);
        }
        Ok(self)
    }

    /// The parameters, in the order in which they were given.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The constraints, in the order in which they were given.
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// The number of coordinates, which is the number of parameters with more than one value.
    pub fn dim(&self) -> usize {
        self.dimensions.len()
    }

    /// What each coordinate can be.
    pub fn dimensions(&self) -> &[Dimension] {
        &self.dimensions
    }

    /// The parameter that a coordinate belongs to.
    pub fn searched(&self, dim: usize) -> &Parameter {
        &self.parameters[self.searched[dim]]
    }

    /// The unit point of a point in the user's units; its values may be in any order.
    ///
    /// Fails, naming the parameter, if a value is missing, unknown, of the wrong type, out of range or not in its list,
    /// or if it is given where the parameter's condition does not hold. A whole float is accepted as an integer, and a
    /// float that exceeds a bound by up to a billionth of the range as that bound.
    pub fn encode(&self, point: &Point) -> Result<UnitPoint> {
        let u = self.unit_of(&self.admit(point)?);
        self.refuse_unlisted(&u)?;
        Ok(u)
    }

    /// The unit point of admitted values.
    fn unit_of(&self, admitted: &[Option<Admitted>]) -> UnitPoint {
        let coordinate = |&i: &usize| match (&self.axes[i], admitted[i]) {
            (Axis::Continuous(interval), Some(Admitted::Float(x))) => interval.coordinate(x),
            (Axis::Ordered(grid) | Axis::Unordered(grid), Some(Admitted::Level(level))) => grid.coordinate(level),
            // A searched float is admitted as a float, everything else as a level: what is left is inactive.
            _ => self.coordinates[i].map_or(0.0, |dim| self.rest(dim)),
        };
        UnitPoint::clamped(self.searched.iter().map(coordinate).collect())
    }

    /// The point in the user's units for a unit point: numbers in their ranges, otherwise the value whose cell contains
    /// the coordinate. Inactive parameters are left out.
    ///
    /// # Panics
    ///
    /// If the dimension of the unit point is not that of the space.
    pub fn decode(&self, u: &UnitPoint) -> Point {
        self.expect_dim(u);
        let active = self.active_parameters(u);
        let there = (0..self.parameters.len()).filter(|i| active[*i]);
        Point::from_distinct(there.map(|i| (self.parameters[i].name().to_owned(), self.value(i, u))).collect())
    }

    /// The point in canonical form: in the space's order, with whole floats as integers where the space has integers.
    /// Fails like [`encode`](Self::encode). Unlike a round trip through the unit cube, it leaves floats unchanged.
    pub fn check(&self, point: &Point) -> Result<Point> {
        let entry = |(parameter, admitted): (&Parameter, Option<Admitted>)| match admitted? {
            Admitted::Float(x) => Some((parameter.name().to_owned(), Value::Float(x))),
            Admitted::Level(level) => Some((parameter.name().to_owned(), parameter.value_at(level))),
        };
        let admitted = self.admit(point)?;
        if self.table.is_some() {
            self.refuse_unlisted(&self.unit_of(&admitted))?;
        }
        Ok(Point::from_distinct(self.parameters.iter().zip(admitted).filter_map(entry).collect()))
    }

    /// Moves each coordinate to that of the value it decodes to. The coordinate of a float is only clamped to [0, 1],
    /// and that of an inactive parameter is set to its resting value.
    ///
    /// # Panics
    ///
    /// If the dimension of the unit point is not that of the space.
    pub fn snap(&self, u: &mut [f64]) {
        self.snap_to_values(u);
        self.lay_to_rest(u);
    }

    /// [`snap`](Self::snap) without a special case for the coordinates of inactive parameters.
    pub(crate) fn snap_to_values(&self, u: &mut [f64]) {
        self.expect_dim(u);
        for (u, &i) in u.iter_mut().zip(&self.searched) {
            *u = match self.axes[i].grid() {
                Some(grid) => grid.coordinate(grid.level(*u)),
                None => clamp_unit(*u),
            };
        }
    }

    /// A key that two unit points share exactly if they decode to the same values.
    ///
    /// # Panics
    ///
    /// If the dimension of the unit point is not that of the space.
    pub fn key(&self, u: &[f64]) -> PointKey {
        self.expect_dim(u);
        let active = self.is_conditional().then(|| self.active_parameters(u));
        let part = |(&u, &i): (&f64, &usize)| match &self.axes[i] {
            _ if active.as_ref().is_some_and(|active| !active[i]) => 0,
            Axis::Continuous(interval) => {
                let x = interval.value(u);
                // -0 and 0 are one value with two bit patterns.
                if x == 0.0 { 0 } else { x.to_bits() }
            }
            Axis::Ordered(grid) | Axis::Unordered(grid) => grid.level(u),
            Axis::Single => 0,
        };
        PointKey(u.iter().zip(&self.searched).map(part).collect())
    }

    /// The coordinate of a level; a level beyond the last one counts as the last.
    ///
    /// # Panics
    ///
    /// If the space has no such coordinate, or if the coordinate is continuous.
    pub fn coordinate(&self, dim: usize, level: u64) -> f64 {
        self.axes[self.searched[dim]].grid().expect("a continuous coordinate has no levels").coordinate(level)
    }

    /// The coordinate of the level from `first` to `last` that a uniform number from 0 to 1 stands for, if cells are
    /// not as wide as levels are likely; otherwise `None`: stretch the number to their cells.
    pub(crate) fn drawn(&self, dim: usize, u: f64, first: u64, last: u64) -> Option<f64> {
        self.axes[self.searched[dim]].grid()?.drawn(u, first, last)
    }

    /// The level whose cell holds a coordinate.
    ///
    /// # Panics
    ///
    /// If the space has no such coordinate, or if the coordinate is continuous.
    pub fn level(&self, dim: usize, u: f64) -> u64 {
        self.axes[self.searched[dim]].grid().expect("a continuous coordinate has no levels").level(u)
    }

    /// Where the cell of a level begins and ends.
    ///
    /// # Panics
    ///
    /// If the space has no such coordinate, or if the coordinate is continuous.
    pub fn cell(&self, dim: usize, level: u64) -> (f64, f64) {
        self.axes[self.searched[dim]].grid().expect("a continuous coordinate has no levels").cell(level)
    }

    /// The coordinates of categories whose levels have descriptors, with the positions of the levels.
    pub(crate) fn described(&self) -> &[(usize, Vec<Vec<f64>>)] {
        &self.described
    }

    /// How the levels of a coordinate share it; `None` if it is continuous.
    pub(crate) fn grid(&self, dim: usize) -> Option<&Grid> {
        self.axes[self.searched[dim]].grid()
    }

    /// The coordinate of a parameter, if it has one.
    pub(crate) fn dimension_of(&self, parameter: usize) -> Option<usize> {
        self.coordinates[parameter]
    }

    /// The coordinate of a value that was checked.
    pub(crate) fn coordinate_of(&self, parameter: usize, value: &Value) -> f64 {
        match (&self.axes[parameter], self.admit_value(parameter, value)) {
            (Axis::Continuous(interval), Ok(Admitted::Float(x))) => interval.coordinate(x),
            (Axis::Ordered(grid) | Axis::Unordered(grid), Ok(Admitted::Level(level))) => grid.coordinate(level),
            _ => 0.0,
        }
    }

    /// The number that a continuous coordinate decodes to.
    pub(crate) fn value_of(&self, parameter: usize, u: f64) -> f64 {
        match &self.axes[parameter] {
            Axis::Continuous(interval) => interval.value(u),
            _ => f64::NAN,
        }
    }

    /// A value of one parameter in this space's own form. Fails as [`encode`](Self::encode) does.
    pub fn check_value(&self, name: &str, value: &Value) -> Result<Value> {
        self.known(name)?;
        let of_name = self.parameters.iter().position(|parameter| parameter.name() == name);
        match of_name.map(|i| Ok((i, self.admit_value(i, value)?))).transpose()? {
            Some((i, Admitted::Level(level))) => Ok(self.parameters[i].value_at(level)),
            Some((_, Admitted::Float(x))) => Ok(Value::Float(x)),
            None => Ok(value.clone()),
        }
    }

    /// The number of different points, ignoring constraints and conditions; none if a float is searched or the number
    /// exceeds `u128`.
    pub fn n_points(&self) -> Option<u128> {
        if let Some(rows) = self.candidates() {
            return Some(rows.len() as u128);
        }
        self.dimensions.iter().try_fold(1u128, |n, dimension| n.checked_mul(dimension.levels()?.into()))
    }

    /// Whether some points within the parameters' ranges do not belong to the space, because of a constraint or because
    /// it is a table.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, SearchSpace};
    /// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
    /// assert!(!space.is_constrained() && space.with_constraints(["x < 0.5"])?.is_constrained());
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn is_constrained(&self) -> bool {
        self.table.is_some() || !self.constraints.is_empty()
    }

    /// Whether the point that a unit point decodes to satisfies all constraints and, if the space is a table, is one of
    /// its rows. A constraint that cannot be evaluated there, such as `sqrt(x) < 2` for negative x, does not hold. A
    /// constraint that is undecided because a parameter is inactive does not apply.
    ///
    /// # Panics
    ///
    /// If the dimension of the unit point is not that of the space.
    pub fn is_feasible(&self, u: &[f64]) -> bool {
        self.expect_dim(u);
        if self.table.as_ref().is_some_and(|table| !table.contains(&self.key(u))) {
            return false;
        }
        if self.conditions.is_none() {
            return self.constraints.iter().all(|constraint| constraint.holds(&|i| self.scalar(i, u)));
        }
        let active = self.active_parameters(u);
        self.constraints.iter().all(|constraint| constraint.is_kept(&|i| self.scalar(i, u), &active))
    }

    /// The first constraint that does not hold at a point in the user's units. Fails like [`encode`](Self::encode).
    ///
    /// ```
    /// use elbowroom::space::{Parameter, Point, SearchSpace};
    /// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?.with_constraints(["x < 0.5"])?;
    /// assert_eq!(space.broken_constraint(&Point::new().with("x", 0.75))?.unwrap().text(), "x < 0.5");
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn broken_constraint(&self, point: &Point) -> Result<Option<&Constraint>> {
        let point = self.check(point)?;
        let values: Vec<Option<&Value>> = self.parameters.iter().map(|p| point.get(p.name())).collect();
        let active: Vec<bool> = values.iter().map(Option::is_some).collect();
        let read = |i: usize| values[i].map_or(Scalar::Undefined, Scalar::from);
        Ok(self.constraints.iter().find(|constraint| !constraint.is_kept(&read, &active)))
    }

    /// Draws a unit point at random: each coordinate uniformly, then snapped; the values of a ladder are equally
    /// likely.
    pub fn sample(&self, stream: &mut Stream) -> UnitPoint {
        if let Some(rows) = self.candidates() {
            return rows[stream.below(rows.len())].clone();
        }
        let mut u: Vec<f64> = (0..self.dim()).map(|_| stream.uniform()).collect();
        for (dim, u) in u.iter_mut().enumerate() {
            let last = self.dimensions[dim].levels().map_or(0, |n| n - 1);
            *u = self.drawn(dim, *u, 0, last).unwrap_or(*u);
        }
        self.snap(&mut u);
        UnitPoint::clamped(u)
    }

    /// Draws a feasible unit point at random, by rejection; none if `tries` draws were all infeasible.
    pub fn sample_feasible(&self, stream: &mut Stream, tries: usize) -> Option<UnitPoint> {
        (0..tries).map(|_| self.sample(stream)).find(|u| self.is_feasible(u))
    }

    /// A user's value of one parameter.
    fn admit_value(&self, i: usize, value: &Value) -> Result<Admitted> {
        match self.lookups[i].as_ref().and_then(|lookup| lookup.level(value)) {
            Some(level) => Ok(Admitted::Level(level)),
            None => self.parameters[i].admit(&self.axes[i], value),
        }
    }

    /// Refuses a name that no parameter has.
    fn known(&self, name: &str) -> Result<()> {
        if self.parameters.iter().any(|known| known.name() == name) {
            return Ok(());
        }
        let hint = match nearest(name, self.parameters.iter().map(Parameter::name)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                const SHOWN: usize = 20;
                let names: Vec<&str> = self.parameters.iter().take(SHOWN).map(Parameter::name).collect();
                let more = if self.parameters.len() > SHOWN { ", …" } else { "" };
                format!("use one of {}{more}, or leave it out", names.join(", "))
            }
        };
        Err(Error::space(format!("parameter `{name}` is not in the search space"), hint))
    }

    /// The value of a parameter at a unit point.
    fn value(&self, i: usize, u: &[f64]) -> Value {
        match (&self.axes[i], self.coordinates[i]) {
            (Axis::Continuous(interval), Some(dim)) => Value::Float(interval.value(u[dim])),
            (Axis::Ordered(grid) | Axis::Unordered(grid), Some(dim)) => self.parameters[i].value_at(grid.level(u[dim])),
            _ => self.parameters[i].value_at(0),
        }
    }

    /// Like [`value`](Self::value), for constraints: without a copy of texts.
    fn scalar<'a>(&'a self, i: usize, u: &[f64]) -> Scalar<'a> {
        let level = || match (self.axes[i].grid(), self.coordinates[i]) {
            (Some(grid), Some(dim)) => grid.level(u[dim]),
            _ => 0,
        };
        match (&self.axes[i], self.coordinates[i]) {
            (Axis::Continuous(interval), Some(dim)) => Scalar::Number(interval.value(u[dim])),
            _ => self.parameters[i].scalar_at(level()),
        }
    }

    fn expect_dim(&self, u: &[f64]) {
        assert_eq!(u.len(), self.dim(), "a unit point of this space has {} coordinates", self.dim());
    }
}

/// The levels of a long list by their values, for spaces in which thousands of points are looked up.
#[derive(Debug, Clone, PartialEq)]
struct Lookup {
    texts: HashMap<String, u64>,
    wholes: HashMap<i64, u64>,
    /// Levels of floats, by the bits of these.
    floats: HashMap<u64, u64>,
}

impl Lookup {
    /// The lookup of a list that is too long to be searched for each point.
    fn new(list: &[Value]) -> Option<Self> {
        let mut lookup = Self { texts: HashMap::new(), wholes: HashMap::new(), floats: HashMap::new() };
        for (value, level) in list.iter().zip(0..) {
            match value.identity() {
                Identity::Whole(k) => lookup.wholes.insert(k, level),
                Identity::Bits(bits) => lookup.floats.insert(bits, level),
                Identity::Text(text) => lookup.texts.insert(text.to_owned(), level),
                Identity::Bool(_) => None,
            };
        }
        (list.len() > 32).then_some(lookup)
    }

    fn level(&self, value: &Value) -> Option<u64> {
        match value.identity() {
            Identity::Whole(k) => self.wholes.get(&k).copied(),
            Identity::Bits(bits) => self.floats.get(&bits).copied(),
            Identity::Text(text) => self.texts.get(text).copied(),
            Identity::Bool(_) => None,
        }
    }
}

fn dimension(axis: &Axis) -> Dimension {
    match axis {
        Axis::Ordered(grid) => Dimension::Grid { levels: grid.n_levels() },
        Axis::Unordered(grid) => Dimension::Category { levels: grid.n_levels() as usize },
        Axis::Continuous(_) | Axis::Single => Dimension::Continuous,
    }
}

/// A space as it is written, not yet checked.
#[derive(Serialize, Deserialize)]
#[serde(rename = "SearchSpace", deny_unknown_fields)]
struct Written {
    parameters: Vec<Parameter>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    constraints: Vec<String>,
    /// The only points of the space: for each, the values in the order of the parameters; null where it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    candidates: Option<Vec<Vec<Option<Value>>>>,
    /// How points that keep the constraints are found; by rejection if it is missing.
    #[serde(default, skip_serializing_if = "construction::is_rejection")]
    feasible: construction::Written,
}

impl TryFrom<Written> for SearchSpace {
    type Error = Error;

    fn try_from(written: Written) -> Result<Self> {
        let space = Self::new(written.parameters)?.with_written_candidates(written.candidates)?;
        Ok(space.constrained(written.constraints)?.constructed_as(written.feasible))
    }
}

impl From<SearchSpace> for Written {
    fn from(space: SearchSpace) -> Self {
        let constraints = space.constraints.iter().map(|constraint| constraint.text().to_owned()).collect();
        let candidates = space.written_candidates();
        Self { feasible: space.feasible.written(), parameters: space.parameters, constraints, candidates }
    }
}
