//! Cosines: best value against evaluations, against rounds and against time, with batches of 5.
//!
//! The function is searched on [0, 1]², as in its program, and on [0, 5]², which the paper prints. The parallel clock
//! counts a batch as one unit of time: n_b evaluations cost as much as one. Sequential methods get as many evaluations
//! as the others, one per unit.

use std::path::Path;

use clap::Args;
use elbowroom::problems::Problem;

use crate::Result;
use crate::jobs::run_all;
use crate::markdown::{Markdown, number};
use crate::methods::{OTHERS, PAPER, Track, is_sequential, strategy};
use crate::options::Options;
use crate::race::{Objective, Plan, race};
use crate::raw::{Columns, RawFile, Table, join, split};
use crate::stats::{mean, quantile, sd};
use crate::style::look_of_method;
use elbowroom_view::plot::{Axis, Figure, Key, Layer, Panel};

/// Options of this experiment.
#[derive(Debug, Clone, Args)]
pub struct CosinesOptions {
    /// Options of every experiment
    #[command(flatten)]
    pub common: Options,
    /// The model
    #[arg(long, value_enum, default_value = "modern")]
    pub model: Track,
    /// Methods [default: the paper's twelve and LP]
    #[arg(long, value_delimiter = ',')]
    pub methods: Vec<String>,
}

/// Points of a batch.
const N_B: usize = 5;

/// The number of batches; sequential methods get as many evaluations.
const ROUNDS: usize = 20;

/// The smallest regret that a figure shows.
const FLOOR: f64 = 1e-6;

const COLUMNS: Columns = Columns {
    keys: &["domain", "model", "method", "replicate"],
    values: &["best", "regret", "recommended", "near", "evaluations_curve", "regret_curve", "cpu_curve"],
};

/// The problems, by the name of their box.
fn problem(domain: &str) -> Problem {
    if domain == "[0,1]" { Problem::cosines() } else { Problem::cosines_wide() }
}

/// Runs the experiment.
pub fn run(options: &CosinesOptions) -> Result<()> {
    let dir = options.common.prepare("cosines")?;
    if !options.common.report {
        let rounds = if options.common.quick { 3 } else { ROUNDS };
        let methods: Vec<String> = match options.methods.is_empty() {
            true => PAPER.into_iter().chain(["LP"]).map(String::from).collect(),
            false => options.methods.clone(),
        };
        let replicates = options.common.replicates(20, 2);
        let mut jobs: Vec<(&str, &String, u64)> = Vec::new();
        for replicate in 0..replicates {
            for domain in ["[0,1]", "[0,5]"] {
                jobs.extend(methods.iter().map(|method| (domain, method, replicate)));
            }
        }
        let key = |job: &(&str, &String, u64)| {
            vec![job.0.to_string(), options.model.to_string(), job.1.clone(), job.2.to_string()]
        };
        run_all(RawFile::open(&dir, COLUMNS)?, &jobs, options.common.threads, key, |&(domain, method, replicate)| {
            measure(domain, method, options.model, replicate, rounds)
        })?;
    }
    report(&dir)
}

fn measure(domain: &str, method: &str, model: Track, replicate: u64, rounds: usize) -> Result<Vec<String>> {
    let problem = problem(domain);
    let objective = Objective::of(&problem);
    let n_batch = if is_sequential(method) { 1 } else { N_B };
    let plan = Plan { evaluations: rounds * N_B, ..Plan::new(n_batch, 3 * problem.dim()) };
    let outcome = race(&objective, strategy(method, model)?, model.model(), replicate, &plan)?;
    let curve = |field: fn(&crate::race::Round) -> f64| outcome.rounds.iter().map(field).collect::<Vec<f64>>();
    let best = outcome.last().best;
    Ok(vec![
        best.to_string(),
        (best - problem.minimum).to_string(),
        (outcome.recommended - problem.minimum).to_string(),
        format!("{:.4}", outcome.near),
        join(&curve(|round| round.evaluations as f64)),
        join(&curve(|round| round.best).iter().map(|best| best - problem.minimum).collect::<Vec<f64>>()),
        join(&curve(|round| round.cpu)),
    ])
}

/// The median curves of a method: evaluations, CPU seconds and regret after every batch.
struct Curves {
    method: String,
    evaluations: Vec<f64>,
    cpu: Vec<f64>,
    regret: Vec<f64>,
}

fn report(dir: &Path) -> Result<()> {
    let table = Table::read(dir)?;
    let [domain, model, method] = [table.column("domain")?, table.column("model")?, table.column("method")?];
    let mut models: Vec<String> = table.rows.iter().map(|row| row[model].clone()).collect();
    models.sort();
    models.dedup();
    for name in models {
        let mut text = format!("# Cosines, {name} model\n\nMade by `paper cosines` from `raw.csv`; {CLOCK}\n");
        let mut panels = Vec::new();
        let mut methods: Vec<String> = Vec::new();
        for place in ["[0,1]", "[0,5]"] {
            let is_here = |row: &&Vec<String>| row[model] == name && row[domain] == place;
            let rows: Vec<&Vec<String>> = table.rows.iter().filter(is_here).collect();
            methods = PAPER.into_iter().chain(OTHERS).map(String::from).collect();
            methods.retain(|m| rows.iter().any(|row| row[method] == *m));
            text += &format!("\n## On {place}²\n\n{}", summary(&table, &rows, &methods)?);
            let curves = methods.iter().map(|m| curves(&table, &rows, m)).collect::<Result<Vec<_>>>()?;
            panels.extend(draw(place, &curves));
        }
        let figure = Figure {
            title: format!("Cosines, batches of {N_B}, {name} model"),
            subtitle: format!("Median regret of the best value; {CLOCK}"),
            legend: methods.iter().map(|m| Key::of_look(m, look_of_method(m))).collect(),
            panels,
            columns: 3,
            panel_size: (300.0, 240.0),
        };
        figure.write(dir, &format!("cosines-{name}"))?;
        let path = dir.join(format!("cosines-{name}.md"));
        std::fs::write(&path, text)?;
        println!("written: {}, and the figure beside it", path.display());
    }
    Ok(())
}

const CLOCK: &str = "a mark is a batch. The parallel clock counts one unit for a batch of 5, as for a single evaluation; \
                     CPU time is that of choosing points. Sequential methods take one point at a time.";

fn curves(table: &Table, rows: &[&Vec<String>], method: &str) -> Result<Curves> {
    let (name, regret) = (table.column("method")?, table.column("regret_curve")?);
    let (evaluations, cpu) = (table.column("evaluations_curve")?, table.column("cpu_curve")?);
    let own: Vec<&&Vec<String>> = rows.iter().filter(|row| row[name] == method).collect();
    let medians = |column: usize| {
        let all: Vec<Vec<f64>> = own.iter().map(|row| split(&row[column])).collect();
        let n = all.iter().map(Vec::len).min().unwrap_or(0);
        (0..n).map(|i| quantile(&all.iter().map(|c| c[i]).collect::<Vec<_>>(), 0.5)).collect::<Vec<f64>>()
    };
    Ok(Curves { method: method.into(), evaluations: medians(evaluations), cpu: medians(cpu), regret: medians(regret) })
}

fn draw(place: &str, curves: &[Curves]) -> Vec<Panel> {
    type AlongX = fn(&Curves) -> Vec<f64>;
    let axes: [(&str, Axis, AlongX); 3] = [
        ("evaluations", Axis::linear("evaluations"), |c| c.evaluations.clone()),
        ("parallel clock", Axis::linear("units of the parallel clock"), |c| {
            (0..c.evaluations.len()).map(|i| i as f64).collect()
        }),
        // The first one is after the initial points, which took no time: a logarithmic axis leaves it out.
        ("CPU time", Axis::log("CPU seconds"), |c| {
            c.cpu.iter().map(|t| if *t > 0.0 { *t } else { f64::NAN }).collect()
        }),
    ];
    let panel = |(what, x, along): (&str, Axis, AlongX)| {
        let x = if what == "parallel clock" { x.range(0.0, 2.0 * longest_batch_run(curves)) } else { x };
        let mut panel = Panel::new(format!("{place}², {what}"), x, Axis::log("regret"));
        for curve in curves {
            let look = look_of_method(&curve.method);
            let points: Vec<(f64, f64)> = along(curve)
                .into_iter()
                .zip(curve.regret.iter().map(|r| r.max(FLOOR)))
                .filter(|p| p.0.is_finite())
                .collect();
            let every = if is_sequential(&curve.method) { N_B } else { 1 };
            let marks = points.iter().copied().step_by(every).collect();
            panel.layers.push(Layer::Line { points, stroke: look.stroke });
            panel.layers.push(Layer::Marks {
                points: marks,
                marker: look.marker,
                colour: look.stroke.colour,
                size: 3.0,
            });
        }
        panel
    };
    axes.into_iter().map(panel).collect()
}

/// The largest number of batches of a batch method: the parallel clock is shown for twice as long.
fn longest_batch_run(curves: &[Curves]) -> f64 {
    let batch = curves.iter().filter(|c| !is_sequential(&c.method));
    batch.map(|c| c.evaluations.len().saturating_sub(1)).max().unwrap_or(ROUNDS) as f64
}

fn summary(table: &Table, rows: &[&Vec<String>], methods: &[String]) -> Result<String> {
    let mut out = Markdown::new([
        "method",
        "replicates",
        "best f, mean ± sd",
        "regret, median [quartiles]",
        "regret after 10 evaluations",
        "after 25",
        "after 50",
        "regret at arg max μ",
        "near-duplicates",
        "CPU s",
    ]);
    let name = table.column("method")?;
    let (best, regret, recommended) = (table.column("best")?, table.column("regret")?, table.column("recommended")?);
    let (near, counts) = (table.column("near")?, table.column("evaluations_curve")?);
    let (curve, cpu) = (table.column("regret_curve")?, table.column("cpu_curve")?);
    for method in methods {
        let own: Vec<&&Vec<String>> = rows.iter().filter(|row| row[name] == *method).collect();
        let numbers = |i: usize| own.iter().map(|row| row[i].parse().unwrap_or(f64::NAN)).collect::<Vec<f64>>();
        let after = |n: f64| {
            let at = |row: &&&Vec<String>| {
                let (counts, curve) = (split(&row[counts]), split(&row[curve]));
                let initial = counts.first().copied().unwrap_or(0.0);
                let last = counts.iter().rposition(|c| *c <= initial + n).unwrap_or(0);
                curve.get(last).copied().unwrap_or(f64::NAN)
            };
            number(quantile(&own.iter().map(at).collect::<Vec<_>>(), 0.5))
        };
        // The problem is minimized here, and maximized in the paper.
        let values: Vec<f64> = numbers(best).iter().map(|v| -v).collect();
        let quartiles = [0.25, 0.5, 0.75].map(|p| number(quantile(&numbers(regret), p)));
        let cpu: Vec<f64> = own.iter().map(|row| split(&row[cpu]).last().copied().unwrap_or(0.0)).collect();
        out.row([
            method.clone(),
            own.len().to_string(),
            format!("{:.4} ± {:.4}", mean(&values), sd(&values)),
            format!("{} [{}, {}]", quartiles[1], quartiles[0], quartiles[2]),
            after(10.0),
            after(25.0),
            after(50.0),
            number(quantile(&numbers(recommended), 0.5)),
            format!("{:.1} %", 100.0 * mean(&numbers(near))),
            number(mean(&cpu)),
        ]);
    }
    Ok(format!("The maximum is 1.6. Evaluations are counted after the 6 initial points.\n\n{}", out.text()))
}
