//! `elbow plot`: pictures of a study, in the terminal, or in an SVG or PNG file.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use elbowroom::space::{Dimension, Parameter, Point, SearchSpace, UnitPoint};
use elbowroom::study::{Study, Trial};
use elbowroom_store::{SharedStudy, TrialStatus};
use elbowroom_view::Scene;
use elbowroom_view::axis::{spans_decades, text};
use elbowroom_view::plot::Figure;
use elbowroom_view::views::map::has_both;
use elbowroom_view::views::model::{Slice, slices as view_slices};
use serde_json::json;

use super::answer;
use super::front::front;
use crate::address::Address;
use crate::args::{FigureName, Plot};
use crate::chart::{Chart, Kind, Scale, Series};
use crate::error::cli_error;
use crate::format::number;
use crate::outcomes::{goals, reference};
use crate::spark::{best_so_far, counting_values};
use crate::table::width;

/// The size of a picture in the terminal: the maximum width, and the usual number of rows.
const WIDEST: usize = 160;
const ROWS: usize = 16;

/// The maximum number of attempts in a timeline; the latest are shown.
const ATTEMPTS: usize = 3000;

/// Draws it.
pub fn plot(args: &Plot, json: bool) -> Result<()> {
    let study = Address::find(&args.study)?.open()?;
    let charts = match args.what {
        FigureName::History => vec![history(study.study(), args.result.as_deref())?],
        FigureName::Slices => slices(&study)?,
        FigureName::Map => vec![map(&study, args)?],
        FigureName::Front => vec![front(study.study(), args)?],
        FigureName::Timeline => vec![timeline(&study)?],
    };
    if let Some(path) = &args.out {
        let shown = path.display();
        let title = match args.what {
            FigureName::History => "Value of each trial",
            FigureName::Slices => "What the model expects",
            FigureName::Map => "Where trials are",
            FigureName::Front => "Trade-offs",
            FigureName::Timeline => "Who ran what",
        };
        let bytes =
            drawn(path, &Chart::figure(&charts, &format!("{title}: {}", study.name()), &subtitle(&study, args)))?;
        std::fs::write(path, bytes)
            .map_err(|error| cli_error(format!("{shown} could not be written: {error}"), "choose another path"))?;
        return answer(json, || json!({ "written": shown.to_string() }), || format!("wrote {shown}\n"));
    }
    answer(
        json,
        || {
            let series = |s: &Series| json!({ "name": s.name, "points": s.points });
            let chart = |c: &Chart| {
                let series: Vec<_> = c.series.iter().map(series).collect();
                json!({ "title": c.title, "x": c.x.label, "y": c.y.label, "x_names": c.x.names, "y_names": c.y.names, "series": series })
            };
            json!({ "charts": charts.iter().map(chart).collect::<Vec<_>>() })
        },
        || charts.iter().map(|chart| chart.text(width().min(WIDEST), rows(chart, args))).collect::<Vec<_>>().join("\n"),
    )
}

/// The number of rows of a picture in the terminal: each lane has its own row.
fn rows(chart: &Chart, args: &Plot) -> usize {
    match args.what {
        FigureName::Timeline => chart.y.names.len().max(1),
        _ => ROWS.max(chart.y.names.len()),
    }
}

/// The bytes of the file, in the format of its extension.
fn drawn(path: &Path, figure: &Figure) -> Result<Vec<u8>> {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("svg") => Ok(figure.svg().into_bytes()),
        Some("png") => figure.png().map_err(|error| cli_error(error, "write an SVG instead")),
        _ => Err(cli_error(
            format!("{} ends in neither .svg nor .png", path.display()),
            "use a name that ends in .svg or .png",
        )),
    }
}

fn subtitle(study: &SharedStudy, args: &Plot) -> String {
    let counts = crate::format::count(&study.counts());
    match args.what {
        FigureName::History => format!("Trials: {counts}."),
        FigureName::Slices => {
            let through = study.study().recommended().map_or_else(String::new, |r| crate::format::point(&r.point));
            let part =
                study.study().subset().map_or_else(String::new, |part| format!(" The model is fitted to {part}."));
            format!("Along each parameter, through the recommended point: {through}.{part}")
        }
        FigureName::Front => {
            let front = study.study().front();
            let volume = front.hypervolume.filter(|_| study.study().outcomes().has_several_objectives());
            let words = |volume| format!(" Hypervolume {} from {}.", number(volume), reference(&front));
            let volume = volume.map_or_else(String::new, words);
            format!("Wanted: {}. Trials: {counts}.{volume}", goals(study.study()))
        }
        FigureName::Map | FigureName::Timeline => format!("Trials: {counts}."),
    }
}

fn history(study: &Study, result: Option<&str>) -> Result<Chart> {
    let outcomes = study.outcomes();
    if let Some(name) = result.filter(|name| *name != outcomes.metric()) {
        return watched(study, name);
    }
    let valued: Vec<(f64, f64)> =
        study.trials().iter().filter_map(|trial| Some((trial.id.0 as f64, trial.value()?))).collect();
    if valued.is_empty() {
        return Err(cli_error("no trial has a value yet", "run more trials first"));
    }
    let counting = counting_values(study);
    let best = best_so_far(counting.iter().map(|v| v.1), study.config().goal);
    let best = counting.iter().zip(best).map(|((id, _), best)| (id.0 as f64, best)).collect();
    let log = spans_decades(valued.iter().map(|v| v.1));
    let scale = log_scale(log);
    let name = outcomes.metric();
    Ok(Chart {
        title: format!("{name} of each trial, and the best so far{scale}"),
        x: Scale { whole: true, ..Scale::new("trial") },
        y: Scale { log, ..Scale::new(name) },
        series: vec![
            Series { name: "value", kind: Kind::Dots, points: valued },
            Series { name: "best so far", kind: Kind::Steps, points: best },
        ],
    })
}

/// A result other than the first objective, trial by trial.
fn watched(study: &Study, name: &str) -> Result<Chart> {
    if !study.outcomes().watched().any(|known| known == name) {
        let names: Vec<&str> = study.outcomes().names().collect();
        return Err(cli_error(format!("no trial has a result `{name}`"), format!("use one of {}", names.join(", "))));
    }
    let told = study.trials().iter().filter_map(|trial| Some((trial.id.0 as f64, trial.result(name)?)));
    let points: Vec<(f64, f64)> = told.collect();
    let log = spans_decades(points.iter().map(|v| v.1));
    let scale = log_scale(log);
    Ok(Chart {
        title: format!("{name} of each trial{scale}"),
        x: Scale { whole: true, ..Scale::new("trial") },
        y: Scale { log, ..Scale::new(name) },
        series: vec![Series { name: "value", kind: Kind::Dots, points }],
    })
}

/// The remark on a title about its axis of values.
fn log_scale(log: bool) -> &'static str {
    if log { " (log scale)" } else { "" }
}

/// The model's predictions along each parameter, through the recommended point: the dashboard's slices.
fn slices(shared: &SharedStudy) -> Result<Vec<Chart>> {
    let study = shared.study();
    if study.best().is_none() {
        return Err(cli_error("no trial has a value yet", "run more trials first"));
    }
    let found = view_slices(&Scene::of(shared)).map_err(|error| cli_error(error, "run more trials first"))?;
    let space = study.space();
    let center = Scene::of(shared).center().map_err(|error| cli_error(error, "run more trials first"))?;
    let chart = |slice: &Slice| {
        let dim = slice.axis.dim;
        let at = |u: f64| {
            let mut unit = center.to_vec();
            unit[dim] = u;
            space.snap(&mut unit);
            position(space, dim, &unit)
        };
        let mut points: Vec<(f64, f64, f64)> =
            slice.u.iter().zip(slice.mean.iter().zip(&slice.sd)).map(|(u, (mean, sd))| (at(*u), *mean, *sd)).collect();
        points.dedup_by(|a, b| a.0 == b.0);
        let floor = found.log_floor.unwrap_or(f64::NEG_INFINITY);
        let curve = |sds: f64| points.iter().map(|p| (p.0, (p.1 + sds * p.2).max(floor))).collect();
        let log = found.log_floor.is_some();
        Chart {
            title: format!("expected value along {}{}", axis(space, dim).label, log_scale(log)),
            x: axis(space, dim),
            y: Scale { log, ..Scale::new("value") },
            series: vec![
                Series { name: "two standard deviations", kind: Kind::Rim, points: curve(-2.0) },
                Series { name: "and above", kind: Kind::Rim, points: curve(2.0) },
                Series { name: "expected", kind: Kind::Line, points: curve(0.0) },
            ],
        }
    };
    Ok(found.slices.iter().map(chart).collect())
}

/// The positions of trials along two parameters.
fn map(study: &SharedStudy, args: &Plot) -> Result<Chart> {
    let space = study.study().space();
    if space.dim() < 2 {
        return Err(cli_error("a map needs two parameters that are searched", "plot the history or the slices"));
    }
    let dim = |name: &Option<String>, usual: usize| match name {
        None => Ok(usual),
        Some(name) => (0..space.dim()).find(|dim| space.searched(*dim).name() == name).ok_or_else(|| {
            let names: Vec<&str> = (0..space.dim()).map(|dim| space.searched(dim).name()).collect();
            let hint = format!("use one of {}", names.join(", "));
            cli_error(format!("there is no searched parameter called `{name}`"), hint)
        }),
    };
    // If one is named, the other is the first of the rest.
    let x = dim(&args.x, usize::from(args.y.is_some() && dim(&args.y, 1)? == 0))?;
    let y = dim(&args.y, usize::from(x == 0))?;
    if x == y {
        return Err(cli_error("a map needs two different parameters", "name another with --x or --y"));
    }
    let at = |trial: &Trial| (position(space, x, &trial.unit), position(space, y, &trial.unit));
    // A trial without one of the parameters has no position on the map.
    let is_there = |trial: &&Trial| has_both(study.study(), trial, x, y);
    let those = |wanted: &dyn Fn(TrialStatus) -> bool| -> Vec<(f64, f64)> {
        let trials = study.study().trials().iter().filter(is_there);
        trials.filter(|trial| wanted(study.status(trial))).map(at).collect()
    };
    let ended_badly = |s: TrialStatus| matches!(s, TrialStatus::Failed | TrialStatus::Infeasible | TrialStatus::Lost);
    let open = |s: TrialStatus| matches!(s, TrialStatus::Running | TrialStatus::Queued);
    let best = study.study().best().filter(is_there).map(at).into_iter().collect();
    Ok(Chart {
        title: format!("{} (up) over {} (across)", axis(space, y).label, axis(space, x).label),
        x: axis(space, x),
        y: axis(space, y),
        series: vec![
            Series { name: "measured", kind: Kind::Dots, points: those(&|s| s == TrialStatus::Complete) },
            Series { name: "failed, infeasible or lost", kind: Kind::Crosses, points: those(&ended_badly) },
            Series { name: "pending", kind: Kind::Rings, points: those(&open) },
            Series { name: "best", kind: Kind::Star, points: best },
        ],
    })
}

/// Who ran what: a lane for each trial that a worker had at the same time, as in the dashboard.
fn timeline(study: &SharedStudy) -> Result<Chart> {
    let drawn = elbowroom_view::views::timeline::timeline(&Scene::of(study), ATTEMPTS);
    if drawn.workers.is_empty() {
        return Err(cli_error("no worker has joined this study yet", "start a worker: elbow run"));
    }
    let (unit, word) = match drawn.to - drawn.from {
        0..180_000 => (1e3, "seconds"),
        180_000..10_800_000 => (6e4, "minutes"),
        _ => (3.6e6, "hours"),
    };
    let mut names = Vec::new();
    let mut spans: BTreeMap<TrialStatus, Vec<(f64, f64)>> = BTreeMap::new();
    for worker in &drawn.workers {
        let lane = names.len();
        names.push(worker.name.clone());
        names.resize(lane + worker.n_lanes.max(1), String::new());
        for span in &worker.spans {
            let at = |time: i64| ((time - drawn.from) as f64 / unit, (lane + span.lane) as f64);
            spans.entry(span.end).or_default().extend([at(span.from), at(span.to)]);
        }
    }
    let series = spans.into_iter().map(|(end, points)| Series { name: end.word(), kind: Kind::Spans(end), points });
    let left_out = match drawn.left_out {
        0 => String::new(),
        n => format!("; {n} earlier attempts are not shown"),
    };
    Ok(Chart {
        title: format!("who ran what{left_out}"),
        x: Scale::new(format!("{word} since the first trial")),
        y: Scale { names, ..Scale::default() },
        series: series.collect(),
    })
}

fn axis(space: &SearchSpace, dim: usize) -> Scale {
    match space.searched(dim) {
        Parameter::Float { name, log, .. } => Scale { log: *log, ..Scale::new(name) },
        Parameter::Int { name, log, .. } => Scale { log: *log, whole: true, ..Scale::new(name) },
        Parameter::Ladder { name, log, .. } => Scale { log: *log, ..Scale::new(name) },
        Parameter::Category { name, .. } | Parameter::Ordered { name, .. } => {
            let names = space.searched(dim).listed().iter().map(text).collect();
            let apart = matches!(space.dimensions()[dim], Dimension::Category { .. });
            Scale { names, apart, ..Scale::new(name) }
        }
        other => Scale::new(other.name()),
    }
}

/// A unit coordinate on the axis of its parameter.
fn position(space: &SearchSpace, dim: usize, unit: &[f64]) -> f64 {
    match space.searched(dim) {
        Parameter::Category { .. } | Parameter::Ordered { .. } => space.level(dim, unit[dim]) as f64,
        parameter => {
            let point: Point = space.decode(&UnitPoint::clamped(unit.to_vec()));
            point.get(parameter.name()).and_then(|value| value.as_f64()).unwrap_or(f64::NAN)
        }
    }
}
