//! Runs through the command `elbow`: a study.toml in a new folder, `elbow run` with four workers, and the resulting
//! log.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

use elbowroom::space::Parameter;
use elbowroom::study::{Event, Study};

use super::problems::FailingProblem;
use super::{Fallible, Mode, TRIALS, WORKERS};

/// The exit code of an evaluation that failed.
pub const FAILED: i32 = 3;

/// The exit code by which an evaluation says that its point is infeasible.
pub const INFEASIBLE: i32 = 65;

/// Runs one problem; `elbow` is the command, and `evaluator` the program that evaluates a point as `evaluator eval
/// PROBLEM MODE SEED TRIAL name=value …`. Returns the final study.
pub fn run(elbow: &Path, evaluator: &Path, problem: &FailingProblem, mode: Mode, seed: u64) -> Fallible<Study> {
    let folder = Folder::new()?;
    fs::write(folder.0.join("study.toml"), study_toml(evaluator, problem, mode, seed))?;
    drive(elbow, &folder.0)
}

/// Runs the first command of the README with a seed, on a copy of `example`.
pub fn run_example(elbow: &Path, example: &Path, seed: u64) -> Fallible<Study> {
    let folder = Folder::new()?;
    for file in ["study.toml", "train.sh"] {
        fs::copy(example.join(file), folder.0.join(file))?;
    }
    let path = folder.0.join("study.toml");
    let text = fs::read_to_string(&path)?;
    fs::write(&path, format!("seed = {seed}\n{text}"))?;
    drive(elbow, &folder.0)
}

/// Runs the study.toml of a folder to the end, and reads its log.
fn drive(elbow: &Path, folder: &Path) -> Fallible<Study> {
    let call = |arguments: &[&str]| -> Fallible<Output> {
        let output = Command::new(elbow).args(arguments).current_dir(folder).output()?;
        if output.status.success() {
            return Ok(output);
        }
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        Err(format!("{} {}: {}: {said}", elbow.display(), arguments.join(" "), output.status).into())
    };
    call(&["run", "study.toml", "--workers", &WORKERS.to_string()])?;
    let log = call(&["export", "study.toml", "--format", "events"])?.stdout;
    let events = String::from_utf8(log)?.lines().map(serde_json::from_str).collect::<Result<Vec<Event>, _>>()?;
    Ok(Study::replay(events)?)
}

fn study_toml(evaluator: &Path, problem: &FailingProblem, mode: Mode, seed: u64) -> String {
    let mut text = format!("name = \"{}\"\nseed = {seed}\nstore = \"study.elbow\"\n", problem.name);
    if mode == Mode::Ignore {
        text.push_str("failures = \"ignore\"\n");
    }
    text.push_str("[parameters]\n");
    let mut words = vec![
        evaluator.display().to_string(),
        "eval".into(),
        problem.name.clone(),
        mode.word().into(),
        seed.to_string(),
        "{trial}".into(),
    ];
    for parameter in problem.space.parameters() {
        let what = match parameter {
            Parameter::Float { low, high, log, .. } => format!("float = [{low:?}, {high:?}], log = {log}"),
            Parameter::Int { low, high, log, .. } => format!("int = [{low}, {high}], log = {log}"),
            Parameter::Ordered { values, .. } => format!("values = {}", list(values)),
            Parameter::Ladder { values, log, .. } => format!("ladder = {}, log = {log}", list(values)),
            Parameter::Category { choices, .. } => format!("categories = {}", list(choices)),
            Parameter::Fixed { value, .. } => format!("fixed = {}", list(std::slice::from_ref(value))),
        };
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{} = {{ {what} }}", parameter.name());
        words.push(format!("{0}={{{0}}}", parameter.name()));
    }
    let words: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
    let _ = write!(text, "[budget]\ntrials = {TRIALS}\n[run]\ncommand = [{}]\n", words.join(", "));
    text
}

fn list(values: &[elbowroom::space::Value]) -> String {
    let quoted: Vec<String> = values.iter().map(|value| format!("{:?}", value.as_str().unwrap_or_default())).collect();
    format!("[{}]", quoted.join(", "))
}

/// A temporary folder, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> std::io::Result<Self> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("elbowroom-failures-{}-{number}", std::process::id()));
        fs::create_dir_all(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Remains in the temporary folder do no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::super::problems::named;
    use super::*;

    #[test]
    fn a_study_file_has_the_parameters_and_the_command_that_evaluates_them() {
        let text = study_toml(Path::new("/bin/f x"), &named("mesh").expect("a problem"), Mode::Nan, 4);
        for line in [
            "seed = 4",
            "cells = { int = [10, 200], log = false }",
            "step = { float = [0.0001, 0.1], log = true }",
            r#"scheme = { categories = ["explicit", "midpoint", "implicit"] }"#,
            r#"command = ["/bin/f x", "eval", "mesh", "nan", "4", "{trial}", "cells={cells}", "step={step}", "scheme={scheme}"]"#,
        ] {
            assert!(text.lines().any(|l| l == line), "{line} is not in\n{text}");
        }
        assert!(!text.contains("failures"));
    }
}
