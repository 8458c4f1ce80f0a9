//! `elbow run` and `elbow worker`: keep workers busy.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use anyhow::Result;
use elbowroom_run::{
    DriveEvent, Ended, Limits, Plan, Refill, ResultFrom, ResultReader, Stop, Summary, Template, Trust, Urgency, drive,
    format_duration,
};
use elbowroom_store::{BestAnswer, Reclaimed, SharedStudy};
use serde_json::{Value, json};
use signal_hook::consts::SIGINT;

use super::{answer, best};
use crate::address::Address;
use crate::args::{How, ResultPlace, Run, Where, Worker};
use crate::error::cli_error;
use crate::format;
use crate::progress::{Progress, failing};
use crate::signals;
use crate::study_file::RunSection;

/// Runs a study from its study.toml.
pub fn run(args: &Run, json: bool) -> Result<ExitCode> {
    if !args.place.ends_with(".toml") {
        let what = format!("{} is not a study.toml", args.place);
        return Err(cli_error(what, "name a study.toml, or join a store's study with `elbow worker`"));
    }
    let place = Address::find(&Where::of(&args.place))?;
    go(&place, &args.how, json)
}

/// Joins a study.
pub fn worker(args: &Worker, json: bool) -> Result<ExitCode> {
    go(&Address::find(&args.study)?, &args.how, json)
}

fn go(place: &Address, how: &How, json: bool) -> Result<ExitCode> {
    let section = place.file.as_ref().map(|(file, _)| file.run.clone()).unwrap_or_default();
    let command = command(how, &section, place)?;
    let mut study = place.open_or_create()?.ttl(how.lease);
    // A command in a study.toml was written by whoever named the file; a command that is only in a store may not be.
    let trust = if place.file.is_some() { Trust::Own } else { Trust::Store };
    command.check(study.name(), study.study().space(), trust)?;
    let mut plan = plan(how, &section, command);
    if let Some((file, folder)) = &place.file {
        plan.time = plan.time.or(file.time);
        plan.target = plan.target.or(file.target);
        // A command from the command line runs in the person's current folder.
        plan.folder = how.command.is_empty().then(|| folder.clone()).filter(|folder| folder.as_os_str() != ".");
    }
    plan.heartbeat = plan.heartbeat.min(how.lease / 4);

    let reclaimed = study.reclaim_from_the_dead()?;
    begin(&study, &reclaimed, json);
    let stop = Stop::new();
    let signal = listen(&stop)?;
    let mut progress = (!json).then(|| Progress::new(&study));
    let summary = drive(&mut study, &plan, &stop, &mut |study, happening| {
        match (&mut progress, &happening) {
            (Some(progress), _) => progress.show(study, &happening),
            // Standard output is for JSON alone; this is for readers of a cluster's log.
            (None, DriveEvent::Failing(streak)) => say!("{}", failing(streak)),
            (None, _) => {}
        }
    });
    if let Some(progress) = &progress {
        progress.clear();
    }
    let summary = summary?;
    study.refresh()?;
    answer(json, || ending_json(&study, &summary), || ending(&study, &summary))?;
    Ok(match signal.load(Ordering::SeqCst) {
        // Trials were run, but the study has no value at all: whether they failed or were infeasible, nothing was
        // found.
        0 if !has_a_value(&study) && summary.n_failed + summary.n_infeasible > 0 => ExitCode::FAILURE,
        0 if !did_its_work(&study, &summary) => ExitCode::FAILURE,
        0 => ExitCode::SUCCESS,
        signal => ExitCode::from(128 + signal as u8),
    })
}

/// Whether any trial of a study has a value, within its limits or not.
fn has_a_value(study: &SharedStudy) -> bool {
    study.study().trials().iter().any(|trial| trial.value().is_some())
}

/// Whether a run did something, or there was nothing left to do.
fn did_its_work(study: &SharedStudy, summary: &Summary) -> bool {
    let n_ended = summary.n_told + summary.n_failed + summary.n_infeasible;
    n_ended > 0
        || match summary.ended {
            Ended::TargetReached | Ended::LittleGain => true,
            // The budget is used up, or every point of the space has been tried.
            Ended::NoMorePoints(_) => study.study().budget_left() == Some(0) || study.study().best().is_some(),
            _ => false,
        }
}

fn command(how: &How, section: &RunSection, place: &Address) -> Result<Template> {
    if !how.command.is_empty() {
        return Ok(Template::from_words(&how.command)?);
    }
    section.command.clone().ok_or_else(|| {
        let hint = match place.file {
            Some(_) => "write `command = \"…\"` under [run] in study.toml, or the command after `--`",
            None => "write the command after `--`, or name a study.toml that has one: a store does not hold commands",
        };
        cli_error("there is no command to run", hint)
    })
}

fn plan(how: &How, section: &RunSection, command: Template) -> Plan {
    let from = how.result.map_or(section.reader.from, |place| match place {
        ResultPlace::Stdout => ResultFrom::Stdout,
        ResultPlace::File => ResultFrom::File,
    });
    let metric = how.metric.clone().or_else(|| section.reader.metric.clone());
    Plan {
        reader: ResultReader { from, metric },
        limits: Limits { time: how.timeout.or(section.limits.time), memory: how.memory.or(section.limits.memory) },
        refill: if how.batch || section.batch { Refill::InBatches } else { Refill::AtOnce },
        time: how.time,
        target: how.target,
        min_gain: how.min_gain,
        max_trials: how.trials,
        ..Plan::new(command).workers(how.workers.or(section.workers).unwrap_or(1))
    }
}

/// Turns signals into a stop: after the first SIGINT running trials finish, a second one stops at once; SIGTERM and
/// SIGHUP hand trials back. Returns the first signal that arrived, 0 until then.
fn listen(stop: &Stop) -> Result<Arc<AtomicI32>> {
    let first = Arc::new(AtomicI32::new(0));
    let (stop, seen) = (stop.clone(), first.clone());
    signals::listen(signals::ENDS_OR_HANGS_UP, move |signal| {
        let again = seen.compare_exchange(0, signal, Ordering::SeqCst, Ordering::SeqCst).is_err();
        match signal {
            SIGINT if again => {
                say!("stopping now: running trials are handed back");
                stop.set(Urgency::Now);
            }
            SIGINT => {
                say!("stopping after the running trials; press Ctrl-C again to hand them back now");
                stop.set(Urgency::Finish);
            }
            _ => stop.set(Urgency::Release),
        }
    })?;
    Ok(first)
}

fn begin(study: &SharedStudy, reclaimed: &Reclaimed, json: bool) {
    if json {
        return;
    }
    let n = study.study().trials().len();
    let goes_on = if n > 0 { format!(", continuing after {}", format::trials(n)) } else { String::new() };
    say!("{}", format::safe(&format!("study `{}` in {}{goes_on}", study.name(), study.stored().store().label())));
    for (attempts, fate) in [(&reclaimed.again, "will run again"), (&reclaimed.given_up, "is given up: lost too often")]
    {
        match attempts.len() {
            0 => {}
            1 => say!("1 trial of a process that died {fate}"),
            n => say!("{n} trials of a process that died {fate}"),
        }
    }
}

fn why(ended: &Ended) -> String {
    match ended {
        Ended::NoMorePoints(why) => why.clone(),
        Ended::EnoughTrials => "this run has reached its number of trials".to_owned(),
        Ended::TimeUp => "the time is up".to_owned(),
        Ended::TargetReached => "the target was reached".to_owned(),
        Ended::LittleGain => "one more trial is expected to gain too little".to_owned(),
        Ended::AllFailed(n) => {
            format!(
                "{n} trials of this run failed and none has a value, so it stopped; see `elbow trials`, and run the same command to continue"
            )
        }
        Ended::Stopped(_) => "stopped; run the same command to continue".to_owned(),
    }
}

fn ending(study: &SharedStudy, summary: &Summary) -> String {
    let done = summary.n_told + summary.n_failed + summary.n_infeasible;
    format!(
        "{}: {} in {} by this run ({} in all)\n{}store: {} (study `{}`)\n",
        why(&summary.ended),
        format::trials(done),
        format_duration(summary.time),
        format::count(&study.counts()),
        best::in_words(study),
        study.stored().store().label(),
        study.name(),
    )
}

fn ending_json(study: &SharedStudy, summary: &Summary) -> Value {
    json!({
        "name": study.name(),
        "store": study.stored().store().label(),
        "ended": why(&summary.ended),
        "told": summary.n_told,
        "failed": summary.n_failed,
        "infeasible": summary.n_infeasible,
        "given_back": summary.n_given_back,
        "seconds": summary.time.as_secs_f64(),
        "counts": study.counts(),
        "best": BestAnswer::of(study),
        "streak": study.study().streak(),
    })
}
