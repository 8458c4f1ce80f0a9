//! Many workers on one study, and somebody looks on.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use elbowroom::space::{Parameter, SearchSpace};
use elbowroom::study::{ModelConfig, StudyConfig};

use crate::Place;
use crate::common::crew::Worker;
use crate::common::{overshoot, twice};
use crate::outcome::{Notes, Outcome};

/// The default strategy in a plane with an eighth more points than trials, where workers easily want the same one.
pub fn coarse(budget: usize) -> StudyConfig {
    let last = (1.125 * budget as f64).sqrt().ceil() as i64 - 1;
    let space = SearchSpace::new(vec![Parameter::int("a", 0, last), Parameter::int("b", 0, last)]).unwrap();
    let model = ModelConfig { max_observations: 300, ..ModelConfig::default() };
    StudyConfig::new(space).model(model).budget(budget)
}

/// All start at once, and each does as many trials as it was told to.
pub fn work(place: &Place, n_workers: usize, n_each: usize) -> Outcome {
    let run = format!("{n_workers} workers, {n_each} trials each, on {}", place.name);
    let mut notes = Notes::new(run);
    let over = AtomicBool::new(false);
    let (reads, complaints) = std::thread::scope(|scope| {
        let reader = scope.spawn(|| look_on(place, &over));
        let start = |_| Worker::start(&place.address, n_each, &["evaluate=20"]);
        let workers: Vec<Worker> = (0..n_workers).map(start).collect();
        for worker in workers {
            let (said, well) = worker.end();
            let told = said.lines().filter(|line| line.starts_with("told")).count();
            if told != n_each {
                notes.wrong(format!("a worker did {told} trials"));
            }
            notes.ended(&said, well, false);
        }
        over.store(true, Ordering::SeqCst);
        reader.join().unwrap()
    });
    complaints.into_iter().for_each(|what| notes.wrong(what));
    notes.close(place, n_workers * n_each, reads, false)
}

/// Reads until it is over: mostly what is new, now and then all of it. Returns how often, and what was wrong.
fn look_on(place: &Place, over: &AtomicBool) -> (usize, Vec<String>) {
    let (mut reads, mut wrong, mut complete) = (0, Vec::new(), 0);
    let mut study = place.join();
    while !over.load(Ordering::SeqCst) {
        if reads % 10 == 9 {
            study = place.join();
        } else if let Err(error) = study.refresh() {
            wrong.push(format!("the reader: {error}"));
        }
        reads += 1;
        wrong.extend(twice(&study));
        if overshoot(&study) > 0 || study.counts().complete < complete {
            wrong.push(format!("read {reads}: {:?}, after {complete} complete", study.counts()));
        }
        complete = study.counts().complete;
        std::thread::sleep(Duration::from_millis(100));
    }
    (reads, wrong)
}
