//! Many workers share a budget, and somebody looks on.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::Place;
use crate::common::crew::Worker;
use crate::common::{overshoot, twice};
use crate::outcome::{Notes, Outcome};

/// All start at once, and each asks until the budget is used up.
pub fn share(place: &Place, n_workers: usize, budget: usize) -> Outcome {
    let mut notes = Notes::new(format!("{n_workers} workers share {budget} trials on {}", place.name));
    let over = AtomicBool::new(false);
    let (reads, complaints) = std::thread::scope(|scope| {
        let reader = scope.spawn(|| look_on(place, &over));
        let start = |_| Worker::start(&place.address, usize::MAX, &["evaluate=20"]);
        let workers: Vec<Worker> = (0..n_workers).map(start).collect();
        for worker in workers {
            let (said, well) = worker.end();
            notes.ended(&said, well, false);
        }
        over.store(true, Ordering::SeqCst);
        reader.join().unwrap()
    });
    complaints.into_iter().for_each(|what| notes.wrong(what));
    notes.close(place, budget, reads)
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
        std::thread::sleep(Duration::from_millis(20));
    }
    (reads, wrong)
}
