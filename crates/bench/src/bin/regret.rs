//! Regret of several settings over the tuning tasks: `regret [--seeds 10] [--tasks a,b] setting …`.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use elbowroom::batch::{BatchSize, BatchStrategy, LocalPenalization, Situation};
use elbowroom::rng::Stream;
use elbowroom::space::{Parameter, SearchSpace};
use elbowroom::study::{Model, ModelConfig, Observations};
use elbowroom_bench::problems::{NAMES, Task, task};

/// A setting under test: what to change from the defaults.
fn setting(name: &str) -> (ModelConfig, LocalPenalization) {
    let (mut model, mut strategy) = (ModelConfig::default(), LocalPenalization::default());
    for change in name.split('+').filter(|c| !c.is_empty() && *c != "default") {
        apply(change, &mut model, &mut strategy);
    }
    (model, strategy)
}

fn apply(change: &str, model: &mut ModelConfig, strategy: &mut LocalPenalization) {
    use elbowroom::batch::{AcquisitionKind, LipschitzRule, MaximumRule};
    use elbowroom::gp::{KernelKind, Prior};
    use elbowroom::penalty::PenalizerKind;
    use elbowroom::study::HyperparameterRule;
    let (key, value) = change.split_once('=').unwrap_or((change, ""));
    match key {
        "matern52" => model.kernels = vec![KernelKind::Matern52],
        "matern32" => model.kernels = vec![KernelKind::Matern32],
        "rbf" => model.kernels = vec![KernelKind::Rbf],
        "both" => model.kernels = vec![KernelKind::Matern52, KernelKind::Rbf],
        "nowarp" => model.warp = false,
        "floor" => model.noise_floor = value.parse().expect("a number"),
        "noisemu" => model.noise_prior = Prior::LogNormal { mu: value.parse().expect("a number"), sigma: 3.0 },
        "starts" => model.hyperparameters = HyperparameterRule::Map { random_starts: value.parse().expect("a number") },
        "iso" => model.ard = false,
        "soft" => strategy.penalizer = Some(PenalizerKind::Soft),
        "hard" => strategy.penalizer = Some(PenalizerKind::Hard),
        "truncated" => strategy.penalizer = Some(PenalizerKind::Truncated),
        "nopenalty" => strategy.penalizer = None,
        "noshrink" => strategy.shrink = false,
        "local" => strategy.lipschitz = LipschitzRule::Local,
        "maxy" => strategy.maximum = MaximumRule::MaxObserved,
        "ucb" => strategy.acquisition = AcquisitionKind::Ucb { kappa: value.parse().unwrap_or(2.0) },
        "paperucb" => *strategy = LocalPenalization::paper_ucb(),
        "paperei" => *strategy = LocalPenalization::paper_ei(),
        other => panic!("unknown change {other}"),
    }
}

fn run(task: &Task, seed: u64, q: usize, evaluations: usize, name: &str) -> (Vec<f64>, f64) {
    let (model_config, strategy) = setting(name);
    let space = SearchSpace::new(
        task.bounds.iter().enumerate().map(|(i, b)| Parameter::float(format!("x{i}"), b.0, b.1)).collect(),
    )
    .expect("a valid space");
    let stream = Stream::new(seed);
    let mut x = elbowroom::design::latin_hypercube(q, task.dim(), &mut stream.child("initial", 0));
    let in_box = |u: &[f64]| -> Vec<f64> { u.iter().zip(&task.bounds).map(|(u, b)| b.0 + u * (b.1 - b.0)).collect() };
    let mut y: Vec<f64> = x.iter().map(|u| task.value(&in_box(u))).collect();
    let (mut record, mut round, mut cpu) = (None, 0, 0.0);
    while y.len() < evaluations {
        let started = cpu_seconds();
        let ask = stream.child("ask", round);
        let values: Vec<f64> = y.iter().map(|v| -v).collect();
        let model = Model::fit(
            &model_config,
            &space,
            &Observations { x: x.clone(), values, noise: None },
            record.as_ref(),
            &ask,
        )
        .expect("a model");
        let taken: HashSet<_> = x.iter().map(|u| space.key(u)).collect();
        let situation =
            Situation { posterior: &model.posterior, space: &space, pending: &[], taken: &taken, stream: &ask };
        let q = BatchSize::new(q.min(evaluations - y.len())).expect("not empty");
        let batch = strategy.choose(&situation, q).expect("a batch");
        cpu += cpu_seconds() - started;
        record = Some(model.record);
        round += 1;
        for u in &batch.points {
            y.push(task.value(&in_box(u.as_slice())));
            x.push(u.as_slice());
        }
    }
    let mut best = f64::INFINITY;
    let curve = y
        .iter()
        .map(|v| {
            best = best.min(*v);
            best - task.minimum
        })
        .collect();
    (curve, cpu)
}

/// CPU seconds of this thread.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    stat.split(' ').next().and_then(|s| s.parse::<f64>().ok()).unwrap_or(0.0) * 1e-9
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (mut seeds, mut tasks, mut settings, mut q, mut first) =
        (10, NAMES.map(String::from).to_vec(), Vec::new(), 10, 0);
    let mut threads = 1;
    while let Some(a) = arguments.next() {
        match a.as_str() {
            "--seeds" => seeds = arguments.next().and_then(|v| v.parse().ok()).expect("a number"),
            "--first" => first = arguments.next().and_then(|v| v.parse().ok()).expect("a number"),
            "--threads" => threads = arguments.next().and_then(|v| v.parse().ok()).expect("a number"),
            "--q" => q = arguments.next().and_then(|v| v.parse().ok()).expect("a number"),
            "--tasks" => tasks = arguments.next().expect("names").split(',').map(String::from).collect(),
            _ => settings.push(a),
        }
    }
    let evaluations = 100;
    let jobs: Vec<(usize, usize, u64)> = (0..tasks.len())
        .flat_map(|t| (0..settings.len()).flat_map(move |s| (first..first + seeds).map(move |seed| (t, s, seed))))
        .collect();
    let next = AtomicUsize::new(0);
    let results = Mutex::new(vec![vec![Vec::<(f64, f64, f64)>::new(); settings.len()]; tasks.len()]);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(&(t, s, seed)) = jobs.get(i) else { break };
                    let problem = task(&tasks[t], seed);
                    let (curve, cpu) = run(&problem, seed, q, evaluations, &settings[s]);
                    let floor = |v: f64| v.max(1e-9).log10();
                    let middle = floor(curve[curve.len() / 2 - 1]);
                    results.lock().expect("no panic")[t][s].push((seed as f64, floor(curve[curve.len() - 1]), middle));
                    let _ = cpu;
                    if std::env::var("VERBOSE").is_ok() {
                        eprintln!("{} {} {seed} {:.3e} cpu {cpu:.3}", tasks[t], settings[s], curve[curve.len() - 1]);
                    }
                }
            });
        }
    });
    let mut results = results.into_inner().expect("no panic");
    results.iter_mut().flatten().for_each(|v| v.sort_by(|a, b| a.0.total_cmp(&b.0)));
    println!("mean log10 regret after {evaluations} evaluations, q = {q}, {seeds} seeds");
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
