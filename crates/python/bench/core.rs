//! Times the core's ask on a log, for `bench/run.py`: `core_ask LOG REPEATS` prints lines of seconds.
//!
//! LOG is a text of `Study.dumps`. Each time the study is made anew from it, so that the ask has to fit its model; and
//! each ask is followed by a second one, which finds the model made. Four numbers a line: CPU time and wall time with the
//! fit, then without. The CPU time is the thread's, from Linux's `/proc`.

use std::time::Instant;

use elbowroom::study::{Event, Study};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(path), Some(repeats)) = (args.next(), args.next()) else {
        return Err("usage: core_ask LOG REPEATS".into());
    };
    let saved: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let log = saved["log"].as_array().ok_or("the file is no study that `dumps` wrote")?;
    let events: Vec<Event> = log
        .iter()
        .map(|entry| serde_json::from_str(entry[1].as_str().unwrap_or_default()))
        .collect::<Result<_, _>>()?;
    for _ in 0..repeats.parse()? {
        let mut study = Study::replay(events.iter().cloned())?;
        let mut times = Vec::new();
        for _ in 0..2 {
            let (start, cpu) = (Instant::now(), cpu_seconds()?);
            study.ask(1)?;
            times.extend([cpu_seconds()? - cpu, start.elapsed().as_secs_f64()]);
        }
        println!("{}", times.iter().map(f64::to_string).collect::<Vec<_>>().join(" "));
    }
    Ok(())
}

/// How long this thread has run, by its own count of nanoseconds.
fn cpu_seconds() -> Result<f64, Box<dyn std::error::Error>> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    Ok(1e-9 * text.split_whitespace().next().unwrap_or_default().parse::<f64>()?)
}
