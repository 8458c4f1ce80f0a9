//! The strategy and the model of a study.toml: the core reads them, and settings that it would ignore are refused here.

use anyhow::Result;
use elbowroom::study::{ModelConfig, StrategyConfig};
use elbowroom_store::settings;
use serde::de::DeserializeOwned;
use toml::{Spanned, Table, Value};

use super::page::Page;

/// Just a name, or a table with the name and settings of the strategy.
pub fn strategy(written: Spanned<Value>, page: &Page<'_>) -> Result<StrategyConfig> {
    let span = written.span();
    match written.into_inner() {
        Value::String(name) => StrategyConfig::named(&name).map_err(|error| page.core(span, &error)),
        Value::Table(table) => {
            match table.get("name") {
                Some(Value::String(name)) => {
                    StrategyConfig::named(name).map_err(|error| page.core(span, &error))?;
                }
                _ => {
                    let hint = format!("name one of {}, with its settings", StrategyConfig::names().join(", "));
                    return Err(page.cli_error(Some(span), "the strategy has no name", &hint));
                }
            }
            read("strategy", table, page)
        }
        _ => {
            let hint = format!("name one of {}", StrategyConfig::names().join(", "));
            Err(page.cli_error(Some(span), "the strategy is neither a name nor a table", &hint))
        }
    }
}

/// The model; `sd` may be given instead of `noise`, its square.
pub fn model(written: Spanned<Table>, page: &Page<'_>) -> Result<ModelConfig> {
    let mut table = written.into_inner();
    if let Some(sd) = table.remove("sd") {
        let at = page.key(&["model", "sd"]);
        if table.contains_key("noise") {
            let hint = "keep one of them: noise is the variance, sd its square root";
            return Err(page.cli_error(at, "the model has both `noise` and `sd`", hint));
        }
        let number = sd.as_float().or_else(|| sd.as_integer().map(|whole| whole as f64));
        let Some(variance) = number.filter(|sd| *sd >= 0.0).map(|sd| sd * sd).filter(|v| v.is_finite()) else {
            let hint = "give a number that is finite and not negative, or leave it out to have it estimated";
            return Err(page.cli_error(at, &format!("the standard deviation `sd` is {sd}"), hint));
        };
        table.insert("noise".to_owned(), Value::Float(variance));
    }
    read("model", table, page)
}

/// Reads a table. A complaint points at the key in question.
fn read<T: DeserializeOwned>(name: &str, table: Table, page: &Page<'_>) -> Result<T> {
    settings::read(&serde_json::to_value(&table)?, &[name]).map_err(|unread| {
        let path: Vec<&str> = unread.path.iter().map(String::as_str).collect();
        if !path.is_empty() {
            return page.cli_error(page.key(&path), &unread.what, &unread.hint);
        }
        // To find that key, read each one separately.
        let alone = |key: &&String| {
            let is_needed = |other: &String| other == *key || other == "name";
            let few: Table = table.clone().into_iter().filter(|(other, _)| is_needed(other)).collect();
            few.try_into::<T>().is_err()
        };
        let at = table.keys().find(alone).and_then(|key| page.key(&[name, key]));
        let at = at.or_else(|| page.key(&[name]));
        match unread.hint.as_str() {
            "" => page.unread(at, &unread.what),
            hint => page.cli_error(at, &unread.what, hint),
        }
    })
}
