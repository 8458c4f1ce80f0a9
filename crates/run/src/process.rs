//! One trial's command: start it, wait for it, end it, read its results.
//!
//! The command leads its own process group. A signal from the terminal does not reach it, and all processes that it
//! started end with it: when it has exited, when it exceeds its time or memory, and when the drive is stopped.

use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use elbowroom::study::{Outcomes, Results};

use crate::command::Given;
use crate::group::{Group, Order};
#[cfg(target_os = "linux")]
use crate::memory::Watch;
use crate::plan::Plan;
use crate::result_reader::{Read as ReadResults, ResultFrom};
use crate::stop::{Stop, Urgency};
use crate::units::{format_bytes, format_duration};

/// What became of a trial's command.
#[derive(Debug, Clone, PartialEq)]
pub enum CommandEnd {
    /// Exit code 0 and the result that the study optimizes (which may be NaN or infinite), with all that is told.
    Value(f64, Results),
    /// Exit code 0 and results without the one that the study optimizes: a failure, with the reason and these results.
    NoMetric(String, Vec<(String, f64)>),
    /// Exit code 65: the point breaks a constraint that only the evaluation can tell.
    Infeasible(String),
    /// Any other end, with the reason and the end of its standard error.
    Failed(String),
    /// Exit code 75: the trial should be handed out again later.
    Requeue,
    /// It was ended because the drive is stopping.
    Stopped,
    /// There is no such command, or it may not be run; this says nothing about the point.
    NotStarted(String),
}

/// Exit code for a point that breaks a constraint (`EX_DATAERR`).
const INFEASIBLE: i32 = 65;

/// Exit code for a trial to be handed out again (`EX_TEMPFAIL`).
const REQUEUE: i32 = 75;

/// How long a command that is asked to end may take.
const GRACE: Duration = Duration::from_secs(3);

/// How long output may come after the command has exited.
const DRAIN: Duration = Duration::from_secs(2);

/// How much of the end of standard output and of a result file is read.
const MOST_OUTPUT: usize = 1 << 20;

/// How much of the end of standard error is kept with a failure.
const MOST_ERRORS: usize = 2000;

/// Runs the command of a plan for one trial.
pub(crate) fn run(plan: &Plan, given: &Given<'_>, outcomes: &Outcomes, stop: &Stop) -> CommandEnd {
    let params = serde_json::to_string_pretty(given.point).map_err(io::Error::other);
    if let Err(error) = params.and_then(|text| fs::write(given.params, text)) {
        return CommandEnd::Failed(format!("{} could not be written: {error}", given.params.display()));
    }
    let words = plan.command.arguments(given);
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).envs(given.variables());
    Group::lead(&mut command);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(folder) = &plan.folder {
        command.current_dir(folder);
    }
    match command.spawn() {
        Ok(child) => Running::new(child).wait(plan, given, outcomes, stop),
        Err(error) => CommandEnd::NotStarted(format!("the command {:?} could not be started: {error}", words[0])),
    }
}

struct Running {
    child: Child,
    group: Group,
    stdout: Tail,
    stderr: Tail,
}

/// Why it was ended, if it did not end by itself.
#[derive(Clone, Copy, PartialEq)]
enum Ending {
    Stopped,
    TimeUp,
    /// It took so much memory.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code))]
    TooLarge(u64),
}

impl Running {
    fn new(mut child: Child) -> Self {
        let stdout = Tail::of(child.stdout.take(), MOST_OUTPUT);
        let stderr = Tail::of(child.stderr.take(), MOST_ERRORS);
        Self { group: Group::of(&child), child, stdout, stderr }
    }

    fn wait(mut self, plan: &Plan, given: &Given<'_>, outcomes: &Outcomes, stop: &Stop) -> CommandEnd {
        let start = Instant::now();
        let mut ending: Option<(Ending, Instant)> = None;
        #[cfg(target_os = "linux")]
        let mut watch = self.group.id().zip(plan.limits.memory).map(|(group, limit)| {
            plan.limits.bound(group);
            Watch::new(group.as_raw_pid(), limit)
        });
        let mut pause = Duration::from_millis(1);
        let status = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) => {}
                Err(error) => return CommandEnd::Failed(format!("the command could not be waited for: {error}")),
            }
            if ending.is_none() {
                let time_up = plan.limits.time.is_some_and(|limit| start.elapsed() >= limit);
                let why = if stop.urgency() >= Urgency::Release { Some(Ending::Stopped) } else { None };
                ending = why.or(time_up.then_some(Ending::TimeUp)).map(|why| (why, Instant::now()));
                if ending.is_some() {
                    self.group.tell(Order::End);
                }
            }
            #[cfg(target_os = "linux")]
            if let Some(taken) = watch.as_mut().and_then(Watch::excess) {
                // It would only take more memory.
                self.group.tell(Order::Kill);
                ending = ending.or(Some((Ending::TooLarge(taken), Instant::now())));
            }
            if ending.is_some_and(|(_, since)| since.elapsed() > GRACE) || stop.urgency() == Urgency::Now {
                self.group.tell(Order::Kill);
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        };
        // End the processes that it started and left behind.
        self.group.sweep();
        let (stdout, stderr) = (self.stdout.finish(), self.stderr.finish());
        match ending {
            // It may have finished at the same moment: then its value is as good as any.
            Some((Ending::Stopped, _)) if !status.success() => CommandEnd::Stopped,
            Some((Ending::TimeUp, _)) if !status.success() => {
                let limit = format_duration(plan.limits.time.unwrap_or_default());
                CommandEnd::Failed(with_errors(format!("it took longer than {limit}"), &stderr))
            }
            Some((Ending::TooLarge(taken), _)) if !status.success() => {
                let [limit, taken] = [plan.limits.memory.unwrap_or_default(), taken].map(format_bytes);
                let what = format!("its processes took {taken} of memory together, more than {limit}");
                CommandEnd::Failed(with_errors(what, &stderr))
            }
            _ if status.success() => results(plan, given, outcomes, &stdout, &stderr),
            _ => outcome(status, &stderr),
        }
    }
}

/// The results of a command that ended with exit code 0.
fn results(plan: &Plan, given: &Given<'_>, outcomes: &Outcomes, stdout: &str, stderr: &str) -> CommandEnd {
    let text = match plan.reader.from {
        ResultFrom::Stdout => Ok(stdout.to_owned()),
        ResultFrom::File => read_end(given.result),
    };
    let ReadResults { value, bare, mut others } = match text {
        Ok(text) => plan.reader.results(&text, outcomes),
        Err(why) => return CommandEnd::Failed(with_errors(why, stderr)),
    };
    // If a command prints its parameters next to its results, they are not results.
    others.retain(|(name, _)| given.point.get(name).is_none() && is_plain(name));
    match value {
        Ok(value) => {
            let bare = bare.map_or_else(Results::default, Results::from);
            CommandEnd::Value(value, others.iter().fold(bare, |results, (name, value)| results.with(name, *value)))
        }
        Err(why) if others.is_empty() => CommandEnd::Failed(with_errors(why, stderr)),
        Err(why) => CommandEnd::NoMetric(with_errors(why, stderr), others),
    }
}

/// Whether a study accepts a result with this name.
fn is_plain(name: &str) -> bool {
    !name.trim().is_empty() && name.len() <= 200 && !name.chars().any(char::is_control)
}

fn outcome(status: ExitStatus, stderr: &str) -> CommandEnd {
    match status.code() {
        Some(REQUEUE) => CommandEnd::Requeue,
        Some(INFEASIBLE) => {
            let said = stderr.trim();
            CommandEnd::Infeasible(if said.is_empty() { format!("exit code {INFEASIBLE}") } else { said.to_owned() })
        }
        Some(code) => CommandEnd::Failed(with_errors(format!("exit code {code}"), stderr)),
        None => CommandEnd::Failed(with_errors(format!("killed by {}", signal_of(status)), stderr)),
    }
}

#[cfg(unix)]
fn signal_of(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;

    status.signal().map_or_else(|| "a signal".to_owned(), |n| format!("signal {n}"))
}

/// On other systems every end has a code.
#[cfg(not(unix))]
fn signal_of(_: ExitStatus) -> String {
    "the system".to_owned()
}

fn with_errors(what: String, stderr: &str) -> String {
    match stderr.trim() {
        "" => what,
        said => format!("{what}: {said}"),
    }
}

fn read_end(path: &Path) -> Result<String, String> {
    let bytes = fs::read(path).map_err(|error| format!("the result file could not be read: {error}"))?;
    Ok(String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(MOST_OUTPUT)..]).into_owned())
}

/// The end of a stream, read by a separate thread.
struct Tail {
    kept: Arc<Mutex<Vec<u8>>>,
    most: usize,
    thread: Option<JoinHandle<()>>,
}

impl Tail {
    fn of(stream: Option<impl Read + Send + 'static>, most: usize) -> Self {
        let kept: Arc<Mutex<Vec<u8>>> = Arc::default();
        let ours = kept.clone();
        let thread = stream.map(|mut stream| {
            std::thread::spawn(move || {
                let mut buffer = [0; 8192];
                loop {
                    match stream.read(&mut buffer) {
                        Ok(0) => return,
                        Ok(n) => {
                            let mut kept = ours.lock().unwrap_or_else(PoisonError::into_inner);
                            kept.extend_from_slice(&buffer[..n]);
                            if kept.len() > 2 * most {
                                let surplus = kept.len() - most;
                                kept.drain(..surplus);
                            }
                        }
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        Err(_) => return,
                    }
                }
            })
        });
        Self { kept, most, thread }
    }

    /// What was read until the stream ended, or until soon after the command did: a process that left its group may
    /// hold the stream open for ever.
    fn finish(&self) -> String {
        let start = Instant::now();
        while self.thread.as_ref().is_some_and(|thread| !thread.is_finished()) && start.elapsed() < DRAIN {
            std::thread::sleep(Duration::from_millis(1));
        }
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&kept[kept.len().saturating_sub(self.most)..]).into_owned()
    }
}
