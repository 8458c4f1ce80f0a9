//! The studies of a store, opened when they are first wanted.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use elbowroom_store::{Store, StudyInfo};

use crate::desk::Desk;
use crate::error::HttpError;

/// The studies of one store.
pub struct Studies {
    pub store: Arc<dyn Store>,
    pub write: bool,
    desks: Mutex<HashMap<String, Arc<Desk>>>,
}

impl Studies {
    pub fn new(store: Arc<dyn Store>, write: bool) -> Self {
        Self { store, write, desks: Mutex::default() }
    }

    /// What there is.
    pub fn list(&self) -> Result<Vec<StudyInfo>, HttpError> {
        Ok(self.store.studies()?)
    }

    /// One of them.
    pub fn desk(&self, name: &str) -> Result<Arc<Desk>, HttpError> {
        if let Some(desk) = self.lock().get(name) {
            return Ok(desk.clone());
        }
        // Opened outside the lock: a long log takes a while. Of two that open at once, the first one stays.
        let desk = Arc::new(Desk::open(self.store.clone(), name)?);
        Ok(self.lock().entry(name.to_owned()).or_insert(desk).clone())
    }

    /// Ends the pauses that were made here: who made them is about to go.
    pub fn resume(&self) {
        for desk in self.lock().values().filter(|desk| desk.is_paused()) {
            // One that stays in the store ends by itself.
            let _ = desk.pause(false);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<Desk>>> {
        self.desks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
