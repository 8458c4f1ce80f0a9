//! The branches of a domain whose parameters have conditions.
//!
//! A branch is all points that have the same parameters. It is reached by a setting of the coordinates that conditions
//! refer to, the *deciding* ones; a branch may have several settings. Designs fill each branch, and searches go through
//! them one by one: a move along a deciding coordinate would compare points that have little in common.

use std::collections::{HashMap, HashSet};

use super::Domain;
use crate::rng::Stream;

/// Up to this many settings of the deciding coordinates are all listed. If there are more, this many are drawn.
const LISTED: u64 = 4096;

/// The branches of a domain.
#[derive(Debug, Clone, Default)]
pub(crate) struct Branches {
    pub all: Vec<Branch>,
    /// Whether every setting was listed.
    pub is_complete: bool,
}

/// The points that have the same parameters.
#[derive(Debug, Clone)]
pub(crate) struct Branch {
    /// All its coordinates except the deciding ones.
    free: Vec<usize>,
    /// The settings of the deciding coordinates that lead to it, starting with those that constraints do not rule out.
    settings: Vec<Vec<(usize, f64)>>,
    n_open: usize,
}

impl Branch {
    /// The number of coordinates that determine a point of it: its own, and one to choose among several settings.
    pub fn dim(&self) -> usize {
        self.free.len() + usize::from(self.n_open > 1)
    }

    /// All its coordinates except the deciding ones.
    pub fn free(&self) -> &[usize] {
        &self.free
    }

    /// The settings of the deciding coordinates that lead to it.
    pub fn settings(&self) -> &[Vec<(usize, f64)>] {
        &self.settings
    }

    /// Makes a point of the branch from a point of a cube of its dimension. The point must then be snapped.
    pub fn put(&self, domain: &Domain<'_>, v: &[f64], u: &mut [f64]) {
        let (choice, own) = v.split_at(v.len() - self.free.len());
        let n = self.n_open;
        let chosen = choice.first().map_or(0, |v| ((v * n as f64) as usize).min(n - 1));
        domain.set(&self.settings[chosen], u);
        let (low, high) = (domain.bounds().low(), domain.bounds().high());
        for (&dim, v) in self.free.iter().zip(own) {
            u[dim] = low[dim] + v * (high[dim] - low[dim]);
        }
    }
}

impl Branches {
    /// The branches that constraints do not obviously rule out, without trying points.
    pub fn open(&self) -> impl Iterator<Item = &Branch> {
        self.all.iter().filter(|branch| branch.n_open > 0)
    }

    pub fn of(domain: &Domain<'_>) -> Self {
        let space = domain.space();
        let deciding = space.deciding();
        let ranges: Vec<(u64, u64)> = deciding.iter().filter_map(|dim| domain.levels(*dim)).collect();
        let sizes = ranges.iter().map(|(first, last)| last - first + 1);
        let n = sizes.clone().try_fold(1u64, |n, size| n.checked_mul(size)).filter(|n| *n <= LISTED);
        let mut stream = Stream::new(0).child("branches", 0);
        let mut gathered = Gathered { domain, deciding, seen: HashSet::new(), at: HashMap::new(), all: Vec::new() };
        for i in 0..n.unwrap_or(LISTED) {
            let mut left = i;
            let level = |(first, last): &(u64, u64)| {
                let size = last - first + 1;
                if n.is_none() {
                    return first + ((stream.uniform() * size as f64) as u64).min(size - 1);
                }
                let digit = left % size;
                left /= size;
                first + digit
            };
            let levels: Vec<u64> = ranges.iter().map(level).collect();
            gathered.add(&levels);
        }
        if n.is_none() {
            gathered.add_rare(&ranges);
        }
        Self { all: gathered.all, is_complete: n.is_some() }
    }
}

struct Gathered<'a> {
    domain: &'a Domain<'a>,
    deciding: Vec<usize>,
    seen: HashSet<Vec<Option<u64>>>,
    /// The index of the branch with these parameters.
    at: HashMap<Vec<bool>, usize>,
    all: Vec<Branch>,
}

impl Gathered<'_> {
    /// Adds settings with and without each parameter that has a condition, since draws may have missed all of them.
    fn add_rare(&mut self, ranges: &[(u64, u64)]) {
        let (domain, space) = (self.domain, self.domain.space());
        let required: Vec<(usize, bool)> = domain.required.iter().map(|i| (*i, true)).collect();
        let conditional =
            (0..space.parameters().len()).filter(|i| space.parameters()[*i].condition().is_some()).collect::<Vec<_>>();
        for wanted in conditional.into_iter().flat_map(|i| [(i, true), (i, false)]) {
            if required.contains(&(wanted.0, !wanted.1)) {
                continue;
            }
            let all: Vec<(usize, bool)> = required.iter().copied().chain([wanted]).collect();
            if let Some(levels) = space.setting_where(&all, ranges) {
                self.add(&levels);
            }
        }
    }

    fn add(&mut self, levels: &[u64]) {
        let (domain, space) = (self.domain, self.domain.space());
        let all = self.deciding.iter().zip(levels).map(|(&dim, &level)| (dim, space.coordinate(dim, level)));
        let mut u: Vec<f64> = (0..space.dim()).map(|dim| space.rest(dim)).collect();
        domain.set(&all.collect::<Vec<_>>(), &mut u);
        let parameters = space.active_parameters(&u);
        if !domain.required.iter().all(|i| parameters[*i]) {
            return;
        }
        let active = space.active(&u);
        let kept = self.deciding.iter().zip(levels).map(|(&dim, &level)| active[dim].then_some(level));
        let kept: Vec<Option<u64>> = kept.collect();
        if !self.seen.insert(kept.clone()) {
            return;
        }
        let setting =
            self.deciding.iter().zip(&kept).filter_map(|(&dim, level)| Some((dim, space.coordinate(dim, (*level)?))));
        let setting: Vec<(usize, f64)> = setting.collect();
        let is_decided = |i: usize| space.dimension_of(i).is_none_or(|dim| self.deciding.contains(&dim));
        let is_open = !space.is_ruled_out(&u, &is_decided);
        let (all, deciding) = (&mut self.all, &self.deciding);
        let at = *self.at.entry(parameters).or_insert_with(|| {
            let free = (0..space.dim()).filter(|dim| active[*dim] && !deciding.contains(dim)).collect();
            all.push(Branch { free, settings: Vec::new(), n_open: 0 });
            all.len() - 1
        });
        let branch = &mut all[at];
        if is_open {
            branch.settings.insert(branch.n_open, setting);
            branch.n_open += 1;
        } else {
            branch.settings.push(setting);
        }
    }
}
