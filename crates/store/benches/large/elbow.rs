//! The command `elbow`, as a process.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::clocks::Timing;

/// Builds the command as it is handed out, or in haste where this program was; returns where it is.
pub fn build() -> PathBuf {
    let (profile, folder) = if cfg!(debug_assertions) { ("dev", "debug") } else { ("dist", "dist") };
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "-p", "elbowroom-cli", "--profile", profile]);
    assert!(cargo.status().unwrap().success());
    // This program is TARGET/PROFILE/deps/large-….
    let here = std::env::current_exe().unwrap();
    here.ancestors().nth(3).unwrap().join(folder).join("elbow")
}

/// One `elbow status`, from its start to its end.
pub fn status(elbow: &Path, store: &Path) -> Timing {
    let (before, start) = (children_seconds(), Instant::now());
    let status = Command::new(elbow).arg("status").arg(store).stdout(Stdio::null()).status().unwrap();
    assert!(status.success());
    Timing { wall: start.elapsed().as_secs_f64(), cpu: children_seconds() - before }
}

/// CPU time of this process's children that have ended, from Linux's account in hundredths of a second.
fn children_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    // Fields 16 and 17 of proc(5); the first two are before the parenthesis.
    let ticks: f64 = fields[13..15].iter().map(|ticks| ticks.parse::<f64>().unwrap()).sum();
    ticks / 100.0
}
