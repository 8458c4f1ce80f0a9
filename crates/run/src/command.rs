//! The user's command, with placeholders for a trial's values.
//!
//! | written | becomes |
//! |---|---|
//! | `{rate}` | the value of the parameter `rate` |
//! | `{trial}`, `{study}` | the trial's number, the study's name |
//! | `{params}` | the path of a JSON file with all values |
//! | `{result}` | the path of a file for the result |
//! | `{{` and `}}` | `{` and `}` |
//!
//! If a trial does not have a parameter, because its condition does not hold, the word that names it is left out,
//! together with an option that stands alone before it: `--momentum {momentum}` and `--momentum={momentum}` both
//! disappear. In a word with spaces, such as a script for `sh -c`, the placeholder becomes empty.
//!
//! Other braces, such as `{print $1}` or `${HOME}`, stay unchanged. A command is split into words once, before values
//! are inserted, and no shell sees it unless its first word is one: a value is always part of one word.

use std::collections::HashMap;
use std::path::Path;

use elbowroom::space::{Parameter, Point, SearchSpace, Value, nearest};

use crate::error::{Error, Result};

/// A command with placeholders.
///
/// ```
/// use elbowroom::space::{Parameter, SearchSpace};
/// use elbowroom_run::{Template, Trust};
///
/// let space = SearchSpace::new(vec![Parameter::float("rate", 0.0, 1.0)])?;
/// assert!(Template::parse("./train --rate {rate}")?.check("net", &space, Trust::Own).is_ok());
/// let error = Template::parse("./train --rate {raet}")?.check("net", &space, Trust::Own).unwrap_err();
/// assert!(error.to_string().contains("{raet}"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    words: Vec<Vec<Part>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Name(String),
}

/// Who wrote the texts that the study's parameters may have as values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// The author of the command.
    Own,
    /// Somebody else: texts with other characters than letters, digits and `_ . , : / + @ % = -`, or with a leading
    /// `-`, may not be inserted into the command, where a shell or a parser of options could interpret them.
    Store,
}

/// The placeholders that are not parameters.
const OWN_NAMES: [&str; 4] = ["trial", "study", "params", "result"];

/// Words that only a shell interprets.
const SHELL_WORDS: [&str; 8] = ["|", "||", "&&", ";", ">", ">>", "<", "2>&1"];

impl Template {
    /// Reads a command line, split into words as a shell would split it. Words that only a shell understands are
    /// refused: the program would get them as arguments.
    pub fn parse(line: &str) -> Result<Self> {
        let words = shell_words::split(line).map_err(|_| {
            Error::command(format!("the command {line:?} has a quote that is not closed"), "close the quote")
        })?;
        // A word without quotes is meant for a shell.
        if let Some(word) = raw_words(line).into_iter().find(|word| SHELL_WORDS.contains(word)) {
            let what = format!("the command has `{word}`, which only a shell understands, and it runs without one");
            let hint = "write command = [\"sh\", \"-c\", \"…\"] for a shell, or a list of words to pass it on as it is";
            return Err(Error::command(what, hint));
        }
        Self::from_words(words)
    }

    /// Takes a command that is already split into words, such as the arguments of this program.
    pub fn from_words(words: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Self> {
        let words: Vec<Vec<Part>> = words.into_iter().map(|word| parts(word.as_ref())).collect();
        if words.is_empty() {
            return Err(Error::command("the command is empty", "write the program and its arguments"));
        }
        Ok(Self { words })
    }

    /// Checks that every placeholder has a value in this study, and that all its possible values are allowed there.
    pub fn check(&self, study: &str, space: &SearchSpace, trust: Trust) -> Result<()> {
        let parameters = space.parameters();
        let is_study = |name: &str| name == "study" && parameters.iter().all(|parameter| parameter.name() != name);
        if trust == Trust::Store && self.names().any(is_study) && !is_plain_word(study) {
            let what = format!("the study is called {study:?}, which comes from the store and is not a plain word");
            return Err(Error::command(what, "read it from $ELBOW_STUDY, or name the study.toml that it is from"));
        }
        let known: Vec<&str> = space.parameters().iter().map(Parameter::name).collect();
        for name in self.names() {
            let parameter = space.parameters().iter().find(|parameter| parameter.name() == name);
            match parameter {
                Some(parameter) if trust == Trust::Store => refuse_strange_texts(parameter)?,
                None if !OWN_NAMES.contains(&name) => {
                    let placeholders: Vec<String> = known.iter().map(|name| format!("{{{name}}}")).collect();
                    let hint = match nearest(name, known.iter().copied()) {
                        Some(near) => format!("did you mean {{{near}}}?"),
                        None => format!("use {}; for plain braces, write {{{{{name}}}}}", placeholders.join(", ")),
                    };
                    return Err(Error::command(
                        format!("the command names {{{name}}}, which is not a parameter"),
                        hint,
                    ));
                }
                _ => {}
            }
        }
        let mut seen: HashMap<String, &str> = HashMap::new();
        for name in known {
            if let Some(other) = seen.insert(variable(name), name) {
                let what = format!("the parameters `{other}` and `{name}` would both be {}", variable(name));
                return Err(Error::command(what, "rename one of them"));
            }
        }
        Ok(())
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.words.iter().flatten().filter_map(|part| match part {
            Part::Name(name) => Some(name.as_str()),
            Part::Text(_) => None,
        })
    }

    /// The words for one trial.
    pub(crate) fn arguments(&self, given: &Given<'_>) -> Vec<String> {
        let write = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Name(name) => given.value(name).unwrap_or_default(),
        };
        let mut words: Vec<String> = Vec::new();
        for (i, word) in self.words.iter().enumerate() {
            if !is_left_out(word, given) {
                words.push(word.iter().map(write).collect());
            } else if matches!(word.as_slice(), [Part::Name(_)]) && i > 0 && is_option(&self.words[i - 1]) {
                words.pop();
            }
        }
        words
    }
}

/// Whether a word names a parameter that the trial does not have, and is a single argument rather than a script.
fn is_left_out(word: &[Part], given: &Given<'_>) -> bool {
    let is_absent = |part: &Part| matches!(part, Part::Name(name) if given.value(name).is_none());
    let is_script = |part: &Part| matches!(part, Part::Text(text) if text.contains(char::is_whitespace));
    word.iter().any(is_absent) && !word.iter().any(is_script)
}

/// Whether a word is an option that takes the next word.
fn is_option(word: &[Part]) -> bool {
    matches!(word, [Part::Text(text)] if text.starts_with('-') && text.len() > 1 && !text.contains('='))
}

/// The values that a command is given.
pub(crate) struct Given<'a> {
    pub study: &'a str,
    pub trial: u64,
    pub attempt: u32,
    pub point: &'a Point,
    pub params: &'a Path,
    pub result: &'a Path,
}

impl Given<'_> {
    /// The value of a name; `None` if it is a parameter that the trial does not have. Names were checked before.
    fn value(&self, name: &str) -> Option<String> {
        Some(match (self.point.get(name), name) {
            (Some(value), _) => plain(value),
            (None, "trial") => self.trial.to_string(),
            (None, "study") => self.study.to_owned(),
            (None, "params") => self.params.display().to_string(),
            (None, "result") => self.result.display().to_string(),
            _ => return None,
        })
    }

    /// The environment variables.
    pub fn variables(&self) -> Vec<(String, String)> {
        let own = [
            ("ELBOW_STUDY", self.study.to_owned()),
            ("ELBOW_TRIAL", self.trial.to_string()),
            ("ELBOW_ATTEMPT", self.attempt.to_string()),
            ("ELBOW_PARAMS", self.params.display().to_string()),
            ("ELBOW_RESULT", self.result.display().to_string()),
        ];
        let values = self.point.iter().map(|(name, value)| (variable(name), plain(value)));
        own.into_iter().map(|(name, value)| (name.to_owned(), value)).chain(values).collect()
    }
}

/// A value without quotes: it is one word, or one variable.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The environment variable of a parameter.
fn variable(name: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    format!("ELBOW_PARAM_{}", name.chars().map(letter).collect::<String>())
}

fn refuse_strange_texts(parameter: &Parameter) -> Result<()> {
    let Some(text) = parameter.listed().iter().filter_map(Value::as_str).find(|text| !is_plain_word(text)) else {
        return Ok(());
    };
    let name = parameter.name();
    Err(Error::command(
        format!("the parameter `{name}` can be {text:?}, which comes from the store and is not a plain word"),
        format!("read it from ${} or from the file {{params}}, or name the study.toml that it is from", variable(name)),
    ))
}

/// Whether neither a shell nor a parser of options would interpret a text.
fn is_plain_word(text: &str) -> bool {
    let harmless = |c: char| c.is_ascii_alphanumeric() || "_.,:/+@%=-".contains(c);
    !text.is_empty() && !text.starts_with('-') && text.chars().all(harmless)
}

/// The words of a line as they are written, with their quotes, up to a comment.
fn raw_words(line: &str) -> Vec<&str> {
    let (mut words, mut start, mut quote, mut is_escaped) = (Vec::new(), None, None, false);
    for (at, c) in line.char_indices() {
        if quote.is_none() && !is_escaped && c.is_whitespace() {
            words.extend(start.take().map(|start| &line[start..at]));
            continue;
        }
        if start.is_none() && c == '#' {
            return words;
        }
        start.get_or_insert(at);
        match (c, quote) {
            _ if is_escaped => is_escaped = false,
            ('\\', None | Some('"')) => is_escaped = true,
            ('\'' | '"', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            _ => {}
        }
    }
    words.extend(start.map(|start| &line[start..]));
    words
}

/// A word's texts and placeholders.
fn parts(word: &str) -> Vec<Part> {
    let (mut parts, mut text, mut rest) = (Vec::new(), String::new(), word);
    while let Some(c) = rest.chars().next() {
        if rest.starts_with("{{") || rest.starts_with("}}") {
            text.push(c);
            rest = &rest[2..];
        } else if let Some(name) = placeholder(rest).filter(|_| !text.ends_with('$')) {
            if !text.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut text)));
            }
            parts.push(Part::Name(name.to_owned()));
            rest = &rest[name.len() + 2..];
        } else {
            text.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    if !text.is_empty() || parts.is_empty() {
        parts.push(Part::Text(text));
    }
    parts
}

/// The name in braces at the beginning of a text.
fn placeholder(text: &str) -> Option<&str> {
    let name = text.strip_prefix('{')?.split_once('}')?.0;
    let letter = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let begins = name.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
    (begins && name.chars().all(letter)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(line: &str) -> Vec<String> {
        let point = Point::new().with("rate", 1e-5).with("kind", "a b").with("n", 3);
        let given = Given {
            study: "s",
            trial: 7,
            attempt: 1,
            point: &point,
            params: Path::new("/t/p.json"),
            result: Path::new("/t/r"),
        };
        Template::parse(line).unwrap().arguments(&given)
    }

    #[test]
    fn a_value_is_part_of_one_word_and_other_braces_stay() {
        assert_eq!(written("run --rate={rate} {kind} {n}{trial}"), ["run", "--rate=1e-5", "a b", "37"]);
        assert_eq!(written("f '{params}' {result} {study}"), ["f", "/t/p.json", "/t/r", "s"]);
        assert_eq!(written("awk '{print $1}' ${n} {} {{n}} '}}'"), ["awk", "{print $1}", "${n}", "{}", "{n}", "}"]);
        assert_eq!(written("a ''"), ["a", ""]);
    }

    #[test]
    fn what_a_trial_does_not_have_is_left_out_with_its_option() {
        assert_eq!(written("run --momentum {momentum} --rate {rate}"), ["run", "--rate", "1e-5"]);
        assert_eq!(written("run --momentum={momentum} opt.m={momentum} -m {momentum} {n}"), ["run", "3"]);
        assert_eq!(written("run fast {momentum} --log=yes {momentum}"), ["run", "fast", "--log=yes"]);
        assert_eq!(written("sh -c 'train {n} {momentum}'"), ["sh", "-c", "train 3 "]);
    }

    #[test]
    fn texts_of_a_stranger_stay_out_of_the_command() {
        let space = |text: &str| SearchSpace::new(vec![Parameter::category("kind", ["plain", text])]).unwrap();
        let named = Template::parse("sh -c 'train {kind}'").unwrap();
        for text in ["$(touch x)", "a;b", "--upload", "a b", "", "`x`", "a\nb", "'"] {
            assert!(named.check("s", &space(text), Trust::Store).is_err(), "{text}");
            assert!(named.check("s", &space(text), Trust::Own).is_ok(), "{text}");
            let unnamed = Template::parse("train {params}").unwrap();
            assert!(unnamed.check("s", &space(text), Trust::Store).is_ok(), "{text}");
        }
        assert!(named.check("s", &space("resnet-50/v1.5"), Trust::Store).is_ok());
        let study = Template::parse("sh -c 'echo {study}'").unwrap();
        assert!(study.check("$(touch x)", &space("a"), Trust::Store).is_err());
        assert!(study.check("$(touch x)", &space("a"), Trust::Own).is_ok());
        assert!(study.check("a", &space("a"), Trust::Store).is_ok());
    }

    #[test]
    fn what_only_a_shell_understands_is_refused_unless_it_is_quoted() {
        for line in ["solve {n} | tail -n 1", "cd runs && solve", "solve > log 2>&1", "a ; b"] {
            let error = Template::parse(line).unwrap_err().to_string();
            assert!(error.contains("only a shell understands") && error.contains("\"sh\", \"-c\""), "{error}");
        }
        for line in ["sh -c 'solve {n} | tail -n 1'", "awk -F '|' '{ print $1 > 3 }'", "solve --range=<3", "a \\| b"] {
            assert!(Template::parse(line).is_ok(), "{line}");
        }
        // A sign in a longer quoted text and the same sign quoted alone; behind an escaped quote; in a comment.
        for line in ["join '|' 'a | b'", "echo \"a \\\" | b\" '|'", "solve {n} # 2 > 1"] {
            assert!(Template::parse(line).is_ok(), "{line}");
        }
        assert!(Template::from_words(["echo", "|"]).is_ok());
    }

    #[test]
    fn a_placeholder_that_is_no_parameter_is_answered_with_the_nearest() {
        let space = SearchSpace::new(vec![Parameter::int("rate", 0, 1), Parameter::int("n", 0, 1)]).unwrap();
        let error = |line: &str| Template::parse(line).unwrap().check("s", &space, Trust::Own).unwrap_err().to_string();
        assert!(error("run {raet}").ends_with("did you mean {rate}?"));
        assert!(error("run {width}").ends_with("use {rate}, {n}; for plain braces, write {{width}}"));
    }

    #[test]
    fn names_that_share_a_variable_are_refused() {
        let space = SearchSpace::new(vec![Parameter::int("a-b", 0, 1), Parameter::int("a_b", 0, 1)]).unwrap();
        let error = Template::parse("true").unwrap().check("s", &space, Trust::Own).unwrap_err();
        assert!(error.to_string().contains("ELBOW_PARAM_A_B"));
    }
}
