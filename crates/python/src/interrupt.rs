//! Long computations that Ctrl-C can leave.

use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How long a signal may wait.
const GLANCE: Duration = Duration::from_millis(50);

/// Runs `work` in a thread of its own, without the interpreter, and waits for it. A signal ends the waiting at once;
/// what the work yields after that goes to `abandon`.
pub fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
    abandon: impl FnOnce(T) + Send + 'static,
) -> PyResult<T> {
    // Without a buffer a value is either taken or comes back.
    let (sender, receiver) = sync_channel(0);
    thread::Builder::new().name("elbowroom".to_owned()).spawn(move || {
        if let Err(returned) = sender.send(work()) {
            abandon(returned.0);
        }
    })?;
    // A receiver is not shared between threads, so it moves in and out of the part without the interpreter.
    let mut receiver = Some(receiver);
    loop {
        let (waited, back) = py.detach(|| {
            let receiver = receiver.take().expect("it came back");
            (receiver.recv_timeout(GLANCE), receiver)
        });
        match waited {
            Ok(yielded) => return Ok(yielded),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("a computation of elbowroom broke off\n  try: report it as a bug"));
            }
        }
        receiver = Some(back);
    }
}
