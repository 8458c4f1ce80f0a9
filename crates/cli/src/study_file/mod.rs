//! `study.toml`: what a person writes about a study.
//!
//! Everything is checked on reading, and every complaint names its line.

mod page;
pub mod schema;
mod settings;
mod tables;

use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use elbowroom::error::Error as CoreError;
use elbowroom::space::{Parameter, SearchSpace, Value};
use elbowroom::study::{FailureRule, Goal, InitialDesign, Outcome, StudyConfig, outcomes_of};
use elbowroom_run::{Limits, MOST_WORKERS, ResultFrom, ResultReader, Template, Trust, parse_bytes, parse_duration};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use toml::Spanned;

use page::Page;
use tables::WrittenDescriptors;

/// A study.toml that was read and checked.
#[derive(Debug, Clone)]
pub struct StudyFile {
    /// The study's name.
    pub name: String,
    /// The store's address; `None` for a file named after the study, next to the study.toml.
    pub store: Option<String>,
    /// The configuration of the study.
    pub config: StudyConfig,
    /// Whether it says what failures mean. If not, a study that is older than this setting continues as before.
    pub says_failures: bool,
    /// How long new trials are started.
    pub time: Option<Duration>,
    /// The value that is good enough.
    pub target: Option<f64>,
    /// How its trials are run.
    pub run: RunSection,
}

/// The section `[run]`.
#[derive(Debug, Clone, Default)]
pub struct RunSection {
    /// The command.
    pub command: Option<Template>,
    /// How many trials run at once.
    pub workers: Option<usize>,
    /// Whether to wait for whole batches.
    pub batch: bool,
    /// The limits of a trial.
    pub limits: Limits,
    /// How its result is read.
    pub reader: ResultReader,
}

impl StudyFile {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self> {
        let shown = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|error| {
            let hint = "write one with `elbow init`, or name another";
            crate::error::cli_error(format!("{shown} could not be read: {error}"), hint)
        })?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let good = error.utf8_error().valid_up_to();
            let line = 1 + error.as_bytes()[..good].iter().filter(|b| **b == b'\n').count();
            crate::error::cli_error(format!("{shown}, line {line}: this is not UTF-8 text"), "save the file as UTF-8")
        })?;
        Self::parse(&text, &shown)
    }

    /// Reads a text; `shown` is its name in complaints.
    pub fn parse(text: &str, shown: &str) -> Result<Self> {
        let page = Page { text, shown };
        let written: Written = toml::from_str(text)
            .map_err(|error| page.bare_parameter().unwrap_or_else(|| page.unread(error.span(), error.message())))?;
        written.check(&page)
    }
}

/// A study for `elbow`: the search space, what to optimize, and the command that evaluates a point.
#[derive(Debug, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "study.toml"))]
#[serde(deny_unknown_fields)]
struct Written {
    /// The study's name: 1 to 200 letters, digits, spaces or symbols.
    #[cfg_attr(test, schemars(with = "String"))]
    name: Spanned<String>,
    /// The store: the path of a file, relative to this one, `postgres://…`, or `$NAME` to read the address from the
    /// environment. By default, a file named after the study.
    store: Option<String>,
    /// Whether smaller or larger values are better. The short form of `outcomes`, for one objective.
    goal: Option<Goal>,
    /// The name of the optimized result, where the command prints several as a JSON object.
    metric: Option<String>,
    /// Several results: objectives, limits, targets, and results that are only recorded. Replaces `goal` and `metric`.
    #[cfg_attr(test, schemars(with = "Option<Vec<Outcome>>"))]
    outcomes: Option<Spanned<Vec<Spanned<toml::Table>>>>,
    /// The seed of the random numbers.
    #[serde(default)]
    seed: u64,
    /// The number of points of the initial design. By default, 2 (parameters + 1).
    initial: Option<usize>,
    /// How the initial design is spread.
    #[serde(default)]
    design: InitialDesign,
    /// Whether measured points may be proposed again, for noisy results.
    #[serde(default)]
    repeats: bool,
    /// What failed trials say about the points around them.
    failures: Option<FailureRule>,
    /// Parameters that are observed, not chosen: each ask gives their values with `--fix`.
    #[serde(default)]
    contexts: Vec<String>,
    /// Known constraints over the parameters, such as `"x + y <= 1"`.
    #[cfg_attr(test, schemars(with = "Vec<String>"))]
    #[serde(default)]
    constraints: Vec<Spanned<String>>,
    /// A CSV file whose rows are the only points, instead of ranges; its path is relative to this file.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    #[serde(default)]
    candidates: Option<Spanned<String>>,
    /// In finite spaces of up to this many points, each ask scores every point. By default, 100,000.
    score_all: Option<u64>,
    /// How points are chosen: the name of a strategy, or a table with its `name` and settings.
    #[cfg_attr(test, schemars(schema_with = "schema::strategy"))]
    #[serde(default)]
    strategy: Option<Spanned<toml::Value>>,
    /// Settings of the model.
    #[cfg_attr(test, schemars(schema_with = "schema::model"))]
    #[serde(default)]
    model: Option<Spanned<toml::Table>>,
    /// What is searched: one parameter a line. With `candidates` it may be left out.
    #[cfg_attr(test, schemars(with = "std::collections::BTreeMap<String, WrittenParameter>"))]
    #[serde(default)]
    parameters: Option<Spanned<Parameters>>,
    /// When to stop.
    #[serde(default)]
    budget: WrittenBudget,
    /// How trials are run.
    #[serde(default)]
    run: WrittenRun,
}

/// When to stop.
#[derive(Debug, Default, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "budget"))]
#[serde(deny_unknown_fields)]
struct WrittenBudget {
    /// The number of trials.
    #[cfg_attr(test, schemars(with = "Option<usize>"))]
    trials: Option<Spanned<usize>>,
    /// Each run starts no new trials after this time, such as `"2h"`.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    time: Option<Spanned<String>>,
    /// Stop once a value this good is found.
    #[cfg_attr(test, schemars(with = "Option<f64>"))]
    target: Option<Spanned<f64>>,
}

/// How trials are run.
#[derive(Debug, Default, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "run"))]
#[serde(deny_unknown_fields)]
struct WrittenRun {
    /// The command that evaluates a point, run without a shell in the folder of this file: `{name}` stands for a
    /// parameter's value, `{params}` for a JSON file with all of them, `{result}` for a file to write the result to.
    #[cfg_attr(test, schemars(with = "Option<WrittenCommand>"))]
    command: Option<Spanned<WrittenCommand>>,
    /// How many trials run at once.
    #[cfg_attr(test, schemars(with = "Option<usize>"))]
    workers: Option<Spanned<usize>>,
    /// Whether to wait for a whole batch before starting the next, instead of refilling as trials finish.
    #[serde(default)]
    batch: bool,
    /// The time limit of a trial, such as `"10m"`.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    timeout: Option<Spanned<String>>,
    /// The memory limit of a trial, for all its processes together, such as `"2GB"`.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    memory: Option<Spanned<String>>,
    /// Where the command leaves its result.
    result: Option<WrittenResult>,
    /// The key of the optimized result in a JSON object; by default, its name.
    metric: Option<String>,
}

/// A command line, or an array of its words.
#[derive(Debug, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "command"))]
#[serde(untagged, expecting = "expected a command line, or an array of its words")]
enum WrittenCommand {
    /// A command line.
    Line(String),
    /// Its words.
    Words(Vec<String>),
}

/// Where the command leaves its result.
#[derive(Debug, Clone, Copy, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "result"))]
#[serde(rename_all = "lowercase")]
enum WrittenResult {
    /// On the last line of its standard output.
    Stdout,
    /// In the file `{result}`.
    File,
}

/// One parameter, such as `{ float = [0, 1], log = true }`. Give exactly one of the keys that name its kind.
// A new kind of parameter is a field here with a comment: schema.json and the reference of study.toml follow.
#[derive(Debug, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "parameter"))]
#[serde(deny_unknown_fields)]
struct WrittenParameter {
    /// A real number between two bounds: `float = [0.1, 10]`.
    float: Option<Vec<f64>>,
    /// An integer between two bounds, both included: `int = [1, 8]`.
    int: Option<Vec<i64>>,
    /// One of several values in order: `values = [16, 32, 64]`.
    values: Option<Vec<Value>>,
    /// One of several ascending numbers, whose spacing matters: `ladder = [16, 32, 64, 512]`.
    ladder: Option<Vec<Value>>,
    /// One of several values without order: `categories = ["relu", "tanh"]`.
    categories: Option<Vec<Value>>,
    /// Numbers that say which categories are alike: a CSV file, or a table such as `{ water = { density = 1.0 } }`.
    descriptors: Option<WrittenDescriptors>,
    /// Always this value: `fixed = 20`.
    fixed: Option<Value>,
    /// Whether a float, an int or a ladder is searched on a log scale.
    #[serde(default)]
    log: bool,
    /// The step of a float: `float = [0, 1], step = 0.05`.
    step: Option<f64>,
    /// The parameter exists only where this holds for other parameters: `when = "kind == 'sgd'"`.
    when: Option<String>,
}

/// The parameters in the order of the file.
#[derive(Debug)]
struct Parameters(Vec<(String, Spanned<WrittenParameter>)>);

impl<'de> Deserialize<'de> for Parameters {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Parameters;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table of parameters")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Parameters, A::Error> {
                let mut found = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    found.push(entry);
                }
                Ok(Parameters(found))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

impl Written {
    fn check(self, page: &Page<'_>) -> Result<StudyFile> {
        let name = self.name.get_ref().trim().to_owned();
        if name.is_empty() {
            return Err(page.cli_error(Some(self.name.span()), "the study has no name", "name it"));
        }
        if elbowroom_store::check_name("the name", &name).is_err() {
            let hint = "use 1 to 200 letters, digits, spaces or symbols";
            return Err(page.cli_error(Some(self.name.span()), "this is not a valid name for a study", hint));
        }
        let space = space(self.parameters, self.candidates.as_ref(), &self.constraints, page)?;
        let whole = self.outcomes.as_ref().map_or_else(|| self.name.span(), Spanned::span);
        let listed = self.outcomes.map(|all| results(all.into_inner(), page)).transpose()?;
        let spans: Vec<(String, Range<usize>)> =
            listed.iter().flatten().map(|(outcome, span)| (outcome.name.clone(), span.clone())).collect();
        let blamed = |error: &CoreError| page.core(blamed(error, &spans).unwrap_or_else(|| whole.clone()), error);
        let listed = listed.map(|all| all.into_iter().map(|(outcome, _)| outcome).collect());
        let outcomes = outcomes_of(self.goal, self.metric, listed).map_err(|error| blamed(&error))?;
        let mut config =
            StudyConfig::new(space).outcomes(outcomes).seed(self.seed).design(self.design).repeats(self.repeats);
        config.declared_outcomes().map_err(|error| blamed(&error))?;
        config.initial = self.initial;
        config.failures = self.failures.unwrap_or_default();
        config.contexts = self.contexts;
        config.score_all = self.score_all.or(config.score_all);
        let says_failures = self.failures.is_some();
        if let Some(strategy) = self.strategy {
            config.strategy = settings::strategy(strategy, page)?;
        }
        let mut at = self.name.span();
        if let Some(model) = self.model {
            at = model.span();
            config.model = settings::model(model, page)?;
        }
        if let Some(trials) = &self.budget.trials {
            at = trials.span();
            config.budget = Some(*trials.get_ref());
        }
        config.validate().map_err(|error| page.core(at, &error))?;
        let run = self.run.check(&name, &config.space, page)?;
        let time = self.budget.time.map(|time| read(time, parse_duration, page)).transpose()?;
        let target = self.budget.target.map(|target| match *target.get_ref() {
            value if value.is_finite() => Ok(value),
            value => {
                let hint = "give a finite value that is good enough, or leave it out";
                Err(page.cli_error(Some(target.span()), &format!("the target is {value}"), hint))
            }
        });
        let target = target.transpose()?;
        Ok(StudyFile { name, store: self.store, config, says_failures, time, target, run })
    }
}

/// Checks each result separately, so that a complaint has its line.
fn results(written: Vec<Spanned<toml::Table>>, page: &Page<'_>) -> Result<Vec<(Outcome, Range<usize>)>> {
    let one = |entry: Spanned<toml::Table>| {
        let span = entry.span();
        let outcome = entry.into_inner().try_into::<Outcome>();
        let outcome = outcome.map_err(|error| page.unread(Some(span.clone()), error.message()))?;
        Ok((outcome, span))
    };
    written.into_iter().map(one).collect()
}

/// The position of the last result that an error names.
fn blamed(error: &CoreError, spans: &[(String, Range<usize>)]) -> Option<Range<usize>> {
    let is_named = |(name, _): &&(String, _)| error.what().contains(&format!("`{name}`"));
    spans.iter().rev().find(is_named).map(|(_, span)| span.clone())
}

fn space(
    written: Option<Spanned<Parameters>>,
    candidates: Option<&Spanned<String>>,
    constraints: &[Spanned<String>],
    page: &Page<'_>,
) -> Result<SearchSpace> {
    let Some(whole) = written.as_ref().map(Spanned::span).or(candidates.map(Spanned::span)) else {
        return Err(page.unread(None, "missing field `parameters`"));
    };
    let (mut parameters, mut spans) = (Vec::new(), Vec::new());
    for (name, one) in written.map_or_else(Vec::new, |written| written.into_inner().0) {
        let span = one.span();
        let mut one = one.into_inner();
        let descriptors = one.descriptors.take();
        let mut parameter =
            parameter(&name, one).map_err(|(what, hint)| page.cli_error(Some(span.clone()), &what, hint))?;
        if let Some(descriptors) = descriptors {
            let Parameter::Category { choices, .. } = &parameter else {
                let what = format!("the parameter `{name}` has `descriptors` but is not a category");
                let hint = "remove `descriptors`: numbers already show which of them are alike";
                return Err(page.cli_error(Some(span), &what, hint));
            };
            let found = tables::descriptors(&descriptors, choices, span.clone(), page)?;
            parameter = parameter.clone().with_descriptors(found);
        }
        // Check each parameter separately first, so that a complaint has its line.
        SearchSpace::new(vec![parameter.clone().always()]).map_err(|error| page.core(span.clone(), &error))?;
        parameters.push(parameter);
        spans.push(span);
    }
    // With a table, conditions may refer to columns that only the file has.
    let is_alone = |i: &usize| candidates.is_none() && parameters[*i].condition().is_some();
    for (i, span) in spans.into_iter().enumerate().filter(|(i, _)| is_alone(i)) {
        let mut others = parameters.clone();
        others.iter_mut().enumerate().filter(|(j, _)| *j != i).for_each(|(_, one)| *one = one.clone().always());
        SearchSpace::new(others).map_err(|error| page.core(span, &error))?;
    }
    let mut space = match candidates {
        Some(name) => tables::candidates(name, parameters, page)?,
        None => SearchSpace::new(parameters).map_err(|error| page.core(whole, &error))?,
    };
    for constraint in constraints {
        let text = constraint.get_ref().as_str();
        space = space.with_constraints([text]).map_err(|error| page.core(constraint.span(), &error))?;
    }
    Ok(space)
}

fn parameter(name: &str, written: WrittenParameter) -> Result<Parameter, (String, &'static str)> {
    let WrittenParameter { float, int, values, ladder, categories, fixed, log, step, when, .. } = written;
    let no_scale = "remove `log`: only float, int and ladder have a scale";
    if step.is_some() && float.is_none() {
        let hint = "remove `step`: only a float can have one; list the values as a ladder instead";
        return Err((format!("the parameter `{name}` has `step`, but is not a float"), hint));
    }
    let scaled = |parameter: Parameter| Ok(if log { parameter.log() } else { parameter });
    let bounds = |n: usize| {
        let what = format!("the parameter `{name}` has {n} bound{}", if n == 1 { "" } else { "s" });
        Err((what, "write the lowest and the highest: float = [0, 1] or int = [1, 8]"))
    };
    let parameter = match (float, int, values, ladder, categories, fixed) {
        (Some(both), None, None, None, None, None) => match both.as_slice() {
            [low, high] => {
                let float = Parameter::float(name, *low, *high);
                scaled(step.map_or(float.clone(), |step| float.step(step)))
            }
            other => bounds(other.len()),
        },
        (None, Some(both), None, None, None, None) => match both.as_slice() {
            [low, high] => scaled(Parameter::int(name, *low, *high)),
            other => bounds(other.len()),
        },
        (None, None, None, Some(values), None, None) => scaled(Parameter::ladder(name, values)),
        _ if log => {
            Err((format!("the parameter `{name}` has `log`, but is not a float, an int or a ladder"), no_scale))
        }
        (None, None, Some(values), None, None, None) => Ok(Parameter::ordered(name, values)),
        (None, None, None, None, Some(choices), None) => Ok(Parameter::category(name, choices)),
        (None, None, None, None, None, Some(value)) => Ok(Parameter::fixed(name, value)),
        _ => Err((
            format!("the parameter `{name}` should be exactly one of float, int, values, ladder, categories, fixed"),
            "write it like { float = [0.1, 10], log = true } or { categories = [\"a\", \"b\"] }",
        )),
    }?;
    Ok(match when {
        Some(condition) => parameter.when(condition),
        None => parameter,
    })
}

impl WrittenRun {
    fn check(self, name: &str, space: &SearchSpace, page: &Page<'_>) -> Result<RunSection> {
        let command = self.command.map(|written| {
            let span = written.span();
            let template = match written.into_inner() {
                WrittenCommand::Line(line) => Template::parse(&line),
                WrittenCommand::Words(words) => Template::from_words(words),
            };
            let checked = template.and_then(|template| template.check(name, space, Trust::Own).map(|()| template));
            checked.map_err(|error| page.run(span, &error))
        });
        let workers = self.workers.map(|workers| match *workers.get_ref() {
            0 => Err(page.cli_error(Some(workers.span()), "the number of workers is 0", "write at least 1")),
            n if n > MOST_WORKERS => {
                let what = format!("{n} workers are more than one process can run");
                let hint = format!("allow at most {MOST_WORKERS}; start `elbow worker` on more machines for more");
                Err(page.cli_error(Some(workers.span()), &what, &hint))
            }
            n => Ok(n),
        });
        let limits = Limits {
            time: self.timeout.map(|text| read(text, parse_duration, page)).transpose()?,
            memory: self.memory.map(|text| read(text, parse_bytes, page)).transpose()?,
        };
        let from = match self.result {
            Some(WrittenResult::File) => ResultFrom::File,
            Some(WrittenResult::Stdout) | None => ResultFrom::Stdout,
        };
        Ok(RunSection {
            command: command.transpose()?,
            workers: workers.transpose()?,
            batch: self.batch,
            limits,
            reader: ResultReader { from, metric: self.metric },
        })
    }
}

fn read<T>(text: Spanned<String>, parse: fn(&str) -> elbowroom_run::Result<T>, page: &Page<'_>) -> Result<T> {
    parse(text.get_ref()).map_err(|error| page.run(text.span(), &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = r#"
name = "net"
goal = "maximize"
seed = 3
strategy = { name = "believer", lie = "pessimistic" }
constraints = ["layers * width <= 512"]
[parameters]
width = { values = [32, 64, 128] }
rate = { float = [1e-5, 0.1], log = true }
layers = { int = [1, 8] }
kind = { categories = ["relu", "tanh"] }
epochs = { fixed = 20 }
[budget]
trials = 40
time = "2h"
target = 0.99
[run]
command = "train --rate {rate} {params}"
workers = 4
timeout = "10m"
memory = "2GB"
metric = "accuracy"
"#;

    #[test]
    fn a_whole_file_is_read_in_its_order() {
        let file = StudyFile::parse(WHOLE, "study.toml").unwrap();
        let names: Vec<&str> = file.config.space.parameters().iter().map(Parameter::name).collect();
        assert_eq!(names, ["width", "rate", "layers", "kind", "epochs"]);
        assert_eq!((file.config.budget, file.config.goal, file.run.workers), (Some(40), Goal::Maximize, Some(4)));
        assert_eq!(file.config.strategy.name(), "believer");
        assert_eq!(file.run.limits, Limits { time: Some(Duration::from_secs(600)), memory: Some(2 << 30) });
    }

    #[test]
    fn failures_teach_unless_the_file_says_otherwise() {
        let read = |line: &str| StudyFile::parse(&WHOLE.replacen("seed = 3", line, 1), "study.toml");
        let said = |line: &str| read(line).map(|file| (file.config.failures, file.says_failures)).unwrap();
        assert_eq!(said("seed = 3"), (FailureRule::Learn, false));
        assert_eq!(said("failures = \"learn\""), (FailureRule::Learn, true));
        assert_eq!(said("failures = \"ignore\""), (FailureRule::Ignore, true));
        let error = read("failures = \"ignored\"").unwrap_err().to_string();
        assert!(
            error.starts_with("study.toml, line 4: `ignored` is not allowed here") && error.contains("`ignore`?"),
            "{error}"
        );
    }

    #[test]
    fn a_parameter_without_its_kind_is_answered_with_the_line_to_write() {
        for (written, line) in [
            ("[0.0, 1.0]", "x = { float = [0.0, 1.0] }"),
            ("[0, 8]", "x = { int = [0, 8] }"),
            ("[1, 2, 4]", "x = { values = [1, 2, 4] }"),
            ("[\"a\", \"b\"]", "x = { categories = [\"a\", \"b\"] }"),
            ("3", "x = { fixed = 3 }"),
        ] {
            let text = format!("name = \"a\"\n[parameters]\nx = {written}\n");
            let error = StudyFile::parse(&text, "study.toml").unwrap_err();
            let said = format!("{error:#}");
            assert!(said.contains("study.toml, line 3: the parameter `x` is "), "{said}");
            assert!(said.contains(&format!("write {line}")), "{said}");
            let text = format!("name = \"a\"\n[parameters]\n{line}\ny = {{ float = [0, 1] }}\n");
            StudyFile::parse(&text, "study.toml").unwrap_or_else(|error| panic!("{line}: {error}"));
        }
    }

    #[test]
    fn a_key_of_the_top_that_stands_below_the_parameters_is_told_where_it_belongs() {
        for line in ["name = \"a\"", "goal = \"maximize\"", "constraints = [\"x <= 1\"]"] {
            let text = format!("[parameters]\nx = {{ float = [0, 1] }}\n{line}\n");
            let error = StudyFile::parse(&text, "study.toml").unwrap_err().to_string();
            assert!(error.starts_with("study.toml, line 3: ") && error.contains("to the top of the file"), "{error}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_result_is_said_with_its_line_and_what_to_try() {
        let complaint = |second: &str| {
            let list = format!("outcomes = [\n{{ name = \"yield\", goal = \"maximize\" }},\n{second},\n]");
            let text = WHOLE.replacen("goal = \"maximize\"", &list, 1);
            StudyFile::parse(&text, "study.toml").unwrap_err().to_string()
        };
        let cases = [
            ("{ name = \"purity\", at_least = 99, at_most = 95 }", "swap them"),
            ("{ name = \"cost\", worst = 5 }", "add its goal"),
            ("{ name = \"cost\", goal = \"minimize\", near = 5 }", "leave `goal` out"),
            ("{ name = \"score\", score = \"yeild - 1\" }", "yield"),
            ("{ name = \"yield\" }", "list each result once"),
            ("{ name = \"rate\", at_most = 3 }", "give it another name"),
            ("{ name = \"cost\", at_lest = 3 }", "did you mean `at_least`?"),
        ];
        for (second, hint) in cases {
            let error = complaint(second);
            assert!(error.starts_with("study.toml, line 5: "), "{second}: {error}");
            assert!(error.contains(hint) && error.matches("try: ").count() == 1, "{second}: {error}");
        }
    }

    #[test]
    fn every_complaint_names_its_line() {
        let cases = [
            ("\"net\"", "\"two\\nlines\"", 2),
            ("seed = 3", "seed = x", 4),
            ("seed = 3", "sede = 3", 4),
            ("seed = 3", "seed = -1", 4),
            ("goal = \"maximize\"", "goal = \"more\"", 3),
            ("seed = 3", "failures = \"ignored\"", 4),
            ("seed = 3", "failures = false", 4),
            ("\"believer\"", "\"doubter\"", 5),
            ("layers * width", "layres * width", 6),
            ("[1e-5, 0.1]", "[0.1, 1e-5]", 9),
            ("[1e-5, 0.1]", "[0, 1]", 9),
            ("{ int = [1, 8] }", "{ int = [1.5, 8] }", 10),
            ("{ int = [1, 8] }", "{ int = [1, 8], fixed = 3 }", 10),
            ("{ categories = [\"relu\", \"tanh\"] }", "{ categories = [] }", 11),
            ("{ fixed = 20 }", "{ fixed = 20, log = true }", 12),
            ("trials = 40", "trials = 0", 14),
            ("\"2h\"", "\"soon\"", 15),
            ("target = 0.99", "target = nan", 16),
            ("target = 0.99", "target = inf", 16),
            ("[1e-5, 0.1]", "[1e-5, 0.1, 3]", 9),
            ("[1, 8]", "[1]", 10),
            ("layers = { int = [1, 8] }", "rate = { int = [1, 8] }", 10),
            ("lie = \"pessimistic\"", "lie = 3", 5),
            ("{params}", "{parms}", 18),
            ("{params}", "'", 18),
            ("workers = 4", "workers = 0", 19),
            ("workers = 4", "workers = 100000", 19),
            ("\"2GB\"", "\"much\"", 21),
        ];
        for (from, to, line) in cases {
            let text = WHOLE.replacen(from, to, 1);
            assert_ne!(text, WHOLE);
            let error = StudyFile::parse(&text, "study.toml").unwrap_err().to_string();
            assert!(error.starts_with(&format!("study.toml, line {line}: ")), "{to}: {error}");
            assert!(error.contains("\n  try: "), "{error}");
        }
    }

    #[test]
    fn a_parameter_may_have_a_condition() {
        let with = |condition: &str| {
            let momentum = format!("momentum = {{ float = [0, 1], when = \"{condition}\" }}\nepochs");
            StudyFile::parse(&WHOLE.replacen("epochs", &momentum, 1), "study.toml")
        };
        let space = with("kind == 'tanh'").unwrap().config.space;
        assert_eq!(space.parameters()[4].condition(), Some("kind == 'tanh'"));
        let error = with("kind == 'tnah'").unwrap_err().to_string();
        assert!(
            error.starts_with("study.toml, line 12: the condition of `momentum`: 'tnah' is not a value"),
            "{error}"
        );
    }

    #[test]
    fn keys_that_nobody_reads_are_refused_in_every_strategy_and_table_with_the_nearest_known_one() {
        for strategy in elbowroom::study::StrategyConfig::names() {
            let line = format!("strategy = {{ name = \"{strategy}\", acquisiton = \"ei\" }}");
            let text = WHOLE.replacen("strategy = { name = \"believer\", lie = \"pessimistic\" }", &line, 1);
            let error = StudyFile::parse(&text, "study.toml").unwrap_err().to_string();
            assert!(error.starts_with("study.toml, line 5: ") && error.contains("acquisiton"), "{error}");
            let known = serde_json::to_value(elbowroom::study::StrategyConfig::named(strategy).unwrap()).unwrap();
            if known.get("acquisition").is_some() {
                assert!(error.contains("did you mean `acquisition`?"), "{strategy}: {error}");
            }
        }
        let cases = [
            ("seed = 3", "sede = 3", "seed"),
            ("trials = 40", "trails = 40", "trials"),
            ("workers = 4", "worker = 4", "workers"),
            ("log = true", "lgo = true", "log"),
            ("[budget]", "[model]\nnoize = 0.1\n[budget]", "noise"),
            ("[budget]", "[model.hyperparameters.map]\nrandom_starts = 3\nrandom_start = 4\n[budget]", "random_starts"),
            (
                "{ name = \"believer\", lie = \"pessimistic\" }",
                "{ name = \"plain\", acquisition = { ucb = { kappa = 1, kapa = 2 } } }",
                "kappa",
            ),
            ("seed = 3", "design = \"sobl\"", "sobol"),
        ];
        for (from, to, meant) in cases {
            let text = WHOLE.replacen(from, to, 1);
            assert_ne!(text, WHOLE);
            let error = StudyFile::parse(&text, "study.toml").unwrap_err().to_string();
            assert!(error.contains(", line ") && error.contains(&format!("did you mean `{meant}`?")), "{to}: {error}");
        }
    }

    #[test]
    fn the_noise_of_a_model_may_be_given_as_a_standard_deviation() {
        let read = |lines: &str| StudyFile::parse(&format!("{WHOLE}\n[model]\n{lines}\n"), "study.toml");
        assert_eq!(read("sd = 0.5").unwrap().config.model.noise, Some(0.25));
        assert_eq!(read("sd = 2").unwrap().config.model.noise, Some(4.0));
        assert_eq!(read("noise = 0.25").unwrap().config, read("sd = 0.5").unwrap().config);
        for (lines, said) in
            [("sd = -1", "`sd` is -1"), ("sd = \"a\"", "`sd` is"), ("sd = 1\nnoise = 1", "both `noise` and `sd`")]
        {
            let error = read(lines).unwrap_err().to_string();
            assert!(error.starts_with("study.toml, line 25: ") && error.contains(said), "{error}");
        }
    }
}
