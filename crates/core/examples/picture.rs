//! Draws local penalization at work, from the library itself: `cargo run --release --example picture > docs/picture.svg`
//!
//! The paper's Cosines function was observed at a few points. Left: the acquisition, with its highest place. Right: the
//! same after a batch was chosen from it, with the points in order of choice and the ball that each one excludes.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;

use elbowroom::batch::{AcquisitionKind, BatchSize, BatchStrategy, LocalPenalization, MaximumRule, Situation};
use elbowroom::data::Dataset;
use elbowroom::design;
use elbowroom::domain::Domain;
use elbowroom::error::Error;
use elbowroom::gp::{FitParams, KernelKind, Posterior, Shape, fit};
use elbowroom::penalty::{Ball, PenalizerKind};
use elbowroom::problems::Problem;
use elbowroom::rng::Stream;
use elbowroom::space::{Parameter, SearchSpace};

const OBSERVATIONS: usize = 12;
const BATCH_SIZE: usize = 6;
const SEED: u64 = 2;

/// Colours from low to high, one hue, so that they differ in lightness for every eye; and one accent.
const SHADES: [&str; 9] =
    ["#f4f8fc", "#e3eef8", "#cfe1f2", "#b5d4e9", "#93c3df", "#6baed6", "#4a93c6", "#2f75b0", "#16508b"];
const ACCENT: &str = "#c9480b";
const INK: &str = "#1d2733";

fn main() -> Result<(), Error> {
    let scene = Scene::compute()?;
    print!("{}", draw(&scene));
    Ok(())
}

/// What is drawn, in the unit square.
struct Scene {
    posterior: Posterior,
    strategy: LocalPenalization,
    batch: Vec<Vec<f64>>,
    balls: Vec<Ball>,
}

impl Scene {
    fn compute() -> Result<Self, Error> {
        let problem = Problem::cosines();
        let stream = Stream::new(SEED);
        let x = design::latin_hypercube(OBSERVATIONS, problem.dim(), &mut stream.child("design", 0));
        // The function is to be minimized; the model and the strategy maximize.
        let y = x.iter().map(|u| -problem.value(u)).collect();
        let data = Dataset::new(x, y)?;
        // One lengthscale for both coordinates, so that balls are round in the picture.
        let shape = Shape { ard: false, ..Shape::new(KernelKind::Matern52, problem.dim()) };
        let posterior = fit(&data, &FitParams::map(shape), &stream)?.posterior;

        let space = SearchSpace::new(vec![Parameter::float("x1", 0.0, 1.0), Parameter::float("x2", 0.0, 1.0)])?;
        let strategy = LocalPenalization {
            acquisition: AcquisitionKind::Ucb { kappa: 2.0 },
            penalizer: Some(PenalizerKind::Truncated),
            maximum: MaximumRule::MaxMean,
            ..LocalPenalization::paper_ei()
        };
        let (taken, stream) = (HashSet::new(), stream.child("ask", 0));
        let domain = Domain::whole(&space);
        let situation = Situation::new(&posterior, &domain, &[], &taken, &stream);
        let mut chooser = strategy.bind(&situation, BatchSize::new(BATCH_SIZE)?)?;
        let mut batch: Vec<Vec<f64>> = Vec::new();
        while let Some(next) = chooser.propose()?.filter(|_| batch.len() < BATCH_SIZE) {
            chooser.join(&next.point)?;
            batch.push(next.point.into_vec());
        }
        let balls = chooser.penalizers();
        drop(chooser);
        Ok(Self { posterior, strategy, batch, balls })
    }

    /// α at the nodes of a grid, penalized by these balls.
    fn field(&self, balls: &[Ball]) -> Field {
        let acquisition = self.strategy.acquisition.bind(&self.posterior);
        Field::of(|u| {
            let p = self.posterior.predict(u);
            let ln = acquisition.ln_score(p.mean, p.variance.sqrt()).value;
            let penalty: f64 = balls.iter().map(|ball| ball.ln_value(&self.posterior, u)).sum();
            (ln + penalty).exp()
        })
    }
}

const PANEL: f64 = 400.0;
const LEFT: f64 = 30.0;
const TOP: f64 = 62.0;
const GAP: f64 = 40.0;
const RIGHT: f64 = LEFT + PANEL + GAP;
const WIDTH: f64 = 2.0 * LEFT + 2.0 * PANEL + GAP;
const HEIGHT: f64 = TOP + PANEL + 74.0;

fn draw(scene: &Scene) -> String {
    let before = scene.field(&[]);
    let after = scene.field(&scene.balls);
    let top = before.highest();
    let mut svg = String::new();
    let out = &mut svg;
    line(
        out,
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" font-family="Helvetica, Arial, 'Liberation Sans', sans-serif" fill="{INK}" role="img" aria-label="The upper confidence bound of the Cosines function before and after local penalization by a batch of {BATCH_SIZE} points">"#
        ),
    );
    line(out, format!(r#"<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>"#));
    panel(out, LEFT, "Before", "the acquisition, given the results so far", &before, top);
    observations(out, scene);
    numbers(out, &scene.batch[..1]);
    line(out, "</g>".to_owned());
    panel(out, RIGHT, "After", "lowered around every point of the batch", &after, top);
    balls(out, scene);
    observations(out, scene);
    numbers(out, &scene.batch);
    line(out, "</g>".to_owned());
    legend(out);
    line(out, "</svg>".to_owned());
    svg
}

/// A panel with its shading; what follows, until its group ends, is drawn in its coordinates.
fn panel(out: &mut String, x: f64, title: &str, subtitle: &str, field: &Field, top: f64) {
    let y = TOP - 16.0;
    line(
        out,
        format!(
            r#"<text x="{x}" y="{y}" font-size="20" font-weight="bold">{title}<tspan dx="10" font-size="15" font-weight="normal" fill="{FAINT}">{subtitle}</tspan></text>"#
        ),
    );
    let side = format!(r#"width="{PANEL}" height="{PANEL}""#);
    line(out, format!(r#"<g transform="translate({x} {TOP})">"#));
    for (i, shade) in SHADES.iter().enumerate() {
        // The shades stand for tenths of the highest value.
        let level = 0.1 * (i + 1) as f64 * top;
        let path = contour_path(field, level);
        if !path.is_empty() {
            line(out, format!(r#"<path fill="{shade}" fill-rule="evenodd" d="{path}"/>"#));
        }
    }
    line(out, format!(r#"<rect {side} fill="none" stroke="{INK}"/>"#));
}

const FAINT: &str = "#55606d";

fn observations(out: &mut String, scene: &Scene) {
    for u in scene.posterior.observed() {
        let (x, y) = place(u);
        line(out, observation_mark(x, y));
    }
}

fn observation_mark(x: f64, y: f64) -> String {
    format!(r#"<circle cx="{x:.1}" cy="{y:.1}" r="4.5" fill="white" stroke="{INK}" stroke-width="2"/>"#)
}

fn balls(out: &mut String, scene: &Scene) {
    let lengthscale = scene.posterior.hyper().lengthscales[0];
    for ball in &scene.balls {
        let (x, y) = place(&ball.center);
        // Distances are counted in lengthscales.
        let radius = ball.penalizer.radius() * lengthscale * PANEL;
        line(out, format!(r#"<circle cx="{x:.1}" cy="{y:.1}" r="{radius:.1}" {BALL_STYLE}/>"#));
    }
}

const BALL_STYLE: &str = r##"fill="none" stroke="#c9480b" stroke-width="1.8" stroke-dasharray="5 3.5""##;

fn numbers(out: &mut String, batch: &[Vec<f64>]) {
    for (i, u) in batch.iter().enumerate() {
        let (x, y) = place(u);
        line(out, number_mark(x, y, i + 1));
    }
}

fn number_mark(x: f64, y: f64, number: usize) -> String {
    let baseline = y + 5.0;
    format!(
        r#"<circle cx="{x:.1}" cy="{y:.1}" r="9.5" fill="{ACCENT}" stroke="white" stroke-width="1.5"/><text x="{x:.1}" y="{baseline:.1}" font-size="14" font-weight="bold" fill="white" text-anchor="middle">{number}</text>"#
    )
}

fn legend(out: &mut String) {
    let y = TOP + PANEL + 24.0;
    let text = |x: f64, dy: f64, what: &str| format!(r#"<text x="{x}" y="{:.1}" font-size="14">{what}</text>"#, y + dy);
    // The scale of shades, under the left panel.
    let step = 24.0;
    for (i, shade) in SHADES.iter().enumerate() {
        let x = LEFT + step * i as f64;
        line(
            out,
            format!(
                r##"<rect x="{x}" y="{y}" width="{step}" height="14" fill="{shade}" stroke="#aab4bf" stroke-width="0.5"/>"##
            ),
        );
    }
    line(out, text(LEFT + step * 9.0 + 10.0, 12.0, "upper confidence bound"));
    line(out, text(LEFT, 32.0, "10 %"));
    line(out, text(LEFT + step * 9.0 - 34.0, 32.0, "90 %"));
    line(out, text(LEFT + step * 9.0 + 10.0, 32.0, "of its highest value"));
    // The marks, under the right one.
    let x = RIGHT;
    line(out, observation_mark(x + 8.0, y + 7.0));
    line(out, text(x + 22.0, 12.0, "observed"));
    line(out, number_mark(x + 122.0, y + 7.0, 1));
    line(out, text(x + 138.0, 12.0, "the batch, in order of choice"));
    line(out, format!(r#"<circle cx="{}" cy="{}" r="9" {BALL_STYLE}/>"#, x + 9.0, y + 34.0));
    line(out, text(x + 26.0, 39.0, "radius (M − μ)/L: no maximum expected inside"));
}

/// Where a point of the unit square is in its panel.
fn place(u: &[f64]) -> (f64, f64) {
    (PANEL * u[0], PANEL * (1.0 - u[1]))
}

fn line(out: &mut String, text: String) {
    writeln!(out, "{text}").expect("a string takes everything");
}

/// Values at the nodes of a square grid, with a rim of −∞ around it so that every contour is closed.
struct Field {
    values: Vec<f64>,
}

/// Nodes in a row, and with the rim.
const NODES: usize = 81;
const RIMMED: usize = NODES + 2;

impl Field {
    fn of(value: impl Fn(&[f64]) -> f64) -> Self {
        let mut values = vec![f64::NEG_INFINITY; RIMMED * RIMMED];
        for j in 1..=NODES {
            for i in 1..=NODES {
                values[j * RIMMED + i] = value(&node(i, j));
            }
        }
        Self { values }
    }

    fn highest(&self) -> f64 {
        self.values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }

    /// Where the contour crosses the grid edge from one node to the other.
    fn crossing(&self, (from, to): Edge, level: f64) -> (f64, f64) {
        let (a, b) = (self.values[from], self.values[to]);
        let share =
            if a.is_finite() && b.is_finite() { (level - a) / (b - a) } else { f64::from(u8::from(b.is_finite())) };
        let (p, q) = (node(from % RIMMED, from / RIMMED), node(to % RIMMED, to / RIMMED));
        place(&[p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1])])
    }
}

/// The unit square's point of a node; those of the rim lie on the border.
fn node(i: usize, j: usize) -> [f64; 2] {
    [i, j].map(|k| (k.clamp(1, NODES) - 1) as f64 / (NODES - 1) as f64)
}

/// An edge of the grid, by its nodes, the lower index first.
type Edge = (usize, usize);

/// The closed curves around the places above a level, by marching squares, as the data of an SVG path.
fn contour_path(field: &Field, level: f64) -> String {
    let mut next: BTreeMap<Edge, Vec<Edge>> = BTreeMap::new();
    for j in 0..RIMMED - 1 {
        for i in 0..RIMMED - 1 {
            // Corners in turn around the cell; walking along a segment keeps the high side on the same hand.
            let corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)].map(|(i, j)| j * RIMMED + i);
            let high = corners.map(|c| field.values[c] >= level);
            let edge = |k: usize| {
                let (a, b) = (corners[k], corners[(k + 1) % 4]);
                (a.min(b), a.max(b))
            };
            let entries = (0..4).filter(|&k| high[k] && !high[(k + 1) % 4]);
            for entry in entries {
                let exit = (1..4).map(|step| (entry + 4 - step) % 4).find(|&k| !high[k] && high[(k + 1) % 4]);
                if let Some(exit) = exit {
                    next.entry(edge(entry)).or_default().push(edge(exit));
                }
            }
        }
    }
    let mut path = String::new();
    while let Some((&start, _)) = next.iter().find(|(_, ends)| !ends.is_empty()) {
        let mut at = start;
        let mut command = 'M';
        while let Some(to) = next.get_mut(&at).and_then(Vec::pop) {
            let (x, y) = field.crossing(at, level);
            write!(path, "{command}{x:.1} {y:.1}").expect("a string takes everything");
            (at, command) = (to, 'L');
        }
        path.push('Z');
    }
    path
}
