//! A study of 100,000 trials in a store file, and what a store adds to an ask.
//!
//! `cargo bench -p elbowroom-store --bench large [-- --quick] [-- --out FOLDER]`

#[path = "large/asks.rs"]
mod asks;
#[path = "large/clocks.rs"]
mod clocks;
#[path = "large/elbow.rs"]
mod elbow;
#[path = "large/history.rs"]
mod history;
mod report;

use clocks::{Timing, median, sync_seconds, timed};
use elbowroom_store::{Health, SharedStudy, Sqlite, Store, check, open};
use serde_json::json;

fn main() {
    let Some(options) = report::Options::read() else { return };
    let (n_trials, n_asks) = if options.quick { (2_000, 5) } else { (100_000, 50) };
    let folder = tempfile::tempdir().unwrap();
    let (mut rows, mut raw) = (Vec::new(), Vec::new());
    let mut note = |what: String, timing: Timing| {
        let row = format!("| {what} | {:.5} | {:.5} |", timing.cpu, timing.wall);
        eprintln!("{row}");
        raw.push(json!({"what": what, "cpu_s": timing.cpu, "wall_s": timing.wall}).to_string());
        rows.push(row);
    };

    // First what is small, while the memory is still that of a small study.
    let pairs = asks::beside_core(&folder.path().join("small.elbow"), n_asks);
    note(format!("core's ask after a result, n = {}", asks::N), pairs.core);
    note("the same through SQLite".to_owned(), pairs.stored);
    note("difference, ask by ask".to_owned(), pairs.difference);
    let sync = median((0..n_asks.max(20)).map(|_| sync_seconds(folder.path())).collect());
    note("the disk's sync of one page".to_owned(), Timing { cpu: f64::NAN, wall: sync });

    let path = folder.path().join("large.elbow");
    let address = path.display().to_string();
    let entries = history::entries(n_trials);
    let n_events = entries.len();
    let (timing, ()) = timed(|| Sqlite::open(&path).unwrap().import("large", &entries, &[]).unwrap());
    note(format!("import of {n_trials} trials ({n_events} events)"), timing);
    drop(entries);

    let (mut opens, mut study) = (Vec::new(), None);
    for _ in 0..3 {
        drop(study.take());
        let (timing, opened) = timed(|| {
            let study = SharedStudy::open(open(&address).unwrap(), "large").unwrap();
            assert_eq!((study.counts().complete, study.study().best().is_some()), (n_trials, true));
            study
        });
        opens.push(timing);
        study = Some(opened);
    }
    note(format!("open {n_trials} trials, count them, find the best"), Timing::median(opens));
    let mut study = study.unwrap();

    let elbow = elbow::build();
    let statuses = (0..5).map(|_| elbow::status(&elbow, &path)).collect();
    note(format!("the process `elbow status`, {n_trials} trials"), Timing::median(statuses));

    let refreshes = (0..n_asks).map(|_| timed(|| study.refresh().unwrap()).0).collect();
    note(format!("a live worker looks for news, at {n_trials} trials"), Timing::median(refreshes));
    let cycles = (0..n_asks).map(|_| asks::ask_and_tell(&mut study)).collect();
    note(format!("a live worker's ask without a model, at {n_trials} trials"), Timing::median(cycles));
    drop(study);
    let modelled = folder.path().join("modelled.elbow");
    let entries = history::with_a_short_design(n_trials);
    Sqlite::open(&modelled).unwrap().import("large", &entries, &[]).unwrap();
    drop(entries);
    let mut study = SharedStudy::open(open(&modelled.display().to_string()).unwrap(), "large").unwrap();
    let cycles = (0..n_asks.min(20)).map(|_| asks::ask_and_tell(&mut study)).collect();
    let part = study.study().subset().map_or_else(|| "all observations".to_owned(), |subset| subset.to_string());
    note(format!("a live worker's ask with a model of {part}"), Timing::median(cycles));
    let (timing, health) = timed(|| check(&path).unwrap());
    assert!(matches!(health, Health { .. }));
    note("the file checked from end to end".to_owned(), timing);

    let resident = clocks::memory_mib("VmRSS");
    let size = std::fs::metadata(&path).unwrap().len() as f64 / f64::from(1 << 20);
    raw.push(json!({"resident_mib": resident, "file_mib": size}).to_string());
    let table = format!(
        "| | CPU seconds | seconds |\n|---|---|---|\n{}\n\nMemory of the process with the large study open: {resident:.0} \
         MiB; its file: {size:.0} MiB.\n\n{NOTES}",
        rows.join("\n").replace("NaN", "–"),
    );
    report::publish(&options, "large", "A large study", &table, &raw);
}

const NOTES: &str = "\
- CPU seconds are those of the calling thread; a long log is read on several threads, one per core.
- Each trial of the large study is one ask, with the record of its model, and one told value, in six dimensions.
- Asks beside the core's: both studies get the same results and choose the same points; every ask fits the model anew. Medians, of the differences too. Each ask through SQLite has one synced commit in it.
- A live worker's ask without a model is in an initial design of a million points, so that no model hides what the history costs. With a model every ask fits anew; the core's ask at n = 1000 is in crates/bench/results/speed.md.
- CPU seconds of `elbow status` are those of the whole process, on all its threads.";
