//! The chart of `elbow plot --what front`: two results of every trial, and the front if there are two objectives.

use anyhow::Result;
use elbowroom::study::{Goal, Limits, Study, Trial};
use elbowroom_view::axis::spans_decades;

use crate::args::Plot;
use crate::chart::{Chart, Kind, Scale, Series};
use crate::error::cli_error;

/// The number of marks of a limit: at least the number of rows of a vertical line in a terminal.
const MARKS: usize = 60;

/// Draws it.
pub fn front(study: &Study, args: &Plot) -> Result<Chart> {
    let (x, y) = chosen(study, args)?;
    let both = |trial: &Trial| Some((trial.result(x)?, trial.result(y)?));
    let told: Vec<(&Trial, (f64, f64))> =
        study.trials().iter().filter_map(|trial| Some((trial, both(trial)?))).collect();
    if told.is_empty() {
        let what = format!("no trial has both `{x}` and `{y}` yet");
        return Err(cli_error(what, "run more trials first, or name other results with --x and --y"));
    }
    let front = study.front();
    let several = study.outcomes().has_several_objectives();
    let is_on_front = |trial: &Trial| several && front.points.iter().any(|point| point.trial == trial.id);
    let those = |wanted: &dyn Fn(&Trial) -> bool| -> Vec<(f64, f64)> {
        told.iter().filter(|(trial, _)| wanted(trial)).map(|(_, at)| *at).collect()
    };
    let breaks = |trial: &Trial| study.is_feasible(trial) == Some(false);
    let waits = |trial: &Trial| !breaks(trial) && !study.awaited_results(trial).is_empty();
    let stars = those(&is_on_front);
    let scale = |name: &str, pick: fn(&(f64, f64)) -> f64| {
        let log = spans_decades(told.iter().map(|(_, at)| pick(at)));
        Scale { log, ..Scale::new(name) }
    };
    let mut series = vec![
        Series { name: "limit", kind: Kind::Limit, points: limits(study, (x, y), &told) },
        Series { name: "measured", kind: Kind::Dots, points: those(&|t| !is_on_front(t) && !breaks(t) && !waits(t)) },
        Series { name: "breaks a limit", kind: Kind::Crosses, points: those(&breaks) },
        Series { name: "waiting for a result", kind: Kind::Rings, points: those(&waits) },
        Series { name: "border of the front", kind: Kind::Line, points: staircase(study, (x, y), &stars) },
        Series { name: "on the front", kind: Kind::Star, points: stars },
    ];
    series.retain(|one| !one.points.is_empty());
    Ok(Chart { title: format!("{y} (up) over {x} (across)"), x: scale(x, |at| at.0), y: scale(y, |at| at.1), series })
}

/// The two results: the named ones, otherwise the first two objectives, otherwise the first two results.
fn chosen<'a>(study: &'a Study, args: &'a Plot) -> Result<(&'a str, &'a str)> {
    let outcomes = study.outcomes();
    let names: Vec<&str> = outcomes.names().collect();
    if names.len() < 2 {
        let hint = "plot the history, or report results by name: elbow tell 3 loss=0.25 minutes=12";
        return Err(cli_error("a front needs two results, and this study has one", hint));
    }
    let usual = || outcomes.objectives().iter().map(|one| one.name.as_str()).chain(names.iter().copied());
    let named = |name: &'a Option<String>| match name.as_deref() {
        Some(name) if !names.contains(&name) => {
            let hint = format!("use one of {}", names.join(", "));
            Err(cli_error(format!("there is no result `{name}`"), hint))
        }
        name => Ok(name),
    };
    let (across, up) = (named(&args.x)?, named(&args.y)?);
    let x = across.or_else(|| usual().find(|name| Some(*name) != up)).unwrap_or(names[0]);
    let y = up.or_else(|| usual().find(|name| *name != x)).unwrap_or(names[1]);
    match x == y {
        true => Err(cli_error("a front needs two different results", "name another with --x or --y")),
        false => Ok((x, y)),
    }
}

/// The border of what the front dominates, if there are two objectives and these are shown.
fn staircase(study: &Study, (x, y): (&str, &str), front: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let objectives = study.outcomes().objectives();
    let goal = |name: &str| objectives.iter().find(|one| one.name == name).map(|one| one.goal);
    let (Some(goal), Some(_), 2) = (goal(x), goal(y), objectives.len()) else { return Vec::new() };
    let mut sorted = front.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let corner = |pair: &[(f64, f64)]| match goal {
        Goal::Minimize => [(pair[1].0, pair[0].1), pair[1]],
        Goal::Maximize => [(pair[0].0, pair[1].1), pair[1]],
    };
    sorted.first().copied().into_iter().chain(sorted.windows(2).flat_map(corner)).collect()
}

/// Points along the limits of the two results, across the range of the reported values.
fn limits(study: &Study, (x, y): (&str, &str), told: &[(&Trial, (f64, f64))]) -> Vec<(f64, f64)> {
    let of = |name: &str| {
        let found = study.outcomes().limits().find(|(limited, _)| *limited == name);
        let Limits { at_least, at_most } = found.map(|(_, limits)| limits).unwrap_or_default();
        at_least.into_iter().chain(at_most).collect::<Vec<f64>>()
    };
    let along = |pick: fn(&(f64, f64)) -> f64, more: &[f64]| -> Vec<f64> {
        let values = || told.iter().map(|(_, at)| pick(at)).chain(more.iter().copied());
        let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
        let share = |i: usize| i as f64 / (MARKS - 1) as f64;
        (0..MARKS).map(|i| low * (1.0 - share(i)) + high * share(i)).collect()
    };
    let (at_x, at_y) = (of(x), of(y));
    let upright = at_x.iter().flat_map(|limit| along(|at| at.1, &at_y).into_iter().map(|v| (*limit, v)));
    let level = at_y.iter().flat_map(|limit| along(|at| at.0, &at_x).into_iter().map(|v| (v, *limit)));
    upright.chain(level).collect()
}

#[cfg(test)]
mod tests {
    use elbowroom::space::{Parameter, Point, SearchSpace};
    use elbowroom::study::{Outcome, Outcomes, StudyConfig};

    use super::*;

    #[test]
    fn the_border_of_a_front_turns_where_a_better_trial_begins() {
        let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)]).unwrap();
        let list = vec![Outcome::objective("amount", Goal::Maximize), Outcome::objective("cost", Goal::Minimize)];
        let config = StudyConfig::new(space).outcomes(Outcomes::new(list).unwrap());
        let mut study = Study::new(config).unwrap();
        for (x, amount, cost) in [(0.1, 4.0, 8.0), (0.2, 2.0, 5.0)] {
            study.add(&Point::new().with("x", x), [("amount", amount), ("cost", cost)]).unwrap();
        }
        let stars = [(4.0, 8.0), (2.0, 5.0)];
        // An amount of 3 costs 8, and is not available for 5: the border goes up at 2.
        assert_eq!(staircase(&study, ("amount", "cost"), &stars), [(2.0, 5.0), (2.0, 8.0), (4.0, 8.0)]);
        // A cost of 6 buys an amount of 2: the border stays at 2 until 8.
        let turned = [(8.0, 4.0), (5.0, 2.0)];
        assert_eq!(staircase(&study, ("cost", "amount"), &turned), [(5.0, 2.0), (8.0, 2.0), (8.0, 4.0)]);
    }
}
