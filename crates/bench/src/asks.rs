//! What an ask costs inside a running study, where the fit starts at the last one and has a second look.

use std::hint::black_box;

use elbowroom::problems::Problem;
use elbowroom::study::{Study, StudyConfig};
use serde::{Deserialize, Serialize};

use crate::rows::cpu_seconds;
use crate::workload::{BATCH_SIZE, in_levys_box, space};

/// The number of measured asks, of one point and of a batch.
const ASKS: usize = 12;
const BATCHES: usize = 5;

/// The asks of one study, each with the results of those before it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Asks {
    /// The number of results at the first measured ask.
    pub n: usize,
    /// The study's dimension.
    pub d: usize,
    /// Its seed.
    pub seed: u64,
    /// CPU milliseconds of twelve asks of one point each.
    pub of_one: Vec<f64>,
    /// CPU milliseconds of five asks of ten points each, after them.
    pub of_ten: Vec<f64>,
    /// A fingerprint of all points of the study: the same for builds that chose the same points to the bit.
    pub points: String,
}

/// Runs a study of Levy's function to n results in batches of ten, and measures the asks that follow.
///
/// ```
/// use elbowroom_bench::asks::run;
/// let (one, same) = (run(20, 2, 1), run(20, 2, 1));
/// assert_eq!(one.of_one.len(), 12);
/// assert_eq!(one.points, same.points);
/// assert_ne!(one.points, run(20, 2, 2).points);
/// ```
pub fn run(n: usize, d: usize, seed: u64) -> Asks {
    let mut study = Study::new(StudyConfig::new(space(d)).seed(seed).initial(BATCH_SIZE)).expect("a valid study");
    let levy = Problem::levy(d);
    let mut fingerprint = Fingerprint::default();
    let mut ask = |points: usize| {
        let started = cpu_seconds();
        let asked = black_box(study.ask(points)).expect("points");
        let seconds = cpu_seconds() - started;
        for trial in asked.trials {
            let u: Vec<f64> = trial.point.iter().filter_map(|(_, value)| value.as_f64()).collect();
            u.iter().for_each(|u| fingerprint.add(*u));
            study.tell(trial.id, levy.value(&in_levys_box(&u))).expect("a pending trial");
        }
        (1e6 * seconds).round() / 1e3
    };
    let mut told = 0;
    while told < n {
        let batch = BATCH_SIZE.min(n - told);
        ask(batch);
        told += batch;
    }
    let of_one = (0..ASKS).map(|_| ask(1)).collect();
    let of_ten = (0..BATCHES).map(|_| ask(BATCH_SIZE)).collect();
    Asks { n, d, seed, of_one, of_ten, points: format!("{:016x}", fingerprint.0) }
}

/// FNV-1a of the bits of numbers.
struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fingerprint {
    fn add(&mut self, value: f64) {
        for byte in value.to_bits().to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_changes_with_the_last_bit() {
        let of = |value: f64| {
            let mut fingerprint = Fingerprint::default();
            fingerprint.add(value);
            fingerprint.0
        };
        assert_ne!(of(0.5), of(0.5f64.next_up()));
    }
}
