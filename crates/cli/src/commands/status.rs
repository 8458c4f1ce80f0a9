//! `elbow status`: how a study stands.

use anyhow::Result;
use elbowroom::study::{DEFAULT_METRIC, Goal, Streak};
use elbowroom_run::format_duration;
use elbowroom_store::{SharedStudy, StudyAnswer, TrialStatus};
use serde_json::json;

use super::answer;
use crate::address::Address;
use crate::args::Where;
use crate::differ::{with_differences, words_of};
use crate::format::{self, breaks, number, point};
use crate::spark::{best_so_far, spark};
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
    let goal = match config.goal {
        Goal::Minimize => "minimize",
        Goal::Maximize => "maximize",
    };
    let metric = study.study().outcomes().metric();
    let goal = if metric == DEFAULT_METRIC { goal.to_owned() } else { format!("{goal} {}", format::safe(metric)) };
    let budget = config.budget.map_or_else(String::new, |budget| format!(", of {budget}"));
    let mut text = format!("study   {} ({goal}, {})\n", study.name(), config.strategy.name());
    text += &format!("store   {}\n", study.stored().store().label());
    text += &format::wrap(&format!("trials  {}{budget}", format::count(&study.counts())), 8, width());
    let values: Vec<f64> = study.study().trials().iter().filter_map(|trial| trial.value()).collect();
    if let Some((best, value)) = study.study().best().and_then(|best| Some((best, best.value()?))) {
        let line =
            format!("best    {} (trial {}{})  {}", number(value), best.id, breaks(study, best), point(&best.point));
        text += &format::wrap(&line, 8, width());
        text += &format!("        {}\n", spark(&best_so_far(values, config.goal), 60));
    }
    let watched: Vec<&str> = study.study().outcomes().watched().collect();
    if !watched.is_empty() {
        text += &format::wrap(&format!("results {}", format::safe(&watched.join(", "))), 8, width());
    }
    if study.stored().is_paused() {
        text += "paused  nothing is handed out until the study is resumed in the dashboard\n";
    }
    if let Some(streak) = study.study().streak().filter(Streak::is_long) {
        text += &format::wrap(&format!("failing {}", format::safe(&streak.to_string())), 8, width());
    }
    if let Some(part) = study.study().subset() {
        text += &format::wrap(&format!("model   of {part}"), 8, width());
    }
    if let (Some(first), Some(last)) = (study.stored().times().first(), study.stored().times().last()) {
        text += &format!(
            "time    begun {} ago, last event {} ago\n",
            format_duration(study.stored().now().since(*first)),
            format_duration(study.stored().now().since(*last))
        );
    }
    for lease in study.stored().leases() {
        let Ok(trial) = study.study().trial(lease.attempt.trial) else { continue };
        let standing = study.status(trial);
        let until = match standing {
            TrialStatus::Running => format!(", heard of within {}", format_duration(lease.ttl)),
            _ => String::new(),
        };
        let words = standing.word();
        let line =
            format!("{words:7} trial {} (attempt {}) at {}{until}", trial.id, lease.attempt.number, lease.worker);
        text += &format::wrap(&line, 8, width());
    }
    text
}
