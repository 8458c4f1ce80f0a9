//! Which observations a model is made of, and which of them each step of its fit sees.
//!
//! | step | sees |
//! |---|---|
//! | wild results | 30 that are farthest from each other |
//! | contest of kernels and warps, with the random starts | at most 80: the best half of them, and random others |
//! | last fit, of θ and the bend | all of the model's, with fewer evaluations the more there are |
//! | second look, beyond 80 and if there was a last fit | all of the model's, from hardly any detail |
//!
//! A model of n observations costs n³, so beyond [`ModelConfig::max_observations`](super::ModelConfig) it uses a part
//! in three shares:
//!
//! - half are the best: they are compared with each other, and the search continues near them;
//! - a quarter are the latest, by trial number: if a result did not change the model, the next ask would end where the
//!   last one did;
//! - a quarter are spread over the rest, so that the model knows where not to search. Each one is the farthest from
//!   those before it, within a pool: farthest-first among k of n costs kn.
//!
//! The pool is the trials whose number times the golden ratio has a small enough fractional part. Such numbers are
//! evenly spread over the history and not aligned with any batch size, and they remain in the pool until its bound is
//! halved. So the choice changes little from one result to the next. It depends on the observations alone.

use std::cmp::Reverse;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::data::Dataset;
use crate::error::Result;
use crate::linalg::Points;
use crate::rng::Stream;

/// Observations in a contest of kernels and warps.
pub(super) const CONTEST: usize = 80;

/// Operations that the last fit may take, roughly: 13 evaluations at n = 400 in two dimensions.
const LAST_WORK: f64 = 1e9;

/// Operations per pair of observations for one component of the gradient, roughly.
const GRADIENT_WORK: f64 = 10.0;

/// Evaluations that the last fit may always take, however slow they are.
const LEAST_EVALUATIONS: usize = 10;

/// Evaluations that show whether another start leads somewhere.
pub(super) const SECOND_LOOK: usize = 20;

/// Observations that tell wild values from regular ones.
const TYPICAL: usize = 30;

/// Observations in the pool per spread observation.
const POOL: usize = 8;

/// The part of the observations that a model is made of.
///
/// ```
/// use elbowroom::study::TrainingSubset;
/// let part = TrainingSubset { best: 500, latest: 250, spread: 250, of: 12_345 };
/// assert_eq!(part.len(), 1000);
/// let words = "1000 of 12345 observations: the 500 best, the 250 latest and 250 spread over the rest";
/// assert_eq!(part.to_string(), words);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TrainingSubset {
    /// How many are there for their values.
    pub best: usize,
    /// How many of the others are there as the latest.
    pub latest: usize,
    /// How many of the rest are spread over it.
    pub spread: usize,
    /// How many observations there are.
    pub of: usize,
}

impl TrainingSubset {
    /// The shares of a model of at most `bound` out of `of` observations; none if it uses all.
    pub(crate) fn of(of: usize, bound: usize) -> Option<Self> {
        let latest = bound / 4;
        (of > bound).then_some(Self { best: bound - 2 * latest, latest, spread: latest, of })
    }

    /// How many observations the subset has.
    #[allow(clippy::len_without_is_empty, reason = "a model of no observations is not made")]
    pub fn len(&self) -> usize {
        self.best + self.latest + self.spread
    }
}

impl fmt::Display for TrainingSubset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { best, latest, spread, of } = self;
        let n = self.len();
        write!(f, "{n} of {of} observations: the {best} best, the {latest} latest and {spread} spread over the rest")
    }
}

/// The observations in a contest of kernels and warps: the best half, and random others. None if that would be all.
pub(super) fn contest(all: &Dataset, stream: &Stream) -> Result<Option<Dataset>> {
    if all.len() <= CONTEST {
        return Ok(None);
    }
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by(|&a, &b| all.y()[b].total_cmp(&all.y()[a]).then(a.cmp(&b)));
    let mut rest = order.split_off(CONTEST / 2);
    stream.child("contest", 0).shuffle(&mut rest);
    order.extend(rest.into_iter().take(CONTEST - CONTEST / 2));
    let mut x = Points::new(all.dim());
    for &i in &order {
        x.push(all.x().row(i));
    }
    let subset = Dataset::new(x, order.iter().map(|&i| all.y()[i]).collect())?;
    match all.noise() {
        Some(noise) => subset.with_noise(order.iter().map(|&i| noise[i]).collect()).map(Some),
        None => Ok(Some(subset)),
    }
}

/// Evaluations of the last fit, which sees all observations of the model: enough to converge in this many variables,
/// and fewer if each takes long. Starting from the last fit of a study, it needs few.
pub(super) fn last_evaluations(n: usize, n_variables: usize) -> usize {
    let work = (n as f64).powi(2) * (n as f64 + GRADIENT_WORK * n_variables as f64);
    let affordable = (LAST_WORK / work) as usize;
    (30 + 6 * n_variables).min(affordable.max(LEAST_EVALUATIONS))
}

/// The observations that tell wild values from regular ones: farthest-first, so that they cover the box however many
/// results are near the best.
///
/// A point that was measured several times appears once.
pub(crate) fn typical(x: &Points) -> Vec<usize> {
    let chosen = farthest_first(x, TYPICAL);
    let is_new = |i: usize| chosen[..i].iter().all(|c| x.row(*c) != x.row(chosen[i]));
    (0..chosen.len()).filter(|i| is_new(*i)).map(|i| chosen[i]).collect()
}

/// The properties of an observation on which the choice depends.
#[derive(Clone, Copy)]
pub(crate) struct Candidate<'a> {
    /// Larger is better.
    pub value: f64,
    /// The number of its trial.
    pub trial: u64,
    /// Its unit point.
    pub unit: &'a [f64],
}

/// The indices of the subset, in ascending order.
pub(crate) fn choose(all: &[Candidate<'_>], subset: TrainingSubset) -> Vec<usize> {
    let mut rest: Vec<usize> = (0..all.len()).collect();
    let best = |i: &usize| (Reverse(Ordered(all[*i].value)), all[*i].trial, *i);
    let mut kept = take_first(&mut rest, subset.best, best);
    let latest = |i: &usize| (Reverse(all[*i].trial), Reverse(*i));
    kept.extend(take_first(&mut rest, subset.latest, latest));
    kept.extend(spread(all, rest, subset.spread));
    kept.sort_unstable();
    kept
}

/// Takes the first n in the order of a key.
fn take_first<K: Ord>(from: &mut Vec<usize>, n: usize, key: impl Fn(&usize) -> K) -> Vec<usize> {
    let n = n.min(from.len());
    if n < from.len() {
        from.select_nth_unstable_by_key(n, key);
    }
    let rest = from.split_off(n);
    std::mem::replace(from, rest)
}

/// Takes n of the rest, farthest-first in their pool, starting with its oldest trial.
fn spread(all: &[Candidate<'_>], mut rest: Vec<usize>, n: usize) -> Vec<usize> {
    let halvings = (0..u64::BITS).find(|h| rest.len() >> h <= POOL * n).unwrap_or(0);
    if halvings > 0 {
        let fraction = |i: usize| all[i].trial.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        rest.retain(|i| fraction(*i) >> (u64::BITS - halvings) == 0);
    }
    rest.sort_unstable_by_key(|i| (all[*i].trial, *i));
    let mut pool = Points::new(all.first().map_or(0, |c| c.unit.len()));
    rest.iter().for_each(|i| pool.push(all[*i].unit));
    farthest_first(&pool, n).into_iter().map(|i| rest[i]).collect()
}

/// The first point, then repeatedly the one that is farthest from those before it; the first of equals.
pub(super) fn farthest_first(points: &Points, n: usize) -> Vec<usize> {
    let mut distances = vec![f64::INFINITY; points.len()];
    let mut chosen = Vec::with_capacity(n.min(points.len()));
    let mut next = 0;
    while chosen.len() < n.min(points.len()) {
        chosen.push(next);
        let from = points.row(next);
        distances[next] = f64::NEG_INFINITY;
        let mut farthest = (f64::NEG_INFINITY, next);
        for (i, distance) in distances.iter_mut().enumerate() {
            let squared: f64 = points.row(i).iter().zip(from).map(|(a, b)| (a - b) * (a - b)).sum();
            *distance = distance.min(squared);
            if *distance > farthest.0 {
                farthest = (*distance, i);
            }
        }
        next = farthest.1;
    }
    chosen
}

/// Finite numbers are ordered.
#[derive(PartialEq)]
struct Ordered(f64);

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// n observations around the plane, their values random by a seed.
    fn observations(n: usize) -> Vec<(f64, [f64; 2])> {
        let at = |i: usize, by: f64| ((i + 1) as f64 * by).fract();
        (0..n).map(|i| ((i as f64 * 0.7).sin(), [at(i, 2f64.sqrt()), at(i, 3f64.sqrt())])).collect()
    }

    fn chosen(all: &[(f64, [f64; 2])], bound: usize) -> Vec<usize> {
        let candidates: Vec<Candidate<'_>> =
            all.iter().zip(0..).map(|((value, unit), trial)| Candidate { value: *value, trial, unit }).collect();
        choose(&candidates, TrainingSubset::of(all.len(), bound).unwrap())
    }

    #[test]
    fn a_part_has_the_best_the_latest_and_as_many_as_it_says() {
        for n in [101, 150, 1000, 5000] {
            let all = observations(n);
            let kept = chosen(&all, 100);
            assert_eq!(kept.len(), 100);
            assert!(kept.is_sorted_by(|a, b| a < b));
            let mut by_value: Vec<usize> = (0..n).collect();
            by_value.sort_by(|a, b| all[*b].0.total_cmp(&all[*a].0));
            assert!(by_value[..50].iter().all(|i| kept.contains(i)), "n = {n}");
            assert!((n - 25..n).all(|i| kept.contains(&i)), "n = {n}");
        }
    }

    #[test]
    fn one_more_result_changes_little() {
        let all = observations(4000);
        let mut changed = 0;
        for n in 3000..3999 {
            let (a, b): (HashSet<usize>, HashSet<usize>) =
                (chosen(&all[..n], 100).into_iter().collect(), chosen(&all[..n + 1], 100).into_iter().collect());
            changed += b.difference(&a).count();
        }
        // The new one always changes; sometimes also one that moves up, and those that are spread again after it.
        assert!(changed < 5 * 999, "{changed}");
    }

    #[test]
    fn what_is_spread_covers_the_rest_better_than_a_random_part_of_it() {
        let mut all = observations(3000);
        // Most of them in a corner, as in a search that has converged.
        all.iter_mut().skip(200).for_each(|(_, u)| u.iter_mut().for_each(|x| *x *= 0.05));
        let candidates: Vec<Candidate<'_>> =
            all.iter().zip(0..).map(|((value, unit), trial)| Candidate { value: *value, trial, unit }).collect();
        let spread = spread(&candidates, (0..3000).collect(), 25);
        let outside = spread.iter().filter(|i| **i < 200).count();
        // At random it would be one or two of 25. About 12 of the pool of some 187 are outside; all should be chosen.
        assert!(outside >= 10, "{outside}");
    }

    #[test]
    fn the_first_is_first_and_the_next_is_farthest() {
        let points = Points::from_rows(1, vec![0.5, 0.9, 0.0, 0.4, 0.7]).unwrap();
        assert_eq!(farthest_first(&points, 4), [0, 2, 1, 4]);
    }
}
