//! GP-LCA's convergence: the Lipschitz constant that a model finds from an increasing number of points of Cosines on
//! [0, 1]².
//!
//! The true constant is 10.187. The paper draws its curves against 8.8086, which is another local maximum of the
//! gradient's norm. Points are uniform, results have normal noise, and every model is fitted from scratch to the first
//! n points.

use std::path::Path;

use elbowroom::data::Dataset;
use elbowroom::gp::{FitParams, KernelKind, NoiseRule, Shape, fit};
use elbowroom::linalg::Points;
use elbowroom::optim::Bounds;
use elbowroom::penalty::{Norm, lipschitz};
use elbowroom::problems::{COSINES_LIPSCHITZ, Problem};
use elbowroom::rng::Stream;

use crate::Result;
use crate::jobs::run_all;
use crate::markdown::Markdown;
use crate::options::Options;
use crate::raw::{Columns, RawFile, Table, join, split};
use crate::stats::{mean, quantile, sd};
use elbowroom_view::plot::{Axis, BLUE, Dash, Figure, GREEN, GREY, INK, Key, Layer, Marker, Panel, Stroke, VERMILLION};

const COLUMNS: Columns = Columns { keys: &["model", "noise", "replicate"], values: &["points", "estimates"] };
const NOISES: [f64; 3] = [0.0, 0.1, 0.25];
const PRINTED: f64 = 8.808_636;

const TRUE: Stroke = Stroke { colour: INK, width: 1.4, dash: Dash::Dashed };
const AS_PRINTED: Stroke = Stroke { colour: GREY, width: 1.6, dash: Dash::Dotted };

/// The models for estimating the constant: as in the table's two tracks.
const MODELS: [&str; 2] = ["faithful", "modern"];

/// Runs the experiment.
pub fn run(options: &Options) -> Result<()> {
    let dir = options.prepare("lipschitz")?;
    if !options.report {
        let replicates = options.replicates(30, 3);
        let sizes = if options.quick { vec![10, 30, 50] } else { (1..=10).map(|k| 5 * k).collect() };
        let mut jobs = Vec::new();
        for model in MODELS {
            for noise in NOISES {
                jobs.extend((0..replicates).map(|replicate| (model, noise, replicate)));
            }
        }
        let key = |&(model, noise, replicate): &(&str, f64, u64)| {
            vec![model.to_owned(), noise.to_string(), replicate.to_string()]
        };
        run_all(RawFile::open(&dir, COLUMNS)?, &jobs, options.threads, key, |&(model, noise, replicate)| {
            let found = sizes.iter().map(|&n| estimate(model, noise, replicate, n)).collect::<Result<Vec<_>>>()?;
            let sizes: Vec<f64> = sizes.iter().map(|&n| n as f64).collect();
            Ok(vec![join(&sizes), join(&found)])
        })?;
    }
    report(&dir, &Table::read(&dir)?)
}

/// The constant that a model of the first `n` points finds.
fn estimate(model: &str, noise: f64, replicate: u64, n: usize) -> Result<f64> {
    let problem = Problem::cosines();
    let stream = Stream::new(replicate);
    let (mut places, mut errors) = (stream.child("points", 0), stream.child("noise", 0));
    let x = Points::from_rows(2, (0..2 * n).map(|_| places.uniform()).collect())?;
    let y = x.iter().map(|x| problem.value(x) + noise * errors.normal()).collect();
    let data = Dataset::new(x, y)?;
    let shape = Shape { noise: NoiseRule::Fitted { floor: 1e-6 }, ..Shape::new(KernelKind::Rbf, 2) };
    let params = match model {
        "faithful" => FitParams::maximum_likelihood_of(Shape { ard: false, ..shape }, vec![1.0; 2], 10),
        _ => FitParams::map(Shape { kernel: KernelKind::Matern52.into(), ..shape }),
    };
    let posterior = fit(&data, &params, &stream.child("fit", n as u64))?.posterior;
    Ok(lipschitz(&posterior, &Bounds::unit(2), Norm::Two, &stream.child("search", n as u64)).value)
}

/// The mean, half its 95 % interval, and the median of the estimates of a model at a noise level, for every number of
/// points.
struct Summary {
    points: f64,
    mean: f64,
    half: f64,
    median: f64,
}

fn summarize(table: &Table, model: &str, noise: f64) -> Vec<Summary> {
    let rows: Vec<_> = table.rows.iter().filter(|r| r[0] == model && r[1].parse() == Ok(noise)).collect();
    let sizes = rows.first().map_or(Vec::new(), |row| split(&row[3]));
    let summary = |(i, &points): (usize, &f64)| {
        let found: Vec<f64> = rows.iter().filter_map(|row| split(&row[4]).get(i).copied()).collect();
        let half = 1.96 * sd(&found) / (found.len() as f64).sqrt();
        Summary { points, mean: mean(&found), half, median: quantile(&found, 0.5) }
    };
    sizes.iter().enumerate().map(summary).collect()
}

fn report(dir: &Path, table: &Table) -> Result<()> {
    let looks = [(GREEN, Marker::Circle), (BLUE, Marker::Square), (VERMILLION, Marker::Triangle)];
    let replicates = table.rows.iter().filter(|r| r[0] == MODELS[0] && r[1] == "0").count();
    let mut panels = Vec::new();
    let head = ["model", "σ", "points", "mean of L̂", "its 95 % interval", "median", "mean / 10.187"];
    let mut text = Markdown::new(head);
    for (model, title) in
        MODELS.into_iter().zip(["(a) as in the paper: EQ, maximum likelihood", "(b) the library: Matérn 5/2, priors"])
    {
        let mut panel = Panel::new(
            title,
            Axis::linear("observations").range(2.0, 53.0),
            Axis::log("estimate of L").range(3.0, 60.0),
        );
        for (at, stroke) in [(COSINES_LIPSCHITZ, TRUE), (PRINTED, AS_PRINTED)] {
            panel.layers.push(Layer::Level { at, stroke });
        }
        for (k, noise) in NOISES.into_iter().enumerate() {
            let summary = summarize(table, model, noise);
            let (colour, marker) = looks[k];
            // Side by side, so that no bar hides another.
            let at = |s: &Summary| s.points + 0.7 * (k as f64 - 1.0);
            let stroke = Stroke::solid(colour);
            let bars = summary.iter().map(|s| (at(s), s.mean - s.half, s.mean + s.half)).collect();
            let points: Vec<_> = summary.iter().map(|s| (at(s), s.mean)).collect();
            panel.layers.push(Layer::Bars { points: bars, stroke: stroke.width(1.1) });
            panel.layers.push(Layer::Line { points: points.clone(), stroke });
            panel.layers.push(Layer::Marks { points, marker, colour, size: 4.0 });
            for s in &summary {
                let share = s.mean / COSINES_LIPSCHITZ;
                let (low, high) = (s.mean - s.half, s.mean + s.half);
                text.row([
                    model.to_owned(),
                    noise.to_string(),
                    s.points.to_string(),
                    format!("{:.3}", s.mean),
                    format!("{low:.3} to {high:.3}"),
                    format!("{:.3}", s.median),
                    format!("{share:.3}"),
                ]);
            }
        }
        panels.push(panel);
    }
    let key = |k: usize| {
        Key::new(format!("noise σ = {}", NOISES[k])).line(Stroke::solid(looks[k].0)).mark(looks[k].1, looks[k].0, 4.0)
    };
    let levels =
        [("true: 10.187", TRUE), ("printed: 8.8086", AS_PRINTED)].map(|(name, line)| Key::new(name).line(line));
    let figure = Figure {
        title: "How fast a model learns the Lipschitz constant".into(),
        subtitle: format!(
            "Cosines on [0, 1]², uniform points, mean of {replicates} replicates with its 95 % interval. The model is \
             fitted anew to the first n points, and L is the largest norm of the gradient of its mean."
        ),
        legend: (0..3).map(key).chain(levels).collect(),
        panels,
        columns: 2,
        panel_size: (420.0, 290.0),
    };
    figure.write(dir, "lipschitz")?;
    std::fs::write(dir.join("lipschitz.md"), text.text())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_exact_points_give_the_true_constant() {
        for model in MODELS {
            let found = estimate(model, 0.0, 0, 100).unwrap();
            assert!((found / COSINES_LIPSCHITZ - 1.0).abs() < 0.1, "{model}: {found}");
        }
    }
}
