//! GP-LCA: a Lipschitz constant from the gradients of the posterior mean.
//!
//! L̂ = max over a box of ‖∇μ(x)‖, found by climbs from many starts on the squared norm, which is smooth, with its
//! exact gradient 2 H_μ ∇μ. If distances are measured in the p-norm, gradients must be in the dual q-norm,
//! 1/p + 1/q = 1 (the paper's appendix uses p for both). Two quantities follow, which under ARD do not convert:
//!
//! * [`lipschitz`]: the maximum in the units of the box, unmodified: the paper's GP-LCA.
//! * [`whitened_lipschitz`]: what the strategy uses, with distances in lengthscales, and bounded away from 0, so that
//!   the balls of a flat posterior do not cover everything. L̂ = max(found, min(lo, cap)), where lo = ¼ √c_ν σ_f and
//!   cap is the largest root mean square gradient seen, √(‖∇μ‖² + tr Σ_∇). With categories alone there is no gradient:
//!   then it is the largest difference quotient of μ between observed points, at least lo.
//!
//! For every posterior ‖∇_u μ‖₂ ≤ √c_ν σ_f √(αᵀKα) in whitened coordinates u ([`gradient_certificate`]): the norm of a
//! function in the kernel's space bounds its derivatives.

use crate::design::Sobol;
use crate::gp::{Metric, Posterior, Scratch};
use crate::linalg::Points;
use crate::optim::{Bounds, Lbfgsb, LbfgsbParams, best, climb_all};
use crate::rng::Stream;
use serde::{Deserialize, Serialize};

/// The norm that distances are measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Norm {
    /// Sum of absolute differences; gradients in the maximum norm.
    One,
    /// Euclidean; its own dual.
    #[default]
    Two,
    /// Largest absolute difference; gradients in the sum norm.
    Infinity,
}

/// A Lipschitz constant and where the gradient attains it.
#[derive(Debug, Clone, PartialEq)]
pub struct Lipschitz {
    /// The constant.
    pub value: f64,
    /// The point of the steepest mean.
    pub at: Vec<f64>,
    /// Gradients evaluated.
    pub evaluations: usize,
    /// Operations, to leading order.
    pub work: f64,
}

/// The number of starts that are refined, and the evaluations for each.
const STARTS: usize = 5;
const MAX_EVALUATIONS: usize = 60;

/// At most this many data points are used as starts.
const DATA_STARTS: usize = 128;

/// At most this many data points are compared pair by pair.
const JUMP_POINTS: usize = 128;

/// The paper's GP-LCA: the largest norm of ∇μ over a box, in the box's own units.
///
/// ```
/// use elbowroom::{data::Dataset, gp::{Hyperparameters, KernelKind, Posterior}, linalg::Points};
/// use elbowroom::{optim::Bounds, penalty::{Norm, lipschitz}, rng::Stream};
/// let x = Points::from_rows(1, vec![0.0]).unwrap();
/// let data = Dataset::new(x, vec![1.0]).unwrap();
/// let gp = Posterior::new(&data, Hyperparameters::new(KernelKind::Rbf, 1.0, vec![1.0], 0.0)).unwrap();
/// // μ = exp(−x²/2) is steepest at x = 1, where |μ'| = exp(−1/2).
/// let l = lipschitz(&gp, &Bounds::new(vec![0.0], vec![3.0]).unwrap(), Norm::Two, &Stream::new(0));
/// assert!((l.value - (-0.5f64).exp()).abs() < 1e-8 && (l.at[0] - 1.0).abs() < 1e-3);
/// ```
pub fn lipschitz(posterior: &Posterior, bounds: &Bounds, norm: Norm, stream: &Stream) -> Lipschitz {
    let units = vec![1.0; posterior.dim()];
    steepest(posterior, bounds, norm, &units, 256 + 64 * posterior.dim(), stream).0
}

/// The paper's point value L̂_j = ‖∇μ(x_j)‖, in the units of x: near an optimum it is close to 0.
pub fn lipschitz_at(posterior: &Posterior, x: &[f64], norm: Norm) -> f64 {
    let mut scratch = Scratch::default();
    posterior.mean_gradient(x, &mut scratch);
    dual_norm(&scratch.d_mean, norm)
}

/// The paper's point value with distances in lengthscales.
pub fn whitened_lipschitz_at(posterior: &Posterior, x: &[f64]) -> f64 {
    let mut scratch = Scratch::default();
    posterior.mean_gradient(x, &mut scratch);
    let scale = &posterior.hyper().lengthscales;
    scratch.d_mean.iter().zip(scale).map(|(g, l)| (g * l).powi(2)).sum::<f64>().sqrt()
}

/// The paper's L̂ over a box without modification, with distances in lengthscales: 0 if the posterior mean is flat.
///
/// ```
/// use elbowroom::{data::Dataset, gp::{Hyperparameters, KernelKind, Posterior}, linalg::Points};
/// use elbowroom::{optim::Bounds, penalty::{bare_lipschitz, whitened_lipschitz}, rng::Stream};
/// let flat = Dataset::new(Points::from_rows(1, vec![0.2, 0.8])?, vec![0.0, 0.0])?;
/// let gp = Posterior::new(&flat, Hyperparameters::new(KernelKind::Rbf, 1.0, vec![0.3], 0.0))?;
/// let (bounds, stream) = (Bounds::unit(1), Stream::new(0));
/// assert_eq!(bare_lipschitz(&gp, &bounds, 64, &stream).value, 0.0);
/// assert!(whitened_lipschitz(&gp, &bounds, 64, &stream).value > 0.2);
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
pub fn bare_lipschitz(posterior: &Posterior, bounds: &Bounds, candidates: usize, stream: &Stream) -> Lipschitz {
    steepest(posterior, bounds, Norm::Two, &posterior.hyper().lengthscales, candidates, stream).0
}

/// The strategy's L̂ over a box, with distances in lengthscales.
pub fn whitened_lipschitz(posterior: &Posterior, bounds: &Bounds, candidates: usize, stream: &Stream) -> Lipschitz {
    let hyper = posterior.hyper();
    let (mut found, seen) = steepest(posterior, bounds, Norm::Two, &hyper.lengthscales, candidates, stream);
    let low = 0.25 * (hyper.kernel.gradient_variance() * hyper.variance).sqrt();
    let n_categories = hyper.metric.iter().filter(|m| **m == Metric::Mismatch).count();
    if n_categories > 0 {
        found.value = found.value.max(steepest_jump(posterior));
    }
    if n_categories == posterior.dim() {
        found.value = found.value.max(low);
    } else if found.value < low {
        let dims = posterior.dim() as f64;
        found.work += seen.len() as f64 * dims * posterior.work_of_prediction();
        let cap = seen.iter().map(|x| root_mean_square_gradient(posterior, x)).fold(found.value, f64::max);
        found.value = found.value.max(low.min(cap));
    }
    found
}

/// An upper bound of ‖∇_u μ‖₂ everywhere, in whitened coordinates.
pub fn gradient_certificate(posterior: &Posterior) -> f64 {
    (posterior.hyper().kernel.gradient_variance() * posterior.hyper().variance * posterior.mean_norm_squared()).sqrt()
}

/// The largest |μ(x) − μ(x')|/d(x, x') between observed points. There is no gradient between categories, and with
/// categories alone a constant of 0 would make every ball cover the whole space.
fn steepest_jump(posterior: &Posterior) -> f64 {
    let mut scratch = Scratch::default();
    let step = posterior.n_data().div_ceil(JUMP_POINTS).max(1);
    let means: Vec<(&[f64], f64)> =
        posterior.observed().step_by(step).map(|x| (x, posterior.mean(x, &mut scratch))).collect();
    let mut steepest = 0.0;
    for (i, (a, mean_a)) in means.iter().enumerate() {
        for (b, mean_b) in &means[..i] {
            let d = posterior.squared_distance(a, b).sqrt();
            if d > 0.0 {
                steepest = f64::max(steepest, (mean_a - mean_b).abs() / d);
            }
        }
    }
    steepest
}

/// √E‖∇_u f‖² at x: from the mean gradient and its uncertainty.
fn root_mean_square_gradient(posterior: &Posterior, x: &[f64]) -> f64 {
    let gradient = posterior.gradient_posterior(x);
    let dim = posterior.dim();
    let scale = &posterior.hyper().lengthscales;
    (0..dim)
        .map(|k| scale[k] * scale[k] * (gradient.mean[k] * gradient.mean[k] + gradient.covariance[k * dim + k]))
        .sum::<f64>()
        .sqrt()
}

/// Candidate starts in coordinates of the box, t ∈ [0, 1]ᵈ: spread over it, and at observations.
fn candidate_starts(posterior: &Posterior, bounds: &Bounds, candidates: usize, stream: &Stream) -> Points {
    let (low, high, dim) = (bounds.low(), bounds.high(), posterior.dim());
    let mut starts = Points::new(dim);
    let mut sobol = Sobol::scrambled(dim, &stream.child("lipschitz", 0));
    let mut t = vec![0.0; dim];
    let observed: Vec<&[f64]> = posterior.observed().collect();
    let to_unit = |x: f64, k: usize| if high[k] > low[k] { (x - low[k]) / (high[k] - low[k]) } else { 0.0 };
    for i in 0..candidates {
        sobol.next_into(&mut t);
        // There are no values between two categories: use those of an observation.
        if let Some(x) = observed.get(i % observed.len().max(1)) {
            for k in (0..dim).filter(|&k| posterior.hyper().metric[k] == Metric::Mismatch) {
                t[k] = to_unit(x[k], k);
            }
        }
        starts.push(&t);
    }
    let step = posterior.n_data().div_ceil(DATA_STARTS).max(1);
    for x in posterior.observed().step_by(step).filter(|x| bounds.contains(x)) {
        for k in 0..dim {
            t[k] = to_unit(x[k], k);
        }
        starts.push(&t);
    }
    starts
}

/// The largest dual norm of (units · ∇μ) over the box, and the refined starts.
fn steepest(
    posterior: &Posterior,
    bounds: &Bounds,
    norm: Norm,
    units: &[f64],
    candidates: usize,
    stream: &Stream,
) -> (Lipschitz, Points) {
    let dim = posterior.dim();
    let (low, high) = (bounds.low(), bounds.high());
    let mut scratch = Scratch::default();
    let mut scaled = vec![0.0; dim];
    let mut evaluations = 0;

    let starts = candidate_starts(posterior, bounds, candidates, stream);
    let mut x = vec![0.0; dim];
    let to_box = |t: &[f64], x: &mut [f64]| {
        for k in 0..dim {
            x[k] = low[k] + t[k] * (high[k] - low[k]);
        }
    };
    let mut norms: Vec<(f64, usize)> = starts
        .iter()
        .enumerate()
        .map(|(i, t)| {
            to_box(t, &mut x);
            posterior.mean_gradient(&x, &mut scratch);
            scaled.iter_mut().zip(&scratch.d_mean).zip(units).for_each(|((s, g), u)| *s = g * u);
            evaluations += 1;
            (dual_norm(&scaled, norm), i)
        })
        .collect();
    norms.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));

    let mut direction = vec![0.0; dim];
    let mut objective = |t: &[f64], gradient: &mut [f64]| {
        to_box(t, &mut x);
        posterior.mean_gradient(&x, &mut scratch);
        scaled.iter_mut().zip(&scratch.d_mean).zip(units).for_each(|((s, g), u)| *s = g * u);
        let value = power_and_direction(&scaled, norm, &mut direction);
        direction.iter_mut().zip(units).for_each(|(d, u)| *d *= u);
        posterior.mean_hessian_times_there(&direction, &mut scratch, gradient);
        for k in 0..dim {
            gradient[k] *= high[k] - low[k];
        }
        evaluations += 1;
        value
    };
    let scale = norms.first().map_or(1.0, |n| n.0.max(1e-300));
    let mut solver = Lbfgsb::new(
        dim,
        LbfgsbParams {
            max_evaluations: MAX_EVALUATIONS,
            gradient_tolerance: 1e-7 * scale * scale,
            ..LbfgsbParams::default()
        },
    );
    let unit_box = Bounds::unit(dim);
    norms.truncate(STARTS);
    let steep = norms.iter().map(|&(_, i)| starts.row(i));
    let mut ends = climb_all(steep, |t| solver.maximize(&mut objective, t, &unit_box).value);
    let mut refined = Points::new(dim);
    let mut at = vec![0.0; dim];
    for end in &mut ends {
        to_box(&end.point, &mut at);
        refined.push(&at);
        end.point.copy_from_slice(&at);
        let value = if norm == Norm::Two { end.value.max(0.0).sqrt() } else { end.value };
        end.value = value.max(norms[end.start].0);
    }
    let (value, at) = best(&ends).map_or((0.0, vec![0.0; dim]), |end| (end.value, end.point.clone()));
    // Each evaluation is a mean with its gradient; refining also needs the curvature, which costs as much again.
    let work = (2 * evaluations - starts.len()) as f64 * posterior.work_of_mean();
    (Lipschitz { value, at, evaluations, work }, refined)
}

/// The norm of a gradient, dual to the norm of distances.
fn dual_norm(g: &[f64], norm: Norm) -> f64 {
    match norm {
        Norm::One => g.iter().fold(0.0, |m: f64, v| m.max(v.abs())),
        Norm::Two => g.iter().map(|v| v * v).sum::<f64>().sqrt(),
        Norm::Infinity => g.iter().map(|v| v.abs()).sum(),
    }
}

/// The maximized quantity (the squared norm for p = 2, otherwise the norm) and its derivative in g.
pub(crate) fn power_and_direction(g: &[f64], norm: Norm, direction: &mut [f64]) -> f64 {
    match norm {
        Norm::Two => {
            direction.iter_mut().zip(g).for_each(|(d, v)| *d = 2.0 * v);
            g.iter().map(|v| v * v).sum()
        }
        Norm::Infinity => {
            direction.iter_mut().zip(g).for_each(|(d, v)| *d = v.signum());
            g.iter().map(|v| v.abs()).sum()
        }
        Norm::One => {
            direction.fill(0.0);
            let largest = (0..g.len()).fold(0, |b, k| if g[k].abs() > g[b].abs() { k } else { b });
            direction[largest] = g[largest].signum();
            g[largest].abs()
        }
    }
}
