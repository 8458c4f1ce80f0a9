//! Errors of the command itself: what, where, and what to try.

/// An error with a hint on a line of its own, as those of the other crates.
pub fn fault(what: impl std::fmt::Display, hint: impl std::fmt::Display) -> anyhow::Error {
    anyhow::anyhow!("{what}\n  try: {hint}")
}
