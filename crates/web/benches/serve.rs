//! A dashboard over 100,000 trials, ten dashboards over a running study, 64 clients that ask.
//!
//! `cargo bench -p elbowroom-web --bench serve [-- --quick]`; results go to `results/serve.md`.

#[path = "serve/client.rs"]
mod client;
#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../tests/common/browser.rs"]
mod driver;
#[allow(dead_code, reason = "the store's program uses more of it")]
#[path = "../../store/benches/large/history.rs"]
mod history;

use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use client::Client;
use driver::Browser;
use elbowroom_store::{SharedStudy, Store, open};
use elbowroom_web::{Server, Settings, Token};
use serde_json::{Value, json};

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    if !has("--bench") {
        return;
    }
    let quick = has("--quick");
    let mut table = String::from("| | |\n|---|---|\n");
    let mut note = |what: &str, value: String| {
        eprintln!("{what}: {value}");
        writeln!(table, "| {what} | {value} |").unwrap();
    };
    asks(quick, &mut note);
    dashboards(quick, &mut note);
    large(quick, &mut note);
    let profile = if cfg!(debug_assertions) { " --profile dev" } else { "" };
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cpu = cpu.lines().find_map(|line| line.strip_prefix("model name\t: ")).unwrap_or("unknown").to_owned();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or("unknown").to_owned();
    let command =
        format!("cargo bench -p elbowroom-web --bench serve{profile}{}", if quick { " -- --quick" } else { "" });
    let version = env!("CARGO_PKG_VERSION");
    let text = format!(
        "# Serving\n\n`{command}`, version {version}; single measurements are not kept.\n\
         {cpu}, {cores} cores; load average at the end {load}.\n\n{table}"
    );
    println!("{text}");
    if !quick {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/results");
        std::fs::create_dir_all(folder).unwrap();
        std::fs::write(format!("{folder}/serve.md"), text).unwrap();
    }
}

struct Serving {
    address: std::net::SocketAddr,
    url: String,
    token: String,
    store: Arc<dyn Store>,
    path: String,
    stop: Box<dyn Fn() + Send + Sync>,
    _folder: tempfile::TempDir,
}

fn serving() -> Serving {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lab.elbow").display().to_string();
    let store = open(&path).unwrap();
    let token = Token::fresh().unwrap();
    let settings =
        Settings { address: ([127, 0, 0, 1], 0).into(), hosts: vec![], write: true, token: Some(token.clone()) };
    let server = Server::bind(store.clone(), settings).unwrap();
    let (address, url, stop) = (server.address(), server.url(), Box::new(server.stopper()));
    std::thread::spawn(move || server.run().unwrap());
    Serving { address, url, token: token.reveal().to_owned(), store, path, stop, _folder: folder }
}

/// 64 clients ask for a point each, and give it up again, at 200 results.
fn asks(quick: bool, note: &mut impl FnMut(&str, String)) {
    const CLIENTS: usize = 64;
    let serving = serving();
    let mut study = SharedStudy::create(serving.store.clone(), "asked", history::config().initial(20).seed(1)).unwrap();
    for _ in 0..if quick { 2 } else { 10 } {
        for handed in study.ask(20).unwrap().trials {
            study.tell(&handed, history::objective(handed.point())).unwrap();
        }
    }
    let n_results = study.study().n_observed();
    let (stop, twice) = (AtomicBool::new(false), AtomicUsize::new(0));
    let live: Mutex<HashSet<String>> = Mutex::default();
    let times: Mutex<Vec<f64>> = Mutex::default();
    let length = Duration::from_secs(if quick { 3 } else { 20 });
    let cpu_before = cpu_seconds();
    std::thread::scope(|scope| {
        for c in 0..CLIENTS {
            let (serving, stop, twice, live, times) = (&serving, &stop, &twice, &live, &times);
            scope.spawn(move || {
                let mut client = Client::new(serving.address, &serving.token);
                let mut k = 0;
                while !stop.load(Ordering::Relaxed) {
                    k += 1;
                    let start = Instant::now();
                    let body = json!({ "worker": format!("client {c}"), "request": format!("{c} {k}") });
                    let answer = client.post("/api/studies/asked/ask", &body);
                    let took = start.elapsed().as_secs_f64();
                    let Some(trial) = answer["trials"].get(0) else { panic!("{answer}") };
                    let point = trial["point"].to_string();
                    if !live.lock().unwrap().insert(point.clone()) {
                        twice.fetch_add(1, Ordering::Relaxed);
                    }
                    times.lock().unwrap().push(took);
                    // No longer live before the server may know of it.
                    live.lock().unwrap().remove(&point);
                    client.post("/api/studies/asked/release", &json!({ "trial": trial["trial"] }));
                }
            });
        }
        std::thread::sleep(length);
        stop.store(true, Ordering::Relaxed);
    });
    let cpu = cpu_seconds() - cpu_before;
    let mut times = times.into_inner().unwrap();
    times.sort_by(f64::total_cmp);
    let at = |share: f64| 1000.0 * times[((times.len() - 1) as f64 * share) as usize];
    study.refresh().unwrap();
    let batches = study
        .study()
        .events()
        .iter()
        .filter(|event| matches!(event, elbowroom::study::Event::Asked { trials, .. } if trials.len() > 1))
        .count();
    note(
        &format!("asks a second, {CLIENTS} clients, {n_results} results, default strategy (ask, then release)"),
        format!("{:.0}", times.len() as f64 / length.as_secs_f64()),
    );
    note("milliseconds of an ask: median, p99", format!("{:.0}, {:.0}", at(0.5), at(0.99)));
    note("asks; batches that were prepared for those who waited", format!("{}; {batches}", times.len()));
    note(
        "CPU milliseconds of an ask and its release, server and client together",
        format!("{:.1}", 1000.0 * cpu / times.len() as f64),
    );
    note("points that were live twice", twice.load(Ordering::Relaxed).to_string());
    (serving.stop)();
}

/// The CPU time of this process so far: on a busy machine it says more than the clock.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // After the name in brackets: utime and stime are fields 14 and 15, in hundredths of a second.
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
    let ticks = |i: usize| fields.get(i).and_then(|text| text.parse::<f64>().ok()).unwrap_or(f64::NAN);
    (ticks(11) + ticks(12)) / 100.0
}

/// Trials a second of a study that two workers share through its file, without dashboards and with ten. Its points come
/// from a long design, so that the workers' own cost stays the same; the dashboards fit models all the same.
fn dashboards(quick: bool, note: &mut impl FnMut(&str, String)) {
    let serving = serving();
    SharedStudy::create(serving.store.clone(), "run", history::config().initial(1_000_000).seed(2)).unwrap();
    let stretch = Duration::from_secs(if quick { 2 } else { 10 });
    let done = AtomicUsize::new(0);
    let (stop, open_now) = (AtomicBool::new(false), AtomicBool::new(false));
    let (mut alone, mut beside, mut looks) = (Vec::new(), Vec::new(), 0);
    let looked = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for w in 0..2 {
            let (serving, stop, done) = (&serving, &stop, &done);
            scope.spawn(move || {
                let mut study =
                    SharedStudy::open(open(&serving.path).unwrap(), "run").unwrap().worker(format!("worker {w}"));
                while !stop.load(Ordering::Relaxed) {
                    let handed = study.ask(1).unwrap().trials.remove(0);
                    // An evaluation that takes a while: what is measured is whether it waits for those who look.
                    std::thread::sleep(Duration::from_millis(20));
                    study.tell(&handed, history::objective(handed.point())).unwrap();
                    done.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for _ in 0..10 {
            let (serving, stop, open_now, looked) = (&serving, &stop, &open_now, &looked);
            scope.spawn(move || {
                let mut client = Client::new(serving.address, &serving.token);
                let mut seen = 0;
                while !stop.load(Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_millis(500));
                    if !open_now.load(Ordering::Relaxed) {
                        continue;
                    }
                    // As the overview does: whenever something changed, all its panels, at most once a second.
                    let news = client.get("/api/studies/run");
                    if news["revision"] != seen {
                        seen = news["revision"].as_u64().unwrap_or(0);
                        for panel in ["history", "best", "map?x=0&y=1", "health"] {
                            client.get(&format!("/api/studies/run/{panel}"));
                        }
                        looked.fetch_add(1, Ordering::Relaxed);
                        std::thread::sleep(Duration::from_millis(500));
                    }
                }
            });
        }
        for round in 0..if quick { 2 } else { 6 } {
            let with = round % 2 == 1;
            open_now.store(with, Ordering::Relaxed);
            let before = (done.load(Ordering::Relaxed), looked.load(Ordering::Relaxed));
            let start = Instant::now();
            std::thread::sleep(stretch);
            let rate = (done.load(Ordering::Relaxed) - before.0) as f64 / start.elapsed().as_secs_f64();
            looks += looked.load(Ordering::Relaxed) - before.1;
            if with { beside.push(rate) } else { alone.push(rate) }
        }
        stop.store(true, Ordering::Relaxed);
    });
    let shown = |rates: &[f64]| rates.iter().map(|rate| format!("{rate:.1}")).collect::<Vec<_>>().join(", ");
    note("trials a second of two workers on the file, alone (stretches in turn)", shown(&alone));
    note("the same beside ten dashboards", shown(&beside));
    note("times that a dashboard was drawn meanwhile", looks.to_string());
    note("results at the end", done.load(Ordering::Relaxed).to_string());
    (serving.stop)();
}

/// The dashboard over a large study.
fn large(quick: bool, note: &mut impl FnMut(&str, String)) {
    let n = if quick { 5_000 } else { 100_000 };
    let serving = serving();
    serving.store.import("large", &history::entries(n), &[]).unwrap();
    let mut client = Client::new(serving.address, &serving.token);
    if let Some(mut browser) = Browser::start() {
        browser.open(&serving.url);
        browser.wait("document.querySelector('td a')");
        for what in ["the server has not opened it yet", "once more"] {
            browser.open("about:blank");
            let start = Instant::now();
            browser.open(&format!("http://{}/#/s/large/overview", serving.address));
            browser.wait("document.querySelector('canvas')");
            let drawn = start.elapsed().as_secs_f64();
            let paint = browser.eval("performance.getEntriesByName('first-contentful-paint')[0].startTime / 1000");
            note(
                &format!("{n} trials, {what}: first paint, and values drawn, in seconds"),
                format!("{:.2}, {drawn:.2}", paint.as_f64().unwrap_or(f64::NAN)),
            );
        }
    }
    for (what, query) in [
        ("the first page", "rows=50"),
        ("a page from the middle", "rows=50&from=50000"),
        ("the best first", "rows=50&sort=value"),
        ("by a parameter, reversed", "rows=50&sort=parameter&parameter=x3&reverse=true"),
        ("those that mention 4.99", "rows=50&text=4.99"),
        ("those that failed", "rows=50&state=failed"),
    ] {
        let path = format!("/api/studies/large/trials?{query}");
        let mut times: Vec<f64> = (0..if quick { 3 } else { 15 })
            .map(|_| {
                let start = Instant::now();
                let page: Value = client.get(&path);
                assert!(page["rows"].is_array(), "{page}");
                1000.0 * start.elapsed().as_secs_f64()
            })
            .collect();
        times.sort_by(f64::total_cmp);
        note(
            &format!("{n} trials, {what}: milliseconds, median and worst"),
            format!("{:.0}, {:.0}", times[times.len() / 2], times[times.len() - 1]),
        );
    }
    (serving.stop)();
}
