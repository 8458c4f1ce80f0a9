//! Whatever a file contains, `elbow` either complains or understands it, and does not crash.

use elbowroom::space::{Parameter, SearchSpace};
use elbowroom_cli::sheet;
use elbowroom_cli::study_file::StudyFile;
use proptest::prelude::*;

const GOOD: &str = r#"name = "net"
goal = "maximize"
strategy = { name = "believer" }
constraints = ["layers * 2 <= 12"]
[parameters]
rate = { float = [1e-5, 0.1], log = true }
layers = { int = [1, 8] }
kind = { categories = ["relu", "tanh"] }
[budget]
trials = 40
time = "2h"
[run]
command = "train --rate {rate} {params}"
memory = "2GB"
"#;

fn space() -> SearchSpace {
    SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0), Parameter::category("kind", ["=a", "b"])]).unwrap()
}

proptest! {
    #[test]
    fn any_bytes_are_a_sheet_or_refused(bytes in any::<Vec<u8>>(), head in "(trial|value|x|kind|noise|comment|[,;\t\"])*\n") {
        let _ = sheet::read(&bytes, &space());
        let _ = sheet::read(&[head.as_bytes(), &bytes].concat(), &space());
    }

    #[test]
    fn any_rows_are_a_sheet_or_refused(rows in "([0-9eE.,;+=@'\"\r\n-]|failed|infeasible|NaN|inf| )*") {
        for head in ["trial,x,kind,value,noise,comment", "value;trial;x", "trial\tvalue"] {
            if let Err(error) = sheet::read(format!("{head}\n{rows}").as_bytes(), &space()) {
                prop_assert!(error.to_string().contains("\n  try: "), "{}", error);
            }
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        let _ = StudyFile::parse(&text, "study.toml");
    }

    #[test]
    fn a_damaged_file_is_read_or_refused(at in 0..GOOD.len(), put in any::<String>(), cut in 0..40usize) {
        let text = format!("{}{put}{}", &GOOD[..at], &GOOD[(at + cut).min(GOOD.len())..]);
        if let Err(error) = StudyFile::parse(&text, "study.toml") {
            prop_assert!(error.to_string().contains("\n  try: "), "{}", error);
        }
    }

    #[test]
    fn any_numbers_are_read_or_refused(low in any::<f64>(), high in any::<f64>(), k in any::<i64>(), seed in any::<u64>()) {
        let text = format!(
            "name = \"a\"\nseed = {seed}\n[parameters]\nx = {{ float = [{low:?}, {high:?}] }}\nn = {{ int = [{k}, 9] }}\n"
        );
        let _ = StudyFile::parse(&text, "study.toml");
    }
}
