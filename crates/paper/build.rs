//! Tells the program which compiler made it, of which commit, for the head of its results.
//!
//! The commit is that of the sources the program was built of. The one that is checked out when it runs may be another.

use std::process::Command;

fn main() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let version = output_of(&rustc, &["--version"]).unwrap_or_else(|| "rustc unknown".into());
    let describe = ["describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"];
    let commit = output_of("git", &describe).unwrap_or_else(|| "unknown".into());
    println!("cargo:rustc-env=PAPER_RUSTC={version}");
    println!("cargo:rustc-env=PAPER_COMMIT={commit}");
    // Whatever may change the commit, or make the sources differ from it.
    let sources = ["build.rs", "src", "Cargo.toml", "../core/src", "../core/Cargo.toml", "../../Cargo.toml"];
    for path in sources.into_iter().chain(["../view/src", "../view/Cargo.toml", "../../Cargo.lock"]) {
        println!("cargo:rerun-if-changed={path}");
    }
    for name in ["HEAD", "logs/HEAD"] {
        let path = output_of("git", &["rev-parse", "--git-path", name]);
        // A path that is not there would count as changed every time.
        if let Some(path) = path.filter(|path| std::path::Path::new(path).exists()) {
            println!("cargo:rerun-if-changed={path}");
        }
    }
}

/// What a program prints, if it is there and succeeds.
fn output_of(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok().filter(|o| o.status.success())?;
    String::from_utf8(output.stdout).ok().map(|text| text.trim().to_owned())
}
