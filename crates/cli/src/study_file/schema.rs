//! The JSON schema of a study.toml, from which editors complete and check it.
//!
//! It is generated from the types that read the file. A test writes it, and checks that it matches them.

/// The schema.
pub const SCHEMA: &str = include_str!("schema.json");

#[cfg(test)]
pub use tests::{made, model, strategy};

#[cfg(test)]
mod tests {
    use std::path::Path;

    use elbowroom::study::{ModelConfig, StrategyConfig};
    use schemars::generate::SchemaSettings;
    use schemars::{Schema, SchemaGenerator, json_schema};
    use serde_json::{Value, json};

    use super::super::{StudyFile, Written};
    use super::SCHEMA;

    /// A strategy by its name, or as a table.
    pub fn strategy(_: &mut SchemaGenerator) -> Schema {
        let name = json!({ "type": "string", "enum": StrategyConfig::names() });
        json_schema!({
            "anyOf": [name, { "type": "object", "properties": { "name": name }, "required": ["name"] }]
        })
    }

    /// The description and type of each setting of the model.
    fn of_the_model() -> Value {
        let number = |least: f64| json!({ "type": "number", "minimum": least });
        let with = |mut kind: Value, about: &str| {
            kind["description"] = json!(about);
            kind
        };
        let anything = || json!({});
        json!({
            "kernels": with(
                json!({ "type": "array", "items": {} }),
                "The kernels that compete, by name: `\"matern52\"`, `\"matern32\"`, `\"twoscale\"`, `\"rbf\"`. By default, the first three.",
            ),
            "ard": with(
                json!({ "type": "boolean" }),
                "Whether each parameter has its own lengthscale. By default, `true`.",
            ),
            "hyperparameters": with(
                anything(),
                "How they are fitted: `{ map = { random_starts = 1 } }` (the default), `{ maximum_likelihood = { starts = 10 } }`, or fixed values, `{ fixed = { variance = 1.0, lengthscales = [0.3], noise = 1e-6 } }`.",
            ),
            "outcome": with(
                json!({ "type": "string", "enum": ["warped", "standardized", "centred"] }),
                "How results are transformed first. By default, `\"warped\"`: standardized, and warped if the data call for it.",
            ),
            "noise": with(number(0.0), "The noise variance of every result, if it is known. By default, it is estimated."),
            "sd": with(number(0.0), "The standard deviation of every result, if it is known: the square root of `noise`."),
            "noise_floor": with(
                json!({ "type": "number", "minimum": 0, "maximum": 1 }),
                "The smallest noise variance of a fit, as a share of the variance of the results. By default, 1e-10.",
            ),
            "noise_prior": with(anything(), "The prior of the noise variance."),
            "category_prior": with(anything(), "The prior of the lengthscales of categories."),
            "max_observations": with(
                json!({ "type": "integer", "minimum": 20 }),
                "With more results than this, the model is fitted to a part of them. By default, 1000.",
            ),
        })
    }

    /// The model's settings, under the names in which they are written, and `sd`.
    pub fn model(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "properties": of_the_model(), "additionalProperties": false })
    }

    #[test]
    fn every_setting_of_the_model_is_described_and_no_other() {
        let written = serde_json::to_value(ModelConfig::default()).unwrap();
        let mut known: Vec<String> = written.as_object().unwrap().keys().cloned().chain(["sd".to_owned()]).collect();
        let mut described: Vec<String> = of_the_model().as_object().unwrap().keys().cloned().collect();
        known.sort();
        described.sort();
        assert_eq!(known, described);
        for given in [
            "kernels = [\"matern52\", \"matern32\", \"twoscale\", \"rbf\"]",
            "ard = false",
            "hyperparameters = { map = { random_starts = 1 } }",
            "hyperparameters = { maximum_likelihood = { starts = 10 } }",
            "hyperparameters = { fixed = { variance = 1.0, lengthscales = [0.3], noise = 1e-6 } }",
            "outcome = \"warped\"",
            "outcome = \"standardized\"",
            "outcome = \"centred\"",
            "noise = 0.1",
            "noise_floor = 1e-10",
            "max_observations = 20",
        ] {
            let text = format!("name = \"m\"\n[parameters]\nx = {{ float = [0, 1] }}\n[model]\n{given}\n");
            StudyFile::parse(&text, "study.toml").unwrap_or_else(|error| panic!("{given}: {error}"));
        }
    }

    /// The schema according to the types.
    pub fn made() -> Value {
        let schema = SchemaSettings::draft07().for_deserialize().into_generator().into_root_schema_for::<Written>();
        let mut schema = serde_json::to_value(schema).unwrap();
        schema["title"] = json!("study.toml of elbowroom");
        without_examples(&mut schema);
        schema
    }

    /// Removes Rust examples from descriptions.
    fn without_examples(part: &mut Value) {
        match part {
            Value::Object(fields) => {
                if let Some(Value::String(text)) = fields.get_mut("description") {
                    text.truncate(text.find("\n\n```").unwrap_or(text.len()));
                }
                fields.values_mut().for_each(without_examples);
            }
            Value::Array(list) => list.iter_mut().for_each(without_examples),
            _ => {}
        }
    }

    /// `ELBOWROOM_WRITE_SCHEMAS=1` writes it.
    #[test]
    fn the_schema_is_what_the_types_say() {
        crate::reference::is_written(
            "crates/cli/src/study_file/schema.json",
            &(serde_json::to_string_pretty(&made()).unwrap() + "\n"),
        );
    }

    /// Whether a value matches a schema, for the features that ours uses.
    fn check(schema: &Value, part: &Value, value: &Value, at: &str) -> Result<(), String> {
        if let Some(name) = part["$ref"].as_str() {
            return check(schema, &schema["definitions"][name.rsplit('/').next().unwrap()], value, at);
        }
        for all in part["allOf"].as_array().into_iter().flatten() {
            check(schema, all, value, at)?;
        }
        if let Some(several) = part["anyOf"].as_array().or_else(|| part["oneOf"].as_array()) {
            let fits = several.iter().any(|one| check(schema, one, value, at).is_ok());
            return if fits { Ok(()) } else { Err(format!("{at}: {value} is none of the kinds that it may be")) };
        }
        if part["enum"].as_array().is_some_and(|words| !words.contains(value))
            || part.get("const").is_some_and(|only| only != value)
        {
            return Err(format!("{at}: {value} is not one of the words"));
        }
        let kind = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(n) if n.is_f64() => "number",
            Value::Number(_) => "integer",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        let is = |wanted: &Value| wanted == kind || (kind == "integer" && wanted == "number");
        let fits = match &part["type"] {
            Value::Array(kinds) => kinds.iter().any(is),
            Value::Null => true,
            one => is(one),
        };
        if !fits {
            return Err(format!("{at}: {value} is not of type {}", part["type"]));
        }
        for (i, one) in value.as_array().into_iter().flatten().enumerate() {
            check(schema, &part["items"], one, &format!("{at}[{i}]"))?;
        }
        let Value::Object(fields) = value else { return Ok(()) };
        for name in part["required"].as_array().into_iter().flatten() {
            if !fields.contains_key(name.as_str().unwrap()) {
                return Err(format!("{at}: {name} is missing"));
            }
        }
        for (name, value) in fields {
            let known = part["properties"].get(name).or_else(|| part.get("additionalProperties"));
            match known {
                Some(Value::Bool(false)) => return Err(format!("{at}: there is no key `{name}`")),
                Some(known) => check(schema, known, value, &format!("{at}.{name}"))?,
                None => {}
            }
        }
        Ok(())
    }

    fn valid(toml: &str) -> Result<(), String> {
        let schema: Value = serde_json::from_str(SCHEMA).unwrap();
        let value: toml::Table = toml::from_str(toml).unwrap();
        check(&schema, &schema, &serde_json::to_value(value).unwrap(), "study.toml")
    }

    #[test]
    fn every_example_is_valid_by_the_schema() {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
        let mut n = 0;
        for folder in std::fs::read_dir(examples).unwrap() {
            let path = folder.unwrap().path().join("study.toml");
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            valid(&text).unwrap_or_else(|what| panic!("{}: {what}", path.display()));
            n += 1;
        }
        assert!(n >= 5, "{n} examples");
    }

    const GOOD: &str = "name = \"net\"\nstrategy = \"local_penalization\"\nconstraints = [\"x <= 1\"]\n\
        outcomes = [{ name = \"loss\", goal = \"minimize\" }, { name = \"minutes\", at_most = 9 }]\n\
        [parameters]\nx = { float = [0, 1], log = false }\nkind = { categories = [\"a\", 2, true] }\nbatch = { ladder = [16, 32, 64] }\n\
        [model]\nsd = 0.1\n[budget]\ntrials = 4\ntime = \"2h\"\n[run]\ncommand = [\"train\", \"{x}\"]\nworkers = 2\n";

    #[test]
    fn what_the_schema_refuses_the_reader_refuses_and_what_is_right_both_take() {
        assert_eq!(valid(GOOD), Ok(()));
        StudyFile::parse(GOOD, "study.toml").unwrap();
        for (right, wrong) in [
            ("time = ", "tiem = "),
            ("float = [0, 1]", "flaot = [0, 1]"),
            ("log = false", "log = 1"),
            ("ladder = ", "lader = "),
            ("goal = \"minimize\"", "goal = \"smaller\""),
            ("at_most = 9", "atmost = 9"),
            ("trials = 4", "trials = \"four\""),
            ("\"local_penalization\"", "\"greedy\""),
            ("sd = 0.1", "sdev = 0.1"),
            ("name = \"net\"", "title = \"net\""),
            ("[parameters]", "[parameter]"),
        ] {
            assert!(GOOD.contains(right), "{right}");
            let text = GOOD.replacen(right, wrong, 1);
            assert!(valid(&text).is_err(), "the schema takes {wrong}");
            assert!(StudyFile::parse(&text, "study.toml").is_err(), "the reader takes {wrong}");
        }
    }
}
