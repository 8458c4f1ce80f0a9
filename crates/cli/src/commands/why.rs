//! `elbow why`: what a point was based on when it was chosen.

use anyhow::Result;
use elbowroom::insight::{BeliefThen, Neighbour, Why as Reasons, why as reasons};
use elbowroom::study::{Outcomes, TrialId};
use serde_json::json;

use super::answer;
use crate::address::Address;
use crate::args::Why;
use crate::format::{self, deviation, distance, expected, number, point_lines};
use crate::table::width;

/// How many neighbours are shown.
const NEAREST: usize = 3;

/// The rounding of a score: its terms are logarithms, or in deviations of the model.
const ROUNDING: f64 = 1e-4;

/// Explains a trial.
pub fn why(args: &Why, json: bool) -> Result<()> {
    let shared = Address::find(&args.study.clone().into())?.open()?;
    let reasons = reasons(shared.study(), TrialId(args.trial))?;
    answer(json, || json!(reasons), || in_words(&reasons, shared.study().outcomes()))
}

fn in_words(reasons: &Reasons, outcomes: &Outcomes) -> String {
    let mut text = format::wrap(&format::safe(&reasons.summary), 0, width()) + &point_lines(&reasons.point);
    text += &reasons.notes.iter().map(|note| format!("  note: {note}\n")).collect::<String>();
    if let Some(narrowing) = &reasons.narrowing {
        let fixed = narrowing.fixed.iter().map(|(name, value)| format!("{name}={value}"));
        let within = narrowing.within.iter().map(|(name, [low, high])| format!("{name}={low}..{high}"));
        text += &format!("  asked for with {}\n", fixed.chain(within).collect::<Vec<_>>().join(" "));
    }
    if let Some(fallback) = &reasons.fallback {
        text += &format!("  note: {fallback}\n");
    }
    text + &reasons.belief.as_ref().map_or_else(String::new, |belief| believed(belief, reasons.value, outcomes))
}

fn believed(m: &BeliefThen, measured: Option<f64>, outcomes: &Outcomes) -> String {
    let metric = format::safe(outcomes.metric());
    let made_of = m.subset.map_or_else(|| format!("{} results", m.n_observed), |part| part.to_string());
    let mut text =
        format!("model fitted to {made_of}; best {metric} so far {}\n", m.best.map_or("none".into(), number));
    text += &format!("  predicted {metric}: {}", expected(m.mean, m.sd));
    text += &measured.map_or_else(|| "\n".to_owned(), |value| format!("; measured: {}\n", number(value)));
    text += &m.chance.map_or_else(String::new, |p| format!("  chance of a value: {:.0} %\n", 100.0 * p));
    // The point was not chosen for its improvement in one of several objectives.
    if !outcomes.has_several_objectives() {
        let (leaning, share) = if m.exploit > 0.5 { ("exploit", m.exploit) } else { ("explore", 1.0 - m.exploit) };
        text += &format!("  balance: {leaning} ({:.0} % of the expected improvement)\n", 100.0 * share);
    }
    let score = if m.score.is_score { "score" } else { "worth" };
    text +=
        &format!("  {score} for {}: {}, the sum of\n", m.strategy.replace('_', " "), number(rounded(m.score.total)));
    for term in &m.score.terms {
        let value = rounded(term.value);
        // Pending trials that do not lower the score are left out.
        if value == 0.0 && term.trial.is_some() {
            continue;
        }
        let about = term.trial.map_or_else(String::new, |trial| format!(" of trial {trial}"));
        text += &format!("    {:>12}  {}{about}\n", number(value), term.name);
    }
    if m.pending.is_empty() {
        text += "  nothing was pending\n";
    } else {
        let n = m.pending.len();
        let sd = deviation(m.sd_with_pending);
        text += &format!("  {n} pending; once their results are in, the uncertainty is ± {sd}\n");
        text += "  nearest pending, in lengthscales:\n";
        text += &listed(&m.pending, &metric);
    }
    if let Some(at) = &m.without_pending {
        let by = m.pushed_by.as_ref().map_or_else(String::new, |by| {
            format!("; trial {} is {} lengthscales from there", by.trial, distance(by.distance))
        });
        text += &wrapped(&format!("  if nothing were pending: {}{by}", format::point(at)));
    }
    text += "  nearest results, in lengthscales:\n";
    text + &listed(&m.nearest, &metric)
}

/// A term of a score, without meaningless digits.
fn rounded(term: f64) -> f64 {
    // Adding 0 turns -0 into 0.
    (term / ROUNDING).round() * ROUNDING + 0.0
}

/// A line, wrapped if it is wider than the terminal.
fn wrapped(line: &str) -> String {
    format::wrap(&format::safe(line), 6, width())
}

fn listed(all: &[Neighbour], metric: &str) -> String {
    let line = |n: &Neighbour| {
        let value = n.value.map_or_else(String::new, |value| format!(", {metric} {}", number(value)));
        wrapped(&format!("    trial {} at {}{value}  {}", n.trial, distance(n.distance), format::point(&n.point)))
    };
    all.iter().take(NEAREST).map(line).collect()
}
