//! The name of a worker, and whether the process with that name is gone.
//!
//! A process that was killed cannot hand its trials back, and its leases run for a while. On the same machine nobody
//! has to wait for that: the name says which process it was, and the system knows whether it is still running. A
//! process number may be reused, so the name contains the time at which the process started; and a number is only
//! meaningful within one boot and one process namespace, so the name contains those too.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};

use crate::error::Result;
use crate::lease::{Attempt, Lease, MAX_RETRIES};
use crate::shared::SharedStudy;

/// The name of this process as a worker: machine and process, such as `lab-4c1f09aa/3121-88412`.
///
/// ```
/// assert!(elbowroom_store::worker_name().contains(&std::process::id().to_string()));
/// ```
pub fn worker_name() -> String {
    let pid = std::process::id();
    match (machine(), start_of(pid)) {
        (Some(machine), Some(start)) => format!("{machine}/{pid}-{start}"),
        _ => format!("{}/{pid}", host()),
    }
}

/// The trials of workers that were processes of this machine and are no longer running.
///
/// ```
/// use elbowroom_store::Reclaimed;
/// assert!(Reclaimed::default().again.is_empty());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reclaimed {
    /// Trials that will be handed out again, as their next attempt.
    pub again: Vec<Attempt>,
    /// Trials that have now been lost too often.
    pub given_up: Vec<Attempt>,
}

impl SharedStudy {
    /// Ends the leases of workers that were processes of this machine and are no longer running, as far as leases were
    /// read, so that nobody has to wait until they run out. Their trials count as lost.
    ///
    /// ```
    /// # use elbowroom::space::{Parameter, SearchSpace};
    /// # use elbowroom::study::StudyConfig;
    /// # use elbowroom_store::{Memory, SharedStudy};
    /// # let space = SearchSpace::new(vec![Parameter::float("x", -1.0, 1.0)])?;
    /// let mut study = SharedStudy::create(std::sync::Arc::new(Memory::new()), "plate", StudyConfig::new(space))?;
    /// study.ask(1)?;
    /// assert!(study.reclaim_from_the_dead()?.again.is_empty()); // this process is alive
    /// # Ok::<(), elbowroom_store::Error>(())
    /// ```
    pub fn reclaim_from_the_dead(&mut self) -> Result<Reclaimed> {
        let now = self.now;
        let of_the_dead = |lease: &&Lease| lease.is_live(now) && is_gone(&lease.worker);
        let dead: Vec<&Lease> = self.leases.values().filter(of_the_dead).collect();
        let (again, given_up): (Vec<&Lease>, Vec<&Lease>) =
            dead.into_iter().partition(|lease| lease.faults < MAX_RETRIES);
        let attempts = |leases: Vec<&Lease>| leases.iter().map(|lease| lease.attempt).collect::<Vec<_>>();
        let reclaimed = Reclaimed { again: attempts(again), given_up: attempts(given_up) };
        let all = [&reclaimed.again[..], &reclaimed.given_up[..]].concat();
        if !all.is_empty() {
            self.store.lose(&self.name, &all)?;
            self.refresh()?;
        }
        Ok(reclaimed)
    }
}

/// Whether this is the name of a worker that was a process of this machine and is no longer running. False if that
/// cannot be known.
///
/// ```
/// use elbowroom_store::{is_gone, worker_name};
/// assert!(!is_gone(&worker_name()) && !is_gone("anna"));
/// ```
pub fn is_gone(worker: &str) -> bool {
    let Some((of, process)) = worker.rsplit_once('/') else { return false };
    let Some((pid, start)) = process.split_once('-') else { return false };
    let (Ok(pid), Ok(start)) = (pid.parse(), start.parse::<u64>()) else { return false };
    machine().is_some_and(|ours| ours == of) && start_of(pid) != Some(start)
}

/// This machine, since its last start, as seen from this process namespace.
fn machine() -> Option<String> {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let namespace = fs::read_link("/proc/self/ns/pid").ok()?;
    let mut hasher = DefaultHasher::new();
    (boot.trim(), namespace).hash(&mut hasher);
    Some(format!("{}-{:08x}", host(), hasher.finish() as u32))
}

/// When a process started, in ticks since the machine did; none if there is no such process or it has ended.
fn start_of(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may contain anything, including spaces and parentheses; after it come state (field 3) and
    // so on.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    if matches!(state, "Z" | "X") {
        return None;
    }
    fields.nth(18)?.parse().ok()
}

fn host() -> String {
    #[cfg(unix)]
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    #[cfg(not(unix))]
    let name = std::env::var("COMPUTERNAME").unwrap_or_default();
    if name.is_empty() { "machine".to_owned() } else { name }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_dead_are_told_from_the_living_and_from_strangers() {
        let own = worker_name();
        assert!(!is_gone(&own));
        let (machine, _) = own.rsplit_once('/').unwrap();
        // The same number, started at another time: a later process has it.
        assert!(is_gone(&format!("{machine}/{}-1", std::process::id())));
        assert!(is_gone(&format!("{machine}/4194305-7")), "no process has a number above the kernel's limit of 2^22");
        for unknown in ["anna", "elsewhere-00000000/1-1", "lab/12", &format!("{machine}/x-1"), ""] {
            assert!(!is_gone(unknown), "{unknown}");
        }
    }
}
