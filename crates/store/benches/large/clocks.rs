//! Time on the CPU and on the wall, the disk's own, and memory.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use crate::report::entry;

/// How long something took.
#[derive(Clone, Copy)]
pub struct Timing {
    /// Seconds on the CPU, of this thread.
    pub cpu: f64,
    /// Seconds by the clock.
    pub wall: f64,
}

impl Timing {
    /// The medians, each for itself.
    pub fn median(timings: Vec<Timing>) -> Self {
        let of = |part: fn(&Timing) -> f64| median(timings.iter().map(part).collect());
        Self { cpu: of(|t| t.cpu), wall: of(|t| t.wall) }
    }
}

/// The middle one.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Times one call.
pub fn timed<T>(work: impl FnOnce() -> T) -> (Timing, T) {
    let (cpu, wall) = (cpu_seconds(), Instant::now());
    let done = work();
    (Timing { cpu: cpu_seconds() - cpu, wall: wall.elapsed().as_secs_f64() }, done)
}

/// Seconds until one page, appended to a file, is on the disk.
pub fn sync_seconds(folder: &Path) -> f64 {
    let mut file = File::options().create(true).append(true).open(folder.join("sync")).unwrap();
    let start = Instant::now();
    file.write_all(&[1; 4096]).unwrap();
    file.sync_data().unwrap();
    start.elapsed().as_secs_f64()
}

/// Memory of this process, from Linux's account of it.
pub fn memory_mib(key: &str) -> f64 {
    let kib = entry("/proc/self/status", key).and_then(|v| v.split(' ').next()?.parse().ok());
    kib.unwrap_or(f64::NAN) / 1024.0
}

fn cpu_seconds() -> f64 {
    // The kernel brings the account of a running thread up to date when it yields, else only at the next tick.
    std::thread::yield_now();
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    1e-9 * stat.split(' ').next().and_then(|s| s.parse().ok()).unwrap_or(f64::NAN)
}
