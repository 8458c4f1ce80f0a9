//! Signals that should end a running command.

use std::io::Result;

use signal_hook::consts::{SIGINT, SIGTERM};

/// Signals that ask a command to end.
pub const ENDS: &[i32] = &[SIGINT, SIGTERM];

/// The same for a command that does not outlive its terminal. Windows does not report that a terminal was closed.
#[cfg(unix)]
pub const ENDS_OR_HANGS_UP: &[i32] = &[SIGINT, SIGTERM, signal_hook::consts::SIGHUP];
#[cfg(not(unix))]
pub const ENDS_OR_HANGS_UP: &[i32] = ENDS;

/// Calls `heard` with each of these signals that arrives, in a new thread.
#[cfg(unix)]
pub fn listen(signals: &[i32], heard: impl FnMut(i32) + Send + 'static) -> Result<()> {
    let mut signals = signal_hook::iterator::Signals::new(signals)?;
    std::thread::spawn(move || signals.forever().for_each(heard));
    Ok(())
}

/// On Windows, Ctrl-C is a SIGINT; it is polled several times a second.
#[cfg(not(unix))]
pub fn listen(signals: &[i32], mut heard: impl FnMut(i32) + Send + 'static) -> Result<()> {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    let flags: Vec<_> = signals.iter().map(|signal| (*signal, Arc::new(AtomicBool::new(false)))).collect();
    for (signal, flag) in &flags {
        signal_hook::flag::register(*signal, flag.clone())?;
    }
    std::thread::spawn(move || {
        loop {
            flags.iter().filter(|(_, flag)| flag.swap(false, Ordering::SeqCst)).for_each(|(signal, _)| heard(*signal));
            std::thread::sleep(Duration::from_millis(50));
        }
    });
    Ok(())
}
