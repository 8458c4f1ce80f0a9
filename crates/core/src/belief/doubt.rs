//! How certain a prediction is: the model of the search is only one of many that explain a few results.
//!
//! While there are few results, a search treats them as exact unless the odds are long that they are not, which works
//! well for the search. But that model would overstate how certain a prediction is, because it goes through every
//! result. So the answer comes from a mixture of it and of models with noise, over several sizes of the noise and
//! lengthscales around the likeliest:
//!
//! m = Σ w_k m_k,   s² = Σ w_k (s_k² + (m_k − m)²),   w_k ∝ (p(results | θ_k) p(θ_k))^τ e^(c_k),
//!
//! with the prior of noise reversed: of its two laws, the one with some noise has the large share. τ < 1, since maxima
//! of many hyperparameters make results seem likelier than they are. The constants were chosen on generated studies
//! (`crates/bench/results/recommend.md`). Asks do not use any of this.

use super::config::{HyperparameterRule, ModelConfig};
use super::fit::{FitPlan, Fitting, Model, Observations};
use super::kernels::KernelConfig;
use super::scale::ResultScale;
use crate::data::Dataset;
use crate::error::Result;
use crate::gp::{KernelKind, Likelihood, Noise, Posterior, Prior, rescale};
use crate::linalg::Points;
use crate::normal::{cdf, quantile};

/// Fewer results than this have no scale to measure noise by; more than this leave no doubt that is worth the time.
const LEAST_RESULTS: usize = 3;
const MOST_RESULTS: usize = 200;

/// With at most this many results, a stray one is recognized here; and how many typical distances from the best it must
/// be.
const VERY_FEW: usize = 5;
const STRAY: f64 = 100.0;

/// Variances of noise, in variances of the function, and factors of the likeliest lengthscales.
const NOISES: [f64; 7] = [0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0];
const LONGER: [f64; 5] = [0.5, 1.0, 2.0, 4.0, 8.0];

/// The power τ of the likelihoods.
const POWER: f64 = 0.5;

/// c_k: the log odds of each of these models relative to the model of the search, and what each next noise and
/// lengthscale adds, counted from the middle noise and from the likeliest lengthscales.
const LN_ODDS: f64 = -1.0;
const PER_NOISE: f64 = 0.5;
const PER_LENGTH: f64 = 0.3;

/// A total weight of these models below this counts as none; a single model whose weight is below the second is left
/// out.
const LEAST_WEIGHT: f64 = 0.01;
const LEAST_OF_ONE: f64 = 1e-4;

/// Models of the same results other than the model of the search, and how likely they are.
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
/// let outlook = study.outlook()?;
/// assert!(outlook.doubt().is_some_and(|doubt| doubt.weight_of_noise() > 0.0));
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Doubt {
    /// The map between results and the units of the models.
    scale: ResultScale,
    /// The models with their weights. The remainder to 1 is the weight of the model of the search.
    others: Vec<(Posterior, f64)>,
    weight_of_noise: f64,
}

/// A law of a value: median and standard deviation.
type Law = (f64, f64);

impl Doubt {
    /// The chance that results are noisy.
    pub fn weight_of_noise(&self) -> f64 {
        self.weight_of_noise
    }

    /// A prediction in the units of results, given that of the model of the search.
    pub(super) fn widened(&self, own: Law, u: &[f64]) -> Law {
        self.with_own(own, |posterior| self.scale.in_users_units(&posterior.predict(u)), mixed)
    }

    /// By how many deviations a result at u is off, given the number for the model of the search.
    pub(super) fn deviations(&self, own: f64, u: &[f64], result: f64, noise: Option<f64>) -> f64 {
        self.with_own(own, |posterior| self.scale.deviations(posterior, u, result, noise), deviations)
    }

    /// Combines a quantity of each model with the weights.
    fn with_own<T, U>(&self, own: T, of: impl Fn(&Posterior) -> T, made: impl Fn(&[(T, f64)]) -> U) -> U {
        let mut all: Vec<(T, f64)> = self.others.iter().map(|(posterior, weight)| (of(posterior), *weight)).collect();
        let weight = 1.0 - all.iter().map(|(_, weight)| weight).sum::<f64>();
        all.push((own, weight));
        made(&all)
    }
}

/// The mean and the standard deviation of a mixture of laws.
fn mixed(laws: &[(Law, f64)]) -> Law {
    let mean: f64 = laws.iter().map(|((m, _), w)| w * m).sum();
    let variance: f64 = laws.iter().map(|((m, s), w)| w * (s * s + (m - mean).powi(2))).sum();
    (mean, variance.sqrt())
}

/// Φ⁻¹(Σ w_k Φ(z_k)), from the nearer tail.
fn deviations(of_each: &[(f64, f64)]) -> f64 {
    let below: f64 = of_each.iter().map(|(z, w)| w * cdf(*z)).sum();
    let above: f64 = of_each.iter().map(|(z, w)| w * cdf(-z)).sum();
    if below.min(above) == 0.0 {
        // Beyond 38 deviations under every model: the nearest decides.
        let nearest = of_each.iter().map(|(z, _)| *z).min_by(|a, b| a.abs().total_cmp(&b.abs()));
        return nearest.unwrap_or(f64::NAN);
    }
    if below < above { quantile(below) } else { -quantile(above) }
}

/// The weights of models, from ln(likelihood · prior) of the model of the search and of each other one with its c.
fn weights(own: f64, others: &[(f64, f64)]) -> Vec<f64> {
    let ln: Vec<f64> = others.iter().map(|(value, c)| POWER * (value - own) + c).collect();
    let top = ln.iter().copied().fold(0.0, f64::max);
    let total = (-top).exp() + ln.iter().map(|v| (v - top).exp()).sum::<f64>();
    ln.iter().map(|v| (v - top).exp() / total).collect()
}

/// Whether one of very few results is far beyond the others. With more results, scaling recognizes such a value; here
/// it would pass for noise of its own size.
fn has_stray(values: &[f64]) -> bool {
    let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut gaps: Vec<f64> = values.iter().map(|value| best - value).collect();
    gaps.sort_by(f64::total_cmp);
    let typical = gaps.get(gaps.len().saturating_sub(1) / 2).copied().unwrap_or(0.0);
    values.len() <= VERY_FEW && gaps.last().is_some_and(|largest| *largest > STRAY * typical)
}

impl FitPlan<'_> {
    /// The doubt in a model of these observations; `None` if their noise is known, or if there is no doubt.
    pub fn doubt(&self, observations: &Observations, own: &Model) -> Result<Option<Doubt>> {
        let Prior::NoneOrSome { none, some, share } = self.config.noise_prior else { return Ok(None) };
        let is_known = observations.noise.is_some() || self.config.noise.is_some();
        let is_fitted = matches!(self.config.hyperparameters, HyperparameterRule::Map { .. });
        let is_for_this_many = (LEAST_RESULTS..=MOST_RESULTS).contains(&observations.values.len());
        if is_known || !is_fitted || !is_for_this_many || has_stray(&observations.values) {
            return Ok(None);
        }
        let noise_prior = Prior::NoneOrSome { none, some, share: 1.0 - share };
        let config = ModelConfig { noise_prior, ..self.config.clone() };
        // Its detail can be noise by another name, as in a model that believes each result.
        let two_scales = KernelConfig::Ours(KernelKind::TwoScale);
        let kernels: Vec<_> = self.kernels.iter().filter(|kernel| kernel.name != two_scales).cloned().collect();
        let kernels = if kernels.is_empty() { self.kernels } else { &kernels };
        let turned = FitPlan { config: &config, kernels, warm: None, ..*self };
        let noisy = turned.fit(observations)?;
        let is_noisy = own.posterior.hyper().is_noisy();
        if !noisy.posterior.hyper().is_noisy() && !is_noisy {
            return Ok(None);
        }
        // If the model of the search has some noise, it paid for that.
        let t = own.posterior.hyper().noise.typical().ln();
        let paid = (noise_prior.ln_density(t).0 - self.config.noise_prior.ln_density(t).0).max(0.0);
        let doubt = turned.with_fitting(observations, |fitting| fitting.around(&noisy, own.value + paid))?;
        Ok(doubt.map(|doubt| Doubt { weight_of_noise: if is_noisy { 1.0 } else { doubt.weight_of_noise }, ..doubt }))
    }
}

impl Fitting<'_> {
    /// The models around one with noise, given how well the model of the search explains the results.
    fn around(&self, noisy: &Model, own: f64) -> Result<Option<Doubt>> {
        let Some(kernel) = self.recorded(&noisy.record) else { return Ok(None) };
        let data = data_of(&noisy.posterior)?;
        let params = self.params(&kernel, &data);
        let (n_lengthscales, variance) = (params.shape.n_lengthscales(), params.shape.n_distances());
        let ln_jacobian = noisy.scale.ln_jacobian(self.all.y());
        let (mut thetas, mut values) = (Vec::new(), Vec::new());
        for (i, longer) in LONGER.iter().enumerate() {
            for (k, noise) in NOISES.iter().enumerate() {
                let mut theta = noisy.record.theta.clone();
                theta[..n_lengthscales].iter_mut().for_each(|t| *t += longer.ln());
                theta[variance + 1] = theta[variance] + noise.ln();
                let c = LN_ODDS + PER_NOISE * (k as f64 - 3.0) + PER_LENGTH * (i as f64 - 1.0);
                for (theta, value) in rescale(&data, &params, &theta, &[data.y().to_vec()])?.ends {
                    thetas.push(theta);
                    values.push((value + ln_jacobian, c));
                }
            }
        }
        let weights = weights(own, &values);
        let weight_of_noise: f64 = weights.iter().sum();
        // NaN counts as none.
        if !matches!(weight_of_noise.partial_cmp(&LEAST_WEIGHT), Some(std::cmp::Ordering::Greater)) {
            return Ok(None);
        }
        let mut likelihood = Likelihood::new(&data, params.shape.clone());
        let kept = thetas.iter().zip(&weights).filter(|(_, weight)| **weight > LEAST_OF_ONE);
        let others = kept.map(|(theta, weight)| Ok((likelihood.posterior(theta)?, *weight)));
        Ok(Some(Doubt { scale: noisy.scale, others: others.collect::<Result<_>>()?, weight_of_noise }))
    }
}

/// The data of a posterior, with the noise of its observations beyond what they all share.
fn data_of(posterior: &Posterior) -> Result<Dataset> {
    let mut x = Points::new(posterior.dim());
    posterior.observed().for_each(|u| x.push(u));
    let data = Dataset::new(x, posterior.values().to_vec())?;
    match &posterior.hyper().noise {
        Noise::Equal(_) => Ok(data),
        Noise::PerObservation(noise) => {
            let shared = noise.iter().copied().fold(f64::INFINITY, f64::min);
            data.with_noise(noise.iter().map(|v| v - shared).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mixture_has_the_moments_of_its_laws() {
        // Of N(0, 1) and N(4, 2²) with 3 to 1: mean 1, E x² = 0.75 · 1 + 0.25 · (16 + 4) = 5.75, less 1.
        let (mean, sd) = mixed(&[((0.0, 1.0), 0.75), ((4.0, 2.0), 0.25)]);
        assert!((mean - 1.0).abs() < 1e-15 && (sd * sd - 4.75).abs() < 1e-14, "{mean} {sd}");
    }

    #[test]
    fn a_result_is_off_by_the_quantile_of_the_mixture() {
        // scipy: norm.ppf(0.75 norm.cdf(-3) + 0.25 norm.cdf(-1)), and the same above; and norm.ppf(0.9 norm.cdf(-30) +
        // 0.1 norm.cdf(-9)).
        for (laws, want) in [
            ([(-3.0, 0.75), (-1.0, 0.25)], -1.7428920441490723),
            ([(3.0, 0.75), (1.0, 0.25)], 1.7428920441490723),
            ([(-30.0, 0.9), (-9.0, 0.1)], -9.24941831044838),
            ([(30.0, 0.9), (9.0, 0.1)], 9.24941831044838),
        ] {
            assert!((deviations(&laws) - want).abs() < 1e-12 * want.abs(), "{} {want}", deviations(&laws));
        }
        // Φ and its inverse round; beyond 38 deviations Φ is 0 in floating point.
        assert!((deviations(&[(1.5, 1.0)]) - 1.5).abs() < 1e-14);
        assert_eq!(deviations(&[(-90.0, 0.5), (-60.0, 0.5)]), -60.0);
    }

    #[test]
    fn a_value_far_beyond_very_few_others_is_not_noise() {
        assert!(has_stray(&[-0.1, -1e3, -0.4]) && has_stray(&[-0.1, -1e300, -0.4, -0.3, -0.2]));
        assert!(!has_stray(&[-0.1, -3.0, -0.4]) && !has_stray(&[-0.1, -1e3, -0.4, -0.3, -0.2, -0.5]));
        // Nothing counts as far from equal values, unless it differs.
        assert!(!has_stray(&[]) && !has_stray(&[1.0]) && !has_stray(&[2.0, 2.0, 2.0]) && has_stray(&[2.0, 2.0, 1.0]));
    }

    #[test]
    fn weights_are_tempered_odds() {
        // One model that is as likely, with c = ln 3, and one that is likelier by ln 2 / τ nats: odds of 1 : 3 : 2.
        let found = weights(-7.0, &[(-7.0, 3f64.ln()), (-7.0 + 2f64.ln() / POWER, 0.0)]);
        assert!((found[0] - 0.5).abs() < 1e-12 && (found[1] - 1.0 / 3.0).abs() < 1e-12, "{found:?}");
        // If exact results are far likelier, nothing is left; if noise is, there is nothing else, without overflow.
        assert!(weights(0.0, &[(-2000.0, 0.0)])[0] == 0.0 && weights(0.0, &[(2000.0, 0.0)])[0] == 1.0);
    }
}
