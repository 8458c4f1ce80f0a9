//! A server with a study in it, and a client that sends exactly what it is told.

pub mod browser;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use elbowroom::space::{Parameter, SearchSpace};
use elbowroom::study::StudyConfig;
use elbowroom_store::{Assignment, SharedStudy, Store, open};
use elbowroom_web::{Server, Settings, Token};
use serde_json::Value;

pub struct Served {
    pub address: SocketAddr,
    pub url: String,
    pub token: String,
    pub store: Arc<dyn Store>,
    stop: Box<dyn Fn() + Send + Sync>,
    thread: Option<JoinHandle<()>>,
    _folder: tempfile::TempDir,
}

impl Served {
    /// Serves an empty store file on a free port.
    pub fn start(write: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path().join("lab.elbow").to_str().unwrap()).unwrap();
        let token = Token::fresh().unwrap();
        let settings =
            Settings { address: ([127, 0, 0, 1], 0).into(), hosts: vec![], write, token: Some(token.clone()) };
        let server = Server::bind(store.clone(), settings).unwrap();
        let (address, url, stop) = (server.address(), server.url(), Box::new(server.stopper()));
        let thread = Some(std::thread::spawn(move || server.run().unwrap()));
        Self { address, url, token: token.reveal().to_owned(), store, stop, thread, _folder: folder }
    }

    /// Stops the server; its store remains.
    pub fn stopped(mut self) -> Self {
        (self.stop)();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
        self
    }

    /// Sends a request with the token and further headers, like a program.
    pub fn send(&self, method: &str, path: &str, headers: &str, body: &str) -> Answer {
        let host = self.address;
        let token = &self.token;
        let length = body.len();
        send(
            self.address,
            &format!(
                "{method} {path} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
            ),
        )
    }

    pub fn get(&self, path: &str) -> Answer {
        self.send("GET", path, "", "")
    }

    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.send("POST", path, "content-type: application/json\r\n", &body.to_string())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        (self.stop)();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().filter_map(|line| line.split_once(": ")).find(|(key, _)| *key == name).map(|(_, value)| value)
    }
}

/// Sends bytes unchanged and reads the answer.
pub fn send(address: SocketAddr, text: &str) -> Answer {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    // A server that refuses early closes the connection while it is still being written to.
    let _ = stream.write_all(text.as_bytes());
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    let body = if head.contains("transfer-encoding: chunked") { unchunked(body) } else { body.to_owned() };
    Answer { status, head: head.to_owned(), body }
}

fn unchunked(mut text: &str) -> String {
    let mut out = String::new();
    while let Some((size, rest)) = text.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap_or(0);
        if size == 0 || rest.len() < size {
            break;
        }
        out += &rest[..size];
        text = rest[size..].trim_start_matches("\r\n");
    }
    out
}

pub fn space() -> SearchSpace {
    SearchSpace::new(vec![
        Parameter::float("temperature", 20.0, 90.0),
        Parameter::float("rate", 1e-4, 1.0).log(),
        Parameter::int("steps", 1, 12),
        Parameter::category("gas", ["N2", "Ar", "air"]),
    ])
    .unwrap()
}

/// A function of the space above with several dips; noise makes it realistic.
pub fn yield_loss(handed: &Assignment) -> f64 {
    let get = |name: &str| handed.point().get(name).and_then(|value| value.as_f64()).unwrap_or(0.0);
    let gas = match handed.point().get("gas").and_then(|value| value.as_str()) {
        Some("Ar") => 0.0,
        Some("N2") => 0.6,
        _ => 1.1,
    };
    let (t, r) = ((get("temperature") - 55.0) / 16.0, get("rate").log10() + 2.0);
    let noise = 0.15 * (1e4 * (t + r)).sin();
    4.0 + t * t + r * r - 2.2 * (2.6 * t).cos() - 1.6 * (2.9 * r).cos()
        + 0.02 * (get("steps") - 7.0).powi(2)
        + gas
        + noise
}

/// A study with this many results, two failures and five trials under way, by five workers.
pub fn study(store: &Arc<dyn Store>, name: &str, n: usize) -> SharedStudy {
    let mut study = SharedStudy::create(store.clone(), name, StudyConfig::new(space()).seed(7).budget(60)).unwrap();
    for i in 0..n {
        study = study.worker(format!("bench {}", i % 5 + 1));
        let handed = study.ask(1).unwrap().trials.remove(0);
        match i {
            5 | 11 => drop(study.fail(&handed, "the sample broke").unwrap()),
            _ => drop(study.tell(&handed, yield_loss(&handed)).unwrap()),
        }
    }
    for i in 0..5 {
        study = study.worker(format!("bench {}", i + 1));
        study.ask(1).unwrap();
    }
    study
}
