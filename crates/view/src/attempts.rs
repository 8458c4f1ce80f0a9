//! How long trials took, who ran them, and how long the rest will take.

use std::collections::HashMap;

use elbowroom::study::TrialId;
pub use elbowroom_store::TrialAttempt as Attempt;

use crate::scene::{Scene, TrialStatus};

fn attempts(scene: &Scene<'_>) -> Vec<Attempt> {
    elbowroom_store::attempts(scene.study.events(), &scene.times, &scene.statuses, scene.now)
}

/// The last attempt of each trial that was ever handed out.
pub fn latest(scene: &Scene<'_>) -> HashMap<TrialId, Attempt> {
    attempts(scene).into_iter().map(|one| (one.trial, one)).collect()
}

/// The number of recent attempts that an estimate uses.
const RECENT: usize = 32;

/// An estimate of how long the rest of the budget will take, in seconds, if trials keep taking as long as the last ones
/// and as many run at once as now. A trial that has run for longer than those counts with its time so far, since trials
/// evidently take longer now. `None` without a budget, if nothing is running, or before any trial has ended.
///
/// ```
/// use elbowroom::space::{Parameter, SearchSpace};
/// use elbowroom::study::{Study, StudyConfig};
/// use elbowroom_view::{Scene, attempts::seconds_left};
///
/// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
/// let mut study = Study::new(StudyConfig::new(space).budget(5))?;
/// let trial = study.ask(1)?.trials[0].id;
/// study.tell(trial, 0.5)?;
/// study.ask(2)?;
/// // The first trial took 10 s. Two have run for 4 s: 6 s each to go, and 10 s for each of two more, on two workers.
/// let scene = Scene { times: vec![0, 0, 10_000, 10_000], now: 14_000, ..Scene::alone("plate", &study) };
/// assert_eq!(seconds_left(&scene), Some(16.0));
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
pub fn seconds_left(scene: &Scene<'_>) -> Option<f64> {
    let not_handed_out = scene.study.config().budget?.saturating_sub(scene.study.trials().len()) as f64;
    let all = attempts(scene);
    let ended =
        |one: &&Attempt| matches!(one.end, TrialStatus::Complete | TrialStatus::Failed | TrialStatus::Infeasible);
    let recent: Vec<f64> = all.iter().rev().filter(ended).take(RECENT).map(Attempt::seconds).collect();
    let running: Vec<f64> = all.iter().filter(|one| one.end == TrialStatus::Running).map(Attempt::seconds).collect();
    if recent.is_empty() || running.is_empty() {
        return None;
    }
    let mean_of = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
    let usual = mean_of(&recent);
    let slower = running.iter().copied().filter(|taken| *taken > usual);
    let mean = mean_of(&recent.iter().copied().chain(slower).collect::<Vec<f64>>());
    let under_way: f64 = running.iter().map(|taken| (mean - taken).max(0.0)).sum();
    Some((not_handed_out * mean + under_way) / running.len() as f64)
}

#[cfg(test)]
mod tests {
    use elbowroom::space::{Parameter, SearchSpace};
    use elbowroom::study::{Study, StudyConfig};

    use super::*;

    #[test]
    fn trials_that_take_longer_than_the_last_ones_slow_the_estimate_down() {
        let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)]).unwrap();
        let mut study = Study::new(StudyConfig::new(space).budget(5)).unwrap();
        let trial = study.ask(1).unwrap().trials[0].id;
        study.tell(trial, 0.5).unwrap();
        study.ask(1).unwrap();
        // One took 10 s, and one has run for 50 s: 30 s on average for each of the three that are left.
        let scene = Scene { times: vec![0, 0, 10_000, 10_000], now: 60_000, ..Scene::alone("plate", &study) };
        assert_eq!(seconds_left(&scene), Some(90.0));
    }
}
