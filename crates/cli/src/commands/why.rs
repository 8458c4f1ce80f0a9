//! `elbow why`: what a point rested on when it was chosen.

use anyhow::Result;
use elbowroom::insight::{BeliefThen, Neighbour, Why as Reasons, why as reasons};
use elbowroom::study::{Source, TrialId};
use serde_json::json;

use super::answer;
use crate::address::Address;
use crate::args::Why;
use crate::format::{self, number, point_lines};

/// How many neighbours are shown.
const NEAREST: usize = 3;

/// Explains a trial.
pub fn why(args: &Why, json: bool) -> Result<()> {
    let shared = Address::find(&args.study.clone().into())?.open()?;
    let reasons = reasons(shared.study(), TrialId(args.trial))?;
    answer(json, || json!(reasons), || in_words(&reasons))
}

fn in_words(reasons: &Reasons) -> String {
    let mut text = format!("trial {}: {}\n{}", reasons.trial, origin(reasons.source), point_lines(&reasons.point));
    text += &reasons.notes.iter().map(|note| format!("  note: {note}\n")).collect::<String>();
    if let Some(narrowing) = &reasons.narrowing {
        let fixed = narrowing.fixed.iter().map(|(name, value)| format!("{name}={value}"));
        let within = narrowing.within.iter().map(|(name, [low, high])| format!("{name}={low}..{high}"));
        text += &format!("  asked for with {}\n", fixed.chain(within).collect::<Vec<_>>().join(" "));
    }
    if let Some(fallback) = &reasons.fallback {
        text += &format!("  note: {fallback}\n");
    }
    text + &reasons.belief.as_ref().map_or_else(String::new, |belief| believed(belief, reasons.value))
}

/// Where a point came from, in words.
fn origin(source: Source) -> &'static str {
    match source {
        Source::Design => "a point of the initial design, chosen before there was a model",
        Source::Model => "chosen by the strategy, with a model of the results",
        Source::Random => "a random point, where neither design nor strategy had one to offer",
        Source::Given => "a point of your own",
    }
}

fn believed(m: &BeliefThen, measured: Option<f64>) -> String {
    let made_of = m.subset.map_or_else(|| format!("{} results", m.n_observed), |part| part.to_string());
    let mut text = format!("model of {made_of}; the best was {}\n", m.best.map_or("none".into(), number));
    text += &format!("  expected there: {} ± {}", number(m.mean), number(m.sd));
    text += &measured.map_or_else(|| "\n".to_owned(), |value| format!("; measured: {}\n", number(value)));
    text += &m.chance.map_or_else(String::new, |p| format!("  chance of a value: {:.0}%\n", 100.0 * p));
    let (leaning, share) = if m.exploit > 0.5 { ("exploit", m.exploit) } else { ("explore", 1.0 - m.exploit) };
    text += &format!("  leaning: {leaning} ({:.0}% of the expected improvement)\n", 100.0 * share);
    let worth = if m.score.is_score { "ranked by" } else { "worth" };
    text += &format!("  {worth} {} to {}:\n", number(m.score.total), m.strategy.replace('_', " "));
    for term in &m.score.terms {
        let about = term.trial.map_or_else(String::new, |trial| format!(" of trial {trial}"));
        text += &format!("    {:>12}  {}{about}\n", number(term.value), term.name);
    }
    if m.pending.is_empty() {
        text += "  pending then: none\n";
    } else {
        let n = m.pending.len();
        text += &format!("  pending then: {n}; with them the uncertainty is ± {}\n", number(m.sd_with_pending));
        text += &listed(&m.pending);
    }
    if let Some(at) = &m.without_pending {
        text += &format!("  without them it would be at {}", format::point(at));
        text += &m.pushed_by.as_ref().map_or_else(String::new, |by| {
            format!("; trial {} is {} lengthscales from there", by.trial, number(by.distance))
        });
        text += "\n";
    }
    text += "  nearest results, in lengthscales:\n";
    text + &listed(&m.nearest)
}

fn listed(all: &[Neighbour]) -> String {
    let line = |n: &Neighbour| {
        let value = n.value.map_or_else(String::new, |value| format!(", value {}", number(value)));
        format!("    trial {} at {}{value}  {}\n", n.trial, number(n.distance), format::point(&n.point))
    };
    all.iter().take(NEAREST).map(line).collect()
}
