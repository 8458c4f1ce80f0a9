//! What a run wasted, and what it found.

use elbowroom::error::Result;
use elbowroom::space::{Parameter, Point, SearchSpace};

use super::problems::FailingProblem;

/// The distance that counts as the same place, as a part of the range.
pub const NEAR: f64 = 1e-3;

/// One trial of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// The point.
    pub point: Point,
    /// The value; `None` if it failed.
    pub value: Option<f64>,
    /// Whether it came from the initial design, if known.
    pub design: Option<bool>,
}

/// What a run wasted and found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    /// Trials.
    pub trials: usize,
    /// Trials without a value.
    pub failed: usize,
    /// The failed trials that came from the initial design, if known.
    pub failed_design: Option<usize>,
    /// The longest series of failures, by the trials' numbers.
    pub streak: usize,
    /// Failed trials that are [`NEAR`] an earlier failed one in every coordinate: floats as the search sees them (on a
    /// log scale if they have one), with equal integers and categories.
    pub near: usize,
    /// The same among all trials, including those with a value.
    pub near_any: usize,
    /// Like `near_any`, with [`NEAR`] times the range in the user's own units, for integers too.
    pub near_raw: usize,
    /// The best value; infinite if there is none.
    pub best: f64,
    /// The difference between the best value and the smallest value of a point that does not fail.
    pub regret: f64,
}

impl Score {
    /// The score of a run's trials, in the order of their numbers.
    pub fn of(problem: &FailingProblem, attempts: &[Attempt]) -> Result<Self> {
        Self::in_space(&problem.space, problem.best, attempts)
    }

    /// Like [`of`](Self::of), for a function that is not one of our problems; `least` is its smallest value, or NaN.
    pub fn in_space(space: &SearchSpace, least: f64, attempts: &[Attempt]) -> Result<Self> {
        let failed = |a: &&Attempt| a.value.is_none();
        let nearby = Nearby::of(space, attempts)?;
        let best = attempts.iter().filter_map(|a| a.value).fold(f64::INFINITY, f64::min);
        let known = attempts.iter().all(|a| a.design.is_some());
        Ok(Self {
            trials: attempts.len(),
            failed: attempts.iter().filter(failed).count(),
            failed_design: known.then(|| attempts.iter().filter(failed).filter(|a| a.design == Some(true)).count()),
            streak: attempts.split(|a| a.value.is_some()).map(<[_]>::len).max().unwrap_or(0),
            near: nearby.near,
            near_any: nearby.near_any,
            near_raw: nearby.near_raw,
            best,
            regret: best - least,
        })
    }
}

/// How many trials came back to a place where an earlier one had failed.
#[derive(Default)]
struct Nearby {
    near: usize,
    near_any: usize,
    near_raw: usize,
}

impl Nearby {
    fn of(space: &SearchSpace, attempts: &[Attempt]) -> Result<Self> {
        let units = attempts.iter().map(|a| space.encode(&a.point)).collect::<Result<Vec<_>>>()?;
        let mut count = Self::default();
        for (i, attempt) in attempts.iter().enumerate() {
            let earlier = || (0..i).filter(|&j| attempts[j].value.is_none());
            let searched = earlier().any(|j| {
                (0..space.dim()).all(|k| {
                    // The coordinate of an integer or a category is always the same number.
                    let continuous = space.dimensions()[k].levels().is_none();
                    (units[i][k] - units[j][k]).abs() <= if continuous { NEAR } else { 0.0 }
                })
            });
            let raw = earlier().any(|j| near_raw(space, &attempt.point, &attempts[j].point));
            count.near += usize::from(searched && attempt.value.is_none());
            count.near_any += usize::from(searched);
            count.near_raw += usize::from(raw);
        }
        Ok(count)
    }
}

fn near_raw(space: &SearchSpace, a: &Point, b: &Point) -> bool {
    space.parameters().iter().all(|parameter| {
        let (Some(x), Some(y)) = (a.get(parameter.name()), b.get(parameter.name())) else { return false };
        let within = |low: f64, high: f64| match (x.as_f64(), y.as_f64()) {
            (Some(x), Some(y)) => (x - y).abs() <= NEAR * (high - low),
            _ => false,
        };
        match *parameter {
            Parameter::Float { low, high, .. } => within(low, high),
            Parameter::Int { low, high, .. } => within(low as f64, high as f64),
            _ => x.is_same_as(y),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::problems::named;
    use super::*;

    fn at(x: f64, layers: i64, optimizer: &str, value: Option<f64>) -> Attempt {
        let point = Point::new().with("rate", x).with("layers", layers).with("optimizer", optimizer);
        Attempt { point, value, design: None }
    }

    #[test]
    fn a_trial_is_near_a_failure_if_it_is_in_every_coordinate() {
        let problem = named("diverge").expect("a problem");
        // Five decades: a thousandth of the range is a factor of 10^0.005 = 1.0116.
        let attempts = [
            at(0.5, 3, "adam", None),
            at(0.505, 3, "adam", None),
            at(0.505, 3, "sgd", None),
            at(0.505, 4, "adam", None),
            at(0.52, 3, "adam", None),
            at(0.5005, 3, "adam", Some(1.0)),
        ];
        let score = Score::of(&problem, &attempts).expect("points of the space");
        assert_eq!((score.near, score.near_any), (1, 2));
        // In the user's own units a thousandth of the range is 0.001.
        assert_eq!(score.near_raw, 1);
        assert_eq!((score.trials, score.failed, score.streak), (6, 5, 5));
        assert_eq!((score.best, score.regret), (1.0, 1.0 - problem.best));
    }

    #[test]
    fn what_comes_before_a_failure_is_not_near_it() {
        let problem = named("diverge").expect("a problem");
        let attempts = [at(0.5, 3, "adam", Some(0.3)), at(0.5, 3, "adam", None), at(0.4, 3, "adam", None)];
        let score = Score::of(&problem, &attempts).expect("points of the space");
        assert_eq!((score.near, score.near_any, score.near_raw), (0, 0, 0));
    }
}
