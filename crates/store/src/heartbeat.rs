//! A background thread that tells the store that this process is alive.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::lease::{Attempt, Hold};
use crate::store::Store;

/// Extends the leases of its attempts at regular intervals until it is dropped.
///
/// ```
/// # use elbowroom::space::{Parameter, SearchSpace};
/// # use elbowroom::study::StudyConfig;
/// # use elbowroom_store::{Heartbeat, Memory, SharedStudy};
/// # use std::{sync::Arc, time::Duration};
/// # let space = SearchSpace::new(vec![Parameter::float("x", -1.0, 1.0)])?;
/// # let mut study = SharedStudy::create(Arc::new(Memory::new()), "plate", StudyConfig::new(space))?;
/// let heartbeat = Heartbeat::start(study.stored().store().clone(), study.name(), Duration::from_secs(20));
/// let trial = study.ask(1)?.trials.remove(0);
/// heartbeat.hold(trial.attempt);
/// // … evaluate …
/// heartbeat.let_go(trial.attempt);
/// study.tell(&trial, 0.5)?;
/// # Ok::<(), elbowroom_store::Error>(())
/// ```
pub struct Heartbeat {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    /// The process that owns the thread.
    process: u32,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    held: HashMap<Attempt, Option<Hold>>,
    trouble: Option<String>,
    stop: bool,
}

impl Heartbeat {
    /// Starts the thread. An interval of 20 s suits leases of 90 s; intervals below 10 ms are raised to that.
    pub fn start(store: Arc<dyn Store>, study: &str, every: Duration) -> Self {
        let shared = Arc::new(Shared { state: Mutex::default(), changed: Condvar::new() });
        let (ours, study) = (shared.clone(), study.to_owned());
        let thread = std::thread::Builder::new()
            .name("heartbeat".to_owned())
            .spawn(move || ours.beat(&*store, &study, every.max(Duration::from_millis(10))))
            .map_err(|error| {
                shared.lock().trouble = Some(format!("the thread for heartbeats could not be started: {error}"))
            })
            .ok();
        Self { shared, thread, process: std::process::id() }
    }

    /// Starts to extend this attempt's lease.
    pub fn hold(&self, attempt: Attempt) {
        self.shared.lock().held.insert(attempt, None);
    }

    /// Stops extending this attempt's lease.
    pub fn let_go(&self, attempt: Attempt) {
        self.shared.lock().held.remove(&attempt);
    }

    /// What the last heartbeat learned about an attempt; none before the first one. With [`Hold::Superseded`] and
    /// [`Hold::Ended`] its evaluation may be stopped.
    pub fn last(&self, attempt: Attempt) -> Option<Hold> {
        self.shared.lock().held.get(&attempt).copied().flatten()
    }

    /// Why the last heartbeat did not reach the store, if it did not. It will be repeated.
    pub fn trouble(&self) -> Option<String> {
        self.shared.lock().trouble.clone()
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn beat(&self, store: &dyn Store, study: &str, every: Duration) {
        let mut state = self.lock();
        while !state.stop {
            let waited = self.changed.wait_timeout_while(state, every, |state| !state.stop);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            let held: Vec<Attempt> = state.held.keys().copied().collect();
            if state.stop || held.is_empty() {
                continue;
            }
            drop(state);
            let extended = store.extend(study, &held);
            state = self.lock();
            match extended {
                Ok(holds) => {
                    state.trouble = None;
                    for (attempt, hold) in held.iter().zip(holds) {
                        // It may have been let go in the meantime.
                        if let Some(last) = state.held.get_mut(attempt) {
                            *last = Some(hold);
                        }
                    }
                }
                Err(error) => state.trouble = Some(error.to_string()),
            }
        }
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        if std::process::id() != self.process {
            // A fork has this process's memory but none of its threads: there is no thread to wait for, and a lock that
            // was held at the time of the fork is held for ever.
            std::mem::forget(self.thread.take());
            return;
        }
        self.shared.lock().stop = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
