//! What both programs share: options, and a table with its raw lines, command, commit and machine.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::json;

/// What was asked for.
pub struct Options {
    /// Small sizes, and nothing kept unless a folder is named.
    pub quick: bool,
    /// The one part that is run, where not all are; its results have their own files.
    pub only: Option<String>,
    /// Where the results go.
    out: Option<PathBuf>,
}

impl Options {
    /// From the command line; none if this is not a run of `cargo bench`.
    pub fn read() -> Option<Self> {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        let has = |name: &str| arguments.iter().any(|argument| argument == name);
        if !has("--bench") {
            return None;
        }
        let quick = has("--quick");
        let after =
            |name: &str| arguments.iter().position(|argument| argument == name).and_then(|i| arguments.get(i + 1));
        let kept = (!quick).then(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/results")));
        Some(Self { quick, only: after("--only").cloned(), out: after("--out").map(PathBuf::from).or(kept) })
    }
}

/// Prints the table; keeps it as Markdown, and the raw lines beside it.
pub fn publish(options: &Options, program: &str, title: &str, table: &str, raw: &[String]) {
    let only = options.only.as_ref().map(|part| format!("--only {part}"));
    let told: Vec<String> = options.quick.then(|| "--quick".to_owned()).into_iter().chain(only).collect();
    let told = if told.is_empty() { String::new() } else { format!(" -- {}", told.join(" ")) };
    let profile = if cfg!(debug_assertions) { " --profile dev" } else { "" };
    let command = format!("cargo bench -p elbowroom-store --bench {program}{profile}{told}");
    let git = output_of("git", &["describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]);
    let commit = std::env::var("ELBOWROOM_COMMIT").ok().or(git).unwrap_or_else(|| "unknown".to_owned());
    let date = output_of("date", &["-u", "+%Y-%m-%d"]).unwrap_or_default();
    let cores = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cores = cores.lines().filter(|line| line.starts_with("processor")).count();
    let cpu = entry("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown".to_owned());
    let text = format!("# {title}\n\n`{command}` at commit {commit}, {date}.\n{cpu}, {cores} cores.\n\n{table}\n");
    println!("{text}");
    let Some(folder) = &options.out else { return };
    let about = json!({"command": command, "commit": commit, "date": date, "cpu": cpu, "cores": cores}).to_string();
    let lines: Vec<&str> = std::iter::once(&about).chain(raw).map(String::as_str).collect();
    fs::create_dir_all(folder).unwrap();
    let file = options.only.as_deref().unwrap_or(program);
    fs::write(folder.join(format!("{file}.md")), text).unwrap();
    fs::write(folder.join(format!("{file}.jsonl")), lines.join("\n") + "\n").unwrap();
}

/// The first value of a key in a file of `key: value` lines.
pub fn entry(path: &str, key: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let found = text.lines().filter_map(|line| line.split_once(':')).find(|(k, _)| k.trim() == key);
    found.map(|(_, value)| value.trim().to_owned())
}

fn output_of(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    (output.status.success() && !text.trim().is_empty()).then(|| text.trim().to_owned())
}
