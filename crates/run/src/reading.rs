//! From what a command left behind to a value.

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

/// How a result is read: a number on the last line that is not empty, or a named number of a JSON object.
///
/// ```
/// use elbowroom_run::Reading;
/// assert_eq!(Reading::default().value("epoch 1\nepoch 2\n0.25\n\n"), Ok(0.25));
/// let loss = Reading { metric: Some("loss".into()), ..Reading::default() };
/// assert_eq!(loss.value("done\n{\"loss\": 0.5, \"steps\": 9}\n"), Ok(0.5));
/// assert!(loss.value("0.5").unwrap_err().contains("JSON object"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    /// Where it is.
    pub from: ResultFrom,
    /// The key of the value in a JSON object, with dots for objects within it; none for a plain number.
    pub metric: Option<String>,
}

impl Reading {
    /// The value in a text, or why there is none. Not a number and infinity are values here; a study knows what they are.
    pub fn value(&self, text: &str) -> Result<f64, String> {
        let last = text.lines().rev().map(str::trim).find(|line| !line.is_empty());
        let Some(last) = last else { return Err(format!("{} was empty", self.place())) };
        match &self.metric {
            None => {
                last.parse().map_err(|_| format!("the last line of {} was no number: {}", self.place(), brief(last)))
            }
            Some(metric) => self.named(metric, last, text),
        }
    }

    fn named(&self, metric: &str, last: &str, text: &str) -> Result<f64, String> {
        let object = [last, text].iter().find_map(|t| serde_json::from_str::<Value>(t).ok().filter(Value::is_object));
        let Some(object) = object else {
            return Err(format!("{} held no JSON object: {}", self.place(), brief(last)));
        };
        let path = || metric.split('.').try_fold(&object, |inner, key| inner.get(key));
        let Some(found) = object.get(metric).or_else(path) else {
            return Err(format!(
                "the JSON object on {} has no {metric:?}: {}",
                self.place(),
                brief(&object.to_string())
            ));
        };
        match found {
            Value::Number(number) => number.as_f64().ok_or_else(|| format!("{metric:?} is {number}")),
            // JSON has no such numbers; Python and others write them as texts.
            Value::String(text) => text.parse().map_err(|_| format!("{metric:?} is no number: {}", brief(text))),
            other => Err(format!("{metric:?} is no number: {}", brief(&other.to_string()))),
        }
    }

    fn place(&self) -> &'static str {
        match self.from {
            ResultFrom::Stdout => "standard output",
            ResultFrom::File => "the result file",
        }
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
    use super::*;

    #[test]
    fn a_result_is_found_or_the_reason_says_what_was_there() {
        let plain = Reading::default();
        assert_eq!(plain.value("1e-3"), Ok(1e-3));
        assert!(plain.value("nan").unwrap().is_nan());
        assert!(plain.value(" \n").unwrap_err().contains("was empty"));
        assert!(plain.value("accuracy: 0.9").unwrap_err().contains("accuracy: 0.9"));
        let deep = Reading { from: ResultFrom::File, metric: Some("eval.loss".into()) };
        assert_eq!(deep.value("{\n \"eval\": {\"loss\": 2}\n}\n"), Ok(2.0));
        assert_eq!(deep.value("{\"eval.loss\": \"-inf\"}"), Ok(f64::NEG_INFINITY));
        assert!(deep.value("{\"eval\": 1}").unwrap_err().contains("has no \"eval.loss\""));
        assert!(deep.value("{\"eval\": {\"loss\": []}}").unwrap_err().contains("no number"));
    }
}
