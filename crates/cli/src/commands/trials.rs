//! `elbow trials`: a list of trials, filtered and sorted.

use std::cmp::Ordering;

use anyhow::Result;
use elbowroom::space::{Parameter, SearchSpace, Value as Setting};
use elbowroom::study::{Study, Trial};
use elbowroom_store::SharedStudy;
use serde_json::{Value, json};

use super::answer;
use crate::args::Trials;
use crate::fault::fault;
use crate::place::Place;
use crate::table::table;
use crate::words::{self, brief, number, short};

/// Lists them.
pub fn trials(args: &Trials, json: bool) -> Result<()> {
    let study = Place::find(&args.study)?.open()?;
    let chosen = choose(&study, args)?;
    answer(
        json,
        || json!({ "trials": chosen.iter().map(|trial| words::trial(&study, trial)).collect::<Vec<Value>>() }),
        || in_words(&study, &chosen),
    )
}

fn choose<'a>(study: &'a SharedStudy, args: &Trials) -> Result<Vec<&'a Trial>> {
    let condition = args.condition.as_deref().map(|text| Condition::parse(text, study.study())).transpose()?;
    let stands = |trial: &Trial| args.state.is_empty() || args.state.contains(&study.standing(trial));
    let wanted = |trial: &&Trial| stands(trial) && condition.as_ref().is_none_or(|condition| condition.holds(trial));
    let mut chosen: Vec<&Trial> = study.study().trials().iter().filter(wanted).collect();
    let goal = study.study().config().goal;
    match args.sort.as_str() {
        "trial" => {}
        "state" => chosen.sort_by_key(|trial| study.standing(trial).word()),
        // The best first; those without a value last.
        "value" => chosen.sort_by(|a, b| match (a.value(), b.value()) {
            (Some(a), Some(b)) => goal.maximized(b).total_cmp(&goal.maximized(a)),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => Ordering::Equal,
        }),
        name => {
            let names: Vec<&str> = study.study().space().parameters().iter().map(|p| p.name()).collect();
            if !names.contains(&name) {
                let hint = format!("take one of trial, value, state, {}", names.join(", "));
                return Err(fault(format!("trials have no `{name}` to be sorted by"), hint));
            }
            chosen.sort_by(|a, b| order(a.point.get(name), b.point.get(name)));
        }
    }
    if args.reverse {
        chosen.reverse();
    }
    chosen.truncate(args.limit.unwrap_or(usize::MAX));
    Ok(chosen)
}

/// Numbers by size, texts by the alphabet, false before true.
fn order(a: Option<&Setting>, b: Option<&Setting>) -> Ordering {
    let [x, y] = [a, b].map(|value| value.and_then(Setting::as_f64));
    let by_size = x.zip(y).map(|(x, y)| x.total_cmp(&y));
    by_size.unwrap_or_else(|| a.map(Setting::to_string).cmp(&b.map(Setting::to_string)))
}

/// What is asked of a trial: a constraint on a space that has the value as a further parameter.
struct Condition {
    with_value: SearchSpace,
    /// None if the condition is about the value, which some trials do not have.
    without_value: Option<SearchSpace>,
}

/// What the value is called in a condition, unless a parameter is called so.
const VALUE: &str = "value";

/// Beyond this, values are all alike to a condition: a range has to have a width.
const LARGEST: f64 = f64::MAX / 4.0;

impl Condition {
    fn parse(text: &str, study: &Study) -> Result<Self> {
        let mut parameters = study.space().parameters().to_vec();
        let without_value = SearchSpace::new(parameters.clone())?.with_constraints([text]).ok();
        if parameters.iter().all(|parameter| parameter.name() != VALUE) {
            parameters.push(Parameter::float(VALUE, -LARGEST, LARGEST));
        }
        let with_value = SearchSpace::new(parameters)?.with_constraints([text])?;
        Ok(Self { with_value, without_value })
    }

    fn holds(&self, trial: &Trial) -> bool {
        let (space, point) = match (trial.value(), &self.without_value) {
            (_, Some(space)) => (space, trial.point.clone()),
            (Some(value), None) => (&self.with_value, trial.point.clone().with(VALUE, value.clamp(-LARGEST, LARGEST))),
            (None, None) => return false,
        };
        space.broken_constraint(&point).is_ok_and(|broken| broken.is_none())
    }
}

fn in_words(study: &SharedStudy, trials: &[&Trial]) -> String {
    if trials.is_empty() {
        return "no trials\n".to_owned();
    }
    let names: Vec<&str> = study.study().space().parameters().iter().map(|parameter| parameter.name()).collect();
    let with_reasons = trials.iter().any(|trial| words::reason(trial).is_some());
    let mut head = vec!["trial", "state", "value"];
    head.extend(&names);
    head.extend(with_reasons.then_some("reason"));
    let with_notes = trials.iter().any(|trial| !trial.notes.is_empty());
    head.extend(with_notes.then_some("notes"));
    let mut rows = vec![head.into_iter().map(str::to_owned).collect::<Vec<_>>()];
    for trial in trials {
        let mut row = vec![trial.id.to_string(), study.standing(trial).word().to_owned()];
        row.push(trial.value().map_or_else(|| "-".to_owned(), number));
        row.extend(names.iter().map(|name| trial.point.get(name).map_or_else(String::new, short)));
        row.extend(with_reasons.then(|| words::reason(trial).map_or_else(String::new, |text| brief(text, 60))));
        row.extend(with_notes.then(|| brief(&trial.notes.join("; "), 60)));
        rows.push(row);
    }
    table(&rows)
}
