//! A study that many processes share, seen from one of them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use elbowroom::space::{Point, nearest};
use elbowroom::study::{Event, FailureRule, Parts, Study, StudyConfig, TrainingSubset, Trial, TrialId};

use crate::decode::open_all;
use crate::difference::{differences, in_words};
use crate::error::{Error, Result};
use crate::identity::worker_name;
use crate::lease::{Attempt, DEFAULT_TTL, Lease};
use crate::log::{Digest, Entry, check_name};
use crate::store::{Snapshot, Store, Ticket};
use crate::stored::Stored;
use crate::time::Time;

/// A study in a store, kept up to date by reading new events.
///
/// It is asked and told like a [`Study`] in memory, by methods with the same names. Facts that only a store has are
/// behind [`stored`](Self::stored), and [`study`](Self::study) is the study as far as it was read.
///
/// Every trial is stored, with a lease, before it is handed out; every result is stored before a tell returns. Any
/// number of processes and machines may use the same study in this way.
///
/// ```
/// use elbowroom::space::{Parameter, SearchSpace};
/// use elbowroom::study::{Ask, StudyConfig, Told};
/// use elbowroom_store::{Memory, SharedStudy};
/// use std::sync::Arc;
///
/// let space = SearchSpace::new(vec![Parameter::float("x", -1.0, 1.0)])?;
/// let store = Arc::new(Memory::new());
/// let mut ours = SharedStudy::create(store.clone(), "plate", StudyConfig::new(space).budget(6))?.worker("ours");
/// let mut theirs = SharedStudy::open(store, "plate")?.worker("theirs");
///
/// let mine = ours.ask(2)?;
/// let other = theirs.ask(Ask::new(2).named("their first"))?;
/// assert!(mine.trials[0].point() != other.trials[0].point());
/// assert_eq!(theirs.ask(Ask::new(2).named("their first"))?, other); // the same request has the same answer
///
/// assert_eq!(theirs.tell(&other.trials[0], 0.5)?, Told::Recorded);
/// assert_eq!(ours.tell(other.trials[0].id(), 0.4)?, Told::Replicate); // nothing measured is refused
/// assert_eq!(ours.ask(9)?.trials.len(), 2); // the budget holds for all of them together
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
    /// Whether the log was begun before logs recorded what failures mean.
    lacks_failures: bool,
}

impl fmt::Debug for SharedStudy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("SharedStudy");
        shown.field("name", &self.name).field("store", &self.store.label()).field("worker", &self.worker);
        shown.field("revision", &self.revision()).finish_non_exhaustive()
    }
}

/// The answer to an ask.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Assignments {
    /// The trials, which are stored and leased.
    pub trials: Vec<Assignment>,
    /// Why there are fewer than were asked for.
    pub shortfall: Option<String>,
    /// The observations that the model was fitted to, if there were more than a model may have.
    pub subset: Option<TrainingSubset>,
}

/// A trial that was handed out.
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    /// The trial in its current state.
    pub trial: Trial,
    /// The attempt.
    pub attempt: Attempt,
}

impl Assignment {
    /// The trial's number.
    pub fn id(&self) -> TrialId {
        self.trial.id
    }

    /// The point to evaluate.
    pub fn point(&self) -> &Point {
        &self.trial.point
    }
}

/// Creating and opening.
impl SharedStudy {
    /// Creates a study in a store.
    pub fn create(store: Arc<dyn Store>, name: &str, config: StudyConfig) -> Result<Self> {
        check_name("the name of the study", name)?;
        config.validate()?;
        config.refuse_empty()?;
        store.create(name, &Event::Created { config: Box::new(config) })?;
        Self::open(store, name)
    }

    /// Opens a study of a store. If there is none with this name, the error lists those that exist.
    ///
    /// ```
    /// # use elbowroom::space::{Parameter, SearchSpace};
    /// # use elbowroom::study::StudyConfig;
    /// # use elbowroom_store::{Memory, SharedStudy};
    /// # let space = SearchSpace::new(vec![Parameter::float("x", -1.0, 1.0)])?;
    /// let store = std::sync::Arc::new(Memory::new());
    /// SharedStudy::create(store.clone(), "plate", StudyConfig::new(space))?;
    /// assert_eq!(SharedStudy::open(store.clone(), "palte").unwrap_err().hint(), "did you mean `plate`?");
    /// assert_eq!(SharedStudy::open(store, "kiln").unwrap_err().hint(), "use one of `plate`");
    /// # Ok::<(), elbowroom_store::Error>(())
    /// ```
    pub fn open(store: Arc<dyn Store>, name: &str) -> Result<Self> {
        let mut snapshot = store.read(name, 0).map_err(|error| say_which_there_are(error, &*store))?;
        let Some(first) = (!snapshot.entries.is_empty()).then(|| snapshot.entries.remove(0)) else {
            let what = format!("the study `{name}` in {} has no events", store.label());
            return Err(Error::damaged(what, "restore an older copy of the store, or create the study again"));
        };
        let study = Study::replay([first.open(0, Digest::EMPTY)?])?;
        let mut shared = Self {
            worker: worker_name(),
            name: name.to_owned(),
            ttl: DEFAULT_TTL,
            study,
            digest: first.digest,
            times: vec![first.at],
            leases: BTreeMap::new(),
            queue: Vec::new(),
            now: snapshot.now,
            lacks_failures: !first.config_has("failures"),
            store,
        };
        shared.absorb(snapshot, |_, _, _| {})?;
        Ok(shared)
    }

    /// Opens a study, or creates it if there is none; one that was created with a different configuration is refused.
    ///
    /// A study whose log lacks a setting, because it was begun before that setting existed, is not refused for the
    /// setting's default: it continues as it was. Nor is a study refused for its budget, which may have changed since:
    /// it keeps its budget until [`set_budget`](Self::set_budget).
    pub fn open_or_create(store: Arc<dyn Store>, name: &str, config: StudyConfig) -> Result<Self> {
        match Self::create(store.clone(), name, config.clone()) {
            Err(Error::Exists { .. }) => {}
            other => return other,
        }
        let shared = Self::open(store, name)?;
        let mut here = shared.as_recorded(config);
        here.budget = shared.study.config().budget;
        if *shared.study.config() != here {
            return Err(shared.refusal_of(&here));
        }
        Ok(shared)
    }

    /// The error that lists the settings in which a configuration differs from this study's, with both values.
    ///
    /// ```
    /// # use elbowroom::space::{Parameter, SearchSpace};
    /// # use elbowroom::study::StudyConfig;
    /// # use elbowroom_store::{Memory, SharedStudy};
    /// # let space = SearchSpace::new(vec![Parameter::float("x", -1.0, 1.0)])?;
    /// let (store, config) = (std::sync::Arc::new(Memory::new()), StudyConfig::new(space));
    /// let study = SharedStudy::create(store.clone(), "plate", config.clone())?;
    /// let error = study.refusal_of(&config.clone().seed(3));
    /// assert!(error.what().ends_with("was created with a different seed\n  `seed` is 3 here, and 0 in the store"));
    /// let again = SharedStudy::open_or_create(store, "plate", config.seed(3));
    /// assert_eq!(again.unwrap_err().what(), error.what());
    /// # Ok::<(), elbowroom_store::Error>(())
    /// ```
    pub fn refusal_of(&self, config: &StudyConfig) -> Error {
        let differ = differences(config, self.study.config(), in_words);
        let settings: Vec<&str> = differ.iter().map(|one| one.setting.as_str()).collect();
        let said: String = differ.iter().map(|one| format!("\n  {}", one.compared("here", "in the store"))).collect();
        let (name, label, settings) = (&self.name, self.store.label(), settings.join(", "));
        let what = format!("the study `{name}` in {label} was created with a different {settings}{said}");
        Error::refused(
            what,
            "use the old settings, give the new study another name, or open the old one without settings",
        )
    }

    /// A configuration to compare with this study's. If a setting is left at its default, and the study's log lacks it
    /// because the log was begun before the setting existed or when it had another default, it gets the value that the
    /// log implies.
    pub fn as_recorded(&self, mut config: StudyConfig) -> StudyConfig {
        if self.lacks_failures && config.failures == FailureRule::default() {
            config.failures = self.study.config().failures;
        }
        config.with_defaults_of(self.study.config())
    }

    /// Provides custom parts, such as the strategy that the study's configuration names. Without them asks fail;
    /// everything else works.
    ///
    /// ```
    /// # use elbowroom::batch::Plain;
    /// # use elbowroom::space::{Parameter, SearchSpace};
    /// # use elbowroom::study::{PartId, Parts, StrategyConfig, StudyConfig};
    /// # use elbowroom_store::{Memory, SharedStudy};
    /// # let space = SearchSpace::new(vec![Parameter::float("x", -1.0, 1.0)])?;
    /// let part = PartId::new("acme/plain", "1")?;
    /// let parts = Parts::new().with_strategy(part.clone(), |_settings| Ok(Plain::default()));
    /// let config = StudyConfig::new(space).strategy(StrategyConfig::foreign(part));
    /// let store = std::sync::Arc::new(Memory::new());
    /// let mut study = SharedStudy::create(store.clone(), "plate", config)?.with_parts(&parts)?;
    /// assert_eq!(study.ask(2)?.trials.len(), 2);
    /// let mut without = SharedStudy::open(store, "plate")?;
    /// assert_eq!(without.study().trials().len(), 2);
    /// assert_eq!(without.ask(2).unwrap_err().kind().as_str(), "missing_part");
    /// # Ok::<(), elbowroom_store::Error>(())
    /// ```
    pub fn with_parts(mut self, parts: &Parts) -> Result<Self> {
        self.study.set_parts(parts)?;
        Ok(self)
    }

    /// Sets the name under which this process takes trials. The default is [`worker_name`].
    pub fn worker(mut self, name: impl Into<String>) -> Self {
        self.worker = name.into();
        self
    }

    /// Sets the name under which trials are taken from now on.
    pub fn set_worker(&mut self, name: impl Into<String>) {
        self.worker = name.into();
    }

    /// Sets how long this process may be silent before its trials count as lost.
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = ttl;
        self
    }
}

/// Reading.
impl SharedStudy {
    /// The study, up to the last event that was read.
    pub fn study(&self) -> &Study {
        &self.study
    }

    /// Its name in the store.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What only a study in a store has: a clock, leases, and a log to which others append.
    pub fn stored(&self) -> Stored<'_> {
        Stored { shared: self }
    }

    /// Reads new events and returns their number.
    pub fn refresh(&mut self) -> Result<usize> {
        let before = self.revision();
        let snapshot = self.store.read(&self.name, before)?;
        self.absorb(snapshot, |_, _, _| {})?;
        Ok(self.revision() - before)
    }

    pub(crate) fn revision(&self) -> usize {
        self.study.events().len()
    }

    /// Takes in a snapshot that starts at this revision; `see` is called with the study before each event, the event's
    /// number and the event.
    pub(crate) fn absorb(&mut self, snapshot: Snapshot, mut see: impl FnMut(&Study, usize, &Event)) -> Result<()> {
        self.now = snapshot.now;
        self.leases = snapshot.leases.into_iter().map(|lease| (lease.attempt.trial, lease)).collect();
        self.queue = snapshot.queue;
        let events = open_all(&snapshot.entries, self.revision(), self.digest);
        for (event, &Entry { at, digest, .. }) in events.into_iter().zip(&snapshot.entries) {
            let (number, event) = (self.revision(), event?);
            see(&self.study, number, &event);
            self.study.apply(event)?;
            self.times.push(at);
            self.digest = digest;
        }
        Ok(())
    }
}

/// Rounds of reading and writing after which something else must be wrong.
pub(crate) const MAX_ROUNDS: usize = 1000;

pub(crate) fn too_busy(name: &str) -> Error {
    let what = format!("the study `{name}` changed {MAX_ROUNDS} times while an event was being appended");
    Error::unreachable(what, "try again with fewer workers at once")
}

/// Adds to an error about a missing study which studies exist, and which one may have been meant.
fn say_which_there_are(error: Error, store: &dyn Store) -> Error {
    let Error::NoStudy { study, place, hint } = error else { return error };
    let known: Vec<String> = store.studies().unwrap_or_default().into_iter().map(|one| one.name).collect();
    let names = || known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let hint = match (nearest(&study, known.iter().map(String::as_str)), known.len()) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, 0) => hint,
        (None, 1..=MOST_NAMED) => format!("use one of {}", names()),
        (None, n) => format!("list the {n} studies of the store, or create it first"),
    };
    Error::NoStudy { study, place, hint }
}

/// The most studies that an error lists.
const MOST_NAMED: usize = 12;
