//! Reports to a shared study: they are appended at any revision, under names.

use std::time::Duration;

use elbowroom::space::Point;
use elbowroom::study::{Event, Tell, Told, Trial, TrialId, Watched};

use crate::error::Result;
use crate::lease::Attempt;
use crate::request;
use crate::shared::{Assignment, MAX_ROUNDS, SharedStudy, too_busy};
use crate::store::{Handout, Reported};

/// Which trial a report is about, and what is known about the report.
///
/// A trial's number is enough. Made from an [`Assignment`], it also contains the attempt, so that a worker that was
/// given up cannot end a trial that another worker has by now.
///
/// ```
/// use elbowroom::study::TrialId;
/// use elbowroom_store::About;
/// let about = About::from(TrialId(3)).request("sheet 2, row 5");
/// assert_eq!(about.trial, TrialId(3));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct About {
    /// The trial.
    pub trial: TrialId,
    /// The attempt it comes from, if that is known.
    pub attempt: Option<u32>,
    /// A name for the report: reporting again with the same name changes nothing.
    pub request: Option<String>,
}

impl About {
    /// Names the report, so that it can be repeated safely.
    pub fn request(mut self, name: impl Into<String>) -> Self {
        self.request = Some(name.into());
        self
    }
}

impl From<TrialId> for About {
    fn from(trial: TrialId) -> Self {
        Self { trial, attempt: None, request: None }
    }
}

impl From<Attempt> for About {
    fn from(attempt: Attempt) -> Self {
        Self { trial: attempt.trial, attempt: Some(attempt.number), request: None }
    }
}

impl From<&Assignment> for About {
    fn from(handed: &Assignment) -> Self {
        handed.attempt.into()
    }
}

impl SharedStudy {
    /// Reports what was measured, one number or several by name. Once this returns, it is stored. A value is never
    /// refused: late and further ones are kept, and the answer says what they are. Results without the optimized one
    /// are kept in any case, and the trial stays with its worker.
    ///
    /// ```
    /// # use elbowroom::space::{Parameter, SearchSpace};
    /// # use elbowroom::study::{Tell, StudyConfig, Told};
    /// # use elbowroom_store::{Memory, SharedStudy};
    /// # let space = SearchSpace::new(vec![Parameter::float("x", -1.0, 1.0)])?;
    /// # let mut study = SharedStudy::create(std::sync::Arc::new(Memory::new()), "plate", StudyConfig::new(space))?;
    /// let trials = study.ask(2)?.trials;
    /// study.tell(&trials[0], 0.25)?;
    /// study.tell(trials[1].id(), Tell::new(0.5).noise(0.01).request("row 2"))?;
    /// assert_eq!(study.tell(trials[1].id(), Tell::new(0.5).request("row 2"))?, Told::Repeated);
    ///
    /// let third = study.ask(1)?.trials.remove(0);
    /// assert_eq!(study.tell(&third, [("minutes", 12.0)])?, Told::Aside);
    /// assert_eq!(study.tell(&third, [("value", 0.75), ("joules", 3.0)])?, Told::Recorded);
    /// # Ok::<(), elbowroom_store::Error>(())
    /// ```
    pub fn tell(&mut self, about: impl Into<About>, report: impl Into<Tell>) -> Result<Told> {
        let (about, report) = (about.into(), report.into());
        let request = report.request.clone().or(about.request).unwrap_or_else(request::fresh);
        let event = report.request(request).into_event(about.trial, self.study.outcomes())?;
        let reported = self.send(&event, about.attempt)?;
        let mut told = self.study.becomes(&event);
        let snapshot = self.store.read(&self.name, self.revision())?;
        self.absorb(snapshot, |study, number, event| {
            if reported == Reported::Appended(number) {
                told = study.becomes(event);
            }
        })?;
        Ok(match reported {
            Reported::Repeated(_) => Told::Repeated,
            _ => told,
        })
    }

    /// Reports what was measured for a trial that was run with other values of some parameters than planned, such as a
    /// context that had changed by then: the point as it was run is added with the results and returned, and the planned
    /// trial is withdrawn if it was still pending. Repeated with the same name, it does what is left to do.
    ///
    /// ```
    /// # use elbowroom::space::{Parameter, Point, SearchSpace};
    /// # use elbowroom::study::{Ask, StudyConfig, TrialState};
    /// # use elbowroom_store::{Memory, SharedStudy};
    /// # let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0), Parameter::float("humidity", 0.0, 90.0)])?;
    /// # let config = StudyConfig::new(space).contexts(["humidity"]);
    /// # let mut study = SharedStudy::create(std::sync::Arc::new(Memory::new()), "plate", config)?;
    /// let planned = study.ask(Ask::new(1).fix("humidity", 40.0))?.trials.remove(0);
    /// let run = study.tell_as_run(&planned, &Point::new().with("humidity", 47.0), 0.25)?;
    /// assert_eq!((run.point.f64("humidity")?, run.value()), (47.0, Some(0.25)));
    /// assert_eq!(study.study().trial(planned.id())?.state, TrialState::Withdrawn);
    /// # Ok::<(), elbowroom_store::Error>(())
    /// ```
    pub fn tell_as_run(&mut self, about: impl Into<About>, actual: &Point, report: impl Into<Tell>) -> Result<Trial> {
        let (about, mut report) = (about.into(), report.into());
        if self.study.trial(about.trial).is_err() {
            self.refresh()?;
        }
        let planned = self.study.trial(about.trial)?.point.clone();
        let point = self.study.as_run(about.trial, actual)?;
        report.request = report.request.or_else(|| about.request.clone());
        if point == planned {
            self.tell(about.clone(), report)?;
            return Ok(self.study.trial(about.trial)?.clone());
        }
        let run = self.add(&point, report)?;
        if self.study.trial(about.trial)?.is_pending() {
            self.withdraw(About { request: None, ..about })?;
        }
        Ok(run)
    }

    /// Records that a trial ended without a value.
    pub fn fail(&mut self, about: impl Into<About>, reason: impl Into<String>) -> Result<Reported> {
        self.end(about.into(), |trial, request| Event::Failed {
            trial,
            reason: reason.into(),
            results: Watched::NONE,
            request,
        })
    }

    /// Records that a trial's point breaks a constraint that only the evaluation can detect.
    pub fn infeasible(&mut self, about: impl Into<About>, reason: impl Into<String>) -> Result<Reported> {
        self.end(about.into(), |trial, request| Event::Infeasible { trial, reason: reason.into(), request })
    }

    /// Withdraws a trial: its point is no longer pending, and the trial does not count.
    pub fn withdraw(&mut self, about: impl Into<About>) -> Result<Reported> {
        self.end(about.into(), |trial, request| Event::Withdrawn { trial, request })
    }

    /// Adds earlier results at a point of your choice. A value that is not finite makes it a failed trial.
    pub fn add(&mut self, point: &Point, report: impl Into<Tell>) -> Result<Trial> {
        let mut report = report.into();
        let request = report.request.take().unwrap_or_else(request::fresh);
        // The trial's number is known once it is added.
        let told = report.clone().request(&request).into_event(TrialId(0), self.study.outcomes())?;
        if !matches!(told, Event::Failed { .. }) {
            return Ok(self.put(point, Some(&told), &request, None)?.trial);
        }
        let handed = self.put(point, None, &request, Some(self.ttl))?;
        let failure = report.request(format!("{request}, its failure"));
        let failure = failure.into_event(handed.id(), self.study.outcomes())?;
        self.send(&failure, None)?;
        self.refresh()?;
        Ok(self.study.trial(handed.id())?.clone())
    }

    /// Starts a trial at a point of your choice; if the point is taken, the trial is a replicate. Without a `due` time
    /// the trial never counts as lost, which is right for a person's experiment and wrong for a process that may die.
    /// With one, it goes to whoever asks next once that time has passed.
    pub fn start(&mut self, point: &Point, due: Option<Duration>, request: Option<&str>) -> Result<Assignment> {
        let request = request.map_or_else(request::fresh, str::to_owned);
        self.put(point, None, &request, due)
    }

    fn put(&mut self, point: &Point, told: Option<&Event>, request: &str, ttl: Option<Duration>) -> Result<Assignment> {
        for _ in 0..MAX_ROUNDS {
            self.refresh()?;
            if let Some(trial) = self.study.reported(request) {
                return Ok(Assignment { trial: self.study.trial(trial)?.clone(), attempt: Attempt::first(trial) });
            }
            let trial = TrialId(self.study.trials().len() as u64);
            let event = match told {
                Some(told) => Event::added(trial, point, told.clone()),
                None => Event::begun(trial, point, Some(request.to_owned())),
            };
            // Check the point first, so that errors are about the point and not about an event of the log.
            self.study.space().check(point)?;
            self.study.check(&event)?;
            let attempts = [Attempt::first(trial)];
            let handout = Handout { event: &event, attempts: &attempts, worker: &self.worker, ttl, ticket: None };
            // Whether or not it was appended, the next read of the log shows it.
            self.store.append(&self.name, self.revision(), &handout)?;
        }
        Err(too_busy(&self.name))
    }

    fn end(&mut self, about: About, event: impl FnOnce(TrialId, Option<String>) -> Event) -> Result<Reported> {
        let request = about.request.unwrap_or_else(request::fresh);
        let reported = self.send(&event(about.trial, Some(request)), about.attempt)?;
        self.refresh()?;
        Ok(reported)
    }

    /// Stores a report, after checking that the log can take it.
    fn send(&mut self, event: &Event, attempt: Option<u32>) -> Result<Reported> {
        if self.study.check(event).is_err() {
            // The trial may be newer than the events read so far.
            self.refresh()?;
            self.study.check(event)?;
        }
        self.store.report(&self.name, event, attempt, self.revision())
    }
}
