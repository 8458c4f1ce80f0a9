//! The book and the README: the commands in them work, and their links have targets.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The pages of the book, by name.
fn pages() -> Vec<String> {
    let names =
        fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut pages: Vec<String> = names.filter(|name| name.ends_with(".md")).collect();
    pages.sort();
    pages
}

/// The blocks of a page, with their languages.
fn blocks(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open: Option<(String, String)> = None;
    for line in text.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(language)) => open = Some((language.trim().to_owned(), String::new())),
            (Some(_), Some("")) => found.extend(open.take()),
            (Some((_, body)), _) => *body += &format!("{line}\n"),
            (None, None) => {}
        }
    }
    found
}

/// Substitutes for programs on the pages: `elbow` is the one that was built, its server ends by itself, and `cargo` can
/// only run `elbow`.
fn programs(folder: &Path) {
    let elbow = env!("CARGO_BIN_EXE_elbow");
    let scripts = [
        (
            "elbow",
            format!(
                "case \"$1\" in\nserve) timeout 2 {elbow} \"$@\" --port 0; [ $? = 124 ] ;;\n*) exec {elbow} \"$@\" ;;\nesac\n"
            ),
        ),
        ("cargo", "case \"$*\" in\n*elbowroom-cli\\ --\\ *) while [ \"$1\" != -- ]; do shift; done; shift; exec elbow \"$@\" ;;\nesac\n".to_owned()),
    ];
    for (name, text) in scripts {
        let path = folder.join(name);
        fs::write(&path, format!("#!/bin/sh\n{text}")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// Copies a folder, without stores that earlier runs left there.
fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(|entry| entry.unwrap().path()) {
        let target = to.join(entry.file_name().unwrap());
        match () {
            () if entry.is_dir() => copy(&entry, &target),
            () if entry.extension().is_some_and(|end| end.to_string_lossy().starts_with("elbow")) => {}
            () => drop(fs::copy(&entry, target).unwrap()),
        }
    }
}

/// Runs the blocks of a page from top to bottom in a separate folder: TOML becomes its study.toml, and starts a new
/// study; shell is run.
fn run(page: &str, text: &str) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let bin = tempfile::tempdir().unwrap();
    programs(bin.path());
    copy(&root().join("examples"), &folder.path().join("examples"));
    // The file that the page on spaces refers to.
    let solvents = "solvent,permittivity\nwater,80.1\nmethanol,32.7\nethanol,24.5\nhexane,1.9\n";
    fs::write(folder.path().join("solvents.csv"), solvents).unwrap();
    fs::write(folder.path().join("candidates.csv"), "x,kind\n1,a\n2,a\n3,b\n").unwrap();
    let path = format!("{}:{}", bin.path().display(), std::env::var("PATH").unwrap());
    let mut n = 0;
    for (language, body) in blocks(text) {
        match language.as_str() {
            "toml" => {
                let file = folder.path().join("study.toml");
                fs::write(&file, &body).unwrap();
                elbowroom_cli::study_file::StudyFile::read(&file).unwrap_or_else(|error| panic!("{page}: {error}"));
            }
            "sh" => {
                let output =
                    Command::new("sh").args(["-euc", &body]).current_dir(folder.path()).env("PATH", &path).output();
                let output = output.unwrap();
                let said = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "{page}:\n{body}\n{said}");
            }
            _ => continue,
        }
        n += 1;
    }
    n
}

#[test]
fn every_shell_and_toml_block_of_the_book_runs() {
    let mut n = 0;
    for page in pages() {
        n += run(&page, &fs::read_to_string(root().join("docs").join(&page)).unwrap());
    }
    assert!(n >= 30, "{n} blocks");
}

#[test]
fn the_blocks_of_the_readme_run_but_for_those_that_need_more_than_this_repository() {
    assert_eq!(run("README.md", &fs::read_to_string(root().join("README.md")).unwrap()), 2);
}

#[test]
fn the_page_in_an_archive_speaks_of_what_is_in_the_archive_and_its_blocks_run() {
    let page = fs::read_to_string(root().join("packaging/archive.md")).unwrap();
    assert_eq!(run("archive.md", &page), 3);
    let links: Vec<&str> = page.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(to, _)| to).collect();
    assert!(links.is_empty(), "other pages are not in an archive: {links:?}");
    assert!(page.contains(concat!(env!("CARGO_PKG_REPOSITORY"), "/")), "the address of the book");
}

#[test]
fn every_page_is_in_the_table_of_contents_and_on_the_site_and_every_entry_is_a_page() {
    let linked = |text: &str| -> BTreeSet<String> {
        text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(to, _)| to.to_owned()).collect()
    };
    let summary = linked(&fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap());
    let apart = ["SUMMARY.md", "index.md"];
    let there: BTreeSet<String> = pages().into_iter().filter(|page| !apart.contains(&page.as_str())).collect();
    assert_eq!(summary, there, "SUMMARY.md on the left, the pages on the right");
    let index = fs::read_to_string(root().join("docs/index.md")).unwrap();
    let listed: BTreeSet<&str> = index.lines().map(str::trim).collect();
    for page in there.iter().filter(|page| *page != "README.md") {
        assert!(listed.contains(page.trim_end_matches(".md")), "index.md does not list {page}");
    }
}

/// The form of a heading in addresses on a forge.
fn slug(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>().to_lowercase()
}

fn headings(text: &str) -> BTreeSet<String> {
    text.lines().filter(|line| line.starts_with('#')).map(|line| slug(line.trim_start_matches('#').trim())).collect()
}

/// Every handwritten page in a folder and below it.
fn documents(folder: &Path) -> Vec<PathBuf> {
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    // The source of docs/paper.md has the same links as that page.
    let others =
        |path: &Path| name(path).starts_with('.') || ["target", "node_modules", "page.md"].contains(&&*name(path));
    let mut found = Vec::new();
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        match path.extension() {
            _ if others(&path) => {}
            _ if path.is_dir() => found.extend(documents(&path)),
            Some(end) if end == "md" => found.push(path),
            _ => {}
        }
    }
    found
}

#[test]
fn every_link_of_the_documents_leads_somewhere() {
    let mut n = 0;
    for file in documents(&root()) {
        let text = fs::read_to_string(&file).unwrap();
        let prose: String = text.split("```").step_by(2).collect();
        for link in prose.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(to, _)| to) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if path.is_empty() { file.clone() } else { file.parent().unwrap().join(path) };
            assert!(target.exists(), "{}: {link} is not there", file.display());
            if !anchor.is_empty() && target.extension().is_some_and(|end| end == "md") {
                let there = headings(&fs::read_to_string(&target).unwrap());
                assert!(there.contains(anchor), "{}: {link} has no such heading", file.display());
            }
            n += 1;
        }
    }
    assert!(n > 200, "{n} links");
}

#[test]
fn links_and_blocks_are_read_as_they_are() {
    let page = "# A b\n\n```sh\necho [x](y)\n```\n```toml\nname = \"a\"\n```\n";
    let found = blocks(page);
    assert_eq!(found, [("sh".into(), "echo [x](y)\n".into()), ("toml".into(), "name = \"a\"\n".into())]);
    assert!(headings("## elbow why\n## What is `this`, then?\n").contains("what-is-this-then"));
}
