//! The part of `./check` that checks the dependencies, with a cargo that only records its calls.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

/// Runs it with a `cargo` that has `deny` or not, and whose database can be fetched or not.
fn check(folder: &Path, deny: bool, fetched: bool) -> (Output, String) {
    let cargo = format!(
        "#!/bin/sh\necho \"$*\" >> {}\ncase \"$*\" in\n'deny fetch'*) exit {} ;;\ndeny*) exit {} ;;\nesac\n",
        folder.join("asked").display(),
        i32::from(!fetched),
        i32::from(!deny),
    );
    fs::write(folder.join("cargo"), cargo).unwrap();
    fs::set_permissions(folder.join("cargo"), fs::Permissions::from_mode(0o755)).unwrap();
    let _ = fs::remove_file(folder.join("asked"));
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let check = concat!(env!("CARGO_MANIFEST_DIR"), "/../../check");
    let mut command = Command::new("bash");
    let output = command.args([check, "dependencies"]).env("PATH", path).env("CARGO_HOME", folder).output().unwrap();
    (output, fs::read_to_string(folder.join("asked")).unwrap())
}

#[test]
fn advisories_are_looked_at_where_they_can_be_had_and_else_said_to_be_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let said = |output: &Output| String::from_utf8_lossy(&output.stdout).into_owned();

    let (output, asked) = check(folder.path(), true, true);
    assert!(output.status.success() && asked.contains("deny check advisories"), "{asked}{}", said(&output));

    let (output, asked) = check(folder.path(), true, false);
    assert!(output.status.success() && !asked.contains("advisories"), "{asked}");
    assert!(said(&output).contains("skipped: the database of advisories cannot be had"), "{}", said(&output));

    // The copy from the last fetch.
    fs::create_dir_all(folder.path().join("advisory-dbs/advisory-db-3157b0e258782691")).unwrap();
    let (output, asked) = check(folder.path(), true, false);
    assert!(output.status.success() && asked.contains("check --disable-fetch advisories"), "{asked}");

    let (output, asked) = check(folder.path(), false, true);
    assert!(output.status.success() && !asked.contains("deny check"), "{asked}");
    assert!(said(&output).contains("skipped: cargo-deny is not installed"), "{}", said(&output));
}
