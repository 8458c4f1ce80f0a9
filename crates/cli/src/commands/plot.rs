//! `elbow plot`: pictures of a study, in the terminal or in an SVG file.

use anyhow::Result;
use elbowroom::space::{Parameter, Point, SearchSpace, UnitPoint};
use elbowroom::study::{Study, Trial};
use elbowroom_store::{SharedStudy, Standing};
use serde_json::json;

use super::answer;
use crate::args::{Picture, Plot};
use crate::chart::{Chart, Series};
use crate::fault::fault;
use crate::place::Place;
use crate::spark::best_so_far;

/// Values beyond this ratio are shown on a log scale, if all are positive.
const DECADES: f64 = 30.0;

/// Points of a slice.
const STEPS: usize = 60;

/// Draws it.
pub fn plot(args: &Plot, json: bool) -> Result<()> {
    let study = Place::find(&args.study)?.open()?;
    let charts = match args.what {
        Picture::History => vec![history(study.study())],
        Picture::Slices => slices(study.study())?,
        Picture::Map => vec![map(&study, args)?],
    };
    if let Some(path) = &args.svg {
        let shown = path.display();
        std::fs::write(path, Chart::svg(&charts))
            .map_err(|error| fault(format!("{shown} could not be written: {error}"), "name another place"))?;
        return answer(json, || json!({ "written": shown.to_string() }), || format!("{shown} is written\n"));
    }
    answer(
        json,
        || {
            let series = |s: &Series| json!({ "name": s.name, "points": s.points });
            let chart = |c: &Chart| json!({ "title": c.title, "x": c.x_label, "series": c.series.iter().map(series).collect::<Vec<_>>() });
            json!({ "charts": charts.iter().map(chart).collect::<Vec<_>>() })
        },
        || charts.iter().map(|chart| chart.text(70, 16)).collect::<Vec<_>>().join("\n"),
    )
}

fn history(study: &Study) -> Chart {
    let valued: Vec<(f64, f64)> =
        study.trials().iter().filter_map(|trial| Some((trial.id.0 as f64, trial.value()?))).collect();
    let best = best_so_far(valued.iter().map(|v| v.1), study.config().goal);
    let best = valued.iter().zip(best).map(|((x, _), best)| (*x, best)).collect();
    let log_y = spans_decades(&valued);
    let scale = if log_y { " (log scale)" } else { "" };
    Chart {
        title: format!("value of each trial, and the best so far{scale}"),
        x_label: "trial".to_owned(),
        log_y,
        series: vec![
            Series { name: "value", mark: '·', points: valued },
            Series { name: "best so far", mark: '─', points: best },
        ],
    }
}

fn spans_decades(points: &[(f64, f64)]) -> bool {
    let low = points.iter().map(|p| p.1).fold(f64::INFINITY, f64::min);
    let high = points.iter().map(|p| p.1).fold(f64::NEG_INFINITY, f64::max);
    low > 0.0 && high / low > DECADES
}

/// What the model expects along each parameter, through the recommended point.
fn slices(study: &Study) -> Result<Vec<Chart>> {
    let model = study.model().map_err(|error| fault(error, "run more trials first"))?;
    let Some(center) = study.recommended() else {
        return Err(fault("no trial has a value yet", "run more trials first"));
    };
    let (space, goal) = (study.space(), study.config().goal);
    let unit = space.encode(&center.point)?;
    let slice = |dim: usize| {
        let at = |u: f64| {
            let mut coordinates = unit.to_vec();
            coordinates[dim] = u;
            space.snap(&mut coordinates);
            let x = position(space, dim, &coordinates);
            let (mean, sd) = model.predict_value(&coordinates);
            (x, goal.maximized(mean), sd)
        };
        let mut points: Vec<(f64, f64, f64)> = (0..=STEPS).map(|i| at(i as f64 / STEPS as f64)).collect();
        points.dedup_by(|a, b| a.0 == b.0);
        Chart {
            title: format!("expected value along {}", axis(space, dim)),
            x_label: axis(space, dim),
            log_y: false,
            series: vec![
                Series { name: "one sd below", mark: '·', points: points.iter().map(|p| (p.0, p.1 - p.2)).collect() },
                Series { name: "expected", mark: '─', points: points.iter().map(|p| (p.0, p.1)).collect() },
                Series { name: "one sd above", mark: '·', points: points.iter().map(|p| (p.0, p.1 + p.2)).collect() },
            ],
        }
    };
    Ok((0..space.dim()).map(slice).collect())
}

/// Where trials are, along two parameters.
fn map(study: &SharedStudy, args: &Plot) -> Result<Chart> {
    let space = study.study().space();
    if space.dim() < 2 && (args.x.is_none() || args.y.is_none()) {
        return Err(fault("a map needs two parameters that are searched", "plot the history or the slices"));
    }
    let dim = |name: &Option<String>, usual: usize| match name {
        None => Ok(usual),
        Some(name) => (0..space.dim()).find(|dim| space.searched(*dim).name() == name).ok_or_else(|| {
            fault(format!("no parameter that is searched is called `{name}`"), "look at `elbow trials` for the names")
        }),
    };
    let (x, y) = (dim(&args.x, 0)?, dim(&args.y, 1)?);
    let at = |trial: &Trial| (position(space, x, &trial.unit), position(space, y, &trial.unit));
    let those = |wanted: &dyn Fn(Standing) -> bool| -> Vec<(f64, f64)> {
        study.study().trials().iter().filter(|trial| wanted(study.standing(trial))).map(at).collect()
    };
    let ended_badly = |s: Standing| matches!(s, Standing::Failed | Standing::Infeasible | Standing::Lost);
    Ok(Chart {
        title: format!("{} (up) over {} (across)", axis(space, y), axis(space, x)),
        x_label: axis(space, x),
        log_y: false,
        series: vec![
            Series { name: "failed", mark: 'x', points: those(&ended_badly) },
            Series { name: "measured", mark: '·', points: those(&|s| s == Standing::Complete) },
            Series {
                name: "pending",
                mark: 'o',
                points: those(&|s| matches!(s, Standing::Running | Standing::Queued)),
            },
            Series { name: "best", mark: '★', points: study.study().best().map(at).into_iter().collect() },
        ],
    })
}

fn axis(space: &SearchSpace, dim: usize) -> String {
    match space.searched(dim) {
        Parameter::Float { name, log: true, .. } | Parameter::Int { name, log: true, .. } => format!("log10 {name}"),
        Parameter::Category { name, .. } | Parameter::Ordered { name, .. } => format!("{name} (its place in the list)"),
        other => other.name().to_owned(),
    }
}

/// A unit coordinate on the axis of its parameter.
fn position(space: &SearchSpace, dim: usize, unit: &[f64]) -> f64 {
    let parameter = space.searched(dim);
    let level = || space.level(dim, unit[dim]) as f64;
    match parameter {
        Parameter::Category { .. } | Parameter::Ordered { .. } => level() + 1.0,
        _ => {
            let point: Point = space.decode(&UnitPoint::clamped(unit.to_vec()));
            let x = point.get(parameter.name()).and_then(|value| value.as_f64()).unwrap_or(f64::NAN);
            if axis(space, dim).starts_with("log10 ") { x.log10() } else { x }
        }
    }
}
