//! The point to recommend in the end: arg max μ − κs over the space.
//!
//! κ = 0 is the paper's recommendation, the point that the model expects most of. With little noise it can lie where the
//! model only extrapolates, and its value be far worse than the best one observed; κ = 1 counts what is not known there.

use std::collections::HashSet;

use super::Situation;
use super::candidates::candidates;
use crate::acquisition::Climb;
use crate::gp::{Posterior, Scratch};
use crate::rng::Stream;
use crate::space::{PointKey, SearchSpace, UnitPoint};

/// Climbs from this many of the best points.
const STARTS: usize = 5;

/// The point of the space with the highest μ − κs; none if no feasible point is known.
///
/// `excluded` are points that failed or turned out infeasible.
pub fn highest_bound(
    posterior: &Posterior,
    kappa: f64,
    space: &SearchSpace,
    excluded: &HashSet<PointKey>,
    stream: &Stream,
) -> Option<UnitPoint> {
    let situation = Situation::new(posterior, space, &[], excluded, stream);
    let spread = candidates(&situation);
    let mut scratch = Scratch::default();
    let mut bound = |u: &[f64], gradient: &mut [f64]| {
        if kappa == 0.0 {
            let mean = posterior.mean_gradient(u, &mut scratch);
            gradient.copy_from_slice(&scratch.d_mean);
            return mean;
        }
        let p = posterior.predict_gradient(u, &mut scratch);
        let sd = p.variance.sqrt();
        for (k, g) in gradient.iter_mut().enumerate() {
            // At an observation without noise s is 0 and has no slope.
            let slope = if sd > 0.0 { scratch.d_variance[k] / (2.0 * sd) } else { 0.0 };
            *g = scratch.d_mean[k] - kappa * slope;
        }
        p.mean - kappa * sd
    };
    let mut gradient = vec![0.0; posterior.dim()];
    let mut starts: Vec<(f64, &[f64])> = posterior
        .observed()
        .chain(spread.iter())
        .filter(|u| space.is_feasible(u) && !excluded.contains(&space.key(u)))
        .map(|u| (bound(u, &mut gradient), u))
        .collect();
    starts.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut climb = Climb::new(space, 100);
    let mut best: Option<(f64, Vec<f64>)> = None;
    for (height, start) in starts.into_iter().take(STARTS) {
        let mut u = start.to_vec();
        let mut value = climb.from(&mut bound, &mut u);
        if excluded.contains(&space.key(&u)) {
            (value, u) = (height, start.to_vec());
        }
        if best.as_ref().is_none_or(|(b, _)| value > *b) {
            best = Some((value, u));
        }
    }
    best.map(|(_, u)| UnitPoint::clamped(u))
}
