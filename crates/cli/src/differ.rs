//! In what a study.toml and the study in its store disagree.

use std::collections::BTreeSet;

use elbowroom::space::Parameter;
use elbowroom::study::StudyConfig;
use serde_json::Value;

/// One thing that is said in two ways.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Where, as a study.toml has it: `budget.trials`, `model.noise`, `parameters.x`.
    pub setting: String,
    here: Option<Value>,
    there: Option<Value>,
}

impl Difference {
    /// Both sides in words.
    pub fn in_words(&self) -> String {
        let Self { setting, here, there } = self;
        let side = |value: &Option<Value>| match value {
            None | Some(Value::Null) => "not set".to_owned(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        };
        format!("`{setting}` is {} in study.toml, and {} in the store", side(here), side(there))
    }
}

/// All that differs between a study.toml and its study, where both say something.
pub fn differences(here: &StudyConfig, there: &StudyConfig) -> Vec<Difference> {
    if here == there {
        return Vec::new();
    }
    let mut found = Vec::new();
    let (here, there) = (written(here), written(there));
    compare("", Some(&here), Some(&there), &mut found);
    // A study.toml that names no budget has nothing to say about one.
    found.retain(|difference| difference.setting != "budget.trials" || difference.here != Some(Value::Null));
    found
}

/// What to do about it.
pub const TRY: &str = "change study.toml, or name another study; a new budget takes effect with the next `elbow run`";

/// What stands first where a study is shown that its study.toml does not describe; nothing if it does.
pub fn words_of(differ: &[Difference]) -> String {
    if differ.is_empty() {
        return String::new();
    }
    let lines: Vec<String> = differ.iter().map(|one| format!("  {}\n", one.in_words())).collect();
    format!("study.toml and the study in the store disagree:\n{}", lines.concat())
}

/// The same in JSON, as a list under `differs`; nothing is added if there is nothing to say.
pub fn with_differences(mut answer: Value, differ: &[Difference]) -> Value {
    if !differ.is_empty() {
        answer["differs"] = differ.iter().map(Difference::in_words).collect();
    }
    answer
}

/// A configuration as JSON, with the names of a study.toml.
fn written(config: &StudyConfig) -> Value {
    let mut value = serde_json::to_value(config).unwrap_or_default();
    let Some(map) = value.as_object_mut() else { return value };
    let space = map.remove("space").unwrap_or_default();
    let named = |one: &Parameter| (one.name().to_owned(), Value::String(as_written(one)));
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

/// A parameter as a study.toml has it.
fn as_written(parameter: &Parameter) -> String {
    let log = |log: bool| if log { ", log = true" } else { "" };
    let list = |values: &[elbowroom::space::Value]| {
        values.iter().map(|value| serde_json::json!(value).to_string()).collect::<Vec<_>>().join(", ")
    };
    match parameter {
        Parameter::Float { low, high, log: is_log, step, .. } => {
            let step = step.map_or_else(String::new, |step| format!(", step = {step:?}"));
            format!("{{ float = [{low:?}, {high:?}]{}{step} }}", log(*is_log))
        }
        Parameter::Int { low, high, log: is_log, .. } => format!("{{ int = [{low}, {high}]{} }}", log(*is_log)),
        Parameter::Ordered { values, .. } => format!("{{ values = [{}] }}", list(values)),
        Parameter::Ladder { values, log: is_log, .. } => {
            format!("{{ ladder = [{}]{} }}", list(values), log(*is_log))
        }
        Parameter::Category { choices, descriptors: None, .. } => format!("{{ categories = [{}] }}", list(choices)),
        Parameter::Category { choices, descriptors: Some(table), .. } => {
            let (levels, numbers) = (list(choices), serde_json::json!(table.rows));
            format!("{{ categories = [{levels}], descriptors = {numbers} }}")
        }
        Parameter::Fixed { value, .. } => format!("{{ fixed = {} }}", list(std::slice::from_ref(value))),
    }
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

#[cfg(test)]
mod tests {
    use elbowroom::space::SearchSpace;
    use elbowroom::study::{Goal, ModelConfig};

    use super::*;

    #[test]
    fn every_setting_that_differs_is_named_with_both_its_values() {
        let config = |high: f64| {
            let space = SearchSpace::new(vec![Parameter::float("x", 0.0, high), Parameter::int("n", 1, 3)]).unwrap();
            StudyConfig::new(space)
        };
        let said = |here: &StudyConfig, there: &StudyConfig| -> Vec<String> {
            differences(here, there).iter().map(Difference::in_words).collect()
        };
        let there = config(1.0).budget(40);
        assert_eq!(said(&there, &there), Vec::<String>::new());
        assert_eq!(said(&config(1.0), &there), Vec::<String>::new(), "no budget says nothing");
        assert_eq!(said(&config(1.0).budget(60), &there), ["`budget.trials` is 60 in study.toml, and 40 in the store"]);
        let model = ModelConfig { noise: Some(0.25), ..ModelConfig::default() };
        let here = config(2.0).budget(40).goal(Goal::Maximize).model(model);
        assert_eq!(
            said(&here, &there),
            [
                "`goal` is maximize in study.toml, and minimize in the store",
                "`model.noise` is 0.25 in study.toml, and not set in the store",
                "`parameters.x` is { float = [0.0, 2.0] } in study.toml, and { float = [0.0, 1.0] } in the store",
            ]
        );
    }
}
