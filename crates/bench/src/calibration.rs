//! Whether the ± of a recommendation is honest: the true value at its point compared with the prediction, in the course
//! of generated studies.
//!
//! Every study is one row. At each number of results of [`STATES`] it has z = (truth − expected)/sd; the sd, and the
//! loss of the true value compared with that of the best observed point, both in typical deviations of the objective;
//! the weight of noise; whether `doctor` would call the model overconfident, judged by the results that came next (at
//! [`AHEAD`]); and z by the model of the search alone.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use elbowroom::insight::results_ahead;
use elbowroom::rng::Stream;
use elbowroom::space::Point;
use elbowroom::study::{Event, Study, StudyConfig};

use crate::generated::Objective;
use crate::rows::quantile;

/// Numbers of results at which a study is judged.
pub const STATES: [usize; 6] = [8, 12, 16, 24, 40, 60];

/// The columns of each state.
const COLUMNS: [&str; 6] = ["z", "sd", "loss", "weight", "sure", "own"];

/// Numbers of results at which the following results are examined: each takes some fits.
pub const AHEAD: [usize; 2] = [24, 40];

/// Standard deviations of the noise, in typical deviations of the objective.
pub const NOISES: [f64; 5] = [0.0, 0.1, 0.3, 0.5, 1.0];

/// The kinds on which constants were chosen, with seeds from 0.
pub const TUNING: [&str; 12] = [
    "features1",
    "features2",
    "features3",
    "features4",
    "features5",
    "features6",
    "bowl1",
    "bowl2",
    "bowl3",
    "bowl4",
    "bowl5",
    "bowl6",
];

/// The kinds that are reported, with seeds from 20.
pub const REPORTED: [&str; 9] =
    ["smooth", "mixed", "border", "features1", "features2", "features3", "features4", "features5", "features6"];

/// The kinds that are examined only without noise, in addition to either set.
pub const EXACT: [&str; 3] = ["decades", "tails", "network"];

/// Points of a batch.
const BATCH: usize = 4;

/// One study.
pub struct Job {
    /// The kind of its objective.
    pub kind: String,
    /// The noise of its results, in typical deviations of the objective.
    pub noise: f64,
    /// Its seed.
    pub seed: u64,
}

impl Job {
    /// Its name in a file of rows.
    pub fn key(&self) -> String {
        format!("{},{},{}", self.kind, self.noise, self.seed)
    }

    /// Its events, read from a file in this folder; if there is none, the study is run and written there.
    pub fn events(&self, objective: &Objective, folder: Option<&str>) -> Vec<Event> {
        let file = folder.map(|folder| Path::new(folder).join(format!("{}.jsonl", self.key().replace(',', "_"))));
        if let Some(text) = file.as_ref().and_then(|file| fs::read_to_string(file).ok()) {
            return text.lines().map(|line| serde_json::from_str(line).expect("an event")).collect();
        }
        let study = run(objective, self.seed);
        if let Some(file) = file {
            let line = |event| serde_json::to_string(event).expect("an event is JSON") + "\n";
            fs::write(file, study.events().iter().map(line).collect::<String>()).expect("room for a log");
        }
        study.events().to_vec()
    }

    /// Predictions and true values at each of [`STATES`]; NaN if there are not enough results.
    pub fn outcomes(&self, folder: Option<&str>) -> Vec<f64> {
        let objective = Objective::with_noise(&self.kind, self.seed, self.noise);
        let deviation = objective.deviation();
        let events = self.events(&objective, folder);
        let mut study = Study::replay([events[0].clone()]).expect("a study");
        let mut found = Vec::new();
        for event in &events[1..] {
            let before = study.n_observed();
            study.apply(event.clone()).expect("an event that can follow");
            if study.n_observed() > before && STATES.contains(&study.n_observed()) {
                found.extend(state(&study, &objective, deviation));
            }
        }
        found.resize(columns().len(), f64::NAN);
        found
    }
}

/// The columns of a row.
pub fn columns() -> Vec<String> {
    STATES.iter().flat_map(|n| COLUMNS.map(|name| format!("{name}{n}"))).collect()
}

/// A study in batches, each of which is reported before the next one is requested.
fn run(objective: &Objective, seed: u64) -> Study {
    let most = STATES[STATES.len() - 1];
    let mut study = Study::new(StudyConfig::new(objective.space.clone()).seed(seed)).expect("a valid study");
    let mut draw = Stream::new(seed).child("noise", 0);
    while study.n_observed() < most && study.trials().len() < 2 * most {
        for trial in study.ask(BATCH).expect("points").trials {
            let noise = objective.noise * draw.normal();
            match objective.truth(&trial.point) {
                Some(value) => drop(study.tell(trial.id, value + noise).expect("a pending trial")),
                None => study.fail(trial.id, "diverged").expect("a pending trial"),
            }
        }
    }
    study
}

fn state(study: &Study, objective: &Objective, deviation: f64) -> [f64; COLUMNS.len()] {
    let (Some(found), Some(best)) = (study.recommended(), study.best()) else { return [f64::NAN; COLUMNS.len()] };
    let truth = |point| objective.truth(point).unwrap_or(f64::INFINITY);
    let at = truth(&found.point);
    let z = if at == found.mean { 0.0 } else { (at - found.mean) / found.sd };
    let is_sure = || results_ahead(study).map_or(f64::NAN, |ahead| f64::from(u8::from(ahead.misses_too_often())));
    let sure = if AHEAD.contains(&study.n_observed()) { is_sure() } else { f64::NAN };
    let own = own_deviations(study, &found.point, at).unwrap_or(f64::NAN);
    [z, found.sd / deviation, (at - truth(&best.point)) / deviation, weight(study), sure, own]
}

/// z by the model of the search alone, which was reported before 0.11.0.
fn own_deviations(study: &Study, point: &Point, truth: f64) -> Option<f64> {
    let (mean, sd) = study.model().ok()?.predict_value(&study.space().encode(point).ok()?);
    let expected = study.config().goal.maximized(mean);
    Some(if truth == expected { 0.0 } else { (truth - expected) / sd })
}

fn weight(study: &Study) -> f64 {
    study.outlook().ok().and_then(|outlook| outlook.doubt().map(|doubt| doubt.weight_of_noise())).unwrap_or(0.0)
}

/// A table of the rows of some studies: for each number of results, how often the truth lies within two standard
/// deviations, their root mean square, the median sd, and the mean loss against the best observed point.
pub fn table(rows: &HashMap<String, Vec<f64>>, is_wanted: impl Fn(&str, f64) -> bool) -> String {
    let wanted: Vec<&Vec<f64>> = rows
        .iter()
        .filter(|(key, _)| {
            let cells: Vec<&str> = key.split(',').collect();
            is_wanted(cells[0], cells[1].parse().unwrap_or(f64::NAN))
        })
        .map(|(_, row)| row)
        .collect();
    let mut text = String::from(
        "| results | studies | within 2 sd | before 0.11.0 | rms of (true − expected)/sd | median of it | median sd | mean loss | weight of noise | called overconfident |\n\
         |--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    let called = |sure: &[f64]| {
        let known: Vec<f64> = sure.iter().copied().filter(|v| !v.is_nan()).collect();
        let (n, of) = (known.iter().sum::<f64>(), known.len());
        if of == 0 { String::new() } else { format!("{n} of {of}") }
    };
    let mut all: Vec<[f64; COLUMNS.len()]> = Vec::new();
    let mut line = |name: String, states: &[[f64; COLUMNS.len()]]| {
        let n = states.len().max(1) as f64;
        let column = |k: usize| states.iter().map(|s| s[k]).collect::<Vec<f64>>();
        let magnitudes: Vec<f64> = column(0).iter().map(|z| z.abs()).collect();
        let within = magnitudes.iter().filter(|z| **z <= 2.0).count() as f64 / n;
        // Without this bound, a single wrong study of a model that believes its results would dominate the mean.
        let rms = (magnitudes.iter().map(|z| z.min(100.0).powi(2)).sum::<f64>() / n).sqrt();
        let half = 1.96 * (within * (1.0 - within) / n).sqrt();
        let losses: Vec<f64> = column(2).iter().map(|v| v.min(10.0)).collect();
        let mean = |v: &[f64]| v.iter().sum::<f64>() / n;
        let _ = writeln!(
            text,
            "| {name} | {} | {:.1} ± {:.1} % | {:.1} % | {rms:.2} | {:.2} | {:.2e} | {:.4} | {:.3} | {} |",
            states.len(),
            100.0 * within,
            100.0 * half,
            100.0 * column(5).iter().filter(|z| z.abs() <= 2.0).count() as f64 / n,
            quantile(&magnitudes, 0.5),
            quantile(&column(1), 0.5),
            mean(&losses),
            mean(&column(3)),
            called(&column(4)),
        );
    };
    for (i, n) in STATES.iter().enumerate() {
        let cells = |row: &&Vec<f64>| -> [f64; COLUMNS.len()] { std::array::from_fn(|k| row[COLUMNS.len() * i + k]) };
        let states: Vec<_> = wanted.iter().map(cells).filter(|state| !state[0].is_nan()).collect();
        line(n.to_string(), &states);
        all.extend(states);
    }
    line("all".to_owned(), &all);
    text
}
