//! The trade-offs between results: the trials on the front, the others, and how the front grew.

use elbowroom::space::Value;
use elbowroom::study::{FrontAnswer, Goal, Limits, Study, Trial};
use serde::Serialize;

use crate::axis::{Tick, float_ticks, spans_decades};
use crate::scene::Scene;
use crate::table::settings;

/// The share of the range of values that is left free at each end of an axis.
const MARGIN: f64 = 0.04;

/// The front of a study, and the trials around it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Front {
    /// The front, as in answers of the command, HTTP and Python.
    #[serde(flatten)]
    pub front: FrontAnswer,
    /// All results as axes, the first objective's first.
    pub outcomes: Vec<OutcomeAxis>,
    /// The parameters' names, in order.
    pub parameters: Vec<String>,
    /// The trials with a result.
    pub trials: Vec<FrontTrial>,
    /// The number of trials that were left out to keep drawing fast: the earliest ones that are not on the front.
    pub n_left_out: usize,
}

/// A result as an axis.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OutcomeAxis {
    /// Its name.
    pub name: String,
    /// Whether smaller or larger values are better, for an objective.
    pub goal: Option<Goal>,
    /// The smallest acceptable value.
    pub at_least: Option<f64>,
    /// The largest acceptable value.
    pub at_most: Option<f64>,
    /// Where the axis starts.
    pub low: f64,
    /// Where it ends.
    pub high: f64,
    /// Whether it is logarithmic.
    pub log: bool,
    /// The ticks with their labels.
    pub ticks: Vec<Tick>,
}

/// A trial with its results.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FrontTrial {
    /// Its number.
    pub trial: u64,
    /// Its results, in the order of the axes.
    pub values: Vec<Option<f64>>,
    /// Whether it keeps all limits; none if that is not known yet.
    pub feasible: Option<bool>,
    /// Whether it is on the front.
    pub on_front: bool,
    /// The results that it still waits for.
    pub waiting_for: Vec<String>,
    /// The values of its parameters, in order; none where the trial does not have the parameter.
    pub point: Vec<Option<Value>>,
}

/// The front with at most `most` trials around it.
///
/// ```
/// use elbowroom::space::{Parameter, Point, SearchSpace};
/// use elbowroom::study::{Goal, Outcome, Outcomes, Study, StudyConfig};
/// use elbowroom_view::{Scene, views::front::front};
///
/// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
/// let outcomes = Outcomes::new(vec![
///     Outcome::objective("amount", Goal::Maximize),
///     Outcome::objective("cost", Goal::Minimize),
///     Outcome::watched("purity").at_least(95.0),
/// ])?;
/// let mut study = Study::new(StudyConfig::new(space).outcomes(outcomes))?;
/// study.add(&Point::new().with("x", 0.1), [("amount", 80.0), ("cost", 9.0), ("purity", 97.0)])?;
/// study.add(&Point::new().with("x", 0.2), [("amount", 90.0), ("cost", 3.0), ("purity", 50.0)])?;
/// study.add(&Point::new().with("x", 0.3), [("amount", 60.0), ("cost", 8.0)])?;
///
/// let front = front(&Scene::alone("plate", &study), 1000);
/// let shown: Vec<_> = front.trials.iter().map(|trial| (trial.on_front, trial.feasible)).collect();
/// assert_eq!(shown, [(true, Some(true)), (false, Some(false)), (false, None)]);
/// assert_eq!(front.trials[2].waiting_for, ["purity"]);
/// let purity = &front.outcomes[2];
/// assert!(purity.low < 50.0 && purity.high > 97.0 && purity.at_least == Some(95.0));
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
pub fn front(scene: &Scene<'_>, most: usize) -> Front {
    let study = scene.study;
    let front = study.front();
    let names: Vec<&str> = study.outcomes().names().collect();
    // With one objective, the best trial is not a front.
    let several = study.outcomes().has_several_objectives();
    let is_on_front = |trial: &Trial| several && front.points.binary_search_by_key(&trial.id, |one| one.trial).is_ok();
    let shown = |trial: &Trial| FrontTrial {
        trial: trial.id.0,
        values: names.iter().map(|name| trial.result(name)).collect(),
        feasible: study.is_feasible(trial),
        on_front: is_on_front(trial),
        waiting_for: study.awaited_results(trial).into_iter().map(str::to_owned).collect(),
        point: settings(study, trial),
    };
    let told: Vec<&Trial> = study.trials().iter().filter(|trial| trial.results().next().is_some()).collect();
    let mut n_over = told.len().saturating_sub(most);
    let kept = told.iter().filter(|trial| {
        let is_left_out = n_over > 0 && !is_on_front(trial);
        n_over -= usize::from(is_left_out);
        !is_left_out
    });
    let trials: Vec<FrontTrial> = kept.map(|trial| shown(trial)).collect();
    Front {
        outcomes: names.iter().enumerate().map(|(k, name)| axis(study, name, k, &trials)).collect(),
        parameters: study.space().parameters().iter().map(|parameter| parameter.name().to_owned()).collect(),
        n_left_out: told.len() - trials.len(),
        trials,
        front,
    }
}

/// An axis that has room for all values of a result, and for its limits.
fn axis(study: &Study, name: &str, k: usize, trials: &[FrontTrial]) -> OutcomeAxis {
    let objective = study.outcomes().objectives().iter().find(|objective| objective.name == name);
    let limits = study.outcomes().limits().find(|(limited, _)| *limited == name).map(|(_, limits)| limits);
    let Limits { at_least, at_most } = limits.unwrap_or_default();
    let told = || trials.iter().filter_map(|trial| trial.values[k]);
    let all = || told().chain(at_least).chain(at_most);
    let log = spans_decades(told()) && all().all(|value| value > 0.0);
    let (low, high) = all().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    let (low, high) = roomy(low, high, log);
    OutcomeAxis {
        name: name.to_owned(),
        goal: objective.map(|objective| objective.goal),
        at_least,
        at_most,
        low,
        high,
        log,
        ticks: float_ticks(low, high, log),
    }
}

/// A range with a margin; around a single value, a range of some width; without values, an arbitrary range.
fn roomy(low: f64, high: f64, log: bool) -> (f64, f64) {
    if low > high {
        return (0.0, 1.0);
    }
    if log {
        let margin = (high / low).powf(MARGIN);
        return (low / margin, high * margin);
    }
    // Halved first: the difference of 1e308 and -1e308 is infinite.
    let half = high / 2.0 - low / 2.0;
    let margin = if half > 0.0 { 2.0 * MARGIN * half } else { (low.abs() / 10.0).max(0.5) };
    ((low - margin).max(f64::MIN / 4.0), (high + margin).min(f64::MAX / 4.0))
}

#[cfg(test)]
mod tests {
    use elbowroom::space::{Parameter, Point, SearchSpace};
    use elbowroom::study::{Outcome, Outcomes, StudyConfig};

    use super::*;

    fn study(told: impl IntoIterator<Item = [(&'static str, f64); 2]>) -> Study {
        let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)]).unwrap();
        let both = ["loss", "cost"].map(|name| Outcome::objective(name, Goal::Minimize)).to_vec();
        let config = StudyConfig::new(space).outcomes(Outcomes::new(both).unwrap());
        let mut study = Study::new(config).unwrap();
        for (i, results) in told.into_iter().enumerate() {
            study.add(&Point::new().with("x", i as f64 / 100.0), results).unwrap();
        }
        study
    }

    #[test]
    fn what_is_on_the_front_is_never_left_out() {
        // The first two beat each other in one objective; all others are worse than the first in both.
        let told = (0..20).map(|i| match i {
            0 => [("loss", 1.0), ("cost", 2.0)],
            1 => [("loss", 2.0), ("cost", 1.0)],
            i => [("loss", 3.0 + f64::from(i)), ("cost", 3.0)],
        });
        let study = study(told);
        let front = front(&Scene::alone("plate", &study), 5);
        let shown: Vec<u64> = front.trials.iter().map(|trial| trial.trial).collect();
        assert_eq!((shown, front.n_left_out), (vec![0, 1, 17, 18, 19], 15));
    }

    #[test]
    fn many_decades_are_on_a_log_scale_and_every_value_is_within_its_axis() {
        let study = study([[("loss", 1e-6), ("cost", -1e308)], [("loss", 1e3), ("cost", 1e308)]]);
        let front = front(&Scene::alone("plate", &study), 5);
        let [loss, cost] = front.outcomes.as_slice() else { panic!("{front:?}") };
        assert!(loss.log && loss.low > 0.0 && loss.low < 1e-6 && loss.high > 1e3, "{loss:?}");
        assert!(!cost.log && cost.low.is_finite() && cost.high.is_finite(), "{cost:?}");
        assert!(loss.ticks.len() >= 2 && loss.ticks.iter().all(|tick| (0.0..=1.0).contains(&tick.at)), "{loss:?}");
    }

    #[test]
    fn a_study_without_results_has_axes_to_draw_nothing_on() {
        let study = study([]);
        let front = front(&Scene::alone("plate", &study), 5);
        assert!(front.trials.is_empty() && front.outcomes.iter().all(|axis| axis.low < axis.high));
    }
}
