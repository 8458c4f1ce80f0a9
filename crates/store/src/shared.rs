//! A study that many processes work on, seen from one of them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use elbowroom::space::Point;
use elbowroom::study::{Event, Report, Study, StudyConfig, Told, Trial, TrialId, TrialState};

use crate::error::{Error, Result};
use crate::lease::{Attempt, DEFAULT_TTL, Hold, Lease};
use crate::log::{Digest, Entry, check_name};
use crate::request;
use crate::store::{Appended, Handout, Reported, Snapshot, Store, Ticket};
use crate::time::Time;

/// A study in a store, kept up to date by reading what is new.
///
/// All that it hands out is stored before it is returned, with a lease; all that it is told is stored before it says so.
/// Any number of processes and machines may do the same with the same study.
///
/// ```
/// use elbowroom::space::{Parameter, SearchSpace};
/// use elbowroom::study::{StudyConfig, Told};
/// use elbowroom_store::{Memory, SharedStudy};
/// use std::sync::Arc;
///
/// let space = SearchSpace::new(vec![Parameter::float("x", -1.0, 1.0)])?;
/// let store = Arc::new(Memory::new());
/// let mut ours = SharedStudy::create(store.clone(), "plate", StudyConfig::new(space).budget(6))?.worker("ours");
/// let mut theirs = SharedStudy::open(store, "plate")?.worker("theirs");
///
/// let mine = ours.ask(2, None)?;
/// let other = theirs.ask(2, Some("their first"))?;
/// assert!(mine.trials[0].point() != other.trials[0].point());
/// assert_eq!(theirs.ask(2, Some("their first"))?, other); // the same request has the same answer
///
/// assert_eq!(theirs.tell(&other.trials[0], 0.5)?, Told::Recorded);
/// assert_eq!(ours.tell(other.trials[0].id(), 0.4)?, Told::Replicate); // nothing measured is refused
/// assert_eq!(ours.ask(9, None)?.trials.len(), 2); // the budget holds for all of them together
/// # Ok::<(), elbowroom_store::Error>(())
/// ```
pub struct SharedStudy {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) name: String,
    pub(crate) worker: String,
    pub(crate) ttl: Duration,
    pub(crate) study: Study,
    pub(crate) digest: Digest,
    pub(crate) times: Vec<Time>,
    pub(crate) leases: BTreeMap<TrialId, Lease>,
    pub(crate) queue: Vec<Ticket>,
    pub(crate) now: Time,
}

/// Which trial a report is about, and what is known about the report.
///
/// A trial's number is enough. From a [`HandedTrial`] it also knows the attempt, so that a worker that was given up
/// cannot end a trial that another one has by now.
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
    /// The teller's name for the report: the same report again under this name changes nothing.
    pub request: Option<String>,
}

impl About {
    /// Under a name, so that it can be reported again without harm.
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

impl From<&HandedTrial> for About {
    fn from(handed: &HandedTrial) -> Self {
        handed.attempt.into()
    }
}

/// The answer to an ask.
#[derive(Debug, Clone, PartialEq)]
pub struct Handed {
    /// The trials, stored and leased.
    pub trials: Vec<HandedTrial>,
    /// Why there are fewer than asked for.
    pub short: Option<String>,
}

/// A trial that was handed out.
#[derive(Debug, Clone, PartialEq)]
pub struct HandedTrial {
    /// The trial, as it stands.
    pub trial: Trial,
    /// Which attempt of it this is.
    pub attempt: Attempt,
}

impl HandedTrial {
    /// The trial's number.
    pub fn id(&self) -> TrialId {
        self.trial.id
    }

    /// The point to evaluate.
    pub fn point(&self) -> &Point {
        &self.trial.point
    }
}

/// Making one.
impl SharedStudy {
    /// Creates a study in a store.
    pub fn create(store: Arc<dyn Store>, name: &str, config: StudyConfig) -> Result<Self> {
        check_name("the name of the study", name)?;
        config.validate()?;
        store.create(name, &Event::Created { config: Box::new(config) })?;
        Self::open(store, name)
    }

    /// Opens a study of a store.
    pub fn open(store: Arc<dyn Store>, name: &str) -> Result<Self> {
        let mut snapshot = store.read(name, 0)?;
        let Some(first) = (!snapshot.entries.is_empty()).then(|| snapshot.entries.remove(0)) else {
            let what = format!("the study `{name}` in {} has no events", store.place());
            return Err(Error::damaged(what, "take a copy of the store from before, or create the study anew"));
        };
        let study = Study::replay([first.open(0, Digest::EMPTY)?])?;
        let mut shared = Self {
            worker: format!("process {}", std::process::id()),
            name: name.to_owned(),
            ttl: DEFAULT_TTL,
            study,
            digest: first.digest,
            times: vec![first.at],
            leases: BTreeMap::new(),
            queue: Vec::new(),
            now: snapshot.now,
            store,
        };
        shared.absorb(snapshot, |_, _, _| {})?;
        Ok(shared)
    }

    /// Opens a study, or creates it if there is none; one that was made with another configuration is refused.
    pub fn open_or_create(store: Arc<dyn Store>, name: &str, config: StudyConfig) -> Result<Self> {
        match Self::create(store.clone(), name, config.clone()) {
            Err(Error::Exists { .. }) => {}
            other => return other,
        }
        let shared = Self::open(store, name)?;
        if *shared.study.config() != config {
            let what = format!("the study `{name}` in {} was made with another configuration", shared.store.place());
            let hint = "open it without a configuration, or give the new study another name";
            return Err(Error::Refused { what, hint: hint.to_owned() });
        }
        Ok(shared)
    }

    /// Sets the name under which this process takes trials.
    pub fn worker(mut self, name: impl Into<String>) -> Self {
        self.worker = name.into();
        self
    }

    /// Sets how long this process may be silent before its trials count as lost.
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = ttl;
        self
    }
}

/// Looking at it.
impl SharedStudy {
    /// The study, as far as it was read.
    pub fn study(&self) -> &Study {
        &self.study
    }

    /// Its name in the store.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The store.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// The store's time when it was read last.
    pub fn now(&self) -> Time {
        self.now
    }

    /// When each event was stored, by the store's clock.
    pub fn times(&self) -> &[Time] {
        &self.times
    }

    /// The hash of the whole log, as far as it was read.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The leases when it was read last, by trial.
    pub fn leases(&self) -> impl Iterator<Item = &Lease> {
        self.leases.values()
    }

    /// Reads what is new; returns how many events.
    pub fn refresh(&mut self) -> Result<usize> {
        let before = self.revision();
        let snapshot = self.store.read(&self.name, before)?;
        self.absorb(snapshot, |_, _, _| {})?;
        Ok(self.revision() - before)
    }

    pub(crate) fn revision(&self) -> usize {
        self.study.events().len()
    }

    /// Takes in a snapshot from this revision on; `see` looks at the study before each event, with its number.
    pub(crate) fn absorb(&mut self, snapshot: Snapshot, mut see: impl FnMut(&Study, usize, &Event)) -> Result<()> {
        self.now = snapshot.now;
        self.leases = snapshot.leases.into_iter().map(|lease| (lease.attempt.trial, lease)).collect();
        self.queue = snapshot.queue;
        for entry in &snapshot.entries {
            let Entry { at, digest, .. } = *entry;
            let number = self.revision();
            let event = entry.open(number, self.digest)?;
            see(&self.study, number, &event);
            self.study.apply(event)?;
            self.times.push(at);
            self.digest = digest;
        }
        Ok(())
    }
}

/// Telling it.
impl SharedStudy {
    /// Tells what was measured. Once this returns, the value is stored. It is never refused: late and further values
    /// are kept, and the answer says what they are.
    ///
    /// ```
    /// # use elbowroom::space::{Parameter, SearchSpace};
    /// # use elbowroom::study::{Report, StudyConfig, Told};
    /// # use elbowroom_store::{Memory, SharedStudy};
    /// # let space = SearchSpace::new(vec![Parameter::float("x", -1.0, 1.0)])?;
    /// # let mut study = SharedStudy::create(std::sync::Arc::new(Memory::new()), "plate", StudyConfig::new(space))?;
    /// let trials = study.ask(2, None)?.trials;
    /// study.tell(&trials[0], 0.25)?;
    /// study.tell(trials[1].id(), Report::new(0.5).noise(0.01).request("row 2"))?;
    /// assert_eq!(study.tell(trials[1].id(), Report::new(0.5).request("row 2"))?, Told::Repeated);
    /// # Ok::<(), elbowroom_store::Error>(())
    /// ```
    pub fn tell(&mut self, about: impl Into<About>, report: impl Into<Report>) -> Result<Told> {
        let (about, report) = (about.into(), report.into());
        let (finite, correction) = (report.value.is_finite(), report.correction);
        let request = report.request.clone().or(about.request).unwrap_or_else(request::fresh);
        let event = report.request(request).into_event(about.trial);
        let reported = self.send(&event, about.attempt)?;
        let mut told = Told::Recorded;
        let snapshot = self.store.read(&self.name, self.revision())?;
        self.absorb(snapshot, |study, number, event| {
            if reported == Reported::Appended(number) {
                told = kind(study, event, about.trial);
            }
        })?;
        Ok(match reported {
            Reported::Repeated(_) => Told::Repeated,
            _ if !finite => Told::NotFinite,
            _ if correction => Told::Correction,
            _ => told,
        })
    }

    /// Records that a trial ended without a value.
    pub fn fail(&mut self, about: impl Into<About>, reason: impl Into<String>) -> Result<Reported> {
        self.end(about.into(), |trial, request| Event::Failed { trial, reason: reason.into(), request })
    }

    /// Records that a trial's point breaks a constraint that only the evaluation can tell.
    pub fn infeasible(&mut self, about: impl Into<About>, reason: impl Into<String>) -> Result<Reported> {
        self.end(about.into(), |trial, request| Event::Infeasible { trial, reason: reason.into(), request })
    }

    /// Gives a trial up: its point is no longer pending, it does not count, and the study goes on without it.
    pub fn release(&mut self, about: impl Into<About>) -> Result<Reported> {
        self.end(about.into(), |trial, request| Event::Released { trial, request })
    }

    /// Gives trials back to be handed out again, to whoever asks next. Nothing is charged: a worker that is told to stop
    /// does this.
    pub fn give_back(&mut self, attempts: &[Attempt]) -> Result<()> {
        self.store.give_back(&self.name, attempts)
    }

    /// Says that these attempts are alive. Every 20 s is often enough for leases of 90 s; [`Heartbeat`] does it from a
    /// thread of its own.
    ///
    /// [`Heartbeat`]: crate::Heartbeat
    pub fn heartbeat(&self, attempts: &[Attempt]) -> Result<Vec<Hold>> {
        self.store.extend(&self.name, attempts)
    }

    /// Adds an earlier result at a point of one's own. A value that is not finite makes a failed trial.
    pub fn add(&mut self, point: &Point, report: impl Into<Report>) -> Result<Trial> {
        let Report { value, noise, request, .. } = report.into();
        let request = request.unwrap_or_else(request::fresh);
        if value.is_finite() {
            return Ok(self.put(point, Some(value), noise, &request, None)?.trial);
        }
        let handed = self.put(point, None, None, &request, Some(self.ttl))?;
        let failure = Report::new(value).request(format!("{request}, its failure")).into_event(handed.id());
        self.send(&failure, None)?;
        self.refresh()?;
        Ok(self.study.trial(handed.id())?.clone())
    }

    /// Starts a trial at a point of one's own; at a taken point it is a replicate. Without a `due` time it is never
    /// taken for lost, which is right for a person's experiment and wrong for a process that may die; with one it goes,
    /// once that has passed, to the next who asks.
    pub fn start(&mut self, point: &Point, due: Option<Duration>, request: Option<&str>) -> Result<HandedTrial> {
        let request = request.map_or_else(request::fresh, str::to_owned);
        self.put(point, None, None, &request, due)
    }

    fn put(
        &mut self,
        point: &Point,
        value: Option<f64>,
        noise: Option<f64>,
        request: &str,
        ttl: Option<Duration>,
    ) -> Result<HandedTrial> {
        for _ in 0..MAX_ROUNDS {
            self.refresh()?;
            if let Some(trial) = self.study.reported(request) {
                return Ok(HandedTrial { trial: self.study.trial(trial)?.clone(), attempt: Attempt::first(trial) });
            }
            let trial = TrialId(self.study.trials().len() as u64);
            let event = Event::Added { trial, point: point.clone(), value, noise, request: Some(request.to_owned()) };
            self.study.check(&event)?;
            let attempts = [Attempt::first(trial)];
            let handout = Handout { event: &event, attempts: &attempts, worker: &self.worker, ttl, ticket: None };
            // Whatever became of it, the next look at the log says whether it is there.
            if let Appended::Newer(revision) = self.store.append(&self.name, self.revision(), &handout)? {
                self.check_not_shorter(revision)?;
            }
        }
        Err(too_busy(&self.name))
    }

    fn end(&mut self, about: About, event: impl FnOnce(TrialId, Option<String>) -> Event) -> Result<Reported> {
        let request = about.request.unwrap_or_else(request::fresh);
        let reported = self.send(&event(about.trial, Some(request)), about.attempt)?;
        self.refresh()?;
        Ok(reported)
    }

    /// Stores a report, once it is sure that the log can take it.
    fn send(&mut self, event: &Event, attempt: Option<u32>) -> Result<Reported> {
        if self.study.check(event).is_err() {
            // The trial may be newer than what was read.
            self.refresh()?;
            self.study.check(event)?;
        }
        self.store.report(&self.name, event, attempt)
    }

    /// A log that is shorter than what was read of it is another one.
    pub(crate) fn check_not_shorter(&self, revision: usize) -> Result<()> {
        if revision >= self.revision() {
            return Ok(());
        }
        let (name, place, seen) = (&self.name, self.store.place(), self.revision());
        let what = format!("the study `{name}` in {place} has {revision} events, where it had {seen} before");
        Err(Error::damaged(what, "find out who replaced it, and open it again"))
    }
}

/// Rounds of looking and writing after which something else must be wrong.
pub(crate) const MAX_ROUNDS: usize = 1000;

pub(crate) fn too_busy(name: &str) -> Error {
    let what = format!("the study `{name}` changed {MAX_ROUNDS} times while something was to be appended");
    Error::unreachable(what, "try again with fewer workers at once")
}

/// What a value is that is about to be folded.
fn kind(study: &Study, event: &Event, trial: TrialId) -> Told {
    let late = matches!(event, Event::Told { late: true, .. });
    match study.trial(trial).map(|trial| &trial.state) {
        Ok(TrialState::Complete { .. }) => Told::Replicate,
        Ok(TrialState::Pending) if !late => Told::Recorded,
        _ => Told::Late,
    }
}
