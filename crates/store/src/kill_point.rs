//! Named moments at which a test may kill the process. Otherwise nothing happens at them.

use std::sync::OnceLock;

static HOOK: OnceLock<fn(&str)> = OnceLock::new();

/// Sets a hook that is called at every kill point from now on. Can be set once in a process.
pub fn on_every(hook: fn(&str)) {
    let _ = HOOK.set(hook);
}

/// Marks a named moment.
pub(crate) fn at(moment: &str) {
    if let Some(hook) = HOOK.get() {
        hook(moment);
    }
}
