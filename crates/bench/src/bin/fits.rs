//! How far recorded fits are below the best: `fits [--seeds 2] [--threads 1] [--out crates/bench/results/fits.csv]`.
//!
//! Studies of ten problems run to 300 evaluations. At 70, 150 and 300 evaluations the model of the study (`warm`: each
//! fit starts from the last) and a model fitted to the same observations from scratch (`cold`) are compared with the
//! best of 20 random starts on all observations with the same bend, and with the best over 19 bends, each starting from
//! that best θ. Distances are nats of likelihood times prior, with the Jacobian of the bend.

use std::collections::HashMap;

use elbowroom::data::Dataset;
use elbowroom::gp::{FitParams, Hyperparameters, KernelKind, MeanRule, NoiseRule, Shape, fit};
use elbowroom::linalg::Points;
use elbowroom::problems::Problem;
use elbowroom::rng::Stream;
use elbowroom::space::{Parameter, SearchSpace};
use elbowroom::study::{KernelConfig, Model, ModelConfig, ModelRecord, Observations, ResultScale, Study, StudyConfig};
use elbowroom_bench::options::Options;
use elbowroom_bench::rows::{Rows, quantile};

const PROBLEMS: [&str; 10] = [
    "ackley5",
    "levy10",
    "hartmann6",
    "rosenbrock4",
    "styblinski_tang8",
    "griewank6",
    "branin",
    "gsobol5",
    "michalewicz5",
    "rastrigin4",
];

const SIZES: [usize; 3] = [70, 150, 300];

/// What a record is judged on: its kernel, the results, and the noise of wild ones.
struct Evidence<'a> {
    kernel: KernelKind,
    x: &'a Points,
    y: &'a [f64],
    wild: Option<Vec<f64>>,
}

impl<'a> Evidence<'a> {
    fn of(model: &Model, x: &'a Points, y: &'a [f64]) -> Self {
        let KernelConfig::Ours(kernel) = model.record.kernel else { panic!("a kernel of ours") };
        let Hyperparameters { noise, .. } = model.posterior.hyper();
        let gauge = model.scale.gauge();
        let own = |(i, v): (usize, &f64)| if gauge.is_wild(*v) { noise.variance(i) - noise.typical() } else { 0.0 };
        let is_any_wild = y.iter().any(|v| gauge.is_wild(*v));
        Self { kernel, x, y, wild: is_any_wild.then(|| y.iter().enumerate().map(own).collect()) }
    }

    /// ln of likelihood times prior of the results under a bend, from θ and more starts. With θ as the only start and a
    /// single evaluation, this is the value at θ.
    fn found(&self, map: &ResultScale, theta: &[f64], starts: usize, evaluations: usize) -> (f64, Vec<f64>) {
        let config = ModelConfig::default();
        let values = self.y.iter().map(|&v| map.encode(v)).collect();
        let mut data = Dataset::new(self.x.clone(), values).expect("finite values");
        if let Some(wild) = &self.wild {
            data = data.with_noise(wild.clone()).expect("finite variances");
        }
        let mut shape = Shape::new(self.kernel, data.dim());
        shape.mean = MeanRule::Estimated { prior_sd: 1.0 };
        shape.noise = NoiseRule::Fitted { floor: config.noise_floor };
        let mut params = FitParams::map(shape);
        assert_eq!(theta.len(), params.shape.n_parameters(), "θ of another kernel would not be started from");
        params.priors.noise = config.noise_prior;
        params.warm = Some(theta.to_vec());
        params.random_starts = starts;
        params.max_evaluations = evaluations;
        (params.gradient_tolerance, params.value_tolerance) = (1e-3, 1e-8);
        let found = fit(&data, &params, &Stream::new(7)).expect("a fit");
        (found.value + map.ln_jacobian(self.y), found.theta)
    }

    /// By how many nats a record is below the best with its bend, and below the best over all bends, and log10 of the
    /// distance between its bend and that best one.
    fn judge(&self, record: &ModelRecord, map: &ResultScale) -> Vec<f64> {
        let (own, _) = self.found(map, &record.theta, 0, 1);
        let (same, theta) = self.found(map, &record.theta, 20, 300);
        let mut best = (same, record.bend);
        let bends = (0..18).map(|level| Some(10f64.powf(0.5 - 0.5 * f64::from(level))));
        for bend in std::iter::once(None).chain(bends).filter(|b| *b != record.bend) {
            let other = ResultScale::new(map.gauge(), self.y, bend);
            let (value, _) = self.found(&other, &theta, 0, 150);
            if value > best.0 {
                best = (value, bend);
            }
        }
        let decades = best.1.unwrap_or(10.0).log10() - record.bend.unwrap_or(10.0).log10();
        vec![same - own, best.0 - own, decades]
    }
}

/// The outcomes at every size, warm and cold.
fn run(name: &str, seed: u64) -> Vec<f64> {
    let problem = Problem::by_name(name).expect("a known problem").shifted(&mut Stream::new(0xf175).child(name, seed));
    let parameters = problem.bounds.iter().enumerate().map(|(i, b)| Parameter::float(format!("x{i}"), b.0, b.1));
    let space = SearchSpace::new(parameters.collect()).expect("a valid space");
    let mut study = Study::new(StudyConfig::new(space.clone()).seed(seed).initial(10)).expect("a valid study");
    let (mut x, mut y, mut outcomes) = (Points::new(space.dim()), Vec::new(), Vec::new());
    for size in SIZES {
        while study.n_observed() < size {
            for trial in study.ask(10).expect("a batch").trials {
                let at: Vec<f64> = trial.point.iter().filter_map(|(_, v)| v.as_f64()).collect();
                let value = problem.value(&at);
                let unit: Vec<f64> = at.iter().zip(&problem.bounds).map(|(x, (l, h))| (x - l) / (h - l)).collect();
                x.push(&unit);
                y.push(-value);
                study.tell(trial.id, value).expect("a pending trial");
            }
        }
        let warm = study.model().expect("a model");
        outcomes.extend(Evidence::of(&warm, &x, &y).judge(&warm.record, &warm.scale));
        let all = Observations { x: x.clone(), values: y.clone(), noise: None };
        let cold = Model::fit(&ModelConfig::default(), &space, &all, None, &Stream::new(seed)).expect("a model");
        outcomes.extend(Evidence::of(&cold, &x, &y).judge(&cold.record, &cold.scale));
    }
    outcomes
}

fn main() {
    let (mut seeds, mut threads, mut out) = (2u64, 1, "crates/bench/results/fits.csv".to_owned());
    let mut problems = PROBLEMS.join(",");
    let mut options = Options::of_this_program("usage: fits [--seeds 2] [--threads 1] [--out FILE] [--problems a,b]");
    while let Some(name) = options.next() {
        match name.as_str() {
            "--seeds" => seeds = options.number(&name),
            "--threads" => threads = options.number(&name),
            "--out" => out = options.text(&name),
            "--problems" => problems = options.text(&name),
            other => options.unknown(other),
        }
    }
    let problems: Vec<&str> = problems.split(',').collect();
    if let Some(name) = problems.iter().find(|name| Problem::by_name(name).is_err()) {
        options.refuse(&format!("there is no problem {name}"));
    }
    let jobs: Vec<(&str, u64)> = problems.iter().flat_map(|p| (0..seeds).map(|s| (*p, s))).collect();
    let mut columns = Vec::new();
    for size in SIZES {
        for start in ["warm", "cold"] {
            columns.extend(
                ["nats_below_same_bend", "nats_below_any_bend", "decades_of_bend"]
                    .map(|c| format!("{start}_{size}_{c}")),
            );
        }
    }
    let rows = Rows::open(&out, &["problem", "seed"], &columns.iter().map(String::as_str).collect::<Vec<_>>());
    let known = rows.run(&jobs, threads, |(p, s)| format!("{p},{s}"), |(p, s)| run(p, *s));
    summarize(&known, &problems, seeds);
}

/// The largest distance on each problem, with the same bend and over bends.
fn summarize(known: &HashMap<String, Vec<f64>>, problems: &[&str], seeds: u64) {
    println!(
        "Nats below the best of 20 starts with the same bend / below the best over all bends; the worse of {seeds} seeds.\n"
    );
    print!("| problem |");
    SIZES.iter().for_each(|n| print!(" n = {n}, warm | n = {n}, cold |"));
    println!("\n|---|{}", "---:|".repeat(2 * SIZES.len()));
    let mut all = vec![Vec::new(); 4 * SIZES.len()];
    for problem in problems {
        print!("| {problem} |");
        for cell in 0..2 * SIZES.len() {
            let of =
                |k: usize| -> Vec<f64> { (0..seeds).map(|s| known[&format!("{problem},{s}")][3 * cell + k]).collect() };
            print!(" {:.1} / {:.1} |", quantile(&of(0), 1.0), quantile(&of(1), 1.0));
            all[2 * cell].extend(of(0));
            all[2 * cell + 1].extend(of(1));
        }
        println!();
    }
    for (name, share) in [("**median**", 0.5), ("**worst**", 1.0)] {
        print!("| {name} |");
        all.chunks(2).for_each(|c| print!(" {:.2} / {:.2} |", quantile(&c[0], share), quantile(&c[1], share)));
        println!();
    }
}
