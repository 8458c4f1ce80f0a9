//! By how much one more trial is expected to improve on the best.

use elbowroom::error::Result;
use elbowroom::normal::ln_ei;
use elbowroom::study::{Ask, Event, OutcomeRule, Source, Study, Trial};

/// E max(0, best − Y) where the strategy would go next if nothing were pending, in the user's units; none before there
/// is a model.
///
/// The model is one of the values as they are. Under a warp it would say too little: there an improvement is bounded by
/// the bend, which is small where results span decades.
pub fn expected_gain(study: &Study) -> Result<Option<f64>> {
    let Some(best) = study.best().and_then(Trial::value) else { return Ok(None) };
    let plain = study.events().iter().cloned().map(|event| match event {
        Event::Created { mut config } => {
            if config.model.outcome == OutcomeRule::Warped {
                config.model.outcome = OutcomeRule::Standardized;
            }
            config.budget = None;
            Event::Created { config }
        }
        other => other,
    });
    let study = Study::replay(plain)?;
    let suggestion = study.suggest(Ask::new(1).beside(Vec::new()))?;
    let Some(next) = suggestion.trials.first().filter(|next| next.source == Source::Model) else { return Ok(None) };
    let (mean, sd) = study.model()?.predict_value(&study.space().encode(&next.point)?);
    let above = mean - study.config().goal.maximized(best);
    Ok(Some(if sd > 0.0 { sd * ln_ei(above / sd).exp() } else { above.max(0.0) }))
}
