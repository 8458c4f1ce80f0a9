//! Trials as rows: filtered, sorted, a page at a time.

use std::cmp::Ordering;

use elbowroom::space::Value;
use elbowroom::study::{Source, Trial};
use serde::{Deserialize, Serialize};

use crate::axis::text;
use crate::scene::{Scene, Standing, reason};

/// The most rows of one page.
pub const MAX_ROWS: usize = 500;

/// An order of trials.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sort {
    /// By number.
    #[default]
    Trial,
    /// The best value first, those without one last.
    Value,
    /// By how they stand.
    State,
    /// By one of the parameters.
    Parameter,
}

/// Which trials, in which order.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Query {
    /// Only those that stand so; all if there is none.
    pub state: Option<Standing>,
    /// Only those in whose point, reason or notes this stands; case does not matter.
    pub text: String,
    /// In which order.
    pub sort: Sort,
    /// The parameter to sort by.
    pub parameter: Option<String>,
    /// The other way round.
    pub reverse: bool,
    /// Rows to pass over.
    pub from: usize,
    /// Rows to give, up to [`MAX_ROWS`]; 50 if none is given.
    pub rows: Option<usize>,
}

/// A page of trials.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Table {
    /// The names of the parameters, in order.
    pub parameters: Vec<String>,
    /// How many trials there are.
    pub n_trials: usize,
    /// How many of them are wanted.
    pub n_found: usize,
    /// The number of the first row.
    pub from: usize,
    /// The rows.
    pub rows: Vec<Row>,
}

/// A trial.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// Its number.
    pub trial: u64,
    /// How it stands.
    pub state: Standing,
    /// Its value, if it has one.
    pub value: Option<f64>,
    /// The variance of its noise, if it is known.
    pub noise: Option<f64>,
    /// The values of its parameters, in order.
    pub point: Vec<Value>,
    /// Where the point came from.
    pub source: Source,
    /// How often it was handed out.
    pub attempts: u32,
    /// Who has it.
    pub worker: Option<String>,
    /// Why it has no value.
    pub reason: Option<String>,
}

/// A trial as a row.
pub fn row(scene: &Scene<'_>, trial: &Trial) -> Row {
    Row {
        trial: trial.id.0,
        state: scene.standing(trial),
        value: trial.value(),
        noise: trial.noise(),
        point: trial.point.iter().map(|(_, value)| value.clone()).collect(),
        source: trial.source,
        attempts: trial.attempts,
        worker: scene.holder(trial.id).map(|held| held.worker.clone()),
        reason: reason(trial).map(str::to_owned),
    }
}

/// A page of the trials that a query wants.
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
/// let page = table(&Scene::alone("plate", &study), &query);
/// assert_eq!((page.n_found, page.rows[0].value, page.rows[1].value), (4, Some(1.0), Some(2.0)));
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
pub fn table(scene: &Scene<'_>, query: &Query) -> Table {
    let study = scene.study;
    let parameters: Vec<String> = study.space().parameters().iter().map(|p| p.name().to_owned()).collect();
    let wanted_text = query.text.trim().to_lowercase();
    let wanted = |trial: &&Trial| {
        query.state.is_none_or(|state| scene.standing(trial) == state)
            && (wanted_text.is_empty() || mentions(trial, &wanted_text))
    };
    let mut found: Vec<&Trial> = study.trials().iter().filter(wanted).collect();
    let goal = study.config().goal;
    match query.sort {
        Sort::Trial => {}
        Sort::State => found.sort_by_key(|trial| scene.standing(trial)),
        Sort::Value => found.sort_by(|a, b| match (a.value(), b.value()) {
            (Some(a), Some(b)) => goal.maximized(b).total_cmp(&goal.maximized(a)),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => Ordering::Equal,
        }),
        Sort::Parameter => {
            let space = study.space();
            let named = |dim: &usize| Some(space.searched(*dim).name()) == query.parameter.as_deref();
            // A parameter that is not searched has one value: nothing to sort by.
            if let Some(dim) = (0..space.dim()).find(named) {
                found.sort_by(|a, b| a.unit[dim].total_cmp(&b.unit[dim]));
            }
        }
    }
    if query.reverse {
        found.reverse();
    }
    let rows = query.rows.unwrap_or(50).min(MAX_ROWS);
    let page = found.iter().skip(query.from).take(rows).map(|trial| row(scene, trial));
    Table { parameters, n_trials: study.trials().len(), n_found: found.len(), from: query.from, rows: page.collect() }
}

fn mentions(trial: &Trial, wanted: &str) -> bool {
    let has = |text: &str| text.to_lowercase().contains(wanted);
    trial.id.to_string() == wanted
        || trial.point.iter().any(|(_, value)| has(&text(value)))
        || reason(trial).is_some_and(has)
        || trial.notes.iter().any(|note| has(note))
}
