//! Finding hyperparameters: the search for the maximum of likelihood times prior.
//!
//! The search runs in θ = (ln ℓ…, ln σ_f², ln σ_n², and the kernel's own parameters), scaled by the extent of the box
//! and the variance of y, from a few starts: the last fit, the prior's mode, and random draws. The likelihood costs n³:
//! with many data a caller fits a part of them first, and starts from there (`belief/subset.rs`).

use super::described::LOGIT_RANGE;
use super::{KernelParameter, Likelihood, NoiseRule, Posterior, Priors, Shape, work};
use crate::data::Dataset;
use crate::error::Result;
use crate::optim::{Bounds, Lbfgsb, LbfgsbParams, best, climb_all};
use crate::rng::Stream;

/// How a fit finds hyperparameters.
#[derive(Debug, Clone, PartialEq)]
pub struct FitParams {
    /// The parameters to find.
    pub shape: Shape,
    /// Priors; [`Priors::flat`] is maximum likelihood.
    pub priors: Priors,
    /// Extent of the box in each coordinate: the unit of lengthscales.
    pub extent: Vec<f64>,
    /// θ of an earlier fit of the same shape, to start from.
    pub warm: Option<Vec<f64>>,
    /// Random starts besides the warm one and the prior's mode.
    pub random_starts: usize,
    /// Stop a search when all gradient components are at most this large.
    pub gradient_tolerance: f64,
    /// Stop a search when an iteration gains less than this, relative to the size of the logarithm.
    pub value_tolerance: f64,
    /// The maximum number of likelihood evaluations of one start.
    pub max_evaluations: usize,
}

impl FitParams {
    /// Maximum a posteriori with dimension-scaled priors on the unit cube: the default.
    pub fn map(shape: Shape) -> Self {
        let dim = shape.metric.len();
        Self {
            priors: Priors::dimension_scaled(dim),
            extent: vec![1.0; dim],
            warm: None,
            random_starts: 1,
            gradient_tolerance: 1e-2,
            value_tolerance: 1e-5,
            max_evaluations: 60,
            shape,
        }
    }

    /// Maximum likelihood from the best of `starts` random starts, on a box of this extent: the paper's way (10 starts).
    pub fn maximum_likelihood(shape: Shape, extent: Vec<f64>, starts: usize) -> Self {
        Self {
            priors: Priors::flat(),
            extent,
            warm: None,
            random_starts: starts,
            gradient_tolerance: 1e-4,
            value_tolerance: 1e-9,
            max_evaluations: 200,
            shape,
        }
    }

    /// Like [`maximum_likelihood`](Self::maximum_likelihood), from this many starts in total, one of them fixed.
    ///
    /// ```
    /// use elbowroom::gp::{FitParams, KernelKind, Shape};
    /// let params = FitParams::maximum_likelihood_of(Shape::new(KernelKind::Rbf, 2), vec![1.0; 2], 10);
    /// assert_eq!(params.random_starts, 9);
    /// ```
    pub fn maximum_likelihood_of(shape: Shape, extent: Vec<f64>, starts: usize) -> Self {
        Self::maximum_likelihood(shape, extent, starts.saturating_sub(1))
    }
}

/// A finished fit.
#[derive(Debug, Clone)]
pub struct Fit {
    /// The posterior at the best hyperparameters.
    pub posterior: Posterior,
    /// θ of the best hyperparameters, to start the next fit from.
    pub theta: Vec<f64>,
    /// ln of likelihood times prior at θ, on all data.
    pub value: f64,
    /// What the search did.
    pub info: FitInfo,
}

/// The counted work of a fit.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct FitInfo {
    /// Likelihood evaluations.
    pub evaluations: usize,
    /// Whether every search failed and the prior's mode was used.
    pub fell_back: bool,
    /// Operations, to leading order: n³ + n²d for each evaluation on n observations, and n³/3 for the posterior.
    pub work: f64,
}

/// Finds hyperparameters and conditions the process on the data.
///
/// A failed search is not an error: if no start leads anywhere, it uses the prior's mode and sets
/// [`FitInfo::fell_back`].
///
/// ```
/// use elbowroom::{data::Dataset, gp::{FitParams, KernelKind, Shape, fit}, linalg::Points, rng::Stream};
/// let x = Points::from_rows(1, (0..8).map(|i| i as f64 / 7.0).collect()).unwrap();
/// let y = x.iter().map(|p| (6.0 * p[0]).sin()).collect();
/// let data = Dataset::new(x, y).unwrap();
/// let found = fit(&data, &FitParams::map(Shape::new(KernelKind::Rbf, 1)), &Stream::new(1)).unwrap();
/// let p = found.posterior.predict(&[0.5]);
/// assert!((p.mean - 3f64.sin()).abs() < 0.01);
/// ```
pub fn fit(data: &Dataset, params: &FitParams, stream: &Stream) -> Result<Fit> {
    let mut likelihood = Likelihood::new(data, params.shape.clone());
    let Found { theta, value, mut info } = find(&mut likelihood, params, stream)?;
    info.work += work::factorization(data.len());
    let posterior = likelihood.posterior(&theta)?;
    Ok(Fit { posterior, theta, value, info })
}

/// Where a search ended.
pub(crate) struct Found {
    /// θ.
    pub theta: Vec<f64>,
    /// ln of likelihood times prior at θ.
    pub value: f64,
    /// What the search did.
    pub info: FitInfo,
}

/// Finds hyperparameters for the values of a likelihood of the same shape, without building the posterior.
pub(crate) fn find(likelihood: &mut Likelihood<'_>, params: &FitParams, stream: &Stream) -> Result<Found> {
    let search = Search::new(likelihood.values(), params)?;
    let (evaluations, work) = (likelihood.evaluations(), likelihood.work());
    let best = search.best_of(likelihood, &search.starts(stream));
    let info = FitInfo {
        evaluations: likelihood.evaluations() - evaluations,
        fell_back: best.is_none(),
        work: likelihood.work() - work,
    };
    let (theta, value) = best.unwrap_or_else(|| (search.mode(), f64::NEG_INFINITY));
    Ok(Found { theta, value, info })
}

/// Values that depend on one more number, to be found together with θ.
pub(crate) trait Bent {
    /// Writes the values at b and their derivatives in b; returns ln of the Jacobian of the results' map, and its
    /// derivative in b.
    fn values(&mut self, b: f64, y: &mut [f64], slopes: &mut [f64]) -> (f64, f64);
}

/// A search from the warm θ for θ and b together: where ln(likelihood · prior · Jacobian) is largest, with that
/// logarithm and the work. The likelihood gives the points. Its values are replaced by those at each b, and should have
/// the same variance.
pub(crate) fn fit_bent(
    likelihood: &mut Likelihood<'_>,
    params: &FitParams,
    bent: &mut dyn Bent,
    from: f64,
    range: (f64, f64),
) -> Result<BentFit> {
    let mut search = Search::new(likelihood.values(), params)?;
    let mut start = params.warm.clone().unwrap_or_else(|| search.mode());
    search.bounds.project(&mut start);
    start.push(from);
    let (mut low, mut high) = (search.bounds.low().to_vec(), search.bounds.high().to_vec());
    low.push(range.0);
    high.push(range.1);
    search.bounds = Bounds::new(low, high)?;
    let (before, evaluations) = (likelihood.work(), likelihood.evaluations());
    let mut y = likelihood.values().to_vec();
    let mut slopes = vec![0.0; y.len()];
    let n = search.unit.len();
    let mut objective = |at: &[f64], gradient: &mut [f64]| {
        let (ln_jacobian, slope) = bent.values(at[n], &mut y, &mut slopes);
        likelihood.set_values(&y);
        let value = search.value(likelihood, &at[..n], &mut gradient[..n]);
        let along: f64 = likelihood.alpha().iter().zip(&slopes).map(|(a, s)| a * s).sum();
        gradient[n] = if value.is_finite() { slope - along } else { 0.0 };
        value + ln_jacobian
    };
    let info = search.solver(n + 1).maximize(&mut objective, &mut start, &search.bounds);
    let bend = start.pop().unwrap_or(from);
    let work = likelihood.work() - before;
    Ok(BentFit { theta: start, bend, value: info.value, work, evaluations: likelihood.evaluations() - evaluations })
}

/// ln(likelihood · prior) at the warm θ: the same as a search of one evaluation, but without the gradient, which takes
/// longer than the value. −∞ if K cannot be factored.
pub(crate) fn value_at_warm(likelihood: &mut Likelihood<'_>, params: &FitParams) -> Result<f64> {
    let search = Search::new(likelihood.values(), params)?;
    let mut theta = params.warm.clone().filter(|w| w.len() == search.unit.len()).unwrap_or_else(|| search.mode());
    search.bounds.project(&mut theta);
    let ln_p = |(i, t): (usize, &f64)| search.prior(i).ln_density(t - search.unit[i]).0;
    let value = theta.iter().enumerate().map(ln_p).fold(likelihood.value_at(&theta), |sum, ln_p| sum + ln_p);
    Ok(if value.is_finite() { value } else { f64::NEG_INFINITY })
}

/// What [`fit_bent`] found.
pub(crate) struct BentFit {
    /// θ.
    pub theta: Vec<f64>,
    /// b.
    pub bend: f64,
    /// ln(likelihood · prior · Jacobian); not finite if it is not finite at the start.
    pub value: f64,
    /// Operations, to leading order.
    pub work: f64,
    /// Evaluations of the likelihood.
    pub evaluations: usize,
}

/// θ for other values at the same points, with kernel and noise variance multiplied by the best factor for each, and
/// ln(likelihood · prior) there. All of them together cost little more than one evaluation.
pub(crate) fn rescale(data: &Dataset, params: &FitParams, theta: &[f64], others: &[Vec<f64>]) -> Result<Rescaled> {
    let search = Search::new(data.y(), params)?;
    let mut likelihood = Likelihood::new(data, params.shape.clone());
    let scaled = params.shape.n_distances()..params.shape.n_scales();
    let ends = likelihood.rescaled(theta, others).unwrap_or_default();
    let with_prior = ends.into_iter().map(|(ln_s, value)| {
        let mut theta = theta.to_vec();
        theta[scaled.clone()].iter_mut().for_each(|t| *t += ln_s);
        search.bounds.project(&mut theta);
        let prior: f64 = theta.iter().enumerate().map(|(i, t)| search.prior(i).ln_density(t - search.unit[i]).0).sum();
        (theta, value + prior)
    });
    Ok(Rescaled { ends: with_prior.collect(), work: likelihood.work() })
}

/// What [`rescale`] found.
pub(crate) struct Rescaled {
    /// θ and the logarithm for each of the values; empty if K cannot be factored.
    pub ends: Vec<(Vec<f64>, f64)>,
    /// Operations, to leading order.
    pub work: f64,
}

/// The search problem: scales, bounds and priors.
struct Search<'a> {
    params: &'a FitParams,
    /// ln of the units of θ: extents, variance of y, variance of y, 1 for the kernel's own.
    unit: Vec<f64>,
    bounds: Bounds,
    /// The kernel's own parameters.
    own: Vec<KernelParameter>,
}

impl<'a> Search<'a> {
    fn new(y: &[f64], params: &'a FitParams) -> Result<Self> {
        let shape = &params.shape;
        let spread = Some(variance(y)).filter(|v| v.is_normal()).unwrap_or(1.0);
        let extent = |k: usize| params.extent[k].ln();
        let mut unit: Vec<f64> = if shape.ard {
            (0..shape.metric.len()).map(extent).collect()
        } else {
            vec![(0..shape.metric.len()).map(extent).sum::<f64>() / shape.metric.len().max(1) as f64]
        };
        let mut low: Vec<f64> = unit.iter().map(|u| u + LENGTHSCALE_RANGE.0.ln()).collect();
        let mut high: Vec<f64> = unit.iter().map(|u| u + LENGTHSCALE_RANGE.1.ln()).collect();
        for _ in &shape.described {
            unit.push(0.0);
            low.push(LOGIT_RANGE.0);
            high.push(LOGIT_RANGE.1);
        }
        unit.push(spread.ln());
        low.push(spread.ln() + VARIANCE_RANGE.0.ln());
        high.push(spread.ln() + VARIANCE_RANGE.1.ln());
        if let NoiseRule::Fitted { floor } = shape.noise {
            unit.push(spread.ln());
            low.push(floor.max(1e-300).ln());
            high.push((spread.ln()).max(floor.max(1e-300).ln()));
        }
        let own = shape.kernel.parameters();
        for parameter in &own {
            unit.push(0.0);
            low.push(parameter.range.0.ln());
            high.push(parameter.range.1.ln());
        }
        // Fails if an extent or the caller's noise floor is not finite.
        let bounds = Bounds::new(low, high)?;
        Ok(Self { params, unit, bounds, own })
    }

    /// The kernel's own parameter at index i of θ, if there is one.
    fn own(&self, i: usize) -> Option<&KernelParameter> {
        self.own.get(i.checked_sub(self.params.shape.n_scales())?)
    }

    fn prior(&self, i: usize) -> super::Prior {
        let n = self.params.shape.n_distances();
        match (i, self.own(i)) {
            (i, _) if i < n => self.params.priors.of_lengthscale(&self.params.shape, i),
            (i, _) if i == n => self.params.priors.variance,
            (_, None) => self.params.priors.noise,
            (_, Some(_)) if self.params.priors == Priors::flat() => super::Prior::Flat,
            (_, Some(own)) => own.prior(),
        }
    }

    fn mode(&self) -> Vec<f64> {
        let n = self.params.shape.n_distances();
        let flat = self.params.priors.lengthscale == super::Prior::Flat;
        let mut theta: Vec<f64> = (0..self.unit.len())
            .map(|i| {
                let relative = match i {
                    i if self.own(i).is_some() => self.own(i).map_or(0.0, |own| own.ln_mean),
                    i if flat && i < n => 0.3f64.ln(),
                    i if i > n => -7.0,
                    _ => self.prior(i).ln_mode(),
                };
                relative + self.unit[i]
            })
            .collect();
        self.bounds.project(&mut theta);
        theta
    }

    fn starts(&self, stream: &Stream) -> Vec<Vec<f64>> {
        let mut starts = Vec::new();
        if let Some(warm) = self.params.warm.as_ref().filter(|w| w.len() == self.unit.len()) {
            let mut warm = warm.clone();
            self.bounds.project(&mut warm);
            starts.push(warm);
        }
        if starts.is_empty() || self.params.random_starts > 0 {
            starts.push(self.mode());
        }
        let n = self.params.shape.n_distances();
        for r in 0..self.params.random_starts {
            let mut draw = stream.child("hyperparameter start", r as u64);
            let mut theta: Vec<f64> = (0..self.unit.len())
                .map(|i| {
                    let relative = match self.prior(i) {
                        _ if self.own(i).is_some() => {
                            self.own(i).map_or(0.0, |own| own.ln_mean + own.ln_sd * draw.normal())
                        }
                        super::Prior::LogNormal { mu, sigma } if i < n => mu - sigma * sigma + draw.normal(),
                        _ if i < n => 0.05f64.ln() + draw.uniform() * 40f64.ln(),
                        _ if i == n => draw.normal(),
                        _ => -13.0 + 11.0 * draw.uniform(),
                    };
                    relative + self.unit[i]
                })
                .collect();
            self.bounds.project(&mut theta);
            starts.push(theta);
        }
        starts
    }

    /// ln of likelihood times prior, and its gradient.
    fn value(&self, likelihood: &mut Likelihood<'_>, theta: &[f64], gradient: &mut [f64]) -> f64 {
        let mut value = likelihood.evaluate(theta, gradient);
        for (i, g) in gradient.iter_mut().enumerate() {
            let (ln_p, slope) = self.prior(i).ln_density(theta[i] - self.unit[i]);
            value += ln_p;
            *g += slope;
        }
        value
    }

    fn solver(&self, n_variables: usize) -> Lbfgsb {
        let params = LbfgsbParams {
            gradient_tolerance: self.params.gradient_tolerance,
            value_tolerance: self.params.value_tolerance,
            max_evaluations: self.params.max_evaluations,
            ..LbfgsbParams::default()
        };
        Lbfgsb::new(n_variables, params)
    }

    /// The best end of the searches from all starts; none if no start has a finite likelihood.
    fn best_of(&self, likelihood: &mut Likelihood<'_>, starts: &[Vec<f64>]) -> Option<(Vec<f64>, f64)> {
        let mut objective = |theta: &[f64], gradient: &mut [f64]| self.value(likelihood, theta, gradient);
        let mut solver = self.solver(self.unit.len());
        let starts = starts.iter().map(Vec::as_slice);
        let mut ends = climb_all(starts, |theta| solver.maximize(&mut objective, theta, &self.bounds).value);
        ends.retain(|end| end.value.is_finite());
        best(&ends).map(|end| (end.point.clone(), end.value))
    }
}

/// Lengthscales considered, in extents of the box.
const LENGTHSCALE_RANGE: (f64, f64) = (5e-3, 1e3);

/// Kernel variances considered, in variances of y.
const VARIANCE_RANGE: (f64, f64) = (1e-3, 1e4);

fn variance(y: &[f64]) -> f64 {
    let n = y.len().max(1) as f64;
    let mean = y.iter().sum::<f64>() / n;
    y.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gp::AnyKernel;
    use crate::gp::kernel::Idle;
    use crate::linalg::Points;

    fn data() -> Dataset {
        let x = Points::from_rows(1, (0..8).map(|i| f64::from(i) / 7.0).collect()).unwrap();
        let y = x.iter().map(|p| (6.0 * p[0]).sin()).collect();
        Dataset::new(x, y).unwrap()
    }

    #[test]
    fn variances_scale_with_the_values_and_a_kernels_own_parameters_do_not() {
        let params = FitParams::map(Shape::new(AnyKernel::own("acme/idle", Idle).unwrap(), 1));
        let theta = [-1.0, 0.0, -9.0, 0.7];
        let tenfold = data().y().iter().map(|y| 10.0 * y).collect();
        let ends = rescale(&data(), &params, &theta, &[data().y().to_vec(), tenfold]).unwrap().ends;
        let (once, tenfold) = (&ends[0].0, &ends[1].0);
        assert!((tenfold[1] - once[1] - 100f64.ln()).abs() < 0.1, "{once:?} {tenfold:?}");
        assert_eq!((once[3], tenfold[3]), (0.7, 0.7));
    }

    #[test]
    fn a_parameter_that_the_data_say_nothing_of_is_found_at_its_priors_mode() {
        let params = FitParams::map(Shape::new(AnyKernel::own("acme/idle", Idle).unwrap(), 1));
        let found = fit(&data(), &params, &Stream::new(1)).unwrap();
        // The mode of a log-normal density is at ln p = μ − σ².
        assert!((found.theta[3] + 0.8).abs() < 0.05, "{:?}", found.theta);
    }
}
