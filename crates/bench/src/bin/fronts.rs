//! Several objectives: how much of the best hypervolume is missing after this many evaluations, depending on how
//! pending points count: `fronts [--seeds 10] [--threads 1] [--batch 5] [--problems a,b] [--rules a,b] [--evaluations
//! 60] [--out FILE]`.
//!
//! A row has log10 of the missing share of the best known hypervolume, halfway and at the end, and the CPU seconds of
//! all choices (without fits). Existing rows are not run again. The table compares every rule with the first one, seed
//! by seed.
//!
//! `fronts --speed` measures the default instead: CPU seconds of one choice of 1, 5 and 96 points from 200 results of
//! two objectives in six coordinates, and of 5 points from 100 results of three and four objectives, without the fits
//! of the models and as a whole ask of a study that has no models yet; the smallest of three seeds.

use std::collections::{HashMap, HashSet};

use elbowroom::batch::{Aims, BatchSize, BatchStrategy, Measured, Objective, ParetoSearch, ShareRule, Situation};
use elbowroom::belief::{Model, ModelConfig, ModelRecord, Observations};
use elbowroom::design::sobol;
use elbowroom::domain::Domain;
use elbowroom::linalg::Points;
use elbowroom::pareto::non_dominated;
use elbowroom::rng::Stream;
use elbowroom::space::{Parameter, SearchSpace};
use elbowroom::study::{Goal, Outcome, Outcomes, Results, Study, StudyConfig};
use elbowroom_bench::fronts::{Multi, PROBLEMS};
use elbowroom_bench::options::Options;
use elbowroom_bench::rows::{Rows, cpu_seconds, mean, quantile};

/// How fronts are searched, by name: how pending points count, and in which units.
const RULES: [(&str, Way); 20] = [
    ("believe", way(true, None, false)),
    ("sum", way(false, Some(ShareRule::Sum), false)),
    ("least", way(false, Some(ShareRule::Least), false)),
    ("mean", way(false, Some(ShareRule::Mean), false)),
    ("penalize", way(false, None, true)),
    ("penalize_sum", way(false, Some(ShareRule::Sum), true)),
    ("penalize_least", way(false, Some(ShareRule::Least), true)),
    ("penalize_mean", way(false, Some(ShareRule::Mean), true)),
    ("believe_mean", way(true, Some(ShareRule::Mean), false)),
    ("nothing", way(false, None, false)),
    ("front_0.1", Way { reference: Reference::Front(0.1), ..way(true, None, false) }),
    ("front_0.3", Way { reference: Reference::Front(0.3), ..way(true, None, false) }),
    ("front_1", Way { reference: Reference::Front(1.0), ..way(true, None, false) }),
    ("front_3", Way { reference: Reference::Front(3.0), ..way(true, None, false) }),
    ("all_0.1", Way { reference: Reference::All(0.1), ..way(true, None, false) }),
    ("results_1", Way { reference: Reference::Results(1.0), ..way(true, None, false) }),
    ("results_2", Way { reference: Reference::Results(2.0), ..way(true, None, false) }),
    ("half_0.3", Way { reference: Reference::Half(0.3), ..way(true, None, false) }),
    ("half_1", Way { reference: Reference::Half(1.0), ..way(true, None, false) }),
    ("all_0.5", Way { reference: Reference::All(0.5), ..way(true, None, false) }),
];

/// The reference point.
#[derive(Clone, Copy)]
enum Reference {
    /// The problem's own.
    Given,
    /// This many ranges of the front below the worst on the front.
    Front(f64),
    /// This many ranges of all results below the worst on the front.
    All(f64),
    /// This many ranges of the front below the worst on the front, in the user's units.
    Results(f64),
    /// This many ranges of the better half of all results below the worst on the front, in the user's units.
    Half(f64),
}

/// A way to search.
#[derive(Clone, Copy)]
struct Way {
    search: ParetoSearch,
    reference: Reference,
}

const fn way(believe: bool, share: Option<ShareRule>, penalize: bool) -> Way {
    Way { search: ParetoSearch { believe, share, penalize }, reference: Reference::Given }
}

/// Steps of the search for the best hypervolume.
const STEPS: usize = 100_000;

/// A run under way.
struct Run<'a> {
    problem: &'a Multi,
    space: &'a SearchSpace,
    points: Points,
    results: Vec<Vec<f64>>,
    records: Vec<Option<ModelRecord>>,
    stream: Stream,
}

impl Run<'_> {
    fn evaluate(&mut self, u: &[f64]) {
        self.points.push(u);
        self.results.push(self.problem.at_unit(u));
    }

    /// One batch; returns the CPU seconds of choosing it.
    fn batch(&mut self, way: &Way, q: usize) -> f64 {
        let (m, index) = (self.problem.reference.len(), self.results.len() as u64);
        let fit = |k: usize| {
            let values = self.results.iter().map(|y| -y[k]).collect();
            let observations = Observations { x: self.points.clone(), values, noise: None };
            let stream = self.stream.child("fit", index).child("objective", k as u64);
            let warm = self.records[k].as_ref();
            Model::fit(&ModelConfig::default(), self.space, &observations, warm, &stream).expect("a model")
        };
        let models: Vec<Model> = (0..m).map(fit).collect();
        let (domain, stream) = (Domain::whole(self.space), self.stream.child("ask", index));
        let taken: HashSet<_> = self.points.iter().map(|u| domain.key(u)).collect();
        let began = cpu_seconds();
        let encode = |k: usize, y: f64| models[k].scale.encode(-y);
        let encoded: Vec<Vec<f64>> =
            self.results.iter().map(|y| y.iter().enumerate().map(|(k, y)| encode(k, *y)).collect()).collect();
        let on_front = non_dominated(&encoded);
        let reference = |k: usize| {
            let of = |share: f64, from: Vec<f64>, width: f64| {
                let worst = on_front.iter().map(|&i| from[i]).fold(f64::INFINITY, f64::min);
                worst - share * width
            };
            let seen = || encoded.iter().map(|y| y[k]).collect::<Vec<f64>>();
            let said = || self.results.iter().map(|y| -y[k]).collect::<Vec<f64>>();
            let front_of = |all: &[f64]| on_front.iter().map(|&i| all[i]).collect::<Vec<f64>>();
            match way.reference {
                Reference::Given => encode(k, self.problem.reference[k]),
                Reference::Front(share) => of(share, seen(), range(&front_of(&seen()))),
                Reference::All(share) => of(share, seen(), range(&seen())),
                Reference::Results(share) => encode(k, -of(share, said(), range(&front_of(&said())))),
                Reference::Half(share) => {
                    let (all, middle) = (said(), quantile(&said(), 0.5));
                    let better: Vec<f64> = all.iter().copied().filter(|y| *y >= middle).collect();
                    encode(k, -of(share, all, range(&better)))
                }
            }
        };
        let objective = |k: usize| Objective { posterior: &models[k].posterior, reference: Some(reference(k)) };
        let measured = |(point, y): (_, &Vec<f64>)| Measured {
            point,
            values: y.iter().enumerate().map(|(k, y)| encode(k, *y)).collect(),
            limited: vec![],
        };
        let aims = Aims {
            objectives: (0..m).map(objective).collect(),
            limits: vec![],
            measured: self.points.iter().zip(&self.results).map(measured).collect(),
            ..Aims::default()
        };
        let situation = Situation::new(&models[0].posterior, &domain, &[], &taken, &stream);
        let situation = Situation { aims: Some(&aims), ..situation };
        let batch = way.search.choose(&situation, BatchSize::new(q).expect("a batch")).expect("a choice");
        let took = cpu_seconds() - began;
        self.records = models.into_iter().map(|model| Some(model.record)).collect();
        batch.points.iter().for_each(|u| self.evaluate(u));
        took
    }
}

/// The difference between the largest and the smallest value, or a small number if they are equal.
fn range(values: &[f64]) -> f64 {
    let (low, high) = (quantile(values, 0.0), quantile(values, 1.0));
    if high > low { high - low } else { 1e-3 * high.abs().max(1e-3) }
}

fn space_of(dim: usize) -> SearchSpace {
    let parameters = (0..dim).map(|i| Parameter::float(format!("x{i}"), 0.0, 1.0)).collect();
    SearchSpace::new(parameters).expect("a valid space")
}

fn speed() {
    let space = space_of(6);
    for (name, n, q) in [
        ("hartmanns6", 200, 1),
        ("hartmanns6", 200, 5),
        ("hartmanns6", 200, 96),
        ("waves6x3", 100, 5),
        ("waves6x4", 100, 5),
    ] {
        let problem = Multi::new(name);
        let take = |seed: u64| {
            let (stream, records) = (Stream::new(seed), vec![None; problem.reference.len()]);
            let mut run =
                Run { problem: &problem, space: &space, points: Points::new(6), results: vec![], records, stream };
            sobol(n, 6, &run.stream.child("design", 0)).iter().for_each(|u| run.evaluate(u));
            run.batch(&RULES[0].1, q)
        };
        let least = (0..3).map(take).fold(f64::INFINITY, f64::min);
        let whole = (0..3).map(|seed| asked(&problem, n, q, seed)).fold(f64::INFINITY, f64::min);
        println!("{q} points from {n} results of {name}: {least:.3} s of CPU, {whole:.3} s with the fits");
    }
}

/// CPU seconds of an ask of a study that has n results and no model yet: fits and choice.
fn asked(problem: &Multi, n: usize, q: usize, seed: u64) -> f64 {
    let names = ["first", "second", "third", "fourth"];
    let objective = |name: &&str| Outcome::objective(*name, Goal::Minimize);
    let names = &names[..problem.reference.len()];
    let outcomes = Outcomes::new(names.iter().map(objective).collect()).expect("outcomes");
    let config = StudyConfig::new(space_of(problem.bounds.len())).outcomes(outcomes).initial(n).seed(seed);
    let mut study = Study::new(config).expect("a study");
    for trial in study.ask(n).expect("a design").trials {
        let results = names.iter().copied().zip(problem.at_unit(&trial.unit));
        study.tell(trial.id, results.collect::<Results>()).expect("a report");
    }
    let began = cpu_seconds();
    let chosen = study.ask(q).expect("a choice").trials.len();
    assert_eq!(chosen, q, "as many as were asked for");
    cpu_seconds() - began
}

/// Hypervolumes halfway and at the end, and CPU seconds.
fn run(name: &str, way: &Way, q: usize, evaluations: usize, seed: u64) -> Vec<f64> {
    let problem = Multi::new(name);
    let dim = problem.bounds.len();
    let space = space_of(dim);
    let stream = Stream::new(0xf0).child(name, seed);
    let records = vec![None; problem.reference.len()];
    let mut run = Run { problem: &problem, space: &space, points: Points::new(dim), results: vec![], records, stream };
    for u in sobol(2 * (dim + 1), dim, &run.stream.child("design", 0)).iter() {
        run.evaluate(u);
    }
    let (mut took, mut halfway) = (0.0, None);
    while run.results.len() < evaluations {
        took += run.batch(way, q.min(evaluations - run.results.len()));
        if run.results.len() >= evaluations / 2 {
            halfway = halfway.or(Some(problem.volume(&run.results)));
        }
    }
    vec![halfway.unwrap_or(0.0), problem.volume(&run.results), took]
}

fn main() {
    let (mut seeds, mut threads, mut q, mut evaluations) = (10u64, 1, 5usize, 60usize);
    let mut out = "crates/bench/results/fronts.csv".to_owned();
    let mut problems: Vec<String> = PROBLEMS.map(String::from).to_vec();
    let mut rules: Vec<String> = RULES.map(|(name, _)| name.to_owned()).to_vec();
    let mut options = Options::of_this_program(
        "usage: fronts [--seeds 10] [--threads 1] [--batch 5] [--problems a,b] [--rules a,b] [--evaluations 60] [--out FILE], or fronts --speed",
    );
    while let Some(name) = options.next() {
        match name.as_str() {
            "--seeds" => seeds = options.number(&name),
            "--threads" => threads = options.number(&name),
            "--batch" => q = options.number(&name),
            "--evaluations" => evaluations = options.number(&name),
            "--problems" => problems = options.names(&name),
            "--rules" => rules = options.names(&name),
            "--out" => out = options.text(&name),
            "--speed" => return speed(),
            other => options.unknown(other),
        }
    }
    let by_name = |name: &str| RULES.iter().find(|(known, _)| *known == name).map(|(_, rule)| *rule);
    if let Some(name) = rules.iter().find(|name| by_name(name).is_none()) {
        options.refuse(&format!("there is no rule {name}"));
    }
    let mut jobs: Vec<(&str, &str, u64)> = problems.iter().map(|p| (p.as_str(), "best", 0)).collect();
    for seed in 0..seeds {
        for problem in &problems {
            jobs.extend(rules.iter().map(|rule| (problem.as_str(), rule.as_str(), seed)));
        }
    }
    let key = |(problem, rule, seed): &(&str, &str, u64)| match *rule {
        "best" => format!("{problem},best,0,0,0"),
        rule => format!("{problem},{rule},{q},{evaluations},{seed}"),
    };
    let columns = ["problem", "rule", "batch", "evaluations", "seed"];
    let rows = Rows::open(&out, &columns, &["halfway", "end", "cpu_seconds"]);
    let known = rows.run(&jobs, threads, key, |(problem, rule, seed)| match by_name(rule) {
        None => vec![0.0, Multi::new(problem).best_volume(STEPS, 1), 0.0],
        Some(rule) => run(problem, &rule, q, evaluations, *seed),
    });
    let volume = |problem: &str, rule: &str, seed: u64| known[&key(&(problem, rule, seed))][1];
    let best_of = |problem: &String| {
        let of_problem = known.iter().filter(|(key, _)| key.starts_with(&format!("{problem},")));
        of_problem.map(|(_, found)| found[1]).fold(0.0, f64::max)
    };
    let best: HashMap<&str, f64> = problems.iter().map(|p| (p.as_str(), best_of(p))).collect();
    let missing =
        |problem: &str, rule: &str, seed: u64| (1.0 - volume(problem, rule, seed) / best[problem]).max(1e-4).log10();
    summarize(&problems, &rules, seeds, &missing);
    let seconds = |rule: &str| {
        let of = |p: &String| (0..seeds).map(|s| known[&key(&(p, rule, s))][2]).collect::<Vec<_>>();
        mean(&problems.iter().flat_map(of).collect::<Vec<_>>())
    };
    rules.iter().for_each(|rule| println!("{rule}: {:.3} s of CPU for the choices of a run", seconds(rule)));
}

/// Mean log10 of the missing share under the first rule, and how much more is missing with the others.
fn summarize(problems: &[String], rules: &[String], seeds: u64, missing: &dyn Fn(&str, &str, u64) -> f64) {
    println!(
        "Mean log10 of the missing share of the hypervolume over {seeds} seeds; the others as differences from the first.\n"
    );
    println!("| problem | {} |\n|---|{}", rules.join(" | "), "---:|".repeat(rules.len()));
    let mut differences: Vec<Vec<f64>> = vec![Vec::new(); rules.len()];
    for problem in problems {
        let of = |rule: &str| (0..seeds).map(|seed| missing(problem, rule, seed)).collect::<Vec<f64>>();
        let first = of(&rules[0]);
        print!("| {problem} | {:.3} |", mean(&first));
        for (i, rule) in rules.iter().enumerate().skip(1) {
            let paired: Vec<f64> = of(rule).iter().zip(&first).map(|(a, b)| a - b).collect();
            print!(" {:+.3} |", mean(&paired));
            differences[i].extend(paired);
        }
        println!();
    }
    print!("| mean ± standard error | |");
    for paired in &differences[1..] {
        let (n, middle) = (paired.len() as f64, mean(paired));
        let spread = paired.iter().map(|d| (d - middle).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
        print!(" {:+.3} ± {:.3} |", middle, (spread / n).sqrt());
    }
    println!("\n");
}
