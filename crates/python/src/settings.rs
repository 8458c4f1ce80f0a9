//! Settings by name, as JSON: what is left out has the core's default.

use elbowroom::space::SearchSpace;
use elbowroom::study::{ModelConfig, StrategyConfig, StudyConfig, UnknownKey, unknown_key};
use pyo3::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::error::config;

/// A configuration from a space and a JSON object of all other settings.
pub fn config_of(space: &SearchSpace, settings: &str) -> PyResult<StudyConfig> {
    let unreadable = |error: serde_json::Error| {
        // serde has Rust's names for numbers.
        let words =
            error.to_string().replace("usize", "a whole number that is not negative").replace("f64", "a number");
        config(
            format!("the settings cannot be read: {words}"),
            "look at `er.Study(space).settings`, which has them all",
        )
    };
    let mut settings: Map<String, Value> = serde_json::from_str(settings).map_err(unreadable)?;
    if let Some(strategy) = settings.get("strategy") {
        check_strategy(strategy)?;
    }
    if let Some(model) = settings.get("model") {
        let known = serde_json::to_value(ModelConfig::default()).map_err(unreadable)?;
        refuse_unknown(unknown_key(model, &known, &keys_alone), |key| format!("the model has no setting {key:?}"))?;
    }
    settings.insert("space".to_owned(), serde_json::to_value(space).map_err(unreadable)?);
    let written = Value::Object(settings);
    let made: StudyConfig = serde_json::from_value(written.clone()).map_err(unreadable)?;
    check_depths(&written, &made)?;
    Ok(made)
}

/// Whether the settings, as [`config_of`] takes them, say something of this one.
pub fn says(settings: &str, name: &str) -> bool {
    serde_json::from_str::<Map<String, Value>>(settings).is_ok_and(|settings| settings.contains_key(name))
}

/// Refuses a strategy without a name, of an unknown one, or with unknown options, with the known ones.
fn check_strategy(strategy: &Value) -> PyResult<()> {
    let Some(name) = strategy.get("name").and_then(Value::as_str) else {
        return Err(config("the strategy has no name", format!("take one of {}", StrategyConfig::names().join(", "))));
    };
    let known = StrategyConfig::named(name).map_err(crate::error::Fault::from)?;
    let known = serde_json::to_value(known).unwrap_or_default();
    let said = |key: &str| format!("the strategy {name:?} has no option {key:?}");
    refuse_unknown(unknown_key(strategy, &known, &keys_alone), said)
}

/// Refuses options of options that mean nothing: `made` is what was understood.
fn check_depths(written: &Value, made: &StudyConfig) -> PyResult<()> {
    let known = serde_json::to_value(made).unwrap_or_default();
    refuse_unknown(unknown_key(written, &known, &entries), |path| format!("there is no setting {path:?}"))
}

/// A table with all its values.
fn entries(value: &Value) -> Option<Vec<(String, Value)>> {
    Some(value.as_object()?.iter().map(|(key, value)| (key.clone(), value.clone())).collect())
}

/// A table as far as its own keys go.
fn keys_alone(value: &Value) -> Option<Vec<(String, Value)>> {
    Some(value.as_object()?.keys().map(|key| (key.clone(), Value::Null)).collect())
}

/// Says what is unknown, with the nearest known.
fn refuse_unknown(unknown: Option<UnknownKey>, say: impl Fn(&str) -> String) -> PyResult<()> {
    match unknown {
        None => Ok(()),
        Some(unknown) => Err(config(say(&unknown.path.join(".")), unknown.hint())),
    }
}

/// What the core has under a name.
pub fn named<T: DeserializeOwned>(what: &str, name: &str) -> PyResult<T> {
    serde_json::from_value(Value::String(name.to_owned())).map_err(|error| {
        let words = error.to_string();
        let known = words.split_once("expected ").map_or("another name", |(_, known)| known);
        config(format!("there is no {what} named {name:?}"), format!("take {known}"))
    })
}

/// The name under which the core has it.
pub fn name_of(thing: &impl Serialize) -> String {
    let name = serde_json::to_value(thing).unwrap_or_default();
    name.as_str().unwrap_or_default().to_owned()
}

/// Every strategy by name, with its default options, as JSON.
#[pyfunction]
pub fn strategies() -> String {
    let named = |strategy: &StrategyConfig| {
        let mut options = serde_json::to_value(strategy).unwrap_or_default();
        options.as_object_mut().map(|options| options.remove("name"));
        (strategy.name().to_owned(), options)
    };
    json!(StrategyConfig::all().iter().map(named).collect::<Map<String, Value>>()).to_string()
}
