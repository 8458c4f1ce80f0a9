//! `elbow status`: the state of a study.

use std::collections::BTreeMap;

use anyhow::Result;
use elbowroom::study::{Streak, TrialState};
use elbowroom_run::format_duration;
use elbowroom_store::{Lease, SharedStudy, StudyAnswer, TrialStatus};
use serde_json::json;

use super::answer;
use super::ask::BY_HAND;
use crate::address::Address;
use crate::args::Where;
use crate::differ::{with_differences, words_of};
use crate::format::{self, breaks, number, point, trials};
use crate::outcomes::{broken, goals, reference};
use crate::spark::progress;
use crate::table::width;

/// Shows it.
pub fn status(args: &Where, json: bool) -> Result<()> {
    let place = Address::find(args)?;
    let study = place.open()?;
    let differ = place.disagreement(&study);
    answer(json, || with_differences(json!(StudyAnswer::of(&study)), &differ), || words_of(&differ) + &in_words(&study))
}

fn in_words(study: &SharedStudy) -> String {
    let config = study.study().config();
    let goal = format::safe(&goals(study.study()));
    let budget = budget(study);
    let about = format!("study   {} ({goal}, {})", format::safe(study.name()), config.strategy.name());
    let mut text = format::wrap(&about, 8, width());
    text += &format!("store   {}\n", study.stored().store().label());
    text += &format::wrap(&format!("trials  {}{budget}", format::count(&study.counts())), 8, width());
    text += &results_in_words(study);
    let watched: Vec<&str> = study.study().outcomes().watched().collect();
    if !watched.is_empty() {
        text += &format::wrap(&format!("results {}", format::safe(&watched.join(", "))), 8, width());
    }
    if study.stored().is_paused() {
        text += "paused  no points are handed out until the study is resumed in the dashboard\n";
    }
    if let Some(streak) = study.study().streak().filter(Streak::is_long) {
        text += &format::wrap(&format!("failing {}", format::safe(&streak.to_string())), 8, width());
    }
    if let Some(part) = study.study().subset() {
        text += &format::wrap(&format!("model   fitted to {part}"), 8, width());
    }
    if let (Some(first), Some(last)) = (study.stored().times().first(), study.stored().times().last()) {
        text += &format!(
            "time    started {} ago, last event {} ago\n",
            format_duration(study.stored().now().since(*first)),
            format_duration(study.stored().now().since(*last))
        );
    }
    for lease in study.stored().leases() {
        let Ok(trial) = study.study().trial(lease.attempt.trial) else { continue };
        let standing = study.status(trial);
        let again =
            if lease.attempt.number > 1 { format!(", attempt {}", lease.attempt.number) } else { String::new() };
        let line = format!("{:7} trial {}{again}, {}", standing.word(), trial.id, holder(study, lease, standing));
        text += &format::wrap(&format::safe(&line), 8, width());
    }
    text
}

/// The budget. Trials that were added do not count towards it, so what is left of it is said if there are any.
fn budget(shared: &SharedStudy) -> String {
    let study = shared.study();
    let (Some(budget), Some(left)) = (study.config().budget, study.budget_left()) else { return String::new() };
    let n = study.trials().iter().filter(|trial| trial.state != TrialState::Withdrawn).count();
    if n + left > budget { format!("; {left} of the budget of {budget} left") } else { format!(", of {budget}") }
}

/// Who has a trial, and since when or until when.
fn holder(study: &SharedStudy, lease: &Lease, standing: TrialStatus) -> String {
    let now = study.stored().now();
    match (standing == TrialStatus::Running, lease.worker == BY_HAND) {
        (true, true) => format!("handed out by hand, due in {}", format_duration(lease.expires.since(now))),
        (false, true) => "handed out by hand".to_owned(),
        (true, false) => {
            // A worker renews its lease with each sign of life.
            let silent = lease.ttl.saturating_sub(lease.expires.since(now));
            format!("on {}, last heard from {} ago", lease.worker, format_duration(silent))
        }
        (false, false) => format!("last on {}", lease.worker),
    }
}

/// The front or the best trial, whether limits are kept, and which results are awaited.
fn results_in_words(shared: &SharedStudy) -> String {
    let study = shared.study();
    let line = |words: &str| format::wrap(&format::safe(words), 8, width());
    let mut text = String::new();
    if study.outcomes().has_several_objectives() {
        let front = study.front();
        let volume = |volume| format!(", hypervolume {} from {}", number(volume), reference(&front));
        let volume = front.hypervolume.map_or_else(String::new, volume);
        text += &line(&format!("front   {}{volume}", trials(front.points.len())));
    } else if let Some((best, value)) = study.best().and_then(|best| Some((best, best.value()?))) {
        let kept = if study.outcomes().has_limits() { ", keeps all limits" } else { "" };
        let which = format!("trial {}{kept}{}", best.id, breaks(shared, best));
        text += &line(&format!("best    {} ({which})  {}", number(value), point(&best.point)));
    }
    match progress(study, 60).as_str() {
        "" => {}
        bars => text += &format!("        {bars}\n"),
    }
    if study.outcomes().has_limits() {
        let valued = || study.trials().iter().filter(|trial| trial.value().is_some());
        let n_kept = valued().filter(|trial| study.is_feasible(trial) == Some(true)).count();
        text += &line(&format!("limits  {} of {} keep them all", n_kept, trials(valued().count())));
    }
    if let Some(nearest) = study.least_infeasible() {
        text += &line(&format!("closest trial {}: {}", nearest.id, broken(study, nearest)));
    }
    let mut waiting: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for trial in study.trials() {
        match study.awaited_results(trial).as_slice() {
            [] => {}
            names => waiting.entry(names.join(", ")).or_default().push(trial.id.to_string()),
        }
    }
    for (names, ids) in waiting {
        let word = if ids.len() == 1 { "waits" } else { "wait" };
        text += &line(&format!("waiting {} {word} for {names}: {}", trials(ids.len()), ids.join(", ")));
    }
    text
}
