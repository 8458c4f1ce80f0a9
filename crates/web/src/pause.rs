//! Handing nothing out for a while. The store keeps the pause, so that it holds for workers on the store itself too; this
//! server says it again and again, so that it ends soon after the server does.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use axum::http::StatusCode;

use crate::desk::{Desk, lock};
use crate::error::HttpError;

/// How long a pause holds without a word from this server: what is left of it once the server is gone.
const PAUSE: Duration = Duration::from_secs(10);

/// How often it is looked whether the pause is over.
const GLANCE: Duration = Duration::from_millis(200);

impl Desk {
    /// Whether nobody is to be handed anything.
    pub fn is_paused(&self) -> bool {
        self.paused.load(Ordering::SeqCst)
    }

    /// Hands nothing out from now on, or goes on. The store knows of it, and so do those who ask it without this server.
    pub fn pause(self: &Arc<Self>, paused: bool) -> Result<(), HttpError> {
        let turn = lock(&self.pausing);
        self.store.pause(&self.name, paused.then_some(PAUSE))?;
        let was_paused = self.paused.swap(paused, Ordering::SeqCst);
        drop(turn);
        if was_paused || !paused {
            return Ok(());
        }
        let desk = Arc::downgrade(self);
        std::thread::spawn(move || {
            let mut said = Instant::now();
            while let Some(desk) = desk.upgrade().filter(|desk| desk.is_paused()) {
                if said.elapsed() > PAUSE / 4 {
                    desk.say_again();
                    said = Instant::now();
                }
                drop(desk);
                std::thread::sleep(GLANCE);
            }
        });
        Ok(())
    }

    fn say_again(&self) {
        let _turn = lock(&self.pausing);
        if self.is_paused() {
            // A store that does not answer is asked again soon.
            let _ = self.store.pause(&self.name, Some(PAUSE));
        }
    }
}

/// What is said while nobody is handed anything.
pub fn is_paused() -> HttpError {
    HttpError::new(StatusCode::CONFLICT, "the study is paused", "resume it in the dashboard")
}
