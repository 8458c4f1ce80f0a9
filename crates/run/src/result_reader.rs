//! Reads the results that a command left behind.

use elbowroom::study::{Outcomes, Results};
use serde_json::Value;

/// Where a command leaves its result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ResultFrom {
    /// On its standard output.
    #[default]
    Stdout,
    /// In the file that `{result}` and `ELBOW_RESULT` name.
    File,
}

/// How results are read: a number on the last line that is not empty, or the numbers of a JSON object, by name.
///
/// ```
/// use elbowroom_run::ResultReader;
/// use elbowroom::study::{Goal, Outcome, Outcomes};
///
/// let outcomes = Outcomes::new(vec![Outcome::objective("loss", Goal::Minimize)])?;
/// let read = ResultReader::default().results("epoch 1\nepoch 2\n0.25\n\n", &outcomes);
/// assert_eq!(read.value, Ok(0.25));
/// let read = ResultReader::default().results("done\n{\"loss\": 0.5, \"minutes\": 9}\n", &outcomes);
/// assert_eq!((read.value, read.others), (Ok(0.5), vec![("minutes".to_owned(), 9.0)]));
/// let key = ResultReader { metric: Some("error".into()), ..ResultReader::default() };
/// assert_eq!(key.results("{\"error\": 0.5}", &outcomes).value, Ok(0.5));
/// assert!(key.results("0.5", &outcomes).value.unwrap_err().contains("JSON object"));
///
/// // What is computed from others is not read.
/// let profit = Outcome::objective("profit", Goal::Maximize).computed("amount - 0.2 * cost");
/// let outcomes = Outcomes::new(vec![profit, Outcome::watched("amount"), Outcome::watched("cost")])?;
/// let read = ResultReader::default().results("{\"amount\": 81, \"cost\": 5}", &outcomes);
/// assert_eq!((read.value, read.bare), (Ok(80.0), None));
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResultReader {
    /// Where the results are.
    pub from: ResultFrom,
    /// The key of the optimized result in a JSON object, with dots for nested objects. `None` for a plain number, or
    /// for the name that the study gives it.
    pub metric: Option<String>,
}

/// What was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Read {
    /// The optimized result, or why there is none. Not a number and infinity are values here; a study knows what they
    /// are.
    pub value: Result<f64, String>,
    /// The number that is told without a name; `None` if there is none, or if the optimized result is computed from
    /// others.
    pub bare: Option<f64>,
    /// The other numbers of the JSON object.
    pub others: Vec<(String, f64)>,
}

impl ResultReader {
    /// The results in a text.
    pub fn results(&self, text: &str, outcomes: &Outcomes) -> Read {
        let lone = |why| Read { value: Err(why), bare: None, others: Vec::new() };
        let last = text.lines().rev().map(str::trim).find(|line| !line.is_empty());
        let Some(last) = last else { return lone(format!("{} was empty", self.label())) };
        if let (None, Ok(value)) = (&self.metric, last.parse()) {
            return Read { bare: Some(value), value: objective(Results::from(value), outcomes), others: Vec::new() };
        }
        let parse = |t: &str| serde_json::from_str::<Value>(t).or_else(|_| serde_json::from_str(&quoted(t))).ok();
        let object = [last, text].iter().find_map(|t| parse(t).filter(Value::is_object));
        match (object, &self.metric) {
            (Some(object), _) => self.named(&object, outcomes),
            (None, Some(_)) => lone(format!("{} is not a JSON object: {}", self.label(), brief(last))),
            (None, None) => lone(format!("the last line of {} is not a number: {}", self.label(), brief(last))),
        }
    }

    fn named(&self, object: &Value, outcomes: &Outcomes) -> Read {
        let key = self.metric.as_deref().unwrap_or(outcomes.metric());
        let path = || key.split('.').try_fold(object, |inner, key| inner.get(key));
        let is_other = |name: &str| name != key && name != outcomes.metric();
        let entries = object.as_object().into_iter().flatten().filter(|(name, _)| is_other(name));
        let read = |value: &Value| value.as_f64().or_else(|| value.as_str()?.parse().ok());
        let others = entries.filter_map(|(name, value)| Some((name.clone(), read(value)?))).collect::<Vec<_>>();
        if self.metric.is_none() && outcomes.is_computed(key) {
            let value = objective(others.iter().cloned().collect(), outcomes);
            return Read { value, bare: None, others };
        }
        let value = match object.get(key).or_else(path) {
            Some(found) => number(key, found),
            None => {
                let what =
                    format!("the JSON object on {} has no {key:?}: {}", self.label(), brief(&object.to_string()));
                let names = others.iter().map(|(name, _)| name.as_str());
                // A user who gave a key knows about names.
                let which = self.metric.is_none().then(|| outcomes.say_missing(names));
                Err(which.map_or_else(|| what.clone(), |which| format!("{what}; {which}")))
            }
        };
        // The number at a given key is told without a name: if the objective is a distance to a target, it is the
        // result itself.
        let bare = value.as_ref().ok().copied();
        let value = value.and_then(|value| objective(Results::from(value), outcomes));
        Read { value, bare, others }
    }

    fn label(&self) -> &'static str {
        match self.from {
            ResultFrom::Stdout => "standard output",
            ResultFrom::File => "the result file",
        }
    }
}

/// The optimized result of what is told, or which results are missing for it.
fn objective(told: Results, outcomes: &Outcomes) -> Result<f64, String> {
    let names: Vec<String> = told.names().map(str::to_owned).collect();
    let missing = || outcomes.say_missing(names.iter().map(String::as_str));
    match told.resolve(outcomes) {
        Ok(resolved) => resolved.objective.map(|measured| measured.value).ok_or_else(missing),
        Err(error) if names.is_empty() => Err(format!("{}; {}", error.what(), missing())),
        Err(error) => Err(error.what().to_owned()),
    }
}

fn number(key: &str, found: &Value) -> Result<f64, String> {
    match found {
        Value::Number(number) => number.as_f64().ok_or_else(|| format!("{key:?} is {number}")),
        // JSON has no such numbers; Python and others write them as texts.
        Value::String(text) => text.parse().map_err(|_| format!("{key:?} is not a number: {}", brief(text))),
        other => Err(format!("{key:?} is not a number: {}", brief(&other.to_string()))),
    }
}

/// JSON as Python writes it, with numbers that are not finite as texts.
fn quoted(text: &str) -> String {
    let (mut found, mut rest) = (String::with_capacity(text.len() + 16), text);
    let mut is_text = false;
    while let Some(first) = rest.chars().next() {
        let word = ["-Infinity", "Infinity", "NaN"].into_iter().find(|word| !is_text && rest.starts_with(word));
        let n = match word {
            Some(word) => {
                found += &format!("\"{word}\"");
                word.len()
            }
            None => {
                // A character after a backslash does not end a text.
                let n =
                    first.len_utf8() + if first == '\\' { rest.chars().nth(1).map_or(0, char::len_utf8) } else { 0 };
                is_text ^= first == '"';
                found += &rest[..n];
                n
            }
        };
        rest = &rest[n..];
    }
    found
}

fn brief(text: &str) -> String {
    const LONGEST: usize = 120;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

#[cfg(test)]
mod tests {
    use elbowroom::study::{Goal, Outcome};

    use super::*;

    fn outcomes(metric: &str) -> Outcomes {
        Outcomes::new(vec![Outcome::objective(metric, Goal::Minimize)]).unwrap()
    }

    #[test]
    fn a_result_is_found_or_the_reason_says_what_was_there() {
        let plain = |text: &str| ResultReader::default().results(text, &outcomes("value")).value;
        assert_eq!(plain("1e-3"), Ok(1e-3));
        assert!(plain("nan").unwrap().is_nan());
        assert!(plain(" \n").unwrap_err().contains("was empty"));
        assert!(plain("accuracy: 0.9").unwrap_err().contains("accuracy: 0.9"));
        let reader = ResultReader { from: ResultFrom::File, metric: Some("eval.loss".into()) };
        let deep = |text: &str| reader.results(text, &outcomes("value")).value;
        assert_eq!(deep("{\n \"eval\": {\"loss\": 2}\n}\n"), Ok(2.0));
        assert_eq!(deep("{\"eval.loss\": \"-inf\"}"), Ok(f64::NEG_INFINITY));
        assert!(deep("{\"eval\": 1}").unwrap_err().contains("has no \"eval.loss\""));
        assert!(deep("{\"eval\": {\"loss\": []}}").unwrap_err().contains("not a number"));
        assert!(deep("1.0").unwrap_err().contains("JSON object"));
    }

    #[test]
    fn the_other_numbers_of_an_object_are_results_too() {
        let text = r#"{"minutes": 12, "loss": 0.3, "note": "fine", "value": 9, "deep": {"x": 1}}"#;
        let read = ResultReader::default().results(text, &outcomes("loss"));
        let others = [("minutes".to_owned(), 12.0), ("value".to_owned(), 9.0)];
        assert_eq!(read, Read { value: Ok(0.3), bare: Some(0.3), others: others.to_vec() });
        // A key that is not the study's name for the result; the study's name is then used by another result.
        let keyed = ResultReader { metric: Some("loss".into()), ..ResultReader::default() };
        assert_eq!(keyed.results(text, &outcomes("value")).others, others[..1]);
    }

    #[test]
    fn numbers_that_are_not_finite_are_read_as_python_writes_them() {
        let text = r#"{"loss": 1, "note": "a NaN, \"Infinity\"", "steps": NaN, "low": -Infinity, "share": "0.5"}"#;
        let read = ResultReader::default().results(text, &outcomes("loss"));
        assert_eq!((read.value, read.bare), (Ok(1.0), Some(1.0)));
        let mut others: Vec<(&str, f64)> = read.others.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        others.sort_by_key(|(name, _)| *name);
        assert_eq!(others[..2], [("low", f64::NEG_INFINITY), ("share", 0.5)]);
        assert!(others[2].0 == "steps" && others[2].1.is_nan() && others.len() == 3, "{others:?}");
        let read = ResultReader::default().results(r#"{"loss": Infinity}"#, &outcomes("loss"));
        assert_eq!(read.value, Ok(f64::INFINITY));
    }

    #[test]
    fn a_target_is_read_as_what_it_is_the_distance_of() {
        let outcomes = Outcomes::new(vec![Outcome::target("viscosity", 4.0), Outcome::watched("cost")]).unwrap();
        let read = |text: &str| ResultReader::default().results(text, &outcomes);
        assert_eq!(read("5.5"), Read { value: Ok(1.5), bare: Some(5.5), others: Vec::new() });
        let both = [("viscosity".to_owned(), 3.0), ("cost".to_owned(), 2.0)];
        assert_eq!(read(r#"{"viscosity": 3, "cost": 2}"#), Read { value: Ok(1.0), bare: None, others: both.to_vec() });
        let why = read(r#"{"cost": 2}"#).value.unwrap_err();
        assert!(why.contains("`viscosity` is missing"), "{why}");
        let keyed = ResultReader { metric: Some("thick".into()), ..ResultReader::default() };
        let read = keyed.results(r#"{"thick": 4.5}"#, &outcomes);
        assert_eq!((read.value, read.bare), (Ok(0.5), Some(4.5)));
    }

    #[test]
    fn a_number_is_no_score_that_is_computed_from_several() {
        let profit = Outcome::objective("profit", Goal::Maximize).computed("amount - cost");
        let list = vec![profit, Outcome::watched("amount"), Outcome::watched("cost")];
        let outcomes = Outcomes::new(list).unwrap();
        let why = ResultReader::default().results("3.5", &outcomes).value.unwrap_err();
        assert!(why.contains("`amount`, `cost` is missing"), "{why}");
    }

    #[test]
    fn whoever_prints_other_names_learns_which_one_is_optimized() {
        let read = ResultReader::default().results(r#"{"loss": 0.3, "minutes": 12}"#, &outcomes("value"));
        let why = read.value.unwrap_err();
        assert!(why.contains("optimizes `value`") && why.contains("metric = \"loss\""), "{why}");
        assert_eq!(read.others.len(), 2);
    }
}
