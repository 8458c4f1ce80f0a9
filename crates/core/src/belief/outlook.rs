//! Predictions at any point, however many results there are.
//!
//! A search may use only a part of very many results, most of them near the best, where it must be accurate. Pictures
//! and predictions are about the whole box. So beyond the size limit of a model they use a separate one: it learns
//! kernel, bend and noise from results that keep a distance from each other, and predicts at a point with the posterior
//! given the nearest of *all* results. With more results the nearest ones are closer, so more results are never worse.

use std::sync::Arc;

use super::config::ModelConfig;
use super::doubt::Doubt;
use super::fit::{Model, Observations, encoded};
use super::scale::{Gauge, ScaleRule};
use super::subset;
use crate::data::Dataset;
use crate::design::uniform;
use crate::error::Result;
use crate::gp::{Noise, Posterior};
use crate::linalg::Points;
use crate::rng::Stream;

/// The chance of noise from which on it is worth mentioning.
const MAYBE_NOISY: f64 = 0.2;

/// The number of nearest results that each prediction uses.
const NEAREST: usize = 150;

/// Results that every prediction uses in addition: some spread over the box, so that a cluster does not speak for the
/// space between it and the next.
const ANCHORS: usize = 30;

/// What a study expects of any point; see [`Study::outlook`](crate::study::Study::outlook).
#[derive(Debug, Clone)]
pub struct Outlook {
    model: Arc<Model>,
    /// All results in the model's units; none if the model uses all of them already.
    all: Option<Crowd>,
    /// The doubt that results are exact, if there is any.
    doubt: Option<Doubt>,
}

/// All results.
#[derive(Debug, Clone)]
struct Crowd {
    /// The results, in the units of the model.
    data: Arc<Dataset>,
    /// Indices of the anchors, which are spread over the box.
    anchors: Vec<usize>,
    /// The noise variance that all results share, besides their own.
    noise: f64,
}

impl Outlook {
    /// The outlook of a model that uses all results: its own predictions.
    pub fn of(model: Arc<Model>) -> Self {
        Self { model, all: None, doubt: None }
    }

    /// The same outlook, widened by the doubt that results are exact.
    pub(crate) fn with_doubt(self, doubt: Option<Doubt>) -> Self {
        Self { doubt, ..self }
    }

    /// The doubt that results are exact; predictions allow for it. `None` if their noise is known, if there is no
    /// doubt, or if there are more than 200 results.
    pub fn doubt(&self) -> Option<&Doubt> {
        self.doubt.as_ref()
    }

    /// The chance that results are noisy, if it is a fifth or more and the search treats them as exact. What is expected
    /// at a point then differs from what was measured there.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, SearchSpace};
    /// use elbowroom::study::{Study, StudyConfig};
    ///
    /// let space = SearchSpace::new(vec![Parameter::float("x", -1.0, 1.0)])?;
    /// let mut study = Study::new(StudyConfig::new(space).initial(4))?;
    /// for trial in study.ask(4)?.trials {
    ///     study.tell(trial.id, trial.unit[0].powi(2))?;
    /// }
    /// assert!(study.outlook()?.possible_noise().is_some());
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn possible_noise(&self) -> Option<f64> {
        let weight = self.doubt.as_ref()?.weight_of_noise();
        (weight >= MAYBE_NOISY && !self.model.posterior.hyper().is_noisy()).then_some(weight)
    }

    /// The outlook of more results than a model may have; `fit` makes a model of some of them.
    pub(crate) fn of_many(
        all: &Observations,
        config: &ModelConfig,
        stream: &Stream,
        fit: impl FnOnce(&Observations) -> Result<Model>,
    ) -> Result<Self> {
        let apart = apart(&all.x, config.max_observations, stream);
        let some = all.only(&apart);
        let model = fit(&some)?;
        let gauge = Gauge::new(&some.values, &subset::typical(&some.x));
        let mut raw = Dataset::new(all.x.clone(), all.values.clone())?;
        let known = all.known_noise(config);
        let is_fitted = known.as_ref().is_none_or(|(_, is_partial)| *is_partial);
        if let Some((variances, _)) = known {
            raw = raw.with_noise(variances)?;
        }
        let noise = match &model.posterior.hyper().noise {
            _ if !is_fitted => 0.0,
            Noise::Equal(noise) => *noise,
            // Wild results and those with a known variance have more noise than the others.
            Noise::PerObservation(noise) => noise.iter().copied().fold(f64::INFINITY, f64::min),
        };
        let wild = gauge.wild_noise(raw.y()).filter(|_| config.scale != ScaleRule::Centred);
        let data = Arc::new(encoded(&raw, &model.scale, wild)?);
        let anchors = subset::farthest_first(&some.x, ANCHORS).into_iter().map(|i| apart[i]).collect();
        Ok(Self { model: Arc::new(model), all: Some(Crowd { data, anchors, noise }), doubt: None })
    }

    /// The model that provides kernel, scale and noise.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// The posterior that predicts at this point.
    pub fn posterior_at(&self, u: &[f64]) -> Result<Posterior> {
        match &self.all {
            Some(crowd) => crowd.given_nearest(NEAREST, &self.model.posterior, u),
            None => Ok(self.model.posterior.clone()),
        }
    }

    /// The prediction at a unit point in the units of the observed values: median and standard deviation.
    pub fn predict_value(&self, u: &[f64]) -> (f64, f64) {
        let nearest = self.all.as_ref().and_then(|crowd| crowd.given_nearest(NEAREST, &self.model.posterior, u).ok());
        let posterior = nearest.as_ref().unwrap_or(&self.model.posterior);
        let expected = self.model.scale.in_users_units(&posterior.predict(u));
        self.doubt.as_ref().map_or(expected, |doubt| doubt.widened(expected, u))
    }

    /// By how many standard deviations a result at a unit point is off; `noise` is its variance if it is known.
    ///
    /// With models of several noises, this is the deviation that is as rare under a normal law as the result is under
    /// their mixture.
    pub fn deviations(&self, u: &[f64], result: f64, noise: Option<f64>) -> f64 {
        let own = self.model.scale.deviations(&self.model.posterior, u, result, noise);
        self.doubt.as_ref().map_or(own, |doubt| doubt.deviations(own, u, result, noise))
    }
}

impl Crowd {
    /// The posterior given the k nearest results and the anchors, with the hyperparameters of `like`.
    fn given_nearest(&self, k: usize, like: &Posterior, u: &[f64]) -> Result<Posterior> {
        let Self { data, anchors, noise } = self;
        let distances: Vec<f64> = data.x().iter().map(|x| like.squared_distance(x, u)).collect();
        let mut kept: Vec<usize> = (0..distances.len()).collect();
        if k < kept.len() {
            kept.select_nth_unstable_by(k, |a, b| distances[*a].total_cmp(&distances[*b]).then(a.cmp(b)));
            kept.truncate(k);
        }
        kept.extend(anchors);
        kept.sort_unstable();
        kept.dedup();
        let mut x = Points::new(data.dim());
        kept.iter().for_each(|&i| x.push(data.x().row(i)));
        let some = Dataset::new(x, kept.iter().map(|&i| data.y()[i]).collect())?;
        let mut hyper = like.hyper().clone();
        hyper.noise = match data.noise() {
            Some(own) => Noise::PerObservation(kept.iter().map(|&i| own[i] + noise).collect()),
            None => Noise::Equal(*noise),
        };
        Posterior::new(&some, hyper)
    }
}

/// Indices of at most `bound` results that keep a distance: each is farther from all before it than half of the typical
/// distance between `bound` uniform points. Later results never displace earlier ones, so what is learned stays.
fn apart(x: &Points, bound: usize, stream: &Stream) -> Vec<usize> {
    let least = 0.25 * typical_squared_distance(bound, x.dim(), stream);
    let mut kept: Vec<usize> = Vec::with_capacity(bound);
    for i in 0..x.len() {
        if kept.len() == bound {
            break;
        }
        if kept.iter().all(|&j| squared_distance(x.row(i), x.row(j)) >= least) {
            kept.push(i);
        }
    }
    kept
}

/// The median squared distance from one of n uniform points to the nearest other.
fn typical_squared_distance(n: usize, dim: usize, stream: &Stream) -> f64 {
    let points = uniform(n, dim, &mut stream.child("uniform", 0));
    let nearest = |i: usize| {
        let others = (0..n).filter(|&j| j != i);
        others.map(|j| squared_distance(points.row(i), points.row(j))).fold(f64::INFINITY, f64::min)
    };
    let mut nearest: Vec<f64> = (0..n.min(101)).map(nearest).collect();
    nearest.sort_by(f64::total_cmp);
    nearest.get(nearest.len() / 2).copied().unwrap_or(0.0)
}

fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gp::{Hyperparameters, KernelKind};
    use crate::space::{Parameter, SearchSpace};

    #[test]
    fn the_posterior_given_the_nearest_is_that_of_the_formulas() {
        let x = Points::from_rows(1, vec![0.1, 0.9, 0.5, 0.3, 0.7]).unwrap();
        let data = Dataset::new(x, vec![0.5, -0.3, 1.2, 0.9, 0.4]).unwrap();
        let hyper = Hyperparameters::new(KernelKind::Matern52, 1.0, vec![0.25], 0.01);
        let like = Posterior::new(&data, hyper).unwrap();
        let crowd = Crowd { data: Arc::new(data), anchors: Vec::new(), noise: 0.01 };
        // Computed with dense algebra in Python.
        for (k, mean, variance) in [
            (2, 1.152149973929, 0.05217676049232),
            (3, 1.189101061171, 0.0451857772301),
            (5, 1.169235675128, 0.04053830517381),
        ] {
            let p = crowd.given_nearest(k, &like, &[0.42]).unwrap().predict(&[0.42]);
            assert!((p.mean - mean).abs() < 1e-11 && (p.variance - variance).abs() < 1e-11, "{k}: {p:?}");
        }
        let anchored = Crowd { anchors: vec![1, 2], ..crowd };
        assert_eq!(anchored.given_nearest(2, &like, &[0.42]).unwrap().n_data(), 3);
    }

    /// A wave over the square.
    fn wave(u: &[f64]) -> f64 {
        (7.0 * u[0]).sin() * (5.0 * u[1]).cos() + u[0]
    }

    fn observations(x: Points) -> Observations {
        let values = x.iter().map(wave).collect();
        Observations { x, values, noise: None }
    }

    fn outlook(all: &Observations, bound: usize) -> Outlook {
        let space = SearchSpace::new(vec![Parameter::float("a", 0.0, 1.0), Parameter::float("b", 0.0, 1.0)]).unwrap();
        let config = ModelConfig { max_observations: bound, ..ModelConfig::default() };
        let stream = Stream::new(3);
        let fit = |some: &Observations| Model::fit(&config, &space, some, None, &stream);
        Outlook::of_many(all, &config, &stream, fit).unwrap()
    }

    /// The root mean square error on fresh points.
    fn error(outlook: &Outlook) -> f64 {
        let fresh = uniform(200, 2, &mut Stream::new(99));
        let square = |u: &[f64]| (outlook.predict_value(u).0 - wave(u)).powi(2);
        (fresh.iter().map(square).sum::<f64>() / 200.0).sqrt()
    }

    #[test]
    fn more_results_than_a_model_may_have_make_it_better_wherever_they_are() {
        let mut x = uniform(30, 2, &mut Stream::new(1));
        let few = error(&outlook(&observations(x.clone()), 30));
        let mut clustered = x.clone();
        uniform(170, 2, &mut Stream::new(2)).iter().for_each(|u| x.push(u));
        let many = error(&outlook(&observations(x.clone()), 30));
        assert!(many < 0.1 * few, "{many} of {few}");
        uniform(170, 2, &mut Stream::new(2)).iter().for_each(|u| clustered.push(&[0.3 + 0.01 * u[0], 0.01 * u[1]]));
        let near = error(&outlook(&observations(clustered), 30));
        assert!(near < 1.05 * few, "{near} of {few}");
    }

    #[test]
    fn what_is_learned_from_keeps_a_distance_and_stays_when_results_are_added() {
        let mut x = uniform(40, 2, &mut Stream::new(1));
        let before = apart(&x, 40, &Stream::new(3));
        assert!(before.len() > 25);
        (0..200).for_each(|i| x.push(&[0.5 + 1e-5 * f64::from(i), 0.5]));
        let after = apart(&x, 40, &Stream::new(3));
        assert!(after.starts_with(&before) && after.len() <= before.len() + 1, "{after:?}");
    }
}
