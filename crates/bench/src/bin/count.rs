//! How many instructions a fit, a cold ask and a warm ask take: `count [--write] [--baseline FILE]`.
//!
//! Times on a shared machine differ by a fifth from run to run; instruction counts do not. Valgrind's callgrind counts
//! them, in processes that do one step more than others: a phase is the difference of two such processes, so it
//! includes neither the data nor the start of a program. The counts are compared with those in a file, and the program
//! exits with 1 if one of them is more than 5 % larger. `--write` replaces that file instead.
//!
//! Valgrind does not support AVX-512 and shows its programs a processor without it, so on newer processors too the code
//! for AVX2 (`x86_64-v3`) is counted. Counts of another level are not comparable, and are not compared.

use std::hint::black_box;
use std::process::{Command, ExitCode};

use elbowroom::rng::Stream;
use elbowroom::study::{Build, Model, ModelConfig, Observations};
use elbowroom_bench::rows::{commit, output_of};
use elbowroom_bench::workload::{BATCH_SIZE, data, space, study};
use serde::{Deserialize, Serialize};

/// Observations and dimensions.
const CELLS: [(usize, usize); 2] = [(50, 6), (200, 6)];

/// Each step is done for this many seeds, so that one search that ends a step later does not show.
const SEEDS: u64 = 3;

/// A warm ask is short, and counts vary by some 10⁵ instructions from run to run (hash tables have random keys), so
/// there are several.
const WARM_ASKS: usize = 5;

/// The relative increase at which a count is refused.
const LIMIT: f64 = 0.05;

/// A phase, the step that ends with it, and the step that ends before it.
const PHASES: [(&str, &str, &str); 3] =
    [("fit", "fit", "data"), ("cold_ask", "cold", "study"), ("warm_ask", "warm", "cold")];

/// The reference counts.
const BASELINE: &str = "crates/bench/results/instructions.jsonl";

/// The instructions of a phase, over all seeds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Count {
    phase: String,
    n: usize,
    d: usize,
    seeds: u64,
    instructions: u64,
    /// The processor level whose code was counted.
    cpu: String,
    commit: String,
    rustc: String,
    valgrind: String,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        // This is how the program starts itself.
        ["step", name, n, d] => {
            (0..SEEDS).for_each(|seed| step(name, number(n), number(d), seed));
            println!("{}", Build::current().cpu);
            ExitCode::SUCCESS
        }
        _ => run(&words),
    }
}

fn run(words: &[&str]) -> ExitCode {
    let (mut write, mut baseline) = (false, BASELINE);
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match *word {
            "--write" => write = true,
            "--baseline" => baseline = rest.next().copied().unwrap_or_else(|| stop("--baseline names a file")),
            other => stop(&format!("unknown argument {other}\nusage: count [--write] [--baseline FILE]")),
        }
    }
    let before = if write { Vec::new() } else { read(baseline) };
    let mut lines = String::new();
    let mut refusals = Vec::new();
    for count in CELLS.into_iter().flat_map(|(n, d)| count_cell(n, d)) {
        let line = serde_json::to_string(&count).expect("plain data");
        println!("{line}");
        lines.push_str(&line);
        lines.push('\n');
        if !write {
            match compare(&count, &before) {
                Ok(said) => eprintln!("{said}"),
                Err(why) => refusals.push(why),
            }
        }
    }
    if write {
        std::fs::write(baseline, lines).unwrap_or_else(|e| stop(&format!("{baseline}: {e}")));
        eprintln!("wrote {baseline}");
    }
    refusals.iter().for_each(|why| eprintln!("count: {why}"));
    if refusals.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

/// What a counted process does for one seed. All but its last part is also done by another step.
fn step(name: &str, n: usize, d: usize, seed: u64) {
    match name {
        "data" | "fit" => {
            let (x, y) = data(n, d, seed);
            let observations = Observations { x, values: y.iter().map(|v| -v).collect(), noise: None };
            let space = space(d);
            if name == "fit" {
                let model = Model::fit(&ModelConfig::default(), &space, &observations, None, &Stream::new(0));
                black_box(model.expect("a model of finite data"));
            }
            black_box((space, observations));
        }
        "study" | "cold" | "warm" => {
            let mut study = study(n, d, seed);
            if name != "study" {
                black_box(study.ask(BATCH_SIZE).expect("a batch"));
            }
            if name == "warm" {
                (0..WARM_ASKS).for_each(|_| drop(black_box(study.ask(1).expect("a point"))));
            }
            black_box(study);
        }
        other => stop(&format!("{other} is no step")),
    }
}

/// All phases for n observations in d dimensions.
fn count_cell(n: usize, d: usize) -> Vec<Count> {
    let steps = ["data", "fit", "study", "cold", "warm"];
    let counted = steps.map(|name| (name, counted_by_valgrind(name, n, d)));
    let of = |step: &str| &counted.iter().find(|(name, _)| *name == step).expect("a step of the list").1;
    let count = |(phase, with, without): (&str, &str, &str)| Count {
        phase: phase.into(),
        n,
        d,
        seeds: SEEDS,
        instructions: of(with).0.saturating_sub(of(without).0),
        cpu: of(with).1.clone(),
        commit: commit(),
        rustc: output_of("rustc", &["--version"]).unwrap_or_else(|| "unknown".into()),
        valgrind: output_of("valgrind", &["--version"]).unwrap_or_else(|| "unknown".into()),
    };
    PHASES.map(count).into()
}

/// The instructions of a step in a separate process, and the processor level that it found.
fn counted_by_valgrind(step: &str, n: usize, d: usize) -> (u64, String) {
    let program = std::env::current_exe().unwrap_or_else(|e| stop(&format!("this program cannot find itself: {e}")));
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(program);
    command.args(["step", step, &n.to_string(), &d.to_string()]);
    let output = command.output().unwrap_or_else(|e| {
        stop(&format!(
            "valgrind cannot be run: {e}\n  try: install it (`apt install valgrind`, `dnf install valgrind`; \
             https://valgrind.org), on Linux"
        ))
    });
    let said = String::from_utf8_lossy(&output.stderr);
    let counted = collected(&said).filter(|_| output.status.success());
    let counted = counted.unwrap_or_else(|| {
        stop(&format!("the step {step} at n = {n}, d = {d} failed under valgrind: {}\n{said}", output.status))
    });
    (counted, String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The number of instructions in callgrind's output: `==7== Collected : 123456`.
fn collected(said: &str) -> Option<u64> {
    said.lines().find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok())
}

fn read(path: &str) -> Vec<Count> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| {
        stop(&format!("{path}: {e}\n  try: run from the root of the repository, or make the file with --write"))
    });
    let count = |line: &str| serde_json::from_str(line).unwrap_or_else(|e| stop(&format!("{path}: {e}: {line}")));
    text.lines().map(count).collect()
}

/// How a count compares with the previous one: in words, or why it is refused.
fn compare(count: &Count, before: &[Count]) -> Result<String, String> {
    let Count { phase, n, d, instructions, cpu, .. } = count;
    let name = format!("{phase} at n = {n}, d = {d}");
    let Some(old) = before.iter().find(|c| (&c.phase, c.n, c.d, c.seeds) == (phase, *n, *d, count.seeds)) else {
        return Err(format!("{name} has nothing to be compared with\n  try: --write"));
    };
    if old.cpu != *cpu {
        let levels = format!("{name} was counted on {cpu} and is compared with a count on {}", old.cpu);
        return Err(format!("{levels}\n  try: count the older commit on this machine, with --baseline FILE --write"));
    }
    let (new, was) = (*instructions as f64, old.instructions as f64);
    let change = 100.0 * (new / was - 1.0);
    let said = format!("{name}: {instructions} instructions, {change:+.2} % against {}", old.commit);
    if new > was * (1.0 + LIMIT) {
        let other = if old.rustc == count.rustc { "" } else { " (by another compiler)" };
        return Err(format!(
            "{said}{other}\n  try: find the cause with callgrind_annotate, in a build with \
             --config profile.dist.strip=false --config profile.dist.debug=1; if it is worth it, --write"
        ));
    }
    Ok(said)
}

fn number(word: &str) -> usize {
    word.parse().unwrap_or_else(|_| stop(&format!("{word} is not a number")))
}

fn stop(why: &str) -> ! {
    eprintln!("count: {why}");
    std::process::exit(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(instructions: u64) -> Count {
        Count {
            phase: "fit".into(),
            n: 50,
            d: 6,
            seeds: SEEDS,
            instructions,
            cpu: "x86_64-v3".into(),
            commit: "abc".into(),
            rustc: "rustc 1".into(),
            valgrind: "valgrind-3".into(),
        }
    }

    #[test]
    fn a_count_is_refused_beyond_five_per_cent_more_and_not_before() {
        let before = [count(1000)];
        assert!(compare(&count(1050), &before).is_ok());
        assert!(compare(&count(500), &before).is_ok());
        assert!(compare(&count(1051), &before).unwrap_err().contains("+5.10 %"));
    }

    #[test]
    fn counts_of_another_level_or_cell_are_not_compared() {
        let other = Count { cpu: "x86_64".into(), ..count(1000) };
        assert!(compare(&count(1000), &[other]).unwrap_err().contains("x86_64-v3"));
        assert!(compare(&count(1000), &[Count { n: 200, ..count(1000) }]).unwrap_err().contains("--write"));
    }

    #[test]
    fn the_number_that_callgrind_prints_is_found() {
        let said = "==7== Callgrind\n==7== Events    : Ir\n==7== Collected : 123456\n==7==\n";
        assert_eq!(collected(said), Some(123_456));
        assert_eq!(collected("Illegal instruction"), None);
    }

    #[test]
    fn every_phase_is_the_difference_of_two_steps_that_run() {
        for step_name in PHASES.iter().flat_map(|(_, with, without)| [with, without]) {
            step(step_name, 12, 2, 0);
        }
    }
}
