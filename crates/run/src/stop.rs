//! How somebody else, such as a signal, stops a drive.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// How soon a drive should end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// Go on.
    None,
    /// Ask for nothing more, and let running trials finish.
    Finish,
    /// End running trials, and give them back to be handed out again.
    Release,
    /// As release, but kill what runs without asking it to end.
    Now,
}

/// A switch that can be turned from any thread; it only ever gets more urgent.
///
/// ```
/// use elbowroom_run::{Stop, Urgency};
/// let stop = Stop::new();
/// let switch = stop.clone();
/// switch.set(Urgency::Release);
/// switch.set(Urgency::Finish);
/// assert_eq!(stop.urgency(), Urgency::Release);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicU8>);

impl Stop {
    /// One that says: go on.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes it at least this urgent.
    pub fn set(&self, urgency: Urgency) {
        self.0.fetch_max(urgency as u8, Ordering::SeqCst);
    }

    /// How urgent it is.
    pub fn urgency(&self) -> Urgency {
        match self.0.load(Ordering::SeqCst) {
            0 => Urgency::None,
            1 => Urgency::Finish,
            2 => Urgency::Release,
            _ => Urgency::Now,
        }
    }
}
