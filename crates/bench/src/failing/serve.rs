//! The problems for programs in other languages: they send one JSON object per line, and each is answered by one line.
//!
//! | in | out |
//! |---|---|
//! | `{"op":"problems"}` | `{"commit":"…","problems":[{"name":"edge","region":true,"parameters":[…]},…]}` |
//! | `{"op":"evaluate","problem":"edge","seed":0,"trial":3,"point":{"x":0.5,"y":0.1}}` | `{"value":-0.41,"duration":0.7}`, with the value `null` if it fails |
//! | `{"op":"row","door":"…","commit":"…","problem":"edge","mode":"fail","seed":0,"attempts":[{"point":{…},"value":null},…]}` | `{"row":"…"}`, the line for the file of results |

use elbowroom::space::Point;
use serde::Deserialize;
use serde_json::{Value, json};

use super::library::duration;
use super::problems::{self, FailingProblem};
use super::score::{Attempt, Score};
use super::table::Row;
use super::{Fallible, Mode};

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
enum Request {
    Problems,
    Evaluate { problem: String, seed: u64, trial: u64, point: Point },
    Row { door: String, commit: String, problem: String, mode: String, seed: u64, attempts: Vec<Told> },
}

#[derive(Deserialize)]
struct Told {
    point: Point,
    value: Option<f64>,
    #[serde(default)]
    design: Option<bool>,
}

/// Answers one line; `commit` is the library's.
pub fn answer(line: &str, commit: &str) -> Fallible<Value> {
    let find = |name: &str| problems::named(name).ok_or(format!("there is no problem {name}"));
    Ok(match serde_json::from_str(line)? {
        Request::Problems => {
            let all: Vec<Value> = problems::all().iter().map(described).collect();
            json!({ "commit": commit, "problems": all })
        }
        Request::Evaluate { problem, seed, trial, point } => {
            let problem = find(&problem)?;
            let point = problem.space.check(&point)?;
            json!({ "value": problem.evaluate(&point, seed, trial), "duration": duration(seed, trial) })
        }
        Request::Row { door, commit, problem, mode, seed, attempts } => {
            let known = find(&problem)?;
            Mode::named(&mode).ok_or(format!("there is no mode {mode}"))?;
            let attempts: Vec<Attempt> = attempts
                .into_iter()
                .map(|t| Ok(Attempt { point: known.space.check(&t.point)?, value: t.value, design: t.design }))
                .collect::<Fallible<_>>()?;
            let score = Score::of(&known, &attempts)?;
            json!({ "row": Row { door, problem, mode, seed, commit, score }.line() })
        }
    })
}

fn described(problem: &FailingProblem) -> Value {
    json!({ "name": problem.name, "region": problem.has_region(), "parameters": problem.space.parameters() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_evaluated_and_runs_are_scored() {
        // −0.5 + (0.9 − 0.4)².
        let line = r#"{"op":"evaluate","problem":"edge","seed":0,"trial":3,"point":{"x":0.5,"y":0.9}}"#;
        assert_eq!(answer(line, "c").expect("an answer")["value"], -0.25);
        let line = r#"{"op":"evaluate","problem":"edge","seed":0,"trial":3,"point":{"x":0.7,"y":0.9}}"#;
        assert!(answer(line, "c").expect("an answer")["value"].is_null());
        let line = r#"{"op":"row","door":"d","commit":"c","problem":"edge","mode":"fail","seed":1,
            "attempts":[{"point":{"x":0.7,"y":0.9},"value":null},{"point":{"x":0.5,"y":0.4},"value":-0.5}]}"#;
        let line = line.replace('\n', "");
        assert_eq!(
            answer(&line, "c").expect("an answer")["row"],
            "d,edge,fail,1,c,2,1,,1,0,0,0,-0.5,0.09999999999999998"
        );
    }
}
