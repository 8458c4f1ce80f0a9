//! Helpers for several test files.
#![allow(dead_code, unused_imports, reason = "the tests and the fault runs each use a part")]

pub mod cluster;
pub mod crew;

use std::sync::Arc;

use elbowroom::space::{Parameter, SearchSpace};
use elbowroom::study::StudyConfig;
use elbowroom_store::testing::Bench;
pub use elbowroom_store::testing::{assert_sound, overshoot, random, twice};
use elbowroom_store::{Clock, Dsn, Memory, Postgres, Sqlite};

pub fn memory() -> Bench {
    let clock = Clock::manual(1_700_000_000_000);
    let store = Arc::new(Memory::with_clock(clock.clone()));
    Bench::new(move || store.clone()).with_clock(clock)
}

pub fn sqlite() -> Bench {
    let (clock, folder) = (Clock::system(), tempfile::tempdir().unwrap());
    let ours = clock.clone();
    // The folder lives as long as the bench.
    let open = move || Arc::new(Sqlite::open_with_clock(folder.path().join("store.elbow"), ours.clone()).unwrap());
    Bench::new(open).with_clock(clock)
}

/// A new database on this test program's private server; `None` if PostgreSQL is not installed.
pub fn postgres() -> Option<Bench> {
    let dsn = cluster::new_database()?;
    Some(Bench::new(move || Arc::new(Postgres::connect(&Dsn::new(&dsn).unwrap()).unwrap())))
}

/// The default strategy in a space of 225 points, where workers often want the same one.
pub fn coarse(budget: usize) -> StudyConfig {
    let space = SearchSpace::new(vec![Parameter::int("a", 0, 14), Parameter::int("b", 0, 14)]).unwrap();
    StudyConfig::new(space).budget(budget)
}
