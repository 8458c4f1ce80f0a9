//! How close local penalization comes to the criterion that it approximates: Eq. 2 of the paper, for two points on a
//! line.
//!
//! The second point of a batch should maximize the acquisition averaged over the result of the first, which is not
//! known yet. For two points and one dimension that average can be integrated. For random posteriors the second points
//! of local penalization and of the kriging believer are compared with its maximizer: how far away are they, and what
//! share of the maximum do they get?

use std::collections::HashSet;
use std::path::Path;

use elbowroom::batch::{
    AcquisitionKind, BatchSize, BatchStrategy, Believer, LocalPenalization, Marginalized, MaximumRule, Situation,
};
use elbowroom::data::Dataset;
use elbowroom::domain::Domain;
use elbowroom::gp::{Hyperparameters, KernelKind, Posterior};
use elbowroom::linalg::Points;
use elbowroom::optim::Objective;
use elbowroom::penalty::{Ball, Penalized, PenalizerKind};
use elbowroom::rng::Stream;
use elbowroom::space::{Parameter, SearchSpace, UnitPoint};

use crate::Result;
use crate::jobs::run_all;
use crate::markdown::Markdown;
use crate::options::Options;
use crate::raw::{Columns, RawFile, Table, join, split};
use crate::series::{Curve, Series, grid};
use crate::stats::quantile;
use elbowroom_view::plot::{
    Axis, BLUE, Dash, Figure, GREEN, GREY, INK, Key, Layer, Marker, PURPLE, Panel, Stroke, VERMILLION,
};

const COLUMNS: Columns =
    Columns { keys: &["posterior"], values: &["first", "exact", "soft", "truncated", "default", "believer"] };

/// The rules for second points that are compared, by the names of their columns.
const RULES: [&str; 4] = ["soft", "truncated", "default", "believer"];

/// Their meanings and styles.
const LOOKS: [(&str, Stroke, Marker); 4] = [
    ("LP, soft penalizer (the paper's)", Stroke { colour: VERMILLION, width: 2.0, dash: Dash::Dashed }, Marker::Star),
    ("LP, truncated penalizer", Stroke { colour: GREEN, width: 2.0, dash: Dash::Dotted }, Marker::Diamond),
    ("LP, the library's default", Stroke { colour: BLUE, width: 2.0, dash: Dash::Solid }, Marker::Square),
    ("kriging believer", Stroke { colour: PURPLE, width: 1.6, dash: Dash::Dashed }, Marker::Triangle),
];

const NODES: usize = 64;
const GRID: usize = 1001;

/// Runs the experiment.
pub fn run(options: &Options) -> Result<()> {
    let dir = options.prepare("intractable")?;
    if !options.report {
        let posteriors: Vec<u64> = (0..options.replicates(200, 12)).collect();
        let key = |seed: &u64| vec![seed.to_string()];
        run_all(RawFile::open(&dir, COLUMNS)?, &posteriors, options.threads, key, |&seed| compare(seed))?;
        let shown = shown(&Table::read(&dir)?)?;
        let mut curves = Vec::new();
        for (panel, seed) in shown.into_iter().enumerate() {
            curves.extend(draw(seed)?.into_iter().map(|(name, points)| (format!("{panel} {name}"), points)));
        }
        std::fs::create_dir_all(dir.join("curves"))?;
        Series::write(&dir.join("curves"), &curves)?;
    }
    report(&dir, &Table::read(&dir)?, &Series::read(&dir.join("curves"))?)
}

/// The posteriors that are drawn: the worst one for the soft penalizer, and its first quartile and median.
fn shown(table: &Table) -> Result<Vec<u64>> {
    let (seed, soft) = (table.column("posterior")?, table.column("soft")?);
    let mut order: Vec<(f64, u64)> =
        table.rows.iter().map(|row| Ok((split(&row[soft])[2], row[seed].parse()?))).collect::<Result<_>>()?;
    order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    Ok([0, order.len() / 4, order.len() / 2].map(|rank| order[rank].1).to_vec())
}

/// A posterior from six values of a function drawn from the prior.
fn random_posterior(seed: u64) -> Result<Posterior> {
    let hyper = Hyperparameters::new(KernelKind::Matern52, 1.0, vec![0.15], 1e-4);
    let mut draw = Stream::new(seed).child("posterior", 0);
    let x = Points::from_rows(1, (0..6).map(|_| draw.uniform()).collect())?;
    let far_away = Dataset::new(Points::from_rows(1, vec![1e3])?, vec![0.0])?;
    let y = Posterior::new(&far_away, hyper.clone())?.sample(&x, 1, &mut draw)?.row(0).to_vec();
    Ok(Posterior::new(&Dataset::new(x, y)?, hyper)?)
}

fn penalization(rule: &str) -> LocalPenalization {
    let soft = LocalPenalization { maximum: MaximumRule::MaxMean, ..LocalPenalization::paper_ei() };
    match rule {
        "soft" => soft,
        "truncated" => LocalPenalization { penalizer: Some(PenalizerKind::Truncated), ..soft },
        _ => LocalPenalization::penalized_only(),
    }
}

/// A posterior, the first point of its batch, and the exact average for the second.
struct Scene {
    posterior: Posterior,
    first: UnitPoint,
    exact: Marginalized,
    seed: u64,
}

impl Scene {
    fn new(seed: u64) -> Result<Self> {
        let posterior = random_posterior(seed)?;
        let (first, _) = choose(&posterior, &penalization("soft"), &[], seed)?;
        let exact = Marginalized::new(&posterior, first.as_slice(), AcquisitionKind::Ei, NODES)?;
        Ok(Self { posterior, first, exact, seed })
    }

    /// The second point of a rule, and the penalizers around the first.
    fn second(&self, rule: &str) -> Result<(f64, Vec<Ball>)> {
        let believer = Believer::default();
        let penalization = penalization(rule);
        let strategy: &dyn BatchStrategy = if rule == "believer" { &believer } else { &penalization };
        let (point, penalizers) = choose(&self.posterior, strategy, std::slice::from_ref(&self.first), self.seed)?;
        Ok((point[0], penalizers))
    }

    /// The average on a grid.
    fn exact_curve(&self) -> Vec<(f64, f64)> {
        grid(0.0, 1.0, GRID).into_iter().map(|x| (x, self.exact.value(&[x]))).collect()
    }
}

fn choose(
    posterior: &Posterior,
    strategy: &dyn BatchStrategy,
    pending: &[UnitPoint],
    seed: u64,
) -> Result<(UnitPoint, Vec<Ball>)> {
    let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
    let (taken, stream) = (HashSet::new(), Stream::new(seed));
    let domain = Domain::whole(&space);
    let situation = Situation::new(posterior, &domain, pending, &taken, &stream);
    let mut chooser = strategy.bind(&situation, BatchSize::new(1)?)?;
    let next = chooser.propose()?.ok_or("a line has no more points")?;
    Ok((next.point, chooser.penalizers()))
}

/// The row of a posterior: for each rule the second point, its distance to the best one in lengthscales, and its share.
fn compare(seed: u64) -> Result<Vec<String>> {
    let scene = Scene::new(seed)?;
    let (at, most) = highest(&scene.exact_curve());
    let mut row = vec![scene.first.as_slice()[0].to_string(), join(&[at, most])];
    for rule in RULES {
        let (x, _) = scene.second(rule)?;
        let distance = scene.posterior.squared_distance(&[x], &[at]).sqrt();
        row.push(join(&[x, distance, scene.exact.value(&[x]) / most]));
    }
    Ok(row)
}

fn highest(curve: &[(f64, f64)]) -> (f64, f64) {
    curve.iter().copied().fold((0.0, 0.0), |best, next| if next.1 > best.1 { next } else { best })
}

/// The curves of a posterior. All acquisitions are divided by their own maximum.
fn draw(seed: u64) -> Result<Vec<Curve>> {
    let scene = Scene::new(seed)?;
    let posterior = &scene.posterior;
    let line = grid(0.0, 1.0, 401);
    let bound = |sign: f64| {
        let at = |&x: &f64| {
            let p = posterior.predict(&[x]);
            (x, p.mean + sign * p.variance.sqrt())
        };
        line.iter().map(at).collect::<Vec<_>>()
    };
    let observed = posterior.observed().map(|x| x[0]).zip(posterior.values().iter().copied()).collect();
    let first = scene.first.as_slice()[0];
    let exact = scene.exact_curve();
    let mut curves = vec![
        ("mean".to_owned(), bound(0.0)),
        ("mean - 2 sd".into(), bound(-2.0)),
        ("mean + 2 sd".into(), bound(2.0)),
        ("observed".into(), observed),
        ("first".into(), vec![(first, posterior.predict(&[first]).mean)]),
        ("exact".into(), scaled(exact)),
    ];
    let expected = posterior.with_phantoms([scene.first.as_slice()]);
    for rule in RULES {
        let (second, balls) = scene.second(rule)?;
        let share = scene.exact.value(&[second]) / highest(&scene.exact_curve()).1;
        curves.push((format!("second {rule}"), vec![(second, share)]));
        if rule == "believer" {
            continue;
        }
        let strategy = penalization(rule);
        let mut penalized = Penalized::new(strategy.acquisition.bind(posterior), &expected, &balls, strategy.shrink);
        let value = |&x: &f64| (x, penalized.value_and_gradient(&[x], &mut [0.0]).exp());
        curves.push((rule.to_owned(), scaled(line.iter().map(value).collect())));
    }
    Ok(curves)
}

fn scaled(curve: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let most = highest(&curve).1;
    curve.into_iter().map(|(x, y)| (x, y / most)).collect()
}

fn report(dir: &Path, table: &Table, series: &Series) -> Result<()> {
    let (mut above, mut below) = (Vec::new(), Vec::new());
    for (panel, name) in
        ["where the soft one does worst", "at its lower quartile", "at its median"].into_iter().enumerate()
    {
        let get = |what: &str| series.get(&format!("{panel} {what}"));
        let first = get("first")?[0].0;
        let mut model = Panel::new(
            format!("({}) {name}", ["a", "b", "c"][panel]),
            Axis::linear("").range(-0.03, 1.03),
            Axis::linear(if panel == 0 { "f" } else { "" }),
        );
        let band = get("mean - 2 sd")?.iter().zip(get("mean + 2 sd")?).map(|(a, b)| (a.0, a.1, b.1)).collect();
        let first_line = Layer::Upright { at: first, stroke: Stroke::dashed(INK).width(1.2) };
        model.layers = vec![
            Layer::Band { points: band, colour: GREY, opacity: 0.22 },
            Layer::Line { points: get("mean")?.to_vec(), stroke: Stroke::solid(INK) },
            first_line.clone(),
            Layer::Marks { points: get("observed")?.to_vec(), marker: Marker::Circle, colour: INK, size: 4.0 },
        ];
        above.push(model);
        let mut second = Panel::new(
            "for the second point",
            Axis::linear("x").range(-0.03, 1.03),
            Axis::linear(if panel == 0 { "acquisition / its maximum" } else { "" }).range(0.0, 1.12),
        );
        let exact = get("exact")?;
        let area = exact.iter().map(|p| (p.0, 0.0, p.1)).collect();
        second.layers.push(Layer::Band { points: area, colour: GREY, opacity: 0.3 });
        second.layers.push(Layer::Line { points: exact.to_vec(), stroke: Stroke::solid(GREY) });
        second.layers.push(first_line);
        for (rule, (_, stroke, _)) in RULES.into_iter().zip(LOOKS).filter(|(rule, _)| *rule != "believer") {
            second.layers.push(Layer::Line { points: get(rule)?.to_vec(), stroke });
        }
        // Marks are on the exact curve: their height is the share of the maximum that a rule gets.
        for (rule, (_, stroke, marker)) in RULES.into_iter().zip(LOOKS).rev() {
            let points = get(&format!("second {rule}"))?.to_vec();
            second.layers.push(Layer::Marks { points, marker, colour: stroke.colour, size: 5.5 });
        }
        below.push(second);
    }
    let key =
        |(name, stroke, marker): (&str, Stroke, Marker)| Key::new(name).line(stroke).mark(marker, stroke.colour, 5.0);
    let figure = Figure {
        title: "The second point: local penalization against the average it stands in for".into(),
        subtitle: format!(
            "Expected improvement averaged over the result of the first point (Eq. 2 of the paper, by {NODES} \
             Gauss–Hermite nodes), on posteriors of six values. Columns by what the soft penalizer gets, among {} \
             posteriors. A mark's height on the grey area is the share of the maximum that a rule gets.",
            table.rows.len()
        ),
        legend: [
            Key::new("Eq. 2, exact").line(Stroke::solid(GREY)).band(GREY, 0.3),
            Key::new("first point").line(Stroke::dashed(INK).width(1.2)),
        ]
        .into_iter()
        .chain(LOOKS.map(key))
        .collect(),
        panels: above.into_iter().chain(below).collect(),
        columns: 3,
        panel_size: (310.0, 190.0),
    };
    figure.write(dir, "intractable")?;
    let mut text = Markdown::new([
        "second point by",
        "distance to the best, lengthscales: median",
        "90 %",
        "share of the maximum: median",
        "mean",
        "10 %",
        "least",
    ]);
    for (rule, (name, _, _)) in RULES.into_iter().zip(LOOKS) {
        let at = table.column(rule)?;
        let part = |k: usize| table.rows.iter().map(|row| split(&row[at])[k]).collect::<Vec<f64>>();
        let (distance, share) = (part(1), part(2));
        let mean = crate::stats::mean(&share);
        let numbers = [
            quantile(&distance, 0.5),
            quantile(&distance, 0.9),
            quantile(&share, 0.5),
            mean,
            quantile(&share, 0.1),
            quantile(&share, 0.0),
        ];
        text.row(std::iter::once(name.to_owned()).chain(numbers.map(|v| format!("{v:.3}"))));
    }
    std::fs::write(dir.join("intractable.md"), text.text())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_at_most_one_and_the_best_has_all() {
        for seed in 0..3 {
            let row = compare(seed).unwrap();
            for field in &row[2..] {
                // The grid may narrowly miss the maximum.
                let share = split(field)[2];
                assert!(share > 0.0 && share < 1.001, "{row:?}");
            }
        }
    }
}
