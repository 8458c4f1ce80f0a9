//! One method on one objective: initial points, then batches until a budget is used up.
//!
//! All methods of a replicate get the same initial points and the same seed. A point is a *near-duplicate* if an
//! earlier point of its batch is closer than 0.05 lengthscales, under the model with which the batch was chosen.

use cpu_time::ThreadTime;
use elbowroom::problems::Problem;
use elbowroom::rng::Stream;
use elbowroom::space::{Parameter, Point, SearchSpace};
use elbowroom::study::{ModelConfig, StrategyConfig, Study, StudyConfig, Trial};

use crate::Result;

/// Two points closer than this many lengthscales are near-duplicates.
pub const NEAR: f64 = 0.05;

/// A function of a point that threads can share.
pub type Function<'a> = Box<dyn Fn(&[f64]) -> f64 + Sync + 'a>;

/// A function to minimize on a box.
pub struct Objective<'a> {
    /// The lowest and the highest value of each coordinate.
    pub bounds: Vec<(f64, f64)>,
    /// The smallest value, if it is known; regret is relative to it.
    pub minimum: f64,
    /// The function.
    pub value: Function<'a>,
}

impl<'a> Objective<'a> {
    /// A test problem.
    pub fn of(problem: &'a Problem) -> Self {
        Self { bounds: problem.bounds.clone(), minimum: problem.minimum, value: Box::new(|x| problem.value(x)) }
    }

    /// The function at a point of the space.
    pub fn at(&self, point: &Point) -> f64 {
        let x: Vec<f64> = point.iter().filter_map(|(_, value)| value.as_f64()).collect();
        (self.value)(&x)
    }

    /// The box as a space to search.
    pub fn space(&self) -> Result<SearchSpace> {
        let parameter = |(i, b): (usize, &(f64, f64))| Parameter::float(format!("x{i}"), b.0, b.1);
        Ok(SearchSpace::new(self.bounds.iter().enumerate().map(parameter).collect())?)
    }

    /// `n` uniform points, the same for every method.
    pub fn initial(&self, n: usize, replicate: u64) -> Vec<Point> {
        let mut stream = Stream::new(replicate).child("initial points", 0);
        let mut point = || {
            self.bounds.iter().enumerate().fold(Point::new(), |point, (i, (low, high))| {
                point.with(format!("x{i}"), low + (high - low) * stream.uniform())
            })
        };
        (0..n).map(|_| point()).collect()
    }
}

/// When a race ends: at the first budget that is used up.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Points of a batch.
    pub n_batch: usize,
    /// Initial points.
    pub n_initial: usize,
    /// Batches.
    pub rounds: usize,
    /// Evaluations beyond the initial ones; the last batch is smaller if necessary.
    pub evaluations: usize,
    /// Counted work: a batch that would exceed it is not evaluated.
    pub work: f64,
    /// Seconds of this thread's CPU time for the whole race: a batch that is finished later is not evaluated.
    pub seconds: f64,
    /// Seconds of CPU time after which the race is abandoned.
    pub cap: f64,
}

impl Plan {
    /// Batches of `n_batch` points after `n_initial` uniform ones, with no limit.
    pub fn new(n_batch: usize, n_initial: usize) -> Self {
        let (rounds, evaluations) = (usize::MAX, usize::MAX);
        let (work, seconds, cap) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
        Self { n_batch, n_initial, rounds, evaluations, work, seconds, cap }
    }
}

/// The state after a batch or, for the first round, after the initial points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Round {
    /// Evaluations so far, including the initial ones.
    pub evaluations: usize,
    /// The smallest value so far.
    pub best: f64,
    /// Seconds of CPU time spent on choosing points so far.
    pub cpu: f64,
    /// The work counted for that.
    pub work: f64,
}

/// A finished race.
#[derive(Debug, Clone, PartialEq)]
pub struct RaceEnd {
    /// The states after the initial points, and after every batch.
    pub rounds: Vec<Round>,
    /// The true value at the recommended point arg max μ.
    pub recommended: f64,
    /// The share of near-duplicates among all points that are not the first of their batch.
    pub near: f64,
    /// Seconds of CPU time spent on choosing points, including a batch that was not evaluated.
    pub cpu: f64,
    /// Whether it was abandoned because of its CPU time.
    pub is_capped: bool,
}

impl RaceEnd {
    /// The state at the end.
    pub fn last(&self) -> Round {
        self.rounds[self.rounds.len() - 1]
    }
}

/// The approximate number of evaluations of the likelihood in a fit.
const FIT_EVALUATIONS: f64 = 60.0;

/// A study that has the initial points of a replicate, and the smallest value among them.
pub fn begin(
    objective: &Objective,
    strategy: StrategyConfig,
    model: ModelConfig,
    replicate: u64,
    n_initial: usize,
) -> Result<(Study, f64)> {
    let seed = Stream::new(replicate).child("study", 0).bits();
    let config = StudyConfig::new(objective.space()?).seed(seed).initial(n_initial);
    let mut study = Study::new(config.model(model).strategy(strategy))?;
    let mut best = f64::INFINITY;
    for point in objective.initial(n_initial, replicate) {
        let value = objective.at(&point);
        best = best.min(value);
        study.add(&point, value)?;
    }
    Ok((study, best))
}

/// Runs a method.
pub fn race(
    objective: &Objective,
    strategy: StrategyConfig,
    model: ModelConfig,
    replicate: u64,
    plan: &Plan,
) -> Result<RaceEnd> {
    let started = cpu_seconds();
    let (mut study, mut best) = begin(objective, strategy, model, replicate, plan.n_initial)?;
    let mut rounds = vec![Round { evaluations: plan.n_initial, best, cpu: 0.0, work: 0.0 }];
    let (mut near, mut could_be_near, mut is_capped) = (0, 0, false);
    let (mut cpu, mut work) = (0.0, 0.0);
    while rounds.len() <= plan.rounds {
        let left = plan.evaluations - (study.n_observed() - plan.n_initial).min(plan.evaluations);
        if left == 0 {
            break;
        }
        let before = cpu_seconds();
        let asked = study.ask(plan.n_batch.min(left))?;
        cpu += cpu_seconds() - before;
        work += counted(asked.work.total(), study.n_observed());
        is_capped = cpu > plan.cap;
        if is_capped || work > plan.work || cpu_seconds() - started > plan.seconds || asked.trials.is_empty() {
            break;
        }
        near += near_duplicates(&study, &asked.trials);
        could_be_near += asked.trials.len() - 1;
        for trial in &asked.trials {
            let value = objective.at(&trial.point);
            best = best.min(value);
            study.tell(trial.id, value)?;
        }
        rounds.push(Round { evaluations: study.n_observed(), best, cpu, work });
    }
    let recommended = study.highest_mean().map_or(f64::NAN, |found| objective.at(&found.point));
    Ok(RaceEnd { rounds, recommended, near: near as f64 / could_be_near.max(1) as f64, cpu, is_capped })
}

/// The work that counts for a batch. Random points need no model and count nothing by themselves; they are charged the
/// work of a fit, like the other methods, so that a race by work ends for them too.
fn counted(work: f64, n_observed: usize) -> f64 {
    if work > 0.0 { work } else { FIT_EVALUATIONS * (n_observed as f64).powi(3) }
}

/// The number of points of a batch with an earlier one too close; 0 if there is no model.
fn near_duplicates(study: &Study, batch: &[Trial]) -> usize {
    let Ok(model) = study.model() else { return 0 };
    let is_near =
        |a: &Trial, b: &Trial| model.posterior.squared_distance(a.unit.as_slice(), b.unit.as_slice()) < NEAR * NEAR;
    (1..batch.len()).filter(|&i| batch[..i].iter().any(|earlier| is_near(&batch[i], earlier))).count()
}

/// CPU seconds of this thread.
pub fn cpu_seconds() -> f64 {
    ThreadTime::now().as_duration().as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::{Track, strategy};

    #[test]
    fn methods_start_from_the_same_points_and_end_with_their_budget() {
        let problem = Problem::branin();
        let objective = Objective::of(&problem);
        let run = |name: &str, plan: &Plan| {
            race(&objective, strategy(name, Track::Modern).unwrap(), Track::Modern.model(), 3, plan).unwrap()
        };
        let rounds = Plan { rounds: 2, ..Plan::new(4, 6) };
        let (random, lp) = (run("random", &rounds), run("LP", &rounds));
        assert_eq!(random.rounds[0], lp.rounds[0]);
        assert_eq!(lp.rounds.iter().map(|r| r.evaluations).collect::<Vec<_>>(), [6, 10, 14]);
        assert_eq!(lp.near, 0.0);
        let evaluations = Plan { evaluations: 5, ..Plan::new(4, 6) };
        let counts: Vec<usize> = run("random", &evaluations).rounds.iter().map(|r| r.evaluations).collect();
        assert_eq!(counts, [6, 10, 11]);
    }
}
