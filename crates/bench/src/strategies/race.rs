//! One strategy on one problem, in step or with workers that finish at different times on a simulated clock.
//!
//! All strategies of a block (problem, cell, seed) start with the same design; the n-th evaluation to start has the
//! same error and the same duration in each of them. Choosing takes no time on the clock.

use elbowroom::rng::Stream;
use elbowroom::space::Point;
use elbowroom::study::{Study, StudyConfig, TrialId, default_initial};

use super::problems::Problem;
use super::{Cell, Job, Times, strategy};
use crate::rows::cpu_seconds;

/// Regret is recorded as at least this, in standard deviations of the problem, so that it has a logarithm.
const LEAST: f64 = 1e-16;

/// Runs a job on its problem; returns [`super::OUTCOMES`].
///
/// ```
/// use elbowroom_bench::strategies::{Cell, Job, Times, problems::Problem, race::race};
/// let cell = Cell { times: Times::Step, at_once: 5, noise: 0.0, evaluations: 10 };
/// let job = Job { problem: "bowl2r".into(), cell, strategy: "plain", seed: 0 };
/// let (first, again) = (race(&Problem::named("bowl2r").unwrap(), &job), race(&Problem::named("bowl2r").unwrap(), &job));
/// assert_eq!(first[..2], again[..2]);
/// assert!(first[0] <= first[1]);
/// ```
///
/// # Panics
///
/// If there is no strategy of the job's name.
pub fn race(problem: &Problem, job: &Job) -> Vec<f64> {
    let mut race = Race::new(problem, job);
    match job.cell.times {
        Times::Step => race.in_step(),
        times => race.asynchronously(times),
    }
    let end = race.log_regret();
    vec![end, race.half.unwrap_or(end), race.cpu]
}

struct Race<'a> {
    problem: &'a Problem,
    cell: Cell,
    study: Study,
    /// Errors and run times of the evaluations, by number.
    stream: Stream,
    n_started: usize,
    best: f64,
    half: Option<f64>,
    cpu: f64,
}

/// An evaluation under way.
struct Running {
    trial: TrialId,
    point: Point,
    number: usize,
    ends: f64,
}

impl<'a> Race<'a> {
    fn new(problem: &'a Problem, job: &Job) -> Self {
        let cell = job.cell;
        let stream = Stream::new(0x57a7_e61e).child(problem.name, job.seed);
        let strategy = strategy(job.strategy).expect("a strategy of this name");
        let seed = stream.child("study", 0).bits();
        let config = StudyConfig::new(problem.space.clone()).seed(seed).initial(n_initial(problem, &cell));
        let study = Study::new(config.strategy(strategy)).expect("a valid study");
        Self { problem, cell, study, stream, n_started: 0, best: f64::INFINITY, half: None, cpu: 0.0 }
    }

    /// Batch by batch.
    fn in_step(&mut self) {
        loop {
            let batch = self.start(self.cell.at_once, 0.0, Times::Step);
            if batch.is_empty() {
                break;
            }
            batch.into_iter().for_each(|running| self.finish(running));
            self.note();
        }
    }

    /// A new point whenever a worker is free.
    fn asynchronously(&mut self, times: Times) {
        let (mut running, mut now) = (Vec::<Running>::new(), 0.0);
        loop {
            let free = self.cell.at_once - running.len();
            running.extend(self.start(free, now, times));
            let first = (0..running.len()).min_by(|&i, &j| running[i].ends.total_cmp(&running[j].ends));
            let Some(finished) = first.map(|i| running.swap_remove(i)) else { break };
            now = finished.ends;
            self.finish(finished);
            self.note();
        }
    }

    /// Starts this many evaluations, or as many as are left.
    fn start(&mut self, wanted: usize, now: f64, times: Times) -> Vec<Running> {
        let wanted = wanted.min(self.cell.evaluations - self.n_started);
        if wanted == 0 {
            return Vec::new();
        }
        let before = cpu_seconds();
        let asked = self.study.ask(wanted).expect("points of a space that is not used up");
        self.cpu += cpu_seconds() - before;
        let first = self.n_started;
        self.n_started += asked.trials.len();
        let begin = |(i, trial): (usize, elbowroom::study::Trial)| {
            let number = first + i;
            Running { trial: trial.id, point: trial.point, number, ends: now + self.lasts(times, number) }
        };
        asked.trials.into_iter().enumerate().map(begin).collect()
    }

    /// How long an evaluation takes.
    fn lasts(&self, times: Times, number: usize) -> f64 {
        let u = self.stream.child("time", number as u64).uniform();
        match times {
            Times::Step => 1.0,
            Times::Equal => 0.95 + 0.1 * u,
            Times::Tenfold => 10f64.powf(u),
            Times::Heavy => (1.0 - u).powf(-1.0 / 1.5),
        }
    }

    fn finish(&mut self, running: Running) {
        let value = self.problem.value(&running.point);
        self.best = self.best.min(value);
        let error = self.stream.child("error", running.number as u64).normal();
        let told = value + self.cell.noise * self.problem.spread * error;
        self.study.tell(running.trial, told).expect("a pending trial");
    }

    /// Notes the regret once half of the evaluations are done.
    fn note(&mut self) {
        if self.half.is_none() && 2 * self.study.n_observed() >= self.cell.evaluations {
            self.half = Some(self.log_regret());
        }
    }

    /// log10 of the current regret: of the best point found or, with noise, of the recommended one.
    fn log_regret(&self) -> f64 {
        let recommended = || self.problem.value(&self.study.recommended().expect("a study with results").point);
        let reached = if self.cell.noise > 0.0 { recommended() } else { self.best };
        ((reached - self.problem.minimum) / self.problem.spread).max(LEAST).log10()
    }
}

/// Points of the design: the default number, in whole batches, and at least one for each worker.
fn n_initial(problem: &Problem, cell: &Cell) -> usize {
    let default = default_initial(problem.space.dim());
    match cell.times {
        Times::Step => default.next_multiple_of(cell.at_once),
        _ => default.max(cell.at_once),
    }
}
