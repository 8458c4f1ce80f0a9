//! From results to a model: scale, warp, fit.

use serde::{Deserialize, Serialize};

use crate::data::Dataset;
use crate::error::Result;
use crate::gp::{FitParams, KernelKind, Metric, Posterior, Shape, fit};
use crate::linalg::Points;
use crate::rng::Stream;
use crate::space::{Dimension, SearchSpace};

/// A fitted model of the objective on the unit cube.
#[derive(Debug, Clone)]
pub struct Model {
    /// The posterior, in the model's own units.
    pub posterior: Posterior,
    /// What is recorded of the fit: enough to start the next one from.
    pub record: ModelRecord,
}

/// The outcome of a fit as it is recorded in the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelRecord {
    /// The kernel.
    pub kernel: KernelKind,
    /// Logarithms of the hyperparameters.
    pub theta: Vec<f64>,
}

impl Model {
    /// Fits a model to values to be *maximized* at unit points; `warm` is the record of an earlier fit of this study.
    pub fn fit(
        space: &SearchSpace,
        x: Points,
        values: &[f64],
        warm: Option<&ModelRecord>,
        stream: &Stream,
    ) -> Result<Self> {
        let metric = space.dimensions().iter().map(|d| match d {
            Dimension::Category { .. } => Metric::Mismatch,
            _ => Metric::Distance,
        });
        let mut shape = Shape::new(KernelKind::Matern52, space.dim());
        shape.metric = metric.collect();
        let mut params = FitParams::map(shape);
        params.warm = warm.map(|w| w.theta.clone());
        let data = Dataset::new(x, values.to_vec())?;
        let found = fit(&data, &params, stream)?;
        Ok(Self {
            record: ModelRecord { kernel: KernelKind::Matern52, theta: found.theta },
            posterior: found.posterior,
        })
    }

    /// The mean prediction at a unit point in the units of the values given to [`Model::fit`].
    pub fn predict_value(&self, u: &[f64]) -> (f64, f64) {
        let p = self.posterior.predict(u);
        (p.mean, p.variance.sqrt())
    }
}
