//! Pausing a study. The store keeps the pause, so that it also holds for workers that use the store directly; this
//! server keeps renewing it, so that it ends soon after the server does.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use elbowroom_store::Store;

use crate::error::HttpError;
use crate::ranked::{Rank, Ranked};

/// How long a pause holds if it is not renewed, for example because the server is gone.
const PAUSE: Duration = Duration::from_secs(10);

/// How often to check whether the pause is over.
const GLANCE: Duration = Duration::from_millis(200);

/// The pause of a study.
pub struct Pause {
    is_on: AtomicBool,
    /// Held while the store is told, so that a pause is not renewed after its end.
    saying: Ranked<Mutex<()>>,
}

impl Default for Pause {
    fn default() -> Self {
        Self { is_on: AtomicBool::new(false), saying: Ranked::<Mutex<_>>::new(Rank::Pausing, ()) }
    }
}

impl Pause {
    /// Whether the study is paused.
    pub fn is_on(&self) -> bool {
        self.is_on.load(Ordering::SeqCst)
    }

    /// Pauses or resumes the study. The store knows about it, and so do workers that ask it without this server.
    pub fn set(self: &Arc<Self>, store: &Arc<dyn Store>, study: &str, is_on: bool) -> Result<(), HttpError> {
        let saying = self.saying.lock();
        store.pause(study, is_on.then_some(PAUSE))?;
        let was_on = self.is_on.swap(is_on, Ordering::SeqCst);
        drop(saying);
        if was_on || !is_on {
            return Ok(());
        }
        let (pause, store, study) = (Arc::downgrade(self), store.clone(), study.to_owned());
        std::thread::spawn(move || {
            let mut said = Instant::now();
            while let Some(pause) = pause.upgrade().filter(|pause| pause.is_on()) {
                if said.elapsed() > PAUSE / 4 {
                    pause.say_again(&store, &study);
                    said = Instant::now();
                }
                drop(pause);
                std::thread::sleep(GLANCE);
            }
        });
        Ok(())
    }

    fn say_again(&self, store: &Arc<dyn Store>, study: &str) {
        let _saying = self.saying.lock();
        if self.is_on() {
            // A store that does not answer is asked again soon.
            let _ = store.pause(study, Some(PAUSE));
        }
    }
}

/// The error while no points are handed out.
pub fn is_paused() -> HttpError {
    HttpError::new(StatusCode::CONFLICT, "the study is paused", "resume it in the dashboard")
}
