//! A step length along a descent direction, by Moré and Thuente's method.
//!
//! With `φ(a) = f(x + a d)` and `φ'(0) < 0`, a step is accepted under the strong Wolfe conditions
//!
//! ```text
//! φ(a) <= φ(0) + μ a φ'(0)        and        |φ'(a)| <= η |φ'(0)|,        μ = 1e-3, η = 0.9.
//! ```
//!
//! The caller evaluates: [`LineSearch::tell`] takes the value and slope at the last proposed step and returns the next
//! step or a verdict, so the caller owns every evaluation and every buffer.
//!
//! Numerics: a step where the function is not finite is a wall. The search goes back to a fifth of the way, and from
//! then on sufficient decrease alone accepts a step, since there may be no flat slope before the wall.
//!
//! Reference: J. J. Moré and D. J. Thuente, Line search algorithms with guaranteed sufficient decrease, ACM TOMS 20
//! (1994) 286–307.

const DECREASE: f64 = 1e-3;
const CURVATURE: f64 = 0.9;
/// The bracket is narrow enough when it is this fraction of its far end.
const WIDTH: f64 = 0.1;
/// How far to go back towards the best step after a value that is not finite.
const BACK_OFF: f64 = 0.2;
const MAX_TRIALS: usize = 25;

#[derive(Debug, Clone, Copy)]
struct Sample {
    step: f64,
    value: f64,
    slope: f64,
}

impl Sample {
    /// The same sample of `φ(a) - tilt a`.
    fn tilted(self, tilt: f64) -> Self {
        Sample { value: self.value - tilt * self.step, slope: self.slope - tilt, ..self }
    }
}

/// What to do after a trial step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Verdict {
    /// Evaluate at this step.
    Try(f64),
    /// Take the step that was just evaluated.
    Accept,
    /// No further trial can help: take the best step tried, if it is better than the start.
    Settle,
}

/// The state of one search.
#[derive(Debug)]
pub(super) struct LineSearch {
    start: Sample,
    /// The best step so far, and the other end of the interval (which holds a minimizer once `bracketed`).
    best: Sample,
    other: Sample,
    bracketed: bool,
    /// The first phase works on `φ(a) - μ φ'(0) a`, until a step has decreased `φ` enough and its slope does not fall.
    first_phase: bool,
    met_wall: bool,
    /// Where the next extrapolation may land.
    low: f64,
    high: f64,
    max_step: f64,
    width: f64,
    previous_width: f64,
    trials: usize,
}

impl LineSearch {
    /// A search from `φ(0) = value` with `φ'(0) = slope < 0`, whose first trial is `step`, over steps up to `max_step`.
    pub(super) fn new(value: f64, slope: f64, step: f64, max_step: f64) -> Self {
        let start = Sample { step: 0.0, value, slope };
        LineSearch {
            start,
            best: start,
            other: start,
            bracketed: false,
            first_phase: true,
            met_wall: false,
            low: 0.0,
            high: 5.0 * step,
            max_step,
            width: max_step,
            previous_width: 2.0 * max_step,
            trials: 0,
        }
    }

    /// Takes the value and slope at `step` and says what to do next.
    pub(super) fn tell(&mut self, step: f64, value: f64, slope: f64) -> Verdict {
        self.trials += 1;
        let out_of_trials = self.trials >= MAX_TRIALS;
        if !(value.is_finite() && slope.is_finite()) {
            return if out_of_trials { Verdict::Settle } else { self.back_off(step) };
        }

        let tilt = DECREASE * self.start.slope;
        let enough = value <= self.start.value + tilt * step;
        let flat = slope.abs() <= -CURVATURE * self.start.slope;
        let at_the_end = step >= self.max_step && slope <= tilt;
        if enough && (flat || at_the_end || self.met_wall) {
            return Verdict::Accept;
        }
        if out_of_trials {
            return Verdict::Settle;
        }

        let trial = Sample { step, value, slope };
        if enough && slope >= 0.0 {
            self.first_phase = false;
        }
        let next = if self.first_phase && value <= self.best.value && !enough {
            (self.best, self.other) = (self.best.tilted(tilt), self.other.tilted(tilt));
            let next = self.propose(trial.tilted(tilt));
            (self.best, self.other) = (self.best.tilted(-tilt), self.other.tilted(-tilt));
            next
        } else {
            self.propose(trial)
        };
        self.guard(next, step)
    }

    /// The function is not finite at `step`: stay well below it.
    fn back_off(&mut self, step: f64) -> Verdict {
        let next = self.best.step + BACK_OFF * (step - self.best.step);
        self.met_wall = true;
        self.max_step = step;
        if next < step && next > self.best.step { Verdict::Try(next) } else { Verdict::Settle }
    }

    /// Moré and Thuente's four cases: the next step from the ends of the interval and the trial, which then replaces
    /// one of them.
    fn propose(&mut self, trial: Sample) -> f64 {
        let best = self.best;
        let cubic = cubic_minimizer(best, trial);
        let secant = trial.step + trial.slope / (trial.slope - best.slope) * (best.step - trial.step);
        let near_best = |a: f64, b: f64| (a - best.step).abs() < (b - best.step).abs();
        let near_trial = |a: f64, b: f64| (a - trial.step).abs() < (b - trial.step).abs();
        let opposite = trial.slope * best.slope.signum() < 0.0;
        let ahead = if trial.step > best.step { self.high } else { self.low };

        let next = if trial.value > best.value {
            // 1. Higher: a minimizer lies between. The quadratic through both values and the best slope is safer.
            let drop = (best.value - trial.value) / (trial.step - best.step) + best.slope;
            let quadratic = best.step + 0.5 * best.slope / drop * (trial.step - best.step);
            match cubic {
                Some(cubic) if near_best(cubic, quadratic) => cubic,
                Some(cubic) => cubic + 0.5 * (quadratic - cubic),
                None => quadratic,
            }
        } else if opposite {
            // 2. Lower, and the slope has turned: a minimizer lies between.
            match cubic {
                Some(cubic) if !near_trial(cubic, secant) => cubic,
                _ => secant,
            }
        } else if trial.slope.abs() < best.slope.abs() {
            // 3. Lower, same sign, flatter: extrapolate, by the cubic if it has its minimizer beyond the trial.
            let cubic = cubic.filter(|c| (c - trial.step) * (trial.step - best.step) > 0.0).unwrap_or(ahead);
            if self.bracketed {
                let next = if near_trial(cubic, secant) { cubic } else { secant };
                let limit = trial.step + 0.66 * (self.other.step - trial.step);
                if trial.step > best.step { next.min(limit) } else { next.max(limit) }
            } else {
                let next = if near_trial(cubic, secant) { secant } else { cubic };
                next.max(self.low).min(self.high)
            }
        } else if self.bracketed {
            // 4. Lower, same sign, steeper: the minimizer lies towards the other end, or far ahead.
            cubic_minimizer(trial, self.other).unwrap_or(0.5 * (trial.step + self.other.step))
        } else {
            ahead
        };

        if trial.value > best.value {
            self.other = trial;
            self.bracketed = true;
        } else {
            if opposite {
                self.other = best;
                self.bracketed = true;
            }
            self.best = trial;
        }
        next
    }

    /// Keeps the bracket shrinking, and the next step apart from those already tried.
    fn guard(&mut self, next: f64, step: f64) -> Verdict {
        if !self.bracketed {
            let next = next.min(self.max_step);
            self.low = next + 1.1 * (next - self.best.step);
            self.high = next + 4.0 * (next - self.best.step);
            return if next > step { Verdict::Try(next) } else { Verdict::Settle };
        }

        let (best, other) = (self.best.step, self.other.step);
        let span = (other - best).abs();
        let next = if span >= 0.66 * self.previous_width { best + 0.5 * (other - best) } else { next };
        self.previous_width = self.width;
        self.width = span;

        (self.low, self.high) = (best.min(other), best.max(other));
        let narrow = span <= WIDTH * self.high;
        if next > self.low && next < self.high && !narrow { Verdict::Try(next) } else { Verdict::Settle }
    }
}

/// Where the cubic with these values and slopes has its minimizer, if it has one (Nocedal and Wright, eq. 3.59).
fn cubic_minimizer(a: Sample, b: Sample) -> Option<f64> {
    let width = b.step - a.step;
    let theta = 3.0 * (a.value - b.value) / width + a.slope + b.slope;
    let scale = theta.abs().max(a.slope.abs()).max(b.slope.abs());
    let square = (theta / scale).powi(2) - (a.slope / scale) * (b.slope / scale);
    let root = scale * square.max(0.0).sqrt().copysign(width);
    let minimizer = b.step - width * (b.slope + root - theta) / (b.slope - a.slope + 2.0 * root);
    (square >= 0.0 && minimizer.is_finite()).then_some(minimizer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(phi: impl Fn(f64) -> (f64, f64), first: f64, max_step: f64) -> (f64, Verdict, usize) {
        let (value, slope) = phi(0.0);
        let mut search = LineSearch::new(value, slope, first, max_step);
        let mut step = first;
        loop {
            let (value, slope) = phi(step);
            match search.tell(step, value, slope) {
                Verdict::Try(next) => step = next,
                verdict => return (step, verdict, search.trials),
            }
        }
    }

    #[test]
    fn the_cubic_minimizer_is_exact_for_cubics() {
        // a³/3 - a²/2 - 2a has slope a² - a - 2 = (a - 2)(a + 1): its minimizer is 2.
        let at = |a: f64| Sample { step: a, value: a.powi(3) / 3.0 - a * a / 2.0 - 2.0 * a, slope: a * a - a - 2.0 };
        for (a, b) in [(0.0, 1.0), (1.0, 0.0), (0.0, 5.0), (3.0, 1.0)] {
            assert!((cubic_minimizer(at(a), at(b)).unwrap() - 2.0).abs() < 1e-13);
        }
    }

    #[test]
    fn moré_and_thuentes_first_function_is_solved_from_steps_too_short_and_too_long() {
        // Their function 1, -a / (a² + 2), with minimizer √2. The paper (table 1, η = 0.1) needs 6, 3, 1 and 4 trials
        // from these first steps; with the looser η = 0.9 none may need more.
        let phi = |a: f64| (-a / (a * a + 2.0), (a * a - 2.0) / (a * a + 2.0).powi(2));
        for (first, most) in [(1e-3, 6), (1e-1, 3), (1e1, 1), (1e3, 4)] {
            let (step, verdict, trials) = search(phi, first, 1e10);
            let (value, slope) = phi(step);
            assert_eq!(verdict, Verdict::Accept);
            assert!(value <= -1e-3 * step * 0.5 && slope.abs() <= 0.45, "step {step}");
            assert!(trials <= most, "{trials} trials from {first}");
        }
    }

    #[test]
    fn a_wall_is_backed_off_from() {
        let phi = |a: f64| if a < 0.01 { (-a, -1.0) } else { (f64::INFINITY, f64::NAN) };
        let (step, verdict, trials) = search(phi, 1.0, 10.0);
        assert_eq!(verdict, Verdict::Accept);
        assert!(step > 0.0 && step < 0.01 && trials <= 4);
    }

    #[test]
    fn a_falling_line_is_followed_to_the_longest_step() {
        let (step, verdict, _) = search(|a| (-a, -1.0), 1.0, 50.0);
        assert_eq!((step, verdict), (50.0, Verdict::Accept));
    }
}
