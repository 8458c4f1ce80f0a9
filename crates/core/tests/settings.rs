//! Settings: a key that is not read is refused, wherever it is.

use std::path::Path;

use elbowroom::space::{Parameter, SearchSpace};
use elbowroom::study::{Event, StrategyConfig, StudyConfig};
use serde_json::{Value, json};

/// Configurations with every strategy and, in the recorded logs, every rule of one.
fn configurations() -> Vec<Value> {
    let space = SearchSpace::new(vec![
        Parameter::float("x", 0.1, 1.0).log(),
        Parameter::int("n", 1, 9),
        Parameter::ordered("o", [1, 2]),
        Parameter::category("c", ["a"]),
        Parameter::fixed("k", 1),
    ]);
    let config = StudyConfig::new(space.unwrap());
    let with = |strategy| serde_json::to_value(config.clone().strategy(strategy)).unwrap();
    let mut all: Vec<Value> = StrategyConfig::all().into_iter().map(with).collect();
    let pins = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/pins");
    let mut logs: Vec<_> = std::fs::read_dir(pins).unwrap().map(|file| file.unwrap().path()).collect();
    logs.sort();
    for log in logs.iter().filter(|path| path.extension().is_some_and(|end| end == "jsonl")) {
        let text = std::fs::read_to_string(log).unwrap();
        let created: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        all.push(created["config"].clone());
    }
    all
}

/// The paths of all tables in a value, as JSON pointers.
fn tables(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            found.push(path.to_owned());
            map.iter().for_each(|(key, value)| tables(value, &format!("{path}/{key}"), found));
        }
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(i, value)| tables(value, &format!("{path}/{i}"), found));
        }
        _ => {}
    }
}

#[test]
fn an_unknown_key_is_refused_in_every_table_of_the_settings_and_in_a_log() {
    let mut n_tables = 0;
    for config in configurations() {
        let in_log = |config: &Value| {
            serde_json::from_value::<Event>(json!({ "v": 1, "event": "created", "config": config })).is_ok()
        };
        assert!(serde_json::from_value::<StudyConfig>(config.clone()).is_ok() && in_log(&config), "{config}");
        let mut paths = Vec::new();
        tables(&config, "", &mut paths);
        n_tables += paths.len();
        for path in paths {
            let mut changed = config.clone();
            changed.pointer_mut(&path).unwrap().as_object_mut().unwrap().insert("zzz".to_owned(), json!(1));
            assert!(serde_json::from_value::<StudyConfig>(changed.clone()).is_err(), "{path}: {changed}");
            assert!(!in_log(&changed), "{path}: {changed}");
        }
    }
    assert!(n_tables > 400, "{n_tables}");
}
