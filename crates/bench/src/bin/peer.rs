//! Speaks the JSON-lines protocol of the peer harness on stdin and stdout, so that elbowroom can run alongside its
//! peers.
//!
//! One line in, one line out: `{"op":"init","box":[[lo,hi],…],"seed":0,"n_init":10}`, or instead of a box `"space"`
//! with parameters in the form of a log; `{"op":"tell","x":[[…],…],"y":[…]}` (minimized); `{"op":"ask","q":10}` →
//! `{"x":[[…],…]}`; `{"op":"stop"}` → `{"x":[…]}`, the recommended point. With `"noise"` in `init`, every value is
//! reported with this variance; without `"n_init"` the initial design is the study's default.
//!
//! With `"reference":[…]` in `init` there are several objectives, all minimized, and with `"n_constraints":2` two
//! results that must be at most 0. A reported `y` is then a list: the objectives, then the constraints.
//!
//! `peer norefine initial=5` is elbowroom with changes, named as in the methods of `pools`.

use std::io::{BufRead, Write};

use elbowroom::space::{Parameter, Point, SearchSpace, Value};
use elbowroom::study::{Goal, Measured, Outcome, Outcomes, Results, Study, StudyConfig, TrialId};
use elbowroom_bench::pools::race::changed_by;
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
enum Request {
    Init(Init),
    Tell { x: Vec<Vec<Value>>, y: Vec<Row> },
    Ask { q: usize },
    Stop,
}

/// What was measured at a point.
#[derive(Deserialize)]
#[serde(untagged)]
enum Row {
    One(f64),
    Several(Vec<f64>),
}

#[derive(Deserialize)]
struct Init {
    #[serde(default)]
    r#box: Vec<(f64, f64)>,
    #[serde(default)]
    space: Vec<Parameter>,
    seed: u64,
    /// The size of the initial design; by default, the study's.
    n_init: Option<usize>,
    noise: Option<f64>,
    /// The worst acceptable value of each objective; `None` for one objective.
    reference: Option<Vec<f64>>,
    #[serde(default)]
    n_constraints: usize,
}

impl Init {
    fn parameters(&self) -> Vec<Parameter> {
        let of_box = self.r#box.iter().enumerate().map(|(i, b)| Parameter::float(format!("x{i}"), b.0, b.1));
        of_box.chain(self.space.iter().cloned()).collect()
    }

    /// Objectives f0, f1, …, then constraints g0, g1, ….
    fn outcomes(&self) -> Outcomes {
        let objective = |k: usize| Outcome::objective(format!("f{k}"), Goal::Minimize);
        let objectives: Vec<Outcome> = match &self.reference {
            Some(worst) => worst.iter().enumerate().map(|(k, worst)| objective(k).worst(*worst)).collect(),
            None => vec![objective(0)],
        };
        let constraints = (0..self.n_constraints).map(|k| Outcome::watched(format!("g{k}")).at_most(0.0));
        Outcomes::new(objectives.into_iter().chain(constraints).collect()).expect("valid outcomes")
    }
}

/// A study in the harness's terms, whose reports name points, not trials.
struct Session {
    study: Study,
    asked: Vec<(Point, TrialId)>,
    noise: Option<f64>,
}

impl Session {
    fn new(init: &Init, changes: &[String]) -> Self {
        let space = SearchSpace::new(init.parameters()).expect("a valid space");
        let config = changed_by(StudyConfig::new(space).seed(init.seed), changes.iter().map(String::as_str));
        let config = match init.n_init {
            Some(n) => config.initial(n),
            None => config,
        };
        let config = match (&init.reference, init.n_constraints) {
            (None, 0) => config,
            _ => config.outcomes(init.outcomes()),
        };
        Self { study: Study::new(config).expect("a valid study"), asked: Vec::new(), noise: init.noise }
    }

    fn tell(&mut self, x: &[Value], y: &Row) {
        let point = self.point(x);
        let results = self.results(y);
        match self.asked.iter().position(|(asked, _)| *asked == point) {
            Some(i) => {
                let (_, trial) = self.asked.swap_remove(i);
                self.study.tell(trial, results).expect("a pending trial");
            }
            None => {
                self.study.add(&point, results).expect("a point of the space");
            }
        }
    }

    /// The first number is the objective, or the first of several; the others get the names of the study's outcomes.
    fn results(&self, y: &Row) -> Results {
        let (first, rest) = match y {
            Row::One(value) => (*value, &[][..]),
            Row::Several(values) => (values[0], &values[1..]),
        };
        let results = Results::default().with_value(Measured { value: first, noise: self.noise });
        let named = self.study.outcomes().watched().zip(rest);
        named.fold(results, |results, (name, value)| results.with(name, *value))
    }

    fn ask(&mut self, q: usize) -> Vec<Vec<Value>> {
        let trials = self.study.ask(q).expect("a batch").trials;
        let batch: Vec<Vec<Value>> = trials.iter().map(|trial| values(&trial.point)).collect();
        self.asked.extend(trials.into_iter().map(|trial| (trial.point, trial.id)));
        batch
    }

    fn recommended(&self) -> Vec<Value> {
        values(&self.study.recommended().expect("a value was told").point)
    }

    /// The point with these values. For a float, an integer is a valid number.
    fn point(&self, x: &[Value]) -> Point {
        let named = self.study.space().parameters().iter().zip(x).map(|(parameter, value)| {
            let value = match (parameter, value.as_f64()) {
                (Parameter::Float { .. }, Some(number)) => Value::Float(number),
                _ => value.clone(),
            };
            (parameter.name().to_owned(), value)
        });
        named.collect()
    }
}

/// Values in the order of the parameters.
fn values(point: &Point) -> Vec<Value> {
    point.iter().map(|(_, value)| value.clone()).collect()
}

/// The answer to one line.
fn answer(line: &str, session: &mut Option<Session>, changes: &[String]) -> serde_json::Value {
    const FIRST: &str = "init comes first";
    match serde_json::from_str(line).expect("a request") {
        Request::Init(init) => {
            *session = Some(Session::new(&init, changes));
            json!({"ok": true, "version": env!("CARGO_PKG_VERSION")})
        }
        Request::Tell { x, y } => {
            let session = session.as_mut().expect(FIRST);
            x.iter().zip(&y).for_each(|(x, y)| session.tell(x, y));
            json!({"ok": true})
        }
        Request::Ask { q } => json!({"x": session.as_mut().expect(FIRST).ask(q)}),
        Request::Stop => json!({"x": session.as_ref().expect(FIRST).recommended()}),
    }
}

fn main() {
    let mut session: Option<Session> = None;
    let changes: Vec<String> = std::env::args().skip(1).collect();
    for line in std::io::stdin().lock().lines() {
        println!("{}", answer(&line.expect("a line"), &mut session, &changes));
        std::io::stdout().flush().expect("an open pipe");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIXED: &str = r#"{"op":"init","space":[{"name":"a","type":"float","low":0,"high":1},
        {"name":"n","type":"int","low":1,"high":9},{"name":"c","type":"category","choices":["p","q"]}],
        "seed":0,"n_init":2}"#;

    fn talk(lines: &[&str]) -> (Vec<serde_json::Value>, Session) {
        let mut session = None;
        let answers = lines.iter().map(|line| answer(line, &mut session, &[])).collect();
        (answers, session.expect("an init"))
    }

    #[test]
    fn a_space_of_floats_integers_and_categories_is_asked_in_their_order() {
        let told = r#"{"op":"tell","x":[[0.5,3,"p"],[1,4,"q"]],"y":[1.0,2.0]}"#;
        let (answers, session) = talk(&[MIXED, told, r#"{"op":"ask","q":2}"#]);
        assert_eq!(session.study.trials().len(), 4);
        for x in answers[2]["x"].as_array().expect("points") {
            assert!(x[0].is_f64() && x[1].is_i64() && (x[2] == "p" || x[2] == "q"), "{x}");
        }
    }

    #[test]
    fn the_initial_design_has_the_studys_own_size_unless_it_is_given() {
        let by_default = MIXED.replace(r#","n_init":2"#, "");
        let sizes = [MIXED, &by_default].map(|init| talk(&[init]).1.study.config().n_initial());
        assert_eq!(sizes, [2, 8]);
    }

    #[test]
    fn what_was_asked_for_is_told_to_its_trial() {
        let (answers, mut session) = talk(&[MIXED, r#"{"op":"ask","q":1}"#]);
        let x: Vec<Value> = serde_json::from_value(answers[1]["x"][0].clone()).expect("a point");
        session.tell(&x, &Row::One(0.25));
        assert_eq!(session.study.trials().len(), 1);
        assert_eq!(session.study.best().and_then(|trial| trial.value()), Some(0.25));
    }

    #[test]
    fn objectives_and_constraints_are_told_in_their_order() {
        let several = MIXED.replace(r#""seed":0"#, r#""seed":0,"reference":[18.0,6.0],"n_constraints":1"#);
        let told = r#"{"op":"tell","x":[[0.5,3,"p"]],"y":[[2.0,3.0,-1.0]]}"#;
        let (_, session) = talk(&[&several, told]);
        let objectives = session.study.outcomes().objectives();
        assert_eq!(objectives.iter().map(|one| one.worst).collect::<Vec<_>>(), [Some(18.0), Some(6.0)]);
        let trial = &session.study.trials()[0];
        let results = ["f0", "f1", "g0"].map(|name| trial.result(name));
        assert_eq!(results, [Some(2.0), Some(3.0), Some(-1.0)]);
        let limits: Vec<_> = session.study.outcomes().limits().map(|(name, limits)| (name, limits.at_most)).collect();
        assert_eq!(limits, [("g0", Some(0.0))]);
    }

    #[test]
    fn a_declared_noise_is_told_with_every_value() {
        let declared = MIXED.replace(r#""seed":0"#, r#""seed":0,"noise":0.09"#);
        let told = r#"{"op":"tell","x":[[0.5,3,"p"]],"y":[1.0]}"#;
        let (_, session) = talk(&[&declared, told]);
        assert_eq!(session.study.trials()[0].noise(), Some(0.09));
    }

    #[test]
    fn one_stops_at_the_recommended_point() {
        let told = r#"{"op":"tell","x":[[0.5,3,"p"],[0.25,4,"q"]],"y":[2.0,1.0]}"#;
        let (answers, _) = talk(&[MIXED, told, r#"{"op":"stop"}"#]);
        assert_eq!(answers[2], json!({"x": [0.25, 4, "q"]}));
    }
}
