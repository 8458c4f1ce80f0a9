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

/// Attempts that an estimate looks back at.
const RECENT: usize = 32;

/// An estimate of how long the rest of the budget will take, in seconds, if trials keep taking as long as the last ones
/// and as many run at once as now. None without a budget, if nothing is running, or before any trial has ended.
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
    let mean = recent.iter().sum::<f64>() / recent.len() as f64;
    let under_way: f64 = running.iter().map(|taken| (mean - taken).max(0.0)).sum();
    Some((not_handed_out * mean + under_way) / running.len() as f64)
}
