//! The contents of a release: manual pages, archives with their checksums and their lists of components.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

const ELBOW: &str = env!("CARGO_BIN_EXE_elbow");

/// The standard output of a command that must succeed.
fn said(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    said(Command::new(ELBOW).arg("man").arg(folder.path()));
    let help = said(Command::new(ELBOW).arg("--help"));
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // A continuation line is indented further.
    let commands = commands.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names: Vec<&str> = commands.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.contains(&"run") && !names.contains(&"man"), "{names:?}");
    for name in names.iter().filter(|name| **name != "help") {
        let page = fs::read_to_string(folder.path().join(format!("elbow-{name}.1"))).unwrap();
        assert!(page.contains(".SH SYNOPSIS") && page.contains(name), "{name}: {page}");
    }
    assert!(fs::read_to_string(folder.path().join("elbow.1")).unwrap().contains(".SH"));
    let output = Command::new(ELBOW).args(["man", "/nowhere/at/all"]).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot be written to /nowhere/at/all"));
}

/// Makes a release of the command under test, and returns its archive's name. The archive has a script that calls the
/// command: the command itself, with its debugging information, would take long to compress.
fn release(folder: &Path, target: &str) -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packaging/release.py");
    let made = tempfile::tempdir().unwrap();
    let binary = made.path().join("elbow");
    fs::write(&binary, format!("#!/bin/sh\nexec '{ELBOW}' \"$@\"\n")).unwrap();
    fs::set_permissions(&binary, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new("python3");
    command.args([script, "--target", target, "--binary"]).arg(&binary).arg("--out").arg(folder);
    said(&mut command);
    let version = env!("CARGO_PKG_VERSION");
    format!("elbow-{version}-{target}")
}

#[test]
fn a_release_is_the_same_each_time_with_checksums_and_every_crate_that_is_in_it() {
    let [first, second] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let target = "x86_64-unknown-linux-gnu";
    let name = release(first.path(), target);
    assert_eq!(release(second.path(), target), name);
    let archive = format!("{name}.tar.gz");
    let read = |folder: &Path, file: &str| fs::read(folder.join(file)).unwrap();
    assert!(read(first.path(), &archive) == read(second.path(), &archive));
    let sums = said(Command::new("sha256sum").args(["-c", "SHA256SUMS"]).current_dir(first.path()));
    assert_eq!(sums.lines().count(), 2, "{sums}");

    said(Command::new("tar").args(["xzf", &archive]).current_dir(first.path()));
    let inside = first.path().join(&name);
    for file in ["LICENSE-MIT", "LICENSE-APACHE", "README.md", "elbow.service", "man/elbow-run.1", "completions/_elbow"]
    {
        assert!(inside.join(file).is_file(), "{file}");
    }
    // A person who has only the archive starts here.
    assert!(fs::read_to_string(inside.join("README.md")).unwrap().contains("\n## A first study\n"));
    assert!(said(Command::new(inside.join("elbow")).arg("--version")).contains(env!("CARGO_PKG_VERSION")));

    let parts: Value = serde_json::from_slice(&read(first.path(), &format!("{name}.cdx.json"))).unwrap();
    let names: Vec<&str> =
        parts["components"].as_array().unwrap().iter().filter_map(|one| one["name"].as_str()).collect();
    // One of our crates, one that it depends on, and one that only tests need.
    assert!(names.contains(&"elbowroom") && names.contains(&"faer") && !names.contains(&"proptest"), "{names:?}");
    let faer = parts["components"].as_array().unwrap().iter().find(|one| one["name"] == "faer").unwrap();
    assert_eq!(faer["hashes"][0]["content"].as_str().unwrap().len(), 64);
}

#[test]
fn the_version_stands_the_same_wherever_it_stands() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |file: &str| fs::read_to_string(root.join(file)).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    assert!(read("CITATION.cff").contains(&format!("\nversion: {version}\n")));
    let manifest = read("Cargo.toml");
    // A crate's path to itself, for its own tests, needs no version.
    let is_of_another = |line: &&str| line.contains("path = \"crates/") || line.contains("path = \"../");
    let view = read("crates/view/Cargo.toml");
    for line in manifest.lines().chain(view.lines()).filter(is_of_another) {
        assert!(line.contains(&format!("version = \"={version}\"")), "{line}");
    }
    // Cargo's address of the repository is written once; all others must be the same.
    let address = manifest.lines().find_map(|line| line.strip_prefix("repository = ")).unwrap().trim_matches('"');
    for file in ["CITATION.cff", "crates/python/pyproject.toml", "docs/rust.md"] {
        assert!(read(file).contains(address), "{file}");
    }
}
