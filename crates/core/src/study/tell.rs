//! Reports on trials, as events.

use serde::Serialize;

use super::results::{Measured, Resolved, Results, Watched, not_finite};
use super::state::next_kind;
use super::{Event, MeasurementKind, Outcomes, Study, Trial, TrialId};
use crate::error::{Error, Result};
use crate::space::Point;

/// A report on a trial: its results, with what is known about them.
///
/// ```
/// use elbowroom::study::Tell;
/// let tell = Tell::new(3.5).noise(0.01).request("worker 7, try 1");
/// assert_eq!(tell.noise, Some(0.01));
/// let tell = Tell::new([("loss", 0.3), ("minutes", 12.0)]);
/// assert_eq!(tell.results.names().collect::<Vec<_>>(), ["loss", "minutes"]);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Tell {
    /// The results, in the user's units.
    pub results: Results,
    /// The variance of the optimized result's noise, if it is known.
    pub noise: Option<f64>,
    /// Whether the results replace the trial's earlier results of the same names, instead of adding to them.
    pub correction: bool,
    /// A name for this report: reporting again with the same name changes nothing.
    pub request: Option<String>,
    /// A remark, kept among the trial's notes.
    pub comment: Option<String>,
}

impl Tell {
    /// A report of results alone: a number, or several by name.
    pub fn new(results: impl Into<Results>) -> Self {
        Self { results: results.into(), noise: None, correction: false, request: None, comment: None }
    }

    /// Sets the variance of the optimized result's noise.
    pub fn noise(mut self, variance: f64) -> Self {
        self.noise = Some(variance);
        self
    }

    /// Makes it a correction: it replaces the trial's earlier results of the same names.
    pub fn correction(mut self) -> Self {
        self.correction = true;
        self
    }

    /// Names the report, so that it can be repeated safely.
    pub fn request(mut self, name: impl Into<String>) -> Self {
        self.request = Some(name.into());
        self
    }

    /// Adds a remark.
    pub fn comment(mut self, text: impl Into<String>) -> Self {
        self.comment = Some(text.into());
        self
    }

    /// The event that records the report. With the optimized result, the event is a value, or a failure that says so if
    /// that result or another one that a model depends on is not finite, since there is nothing left to wait for.
    /// Without the optimized result, the trial's state does not change. Watched results that are not finite become a
    /// remark.
    pub fn into_event(self, trial: TrialId, outcomes: &Outcomes) -> Result<Event> {
        let Self { results, noise, correction, request, comment } = self;
        let is_broken = results.named().any(|(name, told)| !told.value.is_finite() && outcomes.is_data(name));
        let Resolved { objective, watched: results, notes } = results.resolve(outcomes)?;
        let remarks: Vec<String> = comment.into_iter().chain(notes).collect();
        let comment = (!remarks.is_empty()).then(|| remarks.join("; "));
        Ok(match objective {
            Some(Measured { value, .. }) if value.is_finite() && is_broken => {
                // A failure has no value, so this one is kept in words.
                let reason = format!("{}; `{}` was {value}", comment.unwrap_or_default(), outcomes.metric());
                Event::Failed { trial, reason, results, request }
            }
            Some(measured) if measured.value.is_finite() => {
                let (value, noise) = (measured.value, noise.or(measured.noise));
                Event::Told { trial, value, noise, results, comment, correction, late: false, request }
            }
            Some(measured) => {
                let comment = comment.map_or_else(String::new, |text| format!(": {text}"));
                Event::Failed { trial, reason: not_finite("the value", measured.value) + &comment, results, request }
            }
            None if noise.is_some() => {
                let metric = outcomes.metric();
                return Err(Error::trial(
                    format!("trial {trial}: a noise variance was given without `{metric}`, which it belongs to"),
                    format!("report `{metric}` with it"),
                ));
            }
            None => Event::Measured { trial, results, comment, correction, request },
        })
    }
}

impl<R: Into<Results>> From<R> for Tell {
    fn from(results: R) -> Self {
        Self::new(results)
    }
}

/// What became of a report of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Told {
    /// The trial's first value.
    Recorded,
    /// Kept, although the trial had failed, was infeasible, was withdrawn or counted as lost.
    Late,
    /// Kept in addition to the trial's other values.
    Replicate,
    /// Kept instead of the trial's earlier values.
    Correction,
    /// Not a finite number: recorded as a failure that says so.
    NotFinite,
    /// Kept, but the optimized result is not among them: the trial's state did not change.
    Aside,
    /// Reported before with the same name: nothing changed.
    Repeated,
}

impl Told {
    /// Its name in answers to programs and in JSON.
    ///
    /// ```
    /// use elbowroom::study::Told;
    /// assert_eq!(Told::NotFinite.word(), "not_finite");
    /// assert_eq!(serde_json::to_value(Told::NotFinite).unwrap(), "not_finite");
    /// ```
    pub fn word(self) -> &'static str {
        match self {
            Told::Recorded => "recorded",
            Told::Late => "late",
            Told::Replicate => "replicate",
            Told::Correction => "correction",
            Told::NotFinite => "not_finite",
            Told::Aside => "aside",
            Told::Repeated => "repeated",
        }
    }
}

impl Study {
    /// Reports what was measured for a trial: a number, several by name, or a [`Tell`] with more details. A value is
    /// never refused: late and repeated ones are kept, and the return value says what they are.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, SearchSpace};
    /// use elbowroom::study::{Study, StudyConfig, Told};
    ///
    /// let space = SearchSpace::new(vec![Parameter::int("n", 1, 9)])?;
    /// let mut study = Study::new(StudyConfig::new(space))?;
    /// let trials = study.ask(2)?.trials;
    /// assert_eq!(study.tell(trials[0].id, 1.0)?, Told::Recorded);
    /// assert_eq!(study.tell(trials[0].id, 2.0)?, Told::Replicate);
    /// assert_eq!(study.trial(trials[0].id)?.value(), Some(1.5));
    /// assert_eq!(study.tell(trials[1].id, f64::NAN)?, Told::NotFinite);
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn tell(&mut self, trial: TrialId, tell: impl Into<Tell>) -> Result<Told> {
        self.trial(trial)?;
        let event = tell.into().into_event(trial, self.outcomes())?;
        let told = self.becomes(&event);
        // The fold refuses a name that was used for another trial.
        let is_repeated = told == Told::Repeated && self.reported_by(&event) == Some(trial);
        if !is_repeated {
            self.apply(event)?;
        }
        Ok(told)
    }

    /// The point at which a trial was run, if some of its parameters had other values than planned: a context that had
    /// changed by then, or a setting that was not hit. Refused if that is no point of the space.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, Point, SearchSpace};
    /// use elbowroom::study::{Ask, Study, StudyConfig};
    ///
    /// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0), Parameter::float("humidity", 0.0, 90.0)])?;
    /// let mut study = Study::new(StudyConfig::new(space).contexts(["humidity"]))?;
    /// let trial = study.ask(Ask::new(1).fix("humidity", 40.0))?.trials.remove(0);
    /// let point = study.as_run(trial.id, &Point::new().with("humidity", 47.0))?;
    /// assert_eq!((point.f64("x")?, point.f64("humidity")?), (trial.point.f64("x")?, 47.0));
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn as_run(&self, trial: TrialId, actual: &Point) -> Result<Point> {
        let planned = self.trial(trial)?.point.clone();
        let changed = actual.iter().fold(planned, |point, (name, value)| point.with(name, value.clone()));
        self.space().check(&changed)
    }

    /// What becomes of a report if it is the next event. Anything but values and results counts as a failure. Only this
    /// function decides that, for a study in memory and in a store.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, SearchSpace};
    /// use elbowroom::study::{Tell, Study, StudyConfig, Told};
    ///
    /// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
    /// let mut study = Study::new(StudyConfig::new(space))?;
    /// let trial = study.ask(1)?.trials[0].id;
    /// let event = Tell::new(0.5).into_event(trial, study.outcomes())?;
    /// assert_eq!(study.becomes(&event), Told::Recorded);
    /// study.apply(event.clone())?;
    /// assert_eq!(study.becomes(&event), Told::Replicate);
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn becomes(&self, event: &Event) -> Told {
        match event {
            _ if self.reported_by(event).is_some() => Told::Repeated,
            Event::Measured { .. } => Told::Aside,
            Event::Told { correction: true, .. } => Told::Correction,
            Event::Told { trial, late, .. } => match self.trial(*trial).map(|trial| next_kind(&trial.state)) {
                Ok(MeasurementKind::First) if *late => Told::Late,
                Ok(MeasurementKind::First | MeasurementKind::Correction) => Told::Recorded,
                Ok(MeasurementKind::Replicate) => Told::Replicate,
                Ok(MeasurementKind::Late) | Err(_) => Told::Late,
            },
            _ => Told::NotFinite,
        }
    }

    /// The trial that was reported under this report's name, if any.
    fn reported_by(&self, event: &Event) -> Option<TrialId> {
        match event {
            Event::Told { request, .. } | Event::Measured { request, .. } | Event::Failed { request, .. } => {
                self.reported(request.as_deref()?)
            }
            _ => None,
        }
    }

    /// Records that a trial ended without a value. If the trial already has a value, this is kept as a note.
    ///
    /// The search learns where trials fail, unless the study was told to
    /// [ignore failures](crate::study::FailureRule::Ignore).
    ///
    /// The point is not proposed again. What the failure says about the points around it depends on the study's
    /// [`FailureRule`](super::FailureRule).
    pub fn fail(&mut self, trial: TrialId, reason: impl Into<String>) -> Result<()> {
        self.apply(Event::Failed { trial, reason: reason.into(), results: Watched::NONE, request: None })
    }

    /// Records that a trial's point breaks a constraint that only the evaluation can detect.
    ///
    /// The point is not proposed again, and the search learns where points are infeasible, whatever the study's rule
    /// for failures. Values reported for it are kept but do not count.
    pub fn infeasible(&mut self, trial: TrialId, reason: impl Into<String>) -> Result<()> {
        self.apply(Event::Infeasible { trial, reason: reason.into(), request: None })
    }

    /// Withdraws a pending trial: it does not count, and its point may be proposed again. Does nothing if the trial is
    /// not pending.
    pub fn withdraw(&mut self, trial: TrialId) -> Result<()> {
        if self.trial(trial)?.is_pending() {
            self.apply(Event::Withdrawn { trial, request: None })?;
        }
        Ok(())
    }

    /// Adds earlier results at a point of your choice: a number, or several by name. It counts as one of the initial
    /// points if the optimized result is among them.
    ///
    /// The point must be in the space. It may break constraints, since the value is valid all the same. A value that is
    /// not finite makes it a failed trial.
    pub fn add(&mut self, point: &Point, tell: impl Into<Tell>) -> Result<Trial> {
        // Check the point first, so that the error is about the point and not about an event of a log.
        self.space().check(point)?;
        let id = self.state.next_id();
        let told = tell.into().into_event(id, self.outcomes())?;
        self.apply(Event::added(id, point, told.clone()))?;
        if matches!(told, Event::Failed { .. }) {
            self.apply(told)?;
        }
        self.trial(id).cloned()
    }

    /// Starts a trial at a point of your choice, which is pending from now on. If the point is taken, the trial is a
    /// replicate.
    pub fn start(&mut self, point: &Point) -> Result<Trial> {
        self.space().check(point)?;
        let id = self.state.next_id();
        self.apply(Event::begun(id, point, None))?;
        self.trial(id).cloned()
    }
}

impl Event {
    /// A running trial that the user added.
    pub fn begun(trial: TrialId, point: &Point, request: Option<String>) -> Event {
        let (point, results) = (point.clone(), Watched::NONE);
        Event::Added { trial, point, value: None, noise: None, results, comment: None, request }
    }

    /// A trial that the user added, with what a report says about it. A failure follows separately, so the trial is still
    /// running.
    ///
    /// ```
    /// use elbowroom::space::Point;
    /// use elbowroom::study::{Event, Goal, Outcome, Outcomes, Tell, TrialId};
    ///
    /// let outcomes = Outcomes::new(vec![Outcome::objective("loss", Goal::Minimize)])?;
    /// let told = Tell::new([("loss", 0.5)]).into_event(TrialId(0), &outcomes)?;
    /// let added = Event::added(TrialId(0), &Point::new().with("x", 1.0), told);
    /// assert!(matches!(added, Event::Added { value: Some(0.5), .. }));
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn added(trial: TrialId, point: &Point, report: Event) -> Event {
        let (begun, point) = (Event::begun(trial, point, None), point.clone());
        match report {
            Event::Told { value, noise, results, comment, request, .. } => {
                Event::Added { trial, point, value: Some(value), noise, results, comment, request }
            }
            Event::Measured { results, comment, request, .. } => {
                Event::Added { trial, point, value: None, noise: None, results, comment, request }
            }
            _ => begun,
        }
    }
}
