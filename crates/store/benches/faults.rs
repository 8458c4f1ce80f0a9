//! The large fault runs: many processes, many kills, and a table of what was lost.
//!
//! `cargo bench -p elbowroom-store --bench faults [-- --quick] [--only crowd|kills|storm] [--out FOLDER]`
//!
//! Every run ends in the same comparison: what the workers were told is stored, as they wrote it down at once, against
//! what the store has. Any error that reaches a worker, any lost value, any point live twice, any trial beyond the budget
//! or run more than three times, and any suggestion that comes out otherwise from the log makes the program fail.

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "faults/crowd.rs"]
mod crowd;
#[path = "faults/kills.rs"]
mod kills;
#[path = "faults/outcome.rs"]
mod outcome;
mod report;

use std::process::ExitCode;

use elbowroom::study::StudyConfig;
use elbowroom_store::{SharedStudy, open};
use outcome::Outcome;

/// How much of each.
struct Sizes {
    /// Workers on a file and on a database, and how many trials each of them does.
    file_crowd: (usize, usize),
    database_crowd: (usize, usize),
    file_kills: usize,
    database_kills: usize,
    moment_rounds: usize,
    file_storm: usize,
    database_storm: usize,
}

const LARGE: Sizes = Sizes {
    file_crowd: (32, 200),
    database_crowd: (64, 20),
    file_kills: 200,
    database_kills: 100,
    moment_rounds: 5,
    file_storm: 400,
    database_storm: 400,
};

const QUICK: Sizes = Sizes {
    file_crowd: (6, 7),
    database_crowd: (8, 5),
    file_kills: 20,
    database_kills: 20,
    moment_rounds: 1,
    file_storm: 40,
    database_storm: 40,
};

fn main() -> ExitCode {
    let Some(options) = report::Options::read() else { return ExitCode::SUCCESS };
    let sizes = if options.quick { QUICK } else { LARGE };
    let mut done: Vec<Outcome> = Vec::new();
    let mut note = |outcome: Outcome| {
        eprintln!("{}", outcome.row());
        done.push(outcome);
    };
    let wanted = |part: &str| options.only.as_deref().is_none_or(|only| only == part);
    for (name, (n_workers, n_each)) in [("a SQLite file", sizes.file_crowd), ("PostgreSQL", sizes.database_crowd)] {
        if !wanted("crowd") {
            continue;
        }
        let Some(place) = Place::new(name, crowd::coarse(n_workers * n_each)) else { continue };
        note(crowd::work(&place, n_workers, n_each));
    }
    for (name, n) in [("a SQLite file", sizes.file_kills), ("PostgreSQL", sizes.database_kills)] {
        if !wanted("kills") {
            continue;
        }
        let budget = kills::budget(n);
        let Some(place) = Place::new(name, kills::random(budget)) else { continue };
        note(kills::at_random(&place, n, budget));
        let budget = kills::budget_of_moments(sizes.moment_rounds);
        let Some(place) = Place::new(name, kills::random(budget)) else { continue };
        note(kills::at_moments(&place, sizes.moment_rounds, budget));
    }
    for (name, n) in [("a SQLite file", sizes.file_storm), ("PostgreSQL", sizes.database_storm)] {
        if !wanted("storm") {
            continue;
        }
        let budget = kills::budget_of_storm(n);
        let Some(place) = Place::new(name, kills::random(budget)) else { continue };
        note(kills::storm(&place, n, budget));
    }
    let rows: Vec<String> = done.iter().map(Outcome::row).collect();
    let table = format!("{}\n{}\n\n{NOTES}", outcome::HEAD, rows.join("\n"));
    let raw: Vec<String> = done.iter().flat_map(|outcome| outcome.raw.clone()).collect();
    report::publish(&options, "faults", "Faults", &table, &raw);
    if done.iter().all(Outcome::is_clean) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

const NOTES: &str = "\
- *faults*: processes that were killed with kill -9; *acknowledged*: values whose `tell` had returned, by the workers' own notes.
- *lost*: acknowledged values that the store does not have, bit for bit. *live twice*: pairs of trials at one point, at any time of the study. *overshoot*: trials that count beyond the budget.
- *attempts*: the most that any trial had. *replay*: suggestions that came out otherwise when the whole log was computed again; a crowd's is not, since that takes every fit once more.
- *errors*: those that reached a worker or the reader. The reader opens and refreshes the study all the while, and looks at the same figures each time.
- Where a crowd works, the strategy is the default one, in a square of integers with an eighth more points than trials, and the model has at most 300 observations instead of 1000, so that an ask costs less: what is tried is the store. Where they are killed, points are random in 100 × 100 integers, so that kills meet the store and not the model.
- In a storm every worker that is killed is started again at once on the same machine, and begins with what it finds that dead processes had; half of them have leases of 90 seconds, the others of half a second. Half are killed at random, half kill themselves at a named moment.
- After the kills one more worker ends each study: every trial has a value, or was lost three times and given up.";

/// A new store with a study in it, and what must live as long.
struct Place {
    name: &'static str,
    address: String,
    _folder: Option<tempfile::TempDir>,
}

impl Place {
    fn new(name: &'static str, config: StudyConfig) -> Option<Self> {
        let (address, folder) = if name == "PostgreSQL" {
            (common::cluster::new_database()?, None)
        } else {
            let folder = tempfile::tempdir().unwrap();
            (folder.path().join("store.elbow").display().to_string(), Some(folder))
        };
        SharedStudy::create(open(&address).unwrap(), "study", config).unwrap();
        Some(Self { name, address, _folder: folder })
    }

    fn join(&self) -> SharedStudy {
        SharedStudy::open(open(&self.address).unwrap(), "study").unwrap()
    }
}
