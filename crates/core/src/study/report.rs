//! Reports of trials: what a person or a worker says, as an event.

use super::state::next_kind;
use super::{Event, MeasurementKind, Study, Trial, TrialId};
use crate::error::Result;
use crate::space::Point;

/// A value with what is known about it.
///
/// ```
/// use elbowroom::study::Report;
/// let report = Report::new(3.5).noise(0.01).request("worker 7, try 1");
/// assert_eq!(report.value, 3.5);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// What was measured, in the user's units.
    pub value: f64,
    /// The variance of its noise, if it is known.
    pub noise: Option<f64>,
    /// Whether it replaces the trial's earlier values instead of standing beside them.
    pub correction: bool,
    /// The teller's name for this report: telling again under it changes nothing.
    pub request: Option<String>,
    /// What the teller has to say about it; kept among the trial's notes.
    pub comment: Option<String>,
}

impl Report {
    /// A value and nothing else.
    pub fn new(value: f64) -> Self {
        Self { value, noise: None, correction: false, request: None, comment: None }
    }

    /// With the variance of its noise.
    pub fn noise(mut self, variance: f64) -> Self {
        self.noise = Some(variance);
        self
    }

    /// Replacing the trial's earlier values.
    pub fn correction(mut self) -> Self {
        self.correction = true;
        self
    }

    /// Under a name, so that it can be told again without harm.
    pub fn request(mut self, name: impl Into<String>) -> Self {
        self.request = Some(name.into());
        self
    }

    /// With words about it.
    pub fn comment(mut self, text: impl Into<String>) -> Self {
        self.comment = Some(text.into());
        self
    }

    /// The event that records it: a value that is not finite is a failure whose reason says so.
    pub fn into_event(self, trial: TrialId) -> Event {
        let Self { value, noise, correction, request, comment } = self;
        if value.is_finite() {
            return Event::Told { trial, value, noise, comment, correction, late: false, request };
        }
        let comment = comment.map_or_else(String::new, |text| format!(": {text}"));
        Event::Failed { trial, reason: not_finite(value) + &comment, request }
    }
}

impl From<f64> for Report {
    fn from(value: f64) -> Self {
        Self::new(value)
    }
}

/// What became of a value that was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// The trial's first value.
    Recorded,
    /// Kept, though the trial had failed, was infeasible, was given back or counted as lost.
    Late,
    /// Kept beside the trial's other values.
    Replicate,
    /// Kept instead of the trial's other values.
    Correction,
    /// Not a finite number: recorded as a failure that says so.
    NotFinite,
    /// Told before under the same name: nothing changed.
    Repeated,
}

impl Study {
    /// Tells a value that was measured for a trial. A value is never refused: late and further ones are kept, and the
    /// answer says what they are.
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
    pub fn tell(&mut self, trial: TrialId, value: f64) -> Result<Told> {
        self.report(trial, Report::new(value))
    }

    /// As [`tell`](Self::tell), with the variance of the value's noise.
    pub fn tell_with_noise(&mut self, trial: TrialId, value: f64, variance: f64) -> Result<Told> {
        self.report(trial, Report::new(value).noise(variance))
    }

    /// As [`tell`](Self::tell), with all that a report can carry.
    pub fn report(&mut self, trial: TrialId, report: Report) -> Result<Told> {
        let state = &self.trial(trial)?.state;
        if report.request.as_ref().is_some_and(|r| self.state.told.get(r) == Some(&trial)) {
            return Ok(Told::Repeated);
        }
        let told = match next_kind(state) {
            _ if !report.value.is_finite() => Told::NotFinite,
            _ if report.correction => Told::Correction,
            MeasurementKind::First | MeasurementKind::Correction => Told::Recorded,
            MeasurementKind::Replicate => Told::Replicate,
            MeasurementKind::Late => Told::Late,
        };
        self.apply(report.into_event(trial))?;
        Ok(told)
    }

    /// Records that a trial ended without a value. After a value it is kept as a note.
    ///
    /// The search learns where trials fail, unless the study was told to
    /// [ignore failures](crate::study::FailureRule::Ignore).
    ///
    /// The point is not proposed again. What it says about the points around it is the study's
    /// [`FailureRule`](super::FailureRule).
    pub fn fail(&mut self, trial: TrialId, reason: impl Into<String>) -> Result<()> {
        self.apply(Event::Failed { trial, reason: reason.into(), request: None })
    }

    /// Records that a trial's point breaks a constraint that only the evaluation can tell.
    ///
    /// The point is not proposed again, and the search learns where points are infeasible, whatever the study says about
    /// failures. Values that were told for it are kept but do not count.
    pub fn infeasible(&mut self, trial: TrialId, reason: impl Into<String>) -> Result<()> {
        self.apply(Event::Infeasible { trial, reason: reason.into(), request: None })
    }

    /// Gives a pending trial back: its point may be proposed again. Nothing happens to a trial that is not pending.
    pub fn release(&mut self, trial: TrialId) -> Result<()> {
        if self.trial(trial)?.is_pending() {
            self.apply(Event::Released { trial, request: None })?;
        }
        Ok(())
    }

    /// Adds an earlier result at a point of one's own. It counts as one of the initial points.
    ///
    /// The point must be in the space; constraints may be broken, since the value is true all the same. A value that is
    /// not finite makes a failed trial.
    pub fn add(&mut self, point: &Point, value: f64) -> Result<Trial> {
        let id = self.state.next_id();
        let finite = value.is_finite().then_some(value);
        self.apply(Event::Added {
            trial: id,
            point: point.clone(),
            value: finite,
            noise: None,
            comment: None,
            request: None,
        })?;
        if finite.is_none() {
            self.fail(id, not_finite(value))?;
        }
        self.trial(id).cloned()
    }

    /// Starts a trial at a point of one's own, which is pending from here on; at a taken point it is a replicate.
    pub fn start(&mut self, point: &Point) -> Result<Trial> {
        let id = self.state.next_id();
        self.apply(Event::Added {
            trial: id,
            point: point.clone(),
            value: None,
            noise: None,
            comment: None,
            request: None,
        })?;
        self.trial(id).cloned()
    }
}

fn not_finite(value: f64) -> String {
    match value {
        v if v.is_nan() => "the value was NaN".to_owned(),
        v if v > 0.0 => "the value was +infinity".to_owned(),
        _ => "the value was -infinity".to_owned(),
    }
}
