//! The value of each trial in order, and the best so far.

use std::collections::BTreeMap;

use elbowroom::study::{Goal, Limits, Trial};
use serde::Serialize;

use crate::axis::spans_decades;
use crate::scene::{Scene, TrialStatus};

/// The values of a study in the order of its trials.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct History {
    /// Whether the optimized result is minimized or maximized.
    pub goal: Goal,
    /// The number of trials.
    pub n_trials: usize,
    /// The number of trials with a value.
    pub n_values: usize,
    /// Whether some values were left out to keep drawing fast: the extremes of every stretch of trials are kept.
    pub thinned: bool,
    /// Whether a logarithmic scale shows more.
    pub log: bool,
    /// Trials with a value…
    pub trial: Vec<u64>,
    /// …and the values.
    pub value: Vec<f64>,
    /// The trials that improved on all before…
    pub best_trial: Vec<u64>,
    /// …and their values.
    pub best_value: Vec<f64>,
    /// Trials that failed.
    pub failed: Vec<u64>,
    /// Trials at infeasible points.
    pub infeasible: Vec<u64>,
    /// Trials whose workers were lost too often.
    pub lost: Vec<u64>,
    /// Trials that are running.
    pub running: Vec<u64>,
    /// The name of the optimized result, whose values these are.
    pub metric: String,
    /// The limits of its values.
    #[serde(flatten)]
    pub limits: Limits,
    /// The other results.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub watched: Vec<WatchedHistory>,
}

/// A result besides the first objective, in the order of the trials.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WatchedHistory {
    /// Its name.
    pub name: String,
    /// Whether a logarithmic scale shows more.
    pub log: bool,
    /// Trials that have it…
    pub trial: Vec<u64>,
    /// …and its values.
    pub value: Vec<f64>,
    /// Whether smaller or larger values are better; left out unless it is an objective.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<Goal>,
    /// Of an objective: the trials that improved on all before…
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub best_trial: Vec<u64>,
    /// …and their values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub best_value: Vec<f64>,
    /// Its limits.
    #[serde(flatten)]
    pub limits: Limits,
}

/// The history with at most about `most` values and as many failures of each kind.
///
/// ```
/// use elbowroom::space::{Parameter, SearchSpace};
/// use elbowroom::study::{Study, StudyConfig};
/// use elbowroom_view::{Scene, views::history::history};
///
/// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
/// let mut study = Study::new(StudyConfig::new(space))?;
/// for (trial, value) in study.ask(3)?.trials.iter().zip([2.0, 3.0, 1.0]) {
///     study.tell(trial.id, value)?;
/// }
/// let history = history(&Scene::alone("plate", &study), 1000);
/// assert_eq!((history.best_trial, history.best_value), (vec![0, 2], vec![2.0, 1.0]));
///
/// study.tell(study.trials()[1].id, [("minutes", 12.0)])?;
/// let history = elbowroom_view::views::history::history(&Scene::alone("plate", &study), 1000);
/// let minutes = &history.watched[0];
/// assert_eq!((&minutes.name[..], &minutes.trial[..], &minutes.value[..]), ("minutes", &[1][..], &[12.0][..]));
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
pub fn history(scene: &Scene<'_>, most: usize) -> History {
    let goal = scene.study.config().goal;
    let mut valued = Vec::new();
    let mut standing: BTreeMap<TrialStatus, Vec<u64>> = BTreeMap::new();
    for trial in scene.study.trials() {
        standing.entry(scene.status(trial)).or_default().push(trial.id.0);
        valued.extend(trial.value().map(|value| (trial.id.0, value)));
    }
    let metric = scene.study.outcomes().metric();
    let (best_trial, best_value) = improvements(scene, metric, goal);
    let limits = scene.study.outcomes().limits().find(|(limited, _)| *limited == metric).map(|(_, limits)| limits);
    let n_values = valued.len();
    let shown = thin(&valued, most);
    let those = |wanted: TrialStatus| standing.get(&wanted).map_or(&[][..], Vec::as_slice);
    History {
        goal,
        n_trials: scene.study.trials().len(),
        n_values,
        thinned: shown.len() < n_values,
        log: spans_decades(valued.iter().map(|v| v.1)),
        trial: shown.iter().map(|v| v.0).collect(),
        value: shown.iter().map(|v| v.1).collect(),
        best_trial,
        best_value,
        failed: every(those(TrialStatus::Failed), most),
        infeasible: every(those(TrialStatus::Infeasible), most),
        lost: every(those(TrialStatus::Lost), most),
        running: those(TrialStatus::Running).to_vec(),
        metric: metric.to_owned(),
        limits: limits.unwrap_or_default(),
        watched: scene.study.outcomes().watched().map(|name| watched(scene, name, most)).collect(),
    }
}

/// The trials that improved on all before, with their values. A trial that breaks a limit is not an improvement.
fn improvements(scene: &Scene<'_>, name: &str, goal: Goal) -> (Vec<u64>, Vec<f64>) {
    let study = scene.study;
    let counts = |trial: &&Trial| {
        trial.value().is_some() && (!study.outcomes().has_limits() || study.is_feasible(trial) == Some(true))
    };
    let (mut best_trial, mut best_value) = (Vec::new(), Vec::new());
    for trial in study.trials().iter().filter(counts) {
        let Some(value) = trial.result(name) else { continue };
        if best_value.last().is_none_or(|best| goal.is_better(value, *best)) {
            best_trial.push(trial.id.0);
            best_value.push(value);
        }
    }
    (best_trial, best_value)
}

fn watched(scene: &Scene<'_>, name: &str, most: usize) -> WatchedHistory {
    let outcomes = scene.study.outcomes();
    let goal = outcomes.objectives().iter().find(|objective| objective.name == name).map(|objective| objective.goal);
    let limits = outcomes.limits().find(|(limited, _)| *limited == name).map(|(_, limits)| limits).unwrap_or_default();
    let (best_trial, best_value) = goal.map(|goal| improvements(scene, name, goal)).unwrap_or_default();
    let told = scene.study.trials().iter().filter_map(|trial| Some((trial.id.0, trial.result(name)?)));
    let told: Vec<(u64, f64)> = told.collect();
    let shown = thin(&told, most);
    let (trial, value) = shown.into_iter().unzip();
    let log = spans_decades(told.iter().map(|v| v.1));
    WatchedHistory { name: name.to_owned(), log, trial, value, goal, best_trial, best_value, limits }
}

/// The smallest and the largest value of each stretch, in order: they look the same as all values would.
fn thin(valued: &[(u64, f64)], most: usize) -> Vec<(u64, f64)> {
    if valued.len() <= most.max(2) {
        return valued.to_vec();
    }
    let n_stretches = (most / 2).max(1);
    let mut shown = Vec::with_capacity(2 * n_stretches);
    for s in 0..n_stretches {
        let stretch = &valued[s * valued.len() / n_stretches..(s + 1) * valued.len() / n_stretches];
        let low = stretch.iter().min_by(|a, b| a.1.total_cmp(&b.1));
        let high = stretch.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        let mut ends: Vec<(u64, f64)> = low.into_iter().chain(high).copied().collect();
        ends.sort_by_key(|end| end.0);
        ends.dedup_by_key(|end| end.0);
        shown.extend(ends);
    }
    shown
}

fn every(all: &[u64], most: usize) -> Vec<u64> {
    all.iter().step_by(all.len().div_ceil(most.max(1)).max(1)).copied().collect()
}

#[cfg(test)]
mod tests {
    use elbowroom::space::{Parameter, Point, SearchSpace};
    use elbowroom::study::{Outcome, Outcomes, Study, StudyConfig};

    use super::*;

    #[test]
    fn what_breaks_a_limit_is_no_improvement() {
        let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)]).unwrap();
        let list = vec![
            Outcome::objective("amount", Goal::Maximize),
            Outcome::objective("cost", Goal::Minimize),
            Outcome::watched("purity").at_least(95.0),
        ];
        let config = StudyConfig::new(space).outcomes(Outcomes::new(list).unwrap());
        let mut study = Study::new(config).unwrap();
        for (x, amount, cost, purity) in [(0.1, 80.0, 9.0, 90.0), (0.2, 60.0, 8.0, 96.0), (0.3, 70.0, 8.5, 99.0)] {
            let told = [("amount", amount), ("cost", cost), ("purity", purity)];
            study.add(&Point::new().with("x", x), told).unwrap();
        }
        let history = history(&Scene::alone("plate", &study), 1000);
        assert_eq!((history.best_trial, history.best_value), (vec![1, 2], vec![60.0, 70.0]));
        let [cost, purity] = history.watched.as_slice() else { panic!("{:?}", history.watched) };
        assert_eq!(
            (cost.goal, &cost.best_trial[..], &cost.best_value[..]),
            (Some(Goal::Minimize), &[1][..], &[8.0][..])
        );
        assert_eq!((purity.goal, purity.limits.at_least, purity.best_trial.len()), (None, Some(95.0), 0));
    }

    #[test]
    fn thinning_keeps_the_extremes_and_the_order() {
        let valued: Vec<(u64, f64)> = (0..10_000).map(|i| (i, ((i * 7919) % 10_007) as f64)).collect();
        let shown = thin(&valued, 100);
        assert!(shown.len() <= 100 && shown.is_sorted_by_key(|v| v.0));
        let span = |all: &[(u64, f64)]| {
            let values = || all.iter().map(|v| v.1);
            (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max))
        };
        assert_eq!(span(&shown), span(&valued));
        assert_eq!(thin(&valued[..50], 100), &valued[..50]);
    }
}
