//! `elbow copy`: a study from one store to another, or its results into a new study with another budget.

use std::sync::Arc;

use anyhow::Result;
use elbowroom::study::{Results, Tell, Trial, TrialId, TrialState};
use elbowroom_store::{About, ErrorKind, SharedStudy, Store, open, worker_name};
use serde_json::json;

use super::answer;
use crate::address::Address;
use crate::args::{Copy, Where};
use crate::error::{cli_error, fault_of};
use crate::format;

/// Copies the study, every event as it was written.
pub fn copy(args: &Copy, json: bool) -> Result<()> {
    let from = Address::find(&Where { name: args.name.clone(), ..Where::of(&args.from) })?;
    if args.to.ends_with(".toml") {
        let hint = "name a store file, such as copy.elbow, or postgres://…";
        return Err(cli_error(format!("{} is not a store", args.to), hint));
    }
    let study = from.open()?;
    let name = args.new_name.as_deref().unwrap_or(study.name());
    let to = open(&args.to)?;
    let place = to.label();
    if let Some(trials) = args.trials {
        let n = go_on(&study, to, name, trials)?;
        let old = study.name();
        return answer(
            json,
            || json!({ "name": name, "store": place, "results": n, "budget": trials }),
            || {
                format!(
                    "`{name}` in {place} starts with the results of {} of `{old}` and a budget of {trials} new trials\n",
                    format::trials(n)
                )
            },
        );
    }
    let copied = elbowroom_store::copy(&**study.stored().store(), study.name(), &*to, name);
    let copied = copied.map_err(|error| match error.kind() {
        ErrorKind::Exists => fault_of(error.kind().as_str(), error.what(), "give the copy another name: --as NAME"),
        _ => error.into(),
    })?;
    let n = copied.n_events;
    answer(
        json,
        || json!({ "name": name, "store": place, "events": n, "digest": copied.digest.to_string() }),
        || {
            format!(
                "copied {n} events of `{}` to {place} as `{name}`, and compared the copy with the original\n",
                study.name()
            )
        },
    )
}

/// Creates a study with the same settings and a new budget that starts with the outcomes of this one's trials; returns
/// their number. An interrupted copy continues if it is repeated, since each report has a name.
fn go_on(old: &SharedStudy, to: Arc<dyn Store>, name: &str, trials: usize) -> Result<usize> {
    let config = old.study().config().clone().budget(trials);
    let mut new = SharedStudy::open_or_create(to, name, config)?.worker(worker_name());
    new.set_budget(Some(trials))?;
    let mut n = 0;
    for trial in old.study().trials() {
        let request = format!("trial {} of {}", trial.id, old.name());
        let mut begin = || new.start(&trial.point, None, Some(&request)).map(|started| started.id());
        match &trial.state {
            TrialState::Complete { .. } => {
                let mut report = Tell::new(trial.results().collect::<Results>()).request(request);
                report.noise = trial.noise();
                new.add(&trial.point, report)?;
            }
            TrialState::Failed { reason } => {
                let id = begin()?;
                watched(&mut new, trial, id, &request)?;
                new.fail(About::from(id).request(format!("{request}: failed")), reason)?;
            }
            TrialState::Infeasible { reason, .. } => {
                let id = begin()?;
                watched(&mut new, trial, id, &request)?;
                new.infeasible(About::from(id).request(format!("{request}: infeasible")), reason)?;
            }
            TrialState::Pending | TrialState::Withdrawn => continue,
        }
        n += 1;
    }
    Ok(n)
}

/// Reports what was measured in a trial without a value.
fn watched(new: &mut SharedStudy, trial: &Trial, id: TrialId, request: &str) -> Result<()> {
    let results: Results = trial.watched().collect();
    if !results.is_empty() {
        new.tell(id, Tell::new(results).request(format!("{request}: results")))?;
    }
    Ok(())
}
