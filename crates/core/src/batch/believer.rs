//! Pred-EI and Pred-UCB, and the constant liars (Ginsbourger, Le Riche and Carraro 2010): pretend that results are in.
//!
//! Pending and chosen points are given a made-up value, the *lie*, and the next point is the maximizer of the
//! acquisition under the posterior given data and lies, x_k = arg max α(x; D ∪ lies). The incumbent of expected
//! improvement includes the lies.
//!
//! With the posterior mean as the lie (the *kriging believer*) and unchanged hyperparameters, conditioning leaves the
//! mean as it was: the confidence bound then gives B-UCB. An optimistic lie, the best value so far, keeps the batch in
//! good basins; a pessimistic one, the worst, spreads it. The paper refits the hyperparameters to data and lies for
//! every point ([`Refit`]), which makes the model more certain than it should be.
//!
//! Lies cost O(n²) each; a refit O(n³) per likelihood evaluation.

use serde::{Deserialize, Serialize};

use super::chooser::{Planned, term, terms};
use super::joint::JointImprovement;
use super::leader::explain_leader;
use super::score::Score;
use super::search::Search;
use super::{
    AcquisitionKind, Batch, BatchInfo, BatchSize, BatchStrategy, Candidates, Chooser, Explanation, Proposal, Situation,
};
use crate::acquisition::LogAcquisition;
use crate::belief::mean_square;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::gp::{Described, FitParams, MeanRule, Noise, NoiseRule, Posterior, Shape, fit};
use crate::linalg::Points;
use crate::rng::Stream;
use crate::space::UnitPoint;

/// The value that stands for a pending result. The objective is maximized.
///
/// ```
/// use elbowroom::batch::Lie;
/// assert_eq!(serde_json::from_str::<Lie>(r#"{"constant":1.5}"#)?, Lie::Constant(1.5));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Lie {
    /// The posterior mean at the point, given the data: the kriging believer.
    #[default]
    Mean,
    /// The best value observed.
    Optimistic,
    /// The worst value observed.
    Pessimistic,
    /// The mean of the values observed.
    MeanOfValues,
    /// A given value, in the model's units.
    Constant(f64),
    /// The better of the optimistic and the pessimistic batch: the one with the larger joint expected improvement
    /// together with the pending points, computed exactly for up to ten points in all and by samples for more.
    Mix,
}

/// Whether hyperparameters are fitted again to data and lies. Kernel, metric and constant mean stay.
///
/// ```
/// use elbowroom::batch::Refit;
/// let paper = Refit::MaximumLikelihood { ard: false, starts: 10 };
/// assert_ne!(paper, Refit::default());
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Refit {
    /// They are not refitted.
    #[default]
    Never,
    /// Maximum a posteriori with dimension-scaled priors, starting from the current ones.
    Map {
        /// One lengthscale per coordinate, or one for all.
        ard: bool,
    },
    /// Maximum likelihood from the current ones and random starts; the paper has one lengthscale and 10 starts.
    MaximumLikelihood {
        /// One lengthscale per coordinate, or one for all.
        ard: bool,
        /// Random starts.
        starts: usize,
    },
    /// Maximum likelihood like [`HyperparameterRule::MaximumLikelihoodOfAll`](crate::study::HyperparameterRule), so
    /// that data and lies are fitted exactly as the data alone were: the starts do not depend on the last fit.
    MaximumLikelihoodOfAll {
        /// One lengthscale per coordinate, or one for all.
        ard: bool,
        /// Starts: one that is always the same, the others at random.
        starts: usize,
        /// Smallest noise variance, relative to the mean square of the values.
        noise_floor: f64,
    },
}

/// An acquisition that treats made-up values as results.
///
/// ```
/// use elbowroom::batch::{Believer, Lie};
/// let liar: Believer = serde_json::from_str(r#"{"lie":"optimistic"}"#)?;
/// assert_eq!(liar, Believer { lie: Lie::Optimistic, ..Believer::default() });
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Believer {
    /// The acquisition.
    pub acquisition: AcquisitionKind,
    /// The made-up value.
    pub lie: Lie,
    /// Whether hyperparameters are fitted again for every point.
    pub refit: Refit,
}

impl Default for Believer {
    /// The kriging believer with expected improvement.
    fn default() -> Self {
        Self { acquisition: AcquisitionKind::Ei, lie: Lie::Mean, refit: Refit::Never }
    }
}

impl BatchStrategy for Believer {
    fn validate(&self) -> Result<()> {
        if let Refit::MaximumLikelihoodOfAll { noise_floor, .. } = self.refit
            && !(0.0..=1.0).contains(&noise_floor)
        {
            let what = format!("strategy.refit: the noise floor is {noise_floor}");
            return Err(Error::config(what, "give a share of the mean square of the values, from 0 to 1"));
        }
        self.acquisition.validate()
    }

    fn bind<'a>(&'a self, situation: &'a Situation<'a>, q: BatchSize) -> Result<Box<dyn Chooser + 'a>> {
        if self.lie != Lie::Mix {
            return Ok(Box::new(Believing::new(self, situation, q)?));
        }
        let acquisition = self.acquisition.bind_signed(situation.posterior, situation);
        let is_bound = self.acquisition.is_signed(situation);
        // Which of the two batches will win is known only once both are complete.
        let explain = move |_: &[UnitPoint], u: &[f64]| Explanation {
            is_score: false,
            ..explain_leader(situation, &acquisition, is_bound, u)
        };
        Ok(Planned::boxed(move || Ok((self.better_of_two(situation, q)?, Vec::new())), explain))
    }
}

/// The chooser of a believer.
struct Believing<'a> {
    believer: &'a Believer,
    situation: &'a Situation<'a>,
    q: BatchSize,
    lied_about: Vec<UnitPoint>,
    /// The acquisition given the data alone, for explanations.
    acquisition: Box<dyn LogAcquisition>,
    search: Search<'a>,
    work: f64,
}

impl<'a> Believing<'a> {
    fn new(believer: &'a Believer, situation: &'a Situation<'a>, q: BatchSize) -> Result<Self> {
        let lied_about = situation.pending.to_vec();
        let (posterior, score, work) = believer.believe(situation, &lied_about)?;
        let search = Search::new(situation, posterior, Candidates::Continuous, score);
        let acquisition = believer.acquisition.bind_signed(situation.posterior, situation);
        Ok(Self { believer, situation, q, lied_about, acquisition, search, work })
    }
}

impl Chooser for Believing<'_> {
    fn propose(&mut self) -> Result<Option<Proposal>> {
        Ok(self.search.propose())
    }

    fn join(&mut self, u: &UnitPoint) -> Result<()> {
        self.search.join(u);
        self.lied_about.push(u.clone());
        // No search follows the last point.
        if self.lied_about.len() < self.situation.pending.len() + self.q.get() {
            let (posterior, score, work) = self.believer.believe(self.situation, &self.lied_about)?;
            self.work += work;
            self.search.believe(posterior, score);
        }
        Ok(())
    }

    fn explain(&self, u: &[f64]) -> Explanation {
        let mut all = self.search.explain(u).terms;
        let p = self.situation.posterior.predict(u);
        let on_data = self.acquisition.ln_score(p.mean, p.variance.sqrt()).value;
        if let Some(first) = all.first_mut() {
            let believed = std::mem::replace(&mut first.value, on_data);
            all.insert(1, term(terms::BY_LIES, believed - on_data));
        }
        Explanation::new(all, true)
    }

    fn info(&self) -> BatchInfo {
        self.search.info().with_work(self.work)
    }
}

impl Believer {
    fn better_of_two(&self, situation: &Situation<'_>, q: BatchSize) -> Result<Batch> {
        let with = |lie| Believer { lie, ..self.clone() }.choose(situation, q);
        let (optimistic, pessimistic) = (with(Lie::Optimistic)?, with(Lie::Pessimistic)?);
        let [(a, _), (b, work)] = [&optimistic.points, &pessimistic.points].map(|batch| {
            let joint = JointImprovement::new(situation, batch.len());
            (joint.value(batch), joint.work())
        });
        let info = optimistic.info.also(&pessimistic.info).with_work(2.0 * work);
        Ok(Batch { points: if b > a { pessimistic.points } else { optimistic.points }, info })
    }

    /// The posterior given data and lies, the score under it, and the work it took.
    fn believe(&self, situation: &Situation<'_>, lied_about: &[UnitPoint]) -> Result<(Posterior, Score, f64)> {
        let (posterior, work) = self.believed(self.lie, situation.posterior, lied_about, situation.stream)?;
        let score = Score::Data(self.acquisition.bind_signed(&posterior, situation));
        Ok((posterior, score, work))
    }

    /// The posterior given data and a lie at each of some points, and the work it took.
    fn believed(&self, lie: Lie, posterior: &Posterior, at: &[UnitPoint], stream: &Stream) -> Result<(Posterior, f64)> {
        if at.is_empty() {
            return Ok((posterior.clone(), 0.0));
        }
        let mut x = Points::new(posterior.dim());
        at.iter().for_each(|u| x.push(u));
        let lies = Dataset::new(x, at.iter().map(|u| value(lie, posterior, u)).collect())?;
        if self.refit == Refit::Never {
            // One row of the factor for each lie, and a solve for the weights.
            let believed = posterior.condition(&lies)?;
            let work = (at.len() + 1) as f64 * believed.work_of_prediction();
            return Ok((believed, work));
        }
        let (data, params) = fit_problem(posterior, &lies, self.refit)?;
        let found = fit(&data, &params, &stream.child("refit", at.len() as u64))?;
        Ok((found.posterior, found.info.work))
    }
}

fn value(lie: Lie, posterior: &Posterior, u: &[f64]) -> f64 {
    let values = posterior.values();
    if values.is_empty() {
        return posterior.predict(u).mean;
    }
    match lie {
        Lie::Mean => posterior.predict(u).mean,
        Lie::Optimistic | Lie::Mix => values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        Lie::Pessimistic => values.iter().copied().fold(f64::INFINITY, f64::min),
        Lie::MeanOfValues => values.iter().sum::<f64>() / values.len() as f64,
        Lie::Constant(value) => value,
    }
}

/// Data and lies together, and how to fit them.
fn fit_problem(posterior: &Posterior, lies: &Dataset, refit: Refit) -> Result<(Dataset, FitParams)> {
    let hyper = posterior.hyper();
    let ard = match refit {
        Refit::Never => true,
        Refit::Map { ard } | Refit::MaximumLikelihood { ard, .. } | Refit::MaximumLikelihoodOfAll { ard, .. } => ard,
    };
    let mut x = Points::new(posterior.dim());
    posterior.observed().chain(lies.x().iter()).for_each(|p| x.push(p));
    let mut data = Dataset::new(x, [posterior.values(), lies.y()].concat())?;
    let mut shape = Shape::new(hyper.kernel.clone(), posterior.dim());
    shape.metric = hyper.metric.clone();
    shape.described = hyper.described.clone();
    shape.ard = ard;
    shape.mean = MeanRule::Known(hyper.mean);
    let logarithms = hyper.lengthscales.iter().map(|l| l.ln());
    let mut warm: Vec<f64> =
        if ard { logarithms.collect() } else { vec![logarithms.sum::<f64>() / posterior.dim() as f64] };
    warm.extend(hyper.described.iter().map(Described::logit));
    warm.push(hyper.variance.ln());
    match &hyper.noise {
        Noise::Equal(0.0) => shape.noise = NoiseRule::Known(0.0),
        Noise::Equal(noise) => warm.push(noise.ln()),
        Noise::PerObservation(noise) => {
            let mut noise = noise.clone();
            noise.resize(data.len(), hyper.noise.typical());
            data = data.with_noise(noise)?;
            shape.noise = NoiseRule::PerObservation;
        }
    }
    warm.extend(hyper.kernel.values().iter().map(|value| value.ln()));
    let extent = vec![1.0; posterior.dim()];
    let params = match refit {
        Refit::Never | Refit::Map { .. } => FitParams { random_starts: 0, warm: Some(warm), ..FitParams::map(shape) },
        Refit::MaximumLikelihood { starts, .. } => {
            FitParams { warm: Some(warm), ..FitParams::maximum_likelihood(shape, extent, starts) }
        }
        Refit::MaximumLikelihoodOfAll { starts, noise_floor, .. } => {
            if let NoiseRule::Fitted { .. } = shape.noise {
                shape.noise = NoiseRule::Fitted { floor: noise_floor * mean_square(data.y()) };
            }
            FitParams::maximum_likelihood_of(shape, extent, starts)
        }
    };
    Ok((data, params))
}
