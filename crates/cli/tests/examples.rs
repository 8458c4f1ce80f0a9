//! The examples do what they say.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{Bench, flat, stderr};

#[test]
fn a_week_in_the_laboratory_ends_with_a_front_of_pure_batches_and_its_picture() {
    let bench = Bench { folder: tempfile::tempdir().unwrap() };
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/laboratory");
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        // Leave existing stores in the folder as they are.
        if !entry.path().extension().is_some_and(|end| end.to_string_lossy().starts_with("elbow")) {
            fs::copy(entry.path(), bench.path(&entry.file_name().to_string_lossy())).unwrap();
        }
    }
    // Two days of the initial design and a little more: all that a week needs, without its fits.
    let mut week = Command::new("sh");
    week.args(["week.sh", "2", "5"]).env("ELBOW", env!("CARGO_BIN_EXE_elbow")).current_dir(bench.folder.path());
    let output = week.output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("waiting 5 trials wait for purity: 0, 1, 2, 3, 4"), "{said}");
    assert!(flat(&said).contains("beats in every objective, of those that keep all limits"), "{said}");

    let best = bench.json(&["best"]);
    let points = best["front"]["points"].as_array().unwrap();
    assert!(!points.is_empty(), "{best}");
    for point in points {
        let trial = point["trial"].as_u64().unwrap() as usize;
        let purity = bench.json(&["trials"])["trials"][trial]["results"]["purity"].as_f64().unwrap();
        assert!(purity >= 97.0, "trial {trial} has a purity of {purity}");
    }
    assert_eq!(bench.count("complete"), 10);
    let waiting = |trial: &serde_json::Value| trial["waiting_for"].is_array();
    assert!(!bench.json(&["trials"])["trials"].as_array().unwrap().iter().any(waiting));
    assert!(fs::read_to_string(bench.path("front.svg")).unwrap().contains("Trade-offs: crystals"));
    let report = fs::read_to_string(bench.path("report.html")).unwrap();
    assert!(
        report.contains("/api/studies/crystals/front") && report.contains("\"hypervolume\":"),
        "the front is inside"
    );
}
