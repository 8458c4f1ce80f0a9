//! Times the core's ask on a log, for `bench/run.py`: `core_ask LOG REPEATS` prints seconds, one per line.
//!
//! LOG is a text of `Study.dumps`. Each time the study is made anew from it, so that the ask has to fit its model; and
//! each ask is followed by a second one, which finds the model made. Two numbers a line: with the fit, and without.

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
        let seconds = [(); 2].map(|()| {
            let start = Instant::now();
            let asked = study.ask(1);
            (start.elapsed().as_secs_f64(), asked)
        });
        println!("{} {}", seconds[0].0, seconds[1].0);
        seconds.into_iter().try_for_each(|(_, asked)| asked.map(drop))?;
    }
    Ok(())
}
