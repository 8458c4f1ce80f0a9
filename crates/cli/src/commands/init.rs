//! `elbow init`: writes a commented study.toml.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;

use anyhow::Result;
use serde_json::json;

use super::answer;
use crate::args::Init;
use crate::error::cli_error;
use crate::study_file::StudyFile;

/// Writes the file, after checking that it can be read back.
pub fn init(args: &Init, json: bool) -> Result<()> {
    let path = args.path.as_path();
    let shown = path.display();
    if path.exists() && !args.force {
        return Err(cli_error(format!("{shown} already exists"), "name another file, or replace it with --force"));
    }
    let n_given = args.float.len() + args.log_float.len() + args.int.len() + args.choice.len() + args.outcome.len();
    let given = n_given > 0;
    let answers = if given || !io::stdin().is_terminal() || json { Answers::given(args)? } else { Answers::ask(args)? };
    let (text, has_command) = (answers.write(), answers.command.is_some());
    StudyFile::parse(&text, &shown.to_string())?;
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(args.force).create_new(!args.force);
    let mut file = options
        .open(path)
        .map_err(|error| cli_error(format!("{shown} could not be written: {error}"), "choose another path"))?;
    file.write_all(text.as_bytes())?;
    answer(
        json,
        || json!({ "written": path.display().to_string() }),
        || match has_command {
            true => format!("wrote {shown}; review it, then start with: elbow run {shown} --workers 4\n"),
            false => format!(
                "wrote {shown}; write your command below [run], then start with: elbow run {shown} --workers 4\n\
                 or evaluate points yourself: elbow ask --in {shown}, or elbow sheet {shown}\n"
            ),
        },
    )
}

/// The information that is needed.
struct Answers {
    name: String,
    maximize: bool,
    /// Results as entries of `outcomes`, if there is more to say than one goal.
    outcomes: Vec<String>,
    parameters: Vec<String>,
    command: Option<String>,
    trials: usize,
}

impl Answers {
    fn given(args: &Init) -> Result<Self> {
        let mut parameters = Vec::new();
        for text in &args.float {
            parameters.push(range("float", text, "")?);
        }
        for text in &args.log_float {
            parameters.push(range("float", text, ", log = true")?);
        }
        for text in &args.int {
            parameters.push(range("int", text, "")?);
        }
        for text in &args.choice {
            parameters.push(choice(text)?);
        }
        if parameters.is_empty() {
            parameters = vec!["x = { float = [0.0, 1.0] }".to_owned()];
        }
        Ok(Self {
            name: args.name.clone().unwrap_or_else(|| folder_name(&args.path)),
            maximize: args.maximize,
            outcomes: args.outcome.iter().map(|text| outcome(text)).collect::<Result<_>>()?,
            parameters,
            command: args.command.clone(),
            trials: args.trials.unwrap_or(40),
        })
    }

    /// Asks on the terminal, with the usual answer in brackets.
    fn ask(args: &Init) -> Result<Self> {
        let name = question("name of the study", &args.name.clone().unwrap_or_else(|| folder_name(&args.path)))?;
        let maximize = args.maximize || ask_goal()?;
        let mut parameters = Vec::new();
        say!("parameters: NAME LOW..HIGH for numbers (whole ones without a point), add `log` for a log scale,");
        say!("or NAME A,B,C for choices; an empty line ends them");
        loop {
            let line = question(&format!("parameter {}", parameters.len() + 1), "")?;
            if line.is_empty() {
                if parameters.is_empty() {
                    say!("at least one is needed");
                    continue;
                }
                break;
            }
            match typed(&line) {
                Ok(parameter) => parameters.push(parameter),
                Err(error) => say!("{error:#}"),
            }
        }
        let example = "python evaluate.py {params}";
        let command = match &args.command {
            Some(command) => command.clone(),
            None => question("command that evaluates a point and prints its value", example)?,
        };
        let trials = loop {
            match question("how many trials", "40")?.parse() {
                Ok(n) if n > 0 => break n,
                _ => say!("give a whole number, at least 1"),
            }
        };
        Ok(Self { name, maximize, outcomes: Vec::new(), parameters, command: Some(command), trials })
    }

    fn write(&self) -> String {
        let name = quoted(&self.name);
        let goals = self.goals();
        let parameters = self.parameters.join("\n");
        let trials = self.trials;
        let command = match &self.command {
            Some(command) => format!("command = {}", quoted(command)),
            None => "# command = \"python evaluate.py --x {x}\"".to_owned(),
        };
        let mut text = String::new();
        let _ = write!(
            text,
            r#"#:schema study.schema.json
# Editors complete and check this file once you have run: elbow schema > study.schema.json

# A study for `elbow`. Lines that start with # are optional, and show an example.

name = {name}
{goals}
# store = "results.elbow"       # a store file next to this one; "$NAME" reads the address from the environment
# seed = 0
# initial = 8                   # points of the initial design; by default, 2 (parameters + 1)
# repeats = true                # measured points may be proposed again: for noisy results
# failures = "ignore"           # do not avoid points near failed trials: for flaky machines
# strategy = "local_penalization"
# contexts = ["humidity"]       # parameters that are observed, not chosen: `elbow ask --fix humidity=40`
# candidates = "points.csv"     # a table whose rows are the only points, instead of ranges
# constraints = ["a + b <= 1"]  # known constraints over the parameters; a mixture is "a + b + c == 1"

# Each parameter is one of
#   {{ float = [0.1, 10.0], log = true }}   {{ int = [1, 8] }}   {{ values = [16, 32, 64] }}
#   {{ float = [0, 1], step = 0.05 }}       {{ ladder = [16, 32, 64, 512], log = true }}
#   {{ categories = ["relu", "tanh"] }}     {{ fixed = 20 }}
# and may have a condition: {{ float = [0, 1], when = "kind == 'sgd'" }}
[parameters]
{parameters}

[budget]
trials = {trials}
# time = "2h"                   # each run starts no new trials after this time
# target = 0.01                 # stop once a value this good is found

# [model]
# sd = 0.05                     # the standard deviation of every result, if you know it; noise = 0.0025, the variance,
#                               # is equivalent. If neither is given, the noise is estimated from the results

# For each trial the command runs in this file's folder, without a shell: {{name}} is a parameter's value,
# {{params}} the path of a JSON file with all of them. ELBOW_PARAM_<NAME> in the environment has the value, too.
# It prints the value as its last line. Exit codes: 65 infeasible, 75 run it again later, any other failed.
[run]
{command}
# workers = 4                   # trials that run at once
# batch = true                  # wait for a whole batch instead of refilling as trials finish
# timeout = "10m"               # time limit of a trial
# memory = "2GB"                # memory limit of a trial, for all its processes together
# metric = "loss"               # the key of the value, if the command prints a JSON object
# result = "file"               # the command writes the value to the file {{result}}
"#
        );
        text
    }

    /// The lines that state the goals.
    fn goals(&self) -> String {
        if !self.outcomes.is_empty() {
            let entries: String = self.outcomes.iter().map(|entry| format!("    {entry},\n")).collect();
            return format!("outcomes = [\n{entries}]\n{OUTCOMES}");
        }
        let goal = if self.maximize { "maximize" } else { "minimize" };
        format!(
            "goal = \"{goal}\"               # minimize or maximize the value\n\
             # metric = \"loss\"               # its name, if the command prints several: \
             {{\"loss\": 0.3, \"minutes\": 12}}\n# outcomes = [{{ name = \"yield\", goal = \"maximize\" }}, …]  \
             # instead of both, for several results\n{OUTCOMES}"
        )
    }
}

/// Whether larger values are better; asks again if the answer is ambiguous.
fn ask_goal() -> Result<bool> {
    loop {
        let goal = question("minimize or maximize", "minimize")?.to_lowercase();
        match (goal.starts_with("min"), goal.starts_with("max")) {
            (true, _) => return Ok(false),
            (_, true) => return Ok(true),
            _ => say!("type minimize or maximize"),
        }
    }
}

/// What can be said of a result.
const OUTCOMES: &str = r#"#   { name = "yield", goal = "maximize", worst = 50 }   optimized; values worse than `worst` count for nothing
#   { name = "purity", at_least = 95 }                  or at_most, or both: a limit
#   { name = "viscosity", near = 4.2 }                  optimized: as near as possible
#   { name = "profit", goal = "maximize", score = "yield - 0.2 * cost" }   computed from other results
#   { name = "hours" }                                  recorded and shown"#;

/// Turns a result from the command line into an entry of `outcomes`.
fn outcome(text: &str) -> Result<String> {
    let wrong = || {
        let hint = "write yield=maximize, cost=minimize, purity>=95, hours<=3, viscosity~4.2, or a name alone";
        cli_error(format!("{text:?} is not a result"), hint)
    };
    let entry = |name: &str, rest: &str| match name.trim() {
        "" => Err(wrong()),
        name => Ok(format!("{{ name = {}{rest} }}", quoted(name))),
    };
    for (sign, key) in [(">=", "at_least"), ("<=", "at_most"), ("~", "near")] {
        if let Some((name, limit)) = text.split_once(sign) {
            let limit = limit.trim().parse::<f64>().map_err(|_| wrong())?;
            return entry(name, &format!(", {key} = {}", toml::Value::Float(limit)));
        }
    }
    match text.split_once('=').map(|(name, goal)| (name, goal.trim())) {
        Some((name, goal @ ("maximize" | "minimize"))) => entry(name, &format!(", goal = {}", quoted(goal))),
        Some(_) => Err(wrong()),
        None => entry(text, ""),
    }
}

fn folder_name(path: &Path) -> String {
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let full = folder.canonicalize().ok();
    let name = full.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    name.filter(|name| !name.is_empty()).unwrap_or_else(|| "study".to_owned())
}

/// A text as TOML writes it.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

fn entry(text: &str) -> Result<(String, &str)> {
    match text.split_once('=') {
        Some((name, rest)) if !name.trim().is_empty() => Ok((key(name.trim()), rest.trim())),
        _ => Err(cli_error(format!("{text:?} is not a parameter"), "write it like rate=0.1..10 or kind=a,b")),
    }
}

/// A name as a key of TOML.
fn key(name: &str) -> String {
    let bare = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if bare { name.to_owned() } else { quoted(name) }
}

fn range(kind: &str, text: &str, more: &str) -> Result<String> {
    let (name, rest) = entry(text)?;
    let Some((low, high)) = rest.split_once("..").map(|(low, high)| (low.trim(), high.trim())) else {
        return Err(cli_error(format!("{text:?} has no range"), "write it like rate=0.1..10"));
    };
    for bound in [low, high] {
        let fine = if kind == "int" { bound.parse::<i64>().is_ok() } else { bound.parse::<f64>().is_ok() };
        if !fine {
            let (what, example) =
                if kind == "int" { ("whole number", "layers=1..8") } else { ("number", "rate=0.1..10") };
            return Err(cli_error(format!("{text:?}: {bound:?} is not a {what}"), format!("write it like {example}")));
        }
    }
    let bound = |text: &str| if kind == "int" { text.to_owned() } else { float(text) };
    Ok(format!("{name} = {{ {kind} = [{}, {}]{more} }}", bound(low), bound(high)))
}

/// A number as TOML writes a float.
fn float(text: &str) -> String {
    text.parse::<f64>().map_or_else(|_| text.to_owned(), |x| toml::Value::Float(x).to_string())
}

fn choice(text: &str) -> Result<String> {
    let (name, rest) = entry(text)?;
    let choices: Vec<String> = rest.split(',').map(|choice| quoted(choice.trim())).collect();
    Ok(format!("{name} = {{ categories = [{}] }}", choices.join(", ")))
}

/// A parameter as it is typed: `rate 1e-4..1 log`.
fn typed(line: &str) -> Result<String> {
    let (name, rest) = line.split_once([' ', '=']).unwrap_or((line, ""));
    // It must be a separate word: a choice may end with these letters.
    let (rest, log) = match rest.trim().strip_suffix("log") {
        Some(rest) if rest.ends_with(char::is_whitespace) => (rest.trim(), ", log = true"),
        _ => (rest.trim(), ""),
    };
    let entry = format!("{name}={rest}");
    match rest.split_once("..") {
        Some((low, high)) if low.trim().parse::<i64>().is_ok() && high.trim().parse::<i64>().is_ok() => {
            range("int", &entry, log)
        }
        Some(_) => range("float", &entry, log),
        None if rest.is_empty() => Err(cli_error(format!("{line:?} has no values"), "write it like `rate 0.1..10`")),
        None if !rest.contains(',') => {
            let numbers: Vec<&str> = rest.split_whitespace().filter(|word| word.parse::<f64>().is_ok()).collect();
            let hint = match numbers.as_slice() {
                [low, high] => format!("for the numbers between, write `{name} {low}..{high}`"),
                _ => format!("write it like `{name} 0.1..10` for numbers, or `{name} a,b,c` for choices"),
            };
            Err(cli_error(format!("{line:?} is neither a range nor a list of choices"), hint))
        }
        None => choice(&entry),
    }
}

fn question(what: &str, usual: &str) -> Result<String> {
    let shown = if usual.is_empty() { String::new() } else { format!(" [{usual}]") };
    eprint!("{what}{shown}: ");
    io::stderr().flush()?;
    let mut line = String::new();
    if io::stdin().lock().read_line(&mut line)? == 0 {
        return Err(cli_error(
            "the input ended before all questions were answered",
            "give the answers as options: elbow init --help",
        ));
    }
    let line = line.trim();
    Ok(if line.is_empty() { usual.to_owned() } else { line.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_written_as_the_file_has_them() {
        assert_eq!(outcome("yield=maximize").unwrap(), "{ name = \"yield\", goal = \"maximize\" }");
        assert_eq!(outcome("purity >= 95").unwrap(), "{ name = \"purity\", at_least = 95.0 }");
        assert_eq!(outcome("viscosity~4.2").unwrap(), "{ name = \"viscosity\", near = 4.2 }");
        assert_eq!(outcome("hours").unwrap(), "{ name = \"hours\" }");
        for text in ["", "=maximize", "yield=more", "purity>=much"] {
            assert!(outcome(text).unwrap_err().to_string().contains("\n  try: "), "{text}");
        }
    }

    #[test]
    fn a_typed_range_without_its_dots_is_no_category() {
        assert_eq!(typed("temp 20..90").unwrap(), "temp = { int = [20, 90] }");
        assert_eq!(typed("rate 1e-4..1 log").unwrap(), "rate = { float = [0.0001, 1.0], log = true }");
        assert_eq!(typed("kind a,catalog").unwrap(), "kind = { categories = [\"a\", \"catalog\"] }");
        let said = typed("temp 20 90").unwrap_err().to_string();
        assert!(said.contains("`temp 20..90`"), "{said}");
        for line in ["temp", "temp 20", "kind a", "temp 20 - 90", "temp 20 90 log"] {
            assert!(typed(line).unwrap_err().to_string().contains("\n  try: "), "{line}");
        }
    }
}
