//! How well the model predicts each result from all others.

use std::collections::HashMap;

use serde::Serialize;

use crate::error::Result;
use crate::normal::quantile;
use crate::study::{Study, TrialId};

/// How well the model predicts each result from all others.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Quality {
    /// The number of results.
    pub n: usize,
    /// The results, or a part of them if there are very many.
    pub points: Vec<LeftOutResult>,
    /// How many results fell into prediction intervals.
    pub calibration: Vec<Share>,
    /// The root mean square of the errors, in predicted standard deviations: about 1 for a well-calibrated model.
    pub deviations: f64,
}

/// A result, and its prediction from the others.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LeftOutResult {
    /// Its trial.
    pub trial: Option<TrialId>,
    /// The observed value.
    pub observed: f64,
    /// The predicted value.
    pub mean: f64,
    /// The standard deviation of the prediction.
    pub sd: f64,
}

/// The share of results in an interval that should hold `level` of them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Share {
    /// The share that should be inside.
    pub level: f64,
    /// The share that is inside.
    pub share: f64,
}

/// Leave-one-out predictions.
///
/// ```
/// use elbowroom::insight::quality;
/// use elbowroom::space::{Parameter, SearchSpace};
/// use elbowroom::study::{Study, StudyConfig};
///
/// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
/// let mut study = Study::new(StudyConfig::new(space).initial(8))?;
/// for trial in study.ask(8)?.trials {
///     study.tell(trial.id, trial.unit[0].sin())?;
/// }
/// assert_eq!(quality(&study)?.n, 8);
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
pub fn quality(study: &Study) -> Result<Quality> {
    let model = study.model()?;
    let posterior = &model.posterior;
    let goal = study.config().goal;
    let bits = |x: &[f64]| x.iter().map(|v| v.to_bits()).collect::<Vec<u64>>();
    let trials: HashMap<Vec<u64>, TrialId> = study.trials().iter().map(|trial| (bits(&trial.unit), trial.id)).collect();
    let left_out = posterior.leave_one_out();
    let deviation = |i: usize| (posterior.values()[i] - left_out[i].mean) / left_out[i].variance.sqrt();
    let n = left_out.len();
    let decode = |value: f64| goal.maximized(model.scale.decode(value));
    let points = posterior.observed().enumerate().map(|(i, x)| {
        let (mean, sd) = (left_out[i].mean, left_out[i].variance.sqrt());
        LeftOutResult {
            trial: trials.get(&bits(x)).copied(),
            observed: decode(posterior.values()[i]),
            mean: decode(mean),
            sd: 0.5 * (decode(mean + sd) - decode(mean - sd)).abs(),
        }
    });
    let points = points.step_by(n.div_ceil(1000).max(1)).collect();
    let calibration = (1..20).map(|k| {
        let level = k as f64 / 20.0;
        let width = quantile(0.5 + 0.5 * level);
        let inside = (0..n).filter(|&i| deviation(i).abs() <= width).count();
        Share { level, share: inside as f64 / n.max(1) as f64 }
    });
    let mean_square = (0..n).map(|i| deviation(i).powi(2)).sum::<f64>() / n.max(1) as f64;
    Ok(Quality { n, points, calibration: calibration.collect(), deviations: mean_square.sqrt() })
}
