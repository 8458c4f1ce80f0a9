//! Settings at which parameters with conditions are active, found where random draws would not find them: one level of ten
//! thousand, or one whole number of 2⁵⁰.
//!
//! A condition changes from false to true at values that it names, or next to them. For each parameter that conditions
//! refer to, only these values and the ends of its range are tried, one parameter after another; a path ends when a
//! condition is false whatever the remaining parameters are.

use super::conditions::Conditions;
use super::constraint::Scalar;
use super::{Parameter, SearchSpace};

/// Ranges of up to this many levels are tried completely.
const FEW: u64 = 64;

/// The most steps of one search.
const MOST_STEPS: usize = 4096;

impl SearchSpace {
    /// Levels of the deciding coordinates, within their ranges, at which some parameters are active and others are not;
    /// `None` if none were found.
    pub(crate) fn setting_where(&self, wanted: &[(usize, bool)], ranges: &[(u64, u64)]) -> Option<Vec<u64>> {
        let conditions = self.conditions.as_ref()?;
        let tried = self.deciding().into_iter().zip(ranges).map(|(dim, range)| self.turns(conditions, dim, *range));
        let tried: Vec<Vec<u64>> = tried.collect();
        let find = |wanted: Vec<(usize, bool)>| {
            let deciding = self.deciding();
            let mut search = Search { space: self, conditions, deciding, tried: &tried, wanted, steps: 0 };
            let mut levels = Vec::new();
            search.extend(&mut levels).then_some(levels)
        };
        // First try with all parameters that their conditions refer to active as well, as in nested conditions.
        let mut with_above = wanted.to_vec();
        for &(i, _) in wanted.iter().filter(|(_, is_there)| *is_there) {
            let above = conditions.above(i).into_iter().filter(|j| self.has_condition(*j));
            with_above.extend(above.map(|j| (j, true)).filter(|one| !wanted.contains(&(one.0, false))));
        }
        find(with_above).or_else(|| find(wanted.to_vec()))
    }

    /// The levels of a coordinate that are tried: first those that conditions name, then their neighbours and the ends.
    fn turns(&self, conditions: &Conditions, dim: usize, (first, last): (u64, u64)) -> Vec<u64> {
        if last - first < FEW {
            return (first..=last).collect();
        }
        let parameter = self.searched(dim);
        let named = conditions.literals();
        let mut levels: Vec<u64> = Vec::new();
        let mut neighbours = vec![first, last];
        match parameter {
            Parameter::Int { .. } | Parameter::Float { .. } => {
                let numbers = named.iter().filter_map(|one| match one {
                    Scalar::Number(x) => Some(*x),
                    _ => None,
                });
                for x in numbers {
                    let at = first_not_below(parameter, x, first, last);
                    levels.push(at);
                    neighbours.extend([at.saturating_sub(1).max(first), at.saturating_add(1).min(last)]);
                }
            }
            _ => {
                for level in (first..=last).filter(|level| named.contains(&parameter.scalar_at(*level))) {
                    levels.push(level);
                    neighbours.extend([level.saturating_sub(1).max(first), (level + 1).min(last)]);
                }
            }
        }
        levels.extend(neighbours);
        let mut seen = std::collections::HashSet::new();
        levels.retain(|level| seen.insert(*level));
        levels
    }
}

/// The first level of a range whose number is not below x, or the last level.
fn first_not_below(parameter: &Parameter, x: f64, mut first: u64, mut last: u64) -> u64 {
    while first < last {
        let middle = first + (last - first) / 2;
        match parameter.scalar_at(middle) {
            Scalar::Number(value) if value < x => first = middle + 1,
            _ => last = middle,
        }
    }
    first
}

/// A search through the levels that are tried.
struct Search<'a> {
    space: &'a SearchSpace,
    conditions: &'a Conditions,
    deciding: Vec<usize>,
    tried: &'a [Vec<u64>],
    wanted: Vec<(usize, bool)>,
    steps: usize,
}

impl Search<'_> {
    /// Continues from the levels of the first few coordinates; returns whether it found a setting.
    fn extend(&mut self, levels: &mut Vec<u64>) -> bool {
        self.steps += 1;
        if self.steps > MOST_STEPS || !self.may_be(levels) {
            return false;
        }
        let Some(tried) = self.tried.get(levels.len()) else {
            let active = self.conditions.active(&|i| self.read(i, levels));
            return self.wanted.iter().all(|(i, is_there)| active[*i] == *is_there);
        };
        for &level in tried {
            levels.push(level);
            if self.extend(levels) {
                return true;
            }
            levels.pop();
        }
        false
    }

    /// Whether every condition that should hold may still become true.
    fn may_be(&self, levels: &[u64]) -> bool {
        let should_hold = self.wanted.iter().filter(|(_, is_there)| *is_there);
        should_hold.into_iter().all(|(i, _)| !self.conditions.is_broken(*i, &|j| self.read(j, levels)))
    }

    fn read(&self, i: usize, levels: &[u64]) -> Scalar<'_> {
        let parameter = &self.space.parameters[i];
        let Some(dim) = self.space.coordinates[i] else { return parameter.scalar_at(0) };
        let at = self.deciding.iter().position(|deciding| *deciding == dim).and_then(|at| levels.get(at));
        at.map_or(Scalar::Undefined, |level| parameter.scalar_at(*level))
    }
}
