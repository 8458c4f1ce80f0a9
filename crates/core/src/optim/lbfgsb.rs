//! L-BFGS-B: a quasi-Newton method on a box.
//!
//! Each iteration builds a quadratic model of `-f` around `x` with gradient `g` and Hessian `B`, and
//!
//! 1. follows the projected steepest descent path `x(t) = P(x - t g)` to the first local minimizer of the model along
//!    it, the generalized Cauchy point `x + z`; the variables it leaves strictly inside the box are free;
//! 2. minimizes the model over the free variables, `u = -B_FF⁻¹ (g + B z)_F`, and projects `x + z + u` onto the box
//!    (or, where that does not descend, shortens `u` until it fits);
//! 3. searches the line from `x` to that point, and on to the wall, for a step with the strong Wolfe conditions;
//! 4. updates `B` with the pair `s = x⁺ - x`, `y = g⁺ - g`, unless `sᵀy` is not positive.
//!
//! Numerics: `B` holds the last few pairs, up to [`DENSE_LIMIT`] variables as a full matrix, above that in compact
//! form. When rounding makes a model useless (no descent, no acceptable step), it is discarded once and the solver
//! restarts from `x` with steepest descent, before it gives up.
//!
//! References: R. H. Byrd, P. Lu, J. Nocedal and C. Zhu, A limited memory algorithm for bound constrained optimization,
//! SIAM J. Sci. Comput. 16 (1995) 1190–1208; J. L. Morales and J. Nocedal, Remark on algorithm 778, ACM TOMS 38 (2011).

use super::compact::Compact;
use super::dense::Dense;
use super::line_search::{LineSearch, Verdict};
use super::model::{Model, dot};
use super::{Bounds, Objective};

/// Up to this many variables the Hessian model is a full matrix.
///
/// Measured by tests/optim_speed.rs with this limit at 60 and at 0 (Rosenbrock, memory 15, one core of an EPYC 7003),
/// in nanoseconds per evaluation, without the function:
///
/// | variables | 2 | 6 | 10 | 20 | 25 | 30 | 60 | 100 |
/// |---|---|---|---|---|---|---|---|---|
/// | full matrix | 218 | 639 | 1 338 | 4 491 | 7 379 | 10 355 | 48 926 | |
/// | compact form | 2 686 | 4 928 | 5 971 | 8 088 | 9 312 | 9 826 | 14 534 | 21 205 |
const DENSE_LIMIT: usize = 25;

/// When to stop, and how much to remember.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LbfgsbParams {
    /// Stop after this many iterations.
    pub max_iterations: usize,
    /// Stop after this many evaluations.
    pub max_evaluations: usize,
    /// Stop when no component of the projected gradient `P(x + ∇f) - x` is larger.
    pub gradient_tolerance: f64,
    /// Stop when an iteration gains less than this, relative to `max(|f|, 1)`.
    pub value_tolerance: f64,
    /// How many of the most recent steps to use for the curvature.
    pub memory: usize,
}

impl Default for LbfgsbParams {
    fn default() -> Self {
        LbfgsbParams {
            max_iterations: 200,
            max_evaluations: 400,
            gradient_tolerance: 1e-6,
            value_tolerance: 1e-10,
            memory: 15,
        }
    }
}

/// Why the solver stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The projected gradient is within its tolerance.
    GradientSmall,
    /// The last iteration gained less than the tolerance.
    ValueStalled,
    /// The iteration limit was reached.
    IterationLimit,
    /// The evaluation limit was reached.
    EvaluationLimit,
    /// No step along the steepest ascent improves the value: the limit of the arithmetic, or a wrong gradient.
    LineSearchFailed,
    /// The value or gradient at the start is not finite; the start is returned unchanged.
    NotFinite,
}

/// The result of a call.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LbfgsbInfo {
    /// The value at the returned point.
    pub value: f64,
    /// Iterations taken.
    pub iterations: usize,
    /// Evaluations of the objective.
    pub evaluations: usize,
    /// The largest component of the projected gradient at the returned point.
    pub projected_gradient: f64,
    /// Why it stopped.
    pub stop: Stop,
}

/// The solver with its working memory, which [`Lbfgsb::new`] allocates once.
#[derive(Debug)]
pub struct Lbfgsb {
    params: LbfgsbParams,
    hessian: Hessian,
    space: Workspace,
}

#[derive(Debug)]
enum Hessian {
    Dense(Dense),
    Compact(Compact),
}

impl Lbfgsb {
    /// A solver for functions of `dim` variables.
    pub fn new(dim: usize, params: LbfgsbParams) -> Self {
        let hessian = if dim <= DENSE_LIMIT {
            Hessian::Dense(Dense::new(dim, params.memory))
        } else {
            Hessian::Compact(Compact::new(dim, params.memory))
        };
        Lbfgsb { params, hessian, space: Workspace::new(dim) }
    }

    /// Maximizes `f` from `x`, which is first moved into the box; leaves the best point found in `x`.
    ///
    /// The returned point is never worse than the start, and nothing is allocated.
    ///
    /// # Panics
    ///
    /// If the solver, `x` and the box differ in dimension.
    pub fn maximize(&mut self, f: &mut (impl Objective + ?Sized), x: &mut [f64], bounds: &Bounds) -> LbfgsbInfo {
        assert_eq!(x.len(), self.space.gradient.len(), "a solver and a point of different dimensions");
        assert_eq!(x.len(), bounds.dim(), "a point and a box of different dimensions");
        match &mut self.hessian {
            Hessian::Dense(model) => self.space.run(model, &self.params, f, x, bounds),
            Hessian::Compact(model) => self.space.run(model, &self.params, f, x, bounds),
        }
    }

    /// The gradient of the objective at the point that the last call returned.
    pub fn gradient(&self) -> &[f64] {
        &self.space.gradient
    }

    /// The settings.
    pub fn params(&self) -> &LbfgsbParams {
        &self.params
    }
}

/// Vectors of equal length. A run minimizes `-f`, and `gradient` is that of `-f`; the result has the sign of `f`.
#[derive(Debug)]
struct Workspace {
    evaluations: usize,
    gradient: Vec<f64>,
    trial: Vec<f64>,
    trial_gradient: Vec<f64>,
    /// The lowest point of a line search.
    lowest: Vec<f64>,
    lowest_gradient: Vec<f64>,
    direction: Vec<f64>,
    /// The Cauchy path: its direction, where each variable meets its bound, and the step so far.
    path: Vec<f64>,
    breaks: Vec<f64>,
    z: Vec<f64>,
    bz: Vec<f64>,
    reduced: Vec<f64>,
    free: Vec<usize>,
    s: Vec<f64>,
    y: Vec<f64>,
}

impl Workspace {
    fn new(n: usize) -> Self {
        let zeros = || vec![0.0; n];
        Workspace {
            evaluations: 0,
            gradient: zeros(),
            trial: zeros(),
            trial_gradient: zeros(),
            lowest: zeros(),
            lowest_gradient: zeros(),
            direction: zeros(),
            path: zeros(),
            breaks: zeros(),
            z: zeros(),
            bz: zeros(),
            reduced: zeros(),
            free: Vec::with_capacity(n),
            s: zeros(),
            y: zeros(),
        }
    }

    fn run(
        &mut self,
        model: &mut impl Model,
        params: &LbfgsbParams,
        f: &mut (impl Objective + ?Sized),
        x: &mut [f64],
        bounds: &Bounds,
    ) -> LbfgsbInfo {
        self.evaluations = 0;
        let mut iterations = 0;

        self.trial.copy_from_slice(x);
        bounds.project(&mut self.trial);
        self.trial_gradient.fill(f64::NAN);
        let mut value = if self.trial.iter().all(|x| x.is_finite()) { self.evaluate(f) } else { f64::NAN };
        std::mem::swap(&mut self.gradient, &mut self.trial_gradient);
        if !(value.is_finite() && self.gradient.iter().all(|g| g.is_finite())) {
            return self.report(-value, iterations, f64::NAN, Stop::NotFinite);
        }
        x.copy_from_slice(&self.trial);

        let mut projected = self.projected_gradient(x, bounds);
        model.reset(self.first_curvature(bounds));
        let stop = loop {
            if projected <= params.gradient_tolerance || projected == 0.0 {
                break Stop::GradientSmall;
            }
            if iterations >= params.max_iterations {
                break Stop::IterationLimit;
            }
            if self.evaluations >= params.max_evaluations {
                break Stop::EvaluationLimit;
            }

            let before = value;
            let useful = self.find_direction(model, x, bounds);
            let moved = if useful { self.search(f, x, bounds, value, params.max_evaluations) } else { None };
            let Some(moved) = moved else {
                if model.n_pairs() == 0 && self.evaluations < params.max_evaluations {
                    break Stop::LineSearchFailed;
                }
                model.reset(self.first_curvature(bounds));
                continue;
            };

            iterations += 1;
            value = moved;
            for i in 0..x.len() {
                self.s[i] = self.trial[i] - x[i];
                self.y[i] = self.trial_gradient[i] - self.gradient[i];
            }
            let sg = dot(&self.s, &self.gradient);
            x.copy_from_slice(&self.trial);
            std::mem::swap(&mut self.gradient, &mut self.trial_gradient);
            projected = self.projected_gradient(x, bounds);
            if projected > params.gradient_tolerance
                && before - value <= params.value_tolerance * before.abs().max(value.abs()).max(1.0)
            {
                break Stop::ValueStalled;
            }
            if dot(&self.s, &self.y) > f64::EPSILON * sg.abs() && !model.update(&self.s, &self.y) {
                model.reset(self.first_curvature(bounds));
            }
        };

        self.report(-value, iterations, projected, stop)
    }

    fn report(&mut self, value: f64, iterations: usize, projected_gradient: f64, stop: Stop) -> LbfgsbInfo {
        self.gradient.iter_mut().for_each(|g| *g = -*g);
        LbfgsbInfo { value, iterations, evaluations: self.evaluations, projected_gradient, stop }
    }

    /// `-f` and its gradient at `trial`.
    fn evaluate(&mut self, f: &mut (impl Objective + ?Sized)) -> f64 {
        self.evaluations += 1;
        let value = f.value_and_gradient(&self.trial, &mut self.trial_gradient);
        self.trial_gradient.iter_mut().for_each(|g| *g = -*g);
        -value
    }

    /// The largest component of `P(x - g) - x`, in magnitude.
    fn projected_gradient(&self, x: &[f64], bounds: &Bounds) -> f64 {
        let mut largest = 0.0_f64;
        for (((&x, &g), &l), &h) in x.iter().zip(&self.gradient).zip(bounds.low()).zip(bounds.high()) {
            let step = if g < 0.0 { (-g).min(h - x) } else { g.min(x - l) };
            largest = largest.max(step);
        }
        largest
    }

    /// Writes the step to the minimizer of the model into `direction`; `false` if the model is useless.
    fn find_direction(&mut self, model: &mut impl Model, x: &[f64], bounds: &Bounds) -> bool {
        if !self.find_cauchy_point(model, x, bounds) {
            return false;
        }
        self.direction.copy_from_slice(&self.z);
        if self.free.is_empty() {
            return dot(&self.gradient, &self.direction) < 0.0;
        }

        self.reduced.clear();
        self.reduced.extend(self.free.iter().map(|&i| -(self.gradient[i] + self.bz[i])));
        if !model.solve_free(&self.free, &mut self.reduced) {
            return false;
        }
        let (low, high) = (bounds.low(), bounds.high());
        for (&i, &u) in self.free.iter().zip(&self.reduced) {
            self.direction[i] = (x[i] + (self.z[i] + u)).clamp(low[i], high[i]) - x[i];
        }
        if dot(&self.gradient, &self.direction) < 0.01 * dot(&self.gradient, &self.z) {
            return true;
        }

        // The projection turned the step uphill, or so nearly that it would stall (without bounds it descends at least as
        // steeply as the Cauchy point): shorten it instead.
        let mut fit = 1.0_f64;
        for (&i, &u) in self.free.iter().zip(&self.reduced) {
            let room = if u > 0.0 { high[i] - x[i] - self.z[i] } else { x[i] + self.z[i] - low[i] };
            if u.abs() > room.max(0.0) {
                fit = fit.min(room.max(0.0) / u.abs());
            }
        }
        for (&i, &u) in self.free.iter().zip(&self.reduced) {
            self.direction[i] = self.z[i] + fit * u;
        }
        dot(&self.gradient, &self.direction) < 0.0
    }

    /// Writes the generalized Cauchy point into `z`, `B z` into `bz`, and the variables it leaves free into `free`.
    fn find_cauchy_point(&mut self, model: &mut impl Model, x: &[f64], bounds: &Bounds) -> bool {
        let n = x.len();
        let (low, high) = (bounds.low(), bounds.high());
        let mut slope = 0.0;
        for i in 0..n {
            let g = self.gradient[i];
            let room = if g < 0.0 { high[i] - x[i] } else { x[i] - low[i] };
            self.breaks[i] = if g == 0.0 { f64::INFINITY } else { room / g.abs() };
            self.path[i] = if self.breaks[i] > 0.0 { -g } else { 0.0 };
            self.z[i] = 0.0;
            slope -= self.path[i] * self.path[i];
        }

        let mut curvature = model.start_path(&self.path);
        if curvature <= 0.0 || curvature.is_nan() {
            return false;
        }
        // Once the variables that carry the gradient have met their bounds, the remaining curvature is rounding.
        let least = f64::EPSILON * curvature;
        let mut t = 0.0;
        loop {
            let (mut next, mut at) = (f64::INFINITY, n);
            for i in 0..n {
                if self.path[i] != 0.0 && self.breaks[i] < next {
                    (next, at) = (self.breaks[i], i);
                }
            }
            let to_minimizer = (-slope / curvature).max(0.0);
            if at == n || to_minimizer < next - t {
                model.advance(to_minimizer);
                t += to_minimizer;
                break;
            }

            // The path meets a bound before the model's minimizer: that variable stays there.
            model.advance(next - t);
            slope += (next - t) * curvature;
            t = next;
            let (g, d) = (self.gradient[at], self.path[at]);
            self.z[at] = if d > 0.0 { high[at] - x[at] } else { low[at] - x[at] };
            let bent = model.bend(at, d, self.z[at]);
            slope -= d * (g + bent.bz);
            curvature = (curvature - d * (2.0 * bent.bd - d * bent.b)).max(least);
            self.path[at] = 0.0;
            if slope >= 0.0 || slope.is_nan() || self.path.iter().all(|d| *d == 0.0) {
                break;
            }
        }

        self.free.clear();
        for i in 0..n {
            if self.path[i] != 0.0 {
                self.z[i] = t * self.path[i];
            }
            let at = x[i] + self.z[i];
            if low[i] < at && at < high[i] {
                self.free.push(i);
            }
        }
        model.end_path(&self.z, &mut self.bz);
        true
    }

    /// Searches along `direction`, leaves the new point and its gradient in `trial` and `trial_gradient` and returns
    /// its value; `None` if no step improved on the start.
    fn search(
        &mut self,
        f: &mut (impl Objective + ?Sized),
        x: &[f64],
        bounds: &Bounds,
        value: f64,
        max_evaluations: usize,
    ) -> Option<f64> {
        let (low, high) = (bounds.low(), bounds.high());
        let mut wall = 1e10_f64;
        for (i, &d) in self.direction.iter().enumerate() {
            if d != 0.0 {
                let room = if d > 0.0 { high[i] - x[i] } else { x[i] - low[i] };
                wall = wall.min(room / d.abs());
            }
        }
        let mut step = 1.0;
        let slope = dot(&self.gradient, &self.direction);
        let mut search = LineSearch::new(value, slope, step, wall.max(1.0));
        let mut lowest = value;
        loop {
            for (i, trial) in self.trial.iter_mut().enumerate() {
                *trial = (x[i] + step * self.direction[i]).clamp(low[i], high[i]);
            }
            let found = self.evaluate(f);
            let finite = found.is_finite() && self.trial_gradient.iter().all(|g| g.is_finite());
            let trial_slope = if finite { dot(&self.trial_gradient, &self.direction) } else { f64::NAN };

            let verdict = search.tell(step, found, trial_slope);
            if verdict == Verdict::Accept {
                return Some(found);
            }
            if finite && found < lowest {
                lowest = found;
                self.lowest.copy_from_slice(&self.trial);
                self.lowest_gradient.copy_from_slice(&self.trial_gradient);
            }
            match verdict {
                Verdict::Try(next) if self.evaluations < max_evaluations => step = next,
                _ if lowest < value => {
                    std::mem::swap(&mut self.trial, &mut self.lowest);
                    std::mem::swap(&mut self.trial_gradient, &mut self.lowest_gradient);
                    return Some(lowest);
                }
                _ => return None,
            }
        }
    }

    /// The curvature to assume before the first step: one, as in L-BFGS-B, which in a finite box sends the first trial
    /// at most to its walls; if a variable is unbounded, large enough that the first step is not longer than one.
    fn first_curvature(&self, bounds: &Bounds) -> f64 {
        let finite = bounds.low().iter().chain(bounds.high()).all(|b| b.is_finite());
        if finite { 1.0 } else { dot(&self.gradient, &self.gradient).sqrt().clamp(1.0, f64::MAX) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vectors_that_change_their_length_never_outgrow_their_first_allocation() {
        // All other memory has a fixed length, so this is what could allocate in the loop.
        let mut f = |x: &[f64], g: &mut [f64]| {
            (0..40).for_each(|i| g[i] = -(1.0 + i as f64) * (x[i] - 0.05 * i as f64));
            -(0..40).map(|i| 0.5 * (1.0 + i as f64) * (x[i] - 0.05 * i as f64).powi(2)).sum::<f64>()
        };
        let mut solver = Lbfgsb::new(40, LbfgsbParams::default());
        let held = |s: &Lbfgsb| [s.space.reduced.as_ptr().addr(), s.space.free.as_ptr().addr()];
        let before = held(&solver);
        let info = solver.maximize(&mut f, &mut [0.5; 40], &Bounds::unit(40));
        assert!(info.iterations > 5);
        assert_eq!(held(&solver), before);
    }
}
