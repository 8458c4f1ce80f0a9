//! Speaks the JSON-lines protocol of the peer harness on stdin and stdout, so that elbowroom runs beside its peers.
//!
//! One line in, one line out: `{"op":"init","box":[[lo,hi],…],"seed":0,"n_init":10}`,
//! `{"op":"tell","x":[[…],…],"y":[…]}` (minimized), `{"op":"ask","q":10}` → `{"x":[[…],…]}`.

use std::io::{BufRead, Write};

use elbowroom::space::{Parameter, Point, SearchSpace, Value};
use elbowroom::study::{Study, StudyConfig, TrialId};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
enum Request {
    Init { r#box: Vec<(f64, f64)>, seed: u64, n_init: usize },
    Tell { x: Vec<Vec<f64>>, y: Vec<f64> },
    Ask { q: usize },
}

/// A study in the harness's terms: its tells name points, not trials.
struct Session {
    study: Study,
    asked: Vec<(Vec<f64>, TrialId)>,
}

impl Session {
    fn new(bounds: &[(f64, f64)], seed: u64, n_init: usize) -> Self {
        let parameters = bounds.iter().enumerate().map(|(i, b)| Parameter::float(name(i), b.0, b.1)).collect();
        let space = SearchSpace::new(parameters).expect("a valid box");
        let study = Study::new(StudyConfig::new(space).seed(seed).initial(n_init)).expect("a valid study");
        Self { study, asked: Vec::new() }
    }

    fn tell(&mut self, x: &[f64], y: f64) {
        match self.asked.iter().position(|(point, _)| point == x) {
            Some(i) => {
                let (_, trial) = self.asked.swap_remove(i);
                self.study.tell(trial, y).expect("a pending trial");
            }
            None => {
                let point: Point = x.iter().enumerate().map(|(i, &v)| (name(i), Value::Float(v))).collect();
                self.study.add(&point, y).expect("a point of the box");
            }
        }
    }

    fn ask(&mut self, q: usize) -> Vec<Vec<f64>> {
        let trials = self.study.ask(q).expect("a batch").trials;
        let batch: Vec<(Vec<f64>, TrialId)> = trials
            .iter()
            .map(|trial| (trial.point.iter().filter_map(|(_, v)| v.as_f64()).collect(), trial.id))
            .collect();
        self.asked.extend(batch.iter().cloned());
        batch.into_iter().map(|(x, _)| x).collect()
    }
}

fn name(i: usize) -> String {
    format!("x{i}")
}

fn main() {
    let mut session: Option<Session> = None;
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("a line");
        let answer = match serde_json::from_str(&line).expect("a request") {
            Request::Init { r#box, seed, n_init } => {
                session = Some(Session::new(&r#box, seed, n_init));
                serde_json::json!({"ok": true, "version": env!("CARGO_PKG_VERSION")})
            }
            Request::Tell { x, y } => {
                let session = session.as_mut().expect("init comes first");
                x.iter().zip(y).for_each(|(x, y)| session.tell(x, y));
                serde_json::json!({"ok": true})
            }
            Request::Ask { q } => serde_json::json!({"x": session.as_mut().expect("init comes first").ask(q)}),
        };
        println!("{answer}");
        std::io::stdout().flush().expect("an open pipe");
    }
}
