//! The value of a point in the search for the next point of a batch.

use super::front::FrontScore;
use super::pure_exploration::Region;
use crate::acquisition::LogAcquisition;
use crate::gp::{Panel, Posterior, Scratch};
use crate::optim::Objective;
use crate::penalty::{Ball, Penalized, raw_score, shrinkage};

/// The value of a point, without penalizers.
pub(super) enum Score {
    /// ln α(μ, s), given the data alone.
    Data(Box<dyn LogAcquisition>),
    /// ln α(μ, s) + ln(s_after/s): lowered by what phantoms will reveal.
    Shrunk(Box<dyn LogAcquisition>),
    /// ln α(μ, s_after): as if the results of phantoms were in and had not changed the mean. Penalizers are ignored,
    /// since the deviation accounts for the phantoms.
    After(Box<dyn LogAcquisition>),
    /// s_after inside a region that phantoms do not change.
    Explore(Region),
    /// What a point adds to a front of several objectives; the search uses the first objective's posterior.
    Front(Box<FrontScore>),
}

impl Score {
    /// The part that stays the same for the whole batch.
    pub fn fixed(&self, panel: &Panel, i: usize) -> f64 {
        match self {
            Score::Data(acquisition) | Score::Shrunk(acquisition) => raw_score(acquisition, panel, i),
            Score::After(_) | Score::Explore(_) => 0.0,
            Score::Front(front) => front.fixed(panel, i),
        }
    }

    /// The part that phantoms change.
    pub fn moving(&self, panel: &Panel, i: usize) -> f64 {
        match self {
            Score::Data(_) => 0.0,
            Score::Shrunk(_) => shrinkage(panel, i),
            Score::After(acquisition) => acquisition.ln_score(panel.mean(i), panel.variance_after(i).sqrt()).value,
            Score::Explore(_) => 0.0,
            Score::Front(front) => front.moving(panel, i),
        }
    }

    /// Operations to score a point, beyond those of the posterior.
    pub fn work_of_prediction(&self) -> f64 {
        if let Score::Front(front) = self { front.work_of_prediction() } else { 0.0 }
    }

    /// The score as a function to climb.
    pub fn objective<'a>(&'a self, posterior: &'a Posterior, balls: &'a [Ball]) -> Box<Climbable<'a>> {
        match self {
            Score::Data(acquisition) | Score::Shrunk(acquisition) => {
                let shrink = matches!(self, Score::Shrunk(_));
                let mut penalized = Penalized::new(acquisition, posterior, balls, shrink);
                Box::new(move |x, gradient| penalized.value_and_gradient(x, gradient))
            }
            Score::After(acquisition) => {
                let mut scratch = Scratch::default();
                Box::new(move |x, gradient| {
                    let p = posterior.predict_gradient(x, &mut scratch);
                    let sd = p.variance_after.sqrt();
                    let score = acquisition.ln_score(p.mean, sd);
                    for (k, g) in gradient.iter_mut().enumerate() {
                        *g = score.by_mean * scratch.d_mean[k] + score.by_sd * scratch.d_variance_after[k] / (2.0 * sd);
                    }
                    score.value
                })
            }
            Score::Explore(region) => region.objective(posterior),
            Score::Front(front) => front.objective(posterior),
        }
    }
}

/// A value with its gradient, like [`Objective`].
pub(super) type Climbable<'a> = dyn FnMut(&[f64], &mut [f64]) -> f64 + 'a;
