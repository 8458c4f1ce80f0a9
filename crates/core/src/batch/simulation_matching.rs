//! SM-UCB, simulation matching (Azimi, Fern and Fern 2010): a batch that matches what a sequential policy would do.
//!
//! 1. S times, simulate q sequential steps of arg max μ + κs: draw each value from the simulated posterior at its
//!    point, with noise, and condition on it with the same hyperparameters.
//! 2. Weigh each simulated point by the probability that it is the best of its simulation, by joint draws given the real
//!    data alone; the weights of one simulation sum to 1.
//! 3. Choose the q simulated points B that minimize Σ w min_{b ∈ B} ‖x − b‖², by greedy deletion (see `medoids`).
//!
//! Every simulation first draws the values of pending points, which are fixed centres. The policy chooses among the
//! candidates and the climbed maximizer of the bound, which is the first step of all simulations if nothing is pending.
//! The joint covariance C of the candidates is computed once; a simulated value at x then costs one column,
//! c = C(·, x) − Σ v v(x) and v = c/√(c(x) + noise) (the columns of a Cholesky factor).

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use super::acquisition_kind::check_kappa;
use super::acquisition_kind::upper_bound;
use super::candidates::any_point;
use super::chooser::{Planned, term, terms};
use super::medoids::greedy_medoids;
use super::score::Score;
use super::search::Search;
use super::tried::is_beside;
use super::{Batch, BatchInfo, BatchSize, BatchStrategy, Candidates, Chooser, DEFAULT_KAPPA, Explanation, Situation};
use crate::acquisition::LogAcquisition;
use crate::error::Result;
use crate::gp::{Joint, Posterior};
use crate::linalg::Points;
use crate::rng::Stream;
use crate::space::{Dimension, PointKey, UnitPoint};

/// Joint draws for the weights of one simulation.
const DRAWS: usize = 200;

/// Simulation matching with the confidence bound as its policy.
///
/// ```
/// use elbowroom::batch::SimulationMatching;
/// let few: SimulationMatching = serde_json::from_str(r#"{"simulations":20}"#)?;
/// assert_eq!(few.simulations.unwrap().get(), 20);
/// assert_eq!(few.kappa, 2.0);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SimulationMatching {
    /// Weight of the standard deviation in the policy.
    pub kappa: f64,
    /// The number of simulations; by default 50 in up to two dimensions and 100 in more.
    pub simulations: Option<NonZeroUsize>,
    /// Whether distances are in lengthscales instead of units of the cube.
    pub whitened: bool,
    /// The points to choose from.
    pub candidates: Candidates,
}

impl Default for SimulationMatching {
    fn default() -> Self {
        Self { kappa: DEFAULT_KAPPA, simulations: None, whitened: false, candidates: Candidates::Continuous }
    }
}

impl BatchStrategy for SimulationMatching {
    fn validate(&self) -> Result<()> {
        check_kappa("strategy", self.kappa)
    }

    fn bind<'a>(&'a self, situation: &'a Situation<'a>, q: BatchSize) -> Result<Box<dyn Chooser + 'a>> {
        let explain = move |joined: &[UnitPoint], u: &[f64]| self.policy_at(situation, joined, u);
        Ok(Planned::boxed(move || Ok((self.matching(situation, q)?, Vec::new())), explain))
    }
}

impl SimulationMatching {
    /// The value of a point to the policy. The batch matches many simulations of it: single points do not have a score.
    fn policy_at(&self, situation: &Situation<'_>, joined: &[UnitPoint], u: &[f64]) -> Explanation {
        let under_way = situation.pending.iter().chain(joined).map(|u| u.as_slice());
        let p = situation.posterior.with_phantoms(under_way).predict(u);
        let deviation = term(terms::WEIGHTED_DEVIATION, self.kappa * p.variance_after.sqrt());
        let chance = situation.chance_terms(u);
        Explanation::new([term(terms::MEAN, p.mean), deviation].into_iter().chain(chance).collect(), false)
    }

    fn matching(&self, situation: &Situation<'_>, q: BatchSize) -> Result<Batch> {
        let Situation { posterior, domain, pending, stream, .. } = *situation;
        let space = domain.space();
        let (mut points, mut info) = self.candidates_with_maximizer(situation);
        let n = points.len();
        pending.iter().for_each(|u| points.push(u));
        let joint = posterior.joint(&points);
        let policy = Policy::new(situation, self.kappa, &points);
        info.work += posterior.work_of_joint(points.len());
        let simulations = self.simulations.map_or(if space.dim() <= 2 { 50 } else { 100 }, NonZeroUsize::get);

        let mut weight_of: HashMap<usize, f64> = HashMap::new();
        for s in 0..simulations {
            let mut draw = stream.child("simulation", s as u64);
            let path = Simulation::new(posterior, &joint).run(n, q.get(), &policy, &mut draw);
            info.evaluations += n * path.len();
            // Each drawn value takes a column, minus those before it.
            let steps = path.len() + pending.len();
            info.work += (points.len() * steps * steps) as f64 + posterior.work_of_draws(path.len(), DRAWS);
            for (i, weight) in path.iter().zip(best_probabilities(posterior, &points, &path, &mut draw)?) {
                *weight_of.entry(*i).or_default() += weight * policy.chance(*i);
            }
        }
        let mut simulated: Vec<usize> = weight_of.keys().copied().collect();
        simulated.sort_unstable();

        let centres: Vec<usize> = simulated.iter().copied().chain(n..points.len()).collect();
        let weights: Vec<f64> = centres.iter().map(|i| weight_of.get(i).copied().unwrap_or(0.0)).collect();
        let fixed: Vec<bool> = centres.iter().map(|&i| i >= n).collect();
        let distances = Cell::new(0usize);
        let distance = |a: usize, b: usize| {
            distances.set(distances.get() + 1);
            self.distance(situation, points.row(centres[a]), points.row(centres[b]))
        };
        let mut left = greedy_medoids(&weights, &fixed, q.get(), distance);
        info.work += distances.get() as f64 * space.dim() as f64;
        left.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]).then(a.cmp(&b)));

        let mut chosen: Vec<UnitPoint> =
            left.into_iter().map(|c| UnitPoint::clamped(points.row(centres[c]).to_vec())).collect();
        // If there are too few candidates, take the rest at random.
        let mut keys: HashSet<PointKey> = chosen.iter().map(|u| space.key(u)).collect();
        let mut draw = stream.child("fill", 0);
        while chosen.len() < q.get() {
            let Some(u) = any_point(situation, &keys, &mut draw) else { break };
            keys.insert(space.key(&u));
            chosen.push(u);
        }
        Ok(Batch { points: chosen, info })
    }
}

impl SimulationMatching {
    /// The candidates that are not taken, including the maximizer of the bound.
    fn candidates_with_maximizer(&self, situation: &Situation<'_>) -> (Points, BatchInfo) {
        let space = situation.domain.space();
        let bound = upper_bound(self.kappa, situation.posterior, situation);
        let mut search = Search::with_pending(situation, self.candidates, Score::After(bound));
        let best = search.next();
        let mut seen = situation.taken.clone();
        let mut points = Points::new(space.dim());
        let found = search.panel().points().iter();
        let best = best.as_ref().filter(|_| self.candidates.may_climb());
        // If trials fail, two ends of climbs to one maximum would fail for the same reason.
        let is_double = |u: &[f64]| {
            situation.chance.is_some() && best.is_some_and(|best| u != best.as_slice() && is_beside(space, best, u))
        };
        for u in found.filter(|u| !is_double(u)).chain(best.map(|u| u.as_slice())) {
            if seen.insert(space.key(u)) {
                points.push(u);
            }
        }
        (points, search.info())
    }

    fn distance(&self, situation: &Situation<'_>, a: &[f64], b: &[f64]) -> f64 {
        if self.whitened {
            return situation.posterior.squared_distance(a, b);
        }
        let coordinates = situation.domain.space().dimensions().iter().zip(a.iter().zip(b));
        let squares = coordinates.map(|(dimension, (a, b))| match dimension {
            Dimension::Category { .. } => f64::from(u8::from(a != b)),
            _ => (a - b).powi(2),
        });
        squares.sum()
    }
}

/// The function that a simulated step maximizes: μ + κs, multiplied by chances if there are any.
struct Policy {
    bound: Box<dyn LogAcquisition>,
    ln_chances: Option<Vec<f64>>,
}

impl Policy {
    fn new(situation: &Situation<'_>, kappa: f64, points: &Points) -> Self {
        let bound = upper_bound(kappa, situation.posterior, situation);
        Self { bound, ln_chances: situation.weights(points) }
    }

    fn score(&self, i: usize, mean: f64, sd: f64) -> f64 {
        self.bound.ln_score(mean, sd).value + self.ln_chances.as_ref().map_or(0.0, |ln| ln[i])
    }

    fn chance(&self, i: usize) -> f64 {
        self.ln_chances.as_ref().map_or(1.0, |ln| ln[i].exp())
    }
}

/// A simulated future: mean and variance at all points of a joint law, given the values drawn so far.
struct Simulation<'a> {
    joint: &'a Joint,
    mean: Vec<f64>,
    variance: Vec<f64>,
    columns: Vec<Vec<f64>>,
    noise: f64,
    floor: f64,
}

impl<'a> Simulation<'a> {
    fn new(posterior: &Posterior, joint: &'a Joint) -> Self {
        let hyper = posterior.hyper();
        let variance = (0..joint.mean.len()).map(|i| joint.covariance(i, i)).collect();
        // A floor like the posterior's: anything below is rounding error.
        let floor = 1e-12 * hyper.variance;
        Self { joint, mean: joint.mean.clone(), variance, columns: Vec::new(), noise: hyper.noise.typical(), floor }
    }

    /// Draws the values of the pending points, which follow the first n, then takes q steps of the policy on those n.
    fn run(mut self, n: usize, q: usize, policy: &Policy, draw: &mut Stream) -> Vec<usize> {
        for i in n..self.mean.len() {
            self.observe(i, draw);
        }
        let mut path = Vec::with_capacity(q);
        let mut free = vec![true; n];
        for _ in 0..q {
            let bound = |&i: &usize| policy.score(i, self.mean[i], self.variance[i].sqrt());
            let best = (0..n).filter(|&i| free[i]).max_by(|a, b| bound(a).total_cmp(&bound(b)).then(b.cmp(a)));
            let Some(i) = best else { break };
            self.observe(i, draw);
            free[i] = false;
            path.push(i);
        }
        path
    }

    /// Draws a value at point i and conditions on it.
    fn observe(&mut self, i: usize, draw: &mut Stream) {
        let m = self.mean.len();
        let mut column = self.joint.covariance[i * m..(i + 1) * m].to_vec();
        for v in &self.columns {
            let own = v[i];
            column.iter_mut().zip(v).for_each(|(c, v)| *c -= own * v);
        }
        let sd = (self.variance[i] + self.noise).max(self.floor).sqrt();
        let surprise = draw.normal();
        for ((c, mean), variance) in column.iter_mut().zip(&mut self.mean).zip(&mut self.variance) {
            *c /= sd;
            *mean += *c * surprise;
            *variance = (*variance - *c * *c).max(0.0);
        }
        self.columns.push(column);
    }
}

/// How often each point of a path is the best of them, in joint draws given the data alone.
fn best_probabilities(posterior: &Posterior, points: &Points, path: &[usize], draw: &mut Stream) -> Result<Vec<f64>> {
    let mut visited = Points::new(points.dim());
    path.iter().for_each(|&i| visited.push(points.row(i)));
    let mut wins = vec![0.0; path.len()];
    if path.len() < 2 {
        wins.fill(1.0);
        return Ok(wins);
    }
    for f in posterior.sample(&visited, DRAWS, draw)?.iter() {
        if let Some(best) = (0..f.len()).max_by(|&a, &b| f[a].total_cmp(&f[b]).then(b.cmp(&a))) {
            wins[best] += 1.0 / DRAWS as f64;
        }
    }
    Ok(wins)
}
