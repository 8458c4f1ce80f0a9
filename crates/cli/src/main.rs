//! The command `elbow`.

use std::process::ExitCode;

fn main() -> ExitCode {
    elbowroom_cli::main()
}
