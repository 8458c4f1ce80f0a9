//! How much memory the processes of a trial take together, according to `/proc` on Linux.
//!
//! This is the memory that the machine would get back if they ended: each page counts once, however many processes
//! share it, and pages of files, which can be read again, do not count.
//!
//! A look takes time: a child that is about to become another program still has its parent's pages, and pages seem to
//! be taken twice when a process that shared them ends during the look. So the limit must be exceeded at two looks in a
//! row, by processes that were there at both.

use std::collections::HashMap;
use std::fs;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::param::page_size;
use rustix::time::{ClockId, clock_gettime};

/// The shortest time between two looks, and the longest.
const PERIOD: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(250)];

/// Within these bounds, looking takes one part in this many of a core.
const SPARING: u32 = 20;

/// A process by its number and its start time, since numbers are reused.
type Id = (i32, u64);

/// A process group that is looked at from time to time.
pub(crate) struct Watch {
    group: i32,
    limit: u64,
    next: Instant,
    /// The processes at the last look, if they took too much together.
    suspects: Vec<Id>,
}

impl Watch {
    pub fn new(group: i32, limit: u64) -> Self {
        Self { group, limit, next: Instant::now(), suspects: Vec::new() }
    }

    /// The memory that the group takes, if it is time to look and the limit is exceeded now and was at the last look.
    pub fn excess(&mut self) -> Option<u64> {
        if Instant::now() < self.next {
            return None;
        }
        let begun = cpu_time();
        let excess = self.judge(&taken(self.group, self.limit));
        let pause = cpu_time().saturating_sub(begun) * SPARING;
        self.next = Instant::now() + pause.clamp(PERIOD[0], PERIOD[1]);
        excess
    }

    /// The verdict of a look, given the one before it.
    fn judge(&mut self, taken: &[(Id, u64)]) -> Option<u64> {
        let sum =
            |wanted: &dyn Fn(&Id) -> bool| taken.iter().filter(|(id, _)| wanted(id)).map(|(_, bytes)| bytes).sum();
        let (all, lasting): (u64, u64) = (sum(&|_| true), sum(&|id| self.suspects.contains(id)));
        self.suspects = taken.iter().filter(|_| all > self.limit).map(|(id, _)| *id).collect();
        (lasting > self.limit).then_some(lasting)
    }
}

/// The memory of each process of a group. If even their resident memory, which counts shared pages several times, is
/// within the limit, that is returned: it is cheaper to read.
fn taken(group: i32, limit: u64) -> Vec<(Id, u64)> {
    let members = members(group);
    if members.iter().map(|(_, resident)| resident).sum::<u64>() <= limit {
        return members;
    }
    members.into_iter().map(|(id, resident)| (id, own_share(id).unwrap_or(resident))).collect()
}

/// All processes by group, with their resident memory, at the last look of any watch.
static PROCESSES: Mutex<Option<(Instant, Groups)>> = Mutex::new(None);

type Groups = HashMap<i32, Vec<(Id, u64)>>;

/// The processes of a group. However many groups are watched, one look at all processes serves all of them.
fn members(group: i32) -> Vec<(Id, u64)> {
    let mut known = PROCESSES.lock().unwrap_or_else(PoisonError::into_inner);
    if known.as_ref().is_none_or(|(at, _)| at.elapsed() >= PERIOD[0]) {
        let mut groups = Groups::new();
        for stat in numbers().filter_map(Stat::of) {
            groups.entry(stat.group).or_default().push((stat.id, stat.resident));
        }
        *known = Some((Instant::now(), groups));
    }
    known.as_ref().and_then(|(_, groups)| groups.get(&group).cloned()).unwrap_or_default()
}

/// A process's memory with its share of shared pages; `None` if the system does not say.
fn own_share(id: Id) -> Option<u64> {
    let sums = fs::read_to_string(format!("/proc/{}/smaps_rollup", id.0));
    // It may have ended in the meantime.
    if Stat::of(id.0).is_none_or(|stat| stat.id != id || stat.ended) {
        return Some(0);
    }
    let sums = sums.ok()?;
    let sum = |name: &str| sums.lines().find_map(|line| kilobytes(line, name));
    // Before Linux 5.4 there is only the sum, which includes the pages of files.
    sum("Pss_Anon").zip(sum("Pss_Shmem")).map(|(own, shared)| own + shared).or_else(|| sum("Pss"))
}

/// The bytes in a line such as `Pss_Anon: 1204 kB`, if it has this name.
fn kilobytes(line: &str, name: &str) -> Option<u64> {
    let number = line.strip_prefix(name)?.strip_prefix(':')?.trim().strip_suffix(" kB")?;
    number.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// The numbers of all processes.
fn numbers() -> impl Iterator<Item = i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// What `/proc/N/stat` says about a process.
struct Stat {
    id: Id,
    group: i32,
    resident: u64,
    /// Whether it has ended, although its parent has not yet asked how.
    ended: bool,
}

impl Stat {
    /// The status of a process; `None` if there is no such process.
    fn of(number: i32) -> Option<Self> {
        Self::read(number, &fs::read(format!("/proc/{number}/stat")).ok()?)
    }

    /// The line begins with the number and the program's name in brackets, which may contain anything, including
    /// brackets. The fields after it are counted in proc_pid_stat(5), which calls the first of them the third.
    fn read(number: i32, line: &[u8]) -> Option<Self> {
        let name_end = line.iter().rposition(|byte| *byte == b')')?;
        let fields: Vec<&str> = str::from_utf8(&line[name_end + 1..]).ok()?.split_ascii_whitespace().collect();
        let field = |n: usize| fields.get(n - 3).copied();
        let pages: u64 = field(24)?.parse().ok()?;
        Some(Self {
            id: (number, field(22)?.parse().ok()?),
            group: field(5)?.parse().ok()?,
            resident: pages.saturating_mul(page_size() as u64),
            ended: matches!(field(3)?, "Z" | "X"),
        })
    }
}

/// How long this thread has worked: the machine's other work should not count.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.try_into().unwrap_or(0), time.tv_nsec.try_into().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command, Stdio};

    use super::*;

    const MB: u64 = 1 << 20;

    /// A process group that signals that it is ready and waits to be ended.
    struct Group(Child);

    impl Group {
        fn of(script: &str) -> Self {
            let mut command = Command::new("perl");
            command.args(["-e", &format!("$| = 1; {script}; print \"ready\\n\"; sleep 60")]);
            let mut child = command.process_group(0).stdout(Stdio::piped()).spawn().unwrap();
            let mut line = String::new();
            BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
            assert_eq!(line, "ready\n");
            // After this pause, a look from before it was ready is too old to be used.
            std::thread::sleep(PERIOD[0]);
            Self(child)
        }

        fn number(&self) -> i32 {
            self.0.id() as i32
        }

        /// The memory it takes; the limit decides how exactly that is measured.
        fn taken(&self, limit: u64) -> u64 {
            taken(self.number(), limit).iter().map(|(_, bytes)| bytes).sum()
        }

        /// The verdicts of this many looks in a row.
        fn looks(&self, limit: u64, n: usize) -> Vec<Option<u64>> {
            let mut watch = Watch::new(self.number(), limit);
            let look = |_| {
                std::thread::sleep(watch.next.saturating_duration_since(Instant::now()));
                watch.excess()
            };
            (0..n).map(look).collect()
        }
    }

    impl Drop for Group {
        fn drop(&mut self) {
            let group = rustix::process::Pid::from_child(&self.0);
            rustix::process::kill_process_group(group, rustix::process::Signal::KILL).unwrap();
            self.0.wait().unwrap();
        }
    }

    /// Takes this many megabytes.
    fn take(megabytes: u32) -> String {
        format!("vec($s, {megabytes} << 20, 8) = 1; $s =~ tr/\\0/y/")
    }

    /// Three children that live on, each after it has done something; waits for them.
    fn three_children(first: &str) -> String {
        format!(
            "pipe(R, W); for (1..3) {{ if (!fork) {{ {first}; syswrite(W, \"x\"); sleep 60; exit }} }} \
             sysread(R, $_, 1) for 1..3"
        )
    }

    #[test]
    fn a_group_takes_what_all_of_its_processes_take() {
        let group = Group::of(&three_children(&take(50)));
        let bytes = group.taken(0);
        assert!((150 * MB..220 * MB).contains(&bytes), "{} MB", bytes / MB);
        assert!(group.taken(u64::MAX) >= bytes, "what is cheap to tell is no less");
        let looks = group.looks(120 * MB, 3);
        assert!(looks[0].is_none() && looks[1].is_some() && looks[2].is_some(), "{looks:?}");
        assert_eq!(group.looks(400 * MB, 3), [None; 3]);
        let mut watch = Watch::new(group.number(), 120 * MB);
        for _ in 0..3 {
            assert!(watch.excess().is_none(), "it is not yet time to look again");
        }
    }

    #[test]
    fn what_processes_share_counts_once() {
        let group = Group::of(&format!("{}; {}", take(100), three_children("")));
        assert!(group.taken(u64::MAX) > 400 * MB, "by itself each of the four seems to take all of it");
        let bytes = group.taken(0);
        assert!((100 * MB..150 * MB).contains(&bytes), "{} MB", bytes / MB);
    }

    #[test]
    fn what_comes_and_goes_is_not_taken_for_more() {
        let mut watch = Watch::new(1, 100);
        let [parent, child, other, third] = [(1, 10), (2, 11), (2, 12), (3, 12)];
        for (taken, excess) in [
            // A child has all its parent's pages until it becomes another program.
            (&[(parent, 80), (child, 80)][..], None),
            (&[(parent, 80), (other, 80)], None),
            (&[(parent, 80)], None),
            (&[(parent, 60), (other, 60)], None),
            // Only processes that were there at the look before count.
            (&[(parent, 60), (other, 50), (third, 40)], Some(110)),
            (&[(parent, 60), (third, 40)], None),
            (&[(parent, 101)], None),
            (&[(parent, 101)], Some(101)),
        ] {
            assert_eq!(watch.judge(taken), excess, "{taken:?}");
        }
    }

    #[test]
    fn a_process_is_known_by_what_linux_writes_of_it() {
        let line =
            b"42 (a) R (\xff) S 1 40 39 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 9876 1000000 25 18446744073709551615 1 1";
        let stat = Stat::read(42, line).unwrap();
        assert_eq!((stat.id, stat.group, stat.resident, stat.ended), ((42, 9876), 40, 25 * page_size() as u64, false));
        assert!(Stat::read(42, b"42 (cut").is_none() && Stat::read(42, b"42 (cut) S 1 40").is_none());
        let own = Stat::of(std::process::id() as i32).unwrap();
        assert!(own.resident > MB && !own.ended);
        assert!(numbers().any(|number| number == own.id.0));
        assert_eq!(kilobytes("Pss_Anon:      1204 kB", "Pss_Anon"), Some(1204 * 1024));
        assert_eq!(kilobytes("Pss_Anon:      1204 kB", "Pss"), None);
    }

    #[test]
    fn a_group_that_has_ended_takes_nothing() {
        let mut child = Command::new("true").process_group(0).spawn().unwrap();
        let group = child.id() as i32;
        child.wait().unwrap();
        std::thread::sleep(PERIOD[0]);
        assert_eq!(taken(group, 0), []);
        assert_eq!(own_share((group, 0)), Some(0));
    }
}
