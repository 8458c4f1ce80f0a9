//! What a point rested on when it was chosen.

use elbowroom::batch::best_mean_at_data;
use elbowroom::error::Result;
use elbowroom::normal::{cdf, pdf};
use elbowroom::study::{Event, Model, Provenance, Source, Study, Trial, TrialId};
use serde_json::{Value, json};

/// Results that are named.
const NEAREST: usize = 6;

/// What a trial's point rested on, as JSON. It is worked out anew from the log, which takes a fit.
pub fn why(study: &Study, id: TrialId) -> Result<Value> {
    let trial = study.trial(id)?;
    let Some((event, provenance)) = chosen(study, id) else { return Ok(json!({ "fallback": null, "model": null })) };
    let mut model = None;
    if trial.source == Source::Model {
        let prefix = |n: usize| Study::replay(study.events()[..n.min(event)].iter().cloned());
        let (data, seen) = (prefix(provenance.data_revision)?, prefix(provenance.revision)?);
        // Those of the same ask that came before it are pending for it too.
        let beside = (seen.trials().len() as u64..id.0).map(TrialId);
        let ids = provenance.pending.iter().copied().chain(beside);
        let pending: Vec<&Trial> = ids.filter_map(|id| study.trial(id).ok()).collect();
        model = Some(modelled(&data, &*data.model()?, trial, &pending));
    }
    Ok(json!({ "fallback": provenance.fallback, "model": model }))
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

/// What the model said of a point before it was tried, in the user's units.
fn modelled(data: &Study, model: &Model, trial: &Trial, pending: &[&Trial]) -> Value {
    let (value, sd) = model.predict_value(&trial.unit);
    let predicted = model.posterior.predict(&trial.unit);
    let spread = predicted.variance.sqrt().max(f64::MIN_POSITIVE);
    // EI = (μ − best) Φ(z) + s φ(z): the first part is what is expected, the second what is not known.
    let z = (predicted.mean - best_mean_at_data(&model.posterior)) / spread;
    let (expected, unknown) = ((z * cdf(z)).max(0.0), pdf(z));
    let with = model.posterior.with_phantoms(pending.iter().map(|trial| &trial.unit[..]));
    let after = with.predict(&trial.unit).variance_after.sqrt() / spread;
    let near = |others: &mut dyn Iterator<Item = &Trial>, most: usize| -> Vec<Value> {
        let distance = |other: &Trial| model.posterior.squared_distance(&trial.unit, &other.unit).sqrt();
        let mut all: Vec<(f64, &Trial)> = others.map(|other| (distance(other), other)).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let row = |(distance, other): &(f64, &Trial)| json!([other.id, distance, other.value()]);
        all.iter().take(most).map(row).collect()
    };
    json!({
        "n_observed": data.n_observed(),
        "mean": data.config().goal.maximized(value),
        "sd": sd,
        "sd_with_pending": sd * after.min(1.0),
        "best": data.best().and_then(Trial::value),
        "exploit": if expected + unknown > 0.0 { expected / (expected + unknown) } else { 0.0 },
        "pending": near(&mut pending.iter().copied(), pending.len()),
        "nearest": near(&mut data.trials().iter().filter(|other| other.value().is_some()), NEAREST),
    })
}
