//! A worker for the tests to stop, kill and starve: asks, evaluates and reports, and prints a line once that is
//! acknowledged.
//!
//! `elbowroom-store-worker ADDRESS TRIALS [key=value …]` with `ttl=` milliseconds that it may be silent, `evaluate=`
//! milliseconds that an evaluation takes, `die=` the moment at which it kills itself, `nth=` at which occurrence of
//! that moment, `wait=yes` to continue until nothing is open, `reclaim=yes` to start with the trials of dead processes
//! on this machine.

use std::collections::HashMap;
use std::io::Write;
use std::process::{Command, ExitCode, exit};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use elbowroom::space::Point;
use elbowroom_store::{Error, SharedStudy, kill_point, open};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (address, trials) = (arguments.next().unwrap_or_default(), arguments.next().unwrap_or_default());
    let options: HashMap<String, String> =
        arguments.filter_map(|pair| pair.split_once('=').map(|(k, v)| (k.to_owned(), v.to_owned()))).collect();
    let number = |name: &str, default: u64| options.get(name).and_then(|v| v.parse().ok()).unwrap_or(default);
    if let Some(moment) = options.get("die") {
        let _ = DIE.set((moment.clone(), number("nth", 1) as usize));
        kill_point::on_every(die);
    }
    let plan = Plan {
        n_trials: trials.parse().unwrap_or(1),
        ttl: Duration::from_millis(number("ttl", 90_000)),
        evaluate: Duration::from_millis(number("evaluate", 0)),
        wait: options.contains_key("wait"),
        reclaim: options.contains_key("reclaim"),
    };
    match work(&address, &plan) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("error {}", error.to_string().replace('\n', " ")));
            ExitCode::from(3)
        }
    }
}

struct Plan {
    n_trials: usize,
    ttl: Duration,
    evaluate: Duration,
    wait: bool,
    reclaim: bool,
}

fn work(address: &str, plan: &Plan) -> Result<(), Error> {
    let mut study = SharedStudy::open(open(address)?, "study")?.ttl(plan.ttl);
    if plan.reclaim {
        study.reclaim_from_the_dead()?;
    }
    let mut n = 0;
    while n < plan.n_trials {
        let Some(trial) = study.ask(1)?.trials.pop() else {
            study.refresh()?;
            if plan.wait && study.counts().open() > 0 {
                std::thread::sleep(Duration::from_millis(20));
                continue;
            }
            break;
        };
        say(&format!("asked {} {}", trial.id(), trial.attempt.number));
        std::thread::sleep(plan.evaluate);
        let value = objective(trial.point());
        study.tell(&trial, value)?;
        say(&format!("told {} {}", trial.id(), value.to_bits()));
        n += 1;
    }
    Ok(())
}

/// Somewhat rough, with its minimum inside.
fn objective(point: &Point) -> f64 {
    let of = |name: &str, best: f64| {
        let x = point.get(name).and_then(|v| v.as_f64()).unwrap_or(0.0) - best;
        0.1 * x * x + (3.0 * x).sin()
    };
    of("a", 7.0) + of("b", 3.0)
}

/// One line in a single write, so that it arrives even if the process is killed right after it.
fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
        exit(4);
    }
}

static DIE: OnceLock<(String, usize)> = OnceLock::new();

fn die(moment: &str) {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let Some((wanted, nth)) = DIE.get() else { return };
    if moment == wanted && COUNT.fetch_add(1, Ordering::SeqCst) + 1 == *nth {
        let _ = Command::new("kill").args(["-9", &std::process::id().to_string()]).status();
        loop {
            std::thread::sleep(Duration::from_secs(1));
        }
    }
}
