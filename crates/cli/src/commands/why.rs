//! `elbow why`: what a point rested on when it was chosen.

use anyhow::Result;
use elbowroom::acquisition::LogAcquisition as _;
use elbowroom::batch::{AcquisitionKind, best_mean_at_data};
use elbowroom::normal::{cdf, pdf};
use elbowroom::study::{Event, Model, Part, Provenance, Source, StrategyConfig, Study, Trial, TrialId};
use serde_json::{Value, json};

use super::answer;
use crate::args::Why;
use crate::place::Place;
use crate::words::{number, point, point_lines};

/// How many neighbours are shown.
const NEAREST: usize = 3;

/// Explains a trial.
pub fn why(args: &Why, json: bool) -> Result<()> {
    let shared = Place::find(&args.study.clone().into())?.open()?;
    let study = shared.study();
    let trial = study.trial(TrialId(args.trial))?;
    let found = chosen(study, trial.id).map(|(event, provenance)| Reasons::of(study, trial, event, provenance));
    let reasons = found.transpose()?;
    answer(
        json,
        || {
            json!({
                "trial": trial.id, "point": trial.point, "source": trial.source, "value": trial.value(), "notes": trial.notes,
                "model": reasons.as_ref().and_then(Reasons::in_json),
                "fallback": reasons.as_ref().and_then(|reasons| reasons.fallback.clone()),
            })
        },
        || {
            let mut text = format!("trial {}: {}\n{}", trial.id, origin(trial.source), point_lines(&trial.point));
            text += &trial.notes.iter().map(|note| format!("  note: {note}\n")).collect::<String>();
            text += &reasons.as_ref().map_or_else(String::new, |reasons| reasons.in_words(trial));
            text
        },
    )
}

fn origin(source: Source) -> &'static str {
    match source {
        Source::Design => "a point of the initial design, chosen before there was a model",
        Source::Model => "chosen by the strategy, with a model of the results",
        Source::Random => "a random point, where neither design nor strategy had one to offer",
        Source::Given => "a point of your own",
    }
}

/// The event that chose a trial, by number, and what it rested on.
fn chosen(study: &Study, id: TrialId) -> Option<(usize, &Provenance)> {
    study.events().iter().enumerate().find_map(|(i, event)| match event {
        Event::Asked { trials, provenance, .. } if trials.iter().any(|asked| asked.id == id) => {
            Some((i, provenance.as_ref()))
        }
        _ => None,
    })
}

struct Reasons {
    fallback: Option<String>,
    modelled: Option<Modelled>,
}

struct Modelled {
    n_observed: usize,
    part: Option<Part>,
    mean: f64,
    sd: f64,
    sd_with_pending: f64,
    best: f64,
    acquisition: (&'static str, f64),
    /// The share of the expected improvement that the expected value makes; the rest is made by not knowing.
    exploit: f64,
    pending: Vec<Neighbour>,
    observed: Vec<Neighbour>,
    /// Where it would have been if nothing were pending, and who was nearest to that.
    alone: Option<(String, Option<Neighbour>)>,
}

/// Another trial and its distance in lengthscales.
#[derive(Clone)]
struct Neighbour {
    trial: TrialId,
    distance: f64,
    value: Option<f64>,
    point: String,
}

impl Reasons {
    fn of(study: &Study, trial: &Trial, event: usize, provenance: &Provenance) -> Result<Self> {
        let fallback = provenance.fallback.clone();
        if trial.source != Source::Model {
            return Ok(Self { fallback, modelled: None });
        }
        let prefix = |n: usize| Study::replay(study.events()[..n.min(event)].iter().cloned());
        let (data, seen) = (prefix(provenance.data_revision)?, prefix(provenance.revision)?);
        let model = data.model()?;
        // Those of the same ask that came before it are pending for it too.
        let beside = seen.trials().len() as u64..trial.id.0;
        let pending: Vec<&Trial> = provenance
            .pending
            .iter()
            .copied()
            .chain(beside.map(TrialId))
            .filter_map(|id| study.trial(id).ok())
            .collect();
        Ok(Self { fallback, modelled: Some(Modelled::of(&data, &seen, &model, trial, &pending)?) })
    }

    fn in_json(&self) -> Option<Value> {
        let modelled = self.modelled.as_ref()?;
        let list = |all: &[Neighbour]| -> Vec<Value> {
            all.iter().map(|n| json!({ "trial": n.trial, "distance": n.distance, "value": n.value })).collect()
        };
        Some(json!({
            "observations": modelled.n_observed, "part": modelled.part, "mean": modelled.mean, "sd": modelled.sd,
            "sd_with_pending": modelled.sd_with_pending, "best": modelled.best,
            "acquisition": modelled.acquisition.0, "acquisition_ln": modelled.acquisition.1,
            "exploit": modelled.exploit,
            "pending": list(&modelled.pending), "nearest": list(&modelled.observed),
            "without_pending": modelled.alone.as_ref().map(|(point, _)| point),
        }))
    }

    fn in_words(&self, trial: &Trial) -> String {
        let mut text = String::new();
        if let Some(fallback) = &self.fallback {
            text += &format!("  note: {fallback}\n");
        }
        let Some(m) = &self.modelled else { return text };
        let made_of = m.part.map_or_else(|| format!("{} results", m.n_observed), |part| part.to_string());
        text += &format!("model of {made_of}; the best was {}\n", number(m.best));
        text += &format!("  expected there: {} ± {}", number(m.mean), number(m.sd));
        text += &trial.value().map_or_else(|| "\n".to_owned(), |value| format!("; measured: {}\n", number(value)));
        let (leaning, share) = if m.exploit > 0.5 { ("exploit", m.exploit) } else { ("explore", 1.0 - m.exploit) };
        text += &format!("  leaning: {leaning} ({:.0}% of the expected improvement)\n", 100.0 * share);
        text += &format!("  acquisition: {}, ln {}\n", m.acquisition.0, number(m.acquisition.1));
        if m.pending.is_empty() {
            text += "  pending then: none\n";
        } else {
            text += &format!(
                "  pending then: {}; with them the uncertainty is ± {}\n",
                m.pending.len(),
                number(m.sd_with_pending)
            );
            text += &listed(&m.pending);
        }
        match &m.alone {
            Some((at, Some(by))) => {
                text += &format!(
                    "  without them it would be at {at}; trial {} is {} lengthscales from there\n",
                    by.trial,
                    number(by.distance)
                );
            }
            Some((at, None)) => text += &format!("  without them it would be at {at}\n"),
            None => {}
        }
        text += "  nearest results, in lengthscales:\n";
        text + &listed(&m.observed)
    }
}

fn listed(all: &[Neighbour]) -> String {
    let line = |n: &Neighbour| {
        let value = n.value.map_or_else(String::new, |value| format!(", value {}", number(value)));
        format!("    trial {} at {}{value}  {}\n", n.trial, number(n.distance), n.point)
    };
    all.iter().take(NEAREST).map(line).collect()
}

impl Modelled {
    fn of(data: &Study, seen: &Study, model: &Model, trial: &Trial, pending: &[&Trial]) -> Result<Self> {
        let goal = data.config().goal;
        let (value, sd) = model.predict_value(&trial.unit);
        let near = |to: &[f64], other: &Trial| Neighbour {
            trial: other.id,
            distance: model.posterior.squared_distance(to, &other.unit).sqrt(),
            value: other.value(),
            point: point(&other.point),
        };
        let sorted = |mut all: Vec<Neighbour>| {
            all.sort_by(|a, b| a.distance.total_cmp(&b.distance));
            all
        };
        let kind = match &data.config().strategy {
            StrategyConfig::LocalPenalization(strategy) => strategy.acquisition,
            _ => AcquisitionKind::Ei,
        };
        let predicted = model.posterior.predict(&trial.unit);
        let spread = predicted.variance.sqrt().max(f64::MIN_POSITIVE);
        // EI = (μ − best) Φ(z) + s φ(z): the first part is what is expected, the second what is not known.
        let z = (predicted.mean - best_mean_at_data(&model.posterior)) / spread;
        let (expected, unknown) = ((z * cdf(z)).max(0.0), pdf(z));
        let with = model.posterior.with_phantoms(pending.iter().map(|trial| &trial.unit[..]));
        let shrunk = (with.predict(&trial.unit).variance / predicted.variance.max(f64::MIN_POSITIVE)).sqrt();
        let alone = if pending.is_empty() { None } else { alone(data, seen, trial)? };
        let alone = alone.map(|(at, unit)| {
            let nearest = sorted(pending.iter().map(|other| near(&unit, other)).collect()).into_iter().next();
            (at, nearest)
        });
        let observed = data.trials().iter().filter(|other| other.value().is_some());
        Ok(Self {
            n_observed: data.n_observed(),
            part: model.record.part,
            mean: goal.maximized(value),
            sd,
            sd_with_pending: sd * shrunk.min(1.0),
            best: data.best().and_then(Trial::value).unwrap_or(f64::NAN),
            acquisition: (name(kind), kind.bind(&model.posterior).ln_score(predicted.mean, spread).value),
            exploit: if expected + unknown > 0.0 { expected / (expected + unknown) } else { 0.0 },
            pending: sorted(pending.iter().map(|other| near(&trial.unit, other)).collect()),
            observed: sorted(observed.map(|other| near(&trial.unit, other)).collect()),
            alone,
        })
    }
}

/// The first point that would be chosen if nothing were pending, unless it is the same.
fn alone(data: &Study, seen: &Study, trial: &Trial) -> Result<Option<(String, Vec<f64>)>> {
    let suggestion = seen.suggest_with(1, Vec::new(), Some(&data.basis()))?;
    let Some(first) = suggestion.trials.first().filter(|first| first.point != trial.point) else { return Ok(None) };
    Ok(Some((point(&first.point), data.space().encode(&first.point)?.to_vec())))
}

fn name(kind: AcquisitionKind) -> &'static str {
    match kind {
        AcquisitionKind::Ei => "expected improvement",
        AcquisitionKind::Ucb { .. } | AcquisitionKind::PaperUcb { .. } => "upper confidence bound",
        AcquisitionKind::Pi => "probability of improvement",
        AcquisitionKind::Mean => "posterior mean",
        _ => "acquisition",
    }
}
