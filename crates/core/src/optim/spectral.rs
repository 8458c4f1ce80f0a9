//! Ascent within a convex set by projected gradients with spectral step lengths.
//!
//! x ← x + t (P(x + λg) − x), where P is the projection onto the set, λ = s·s / −s·Δg the length of Barzilai and
//! Borwein, and t found by backtracking from 1 against the lowest of the last few values (Birgin, Martínez and Raydan,
//! SIAM Journal on Optimization 10, 2000). If P commutes with a permutation of coordinates, so does the climb.

use super::Objective;
use crate::linalg::{axpy, dot};

/// A step may fall back to the lowest of this many values.
const MEMORY: usize = 5;

/// The first step changes no coordinate by more than this share of the unit cube.
const FIRST_STEP: f64 = 0.2;

/// The gain that a step must have, relative to what the slope predicts.
const ARMIJO: f64 = 1e-4;

/// The longest and shortest λ.
const MAX_LENGTH: f64 = 1e10;
const MIN_LENGTH: f64 = 1e-10;

/// When a climb ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpectralParams {
    /// The maximum number of evaluations.
    pub max_evaluations: usize,
    /// Stop when no coordinate would move by more than this.
    pub step_tolerance: f64,
    /// Stop when the value changes by less than this, relative to its size or to 1.
    pub value_tolerance: f64,
}

/// Climbs from `x`, which must be in the set; `project` moves a point to the nearest one in the set. Returns the best
/// value on the way, and leaves its point in `x`.
///
/// ```
/// use elbowroom::optim::{SpectralParams, spectral_ascent};
/// // The top of −(x − 2)² − (y − 1)² on the line x + y = 1.
/// let mut f = |x: &[f64], gradient: &mut [f64]| {
///     gradient.copy_from_slice(&[-2.0 * (x[0] - 2.0), -2.0 * (x[1] - 1.0)]);
///     -(x[0] - 2.0).powi(2) - (x[1] - 1.0).powi(2)
/// };
/// let to_line = |x: &mut [f64]| {
///     let excess = (x[0] + x[1] - 1.0) / 2.0;
///     x.iter_mut().for_each(|x| *x -= excess);
/// };
/// let params = SpectralParams { max_evaluations: 50, step_tolerance: 1e-12, value_tolerance: 0.0 };
/// let mut x = [0.5, 0.5];
/// assert!((spectral_ascent(&mut f, &mut x, to_line, &params) + 2.0).abs() < 1e-12);
/// assert!((x[0] - 1.0).abs() < 1e-9 && x[1].abs() < 1e-9);
/// ```
pub fn spectral_ascent(
    objective: &mut impl Objective,
    x: &mut [f64],
    mut project: impl FnMut(&mut [f64]),
    params: &SpectralParams,
) -> f64 {
    let dim = x.len();
    let (mut gradient, mut new_gradient) = (vec![0.0; dim], vec![0.0; dim]);
    let mut at = x.to_vec();
    let mut value = objective.value_and_gradient(&at, &mut gradient);
    let mut best = value;
    let mut evaluations = 1;
    let is_usable = |value: f64, gradient: &[f64]| value.is_finite() && gradient.iter().all(|g| g.is_finite());
    if !is_usable(value, &gradient) {
        return value;
    }
    let largest = |v: &[f64]| v.iter().fold(0.0f64, |most, v| most.max(v.abs()));
    let mut length = FIRST_STEP / largest(&gradient).max(f64::MIN_POSITIVE);
    let mut recent = vec![value];
    let (mut step, mut trial) = (vec![0.0; dim], vec![0.0; dim]);
    while evaluations < params.max_evaluations {
        step.copy_from_slice(&at);
        axpy(length.clamp(MIN_LENGTH, MAX_LENGTH), &gradient, &mut step);
        project(&mut step);
        axpy(-1.0, &at, &mut step);
        let slope = dot(&gradient, &step);
        if largest(&step) <= params.step_tolerance || slope <= 0.0 {
            break;
        }
        let floor = recent.iter().copied().fold(f64::INFINITY, f64::min);
        let mut t = 1.0;
        let found = loop {
            trial.copy_from_slice(&at);
            axpy(t, &step, &mut trial);
            let there = objective.value_and_gradient(&trial, &mut new_gradient);
            evaluations += 1;
            if is_usable(there, &new_gradient) && there >= floor + ARMIJO * t * slope {
                break Some(there);
            }
            if evaluations >= params.max_evaluations || t * largest(&step) <= params.step_tolerance {
                break None;
            }
            // The top of the parabola through the value, the slope and the trial, but between a tenth and a half of t.
            let parabola = -0.5 * slope * t * t / (there - value - t * slope);
            t = if parabola.is_finite() { parabola.clamp(0.1 * t, 0.5 * t) } else { 0.5 * t };
        };
        let Some(there) = found else { break };
        let moved: f64 = t * t * dot(&step, &step);
        let bend = t * (dot(&step, &gradient) - dot(&step, &new_gradient));
        length = if bend > 0.0 { moved / bend } else { MAX_LENGTH };
        let change = (there - value).abs();
        at.copy_from_slice(&trial);
        gradient.copy_from_slice(&new_gradient);
        value = there;
        if value > best {
            best = value;
            x.copy_from_slice(&at);
        }
        if recent.len() == MEMORY {
            recent.remove(0);
        }
        recent.push(value);
        if change <= params.value_tolerance * value.abs().max(1.0) {
            break;
        }
    }
    best
}
