//! Time by a store's clock.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// A moment by a store's clock, in milliseconds since 1970.
///
/// ```
/// use elbowroom_store::Time;
/// use std::time::Duration;
/// assert_eq!(Time(1_000).after(Duration::from_secs(2)), Time(3_000));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
#[cfg_attr(feature = "schema", schemars(inline))]
pub struct Time(pub i64);

impl Time {
    /// The moment that is this much later.
    pub fn after(self, duration: Duration) -> Self {
        Time(self.0.saturating_add(millis(duration)))
    }

    /// The time since an earlier moment; zero if that moment is later.
    pub fn since(self, earlier: Time) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

/// Milliseconds, as stores keep durations.
pub(crate) fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// The clock of a store on this machine: the system's or, for tests, one that is set by hand or wrong.
///
/// ```
/// use elbowroom_store::Clock;
/// use std::time::Duration;
/// let clock = Clock::manual(1_000);
/// clock.step(500);
/// assert_eq!(clock.now().0, 1_500);
/// assert!(Clock::system().now().since(clock.now()) > Duration::from_secs(1));
/// ```
#[derive(Clone)]
pub struct Clock {
    runs: bool,
    offset: Arc<AtomicI64>,
}

impl Clock {
    /// The system's clock.
    pub fn system() -> Self {
        Self { runs: true, offset: Arc::new(AtomicI64::new(0)) }
    }

    /// A clock that stays at this time until it is stepped.
    pub fn manual(millis: i64) -> Self {
        Self { runs: false, offset: Arc::new(AtomicI64::new(millis)) }
    }

    /// Steps it, forwards or back; all clones step with it.
    pub fn step(&self, millis: i64) {
        self.offset.fetch_add(millis, Ordering::SeqCst);
    }

    /// The time that it shows.
    pub fn now(&self) -> Time {
        let system = if self.runs { SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, millis) } else { 0 };
        Time(system.saturating_add(self.offset.load(Ordering::SeqCst)))
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::system()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Clock({})", self.now().0)
    }
}
