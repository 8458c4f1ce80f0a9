//! Settings by name, as JSON: settings that are left out have the core's defaults.

use elbowroom::space::SearchSpace;
use elbowroom::study::{StrategyConfig, StudyConfig};
use elbowroom_store::settings::read;
use pyo3::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::error::{BindingError, config};

/// A configuration from a space and a JSON object with all other settings.
pub fn config_of(space: &SearchSpace, settings: &str) -> PyResult<StudyConfig> {
    let unreadable = |error: serde_json::Error| config(format!("the settings cannot be read: {error}"), LOOK);
    let mut settings: Map<String, Value> = serde_json::from_str(settings).map_err(unreadable)?;
    if let Some(strategy) = settings.get("strategy") {
        let Some(name) = strategy.get("name").and_then(Value::as_str) else {
            let hint = format!("use one of {}", StrategyConfig::names().join(", "));
            return Err(config("the strategy has no name", hint));
        };
        StrategyConfig::named(name).map_err(BindingError::from)?;
    }
    settings.insert("space".to_owned(), serde_json::to_value(space).map_err(unreadable)?);
    read(&Value::Object(settings), &[]).map_err(|mut unread| {
        if unread.path.is_empty() && unread.hint.is_empty() {
            unread.what = format!("the settings cannot be read: {}", unread.what);
        }
        BindingError::from(unread.or_hint(LOOK)).into()
    })
}

/// Where all settings can be found.
const LOOK: &str = "see `er.Study(space).settings`, which has all of them";

/// All settings as JSON, including the goal and the metric if they are not written because they are the default or part
/// of a list.
pub fn in_full(config: &StudyConfig) -> String {
    let mut written = serde_json::to_value(config).unwrap_or_default();
    written["goal"] = serde_json::to_value(config.goal).unwrap_or_default();
    written["metric"] = config.metric.clone().into();
    written.to_string()
}

/// Whether the settings, as [`config_of`] takes them, include this one.
pub fn says(settings: &str, name: &str) -> bool {
    serde_json::from_str::<Map<String, Value>>(settings).is_ok_and(|settings| settings.contains_key(name))
}

/// The core's value for a name.
pub fn named<T: DeserializeOwned>(what: &str, name: &str) -> PyResult<T> {
    read(&Value::String(name.to_owned()), &[])
        .map_err(|unread| config(format!("there is no {what} named {name:?}"), unread.hint))
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

/// The known word that an unknown one may stand for.
#[pyfunction]
pub fn nearest(word: &str, known: Vec<String>) -> Option<String> {
    elbowroom::space::nearest(word, known.iter().map(String::as_str)).map(str::to_owned)
}
