//! A text, with positions to point at.

use std::ops::Range;

use elbowroom::error::Error as CoreError;
use elbowroom::space::nearest;
use toml::de::{DeTable, DeValue};

use crate::error::fault_of;

/// The text of a file, and its name in complaints.
pub struct Page<'a> {
    pub text: &'a str,
    pub shown: &'a str,
}

impl Page<'_> {
    pub fn cli_error(&self, span: Option<Range<usize>>, what: &str, hint: &str) -> anyhow::Error {
        self.fault_of("config", span, what, hint)
    }

    fn fault_of(&self, kind: &'static str, span: Option<Range<usize>>, what: &str, hint: &str) -> anyhow::Error {
        let Some(span) = span else { return fault_of(kind, format!("{}: {what}", self.shown), hint) };
        let start = floor(self.text, span.start);
        let line = 1 + self.text[..start].matches('\n').count();
        let begin = self.text[..start].rfind('\n').map_or(0, |i| i + 1);
        let source: String = self.text[begin..].lines().next().unwrap_or("").chars().take(200).collect();
        let column = self.text[begin..start].chars().count();
        let source = source.replace('\t', " ");
        let margin = " ".repeat(line.to_string().len());
        let caret = " ".repeat(column);
        let what = format!("{}, line {line}: {what}\n  {line} | {source}\n  {margin} | {caret}^", self.shown);
        fault_of(kind, what, hint)
    }

    /// A complaint of the TOML reader, with the nearest known word.
    pub fn unread(&self, span: Option<Range<usize>>, message: &str) -> anyhow::Error {
        let message = message.trim_end();
        // Refusals by the core come with a hint.
        if let Some((what, hint)) = message.split_once("\n  try: ") {
            return self.cli_error(span, what, hint);
        }
        let known = unknown(message).or_else(|| missing(message)).or_else(|| plain(message)).or_else(|| twice(message));
        let (what, hint) = known
            .unwrap_or_else(|| (message.to_owned(), "compare it with the file that `elbow init` writes".to_owned()));
        self.cli_error(span, &what, &hint)
    }

    /// The first parameter that is not a table, such as `x = [0, 1]`, and what to write instead.
    pub fn bare_parameter(&self) -> Option<anyhow::Error> {
        let whole = DeTable::parse(self.text).ok()?.into_inner();
        let (_, parameters) = whole.iter().find(|(key, _)| key.get_ref() == "parameters")?;
        let DeValue::Table(parameters) = parameters.get_ref() else { return None };
        let (name, value) = parameters.iter().find(|(_, value)| !matches!(value.get_ref(), DeValue::Table(_)))?;
        if AT_THE_TOP.contains(&name.get_ref().as_ref()) {
            let what = format!("`{}` is under [parameters], where each key is a parameter", name.get_ref());
            let hint = format!("move `{}` to the top of the file, before the first [table]", name.get_ref());
            return Some(self.cli_error(Some(name.span()), &what, &hint));
        }
        let (is, kind) = match value.get_ref() {
            DeValue::Array(list) => {
                let all = |is: fn(&DeValue<'_>) -> bool| list.iter().all(|one| is(one.get_ref()));
                let numbers = all(|one| matches!(one, DeValue::Integer(_) | DeValue::Float(_)));
                let kind = match list.len() {
                    2 if numbers && all(|one| matches!(one, DeValue::Integer(_))) => "int",
                    2 if numbers => "float",
                    _ if numbers => "values",
                    _ => "categories",
                };
                ("a list", kind)
            }
            _ => ("one value", "fixed"),
        };
        let written = &self.text[value.span()];
        let written = if written.len() <= 60 && !written.contains('\n') { written } else { "…" };
        let what =
            format!("the parameter `{}` is {is}, which does not say what kind of parameter it is", name.get_ref());
        let hint = format!("write {} = {{ {kind} = {written} }}", name.get_ref());
        Some(self.cli_error(Some(value.span()), &what, &hint))
    }

    pub fn core(&self, span: Range<usize>, error: &CoreError) -> anyhow::Error {
        self.fault_of(error.kind().as_str(), Some(span), error.what(), error.hint())
    }

    pub fn run(&self, span: Range<usize>, error: &elbowroom_run::Error) -> anyhow::Error {
        self.fault_of(error.kind(), Some(span), &error.what(), error.hint())
    }

    /// The position of the key at this path, or of the last key on the path that exists.
    pub fn key(&self, path: &[&str]) -> Option<Range<usize>> {
        let whole = DeTable::parse(self.text).ok()?.into_inner();
        let (mut table, mut found) = (&whole, None);
        for name in path {
            let Some((key, value)) = table.iter().find(|(key, _)| key.get_ref() == name) else { break };
            found = Some(key.span());
            match value.get_ref() {
                DeValue::Table(inner) => table = inner,
                _ => break,
            }
        }
        found
    }
}

/// Top-level keys with a plain value that people also write below `[parameters]`, where they would be parameters.
const AT_THE_TOP: [&str; 14] = [
    "name",
    "store",
    "goal",
    "metric",
    "outcomes",
    "seed",
    "initial",
    "design",
    "repeats",
    "failures",
    "contexts",
    "constraints",
    "candidates",
    "strategy",
];

/// Keys of `[run]` that people also write at the top.
const BELOW_RUN: [&str; 5] = ["command", "workers", "batch", "timeout", "memory"];

/// Words that other packages and people use, and their names here.
const ALSO_CALLED: [(&str, &str); 14] = [
    ("choice", "categories"),
    ("choices", "categories"),
    ("categorical", "categories"),
    ("enum", "categories"),
    ("options", "categories"),
    ("ordered", "values"),
    ("ordinal", "values"),
    ("uniform", "float"),
    ("real", "float"),
    ("range", "float"),
    ("integer", "int"),
    ("constant", "fixed"),
    ("max", "maximize"),
    ("min", "minimize"),
];

/// What serde reports for an unknown word, "unknown field `a`, expected one of `b`, `c`", and the nearest known one.
fn unknown(message: &str) -> Option<(String, String)> {
    let (kind, rest) = message.strip_prefix("unknown ")?.split_once(' ')?;
    let mut words = rest.split('`').skip(1).step_by(2);
    let unknown = words.next()?;
    let known: Vec<&str> = words.collect();
    let what = match kind {
        "field" => format!("unknown key `{unknown}`"),
        "variant" => format!("`{unknown}` is not allowed here"),
        _ => return None,
    };
    let other = ALSO_CALLED.iter().find(|(word, here)| *word == unknown && known.contains(here)).map(|(_, here)| *here);
    if known.contains(&"run") && BELOW_RUN.contains(&unknown) {
        return Some((what, format!("write it below a line `[run]`: `{unknown}` says how trials are run")));
    }
    let hint = match (other.or_else(|| nearest(unknown, known.iter().copied())), &known[..]) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, []) => "remove it".to_owned(),
        (None, [only]) => format!("use `{only}`"),
        (None, all) => {
            format!("use one of {}", all.iter().map(|one| format!("`{one}`")).collect::<Vec<_>>().join(", "))
        }
    };
    Some((what, hint))
}

/// What serde reports for a missing key: "missing field `name`".
fn missing(message: &str) -> Option<(String, String)> {
    let key = message.strip_prefix("missing field `")?.strip_suffix('`')?;
    let hint = match key {
        "name" => "write name = \"…\"",
        "parameters" => "write [parameters] on a line, and below it one line for each, such as x = { float = [0, 1] }",
        _ => "add it; `elbow init` writes a file to compare with",
    };
    Some((format!("the key `{key}` is missing"), hint.to_owned()))
}

/// What serde reports for a wrong type, in words that people who write TOML know, and what was expected: "invalid type:
/// map, expected a sequence".
fn plain(message: &str) -> Option<(String, String)> {
    let wrong = message.strip_prefix("invalid type: ").or_else(|| message.strip_prefix("invalid value: "))?;
    let (found, expected) = wrong.split_once(", expected ")?;
    let found = match found.split_once(' ') {
        _ if found == "map" => "a table".to_owned(),
        _ if found == "sequence" => "a list".to_owned(),
        Some(("string", text)) => format!("the text {text}"),
        Some(("integer", number)) => format!("the number {number}"),
        Some(("floating", rest)) => format!("the number {}", rest.trim_start_matches("point ")),
        Some(("boolean", truth)) => truth.to_owned(),
        _ => found.to_owned(),
    };
    let expected = match expected {
        "a sequence" => "a list: [ … ], or [[key]] before each of several tables",
        "a map" => "a table: { key = value }, or [key] on a line of its own",
        "a string" => "text in quotes",
        "a boolean" => "true or false",
        "usize" | "u64" | "u32" => "a whole number that is not negative",
        "i64" | "i32" => "a whole number",
        "f64" => "a number",
        other => other,
    };
    let what = format!("{} is not allowed here", found.replace('`', ""));
    Some((what, format!("write {expected}")))
}

/// What the TOML reader reports for a duplicate key.
fn twice(message: &str) -> Option<(String, String)> {
    (message == "duplicate key").then(|| ("this key appears twice".to_owned(), "remove one, or rename it".to_owned()))
}

/// The start of the character at an index of a text.
fn floor(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{missing, plain, unknown};

    #[test]
    fn wrong_types_are_named_in_the_words_of_toml() {
        let cases = [
            ("invalid type: map, expected a sequence", "a table is not allowed here"),
            ("invalid type: string \"four\", expected usize", "the text \"four\" is not allowed here"),
            ("invalid type: integer `1`, expected a boolean", "the number 1 is not allowed here"),
            ("invalid type: floating point `1.5`, expected i64", "the number 1.5 is not allowed here"),
            ("invalid value: integer `-1`, expected usize", "the number -1 is not allowed here"),
        ];
        for (said, what) in cases {
            assert_eq!(plain(said).unwrap().0, what);
        }
        assert!(plain("unknown field `a`").is_none());
        assert_eq!(
            plain("invalid value: integer `-1`, expected usize").unwrap().1,
            "write a whole number that is not negative"
        );
    }

    #[test]
    fn unknown_and_missing_keys_are_said_without_the_words_of_the_reader() {
        let said = |message: &str| unknown(message).map(|(what, hint)| format!("{what}; {hint}"));
        let cases = [
            ("unknown field `sede`, expected one of `name`, `seed`", "unknown key `sede`; did you mean `seed`?"),
            ("unknown field `zzz`, expected one of `name`, `seed`", "unknown key `zzz`; use one of `name`, `seed`"),
            (
                "unknown field `command`, expected one of `name`, `run`",
                "unknown key `command`; write it below a line `[run]`: `command` says how trials are run",
            ),
            (
                "unknown variant `big`, expected `minimize` or `maximize`",
                "`big` is not allowed here; use one of `minimize`, `maximize`",
            ),
            (
                "unknown variant `max`, expected `minimize` or `maximize`",
                "`max` is not allowed here; did you mean `maximize`?",
            ),
            (
                "unknown field `choices`, expected one of `float`, `categories`",
                "unknown key `choices`; did you mean `categories`?",
            ),
        ];
        for (message, expected) in cases {
            assert_eq!(said(message).as_deref(), Some(expected));
        }
        assert_eq!(missing("missing field `name`").unwrap().0, "the key `name` is missing");
    }
}
