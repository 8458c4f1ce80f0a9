//! The differences between a study.toml and the study in its store.

use elbowroom::space::Parameter;
use elbowroom::study::StudyConfig;
pub use elbowroom_store::Difference;
use serde_json::Value;

/// A difference in words, with both sides.
pub fn in_words(difference: &Difference) -> String {
    difference.compared("in study.toml", "in the store")
}

/// All differences between a study.toml and its study, as far as both specify a setting.
pub fn differences(here: &StudyConfig, there: &StudyConfig) -> Vec<Difference> {
    let mut found = elbowroom_store::differences(here, there, as_written);
    // A study.toml without a budget does not disagree about it.
    found.retain(|difference| difference.setting != "budget.trials" || difference.is_set_here());
    found
}

/// What to do about it.
pub const TRY: &str = "change study.toml, or name another study; a new budget takes effect with the next `elbow run`";

/// A heading for a study that its study.toml does not describe; empty if it does.
pub fn words_of(differ: &[Difference]) -> String {
    if differ.is_empty() {
        return String::new();
    }
    let lines: Vec<String> = differ.iter().map(|one| format!("  {}\n", in_words(one))).collect();
    format!("study.toml and the study in the store disagree:\n{}", lines.concat())
}

/// The same in JSON, as a list under `differs`; nothing is added if there are no differences.
pub fn with_differences(mut answer: Value, differ: &[Difference]) -> Value {
    if !differ.is_empty() {
        answer["differs"] = differ.iter().map(in_words).collect();
    }
    answer
}

/// A parameter as it is written in a study.toml.
fn as_written(parameter: &Parameter) -> String {
    let log = |log: bool| if log { ", log = true" } else { "" };
    let list = |values: &[elbowroom::space::Value]| {
        values.iter().map(|value| serde_json::json!(value).to_string()).collect::<Vec<_>>().join(", ")
    };
    let written = match parameter {
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
    };
    match parameter.condition() {
        None => written,
        Some(condition) => format!("{}, when = {condition:?} }}", written.trim_end_matches(" }")),
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
            differences(here, there).iter().map(in_words).collect()
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
