//! `elbow best`: the best observed point and the recommended one.

use anyhow::Result;
use elbowroom_store::{BestAnswer, SharedStudy};
use serde_json::json;

use super::answer;
use crate::address::Address;
use crate::args::Best;
use crate::differ::{with_differences, words_of};
use crate::format::{self, breaks, number, point_lines};
use crate::narrow::narrowing;

/// Shows both, or what is recommended where some parameters are given.
pub fn best(args: &Best, json: bool) -> Result<()> {
    let place = Address::find(&args.study)?;
    let study = place.open()?;
    let there = narrowing(study.study().space(), &args.narrow)?;
    if !there.is_empty() {
        let found = study.study().recommended_in(&there)?;
        let in_words = || match &found {
            None => "recommended there: no trial has a value yet\n".to_owned(),
            Some(found) => {
                let (mean, sd) = (number(found.mean), number(found.sd));
                format!("recommended there: expected {mean} ± {sd}\n{}", point_lines(&found.point))
            }
        };
        return answer(json, || json!({ "recommended": found }), in_words);
    }
    let differ = place.disagreement(&study);
    answer(json, || with_differences(json!(BestAnswer::of(&study)), &differ), || words_of(&differ) + &in_words(&study))
}

/// That nothing is best yet: no trial has a value, or none keeps the limits of its results.
fn without_best(study: &SharedStudy) -> String {
    let Some(nearest) = study.study().least_infeasible() else {
        return "best: no trial has a value yet\n".to_owned();
    };
    let broken = study.study().broken_limits(nearest);
    let named: Vec<String> = broken.iter().map(|one| format!("{} is {}", one.outcome, number(one.value))).collect();
    let (id, lines) = (nearest.id, point_lines(&nearest.point));
    format!("best: no trial keeps all limits; trial {id} comes nearest: {}\n{lines}", format::safe(&named.join(", ")))
}

/// Both in words.
pub fn in_words(study: &SharedStudy) -> String {
    let Some(best) = study.study().best() else { return without_best(study) };
    let value = best.value().map_or_else(String::new, number);
    let mut text =
        format!("best observed: {value} (trial {}{})\n{}", best.id, breaks(study, best), point_lines(&best.point));
    let watched = format::watched(best);
    if !watched.is_empty() {
        text += &format!("  with {}\n", format::safe(&watched));
    }
    if let Some(found) = study.study().recommended() {
        let (mean, sd) = (number(found.mean), number(found.sd));
        match found.trial {
            Some(trial) if trial == best.id && found.fallback.is_some() => {
                text += &format!("recommended: the same, since {}\n", found.fallback.unwrap_or_default());
            }
            Some(trial) if trial == best.id => text += &format!("recommended: the same, expected {mean} ± {sd}\n"),
            Some(trial) => {
                let lines = point_lines(&found.point);
                text += &format!("recommended: trial {trial}, expected {mean} ± {sd}\n{lines}");
            }
            None => {
                let lines = point_lines(&found.point);
                text += &format!("recommended: a point not tried yet, expected {mean} ± {sd}\n{lines}");
            }
        }
    }
    text
}
