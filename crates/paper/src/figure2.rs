//! The paper's figure 2: three rounds of the loop that maximizes and penalizes.
//!
//! The library chooses a batch of three points with a model of a function on a line. In every round the acquisition,
//! times the penalizers so far, is maximized, and a new penalizer is placed around the maximizer. The model does not
//! change.

use std::collections::HashSet;
use std::path::Path;

use elbowroom::batch::{BatchSize, BatchStrategy, LocalPenalization, Situation};
use elbowroom::data::Dataset;
use elbowroom::domain::Domain;
use elbowroom::gp::{Hyperparameters, KernelKind, Posterior};
use elbowroom::linalg::Points;
use elbowroom::rng::Stream;
use elbowroom::space::{Parameter, SearchSpace};

use crate::Result;
use crate::markdown::Markdown;
use crate::options::Options;
use crate::series::{Curve, Series, grid};
use elbowroom_view::plot::{
    Axis, BLUE, Dash, Figure, GREEN, GREY, INK, Key, Layer, Marker, PURPLE, Panel, Stroke, VERMILLION,
};

const TURNS: usize = 3;
const OBSERVED: [f64; 6] = [0.04, 0.20, 0.42, 0.60, 0.74, 0.97];
const PENALIZER: [&str; TURNS] = [PURPLE, GREEN, GREY];

/// Runs the experiment.
pub fn run(options: &Options) -> Result<()> {
    let dir = options.prepare("figure2")?;
    if !options.report {
        Series::write(&dir, &compute()?)?;
    }
    report(&dir, &Series::read(&dir)?)
}

/// A function with several hills.
fn hills(x: f64) -> f64 {
    0.5 * (13.0 * x).sin() + 0.35 * (7.0 * x + 1.0).cos()
}

/// The model: its scales are fixed, so that the picture depends on nothing else.
fn model() -> Result<Posterior> {
    let y = OBSERVED.map(hills).to_vec();
    let data = Dataset::new(Points::from_rows(1, OBSERVED.to_vec())?, y)?;
    Ok(Posterior::new(&data, Hyperparameters::new(KernelKind::Rbf, 1.0, vec![0.09], 1e-6))?)
}

fn compute() -> Result<Vec<Curve>> {
    let posterior = model()?;
    let strategy = LocalPenalization::paper_ucb();
    let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
    let (taken, stream) = (HashSet::new(), Stream::new(1));
    let domain = Domain::whole(&space);
    let situation = Situation::new(&posterior, &domain, &[], &taken, &stream);
    let mut chooser = strategy.bind(&situation, BatchSize::new(TURNS)?)?;
    let mut chosen: Vec<f64> = Vec::new();
    while let Some(next) = chooser.propose()?.filter(|_| chosen.len() < TURNS) {
        chooser.join(&next.point)?;
        chosen.push(next.point[0]);
    }
    let (balls, info) = (chooser.penalizers(), chooser.info());
    let (lipschitz, best) = (info.lipschitz.unwrap_or(f64::NAN), info.maximum.unwrap_or(f64::NAN));
    let acquisition = strategy.acquisition.bind(&posterior);
    let ln_acquisition = |x: f64| {
        let p = posterior.predict(&[x]);
        acquisition.ln_score(p.mean, p.variance.sqrt()).value
    };
    let ln_penalized =
        |x: f64, n: usize| ln_acquisition(x) + balls[..n].iter().map(|b| b.ln_value(&posterior, &[x])).sum::<f64>();

    let line = grid(0.0, 1.0, 601);
    let curve = |value: &dyn Fn(f64) -> f64| line.iter().map(|&x| (x, value(x))).collect::<Vec<_>>();
    let bound = |sign: f64| {
        let posterior = &posterior;
        move |x: f64| {
            let p = posterior.predict(&[x]);
            p.mean + sign * p.variance.sqrt()
        }
    };
    let mut curves = vec![
        ("function".to_owned(), curve(&hills)),
        ("mean".into(), curve(&bound(0.0))),
        ("mean - 2 sd".into(), curve(&bound(-2.0))),
        ("mean + 2 sd".into(), curve(&bound(2.0))),
        ("observed".into(), OBSERVED.map(|x| (x, hills(x))).to_vec()),
        ("chosen".into(), chosen.iter().map(|&x| (x, posterior.predict(&[x]).mean)).collect()),
        // In the units of x: the library counts distances in lengthscales.
        ("lipschitz".into(), vec![(0.0, lipschitz / posterior.hyper().lengthscales[0])]),
        ("maximum".into(), vec![(0.0, best)]),
    ];
    for turn in 0..TURNS {
        curves.push((format!("acquisition {}", turn + 1), curve(&|x| ln_penalized(x, turn).exp())));
        curves.push((format!("penalizer {}", turn + 1), curve(&|x| balls[turn].ln_value(&posterior, &[x]).exp())));
        let x = chosen[turn];
        curves.push((format!("argmax {}", turn + 1), vec![(x, ln_penalized(x, turn).exp())]));
    }
    Ok(curves)
}

fn report(dir: &Path, series: &Series) -> Result<()> {
    let line = |name: &str, stroke: Stroke| -> Result<Layer> {
        Ok(Layer::Line { points: series.get(name)?.to_vec(), stroke })
    };
    let chosen = series.get("chosen")?;
    let low_high: Vec<(f64, f64, f64)> =
        series.get("mean - 2 sd")?.iter().zip(series.get("mean + 2 sd")?).map(|(a, b)| (a.0, a.1, b.1)).collect();
    let highest = series.get("acquisition 1")?.iter().map(|p| p.1).fold(0.0, f64::max);

    let (mut above, mut below) = (Vec::new(), Vec::new());
    for turn in 0..TURNS {
        let mut model = Panel::new(
            format!("({}) turn {}: the model", ["a", "b", "c"][turn], turn + 1),
            Axis::linear("").range(0.0, 1.0),
            Axis::linear(if turn == 0 { "f" } else { "" }),
        );
        model.layers = vec![
            Layer::Band { points: low_high.clone(), colour: BLUE, opacity: 0.16 },
            line("function", Stroke::dashed(GREY).width(1.3))?,
            line("mean", Stroke::solid(BLUE))?,
        ];
        for (k, p) in chosen[..=turn].iter().enumerate() {
            let colour = if k == turn { VERMILLION } else { PENALIZER[k] };
            model.layers.push(Layer::Upright { at: p.0, stroke: Stroke::dashed(colour).width(1.2) });
        }
        let observed = series.get("observed")?.to_vec();
        model.layers.push(Layer::Marks { points: observed, marker: Marker::Circle, colour: INK, size: 4.0 });
        above.push(model);

        let mut panel = Panel::new(
            if turn == 0 {
                "the acquisition, to be maximized".into()
            } else {
                format!("lowered by {turn} penalizer{}", if turn == 1 { "" } else { "s" })
            },
            Axis::linear("x").range(0.0, 1.0),
            Axis::linear(if turn == 0 { "acquisition" } else { "" }).range(0.0, 1.12 * highest),
        );
        let name = format!("acquisition {}", turn + 1);
        let fill: Vec<(f64, f64, f64)> = series.get(&name)?.iter().map(|p| (p.0, 0.0, p.1)).collect();
        panel.layers.push(Layer::Band { points: fill, colour: VERMILLION, opacity: 0.22 });
        panel.layers.push(line("acquisition 1", Stroke { colour: GREY, width: 1.3, dash: Dash::Dotted })?);
        for (k, colour) in PENALIZER.iter().enumerate().take(turn) {
            let scaled = series.get(&format!("penalizer {}", k + 1))?.iter().map(|p| (p.0, p.1 * highest)).collect();
            panel.layers.push(Layer::Line { points: scaled, stroke: Stroke::dashed(colour) });
        }
        panel.layers.push(line(&name, Stroke::solid(VERMILLION).width(2.2))?);
        let star = series.get(&format!("argmax {}", turn + 1))?.to_vec();
        panel.layers.push(Layer::Marks { points: star, marker: Marker::Star, colour: INK, size: 6.5 });
        below.push(panel);
    }
    let (l, m) = (series.number("lipschitz")?, series.number("maximum")?);
    let figure = Figure {
        title: "Maximize, penalize, and again: a batch of three".into(),
        subtitle: format!(
            "LP-UCB as in the paper: softplus of μ + 2s, penalizers Φ((L|x − xⱼ| − M + μⱼ)/sⱼ) with L = {l:.1} from the \
             slope of μ and M = {m:.2}, the best observation. The model does not change between turns."
        ),
        legend: vec![
            Key::new("unknown function").line(Stroke::dashed(GREY).width(1.3)),
            Key::new("μ ± 2s").line(Stroke::solid(BLUE)).band(BLUE, 0.16),
            Key::new("observed").mark(Marker::Circle, INK, 4.0),
            Key::new("acquisition of the data").line(Stroke { colour: GREY, width: 1.3, dash: Dash::Dotted }),
            Key::new("penalized").line(Stroke::solid(VERMILLION).width(2.2)).band(VERMILLION, 0.22),
            Key::new("penalizer φ₁, from 0 to 1").line(Stroke::dashed(PENALIZER[0])),
            Key::new("penalizer φ₂").line(Stroke::dashed(PENALIZER[1])),
            Key::new("chosen").mark(Marker::Star, INK, 5.5),
        ],
        panels: above.into_iter().chain(below).collect(),
        columns: TURNS,
        panel_size: (300.0, 190.0),
    };
    figure.write(dir, "figure2")?;
    std::fs::write(dir.join("figure2.md"), table(series)?)?;
    Ok(())
}

fn table(series: &Series) -> Result<String> {
    let mut table = Markdown::new(["turn", "chosen x", "acquisition there", "penalized, when chosen"]);
    let plain = series.get("acquisition 1")?;
    for turn in 1..=TURNS {
        let (x, y) = series.get(&format!("argmax {turn}"))?[0];
        let near = plain.iter().min_by(|a, b| (a.0 - x).abs().total_cmp(&(b.0 - x).abs())).map_or(f64::NAN, |p| p.1);
        table.row([turn.to_string(), format!("{x:.4}"), format!("{near:.4}"), format!("{y:.4}")]);
    }
    Ok(table.text())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_turn_takes_the_highest_place_of_what_is_drawn() {
        let curves = compute().unwrap();
        let find = |name: &str| &curves.iter().find(|c| c.0 == name).unwrap().1;
        for turn in 1..=TURNS {
            let highest = find(&format!("acquisition {turn}")).iter().map(|p| p.1).fold(0.0, f64::max);
            let star = find(&format!("argmax {turn}"))[0].1;
            // The maximum on the grid is below the true one.
            assert!(star >= highest * (1.0 - 1e-6), "turn {turn}: {star} {highest}");
        }
    }
}
