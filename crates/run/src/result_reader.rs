//! From what a command left behind to its results.

use elbowroom::study::Outcomes;
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
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResultReader {
    /// Where they are.
    pub from: ResultFrom,
    /// The key of the optimized result in a JSON object, with dots for objects within it. None for a plain number, or the
    /// name that the study has for it.
    pub metric: Option<String>,
}

/// What was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Read {
    /// The optimized result, or why there is none. Not a number and infinity are values here; a study knows what they
    /// are.
    pub value: Result<f64, String>,
    /// The other numbers of the JSON object.
    pub others: Vec<(String, f64)>,
}

impl ResultReader {
    /// The results in a text.
    pub fn results(&self, text: &str, outcomes: &Outcomes) -> Read {
        let lone = |value| Read { value, others: Vec::new() };
        let last = text.lines().rev().map(str::trim).find(|line| !line.is_empty());
        let Some(last) = last else { return lone(Err(format!("{} was empty", self.label()))) };
        if let (None, Ok(value)) = (&self.metric, last.parse()) {
            return lone(Ok(value));
        }
        let object = [last, text].iter().find_map(|t| serde_json::from_str::<Value>(t).ok().filter(Value::is_object));
        match (object, &self.metric) {
            (Some(object), _) => self.named(&object, outcomes),
            (None, Some(_)) => lone(Err(format!("{} held no JSON object: {}", self.label(), brief(last)))),
            (None, None) => {
                let what = format!("the last line of {} was no number: {}", self.label(), brief(last));
                lone(Err(what))
            }
        }
    }

    fn named(&self, object: &Value, outcomes: &Outcomes) -> Read {
        let key = self.metric.as_deref().unwrap_or(outcomes.metric());
        let path = || key.split('.').try_fold(object, |inner, key| inner.get(key));
        let is_other = |name: &str| name != key && name != outcomes.metric();
        let entries = object.as_object().into_iter().flatten().filter(|(name, _)| is_other(name));
        let others = entries.filter_map(|(name, value)| Some((name.clone(), value.as_f64()?))).collect::<Vec<_>>();
        let told = |name: &str| object.get(name).and_then(Value::as_f64);
        let computed = outcomes.computed_value(told);
        let value = match (object.get(key).or_else(path), computed) {
            (Some(found), _) => number(key, found),
            (None, Some(value)) if self.metric.is_none() => Ok(value),
            (None, _) => {
                let what =
                    format!("the JSON object on {} has no {key:?}: {}", self.label(), brief(&object.to_string()));
                let names = others.iter().map(|(name, _)| name.as_str());
                // Somebody who names a key knows about names.
                let which = self.metric.is_none().then(|| outcomes.say_missing(names));
                Err(which.map_or_else(|| what.clone(), |which| format!("{what}; {which}")))
            }
        };
        Read { value, others }
    }

    fn label(&self) -> &'static str {
        match self.from {
            ResultFrom::Stdout => "standard output",
            ResultFrom::File => "the result file",
        }
    }
}

fn number(key: &str, found: &Value) -> Result<f64, String> {
    match found {
        Value::Number(number) => number.as_f64().ok_or_else(|| format!("{key:?} is {number}")),
        // JSON has no such numbers; Python and others write them as texts.
        Value::String(text) => text.parse().map_err(|_| format!("{key:?} is no number: {}", brief(text))),
        other => Err(format!("{key:?} is no number: {}", brief(&other.to_string()))),
    }
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
        assert!(deep("{\"eval\": {\"loss\": []}}").unwrap_err().contains("no number"));
        assert!(deep("1.0").unwrap_err().contains("JSON object"));
    }

    #[test]
    fn the_other_numbers_of_an_object_are_results_too() {
        let text = r#"{"minutes": 12, "loss": 0.3, "note": "fine", "value": 9, "deep": {"x": 1}}"#;
        let read = ResultReader::default().results(text, &outcomes("loss"));
        let others = [("minutes".to_owned(), 12.0), ("value".to_owned(), 9.0)];
        assert_eq!(read, Read { value: Ok(0.3), others: others.to_vec() });
        // A key that is not the study's name for it; its own is then taken by that.
        let keyed = ResultReader { metric: Some("loss".into()), ..ResultReader::default() };
        assert_eq!(keyed.results(text, &outcomes("value")).others, others[..1]);
    }

    #[test]
    fn whoever_prints_other_names_learns_which_one_is_optimized() {
        let read = ResultReader::default().results(r#"{"loss": 0.3, "minutes": 12}"#, &outcomes("value"));
        let why = read.value.unwrap_err();
        assert!(why.contains("optimizes `value`") && why.contains("metric = \"loss\""), "{why}");
        assert_eq!(read.others.len(), 2);
    }
}
