//! What came of a run.

use std::time::Instant;

use serde_json::json;

use crate::Place;
use crate::common::crew::Promises;
use crate::common::{overshoot, twice};

/// The head of the table.
pub const HEAD: &str = "\
| run | faults | acknowledged | lost | live twice | overshoot | errors | reads | seconds |
|---|---|---|---|---|---|---|---|---|";

/// One row of the table, and the raw lines behind it.
pub struct Outcome {
    run: String,
    faults: usize,
    acknowledged: usize,
    lost: usize,
    twice: usize,
    overshoot: usize,
    errors: usize,
    reads: usize,
    seconds: f64,
    pub raw: Vec<String>,
}

/// What is noted while a run goes on.
pub struct Notes {
    run: String,
    started: Instant,
    promises: Promises,
    faults: usize,
    errors: usize,
    raw: Vec<String>,
}

impl Notes {
    pub fn new(run: String) -> Self {
        let (promises, raw) = (Promises::default(), Vec::new());
        Self { run, started: Instant::now(), promises, faults: 0, errors: 0, raw }
    }

    /// A worker ended: well, by a kill that was meant for it, or with an error.
    pub fn ended(&mut self, said: &str, well: bool, may_be_killed: bool) {
        self.promises.note(said);
        let failed = said.contains("error") || (!well && !may_be_killed);
        self.errors += usize::from(failed);
        self.faults += usize::from(!well && !failed);
        let ended = if failed {
            "error"
        } else if well {
            "well"
        } else {
            "killed"
        };
        let said: Vec<&str> = said.lines().collect();
        self.raw.push(json!({"run": self.run, "ended": ended, "said": said}).to_string());
    }

    /// Anything else that should not be so.
    pub fn wrong(&mut self, what: String) {
        eprintln!("{}: {what}", self.run);
        self.errors += 1;
        self.raw.push(json!({"run": self.run, "wrong": what}).to_string());
    }

    /// Compares what was promised with what is there.
    pub fn close(mut self, place: &Place, budget: usize, reads: usize) -> Outcome {
        let seconds = self.started.elapsed().as_secs_f64();
        let study = place.join();
        let counts = study.counts();
        if (counts.complete + counts.lost, counts.open()) != (budget, 0) {
            self.wrong(format!("{counts:?} where {budget} trials were to be done"));
        }
        let (missing, pairs) = (self.promises.missing(&study), twice(&study));
        for what in missing.iter().chain(&pairs) {
            eprintln!("{}: {what}", self.run);
        }
        let outcome = Outcome {
            acknowledged: self.promises.count(),
            faults: self.faults,
            lost: missing.len(),
            twice: pairs.len(),
            overshoot: overshoot(&study),
            errors: self.errors,
            run: self.run,
            raw: self.raw,
            reads,
            seconds,
        };
        let summary = json!({
            "run": outcome.run, "faults": outcome.faults, "acknowledged": outcome.acknowledged, "lost": missing,
            "live_twice": pairs, "overshoot": outcome.overshoot, "errors": outcome.errors, "reads": reads,
            "seconds": seconds, "complete": counts.complete, "given_up": counts.lost, "budget": budget,
            "events": study.study().events().len(), "digest": study.digest().to_string(),
        });
        let mut outcome = outcome;
        outcome.raw.push(summary.to_string());
        outcome
    }
}

impl Outcome {
    pub fn row(&self) -> String {
        let Self { run, faults, acknowledged, lost, twice, overshoot, errors, reads, seconds, .. } = self;
        let reads = if *reads > 0 { reads.to_string() } else { "–".to_owned() };
        format!(
            "| {run} | {faults} | {acknowledged} | {lost} | {twice} | {overshoot} | {errors} | {reads} | {seconds:.1} |"
        )
    }

    pub fn is_clean(&self) -> bool {
        self.lost + self.twice + self.overshoot + self.errors == 0
    }
}
