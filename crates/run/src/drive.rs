//! Keeps n workers busy on a study.
//!
//! One loop owns the study: it asks, starts each command on a separate thread, and stores the results before it asks
//! again. A command that finishes while a model is fitted waits for its turn; nothing else is shared, and nothing is
//! locked.

mod storing;

use std::cell::Cell;
use std::fs;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use elbowroom::insight::expected_gain;
use elbowroom::study::{Alarm, Outcomes, Streak};
use elbowroom_store::{Assignment, Heartbeat, SharedStudy};
use storing::{Letter, Patience, Returning};

use crate::command::Given;
use crate::error::{Error, Result};
use crate::folder;
use crate::plan::{Plan, Refill};
use crate::process::{self, CommandEnd};
use crate::stop::{Stop, Urgency};

/// An event of a drive, for its watcher.
#[derive(Debug)]
pub enum DriveEvent<'a> {
    /// A trial's command was started.
    Started(&'a Assignment),
    /// A trial's command has ended, and the store has its result; with how long the command took.
    Ended(&'a Assignment, &'a CommandEnd, Duration),
    /// A trial's command has ended, and its result could not be stored; the drive ends, and its error contains the
    /// result.
    NotStored(&'a Assignment, &'a CommandEnd),
    /// Many trials in a row have ended without a value, whoever ran them; repeated each time the number has doubled.
    Failing(&'a Streak),
    /// No points for now, and why: the workers wait for trials of other workers.
    Waiting(&'a str),
    /// The study is paused: nothing is handed out for now.
    Paused,
    /// The store does not answer; the request will be repeated.
    Trouble(&'a str),
    /// Some time passed.
    Tick,
}

/// The reason why a drive ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Ended {
    /// There are no more points: the budget or the space is used up, as the reason says.
    NoMorePoints(String),
    /// The drive's own limit of trials was reached.
    EnoughTrials,
    /// Its time is up.
    TimeUp,
    /// A value at least as good as the target was found.
    TargetReached,
    /// One more trial is expected to improve too little on the best value.
    LittleGain,
    /// This many trials of the drive have failed, more than the initial design, and the study has no value at all: something
    /// other than the points may be wrong, so the rest of the budget is kept.
    AllFailed(usize),
    /// It was stopped.
    Stopped(Urgency),
}

/// A summary of a drive.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Why it ended.
    pub ended: Ended,
    /// The number of values that were stored.
    pub n_told: usize,
    /// The number of trials that failed.
    pub n_failed: usize,
    /// The number of trials at infeasible points.
    pub n_infeasible: usize,
    /// The number of trials that were handed back.
    pub n_given_back: usize,
    /// How long it took.
    pub time: Duration,
}

/// The interval of ticks while nothing happens.
const TICK: Duration = Duration::from_millis(200);

/// How often a drive in which nothing happens reads what others did.
const REFRESH: Duration = Duration::from_secs(2);

/// How often a study without points is asked again.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// The longest wait after commands have asked to be run later.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// How often in a row commands may ask to be run later while nothing else runs: with waits from 1 s, about four
/// minutes.
const MAX_WAITS: u32 = 10;

/// Failures beyond the initial design, after which a drive without any value gives up: where little of a space is feasible,
/// the whole design may fail.
const HOPELESS: usize = 4;

/// Runs the plan's command for one trial after another, until there are no more points, a budget is used up, or `stop`
/// says so.
///
/// Every result is stored before the next point is asked for. Whatever happens to this process, the same call on the
/// same study continues where it left off.
pub fn drive(
    study: &mut SharedStudy,
    plan: &Plan,
    stop: &Stop,
    watch: &mut dyn FnMut(&SharedStudy, DriveEvent<'_>),
) -> Result<Summary> {
    plan.limits.check()?;
    plan.check()?;
    let folder = folder::make()?;
    let heartbeat = Heartbeat::start(study.stored().store().clone(), study.name(), plan.heartbeat);
    let mut driving = Driving::new(study, plan, stop, watch, &heartbeat);
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        loop {
            if let Some(ended) = driving.ended() {
                return driving.summary(ended);
            }
            for handed in driving.new_trials() {
                let (sender, folder, name) = (sender.clone(), folder.path(), driving.study.name().to_owned());
                let outcomes = driving.study.study().outcomes().clone();
                scope.spawn(move || evaluate(plan, stop, (&name, &outcomes), folder, handed, &sender));
            }
            match receiver.recv_timeout(TICK) {
                Ok(done) => {
                    driving.take_in(done);
                    // Other commands may have finished in the meantime: a model should know all results.
                    receiver.try_iter().for_each(|done| driving.take_in(done));
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => driving.tick(),
            }
            driving.settle();
        }
    })
}

/// A command that has ended.
struct Done {
    handed: Assignment,
    outcome: CommandEnd,
    took: Duration,
}

fn evaluate(
    plan: &Plan,
    stop: &Stop,
    (study, outcomes): (&str, &Outcomes),
    folder: &Path,
    handed: Assignment,
    sender: &Sender<Done>,
) {
    let start = Instant::now();
    let stem = format!("trial-{}-{}", handed.id(), handed.attempt.number);
    let (params, result) = (folder.join(format!("{stem}.json")), folder.join(format!("{stem}.result")));
    let given = Given {
        study,
        trial: handed.id().0,
        attempt: handed.attempt.number,
        point: handed.point(),
        params: &params,
        result: &result,
    };
    let outcome = process::run(plan, &given, outcomes, stop);
    let _ = (fs::remove_file(&params), fs::remove_file(&result));
    // The drive waits for every command, so the receiver exists.
    let _ = sender.send(Done { handed, outcome, took: start.elapsed() });
}

struct Driving<'a> {
    study: &'a mut SharedStudy,
    plan: &'a Plan,
    stop: &'a Stop,
    watch: &'a mut dyn FnMut(&SharedStudy, DriveEvent<'_>),
    heartbeat: &'a Heartbeat,
    begun: Instant,
    n_started: usize,
    n_running: usize,
    /// Results that are not stored yet.
    letters: Vec<Letter>,
    returning: Returning,
    /// Waits in a row, because commands asked to be run later.
    n_waits: u32,
    /// Whether the next command that asks to be run later begins a wait: the commands of one round wait together.
    may_wait: bool,
    /// Decides when to report many failures in a row.
    alarm: Alarm,
    /// When to ask again after the study had no points, or its commands asked to be run later.
    ask_at: Instant,
    /// When and how often a store that fails is asked again.
    asking: Patience,
    refreshed: Instant,
    /// Why there were no points the last time, and whether there may still be some.
    no_points: Option<(String, bool)>,
    /// Why nothing more is asked for, if the store failed.
    broken: Option<Error>,
    untold: Vec<String>,
    /// Whether one more trial gains too little, by the number of events.
    gain: Cell<Option<(usize, bool)>>,
    summary: Summary,
}

impl<'a> Driving<'a> {
    fn new(
        study: &'a mut SharedStudy,
        plan: &'a Plan,
        stop: &'a Stop,
        watch: &'a mut dyn FnMut(&SharedStudy, DriveEvent<'_>),
        heartbeat: &'a Heartbeat,
    ) -> Self {
        let now = Instant::now();
        let summary = Summary {
            ended: Ended::EnoughTrials,
            n_told: 0,
            n_failed: 0,
            n_infeasible: 0,
            n_given_back: 0,
            time: Duration::ZERO,
        };
        Self {
            study,
            plan,
            stop,
            watch,
            heartbeat,
            begun: now,
            n_started: 0,
            n_running: 0,
            letters: Vec::new(),
            returning: Returning { trials: Vec::new(), patience: Patience::new() },
            n_waits: 0,
            may_wait: true,
            alarm: Alarm::default(),
            ask_at: now,
            asking: Patience::new(),
            refreshed: now,
            no_points: None,
            broken: None,
            untold: Vec::new(),
            gain: Cell::new(None),
            summary,
        }
    }

    /// Why no more points should be asked for.
    fn enough(&self) -> Option<Ended> {
        let goal = self.study.study().config().goal;
        let best = self.study.study().best().and_then(|trial| trial.value());
        let reached = |target: f64| best.is_some_and(|best| !goal.is_better(target, best));
        let n_hopeless = self.study.study().config().n_initial() + HOPELESS;
        match self.stop.urgency() {
            Urgency::None if self.plan.target.is_some_and(reached) => Some(Ended::TargetReached),
            Urgency::None if self.plan.min_gain.is_some_and(|least| self.gains_less_than(least)) => {
                Some(Ended::LittleGain)
            }
            Urgency::None if self.plan.time.is_some_and(|time| self.begun.elapsed() >= time) => Some(Ended::TimeUp),
            Urgency::None if self.plan.max_trials.is_some_and(|most| self.n_started >= most) => {
                Some(Ended::EnoughTrials)
            }
            Urgency::None if best.is_none() && self.summary.n_failed >= n_hopeless => {
                Some(Ended::AllFailed(self.summary.n_failed))
            }
            Urgency::None => None,
            urgency => Some(Ended::Stopped(urgency)),
        }
    }

    /// Whether one more trial is expected to gain less than this. It takes a fit, so it is computed once for the same
    /// results.
    fn gains_less_than(&self, least: f64) -> bool {
        let n_events = self.study.study().events().len();
        if let Some((_, is_less)) = self.gain.get().filter(|known| known.0 == n_events) {
            return is_less;
        }
        // If no model can be fitted, gains are unknown.
        let gain = expected_gain(self.study.study()).ok().flatten();
        let is_less = gain.is_some_and(|gain| gain < least);
        self.gain.set(Some((n_events, is_less)));
        is_less
    }

    /// Why the drive is over, if it is.
    fn ended(&self) -> Option<Ended> {
        if self.n_running + self.letters.len() + self.returning.trials.len() > 0 {
            return None;
        }
        let exhausted = match &self.no_points {
            Some((why, false)) => Some(Ended::NoMorePoints(why.clone())),
            _ => None,
        };
        let broken = self.broken.as_ref().map(|error| Ended::NoMorePoints(error.to_string()));
        self.enough().or(exhausted).or(broken)
    }

    /// Asks for as many trials as there are free workers.
    fn new_trials(&mut self) -> Vec<Assignment> {
        let waits_for_batch = self.plan.refill == Refill::InBatches && self.n_running > 0;
        // While results cannot be stored, more of them would not help.
        let waits_for_store = !self.letters.is_empty() || !self.asking.is_due();
        if waits_for_batch
            || waits_for_store
            || self.broken.is_some()
            || Instant::now() < self.ask_at
            || self.enough().is_some()
        {
            return Vec::new();
        }
        let left = self.plan.max_trials.map_or(usize::MAX, |most| most - self.n_started);
        let q = self.plan.n_workers.saturating_sub(self.n_running).min(left);
        if q == 0 {
            return Vec::new();
        }
        let handed = match self.study.ask_unless_paused(q) {
            Ok(Some(handed)) => handed,
            Ok(None) => {
                // Results that come during the pause are stored, and the drive continues when the study does.
                self.asking = Patience::new();
                self.ask_at = Instant::now() + LOOK_AGAIN;
                self.no_points = None;
                self.say(DriveEvent::Paused);
                return Vec::new();
            }
            Err(error) if self.asking.bears(&error) => {
                self.say(DriveEvent::Trouble(&error.to_string()));
                return Vec::new();
            }
            Err(error) => {
                self.broken = Some(error.into());
                return Vec::new();
            }
        };
        self.asking = Patience::new();
        if handed.trials.len() < q {
            // Do not wait for workers that have died. If the store fails, the next ask says so.
            let died = self.study.reclaim_from_the_dead().is_ok_and(|reclaimed| !reclaimed.again.is_empty());
            self.ask_at = Instant::now() + if died { Duration::ZERO } else { LOOK_AGAIN };
            let why = handed.shortfall.unwrap_or_else(|| "there are no points".to_owned());
            let others = self.others_work();
            if handed.trials.is_empty() && self.n_running == 0 && others {
                self.say(DriveEvent::Waiting(&why));
            }
            self.no_points = Some((why, others));
        } else {
            self.no_points = None;
        }
        self.may_wait |= !handed.trials.is_empty();
        for trial in &handed.trials {
            self.heartbeat.hold(trial.attempt);
            self.n_running += 1;
            self.n_started += 1;
            self.say(DriveEvent::Started(trial));
        }
        handed.trials
    }

    /// Whether another worker has a trial that may still be handed to this drive.
    fn others_work(&self) -> bool {
        let now = self.study.stored().now();
        self.study.stored().leases().any(|lease| lease.is_live(now) || lease.is_due(now))
    }

    fn take_in(&mut self, done: Done) {
        self.n_running -= 1;
        if matches!(done.outcome, CommandEnd::Requeue) {
            self.wait();
        } else {
            (self.n_waits, self.may_wait) = (0, true);
            self.ask_at = Instant::now();
        }
        if let CommandEnd::NotStarted(what) = &done.outcome {
            let hint = "check that the command's first word is a program that can be run from the folder it runs in";
            self.broken.get_or_insert(Error::command(what, hint));
        }
        match done.outcome {
            CommandEnd::Requeue | CommandEnd::Stopped | CommandEnd::NotStarted(_) => self.returning.trials.push(done),
            _ => self.letters.push(Letter::new(done)),
        }
    }

    /// Waits before the next ask, each time twice as long: otherwise a trial that is handed back would be handed out
    /// again at once.
    fn wait(&mut self) {
        if std::mem::take(&mut self.may_wait) {
            let wait = self.plan.wait.saturating_mul(2_u32.saturating_pow(self.n_waits)).min(LONGEST_WAIT);
            self.n_waits += 1;
            self.ask_at = Instant::now() + wait;
        }
        // Running commands may still end differently.
        if self.n_waits >= MAX_WAITS && self.n_running == 0 {
            let what = format!("the command asked to be run later (exit code 75) {} times in a row", self.n_waits);
            let hint = "run it again once whatever the command waits for is available; its trials were handed back";
            self.broken.get_or_insert(Error::command(what, hint));
        }
    }

    fn tick(&mut self) {
        if self.refreshed.elapsed() >= REFRESH {
            // For the watcher; if it fails, the next ask says so.
            let _ = self.study.refresh();
            self.refreshed = Instant::now();
        }
        if let Some(trouble) = self.heartbeat.trouble() {
            self.say(DriveEvent::Trouble(&trouble));
        }
        self.say(DriveEvent::Tick);
    }

    fn say(&mut self, happening: DriveEvent<'_>) {
        (self.watch)(self.study, happening);
    }

    fn summary(&mut self, ended: Ended) -> Result<Summary> {
        match self.broken.take() {
            Some(error) if self.untold.is_empty() => Err(error),
            Some(error) => Err(Error::Untold { results: self.untold.join("\n"), cause: error.to_string() }),
            None => Ok(Summary { ended, time: self.begun.elapsed(), ..self.summary.clone() }),
        }
    }
}
