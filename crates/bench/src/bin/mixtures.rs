//! Regret on mixtures: `mixtures [--seeds 20] [--threads 1] [--out crates/bench/results/mixtures.csv] [--design FILE.svg]`.
//!
//! `--design` only draws designs of a mixture of three parts. `--serve detergent` answers each line of numbers on its
//! standard input with the value of that recipe: `mixtures.py` runs BoTorch with it and adds rows to the same file.
//!
//! Three formulations to be maximized: `detergent`, five active parts and water with bounds and a bounded sum of the
//! actives, as in BoFire's benchmark of that name (its five responses are quadratic polynomials with random
//! coefficients; here they are drawn from a fixed seed and averaged); `recipe10`, ten parts of which at most four are
//! used, each with a best dose; and `solder4`, four parts whose best blend is in the interior. 48 evaluations in
//! batches of four: elbowroom compared with random points of the same polytope. The regret is relative to the best of
//! 20,000 random points and of climbs by small steps from the ten best of them.

use elbowroom::domain::Domain;
use elbowroom::rng::Stream;
use elbowroom::space::{Parameter, Point, SearchSpace};
use elbowroom::study::{Goal, StrategyConfig, Study, StudyConfig};
use elbowroom_bench::options::Options;
use elbowroom_bench::rows::{Rows, cpu_seconds, mean, quantile};

const PROBLEMS: [&str; 3] = ["detergent", "recipe10", "solder4"];

/// BoTorch's rows are made by `mixtures.py`.
const METHODS: [&str; 3] = ["elbowroom", "random", "botorch"];

const EVALUATIONS: usize = 48;

const BATCH: usize = 4;

/// A formulation.
struct Mixture {
    space: SearchSpace,
    value: Box<Value>,
}

/// The value of a recipe.
type Value = dyn Fn(&[f64]) -> f64;

fn mixture(name: &str) -> Mixture {
    let float = |(name, low, high): (&str, f64, f64)| Parameter::float(name, low, high);
    match name {
        "detergent" => {
            let parts = [
                ("x1", 0.0, 0.2),
                ("x2", 0.0, 0.3),
                ("x3", 0.02, 0.2),
                ("x4", 0.0, 0.06),
                ("x5", 0.0, 0.04),
                ("water", 0.0, 1.0),
            ];
            let whole = "x1 + x2 + x3 + x4 + x5 + water == 1";
            let space = SearchSpace::new(parts.map(float).to_vec())
                .and_then(|space| space.with_constraints([whole, "0.2 <= x1 + x2 + x3 + x4 + x5 <= 0.4"]));
            // Five responses, each a quadratic polynomial of the five actives over their upper bounds.
            let mut draw = Stream::new(0xde7).child("detergent", 0);
            let coefficients: Vec<f64> = (0..5 * 20).map(|_| draw.normal()).collect();
            let value = move |x: &[f64]| {
                let u: Vec<f64> = x[..5].iter().zip(&parts).map(|(x, (_, _, high))| x / high).collect();
                let mut terms = u.clone();
                (0..5).for_each(|i| (i..5).for_each(|j| terms.push(u[i] * u[j])));
                let response = |c: &[f64]| c.iter().zip(&terms).map(|(c, t)| c * t).sum::<f64>().tanh();
                coefficients.chunks_exact(20).map(response).sum::<f64>() / 5.0
            };
            Mixture { space: space.expect("a space"), value: Box::new(value) }
        }
        "recipe10" => {
            let names: Vec<String> = (1..=10).map(|i| format!("x{i}")).collect();
            let parts = names.iter().map(|name| Parameter::float(name, 0.0, 1.0)).collect();
            let whole = format!("{} == 1", names.join(" + "));
            let few = format!("nonzero({}) <= 4", names.join(", "));
            let space = SearchSpace::new(parts).and_then(|space| space.with_constraints([whole, few]));
            let mut draw = Stream::new(0xde7).child("recipe", 0);
            let doses: Vec<(f64, f64)> = (0..10).map(|_| (0.1 + 0.5 * draw.uniform(), 0.3 + draw.uniform())).collect();
            let synergy: Vec<f64> = (0..9).map(|_| 4.0 * draw.normal()).collect();
            let value = move |x: &[f64]| {
                let effect = |(x, (dose, effect)): (&f64, &(f64, f64))| effect * x / dose * (1.0 - x / dose).exp();
                let alone: f64 = x.iter().zip(&doses).map(effect).sum();
                alone + synergy.iter().enumerate().map(|(i, s)| s * x[i] * x[i + 1]).sum::<f64>()
            };
            Mixture { space: space.expect("a space"), value: Box::new(value) }
        }
        _ => {
            let parts = ["tin", "silver", "copper", "bismuth"].map(|name| Parameter::float(name, 0.0, 1.0));
            let space = SearchSpace::new(parts.to_vec())
                .and_then(|space| space.with_constraints(["tin + silver + copper + bismuth == 1"]));
            let best = [0.55, 0.2, 0.1, 0.15];
            let value = move |x: &[f64]| {
                let squared = |weight: fn(usize) -> f64| {
                    x.iter().zip(best).enumerate().map(|(i, (x, b))| weight(i) * (x - b) * (x - b)).sum::<f64>()
                };
                (-8.0 * squared(|i| 1.0 + i as f64)).exp() + 0.3 * (-squared(|_| 3.0)).exp() * (9.0 * x[0]).sin()
            };
            Mixture { space: space.expect("a space"), value: Box::new(value) }
        }
    }
}

fn values(point: &Point) -> Vec<f64> {
    point.iter().filter_map(|(_, value)| value.as_f64()).collect()
}

/// The best value that a long search finds.
fn reference(mixture: &Mixture) -> f64 {
    let domain = Domain::whole(&mixture.space);
    let (mut sampler, mut stream) = (domain.sampler(), Stream::new(1));
    let value = |u: &[f64]| (mixture.value)(&values(&domain.decode(&elbowroom::space::UnitPoint::clamped(u.to_vec()))));
    let mut found: Vec<(f64, Vec<f64>)> = Vec::new();
    // Walks are restarted, so that many sets of parts are visited.
    for i in 0..20_000 {
        if i % 500 == 0 {
            sampler = domain.sampler();
        }
        let u = sampler.next(&mut stream).into_vec();
        found.push((value(&u), u));
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.truncate(10);
    for (best, at) in &mut found {
        let mut size = 0.1;
        while size > 1e-7 {
            let mut failed = 0;
            while failed < 40 {
                let mut next: Vec<f64> =
                    at.iter().map(|u| u + if *u > 0.0 { size * stream.normal() } else { 0.0 }).collect();
                domain.snap(&mut next);
                let there = value(&next);
                if domain.is_feasible(&next) && there > *best {
                    (*best, *at) = (there, next);
                    failed = 0;
                } else {
                    failed += 1;
                }
            }
            size /= 2.0;
        }
    }
    found.iter().map(|(value, _)| *value).fold(f64::NEG_INFINITY, f64::max)
}

/// The best value, the mean and the longest CPU time of an ask in milliseconds, and the largest error of a constraint.
fn run(name: &str, method: &str, seed: u64) -> Vec<f64> {
    let mixture = mixture(name);
    let mut config = StudyConfig::new(mixture.space.clone()).goal(Goal::Maximize).seed(seed);
    if method == "random" {
        config = config.strategy(StrategyConfig::Random).initial(1);
    }
    let mut study = Study::new(config).expect("a study");
    let (mut best, mut asks, mut error) = (f64::NEG_INFINITY, Vec::new(), 0.0f64);
    while study.trials().len() < EVALUATIONS {
        let begun = cpu_seconds();
        let batch = study.ask(BATCH).expect("an answer");
        asks.push(1e3 * (cpu_seconds() - begun));
        for trial in batch.trials {
            let x = values(&trial.point);
            error = error.max((x.iter().sum::<f64>() - 1.0).abs());
            let value = (mixture.value)(&x);
            best = best.max(value);
            study.tell(trial.id, value).expect("a report");
        }
    }
    vec![best, mean(&asks), quantile(&asks, 1.0), error]
}

/// Answers recipes with their values.
fn serve(name: &str) {
    let mixture = mixture(name);
    for line in std::io::stdin().lines().map_while(Result::ok) {
        let x: Vec<f64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        println!("{}", (mixture.value)(&x));
    }
}

/// Draws the first 20 points of studies of three parts, and 20 random points, as triangles.
fn design(path: &str) {
    const SIDE: f64 = 300.0;
    let parts = ["a", "b", "c"];
    let space = SearchSpace::new(parts.map(|name| Parameter::float(name, 0.0, 1.0)).to_vec()).expect("a space");
    let (whole, cut) = ("a + b + c == 1", "a <= 0.5 + 0.2 * b");
    let panels = [
        ("design", vec![whole], StrategyConfig::default()),
        ("design, a \u{2264} 0.5 + 0.2 b", vec![whole, cut], StrategyConfig::default()),
        ("random points", vec![whole], StrategyConfig::Random),
    ];
    let mut text = String::new();
    for (k, (title, constraints, strategy)) in panels.into_iter().enumerate() {
        let left = 30.0 + k as f64 * (SIDE + 40.0);
        let height = SIDE * 0.75f64.sqrt();
        let place = |x: &[f64]| (left + SIDE * (x[1] + 0.5 * x[2]), 50.0 + height * (1.0 - x[2]));
        let corners = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|x| place(&x));
        let outline: Vec<String> = corners.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        text +=
            &format!("<text x=\"{left:.0}\" y=\"20\">{title}</text>\n<polygon points=\"{}\"/>\n", outline.join(" "));
        for (name, (x, y)) in parts.iter().zip(corners) {
            let below = if *name == "c" { -8.0 } else { 18.0 };
            text += &format!("<text x=\"{:.1}\" y=\"{:.1}\">{name}</text>\n", x - 4.0, y + below);
        }
        let space = space.clone().with_constraints(constraints).expect("constraints");
        let initial = if strategy == StrategyConfig::Random { 1 } else { 20 };
        let mut study =
            Study::new(StudyConfig::new(space).strategy(strategy).initial(initial).seed(1)).expect("a study");
        if initial == 1 {
            // The strategy chooses from the first result on; before it, points come from a design.
            let first = study.ask(1).expect("an answer").trials[0].id;
            study.tell(first, 0.0).expect("a report");
        }
        for trial in study.ask(20).expect("an answer").trials {
            let (x, y) = place(&values(&trial.point));
            text += &format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\"/>\n");
        }
    }
    let head = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1050 350\" font-family=\"sans-serif\" font-size=\"15\">\n\
                <style>text{fill:#555}polygon{fill:none;stroke:#999}circle{fill:#1f6feb}</style>\n\
                <rect width=\"1050\" height=\"350\" fill=\"#fff\"/>\n";
    std::fs::write(path, format!("{head}{text}</svg>\n")).expect("a file that can be written");
}

fn main() {
    let usage = "mixtures [--seeds 20] [--threads 1] [--out crates/bench/results/mixtures.csv] [--design FILE.svg] [--serve NAME]";
    let (mut seeds, mut threads, mut out) = (20u64, 1, "crates/bench/results/mixtures.csv".to_owned());
    let mut options = Options::of_this_program(usage);
    while let Some(option) = options.next() {
        match option.as_str() {
            "--seeds" => seeds = options.number(&option),
            "--threads" => threads = options.number(&option),
            "--out" => out = options.text(&option),
            "--design" => return design(&options.text(&option)),
            "--serve" => return serve(&options.text(&option)),
            _ => options.unknown(&option),
        }
    }
    let mut jobs = Vec::new();
    for problem in PROBLEMS {
        for method in &METHODS[..2] {
            jobs.extend((0..seeds).map(|seed| (problem, *method, seed)));
        }
    }
    let key = |(problem, method, seed): &(&str, &str, u64)| format!("{problem},{method},{seed}");
    let rows = Rows::open(&out, &["problem", "method", "seed"], &["best", "ask_ms", "longest_ask_ms", "error"]);
    let rows = rows.run(&jobs, threads, key, |(problem, method, seed)| run(problem, method, *seed));

    println!(
        "| problem | method | runs | median regret | mean regret | worst | ask, ms of CPU | longest ask | error of the sum |"
    );
    println!("|---|---|---:|---:|---:|---:|---:|---:|---:|");
    for problem in PROBLEMS {
        let top = reference(&mixture(problem));
        let all = |method: &str| -> Vec<&Vec<f64>> {
            (0..seeds).filter_map(|seed| rows.get(&key(&(problem, method, seed)))).collect()
        };
        // A run that found more than the long search defines the top.
        let top = METHODS.iter().flat_map(|method| all(method)).map(|row| row[0]).fold(top, f64::max);
        for method in METHODS {
            let rows = all(method);
            if rows.is_empty() {
                continue;
            }
            let column = |i: usize| -> Vec<f64> { rows.iter().map(|row| row[i]).collect() };
            let regrets: Vec<f64> = rows.iter().map(|row| top - row[0]).collect();
            println!(
                "| {problem} | {method} | {} | {:.2e} | {:.2e} | {:.2e} | {:.1} | {:.1} | {:.0e} |",
                rows.len(),
                quantile(&regrets, 0.5),
                mean(&regrets),
                quantile(&regrets, 1.0),
                mean(&column(1)),
                quantile(&column(2), 1.0),
                quantile(&column(3), 1.0),
            );
        }
    }
}
