//! A store from somebody else cannot make `elbow` run anything.

use crate::common::Bench;

/// Somebody else's study: its names and texts are commands, wherever a text is possible.
fn trap() -> Bench {
    let bench = Bench { folder: tempfile::tempdir().unwrap() };
    let text = r#"
name = "trap"
[parameters]
x = { float = [0, 1] }
kind = { categories = ["$(touch owned)", "; touch owned;", "--help", "`touch owned`"] }
"touch owned" = { fixed = "$(touch owned)" }
[run]
command = "touch owned"
"#;
    bench.write("theirs.toml", text);
    bench.good(&["ask", "--in", "theirs.toml", "-n", "2", "--request", "$(touch owned)"]);
    std::fs::remove_file(bench.path("theirs.toml")).unwrap();
    bench
}

#[test]
fn a_store_holds_no_command() {
    let bench = trap();
    let said = bench.bad(1, &["worker", "trap.elbow"]);
    assert!(said.contains("there is no command"), "{said}");
    for args in [&["status", "trap.elbow"][..], &["trials", "trap.elbow"], &["best", "trap.elbow"]] {
        bench.good(args);
    }
    assert!(!bench.path("owned").exists());
    let bytes = std::fs::read(bench.path("trap.elbow")).unwrap();
    let command = b"command = ";
    assert!(!bytes.windows(command.len()).any(|part| part == command), "the command was stored");
}

#[test]
fn a_stores_texts_stay_out_of_a_shell() {
    let bench = trap();
    let said = bench.bad(1, &["worker", "trap.elbow", "--", "sh", "-c", "echo {kind}"]);
    assert!(said.contains("not a plain word") && said.contains("ELBOW_PARAM_KIND"), "{said}");
    bench.good(&[
        "worker",
        "trap.elbow",
        "--trials",
        "4",
        "--",
        "sh",
        "-c",
        "echo \"$ELBOW_PARAM_KIND\"; cat {params}; echo; echo {x}",
    ]);
    assert!(!bench.path("owned").exists());
}

#[test]
fn a_studys_name_stays_out_of_a_shell() {
    let bench = Bench { folder: tempfile::tempdir().unwrap() };
    bench
        .write("theirs.toml", "name = \"$(touch owned)\"\nstore = \"s.elbow\"\n[parameters]\nx = { float = [0, 1] }\n");
    bench.good(&["ask", "--in", "theirs.toml"]);
    let said = bench.bad(1, &["worker", "s.elbow", "--", "sh", "-c", "echo {study}"]);
    assert!(said.contains("not a plain word"), "{said}");
    bench.good(&["worker", "s.elbow", "--trials", "1", "--", "sh", "-c", "echo \"$ELBOW_STUDY\"; echo {x}"]);
    assert!(!bench.path("owned").exists());
}

#[test]
fn a_stores_texts_do_nothing_to_a_terminal() {
    let bench = Bench { folder: tempfile::tempdir().unwrap() };
    let text = "name = \"a\"\n[parameters]\n\"x\\u001b[31m\" = { float = [0, 1] }\nk = { categories = [\"\\u001b]0;t\\u0007\"] }\n";
    bench.write("study.toml", text);
    bench.good(&["ask", "-n", "2"]);
    bench.good(&["fail", "0", "--reason", "\u{1b}[2J"]);
    bench.good(&["tell", "1", "0.5"]);
    for args in [&["trials"][..], &["status"], &["best"], &["why", "1"], &["plot"], &["doctor"]] {
        assert!(!bench.good(args).contains('\u{1b}'), "{args:?}");
        bench.json(args);
    }
}
