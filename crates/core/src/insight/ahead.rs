//! How well the model predicted each result from those before it.

use crate::belief::{ENOUGH, Errors, Outlook};
use crate::study::{Event, Study};

/// The number of results to predict from those before them.
const AHEAD: usize = 24;

/// The number of models that predict them, and the number of results beyond which there is only one, since a fit then
/// takes a while.
const STAGES: usize = 4;
const MANY: usize = 200;

/// The errors of the model on the last results, each predicted from those before it: at most 24 of them, by four
/// models, or by one if there are more than 200 results. It takes a fit for each model.
///
/// A held-out result is predicted from its neighbours, which the search has placed around it since; a future result
/// does not have such neighbours, and predictions are needed for future results. None if there are too few results.
///
/// ```
/// use elbowroom::insight::results_ahead;
/// use elbowroom::space::{Parameter, Point, SearchSpace};
/// use elbowroom::study::{Study, StudyConfig};
///
/// let mut study = Study::new(StudyConfig::new(SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?))?;
/// for i in 0..20 {
///     let x = f64::from(i * 7 % 20) / 19.0;
///     study.add(&Point::new().with("x", x), (5.0 * x).sin())?;
/// }
/// let ahead = results_ahead(&study).unwrap();
/// assert!(ahead.n == 10 && !ahead.misses_too_often());
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
pub fn results_ahead(study: &Study) -> Option<Errors> {
    let told = |event: &Event| matches!(event, Event::Told { .. } | Event::Added { value: Some(_), .. });
    let places: Vec<usize> = (0..study.events().len()).filter(|i| told(&study.events()[*i])).collect();
    let n = AHEAD.min(places.len() / 2);
    if n < ENOUGH {
        return None;
    }
    let last = &places[places.len() - n..];
    let mut squares = Vec::with_capacity(n);
    let n_stages = if places.len() > MANY { 1 } else { STAGES };
    for stage in last.chunks(n.div_ceil(n_stages)) {
        let before = Study::replay(study.events()[..stage[0]].iter().cloned()).ok()?;
        let outlook = before.said().ok()?;
        squares.extend(stage.iter().filter_map(|i| square_error(study, &outlook, &study.events()[*i])));
    }
    Some(Errors::of(&squares))
}

fn square_error(study: &Study, outlook: &Outlook, told: &Event) -> Option<f64> {
    let (Event::Told { trial, value, noise, .. } | Event::Added { trial, value: Some(value), noise, .. }) = told else {
        return None;
    };
    let unit = &study.trial(*trial).ok()?.unit;
    Some(outlook.deviations(unit, study.config().goal.maximized(*value), *noise).powi(2))
}
