//! Regret of several settings on the tuning tasks: `regret [--seeds 10] [--first 0] [--q 10] [--evaluations 100]
//! [--noise 0] [--threads 1] [--tasks a,b] [--rows FILE.csv] setting …`.
//!
//! A setting is `default` or changes to it joined by `+`, such as `kernels=matern52+norefine`;
//! `strategy=hallucinated_ucb` is another strategy. A task `as_is:gsobol2` is a problem of the library as in the paper,
//! not shifted. Each run is a row of the file: task, setting, seed, q, noise, log10 of the regret at the end and
//! halfway, CPU seconds, commit.

use std::io::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use elbowroom::batch::LocalPenalization;
use elbowroom::problems::Problem;
use elbowroom::rng::Stream;
use elbowroom::space::{Parameter, Point, SearchSpace};
use elbowroom::study::{ModelConfig, ScaleRule, StrategyConfig, Study, StudyConfig};
use elbowroom_bench::options::{Options, stop};
use elbowroom_bench::problems::{AS_IS, NAMES, Task, task};
use elbowroom_bench::rows::{commit, cpu_seconds};

/// A setting under test: what to change from the defaults.
fn setting(name: &str) -> Result<(ModelConfig, StrategyConfig), String> {
    let (mut model, mut strategy, mut other) = (ModelConfig::default(), LocalPenalization::default(), None);
    for change in name.split('+').filter(|c| !c.is_empty() && *c != "default") {
        match change.split_once('=') {
            Some(("strategy", name)) => {
                let found = StrategyConfig::all().into_iter().find(|strategy| strategy.name() == name);
                other = Some(found.ok_or_else(|| format!("there is no strategy {name}"))?);
            }
            _ => apply(change, &mut model, &mut strategy)?,
        }
    }
    Ok((model, other.unwrap_or(StrategyConfig::LocalPenalization(strategy))))
}

fn apply(change: &str, model: &mut ModelConfig, strategy: &mut LocalPenalization) -> Result<(), String> {
    use elbowroom::batch::{AcquisitionKind, LipschitzRule, MaximumRule, RefineRule};
    use elbowroom::gp::Prior;
    use elbowroom::penalty::PenalizerKind;
    use elbowroom::study::HyperparameterRule;
    let (key, value) = change.split_once('=').unwrap_or((change, ""));
    let unread = || format!("{change} has no number in its place");
    let number = |text: &str| text.parse::<f64>().map_err(|_| unread());
    match key {
        "kernels" => {
            let names: Vec<&str> = value.split(':').collect();
            let read = serde_json::from_value(serde_json::json!(names));
            model.kernels = read.map_err(|error| format!("{change}: {error}"))?;
        }
        // The true variance, once it is known.
        "declared" => model.noise = Some(0.0),
        "nowarp" => model.scale = ScaleRule::Standardized,
        "centred" => model.scale = ScaleRule::Centred,
        "floor" => model.noise_floor = number(value)?,
        "flatnoise" => model.noise_prior = Prior::Flat,
        "noiseprior" => {
            let (mu, sigma) = value.split_once(':').ok_or_else(|| format!("{change} is not noiseprior=mu:sigma"))?;
            model.noise_prior = Prior::LogNormal { mu: number(mu)?, sigma: number(sigma)? };
        }
        "noiseshare" => {
            let Prior::NoneOrSome { none, some, .. } = Prior::OF_NOISE else { unreachable!("of two laws") };
            model.noise_prior = Prior::NoneOrSome { none, some, share: number(value)? };
        }
        "starts" => {
            model.hyperparameters = HyperparameterRule::Map { random_starts: value.parse().map_err(|_| unread())? };
        }
        "iso" => model.ard = false,
        "soft" => strategy.penalizer = Some(PenalizerKind::Soft),
        "hard" => strategy.penalizer = Some(PenalizerKind::Hard),
        "truncated" => strategy.penalizer = Some(PenalizerKind::Truncated),
        "norefine" => strategy.refine = Some(RefineRule::Never),
        "refine" => strategy.refine = Some(RefineRule::Alternate { kappa: number(value)? }),
        "nopenalty" => strategy.penalizer = None,
        "noshrink" => strategy.shrink = false,
        "local" => strategy.lipschitz = LipschitzRule::Local,
        "maxy" => strategy.maximum = MaximumRule::MaxObserved,
        "ucb" => strategy.acquisition = AcquisitionKind::Ucb { kappa: value.parse().unwrap_or(2.0) },
        "paperucb" => *strategy = LocalPenalization::paper_ucb(),
        "paperei" => *strategy = LocalPenalization::paper_ei(),
        other => return Err(format!("there is no change {other}")),
    }
    Ok(())
}

/// Regret after every batch, and the CPU seconds of choosing the points.
///
/// Without noise, it is the regret of the best observation; with noise, of the true value at the recommended point.
fn run(task: &Task, seed: u64, plan: &Plan, name: &str) -> (Vec<f64>, f64) {
    let (mut model, strategy) = setting(name).expect("a setting that was read before");
    let sd = plan.noise * if plan.noise > 0.0 { spread(task) } else { 0.0 };
    model.noise = model.noise.map(|_| sd * sd);
    let parameters = task.bounds.iter().enumerate().map(|(i, b)| Parameter::float(format!("x{i}"), b.0, b.1));
    let space = SearchSpace::new(parameters.collect()).expect("a valid space");
    let config = StudyConfig::new(space).seed(seed).initial(plan.q).model(model);
    let mut study = Study::new(config.strategy(strategy)).expect("a valid study");
    let mut draw = Stream::new(seed).child("noise", 0);
    let truth = |point: &Point| {
        let x: Vec<f64> = point.iter().filter_map(|(_, v)| v.as_f64()).collect();
        task.value(&x)
    };
    let (mut curve, mut best, mut cpu) = (Vec::new(), f64::INFINITY, 0.0);
    while study.n_observed() < plan.evaluations {
        let started = cpu_seconds();
        let asked = study.ask(plan.q.min(plan.evaluations - study.n_observed())).expect("a batch");
        cpu += cpu_seconds() - started;
        for trial in asked.trials {
            let value = truth(&trial.point);
            best = best.min(value);
            study.tell(trial.id, value + sd * draw.normal()).expect("a pending trial");
        }
        let reached = if sd > 0.0 { truth(&study.recommended().expect("results").point) } else { best };
        curve.push(reached - task.minimum);
    }
    (curve, cpu)
}

/// The parameters of a run.
struct Plan {
    q: usize,
    evaluations: usize,
    /// Standard deviation of the noise, in typical deviations of the task's values.
    noise: f64,
}

/// A typical deviation of the task's values: their interquartile range over the box, as for a normal law.
fn spread(task: &Task) -> f64 {
    let points = elbowroom::design::sobol(512, task.dim(), &Stream::new(1));
    let in_box = |u: &[f64]| -> Vec<f64> { u.iter().zip(&task.bounds).map(|(u, b)| b.0 + u * (b.1 - b.0)).collect() };
    let mut values: Vec<f64> = points.iter().map(|u| task.value(&in_box(u))).collect();
    values.sort_by(f64::total_cmp);
    (values[384] - values[128]) / 1.35
}

/// Whether there is a task of this name.
fn is_known(name: &str) -> bool {
    name.strip_prefix(AS_IS).map_or(NAMES.contains(&name), |plain| Problem::by_name(plain).is_ok())
}

/// What to measure, according to the command line.
struct Wanted {
    plan: Plan,
    tasks: Vec<String>,
    settings: Vec<String>,
    seeds: std::ops::Range<u64>,
    threads: usize,
    rows: Option<String>,
}

impl Wanted {
    fn read(mut options: Options) -> Self {
        let (mut seeds, mut first, mut threads) = (10, 0, 1);
        let mut plan = Plan { q: 10, evaluations: 100, noise: 0.0 };
        let (mut tasks, mut settings, mut rows) = (NAMES.map(String::from).to_vec(), Vec::new(), None);
        while let Some(name) = options.next() {
            match name.as_str() {
                "--seeds" => seeds = options.number(&name),
                "--first" => first = options.number(&name),
                "--threads" => threads = options.number(&name),
                "--noise" => plan.noise = options.number(&name),
                "--q" => plan.q = options.number(&name),
                "--evaluations" => plan.evaluations = options.number(&name),
                "--rows" => rows = Some(options.text(&name)),
                "--tasks" => tasks = options.names(&name),
                option if option.starts_with("--") => options.unknown(option),
                _ => settings.push(name),
            }
        }
        if let Some(why) = settings.iter().find_map(|name| setting(name).err()) {
            options.refuse(&why);
        }
        if let Some(name) = tasks.iter().find(|name| !is_known(name)) {
            options.refuse(&format!("there is no task {name}"));
        }
        Self { plan, tasks, settings, seeds: first..first + seeds, threads, rows }
    }
}

fn append(path: &str, row: &str) {
    let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
    if let Err(error) = file.and_then(|mut file| writeln!(file, "{row}")) {
        stop(&format!("{path}: {error}"));
    }
}

fn main() {
    let usage = "usage: regret [--seeds 10] [--first 0] [--q 10] [--evaluations 100] [--noise 0] [--threads 1] [--tasks a,b] \
                 [--rows FILE.csv] setting …";
    let Wanted { plan, tasks, settings, seeds, threads, rows } = Wanted::read(Options::of_this_program(usage));
    let jobs: Vec<(usize, usize, u64)> = (0..tasks.len())
        .flat_map(|t| (0..settings.len()).map(move |s| (t, s)))
        .flat_map(|(t, s)| seeds.clone().map(move |seed| (t, s, seed)))
        .collect();
    let (next, commit) = (AtomicUsize::new(0), commit());
    let results = Mutex::new(vec![vec![Vec::<(f64, f64, f64)>::new(); settings.len()]; tasks.len()]);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(&(t, s, seed)) = jobs.get(i) else { break };
                    let problem = task(&tasks[t], seed);
                    let (curve, cpu) = run(&problem, seed, &plan, &settings[s]);
                    let floor = |v: f64| v.max(1e-12).log10();
                    let middle = floor(curve[curve.len() / 2 - 1]);
                    results.lock().expect("no panic")[t][s].push((seed as f64, floor(curve[curve.len() - 1]), middle));
                    if let Some(path) = &rows {
                        let Plan { q, noise, .. } = plan;
                        let end = floor(curve[curve.len() - 1]);
                        let run = format!("{},{},{seed},{q},{noise}", tasks[t], settings[s]);
                        append(path, &format!("{run},{end:.4},{middle:.4},{cpu:.4},{commit}"));
                    }
                }
            });
        }
    });
    let mut results = results.into_inner().expect("no panic");
    results.iter_mut().flatten().for_each(|v| v.sort_by(|a, b| a.0.total_cmp(&b.0)));
    let Plan { q, evaluations, noise } = plan;
    let n_seeds = seeds.end - seeds.start;
    println!("mean log10 regret after {evaluations} evaluations, q = {q}, noise {noise}, {n_seeds} seeds");
    print!("{:16}", "task");
    settings.iter().for_each(|s| print!(" {s:>16}"));
    println!();
    let mut ranks = vec![0.0; settings.len()];
    let mut gains = vec![0.0; settings.len()];
    let mut gains_half = vec![0.0; settings.len()];
    for (t, name) in tasks.iter().enumerate() {
        print!("{name:16}");
        for s in 0..settings.len() {
            let v = &results[t][s];
            print!(" {:16.2}", v.iter().map(|r| r.1).sum::<f64>() / v.len() as f64);
            for i in 0..v.len() {
                let base = &results[t][0];
                gains[s] += (v[i].1 - base[i].1).clamp(-2.0, 2.0) / (v.len() * tasks.len()) as f64;
                gains_half[s] += (v[i].2 - base[i].2).clamp(-2.0, 2.0) / (v.len() * tasks.len()) as f64;
                let better = (0..settings.len()).filter(|&o| results[t][o][i].1 < v[i].1 - 1e-9).count();
                let equal = (0..settings.len()).filter(|&o| (results[t][o][i].1 - v[i].1).abs() <= 1e-9).count();
                ranks[s] += (better as f64 + 0.5 * (equal as f64 + 1.0)) / (v.len() * tasks.len()) as f64;
            }
        }
        println!();
    }
    let row = |name: &str, v: &[f64]| {
        print!("{name:16}");
        v.iter().for_each(|r| print!(" {r:16.3}"));
        println!();
    };
    row("mean rank", &ranks);
    row("gain at end", &gains);
    row("gain at half", &gains_half);
}
