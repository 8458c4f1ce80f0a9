//! `elbow why`: what a point rested on when it was chosen.

use anyhow::Result;
use elbowroom::study::{Trial, TrialId};
use elbowroom_view::why::{Neighbour, Why as Reasons, origin, why as reasons};
use serde_json::{Value, json};

use super::answer;
use crate::args::Why;
use crate::place::Place;
use crate::words::{number, point_lines};

/// How many neighbours are shown.
const NEAREST: usize = 3;

/// Explains a trial.
pub fn why(args: &Why, json: bool) -> Result<()> {
    let shared = Place::find(&args.study.clone().into())?.open()?;
    let study = shared.study();
    let trial = study.trial(TrialId(args.trial))?;
    let reasons = reasons(study, trial.id)?;
    answer(
        json,
        || {
            json!({
                "trial": trial.id, "point": trial.point, "source": trial.source, "value": trial.value(), "notes": trial.notes,
                "model": in_json(&reasons), "fallback": reasons.fallback,
            })
        },
        || {
            let mut text = format!("trial {}: {}\n{}", trial.id, origin(trial.source), point_lines(&trial.point));
            text += &trial.notes.iter().map(|note| format!("  note: {note}\n")).collect::<String>();
            text + &in_words(&reasons, trial)
        },
    )
}

fn in_json(reasons: &Reasons) -> Option<Value> {
    let m = reasons.model.as_ref()?;
    let list = |all: &[Neighbour]| -> Vec<Value> {
        all.iter().map(|n| json!({ "trial": n.trial, "distance": n.distance, "value": n.value })).collect()
    };
    Some(json!({
        "observations": m.n_observed, "part": m.part, "mean": m.mean, "sd": m.sd, "sd_with_pending": m.sd_with_pending, "best": m.best,
        "acquisition": m.acquisition, "acquisition_ln": m.ln_acquisition, "exploit": m.exploit,
        "pending": list(&m.pending), "nearest": list(&m.nearest), "without_pending": m.without_pending,
    }))
}

fn in_words(reasons: &Reasons, trial: &Trial) -> String {
    let mut text = String::new();
    if let Some(fallback) = &reasons.fallback {
        text += &format!("  note: {fallback}\n");
    }
    let Some(m) = &reasons.model else { return text };
    let made_of = m.part.map_or_else(|| format!("{} results", m.n_observed), |part| part.to_string());
    text += &format!("model of {made_of}; the best was {}\n", m.best.map_or("none".into(), number));
    text += &format!("  expected there: {} ± {}", number(m.mean), number(m.sd));
    text += &trial.value().map_or_else(|| "\n".to_owned(), |value| format!("; measured: {}\n", number(value)));
    let (leaning, share) = if m.exploit > 0.5 { ("exploit", m.exploit) } else { ("explore", 1.0 - m.exploit) };
    text += &format!("  leaning: {leaning} ({:.0}% of the expected improvement)\n", 100.0 * share);
    text += &format!("  acquisition: {}, ln {}\n", m.acquisition, number(m.ln_acquisition));
    if m.pending.is_empty() {
        text += "  pending then: none\n";
    } else {
        let n = m.pending.len();
        text += &format!("  pending then: {n}; with them the uncertainty is ± {}\n", number(m.sd_with_pending));
        text += &listed(&m.pending);
    }
    if let Some(at) = &m.without_pending {
        text += &format!("  without them it would be at {at}");
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
        format!("    trial {} at {}{value}  {}\n", n.trial, number(n.distance), n.point)
    };
    all.iter().take(NEAREST).map(line).collect()
}
