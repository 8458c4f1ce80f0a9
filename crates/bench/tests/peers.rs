//! The harnesses of the comparisons with peers have their own tests, in Python.

use std::path::Path;
use std::process::Command;

#[test]
fn the_harnesses_pass_their_own_tests() {
    for name in ["peers", "outcomes", "bayesmark"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        match Command::new("python3").args(["-m", "unittest"]).current_dir(folder).output() {
            Ok(output) => assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr)),
            Err(error) => eprintln!("skipped: python3 does not run: {error}"),
        }
    }
}
