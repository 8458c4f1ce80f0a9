//! Names for requests that have none, so that a store can tell a repetition from a second request.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A name that nobody else has: 128 random bits.
pub(crate) fn fresh() -> String {
    format!("{:016x}{:016x}", random(), random())
}

/// About this duration, varied at random so that processes that failed together do not try again together.
pub(crate) fn jittered(duration: Duration) -> Duration {
    duration.mul_f64(0.5 + (random() >> 11) as f64 / (1u64 << 53) as f64)
}

fn random() -> u64 {
    // Without the system's randomness, time and a counter must do: names stay distinct within a process.
    getrandom::u64().unwrap_or_else(|_| {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_nanos() as u64);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        time ^ (u64::from(std::process::id()) << 40) ^ count.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct_and_waits_are_about_right() {
        assert_ne!(fresh(), fresh());
        let second = Duration::from_secs(1);
        assert!((0..100).all(|_| (second / 2..=second * 3 / 2).contains(&jittered(second))));
    }
}
