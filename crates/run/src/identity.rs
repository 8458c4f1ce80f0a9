//! The name of a worker, and whether the process that bore it is gone.
//!
//! A process that was killed cannot give its trials back, and its leases run for a while. On the same machine nobody has
//! to wait for that: the name says which process it was, and the system whether it still runs. A process number may be
//! used again, so the time at which the process started is part of the name; and a number means something within one
//! boot and one process namespace only, so those are part of it too.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};

use elbowroom_store::{Attempt, SharedStudy};

use crate::error::Result;

/// The name of this process as a worker: machine and process, such as `lab-4c1f09aa/3121-88412`.
///
/// ```
/// assert!(elbowroom_run::worker_name().contains(&std::process::id().to_string()));
/// ```
pub fn worker_name() -> String {
    let pid = std::process::id();
    match (machine(), start_of(pid)) {
        (Some(machine), Some(start)) => format!("{machine}/{pid}-{start}"),
        _ => format!("{}/{pid}", host()),
    }
}

/// Gives back the trials of workers that were processes of this machine and run no more; returns them.
pub fn reclaim_from_the_dead(study: &mut SharedStudy) -> Result<Vec<Attempt>> {
    let dead: Vec<Attempt> =
        study.leases().filter(|lease| !lease.returned && is_dead(&lease.worker)).map(|lease| lease.attempt).collect();
    if !dead.is_empty() {
        study.give_back(&dead)?;
        study.refresh()?;
    }
    Ok(dead)
}

/// Whether this names a process of this machine that is gone. What cannot be known is not dead.
fn is_dead(worker: &str) -> bool {
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
    // The name in parentheses may hold anything, spaces and parentheses too; then come state (field 3) and so on.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    if matches!(state, "Z" | "X") {
        return None;
    }
    fields.nth(18)?.parse().ok()
}

fn host() -> String {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    if name.is_empty() { "machine".to_owned() } else { name }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_dead_are_told_from_the_living_and_from_strangers() {
        let own = worker_name();
        assert!(!is_dead(&own));
        let (machine, _) = own.rsplit_once('/').unwrap();
        // The same number, started at another time: a later process has it.
        assert!(is_dead(&format!("{machine}/{}-1", std::process::id())));
        assert!(is_dead(&format!("{machine}/4194305-7")), "no process has a number above the kernel's limit of 2^22");
        for unknown in ["anna", "elsewhere-00000000/1-1", "lab/12", &format!("{machine}/x-1"), ""] {
            assert!(!is_dead(unknown), "{unknown}");
        }
    }
}
