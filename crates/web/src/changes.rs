//! Requests that change a study. The guard has already checked that this is allowed.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use elbowroom::domain::Narrowing;
use elbowroom::space::{Point, Value as Setting};
use elbowroom::study::{self, Results, TrialId};
use elbowroom_store::{
    About, AskAnswer, Attempt, BudgetAnswer, DEFAULT_TTL, Digest, HeartbeatAnswer, PauseAnswer, ReportAnswer,
    StatusAnswer, TellAnswer, Time, check_name, settings,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};

use crate::error::HttpError;
use crate::limits::{MAX_ASK, MAX_ATTEMPTS, check_json};
use crate::live_study::BY_HAND;
use crate::queries::{blocking, in_json};
use crate::studies::Studies;

type Studied = (State<Arc<Studies>>, Path<String>);
type Sent = Result<Bytes, BytesRejection>;
type Answer = Result<Response, HttpError>;

/// Longest lease that a worker may ask for, in seconds: a person's trial may take weeks.
pub const MAX_LEASE: f64 = 366.0 * 86_400.0;

/// Reads the body of a request.
pub fn read<T: DeserializeOwned>(body: Sent) -> Result<T, HttpError> {
    let body = body.map_err(|error| HttpError::new(error.status(), error.body_text(), "send at most 1 MB"))?;
    check_json(&body).map_err(|what| HttpError::bad(what, "send a plain object"))?;
    // A list would be read as an object's values in order.
    if body.trim_ascii_start().first() != Some(&b'{') {
        return Err(HttpError::bad("the body is not a JSON object", "see /api/openapi.json"));
    }
    settings::from_json(&body).map_err(|unread| {
        let error = unread.or_hint("see /api/openapi.json");
        HttpError::bad(error.what(), error.hint())
    })
}

/// The trial of a report, its attempt, and the name of the request.
fn about(trial: u64, attempt: Option<u32>, request: Option<String>) -> About {
    let mut about = About::from(TrialId(trial));
    (about.attempt, about.request) = (attempt, request);
    about
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ask {
    #[serde(default = "one")]
    n: usize,
    worker: Option<String>,
    request: Option<String>,
    lease_seconds: Option<f64>,
    /// Parameters that are held at these values in all of the points.
    #[serde(default = "Point::new")]
    fixed: Point,
    /// Numeric parameters that are kept between two values.
    #[serde(default)]
    within: BTreeMap<String, [Setting; 2]>,
}

fn one() -> usize {
    1
}

fn lease(seconds: Option<f64>) -> Result<Duration, HttpError> {
    match seconds {
        None => Ok(DEFAULT_TTL),
        Some(s) if (1.0..=MAX_LEASE).contains(&s) => Ok(Duration::from_secs_f64(s)),
        Some(s) => Err(HttpError::bad(format!("a lease of {s} seconds was asked for"), "ask for 1 second to a year")),
    }
}

/// Takes points.
pub async fn ask((State(studies), Path(name)): Studied, body: Sent) -> Answer {
    let Ask { n, worker, request, lease_seconds, fixed, within } = read(body)?;
    let narrowing = Narrowing { fixed: fixed.into_iter().collect(), within };
    if !(1..=MAX_ASK).contains(&n) {
        return Err(HttpError::bad(format!("{n} points were asked for"), format!("ask for 1 to {MAX_ASK}")));
    }
    let ttl = lease(lease_seconds)?;
    let worker = worker.unwrap_or_else(|| BY_HAND.to_owned());
    check_name("the worker's name", &worker)?;
    blocking(move || {
        let ask = elbowroom::study::Ask { request, ..elbowroom::study::Ask::new(n).narrowed(narrowing) };
        let served = studies.study(&name)?;
        let handed = served.broker.ask(&served.live, ask, &worker, ttl)?;
        in_json(&served.live.look_shared(|shared| AskAnswer::of(shared, &handed))?)
    })
    .await
}

/// The name of a part of a request: a long one is shortened to its digest.
fn derived(request: &str, part: &str) -> String {
    let whole = format!("{request}, {part}");
    if check_name("", &whole).is_ok() { whole } else { format!("{}, {part}", Digest::EMPTY.then(Time(0), request)) }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tell {
    trial: u64,
    /// The optimized result; null if it is not finite, which JSON cannot express.
    #[serde(default, deserialize_with = "present")]
    value: Option<Option<f64>>,
    /// Results by name, with or without the optimized one.
    results: Option<Results>,
    /// The variance of its noise.
    noise: Option<f64>,
    /// The same as a standard deviation.
    sd: Option<f64>,
    #[serde(default)]
    correction: bool,
    attempt: Option<u32>,
    request: Option<String>,
}

/// Distinguishes null from a missing field.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<f64>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// Joins a value and results by name.
fn all_results(value: Option<Option<f64>>, named: Option<Results>) -> Result<Results, HttpError> {
    match (value, named) {
        (None, None) => {
            let hint = "send one of them: {\"value\": 0.25}, or {\"results\": {\"loss\": 0.25, \"minutes\": 12}}";
            Err(HttpError::bad("there is neither `value` nor `results`", hint))
        }
        (None, Some(named)) => Ok(named),
        (Some(value), named) => Ok(named.unwrap_or_default().with_value(value.unwrap_or(f64::NAN))),
    }
}

/// The variance of the noise, from itself or from the standard deviation.
fn variance(noise: Option<f64>, sd: Option<f64>) -> Result<Option<f64>, HttpError> {
    match (noise, sd) {
        (Some(_), Some(_)) => Err(HttpError::bad(
            "both `noise` and `sd` are given",
            "send one of them: noise is the variance, sd its square root",
        )),
        (_, Some(sd)) if sd < 0.0 => {
            Err(HttpError::bad(format!("the standard deviation is {sd}"), "send one that is not negative"))
        }
        (noise, sd) => Ok(noise.or(sd.map(|sd| sd * sd))),
    }
}

/// Reports a result.
pub async fn tell((State(studies), Path(name)): Studied, body: Sent) -> Answer {
    let Tell { trial, value, results, noise, sd, correction, attempt, request } = read(body)?;
    let noise = variance(noise, sd)?;
    let mut report = study::Tell::new(all_results(value, results)?);
    let names: Vec<String> = report.results.names().map(str::to_owned).collect();
    (report.noise, report.correction) = (noise, correction);
    blocking(move || {
        let about = about(trial, attempt, request);
        let answer = studies.study(&name)?.live.tell(|study| {
            let told = study.tell(about, report)?;
            Ok(TellAnswer::new(study, TrialId(trial), told, names.iter().map(String::as_str)))
        })?;
        in_json(&answer)
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fail {
    trial: u64,
    #[serde(default)]
    reason: String,
    #[serde(default)]
    infeasible: bool,
    attempt: Option<u32>,
    request: Option<String>,
}

/// Reports that a trial ended without a value.
pub async fn fail((State(studies), Path(name)): Studied, body: Sent) -> Answer {
    let Fail { trial, reason, infeasible, attempt, request } = read(body)?;
    let reason = if reason.trim().is_empty() { "no reason was given".to_owned() } else { reason };
    blocking(move || {
        let about = about(trial, attempt, request);
        let answer = studies.study(&name)?.live.tell(|study| {
            let reported = if infeasible { study.infeasible(about, reason)? } else { study.fail(about, reason)? };
            Ok(ReportAnswer::new(study, TrialId(trial), Some(reported))?)
        })?;
        in_json(&answer)
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Withdraw {
    trial: u64,
    /// Whether to hand it out again.
    #[serde(default)]
    again: bool,
    attempt: Option<u32>,
    request: Option<String>,
}

/// Withdraws a trial, or hands it back.
pub async fn withdraw((State(studies), Path(name)): Studied, body: Sent) -> Answer {
    let Withdraw { trial, again, attempt, request } = read(body)?;
    blocking(move || {
        let served = studies.study(&name)?;
        if !again {
            let answer = served.live.tell(|study| {
                let reported = study.withdraw(about(trial, attempt, request))?;
                Ok(ReportAnswer::new(study, TrialId(trial), Some(reported))?)
            })?;
            return in_json(&answer);
        }
        served.once.run(request.as_deref(), || {
            served.live.tell(|study| {
                study.refresh()?;
                study.study().trial(TrialId(trial))?;
                let held = study.stored().leases().map(|lease| lease.attempt).find(|held| held.trial.0 == trial);
                match held {
                    // It was handed back before, and another worker has it by now.
                    Some(held) if attempt.is_some_and(|number| number < held.number) => Ok(()),
                    Some(held) if attempt.is_none_or(|number| number == held.number) => {
                        Ok(study.stored().requeue(&[held])?)
                    }
                    _ => {
                        Err(HttpError::new(StatusCode::CONFLICT, "this trial is not held by anyone", "check its state"))
                    }
                }
            })
        })?;
        in_json(&served.live.tell(|study| {
            study.refresh()?;
            Ok(ReportAnswer::new(study, TrialId(trial), None)?)
        })?)
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Beat {
    attempts: Vec<Alive>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Alive {
    trial: u64,
    attempt: u32,
}

/// Checks that a database can hold the trial numbers of these attempts.
pub fn checked(attempts: Vec<Attempt>) -> Result<Vec<Attempt>, HttpError> {
    match attempts.iter().find(|attempt| i64::try_from(attempt.trial.0).is_err()) {
        Some(attempt) => {
            Err(HttpError::missing(format!("there is no trial {}", attempt.trial), "see the list of trials"))
        }
        None => Ok(attempts),
    }
}

/// Reports that attempts are alive.
pub async fn heartbeat((State(studies), Path(name)): Studied, body: Sent) -> Answer {
    let Beat { attempts } = read(body)?;
    if attempts.len() > MAX_ATTEMPTS {
        return Err(HttpError::bad("too many attempts at once", format!("send at most {MAX_ATTEMPTS}")));
    }
    let attempts = attempts.iter().map(|a| Attempt { trial: TrialId(a.trial), number: a.attempt }).collect();
    let attempts = checked(attempts)?;
    blocking(move || {
        let holds = studies.study(&name)?.live.store().extend(&name, &attempts)?;
        in_json(&HeartbeatAnswer::new(&attempts, &holds))
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Add {
    point: Point,
    /// With a value it is an earlier result, without one a running trial.
    value: Option<f64>,
    /// Results by name, with or without the optimized one.
    results: Option<Results>,
    noise: Option<f64>,
    sd: Option<f64>,
    /// A trial that it replaces; that trial is withdrawn.
    instead_of: Option<u64>,
    /// In how many seconds the result is due; without it, it is never due.
    due_seconds: Option<f64>,
    request: Option<String>,
}

/// Adds a point of the user's choice, in place of a proposed one if requested.
pub async fn add((State(studies), Path(name)): Studied, body: Sent) -> Answer {
    let Add { point, value, results, noise, sd, instead_of, due_seconds, request } = read(body)?;
    let noise = variance(noise, sd)?;
    let due = due_seconds.map(|seconds| lease(Some(seconds))).transpose()?;
    let results = match (value, results) {
        (None, None) => None,
        (value, named) => Some(all_results(value.map(Some), named)?),
    };
    if results.is_none() && noise.is_some() {
        return Err(HttpError::bad(
            "there is a noise without a value",
            "send both, or send the noise once the value is known",
        ));
    }
    blocking(move || {
        let handed = studies.study(&name)?.live.tell(|study| {
            study.refresh()?;
            let point = complete(study.study().space(), point)?;
            if let Some(other) = instead_of {
                let trial = study.study().trial(TrialId(other))?;
                let repeated = request.as_deref().and_then(|request| study.study().reported(request)).is_some();
                if !trial.is_pending() && !repeated {
                    let what = format!("trial {other} is not running, so no other point can replace it");
                    return Err(HttpError::new(StatusCode::CONFLICT, what, "add a new point"));
                }
            }
            let added = match results {
                Some(results) => {
                    let mut report = study::Tell::new(results);
                    (report.noise, report.request) = (noise, request.clone());
                    let trial = study.add(&point, report)?;
                    StatusAnswer::of(study, &trial)
                }
                None => {
                    let handed = study.start(&point, due, request.as_deref())?;
                    StatusAnswer::handed(study, &handed)
                }
            };
            if let Some(other) = instead_of {
                study.withdraw(about(other, None, request.map(|request| derived(&request, "instead"))))?;
            }
            Ok(added)
        })?;
        in_json(&handed)
    })
    .await
}

/// The point with the values of fixed parameters, which need not be repeated.
fn complete(space: &elbowroom::space::SearchSpace, point: Point) -> Result<Point, HttpError> {
    Ok(space.check(&space.with_fixed(point))?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pause {
    paused: bool,
}

/// Pauses or resumes handing out points.
pub async fn pause((State(studies), Path(name)): Studied, body: Sent) -> Answer {
    let Pause { paused } = read(body)?;
    blocking(move || {
        studies.study(&name)?.pause(paused)?;
        in_json(&PauseAnswer { paused })
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Budget {
    /// Null for no limit. The field is required.
    #[serde(deserialize_with = "Option::deserialize")]
    trials: Option<usize>,
}

/// Sets how many trials may be handed out, including earlier ones.
pub async fn budget((State(studies), Path(name)): Studied, body: Sent) -> Answer {
    let Budget { trials } = read(body)?;
    blocking(move || {
        let changed = studies.study(&name)?.live.tell(|study| Ok(study.set_budget(trials)?))?;
        in_json(&BudgetAnswer { trials, changed })
    })
    .await
}
