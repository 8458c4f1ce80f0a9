//! The security minimum, line by line.

use crate::common::{Served, send, study};
use elbowroom::space::{Parameter, SearchSpace};
use elbowroom::study::StudyConfig;
use elbowroom_store::{Memory, SharedStudy};
use elbowroom_web::{Server, Settings, Token, document};
use serde_json::json;
use std::sync::Arc;

const JSON: &str = "content-type: application/json\r\n";

/// Every path that is served, from the document, and two that are not served.
fn paths() -> Vec<(String, String)> {
    let document = document();
    let mut all: Vec<(String, String)> = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        let path = path.replace("{study}", "plate").replace("{trial}", "0");
        all.extend(methods.as_object().unwrap().keys().map(|method| (method.to_uppercase(), path.clone())));
    }
    for path in ["/", "/app.js", "/style.css", "/nothing", "/api/nothing"] {
        all.push(("GET".to_owned(), path.to_owned()));
    }
    all.push(("DELETE".to_owned(), "/api/studies/plate".to_owned()));
    all.push(("PATCH".to_owned(), "/api/studies/plate".to_owned()));
    all
}

#[test]
fn another_address_than_loopback_needs_a_token_of_ones_own() {
    let settings = |token| Settings { address: ([0, 0, 0, 0], 0).into(), hosts: vec![], write: false, token };
    let refused = Server::bind(Arc::new(Memory::new()), settings(None)).err().unwrap();
    assert!(refused.contains("no token was given") && refused.contains("try:"), "{refused}");
    assert!(Server::bind(Arc::new(Memory::new()), settings(Some(Token::fresh().unwrap()))).is_ok());
}

#[test]
fn without_the_token_every_path_and_method_is_closed() {
    let served = Served::start(true);
    study(&served.store, "plate", 3);
    let wrong = Token::fresh().unwrap();
    for (method, path) in paths() {
        for header in
            [String::new(), format!("authorization: Bearer {}\r\n", wrong.reveal()), "cookie: elbow_1=x\r\n".into()]
        {
            let host = served.address;
            let answer = send(
                host,
                &format!(
                    "{method} {path} HTTP/1.1\r\nhost: {host}\r\n{header}{JSON}content-length: 2\r\nconnection: close\r\n\r\n{{}}"
                ),
            );
            assert_eq!(answer.status, 401, "{method} {path} {header}");
        }
    }
}

#[test]
fn the_printed_address_is_exchanged_for_a_cookie_that_no_script_reads() {
    let served = Served::start(false);
    let host = served.address;
    let get = |path: &str, more: &str| {
        send(host, &format!("GET {path} HTTP/1.1\r\nhost: {host}\r\n{more}connection: close\r\n\r\n"))
    };
    let path = served.url.split_once(&host.to_string()).unwrap().1;
    let welcome = get(path, "");
    assert_eq!((welcome.status, welcome.header("location")), (303, Some("/")));
    let cookie = welcome.header("set-cookie").unwrap();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let page = get("/", &format!("cookie: a=b; {}\r\n", cookie.split(';').next().unwrap()));
    assert_eq!(page.status, 200);
    assert!(page.body.contains("<title>elbowroom</title>"));
    assert_eq!(get("/?token=0000", "").status, 401);
    let closed = get("/", "accept: text/html\r\n");
    assert!(closed.status == 401 && closed.body.contains("elbow serve"));
}

#[test]
fn only_its_own_names_reach_it() {
    let served = Served::start(false);
    let (host, token) = (served.address, &served.token);
    let port = host.port();
    let get = |target: &str, hosts: &str| {
        send(
            host,
            &format!("GET {target} HTTP/1.1\r\n{hosts}authorization: Bearer {token}\r\nconnection: close\r\n\r\n"),
        )
        .status
    };
    for own in [
        format!("127.0.0.1:{port}"),
        "127.0.0.1".into(),
        format!("localhost:{port}"),
        "LOCALHOST".into(),
        "[::1]".into(),
        format!("[::1]:{port}"),
    ] {
        assert_eq!(get("/api/studies", &format!("host: {own}\r\n")), 200, "{own}");
    }
    for other in [
        "evil.example",
        "127.0.0.1.evil.example",
        "127.0.0.1:1",
        "localhost.evil.example:80",
        "",
        "169.254.169.254",
        "localhost:80@evil",
    ] {
        assert_eq!(get("/api/studies", &format!("host: {other}\r\n")), 421, "{other}");
    }
    assert_eq!(get("/api/studies", ""), 421);
    assert_eq!(get("/api/studies", "host: localhost\r\nhost: evil.example\r\n"), 421);
    assert_eq!(get("http://evil.example/api/studies", "host: localhost\r\n"), 421);
}

#[test]
fn a_request_from_another_page_changes_nothing() {
    let served = Served::start(true);
    let mut study = study(&served.store, "plate", 3);
    let own = format!("http://{}", served.address);
    for (method, path) in paths().into_iter().filter(|(method, _)| method != "GET") {
        for from in [
            "origin: http://evil.example\r\n",
            "origin: null\r\n",
            "sec-fetch-site: cross-site\r\n",
            "sec-fetch-site: same-site\r\n",
        ] {
            let answer =
                served.send(&method, &path, &format!("{JSON}{from}"), r#"{"trial":3,"value":1,"paused":true}"#);
            assert_eq!(answer.status, 403, "{method} {path} {from}");
        }
    }
    let events = study.study().events().len();
    assert_eq!(study.refresh().unwrap(), 0, "of {events} events");
    let from_here = format!("{JSON}origin: {own}\r\nsec-fetch-site: same-origin\r\n");
    assert_eq!(served.send("POST", "/api/studies/plate/tell", &from_here, r#"{"trial":3,"value":1}"#).status, 200);
}

#[test]
fn without_write_nothing_can_be_changed() {
    let served = Served::start(false);
    let mut study = study(&served.store, "plate", 3);
    for (method, path) in paths().into_iter().filter(|(method, _)| method != "GET") {
        let answer = served.send(&method, &path, JSON, r#"{"trial":3,"value":1}"#);
        assert_eq!(answer.status, 403, "{method} {path}");
        assert!(answer.json()["try"].as_str().unwrap().contains("--write"));
    }
    for (_, path) in paths().into_iter().filter(|(method, path)| method == "GET" && !path.ends_with("/live")) {
        assert!(served.get(&path).status < 500, "{path}");
    }
    assert_eq!(study.refresh().unwrap(), 0);
}

#[test]
fn only_json_is_taken_and_only_so_much_of_it() {
    let served = Served::start(true);
    study(&served.store, "plate", 3);
    let path = "/api/studies/plate/fail";
    let fail = |kind: &str, body: &str| served.send("POST", path, kind, body).status;
    for kind in [
        "",
        "content-type: text/plain\r\n",
        "content-type: application/x-www-form-urlencoded\r\n",
        "content-type: multipart/form-data\r\n",
    ] {
        assert_eq!(fail(kind, r#"{"trial":3}"#), 415, "{kind}");
    }
    let large = format!(r#"{{"trial":3,"reason":"{}"}}"#, "x".repeat(1 << 20));
    assert_eq!(fail(JSON, &large), 413);
    let chunked = format!(
        "POST {path} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\n{JSON}transfer-encoding: chunked\r\nconnection: close\r\n\r\n{:x}\r\n{large}\r\n0\r\n\r\n",
        served.address,
        served.token,
        large.len()
    );
    assert_eq!(send(served.address, &chunked).status, 413);
    assert_eq!(fail(JSON, &format!(r#"{{"trial":3,"reason":"{}"}}"#, "x".repeat(10_001))), 400);
    assert_eq!(fail(JSON, &("[".repeat(5000) + &"]".repeat(5000))), 400);
    assert_eq!(fail(JSON, r#"{"trial":3,"unknown":1}"#), 400);
    assert_eq!(fail(JSON, "{"), 400);
    assert_eq!(fail(JSON, r#"{"trial":3}"#), 200);
}

#[test]
fn rows_points_and_events_are_limited() {
    let served = Served::start(true);
    study(&served.store, "plate", 3);
    let table = served.get("/api/studies/plate/trials?rows=1000000").json();
    assert_eq!(table["rows"].as_array().unwrap().len(), 8);
    assert_eq!(served.post("/api/studies/plate/ask", &json!({ "n": 201 })).status, 400);
    assert_eq!(served.post("/api/studies/plate/ask", &json!({ "n": 0 })).status, 400);
    assert_eq!(served.get("/api/studies/plate/trials?sort=value;drop%20table").status, 400);
    assert_eq!(served.get("/api/studies/plate/trials?sort=parameter&parameter=%27%20or%201=1").status, 200);
}

#[test]
fn no_path_reaches_a_file() {
    let served = Served::start(false);
    for path in [
        "/../Cargo.toml",
        "/..%2f..%2fetc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/api/studies/..%2f..%2fetc%2fpasswd",
        "//etc/passwd",
        "/app.js/..",
        "/lab.elbow",
        "/style.css%00.html",
    ] {
        let answer = served.get(path);
        assert_eq!(answer.status, 404, "{path}");
        assert!(!answer.body.contains("root:") && !answer.body.contains("[package]"), "{path}");
    }
}

#[test]
fn every_answer_forbids_what_a_browser_could_be_made_to_do() {
    let served = Served::start(false);
    for path in ["/", "/app.js", "/api/studies", "/nothing", "/?token=wrong"] {
        let answer = served.get(path);
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'self'") && !policy.contains("unsafe"), "{path}: {policy}");
        assert!(policy.contains("frame-ancestors 'none'"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(answer.header("access-control-allow-origin"), None, "{path}");
        assert!(answer.header("cache-control").is_some());
    }
}

#[test]
fn formulas_in_a_csv_are_texts_and_markup_in_json_is_data() {
    let served = Served::start(false);
    let names = ["=cmd|' /C calc'!A0", "<script>alert(1)</script>"];
    let space = SearchSpace::new(vec![
        Parameter::category(names[0], ["+1+2", "@x", "-y", "\tz", "\ru"]),
        Parameter::float(names[1], 0.0, 1.0),
    ]);
    let mut study = SharedStudy::create(served.store.clone(), "sheet", StudyConfig::new(space.unwrap())).unwrap();
    for handed in study.ask(8).unwrap().trials {
        study.fail(&handed, "=HYPERLINK(\"http://evil\")").unwrap();
    }
    let csv = served.get("/api/studies/sheet/trials.csv");
    assert_eq!(csv.header("content-type"), Some("text/csv; charset=utf-8"));
    for line in csv.body.lines() {
        // Cells with a comma or a quote are quoted.
        for cell in line.split(',') {
            let cell = cell.trim_start_matches('"');
            let formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<f64>().is_err();
            assert!(!formula, "{line}");
        }
    }
    let table = served.get("/api/studies/sheet/trials");
    assert_eq!(table.header("content-type"), Some("application/json"));
    assert_eq!(table.json()["parameters"][1], names[1]);
}

#[test]
fn a_client_that_sends_nothing_does_not_keep_others_waiting() {
    let served = Served::start(false);
    let idle: Vec<_> = (0..40).map(|_| std::net::TcpStream::connect(served.address).unwrap()).collect();
    assert_eq!(served.get("/api/studies").status, 200);
    drop(idle);
}
