//! Worker processes: how they are started and killed, and what they were promised.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Command, Stdio};

use elbowroom::study::TrialId;
use elbowroom_store::SharedStudy;

/// Every named moment of ask and tell.
pub const MOMENTS: [&str; 11] = [
    "ask: looked",
    "ask: chose",
    "append: begun",
    "append: event written",
    "append: leases written",
    "commit: now",
    "commit: done",
    "ask: stored",
    "report: begun",
    "report: event written",
    "report: lease ended",
];

/// A process that works on `study` in a store.
pub struct Worker {
    child: Child,
    out: BufReader<ChildStdout>,
    said: String,
}

impl Worker {
    pub fn start(address: &str, n_trials: usize, options: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_elbowroom-store-worker"));
        command.arg(address).arg(n_trials.to_string()).args(options);
        Self::spawn(command)
    }

    pub fn spawn(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        Self { child, out, said: String::new() }
    }

    /// Waits for its next line.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).unwrap();
        self.said.push_str(&line);
        line.trim_end().to_owned()
    }

    /// Sends it a signal.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([name, &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    pub fn kill(&mut self) {
        self.child.kill().unwrap();
    }

    /// Waits for its end; returns all of its output, and whether it succeeded.
    pub fn end(mut self) -> (String, bool) {
        self.out.read_to_string(&mut self.said).unwrap();
        let status = self.child.wait().unwrap();
        (self.said, status.success())
    }
}

/// The values that workers were told are stored, by trial.
#[derive(Default)]
pub struct Promises {
    told: HashMap<TrialId, Vec<f64>>,
}

impl Promises {
    pub fn note(&mut self, said: &str) {
        // The last line of a killed worker may be cut off; it was then not promised to anyone.
        for line in said.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
            let words: Vec<&str> = line.split_whitespace().collect();
            if let ["told", trial, bits] = words[..] {
                let value = f64::from_bits(bits.parse().unwrap());
                self.told.entry(TrialId(trial.parse().unwrap())).or_default().push(value);
            }
        }
    }

    pub fn count(&self) -> usize {
        self.told.values().map(Vec::len).sum()
    }

    /// The acknowledged values that a study does not have, each with an explanation.
    pub fn missing(&self, study: &SharedStudy) -> Vec<String> {
        let mut missing = Vec::new();
        for (trial, values) in &self.told {
            let kept = study.study().trial(*trial).map(|trial| trial.measurements().to_vec()).unwrap_or_default();
            let mut kept: Vec<u64> = kept.iter().map(|m| m.value.to_bits()).collect();
            for value in values {
                match kept.iter().position(|bits| *bits == value.to_bits()) {
                    Some(place) => drop(kept.swap_remove(place)),
                    None => missing.push(format!("trial {trial} was told {value}, which is not there")),
                }
            }
        }
        missing
    }

    /// Checks that every acknowledged value is there.
    pub fn assert_kept(&self, study: &SharedStudy) {
        assert_eq!(self.missing(study), Vec::<String>::new());
    }
}
