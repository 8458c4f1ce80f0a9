//! The marginal likelihood of the data and its gradient in the logarithms of the hyperparameters.
//!
//! ln p(y) = −½ [rᵀα + ln det K + n ln 2π],   r = y − m,   α = K⁻¹r,
//! ∂ ln p/∂θ = ½ Σ_ij W_ij ∂K_ij/∂θ,   W = ααᵀ − K⁻¹.
//!
//! The constant mean, unless fixed, is the maximizer m = 1ᵀK⁻¹y / (1ᵀK⁻¹1 + 1/τ²) under a N(0, τ²) prior, so the
//! gradient above stays exact (the derivative in m is zero there). Only the lower triangle is built, column by column
//! from whitened coordinates; distances of single coordinates are recomputed for the gradient instead of stored, so memory
//! stays at a few n².
//!
//! K is not factored again at the same θ: a search often starts where another ended, with other values.

use super::described::share_at;
use super::whitened::Whitened;
use super::{AnyKernel, Described, Hyperparameters, Metric, Noise, Posterior, work};
use crate::data::Dataset;
use crate::error::Result;
use crate::linalg::{FactorWork, GROUP, dot_lanes, vectorized};

/// Which hyperparameters are fitted, and which are given.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// The kernel; the values of its parameters are fitted.
    pub kernel: AnyKernel,
    /// One lengthscale per coordinate (ARD), or one for all.
    pub ard: bool,
    /// How each coordinate is compared.
    pub metric: Vec<Metric>,
    /// The categories whose levels have descriptors; their weights are fitted.
    pub described: Vec<Described>,
    /// The noise variance: given or fitted.
    pub noise: NoiseRule,
    /// The constant mean: given or fitted.
    pub mean: MeanRule,
}

/// Where the noise variance comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NoiseRule {
    /// Known, the same for all observations.
    Known(f64),
    /// Known for each observation: read from the data set.
    PerObservation,
    /// Fitted, the same for all observations and not below a floor (as a variance); plus the variance of each
    /// observation, if the data set has them.
    Fitted {
        /// The smallest variance considered.
        floor: f64,
    },
}

/// Where the constant mean comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MeanRule {
    /// Known.
    Known(f64),
    /// The best one under a normal prior with mean 0 and this standard deviation (infinite: no prior).
    Estimated {
        /// Standard deviation τ of the prior.
        prior_sd: f64,
    },
}

impl Shape {
    /// An ARD kernel on ordinary coordinates with fitted noise and mean.
    pub fn new(kernel: impl Into<AnyKernel>, dim: usize) -> Self {
        Self {
            kernel: kernel.into(),
            ard: true,
            metric: vec![Metric::Distance; dim],
            described: Vec::new(),
            noise: NoiseRule::Fitted { floor: 1e-8 },
            mean: MeanRule::Estimated { prior_sd: f64::INFINITY },
        }
    }

    /// The length of θ: lengthscales, odds of mismatch, variance, noise if fitted, and the kernel's own parameters.
    pub fn n_parameters(&self) -> usize {
        self.n_scales() + self.kernel.values().len()
    }

    /// The number of entries of θ before the kernel's own parameters.
    pub(crate) fn n_scales(&self) -> usize {
        self.n_distances() + 1 + usize::from(matches!(self.noise, NoiseRule::Fitted { .. }))
    }

    /// The number of entries of θ that determine distances: the lengthscales, then logit w of each category with
    /// descriptors.
    pub(crate) fn n_distances(&self) -> usize {
        self.n_lengthscales() + self.described.len()
    }

    /// The number of free lengthscales.
    pub fn n_lengthscales(&self) -> usize {
        if self.ard { self.metric.len() } else { 1 }
    }
}

/// The marginal likelihood as a function of θ = (ln ℓ…, logit w…, ln σ_f², ln σ_n², ln p…) with the kernel's own parameters p, and
/// storage to evaluate it many times.
///
/// ```
/// use elbowroom::{data::Dataset, gp::{KernelKind, Likelihood, Shape}, linalg::Points};
/// let x = Points::from_rows(1, vec![0.0, 0.4, 1.0]).unwrap();
/// let data = Dataset::new(x, vec![0.1, 0.9, 0.3]).unwrap();
/// let mut likelihood = Likelihood::new(&data, Shape::new(KernelKind::Matern52, 1));
/// let mut gradient = vec![0.0; 3];
/// let value = likelihood.evaluate(&[-1.0, 0.0, -4.0], &mut gradient);
/// assert!(value.is_finite());
/// ```
pub struct Likelihood<'a> {
    data: &'a Dataset,
    /// The values: those of the data, or others that replace them.
    y: Vec<f64>,
    /// Its kernel has the parameters of the last θ.
    shape: Shape,
    whitened: Whitened,
    work: FactorWork,
    /// σ_f² κ' of each entry of the packed lower triangle.
    slopes: Vec<f64>,
    /// ∂κ/∂ln p of each entry, for the first of the kernel's own parameters, then for the next.
    own_slopes: Vec<f64>,
    along: Along,
    lengthscales: Vec<f64>,
    ones: Vec<f64>,
    mean: f64,
    t: Vec<f64>,
    v: Vec<f64>,
    alpha: Vec<f64>,
    /// K⁻¹1.
    of_ones: Vec<f64>,
    evaluations: usize,
    factorizations: usize,
    /// The θ for which K was last built, and what has been computed for it.
    theta: Vec<f64>,
    state: State,
}

/// Storage for the gradient along lengthscales.
struct Along {
    /// The last points, point by point.
    last: Vec<f64>,
    /// One point, padded to whole groups.
    u: Vec<f64>,
    /// A sum for each coordinate.
    sums: Vec<f64>,
}

/// What has been computed for K at the last θ.
#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    /// Nothing: K cannot be factored, or there was no θ yet.
    Nothing,
    /// The factor and its inverse.
    Factored,
    /// The inverse of K as well.
    Inverted,
}

impl<'a> Likelihood<'a> {
    /// Prepares to evaluate the likelihood of `data` many times.
    pub fn new(data: &'a Dataset, shape: Shape) -> Self {
        let (n, dim) = (data.len(), data.dim());
        let lengthscales = vec![1.0; dim];
        let mut whitened = Whitened::new(data.x(), &lengthscales, &shape.metric);
        whitened.describe(&shape.described);
        Self {
            whitened,
            work: FactorWork::new(n),
            slopes: Vec::new(),
            own_slopes: Vec::new(),
            along: Along { last: Vec::new(), u: vec![0.0; dim.next_multiple_of(GROUP)], sums: vec![0.0; dim] },
            ones: vec![1.0; n],
            mean: 0.0,
            t: vec![0.0; n],
            v: vec![0.0; n],
            alpha: vec![0.0; n],
            of_ones: vec![0.0; n],
            lengthscales,
            y: data.y().to_vec(),
            data,
            shape,
            evaluations: 0,
            factorizations: 0,
            theta: Vec::new(),
            state: State::Nothing,
        }
    }

    /// The number of evaluations.
    pub fn evaluations(&self) -> usize {
        self.evaluations
    }

    /// Operations spent on evaluations, to leading order; those at a θ where K was already factored are of lower order.
    pub(crate) fn work(&self) -> f64 {
        self.factorizations as f64 * work::likelihood(self.data.len(), self.data.dim())
    }

    /// The shape it was made for.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// ln p(y) at θ, and its gradient; −∞ (gradient 0) if K cannot be factored.
    pub fn evaluate(&mut self, theta: &[f64], gradient: &mut [f64]) -> f64 {
        self.evaluations += 1;
        gradient.fill(0.0);
        let Some(value) = self.value(theta) else { return f64::NEG_INFINITY };
        if self.state != State::Inverted {
            self.work.compute_inverse();
            self.state = State::Inverted;
        }
        self.add_gradient(theta, gradient);
        value
    }

    /// ln p(y) at θ; −∞ if K cannot be factored.
    pub(super) fn value_at(&mut self, theta: &[f64]) -> f64 {
        self.evaluations += 1;
        self.value(theta).unwrap_or(f64::NEG_INFINITY)
    }

    /// The values.
    pub(super) fn values(&self) -> &[f64] {
        &self.y
    }

    /// Replaces the values at the same points.
    pub(crate) fn set_values(&mut self, y: &[f64]) {
        self.y.copy_from_slice(y);
    }

    /// −d ln p/dy = K⁻¹(y − m) at the last θ.
    pub(super) fn alpha(&self) -> &[f64] {
        &self.alpha
    }

    /// For other values at the same points: the logarithm of the best factor s for K at θ, and ln p with it; `None` if
    /// K cannot be factored. K is factored once for all of them, so each further one costs n².
    ///
    /// ln p is largest in s where s = rᵀK⁻¹r/n.
    pub(super) fn rescaled(&mut self, theta: &[f64], others: &[Vec<f64>]) -> Option<Vec<(f64, f64)>> {
        self.evaluations += 1;
        self.value(theta)?;
        let n = self.data.len() as f64;
        let Self { work, v, of_ones, shape, ones, .. } = self;
        if let MeanRule::Known(_) = shape.mean {
            work.solve(ones, v, of_ones);
        }
        let of_ones: f64 = of_ones.iter().sum();
        let (ln_det, ln_2pi) = (work.ln_det(), (2.0 * std::f64::consts::PI).ln());
        let mut solved = vec![vec![0.0; self.data.len()]; others.len()];
        work.solve_all(others, &mut solved);
        let rescaled = others.iter().zip(&solved).map(|(y, alpha)| {
            let square: f64 = y.iter().zip(alpha.iter()).map(|(y, a)| y * a).sum();
            let of_y: f64 = alpha.iter().sum();
            let (mut s, mut penalty) = (1.0, 0.0);
            // The prior of the mean does not scale with K, so the best mean depends on s: two rounds come close enough.
            for _ in 0..2 {
                let m = match shape.mean {
                    MeanRule::Known(m) => m,
                    MeanRule::Estimated { prior_sd } => {
                        let m = of_y / (of_ones + s / (prior_sd * prior_sd));
                        penalty = 0.5 * (m / prior_sd).powi(2);
                        m
                    }
                };
                s = ((square - 2.0 * m * of_y + m * m * of_ones) / n).max(f64::MIN_POSITIVE);
            }
            (s.ln(), -0.5 * n * (1.0 + s.ln() + ln_2pi) - 0.5 * ln_det - penalty)
        });
        Some(rescaled.collect())
    }

    /// The posterior at θ. K is not factored again if the last evaluation was there.
    pub fn posterior(&mut self, theta: &[f64]) -> Result<Posterior> {
        self.posterior_of(self.data, theta)
    }

    /// The posterior of other values at the same points, with the same noise: `data` has these points and the values of
    /// the last [`set_values`](Self::set_values).
    pub(crate) fn posterior_of(&mut self, data: &Dataset, theta: &[f64]) -> Result<Posterior> {
        let hyper = self.hyperparameters(theta);
        if self.state == State::Nothing {
            // Not positive definite without jitter, which `new` adds.
            return Posterior::new(data, hyper);
        }
        hyper.check(data.len(), data.dim())?;
        Ok(Posterior::from_factor(data, hyper, self.work.to_factor(0.0)))
    }

    /// The hyperparameters at θ, the mean included.
    pub fn hyperparameters(&mut self, theta: &[f64]) -> Hyperparameters {
        if self.value(theta).is_none() {
            self.state = State::Nothing;
        }
        Hyperparameters {
            kernel: self.shape.kernel.clone(),
            variance: self.variance(theta),
            lengthscales: self.lengthscales.clone(),
            noise: match self.shape.noise {
                NoiseRule::Known(v) => Noise::Equal(v),
                NoiseRule::PerObservation => Noise::PerObservation(self.data.noise().unwrap_or(&[]).to_vec()),
                NoiseRule::Fitted { .. } => match self.data.noise() {
                    Some(own) => Noise::PerObservation(own.iter().map(|v| v + self.noise(theta)).collect()),
                    None => Noise::Equal(self.noise(theta)),
                },
            },
            mean: self.mean,
            metric: self.shape.metric.clone(),
            described: self.shape.described.clone(),
        }
    }

    fn variance(&self, theta: &[f64]) -> f64 {
        theta[self.shape.n_distances()].exp()
    }

    /// The noise variance that all observations share (0 if each has its own).
    fn noise(&self, theta: &[f64]) -> f64 {
        match self.shape.noise {
            NoiseRule::Known(v) => v,
            NoiseRule::PerObservation => 0.0,
            NoiseRule::Fitted { .. } => theta[self.shape.n_distances() + 1].exp(),
        }
    }

    /// Computes ln p(y) at θ, with the mean and α; `None` if K is not positive definite.
    fn value(&mut self, theta: &[f64]) -> Option<f64> {
        if self.state == State::Nothing || self.theta != theta {
            self.factor(theta);
        }
        if self.state == State::Nothing { None } else { self.solve() }
    }

    /// Builds and factors K at θ.
    fn factor(&mut self, theta: &[f64]) {
        self.factorizations += 1;
        self.theta.clear();
        self.theta.extend_from_slice(theta);
        for (k, l) in self.lengthscales.iter_mut().enumerate() {
            *l = theta[if self.shape.ard { k } else { 0 }].exp();
        }
        self.whitened.rescale(self.data.x(), &self.lengthscales);
        if !self.shape.described.is_empty() {
            let odds = &theta[self.shape.n_lengthscales()..];
            self.shape.described.iter_mut().zip(odds).for_each(|(one, t)| one.weight = share_at(*t));
            self.whitened.describe(&self.shape.described);
        }
        let n_scales = self.shape.n_scales();
        self.shape.kernel.set_values(theta[n_scales..].iter().map(|t| t.exp()));
        self.build(self.variance(theta), self.noise(theta));
        self.state = if self.work.factor() { State::Factored } else { State::Nothing };
        if self.state == State::Nothing {
            return;
        }
        self.work.invert();
        if let MeanRule::Estimated { .. } = self.shape.mean {
            self.work.solve(&self.ones, &mut self.v, &mut self.of_ones);
        }
    }

    /// Writes the lower triangle of K, and the slopes of its entries.
    fn build(&mut self, variance: f64, noise: f64) {
        let Self { work, whitened, slopes, own_slopes, shape, data, .. } = self;
        let own = if let NoiseRule::Known(_) = shape.noise { None } else { data.noise() };
        let diagonal = |j: usize| variance + noise + own.map_or(0.0, |v| v[j]);
        own_slopes.resize(shape.kernel.values().len() * work.packed_mut().len(), 0.0);
        whitened.fill_covariance(&shape.kernel, variance, diagonal, work, slopes, own_slopes);
    }

    /// The mean and α at the last θ, and ln p(y).
    fn solve(&mut self) -> Option<f64> {
        let n = self.data.len();
        let Self { work, v, alpha, of_ones, shape, y, .. } = self;
        work.solve(y, v, alpha);
        let mut penalty = 0.0;
        self.mean = match shape.mean {
            MeanRule::Known(m) => m,
            MeanRule::Estimated { prior_sd } => {
                let precision = 1.0 / (prior_sd * prior_sd);
                let m = alpha.iter().sum::<f64>() / (of_ones.iter().sum::<f64>() + precision);
                // 0/0 without data and without a prior.
                let m = if n == 0 { 0.0 } else { m };
                penalty = if m == 0.0 { 0.0 } else { 0.5 * m * m * precision };
                m
            }
        };
        if self.mean != 0.0 {
            if let MeanRule::Known(_) = shape.mean {
                work.solve(&self.ones, v, of_ones);
            }
            for (a, b) in alpha.iter_mut().zip(of_ones.iter()) {
                *a -= self.mean * b;
            }
        }
        let fit: f64 = y.iter().zip(alpha.iter()).map(|(y, a)| (y - self.mean) * a).sum();
        let value = -0.5 * (fit + work.ln_det() + n as f64 * (2.0 * std::f64::consts::PI).ln()) - penalty;
        value.is_finite().then_some(value)
    }

    fn add_gradient(&mut self, theta: &[f64], gradient: &mut [f64]) {
        let n = self.data.len();
        let (n_distances, n_scales) = (self.shape.n_distances(), self.shape.n_scales());
        let variance = self.variance(theta);
        let Self { work, whitened, slopes, own_slopes, t, v: distances, alpha, shape, along, .. } = self;
        whitened.last_points(&mut along.last);
        let (mut by_variance, mut by_noise, mut start) = (0.0, 0.0, 0);
        for j in 0..n {
            let rest = n - j;
            let inverse = work.inverse_column(j);
            let column = work.column(j);
            let diagonal = alpha[j] * alpha[j] - inverse[0];
            by_variance += 0.5 * variance * diagonal;
            by_noise += 0.5 * diagonal;
            let t = &mut t[..rest - 1];
            vectorized(
                #[inline(always)]
                || {
                    difference_of(t, alpha[j], &alpha[j + 1..], &inverse[1..]);
                    by_variance += dot_lanes(t, &column[1..]);
                    add_own_gradient(variance, t, own_slopes, start + 1, &mut gradient[n_scales..]);
                    multiply(t, &slopes[start + 1..]);
                    let Along { last, u, sums } = along;
                    (0..sums.len()).for_each(
                        #[inline(always)]
                        |k| u[k] = whitened.column(k, j, 1)[0],
                    );
                    whitened.weighted_squares(u, j, t, last, distances, sums);
                    for (k, along) in sums.iter().enumerate() {
                        gradient[if shape.ard { k } else { 0 }] -= 2.0 * along;
                    }
                },
            );
            add_weight_gradient(whitened, shape, j, t, gradient);
            start += rest;
        }
        gradient[n_distances] = by_variance;
        if let NoiseRule::Fitted { .. } = shape.noise {
            gradient[n_distances + 1] = by_noise * theta[n_distances + 1].exp();
        }
    }
}

/// g_p ← g_p + Σᵢ σ_f² tᵢ ∂κᵢ/∂ln p for each of the kernel's own parameters; `slopes` has all slopes for the first
/// parameter, then for the next; only those from index `from` are used. Each sum adds one number at a time, so two sums
/// side by side take the time of one.
#[inline(always)]
fn add_own_gradient(variance: f64, t: &[f64], slopes: &[f64], from: usize, g: &mut [f64]) {
    let stride = slopes.len() / g.len().max(1);
    if let [first, second] = g {
        let (a, b) = (&slopes[from..][..t.len()], &slopes[stride + from..][..t.len()]);
        let mut sums = (*first, *second);
        for ((t, a), b) in t.iter().zip(a).zip(b) {
            sums.0 += variance * t * a;
            sums.1 += variance * t * b;
        }
        (*first, *second) = sums;
        return;
    }
    for (p, g) in g.iter_mut().enumerate() {
        for (t, slope) in t.iter().zip(&slopes[p * stride + from..][..t.len()]) {
            *g += variance * t * slope;
        }
    }
}

/// tᵢ ← a bᵢ − cᵢ.
#[inline(always)]
fn difference_of(t: &mut [f64], a: f64, b: &[f64], c: &[f64]) {
    for ((t, b), c) in t.iter_mut().zip(b).zip(c) {
        *t = a * b - c;
    }
}

/// tᵢ ← tᵢ cᵢ.
#[inline(always)]
fn multiply(t: &mut [f64], c: &[f64]) {
    for (t, c) in t.iter_mut().zip(c) {
        *t *= c;
    }
}

/// Adds the slopes in logit w of each category with descriptors: Σ_{i>j} W_ij σ_f² κ'(s_ij) ∂s_ij/∂logit w, for one j.
/// `t` has the factors before ∂s.
fn add_weight_gradient(whitened: &Whitened, shape: &Shape, j: usize, t: &[f64], gradient: &mut [f64]) {
    for (i, described) in shape.described.iter().enumerate() {
        let k = described.dim;
        let values = whitened.column(k, j, t.len() + 1);
        let slopes = described.slopes(whitened.level(k, described, values[0]));
        let step = whitened.scale(k) * whitened.scale(k);
        let others = values[1..].iter().map(|o| slopes[whitened.level(k, described, *o)]);
        gradient[shape.n_lengthscales() + i] += step * t.iter().zip(others).map(|(t, slope)| t * slope).sum::<f64>();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gp::KernelKind;
    use crate::linalg::Points;

    #[test]
    fn other_values_at_the_same_hyperparameters_are_those_of_a_new_likelihood_to_the_bit() {
        let x = Points::from_rows(2, (0..38).map(|i| (f64::from(i) * 0.7).sin()).collect()).unwrap();
        let values = |by: f64| (0..19).map(|i| (f64::from(i) * by).cos()).collect::<Vec<f64>>();
        let data = |by: f64| Dataset::new(x.clone(), values(by)).unwrap();
        let (first, second) = (data(0.9), data(1.7));
        let shape = || Shape::new(KernelKind::TwoScale, 2);
        let theta = [-1.0, -0.5, 0.1, -6.0, -2.0, 1.5];
        let evaluate = |likelihood: &mut Likelihood<'_>| {
            let mut gradient = vec![f64::NAN; theta.len()];
            (likelihood.evaluate(&theta, &mut gradient), gradient)
        };
        let mut again = Likelihood::new(&first, shape());
        let before = evaluate(&mut again);
        again.set_values(second.y());
        assert_eq!(evaluate(&mut again), evaluate(&mut Likelihood::new(&second, shape())));
        again.set_values(first.y());
        assert_eq!(evaluate(&mut again), before);
        assert_eq!((again.evaluations, again.factorizations), (3, 1));
    }
}
