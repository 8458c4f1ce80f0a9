//! Speaks the JSON-lines protocol of the peer harness on stdin and stdout, so that elbowroom runs beside its peers.
//!
//! One line in, one line out: `{"op":"init","box":[[lo,hi],…],"seed":0,"n_init":10}`,
//! `{"op":"tell","x":[[…],…],"y":[…]}` (minimized), `{"op":"ask","q":10}` → `{"x":[[…],…]}`.

use std::collections::HashSet;
use std::io::{BufRead, Write};

use elbowroom::batch::{BatchSize, BatchStrategy, LocalPenalization, Situation};
use elbowroom::linalg::Points;
use elbowroom::rng::Stream;
use elbowroom::space::{Parameter, SearchSpace};
use elbowroom::study::{Model, ModelConfig, ModelRecord};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
enum Request {
    Init { r#box: Vec<(f64, f64)>, seed: u64 },
    Tell { x: Vec<Vec<f64>>, y: Vec<f64> },
    Ask { q: usize },
}

struct Session {
    bounds: Vec<(f64, f64)>,
    space: SearchSpace,
    stream: Stream,
    x: Points,
    y: Vec<f64>,
    record: Option<ModelRecord>,
    round: u64,
}

impl Session {
    fn ask(&mut self, q: usize) -> Vec<Vec<f64>> {
        let ask = self.stream.child("ask", self.round);
        self.round += 1;
        let values: Vec<f64> = self.y.iter().map(|v| -v).collect();
        let config = ModelConfig::default();
        let model = Model::fit_with(&config, &self.space, self.x.clone(), &values, self.record.as_ref(), &ask)
            .expect("a model");
        let taken: HashSet<_> = self.x.iter().map(|u| self.space.key(u)).collect();
        let situation =
            Situation { posterior: &model.posterior, space: &self.space, pending: &[], taken: &taken, stream: &ask };
        let batch = LocalPenalization::default()
            .choose(&situation, BatchSize::new(q).expect("not empty"))
            .expect("a batch");
        self.record = Some(model.record);
        batch
            .points
            .iter()
            .map(|u| u.as_slice().iter().zip(&self.bounds).map(|(u, b)| b.0 + u * (b.1 - b.0)).collect())
            .collect()
    }
}

fn main() {
    let mut session: Option<Session> = None;
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("a line");
        let answer = match serde_json::from_str(&line).expect("a request") {
            Request::Init { r#box, seed } => {
                let parameters =
                    r#box.iter().enumerate().map(|(i, b)| Parameter::float(format!("x{i}"), b.0, b.1)).collect();
                session = Some(Session {
                    space: SearchSpace::new(parameters).expect("a valid box"),
                    x: Points::new(r#box.len()),
                    bounds: r#box,
                    stream: Stream::new(seed),
                    y: Vec::new(),
                    record: None,
                    round: 0,
                });
                serde_json::json!({"ok": true, "version": env!("CARGO_PKG_VERSION")})
            }
            Request::Tell { x, y } => {
                let s = session.as_mut().expect("init comes first");
                for p in &x {
                    let u: Vec<f64> =
                        p.iter().zip(&s.bounds).map(|(v, b)| ((v - b.0) / (b.1 - b.0)).clamp(0.0, 1.0)).collect();
                    s.x.push(&u);
                }
                s.y.extend(y);
                serde_json::json!({"ok": true})
            }
            Request::Ask { q } => serde_json::json!({"x": session.as_mut().expect("init comes first").ask(q)}),
        };
        println!("{answer}");
        std::io::stdout().flush().expect("an open pipe");
    }
}
