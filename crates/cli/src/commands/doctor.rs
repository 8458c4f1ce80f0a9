//! `elbow doctor`: looks for what may be wrong with a store and with a study.

use std::collections::HashMap;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use elbowroom::space::Dimension;
use elbowroom::study::{Model, Study, Trial};
use elbowroom_store::{SharedStudy, Standing, check, open, salvage};
use serde_json::json;

use super::answer;
use crate::args::Doctor;
use crate::place::{Place, is_file, path_of};
use crate::words::number;

/// How bad it is.
#[derive(Clone, Copy, PartialEq)]
enum Level {
    Fine,
    Note,
    Bad,
}

struct Finding {
    level: Level,
    what: String,
    hint: &'static str,
}

fn fine(what: impl Into<String>) -> Finding {
    Finding { level: Level::Fine, what: what.into(), hint: "" }
}

fn note(what: impl Into<String>, hint: &'static str) -> Finding {
    Finding { level: Level::Note, what: what.into(), hint }
}

fn bad(what: impl Into<String>, hint: &'static str) -> Finding {
    Finding { level: Level::Bad, what: what.into(), hint }
}

/// Looks; the exit code is 1 if something is bad.
pub fn doctor(args: &Doctor, json: bool) -> Result<ExitCode> {
    let place = Place::find(&args.study)?;
    let mut findings = Vec::new();
    if is_file(&place.address) {
        if !path_of(&place.address).exists() {
            place.store()?;
        }
        findings.push(file(&place.address)?);
        findings.extend(args.save.as_ref().map(|to| save(&place.address, to)).transpose()?);
    }
    if !findings.iter().any(|finding| finding.level == Level::Bad) {
        let shared = place.open()?;
        findings.push(clock(&shared));
        findings.push(zombies(&shared));
        findings.push(twins(&shared));
        findings.extend(results(shared.study()));
    }
    let any_bad = findings.iter().any(|finding| finding.level == Level::Bad);
    answer(
        json,
        || {
            let one = |f: &Finding| json!({ "level": word(f.level), "what": f.what, "try": f.hint });
            json!({ "findings": findings.iter().map(one).collect::<Vec<_>>() })
        },
        || findings.iter().map(in_words).collect(),
    )?;
    Ok(if any_bad { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn word(level: Level) -> &'static str {
    match level {
        Level::Fine => "fine",
        Level::Note => "note",
        Level::Bad => "bad",
    }
}

fn in_words(finding: &Finding) -> String {
    let hint = if finding.hint.is_empty() { String::new() } else { format!("        try: {}\n", finding.hint) };
    format!("{:5}   {}\n{hint}", word(finding.level), finding.what)
}

fn file(address: &str) -> Result<Finding> {
    let health = check(path_of(address))?;
    Ok(match health.faults.as_slice() {
        [] => fine(format!("the store file {address} is whole, on a local disk: every page and every event")),
        faults => {
            let whole: Vec<String> =
                health.studies.iter().map(|study| format!("{} events of `{}`", study.n_events, study.study)).collect();
            let what =
                format!("the store file {address} is damaged: {}; whole are {}", faults.join("; "), whole.join(", "));
            bad(
                what,
                "keep the file as it is; save what is whole with `elbow doctor FILE --save NEW.elbow`, or take a copy from before",
            )
        }
    })
}

fn save(address: &str, to: &str) -> Result<Finding> {
    let store = open(to)?;
    let saved = salvage(path_of(address), &*store)?;
    let list: Vec<String> =
        saved.iter().map(|study| format!("{} events of `{}`", study.n_events, study.study)).collect();
    let list = if list.is_empty() { "nothing; no study could be read".to_owned() } else { list.join(", ") };
    Ok(note(
        format!("saved into {}: {list}", store.place()),
        "look at it with `elbow status`, and work on with that store",
    ))
}

fn clock(shared: &SharedStudy) -> Finding {
    let here = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as i64);
    let apart = (here - shared.now().0).abs() as f64 / 1000.0;
    if apart > 30.0 {
        return note(format!("this machine's clock and the store's are {apart:.0} s apart"), "set the clocks by NTP");
    }
    let backwards = shared.times().windows(2).filter(|pair| pair[1] < pair[0]).count();
    match backwards {
        0 => fine("the clock agrees with the store's, and never went back"),
        n => note(
            format!("the store's clock went back {n} times"),
            "nothing is lost by it, but leases may be wrong once",
        ),
    }
}

fn zombies(shared: &SharedStudy) -> Finding {
    let those = |wanted: Standing| -> Vec<String> {
        let stands_so = |trial: &&Trial| shared.standing(trial) == wanted;
        shared.study().pending().filter(stands_so).map(|trial| trial.id.to_string()).collect()
    };
    let (queued, lost) = (those(Standing::Queued), those(Standing::Lost));
    if !lost.is_empty() {
        let what = format!("lost for good, after three workers each: trials {}", lost.join(", "));
        return note(what, "see what they do to their workers; tell, fail or release them by hand");
    }
    if !queued.is_empty() {
        return note(format!("waiting to be run again: trials {}", queued.join(", ")), "start a worker");
    }
    fine("no trial is lost")
}

fn twins(shared: &SharedStudy) -> Finding {
    let mut at: HashMap<_, Vec<String>> = HashMap::new();
    for trial in shared.study().pending().filter(|trial| shared.standing(trial) == Standing::Running) {
        at.entry(shared.study().space().key(&trial.unit)).or_default().push(trial.id.to_string());
    }
    match at.values().find(|ids| ids.len() > 1) {
        Some(ids) => {
            note(format!("trials {} are live at the same point", ids.join(", ")), "fine if they are replicates")
        }
        None => fine("no two live trials have the same point"),
    }
}

/// Results that a diagnosis needs, for each parameter.
const ENOUGH: usize = 4;

fn results(study: &Study) -> Vec<Finding> {
    let trials = study.trials();
    let mut findings = Vec::new();
    let n_failed = trials.iter().filter(|trial| crate::words::reason(trial).is_some()).count();
    if n_failed * 4 > trials.len() {
        let what = format!("{n_failed} of {} trials failed or were infeasible", trials.len());
        findings.push(note(
            what,
            "look at `elbow trials --state failed,infeasible`, and bound the space or add a constraint",
        ));
    }
    findings.extend(on_a_bound(study));
    let needed = ENOUGH * study.space().dim().max(1);
    if study.n_observed() < needed {
        findings
            .push(fine(format!("{} results are too few to judge the model ({needed} will do)", study.n_observed())));
        return findings;
    }
    match study.model() {
        Ok(model) => {
            findings.extend(model.record.part.map(|part| fine(format!("the model is made of {part}"))));
            let before = findings.len();
            findings.extend(dead_parameters(study, &model));
            findings.extend(noise(&model));
            findings.extend(validation(&model));
            if findings.len() == before {
                findings.push(fine("the model predicts left-out results as well as it says"));
            }
        }
        Err(error) => findings.push(bad(format!("no model can be made: {error}"), "look at the values for outliers")),
    }
    findings
}

/// Parameters whose best value is at the end of their range.
fn on_a_bound(study: &Study) -> Vec<Finding> {
    let Some(best) = study.best() else { return Vec::new() };
    let space = study.space();
    let at_end = |dim: usize| match space.dimensions()[dim] {
        Dimension::Continuous => best.unit[dim] < 0.005 || best.unit[dim] > 0.995,
        Dimension::Grid { levels } => levels > 2 && [0, levels - 1].contains(&space.level(dim, best.unit[dim])),
        Dimension::Category { .. } => false,
    };
    let ends: Vec<&str> = (0..space.dim()).filter(|dim| at_end(*dim)).map(|dim| space.searched(dim).name()).collect();
    if ends.is_empty() {
        return Vec::new();
    }
    let what = format!("the best point is on a bound of {}", ends.join(", "));
    vec![note(what, "if values beyond are possible, make a study with wider bounds")]
}

/// Parameters along which the model sees nothing happen.
fn dead_parameters(study: &Study, model: &Model) -> Vec<Finding> {
    let lengthscales = &model.posterior.hyper().lengthscales;
    let dead: Vec<&str> = (0..study.space().dim())
        .filter(|dim| lengthscales.get(*dim).is_some_and(|l| *l > 20.0))
        .map(|dim| study.space().searched(dim).name())
        .collect();
    if dead.is_empty() {
        return Vec::new();
    }
    let what = format!("nothing seems to change with {}", dead.join(", "));
    vec![note(what, "fix it in study.toml, and the search has fewer dimensions")]
}

fn noise(model: &Model) -> Option<Finding> {
    let hyper = model.posterior.hyper();
    let (noise, signal) = (hyper.noise.typical().sqrt(), hyper.variance.sqrt());
    (noise > signal).then(|| {
        let what = format!("the noise is {} times the effect of the parameters", number(noise / signal));
        note(what, "measure longer, or allow repeats in study.toml")
    })
}

/// Left-out results in units of their predicted deviation: their mean square is about 1 for a model that knows itself.
fn validation(model: &Model) -> Option<Finding> {
    let left_out = model.posterior.leave_one_out();
    let squares = left_out.iter().zip(model.posterior.values()).map(|(l, y)| (y - l.mean).powi(2) / l.variance);
    let mean_square = squares.sum::<f64>() / left_out.len().max(1) as f64;
    (mean_square > 4.0).then(|| {
        let what = format!("left-out results are {} of their predicted deviations away", number(mean_square.sqrt()));
        note(what, "the function may have steps, or the noise may differ from place to place")
    })
}
