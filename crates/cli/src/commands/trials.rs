//! `elbow trials`: a list of trials, filtered and sorted.

use std::cmp::Ordering;

use anyhow::Result;
use elbowroom::study::Trial;
use elbowroom_store::{SharedStudy, Standing};
use serde_json::{Value, json};

use super::answer;
use crate::args::{Sort, State, Trials};
use crate::place::Place;
use crate::table::table;
use crate::words::{self, brief, number, short};

/// Lists them.
pub fn trials(args: &Trials, json: bool) -> Result<()> {
    let study = Place::find(&args.study)?.open()?;
    let chosen = choose(&study, args);
    answer(
        json,
        || json!({ "trials": chosen.iter().map(|trial| words::trial(&study, trial)).collect::<Vec<Value>>() }),
        || in_words(&study, &chosen),
    )
}

fn choose<'a>(study: &'a SharedStudy, args: &Trials) -> Vec<&'a Trial> {
    let wanted = |trial: &&Trial| args.state.is_empty() || args.state.contains(&state(study.standing(trial)));
    let mut chosen: Vec<&Trial> = study.study().trials().iter().filter(wanted).collect();
    let goal = study.study().config().goal;
    match args.sort {
        Sort::Trial => {}
        Sort::State => chosen.sort_by_key(|trial| words::standing(study.standing(trial))),
        // The best first; those without a value last.
        Sort::Value => chosen.sort_by(|a, b| match (a.value(), b.value()) {
            (Some(a), Some(b)) => goal.maximized(b).total_cmp(&goal.maximized(a)),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => Ordering::Equal,
        }),
    }
    if args.reverse {
        chosen.reverse();
    }
    chosen.truncate(args.limit.unwrap_or(usize::MAX));
    chosen
}

fn state(standing: Standing) -> State {
    match standing {
        Standing::Running => State::Running,
        Standing::Queued => State::Queued,
        Standing::Lost => State::Lost,
        Standing::Complete => State::Complete,
        Standing::Failed => State::Failed,
        Standing::Infeasible => State::Infeasible,
        Standing::Released => State::Released,
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
        let mut row = vec![trial.id.to_string(), words::standing(study.standing(trial)).to_owned()];
        row.push(trial.value().map_or_else(|| "-".to_owned(), number));
        row.extend(names.iter().map(|name| trial.point.get(name).map_or_else(String::new, short)));
        row.extend(with_reasons.then(|| words::reason(trial).map_or_else(String::new, |text| brief(text, 60))));
        row.extend(with_notes.then(|| brief(&trial.notes.join("; "), 60)));
        rows.push(row);
    }
    table(&rows)
}
