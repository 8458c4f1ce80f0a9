//! Handing nothing out for a while. The store keeps the pause, so that it holds for workers on the store itself too; this
//! server says it again and again, so that it ends soon after the server does.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use elbowroom_store::Store;

use crate::error::HttpError;
use crate::ranked::{Rank, Ranked};

/// How long a pause holds without a word from this server: what is left of it once the server is gone.
const PAUSE: Duration = Duration::from_secs(10);

/// How often it is looked whether the pause is over.
const GLANCE: Duration = Duration::from_millis(200);

/// Whether a study hands nothing out.
pub struct Pause {
    is_on: AtomicBool,
    /// Held by whoever tells the store, so that a pause is not said again after its end.
    saying: Ranked<Mutex<()>>,
}

impl Default for Pause {
    fn default() -> Self {
        Self { is_on: AtomicBool::new(false), saying: Ranked::<Mutex<_>>::new(Rank::Pausing, ()) }
    }
}

impl Pause {
    /// Whether nobody is to be handed anything.
    pub fn is_on(&self) -> bool {
        self.is_on.load(Ordering::SeqCst)
    }

    /// Hands nothing out from now on, or goes on. The store knows of it, and so do those who ask it without this server.
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

/// What is said while no points are handed out.
pub fn is_paused() -> HttpError {
    HttpError::new(StatusCode::CONFLICT, "the study is paused", "resume it in the dashboard")
}
