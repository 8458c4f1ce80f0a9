//! What a point rested on when it was chosen.

use elbowroom::acquisition::LogAcquisition as _;
use elbowroom::batch::{AcquisitionKind, best_mean_at_data};
use elbowroom::error::Result;
use elbowroom::normal::{cdf, pdf};
use elbowroom::space::Point;
use elbowroom::study::{Ask, Event, Model, Part, Provenance, Source, StrategyConfig, Study, Trial, TrialId};
use serde::Serialize;

use crate::axis::text;

/// Neighbours that are named.
const NEAREST: usize = 6;

/// Why a trial's point was chosen.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Why {
    /// Why the model or the strategy was not used where it should have been.
    pub fallback: Option<String>,
    /// What the model said, if it was asked.
    pub model: Option<Modelled>,
}

/// What the model said of a point before it was tried. Values are in the user's units.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Modelled {
    /// The results there were.
    pub n_observed: usize,
    /// The part of them that it was made from, if there were more than a model may have.
    pub part: Option<Part>,
    /// What it expected.
    pub mean: f64,
    /// How sure it was: the standard deviation.
    pub sd: f64,
    /// The same once the results that were pending are in.
    pub sd_with_pending: f64,
    /// The best value by then.
    pub best: Option<f64>,
    /// The acquisition's name.
    pub acquisition: &'static str,
    /// The logarithm of its value.
    pub ln_acquisition: f64,
    /// The share of the expected improvement that the expected value makes; the rest is made by not knowing.
    pub exploit: f64,
    /// What was pending then, the nearest first.
    pub pending: Vec<Neighbour>,
    /// The nearest results.
    pub nearest: Vec<Neighbour>,
    /// Where it would have been if nothing were pending, unless it is the same.
    pub without_pending: Option<String>,
    /// Who was nearest to that.
    pub pushed_by: Option<Neighbour>,
}

/// Another trial and its distance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Neighbour {
    /// The trial.
    pub trial: TrialId,
    /// How far it is, in lengthscales.
    pub distance: f64,
    /// Its value.
    pub value: Option<f64>,
    /// Its point.
    pub point: String,
}

/// Where a point came from, in words.
pub fn origin(source: Source) -> &'static str {
    match source {
        Source::Design => "a point of the initial design, chosen before there was a model",
        Source::Model => "chosen by the strategy, with a model of the results",
        Source::Random => "a random point, where neither design nor strategy had one to offer",
        Source::Given => "a point of your own",
    }
}

/// What a trial's point rested on. It is worked out anew from the log, which takes a fit.
pub fn why(study: &Study, id: TrialId) -> Result<Why> {
    let trial = study.trial(id)?;
    let Some((event, provenance)) = chosen(study, id) else { return Ok(Why::default()) };
    let fallback = provenance.fallback.clone();
    if trial.source != Source::Model {
        return Ok(Why { fallback, model: None });
    }
    let prefix = |n: usize| Study::replay(study.events()[..n.min(event)].iter().cloned());
    let (data, seen) = (prefix(provenance.data_revision)?, prefix(provenance.revision)?);
    let model = data.model()?;
    // Those of the same ask that came before it are pending for it too.
    let beside = (seen.trials().len() as u64..trial.id.0).map(TrialId);
    let pending: Vec<&Trial> =
        provenance.pending.iter().copied().chain(beside).filter_map(|id| study.trial(id).ok()).collect();
    Ok(Why { fallback, model: Some(modelled(&data, &seen, &model, trial, &pending)?) })
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

fn modelled(data: &Study, seen: &Study, model: &Model, trial: &Trial, pending: &[&Trial]) -> Result<Modelled> {
    let (value, sd) = model.predict_value(&trial.unit);
    let near = |to: &[f64], other: &Trial| Neighbour {
        trial: other.id,
        distance: model.posterior.squared_distance(to, &other.unit).sqrt(),
        value: other.value(),
        point: on_one_line(&other.point),
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
    let shrunk = (with.predict(&trial.unit).variance_after / predicted.variance.max(f64::MIN_POSITIVE)).sqrt();
    let alone = if pending.is_empty() { None } else { alone(data, seen, trial)? };
    let (without_pending, pushed_by) = match alone {
        Some((at, unit)) => {
            (Some(at), sorted(pending.iter().map(|other| near(&unit, other)).collect()).into_iter().next())
        }
        None => (None, None),
    };
    let observed = data.trials().iter().filter(|other| other.value().is_some());
    let mut nearest = sorted(observed.map(|other| near(&trial.unit, other)).collect());
    nearest.truncate(NEAREST);
    Ok(Modelled {
        n_observed: data.n_observed(),
        part: model.record.part,
        mean: data.config().goal.maximized(value),
        sd,
        sd_with_pending: sd * shrunk.min(1.0),
        best: data.best().and_then(Trial::value),
        acquisition: name(kind),
        ln_acquisition: kind.bind(&model.posterior).ln_score(predicted.mean, spread).value,
        exploit: if expected + unknown > 0.0 { expected / (expected + unknown) } else { 0.0 },
        pending: sorted(pending.iter().map(|other| near(&trial.unit, other)).collect()),
        nearest,
        without_pending,
        pushed_by,
    })
}

/// The first point that would be chosen if nothing were pending, unless it is the same.
fn alone(data: &Study, seen: &Study, trial: &Trial) -> Result<Option<(String, Vec<f64>)>> {
    let suggestion = seen.suggest_with(Ask::new(1).beside(Vec::new()), &data.basis())?;
    let Some(first) = suggestion.trials.first().filter(|first| first.point != trial.point) else { return Ok(None) };
    Ok(Some((on_one_line(&first.point), data.space().encode(&first.point)?.to_vec())))
}

fn on_one_line(point: &Point) -> String {
    point.iter().map(|(name, value)| format!("{name}={}", text(value))).collect::<Vec<_>>().join(" ")
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
