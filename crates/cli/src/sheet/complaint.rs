//! Everything that is wrong with a file, reported at once.

use crate::error::cli_error;

/// Something wrong with a line.
#[derive(Debug, Clone, PartialEq)]
pub struct Complaint {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub what: String,
    /// What to try.
    pub hint: String,
}

impl Complaint {
    /// About a line.
    pub fn new(line: usize, what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { line, what: what.into(), hint: hint.into() }
    }

    /// About a line, from an error with its own hint.
    pub fn from_error(line: usize, error: &elbowroom::error::Error) -> Self {
        Self::new(line, error.what(), error.hint())
    }
}

/// The most complaints that are listed.
const MOST: usize = 50;

/// All complaints as one error: the lines in order, and each hint once.
pub fn all_of(mut complaints: Vec<Complaint>) -> anyhow::Error {
    complaints.sort_by_key(|complaint| complaint.line);
    let mut hints: Vec<&str> = Vec::new();
    for complaint in complaints.iter().take(MOST) {
        if !hints.contains(&complaint.hint.as_str()) {
            hints.push(&complaint.hint);
        }
    }
    let mut lines: Vec<String> = complaints.iter().take(MOST).map(|c| format!("line {}: {}", c.line, c.what)).collect();
    if complaints.len() > MOST {
        lines.push(format!("and {} more", complaints.len() - MOST));
    }
    cli_error(lines.join("\n"), hints.join("\n       "))
}
