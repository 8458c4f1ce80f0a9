//! The harness of the comparison with peers has tests of its own, in Python.

use std::path::Path;
use std::process::Command;

#[test]
fn the_harness_passes_its_own_tests() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers");
    match Command::new("python3").args(["-m", "unittest"]).current_dir(folder).output() {
        Ok(output) => assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr)),
        Err(error) => eprintln!("skipped: python3 does not run: {error}"),
    }
}
