//! docs/paper.md says what the rows say.

use std::path::{Path, PathBuf};

use elbowroom_paper::page;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A copy of the page, its text and the rows, to change something in.
fn copy(name: &str) -> PathBuf {
    let to = std::env::temp_dir().join(format!("elbowroom-paper-page-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&to);
    let mut left = vec![PathBuf::from("crates/paper/results")];
    while let Some(folder) = left.pop() {
        std::fs::create_dir_all(to.join(&folder)).unwrap();
        for entry in std::fs::read_dir(root().join(&folder)).unwrap() {
            let (path, name) = (entry.as_ref().unwrap().path(), folder.join(entry.unwrap().file_name()));
            if path.is_dir() {
                left.push(name);
            } else if path.extension().is_some_and(|end| end == "csv" || end == "json") {
                std::fs::copy(path, to.join(name)).unwrap();
            }
        }
    }
    std::fs::create_dir_all(to.join("docs")).unwrap();
    for file in ["docs/paper.md", "crates/paper/page.md"] {
        std::fs::copy(root().join(file), to.join(file)).unwrap();
    }
    to
}

#[test]
fn every_number_of_the_page_follows_from_the_rows() {
    page::verify(&root()).unwrap();
}

#[test]
fn a_number_that_is_changed_on_the_page_is_found() {
    let copy = copy("number");
    let path = copy.join("docs/paper.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let place = text.find("Mean ranks: B-UCB ").unwrap() + "Mean ranks: B-UCB ".len();
    let mut changed = text.clone();
    let digit = if &text[place..=place] == "9" { "8" } else { "9" };
    changed.replace_range(place..=place, digit);
    std::fs::write(&path, changed).unwrap();
    let error = page::verify(&copy).unwrap_err().to_string();
    assert!(error.contains("docs/paper.md:") && error.contains("should be"), "{error}");
    std::fs::remove_dir_all(copy).unwrap();
}

#[test]
fn a_row_that_is_changed_is_found_on_the_page() {
    let copy = copy("row");
    let path = copy.join("crates/paper/results/cosines/raw.csv");
    let text = std::fs::read_to_string(&path).unwrap();
    // The commit of a row is on the page, as are medians of its numbers.
    let last = text.trim_end().rfind(',').unwrap();
    std::fs::write(&path, format!("{},ffffffffffff\n", &text[..last])).unwrap();
    let error = page::verify(&copy).unwrap_err().to_string();
    assert!(error.contains("ffffffffffff"), "{error}");
    std::fs::remove_dir_all(copy).unwrap();
}
