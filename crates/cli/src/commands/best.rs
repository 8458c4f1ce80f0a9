//! `elbow best`: the best observed point and the recommended one.

use std::collections::BTreeSet;

use anyhow::Result;
use elbowroom::study::Study;
use elbowroom_store::{BestAnswer, SharedStudy};
use serde_json::json;

use super::answer;
use crate::address::Address;
use crate::args::Best;
use crate::differ::{with_differences, words_of};
use crate::format::{self, breaks, expected, number, point_lines};
use crate::narrow::narrowing;
use crate::outcomes::{broken, reference, trials_table};
use crate::table::width;

/// Shows both or, if some parameters are given, only the recommendation for them.
pub fn best(args: &Best, json: bool) -> Result<()> {
    let place = Address::find(&args.study)?;
    let study = place.open()?;
    let there = narrowing(study.study().space(), &args.narrow)?;
    if !there.is_empty() {
        let found = study.study().recommended_in(&there)?;
        let in_words = || match &found {
            None if study.study().best().is_none() => {
                "recommended for these values: no trial has a value yet\n".to_owned()
            }
            None => "recommended for these values: none, since every point is likely to fail or to break a limit\n"
                .to_owned(),
            Some(found) => {
                let expected = expected(found.mean, found.sd);
                let caution = found.fallback.as_ref().map_or_else(String::new, |why| format!("caution: {why}\n"));
                let lines = point_lines(&found.point);
                format!("recommended for these values: expected {expected}\n{caution}{lines}")
            }
        };
        return answer(json, || json!({ "recommended": found }), in_words);
    }
    let differ = place.disagreement(&study);
    answer(json, || with_differences(json!(BestAnswer::of(&study)), &differ), || words_of(&differ) + &in_words(&study))
}

/// What to show instead of a best trial.
fn none_in_words(study: &Study) -> String {
    let Some(nearest) = study.least_infeasible() else { return nothing_in_words(study) };
    let why = broken(study, nearest);
    let lines = point_lines(&nearest.point);
    format!("best: no trial keeps all limits yet; trial {} comes closest: {why}\n{lines}", nearest.id)
}

/// Why not even a trial comes close.
fn nothing_in_words(study: &Study) -> String {
    let awaited: BTreeSet<&str> = study.trials().iter().flat_map(|trial| study.awaited_results(trial)).collect();
    if awaited.is_empty() {
        return "best: no trial has a value yet\n".to_owned();
    }
    let names = awaited.into_iter().collect::<Vec<_>>().join(", ");
    format!("best: no trial has all its results yet; still missing: {names}\n")
}

/// The front, and the front according to the models.
fn front_in_words(study: &Study) -> String {
    let front = study.front();
    if front.points.is_empty() {
        return "front: no trial has every objective yet\n".to_owned();
    }
    let kept = if study.outcomes().has_limits() { ", of those that keep all limits" } else { "" };
    let n = format::trials(front.points.len());
    let head = format!("front: {n} that no other trial beats in every objective{kept}");
    let mut text = format::wrap(&head, 7, width());
    let cells = |values: &[f64]| values.iter().map(|value| number(*value)).collect();
    let rows: Vec<_> = front.points.iter().map(|point| (point.trial, cells(&point.values))).collect();
    text += &trials_table(study, &rows);
    if let Some(volume) = front.hypervolume {
        text += &format!("hypervolume: {} from {}\n", number(volume), reference(&front));
    }
    match study.recommended_front() {
        Ok(found) => {
            let cell = |(mean, sd): (&f64, &f64)| expected(*mean, *sd);
            let rows: Vec<_> =
                found.iter().map(|one| (one.trial, one.means.iter().zip(&one.sds).map(cell).collect())).collect();
            text + "recommended: the front that the model predicts\n" + &trials_table(study, &rows)
        }
        Err(error) => text + &format!("recommended: the same, because no model can be fitted: {error}\n"),
    }
}

/// Both in words.
pub fn in_words(study: &SharedStudy) -> String {
    let Some(best) = study.study().best() else { return none_in_words(study.study()) };
    if study.study().outcomes().has_several_objectives() {
        return front_in_words(study.study());
    }
    let value = best.value().map_or_else(String::new, number);
    let kept = if study.study().outcomes().has_limits() { " that keeps all limits" } else { "" };
    let which = format!("{value} (trial {}{})", best.id, breaks(study, best));
    let mut text = format!("best observed{kept}: {which}\n{}", point_lines(&best.point));
    let watched = format::watched(best);
    if !watched.is_empty() {
        text += &format!("  with {}\n", format::safe(&watched));
    }
    if let Some(found) = study.study().recommended() {
        let (expected, is_fallback) = (expected(found.mean, found.sd), found.fallback.is_some());
        match found.trial {
            Some(trial) if trial == best.id && found.fallback.is_some() => {
                text += &format!("recommended: the same, because {}\n", found.fallback.unwrap_or_default());
            }
            Some(trial) if trial == best.id => text += &format!("recommended: the same, expected {expected}\n"),
            Some(trial) => {
                let lines = point_lines(&found.point);
                text += &format!("recommended: trial {trial}, expected {expected}\n{lines}");
            }
            None => {
                let lines = point_lines(&found.point);
                text += &format!("recommended: an untried point, expected {expected}\n{lines}");
            }
        }
        if !is_fallback && study.study().outlook().is_ok_and(|outlook| outlook.possible_noise().is_some()) {
            text += "    (so few results may be noisy; the expected value allows for that)\n";
        }
    }
    text
}
