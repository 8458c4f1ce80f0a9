//! Tells the program which compiler made it, for the head of its results.

use std::process::Command;

fn main() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let output = Command::new(rustc).arg("--version").output().ok();
    let version = output.and_then(|o| String::from_utf8(o.stdout).ok()).unwrap_or_else(|| "rustc unknown".into());
    println!("cargo:rustc-env=PAPER_RUSTC={}", version.trim());
    println!("cargo:rerun-if-changed=build.rs");
}
