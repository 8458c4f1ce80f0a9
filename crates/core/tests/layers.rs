//! The workspace as `ARCHITECTURE.md` draws it, compared with the actual one.
//!
//! The map there lists the modules of this crate in order. A module may use those above it, never those below, and the
//! map names every crate, module and source file: anything missing on either side is an error. Code in test modules and
//! the re-exports of `lib.rs` are exempt.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn every_module_uses_only_those_above_it() {
    let order: Vec<String> = map().into_iter().map(|(module, _)| module).collect();
    let faults: Vec<String> = source_files()
        .iter()
        .filter(|file| file.as_str() != "lib.rs")
        .flat_map(|file| faults_of(&order, file, &read(&sources().join(file))))
        .collect();
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn the_map_names_every_source_file_and_no_other() {
    let mapped = map().into_iter().flat_map(|(_, files)| files).collect();
    let found = source_files().into_iter().filter(|file| file != "lib.rs").collect();
    assert_same("the map of modules in ARCHITECTURE.md", &mapped, "crates/core/src", &found);
}

#[test]
fn the_map_names_every_module_of_the_crate_once() {
    let rows: Vec<String> = map().into_iter().map(|(module, _)| module).collect();
    let mapped: BTreeSet<String> = rows.iter().cloned().collect();
    assert_eq!(rows.len(), mapped.len(), "a module has two rows in the map of ARCHITECTURE.md: {rows:?}");
    let found =
        source_files().iter().filter(|file| *file != "lib.rs").map(|file| module_path(file).remove(0)).collect();
    assert_same("the map of modules in ARCHITECTURE.md", &mapped, "crates/core/src", &found);
    let declared = declared(&read(&sources().join("lib.rs"))).collect();
    assert_same("the map of modules in ARCHITECTURE.md", &mapped, "lib.rs", &declared);
}

#[test]
fn the_table_of_crates_names_every_crate_and_no_other() {
    let listed = table("## Crates").into_iter().flat_map(|row| code_words(&row[0])).collect();
    let found = fs::read_dir(root().join("crates"))
        .expect("the folder crates")
        .map(|entry| entry.expect("an entry of crates").path())
        .filter(|path| path.join("Cargo.toml").exists())
        .map(|path| format!("crates/{}", path.file_name().expect("a name").to_string_lossy()))
        .collect();
    assert_same("the table of crates in ARCHITECTURE.md", &listed, "the folder crates", &found);
}

/// A file that its crate's `tests/all.rs` does not name would never be compiled, and its tests would never run.
#[test]
fn every_file_of_tests_is_in_the_one_test_program_of_its_crate() {
    for entry in fs::read_dir(root().join("crates")).expect("the folder crates") {
        let folder = entry.expect("an entry of crates").path().join("tests");
        let files: BTreeSet<String> =
            names(&folder).filter_map(|n| n.strip_suffix(".rs").map(str::to_string)).collect();
        if files.is_empty() {
            continue;
        }
        let program = folder.join("all.rs");
        let named = declared(&read(&program)).filter(|module| module != "common").collect();
        let found = files.into_iter().filter(|file| file != "all").collect();
        assert_same(&program.display().to_string(), &named, "its folder", &found);
        let manifest = read(&folder.with_file_name("Cargo.toml"));
        assert!(manifest.contains("autotests = false"), "{}: each file is a program of its own", folder.display());
    }
}

#[test]
fn the_reader_of_paths_sees_what_the_compiler_sees() {
    let source = "
        //! Not [`crate::study`].
        use crate::{
            error::{Error, Result},
            linalg::Points, // not crate::batch
        };
        pub(crate) use super::super::normal::pdf;
        macro_rules! m { () => { $crate::gp::Rbf } }
        use other_crate::space::Point;
        pub(in crate::gp) fn f() { crate::rng::Stream::new(1); super::hyper(); }
#[cfg(test)]
mod tests {
    use crate::problems::Problem;
}";
    let used: Vec<String> = modules_used("gp/kernel.rs", source).into_iter().collect();
    assert_eq!(used, ["error", "gp", "linalg", "normal", "rng"]);
}

#[test]
fn a_use_of_a_lower_module_is_named() {
    let order = ["error", "penalty", "batch"].map(String::from);
    assert_eq!(
        faults_of(&order, "penalty/local.rs", "use crate::batch::Info;"),
        ["penalty uses batch, which stands below it (crates/core/src/penalty/local.rs)"]
    );
    assert_eq!(
        faults_of(&order, "batch.rs", "use crate::penalty::A; use crate::Error;"),
        ["batch uses crate::Error, which is no module of the map; name the module it lives in \
          (crates/core/src/batch.rs)"]
    );
}

/// The modules that a root file declares.
pub fn declared(source: &str) -> impl Iterator<Item = String> {
    source
        .lines()
        .filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';').map(str::to_string))
}

/// The names in a folder; none if the folder does not exist.
pub fn names(folder: &Path) -> impl Iterator<Item = String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.map(|entry| entry.expect("an entry of a folder").file_name().to_string_lossy().into_owned())
}

/// The forbidden uses in one source file.
fn faults_of(order: &[String], file: &str, source: &str) -> Vec<String> {
    let place = |module: &str| order.iter().position(|m| m == module);
    let own = module_path(file).remove(0);
    let Some(here) = place(&own) else {
        return vec![format!("{own} has no row in the map of ARCHITECTURE.md (crates/core/src/{file})")];
    };
    modules_used(file, source)
        .into_iter()
        .filter_map(|used| match place(&used) {
            Some(there) if there <= here => None,
            Some(_) => Some(format!("{own} uses {used}, which stands below it (crates/core/src/{file})")),
            None => Some(format!(
                "{own} uses crate::{used}, which is no module of the map; name the module it lives in \
                 (crates/core/src/{file})"
            )),
        })
        .collect()
}

/// The names that follow `crate::` in a file, or as many `super::` as lead to the root, except in comments and tests.
fn modules_used(file: &str, source: &str) -> BTreeSet<String> {
    let code = source.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let code: String =
        code.lines().map(|line| line.split("//").next().unwrap_or_default().to_string() + "\n").collect();
    let code = code.replace(&"super::".repeat(module_path(file).len()), "crate::");
    code.match_indices("crate::")
        .filter(|(at, _)| !code[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
        .flat_map(|(at, found)| first_names(&code[at + found.len()..]))
        .collect()
}

/// The first names of a path or of a group of paths: `a::b` gives a, `{a::{b, c}, d}` gives a and d.
fn first_names(path: &str) -> Vec<String> {
    let name = |text: &str| {
        text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_' || *c == '*').collect::<String>()
    };
    let Some(group) = path.strip_prefix('{') else {
        return vec![name(path)];
    };
    let (mut names, mut depth) = (vec![name(group)], 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => names.push(name(&group[at + 1..])),
            _ => {}
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// `gp/kernel.rs` is the module gp::kernel, `gp/mod.rs` the module gp.
fn module_path(file: &str) -> Vec<String> {
    let path = file.trim_end_matches(".rs");
    path.strip_suffix("/mod").unwrap_or(path).split('/').map(str::to_string).collect()
}

/// The rows of the map, in order: a module, and its source files below `src`.
fn map() -> Vec<(String, Vec<String>)> {
    let rows = table("## Modules of the core");
    rows.iter()
        .map(|row| {
            let module = code_words(&row[0]).remove(0);
            let files = code_words(row.last().expect("a row has cells"));
            let folder = if files == [format!("{module}.rs")] { String::new() } else { format!("{module}/") };
            (module, files.iter().map(|file| format!("{folder}{file}")).collect())
        })
        .collect()
}

/// The cells of the rows of the first table under a heading of `ARCHITECTURE.md`, without its head.
pub fn table(heading: &str) -> Vec<Vec<String>> {
    let text = read(&root().join("ARCHITECTURE.md"));
    let below = text.lines().skip_while(|line| *line != heading).skip_while(|line| !line.starts_with('|'));
    let rows: Vec<Vec<String>> = below
        .take_while(|line| line.starts_with('|'))
        .skip(2)
        .map(|line| line.trim_matches('|').split('|').map(|cell| cell.trim().to_string()).collect())
        .collect();
    assert!(!rows.is_empty(), "ARCHITECTURE.md has no table under {heading:?}");
    rows
}

/// The texts between backticks.
pub fn code_words(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_string).collect()
}

/// Every `.rs` file of this crate, as a path below `src`.
fn source_files() -> Vec<String> {
    fn visit(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("a folder of sources") {
            let path = entry.expect("an entry of a folder").path();
            if path.is_dir() {
                visit(&path, found);
            } else if path.extension().is_some_and(|e| e == "rs") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    visit(&sources(), &mut found);
    found.sort();
    let parts = |path: &PathBuf| {
        path.strip_prefix(sources())
            .expect("below src")
            .iter()
            .map(|p| p.to_string_lossy().into_owned())
            .collect::<Vec<_>>()
    };
    found.iter().map(|path| parts(path).join("/")).collect()
}

pub fn assert_same(map_name: &str, map: &BTreeSet<String>, tree_name: &str, tree: &BTreeSet<String>) {
    let missing = tree.difference(map).map(|name| format!("{name} is in {tree_name} but not in {map_name}"));
    let extra = map.difference(tree).map(|name| format!("{name} is in {map_name} but not in {tree_name}"));
    let faults: Vec<String> = missing.chain(extra).collect();
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../src")
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

pub fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}
