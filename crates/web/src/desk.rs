//! One study behind the counter: kept up to date, shown to many, asked by many.
//!
//! There are two copies of it. One is looked at and told results, which takes moments; the other one asks, which may
//! take a fit. So who looks never waits for who asks. Those who look read what is new at most every [`STALE`], together;
//! a store file in WAL mode lets a writer write meanwhile.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use elbowroom::study::{Ask, Study, TrialId};
use elbowroom_store::{Attempt, Error, Handed, SharedStudy, Store};
use elbowroom_view::overview::Recommended;
use elbowroom_view::picture::why_page;
use elbowroom_view::{Held, Picture, Scene, Standing};

use crate::error::HttpError;
use crate::pause::is_paused;

/// How old what is shown may be.
const STALE: Duration = Duration::from_millis(200);

/// The name of whoever gives no name.
pub const BY_HAND: &str = "by hand";

/// How many requests of the kind that changes nothing in the log are remembered, so that they can be sent again.
const MOST_REMEMBERED: usize = 10_000;

/// The name under which points are prepared for those who wait.
const PREPARED: &str = "elbow serve";

/// Results beyond which no model is made for a picture: it is made of a copy of the study, which would take its memory twice.
const MOST_MODELLED: usize = 20_000;

/// A picture's model is kept for so many times as long as it took to make.
const REST: u32 = 16;
const LEAST_REST: Duration = Duration::from_secs(1);

pub struct Desk {
    pub store: Arc<dyn Store>,
    pub name: String,
    shown: RwLock<SharedStudy>,
    /// When the store was looked at; none if something is known to be new.
    looked: Mutex<Option<Instant>>,
    asker: Mutex<Option<SharedStudy>>,
    waiting: AtomicUsize,
    /// The named requests among those that wait: one that is sent twice wants its points once.
    named: Mutex<HashSet<String>>,
    /// The named requests that were done and left no trace in the log.
    done: Mutex<HashSet<String>>,
    prepared: AtomicUsize,
    pub(crate) paused: AtomicBool,
    /// Held by whoever tells the store of a pause, so that none is said again after its end.
    pub(crate) pausing: Mutex<()>,
    /// How often the study was found replaced by another one.
    replaced: AtomicUsize,
    frozen: Mutex<Option<Arc<Frozen>>>,
    reasons: Mutex<HashMap<(usize, TrialId), Arc<str>>>,
}

/// A study that stands still while pictures of its model are made.
pub struct Frozen {
    pub study: Study,
    replaced: usize,
    standings: Vec<Standing>,
    held: Vec<Held>,
    now: i64,
    times: Vec<i64>,
    made: Instant,
    drawn: Mutex<Drawn>,
}

/// What was drawn of a frozen study, and how long that and its model took.
#[derive(Default)]
struct Drawn {
    took: Duration,
    /// None before it was worked out.
    recommended: Option<Option<Recommended>>,
    pictures: HashMap<(Picture, usize, usize), Arc<str>>,
}

/// Pictures of one state that are kept: a few views over a few pairs of parameters.
const MOST_KEPT: usize = 100;

impl Frozen {
    fn scene<'a>(&'a self, name: &'a str) -> Scene<'a> {
        let Self { study, standings, held, times, now, .. } = self;
        Scene { name, study, standings: standings.clone(), held: held.clone(), times: times.clone(), now: *now }
    }
}

impl Desk {
    pub fn open(store: Arc<dyn Store>, name: &str) -> Result<Self, HttpError> {
        let shown = SharedStudy::open(store.clone(), name)?;
        Ok(Self {
            store,
            name: name.to_owned(),
            shown: RwLock::new(shown.worker(BY_HAND)),
            looked: Mutex::new(Some(Instant::now())),
            asker: Mutex::default(),
            waiting: AtomicUsize::new(0),
            named: Mutex::default(),
            done: Mutex::default(),
            prepared: AtomicUsize::new(0),
            paused: AtomicBool::new(false),
            pausing: Mutex::default(),
            replaced: AtomicUsize::new(0),
            frozen: Mutex::default(),
            reasons: Mutex::default(),
        })
    }

    /// Shows the study as it stands.
    pub fn look<T>(&self, see: impl FnOnce(&Scene<'_>) -> T) -> Result<T, HttpError> {
        self.look_shared(|shared| see(&Scene::of(shared)))
    }

    /// Shows the study with what its store knows.
    pub fn look_shared<T>(&self, see: impl FnOnce(&SharedStudy) -> T) -> Result<T, HttpError> {
        let mut looked = lock(&self.looked);
        if looked.is_none_or(|at| at.elapsed() >= STALE) {
            let mut shown = self.shown.write().unwrap_or_else(PoisonError::into_inner);
            match shown.refresh() {
                // Somebody restored a copy, or made it anew: that is the study from now on.
                Err(Error::Damaged { .. }) => {
                    *shown = SharedStudy::open(self.store.clone(), &self.name)?.worker(BY_HAND);
                    self.replaced.fetch_add(1, Ordering::SeqCst);
                }
                other => drop(other?),
            }
            drop(shown);
            *looked = Some(Instant::now());
        }
        drop(looked);
        Ok(see(&self.shown.read().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Tells the study something.
    pub fn tell<T>(&self, tell: impl FnOnce(&mut SharedStudy) -> Result<T, HttpError>) -> Result<T, HttpError> {
        tell(&mut self.shown.write().unwrap_or_else(PoisonError::into_inner))
    }

    /// Does something once for all requests of a name. What leaves no trace in the log is remembered here, as long as this
    /// process lives.
    pub fn once(&self, request: Option<&str>, work: impl FnOnce() -> Result<(), HttpError>) -> Result<(), HttpError> {
        let Some(request) = request else { return work() };
        let mut done = lock(&self.done);
        if done.contains(request) {
            return Ok(());
        }
        work()?;
        if done.len() >= MOST_REMEMBERED {
            done.clear();
        }
        done.insert(request.to_owned());
        Ok(())
    }

    /// Takes points. Where several wait, one prepares points for all of them, and each then takes its own: a batch is
    /// chosen once, and what is taken is stored under its taker's name and request like any other. Who asks for a part of
    /// the space has points chosen for itself.
    pub fn ask(&self, ask: Ask, worker: &str, ttl: Duration) -> Result<Handed, HttpError> {
        let request = ask.request.clone();
        let is_new = match &request {
            Some(name) => !self.look_shared(|shared| shared.study().answered(name).is_some())? && self.enter(name),
            None => true,
        };
        let wanted = if is_new && ask.narrowing.is_empty() { ask.n } else { 0 };
        self.waiting.fetch_add(wanted, Ordering::SeqCst);
        let asked = self.ask_in_turn(ask, wanted, worker, ttl);
        self.waiting.fetch_sub(wanted, Ordering::SeqCst);
        if let (Some(name), true) = (request, is_new) {
            lock(&self.named).remove(&name);
        }
        // Whoever was handed a trial may look at it.
        *lock(&self.looked) = None;
        asked
    }

    /// Whether a request is the first of its name that waits.
    fn enter(&self, name: &str) -> bool {
        lock(&self.named).insert(name.to_owned())
    }

    fn ask_in_turn(&self, ask: Ask, own: usize, worker: &str, ttl: Duration) -> Result<Handed, HttpError> {
        let mut slot = lock(&self.asker);
        let mut study = match slot.take() {
            Some(study) => study,
            None => SharedStudy::open(self.store.clone(), &self.name)?,
        };
        if self.is_paused() {
            *slot = Some(study);
            return Err(is_paused());
        }
        let wanted = self.waiting.load(Ordering::SeqCst);
        let mut left = self.prepared.load(Ordering::SeqCst);
        if ask.narrowing.is_empty() && wanted > own && left < own {
            let mut preparing = study.worker(PREPARED).ttl(ttl);
            let prepared = preparing.ask_unless_paused(wanted.min(crate::limits::MAX_ASK));
            let prepared = prepared.map(Option::unwrap_or_default);
            let attempts = |handed: &Handed| handed.trials.iter().map(|trial| trial.attempt).collect::<Vec<Attempt>>();
            let returned = prepared.and_then(|handed| preparing.give_back(&attempts(&handed)).map(|()| handed));
            study = preparing;
            left = returned?.trials.len();
        }
        study = study.worker(worker).ttl(ttl);
        let handed = study.ask_unless_paused(ask);
        // One that was replaced is opened again.
        *slot = Some(study).filter(|_| !matches!(handed, Err(Error::Damaged { .. })));
        self.prepared.store(left.saturating_sub(own), Ordering::SeqCst);
        // Another server of the same store may have paused it.
        handed?.ok_or_else(is_paused)
    }

    /// A study whose model is made, for pictures: not always the newest, so that many who look cost one fit now and then.
    pub fn frozen(&self) -> Result<Arc<Frozen>, HttpError> {
        self.freeze(false)
    }

    /// As [`frozen`](Self::frozen), of the study as it is in the store now: what is chosen from it must be free.
    pub fn newest(&self) -> Result<Arc<Frozen>, HttpError> {
        self.tell(|study| Ok(study.refresh()?))?;
        self.freeze(true)
    }

    fn freeze(&self, newest: bool) -> Result<Arc<Frozen>, HttpError> {
        let mut kept = lock(&self.frozen);
        let (revision, standings, held, now) = self.look_shared(|shared| {
            let Scene { study, standings, held, now, .. } = Scene::of(shared);
            (study.events().len(), standings, held, now)
        })?;
        let replaced = self.replaced.load(Ordering::SeqCst);
        if let Some(frozen) = kept.as_ref().filter(|frozen| frozen.replaced == replaced) {
            let took = lock(&frozen.drawn).took;
            let (is_same, rest) = (frozen.study.events().len() == revision, (took * REST).max(LEAST_REST));
            if is_same && frozen.standings == standings || !newest && frozen.made.elapsed() < rest {
                return Ok(frozen.clone());
            }
            // Time alone makes trials lost: the model is the same.
            if is_same {
                let (study, times, drawn) =
                    (frozen.study.clone(), frozen.times.clone(), Drawn { took, ..Drawn::default() });
                let drawn = Mutex::new(drawn);
                let frozen = Frozen { study, replaced, standings, held, now, times, made: Instant::now(), drawn };
                return Ok(kept.insert(Arc::new(frozen)).clone());
            }
        }
        let frozen = self.look_shared(|shared| {
            let n = shared.study().n_observed();
            if n > MOST_MODELLED {
                return Err(too_many(n));
            }
            let Scene { standings, held, times, now, .. } = Scene::of(shared);
            let study = shared.study().clone();
            Ok(Frozen { study, replaced, standings, held, times, now, made: Instant::now(), drawn: Mutex::default() })
        })??;
        let start = Instant::now();
        // A model that cannot be made is an answer too: the view says why.
        let _ = frozen.study.model();
        lock(&frozen.drawn).took = start.elapsed();
        let frozen = Arc::new(frozen);
        *kept = Some(frozen.clone());
        Ok(frozen)
    }

    /// A picture, drawn once for all who look at the same state.
    pub fn picture(&self, which: Picture, x: usize, y: usize) -> Result<Arc<str>, HttpError> {
        let frozen = if which.needs_model() { self.frozen() } else { Err(too_many(0)) };
        let (x, y) = if which.is_over_two() { (x, y) } else { (0, 0) };
        match frozen {
            Ok(frozen) => {
                let mut drawn = lock(&frozen.drawn);
                if let Some(picture) = drawn.pictures.get(&(which, x, y)) {
                    return Ok(picture.clone());
                }
                let start = Instant::now();
                let mut picture = which.draw(&frozen.scene(&self.name), x, y, true)?;
                picture["revision"] = serde_json::json!(frozen.study.events().len());
                let picture: Arc<str> = picture.to_string().into();
                drawn.took += start.elapsed();
                if drawn.pictures.len() < MOST_KEPT {
                    drawn.pictures.insert((which, x, y), picture.clone());
                }
                Ok(picture)
            }
            Err(_) => {
                let picture = self.look(|scene| which.draw(scene, x, y, false))?;
                Ok(picture?.to_string().into())
            }
        }
    }

    /// The point to use in the end, worked out once for all who look at the same state.
    pub fn recommended(&self) -> Result<Option<Recommended>, HttpError> {
        let frozen = self.frozen()?;
        let mut drawn = lock(&frozen.drawn);
        if drawn.recommended.is_none() {
            let start = Instant::now();
            drawn.recommended = Some(frozen.study.recommended().map(Recommended::from));
            drawn.took += start.elapsed();
        }
        Ok(drawn.recommended.clone().flatten())
    }

    /// Why a trial's point was chosen: worked out once, since it takes a fit and does not change.
    pub fn why(&self, trial: TrialId) -> Result<Arc<str>, HttpError> {
        let mut kept = lock(&self.reasons);
        let key = (self.replaced.load(Ordering::SeqCst), trial);
        if let Some(reasons) = kept.get(&key) {
            return Ok(reasons.clone());
        }
        let frozen = match self.frozen()? {
            frozen if frozen.study.trial(trial).is_ok() => frozen,
            _ => self.newest()?,
        };
        let reasons: Arc<str> = why_page(&frozen.scene(&self.name), trial)?.to_string().into();
        if kept.len() >= MOST_KEPT {
            kept.clear();
        }
        kept.insert(key, reasons.clone());
        Ok(reasons)
    }
}

fn too_many(n: usize) -> HttpError {
    let what = format!("pictures of the model are drawn up to {MOST_MODELLED} results; there are {n}");
    let hint = "look at the history, the trials and the parallel coordinates";
    HttpError::new(StatusCode::UNPROCESSABLE_ENTITY, what, hint)
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
