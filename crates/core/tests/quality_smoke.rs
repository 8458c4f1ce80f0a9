//! Whole optimizations with all defaults: far better than random search with the same number of evaluations.
//!
//! The bounds are loose, to detect breakage and not for tuning: each is many times what the library reaches, and random
//! search in the same test misses it by a wide margin.

use elbowroom::problems::Problem;
use elbowroom::rng::Stream;
use elbowroom::space::{Parameter, SearchSpace};
use elbowroom::study::{Study, StudyConfig};

const SEEDS: u64 = 5;

fn regret_of_the_study(problem: &Problem, evaluations: usize, q: usize, seed: u64) -> f64 {
    let parameters = problem.bounds.iter().enumerate().map(|(i, b)| Parameter::float(format!("x{i}"), b.0, b.1));
    let mut study = Study::new(StudyConfig::new(SearchSpace::new(parameters.collect()).unwrap()).seed(seed)).unwrap();
    while study.n_observed() < evaluations {
        for trial in study.ask(q.min(evaluations - study.n_observed())).unwrap().trials {
            let x: Vec<f64> = trial.point.iter().map(|(_, v)| v.as_f64().unwrap()).collect();
            study.tell(trial.id, problem.value(&x)).unwrap();
        }
    }
    study.best().unwrap().value().unwrap() - problem.minimum
}

fn regret_of_chance(problem: &Problem, evaluations: usize, seed: u64) -> f64 {
    let mut s = Stream::new(seed).child("random search", 0);
    let mut draw = || problem.bounds.iter().map(|b| b.0 + s.uniform() * (b.1 - b.0)).collect::<Vec<f64>>();
    (0..evaluations).map(|_| problem.value(&draw())).fold(f64::INFINITY, f64::min) - problem.minimum
}

fn median(mut v: Vec<f64>) -> f64 {
    v.sort_by(f64::total_cmp);
    v[v.len() / 2]
}

fn check(problem: &Problem, evaluations: usize, q: usize, bound: f64) {
    let study = median((0..SEEDS).map(|s| regret_of_the_study(problem, evaluations, q, s)).collect());
    let chance = median((0..SEEDS).map(|s| regret_of_chance(problem, evaluations, s)).collect());
    println!("{}: {study:.2e}, random search {chance:.2e}", problem.name);
    assert!(study < bound, "{}: median regret {study}, random search {chance}", problem.name);
    assert!(chance > 5.0 * bound, "{}: the bound says nothing, random search has {chance}", problem.name);
}

#[test]
fn branin_is_solved_in_forty_evaluations_by_fives() {
    check(&Problem::branin(), 40, 5, 0.05);
}

#[test]
fn hartmann3_is_solved_in_fifty_evaluations_by_fives() {
    check(&Problem::hartmann3(), 50, 5, 0.03);
}

#[test]
fn six_hump_camel_is_solved_in_forty_evaluations_one_by_one() {
    check(&Problem::six_hump_camel(), 40, 1, 0.02);
}
