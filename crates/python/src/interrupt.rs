//! Long computations that Ctrl-C can interrupt.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// The longest time until a signal is noticed.
const GLANCE: Duration = Duration::from_millis(50);

/// Runs `work` in a new thread, without the interpreter, and waits for it. A signal ends the waiting at once; a result
/// of the work after that goes to `abandon`.
pub fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
    abandon: impl FnOnce(T) + Send + 'static,
) -> PyResult<T> {
    // Without a buffer, a value is either received or comes back.
    let (sender, receiver) = sync_channel(0);
    thread::Builder::new().name(NAME.to_owned()).spawn(move || {
        if let Err(returned) = sender.send(work()) {
            abandon(returned.0);
        }
    })?;
    wait(py, receiver).map_err(|(error, _)| error)
}

/// Like [`interruptible`], for work that stores something at its end: before that, it asks its argument whether
/// somebody still waits. A signal before then ends the waiting at once, and nothing is stored. A signal after then
/// waits until the work is stored, which is soon, and `undo` is called with the result here: if the process ended, the
/// thread would end with it.
pub fn interruptible_until_stored<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&dyn Fn() -> bool) -> T + Send + 'static,
    undo: impl FnOnce(T) + Send,
) -> PyResult<T> {
    let (sender, receiver) = sync_channel(1);
    let phase = Arc::new(AtomicU8::new(CHOOSING));
    let theirs = phase.clone();
    thread::Builder::new().name(NAME.to_owned()).spawn(move || {
        let stays = || theirs.compare_exchange(CHOOSING, STORING, SeqCst, SeqCst) != Err(LEFT);
        // After the caller has left, nobody wants the value, and it is empty.
        let _ = sender.send(work(&stays));
    })?;
    wait(py, receiver).map_err(|(error, receiver)| {
        if phase.compare_exchange(CHOOSING, LEFT, SeqCst, SeqCst).is_err() {
            py.detach(move || receiver.recv().ok().map(undo));
        }
        error
    })
}

const NAME: &str = "elbowroom";

/// The state of the work: nothing is stored yet; it may store; nobody waits for it.
const CHOOSING: u8 = 0;
const STORING: u8 = 1;
const LEFT: u8 = 2;

/// Waits for a value, or for a signal; a signal also returns the receiver.
fn wait<T: Send>(py: Python<'_>, receiver: Receiver<T>) -> Result<T, (PyErr, Receiver<T>)> {
    // A receiver cannot be shared between threads, so it moves in and out of the part without the interpreter.
    let mut receiver = Some(receiver);
    loop {
        let (waited, back) = py.detach(|| {
            let receiver = receiver.take().expect("it came back");
            (receiver.recv_timeout(GLANCE), receiver)
        });
        match waited {
            Ok(yielded) => return Ok(yielded),
            Err(RecvTimeoutError::Timeout) => {
                if let Err(error) = py.check_signals() {
                    return Err((error, back));
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                let what = "a computation in elbowroom failed unexpectedly\n  try: report it as a bug";
                return Err((PyRuntimeError::new_err(what), back));
            }
        }
        receiver = Some(back);
    }
}
