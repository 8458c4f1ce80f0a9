//! Stops a drive from outside, for example on a signal.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// How soon a drive should end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// Continue.
    None,
    /// Ask for no more points, and let running trials finish.
    Finish,
    /// End running trials, and hand them back.
    Release,
    /// Like release, but kill commands without asking them to end.
    Now,
}

/// A switch that any thread can set; it only ever gets more urgent.
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
    /// A switch in the position "continue".
    pub fn new() -> Self {
        Self::default()
    }

    /// Raises the urgency to at least this.
    pub fn set(&self, urgency: Urgency) {
        self.0.fetch_max(urgency as u8, Ordering::SeqCst);
    }

    /// The current urgency.
    pub fn urgency(&self) -> Urgency {
        match self.0.load(Ordering::SeqCst) {
            0 => Urgency::None,
            1 => Urgency::Finish,
            2 => Urgency::Release,
            _ => Urgency::Now,
        }
    }
}
