//! Stores that cannot be reached, cannot be written, or are copies.

use crate::common::{Bench, flat, until};

#[test]
fn an_address_that_refuses_says_so_soon() {
    let bench = Bench::new(3, "echo {x}", "");
    // Nobody listens on port 1. Earlier versions tried six times, which took more than six seconds.
    for address in ["http://127.0.0.1:1/?token=abc", "postgres://ada@127.0.0.1:1/lab"] {
        let start = std::time::Instant::now();
        let said = bench.bad(1, &["status", address]);
        assert!(said.contains("does not answer") && said.contains("refused"), "{said}");
        assert!(start.elapsed() < std::time::Duration::from_secs(4), "{address}: {:?}", start.elapsed());
    }
}

#[test]
fn a_read_only_store_can_be_looked_at() {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;
    let bench = Bench::new(3, "echo {x}", "");
    bench.good(&["run"]);
    fs::copy(env!("CARGO_BIN_EXE_elbow"), bench.path("elbow")).unwrap();
    fs::set_permissions(bench.path("bench.elbow"), Permissions::from_mode(0o444)).unwrap();
    fs::set_permissions(bench.folder.path(), Permissions::from_mode(0o555)).unwrap();
    let elbow = |args: &[&str]| {
        let mut command = std::process::Command::new(bench.path("elbow"));
        command.args(args).current_dir(bench.folder.path()).env("TMPDIR", "/tmp");
        if fs::metadata("/proc/self").is_ok_and(|data| data.uid() == 0) {
            // Permissions do not restrict root.
            command.uid(65534).gid(65534);
        }
        command
    };
    for args in [&["status"][..], &["best"], &["trials"], &["export"], &["doctor"], &["replay"]] {
        let output = elbow(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", crate::common::stderr(&output));
    }
    let output = elbow(&["ask"]).output().unwrap();
    assert!(!output.status.success() && crate::common::stderr(&output).contains("cannot be written"), "{output:?}");
    let mut serving = elbow(&["serve", "--port", "0"]).stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(serving.stdout.take().unwrap()), &mut line).unwrap();
    serving.kill().unwrap();
    serving.wait().unwrap();
    assert!(line.contains("read-only"), "{line}");
    fs::set_permissions(bench.folder.path(), Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn doctor_tells_a_plain_copy_of_a_store_in_use() {
    let bench = Bench::new(30, "sh -c 'echo {trial} >> begun; sleep 0.1; echo {x}'", "");
    let mut run = bench.start(&["run"]);
    until("some trials have begun", || bench.n_lines("begun") >= 3);
    std::fs::copy(bench.path("bench.elbow"), bench.path("plain.elbow")).unwrap();
    bench.good(&["copy", "study.toml", "whole.elbow"]);
    run.kill().unwrap();
    run.wait().unwrap();
    let output = bench.elbow(&["doctor", "plain.elbow"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.code() == Some(1) && flat(&said).contains("plain copy of a store file that was in use"),
        "{said}"
    );
    assert!(said.contains("elbow copy"), "{said}");
    // The backup is intact, and so is the store of a run that was killed.
    bench.good(&["doctor", "whole.elbow"]);
    bench.good(&["doctor"]);
}
