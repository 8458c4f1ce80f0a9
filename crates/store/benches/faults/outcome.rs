//! What came of a run.

use std::time::Instant;

use elbowroom::study::verify;
use elbowroom_store::MAX_RETRIES;
use serde_json::json;

use crate::Place;
use crate::common::crew::Promises;
use crate::common::{overshoot, twice};

/// The head of the table.
pub const HEAD: &str = "\
| run | faults | acknowledged | lost | live twice | overshoot | attempts | replay | errors | reads | seconds |
|---|---|---|---|---|---|---|---|---|---|---|";

/// Attempts that a trial may have: its first, and two more.
const MOST_ATTEMPTS: u32 = 1 + MAX_RETRIES;

/// One row of the table, and the raw lines behind it.
pub struct Outcome {
    run: String,
    faults: usize,
    acknowledged: usize,
    lost: usize,
    twice: usize,
    overshoot: usize,
    attempts: u32,
    /// Suggestions that came out otherwise from the log; none if they were not computed again.
    differing: Option<usize>,
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
    pub fn close(mut self, place: &Place, budget: usize, reads: usize, replay: bool) -> Outcome {
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
        let attempts = study.study().trials().iter().map(|trial| trial.attempts).max().unwrap_or(0);
        let differing = replay.then(|| verify(study.study().events()).unwrap().len());
        let outcome = Outcome {
            attempts,
            differing,
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
            "live_twice": pairs, "overshoot": outcome.overshoot,
            "most_attempts": attempts, "replay_differs": differing, "errors": outcome.errors, "reads": reads,
            "seconds": seconds, "complete": counts.complete, "given_up": counts.lost, "budget": budget,
            "events": study.study().events().len(), "digest": study.stored().digest().to_string(),
        });
        let mut outcome = outcome;
        outcome.raw.push(summary.to_string());
        outcome
    }
}

impl Outcome {
    pub fn row(&self) -> String {
        let Self { run, faults, acknowledged, lost, twice, overshoot, attempts, errors, reads, seconds, .. } = self;
        let replay = self.differing.map_or("–".to_owned(), |n| n.to_string());
        let reads = if *reads > 0 { reads.to_string() } else { "–".to_owned() };
        format!(
            "| {run} | {faults} | {acknowledged} | {lost} | {twice} | {overshoot} | {attempts} | {replay} | {errors} | \
             {reads} | {seconds:.1} |"
        )
    }

    pub fn is_clean(&self) -> bool {
        let wrong = self.lost + self.twice + self.overshoot + self.errors + self.differing.unwrap_or(0);
        wrong == 0 && self.attempts <= MOST_ATTEMPTS
    }
}
