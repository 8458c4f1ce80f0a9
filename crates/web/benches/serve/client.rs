//! A client that keeps its connection.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};

use serde_json::Value;

pub struct Client {
    stream: BufReader<TcpStream>,
    host: SocketAddr,
    token: String,
}

impl Client {
    pub fn new(host: SocketAddr, token: &str) -> Self {
        let stream = TcpStream::connect(host).unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream: BufReader::new(stream), host, token: token.to_owned() }
    }

    pub fn get(&mut self, path: &str) -> Value {
        self.send("GET", path, "")
    }

    pub fn post(&mut self, path: &str, body: &Value) -> Value {
        self.send("POST", path, &body.to_string())
    }

    fn send(&mut self, method: &str, path: &str, body: &str) -> Value {
        let (host, token, length) = (self.host, &self.token, body.len());
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        let _ = self.stream.get_mut().write_all(request.as_bytes());
        let mut first = String::new();
        // The server hangs up on who is silent for long.
        if self.stream.read_line(&mut first).unwrap_or(0) == 0 {
            *self = Self::new(self.host, &self.token);
            self.stream.get_mut().write_all(request.as_bytes()).unwrap();
            self.stream.read_line(&mut first).unwrap();
        }
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line).unwrap();
            if line.trim().is_empty() {
                break;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length: ") {
                length = value.trim().parse().unwrap();
            }
        }
        let mut bytes = vec![0; length];
        self.stream.read_exact(&mut bytes).unwrap();
        serde_json::from_slice(&bytes).unwrap()
    }
}
