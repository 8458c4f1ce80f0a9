//! Arguments on a command line that cannot be understood.

use std::process::Command;

#[test]
fn a_word_that_is_not_understood_ends_a_program_with_a_message_and_the_code_2() {
    let cases: [(&str, &[&str], &str); 19] = [
        (env!("CARGO_BIN_EXE_fits"), &["--seeds", "ten"], "--seeds is \"ten\""),
        (env!("CARGO_BIN_EXE_fits"), &["--threads"], "--threads has no value"),
        (env!("CARGO_BIN_EXE_fits"), &["--problems", "branin,nowhere"], "there is no problem nowhere"),
        (env!("CARGO_BIN_EXE_many"), &["--bounds", "500,few"], "--bounds has \"few\""),
        (env!("CARGO_BIN_EXE_many"), &["--parts", "asks"], "there is no part asks"),
        (env!("CARGO_BIN_EXE_wild"), &["--sedes", "3"], "there is no option --sedes"),
        (env!("CARGO_BIN_EXE_wild"), &["--problems", "nowhere"], "there is no problem nowhere"),
        (env!("CARGO_BIN_EXE_recommend"), &["--trials"], "--trials has no value"),
        (env!("CARGO_BIN_EXE_recommend"), &["--first", "-1"], "--first is \"-1\""),
        (env!("CARGO_BIN_EXE_regret"), &["--q", "many", "default"], "--q is \"many\""),
        (env!("CARGO_BIN_EXE_regret"), &["default", "noshrink+noshirnk"], "there is no change noshirnk"),
        (env!("CARGO_BIN_EXE_regret"), &["floor=low"], "floor=low"),
        (env!("CARGO_BIN_EXE_table"), &["--base"], "--base has no value"),
        (env!("CARGO_BIN_EXE_speed"), &["--slow"], "there is no option --slow"),
        (env!("CARGO_BIN_EXE_strategies"), &["--only", "both"], "--only is \"both\""),
        (env!("CARGO_BIN_EXE_strategies"), &["--problems", "bowl2r,nowhere"], "there is no problem nowhere"),
        (env!("CARGO_BIN_EXE_strategies"), &["--summary", "--rows", "/nowhere.csv"], "/nowhere.csv: "),
        (env!("CARGO_BIN_EXE_failures"), &["library", "--seeds", "ten"], "--seeds is \"ten\""),
        (env!("CARGO_BIN_EXE_failures"), &["libary"], "libary"),
    ];
    for (program, words, expected) in cases {
        let output = Command::new(program).args(words).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{program} {words:?}: {said}");
        assert!(said.contains(expected) && !said.contains("panicked"), "{program} {words:?}: {said}");
    }
}
