//! One method with workers that finish at different times, on a simulated clock.
//!
//! Every evaluation takes between 1 and 10 units of time, log-uniform, the same for all methods of a replicate: the
//! n-th evaluation to start always takes equally long. When a worker finishes, its result is reported and free workers
//! get new points, given those that are still under way. Choosing takes no time on this clock.

use elbowroom::rng::Stream;
use elbowroom::study::{ModelConfig, StrategyConfig, TrialId};

use crate::Result;
use crate::race::{Objective, begin, cpu_seconds};

/// The ratio of the longest to the shortest evaluation.
const SPREAD: f64 = 10.0;

/// The result of an asynchronous race.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Finish {
    /// The smallest value.
    pub best: f64,
    /// Evaluations, including the initial ones.
    pub evaluations: usize,
    /// The time on the clock.
    pub time: f64,
    /// CPU seconds spent on choosing points.
    pub cpu: f64,
}

/// An evaluation under way.
struct Running {
    trial: TrialId,
    value: f64,
    ends: f64,
}

/// Runs a method with `workers` workers until `evaluations` are done beyond the initial ones.
pub fn race_asynchronously(
    objective: &Objective,
    strategy: StrategyConfig,
    model: ModelConfig,
    replicate: u64,
    n_initial: usize,
    workers: usize,
    evaluations: usize,
) -> Result<Finish> {
    let (mut study, mut best) = begin(objective, strategy, model, replicate, n_initial)?;
    let durations = Stream::new(replicate).child("durations", 0);
    let (mut running, mut n_started, mut now, mut cpu) = (Vec::<Running>::new(), 0, 0.0, 0.0);
    loop {
        let wanted = (workers - running.len()).min(evaluations - n_started);
        if wanted > 0 {
            let before = cpu_seconds();
            let asked = study.ask(wanted)?;
            cpu += cpu_seconds() - before;
            for trial in asked.trials {
                let ends = now + SPREAD.powf(durations.child("evaluation", n_started as u64).uniform());
                running.push(Running { trial: trial.id, value: objective.at(&trial.point), ends });
                n_started += 1;
            }
        }
        let first = (0..running.len()).min_by(|&i, &j| running[i].ends.total_cmp(&running[j].ends));
        let Some(finished) = first.map(|i| running.swap_remove(i)) else { break };
        now = finished.ends;
        best = best.min(finished.value);
        study.tell(finished.trial, finished.value)?;
    }
    Ok(Finish { best, evaluations: study.n_observed(), time: now, cpu })
}

#[cfg(test)]
mod tests {
    use super::*;
    use elbowroom::problems::Problem;

    #[test]
    fn workers_share_the_evaluations_and_the_clock_is_the_same_for_all_methods() {
        let problem = Problem::branin();
        let objective = Objective::of(&problem);
        let run = |strategy| race_asynchronously(&objective, strategy, ModelConfig::default(), 4, 6, 3, 12).unwrap();
        let (random, lp) = (run(StrategyConfig::Random), run(StrategyConfig::default()));
        assert_eq!((random.evaluations, lp.evaluations), (18, 18));
        assert_eq!(random.time, lp.time);
        // 12 evaluations of 1 to 10 on 3 workers.
        assert!(random.time > 4.0 && random.time < 40.0);
    }
}
