//! Regret with limits on further results: `limits [--seeds 20] [--threads 1] [--problems g06,g24] [--rules
//! by_distance,as_told,before] [--out FILE]`.
//!
//! The rules are those of `LimitedRule`, and `before`, the rule up to 0.7.0. On the problems of `limited`, with 60
//! evaluations in batches of five: log10 of the distance between the best feasible value and the smallest one. A run
//! that found nothing feasible counts as one unit of its objective's scale, and is counted separately.

use elbowroom::space::{Parameter, SearchSpace};
use elbowroom::study::{Goal, LimitedRule, Outcome, Outcomes, Results, Study, StudyConfig};
use elbowroom_bench::limited::{Limited, PROBLEMS};
use elbowroom_bench::options::{Options, stop};
use elbowroom_bench::rows::{Rows, cpu_seconds, mean, quantile};
use elbowroom_bench::strategies::student::t_test;

const EVALUATIONS: usize = 60;

const BATCH: usize = 5;

/// The smallest regret that is distinguished.
const LEAST: f64 = 1e-12;

fn study(problem: &Limited, rule: &str, seed: u64) -> Study {
    let bounds = problem.bounds.iter().enumerate();
    let floats = bounds.map(|(i, (low, high))| Parameter::float(format!("x{i}"), *low, *high)).collect();
    let mut outcomes = vec![Outcome::objective("value", Goal::Minimize)];
    outcomes.extend((0..problem.limits).map(|k| Outcome::watched(format!("c{k}")).at_most(0.0)));
    let space = SearchSpace::new(floats).expect("a space");
    let mut config = StudyConfig::new(space).outcomes(Outcomes::new(outcomes).expect("outcomes")).seed(seed);
    config.limited = match rule {
        "by_distance" => Some(LimitedRule::ByDistance),
        "as_told" => Some(LimitedRule::AsTold),
        "before" => None,
        _ => stop(&format!("there is no rule {rule}: take by_distance, as_told or before")),
    };
    Study::new(config).expect("a study")
}

/// The best feasible value (NaN if there is none), and the CPU time of the run in seconds.
fn run(problem: &Limited, rule: &str, seed: u64) -> Vec<f64> {
    let (mut study, begun, mut told) = (study(problem, rule, seed), cpu_seconds(), 0);
    let names: Vec<String> = (0..problem.limits).map(|k| format!("c{k}")).collect();
    while told < EVALUATIONS {
        for trial in study.ask(BATCH.min(EVALUATIONS - told)).expect("an answer").trials {
            let x: Vec<f64> = trial.point.iter().filter_map(|(_, value)| value.as_f64()).collect();
            let (value, limited) = (problem.evaluate)(&x);
            let mut results = vec![("value", value)];
            results.extend(names.iter().map(String::as_str).zip(limited));
            study.tell(trial.id, results.into_iter().collect::<Results>()).expect("a report");
            told += 1;
        }
    }
    let best = study.best().and_then(|trial| trial.value()).unwrap_or(f64::NAN);
    vec![best, cpu_seconds() - begun]
}

fn main() {
    let usage = "usage: limits [--seeds 20] [--threads 1] [--problems g06,g24] [--rules by_distance,as_told,before] [--out crates/bench/results/limits.csv]";
    let (mut seeds, mut threads, mut out) = (20u64, 1, "crates/bench/results/limits.csv".to_owned());
    let mut rules = ["by_distance", "as_told", "before"].map(String::from).to_vec();
    let mut problems: Vec<&Limited> = PROBLEMS.iter().collect();
    let mut options = Options::of_this_program(usage);
    while let Some(option) = options.next() {
        match option.as_str() {
            "--seeds" => seeds = options.number(&option),
            "--threads" => threads = options.number(&option),
            "--out" => out = options.text(&option),
            "--problems" => {
                let names = options.names(&option);
                problems.retain(|problem| names.iter().any(|name| name == problem.name));
            }
            "--rules" => rules = options.names(&option),
            _ => options.unknown(&option),
        }
    }
    let mut jobs: Vec<(&Limited, &str, u64)> = Vec::new();
    for problem in &problems {
        for rule in &rules {
            jobs.extend((0..seeds).map(|seed| (*problem, rule.as_str(), seed)));
        }
    }
    let key = |(problem, rule, seed): &(&Limited, &str, u64)| format!("{},{rule},{seed}", problem.name);
    let rows = Rows::open(&out, &["problem", "rule", "seed"], &["best", "cpu_s"]);
    let rows = rows.run(&jobs, threads, key, |(problem, rule, seed)| run(problem, rule, *seed));

    println!("| problem | rule | median | lower | upper | mean | nothing feasible | CPU ms a batch |");
    println!("|---|---|---:|---:|---:|---:|---:|---:|");
    // By rule: the logarithms of regret of all problems.
    let mut all: Vec<Vec<Vec<f64>>> = vec![Vec::new(); rules.len()];
    for problem in problems {
        for (rule, all) in rules.iter().zip(&mut all) {
            let found: Vec<&Vec<f64>> =
                (0..seeds).filter_map(|seed| rows.get(&key(&(problem, rule.as_str(), seed)))).collect();
            let scale = problem.least.abs().max(1.0);
            let regret = |best: f64| if best.is_nan() { scale } else { (best - problem.least).max(LEAST) };
            let logs: Vec<f64> = found.iter().map(|row| regret(row[0]).log10()).collect();
            let none = found.iter().filter(|row| row[0].is_nan()).count();
            let batches = (EVALUATIONS / BATCH) as f64;
            let cpu = mean(&found.iter().map(|row| 1e3 * row[1] / batches).collect::<Vec<_>>());
            println!(
                "| {} | {rule} | {:.2} | {:.2} | {:.2} | {:.2} | {none} | {cpu:.0} |",
                problem.name,
                quantile(&logs, 0.5),
                quantile(&logs, 0.25),
                quantile(&logs, 0.75),
                mean(&logs),
            );
            all.push(logs);
        }
    }
    println!();
    for (rule, logs) in rules.iter().zip(&all) {
        let less: Vec<f64> = logs.iter().zip(&all[0]).map(|(a, b)| mean(a) - mean(b)).collect();
        let level = mean(&logs.iter().map(|logs| mean(logs)).collect::<Vec<_>>());
        let gap = t_test(&less);
        println!("{rule}: {level:.3}, against {} {:+.3} ± {:.3} over problems", rules[0], gap.mean, gap.half);
    }
}
