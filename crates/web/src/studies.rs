//! The studies of a store, opened when they are first needed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use elbowroom_store::{Store, StudyInfo};

use crate::ask_broker::AskBroker;
use crate::error::HttpError;
use crate::idempotency::Idempotency;
use crate::live_study::LiveStudy;
use crate::picture_cache::PictureCache;

/// A study that many viewers see and many workers ask. No part owns another: each is passed those it needs.
pub struct ServedStudy {
    pub live: LiveStudy,
    pub broker: AskBroker,
    pub pictures: PictureCache,
    pub once: Idempotency,
}

impl ServedStudy {
    fn open(store: Arc<dyn Store>, name: &str) -> Result<Self, HttpError> {
        let live = LiveStudy::open(store, name)?;
        Ok(Self { live, broker: AskBroker::default(), pictures: PictureCache::default(), once: Idempotency::default() })
    }

    /// Whether the study is paused.
    pub fn is_paused(&self) -> bool {
        self.broker.pause.is_on()
    }

    /// Pauses or resumes the study.
    pub fn pause(&self, is_on: bool) -> Result<(), HttpError> {
        self.broker.pause.set(self.live.store(), self.live.name(), is_on)
    }
}

/// The studies of one store.
pub struct Studies {
    pub store: Arc<dyn Store>,
    pub write: bool,
    served: Mutex<HashMap<String, Arc<ServedStudy>>>,
}

impl Studies {
    pub fn new(store: Arc<dyn Store>, write: bool) -> Self {
        Self { store, write, served: Mutex::default() }
    }

    /// The list of studies.
    pub fn list(&self) -> Result<Vec<StudyInfo>, HttpError> {
        Ok(self.store.studies()?)
    }

    /// One study.
    pub fn study(&self, name: &str) -> Result<Arc<ServedStudy>, HttpError> {
        if let Some(study) = self.lock().get(name) {
            return Ok(study.clone());
        }
        // Opened outside the lock, since a long log takes a while. If two open it at once, the first one stays.
        let study = Arc::new(ServedStudy::open(self.store.clone(), name)?);
        Ok(self.lock().entry(name.to_owned()).or_insert(study).clone())
    }

    /// Ends the pauses that this server made, because it is about to stop.
    pub fn resume(&self) {
        for study in self.lock().values().filter(|study| study.is_paused()) {
            // A pause that stays in the store ends by itself.
            let _ = study.pause(false);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<ServedStudy>>> {
        self.served.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
