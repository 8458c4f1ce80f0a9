//! How much memory the processes of a trial take together.
//!
//! What counts is what the machine would have back if they ended: each page once, however many of them share it, without
//! the pages of files, which can be read again. Linux says so under `/proc`; elsewhere nothing is known, and only the limit
//! that each process has by itself holds.

use std::time::{Duration, Instant};

/// The shortest time between two looks.
const PERIOD: Duration = Duration::from_millis(50);

/// Looking takes at most one part in so many of a core.
const SPARING: u32 = 20;

/// A process group, looked at from time to time.
pub(crate) struct Watch {
    group: i32,
    limit: u64,
    next: Instant,
}

impl Watch {
    pub fn new(group: i32, limit: u64) -> Self {
        Self { group, limit, next: Instant::now() }
    }

    /// What the group takes, if it is time to look and that is more than the limit.
    pub fn excess(&mut self) -> Option<u64> {
        let start = Instant::now();
        if start < self.next {
            return None;
        }
        let taken = taken(self.group, self.limit);
        self.next = Instant::now() + PERIOD.max(start.elapsed() * SPARING);
        taken.filter(|&bytes| bytes > self.limit)
    }
}

/// What a group takes, or something larger that does not exceed `enough` either, which is cheaper to tell.
#[cfg(target_os = "linux")]
fn taken(group: i32, enough: u64) -> Option<u64> {
    use procfs::process::{Process, all_processes};

    let member = |process: Process| {
        let stat = process.stat().ok()?;
        (stat.pgrp == group).then(|| (process, stat.rss.saturating_mul(procfs::page_size())))
    };
    let members: Vec<(Process, u64)> = all_processes().ok()?.flatten().filter_map(member).collect();
    let resident = members.iter().map(|(_, resident)| resident).sum();
    if resident <= enough {
        return Some(resident);
    }
    Some(members.iter().map(|(process, resident)| own_share(process).unwrap_or(*resident)).sum())
}

#[cfg(not(target_os = "linux"))]
fn taken(_group: i32, _enough: u64) -> Option<u64> {
    None
}

/// A process's memory with its part of what it shares; none if that is not told.
#[cfg(target_os = "linux")]
fn own_share(process: &procfs::process::Process) -> Option<u64> {
    use procfs::ProcError;

    let sums = match process.smaps_rollup() {
        Ok(sums) => sums,
        // It has ended meanwhile.
        Err(ProcError::NotFound(_) | ProcError::Incomplete(_)) if !process.is_alive() => return Some(0),
        Err(_) => return None,
    };
    let sums = &sums.memory_map_rollup.0.first()?.extension.map;
    let sum = |name: &str| sums.get(name).copied();
    // Before Linux 5.4 there is only the sum, with the pages of files.
    sum("Pss_Anon").zip(sum("Pss_Shmem")).map(|(own, shared)| own + shared).or_else(|| sum("Pss"))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command, Stdio};

    use super::*;

    const MB: u64 = 1 << 20;

    /// A process group that says that it is ready and waits for its end.
    struct Group(Child);

    impl Group {
        fn of(script: &str) -> Self {
            let mut command = Command::new("perl");
            command.args(["-e", &format!("$| = 1; {script}; print \"ready\\n\"; sleep 60")]);
            let mut child = command.process_group(0).stdout(Stdio::piped()).spawn().unwrap();
            let mut line = String::new();
            let stdout = child.stdout.as_mut().unwrap();
            std::io::BufRead::read_line(&mut std::io::BufReader::new(stdout), &mut line).unwrap();
            assert_eq!(line, "ready\n");
            Self(child)
        }

        fn taken(&self, enough: u64) -> u64 {
            super::taken(self.0.id() as i32, enough).unwrap()
        }
    }

    impl Drop for Group {
        fn drop(&mut self) {
            let group = rustix::process::Pid::from_child(&self.0);
            rustix::process::kill_process_group(group, rustix::process::Signal::KILL).unwrap();
            self.0.wait().unwrap();
        }
    }

    /// Children that tell their parent when they are ready, and what each does first.
    fn three_children(first: &str) -> String {
        format!(
            "pipe(R, W); for (1..3) {{ if (!fork) {{ {first}; syswrite(W, \"x\"); sleep 60; exit }} }} \
             sysread(R, $_, 1) for 1..3"
        )
    }

    #[test]
    fn a_group_takes_what_all_of_its_processes_take() {
        let group = Group::of(&three_children("$n = 50 << 20; $s = \"x\"; vec($s, $n, 8) = 1; $s =~ tr/\\0/y/"));
        let taken = group.taken(0);
        assert!((150 * MB..220 * MB).contains(&taken), "{} MB", taken / MB);
        assert!(group.taken(u64::MAX) >= taken, "what is cheap to tell is no less");
        let mut watch = Watch::new(group.0.id() as i32, 120 * MB);
        assert!(watch.excess().is_some());
        assert!(watch.excess().is_none(), "it is not yet time to look again");
        assert!(Watch::new(group.0.id() as i32, 400 * MB).excess().is_none());
    }

    #[test]
    fn what_processes_share_counts_once() {
        let large = "$n = 100 << 20; $s = \"x\"; vec($s, $n, 8) = 1; $s =~ tr/\\0/y/";
        let group = Group::of(&format!("{large}; {}", three_children("")));
        assert!(group.taken(u64::MAX) > 400 * MB, "by itself each of the four seems to take all of it");
        let taken = group.taken(0);
        assert!((100 * MB..150 * MB).contains(&taken), "{} MB", taken / MB);
    }

    #[test]
    fn a_group_that_has_ended_takes_nothing() {
        let mut child = Command::new("true").process_group(0).spawn().unwrap();
        let group = child.id() as i32;
        child.wait().unwrap();
        assert_eq!(taken(group, 0), Some(0));
    }
}
