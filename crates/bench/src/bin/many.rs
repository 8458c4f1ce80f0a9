//! Many observations: `many [--parts ask,fit,search] [--seeds 5] [--threads 1] [--problems a,b] [--bounds 500,1000]
//! [--evaluations 5000] [--q 100] [--out crates/bench/results/many]`.
//!
//! | part | what it measures |
//! |---|---|
//! | `ask` | CPU seconds of an ask at 1,000, 5,000 and 20,000 observations in 6 and 20 dimensions |
//! | `fit` | errors on 1,000 fresh points of the model of 5,000 and 20,000 uniform points, and of the first 1,000 |
//! | `search` | regret with models of at most a given size; at its end errors as in `fit`, and near the best |
//!
//! An error is the root mean square divided by the deviation of the function at these points; a log density is the mean
//! over these points, in nats, in the units of results.

use elbowroom::design;
use elbowroom::linalg::Points;
use elbowroom::problems::Problem;
use elbowroom::rng::Stream;
use elbowroom::space::{Point, SearchSpace, Value};
use elbowroom::study::{Model, ModelConfig, Observations, Outlook, Study, StudyConfig};
use elbowroom_bench::options::Options;
use elbowroom_bench::rows::{Rows, cpu_seconds, mean, quantile};
use elbowroom_bench::workload;
use std::sync::Arc;

const PROBLEMS: [&str; 3] = ["hartmann6", "ackley5", "levy10"];

/// The number of observations, the first ones, in the model with which the model of all data is compared.
const FIRST: usize = 1000;

/// Fresh points on which models are judged.
const FRESH: usize = 1000;

/// Half of the side of the box around the best point in which fresh points are drawn, in ranges of the parameters.
const NEAR: f64 = 0.05;

/// What to measure, according to the command line.
struct Wanted {
    parts: Vec<String>,
    problems: Vec<String>,
    bounds: Vec<String>,
    seeds: u64,
    threads: usize,
    evaluations: usize,
    q: usize,
    out: String,
}

impl Wanted {
    fn read() -> Self {
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
        let mut wanted = Self {
            parts: list(&["ask", "fit", "search"]),
            problems: list(&PROBLEMS),
            bounds: list(&["500", "1000"]),
            seeds: 5,
            threads: 1,
            evaluations: 5000,
            q: 100,
            out: "crates/bench/results/many".to_owned(),
        };
        let mut options = Options::of_this_program(
            "usage: many [--parts ask,fit,search] [--seeds 5] [--threads 1] [--problems a,b] [--bounds 500,1000] \
             [--evaluations 5000] [--q 100] [--out FOLDER]",
        );
        while let Some(name) = options.next() {
            match name.as_str() {
                "--parts" => wanted.parts = options.names(&name),
                "--problems" => wanted.problems = options.names(&name),
                "--bounds" => wanted.bounds = options.names(&name),
                "--seeds" => wanted.seeds = options.number(&name),
                "--threads" => wanted.threads = options.number(&name),
                "--evaluations" => wanted.evaluations = options.number(&name),
                "--q" => wanted.q = options.number(&name),
                "--out" => wanted.out = options.text(&name),
                other => options.unknown(other),
            }
        }
        if let Some(name) = wanted.problems.iter().find(|name| Problem::by_name(name).is_err()) {
            options.refuse(&format!("there is no problem {name}"));
        }
        if let Some(bound) = wanted.bounds.iter().find(|bound| bound.parse::<usize>().is_err()) {
            options.refuse(&format!("--bounds has {bound:?}, which is not such a number"));
        }
        wanted
    }

    /// The rows of a part: existing ones, and those that are run now.
    fn rows<J: Sync>(
        &self,
        part: &str,
        columns: (&[&str], &[&str]),
        jobs: &[J],
        key: impl Fn(&J) -> String + Sync,
        outcomes: impl Fn(&J) -> Vec<f64> + Sync,
    ) -> Vec<(String, Vec<f64>)> {
        let rows = Rows::open(&format!("{}/{part}.csv", self.out), columns.0, columns.1);
        let known = rows.run(jobs, self.threads, &key, outcomes);
        jobs.iter().map(|job| (key(job), known[&key(job)].clone())).collect()
    }
}

/// A problem with a shifted optimum, as a study sees it.
struct Setting {
    problem: Problem,
    space: SearchSpace,
}

impl Setting {
    fn new(name: &str, seed: u64) -> Self {
        let problem = Problem::by_name(name).expect("a known problem");
        let problem = problem.shifted(&mut Stream::new(0x3a9).child(name, seed));
        let space = workload::space(problem.dim());
        Self { problem, space }
    }

    /// The value at a point of the unit cube.
    fn value(&self, u: &[f64]) -> f64 {
        let bounds = &self.problem.bounds;
        self.problem.value(&u.iter().zip(bounds).map(|(u, (low, high))| low + u * (high - low)).collect::<Vec<f64>>())
    }

    fn study(&self, seed: u64, q: usize, model: ModelConfig) -> Study {
        Study::new(StudyConfig::new(self.space.clone()).seed(seed).initial(q).model(model)).expect("a valid study")
    }

    /// Root mean square error in deviations of the function, and mean log density of a model on fresh points.
    fn judge(&self, outlook: &Outlook, fresh: &Points) -> [f64; 2] {
        let model = outlook.model();
        let truth: Vec<f64> = fresh.iter().map(|u| -self.value(u)).collect();
        let (mut squares, mut densities) = (Vec::new(), Vec::new());
        for (u, y) in fresh.iter().zip(&truth) {
            let posterior = outlook.posterior_at(u).expect("a posterior");
            let p = posterior.predict(u);
            let variance = p.variance + posterior.hyper().noise.typical();
            let square = (model.scale.encode(*y) - p.mean).powi(2) / variance;
            squares.push((model.scale.decode(p.mean) - y).powi(2));
            let density = -0.5 * (square + (2.0 * std::f64::consts::PI * variance).ln());
            densities.push(density + model.scale.ln_jacobian(&[*y]));
        }
        let middle = mean(&truth);
        let spread = mean(&truth.iter().map(|y| (y - middle).powi(2)).collect::<Vec<f64>>());
        [(mean(&squares) / spread).sqrt(), mean(&densities)]
    }

    /// The model of the first observations alone.
    fn first_model(&self, x: &Points, y: &[f64], seed: u64) -> Outlook {
        let mut first = Points::new(x.dim());
        x.iter().take(FIRST).for_each(|u| first.push(u));
        let values = y.iter().take(FIRST).map(|y| -y).collect();
        let all = Observations { x: first, values, noise: None };
        Outlook::of(Arc::new(
            Model::fit(&ModelConfig::default(), &self.space, &all, None, &Stream::new(seed)).expect("a model"),
        ))
    }
}

/// CPU seconds of the first ask, of the next one after a result, and of a batch after another result.
fn ask(n: usize, d: usize, seed: u64) -> Vec<f64> {
    let mut study = workload::study(n, d, seed);
    let mut times = Vec::new();
    for q in [1, 1, 10] {
        let started = cpu_seconds();
        let trials = study.ask(q).expect("points").trials;
        times.push(cpu_seconds() - started);
        let at: Vec<f64> = trials[0].point.iter().filter_map(|(_, v)| v.as_f64()).collect();
        study.tell(trials[0].id, Problem::levy(d).value(&workload::in_levys_box(&at))).expect("a pending trial");
    }
    times
}

/// Error and log density of the model of n uniform points, and of the model of the first of them.
fn fit(name: &str, n: usize, seed: u64) -> Vec<f64> {
    let setting = Setting::new(name, seed);
    let stream = Stream::new(seed);
    let x = design::uniform(n, setting.space.dim(), &mut stream.child("data", 0));
    let y: Vec<f64> = x.iter().map(|u| setting.value(u)).collect();
    let mut study = setting.study(seed, 10, ModelConfig::default());
    for (u, y) in x.iter().zip(&y) {
        let point: Point = u.iter().enumerate().map(|(i, &v)| (format!("x{i}"), Value::Float(v))).collect();
        study.add(&point, *y).expect("a point of the cube");
    }
    let fresh = design::uniform(FRESH, setting.space.dim(), &mut stream.child("fresh", 0));
    let all = setting.judge(&study.outlook().expect("a model"), &fresh);
    let first = setting.judge(&setting.first_model(&x, &y, seed), &fresh);
    [all, first].concat()
}

/// log10 of the regret after each fifth of the evaluations, CPU seconds, and how good the last model is.
fn search(name: &str, bound: usize, seed: u64, evaluations: usize, q: usize) -> Vec<f64> {
    let setting = Setting::new(name, seed);
    let mut study = setting.study(seed, q, ModelConfig { max_observations: bound, ..ModelConfig::default() });
    let (mut x, mut y) = (Points::new(setting.space.dim()), Vec::new());
    let (mut cpu, mut outcomes, mut best) = (0.0, Vec::new(), (f64::INFINITY, Vec::new()));
    for fifth in 1..=5 {
        while study.n_observed() < fifth * evaluations / 5 {
            let started = cpu_seconds();
            let trials = study.ask(q.min(evaluations - study.n_observed())).expect("a batch").trials;
            cpu += cpu_seconds() - started;
            for trial in trials {
                let value = setting.value(&trial.unit);
                if value < best.0 {
                    best = (value, trial.unit.to_vec());
                }
                x.push(&trial.unit);
                y.push(value);
                study.tell(trial.id, value).expect("a pending trial");
            }
        }
        outcomes.push((best.0 - setting.problem.minimum).max(1e-12).log10());
    }
    outcomes.push(cpu);
    let mut fresh = design::uniform(FRESH, setting.space.dim(), &mut Stream::new(seed).child("fresh", 0));
    let (all, first) = (study.outlook().expect("a model"), setting.first_model(&x, &y, seed));
    for near in [false, true] {
        if near {
            let around = |u: &[f64]| -> Vec<f64> {
                u.iter().zip(&best.1).map(|(u, b)| (b + NEAR * (2.0 * u - 1.0)).clamp(0.0, 1.0)).collect()
            };
            let moved: Vec<f64> = fresh.iter().flat_map(around).collect();
            fresh = Points::from_rows(fresh.dim(), moved).expect("whole points");
        }
        outcomes.extend(setting.judge(&all, &fresh));
        outcomes.extend(setting.judge(&first, &fresh));
    }
    outcomes
}

fn main() {
    let wanted = Wanted::read();
    for part in &wanted.parts {
        match part.as_str() {
            "ask" => asks(&wanted),
            "fit" => fits(&wanted),
            "search" => searches(&wanted),
            other => elbowroom_bench::options::stop(&format!("there is no part {other}: name ask, fit or search")),
        }
    }
}

fn asks(wanted: &Wanted) {
    let sizes = [(1000, 6), (1000, 20), (5000, 6), (5000, 20), (20_000, 6), (20_000, 20)];
    let jobs: Vec<(usize, usize, u64)> =
        sizes.iter().flat_map(|(n, d)| (0..3.min(wanted.seeds)).map(|s| (*n, *d, s))).collect();
    let columns: (&[&str], &[&str]) = (&["n", "d", "seed"], &["cold_s", "next_s", "batch_of_10_s"]);
    let key = |(n, d, s): &(usize, usize, u64)| format!("{n},{d},{s}");
    let rows = wanted.rows("ask", columns, &jobs, key, |(n, d, s)| ask(*n, *d, *s));
    println!("CPU seconds (medians).\n\n| n, d | cold ask | next ask, after a result | batch of 10, after a result |");
    println!("|---|---:|---:|---:|");
    medians(&rows);
}

fn fits(wanted: &Wanted) {
    let mut jobs = Vec::new();
    for problem in &wanted.problems {
        jobs.extend([5000, 20_000].iter().flat_map(|n| (0..wanted.seeds).map(|s| (problem.clone(), *n, s))));
    }
    let columns: (&[&str], &[&str]) =
        (&["problem", "n", "seed"], &["error", "ln_density", "first_error", "first_ln_density"]);
    let key = |(p, n, s): &(String, usize, u64)| format!("{p},{n},{s}");
    let rows = wanted.rows("fit", columns, &jobs, key, |(p, n, s)| fit(p, *n, *s));
    println!("\nThe model of n uniform points beside that of the first {FIRST} (medians).\n");
    println!("| problem, n | error | log density | error, first | log density, first |\n|---|---:|---:|---:|---:|");
    medians(&rows);
}

fn searches(wanted: &Wanted) {
    let Wanted { evaluations, q, .. } = *wanted;
    let mut jobs = Vec::new();
    for problem in &wanted.problems {
        let bounds = wanted.bounds.iter().map(|bound| bound.parse().expect("checked before"));
        jobs.extend(bounds.flat_map(|bound: usize| (0..wanted.seeds).map(move |s| (problem.clone(), bound, s))));
    }
    let columns: (&[&str], &[&str]) = (
        &["problem", "bound", "evaluations", "q", "seed"],
        &[
            "log10_regret_1",
            "log10_regret_2",
            "log10_regret_3",
            "log10_regret_4",
            "log10_regret",
            "cpu_s",
            "error",
            "ln_density",
            "first_error",
            "first_ln_density",
            "near_error",
            "near_ln_density",
            "near_first_error",
            "near_first_ln_density",
        ],
    );
    let key = |(p, bound, s): &(String, usize, u64)| format!("{p},{bound},{evaluations},{q},{s}");
    let rows = wanted.rows("search", columns, &jobs, key, |(p, bound, s)| search(p, *bound, *s, evaluations, q));
    println!("\nSearches (medians): {}.\n\n| run | {} |", columns.0.join(", "), columns.1.join(" | "));
    println!("|---|{}", "---:|".repeat(columns.1.len()));
    medians(&rows);
}

/// A line for rows whose keys differ only in the seed at the end.
fn medians(rows: &[(String, Vec<f64>)]) {
    let group = |key: &str| key.rsplit_once(',').map_or(key, |(group, _)| group).replace(',', ", ");
    for chunk in rows.chunk_by(|a, b| group(&a.0) == group(&b.0)) {
        print!("| {} |", group(&chunk[0].0));
        for column in 0..chunk[0].1.len() {
            let values: Vec<f64> = chunk.iter().map(|row| row.1[column]).collect();
            print!(" {:.3} |", quantile(&values, 0.5));
        }
        println!();
    }
}
