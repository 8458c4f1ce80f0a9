//! Conditions: which parameters a point has.
//!
//! A parameter without a condition is always present, or *active*. A parameter with a condition is active where the
//! condition is true, judged by the active parameters alone: an inactive parameter has no value, so a condition on it
//! is neither true nor false, and its own children are inactive too. Nested conditions need not repeat those above
//! them.
//!
//! In the unit cube an inactive coordinate rests at one value: a number at ½, the middle of its range, and a category
//! at 0, which is not the coordinate of any level. Two points that have the same parameters then differ only in these,
//! and k(x, x') = κ(|Φ(x) − Φ(x')|²) stays a kernel, because Φ still maps to a Euclidean space.

use super::axis::Axis;
use super::constraint::{Constraint, Scalar};
use super::construction::range;
use super::parameter::{Admitted, Parameter};
use super::{Dimension, Point, SearchSpace};
use crate::error::{Error, Result};

/// The most settings of the parameters above a condition to try, to see whether it is ever true.
const MOST_TRIED: u64 = 4096;

/// Where the coordinate of a number rests.
const MIDDLE: f64 = 0.5;

/// Where the coordinate of a category rests: no level is there, since levels have the middles of their cells.
const NO_LEVEL: f64 = 0.0;

/// The conditions of a space that has any.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Conditions {
    /// For each parameter its condition, if it has one.
    of: Vec<Option<Constraint>>,
    /// The parameters with conditions, each after all those that its condition refers to.
    order: Vec<usize>,
    /// The most coordinates that one point has.
    largest: usize,
}

impl Conditions {
    /// Reads the conditions of parameters; `None` if no parameter has one.
    pub fn new(parameters: &[Parameter], axes: &[Axis]) -> Result<Option<Self>> {
        if parameters.iter().all(|parameter| parameter.condition().is_none()) {
            return Ok(None);
        }
        let read = |parameter: &Parameter| match parameter.condition() {
            Some(text) => Constraint::parse_condition(text, parameter.name(), parameters).map(Some),
            None => Ok(None),
        };
        let of = parameters.iter().map(read).collect::<Result<Vec<_>>>()?;
        let mut conditions = Self { order: order(parameters, &of)?, of, largest: 0 };
        conditions.refuse_floats(parameters, axes)?;
        conditions.refuse_never_true(parameters, axes)?;
        conditions.largest = conditions.count_largest(parameters, axes);
        Ok(Some(conditions))
    }

    /// The parameters that conditions refer to, each once, in their order.
    fn deciding(&self) -> Vec<usize> {
        let mut all: Vec<usize> = self.of.iter().flatten().flat_map(Constraint::names).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Whether a parameter is active, where `read` gives the values of the active ones.
    fn holds<'a>(&'a self, i: usize, read: &dyn Fn(usize) -> Scalar<'a>) -> bool {
        self.of[i].as_ref().is_none_or(|condition| condition.holds(read))
    }

    /// Whether the condition of a parameter is false, whatever the unknown values are.
    pub(super) fn is_broken<'a>(&'a self, i: usize, read: &dyn Fn(usize) -> Scalar<'a>) -> bool {
        self.of[i].as_ref().is_some_and(|condition| condition.is_broken(read))
    }

    /// The numbers and texts that conditions name.
    pub(super) fn literals(&self) -> Vec<Scalar<'_>> {
        self.of.iter().flatten().flat_map(Constraint::literals).collect()
    }

    /// For each parameter whether it is active, where `read` gives the value that it has or would have.
    pub(super) fn active<'a>(&'a self, read: &dyn Fn(usize) -> Scalar<'a>) -> Vec<bool> {
        let mut active = vec![true; self.of.len()];
        for &i in &self.order {
            active[i] = self.holds(i, &|j| if active[j] { read(j) } else { Scalar::Undefined });
        }
        active
    }

    /// Refuses conditions on continuous floats: these would not divide the space into branches.
    fn refuse_floats(&self, parameters: &[Parameter], axes: &[Axis]) -> Result<()> {
        for &i in &self.order {
            let float = self.names(i).into_iter().find(|j| matches!(axes[*j], Axis::Continuous(_)));
            if let Some(j) = float {
                let what = format!("its condition depends on `{}`, which can be any number", parameters[j].name());
                let hint = "let it depend on a category, a list, a whole number or a fixed value";
                return Err(parameters[i].refusal(what, hint));
            }
        }
        Ok(())
    }

    fn refuse_never_true(&self, parameters: &[Parameter], axes: &[Axis]) -> Result<()> {
        for &i in &self.order {
            if !self.may_be_true(i, parameters, axes) {
                let what = format!("its condition `{}` is never true", parameters[i].condition().unwrap_or_default());
                return Err(parameters[i].refusal(what, "loosen the condition, or leave the parameter out"));
            }
        }
        Ok(())
    }

    /// Whether a parameter is active at some point: by trying all settings of those above it or, if there are too many,
    /// by interval arithmetic.
    fn may_be_true(&self, i: usize, parameters: &[Parameter], axes: &[Axis]) -> bool {
        match self.settings(&self.above(i), parameters, axes) {
            Some(mut settings) => settings.any(|active| active[i]),
            None => self.of[i].as_ref().is_none_or(|condition| condition.may_hold(&|j| range(&parameters[j]))),
        }
    }

    /// The most coordinates that one point has; if there are too many settings to try, the number of all coordinates.
    fn count_largest(&self, parameters: &[Parameter], axes: &[Axis]) -> usize {
        let has_coordinate = |(i, axis): &(usize, &Axis), active: &[bool]| active[*i] && **axis != Axis::Single;
        let count = |active: Vec<bool>| axes.iter().enumerate().filter(|one| has_coordinate(one, &active)).count();
        match self.settings(&self.deciding(), parameters, axes) {
            Some(settings) => settings.map(count).max().unwrap_or(0),
            None => count(vec![true; parameters.len()]),
        }
    }

    /// Which parameters are active, for every setting of some of them; `None` if there are too many settings.
    fn settings<'a>(
        &'a self,
        of: &[usize],
        parameters: &'a [Parameter],
        axes: &[Axis],
    ) -> Option<impl Iterator<Item = Vec<bool>> + use<'a>> {
        let n_levels = |i: &usize| (*i, axes[*i].grid().map_or(1, |grid| grid.n_levels()));
        let sizes: Vec<(usize, u64)> = of.iter().map(n_levels).collect();
        let n = sizes.iter().try_fold(1u64, |n, (_, size)| n.checked_mul(*size)).filter(|n| *n <= MOST_TRIED)?;
        Some((0..n).map(move |setting| {
            let mut levels = vec![0; parameters.len()];
            let mut left = setting;
            for (i, size) in &sizes {
                (levels[*i], left) = (left % size, left / size);
            }
            self.active(&|i| parameters[i].scalar_at(levels[i]))
        }))
    }

    /// All parameters that decide whether one is active: those that its condition refers to, those that their
    /// conditions refer to, and so on.
    pub(super) fn above(&self, i: usize) -> Vec<usize> {
        let mut above = self.names(i);
        let mut next = 0;
        while let Some(&j) = above.get(next) {
            let more: Vec<usize> = self.names(j).into_iter().filter(|k| !above.contains(k)).collect();
            above.extend(more);
            next += 1;
        }
        above
    }

    fn names(&self, i: usize) -> Vec<usize> {
        names(&self.of[i])
    }
}

/// The parameters with conditions, each after all those that its condition refers to. Fails, naming them, if conditions
/// form a circle.
fn order(parameters: &[Parameter], of: &[Option<Constraint>]) -> Result<Vec<usize>> {
    let mut order: Vec<usize> = Vec::new();
    let mut left: Vec<usize> = (0..of.len()).filter(|i| of[*i].is_some()).collect();
    while !left.is_empty() {
        let waits = |i: &usize| names(&of[*i]).iter().any(|j| left.contains(j));
        let (still, ready): (Vec<usize>, Vec<usize>) = left.iter().partition(|i| waits(i));
        if ready.is_empty() {
            return Err(circle(parameters, of, &still));
        }
        order.extend(ready);
        left = still;
    }
    Ok(order)
}

/// Each of `left` waits for another of them, so following one leads into a circle.
fn circle(parameters: &[Parameter], of: &[Option<Constraint>], left: &[usize]) -> Error {
    let mut path = vec![left[0]];
    loop {
        let next = names(&of[path[path.len() - 1]]).into_iter().find(|j| left.contains(j)).unwrap_or(left[0]);
        if let Some(start) = path.iter().position(|i| *i == next) {
            let names: Vec<String> =
                path[start..].iter().chain([&next]).map(|i| format!("`{}`", parameters[*i].name())).collect();
            let what = match names.len() {
                2 => "its condition depends on the parameter itself".to_owned(),
                _ => format!("conditions are circular: {}", names.join(" depends on ")),
            };
            return parameters[next].refusal(what, "let each condition refer to parameters that do not depend on it");
        }
        path.push(next);
    }
}

fn names(condition: &Option<Constraint>) -> Vec<usize> {
    condition.as_ref().map_or_else(Vec::new, Constraint::names)
}

impl SearchSpace {
    /// Whether any parameter has a condition, so that not every point has every parameter.
    pub fn is_conditional(&self) -> bool {
        self.conditions.is_some()
    }

    /// For each coordinate, whether its parameter is active at a unit point.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, SearchSpace};
    /// let space = SearchSpace::new(vec![
    ///     Parameter::category("kind", ["adam", "sgd"]),
    ///     Parameter::float("momentum", 0.0, 1.0).when("kind == 'sgd'"),
    /// ])?;
    /// assert_eq!(space.active(&[0.25, 0.9]), [true, false]);
    /// assert_eq!(space.active(&[0.75, 0.9]), [true, true]);
    /// let mut u = [0.25, 0.9];
    /// space.snap(&mut u);
    /// assert_eq!(u, [0.25, 0.5], "an inactive number rests in the middle of its range");
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the dimension of the unit point is not that of the space.
    pub fn active(&self, u: &[f64]) -> Vec<bool> {
        self.expect_dim(u);
        match &self.conditions {
            None => vec![true; u.len()],
            Some(_) => {
                let active = self.active_parameters(u);
                self.searched.iter().map(|i| active[*i]).collect()
            }
        }
    }

    /// The largest number of coordinates that a point has: all of them unless parameters have conditions.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, SearchSpace};
    /// let below = |name: &str, kind: &str| Parameter::float(name, 0.0, 1.0).when(format!("kind == '{kind}'"));
    /// let kind = Parameter::category("kind", ["a", "b"]);
    /// let space = SearchSpace::new(vec![kind, below("x", "a"), below("y", "a"), below("z", "b")])?;
    /// assert_eq!((space.dim(), space.largest_dim()), (4, 3));
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn largest_dim(&self) -> usize {
        self.conditions.as_ref().map_or(self.dim(), |conditions| conditions.largest)
    }

    /// The coordinates of parameters that conditions refer to.
    pub(crate) fn deciding(&self) -> Vec<usize> {
        let deciding = self.conditions.as_ref().map_or_else(Vec::new, Conditions::deciding);
        deciding.into_iter().filter_map(|i| self.coordinates[i]).collect()
    }

    /// Where a coordinate rests while its parameter is inactive.
    pub(crate) fn rest(&self, dim: usize) -> f64 {
        match self.dimensions[dim] {
            Dimension::Category { .. } => NO_LEVEL,
            _ => MIDDLE,
        }
    }

    /// Whether a parameter has a condition.
    pub(super) fn has_condition(&self, i: usize) -> bool {
        self.parameters[i].condition().is_some()
    }

    /// For each parameter, whether it is active at a unit point.
    pub(crate) fn active_parameters(&self, u: &[f64]) -> Vec<bool> {
        match &self.conditions {
            None => vec![true; self.parameters.len()],
            Some(conditions) => conditions.active(&|i| self.scalar(i, u)),
        }
    }

    /// Puts the coordinates of inactive parameters to rest.
    pub(crate) fn lay_to_rest(&self, u: &mut [f64]) {
        if self.conditions.is_some() {
            for (dim, is_active) in self.active(u).into_iter().enumerate() {
                if !is_active {
                    u[dim] = self.rest(dim);
                }
            }
        }
    }

    /// Whether some constraint is broken at a unit point, whatever the unknown parameters are.
    pub(crate) fn is_ruled_out(&self, u: &[f64], is_known: &dyn Fn(usize) -> bool) -> bool {
        let active = self.active_parameters(u);
        let read = |i: usize| match self.coordinates[i] {
            Some(_) if !is_known(i) || !active[i] => Scalar::Undefined,
            _ => self.scalar(i, u),
        };
        self.constraints.iter().any(|constraint| constraint.is_broken(&read))
    }

    /// The point, completed with the values of active fixed parameters that it does not name: users need not repeat them.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, Point, SearchSpace};
    /// let space = SearchSpace::new(vec![
    ///     Parameter::int("n", 1, 2),
    ///     Parameter::fixed("epochs", 20),
    ///     Parameter::fixed("warmup", 5).when("n == 2"),
    /// ])?;
    /// assert_eq!(space.with_fixed(Point::new().with("n", 1)).to_string(), "n=1 epochs=20");
    /// assert_eq!(space.with_fixed(Point::new().with("n", 2)).to_string(), "n=2 epochs=20 warmup=5");
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn with_fixed(&self, mut point: Point) -> Point {
        for i in self.in_order() {
            let Parameter::Fixed { name, value, .. } = &self.parameters[i] else { continue };
            let read = |j: usize| point.get(self.parameters[j].name()).map_or(Scalar::Undefined, Scalar::from);
            let is_active = self.conditions.as_ref().is_none_or(|conditions| conditions.holds(i, &read));
            if is_active && point.get(name).is_none() {
                point = point.with(name, value.clone());
            }
        }
        point
    }

    /// The parameters, each after all those that its condition refers to.
    fn in_order(&self) -> impl Iterator<Item = usize> {
        let always = (0..self.parameters.len()).filter(|i| !self.has_condition(*i));
        always.chain(self.conditions.iter().flat_map(|conditions| conditions.order.iter().copied()))
    }

    /// A user's point, value by value in the order of the parameters; `None` where a parameter is inactive.
    pub(super) fn admit(&self, point: &Point) -> Result<Vec<Option<Admitted>>> {
        point.iter().try_for_each(|(name, _)| self.known(name))?;
        let mut admitted = vec![None; self.parameters.len()];
        for i in self.in_order() {
            let read = |j: usize| match admitted[j] {
                Some(Admitted::Float(x)) => Scalar::Number(x),
                Some(Admitted::Level(level)) => self.parameters[j].scalar_at(level),
                None => Scalar::Undefined,
            };
            let is_active = self.conditions.as_ref().is_none_or(|conditions| conditions.holds(i, &read));
            let parameter = &self.parameters[i];
            admitted[i] = match point.get(parameter.name()) {
                Some(value) if is_active => Some(self.admit_value(i, value)?),
                Some(_) => return Err(given_in_vain(parameter)),
                None if is_active => return Err(missing(parameter)),
                None => None,
            };
        }
        Ok(admitted)
    }
}

fn missing(parameter: &Parameter) -> Error {
    let what = format!("parameter `{}` has no value at this point", parameter.name());
    match parameter.condition() {
        None => Error::space(what, "give each parameter a value, including fixed ones"),
        Some(condition) => Error::space(format!("{what}, where `{condition}` holds"), "give it a value"),
    }
}

fn given_in_vain(parameter: &Parameter) -> Error {
    let condition = parameter.condition().unwrap_or_default();
    let what = format!("parameter `{}` has a value at this point, where `{condition}` does not hold", parameter.name());
    Error::space(what, "leave it out: it exists only where its condition holds")
}
