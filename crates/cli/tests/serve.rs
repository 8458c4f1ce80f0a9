//! `elbow serve`, `elbow report`, and a worker over HTTP.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::common::{Bench, Server};
use serde_json::{Value, json};

#[test]
fn a_worker_over_http_does_what_one_on_the_file_does() {
    let bench = Bench::new(6, "echo {x}", "");
    bench.good(&["ask", "-n", "1", "--due", "1s"]);
    let server = Server::start(&bench, &["--write"]);
    bench.good(&["worker", &server.url, "--workers", "2", "--", "echo", "{x}"]);
    assert_eq!(bench.count("complete") + bench.count("running"), 6);
    assert!(bench.count("complete") >= 5);
    let told = bench.json(&["trials", "--state", "complete", "--limit", "1"]);
    assert_eq!(told["trials"][0]["value"], told["trials"][0]["point"]["x"]);
    bench.good(&["replay"]);
    let status = bench.good(&["status", &server.url]);
    assert!(status.contains("http://127.0.0.1:") && !status.contains("token"), "{status}");
}

#[test]
fn a_server_of_a_study_that_has_not_begun_waits_for_it() {
    let bench = Bench::new(6, "echo {x}", "");
    let server = Server::start(&bench, &[]);
    assert_eq!(server.get("/api/studies")["studies"], json!([]));
    bench.good(&["ask"]);
    assert_eq!(server.get("/api/studies/bench")["counts"]["running"], 1);
    // A store that is named by its address must exist: nothing says which study it would have.
    assert!(bench.bad(1, &["serve", "other.elbow", "--port", "0"]).contains("there is no store at other.elbow"));
}

#[test]
fn without_write_a_worker_is_refused_and_told_why() {
    let bench = Bench::new(6, "echo {x}", "");
    bench.good(&["ask"]);
    let server = Server::start(&bench, &[]);
    let said = bench.bad(1, &["worker", &server.url, "--", "echo", "{x}"]);
    assert!(said.contains("--write") && !said.contains(server.url.split_once("token=").unwrap().1), "{said}");
}

#[test]
fn a_server_for_others_does_not_start_without_a_token_of_ones_own() {
    let bench = Bench::new(6, "echo {x}", "");
    bench.good(&["ask"]);
    let said = bench.bad(1, &["serve", "--listen", "0.0.0.0", "--port", "0"]);
    assert!(said.contains("no token was given") && said.contains("ELBOW_TOKEN"), "{said}");
    bench.write("token", &"5f".repeat(32));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(bench.path("token"), std::fs::Permissions::from_mode(0o644)).unwrap();
        let said = bench.bad(1, &["serve", "--token-file", "token", "--port", "0"]);
        assert!(said.contains("others can read token") && said.contains("chmod 600"), "{said}");
    }
}

#[test]
fn half_open_connections_without_a_token_keep_nobody_waiting() {
    let bench = Bench::new(6, "echo {x}", "");
    bench.good(&["ask"]);
    let server = Server::start(&bench, &[]);
    let address = server.url.strip_prefix("http://").unwrap().split('/').next().unwrap();
    let open = |i: usize| {
        let mut stream = TcpStream::connect(address).unwrap();
        // Half of them start to send a request, and never finish it.
        if i.is_multiple_of(2) {
            stream.write_all(b"GET / HTTP/1.1\r\nhost: ").unwrap();
        }
        stream
    };
    let start = Instant::now();
    let mut idle: Vec<TcpStream> = (0..640).map(open).collect();
    bench.good(&["status", &server.url]);
    // The first of them has 10 seconds for its headers: anybody who waits for it to end is not served before that.
    assert!(start.elapsed() < Duration::from_secs(9), "{:?}", start.elapsed());
    // There is no room for this many: the earliest connections were closed.
    idle[0].set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    assert!(matches!(idle[0].read(&mut [0]), Ok(0) | Err(_)));
}

#[test]
fn a_pause_holds_for_workers_on_the_file_too() {
    let bench = Bench::new(6, "echo {x}", "workers = 2");
    bench.good(&["ask"]);
    let server = Server::start(&bench, &["--write"]);
    let pause = |paused: bool| drop(server.post("/api/studies/bench/pause", &json!({ "paused": paused })));
    pause(true);
    assert!(bench.bad(1, &["ask"]).contains("paused"));
    assert_eq!(bench.json(&["status"])["paused"], true);
    let mut run = bench.start(&["run"]);
    let mut said = BufReader::new(run.stderr.take().unwrap()).lines().map_while(Result::ok);
    assert!(said.by_ref().any(|line| line.contains("the study is paused")), "it says so");
    // The trial that was handed out before can be reported during the pause; no new one is started.
    bench.good(&["tell", "0", "0.5"]);
    assert_eq!((bench.count("complete"), bench.json(&["status"])["n_trials"].clone()), (1, Value::from(1)));
    pause(false);
    said.for_each(drop);
    assert!(run.wait().unwrap().success());
    assert_eq!(bench.count("complete"), 6);

    // A pause ends with the server that made it, or soon after.
    pause(true);
    assert_eq!(bench.json(&["status"])["paused"], true);
    drop(server);
    crate::common::until("the pause is over", || bench.json(&["status"])["paused"] == false);
}

#[test]
fn a_report_is_one_file_with_the_logs_hash() {
    let bench = Bench::new(9, "echo {x}", "");
    bench.good(&["run", "--workers", "2"]);
    bench.good(&["report", "study.html"]);
    let page = std::fs::read_to_string(bench.path("study.html")).unwrap();
    assert!(page.contains("log_hash") && page.contains("\"seed\":") && page.contains("id=\"kept\""));
    assert!(!page.contains("src=\"") && !page.contains("href=\"/"), "nothing is loaded from elsewhere");
}
