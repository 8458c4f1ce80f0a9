//! Is the default strategy ever worse than plain ones? `strategies [--seeds 15] [--threads 1] [--minutes M] [--only
//! step|async] [--rows crates/bench/results/strategies.csv]`; `strategies --summary` makes tables of the rows.
//!
//! This follows the protocol of `crates/bench/strategies.md`. Each run is a row of the file; runs that have a row are
//! not run again. Runs go seed by seed over all cells, so that a run that was stopped gives a smaller table. A part of
//! the table is selected by `--problems a,b`, `--at-once 5,10` and `--first SEED`; `--evaluations N` makes all runs
//! shorter, to try it out.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use elbowroom_bench::options::{Options, stop};
use elbowroom_bench::rows::Rows;
use elbowroom_bench::strategies::problems::{Problem, names};
use elbowroom_bench::strategies::race::race;
use elbowroom_bench::strategies::summary::{View, summary};
use elbowroom_bench::strategies::{Cell, Job, KEY, OUTCOMES, jobs};

/// What the command line asks for.
struct Wanted {
    problems: Vec<String>,
    cells: Vec<Cell>,
    seeds: std::ops::Range<u64>,
    threads: usize,
    minutes: Option<f64>,
    rows: String,
    summary: Option<View>,
}

impl Wanted {
    fn read(mut options: Options) -> Self {
        // Seed 0 is for trying out, and not part of the table.
        let (mut seeds, mut first, mut threads, mut minutes) = (15, 1, 1, None);
        let (mut problems, mut cells) = (names().into_iter().map(String::from).collect::<Vec<_>>(), Cell::all());
        let mut rows = "crates/bench/results/strategies.csv".to_owned();
        let (mut is_summary, mut view) = (false, View { floor: 1e-8, is_half: false });
        while let Some(name) = options.next() {
            match name.as_str() {
                "--seeds" => seeds = options.number(&name),
                "--first" => first = options.number(&name),
                "--threads" => threads = options.number(&name),
                "--minutes" => minutes = Some(options.number(&name)),
                "--rows" => rows = options.text(&name),
                "--problems" => problems = options.names(&name),
                "--only" => match options.text(&name).as_str() {
                    mode @ ("step" | "async") => cells.retain(|cell| cell.times.mode() == mode),
                    other => options.refuse(&format!("--only is {other:?}, neither step nor async")),
                },
                "--at-once" => {
                    let sizes = options.names(&name);
                    cells.retain(|cell| sizes.contains(&cell.at_once.to_string()));
                }
                "--evaluations" => {
                    let n = options.number(&name);
                    cells.iter_mut().for_each(|cell| cell.evaluations = n);
                }
                "--summary" => is_summary = true,
                "--half" => view.is_half = true,
                "--floor" => view.floor = options.number(&name),
                other => options.unknown(other),
            }
        }
        if let Some(name) = problems.iter().find(|name| !names().contains(&name.as_str())) {
            options.refuse(&format!("there is no problem {name}"));
        }
        let summary = is_summary.then_some(view);
        Self { problems, cells, seeds: first..first + seeds, threads, minutes, rows, summary }
    }
}

fn main() {
    let wanted = Wanted::read(Options::of_this_program(
        "usage: strategies [--seeds 15] [--first 1] [--threads 1] [--minutes M] [--only step|async] [--problems a,b] \
         [--at-once 5,10] [--evaluations N] [--rows FILE.csv]\n       \
         strategies --summary [--half] [--floor 1e-8] [--rows FILE.csv]",
    ));
    match wanted.summary {
        Some(view) => {
            let text = std::fs::read_to_string(&wanted.rows);
            let text = text.unwrap_or_else(|error| stop(&format!("{}: {error}", wanted.rows)));
            let tables = summary(&text, view).unwrap_or_else(|why| stop(&format!("{}: {why}", wanted.rows)));
            print!("{tables}");
        }
        None => run(&wanted),
    }
}

fn run(wanted: &Wanted) {
    let until = wanted.minutes.map(|minutes| Instant::now() + Duration::from_secs_f64(60.0 * minutes));
    let jobs: Vec<Job> = jobs(&wanted.problems, &wanted.cells, wanted.seeds.clone());
    let problems: HashMap<&str, Problem> = wanted
        .problems
        .iter()
        .map(|name| (name.as_str(), Problem::named(name).expect("a name that was looked up")))
        .collect();
    let rows = Rows::open(&wanted.rows, &KEY, &OUTCOMES).until(until);
    let known = rows.run(&jobs, wanted.threads, Job::key, |job| race(&problems[job.problem.as_str()], job));
    let there = jobs.iter().filter(|job| known.contains_key(&job.key())).count();
    println!("{there} of {} runs have rows in {}", jobs.len(), wanted.rows);
}
