//! Runs with the library and simulated workers.

use elbowroom::error::Result;
use elbowroom::rng::Stream;
use elbowroom::study::{FailureRule, Source, StrategyConfig, Study, StudyConfig, Trial, TrialId};

use super::problems::FailingProblem;
use super::score::Attempt;
use super::{Mode, WORKERS};

/// Runs one problem: every worker asks for one point, and for another one whenever it has reported, after a trial's
/// [`duration`]. Returns the final study.
pub fn run(problem: &FailingProblem, mode: Mode, seed: u64, n_trials: usize) -> Result<Study> {
    let rule = if mode == Mode::Ignore { FailureRule::Ignore } else { FailureRule::Learn };
    let config = StudyConfig::new(problem.space.clone()).seed(seed).failures(rule).budget(n_trials);
    let random = StrategyConfig::Random;
    let mut study = Study::new(if mode == Mode::Random { config.strategy(random) } else { config })?;
    // When each trial under way ends.
    let mut under_way: Vec<(f64, TrialId)> = Vec::new();
    let mut now = 0.0;
    loop {
        while under_way.len() < WORKERS {
            let Some(trial) = study.ask(1)?.trials.pop() else { break };
            under_way.push((now + duration(seed, trial.id.0), trial.id));
        }
        let next = (0..under_way.len()).min_by(|&a, &b| under_way[a].0.total_cmp(&under_way[b].0));
        let Some(next) = next else { break };
        let (ended, id) = under_way.swap_remove(next);
        now = ended;
        report(&mut study, problem, mode, seed, id)?;
    }
    Ok(study)
}

/// The duration of a trial, in arbitrary units: exponential with mean 1.
pub fn duration(seed: u64, trial: u64) -> f64 {
    -(1.0 - Stream::new(seed).child("duration", trial).uniform()).ln()
}

/// The trials of a study, to be scored.
pub fn attempts(study: &Study) -> Vec<Attempt> {
    study.trials().iter().map(attempt).collect()
}

fn report(study: &mut Study, problem: &FailingProblem, mode: Mode, seed: u64, id: TrialId) -> Result<()> {
    let point = &study.trial(id)?.point;
    match problem.evaluate(point, seed, id.0) {
        Some(value) => study.tell(id, value).map(drop),
        None => match mode {
            // A withdrawn trial does not count, but it was run.
            Mode::Known if !problem.is_in_region(point) => {
                study.withdraw(id)?;
                study.set_budget(study.config().budget.map(|n| n - 1)).map(drop)
            }
            Mode::Fail | Mode::Ignore | Mode::Known | Mode::Random => study.fail(id, "failed"),
            Mode::Nan => study.tell(id, f64::NAN).map(drop),
            Mode::Infeasible => study.infeasible(id, "infeasible"),
        },
    }
}

fn attempt(trial: &Trial) -> Attempt {
    Attempt { point: trial.point.clone(), value: trial.value(), design: Some(trial.source == Source::Design) }
}

#[cfg(test)]
mod tests {
    use super::super::TRIALS;
    use super::super::problems::named;
    use super::*;
    use elbowroom::study::TrialState;

    #[test]
    fn a_run_hands_out_all_trials_and_ends_them() {
        let problem = named("edge").expect("a problem");
        let attempts = attempts(&run(&problem, Mode::Fail, 3, TRIALS).expect("a run"));
        assert_eq!(attempts.len(), TRIALS);
        for attempt in &attempts {
            // Each has the value of its point, or fails where the formula says so.
            let x = attempt.point.get("x").and_then(|v| v.as_f64()).expect("a number");
            assert_eq!(attempt.value.is_none(), x > 0.6);
        }
    }

    #[test]
    fn a_search_that_knows_what_was_chance_loses_the_same_trials() {
        let problem = named("slope_and_25").expect("a problem");
        let study = run(&problem, Mode::Known, 3, TRIALS).expect("a run");
        let attempts = attempts(&study);
        assert_eq!(attempts.len(), TRIALS);
        let withdrawn = study.trials().iter().filter(|t| matches!(t.state, TrialState::Withdrawn));
        assert!(withdrawn.clone().count() > 4 && withdrawn.clone().all(|t| !problem.is_in_region(&t.point)));
        let failed = study.trials().iter().filter(|t| matches!(t.state, TrialState::Failed { .. }));
        assert!(failed.clone().count() > 0 && failed.clone().all(|t| problem.is_in_region(&t.point)));
    }
}
