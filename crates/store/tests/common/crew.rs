//! Worker processes: started, killed, and what they were promised.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Command, Stdio};

use elbowroom::study::TrialId;
use elbowroom_store::SharedStudy;

/// A process that works on `study` of a store.
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

    /// Waits for its end; returns all that it said, and whether it ended well.
    pub fn end(mut self) -> (String, bool) {
        self.out.read_to_string(&mut self.said).unwrap();
        let status = self.child.wait().unwrap();
        (self.said, status.success())
    }
}

/// What workers were told is stored, by trial.
#[derive(Default)]
pub struct Promises {
    told: HashMap<TrialId, Vec<f64>>,
}

impl Promises {
    pub fn note(&mut self, said: &str) {
        // The last line of a killed worker may be cut off; it was not promised to anyone then.
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

    /// Every acknowledged value is there.
    pub fn assert_kept(&self, study: &SharedStudy) {
        for (trial, values) in &self.told {
            let kept: Vec<f64> = study.study().trial(*trial).unwrap().measurements().iter().map(|m| m.value).collect();
            for value in values {
                let is = |v: &&f64| v.to_bits() == value.to_bits();
                assert!(
                    kept.iter().filter(is).count() >= values.iter().filter(is).count(),
                    "trial {trial} was told {values:?} and keeps {kept:?}"
                );
            }
        }
    }
}
