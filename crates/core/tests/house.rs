//! The whole workspace against its map and its rules: modules and dependencies of every crate, names, and sizes.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::layers::{assert_same, code_words, names, read, root, table};

/// The crates other than the core, which has its own map.
const CRATES: [&str; 8] = ["store", "run", "view", "web", "cli", "python", "bench", "paper"];

/// The largest number of lines of code in a file and in a function.
const MOST_OF_A_FILE: usize = 400;
const MOST_OF_A_FUNCTION: usize = 80;

#[test]
fn the_map_names_every_module_of_every_crate_and_no_other() {
    for name in CRATES {
        let rows = table(&format!("### Modules of {name}"));
        let mapped = rows.iter().flat_map(|row| code_words(&row[0])).collect();
        // Apart from modules there may be data files, which have extensions.
        let is_module = |file: &str| !file.contains('.') && !["lib", "main"].contains(&file);
        let folder = root().join("crates").join(name).join("src");
        let found =
            names(&folder).map(|file| file.trim_end_matches(".rs").to_owned()).filter(|file| is_module(file)).collect();
        assert_same(&format!("the modules of {name} in ARCHITECTURE.md"), &mapped, "its folder src", &found);
    }
}

#[test]
fn crates_depend_on_those_that_the_map_allows() {
    for row in table("## Crates") {
        let folder = code_words(&row[0]).remove(0);
        let manifest = read(&root().join(&folder).join("Cargo.toml"));
        let allowed: BTreeSet<&str> = row[3].split([',', ' ']).map(str::trim).collect();
        // Dependencies of tests and of the build follow the others.
        let dependencies = manifest.split("\n[dependencies]\n").nth(1).unwrap_or_default();
        for line in dependencies.lines().take_while(|line| !line.starts_with('[')) {
            let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
            let Some(used) = name.strip_prefix("elbowroom") else { continue };
            let used = if used.is_empty() { "core" } else { used.trim_start_matches('-') };
            assert!(allowed.contains(used), "{folder} depends on {used}, and ARCHITECTURE.md allows {allowed:?}");
        }
    }
}

#[test]
fn words_that_were_given_up_are_no_names() {
    let given_up: BTreeSet<String> = read(&root().join("GLOSSARY.md"))
        .split("\n| not | but |\n")
        .nth(1)
        .expect("the table of words that were given up")
        .lines()
        .skip(1)
        .flat_map(|line| {
            line.split('|').nth(1).unwrap_or_default().split(',').map(|word| word.trim().to_owned()).collect::<Vec<_>>()
        })
        .collect();
    assert!(given_up.contains("desk") && given_up.contains("release"), "{given_up:?}");
    let mut found = Vec::new();
    for file in sources() {
        let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        if given_up.contains(&stem) {
            found.push(format!("{}: a file", file.display()));
        }
        for line in code(&read(&file)) {
            found.extend(
                declared(line).filter(|name| given_up.contains(name)).map(|name| format!("{}: {name}", file.display())),
            );
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn no_file_and_no_function_is_too_long_without_a_reason() {
    let design = read(&root().join("DESIGN.md"));
    let mut found = Vec::new();
    for file in sources() {
        let name = file.strip_prefix(root()).expect("below the root").display().to_string();
        let text = read(&file);
        let lines: Vec<&str> = code(&text).collect();
        if lines.len() > MOST_OF_A_FILE && !design.contains(&format!("`{name}`")) {
            found.push(format!("{name} has {} lines of code", lines.len()));
        }
        for (function, n) in functions(&lines) {
            if n > MOST_OF_A_FUNCTION && !design.contains(&format!("`{function}` in `{name}`")) {
                found.push(format!("{name}: {function} has {n} lines"));
            }
        }
    }
    assert!(found.is_empty(), "divide them, or give the reason in DESIGN.md: {found:#?}");
}

#[test]
fn names_and_lengths_are_read_as_they_are() {
    let source = "/// A doc.\npub fn one(\n    a: u8,\n) {\n    // Nothing.\n\n    two();\n}\n\npub(crate) struct Desk;\n#[cfg(test)]\nmod tests {\n    fn three() {}\n}\n";
    let lines: Vec<&str> = code(source).collect();
    assert_eq!(functions(&lines), [("one".to_owned(), 5)]);
    let names: Vec<String> = lines.iter().flat_map(|line| declared(line)).collect();
    assert_eq!(names, ["one", "desk"]);
}

/// The lines of a source that are neither blank nor comments, before its tests.
fn code(source: &str) -> impl Iterator<Item = &str> {
    let before_tests = source.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    before_tests.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with("//"))
}

/// The names that a line declares, of types in small letters with underscores.
fn declared(line: &str) -> impl Iterator<Item = String> {
    let mut words =
        line.split_whitespace().skip_while(|word| word.starts_with("pub") || ["const", "async"].contains(word));
    let kind = words.next().unwrap_or_default();
    let is_name = |c: &char| c.is_alphanumeric() || *c == '_';
    let name: String = words.next().unwrap_or_default().chars().take_while(is_name).collect();
    let is_declared = ["fn", "struct", "enum", "trait", "type", "mod"].contains(&kind) && !name.is_empty();
    is_declared.then(|| snake(&name)).into_iter()
}

fn snake(name: &str) -> String {
    let mut found = String::new();
    for (i, c) in name.char_indices() {
        if c.is_uppercase() && i > 0 {
            found.push('_');
        }
        found.extend(c.to_lowercase());
    }
    found
}

/// Each function with its number of lines: in formatted code it ends with a brace at the same depth.
fn functions(lines: &[&str]) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let depth = line.len() - line.trim_start().len();
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some(at) = words.iter().position(|word| *word == "fn") else { continue };
        let is_item = words[..at].iter().all(|word| word.starts_with("pub") || ["const", "async"].contains(word));
        if !is_item || line.ends_with(['}', ';']) {
            continue;
        }
        let name = words.get(at + 1).map_or("", |rest| rest.split(['(', '<']).next().unwrap_or_default());
        let end = format!("{}}}", " ".repeat(depth));
        let length = lines[i..].iter().position(|line| line.starts_with(&end)).map_or(1, |n| n + 1);
        found.push((name.to_owned(), length));
    }
    found
}

/// Every source file of the workspace.
fn sources() -> Vec<PathBuf> {
    fn visit(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.expect("an entry of a folder").path();
            if path.is_dir() {
                visit(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(root().join("crates")).expect("the folder crates") {
        visit(&entry.expect("a crate").path().join("src"), &mut found);
    }
    found.sort();
    found
}

#[test]
fn a_crate_that_is_published_has_what_a_registry_asks_for() {
    let manifest = read(&root().join("Cargo.toml"));
    for key in ["version", "edition", "rust-version", "license", "repository", "keywords", "categories"] {
        assert!(manifest.contains(&format!("\n{key} = ")), "the workspace has no {key}");
    }
    // Without a version, a path is useless to somebody who has only the crate.
    let own = manifest.lines().filter(|line| line.contains("path = \"crates/"));
    assert!(own.clone().count() >= 5 && own.clone().all(|line| line.contains("version = \"=")), "{own:?}");
    let mut published = Vec::new();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let folder = entry.unwrap().path();
        let manifest = read(&folder.join("Cargo.toml"));
        if manifest.contains("publish = false") {
            continue;
        }
        for key in
            ["description = ", "license.workspace", "repository.workspace", "keywords", "categories", "readme = "]
        {
            assert!(manifest.contains(&format!("\n{key}")), "{} has no {key}", folder.display());
        }
        assert!(manifest.contains("[package.metadata.docs.rs]"), "{}", folder.display());
        for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
            assert!(folder.join(file).is_file(), "{} has no {file}", folder.display());
        }
        published.push(folder.file_name().unwrap().to_str().unwrap().to_owned());
    }
    published.sort();
    assert_eq!(published, ["cli", "core", "run", "store", "view", "web"]);
}
