//! Whether points that keep the constraints are found by rejection or by construction.
//!
//! Rejection draws from the whole cube until a point is feasible, and is used wherever it works well. Where a sum of
//! floats must be equal to something, where a mixture has a limited number of parts, or where linear bounds leave less
//! than a hundredth of the cube, points are constructed instead: `domain` draws them from the polytope, moves to the
//! nearest of its points, and climbs along it. Sums that contain integers, steps or ladders are included where
//! rejection would fail because of them: points of the polytope are then moved onto the grid. Which of the three ways a
//! space uses is decided when constraints are added, and is written with the space, so that a study continues as it
//! began.

use serde::{Deserialize, Serialize};

use super::constraint::{Constraint, Interval, IsTerm, Linear, Relation, is_linear, is_linear_or_on_grid};
use super::{Parameter, SearchSpace, Value};
use crate::error::{Error, Result};
use crate::rng::Stream;

/// The number of draws from the cube that test whether rejection works well.
const PROBES: usize = 2000;

/// How many of these must keep the linear constraints.
const ENOUGH: usize = PROBES / 100;

/// How far from equal two sides may be on a grid, relative to the largest term.
const NEARLY: f64 = 1e-9;

/// Spaces of up to this many points are enumerated where draws find nothing.
const FEW: u64 = 100_000;

/// How points are found, in written form.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Written {
    #[default]
    ByRejection,
    ByConstruction,
    /// From sums with numbers on grids, too. Older logs with such sums name another way: these points were rejected
    /// then.
    #[serde(rename = "by_construction_on_grids")]
    OnGrids,
}

pub(super) fn is_rejection(written: &Written) -> bool {
    *written == Written::ByRejection
}

/// How points are found.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) enum Feasible {
    #[default]
    ByRejection,
    ByConstruction(Linear),
    OnGrids(Linear),
}

impl Feasible {
    pub fn written(&self) -> Written {
        match self {
            Feasible::ByRejection => Written::ByRejection,
            Feasible::ByConstruction(_) => Written::ByConstruction,
            Feasible::OnGrids(_) => Written::OnGrids,
        }
    }
}

impl SearchSpace {
    /// The linear relations from which points are constructed; `None` if points are found by rejection.
    pub(crate) fn constructed_from(&self) -> Option<&Linear> {
        match &self.feasible {
            Feasible::ByConstruction(linear) | Feasible::OnGrids(linear) => Some(linear),
            Feasible::ByRejection => None,
        }
    }

    /// The constraints with a linear relation of floats, or of the numbers that points are constructed from.
    pub(crate) fn linear_constraints(&self) -> impl Iterator<Item = &Constraint> {
        let is_term: IsTerm = match self.feasible {
            Feasible::OnGrids(_) => is_linear_or_on_grid,
            _ => is_linear,
        };
        self.unconditional().filter(move |constraint| {
            let mut linear = Linear::default();
            constraint.read_linear(&self.parameters, is_term, &mut linear);
            linear != Linear::default()
        })
    }

    /// The first constraint that no point within the parameters' ranges can keep, by interval arithmetic.
    pub(crate) fn never_kept(&self) -> Option<&Constraint> {
        let range = |i: usize| range(&self.parameters[i]);
        self.unconditional().find(|constraint| !constraint.may_hold(&range))
    }

    /// The linear relations of floats that the constraints contain.
    pub(crate) fn linear(&self) -> Linear {
        self.linear_of(is_linear)
    }

    fn linear_of(&self, is_term: IsTerm) -> Linear {
        let mut linear = Linear::default();
        self.unconditional().for_each(|constraint| constraint.read_linear(&self.parameters, is_term, &mut linear));
        linear
    }

    /// The constraints that apply to every point: those that do not refer to a parameter with a condition.
    fn unconditional(&self) -> impl Iterator<Item = &Constraint> {
        self.constraints
            .iter()
            .filter(|constraint| !self.is_conditional() || self.first_conditional(constraint).is_none())
    }

    /// The first parameter with a condition that a constraint refers to.
    fn first_conditional(&self, constraint: &Constraint) -> Option<&Parameter> {
        constraint.names().into_iter().map(|i| &self.parameters[i]).find(|parameter| parameter.condition().is_some())
    }

    /// Refuses an equation of floats, or a limited number of parts, where one of them may be inactive: random draws
    /// would not find its points, and they cannot be constructed.
    pub(super) fn refuse_conditional_sum(&self, constraint: &Constraint) -> Result<()> {
        let Some(parameter) = self.first_conditional(constraint) else { return Ok(()) };
        let mut linear = Linear::default();
        constraint.read_linear(&self.parameters, is_linear, &mut linear);
        if linear.sparse.is_empty() && linear.relations.iter().all(|relation| !relation.is_equal) {
            return Ok(());
        }
        let what = format!("constraint `{}`: its part `{}` has a condition", constraint.text(), parameter.name());
        Err(Error::space(what, "remove the conditions of its parts, or create a study for each branch"))
    }

    /// The space as a new study uses it: points are constructed where rejection would find few or none.
    pub(crate) fn constructed_if_needed(self) -> Self {
        let linear = self.linear();
        let is_needed = linear.relations.iter().any(|relation| relation.is_equal)
            || !linear.sparse.is_empty()
            || (!linear.relations.is_empty() && is_mostly_refused(&linear, &self.parameters));
        let written = match is_needed {
            _ if self.is_needed_on_grids(is_needed) => Written::OnGrids,
            true => Written::ByConstruction,
            false => Written::ByRejection,
        };
        self.constructed_as(written)
    }

    /// Whether rejection would fail because of sums that contain numbers on grids.
    fn is_needed_on_grids(&self, floats_are_constructed: bool) -> bool {
        let mut linear = self.linear_of(is_linear_or_on_grid);
        let is_float = |i: usize| is_linear(&self.parameters[i]);
        let has_grid = |relation: &Relation| relation.terms.iter().any(|(i, _)| !is_float(*i));
        if !linear.relations.iter().any(has_grid)
            && linear.sparse.iter().all(|group| group.parts.iter().all(|i| is_float(*i)))
        {
            return false;
        }
        if floats_are_constructed {
            linear.relations.retain(has_grid);
            linear.sparse.retain(|group| group.parts.iter().any(|i| !is_float(*i)));
        }
        // Random draws never satisfy an equation of floats, and never give a float that is 0.
        let has_float = |relation: &Relation| relation.terms.iter().any(|(i, _)| is_float(*i));
        if linear.relations.iter().any(|relation| relation.is_equal && has_float(relation))
            || linear.sparse.iter().any(|group| group.parts.iter().filter(|i| is_float(**i)).count() > group.most)
        {
            return true;
        }
        let mut levels = self.dimensions.iter().map(|dimension| dimension.levels());
        let n_points = levels.try_fold(1u64, |n, levels| n.checked_mul(levels?));
        n_points.is_none_or(|n| n > FEW) && self.is_mostly_refused_on_grids(&linear)
    }

    /// Whether fewer than one in a hundred points keep the relations and the counts of parts.
    fn is_mostly_refused_on_grids(&self, linear: &Linear) -> bool {
        let mut stream = Stream::new(0).child("probe", 1);
        let mut values = vec![0.0; self.parameters.len()];
        let mut accepted = 0;
        for _ in 0..PROBES {
            for (i, parameter) in self.parameters.iter().enumerate().filter(|(_, p)| is_linear_or_on_grid(p)) {
                let u = stream.uniform();
                values[i] = match self.axes[i].grid() {
                    Some(grid) => parameter.value_at((u * grid.n_levels() as f64) as u64).as_f64().unwrap_or(f64::NAN),
                    None => range(parameter).map_or(f64::NAN, |range| range.low * (1.0 - u) + range.high * u),
                };
            }
            let keeps = |relation: &Relation| {
                let terms = || relation.terms.iter().map(|(i, a)| a * values[*i]);
                let most = NEARLY * terms().fold(relation.bound.abs(), |most, term| most.max(term.abs()));
                let excess = terms().sum::<f64>() - relation.bound;
                excess <= most && (!relation.is_equal || excess >= -most)
            };
            let is_kept = linear.relations.iter().all(keeps)
                && linear.sparse.iter().all(|g| g.parts.iter().filter(|i| values[**i] != 0.0).count() <= g.most);
            accepted += usize::from(is_kept);
            if accepted >= ENOUGH {
                return false;
            }
        }
        true
    }

    /// This space with points found as in another, if that is the only difference between the two.
    pub(crate) fn constructed_like(self, other: &Self) -> Self {
        let is_same = self.parameters == other.parameters
            && self.table == other.table
            && self.constraints.len() == other.constraints.len()
            && self.constraints.iter().zip(&other.constraints).all(|(a, b)| a.text() == b.text());
        if is_same { other.clone() } else { self }
    }

    pub(super) fn constructed_as(mut self, written: Written) -> Self {
        let is_term: IsTerm = match written {
            Written::ByRejection => return self,
            Written::ByConstruction => is_linear,
            Written::OnGrids => is_linear_or_on_grid,
        };
        let linear = self.linear_of(is_term);
        self.feasible = match written {
            Written::OnGrids => Feasible::OnGrids(linear),
            _ => Feasible::ByConstruction(linear),
        };
        let loosened = self.constraints.into_iter().map(|constraint| constraint.loosened(&self.parameters, is_term));
        self.constraints = loosened.collect();
        self
    }
}

/// Whether fewer than one in a hundred points of the box keep the relations of floats.
fn is_mostly_refused(linear: &Linear, parameters: &[Parameter]) -> bool {
    let mut stream = Stream::new(0).child("probe", 0);
    let mut values = vec![0.0; parameters.len()];
    let mut accepted = 0;
    for _ in 0..PROBES {
        for (value, parameter) in values.iter_mut().zip(parameters) {
            if let Parameter::Float { low, high, .. } = parameter {
                // As `low + u (high − low)`, for ranges that overflow too.
                let u = stream.uniform();
                *value = low * (1.0 - u) + high * u;
            }
        }
        let sum = |terms: &[(usize, f64)]| terms.iter().map(|(i, a)| a * values[*i]).sum::<f64>();
        accepted += usize::from(linear.relations.iter().all(|relation| sum(&relation.terms) <= relation.bound));
        if accepted >= ENOUGH {
            return false;
        }
    }
    true
}

/// The range of a parameter, if it is a number.
pub(super) fn range(parameter: &Parameter) -> Option<Interval> {
    match parameter {
        Parameter::Float { low, high, .. } => Some(Interval { low: *low, high: *high }),
        Parameter::Int { low, high, .. } => Some(Interval { low: *low as f64, high: *high as f64 }),
        Parameter::Ordered { .. } | Parameter::Ladder { .. } | Parameter::Category { .. } => {
            let numbers = parameter.listed().iter().map(|value| match value {
                Value::Float(_) | Value::Int(_) => value.as_f64(),
                Value::Text(_) | Value::Bool(_) => None,
            });
            let hull = |a: Interval, b: Interval| Interval { low: a.low.min(b.low), high: a.high.max(b.high) };
            numbers.map(|x| x.map(|x| Interval { low: x, high: x })).reduce(|a, b| Some(hull(a?, b?)))?
        }
        Parameter::Fixed { value, .. } => value.as_f64().map(|x| Interval { low: x, high: x }),
    }
}
