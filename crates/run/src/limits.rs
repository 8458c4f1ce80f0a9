//! How much one trial may take.

use std::time::Duration;

/// Limits of one trial; none unless they are set.
///
/// ```
/// use elbowroom_run::Limits;
/// use std::time::Duration;
/// let limits = Limits { time: Some(Duration::from_secs(60)), memory: Some(1 << 30) };
/// assert_ne!(limits, Limits::default());
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// Wall-clock time, after which the command and all it started are killed.
    pub time: Option<Duration>,
    /// Memory of all its processes together, in bytes; when they take more, they are all killed.
    ///
    /// No single process can have more to begin with (the shell's `ulimit -d`). The sum is looked at some twenty times a
    /// second, on Linux alone, and counts pages that processes share once and those of files not at all.
    pub memory: Option<u64>,
}

impl Limits {
    /// The words that run under these limits what they stand in front of.
    ///
    /// A limit has to be set inside the child before the command begins. Doing that from Rust takes unsafe code between
    /// fork and exec; the shell does it as well, and then becomes the command.
    pub(crate) fn words(&self) -> Vec<String> {
        let Some(bytes) = self.memory else { return Vec::new() };
        let script = r#"ulimit -d "$1" && shift && exec "$@""#;
        ["sh", "-c", script, "sh", &(bytes / 1024).max(1).to_string()].map(str::to_owned).to_vec()
    }
}
