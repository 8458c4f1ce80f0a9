//! `elbow trials`: a list of trials, filtered and sorted.

use std::cmp::Ordering;

use anyhow::Result;
use elbowroom::space::Value as Setting;
use elbowroom::study::Trial;
use elbowroom_store::{SharedStudy, StatusAnswer};
use elbowroom_view::cells::column;
use elbowroom_view::filter::Filter;
use serde_json::json;

use super::answer;
use crate::address::Address;
use crate::args::Trials;
use crate::error::cli_error;
use crate::format::{brief, brief_value, number};
use crate::table::{table, width};

/// The maximum length of a reason: as much as fits on a line of a very wide terminal. A table cuts further if needed.
const MOST: usize = 300;

/// Lists them.
pub fn trials(args: &Trials, json: bool) -> Result<()> {
    let study = Address::find(&args.study)?.open()?;
    let chosen = choose(&study, args)?;
    answer(
        json,
        || json!({ "trials": chosen.iter().map(|trial| StatusAnswer::of(&study, trial)).collect::<Vec<_>>() }),
        || in_words(&study, &chosen),
    )
}

fn choose<'a>(study: &'a SharedStudy, args: &Trials) -> Result<Vec<&'a Trial>> {
    let space = study.study().space();
    let filter = args.condition.as_deref().map(|text| Filter::parse(text, study.study())).transpose()?;
    let holds = |trial: &Trial| filter.as_ref().is_none_or(|filter| filter.keeps(trial));
    let stands = |trial: &Trial| args.state.is_empty() || args.state.contains(&study.status(trial));
    let wanted = |trial: &&Trial| stands(trial) && holds(trial);
    let mut chosen: Vec<&Trial> = study.study().trials().iter().filter(wanted).collect();
    let goal = study.study().config().goal;
    match args.sort.as_str() {
        "trial" => {}
        "state" => chosen.sort_by_key(|trial| study.status(trial).word()),
        // The best first; trials without a value last.
        "value" => chosen.sort_by(|a, b| match (a.value(), b.value()) {
            (Some(a), Some(b)) => goal.maximized(b).total_cmp(&goal.maximized(a)),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => Ordering::Equal,
        }),
        name => {
            let results = study.study().outcomes();
            let parameters = space.parameters().iter().map(|p| p.name());
            let names: Vec<&str> = parameters.chain(results.names().filter(|name| *name != "value")).collect();
            if !names.contains(&name) {
                let hint = format!("use one of trial, value, state, {}", names.join(", "));
                return Err(cli_error(format!("trials cannot be sorted by `{name}`"), hint));
            }
            // Trials without this result come last.
            let key = |trial: &Trial| trial.point.get(name).cloned().or_else(|| trial.result(name).map(Setting::from));
            chosen.sort_by(|a, b| order(key(a).as_ref(), key(b).as_ref()));
        }
    }
    if args.reverse {
        chosen.reverse();
    }
    chosen.truncate(args.limit.unwrap_or(usize::MAX));
    Ok(chosen)
}

/// Numbers by size, then false and true, then texts in alphabetical order.
fn order(a: Option<&Setting>, b: Option<&Setting>) -> Ordering {
    let key = |value: Option<&Setting>| match value {
        Some(Setting::Float(_) | Setting::Int(_)) => 0,
        Some(Setting::Bool(_)) => 1,
        Some(Setting::Text(_)) => 2,
        None => 3,
    };
    let size = |value: Option<&Setting>| value.and_then(Setting::as_f64).unwrap_or_default();
    let truth = |value: Option<&Setting>| value.and_then(Setting::as_bool);
    key(a)
        .cmp(&key(b))
        .then(size(a).total_cmp(&size(b)))
        .then(truth(a).cmp(&truth(b)))
        .then_with(|| a.and_then(Setting::as_str).cmp(&b.and_then(Setting::as_str)))
}

fn in_words(study: &SharedStudy, trials: &[&Trial]) -> String {
    if trials.is_empty() {
        return "no trials\n".to_owned();
    }
    let names: Vec<&str> = study.study().space().parameters().iter().map(|parameter| parameter.name()).collect();
    let with_reasons = trials.iter().any(|trial| trial.reason().is_some());
    let outcomes = study.study().outcomes();
    let is_named = outcomes.has_several_objectives() || outcomes.has_limits();
    let mut head = vec!["trial", "state", if is_named { outcomes.metric() } else { "value" }];
    let columns: Vec<String> = names.iter().map(|name| column(name)).collect();
    head.extend(columns.iter().map(String::as_str));
    let watched: Vec<&str> = outcomes.watched().collect();
    head.extend(&watched);
    head.extend(with_reasons.then_some("reason"));
    let with_notes = trials.iter().any(|trial| !trial.notes.is_empty());
    head.extend(with_notes.then_some("notes"));
    let waiting = |trial: &Trial| study.study().awaited_results(trial).join(", ");
    let with_waiting = trials.iter().any(|trial| !waiting(trial).is_empty());
    head.extend(with_waiting.then_some("waiting for"));
    let broken = |trial: &Trial| {
        let names: Vec<String> = study.study().broken_limits(trial).into_iter().map(|one| one.outcome).collect();
        names.join(", ")
    };
    let with_broken = trials.iter().any(|trial| !broken(trial).is_empty());
    head.extend(with_broken.then_some("breaks the limit of"));
    let mut rows = vec![head.into_iter().map(str::to_owned).collect::<Vec<_>>()];
    for trial in trials {
        let mut row = vec![trial.id.to_string(), study.status(trial).word().to_owned()];
        row.push(trial.value().map_or_else(|| "-".to_owned(), number));
        row.extend(names.iter().map(|name| trial.point.get(name).map_or_else(String::new, brief_value)));
        let result = |name: &&str| trial.result(name).map_or_else(|| "-".to_owned(), number);
        row.extend(watched.iter().map(result));
        row.extend(with_reasons.then(|| trial.reason().map_or_else(String::new, |text| brief(text, MOST))));
        row.extend(with_notes.then(|| brief(&trial.notes.join("; "), MOST)));
        row.extend(with_waiting.then(|| waiting(trial)));
        row.extend(with_broken.then(|| broken(trial)));
        rows.push(row);
    }
    table(&rows, width())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_all_kinds_have_one_order() {
        let all = [0.5.into(), 2.into(), 10.into(), false.into(), true.into(), "1a".into(), "b".into()];
        let all: Vec<Option<Setting>> = all.map(Some).into_iter().chain([None]).collect();
        for (i, a) in all.iter().enumerate() {
            for (j, b) in all.iter().enumerate() {
                assert_eq!(order(a.as_ref(), b.as_ref()), i.cmp(&j), "{a:?} {b:?}");
            }
        }
    }
}
