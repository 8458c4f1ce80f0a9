//! A study in a store, as this process sees it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use elbowroom::domain::Narrowing;
use elbowroom::insight::{expected, expected_gain, importance_of, why};
use elbowroom::linalg::Points;
use elbowroom::space::Point;
use elbowroom::study::{Alarm, Ask, FrontPoint, FrontRecommendation, Tell, Told, TrialId};
use elbowroom_store::{
    About, AskAnswer, Attempt, DEFAULT_TTL, Digest, Entry, Heartbeat, Memory, SharedStudy, StatusAnswer, Store,
    StudiesAnswer, StudyAnswer, Time, Timeline, worker_name,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyMapping};

use crate::error::BindingError;
use crate::interrupt::{interruptible, interruptible_until_stored};
use crate::settings::{config_of, in_full, says};
use crate::space::{space_from_python, space_to_python};
use crate::trial::{Row, in_json, results_from_python, row_of};
use crate::value::point_from_python;

/// How many signs of life a running worker sends in the length of a lease.
const BEATS_PER_LEASE: u32 = 4;

/// A study in a store. It has two handles, so that a caller that reports or reads never waits for one that asks.
#[pyclass(frozen, module = "elbowroom._elbowroom")]
pub struct Study {
    store: Arc<dyn Store>,
    name: String,
    worker: String,
    ttl: Duration,
    asking: Arc<Mutex<SharedStudy>>,
    looking: Mutex<SharedStudy>,
    /// The attempts in the hands of this process, and the thread that asked for each.
    held: Mutex<HashMap<u64, (Attempt, ThreadId)>>,
    heartbeat: OnceLock<Heartbeat>,
    /// The warnings given so far about many trials in a row without a value.
    alarm: Mutex<Alarm>,
}

/// A lock whose last holder panicked is still usable: what it guards only changes as a whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn open_store(address: Option<&str>) -> Result<Arc<dyn Store>, BindingError> {
    Ok(match address {
        None => Arc::new(Memory::new()),
        Some(address) => elbowroom_store::open(address)?,
    })
}

/// The studies of a store, as JSON.
#[pyfunction]
pub fn studies(py: Python<'_>, store: &str) -> PyResult<String> {
    let found = py.detach(|| in_json(&StudiesAnswer::of(&*elbowroom_store::open_existing(store)?)?));
    Ok(found?)
}

/// The JSON of an answer with trials, and their points in the unit cube.
type Rows = (String, Vec<Vec<f64>>);

#[pymethods]
impl Study {
    /// Opens a study of this configuration, or creates it.
    #[staticmethod]
    #[pyo3(signature = (parameters, constraints, settings, store, name, worker, lease))]
    #[allow(clippy::too_many_arguments, reason = "one for each of the words of Python's own `Study`")]
    fn create(
        py: Python<'_>,
        parameters: Vec<Bound<'_, PyDict>>,
        constraints: Vec<String>,
        settings: &str,
        store: Option<String>,
        name: String,
        worker: Option<String>,
        lease: Option<f64>,
    ) -> PyResult<Self> {
        let space = space_from_python(&parameters, constraints)?;
        let config = config_of(&space, settings)?;
        let failures = says(settings, "failures").then_some(config.failures);
        py.detach(|| {
            let store = open_store(store.as_deref())?;
            let shared = SharedStudy::open_or_create(store.clone(), &name, config).map_err(BindingError::from)?;
            let mut wanted = shared.study().config().clone();
            if let Some(failures) = failures.filter(|said| *said != wanted.failures) {
                wanted.failures = failures;
                return Err(BindingError::from(shared.refusal_of(&wanted)).into());
            }
            Self::of(store, shared, worker, lease)
        })
    }

    /// Opens an existing study as it is in its store.
    #[staticmethod]
    #[pyo3(signature = (store, name, worker, lease))]
    fn open(py: Python<'_>, store: String, name: String, worker: Option<String>, lease: Option<f64>) -> PyResult<Self> {
        py.detach(|| {
            let store = elbowroom_store::open_existing(&store).map_err(BindingError::from)?;
            let shared = SharedStudy::open(store.clone(), &name).map_err(BindingError::from)?;
            Self::of(store, shared, worker, lease)
        })
    }

    /// A study in memory from a log: for each event, when it was stored, and the event as JSON.
    #[staticmethod]
    #[pyo3(signature = (name, log, lease))]
    fn load(py: Python<'_>, name: String, log: Vec<(i64, String)>, lease: Option<f64>) -> PyResult<Self> {
        py.detach(|| {
            let mut digest = Digest::EMPTY;
            let entries: Vec<Entry> = log
                .into_iter()
                .map(|(at, text)| {
                    digest = digest.then(Time(at), &text);
                    Entry { at: Time(at), text, digest }
                })
                .collect();
            let store = open_store(None)?;
            store.import(&name, &entries, &[]).map_err(BindingError::from)?;
            let shared = SharedStudy::open(store.clone(), &name).map_err(BindingError::from)?;
            Self::of(store, shared, None, lease)
        })
    }

    /// The log, in the form that [`load`](Self::load) takes.
    fn log(&self, py: Python<'_>) -> PyResult<Vec<(i64, String)>> {
        let snapshot = py.detach(|| self.store.read(&self.name, 0)).map_err(BindingError::from)?;
        Ok(snapshot.entries.into_iter().map(|entry| (entry.at.0, entry.text)).collect())
    }

    /// Takes up to n points: the answer to the ask, as JSON, and the points in the unit cube.
    #[pyo3(signature = (n, request=None, fixed=None, low=None, high=None))]
    fn ask<'py>(
        &self,
        py: Python<'py>,
        n: usize,
        request: Option<String>,
        fixed: Option<&Bound<'py, PyMapping>>,
        low: Option<&Bound<'py, PyMapping>>,
        high: Option<&Bound<'py, PyMapping>>,
    ) -> PyResult<Rows> {
        let point = |mapping: Option<&Bound<'py, PyMapping>>| mapping.map_or(Ok(Point::new()), point_from_python);
        let mut narrowing = Narrowing { fixed: point(fixed)?.into_iter().collect(), ..Narrowing::default() };
        for ((name, low), (_, high)) in point(low)?.into_iter().zip(point(high)?) {
            narrowing = narrowing.within(name, low, high);
        }
        let asking = self.asking.clone();
        let ask = Ask { request, ..Ask::new(n).narrowed(narrowing) };
        let work = move |stays: &dyn Fn() -> bool| {
            let mut shared = lock(&asking);
            let handed = shared.ask_while(ask, stays)?;
            let answer = AskAnswer::of(&shared, &handed);
            Ok((handed, answer))
        };
        let requeue = |asked: elbowroom_store::Result<_>| {
            let Ok((handed, _)) = asked else { return };
            let handed: elbowroom_store::Assignments = handed;
            let attempts: Vec<Attempt> = handed.trials.iter().map(|trial| trial.attempt).collect();
            // If they cannot be handed back, the lease runs out.
            let _ = lock(&self.asking).stored().requeue(&attempts);
        };
        let (handed, answer) = interruptible_until_stored(py, work, requeue)?.map_err(BindingError::from)?;
        handed.trials.iter().for_each(|handed| self.hold(handed.attempt));
        Ok((in_json(&answer)?, handed.trials.iter().map(|handed| handed.trial.unit.to_vec()).collect()))
    }

    /// Reports a value, or results by name; returns what became of the report.
    #[pyo3(signature = (trial, value, noise=None, correction=false, attempt=None, request=None))]
    #[allow(clippy::too_many_arguments, reason = "one for each thing that can be told")]
    fn tell(
        &self,
        py: Python<'_>,
        trial: u64,
        value: &Bound<'_, PyAny>,
        noise: Option<f64>,
        correction: bool,
        attempt: Option<u32>,
        request: Option<String>,
    ) -> PyResult<&'static str> {
        let mut report = Tell::new(results_from_python(value)?);
        report.noise = noise;
        report.correction = correction;
        report.request = request;
        let told =
            py.detach(|| lock(&self.looking).tell(about(trial, attempt, None), report).map_err(BindingError::from))?;
        // Without the optimized result, the trial stays in these hands.
        if told != Told::Aside {
            self.let_go(trial);
        }
        Ok(told.word())
    }

    /// A sentence that names the optimized result, for somebody who reported only others.
    fn say_missing(&self, py: Python<'_>, told: Vec<String>) -> PyResult<String> {
        self.look(py, |shared| Ok(shared.study().outcomes().say_missing(told.iter().map(String::as_str))))
    }

    /// Records that a trial ended without a value.
    #[pyo3(signature = (trial, reason, attempt=None, request=None))]
    fn fail(
        &self,
        py: Python<'_>,
        trial: u64,
        reason: String,
        attempt: Option<u32>,
        request: Option<String>,
    ) -> PyResult<()> {
        py.detach(|| lock(&self.looking).fail(about(trial, attempt, request), reason).map_err(BindingError::from))?;
        self.let_go(trial);
        Ok(())
    }

    /// Records that a trial's point breaks a constraint that only the evaluation can detect.
    #[pyo3(signature = (trial, reason, attempt=None, request=None))]
    fn infeasible(
        &self,
        py: Python<'_>,
        trial: u64,
        reason: String,
        attempt: Option<u32>,
        request: Option<String>,
    ) -> PyResult<()> {
        py.detach(|| {
            lock(&self.looking).infeasible(about(trial, attempt, request), reason).map_err(BindingError::from)
        })?;
        self.let_go(trial);
        Ok(())
    }

    /// Withdraws a trial.
    #[pyo3(signature = (trial, attempt=None, request=None))]
    fn withdraw(&self, py: Python<'_>, trial: u64, attempt: Option<u32>, request: Option<String>) -> PyResult<()> {
        py.detach(|| lock(&self.looking).withdraw(about(trial, attempt, request)).map_err(BindingError::from))?;
        self.let_go(trial);
        Ok(())
    }

    /// Hands trials back, to be handed out again.
    fn requeue(&self, py: Python<'_>, attempts: Vec<(u64, u32)>) -> PyResult<()> {
        let back: Vec<Attempt> =
            attempts.iter().map(|&(trial, number)| Attempt { trial: TrialId(trial), number }).collect();
        py.detach(|| lock(&self.looking).stored().requeue(&back).map_err(BindingError::from))?;
        attempts.iter().for_each(|&(trial, _)| self.let_go(trial));
        Ok(())
    }

    /// The attempts that the calling thread asked for and has not reported on: trial and attempt.
    fn held_here(&self) -> Vec<(u64, u32)> {
        let here = thread::current().id();
        let held = lock(&self.held);
        held.values().filter(|(_, by)| *by == here).map(|(attempt, _)| (attempt.trial.0, attempt.number)).collect()
    }

    /// Ends the leases of this machine's dead processes; returns how many trials will be handed out again.
    fn reclaim(&self, py: Python<'_>) -> PyResult<usize> {
        let reclaimed = py.detach(|| {
            let mut shared = lock(&self.looking);
            shared.refresh()?;
            shared.reclaim_from_the_dead()
        });
        Ok(reclaimed.map_err(BindingError::from)?.again.len())
    }

    /// The number of trials that other workers have, and of those that wait to be handed out again.
    fn others(&self, py: Python<'_>) -> PyResult<(usize, usize)> {
        self.look(py, |shared| {
            let now = shared.stored().now();
            let n_live =
                shared.stored().leases().filter(|lease| lease.is_live(now) && lease.worker != self.worker).count();
            Ok((n_live, shared.stored().leases().filter(|lease| lease.is_due(now)).count()))
        })
    }

    /// Adds an earlier result.
    #[pyo3(signature = (params, value, noise=None, request=None))]
    fn add(
        &self,
        py: Python<'_>,
        params: &Bound<'_, PyMapping>,
        value: &Bound<'_, PyAny>,
        noise: Option<f64>,
        request: Option<String>,
    ) -> PyResult<Row> {
        let point = point_from_python(params)?;
        let mut report = Tell::new(results_from_python(value)?);
        report.noise = noise;
        report.request = request;
        let added = py.detach(|| {
            let mut shared = lock(&self.looking);
            let trial = shared.add(&point, report)?;
            row_of(&shared, &trial)
        });
        Ok(added?)
    }

    /// Reports results of a trial that was run with other values than planned.
    #[pyo3(signature = (trial, actual, value, noise=None, attempt=None, request=None))]
    #[allow(clippy::too_many_arguments, reason = "one for each thing that can be told")]
    fn tell_as_run(
        &self,
        py: Python<'_>,
        trial: u64,
        actual: &Bound<'_, PyMapping>,
        value: &Bound<'_, PyAny>,
        noise: Option<f64>,
        attempt: Option<u32>,
        request: Option<String>,
    ) -> PyResult<Row> {
        let actual = point_from_python(actual)?;
        let mut report = Tell::new(results_from_python(value)?);
        report.noise = noise;
        report.request = request;
        let run = py.detach(|| {
            let mut shared = lock(&self.looking);
            let run = shared.tell_as_run(about(trial, attempt, None), &actual, report)?;
            row_of(&shared, &run)
        });
        let run = run?;
        self.let_go(trial);
        Ok(run)
    }

    /// Starts a trial at a point of the user's choice.
    #[pyo3(signature = (params, due=None, request=None))]
    fn start(
        &self,
        py: Python<'_>,
        params: &Bound<'_, PyMapping>,
        due: Option<f64>,
        request: Option<String>,
    ) -> PyResult<Row> {
        let point = point_from_python(params)?;
        let due = due.map(seconds).transpose()?;
        let started = py.detach(|| {
            let mut shared = lock(&self.looking);
            let handed = shared.start(&point, due, request.as_deref())?;
            Ok::<_, BindingError>((in_json(&StatusAnswer::handed(&shared, &handed))?, handed.trial.unit.to_vec()))
        });
        Ok(started?)
    }

    /// All trials, by number: a list as JSON, and the points in the unit cube.
    fn trials(&self, py: Python<'_>) -> PyResult<Rows> {
        self.look(py, |shared| {
            let trials = shared.study().trials();
            let answers: Vec<StatusAnswer> = trials.iter().map(|trial| StatusAnswer::of(shared, trial)).collect();
            Ok((in_json(&answers)?, trials.iter().map(|trial| trial.unit.to_vec()).collect()))
        })
    }

    /// One trial.
    fn trial(&self, py: Python<'_>, number: u64) -> PyResult<Row> {
        self.look(py, |shared| row_of(shared, shared.study().trial(TrialId(number))?))
    }

    /// The trial with the best value.
    fn best(&self, py: Python<'_>) -> PyResult<Option<Row>> {
        self.look(py, |shared| shared.study().best().map(|best| row_of(shared, best)).transpose())
    }

    /// The trial that comes closest to keeping all limits, if none keeps them all.
    fn least_infeasible(&self, py: Python<'_>) -> PyResult<Option<Row>> {
        self.look(py, |shared| shared.study().least_infeasible().map(|nearest| row_of(shared, nearest)).transpose())
    }

    /// The trials that no other beats in every objective: the front as JSON, and each of its trials.
    fn front(&self, py: Python<'_>) -> PyResult<(String, Vec<Row>)> {
        self.look(py, |shared| {
            let (study, front) = (shared.study(), shared.study().front());
            let row = |point: &FrontPoint| row_of(shared, study.trial(point.trial)?);
            Ok((in_json(&front)?, front.points.iter().map(row).collect::<Result<_, _>>()?))
        })
    }

    /// The front of the models' predictions, as JSON; empty as long as there is none.
    fn recommended_front(&self, py: Python<'_>) -> PyResult<String> {
        let asking = self.asking.clone();
        let work = move || {
            let mut shared = lock(&asking);
            shared.refresh()?;
            match shared.study().n_observed() {
                0 => in_json::<[FrontRecommendation]>(&[]),
                _ => in_json(shared.study().recommended_front()?.as_slice()),
            }
        };
        interruptible(py, work, drop)?.map_err(|fault: BindingError| fault.into())
    }

    /// The point to use in the end; with `highest_mean`, the paper's recommendation.
    #[pyo3(signature = (highest_mean=false))]
    fn recommended(&self, py: Python<'_>, highest_mean: bool) -> PyResult<Option<String>> {
        let asking = self.asking.clone();
        let work = move || {
            let mut shared = lock(&asking);
            shared.refresh()?;
            Ok::<_, BindingError>(if highest_mean {
                shared.study().highest_mean()
            } else {
                shared.study().recommended()
            })
        };
        let found = interruptible(py, work, drop)??;
        Ok(found.as_ref().map(in_json).transpose()?)
    }

    /// The point to use if some parameters are given.
    fn recommended_in(&self, py: Python<'_>, fixed: &Bound<'_, PyMapping>) -> PyResult<Option<String>> {
        let asking = self.asking.clone();
        let narrowing = Narrowing { fixed: point_from_python(fixed)?.into_iter().collect(), ..Narrowing::default() };
        let work = move || {
            let mut shared = lock(&asking);
            shared.refresh()?;
            Ok::<_, BindingError>(shared.study().recommended_in(&narrowing)?)
        };
        let found = interruptible(py, work, drop)??;
        Ok(found.as_ref().map(in_json).transpose()?)
    }

    /// The expected improvement of the next point over the best value; `None` before there is a model.
    fn expected_gain(&self, py: Python<'_>) -> PyResult<Option<f64>> {
        let asking = self.asking.clone();
        let work = move || {
            let mut shared = lock(&asking);
            shared.refresh()?;
            Ok(expected_gain(shared.study())?)
        };
        interruptible(py, work, drop)?.map_err(|fault: BindingError| fault.into())
    }

    /// Means and standard deviations of an outcome at points, according to the model of its results; of the metric if
    /// none is named.
    #[pyo3(signature = (points, outcome=None))]
    fn predict(
        &self,
        py: Python<'_>,
        points: Vec<Bound<'_, PyMapping>>,
        outcome: Option<String>,
    ) -> PyResult<(Vec<f64>, Vec<f64>)> {
        let points = points.iter().map(point_from_python).collect::<PyResult<Vec<_>>>()?;
        let asking = self.asking.clone();
        let work = move || {
            let mut shared = lock(&asking);
            shared.refresh()?;
            let study = shared.study();
            if let Some(outcome) = outcome.filter(|name| name != study.outcomes().metric()) {
                let mut units = Points::new(study.space().dim());
                for point in &points {
                    units.push(&study.space().encode(point)?);
                }
                let found = expected(study, &outcome, &units)?;
                return Ok(found.iter().map(|one| (one.mean, one.sd)).collect());
            }
            if study.n_observed() == 0 {
                let what = "no trial has a value yet, so nothing can be predicted";
                return Err(elbowroom::error::Error::data(what, "run trials first").into());
            }
            let outlook = study.outlook()?;
            let predict = |point: &Point| {
                let (mean, sd) = outlook.predict_value(&study.space().encode(point)?);
                Ok((study.config().goal.maximized(mean), sd))
            };
            points.iter().map(predict).collect::<Result<(Vec<f64>, Vec<f64>), BindingError>>()
        };
        interruptible(py, work, drop)?.map_err(|fault| fault.into())
    }

    /// How much each parameter matters to an outcome, as JSON; to the metric if none is named.
    #[pyo3(signature = (outcome=None))]
    fn importance(&self, py: Python<'_>, outcome: Option<String>) -> PyResult<String> {
        let asking = self.asking.clone();
        let work = move || {
            let mut shared = lock(&asking);
            shared.refresh()?;
            let study = shared.study();
            in_json(&importance_of(study, outcome.as_deref().unwrap_or(study.outcomes().metric()))?)
        };
        interruptible(py, work, drop)?.map_err(|fault: BindingError| fault.into())
    }

    /// Who ran which attempt, and when, as JSON: the latest ones.
    fn timeline(&self, py: Python<'_>, most: usize) -> PyResult<String> {
        self.look(py, |shared| in_json(&Timeline::of(shared, most)))
    }

    /// What the choice of a trial's point was based on, as JSON.
    fn why(&self, py: Python<'_>, trial: u64) -> PyResult<String> {
        let asking = self.asking.clone();
        let work = move || {
            let mut shared = lock(&asking);
            shared.refresh()?;
            in_json(&why(shared.study(), TrialId(trial))?)
        };
        interruptible(py, work, drop)?.map_err(|fault: BindingError| fault.into())
    }

    /// A warning about many trials in a row without a value, if there is something new to report. The store is not read
    /// again.
    fn alarm(&self, py: Python<'_>) -> Option<String> {
        py.detach(|| {
            let streak = lock(&self.looking).study().streak();
            let rings = lock(&self.alarm).rings(streak.as_ref());
            streak.filter(|_| rings).map(|streak| format!("{streak}. The latest:\n{}", streak.latest))
        })
    }

    /// The number of trials in each state, as JSON.
    fn counts(&self, py: Python<'_>) -> PyResult<String> {
        self.look(py, |shared| in_json(&shared.counts()))
    }

    /// The state of the study, as JSON.
    fn status(&self, py: Python<'_>) -> PyResult<String> {
        self.look(py, |shared| in_json(&StudyAnswer::of(shared)))
    }

    /// The number of further trials that the budget allows.
    fn budget_left(&self, py: Python<'_>) -> PyResult<Option<usize>> {
        self.look(py, |shared| Ok(shared.study().budget_left()))
    }

    /// Sets the budget, or removes it; returns whether it changed.
    #[pyo3(signature = (trials))]
    fn set_budget(&self, py: Python<'_>, trials: Option<usize>) -> PyResult<bool> {
        Ok(py.detach(|| lock(&self.looking).set_budget(trials).map_err(BindingError::from))?)
    }

    /// The settings, as JSON.
    fn settings(&self, py: Python<'_>) -> PyResult<String> {
        self.look(py, |shared| Ok(in_full(shared.study().config())))
    }

    /// The parameters, as dicts.
    fn space<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        space_to_python(py, &self.look(py, |shared| Ok(shared.study().space().clone()))?)
    }

    /// The store, in the form that people use.
    fn label(&self) -> String {
        self.store.label()
    }
}

impl Study {
    fn of(store: Arc<dyn Store>, shared: SharedStudy, worker: Option<String>, lease: Option<f64>) -> PyResult<Self> {
        let name = shared.name().to_owned();
        let ttl = lease.map(seconds).transpose()?.unwrap_or(DEFAULT_TTL);
        let looking = SharedStudy::open(store.clone(), &name).map_err(BindingError::from)?.ttl(ttl);
        let asking = shared.ttl(ttl);
        let worker = worker.unwrap_or_else(worker_name);
        let (asking, looking) = (asking.worker(worker.clone()), looking.worker(worker.clone()));
        Ok(Self {
            store,
            name,
            worker,
            ttl,
            asking: Arc::new(Mutex::new(asking)),
            looking: Mutex::new(looking),
            held: Mutex::default(),
            heartbeat: OnceLock::new(),
            alarm: Mutex::default(),
        })
    }

    /// Reads what is new, without holding the interpreter: otherwise a thread that holds a lock and waits for the
    /// interpreter, and one that holds the interpreter and waits for the lock, would wait for each other forever.
    fn look<T: Send>(
        &self,
        py: Python<'_>,
        read: impl FnOnce(&SharedStudy) -> Result<T, BindingError> + Send,
    ) -> PyResult<T> {
        let read = py.detach(|| {
            let mut shared = lock(&self.looking);
            shared.refresh()?;
            read(&shared)
        });
        Ok(read?)
    }

    fn hold(&self, attempt: Attempt) {
        let beat = || Heartbeat::start(self.store.clone(), &self.name, self.ttl / BEATS_PER_LEASE);
        self.heartbeat.get_or_init(beat).hold(attempt);
        lock(&self.held).insert(attempt.trial.0, (attempt, thread::current().id()));
    }

    fn let_go(&self, trial: u64) {
        if let (Some((attempt, _)), Some(heartbeat)) = (lock(&self.held).remove(&trial), self.heartbeat.get()) {
            heartbeat.let_go(attempt);
        }
    }
}

fn about(trial: u64, attempt: Option<u32>, request: Option<String>) -> About {
    let mut about = About::from(TrialId(trial));
    about.attempt = attempt;
    about.request = request;
    about
}

fn seconds(seconds: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(seconds).map_err(|_| {
        crate::error::config(format!("{seconds} is not a time in seconds"), "give a number that is not negative")
    })
}
