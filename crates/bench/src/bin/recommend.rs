//! Every state of generated studies: the recommendation, and its true value.
//! `recommend [--seeds 5] [--first 0] [--kinds a,b] [--trials 60] [--out FILE.csv] [--summary FILE.csv …] [--case LOG]`.
//!
//! Four workers take points and report in random order, and after each report the recommended point, the best observed
//! point and their true values become a row of the file. A study that has its rows with this commit is not run again.
//! `--calibration tuning|reported|FILE.csv [--seeds 4] [--threads 1] [--logs FOLDER]` instead examines how honest the ±
//! of recommendations is, without noise and with noise from a tenth of a deviation to a whole one
//! (`src/calibration.rs`). With `--logs`, studies that were run before are read from that folder. `--summary` prints
//! the tables of existing files. `--case` goes through the prefixes of a log, one event per line, whose objective is
//! not known: it prints the states whose answer cannot be right.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::io::Write as _;

use elbowroom::rng::Stream;
use elbowroom::study::{Event, Study, StudyConfig, TrialState};
use elbowroom_bench::calibration::{self, Job};
use elbowroom_bench::generated::{KINDS, Objective};
use elbowroom_bench::options::Options;
use elbowroom_bench::rows::{Rows, commit};

const HEADER: &str = "commit,kind,seed,state,observed,design,noise,best_value,best_truth,expected,sd,truth,tried,\
                      is_best,fallback,nearest_failed,error";

/// The number of simultaneous workers.
const WORKERS: usize = 4;

fn main() {
    let usage = "usage: recommend [--seeds 5] [--first 0] [--trials 60] [--kinds a,b] [--out FILE] [--summary FILE] [--case FILE]";
    let mut options = Options::of_this_program(usage);
    let (mut seeds, mut first, mut n_trials) = (5, 0, 60);
    let mut kinds = KINDS.map(String::from).to_vec();
    let (mut out, mut summaries) = (None, Vec::new());
    let (mut honest, mut threads, mut logs) = (None, 1, None);
    while let Some(name) = options.next() {
        match name.as_str() {
            "--seeds" => seeds = options.number(&name),
            "--first" => first = options.number(&name),
            "--trials" => n_trials = options.number(&name),
            "--kinds" => kinds = options.names(&name),
            "--out" => out = Some(options.text(&name)),
            "--summary" => summaries.push(options.text(&name)),
            "--case" => return case(&options.text(&name)),
            "--calibration" => honest = Some(options.text(&name)),
            "--threads" => threads = options.number(&name),
            "--logs" => logs = Some(options.text(&name)),
            other => options.unknown(other),
        }
    }
    if let Some(which) = honest {
        let out = out.unwrap_or_else(|| "crates/bench/results/calibration.csv".to_owned());
        return calibrated(&which, seeds, &out, threads, logs.as_deref());
    }
    if summaries.is_empty() {
        let out = out.unwrap_or_else(|| "crates/bench/results/recommend.csv".to_owned());
        let commit = commit();
        let mut done = rows_of(&out);
        done.retain(|row| row.commit == commit);
        let done: HashSet<(String, u64)> = done.into_iter().map(|row| (row.kind, row.seed)).collect();
        for kind in &kinds {
            for seed in (first..first + seeds).filter(|seed| !done.contains(&(kind.clone(), *seed))) {
                append(&out, &run(kind, seed, n_trials, &commit));
            }
        }
        summaries.push(out);
    }
    for file in summaries {
        let rows = rows_of(&file);
        let mut commits: Vec<&str> = rows.iter().map(|row| row.commit.as_str()).collect();
        commits.dedup();
        for commit in commits {
            let of_commit: Vec<&Row> = rows.iter().filter(|row| row.commit == commit).collect();
            println!("{file}, {commit}\n\n{}", summary(&of_commit));
        }
    }
}

/// Runs the studies of this set that have no rows yet, and prints the tables of all that do.
fn calibrated(which: &str, seeds: u64, out: &str, threads: usize, logs: Option<&str>) {
    let (kinds, first): (&[&str], u64) = match which {
        "tuning" => (&calibration::TUNING, 0),
        "reported" => (&calibration::REPORTED, 20),
        _ => (&[], 0),
    };
    let with_noise = |kind: &&str| calibration::NOISES.map(|noise| (kind.to_string(), noise));
    let of_exact = |kind: &&str| (kind.to_string(), 0.0);
    let cases: Vec<(String, f64)> =
        kinds.iter().flat_map(with_noise).chain(calibration::EXACT.iter().map(of_exact)).collect();
    let jobs: Vec<Job> = (first..first + seeds)
        .flat_map(|seed| cases.iter().map(move |(kind, noise)| Job { kind: kind.clone(), noise: *noise, seed }))
        .collect();
    let columns = calibration::columns();
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let rows = Rows::open(out, &["kind", "noise", "seed"], &columns);
    let rows = rows.run(&jobs, threads, Job::key, |job| job.outcomes(logs));
    for noise in calibration::NOISES {
        println!("noise {noise}\n\n{}", calibration::table(&rows, |_, of| of == noise));
    }
    println!("with noise\n\n{}", calibration::table(&rows, |_, of| of > 0.0));
}

/// All states of one study as rows, without a header.
fn run(kind: &str, seed: u64, n_trials: usize, commit: &str) -> String {
    let objective = Objective::new(kind, seed);
    let mut study = Study::new(StudyConfig::new(objective.space.clone()).seed(seed)).expect("a valid study");
    let mut draw = Stream::new(seed).child("workers", 0);
    let (mut pending, mut n_started, mut rows) = (Vec::new(), 0, String::new());
    loop {
        while pending.len() < WORKERS && n_started < n_trials {
            pending.extend(study.ask(1).expect("a point").trials);
            n_started += 1;
        }
        if pending.is_empty() {
            return rows;
        }
        let trial = pending.swap_remove(draw.below(pending.len()));
        let noise = objective.noise * draw.normal();
        match objective.truth(&trial.point) {
            Some(value) => drop(study.tell(trial.id, value + noise).expect("a pending trial")),
            None => study.fail(trial.id, "diverged").expect("a pending trial"),
        }
        if let Some(state) = state(&study, &objective) {
            let _ = writeln!(rows, "{commit},{kind},{seed},{},{state}", study.events().len());
        }
    }
}

fn state(study: &Study, objective: &Objective) -> Option<String> {
    let best = study.best()?;
    let found = study.recommended()?;
    let truth = |point| objective.truth(point).unwrap_or(f64::INFINITY);
    let is_best = found.point == best.point;
    Some(format!(
        "{},{},{:e},{:e},{:e},{:e},{:e},{:e},{},{},{},{},{:e}",
        study.n_observed(),
        usize::from(study.trials().iter().filter(|t| !t.is_pending()).count() <= study.config().n_initial()),
        objective.noise,
        best.value()?,
        truth(&best.point),
        found.mean,
        found.sd,
        truth(&found.point),
        usize::from(found.trial.is_some()),
        usize::from(is_best),
        usize::from(fallback(&found)),
        usize::from(nearest_failed(study, &found.point)),
        leave_one_out_error(study),
    ))
}

fn fallback(found: &elbowroom::study::Recommendation) -> bool {
    found.fallback.is_some()
}

/// Whether the finished trial nearest to a point, in the unit cube, failed.
fn nearest_failed(study: &Study, point: &elbowroom::space::Point) -> bool {
    let Ok(unit) = study.space().encode(point) else { return true };
    let squared = |other: &[f64]| other.iter().zip(unit.iter()).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    let finished = study.trials().iter().filter(|t| !t.is_pending() && t.state != TrialState::Withdrawn);
    let nearest = finished.min_by(|a, b| squared(&a.unit).total_cmp(&squared(&b.unit)));
    nearest.is_some_and(|t| t.value().is_none())
}

/// The median error of the model's leave-one-out predictions, in the units of results; infinite without a model.
fn leave_one_out_error(study: &Study) -> f64 {
    let Ok(model) = study.model() else { return f64::INFINITY };
    let left_out = model.posterior.leave_one_out();
    let error = |(l, y): (&elbowroom::gp::LeftOut, &f64)| (model.scale.decode(l.mean) - model.scale.decode(*y)).abs();
    let mut errors: Vec<f64> = left_out.iter().zip(model.posterior.values()).map(error).collect();
    errors.sort_by(f64::total_cmp);
    errors.get(errors.len() / 2).copied().unwrap_or(f64::INFINITY)
}

/// One state.
struct Row {
    commit: String,
    kind: String,
    seed: u64,
    in_design: bool,
    noise: f64,
    best_value: f64,
    best_truth: f64,
    expected: f64,
    truth: f64,
    tried: bool,
    is_best: bool,
    fallback: bool,
    nearest_failed: bool,
    error: f64,
}

fn rows_of(file: &str) -> Vec<Row> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.lines().skip(1).filter_map(row).collect()
}

fn row(line: &str) -> Option<Row> {
    let cells: Vec<&str> = line.split(',').collect();
    if cells.len() != HEADER.split(',').count() {
        return None;
    }
    let number = |i: usize| cells[i].parse::<f64>().ok();
    Some(Row {
        commit: cells[0].to_owned(),
        kind: cells[1].to_owned(),
        seed: cells[2].parse().ok()?,
        in_design: cells[5] == "1",
        noise: number(6)?,
        best_value: number(7)?,
        best_truth: number(8)?,
        expected: number(9)?,
        truth: number(11)?,
        tried: cells[12] == "1",
        is_best: cells[13] == "1",
        fallback: cells[14] == "1",
        nearest_failed: cells[15] == "1",
        error: number(16)?,
    })
}

fn append(file: &str, rows: &str) {
    let is_new = !std::path::Path::new(file).exists();
    let mut to = std::fs::OpenOptions::new().create(true).append(true).open(file).expect("a file to write to");
    let header = if is_new { format!("{HEADER}\n") } else { String::new() };
    to.write_all((header + rows).as_bytes()).expect("room for results");
}

fn summary(rows: &[&Row]) -> String {
    let mut kinds: BTreeMap<usize, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        let place = KINDS.iter().position(|k| *k == row.kind).unwrap_or(KINDS.len());
        kinds.entry(place).or_default().push(row);
    }
    let mut text = String::from(
        "| kind | states | worse than the best observed by more than the noise | mean gain over it, in noise | \
         the best observed itself | untried | fall-back past the design | too good | nearest failed |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    let noisy: Vec<&Row> = rows.iter().copied().filter(|r| r.noise > 0.0).collect();
    let exact: Vec<&Row> = rows.iter().copied().filter(|r| r.noise == 0.0).collect();
    let named = kinds.iter().map(|(k, rows)| (KINDS.get(*k).copied().unwrap_or("other"), rows.clone()));
    for (name, rows) in named.chain([("without noise", exact), ("with noise", noisy), ("all", rows.to_vec())]) {
        let share = |f: &dyn Fn(&Row) -> bool| {
            100.0 * rows.iter().filter(|row| f(row)).count() as f64 / rows.len().max(1) as f64
        };
        let past: Vec<&&Row> = rows.iter().filter(|row| !row.in_design).collect();
        let fallbacks = 100.0 * past.iter().filter(|row| row.fallback).count() as f64 / past.len().max(1) as f64;
        let worse = |row: &Row| row.truth > row.best_truth + row.noise + 1e-12 * row.best_truth.abs();
        let gain = |row: &Row| (row.best_truth - row.truth) / row.noise;
        let noisy = rows.iter().filter(|row| row.noise > 0.0);
        let gains: Vec<f64> = noisy.map(|row| gain(row).clamp(-100.0, 100.0)).collect();
        let mean = gains.iter().sum::<f64>() / gains.len() as f64;
        let mean = if gains.is_empty() { String::new() } else { format!("{mean:.3}") };
        let too_good = |row: &Row| row.expected < row.best_value - row.error;
        let _ = writeln!(
            text,
            "| {name} | {} | {:.2} % | {mean} | {:.1} % | {:.1} % | {fallbacks:.1} % | {:.2} % | {:.2} % |",
            rows.len(),
            share(&worse),
            share(&|row| row.is_best),
            share(&|row| !row.tried),
            share(&too_good),
            share(&|row| row.nearest_failed),
        );
    }
    text
}

fn case(file: &str) {
    let text = std::fs::read_to_string(file).expect("a log, one event a line");
    let mut study: Option<Study> = None;
    let (mut n_states, mut n_wrong, mut n_fallbacks) = (0, 0, 0);
    for (k, line) in text.lines().enumerate() {
        let event: Event = serde_json::from_str(line).expect("an event");
        match &mut study {
            None => study = Some(Study::replay([event]).expect("a study")),
            Some(study) => study.apply(event).expect("an event that can follow"),
        }
        let Some((study, found)) = study.as_ref().and_then(|s| Some((s, s.recommended()?))) else { continue };
        let Some(best) = study.best().and_then(|t| t.value()) else { continue };
        let goal = study.config().goal;
        let error = leave_one_out_error(study);
        let too_good = goal.maximized(found.mean) > goal.maximized(best) + error;
        let failed = nearest_failed(study, &found.point);
        n_states += 1;
        n_fallbacks += usize::from(fallback(&found));
        if too_good || failed {
            n_wrong += 1;
            println!(
                "{}: best {best}, expected {} ± {}, error {error:.2e}{}",
                k + 1,
                found.mean,
                found.sd,
                if failed { ", the nearest trial failed" } else { "" }
            );
        }
    }
    println!("{n_wrong} of {n_states} states wrong, {n_fallbacks} answered by the best observed point");
}
