//! How much one trial may take.

use std::time::Duration;

use crate::error::{Error, Result};

/// Limits of one trial; none unless they are set.
///
/// ```
/// use elbowroom_run::Limits;
/// use std::time::Duration;
/// let limits = Limits { time: Some(Duration::from_secs(60)), memory: Some(1 << 30) };
/// assert_ne!(limits, Limits::default());
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// Wall-clock time after which the command and all processes it started are killed.
    pub time: Option<Duration>,
    /// Memory of all its processes together, in bytes; when they take more, they are all killed. Only on Linux.
    ///
    /// It is measured four to twenty times a second. Memory that processes share counts once, and pages of files do not
    /// count.
    pub memory: Option<u64>,
}

impl Limits {
    /// Checks that the limits can be enforced.
    pub(crate) fn check(&self) -> Result<()> {
        if self.time == Some(Duration::ZERO) {
            return Err(Error::quantity(
                "the time limit of a trial is zero",
                "give a longer time, or none for no limit",
            ));
        }
        if self.memory.is_some() && !cfg!(target_os = "linux") {
            let what = "memory limits work on Linux only";
            return Err(Error::quantity(what, "leave it out, and limit memory with the operating system"));
        }
        Ok(())
    }

    /// Bounds the memory that a process and its children may each reserve, in case they grow faster than it is
    /// measured.
    ///
    /// Reserved memory need not be used: the stacks of a hundred threads are mostly empty. So the bound is a multiple
    /// of the limit.
    #[cfg(target_os = "linux")]
    pub(crate) fn bound(&self, process: rustix::process::Pid) {
        use rustix::process::{Resource, Rlimit, getrlimit, prlimit};

        /// How many times the limit may be reserved.
        const SPARE: u64 = 4;

        let Some(bytes) = self.memory else { return };
        let ours = getrlimit(Resource::Data);
        let least = |limit: Option<u64>| Some(limit.unwrap_or(u64::MAX).min(bytes.saturating_mul(SPARE)));
        let bound = Rlimit { current: least(ours.current), maximum: least(ours.maximum) };
        // The process may already have ended, or belong to another user now.
        let _ = prlimit(Some(process), Resource::Data, bound);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_time_at_all_is_refused() {
        let none = Limits { time: Some(Duration::ZERO), memory: None };
        assert!(none.check().unwrap_err().to_string().contains("is zero"));
        assert!(Limits { time: Some(Duration::from_millis(1)), ..none }.check().is_ok());
    }
}
