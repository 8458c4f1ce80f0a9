//! A study that version 0.1.0 of elbowroom wrote, continued by this version.

use std::fs;

use crate::common::{Bench, stderr};
use elbowroom_store::{Digest, Entry, Time, open};
use serde_json::{Value, json};

const LOG: &str = include_str!("../../core/tests/data/log-0.1.0.jsonl");

/// The study.toml of that study.
const STUDY: &str = r#"name = "old"
seed = 11
[parameters]
rate = { float = [1e-4, 1.0], log = true }
x = { float = [-1, 2] }
n = { int = [1, 9] }
kind = { categories = ["a", "b"] }
[budget]
trials = 40
[run]
command = "awk 'BEGIN { if ({x} > 0.5) exit 65; if ({rate} > 0.02) exit 1; print ({x} - 0.4) ^ 2 + {n} / 100 }'"
workers = 2
"#;

/// A store with these events, each exactly as written here.
fn store(bench: &Bench, name: &str, log: &str) {
    let mut digest = Digest::EMPTY;
    let entries: Vec<Entry> = log
        .lines()
        .zip(1_700_000_000_000..)
        .map(|(text, at)| {
            digest = digest.then(Time(at), text);
            Entry { at: Time(at), text: text.to_owned(), digest }
        })
        .collect();
    let store = open(bench.path(name).to_str().unwrap()).unwrap();
    store.import("old", &entries, &[]).unwrap();
}

fn old() -> Bench {
    let bench = Bench { folder: tempfile::tempdir().unwrap() };
    bench.write("study.toml", STUDY);
    store(&bench, "old.elbow", LOG);
    bench
}

fn asks(log: &str) -> Vec<usize> {
    (0..).zip(log.lines()).filter(|(_, line)| line.contains(r#""event":"asked""#)).map(|(i, _)| i).collect()
}

#[test]
fn replay_lists_the_asks_of_an_older_version_apart_and_is_content() {
    let bench = old();
    let said = bench.good(&["replay"]);
    assert!(said.starts_with("29 asks were chosen by elbowroom 0.1.0 and are not compared\n"), "{said}");
    assert!(said.contains("no ask was answered by this version"), "{said}");
    let found = bench.json(&["replay"]);
    assert_eq!(found["not_compared"], json!([{ "version": "0.1.0", "events": asks(LOG) }]));
    assert_eq!((&found["differences"], &found["asks"], &found["compared"]), (&json!([]), &json!(29), &json!(0)));
}

#[test]
fn an_old_study_goes_on_and_what_it_is_asked_from_now_on_is_chosen_again() {
    let bench = old();
    // The study.toml does not say what failures mean, and neither does the log.
    let run = bench.json(&["run", "--trials", "8"]);
    let ended: u64 = ["told", "failed", "infeasible"].iter().map(|key| run[*key].as_u64().unwrap()).sum();
    assert_eq!(ended, 8);
    let log = bench.good(&["export", "--format", "events"]);
    assert!(log.starts_with(LOG), "what was written keeps its bytes");
    let (all, before) = (asks(&log).len(), asks(LOG).len());
    let found = bench.json(&["replay"]);
    assert_eq!((&found["differences"], &found["compared"]), (&json!([]), &json!(all - before)));
    let said = bench.good(&["replay"]);
    assert!(said.contains(&format!("all {} asks of this version come out the same", all - before)), "{said}");

    // A modified ask of this version is found among them.
    let last = log.lines().rfind(|line| line.contains(r#""event":"asked""#)).unwrap();
    let mut event: Value = serde_json::from_str(last).unwrap();
    event["trials"][0]["point"]["x"] = json!(0.123);
    store(&bench, "changed.elbow", &log.replace(last, &event.to_string()));
    let output = bench.elbow(&["replay", "changed.elbow"]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}{}", stderr(&output));
    assert!(said.contains("but would now be at ") && said.contains("29 asks were chosen by elbowroom 0.1.0"), "{said}");
}

#[test]
fn a_copy_of_an_old_study_has_its_bytes() {
    let bench = old();
    bench.good(&["copy", "study.toml", "copy.elbow", "--as", "twin"]);
    bench.good(&["export", "copy.elbow", "--format", "events", "-o", "copy.jsonl"]);
    assert_eq!(fs::read_to_string(bench.path("copy.jsonl")).unwrap(), LOG);
}

#[test]
fn an_old_study_is_refused_only_if_study_toml_asks_for_another_rule() {
    let bench = old();
    bench.write("study.toml", &STUDY.replace("seed = 11", "seed = 11\nfailures = \"ignore\""));
    bench.good(&["ask"]);
    bench.write("study.toml", &STUDY.replace("seed = 11", "seed = 11\nfailures = \"learn\""));
    let said = bench.bad(1, &["ask"]);
    assert!(
        said.contains("was created with a different failures") && said.contains("\n  try: change study.toml back"),
        "{said}"
    );
}
