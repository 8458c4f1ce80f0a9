//! Random points that are feasible and not taken, and a sentence that says why if there are too few.
//!
//! A small finite space is enumerated, which is exact, and so is a short list of points that keep sums on grids. A
//! large or infinite one is sampled by rejection; if that fails and the space can still be enumerated, it is.

use std::collections::HashSet;

use super::Tried;
use crate::domain::{Domain, Sampler};
use crate::rng::Stream;
use crate::space::{PointKey, UnitPoint};

/// Spaces of up to this many points are enumerated at once: it is cheaper than drawing the same points again and again.
const SMALL: u128 = 10_000;

/// Spaces of up to this many points are enumerated when draws find nothing more.
const WALKABLE: u128 = 1_000_000;

/// Draws for one more point before giving up: a feasible part of a thousandth of the cube is missed by all of them with
/// probability 0.999^10000 < 1e-4.
const TRIES: usize = 10_000;

/// Up to n distinct points that are neither taken nor chosen, and the reason if there are fewer. Adds them to `chosen`.
pub(crate) fn free_points(
    domain: &Domain<'_>,
    taken: &HashSet<PointKey>,
    tried: &Tried<'_>,
    chosen: &mut HashSet<PointKey>,
    n: usize,
    stream: &mut Stream,
) -> (Vec<UnitPoint>, Option<String>) {
    let mut found = Vec::new();
    let (size, space) = (domain.n_points(), domain.space());
    let few = domain.few_points();
    let is_short = few.is_some_and(|few| few.len() as u128 <= SMALL);
    if !is_short && size.is_none_or(|size| size > SMALL) {
        let mut sampler = domain.sampler();
        while found.len() < n {
            let is_free = |u: &UnitPoint, key: &PointKey| {
                !taken.contains(key) && !chosen.contains(key) && !tried.is_beside_failure(space, u)
            };
            // If failures are everywhere, only their neighbours are left.
            let is_new = |_: &UnitPoint, key: &PointKey| !taken.contains(key) && !chosen.contains(key);
            let found_one = draw(domain, &mut sampler, &is_free, stream)
                .or_else(|| (!tried.failed.is_empty()).then(|| draw(domain, &mut sampler, &is_new, stream)).flatten());
            let Some(u) = found_one else { break };
            chosen.insert(domain.key(&u));
            found.push(u);
        }
        if found.len() == n {
            return (found, None);
        }
    }
    match size {
        size if few.is_some_and(|few| !few.is_empty()) || size.is_some_and(|size| size <= WALKABLE) => {
            let (mut free, n_feasible) = enumerate(domain, &|key| taken.contains(key) || chosen.contains(key));
            stream.shuffle(&mut free);
            // Neighbours of failed points come last: in a finite space only they may be left.
            free.sort_by_cached_key(|u| tried.is_beside_failure(space, u));
            free.truncate(n - found.len());
            chosen.extend(free.iter().map(|u| domain.key(u)));
            found.extend(free);
            let short = found.len() < n;
            (found, short.then(|| exhausted(domain, size, n_feasible)))
        }
        _ => (found, Some(not_found(domain))),
    }
}

/// The reason why nothing was found, and what was tried.
fn not_found(domain: &Domain<'_>) -> String {
    match domain.why_empty() {
        Some(why) => why,
        None if domain.is_flat() => {
            "no point was found between two bounds that leave no room: loosen one, or write two that meet as one `==`"
                .to_owned()
        }
        None if domain.is_constructed() => format!(
            "no more free feasible point was found among {TRIES} random points that keep the linear constraints: loosen another constraint"
        ),
        None => format!(
            "no more free feasible point was found in {TRIES} random tries: loosen a constraint, or write it as a sum of numbers, from which points can be constructed"
        ),
    }
}

fn draw(
    domain: &Domain<'_>,
    sampler: &mut Sampler<'_>,
    is_free: &dyn Fn(&UnitPoint, &PointKey) -> bool,
    stream: &mut Stream,
) -> Option<UnitPoint> {
    (0..TRIES).map(|_| sampler.next(stream)).find(|u| domain.is_feasible(u) && is_free(u, &domain.key(u)))
}

/// The free points of a finite space, and its number of feasible points.
fn enumerate(domain: &Domain<'_>, is_taken: &dyn Fn(&PointKey) -> bool) -> (Vec<UnitPoint>, usize) {
    let mut n_feasible = 0;
    let mut free = Vec::new();
    for u in domain.enumerate_feasible().into_iter().flatten() {
        n_feasible += 1;
        if !is_taken(&domain.key(&u)) {
            free.push(u);
        }
    }
    (free, n_feasible)
}

fn exhausted(domain: &Domain<'_>, size: Option<u128>, n_feasible: usize) -> String {
    let the_space = match (domain.is_whole(), domain.is_listed()) {
        (true, false) => "the space",
        (false, false) => "the narrowed space",
        (true, true) => "the table",
        (false, true) => "the narrowed table",
    };
    let Some(size) = size else {
        return format!(
            "{n_feasible} points of {the_space} keep the constraints, and all of these are taken or under way"
        );
    };
    let points = |n: u128| if n == 1 { "1 point".to_owned() } else { format!("{n} points") };
    match n_feasible {
        0 => format!("{the_space} has {} and none keeps the constraints", points(size)),
        n if n as u128 == size && n == 1 => format!("{the_space} has 1 point and it is taken or under way"),
        n if n as u128 == size => format!("{the_space} has {} and all are taken or under way", points(size)),
        n => format!(
            "of {the_space}'s {}, {n} keep the constraints, and all of these are taken or under way",
            points(size)
        ),
    }
}
