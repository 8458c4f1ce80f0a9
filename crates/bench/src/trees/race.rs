//! One search in a tree: sixty trials, one after the other or by several workers.

use std::collections::VecDeque;

use elbowroom::rng::Stream;
use elbowroom::study::{StrategyConfig, Study, StudyConfig};

use super::Tree;
use crate::options::stop;
use crate::pools::race::changed_by;

/// Trials of a search.
pub const TRIALS: usize = 60;

/// The numbers of trials after which the regret is noted.
pub const AT: [usize; 3] = [20, 40, 60];

/// The regret after some numbers of trials, by a method: `random`, or `elbowroom` followed by changes, such as
/// `elbowroom+workers=4+initial=6`. A change `build=NAME` has no effect: it distinguishes the rows of builds.
pub fn race(tree: &Tree, method: &str, seed: u64) -> Vec<f64> {
    let mut n_workers = 1;
    let mut changes = Vec::new();
    for change in method.split('+').skip(1) {
        match change.split_once('=') {
            Some(("workers", n)) => n_workers = n.parse().unwrap_or_else(|_| stop(&format!("{n} is not a number"))),
            Some(("build", _)) => {}
            _ => changes.push(change),
        }
    }
    let stream = Stream::new(seed).child(&tree.name, 0);
    let config = StudyConfig::new(tree.space.clone()).seed(stream.child("study", 0).bits() >> 12);
    let config = match method.split('+').next() {
        Some("random") => config.strategy(StrategyConfig::Random).initial(1),
        _ => changed_by(config, changes),
    };
    let mut study = Study::new(config).unwrap_or_else(|error| stop(&format!("{}: {error}", tree.name)));
    let (mut running, mut noise) = (VecDeque::new(), stream.child("noise", 0));
    let (mut least, mut regret, mut curve) = (f64::INFINITY, f64::INFINITY, Vec::new());
    for n in 1..=TRIALS {
        while running.len() < n_workers {
            running.extend(study.ask(1).expect("a point").trials);
        }
        let Some(trial) = running.pop_front() else { break };
        let value = tree.value(&trial.unit);
        let told = value + tree.noise() * noise.normal();
        study.tell(trial.id, told).expect("a pending trial");
        if told < least {
            (least, regret) = (told, tree.regret(value));
        }
        if AT.contains(&n) {
            curve.push(regret);
        }
    }
    curve
}
