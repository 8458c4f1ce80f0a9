//! The settings in which two configurations of a study differ.

use std::collections::BTreeSet;

use elbowroom::space::Parameter;
use elbowroom::study::StudyConfig;
use serde_json::{Value, json};

/// A setting that differs between two configurations.
///
/// ```
/// use elbowroom::space::{Parameter, SearchSpace};
/// use elbowroom::study::{Goal, StudyConfig};
/// use elbowroom_store::{differences, in_words};
///
/// let config = |high| SearchSpace::new(vec![Parameter::float("x", 0.0, high)]).map(StudyConfig::new);
/// let found = differences(&config(2.0)?.goal(Goal::Maximize), &config(1.0)?, in_words);
/// assert_eq!(found[0].compared("here", "in the store"), "`goal` is maximize here, and minimize in the store");
/// assert_eq!((found[1].setting.as_str(), found[1].here_in_words()), ("parameters.x", "a float from 0 to 2".to_owned()));
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Its name in study.toml: `budget.trials`, `model.noise`, `parameters.x`.
    pub setting: String,
    here: Option<Value>,
    there: Option<Value>,
}

impl Difference {
    /// Describes both sides in words, given what to call them.
    pub fn compared(&self, here: &str, there: &str) -> String {
        format!("`{}` is {} {here}, and {} {there}", self.setting, self.here_in_words(), side(&self.there))
    }

    /// Its value in the first configuration.
    pub fn here_in_words(&self) -> String {
        side(&self.here)
    }

    /// Whether the first configuration sets it.
    pub fn is_set_here(&self) -> bool {
        !matches!(self.here, None | Some(Value::Null))
    }
}

fn side(value: &Option<Value>) -> String {
    match value {
        None | Some(Value::Null) => "not set".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// All settings that differ between two configurations. `write` turns a parameter into text, such as [`in_words`].
pub fn differences(here: &StudyConfig, there: &StudyConfig, write: impl Fn(&Parameter) -> String) -> Vec<Difference> {
    let mut found = Vec::new();
    if here != there {
        compare("", Some(&written(here, &write)), Some(&written(there, &write)), &mut found);
    }
    found
}

/// A parameter in words.
pub fn in_words(parameter: &Parameter) -> String {
    let log = |log: bool| if log { " on a log scale" } else { "" };
    let list = |values: &[elbowroom::space::Value]| {
        values.iter().map(|value| json!(value).to_string()).collect::<Vec<_>>().join(", ")
    };
    match parameter {
        Parameter::Float { low, high, log: is_log, step, .. } => {
            let step = step.map_or_else(String::new, |step| format!(" in steps of {step}"));
            format!("a float from {low} to {high}{step}{}", log(*is_log))
        }
        Parameter::Int { low, high, log: is_log, .. } => format!("an int from {low} to {high}{}", log(*is_log)),
        Parameter::Ordered { values, .. } => format!("one of the ordered values {}", list(values)),
        Parameter::Ladder { values, log: is_log, .. } => format!("one of the numbers {}{}", list(values), log(*is_log)),
        Parameter::Category { choices, descriptors, .. } => {
            let described =
                descriptors.as_ref().map_or_else(String::new, |told| format!(" described by {}", json!(told)));
            format!("one of the categories {}{described}", list(choices))
        }
        Parameter::Fixed { value, .. } => format!("fixed at {}", list(std::slice::from_ref(value))),
    }
}

/// A configuration as JSON, with the names of a study.toml.
fn written(config: &StudyConfig, write: impl Fn(&Parameter) -> String) -> Value {
    let mut value = serde_json::to_value(config).unwrap_or_default();
    let Some(map) = value.as_object_mut() else { return value };
    let space = map.remove("space").unwrap_or_default();
    let named = |one: &Parameter| (one.name().to_owned(), Value::String(write(one)));
    let parameters = config.space.parameters().iter().map(named);
    map.insert("parameters".to_owned(), Value::Object(parameters.collect()));
    map.insert("constraints".to_owned(), space["constraints"].clone());
    if let Some(rows) = space.get("candidates") {
        map.insert("candidates".to_owned(), rows.clone());
    }
    let order: Vec<&str> = config.space.parameters().iter().map(|parameter| parameter.name()).collect();
    map.insert("the order of the parameters".to_owned(), Value::String(order.join(", ")));
    let budget = map.remove("budget").unwrap_or_default();
    map.insert("budget.trials".to_owned(), budget);
    value
}

fn compare(at: &str, here: Option<&Value>, there: Option<&Value>, found: &mut Vec<Difference>) {
    match (here, there) {
        _ if here == there => {}
        (Some(Value::Object(a)), Some(Value::Object(b))) if a.get("name") == b.get("name") => {
            let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            for key in keys {
                let inner = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
                compare(&inner, a.get(key), b.get(key), found);
            }
        }
        _ => found.push(Difference { setting: at.to_owned(), here: here.cloned(), there: there.cloned() }),
    }
}
