//! The paper's figure 1: balls that cannot hold the maximum, on Forrester's function.
//!
//! f(x) = (6x − 2)² sin(12x − 4) on [0.3, 1.4] is to be *maximized*. If |f'| ≤ L, then no point closer to xᵢ than rᵢ =
//! (M − f(xᵢ))/L has a value above M, here the best of six evaluations. The paper prints L = 400. The slope reaches
//! 495.9 on this interval, so 400 is not a Lipschitz constant, and its balls are too large to be valid.

use std::path::Path;

use elbowroom::problems::Problem;

use crate::Result;
use crate::markdown::Markdown;
use crate::options::Options;
use crate::series::{Curve, Series, grid};
use elbowroom_view::plot::{
    Anchor, Axis, BLUE, Figure, GREEN, GREY, INK, Key, Layer, Marker, ORANGE, Panel, Stroke, VERMILLION,
};

const LOW: f64 = 0.3;
const HIGH: f64 = 1.4;
const PRINTED: f64 = 400.0;

/// Six evaluations; the paper does not say where its evaluations were.
const EVALUATIONS: [f64; 6] = [0.36, 0.52, 0.74, 0.93, 1.17, 1.31];

/// Runs the experiment.
pub fn run(options: &Options) -> Result<()> {
    let dir = options.prepare("figure1")?;
    if !options.report {
        Series::write(&dir, &compute())?;
    }
    report(&dir, &Series::read(&dir)?)
}

/// f' by the product rule.
fn slope(x: f64) -> f64 {
    let (a, b) = (6.0 * x - 2.0, 12.0 * x - 4.0);
    12.0 * a * b.sin() + 12.0 * a * a * b.cos()
}

/// The largest |f'| on the interval.
fn valid_constant() -> f64 {
    grid(LOW, HIGH, 200_001).into_iter().map(|x| slope(x).abs()).fold(0.0, f64::max)
}

fn compute() -> Vec<Curve> {
    let forrester = Problem::forrester();
    let f = |x: f64| forrester.value(&[x]);
    let best = EVALUATIONS.into_iter().map(f).fold(f64::NEG_INFINITY, f64::max);
    let curve = |value: &dyn Fn(f64) -> f64| grid(LOW, HIGH, 441).into_iter().map(|x| (x, value(x))).collect();
    let radii = |constant: f64| EVALUATIONS.map(|x| (x, (best - f(x)) / constant)).to_vec();
    let valid = valid_constant();
    vec![
        ("function".into(), curve(&f)),
        ("slope".into(), curve(&|x| slope(x).abs())),
        ("evaluations".into(), EVALUATIONS.map(|x| (x, f(x))).to_vec()),
        ("valid constant".into(), vec![(0.0, valid)]),
        ("valid radii".into(), radii(valid)),
        ("printed radii".into(), radii(PRINTED)),
    ]
}

fn report(dir: &Path, series: &Series) -> Result<()> {
    let evaluations = series.get("evaluations")?;
    let best = evaluations.iter().map(|p| p.1).fold(f64::NEG_INFINITY, f64::max);
    let valid = series.number("valid constant")?;
    let (valid_radii, printed_radii) = (series.get("valid radii")?, series.get("printed radii")?);

    let balls = |title: String, radii: &[(f64, f64)], colour: &'static str| -> Result<Panel> {
        let mut panel = Panel::new(title, Axis::linear("x").range(LOW, HIGH), Axis::linear("f(x)").range(-34.0, 24.0));
        for (&(x, y), &(_, r)) in evaluations.iter().zip(radii) {
            panel.layers.push(Layer::Strip { low: x - r, high: x + r, colour, opacity: 0.10 });
            let cone = vec![(x - r, best, best), (x, y, best), (x + r, best, best)];
            panel.layers.push(Layer::Band { points: cone, colour, opacity: 0.20 });
        }
        panel.layers.push(Layer::Line { points: series.get("function")?.to_vec(), stroke: Stroke::solid(INK) });
        panel.layers.push(Layer::Level { at: best, stroke: Stroke::dashed(GREY).width(1.2) });
        for (&(x, y), &(_, r)) in evaluations.iter().zip(radii).filter(|(_, ball)| ball.1 > 0.0) {
            let stroke = Stroke::solid(colour).width(2.2);
            panel.layers.push(Layer::Interval { low: x - r, high: x + r, at: y, stroke });
        }
        let marks = Layer::Marks { points: evaluations.to_vec(), marker: Marker::Circle, colour: INK, size: 4.5 };
        panel.layers.push(marks);
        panel.layers.push(Layer::Text {
            at: (LOW, best),
            shift: (6.0, -6.0),
            text: "M, the best evaluation".into(),
            anchor: Anchor::Start,
            colour: "#55606d",
        });
        Ok(panel)
    };
    let mut slopes = Panel::new(
        "(c) the slope, and the two constants",
        Axis::linear("x").range(LOW, HIGH),
        Axis::linear("|f'(x)|").range(0.0, 560.0),
    );
    let curve = series.get("slope")?;
    let above: Vec<f64> = curve.iter().filter(|p| p.1 > PRINTED).map(|p| p.0).collect();
    let (from, to) = above.iter().fold((HIGH, LOW), |(a, b), &x| (a.min(x), b.max(x)));
    slopes.layers = vec![
        Layer::Strip { low: from, high: to, colour: ORANGE, opacity: 0.25 },
        Layer::Line { points: curve.to_vec(), stroke: Stroke::solid(BLUE) },
        Layer::Level { at: valid, stroke: Stroke::dashed(GREEN) },
        Layer::Level { at: PRINTED, stroke: Stroke::dashed(VERMILLION) },
        label(LOW, valid, format!("L = {valid:.1}: the largest slope"), GREEN),
        label(LOW, PRINTED, "L = 400, as printed: exceeded in the shaded part".into(), VERMILLION),
    ];
    let figure = Figure {
        title: "Balls that cannot hold the maximum".into(),
        subtitle:
            "Forrester's function on [0.3, 1.4], to be maximized, and six evaluations. A cone of slope L from an \
                   evaluation up to M has the radius (M − f)/L: inside, no value can be above M if L is valid."
                .into(),
        legend: vec![
            Key::new("f").line(Stroke::solid(INK)),
            Key::new("evaluated").mark(Marker::Circle, INK, 4.5),
            Key::new("excluded, with the valid L").line(Stroke::solid(GREEN).width(2.2)).band(GREEN, 0.2),
            Key::new("excluded, with the printed L = 400")
                .line(Stroke::solid(VERMILLION).width(2.2))
                .band(VERMILLION, 0.2),
            Key::new("|f'| > 400").band(ORANGE, 0.25),
        ],
        panels: vec![
            balls(format!("(a) valid: L = {valid:.1}"), valid_radii, GREEN)?,
            balls("(b) printed: L = 400".into(), printed_radii, VERMILLION)?,
            slopes,
        ],
        columns: 3,
        panel_size: (320.0, 270.0),
    };
    figure.write(dir, "figure1")?;
    std::fs::write(dir.join("figure1.md"), table(evaluations, valid, valid_radii, printed_radii))?;
    Ok(())
}

fn label(x: f64, y: f64, text: String, colour: &'static str) -> Layer {
    Layer::Text { at: (x, y), shift: (6.0, -6.0), text, anchor: Anchor::Start, colour }
}

fn table(evaluations: &[(f64, f64)], valid: f64, right: &[(f64, f64)], printed: &[(f64, f64)]) -> String {
    let head = ["x".to_owned(), "f(x)".into(), format!("radius, L = {valid:.1}"), "radius, L = 400".into()];
    let mut table = Markdown::new(head);
    for (&(x, y), (&(_, a), &(_, b))) in evaluations.iter().zip(right.iter().zip(printed)) {
        table.row([format!("{x:.2}"), format!("{y:.2}"), format!("{a:.4}"), format!("{b:.4}")]);
    }
    table.text()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_is_that_of_the_function_and_reaches_495_9() {
        let forrester = Problem::forrester();
        let f = |x: f64| forrester.value(&[x]);
        for x in [0.31, 0.7, 1.0, 1.38] {
            let difference = (f(x + 1e-6) - f(x - 1e-6)) / 2e-6;
            assert!((slope(x) - difference).abs() < 1e-5 * (1.0 + difference.abs()));
        }
        // The largest central difference of f on a fine grid, by numpy.
        assert!((valid_constant() - 495.9).abs() < 0.05);
    }

    #[test]
    fn a_valid_constant_excludes_no_point_above_the_best_evaluation() {
        let forrester = Problem::forrester();
        let f = |x: f64| forrester.value(&[x]);
        let best = EVALUATIONS.into_iter().map(f).fold(f64::NEG_INFINITY, f64::max);
        let valid = valid_constant();
        for x in grid(LOW, HIGH, 5001).into_iter().filter(|&x| f(x) > best) {
            assert!(EVALUATIONS.iter().all(|&e| (x - e).abs() >= (best - f(e)) / valid));
        }
    }
}
