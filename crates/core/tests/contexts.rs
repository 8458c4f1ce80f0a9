//! Parameters that are observed, not chosen.

use elbowroom::domain::Narrowing;
use elbowroom::rng::Stream;
use elbowroom::space::{Parameter, SearchSpace};
use elbowroom::study::{Ask, Event, Study, StudyConfig, verify};

fn space() -> SearchSpace {
    let parameters = vec![
        Parameter::float("heat", 0.0, 1.0),
        Parameter::float("humidity", 0.0, 100.0),
        Parameter::category("batch", ["a", "b"]),
    ];
    SearchSpace::new(parameters).unwrap()
}

fn today(humidity: f64, batch: &str) -> Narrowing {
    Narrowing::new().fix("humidity", humidity).fix("batch", batch)
}

/// The best heat follows the humidity, and is higher for one batch.
fn value(heat: f64, humidity: f64, batch: &str) -> f64 {
    let best = 0.1 + 0.007 * humidity + if batch == "a" { 0.0 } else { 0.1 };
    (heat - best).powi(2)
}

/// A study of 24 days, each with its own humidity and batch.
fn studied(seed: u64) -> Study {
    let mut study = Study::new(StudyConfig::new(space()).contexts(["humidity", "batch"]).seed(seed)).unwrap();
    let mut weather = Stream::new(seed).child("weather", 0);
    for _ in 0..24 {
        let (humidity, batch) = (100.0 * weather.uniform(), if weather.uniform() < 0.5 { "a" } else { "b" });
        let trial = study.ask(Ask::new(1).narrowed(today(humidity, batch))).unwrap().trials.remove(0);
        assert_eq!(trial.point.f64("humidity").unwrap(), humidity);
        assert_eq!(trial.point.get("batch").unwrap().as_str(), Some(batch));
        study.tell(trial.id, value(trial.point.f64("heat").unwrap(), humidity, batch)).unwrap();
    }
    study
}

#[test]
fn an_ask_that_does_not_say_what_the_contexts_are_is_refused() {
    let mut study = Study::new(StudyConfig::new(space()).contexts(["humidity", "batch"])).unwrap();
    for narrowing in [Narrowing::new(), Narrowing::new().fix("humidity", 40), today(40.0, "a").within("humidity", 0, 9)]
    {
        assert!(study.ask(Ask::new(1).narrowed(narrowing)).is_err());
    }
    let error = study.ask(Ask::new(1).narrowed(Narrowing::new().fix("humidity", 40))).unwrap_err().to_string();
    assert!(
        error.starts_with("parameter `batch` is observed, not chosen") && error.contains("--fix batch="),
        "{error}"
    );
    assert!(study.recommended_in(&Narrowing::new()).is_err() && study.trials().is_empty());
}

#[test]
fn contexts_stand_in_the_event_of_their_ask_and_replay_to_the_bit() {
    let study = studied(1);
    for event in study.events() {
        let Event::Asked { trials, provenance, .. } = event else { continue };
        let narrowing = provenance.narrowing.as_ref().expect("contexts are held");
        assert!(trials.iter().all(|trial| narrowing.holds_at(&trial.point)) && narrowing.fixed.len() == 2);
    }
    let written: Vec<String> = study.events().iter().map(|event| serde_json::to_string(event).unwrap()).collect();
    assert!(written[0].contains(r#""contexts":["humidity","batch"]"#), "{}", written[0]);
    let read: Vec<Event> = written.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(verify(&read).unwrap().is_empty());
    // A study without contexts is written as before.
    let plain = serde_json::to_string(&Event::Created { config: Box::new(StudyConfig::new(space())) }).unwrap();
    assert!(!plain.contains("contexts"));
}

#[test]
fn a_study_that_knows_its_contexts_recommends_better_than_one_that_is_blind_to_them() {
    let (mut knowing, mut blind) = (0.0, 0.0);
    for seed in 0..3 {
        let study = studied(seed);
        let alone = SearchSpace::new(vec![Parameter::float("heat", 0.0, 1.0)]).unwrap();
        let mut without = Study::new(StudyConfig::new(alone).seed(seed)).unwrap();
        for trial in study.trials() {
            // The same days, with heats that the study chose.
            let (humidity, batch) = (trial.point.f64("humidity").unwrap(), trial.point.get("batch").unwrap().clone());
            let asked = without.ask(1).unwrap().trials.remove(0);
            let heat = asked.point.f64("heat").unwrap();
            without.tell(asked.id, value(heat, humidity, batch.as_str().unwrap())).unwrap();
        }
        let constant = without.recommended().unwrap().point.f64("heat").unwrap();
        for humidity in [5.0, 35.0, 65.0, 95.0] {
            for batch in ["a", "b"] {
                let found = study.recommended_in(&today(humidity, batch)).unwrap().expect("there are values");
                assert_eq!(found.point.f64("humidity").unwrap(), humidity);
                knowing += value(found.point.f64("heat").unwrap(), humidity, batch);
                blind += value(constant, humidity, batch);
            }
        }
    }
    assert!(knowing < 0.1 * blind, "{knowing} and {blind}");
}

#[test]
fn contexts_that_cannot_be_are_refused_by_name() {
    let refused =
        |names: &[&str]| Study::new(StudyConfig::new(space()).contexts(names.iter().copied())).unwrap_err().to_string();
    assert!(refused(&["humidty"]).contains("did you mean `humidity`?"));
    assert!(refused(&["batch", "batch"]).contains("appears twice"));
    assert!(refused(&["batch", "humidity", "heat"]).contains("leave at least one to be chosen"));
}
