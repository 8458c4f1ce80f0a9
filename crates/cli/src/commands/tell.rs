//! `elbow tell`, `elbow fail` and `elbow release`: the outcome of a trial.

use anyhow::Result;
use elbowroom::space::{Parameter, Point, SearchSpace, Value};
use elbowroom::study::{self, Results, Told, TrialId};
use elbowroom_store::{About, Attempt, ReportAnswer, Reported, SharedStudy, StatusAnswer, TellAnswer};
use serde_json::json;

use super::answer;
use crate::address::Address;
use crate::args::{Fail, Tell, Withdraw};
use crate::error::cli_error;
use crate::format::{breaks, number};
use crate::outcomes::awaited;

/// Reports what was measured.
pub fn tell(args: &Tell, json: bool) -> Result<()> {
    let place = Address::find(&args.study.clone().into())?;
    match (args.what.as_slice(), args.at.is_empty()) {
        ([trial, results @ ..], true) if !results.is_empty() => {
            let trial = trial.parse().map(TrialId).map_err(|_| {
                cli_error(format!("{trial:?} is not a trial"), "give a trial's number, as `elbow trials` lists them")
            })?;
            let report = report(args, results)?;
            let names: Vec<String> = report.results.names().map(str::to_owned).collect();
            let mut study = place.open()?;
            if !args.actual.is_empty() {
                return as_run(&mut study, trial, &args.actual, report, json);
            }
            let told = study.tell(trial, report)?;
            let told = TellAnswer::new(&study, trial, told, names.iter().map(String::as_str));
            let waiting = study.study().trial(trial).map_or_else(|_| String::new(), |t| awaited(study.study(), t));
            // Mention missing results only once.
            let waiting = if told.hint.is_some() { String::new() } else { waiting };
            answer(json, || json!(told), || format!("trial {trial}: {}{waiting}\n", told_in_words(&told)))
        }
        (results, false) => {
            let report = report(args, results)?;
            let mut study = place.open_or_create()?;
            let point = point(study.study().space(), &args.at)?;
            let trial = study.add(&point, report)?;
            let (id, value) = (trial.id, trial.value().map_or_else(|| "no value".to_owned(), number));
            let breaks = breaks(&study, &trial) + &awaited(study.study(), &trial);
            answer(
                json,
                || json!(StatusAnswer::of(&study, &trial)),
                || format!("trial {id}: added with {value}{breaks}\n"),
            )
        }
        _ => {
            let hint = "write elbow tell 3 0.25, elbow tell 3 loss=0.25 minutes=12, or elbow tell --at x=0.5 0.25";
            Err(cli_error("a trial and a value are needed", hint))
        }
    }
}

/// Reports results of a trial that was run with other values than planned.
fn as_run(study: &mut SharedStudy, planned: TrialId, actual: &[String], report: study::Tell, json: bool) -> Result<()> {
    let actual = assigned(study.study().space(), "--actual", actual)?;
    let trial = study.tell_as_run(planned, &actual, report)?;
    let value = trial.value().map_or_else(|| "no value".to_owned(), number);
    let breaks = breaks(study, &trial) + &awaited(study.study(), &trial);
    let what = match trial.id == planned {
        true => format!("trial {planned}: recorded {value}, at the planned point{breaks}\n"),
        false => format!("trial {}: added with {value}{breaks}, in place of trial {planned}\n", trial.id),
    };
    answer(json, || json!(StatusAnswer::of(study, &trial)), || what)
}

fn report(args: &Tell, written: &[String]) -> Result<study::Tell> {
    let mut report = study::Tell::new(results(written)?);
    report.noise = args.noise.or(args.sd.map(|sd| sd * sd));
    report.correction = args.correction;
    report.request.clone_from(&args.request);
    Ok(report)
}

/// Results as people write them: one number, `name=number`, or both.
fn results(written: &[String]) -> Result<Results> {
    let number = |text: &str| {
        let plain = text.trim();
        // People who use decimal commas write 0,5; 1,234.5 remains ambiguous.
        let comma = Some(plain.replacen(',', ".", 1)).filter(|point| point != plain && point.parse::<f64>().is_ok());
        let usual = || "give what was measured: 0.25, or loss=0.25 minutes=12".to_owned();
        let hint = || comma.map_or_else(usual, |point| format!("write a decimal point: {point}"));
        plain.parse::<f64>().map_err(|_| cli_error(format!("{text:?} is not a number"), hint()))
    };
    let bare: Vec<&String> = written.iter().filter(|word| !word.contains('=')).collect();
    if bare.len() > 1 {
        let what = format!("there are {} values without a name", bare.len());
        return Err(cli_error(what, "give one, and the others as name=number"));
    }
    let value = bare.first().map(|text| number(text)).transpose()?;
    // Names may contain `=`; numbers do not.
    let named = written.iter().filter_map(|word| word.rsplit_once('='));
    named.into_iter().try_fold(value.map_or_else(Results::default, Results::from), |results, (name, text)| {
        Ok(results.with(name.trim(), number(text)?))
    })
}

fn told_in_words(answer: &TellAnswer) -> String {
    match answer.told {
        Told::Recorded => "recorded",
        Told::Late => "recorded; it came late",
        Told::Replicate => "recorded next to its other values; their mean counts",
        Told::Correction => "recorded in place of its other values",
        Told::NotFinite => "recorded as a failure: the value is not finite",
        Told::Aside => match &answer.hint {
            Some(missing) => return format!("recorded, and nothing else changes: {missing}"),
            None => "recorded",
        },
        Told::Repeated => "already reported under this name; nothing changed",
    }
    .to_owned()
}

/// A point written as a list of `name=value`.
fn point(space: &SearchSpace, written: &[String]) -> Result<Point> {
    Ok(space.check(&space.with_fixed(assigned(space, "--at", written)?))?)
}

/// Values of parameters written as a list of `name=value` after an option.
fn assigned(space: &SearchSpace, option: &str, written: &[String]) -> Result<Point> {
    let mut point = Point::new();
    for entry in written {
        let Some((name, text)) = entry.split_once('=') else {
            return Err(cli_error(
                format!("{option} {entry:?} has no `=`"),
                format!("write it as {option} name=value"),
            ));
        };
        if point.get(name).is_some() {
            return Err(cli_error(format!("{option} gives `{name}` twice"), "give each parameter once"));
        }
        let parameter = space.parameters().iter().find(|parameter| parameter.name() == name);
        point = point.with(name, value(parameter, text));
    }
    Ok(point)
}

/// The value of a parameter from text: one from its list if that reads the same, otherwise a number, otherwise the
/// text.
pub fn value(parameter: Option<&Parameter>, text: &str) -> Value {
    let listed = parameter.map_or(&[][..], Parameter::listed);
    if let Some(value) = listed.iter().find(|value| value.as_str() == Some(text)) {
        return value.clone();
    }
    // A spreadsheet may add spaces around it.
    let text = text.trim();
    let reads_so = |value: &&Value| value.as_str().map_or_else(|| value.to_string() == text, |own| own == text);
    let same = |value: &&Value| value.as_f64().is_some_and(|own| text.parse::<f64>().is_ok_and(|x| x == own));
    if let Some(value) = listed.iter().find(reads_so).or_else(|| listed.iter().find(same)) {
        return value.clone();
    }
    match (text.parse::<i64>(), text.parse::<f64>()) {
        (Ok(whole), _) => Value::Int(whole),
        (Err(_), Ok(x)) => Value::Float(x),
        _ => Value::Text(text.to_owned()),
    }
}

/// Reports that a trial has no value.
pub fn fail(args: &Fail, json: bool) -> Result<()> {
    let mut study = Address::find(&args.study.clone().into())?.open()?;
    let about = About::from(TrialId(args.trial));
    let reported = match args.infeasible {
        true => study.infeasible(about, &args.reason)?,
        false => study.fail(about, &args.reason)?,
    };
    say(&study, TrialId(args.trial), reported, if args.infeasible { "infeasible" } else { "failed" }, json)
}

/// Withdraws or requeues a trial.
pub fn withdraw(args: &Withdraw, json: bool) -> Result<()> {
    let mut study = Address::find(&args.study.clone().into())?.open()?;
    let trial = TrialId(args.trial);
    if !args.again {
        let reported = study.withdraw(trial)?;
        return say(&study, trial, reported, "released", json);
    }
    study.study().trial(trial)?;
    let attempts: Vec<Attempt> =
        study.stored().leases().map(|lease| lease.attempt).filter(|attempt| attempt.trial == trial).collect();
    if attempts.is_empty() {
        return Err(cli_error(format!("trial {trial} is not held by anyone"), "see `elbow trials`"));
    }
    study.stored().requeue(&attempts)?;
    study.refresh()?;
    let found = ReportAnswer::new(&study, trial, None)?;
    answer(json, || json!(found), || format!("trial {trial}: will go to whoever asks next\n"))
}

fn say(study: &SharedStudy, trial: TrialId, reported: Reported, word: &str, json: bool) -> Result<()> {
    let found = ReportAnswer::new(study, trial, Some(reported))?;
    let state = found.state.word();
    answer(
        json,
        || json!(found),
        || match state == word {
            true => format!("trial {trial}: {word}\n"),
            false => format!("trial {trial}: recorded as a note; the trial is {state}\n"),
        },
    )
}
