//! How much one more trial is expected to improve on the best value.

use crate::error::Result;
use crate::normal::ln_ei;
use crate::study::{Ask, Event, ScaleRule, Source, Study, Trial};

/// E max(0, best − Y) at the point that the strategy would choose next if nothing were pending, in the user's units;
/// none as long as there is no model.
///
/// The model is fitted to untransformed values. With a warp the gain would be too small: there an improvement is
/// bounded by the bend, which is small where results span decades.
///
/// ```
/// use elbowroom::insight::expected_gain;
/// use elbowroom::space::{Parameter, SearchSpace};
/// use elbowroom::study::{Study, StudyConfig};
///
/// let space = SearchSpace::new(vec![Parameter::float("x", -1.0, 1.0)])?;
/// let mut study = Study::new(StudyConfig::new(space).initial(4))?;
/// assert_eq!(expected_gain(&study)?, None);
/// for trial in study.ask(4)?.trials {
///     study.tell(trial.id, trial.unit[0].powi(2))?;
/// }
/// assert!(expected_gain(&study)?.expect("a model") > 0.0);
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
pub fn expected_gain(study: &Study) -> Result<Option<f64>> {
    let Some(best) = study.best().and_then(Trial::value) else { return Ok(None) };
    let plain = study.events().iter().cloned().map(|event| match event {
        Event::Created { mut config } => {
            if config.model.scale == ScaleRule::Warped {
                config.model.scale = ScaleRule::Standardized;
            }
            config.budget = None;
            Event::Created { config }
        }
        other => other,
    });
    let study = Study::replay_with(plain, study.parts())?;
    let suggestion = study.suggest(Ask::new(1).with_pending(Vec::new()))?;
    let Some(next) = suggestion.trials.first().filter(|next| next.source == Source::Model) else { return Ok(None) };
    let (mean, sd) = study.model()?.predict_value(&study.space().encode(&next.point)?);
    let above = mean - study.config().goal.maximized(best);
    Ok(Some(if sd > 0.0 { sd * ln_ei(above / sd).exp() } else { above.max(0.0) }))
}
