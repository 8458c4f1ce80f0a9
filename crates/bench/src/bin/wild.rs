//! Regret if some results are wild: `wild [--seeds 20] [--threads 1] [--out crates/bench/results/wild.csv]`.
//!
//! On ten problems, results are replaced by P = 10³ … 10³⁰⁰, as people return for "bad": in a region, a fifth of the
//! box cut off by a plane with all minimizers on the other side, or at one early point, the first of all. A third kind,
//! `slope`, adds P times the depth in the region. The regret is that of the best result without a penalty, and is
//! compared with the regret of the same seed without any penalties.

use std::collections::HashMap;

use elbowroom::design::sobol;
use elbowroom::problems::Problem;
use elbowroom::rng::Stream;
use elbowroom::space::{Parameter, SearchSpace};
use elbowroom::study::{Study, StudyConfig};
use elbowroom_bench::options::Options;
use elbowroom_bench::rows::{Rows, mean, quantile};
use elbowroom_bench::strategies::student::t_test;

const PROBLEMS: [&str; 10] = [
    "sphere2",
    "branin",
    "six_hump_camel",
    "goldstein_price",
    "rosenbrock2",
    "hartmann3",
    "styblinski_tang3",
    "levy4",
    "ellipsoid4",
    "hartmann6",
];

const PLACES: [&str; 3] = ["region", "point", "slope"];

const PENALTIES: [&str; 5] = ["1e3", "1e6", "1e9", "1e30", "1e300"];

/// Regret below this counts as none.
const FLOOR: f64 = 1e-6;

/// How much worse the regret may be with wild values, in decades.
const BOUND: f64 = 0.5;

/// The share of the box that a region takes.
const SHARE: f64 = 0.2;

/// A problem of one seed, with its region.
struct Setting {
    bounds: Vec<(f64, f64)>,
    minimum: f64,
    function: Value,
    direction: Vec<f64>,
    from: f64,
}

impl Setting {
    fn new(name: &str, seed: u64) -> Self {
        let stream = Stream::new(0x71d).child(name, seed);
        let (bounds, minimum, minimizers, function) = function(name, &stream);
        let units: Vec<Vec<f64>> = minimizers
            .iter()
            .map(|x| x.iter().zip(&bounds).map(|(x, (low, high))| (x - low) / (high - low)).collect())
            .collect();
        let d = bounds.len();
        let mut draw = stream.child("region", 0);
        let design = sobol(1024, d, &stream.child("share", 0));
        // A random plane that leaves all minimizers on the better side; or most of them.
        let mut best: Option<(usize, Vec<f64>, f64)> = None;
        for _ in 0..100 {
            let direction: Vec<f64> = (0..d).map(|_| draw.normal()).collect();
            let depths: Vec<f64> = design.iter().map(|u| dot(u, &direction)).collect();
            let from = quantile(&depths, 1.0 - SHARE);
            let inside = units.iter().filter(|u| dot(u, &direction) > from).count();
            if best.as_ref().is_none_or(|b| inside < b.0) {
                best = Some((inside, direction, from));
            }
        }
        let (inside, direction, from) = best.expect("a plane");
        assert!(inside < units.len().max(1), "a minimizer of {name} outside the region");
        Self { bounds, minimum, function, direction, from }
    }

    /// How far a point is inside the region, in units of the box; negative outside.
    fn depth(&self, x: &[f64]) -> f64 {
        let unit: Vec<f64> = x.iter().zip(&self.bounds).map(|(x, (low, high))| (x - low) / (high - low)).collect();
        (dot(&unit, &self.direction) - self.from) / dot(&self.direction, &self.direction).sqrt()
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A function of several numbers.
type Value = Box<dyn Fn(&[f64]) -> f64>;

/// Box, minimum, minimizers, and the function.
type Function = (Vec<(f64, f64)>, f64, Vec<Vec<f64>>, Value);

fn function(name: &str, stream: &Stream) -> Function {
    let bowl = |d: usize, weight: fn(usize) -> f64| -> Function {
        let mut draw = stream.child("shift", 0);
        let centre: Vec<f64> = (0..d).map(|_| 0.1 + 0.8 * draw.uniform()).collect();
        let minimizers = vec![centre.clone()];
        let value =
            move |x: &[f64]| x.iter().zip(&centre).enumerate().map(|(i, (x, c))| weight(i) * (x - c).powi(2)).sum();
        (vec![(0.0, 1.0); d], 0.0, minimizers, Box::new(value))
    };
    match name {
        "sphere2" => bowl(2, |_| 1.0),
        "ellipsoid4" => bowl(4, |i| 10f64.powi(i as i32)),
        _ => {
            let problem = Problem::by_name(name).expect("a known problem").shifted(&mut stream.child("shift", 0));
            let (bounds, minimum, minimizers) = (problem.bounds.clone(), problem.minimum, problem.minimizers.clone());
            (bounds, minimum, minimizers, Box::new(move |x| problem.value(x)))
        }
    }
}

/// log10 of the regret at the end of a run.
fn run(name: &str, place: &str, penalty: Option<f64>, seed: u64) -> f64 {
    let setting = Setting::new(name, seed);
    let parameters = setting.bounds.iter().enumerate().map(|(i, b)| Parameter::float(format!("x{i}"), b.0, b.1));
    let space = SearchSpace::new(parameters.collect()).expect("a valid space");
    let evaluations = 20 + 10 * setting.bounds.len();
    let mut study = Study::new(StudyConfig::new(space).seed(seed)).expect("a valid study");
    let (mut best, mut first) = (f64::INFINITY, true);
    while study.n_observed() < evaluations {
        for trial in study.ask(5.min(evaluations - study.n_observed())).expect("a batch").trials {
            let x: Vec<f64> = trial.point.iter().filter_map(|(_, v)| v.as_f64()).collect();
            let (value, depth) = ((setting.function)(&x), setting.depth(&x));
            let bad = penalty.and_then(|p| match place {
                "region" => (depth > 0.0).then_some(p),
                "slope" => (depth > 0.0).then_some(value + p * depth),
                _ => first.then_some(p),
            });
            first = false;
            if bad.is_none() {
                best = best.min(value);
            }
            study.tell(trial.id, bad.unwrap_or(value)).expect("a pending trial");
        }
    }
    (best - setting.minimum).max(1e-12).log10()
}

fn main() {
    let (mut seeds, mut threads, mut out) = (20u64, 1, "crates/bench/results/wild.csv".to_owned());
    let (mut problems, mut places, mut penalties) = (PROBLEMS.join(","), PLACES.join(","), PENALTIES.join(","));
    let mut options = Options::of_this_program(
        "usage: wild [--seeds 20] [--threads 1] [--out FILE] [--problems a,b] [--places a,b] [--penalties 1e3,1e6]",
    );
    while let Some(name) = options.next() {
        match name.as_str() {
            "--seeds" => seeds = options.number(&name),
            "--threads" => threads = options.number(&name),
            "--out" => out = options.text(&name),
            "--problems" => problems = options.text(&name),
            "--places" => places = options.text(&name),
            "--penalties" => penalties = options.text(&name),
            other => options.unknown(other),
        }
    }
    let (problems, places): (Vec<&str>, Vec<&str>) = (problems.split(',').collect(), places.split(',').collect());
    let is_known = |name: &str| PROBLEMS.contains(&name) || Problem::by_name(name).is_ok();
    if let Some(name) = problems.iter().find(|name| !is_known(name)) {
        options.refuse(&format!("there is no problem {name}"));
    }
    let penalties: Vec<&str> = penalties.split(',').filter(|p| !p.is_empty()).collect();
    let mut jobs: Vec<(&str, &str, &str, u64)> = Vec::new();
    for problem in &problems {
        for seed in 0..seeds {
            jobs.push((problem, "none", "0", seed));
            for place in &places {
                jobs.extend(penalties.iter().map(|p| (*problem, *place, *p, seed)));
            }
        }
    }
    let key = |(problem, place, penalty, seed): &(&str, &str, &str, u64)| format!("{problem},{place},{penalty},{seed}");
    let rows = Rows::open(&out, &["problem", "place", "penalty", "seed"], &["log10_regret"]);
    let known = rows.run(&jobs, threads, key, |(problem, place, penalty, seed)| {
        let penalty = (*place != "none").then(|| penalty.parse().expect("a number"));
        vec![run(problem, place, penalty, *seed)]
    });
    summarize(&known, &problems, &places, &penalties, seeds);
}

/// The mean log10 regret of each problem without penalties, and how much worse it is with them, seed by seed; regret is
/// at least the floor.
fn summarize(known: &HashMap<String, Vec<f64>>, problems: &[&str], places: &[&str], penalties: &[&str], seeds: u64) {
    let log = |problem: &str, place: &str, penalty: &str, seed: u64| {
        known[&format!("{problem},{place},{penalty},{seed}")][0].max(FLOOR.log10())
    };
    let columns: Vec<(&str, &str)> = places.iter().flat_map(|a| penalties.iter().map(|b| (*a, *b))).collect();
    println!(
        "Mean log10 regret of {seeds} seeds without wild values, and how much worse it is with them \
         (95 % intervals by Student's t, paired; below over problems).\n"
    );
    print!("| problem | none |");
    columns.iter().for_each(|(place, penalty)| print!(" {place} {penalty} |"));
    println!("\n|---|{}", "---:|".repeat(columns.len() + 1));
    let mut all = vec![Vec::new(); columns.len()];
    let mut above: Vec<(bool, String)> = Vec::new();
    let mut surely_below = 0;
    for problem in problems {
        let none: Vec<f64> = (0..seeds).map(|s| log(problem, "none", "0", s)).collect();
        print!("| {problem} | {:.2} |", mean(&none));
        for (c, (place, penalty)) in columns.iter().enumerate() {
            let worse: Vec<f64> =
                (0..seeds).zip(&none).map(|(s, none)| log(problem, place, penalty, s) - none).collect();
            let (centre, half) = (mean(&worse), t_test(&worse).half);
            all[c].push(centre);
            print!(" {centre:+.2} ± {half:.2} |");
            if centre > BOUND {
                let cell = format!("{problem}, {place} {penalty} ({centre:+.2} ± {half:.2})");
                above.push((centre - half > BOUND, cell));
            }
            surely_below += usize::from(centre + half < BOUND);
        }
        println!();
    }
    print!("| **mean** | |");
    all.iter().for_each(|v| print!(" {:+.2} ± {:.2} |", mean(v), t_test(v).half));
    print!("\n| **worst** | |");
    all.iter().for_each(|v| print!(" {:+.2} |", quantile(v, 1.0)));
    let of = |sure: bool| -> Vec<&str> {
        above.iter().filter(|cell| cell.0 == sure).map(|cell| cell.1.as_str()).collect::<Vec<_>>()
    };
    let n = problems.len() * columns.len();
    println!("\n\nOf {n} cells {} are above {BOUND}, and {surely_below} surely below.", above.len());
    println!("Surely above {BOUND} ({}): {}.", of(true).len(), of(true).join("; "));
    println!("Above, and not surely ({}): {}.", of(false).len(), of(false).join("; "));
}
