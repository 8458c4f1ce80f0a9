//! The point that the model expects most of: arg max μ over the space, the paper's final recommendation.

use std::collections::HashSet;

use super::Situation;
use super::candidates::candidates;
use crate::acquisition::Climb;
use crate::gp::{Posterior, Scratch};
use crate::rng::Stream;
use crate::space::{PointKey, SearchSpace, UnitPoint};

/// Climbs from this many of the best points.
const STARTS: usize = 5;

/// The point of the space with the highest posterior mean; none if no feasible point is known.
///
/// `excluded` are points that failed or turned out infeasible.
pub fn highest_mean(
    posterior: &Posterior,
    space: &SearchSpace,
    excluded: &HashSet<PointKey>,
    stream: &Stream,
) -> Option<UnitPoint> {
    let situation = Situation { posterior, space, pending: &[], taken: excluded, stream };
    let spread = candidates(&situation);
    let mut scratch = Scratch::default();
    let mut starts: Vec<(f64, &[f64])> = posterior
        .observed()
        .chain(spread.iter())
        .filter(|u| space.is_feasible(u) && !excluded.contains(&space.key(u)))
        .map(|u| (posterior.mean_gradient(u, &mut scratch), u))
        .collect();
    starts.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut climb = Climb::new(space, 100);
    let mut mean = |u: &[f64], gradient: &mut [f64]| {
        let value = posterior.mean_gradient(u, &mut scratch);
        gradient.copy_from_slice(&scratch.d_mean);
        value
    };
    let mut best: Option<(f64, Vec<f64>)> = None;
    for (height, start) in starts.into_iter().take(STARTS) {
        let mut u = start.to_vec();
        let mut value = climb.from(&mut mean, &mut u);
        if excluded.contains(&space.key(&u)) {
            (value, u) = (height, start.to_vec());
        }
        if best.as_ref().is_none_or(|(b, _)| value > *b) {
            best = Some((value, u));
        }
    }
    best.map(|(_, u)| UnitPoint::clamped(u))
}
