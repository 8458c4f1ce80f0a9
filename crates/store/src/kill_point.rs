//! Named moments at which a test may stop a process. Nothing happens at them otherwise.

use std::sync::OnceLock;

static HOOK: OnceLock<fn(&str)> = OnceLock::new();

/// Calls `hook` at every named moment from here on, once for the whole process.
pub fn on_every(hook: fn(&str)) {
    let _ = HOOK.set(hook);
}

/// A named moment.
pub(crate) fn at(moment: &str) {
    if let Some(hook) = HOOK.get() {
        hook(moment);
    }
}
