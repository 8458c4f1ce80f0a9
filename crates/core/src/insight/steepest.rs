//! The steepest point of a posterior mean, by a longer search than a strategy can afford.
//!
//! The norm of ∇μ has about as many maxima as there are observations. The search that serves every ask refines five
//! starts; when only the constant is asked for, the search may take longer, so many scattered starts are refined here.

use crate::design::Sobol;
use crate::gp::{Posterior, Scratch};
use crate::linalg::Points;
use crate::optim::{Bounds, Lbfgsb, LbfgsbParams, climb_all, scattered};
use crate::penalty::{Lipschitz, Norm, lipschitz, lipschitz_at, power_and_direction};
use crate::rng::Stream;

/// How many starts are refined.
const STARTS: usize = 96;

/// Starts nearer to each other than this, in lengthscales or sides of the box, would lead to the same maximum.
const APART: f64 = 0.25;

/// At most this many observations are paired, and have starts around them.
const OBSERVATIONS: usize = 128;

/// The number of starts around each observation. Around an isolated one, the mean is steepest about a lengthscale away.
const AROUND: usize = 8;

/// In more dimensions there are too many corners.
const MAX_DIM_OF_CORNERS: usize = 6;

/// The largest norm of ∇μ over a box, and where it occurs.
///
/// ```
/// use elbowroom::{data::Dataset, gp::{Hyperparameters, KernelKind, Posterior}, linalg::Points, optim::Bounds};
/// use elbowroom::{insight::steepest, penalty::{Norm, lipschitz}, rng::Stream};
/// let data = Dataset::new(Points::from_rows(1, vec![0.0, 0.5, 1.0])?, vec![0.0, 1.0, 0.0])?;
/// let gp = Posterior::new(&data, Hyperparameters::new(KernelKind::Rbf, 1.0, vec![0.2], 1e-6))?;
/// let thorough = steepest(&gp, &Bounds::unit(1), Norm::Two, &Stream::new(1));
/// assert!(thorough.value >= lipschitz(&gp, &Bounds::unit(1), Norm::Two, &Stream::new(1)).value);
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
pub fn steepest(posterior: &Posterior, bounds: &Bounds, norm: Norm, stream: &Stream) -> Lipschitz {
    let mut best = lipschitz(posterior, bounds, norm, stream);
    let candidates = candidates(posterior, bounds, stream);
    let mut search = Search::new(posterior, bounds, norm);
    let ends = climb_all(starts(posterior, bounds, norm, &candidates), |x| {
        search.refine(x);
        lipschitz_at(posterior, x, norm)
    });
    for end in ends {
        if end.value > best.value {
            best = Lipschitz { value: end.value, at: end.point, ..best };
        }
    }
    best
}

/// Points to start from: spread over the box, at and around the observations, between them, and in the corners.
fn candidates(posterior: &Posterior, bounds: &Bounds, stream: &Stream) -> Points {
    let (low, high, dim) = (bounds.low(), bounds.high(), bounds.dim());
    let mut all = Points::new(dim);
    let mut x = vec![0.0; dim];
    let mut sobol = Sobol::scrambled(dim, &stream.child("steepest", 0));
    for _ in 0..2048 + 128 * dim {
        sobol.next_into(&mut x);
        (0..dim).for_each(|k| x[k] = low[k] + x[k] * (high[k] - low[k]));
        all.push(&x);
    }
    let step = posterior.n_data().div_ceil(OBSERVATIONS).max(1);
    let observed: Vec<&[f64]> = posterior.observed().step_by(step).collect();
    let mut push = |mut x: Vec<f64>| {
        bounds.project(&mut x);
        all.push(&x);
    };
    let mut random = stream.child("steepest", 1);
    let scale = &posterior.hyper().lengthscales;
    for (i, a) in observed.iter().enumerate() {
        push(a.to_vec());
        for _ in 0..AROUND {
            let direction: Vec<f64> = (0..dim).map(|_| random.normal()).collect();
            let length = direction.iter().map(|d| d * d).sum::<f64>().sqrt();
            push((0..dim).map(|k| a[k] + scale[k] * direction[k] / length).collect());
        }
        observed[..i].iter().for_each(|b| push(a.iter().zip(*b).map(|(a, b)| 0.5 * (a + b)).collect()));
    }
    if dim <= MAX_DIM_OF_CORNERS {
        for corner in 0..1usize << dim {
            push((0..dim).map(|k| if corner >> k & 1 == 1 { high[k] } else { low[k] }).collect());
        }
    }
    all
}

/// The steepest of the candidates, none near another.
fn starts<'a>(posterior: &Posterior, bounds: &Bounds, norm: Norm, candidates: &'a Points) -> Vec<&'a [f64]> {
    let sides = bounds.high().iter().zip(bounds.low()).map(|(high, low)| high - low);
    let unit: Vec<f64> =
        sides.zip(&posterior.hyper().lengthscales).map(|(side, &l)| if side > 0.0 { side.min(l) } else { l }).collect();
    let mut steep: Vec<(f64, &[f64])> = candidates.iter().map(|x| (lipschitz_at(posterior, x, norm), x)).collect();
    steep.sort_by(|a, b| b.0.total_cmp(&a.0));
    let is_apart = |i: usize, j: usize| {
        let pairs = steep[i].1.iter().zip(steep[j].1).zip(&unit);
        pairs.map(|((a, b), unit)| ((a - b) / unit).powi(2)).sum::<f64>() > APART * APART
    };
    scattered(0..steep.len(), STARTS, is_apart).into_iter().map(|i| steep[i].1).collect()
}

/// Climbs the squared Euclidean norm, or the dual norm itself, in coordinates of the box.
struct Search<'a> {
    posterior: &'a Posterior,
    bounds: &'a Bounds,
    norm: Norm,
    solver: Lbfgsb,
}

impl<'a> Search<'a> {
    fn new(posterior: &'a Posterior, bounds: &'a Bounds, norm: Norm) -> Self {
        let params = LbfgsbParams { max_evaluations: 200, gradient_tolerance: 1e-9, ..LbfgsbParams::default() };
        Self { posterior, bounds, norm, solver: Lbfgsb::new(bounds.dim(), params) }
    }

    /// Moves a start to the maximum that it leads to.
    fn refine(&mut self, x: &mut [f64]) {
        let Self { posterior, bounds, norm, solver } = self;
        let (low, high, dim) = (bounds.low(), bounds.high(), bounds.dim());
        let side: Vec<f64> = high.iter().zip(low).map(|(high, low)| high - low).collect();
        let place =
            |t: &[f64]| -> Vec<f64> { (0..dim).map(|k| (low[k] + t[k] * side[k]).clamp(low[k], high[k])).collect() };
        // In units of the norm at the start, so that tolerances mean the same for all posteriors.
        let scale = lipschitz_at(posterior, x, *norm).max(f64::MIN_POSITIVE.sqrt());
        let mut scratch = Scratch::default();
        let mut direction = vec![0.0; dim];
        let mut climb = |t: &[f64], gradient: &mut [f64]| {
            let x = place(t);
            posterior.mean_gradient(&x, &mut scratch);
            scratch.d_mean.iter_mut().for_each(|g| *g /= scale);
            let value = power_and_direction(&scratch.d_mean, *norm, &mut direction);
            posterior.mean_hessian_times(&x, &direction, &mut scratch, gradient);
            gradient.iter_mut().zip(&side).for_each(|(g, side)| *g *= side / scale);
            value
        };
        let mut t: Vec<f64> = (0..dim).map(|k| if side[k] > 0.0 { (x[k] - low[k]) / side[k] } else { 0.0 }).collect();
        solver.maximize(&mut climb, &mut t, &Bounds::unit(dim));
        x.copy_from_slice(&place(&t));
    }
}
