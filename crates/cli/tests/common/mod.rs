//! A folder with a study, in which `elbow` is run.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// A separate folder for one test.
pub struct Bench {
    pub folder: TempDir,
}

impl Bench {
    /// A folder with a study.toml over `x` in [-1, 1] and `n` in 1..9, with this budget, this command, and more lines
    /// of `[run]`.
    pub fn new(trials: usize, command: &str, run: &str) -> Self {
        let bench = Self { folder: tempfile::tempdir().unwrap() };
        let command = toml::Value::String(command.to_owned());
        let text = format!(
            "name = \"bench\"\n[parameters]\nx = {{ float = [-1, 1] }}\nn = {{ int = [1, 9] }}\n\
             [budget]\ntrials = {trials}\n[run]\ncommand = {command}\n{run}\n"
        );
        bench.write("study.toml", &text);
        bench
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_elbow"));
        command.args(args).current_dir(self.folder.path()).stdin(Stdio::null());
        command
    }

    /// Runs the command to its end.
    pub fn elbow(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// Runs the command, which must succeed; returns its output.
    pub fn good(&self, args: &[&str]) -> String {
        let output = self.elbow(args);
        assert!(output.status.success(), "elbow {args:?}: {}", stderr(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs the command, which must fail with this exit code; returns its error output.
    pub fn bad(&self, code: i32, args: &[&str]) -> String {
        let output = self.elbow(args);
        assert_eq!(output.status.code(), Some(code), "elbow {args:?}: {}", stderr(&output));
        stderr(&output)
    }

    /// Runs the command with --json; its output must be JSON.
    pub fn json(&self, args: &[&str]) -> Value {
        let text = self.good(&[&["--json"], args].concat());
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("elbow {args:?}: {error}: {text}"))
    }

    /// Starts the command.
    pub fn start(&self, args: &[&str]) -> Child {
        self.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// The number of trials in a state.
    pub fn count(&self, state: &str) -> u64 {
        self.json(&["status"])["counts"][state].as_u64().unwrap()
    }

    /// The number of lines of a file.
    pub fn n_lines(&self, name: &str) -> usize {
        fs::read_to_string(self.path(name)).map_or(0, |text| text.lines().count())
    }
}

/// A text on one line: line breaks for the width of a terminal are removed.
pub fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Waits until something holds; a minute is for machines that are very busy.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(60), "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A server that ends with its test.
pub struct Server {
    process: Child,
    pub url: String,
}

impl Server {
    pub fn start(bench: &Bench, more: &[&str]) -> Self {
        let mut process = bench.start(&[&["--json", "serve", "--port", "0"], more].concat());
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap();
        Self { process, url: said["url"].as_str().unwrap().to_owned() }
    }

    pub fn get(&self, path: &str) -> Value {
        self.call("GET", path, "")
    }

    pub fn post(&self, path: &str, body: &Value) -> Value {
        self.call("POST", path, &body.to_string())
    }

    fn call(&self, method: &str, path: &str, body: &str) -> Value {
        let (address, token) = self.url.strip_prefix("http://").unwrap().split_once("/?token=").unwrap();
        let mut stream = TcpStream::connect(address).unwrap();
        let head = format!("{method} {path} HTTP/1.1\r\ncontent-type: application/json\r\nconnection: close");
        let more = format!("host: {address}\r\nauthorization: Bearer {token}\r\ncontent-length: {}", body.len());
        stream.write_all(format!("{head}\r\n{more}\r\n\r\n{body}").as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{path}: {answer}");
        serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
