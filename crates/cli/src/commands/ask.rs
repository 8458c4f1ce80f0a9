//! `elbow ask`: points for a person or a program that evaluates them itself.

use anyhow::Result;
use elbowroom::study::Study;
use elbowroom_store::AskAnswer;
use serde_json::json;

use super::answer;
use crate::address::Address;
use crate::args::Ask;
use crate::error::cli_error;
use crate::format::point_lines;
use crate::narrow::narrowing;

/// The worker name for trials that people have.
pub const BY_HAND: &str = "by hand";

/// What to say if no points are handed out for now.
pub fn paused() -> anyhow::Error {
    cli_error(
        "the study is paused: no points are handed out",
        "resume it in the dashboard, or stop the server that paused it",
    )
}

/// The number of points, if there are fewer than were asked for.
pub fn so_many(n: usize, wanted: usize) -> String {
    if n == 0 { "no points".to_owned() } else { format!("{n} of {wanted} points") }
}

/// Refuses an ask for which no feasible point was found, although there may be some left: scripts must not mistake this
/// for a finished study.
pub fn refuse_nothing(study: &Study, is_nothing: bool, shortfall: Option<&str>) -> Result<()> {
    let is_counted = study.space().n_points().is_some_and(|n| n <= MOST_COUNTED);
    let Some(why) = shortfall.filter(|_| is_nothing && !is_counted && study.budget_left() != Some(0)) else {
        return Ok(());
    };
    Err(cli_error(why, "loosen a constraint, or widen the range of a parameter"))
}

/// Spaces of up to this many points are enumerated, so the answer about them is certain.
const MOST_COUNTED: u128 = 1_000_000;

/// Takes points.
pub fn ask(args: &Ask, json: bool) -> Result<()> {
    // Not this process's own name: the process ends here, but the trials do not.
    let study = Address::find(&args.study.clone().into())?.open_or_create()?;
    let mut study = study.worker(BY_HAND).ttl(args.due);
    let narrowing = narrowing(study.study().space(), &args.narrow)?;
    let wanted = elbowroom::study::Ask { request: args.request.clone(), ..elbowroom::study::Ask::new(args.n) };
    let handed = study.ask_unless_paused(wanted.narrowed(narrowing))?.ok_or_else(paused)?;
    refuse_nothing(study.study(), handed.trials.is_empty(), handed.shortfall.as_deref())?;
    answer(
        json,
        || json!(AskAnswer::of(&study, &handed)),
        || {
            let mut text = String::new();
            for trial in &handed.trials {
                text += &format!("trial {}\n{}", trial.id(), point_lines(trial.point()));
            }
            if let Some(part) = handed.subset {
                text += &format!("chosen with a model fitted to {part}\n");
            }
            if let Some(why) = &handed.shortfall {
                text += &format!("{}: {why}\n", so_many(handed.trials.len(), args.n));
            }
            text
        },
    )
}
