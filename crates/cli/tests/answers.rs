//! One vocabulary: the command with `--json` and the HTTP interface give the same facts about the same study.
//!
//! Answers in Python are compared with the command in crates/python/tests/test_answers.py.

use serde_json::{Value, json};

use crate::common::{Bench, Server};

/// A study with a trial of every kind: replicated, corrected, failed, infeasible, withdrawn, under way, and added at a
/// point that a constraint forbids; and with results that are not optimized.
fn bench() -> Bench {
    let bench = Bench::new(40, "echo {x}", "");
    let text = std::fs::read_to_string(bench.path("study.toml")).unwrap();
    bench.write("study.toml", &format!("metric = \"loss\"\nconstraints = [\"x + n <= 8\"]\n{text}"));
    bench.good(&["ask", "-n", "8"]);
    bench.good(&["tell", "0", "loss=0.5", "minutes=12"]);
    bench.good(&["tell", "0", "0.75"]);
    bench.good(&["tell", "1", "2.5", "--noise", "0.25"]);
    bench.good(&["tell", "1", "1.5", "--correction"]);
    bench.good(&["fail", "2", "--reason", "broke"]);
    bench.good(&["fail", "3", "--reason", "does not dissolve", "--infeasible"]);
    bench.good(&["tell", "3", "9"]);
    bench.good(&["release", "4"]);
    bench.good(&["tell", "5", "minutes=3"]);
    bench.good(&["tell", "--at", "x=0.5", "--at", "n=9", "0.25"]);
    bench.good(&["fail", "6", "--reason", "later"]);
    bench
}

/// The answer without anything that the clock changes.
fn timeless(mut answer: Value) -> Value {
    match &mut answer {
        Value::Object(fields) => {
            fields.retain(|name, _| !["now", "expires"].contains(&name.as_str()));
            fields.values_mut().for_each(|value| *value = timeless(value.take()));
        }
        Value::Array(all) => all.iter_mut().for_each(|value| *value = timeless(value.take())),
        _ => {}
    }
    answer
}

#[test]
fn a_trial_is_the_same_from_the_command_and_over_http() {
    let bench = bench();
    let server = Server::start(&bench, &[]);
    let listed = bench.json(&["trials"]);
    let listed = listed["trials"].as_array().unwrap();
    assert_eq!(listed.len(), 9);
    for (i, trial) in listed.iter().enumerate() {
        assert_eq!(*trial, server.get(&format!("/api/studies/bench/trials/{i}")), "trial {i}");
    }
    assert_eq!(listed[0]["results"], json!({ "loss": 0.625, "minutes": 12.0 }));
    assert_eq!(listed[1]["measurements"][1], json!({ "value": 1.5, "noise": null, "kind": "correction" }));
    assert_eq!((&listed[8]["breaks"], &listed[7]["worker"]), (&json!("x + n <= 8"), &json!("by hand")));
    assert!(listed[7]["expires"].is_i64() && listed[0]["expires"].is_null());
}

#[test]
fn the_best_points_are_the_same_from_the_command_and_over_http() {
    let bench = bench();
    let server = Server::start(&bench, &[]);
    let best = bench.json(&["best"]);
    assert_eq!(best, server.get("/api/studies/bench/best"));
    assert_eq!(best["observed"]["trial"], 8);
    assert!(best["recommended"].as_object().unwrap().contains_key("fallback"));
}

#[test]
fn a_study_stands_the_same_for_the_command_and_over_http() {
    let bench = bench();
    let server = Server::start(&bench, &[]);
    let (here, there) = (timeless(bench.json(&["status"])), timeless(server.get("/api/studies/bench")));
    for (name, value) in here.as_object().unwrap() {
        assert_eq!(*value, there[name], "{name}");
    }
    let more: Vec<&String> = there.as_object().unwrap().keys().filter(|name| here.get(name).is_none()).collect();
    assert_eq!(more, ["axes", "seconds_left", "version", "builds", "write"], "what only the page needs");
}

#[test]
fn the_studies_of_a_store_are_the_same_from_the_command_and_over_http() {
    let bench = bench();
    bench.good(&["copy", "bench.elbow", "bench.elbow", "--trials", "9", "--as", "more"]);
    let server = Server::start(&bench, &[]);
    let (here, mut there) = (bench.json(&["studies", "bench.elbow"]), server.get("/api/studies"));
    assert_eq!(there.as_object_mut().unwrap().remove("write"), Some(json!(false)), "what only the page needs");
    assert_eq!(here, there);
    assert_eq!((&here["studies"][0]["name"], &here["studies"][1]["name"]), (&json!("bench"), &json!("more")));
    let said = bench.good(&["studies"]);
    assert!(said.starts_with("study") && said.contains("more"), "{said}");
    assert!(bench.bad(1, &["studies", "other.elbow"]).contains("there is no store at other.elbow"));
    assert!(!bench.path("other.elbow").exists());
}

#[test]
fn a_run_and_a_copy_name_their_study_as_every_other_answer_does() {
    let bench = Bench::new(3, "echo {x}", "");
    let ran: Value = serde_json::from_slice(&bench.elbow(&["--json", "run"]).stdout).unwrap();
    let name = bench.json(&["studies", "bench.elbow"])["studies"][0]["name"].clone();
    assert_eq!(bench.json(&["status"])["name"], name);
    let copied = bench.json(&["copy", "bench.elbow", "copy.elbow"]);
    let went_on = bench.json(&["copy", "bench.elbow", "more.elbow", "--trials", "9"]);
    for answer in [ran, copied, went_on] {
        assert_eq!(answer["name"], name, "{answer}");
        assert_eq!(answer.get("study"), None, "{answer}");
    }
}

#[test]
fn asks_and_reports_are_answered_the_same_by_the_command_and_over_http() {
    let bench = bench();
    let server = Server::start(&bench, &["--write"]);
    let post = |what: &str, body: Value| server.post(&format!("/api/studies/bench/{what}"), &body);
    // With the same request name the answer is the same, through either interface.
    let asked = bench.json(&["ask", "-n", "2", "--request", "one"]);
    let there = post("ask", json!({ "n": 2, "request": "one" }));
    assert_eq!(asked, there);
    assert_eq!(asked["trials"][0]["attempt"], 1);

    let told = |door: Value| (door.as_object().unwrap().keys().cloned().collect::<Vec<_>>(), door["told"].clone());
    let here = bench.json(&["tell", "9", "minutes=4", "--request", "two"]);
    let there = post("tell", json!({ "trial": 10, "results": { "minutes": 4 }, "request": "three" }));
    assert_eq!((here["hint"].clone(), told(here)), (there["hint"].clone(), told(there)));
    let here = bench.json(&["tell", "9", "0.5"]);
    assert_eq!(told(here), told(post("tell", json!({ "trial": 10, "value": 0.5 }))));

    bench.json(&["ask", "-n", "4"]);
    let mut here = bench.json(&["fail", "11", "--reason", "broke"]);
    here["trial"] = json!(12);
    assert_eq!(here, post("fail", json!({ "trial": 12, "reason": "broke" })));
    let mut here = bench.json(&["release", "13", "--again"]);
    here["trial"] = json!(14);
    assert_eq!(here, post("release", json!({ "trial": 14, "again": true })));

    let mut here = bench.json(&["tell", "--at", "x=0.25", "--at", "n=2", "0.125"]);
    let there = post("add", json!({ "point": { "x": 0.25, "n": 2 }, "value": 0.125 }));
    here["trial"] = there["trial"].clone();
    assert_eq!(here, there);
}
