//! Tables of results in comparison with the peers: `table [--base elbowroom] [--systems a,b,c] RESULTS.jsonl …`
//!
//! Reads result files of the peer harness, one JSON object per line, and prints Markdown: regret, ranks, wins and
//! losses, and the cost of a batch. If a cell appears more than once, its last appearance counts.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use elbowroom_bench::options::{Options, stop};
use serde::Deserialize;

const USAGE: &str = "usage: table [--base elbowroom] [--systems a,b,c] RESULTS.jsonl …";

/// One line of a result file.
#[derive(Deserialize)]
struct Line {
    peer: String,
    #[serde(default = "one")]
    threads: usize,
    job: Job,
    /// Missing if the system failed or was not run.
    #[serde(default)]
    result: Ranked,
    /// The seconds that a cell was allowed, if it took longer.
    over: Option<f64>,
    /// CPU seconds it had used by then.
    cpu_at_kill: Option<f64>,
}

fn one() -> usize {
    1
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Job {
    Quality { problem: String, q: usize, seed: u64 },
    Overhead { n: usize, d: usize, q: usize },
}

/// The result of a job: the regret of a run, or the times of a cell.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Ranked {
    status: Option<String>,
    regret: Option<f64>,
    overhead_cpu_s: Option<f64>,
    cpu: Vec<f64>,
}

/// A problem with its batch size.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Task {
    problem: String,
    q: usize,
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, q = {}", self.problem, self.q)
    }
}

/// One finished run.
#[derive(Debug, Clone, Copy)]
struct Run {
    regret: f64,
    cpu: Option<f64>,
}

/// A cell of the overhead table: threads, batch size, dimension, observations.
type Cell = (usize, usize, usize, usize);

/// The cost of a cell.
enum Cost {
    /// CPU seconds of its repetitions.
    Took(Vec<f64>),
    /// It did not end in time: CPU seconds until then, if it was run at all.
    Over(Option<f64>),
}

/// All results, by system.
#[derive(Default)]
struct Results {
    runs: BTreeMap<String, BTreeMap<Task, BTreeMap<u64, Run>>>,
    cells: BTreeMap<String, BTreeMap<Cell, Cost>>,
}

impl Results {
    fn add(&mut self, line: Line) {
        // The harness names a program that speaks its protocol after the way it is reached.
        let system = if line.peer == "cli" { OURS.to_owned() } else { line.peer };
        let finished = line.result.status.as_deref().is_none_or(|s| s == "done");
        match (line.job, line.result.regret) {
            (Job::Quality { problem, q, seed }, Some(regret)) if finished && regret.is_finite() => {
                let run = Run { regret, cpu: line.result.overhead_cpu_s };
                self.runs.entry(system).or_default().entry(Task { problem, q }).or_default().insert(seed, run);
            }
            (Job::Overhead { n, d, q }, _) => {
                let cost = match line.over {
                    Some(_) => Cost::Over(line.cpu_at_kill),
                    None if line.result.cpu.is_empty() => return,
                    None => Cost::Took(line.result.cpu),
                };
                self.cells.entry(system).or_default().insert((line.threads, q, d, n), cost);
            }
            _ => {}
        }
    }

    fn tasks(&self) -> BTreeSet<&Task> {
        self.runs.values().flat_map(BTreeMap::keys).collect()
    }

    /// The regrets of these systems on the seeds that they have in common, a row for each seed; `None` if there is no
    /// such seed.
    fn common(&self, systems: &[String], task: &Task) -> Option<Vec<Vec<f64>>> {
        let of_each: Option<Vec<_>> = systems.iter().map(|s| self.runs.get(s)?.get(task)).collect();
        let of_each = of_each?;
        let seeds = of_each.first()?.keys().filter(|seed| of_each.iter().all(|runs| runs.contains_key(seed)));
        let rows: Vec<Vec<f64>> = seeds.map(|seed| of_each.iter().map(|runs| runs[seed].regret).collect()).collect();
        (!rows.is_empty()).then_some(rows)
    }
}

const OURS: &str = "elbowroom";

fn main() {
    let (mut base, mut chosen, mut results) = (OURS.to_owned(), None, Results::default());
    let mut options = Options::of_this_program(USAGE);
    let mut n_files = 0;
    while let Some(argument) = options.next() {
        match argument.as_str() {
            "--base" => base = options.text(&argument),
            "--systems" => chosen = Some(options.names(&argument)),
            path => {
                n_files += 1;
                let text = std::fs::read_to_string(path).unwrap_or_else(|e| stop(&format!("{path}: {e}")));
                for (i, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
                    match serde_json::from_str(line) {
                        Ok(line) => results.add(line),
                        Err(error) => stop(&format!("{path}, line {}: {error}", i + 1)),
                    }
                }
            }
        }
    }
    if n_files == 0 {
        options.refuse("no result file was named");
    }
    let mut systems: Vec<String> = match chosen {
        Some(names) => names,
        None => results.runs.keys().chain(results.cells.keys()).cloned().collect::<BTreeSet<_>>().into_iter().collect(),
    };
    systems.sort_by_key(|s| *s != base);
    let measured: Vec<String> = systems.iter().filter(|s| results.runs.contains_key(*s)).cloned().collect();
    if !measured.is_empty() {
        print_quality(&results, &measured);
        print_ranks(&results, &measured);
        print_pairs(&results, &measured, &base);
        print_run_costs(&results, &measured);
    }
    print_overhead(&results, &systems, &base);
}

/// Final regret: the median over all seeds that a system has, and their number.
fn print_quality(results: &Results, systems: &[String]) {
    println!("## Regret: median (seeds)\n");
    heading("problem", systems);
    for task in results.tasks() {
        let cells = systems.iter().map(|system| {
            let Some(runs) = results.runs.get(system).and_then(|tasks| tasks.get(task)) else { return String::new() };
            let regrets: Vec<f64> = runs.values().map(|run| run.regret).collect();
            format!("{} ({})", number(median(&regrets)), regrets.len())
        });
        row(&task.to_string(), cells);
    }
    println!();
}

/// Ranks on the problems for which every compared system has results, over the seeds that all have.
fn print_ranks(results: &Results, systems: &[String]) {
    println!("## Ranks (1 is best)\n");
    let (mut by_median, mut by_seed, mut n_runs, mut left_out) = (Vec::new(), Vec::new(), 0, Vec::new());
    let mut lines = Vec::new();
    for task in results.tasks() {
        let Some(rows) = results.common(systems, task) else {
            left_out.push(task.to_string());
            continue;
        };
        let medians: Vec<f64> = (0..systems.len()).map(|s| median(&column(&rows, s))).collect();
        let of_medians = ranks(&medians);
        let of_seeds: Vec<Vec<f64>> = rows.iter().map(|row| ranks(row)).collect();
        let cells: Vec<String> = (0..systems.len())
            .map(|s| format!("{} ({:.1})", brief(of_medians[s]), mean(&column(&of_seeds, s))))
            .collect();
        lines.push((format!("{task} ({})", rows.len()), cells));
        n_runs += rows.len();
        by_median.push(of_medians);
        by_seed.extend(of_seeds);
    }
    if by_median.is_empty() {
        println!("No problem has results of all of these systems; name fewer with `--systems`.\n");
        return;
    }
    println!("Of the median (and the mean of the ranks seed by seed), among these systems, over their common seeds.\n");
    heading("problem (seeds)", systems);
    for (name, cells) in lines {
        row(&name, cells.into_iter());
    }
    let means = |table: &[Vec<f64>]| {
        (0..systems.len()).map(|s| format!("**{:.2}**", mean(&column(table, s)))).collect::<Vec<_>>()
    };
    row(&format!("**mean over {} problems**", by_median.len()), means(&by_median).into_iter());
    row(&format!("**mean over {n_runs} runs**"), means(&by_seed).into_iter());
    println!();
    if !left_out.is_empty() {
        println!("Left out, since not all of these systems ran them: {}.\n", left_out.join("; "));
    }
}

/// The base against each other system: problems won and lost by the median over the seeds that both have.
fn print_pairs(results: &Results, systems: &[String], base: &str) {
    if !results.runs.contains_key(base) {
        return;
    }
    println!("## {base} against each: problems by median regret\n");
    println!("| against | won | lost | equal | runs won | lost on ({base} / other) |\n|---|---|---|---|---|---|");
    for other in systems.iter().filter(|s| *s != base) {
        let pair = [base.to_owned(), other.clone()];
        let (mut won, mut equal, mut losses, mut runs_won, mut runs) = (0, 0, Vec::new(), 0, 0);
        for task in results.tasks() {
            let Some(rows) = results.common(&pair, task) else { continue };
            let (ours, theirs) = (median(&column(&rows, 0)), median(&column(&rows, 1)));
            runs += rows.len();
            runs_won += rows.iter().filter(|row| row[0] < row[1]).count();
            if ours < theirs {
                won += 1;
            } else if ours == theirs {
                equal += 1;
            } else {
                losses.push(format!("{task} ({} / {})", number(ours), number(theirs)));
            }
        }
        println!("| {other} | {won} | {} | {equal} | {runs_won} of {runs} | {} |", losses.len(), losses.join("; "));
    }
    println!();
}

/// CPU seconds that a system spent on choosing points in a whole run.
fn print_run_costs(results: &Results, systems: &[String]) {
    println!("## CPU seconds of one whole run: median\n");
    heading("problem", systems);
    for task in results.tasks() {
        let cells = systems.iter().map(|system| {
            let runs = results.runs.get(system).and_then(|tasks| tasks.get(task));
            let cpu: Vec<f64> = runs.into_iter().flat_map(BTreeMap::values).filter_map(|run| run.cpu).collect();
            if cpu.is_empty() { String::new() } else { number(median(&cpu)) }
        });
        row(&task.to_string(), cells);
    }
    println!();
}

/// CPU seconds of one cold batch, and the ratio of a system's time to the base's.
fn print_overhead(results: &Results, systems: &[String], base: &str) {
    let cells: BTreeSet<Cell> = results.cells.values().flat_map(BTreeMap::keys).copied().collect();
    if cells.is_empty() {
        return;
    }
    let systems: Vec<String> = systems.iter().filter(|s| results.cells.contains_key(*s)).cloned().collect();
    println!("## CPU seconds of one cold batch: median (times {base}'s)\n");
    heading("threads, q, d, n", &systems);
    for cell in cells {
        let of = |system: &str| results.cells.get(system)?.get(&cell);
        let ours = match of(base) {
            Some(Cost::Took(times)) => Some(median(times)),
            _ => None,
        };
        let texts = systems.iter().map(|system| {
            let (sign, time) = match of(system) {
                Some(Cost::Took(times)) => ("", median(times)),
                Some(Cost::Over(Some(time))) => ("> ", *time),
                Some(Cost::Over(None)) => return "over".to_owned(),
                None => return String::new(),
            };
            match ours.filter(|_| system != base) {
                Some(ours) => format!("{sign}{} ({sign}×{})", number(time), number(time / ours)),
                None => format!("{sign}{}", number(time)),
            }
        });
        row(&format!("{}, {}, {}, {}", cell.0, cell.1, cell.2, cell.3), texts);
    }
    println!();
}

fn heading(first: &str, systems: &[String]) {
    row(first, systems.iter().cloned());
    println!("|---|{}", "---|".repeat(systems.len()));
}

fn row(first: &str, cells: impl Iterator<Item = String>) {
    println!("| {first} | {} |", cells.collect::<Vec<_>>().join(" | "));
}

/// The rank of every value, 1 for the smallest; equal values share the mean of their ranks.
fn ranks(values: &[f64]) -> Vec<f64> {
    let rank = |v: f64| {
        let smaller = values.iter().filter(|w| **w < v).count();
        let equal = values.iter().filter(|w| **w == v).count();
        smaller as f64 + 0.5 * (equal as f64 + 1.0)
    };
    values.iter().map(|&v| rank(v)).collect()
}

fn column(rows: &[Vec<f64>], k: usize) -> Vec<f64> {
    rows.iter().map(|row| row[k]).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The middle value, or the mean of the two in the middle; NaN if there are none.
fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    match n {
        0 => f64::NAN,
        _ if n % 2 == 1 => sorted[n / 2],
        _ => 0.5 * (sorted[n / 2 - 1] + sorted[n / 2]),
    }
}

/// Three digits, with an exponent if there would otherwise be many zeros.
fn number(v: f64) -> String {
    let size = v.abs();
    match size {
        _ if size == 0.0 => "0".to_owned(),
        _ if !(1e-3..1e4).contains(&size) => format!("{v:.1e}"),
        _ if size >= 100.0 => format!("{v:.0}"),
        _ => format!("{v:.*}", (2 - size.log10().floor() as i32).max(0) as usize),
    }
}

/// A rank without unnecessary decimals.
fn brief(rank: f64) -> String {
    if rank.fract() == 0.0 { format!("{rank:.0}") } else { format!("{rank:.1}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(lines: &[&str]) -> Results {
        let mut results = Results::default();
        lines.iter().for_each(|line| results.add(serde_json::from_str(line).expect("a valid line")));
        results
    }

    fn run(peer: &str, seed: u64, regret: f64) -> String {
        format!(
            r#"{{"peer":"{peer}","job":{{"kind":"quality","problem":"p","q":5,"seed":{seed}}},"result":{{"status":"done","regret":{regret}}}}}"#
        )
    }

    #[test]
    fn the_smallest_value_ranks_first() {
        assert_eq!(ranks(&[3.0, 1.0, 2.0]), [3.0, 1.0, 2.0]);
    }

    #[test]
    fn equal_values_share_the_mean_of_their_places() {
        assert_eq!(ranks(&[1.0, 0.5, 1.0, 2.0]), [2.5, 1.0, 2.5, 4.0]);
        assert_eq!(ranks(&[7.0, 7.0, 7.0]), [2.0, 2.0, 2.0]);
    }

    #[test]
    fn ranks_always_add_up_to_the_same_sum() {
        // n(n + 1)/2, ties or not.
        for values in [[1.0, 1.0, 2.0, 2.0, 0.0], [5.0, 4.0, 3.0, 2.0, 1.0], [0.0; 5]] {
            assert_eq!(ranks(&values).iter().sum::<f64>(), 15.0);
        }
    }

    #[test]
    fn the_median_of_an_even_number_is_between_the_middle_two() {
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), 2.5);
        assert_eq!(median(&[9.0, 1.0, 3.0]), 3.0);
    }

    #[test]
    fn only_seeds_that_all_systems_have_are_compared() {
        let lines = [run("cli", 0, 1.0), run("cli", 1, 2.0), run("other", 1, 3.0), run("other", 2, 4.0)];
        let results = results(&lines.each_ref().map(String::as_str));
        let task = Task { problem: "p".into(), q: 5 };
        let rows = results.common(&["elbowroom".into(), "other".into()], &task);
        assert_eq!(rows, Some(vec![vec![2.0, 3.0]]));
        assert_eq!(results.common(&["elbowroom".into(), "absent".into()], &task), None);
    }

    #[test]
    fn a_run_that_did_not_finish_does_not_count_and_a_later_one_replaces_an_earlier() {
        let over = run("cli", 0, 1.0).replace("done", "over");
        assert!(results(&[&over]).runs.is_empty());
        let again = results(&[&run("cli", 0, 1.0), &run("cli", 0, 5.0)]);
        let task = Task { problem: "p".into(), q: 5 };
        assert_eq!(again.common(&["elbowroom".into()], &task), Some(vec![vec![5.0]]));
    }

    #[test]
    fn numbers_have_three_digits() {
        let texts = [0.0, 0.0375, 1.0, 12.34, 123.4, 4700.0, 1.1e-9, 5.9e4].map(number);
        assert_eq!(texts, ["0", "0.0375", "1.00", "12.3", "123", "4700", "1.1e-9", "5.9e4"]);
    }
}
