//! The same seed gives the same run, to the bit: whatever the process, the thread and the order of computation.
//!
//! Sums that depend on the alignment of memory, the iteration order of a hash table, a clock or a variable shared
//! between threads would be detected here. DESIGN.md lists what a run does depend on.

use std::process::Command;

use elbowroom::batch::{Adaptive, HallucinatedUcb, PureExploration, SimulationMatching, Thompson};
use elbowroom::problems::Problem;
use elbowroom::space::{Parameter, SearchSpace};
use elbowroom::study::{StrategyConfig, Study, StudyConfig};

/// Strategies that differ in what they draw and search; each gets a separate study.
fn strategies() -> Vec<StrategyConfig> {
    vec![
        StrategyConfig::default(),
        StrategyConfig::Adaptive(Adaptive::default()),
        StrategyConfig::HallucinatedUcb(HallucinatedUcb::default()),
        StrategyConfig::PureExploration(PureExploration::default()),
        StrategyConfig::SimulationMatching(SimulationMatching::default()),
        StrategyConfig::Thompson(Thompson::default()),
    ]
}

/// The log of a short study: after four points, three batches of four. JSON has every digit of a float.
fn log_of(strategy: &StrategyConfig) -> String {
    let problem = Problem::branin();
    let bounds = problem.bounds.iter().enumerate();
    let space = SearchSpace::new(bounds.map(|(i, b)| Parameter::float(format!("x{i}"), b.0, b.1)).collect()).unwrap();
    let mut study = Study::new(StudyConfig::new(space).seed(5).initial(4).strategy(strategy.clone())).unwrap();
    for _ in 0..4 {
        for trial in study.ask(4).unwrap().trials {
            let x: Vec<f64> = trial.point.iter().filter_map(|(_, value)| value.as_f64()).collect();
            study.tell(trial.id, problem.value(&x)).unwrap();
        }
    }
    serde_json::to_string(study.events()).unwrap()
}

fn logs(strategies: &[StrategyConfig]) -> Vec<String> {
    strategies.iter().map(log_of).collect()
}

#[test]
fn a_study_is_the_same_in_any_order_and_beside_others_on_other_threads() {
    let mut strategies = strategies();
    let expected = logs(&strategies);
    let on_threads: Vec<String> = std::thread::scope(|scope| {
        let run = |(i, strategy): (usize, &StrategyConfig)| {
            let strategy = strategy.clone();
            scope.spawn(move || {
                // Allocate memory of odd sizes first, so that the study's allocations start elsewhere.
                let _before: Vec<Vec<u8>> = (0..100).map(|k| vec![1; 8 * (k + 1) * (2 * i + 1)]).collect();
                log_of(&strategy)
            })
        };
        let handles: Vec<_> = strategies.iter().enumerate().map(run).collect();
        handles.into_iter().map(|handle| handle.join().unwrap()).collect()
    });
    assert!(on_threads == expected, "threads change what is chosen");
    strategies.reverse();
    let mut backwards = logs(&strategies);
    backwards.reverse();
    assert!(backwards == expected, "the order of studies changes what is chosen");
}

/// Marks the lines that a test in another process prints for this one.
const MARK: &str = "log of a study: ";

#[test]
fn a_study_is_the_same_in_another_process() {
    let expected = logs(&strategies());
    for _ in 0..2 {
        let mut process = Command::new(std::env::current_exe().unwrap());
        process.args(["same_run::prints_its_logs", "--exact", "--ignored", "--nocapture"]);
        let output = process.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        let printed: Vec<&str> = text.lines().filter_map(|line| Some(line.split_once(MARK)?.1)).collect();
        assert!(printed == expected, "another process chooses otherwise");
    }
}

#[test]
#[ignore = "run in processes of their own, by the test above"]
fn prints_its_logs() {
    logs(&strategies()).iter().for_each(|log| println!("{MARK}{log}"));
}
