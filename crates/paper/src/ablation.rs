//! Starting from the library's default, one thing is changed at a time: what each part of the strategy is worth.
//!
//! Shifted test problems, seeds on which nothing was tuned, batches of 5, 10 and 20, in step (synchronous) and on a
//! simulated clock (asynchronous: a new point whenever a worker is free, with run times spread 1 : 10). All runs have
//! 100 evaluations, of which 3d are initial.

use std::collections::BTreeMap;
use std::path::Path;

use clap::Args;
use elbowroom::batch::{AcquisitionKind, LipschitzRule, LocalPenalization, MaximumRule};
use elbowroom::penalty::PenalizerKind;
use elbowroom::problems::Problem;
use elbowroom::rng::Stream;
use elbowroom::study::StrategyConfig;

use crate::Result;
use crate::asynchronous::race_asynchronously;
use crate::jobs::run_all;
use crate::markdown::{Markdown, signed};
use crate::methods::Track;
use crate::options::Options;
use crate::race::{Objective, Plan, race};
use crate::raw::{Columns, RawFile, Table};
use crate::stats::{Interval, interval, mean, ranks};
use elbowroom_view::plot::{Axis, BLUE, Figure, GREY, Key, Layer, Marker, Panel, Stroke, VERMILLION};

/// Options of this experiment.
#[derive(Debug, Clone, Args)]
pub struct AblationOptions {
    /// Options of every experiment
    #[command(flatten)]
    pub common: Options,
    /// Problems
    #[arg(long, value_delimiter = ',', default_value = PROBLEMS)]
    pub problems: Vec<String>,
    /// Variants, as `factor:level` [default: all, qEI only in step]
    #[arg(long, value_delimiter = ',')]
    pub variants: Vec<String>,
    /// Batch sizes, or numbers of workers
    #[arg(long, value_delimiter = ',', default_value = "5,10,20")]
    pub batches: Vec<usize>,
    /// In step, asynchronously, or both
    #[arg(long, value_delimiter = ',', default_value = "sync,async")]
    pub modes: Vec<String>,
}

const PROBLEMS: &str = "branin,cosines,hartmann3,rosenbrock4,gsobol5,ackley5,michalewicz5,hartmann6,griewank6,levy10";

/// Evaluations of a run, including the initial ones.
const EVALUATIONS: usize = 100;

/// Replicates are numbered from here, far from the seeds on which settings were tried out.
const FIRST_SEED: u64 = 70_000;

/// Regret counts as at least this: smaller values do not matter in practice, but would dominate the logarithms.
const FLOOR: f64 = 1e-9;

/// The name of the variant with which the others are compared.
const BASE: &str = "base";

/// The columns of `raw.csv`; time is counted in batches in step, and on the simulated clock otherwise.
const COLUMNS: Columns = Columns {
    keys: &["mode", "problem", "q", "variant", "replicate"],
    values: &["regret", "evaluations", "time", "cpu"],
};

/// The base, then every variant by `factor:level`.
fn variants() -> Vec<(String, StrategyConfig)> {
    let base = LocalPenalization::penalized_only();
    let lp = StrategyConfig::LocalPenalization;
    let mut all = vec![(BASE.to_string(), lp(base.clone()))];
    let mut add = |name: &str, strategy: StrategyConfig| all.push((name.into(), strategy));
    let penalizer = |penalizer| lp(LocalPenalization { penalizer, ..base.clone() });
    add("penalizer:soft", penalizer(Some(PenalizerKind::Soft)));
    add("penalizer:hard", penalizer(Some(PenalizerKind::Hard)));
    add("penalizer:none", penalizer(None));
    add("shrink:off", lp(LocalPenalization { shrink: false, ..base.clone() }));
    add("L:local", lp(LocalPenalization { lipschitz: LipschitzRule::Local, ..base.clone() }));
    add("L:point", lp(LocalPenalization { lipschitz: LipschitzRule::Point, ..base.clone() }));
    add("M:max-y", lp(LocalPenalization { maximum: MaximumRule::MaxObserved, ..base.clone() }));
    let acquisition = |acquisition| lp(LocalPenalization { acquisition, ..base.clone() });
    add("acquisition:ucb", acquisition(AcquisitionKind::Ucb { kappa: 2.0 }));
    add("acquisition:paper-ucb", acquisition(AcquisitionKind::PaperUcb { kappa: 2.0 }));
    add("acquisition:pi", acquisition(AcquisitionKind::Pi));
    add("strategy:paper-lp-ei", lp(LocalPenalization::paper_ei()));
    add("strategy:paper-lp-ucb", lp(LocalPenalization::paper_ucb()));
    for strategy in StrategyConfig::all() {
        if strategy.name() != StrategyConfig::default().name() {
            add(&format!("strategy:{}", strategy.name()), strategy);
        }
    }
    all
}

/// One run.
struct Job {
    mode: String,
    problem: String,
    q: usize,
    variant: String,
    replicate: u64,
}

/// Runs the experiment.
pub fn run(options: &AblationOptions) -> Result<()> {
    let dir = options.common.prepare("ablation")?;
    let options = &if options.common.quick { quick(options) } else { options.clone() };
    if !options.common.report {
        let variants: BTreeMap<String, StrategyConfig> = variants().into_iter().collect();
        let evaluations = if options.common.quick { 20 } else { EVALUATIONS };
        let key = |job: &Job| {
            let [q, replicate] = [job.q.to_string(), job.replicate.to_string()];
            vec![job.mode.clone(), job.problem.clone(), q, job.variant.clone(), replicate]
        };
        run_all(RawFile::open(&dir, COLUMNS)?, &jobs(options)?, options.common.threads, key, |job| {
            let strategy = variants.get(&job.variant).ok_or_else(|| format!("no variant is called {}", job.variant))?;
            measure(job, strategy.clone(), evaluations)
        })?;
    }
    report(&dir)
}

/// A small part of it that takes seconds.
fn quick(options: &AblationOptions) -> AblationOptions {
    let mut quick = options.clone();
    quick.problems = vec!["branin".into(), "hartmann3".into()];
    quick.batches = vec![5];
    quick
}

/// Replicate by replicate, so that the existing rows are balanced at any time.
fn jobs(options: &AblationOptions) -> Result<Vec<Job>> {
    if let Some(mode) = options.modes.iter().find(|mode| !["sync", "async"].contains(&mode.as_str())) {
        return Err(format!("there is no mode {mode}\n  try: sync, async").into());
    }
    let is_wanted = |name: &str, mode: &str| match options.variants.is_empty() {
        // A joint search for every single point of an asynchronous run would take longer than everything else together.
        true => name != "strategy:multipoint" || mode == "sync",
        false => name == BASE || options.variants.iter().any(|v| v == name),
    };
    let mut jobs = Vec::new();
    for replicate in 0..options.common.replicates(5, 1) {
        for mode in &options.modes {
            for &q in &options.batches {
                for problem in &options.problems {
                    let names = variants().into_iter().map(|(name, _)| name).filter(|name| is_wanted(name, mode));
                    jobs.extend(names.map(|variant| Job {
                        mode: mode.clone(),
                        problem: problem.clone(),
                        q,
                        variant,
                        replicate,
                    }));
                }
            }
        }
    }
    Ok(jobs)
}

fn measure(job: &Job, strategy: StrategyConfig, evaluations: usize) -> Result<Vec<String>> {
    let seed = FIRST_SEED + job.replicate;
    let problem = Problem::by_name(&job.problem)?.shifted(&mut Stream::new(seed).child("shift", 0));
    let objective = Objective::of(&problem);
    let n_initial = 3 * problem.dim();
    let left = evaluations.saturating_sub(n_initial).max(job.q);
    let (best, count, time, cpu) = if job.mode == "sync" {
        let plan = Plan { evaluations: left, ..Plan::new(job.q, n_initial) };
        let outcome = race(&objective, strategy, Track::Modern.model(), seed, &plan)?;
        let last = outcome.last();
        (last.best, last.evaluations, (outcome.rounds.len() - 1) as f64, last.cpu)
    } else {
        let model = Track::Modern.model();
        let end = race_asynchronously(&objective, strategy, model, seed, n_initial, job.q, left)?;
        (end.best, end.evaluations, end.time, end.cpu)
    };
    Ok(vec![(best - problem.minimum).to_string(), count.to_string(), format!("{time:.2}"), format!("{cpu:.3}")])
}

/// A setting in which variants are compared: mode, q, problem, replicate.
type Block = (String, usize, String, u64);

/// log₁₀ regret and time by block and variant.
type Results = BTreeMap<Block, BTreeMap<String, (f64, f64)>>;

/// The rows by block and variant.
fn read(table: &Table) -> Result<Results> {
    let [mode, problem, q] = [table.column("mode")?, table.column("problem")?, table.column("q")?];
    let [variant, replicate, regret] = [table.column("variant")?, table.column("replicate")?, table.column("regret")?];
    // Early files have no times.
    let time = table.column("time").ok();
    let mut results = Results::new();
    for row in &table.rows {
        let block = (row[mode].clone(), row[q].parse()?, row[problem].clone(), row[replicate].parse()?);
        let log = row[regret].parse::<f64>()?.max(FLOOR).log10();
        results
            .entry(block)
            .or_default()
            .insert(row[variant].clone(), (log, time.map_or(Ok(f64::NAN), |i| row[i].parse())?));
    }
    Ok(results)
}

fn report(dir: &Path) -> Result<()> {
    let results = read(&Table::read(dir)?)?;
    let mut panels = Vec::new();
    let mut text = String::from(
        "# Ablation\n\nMade by `paper ablation` from `raw.csv`. The base is the library's default: expected improvement, \
         truncated penalizer, variance factor, global L, largest mean as M. Differences of log₁₀ regret to the base, with \
         95 % intervals by Student's t over problems, each with the mean of its runs, since runs of a problem are alike; regrets below 10⁻⁹ count as 10⁻⁹; \
         below 0 is better than the base. Ranks are among all variants of a run, 1 is best. All runs have the same number of evaluations, not the \
         same time: a strategy that asks for fewer points at once takes longer, and the last column says by how much, where \
         the rows have times (batches in step, the simulated clock otherwise; the base takes 1).\n",
    );
    for (name, long) in [("sync", "In step"), ("async", "Asynchronous")] {
        let own: Results =
            results.iter().filter(|(block, _)| block.0 == name).map(|(b, v)| (b.clone(), v.clone())).collect();
        if own.is_empty() {
            continue;
        }
        let (page, best) = page(&own);
        text += &format!("\n## {long}\n\n{best}\n\n{page}");
        println!("{long}: {best}");
        panels.push(panel(long, &own));
    }
    let figure = Figure {
        title: "One thing changed at a time".into(),
        subtitle: "Difference of log10 regret to the library's default after 100 evaluations of ten shifted problems, with 5, 10 \
                   and 20 points at once: mean, and a bar for its 95 % interval. Left of the line is better than the default."
            .into(),
        legend: vec![
            Key::new("surely different").line(Stroke::solid(VERMILLION)).mark(Marker::Diamond, VERMILLION, 4.5),
            Key::new("not surely different").line(Stroke::solid(BLUE)).mark(Marker::Circle, BLUE, 4.5),
        ],
        columns: panels.len().max(1),
        panel_size: (330.0, 18.0 * panels.iter().map(|p| p.y.names.len()).max().unwrap_or(0) as f64),
        panels,
    };
    figure.write(dir, "ablation")?;
    let path = dir.join("ablation.md");
    std::fs::write(&path, text)?;
    println!("written: {}", path.display());
    Ok(())
}

/// The variants that have results.
fn names(results: &Results) -> Vec<String> {
    let names = variants().into_iter().map(|(name, _)| name);
    names.filter(|name| results.values().any(|v| v.contains_key(name))).collect()
}

/// How much worse a variant is than the base in log₁₀ regret, in step (`sync`) or not (`async`), according to the rows
/// of a file.
pub fn difference(table: &Table, mode: &str, variant: &str) -> Result<Interval> {
    let results: Results = read(table)?.into_iter().filter(|(block, _)| block.0 == mode).collect();
    let found = differences(&results, variant, &|_| true);
    if found.is_empty() { Err(format!("there are no rows of {variant} {mode}").into()) } else { Ok(interval(&found)) }
}

/// How much worse a variant is than the base in some blocks, in log₁₀ regret: a mean for each problem. Runs on the same
/// problem are alike, so intervals are over problems.
fn differences(results: &Results, name: &str, is_wanted: &dyn Fn(&Block) -> bool) -> Vec<f64> {
    let mut by_problem: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (block, values) in results.iter().filter(|(block, _)| is_wanted(block)) {
        if let Some((own, base)) = values.get(name).zip(values.get(BASE)) {
            by_problem.entry(&block.2).or_default().push(own.0 - base.0);
        }
    }
    by_problem.values().map(|d| mean(d)).collect()
}

/// The number of runs of a variant that can be compared with the base.
fn n_runs(results: &Results, name: &str) -> usize {
    results.values().filter(|v| v.contains_key(name) && v.contains_key(BASE)).count()
}

/// The figure of a mode: all variants except uniform points, next to which the others would look alike.
fn panel(title: &str, results: &Results) -> Panel {
    let names: Vec<String> =
        names(results).into_iter().filter(|name| name != BASE && name != "strategy:random").collect();
    let mut panel = Panel::new(title, Axis::linear("difference of log10 regret"), Axis::named(names.clone()));
    panel.layers.push(Layer::Upright { at: 0.0, stroke: Stroke::solid(GREY) });
    for (i, name) in names.iter().enumerate() {
        let (found, at) = (interval(&differences(results, name, &|_| true)), i as f64);
        let is_sure = found.low > 0.0 || found.high < 0.0;
        let (colour, marker) = if is_sure { (VERMILLION, Marker::Diamond) } else { (BLUE, Marker::Circle) };
        if found.low.is_finite() {
            panel.layers.push(Layer::Interval { low: found.low, high: found.high, at, stroke: Stroke::solid(colour) });
        }
        panel.layers.push(Layer::Marks { points: vec![(found.mean, at)], marker, colour, size: 4.5 });
    }
    panel
}

/// The table of a mode, and the line that names the best.
fn page(results: &Results) -> (String, String) {
    let mut sizes: Vec<usize> = results.keys().map(|block| block.1).collect();
    sizes.sort();
    sizes.dedup();
    let names = names(results);
    let differences = |name: &str, is_wanted: &dyn Fn(&Block) -> bool| differences(results, name, is_wanted);
    let complete: Vec<Vec<f64>> = results
        .values()
        .filter(|v| names.iter().all(|name| v.contains_key(name)))
        .map(|v| ranks(&names.iter().map(|name| v[name].0).collect::<Vec<_>>()))
        .collect();
    let mut problems: Vec<&String> = results.keys().map(|block| &block.2).collect();
    problems.sort();
    problems.dedup();
    let mut head = vec!["variant".to_string(), "all q".into()];
    head.extend(sizes.iter().map(|q| format!("q = {q}")));
    head.extend(["mean rank".into(), "problems better".into(), "runs".into(), "time".into()]);
    let mut table = Markdown::new(head);
    for (i, name) in names.iter().enumerate() {
        let show = |d: Vec<f64>| {
            let found = interval(&d);
            format!("{} [{}, {}]", signed(found.mean), signed(found.low), signed(found.high))
        };
        let all = differences(name, &|_| true);
        let mut row = vec![name.clone(), if name == BASE { "0".into() } else { show(all.clone()) }];
        let by_size = sizes.iter().map(|q| differences(name, &|block| block.1 == *q));
        row.extend(by_size.map(|d| if name == BASE { "0".into() } else { show(d) }));
        row.push(format!("{:.1}", mean(&complete.iter().map(|r| r[i]).collect::<Vec<_>>())));
        let better = problems.iter().filter(|p| mean(&differences(name, &|block| block.2 == ***p)) < 0.0).count();
        row.push(if name == BASE { String::new() } else { format!("{better} of {}", problems.len()) });
        row.push(n_runs(results, name).to_string());
        row.push(slowness(results, name).map_or(String::new(), |times| format!("× {times:.2}")));
        table.row(row);
    }
    let as_fast = names.iter().filter(|name| slowness(results, name).is_none_or(|times| times < 1.01));
    let among = slowness(results, BASE).map_or("", |_| " of all that take no longer");
    let scored = as_fast.map(|name| (name, interval(&differences(name, &|_| true))));
    let best = scored.min_by(|a, b| a.1.mean.total_cmp(&b.1.mean));
    let best = best.map_or("There are no results.".to_string(), |(name, found)| {
        let surely = if name == BASE || found.high < 0.0 { "" } else { ", which is not surely better than the base" };
        format!(
            "The least mean log₁₀ regret{among} has {name}: {} [{}, {}] to the base{surely}.",
            signed(found.mean),
            signed(found.low),
            signed(found.high)
        )
    });
    (table.text(), best)
}

/// How much longer a variant takes than the base, on average; `None` if the rows have no times.
fn slowness(results: &Results, name: &str) -> Option<f64> {
    let times: Vec<f64> = results.values().filter_map(|v| Some(v.get(name)?.1 / v.get(BASE)?.1)).collect();
    Some(mean(&times)).filter(|times| times.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_over_problems_and_not_over_their_runs() {
        let columns = ["mode", "problem", "q", "variant", "replicate", "regret"].map(String::from).to_vec();
        let mut rows = Vec::new();
        for (problem, factor) in [("branin", 10.0), ("levy10", 1000.0)] {
            for replicate in 0..5 {
                for (variant, regret) in [(BASE, 1e-3), ("shrink:off", 1e-3 * factor)] {
                    rows.push(format!("sync,{problem},5,{variant},{replicate},{regret}"));
                }
            }
        }
        let rows = rows.iter().map(|row| row.split(',').map(String::from).collect()).collect();
        let found = difference(&Table { columns, rows }, "sync", "shrink:off").unwrap();
        // Two problems with differences of 1 and 3: a mean of 2, and a half-width of t(0.975, 1) = 12.706 errors of 1.
        assert!((found.mean - 2.0).abs() < 1e-9 && (found.high - 2.0 - 12.706205).abs() < 1e-5, "{found:?}");
    }

    #[test]
    fn without_times_none_is_shown_and_nothing_is_said_of_them() {
        let of = |time: f64| -> Results {
            let block = |problem: &str| ("sync".to_string(), 5, problem.to_string(), 0);
            let runs = || [(BASE.to_string(), (-3.0, time)), ("shrink:off".into(), (-2.0, 2.0 * time))].into();
            ["branin", "levy10"].map(|problem| (block(problem), runs())).into()
        };
        let (table, best) = page(&of(f64::NAN));
        assert!(!table.contains("NaN") && !table.contains('×') && best.starts_with("The least mean log₁₀ regret has"));
        let (table, best) = page(&of(3.0));
        assert!(table.contains("× 2.00") && best.contains("of all that take no longer has base:"), "{best}\n{table}");
    }

    #[test]
    fn every_variant_differs_from_the_base_and_from_the_others() {
        let all = variants();
        for (i, a) in all.iter().enumerate() {
            for b in &all[..i] {
                assert!(a.0 != b.0 && a.1 != b.1, "{} and {}", a.0, b.0);
            }
        }
        assert!(PROBLEMS.split(',').all(|name| Problem::by_name(name).is_ok()));
    }
}
