//! The documentation pages that are generated from types: the command line and study.toml.

use std::fmt::Write;
use std::path::Path;

use clap::{Arg, Command, CommandFactory, Parser};
use serde_json::{Value, json};

use crate::args::Elbow;
use crate::format::wrap;
use crate::study_file::schema;

/// Columns of the text in a code block.
const PAGE: usize = 100;

/// Compares a file with its expected text; `ELBOWROOM_WRITE_SCHEMAS=1` writes the file.
pub fn is_written(file: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
    if std::env::var_os("ELBOWROOM_WRITE_SCHEMAS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let hint = "write it with: ELBOWROOM_WRITE_SCHEMAS=1 cargo test -p elbowroom-cli --lib";
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(there == text, "{file} is not what the types say; {hint}");
}

#[test]
fn the_reference_of_study_toml_is_what_the_types_say() {
    is_written("docs/study-toml.md", &reference(&schema::made()));
}

#[test]
fn the_reference_of_the_command_is_what_its_arguments_say() {
    is_written("docs/command.md", &commands());
}

/// A page with every command and its arguments.
fn commands() -> String {
    let mut text = "# The command\n\n\
        <!-- Made from the command's own help: ELBOWROOM_WRITE_SCHEMAS=1 cargo test -p elbowroom-cli --lib -->\n\n\
        `elbow` runs studies, answers questions about them and shows them.\n\
        Every command reads `study.toml` in the current folder unless you name another file or a store, prints JSON with\n\
        `--json`, and explains itself with `--help`. An error says what is wrong, where, and what to try; with `--json` it is\n\
        an object with `error`, `try` and `kind`.\n\n"
        .to_owned();
    let elbow = Elbow::command();
    let _ = write!(text, "| command | what it does |\n|---|---|\n");
    for one in elbow.get_subcommands() {
        let _ = writeln!(text, "| [`elbow {0}`](#elbow-{0}) | {1} |", one.get_name(), about(one));
    }
    for one in elbow.get_subcommands() {
        let _ = write!(text, "\n## elbow {}\n\n{}\n\n", one.get_name(), about(one));
        let shown: Vec<&Arg> = one.get_arguments().filter(|arg| !arg.is_hide_set() && arg.get_id() != "help").collect();
        if !shown.is_empty() {
            let _ = write!(text, "| argument | meaning |\n|---|---|\n");
        }
        for arg in shown {
            let _ = writeln!(text, "| {} | {} |", written(arg), meaning(arg));
        }
        if let Some(more) = one.get_after_help() {
            let lines: String = more.to_string().trim().lines().map(as_on_a_page).collect();
            let _ = write!(text, "\n```text\n{lines}```\n");
        }
    }
    text
}

/// A line of help: prose is wrapped, and commands stay on one line.
fn as_on_a_page(line: &str) -> String {
    if line.is_empty() || line.starts_with(' ') { format!("{line}\n") } else { wrap(line, 0, PAGE) }
}

fn about(command: &Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default()
}

/// An argument as it is typed.
fn written(arg: &Arg) -> String {
    let values = arg.get_value_names().map(|names| names.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "));
    let takes = arg.get_action().takes_values();
    let value = values.filter(|_| takes).unwrap_or_default();
    match (arg.get_long(), arg.get_short()) {
        (Some(long), short) => {
            let short = short.map_or_else(String::new, |short| format!("`-{short}`, "));
            format!("{short}`{}`", format!("--{long} {value}").trim_end())
        }
        (None, Some(short)) => format!("`{}`", format!("-{short} {value}").trim_end()),
        (None, None) => format!("`{value}`"),
    }
}

fn meaning(arg: &Arg) -> String {
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default().replace('\n', " ").replace('|', "\\|");
    let takes = arg.get_action().takes_values();
    let defaults: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    let listed: Vec<String> = arg.get_possible_values().iter().map(|one| format!("`{}`", one.get_name())).collect();
    let listed = if takes && !listed.is_empty() { format!(" One of {}.", listed.join(", ")) } else { String::new() };
    let default =
        if takes && !defaults.is_empty() { format!(" Default: `{}`.", defaults.join(" ")) } else { String::new() };
    let end = if listed.is_empty() && default.is_empty() { "" } else { "." };
    format!("{help}{end}{listed}{default}")
}

/// The reference of study.toml, as a page of the documentation.
fn reference(schema: &Value) -> String {
    let mut text = "# study.toml\n\n\
        <!-- Made from the types that read the file: ELBOWROOM_WRITE_SCHEMAS=1 cargo test -p elbowroom-cli --lib -->\n\n\
        The file that describes a study. `elbow init` writes a commented one, `elbow schema` prints the JSON schema of this page,\n\
        and every mistake is reported with its line and the nearest key that exists.\n\n"
        .to_owned();
    let mut table = |title: &str, about: &str, part: &Value| {
        let _ = write!(text, "## {title}\n\n{about}\n\n| key | type | meaning |\n|---|---|---|\n");
        let needed = |name: &str| part["required"].as_array().is_some_and(|all| all.contains(&json!(name)));
        for (name, field) in part["properties"].as_object().into_iter().flatten() {
            let must = if needed(name) { " (required)" } else { "" };
            let about = field["description"].as_str().unwrap_or("").replace('\n', " ").replace('|', "\\|");
            let _ = writeln!(text, "| `{name}`{must} | {} | {about} |", kind(schema, field));
        }
        text.push('\n');
    };
    table("At the top", "These come before the first table.", schema);
    let parts = &schema["definitions"];
    table(
        "[parameters]",
        "One line for each parameter, such as `rate = { float = [1e-4, 1.0], log = true }`. Exactly one of `float`, `int`, `values`, `ladder`, `categories` and `fixed`; [Spaces](spaces.md) says more.",
        &parts["parameter"],
    );
    table("[[outcomes]]", "One entry for each result. [Several outcomes](outcomes.md) says more.", &parts["Outcome"]);
    table("[budget]", "When to stop.", &parts["budget"]);
    table("[run]", "How `elbow run` and `elbow worker` evaluate a trial.", &parts["run"]);
    table(
        "[model]",
        "Settings that you leave out keep their defaults; [the defaults](defaults.md) explains them.",
        &schema["properties"]["model"],
    );
    text.trim_end().to_owned() + "\n"
}

/// The type of a field, in words.
fn kind(schema: &Value, field: &Value) -> String {
    let named = |path: &str| &schema["definitions"][path.rsplit('/').next().unwrap_or_default()];
    let reference = field["$ref"].as_str().or_else(|| field["allOf"][0]["$ref"].as_str());
    let reference = reference.or_else(|| field["anyOf"].as_array()?.iter().find_map(|one| one["$ref"].as_str()));
    let words = |target: &Value| -> Option<String> {
        let listed = target["enum"]
            .as_array()
            .cloned()
            .or_else(|| target["oneOf"].as_array().map(|all| all.iter().map(|one| one["const"].clone()).collect()))?;
        Some(listed.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(" or "))
    };
    if let Some(target) = reference.map(named) {
        return words(target).unwrap_or_else(|| match target["type"].as_str() {
            Some("object") => "table".to_owned(),
            _ => "value".to_owned(),
        });
    }
    if let Some(listed) = words(field) {
        return listed;
    }
    let one = match &field["type"] {
        Value::String(one) => one.as_str(),
        Value::Array(all) => all.first().and_then(Value::as_str).unwrap_or("value"),
        _ if field.get("anyOf").is_some() => "name or table",
        _ => "value",
    };
    match one {
        "array" => format!("list of {}s", kind(schema, &field["items"]).trim_end_matches('s')),
        "string" => "text".to_owned(),
        "object" => "table".to_owned(),
        "boolean" => "`true` or `false`".to_owned(),
        other => other.to_owned(),
    }
}

/// The documents, templates and comments that name commands, with their paths.
fn documents() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = ["", "docs", "examples", "packaging", ".github/ISSUE_TEMPLATE"];
    let crates = ["bench", "cli", "core", "python", "run", "store", "view", "web"].map(|name| format!("crates/{name}"));
    let mut found = Vec::new();
    for folder in folders.map(str::to_owned).into_iter().chain(crates) {
        let entries = std::fs::read_dir(root.join(&folder)).unwrap().map(|entry| entry.unwrap().path());
        for path in entries.filter(|path| path.extension().is_some_and(|end| end == "md")) {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            // It describes earlier versions.
            if name != "CHANGELOG.md" {
                found.push((format!("{folder}/{name}"), std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found
}

/// The commands that a document mentions: lines of its code blocks, and texts in backticks.
fn named(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (i, part) in text.split("```").enumerate() {
        if i % 2 == 1 {
            // A long command continues after a backslash.
            let part = part.replace("\\\n      ", "");
            let lines = part.lines().map(|line| line.trim().trim_start_matches("$ "));
            found.extend(lines.filter(|line| line.starts_with("elbow ")).map(str::to_owned));
        } else {
            let spans = part.split('`').skip(1).step_by(2);
            found.extend(spans.filter(|span| span.starts_with("elbow ")).map(str::to_owned));
        }
    }
    found
}

#[test]
fn every_command_that_a_document_names_is_one_that_can_be_typed() {
    let (mut n, mut wrong) = (0, Vec::new());
    for (file, text) in documents() {
        for line in named(&text) {
            // Leave out abbreviated commands, and lines of a table in a help text.
            if line.contains('…') || line.contains("  ") && file.ends_with("command.md") && !line.contains(" #") {
                continue;
            }
            let words = shell_words::split(&line).unwrap_or_else(|error| panic!("{file}: {line}: {error}"));
            let ends = ["|", ">", "&", "&&", ";"];
            let typed = words.into_iter().take_while(|word| !word.starts_with('#') && !ends.contains(&word.as_str()));
            // A name in capitals stands for something that the reader provides.
            let typed = typed.map(|word| {
                let stands = word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase());
                if stands { "1".to_owned() } else { word }
            });
            let typed: Vec<String> = typed.collect();
            if let Err(error) = Elbow::try_parse_from(&typed) {
                use clap::error::ErrorKind::{DisplayHelp, DisplayVersion, MissingRequiredArgument, MissingSubcommand};
                let kinds = [DisplayHelp, DisplayVersion, MissingRequiredArgument, MissingSubcommand];
                // An option may be mentioned without its value.
                if !kinds.contains(&error.kind()) && !error.to_string().contains("a value is required for") {
                    wrong.push(format!("{file}: {line}\n{error}"));
                }
            }
            n += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(n > 100, "{n} commands");
}

/// Text that is meant to be copied cannot be broken in a terminal of 80 columns, and neither can a remark in a second
/// column.
#[test]
fn examples_fit_into_eighty_columns() {
    let root = Elbow::command();
    let mut n = 0;
    for one in std::iter::once(&root).chain(root.get_subcommands()) {
        let help = one.get_after_help().map(ToString::to_string).unwrap_or_default();
        for line in help.lines().filter(|line| line.starts_with("  ")) {
            assert!(line.chars().count() <= 80, "elbow {}: {line}", one.get_name());
            n += 1;
        }
    }
    assert!(n > 50, "{n} lines");
}
