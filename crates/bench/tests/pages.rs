//! Pages of results contain the tables that their programs make of the rows in the repository.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Every line of a table that the program prints for these rows, every mean over problems and every statement about
/// rows is on the page. Without threads a program runs nothing, even if a row is missing.
fn assert_page(program: &str, words: &[&str], rows: &str, option: &str, page: &str) {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("results");
    let folder = Folder(std::env::temp_dir().join(format!("elbowroom-bench-{page}-{}", std::process::id())));
    std::fs::create_dir_all(&folder.0).unwrap();
    let copy = folder.0.join(rows);
    std::fs::copy(results.join(rows), &copy).unwrap();
    let output = Command::new(program).args(words).arg(option).arg(&copy).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let page = std::fs::read_to_string(results.join(page)).unwrap();
    let tables = String::from_utf8(output.stdout).unwrap();
    let is_compared = |line: &&str| line.starts_with('|') || line.contains(", against ") || line.contains(" rows of ");
    let lines: Vec<&str> = tables.lines().filter(is_compared).collect();
    assert!(lines.len() > 10, "{tables}");
    for line in lines {
        assert!(page.lines().any(|own| own == line), "the page lacks: {line}");
    }
}

#[test]
fn the_page_of_limits_is_made_of_its_rows() {
    assert_page(env!("CARGO_BIN_EXE_limits"), &["--threads", "0"], "limits.csv", "--out", "limits.md");
}

#[test]
fn the_page_of_wild_values_is_made_of_its_rows() {
    assert_page(
        env!("CARGO_BIN_EXE_wild"),
        &["--threads", "0", "--places", "region,point"],
        "wild.csv",
        "--out",
        "wild.md",
    );
}

#[test]
fn the_page_of_strategies_is_made_of_its_rows() {
    assert_page(env!("CARGO_BIN_EXE_strategies"), &["--summary"], "strategies.csv", "--rows", "strategies.md");
}
