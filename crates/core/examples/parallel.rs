//! A whole batched optimization: eight points at a time, evaluated by four threads.
//!
//! `cargo run --release --example parallel`

use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use elbowroom::error::Error;
use elbowroom::problems::Problem;
use elbowroom::space::{Parameter, Point, SearchSpace};
use elbowroom::study::{Study, StudyConfig, Trial, TrialId};

const BATCHES: usize = 12;
const BATCH_SIZE: usize = 8;
const WORKERS: usize = 4;

/// One evaluation is as slow as this: a stand-in for an hour in the laboratory.
const EXPENSIVE: Duration = Duration::from_millis(20);

fn main() -> Result<(), Error> {
    let problem = Problem::hartmann6();
    let parameters = problem.bounds.iter().enumerate().map(|(i, &(low, high))| Parameter::float(name(i), low, high));
    let space = SearchSpace::new(parameters.collect())?;
    let mut study = Study::new(StudyConfig::new(space).seed(1).initial(BATCH_SIZE))?;

    println!("Minimizing {}, a function of {} parameters whose minimum is known.", problem.name, problem.dim());
    println!("{BATCHES} batches of {BATCH_SIZE} points, {WORKERS} threads, {EXPENSIVE:?} for one evaluation.\n");
    println!("batch  evaluations  best of batch  best so far  above minimum  thinking");
    println!("-----  -----------  -------------  -----------  -------------  --------");

    let started = Instant::now();
    let mut thinking = Duration::ZERO;
    for batch in 1..=BATCHES {
        let asking = Instant::now();
        let trials = study.ask(BATCH_SIZE)?.trials;
        let thought = asking.elapsed();
        thinking += thought;

        let mut best_of_batch = f64::INFINITY;
        for (trial, value) in evaluate(&problem, &trials) {
            study.tell(trial, value)?;
            best_of_batch = best_of_batch.min(value);
        }

        let best = study.best().and_then(Trial::value).unwrap_or(f64::INFINITY);
        println!(
            "{batch:>5}  {:>11}  {best_of_batch:>13.5}  {best:>11.5}  {:>13.1e}  {:>5.1} ms",
            study.n_observed(),
            best - problem.minimum,
            milliseconds(thought)
        );
    }

    println!("\nThe minimum is   {:.5} at {}", problem.minimum, numbers(&problem.minimizers[0]));
    if let Some(best) = study.best() {
        println!("Best observed:   {:.5} at {}", best.value().unwrap_or(f64::NAN), numbers(&coordinates(&best.point)));
    }
    if let Some(to_use) = study.recommended() {
        println!("Recommended:     {:.5} at {}", problem.value(&coordinates(&to_use.point)), {
            numbers(&coordinates(&to_use.point))
        });
        println!("The model there: {:.5} ± {:.5}", to_use.mean, to_use.sd);
    }
    println!(
        "\n{:.2} s in all; {:.2} s of them went into choosing points.",
        started.elapsed().as_secs_f64(),
        thinking.as_secs_f64()
    );
    Ok(())
}

/// Evaluates a batch: each worker takes the next trial until none is left. In the order of the trials, so that the run
/// does not depend on which thread was faster.
fn evaluate(problem: &Problem, trials: &[Trial]) -> Vec<(TrialId, f64)> {
    let queue = Mutex::new(trials.iter());
    let (report, reports) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            let (queue, report) = (&queue, report.clone());
            scope.spawn(move || {
                loop {
                    let next = queue.lock().expect("no worker panics while it takes a trial").next();
                    let Some(trial) = next else { break };
                    thread::sleep(EXPENSIVE);
                    let value = problem.value(&coordinates(&trial.point));
                    report.send((trial.id, value)).expect("the results are read below");
                }
            });
        }
    });
    drop(report);
    let mut results: Vec<_> = reports.into_iter().collect();
    results.sort_by_key(|&(trial, _)| trial);
    results
}

fn name(i: usize) -> String {
    format!("x{}", i + 1)
}

fn coordinates(point: &Point) -> Vec<f64> {
    point.iter().filter_map(|(_, value)| value.as_f64()).collect()
}

fn numbers(x: &[f64]) -> String {
    let texts: Vec<String> = x.iter().map(|v| format!("{v:.3}")).collect();
    format!("({})", texts.join(", "))
}

fn milliseconds(time: Duration) -> f64 {
    1e3 * time.as_secs_f64()
}
