//! Minimizes a closure on threads, in one call.
//!
//! Each worker is a thread that evaluates one point after another. A worker that becomes free gets its next point at
//! once; points that other workers are still evaluating count as pending. There is no time limit: an evaluation takes
//! as long as it takes.

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError, mpsc};

use crate::error::{Error, Result};
use crate::space::{Point, SearchSpace};
use crate::study::{Results, Study, StudyConfig, TrialId};

/// What an objective may return: a number, results by name, or a `Result` of either. An `Err` is a failed trial.
///
/// ```
/// use elbowroom::minimize::Answer;
/// assert_eq!(0.5.answer(), Ok(0.5.into()));
/// assert!([("loss", 0.5), ("minutes", 12.0)].answer().is_ok());
/// assert_eq!(Err::<f64, _>("out of memory").answer(), Err("out of memory".to_owned()));
/// ```
pub trait Answer {
    /// The results, or the reason why there are none.
    fn answer(self) -> std::result::Result<Results, String>;
}

impl Answer for f64 {
    fn answer(self) -> std::result::Result<Results, String> {
        Ok(self.into())
    }
}

impl Answer for Results {
    fn answer(self) -> std::result::Result<Results, String> {
        Ok(self)
    }
}

impl<S: Into<String>, const N: usize> Answer for [(S, f64); N] {
    fn answer(self) -> std::result::Result<Results, String> {
        Ok(self.into())
    }
}

impl<R: Into<Results>, E: Display> Answer for std::result::Result<R, E> {
    fn answer(self) -> std::result::Result<Results, String> {
        self.map(Into::into).map_err(|error| error.to_string())
    }
}

/// Searches for the point at which `objective` is smallest, with `budget` evaluations, up to `workers` of them at once.
/// Returns the study, which contains everything that was tried.
///
/// An `Err` or a panic is a failed trial: the search continues and learns to avoid such points. With one worker the
/// same call gives the same points every time; with more, they depend on the order in which results arrive.
///
/// ```
/// use elbowroom::{Parameter, SearchSpace, minimize};
///
/// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0), Parameter::int("n", 1, 9)])?;
/// let study = minimize(space, 25, 4, |p| {
///     let (x, n) = (p.f64("x")?, p.i64("n")?);
///     Ok::<_, elbowroom::Error>((x - 0.3).powi(2) + (n - 4).abs() as f64)
/// })?;
/// let best = study.best().expect("there are values");
/// assert_eq!(best.point.i64("n")?, 4);
/// # Ok::<(), elbowroom::Error>(())
/// ```
pub fn minimize<A: Answer>(
    space: SearchSpace,
    budget: usize,
    workers: usize,
    objective: impl Fn(&Point) -> A + Sync,
) -> Result<Study> {
    let mut study = Study::new(StudyConfig::new(space).budget(budget))?;
    run(&mut study, workers, objective)?;
    Ok(study)
}

/// Like [`minimize`](fn@minimize), for a study with settings of your own, such as another goal, seed or strategy, or
/// one that already has results. It runs until the study's budget is used up or there are no more points.
///
/// ```
/// use elbowroom::minimize::run;
/// use elbowroom::{Goal, Parameter, SearchSpace, Study, StudyConfig};
///
/// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
/// let mut study = Study::new(StudyConfig::new(space).goal(Goal::Maximize).seed(7).budget(12))?;
/// run(&mut study, 1, |p| p.f64("x").map(|x| x * (1.0 - x)))?;
/// assert!(study.best().unwrap().value().unwrap() > 0.249);
/// # Ok::<(), elbowroom::Error>(())
/// ```
pub fn run<A: Answer>(study: &mut Study, workers: usize, objective: impl Fn(&Point) -> A + Sync) -> Result<()> {
    if workers == 0 {
        return Err(Error::config("0 workers were asked for", "use at least 1"));
    }
    if study.budget_left().is_none() {
        return Err(Error::config("the study has no budget, so this would never end", "set one"));
    }
    let (jobs, waiting) = mpsc::channel();
    let (tell, told) = mpsc::channel();
    let waiting = Mutex::new(waiting);
    // The worker that waits for a job holds the lock; the others wait for the lock.
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
    let work = |tell: mpsc::Sender<(TrialId, Value)>| {
        while let Ok((id, point)) = next() {
            // The receiver outlives the threads.
            let _ = tell.send((id, evaluate(&objective, &point)));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..workers.min(study.budget_left().unwrap_or(workers)) {
            let (work, tell) = (&work, tell.clone());
            scope.spawn(move || work(tell));
        }
        let done = hand_out(study, workers, &jobs, &told);
        // The threads end when there can be no more jobs.
        drop(jobs);
        done
    })
}

type Value = std::result::Result<Results, String>;

/// Keeps the workers busy until nothing is left to do.
fn hand_out(
    study: &mut Study,
    workers: usize,
    jobs: &mpsc::Sender<(TrialId, Point)>,
    told: &mpsc::Receiver<(TrialId, Value)>,
) -> Result<()> {
    let broken = |_| Error::numerical("the threads of the workers are gone", "report this as a bug");
    let mut n_running = 0;
    loop {
        if n_running < workers && study.budget_left() != Some(0) {
            for trial in study.ask(workers - n_running)?.trials {
                jobs.send((trial.id, trial.point)).map_err(|_| broken(mpsc::RecvError))?;
                n_running += 1;
            }
        }
        if n_running == 0 {
            return Ok(());
        }
        let (id, value) = told.recv().map_err(broken)?;
        n_running -= 1;
        match value {
            Ok(results) => {
                study.tell(id, results)?;
                // Results that lack the optimized outcome do not end the trial.
                if study.trial(id)?.is_pending() {
                    study.fail(id, "the objective returned other results, but not the optimized one")?;
                }
            }
            Err(reason) => study.fail(id, reason)?,
        }
    }
}

fn evaluate<A: Answer>(objective: &impl Fn(&Point) -> A, point: &Point) -> Value {
    // If a panic leaves the objective's state inconsistent, that is the objective's responsibility, as with threads it
    // starts.
    catch_unwind(AssertUnwindSafe(|| objective(point).answer())).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        Err(text.map_or_else(|| "it panicked".to_owned(), |text| format!("it panicked: {text}")))
    })
}
