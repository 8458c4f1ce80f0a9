//! Trials as rows: filtered, sorted, a page at a time.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use elbowroom::error::Result;
use elbowroom::space::Value;
use elbowroom::study::{Source, Study, Trial, TrialId};
use serde::{Deserialize, Serialize};

use crate::attempts::{Attempt, latest};
use crate::axis::text;
use crate::filter::Filter;
use crate::scene::{Scene, TrialStatus};

/// The maximum number of rows of a page.
pub const MAX_ROWS: usize = 500;

/// An order of trials.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sort {
    /// By number.
    #[default]
    Trial,
    /// The best value first, trials without a value last.
    Value,
    /// By status.
    State,
    /// By one of the parameters.
    Parameter,
    /// By one of the results that are not optimized, the smallest first, trials without it last.
    Result,
    /// By the duration of the last attempt; trials that were never handed out come last.
    Duration,
    /// By the worker that ran the last attempt; trials that nobody ran come last.
    Worker,
}

/// Which trials to return, in which order.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Query {
    /// Only trials with this status; all if none is given.
    pub state: Option<TrialStatus>,
    /// Only trials with this text in their point, reason or notes, ignoring case.
    pub text: String,
    /// Only trials for which this expression is true, as in `elbow trials --where`; all if it is empty.
    #[serde(rename = "where")]
    pub condition: String,
    /// The order.
    pub sort: Sort,
    /// The parameter to sort by.
    pub parameter: Option<String>,
    /// The result to sort by.
    pub result: Option<String>,
    /// Whether the order is reversed.
    pub reverse: bool,
    /// The number of rows to skip.
    pub from: usize,
    /// The number of rows to return, up to [`MAX_ROWS`]; 50 if none is given.
    pub rows: Option<usize>,
}

/// A page of trials.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Table {
    /// The names of the parameters, in order.
    pub parameters: Vec<String>,
    /// The name of the optimized result, whose values the rows have.
    pub metric: String,
    /// The names of the other results, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<String>,
    /// The number of trials.
    pub n_trials: usize,
    /// The number of trials that match.
    pub n_found: usize,
    /// The number of the first row.
    pub from: usize,
    /// The rows.
    pub rows: Vec<Row>,
}

/// A trial.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Row {
    /// Its number.
    pub trial: u64,
    /// Its status.
    pub state: TrialStatus,
    /// Its value, if it has one.
    pub value: Option<f64>,
    /// The variance of its noise, if it is known.
    pub noise: Option<f64>,
    /// The values of its parameters, in order; none where the trial does not have the parameter.
    pub point: Vec<Option<Value>>,
    /// Its other results, in the order of their names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<Option<f64>>,
    /// Where the point came from.
    pub source: Source,
    /// How often it was handed out.
    pub attempts: u32,
    /// The worker that has it, or had it last.
    pub worker: Option<String>,
    /// The duration of its last attempt so far, in seconds; none if it was never handed out.
    pub seconds: Option<f64>,
    /// Why it has no value, if there is a reason.
    pub reason: Option<String>,
    /// Whether its results keep all limits; left out if there are no limits, or if it is not known yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feasible: Option<bool>,
    /// The results that it still waits for; left out if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waiting_for: Vec<String>,
}

/// The last attempt of each trial.
type Attempts = HashMap<TrialId, Attempt>;

/// A trial as a row.
fn row(scene: &Scene<'_>, attempts: &Attempts, trial: &Trial) -> Row {
    Row {
        trial: trial.id.0,
        state: scene.status(trial),
        value: trial.value(),
        noise: trial.noise(),
        point: settings(scene.study, trial),
        results: scene.study.outcomes().watched().map(|name| trial.result(name)).collect(),
        source: trial.source,
        attempts: trial.attempts,
        worker: worker(scene, attempts, trial).map(str::to_owned),
        seconds: attempts.get(&trial.id).map(Attempt::seconds),
        reason: trial.reason().map(str::to_owned),
        feasible: scene.study.is_feasible(trial).filter(|_| scene.study.outcomes().has_limits()),
        waiting_for: scene.study.awaited_results(trial).into_iter().map(str::to_owned).collect(),
    }
}

fn worker<'a>(scene: &'a Scene<'_>, attempts: &'a Attempts, trial: &Trial) -> Option<&'a str> {
    let holder = scene.holder(trial.id).map(|held| held.worker.as_str());
    holder.or_else(|| attempts.get(&trial.id).map(|one| one.worker.as_str()))
}

/// A page of the trials that match a query.
///
/// ```
/// use elbowroom::space::{Parameter, SearchSpace};
/// use elbowroom::study::{Study, StudyConfig};
/// use elbowroom_view::{Scene, table::{Query, Sort, table}};
///
/// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
/// let mut study = Study::new(StudyConfig::new(space))?;
/// for (trial, value) in study.ask(4)?.trials.iter().zip([2.0, 3.0, 1.0]) {
///     study.tell(trial.id, value)?;
/// }
/// let query = Query { sort: Sort::Value, rows: Some(2), ..Query::default() };
/// let page = table(&Scene::alone("plate", &study), &query)?;
/// assert_eq!((page.n_found, page.rows[0].value, page.rows[1].value), (4, Some(1.0), Some(2.0)));
///
/// study.tell(study.trials()[2].id, [("minutes", 12.0)])?;
/// let page = table(&Scene::alone("plate", &study), &query)?;
/// assert_eq!((&page.results[0][..], &page.rows[0].results[..]), ("minutes", &[Some(12.0)][..]));
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
///
/// # Errors
/// The condition is not an expression over the study's parameters and results.
pub fn table(scene: &Scene<'_>, query: &Query) -> Result<Table> {
    let study = scene.study;
    let wanted_text = query.text.trim().to_lowercase();
    let condition = query.condition.trim();
    let filter = (!condition.is_empty()).then(|| Filter::parse(condition, study)).transpose()?;
    let attempts = latest(scene);
    let wanted = |trial: &&Trial| {
        query.state.is_none_or(|state| scene.status(trial) == state)
            && (wanted_text.is_empty() || mentions(trial, &wanted_text))
            && filter.as_ref().is_none_or(|filter| filter.keeps(trial))
    };
    let mut found: Vec<&Trial> = study.trials().iter().filter(wanted).collect();
    let name = if query.sort == Sort::Result { &query.result } else { &query.parameter };
    let order = order(scene, &attempts, query.sort, name.as_deref());
    found.sort_by(|a, b| order(a, b));
    if query.reverse {
        found.reverse();
    }
    let rows = query.rows.unwrap_or(50).min(MAX_ROWS);
    let page = found.iter().skip(query.from).take(rows).map(|trial| row(scene, &attempts, trial));
    Ok(Table {
        parameters: names(scene),
        metric: study.outcomes().metric().to_owned(),
        results: watched(scene),
        n_trials: study.trials().len(),
        n_found: found.len(),
        from: query.from,
        rows: page.collect(),
    })
}

/// Trials with all orders and the list of each status, so that a report can filter and sort them by looking up. Orders
/// and lists are indices into `rows`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Listing {
    /// The names of the parameters, in order.
    pub parameters: Vec<String>,
    /// The name of the optimized result, whose values the rows have.
    pub metric: String,
    /// The names of the other results, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<String>,
    /// The number of trials, listed or not.
    pub n_trials: usize,
    /// The trials, by number.
    pub rows: Vec<Row>,
    /// The orders.
    pub orders: Orders,
    /// The trials of each state.
    pub states: BTreeMap<TrialStatus, Vec<usize>>,
    /// The text of each trial in which to search, in lower case.
    pub texts: Vec<String>,
}

/// Every order of a [`Listing`], as a [`Sort`] has it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Orders {
    /// By number.
    pub trial: Vec<usize>,
    /// The best value first.
    pub value: Vec<usize>,
    /// By status.
    pub state: Vec<usize>,
    /// By each of the parameters.
    pub parameter: Vec<Vec<usize>>,
    /// By each of the results that are not optimized.
    pub result: Vec<Vec<usize>>,
    /// By the duration of the last attempt.
    pub duration: Vec<usize>,
    /// By worker.
    pub worker: Vec<usize>,
}

/// The listing of the trials `ids`, as far as they exist.
///
/// ```
/// use elbowroom::space::{Parameter, SearchSpace};
/// use elbowroom::study::{Study, StudyConfig};
/// use elbowroom_view::{Scene, table::listing};
///
/// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
/// let mut study = Study::new(StudyConfig::new(space))?;
/// let ids: Vec<_> = study.ask(3)?.trials.iter().map(|trial| trial.id).collect();
/// for (id, value) in ids.iter().zip([2.0, 3.0, 1.0]) {
///     study.tell(*id, value)?;
/// }
/// assert_eq!(listing(&Scene::alone("plate", &study), &ids).orders.value, [2, 0, 1]);
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
pub fn listing(scene: &Scene<'_>, ids: &[TrialId]) -> Listing {
    let mut trials: Vec<&Trial> = ids.iter().filter_map(|id| scene.study.trial(*id).ok()).collect();
    trials.sort_by_key(|trial| trial.id);
    let attempts = latest(scene);
    let sorted = |sort: Sort, name: Option<&str>| {
        let order = order(scene, &attempts, sort, name);
        let mut indices: Vec<usize> = (0..trials.len()).collect();
        indices.sort_by(|&a, &b| order(trials[a], trials[b]));
        indices
    };
    let (parameters, results) = (names(scene), watched(scene));
    let orders = Orders {
        trial: sorted(Sort::Trial, None),
        value: sorted(Sort::Value, None),
        state: sorted(Sort::State, None),
        parameter: parameters.iter().map(|name| sorted(Sort::Parameter, Some(name))).collect(),
        result: results.iter().map(|name| sorted(Sort::Result, Some(name))).collect(),
        duration: sorted(Sort::Duration, None),
        worker: sorted(Sort::Worker, None),
    };
    let mut states: BTreeMap<TrialStatus, Vec<usize>> = TrialStatus::ALL.map(|state| (state, Vec::new())).into();
    for (i, trial) in trials.iter().enumerate() {
        states.entry(scene.status(trial)).or_default().push(i);
    }
    Listing {
        parameters,
        metric: scene.study.outcomes().metric().to_owned(),
        results,
        n_trials: scene.study.trials().len(),
        rows: trials.iter().map(|trial| row(scene, &attempts, trial)).collect(),
        orders,
        states,
        texts: trials.iter().map(|trial| searched(trial)).collect(),
    }
}

/// The values of a trial in the order of the parameters; none where it does not have one.
pub(crate) fn settings(study: &Study, trial: &Trial) -> Vec<Option<Value>> {
    study.space().parameters().iter().map(|parameter| trial.point.get(parameter.name()).cloned()).collect()
}

fn watched(scene: &Scene<'_>) -> Vec<String> {
    scene.study.outcomes().watched().map(str::to_owned).collect()
}

fn names(scene: &Scene<'_>) -> Vec<String> {
    scene.study.space().parameters().iter().map(|parameter| parameter.name().to_owned()).collect()
}

/// Which of two trials comes first; `name` is the parameter or the result to sort by, if the order needs one. Equal
/// ones stay in the order of their numbers.
fn order<'a>(
    scene: &'a Scene<'_>,
    attempts: &'a Attempts,
    sort: Sort,
    name: Option<&'a str>,
) -> impl Fn(&Trial, &Trial) -> Ordering + use<'a> {
    let (goal, space) = (scene.study.config().goal, scene.study.space());
    let named = |dim: &usize| Some(space.searched(*dim).name()) == name;
    let dim = (0..space.dim()).find(named);
    move |a, b| match sort {
        Sort::Trial => a.id.cmp(&b.id),
        Sort::State => scene.status(a).cmp(&scene.status(b)),
        // The best first: for minimization, the smallest.
        Sort::Value => smallest_first(a.value().map(|v| -goal.maximized(v)), b.value().map(|v| -goal.maximized(v))),
        Sort::Result => smallest_first(name.and_then(|name| a.result(name)), name.and_then(|name| b.result(name))),
        Sort::Duration => {
            let seconds = |trial: &Trial| attempts.get(&trial.id).map(Attempt::seconds);
            smallest_first(seconds(a), seconds(b))
        }
        Sort::Worker => {
            // Trials that nobody ran come last.
            let key = |trial: &Trial| worker(scene, attempts, trial).map_or((true, ""), |name| (false, name));
            key(a).cmp(&key(b))
        }
        // A parameter that is not searched has one value: nothing to sort by.
        Sort::Parameter => dim.map_or(Ordering::Equal, |dim| {
            let at = |trial: &Trial| space.active(&trial.unit)[dim].then(|| trial.unit[dim]);
            smallest_first(at(a), at(b))
        }),
    }
}

/// The smaller of two numbers comes first, and a missing one last.
fn smallest_first(a: Option<f64>, b: Option<f64>) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    }
}

/// Whether a trial has this number, or its searchable text contains the wanted text.
fn mentions(trial: &Trial, wanted: &str) -> bool {
    trial.id.to_string() == wanted || searched(trial).contains(wanted)
}

/// The searchable text of a trial: the values of its point, its reason and its notes, in lower case.
fn searched(trial: &Trial) -> String {
    let values = trial.point.iter().map(|(_, value)| text(value));
    let words = trial.reason().into_iter().chain(trial.notes.iter().map(String::as_str)).map(str::to_owned);
    values.chain(words).collect::<Vec<_>>().join("\n").to_lowercase()
}
