//! Workers that are killed with kill -9, at random and at every named moment.

use std::collections::VecDeque;
use std::time::Duration;

use elbowroom::space::{Parameter, SearchSpace};
use elbowroom::study::{InitialDesign, StudyConfig};

use crate::Place;
use crate::common::crew::{MOMENTS, Worker};
use crate::outcome::{Notes, Outcome};

/// How many are at work together.
const TOGETHER: usize = 4;

/// Random points and no model: kills meet the store.
pub fn random(budget: usize) -> StudyConfig {
    let space = SearchSpace::new(vec![Parameter::int("a", 0, 99), Parameter::int("b", 0, 99)]).unwrap();
    StudyConfig::new(space).design(InitialDesign::Uniform).initial(10_000).budget(budget)
}

/// Somewhat more trials than that many workers reach before they are killed.
pub fn budget(kills: usize) -> usize {
    4 * kills
}

/// The same, for workers that die at every moment so often.
pub fn budget_of_moments(rounds: usize) -> usize {
    4 * rounds * MOMENTS.len()
}

/// Kills so many workers, each some time after its first few lines.
pub fn at_random(place: &Place, kills: usize, budget: usize) -> Outcome {
    let mut notes = Notes::new(format!("kills at random on {}", place.name));
    let mut seed = 1u64;
    for _ in 0..kills.div_ceil(TOGETHER) {
        let start = |_| Worker::start(&place.address, 20, &["ttl=500", "evaluate=2"]);
        let mut workers: Vec<Worker> = (0..TOGETHER).map(start).collect();
        for worker in &mut workers {
            for _ in 0..random_below(&mut seed, 5) {
                worker.line();
            }
            std::thread::sleep(Duration::from_micros(random_below(&mut seed, 12_000)));
            worker.kill();
        }
        for worker in workers {
            let (said, well) = worker.end();
            notes.ended(&said, well, true);
        }
    }
    finish(place, notes, budget)
}

/// Lets workers kill themselves at every moment of ask and tell, the first to the third time that they are there.
pub fn at_moments(place: &Place, rounds: usize, budget: usize) -> Outcome {
    let mut notes = Notes::new(format!("kills at named moments on {}", place.name));
    for round in 0..rounds {
        for (i, moment) in MOMENTS.iter().enumerate() {
            let (die, nth) = (format!("die={moment}"), format!("nth={}", 1 + (i + round) % 3));
            let (said, well) = Worker::start(&place.address, 10, &["ttl=500", &die, &nth]).end();
            notes.ended(&said, well, true);
        }
    }
    finish(place, notes, budget)
}

/// The budget of a storm: few trials, so that the same ones are lost again and again.
pub fn budget_of_storm(kills: usize) -> usize {
    2 * kills
}

/// Keeps some workers at work, kills one after the other, and starts each again at once, so many times.
pub fn storm(place: &Place, kills: usize, budget: usize) -> Outcome {
    let mut notes = Notes::new(format!("a storm of kills and restarts on {}", place.name));
    let start = |n: usize| {
        let (die, nth) = (format!("die={}", MOMENTS[n % MOMENTS.len()]), format!("nth={}", 1 + n % 3));
        let mut options = vec!["evaluate=40", "reclaim=yes"];
        if n % 4 < 2 {
            options.push("ttl=500");
        }
        if n % 2 == 1 {
            options.extend([&*die, &*nth]);
        }
        Worker::start(&place.address, usize::MAX, &options)
    };
    let mut seed = 7u64;
    let mut workers: VecDeque<Worker> = (0..TOGETHER).map(start).collect();
    for n in TOGETHER..kills + TOGETHER {
        let Some(mut oldest) = workers.pop_front() else { break };
        for _ in 0..random_below(&mut seed, 4) {
            oldest.line();
        }
        std::thread::sleep(Duration::from_micros(random_below(&mut seed, 12_000)));
        oldest.kill();
        let (said, well) = oldest.end();
        notes.ended(&said, well, true);
        workers.push_back(start(n));
    }
    for mut worker in workers {
        worker.kill();
        let (said, well) = worker.end();
        notes.ended(&said, well, true);
    }
    finish(place, notes, budget)
}

/// One more worker does what is left.
fn finish(place: &Place, mut notes: Notes, budget: usize) -> Outcome {
    let (said, well) = Worker::start(&place.address, usize::MAX, &["ttl=500", "wait=yes", "reclaim=yes"]).end();
    notes.ended(&said, well, false);
    notes.close(place, budget, 0, true)
}

/// A number below a bound; the same numbers in every run, which meet other moments each time all the same.
fn random_below(seed: &mut u64, bound: u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) % bound
}
