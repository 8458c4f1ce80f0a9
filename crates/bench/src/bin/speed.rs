//! What fitting, predicting and choosing cost: `speed [--quick] [--out crates/bench/results]`; what asks of running
//! studies cost: `speed study N D SEEDS`, which prints one JSON object per line.
//!
//! Every cell (n observations in d dimensions) runs in a separate process, so that its peak memory is its own, and is
//! measured on the CPU clock, which other work on the machine hardly affects. The data are Levy's function on [−4, 6]ᵈ
//! at uniform points. Prints a Markdown table; with `--out`, or without `--quick`, the table is also saved, together
//! with the raw figures.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::PathBuf;
use std::process::Command;

use elbowroom::data::Dataset;
use elbowroom::design;
use elbowroom::gp::{Posterior, Scratch};
use elbowroom::linalg::Points;
use elbowroom::optim::Bounds;
use elbowroom::penalty::{Norm, lipschitz, whitened_lipschitz};
use elbowroom::problems::Problem;
use elbowroom::rng::Stream;
use elbowroom::space::Point;
use elbowroom::study::{Build, Model, ModelConfig, Observations, Study, TrialId};
use elbowroom_bench::asks::{self, Asks};
use elbowroom_bench::options::stop;
use elbowroom_bench::rows::{commit, cpu_seconds, output_of};
use elbowroom_bench::workload::{BATCH_SIZE, data, in_levys_box, space, study};
use serde::{Deserialize, Serialize};

/// Asks in each of the two asynchronous measurements.
const ASKS: usize = 100;

/// The asynchronous measurements: observations, pending points, dimension.
const ASYNC: (usize, usize, usize) = (200, 50, 6);

/// One measured quantity in CPU seconds.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Timing {
    median: f64,
    min: f64,
    max: f64,
    repetitions: usize,
}

impl Timing {
    fn of(mut seconds: Vec<f64>) -> Self {
        seconds.sort_by(f64::total_cmp);
        let n = seconds.len();
        let median = 0.5 * (seconds[(n - 1) / 2] + seconds[n / 2]);
        Self { median, min: seconds[0], max: seconds[n - 1], repetitions: n }
    }
}

/// What one process measured.
#[derive(Debug, Serialize, Deserialize)]
struct Cell {
    n: usize,
    d: usize,
    q: usize,
    timings: BTreeMap<String, Timing>,
    peak_memory_kib: u64,
}

/// What was measured, and on which machine and build.
#[derive(Serialize)]
struct Record<'a> {
    bench: &'static str,
    command: &'a str,
    date: &'a str,
    commit: &'a str,
    versions: BTreeMap<&'static str, String>,
    machine: &'a Machine,
    cell: &'a Cell,
}

#[derive(Serialize)]
struct Machine {
    cpu: String,
    cores: usize,
    memory_kib: u64,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        // This is how the program starts itself.
        ["cell", n, d, quick] => answer(&measure(number(n), number(d), quick == "quick")),
        ["async", quick] => answer(&measure_async(quick == "quick")),
        ["study", n, d, seeds] => (0..number(seeds) as u64).for_each(|seed| print_asks(number(n), number(d), seed)),
        _ => run(&words),
    }
}

fn run(words: &[&str]) {
    let (mut quick, mut out) = (false, None);
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match *word {
            "--quick" => quick = true,
            "--out" => out = Some(PathBuf::from(rest.next().unwrap_or_else(|| stop("--out names a folder")))),
            other => stop(&format!(
                "there is no option {other}\nusage: speed [--quick] [--out FOLDER]\n       speed study N D SEEDS"
            )),
        }
    }
    let out = out.or_else(|| (!quick).then(|| PathBuf::from("crates/bench/results")));
    if let Some(folder) = out.as_ref().filter(|folder| !folder.is_dir()) {
        stop(&format!(
            "there is no folder {}\nrun from the root of the repository, or name one with --out",
            folder.display()
        ));
    }
    let (sizes, dimensions): (&[usize], &[usize]) =
        if quick { (&[20, 100, 500, 1000], &[6]) } else { (&[20, 50, 100, 200, 500, 1000, 2000], &[2, 6, 20]) };
    let pace = if quick { "quick" } else { "full" };

    let mut cells = Vec::new();
    for &d in dimensions {
        for &n in sizes {
            eprintln!("n = {n}, d = {d}");
            cells.push(in_a_process_of_its_own(&["cell", &n.to_string(), &d.to_string(), pace]));
        }
    }
    eprintln!("asynchronous");
    let asynchronous = in_a_process_of_its_own(&["async", pace]);

    let machine = machine();
    let command = ["cargo run --profile dist -p elbowroom-bench --bin speed --"].iter().chain(words).copied();
    let command = command.collect::<Vec<_>>().join(" ").trim_end_matches(" --").to_owned();
    let commit = commit();
    let date = output_of("date", &["-u", "+%F"]).unwrap_or_else(|| "undated".to_owned());
    let table = table(&cells, &asynchronous, &machine, &command, &commit, &date);
    println!("{table}");

    let Some(folder) = out else { return };
    let mut versions = BTreeMap::from([("elbowroom", env!("CARGO_PKG_VERSION").to_owned())]);
    versions.extend(output_of("rustc", &["--version"]).map(|v| ("rustc", v)));
    let mut lines = String::new();
    for (cell, bench) in cells.iter().map(|c| (c, "speed")).chain([(&asynchronous, "speed, asynchronous")]) {
        let record = Record {
            bench,
            command: &command,
            date: &date,
            commit: &commit,
            versions: versions.clone(),
            machine: &machine,
            cell,
        };
        lines.push_str(&serde_json::to_string(&record).expect("plain data"));
        lines.push('\n');
    }
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap_or_else(|e| stop(&format!("{}: {e}", path.display())));
        eprintln!("wrote {}", path.display());
    };
    write(&format!("speed-{date}.jsonl"), &lines);
    let old = std::fs::read_to_string(folder.join("speed.md")).unwrap_or_default();
    write("speed.md", &format!("{table}{}", by_hand(&old)));
}

/// The part of the page that this program does not generate: the counts of `count`, entered by hand.
fn by_hand(page: &str) -> &str {
    page.find("\n## Instructions\n").map_or("", |at| &page[at..])
}

/// Prints the asks of a running study and the build.
fn print_asks(n: usize, d: usize, seed: u64) {
    #[derive(Serialize)]
    struct Row {
        bench: &'static str,
        commit: String,
        cpu: String,
        #[serde(flatten)]
        asks: Asks,
    }
    let row = Row { bench: "speed, study", commit: commit(), cpu: Build::current().cpu, asks: asks::run(n, d, seed) };
    println!("{}", serde_json::to_string(&row).expect("plain data"));
}

/// All quantities for n observations in d dimensions.
fn measure(n: usize, d: usize, quick: bool) -> Cell {
    let repetitions = match n {
        _ if quick => 3,
        0..=200 => 9,
        201..=500 => 5,
        _ => 3,
    };
    let mut timings = BTreeMap::new();
    let mut keep = |name: &str, timing: Timing| timings.insert(name.to_owned(), timing);

    // One cold batch, as a user sees it: new data, then ten points; and one more point after that. It comes first, so
    // that nothing is warm except the caches that the repetitions warm for each other.
    let (mut cold, mut warm) = (Vec::new(), Vec::new());
    for r in 0..repetitions {
        let mut study = study(n, d, r as u64);
        cold.push(seconds(|| study.ask(BATCH_SIZE).expect("a batch")));
        warm.push(seconds(|| study.ask(1).expect("a point")));
    }
    keep("cold_batch", Timing::of(cold));
    keep("warm_ask", Timing::of(warm));

    // The separate parts.
    let space = space(d);
    let stream = Stream::new(0);
    let mut fits = Vec::new();
    let mut model = None;
    for r in 0..repetitions {
        let (x, y) = data(n, d, r as u64);
        let observations = Observations { x, values: y.iter().map(|v| -v).collect(), noise: None };
        let mut fitted = None;
        fits.push(seconds(|| {
            fitted = Model::fit(&ModelConfig::default(), &space, &observations, None, &stream).ok();
        }));
        model = fitted.or(model);
    }
    keep("fit", Timing::of(fits));
    let posterior = model.expect("a model of finite data").posterior;

    let x = Points::from_rows(d, posterior.observed().flatten().copied().collect()).expect("whole rows");
    let same = Dataset::new(x, posterior.values().to_vec()).expect("finite data");
    let hyper = posterior.hyper().clone();
    keep("condition", repeated(repetitions, || Posterior::new(&same, hyper.clone()).expect("it was factored before")));

    let points = design::uniform(1000, d, &mut stream.child("points", 0));
    let mut scratch = Scratch::default();
    let mut next = points.iter().cycle();
    keep(
        "predict_one_with_gradient",
        repeated(repetitions, || posterior.predict_gradient(next.next().expect("it goes round"), &mut scratch)),
    );
    keep("predict_1000", repeated(repetitions, || posterior.predict_many(&points)));

    let unit = Bounds::unit(d);
    keep("lipschitz", repeated(repetitions, || lipschitz(&posterior, &unit, Norm::Two, &stream)));
    let candidates = 64 + 32 * d.min(16);
    keep("whitened_lipschitz", repeated(repetitions, || whitened_lipschitz(&posterior, &unit, candidates, &stream)));

    Cell { n, d, q: BATCH_SIZE, timings, peak_memory_kib: peak_memory_kib() }
}

/// One point at a time with many pending: with an existing model, and with a result before each ask.
fn measure_async(quick: bool) -> Cell {
    let (n, pending, d) = ASYNC;
    let asks = if quick { 20 } else { ASKS };
    let levy = Problem::levy(d);
    let mut timings = BTreeMap::new();

    // With an existing model: only the point is chosen, and it is handed back, so that the number of pending points
    // stays the same.
    let mut waiting = study(n, d, 0);
    waiting.ask(pending).expect("a batch");
    let mut times = Vec::new();
    for _ in 0..asks {
        let mut asked = None;
        times.push(seconds(|| asked = waiting.ask(1).expect("a point").trials.pop()));
        waiting.withdraw(asked.expect("one point").id).expect("a pending trial");
    }
    timings.insert("warm_ask_with_pending".to_owned(), Timing::of(times));

    // The asynchronous cycle: the oldest pending result arrives, the model is fitted again, a point is handed out. Half
    // of the cycles come before the nth observation and half after it.
    let mut cycling = study(n - asks / 2, d, 1);
    cycling.ask(pending).expect("a batch");
    let mut times = Vec::new();
    for _ in 0..asks {
        let (oldest, value) = {
            let trial = cycling.pending().next().expect("there are always some pending");
            (trial.id, levy.value(&in_levys_box(&coordinates(&trial.point))))
        };
        times.push(seconds(|| cycle(&mut cycling, oldest, value)));
    }
    timings.insert("tell_and_ask_with_pending".to_owned(), Timing::of(times));
    Cell { n, d, q: 1, timings, peak_memory_kib: peak_memory_kib() }
}

fn cycle(study: &mut Study, trial: TrialId, value: f64) {
    study.tell(trial, value).expect("a pending trial");
    study.ask(1).expect("a point");
}

fn coordinates(point: &Point) -> Vec<f64> {
    point.iter().filter_map(|(_, value)| value.as_f64()).collect()
}

/// CPU seconds of one call.
fn seconds<T>(work: impl FnOnce() -> T) -> f64 {
    let started = cpu_seconds();
    black_box(work());
    cpu_seconds() - started
}

/// CPU seconds of one call; each repetition is the mean of as many calls as take 20 ms.
fn repeated<T>(repetitions: usize, mut work: impl FnMut() -> T) -> Timing {
    const LEAST: f64 = 0.02;
    let mut calls = 1usize;
    loop {
        let once = seconds(|| (0..calls).for_each(|_| drop(black_box(work()))));
        if once >= LEAST || calls >= 1 << 20 {
            break;
        }
        calls *= if once < 0.1 * LEAST { 8 } else { 2 };
    }
    let mean = || seconds(|| (0..calls).for_each(|_| drop(black_box(work())))) / calls as f64;
    Timing::of(std::iter::repeat_with(mean).take(repetitions).collect())
}

/// The peak memory of this process.
fn peak_memory_kib() -> u64 {
    entry("/proc/self/status", "VmHWM").and_then(|v| v.split(' ').next()?.parse().ok()).unwrap_or(0)
}

fn machine() -> Machine {
    let cores = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cores = cores.lines().filter(|line| line.starts_with("processor")).count();
    let memory_kib = entry("/proc/meminfo", "MemTotal").and_then(|v| v.split(' ').next()?.parse().ok()).unwrap_or(0);
    Machine { cpu: entry("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown".to_owned()), cores, memory_kib }
}

/// The first value of a key in a file of `key: value` lines.
fn entry(path: &str, key: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let found = text.lines().filter_map(|line| line.split_once(':')).find(|(k, _)| k.trim() == key);
    found.map(|(_, value)| value.trim().to_owned())
}

/// Starts this program again, and reads what it measured.
fn in_a_process_of_its_own(arguments: &[&str]) -> Cell {
    let program = std::env::current_exe().unwrap_or_else(|e| stop(&format!("this program cannot find itself: {e}")));
    let output = Command::new(program).args(arguments).stderr(std::process::Stdio::inherit()).output();
    let output = output.unwrap_or_else(|e| stop(&format!("this program cannot run itself: {e}")));
    if !output.status.success() {
        stop(&format!("the measurement {arguments:?} failed: {}", output.status));
    }
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| stop(&format!("the answer of {arguments:?}: {e}")))
}

fn answer(cell: &Cell) {
    println!("{}", serde_json::to_string(cell).expect("plain data"));
}

fn number(word: &str) -> usize {
    word.parse().unwrap_or_else(|_| stop(&format!("{word} is not a number")))
}

/// Columns of the table: heading and quantity.
const COLUMNS: [(&str, &str); 8] = [
    ("cold batch of 10", "cold_batch"),
    ("warm ask of 1", "warm_ask"),
    ("fit", "fit"),
    ("condition", "condition"),
    ("predict 1 + gradient", "predict_one_with_gradient"),
    ("predict 1000", "predict_1000"),
    ("L̂", "whitened_lipschitz"),
    ("L̂, the paper's", "lipschitz"),
];

fn table(cells: &[Cell], asynchronous: &Cell, machine: &Machine, command: &str, commit: &str, date: &str) -> String {
    let mut text = format!(
        "# Speed\n\n`{command}` at commit {commit}, {date}.\n{}, {} cores; one thread; CPU time, medians.\n\n\
         A *cold batch* is everything from the data to ten points: kernel, warp and hyperparameters, L̂, the points.\n\
         A *warm ask* is one more point with the same model. *Fit* is the first part of a cold batch, *condition* the \
         posterior alone, with given hyperparameters.\n\n",
        machine.cpu, machine.cores
    );
    text.push_str("| d | n |");
    COLUMNS.iter().for_each(|(heading, _)| text.push_str(&format!(" {heading} |")));
    text.push_str(" peak memory |\n|---:|---:|");
    text.push_str(&"---:|".repeat(COLUMNS.len() + 1));
    text.push('\n');
    for cell in cells {
        text.push_str(&format!("| {} | {} |", cell.d, cell.n));
        for (_, quantity) in COLUMNS {
            text.push_str(&format!(" {} |", time(cell.timings[quantity].median)));
        }
        text.push_str(&format!(" {} |\n", memory(cell.peak_memory_kib)));
    }
    let (n, pending, d) = ASYNC;
    text.push_str(&format!(
        "\nAsynchronous, d = {d}, {pending} pending:\n\n| | median | largest | asks |\n|---|---:|---:|---:|\n"
    ));
    let first = n - asynchronous.timings["tell_and_ask_with_pending"].repetitions / 2;
    let last = first + asynchronous.timings["tell_and_ask_with_pending"].repetitions;
    for (what, quantity) in [
        (format!("one point, the model at hand, n = {n}"), "warm_ask_with_pending"),
        (format!("one result in, fit, one point out, n = {} to {last}", first + 1), "tell_and_ask_with_pending"),
    ] {
        let t = asynchronous.timings[quantity];
        text.push_str(&format!("| {what} | {} | {} | {} |\n", time(t.median), time(t.max), t.repetitions));
    }
    text.push('\n');
    let find = |n: usize, d: usize| cells.iter().find(|c| c.n == n && c.d == d);
    for cell in cells.iter().filter(|c| c.n == 1000) {
        if let Some(half) = find(500, cell.d) {
            let ratio = cell.timings["cold_batch"].median / half.timings["cold_batch"].median;
            text.push_str(&format!(
                "- A cold batch at n = 1000 costs {ratio:.1} times one at n = 500 (d = {}).\n",
                cell.d
            ));
        }
    }
    if let Some(cell) = find(2000, 20) {
        text.push_str(&format!("- Peak memory at n = 2000, d = 20: {}.\n", memory(cell.peak_memory_kib)));
    }
    text
}

fn time(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.1} µs", 1e6 * s),
        s if s < 1.0 => format!("{:.1} ms", 1e3 * s),
        s => format!("{s:.2} s"),
    }
}

fn memory(kib: u64) -> String {
    format!("{:.0} MiB", kib as f64 / 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_of_the_sorted_times() {
        let timing = Timing::of(vec![3.0, 1.0, 2.0, 10.0]);
        assert_eq!((timing.median, timing.min, timing.max, timing.repetitions), (2.5, 1.0, 10.0, 4));
    }

    #[test]
    fn what_people_wrote_about_instructions_stays_on_the_page() {
        assert_eq!(by_hand("# Speed\n\n- memory\n\n## Instructions\n\n| |\n"), "\n## Instructions\n\n| |\n");
        assert_eq!(by_hand("# Speed\n"), "");
    }

    #[test]
    fn the_cpu_clock_advances_with_work_and_not_with_sleep() {
        let asleep = seconds(|| std::thread::sleep(std::time::Duration::from_millis(50)));
        let started = std::time::Instant::now();
        let awake = seconds(|| while started.elapsed().as_millis() < 300 {});
        // A shared machine gives a busy thread less than its time, and waking a sleeping one costs some.
        assert!(asleep < 0.02 && awake > asleep, "{asleep} {awake}");
    }
}
