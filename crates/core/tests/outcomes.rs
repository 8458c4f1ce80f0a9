//! Several outcomes: what a study says about them, and how it handles reports.

use elbowroom::space::{Parameter, SearchSpace};
use elbowroom::study::{Event, Goal, Limits, Outcome, Outcomes, Study, StudyConfig, Told, TrialState};

fn space() -> SearchSpace {
    SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0), Parameter::float("y", 0.0, 1.0)]).unwrap()
}

fn config(outcomes: Vec<Outcome>) -> StudyConfig {
    StudyConfig::new(space()).seed(5).outcomes(Outcomes::new(outcomes).unwrap())
}

fn read(list: &str) -> Result<StudyConfig, serde_json::Error> {
    let space = r#"{"parameters":[{"type":"float","name":"x","low":0.0,"high":1.0}]}"#;
    serde_json::from_str(&format!(r#"{{"space":{space},"outcomes":{list}}}"#))
}

#[test]
fn a_list_of_outcomes_is_written_as_it_was_read_with_the_first_objective_in_front() {
    let list = concat!(
        r#"[{"name":"yield","goal":"maximize","worst":50.0,"at_most":99.0},{"name":"purity","at_least":95.0},"#,
        r#"{"name":"minutes"},{"name":"profit","goal":"maximize","score":"yield - 0.2 * minutes"},"#,
        r#"{"name":"viscosity","near":4.2}]"#
    );
    let config = read(list).unwrap();
    let written = serde_json::to_string(&config).unwrap();
    assert!(written.contains(&format!(r#""outcomes":{list}"#)), "{written}");
    assert_eq!(serde_json::from_str::<StudyConfig>(&written).unwrap(), config);

    let outcomes = config.declared_outcomes().unwrap();
    let objectives: Vec<&str> = outcomes.objectives().iter().map(|one| one.name.as_str()).collect();
    assert_eq!(objectives, ["yield", "profit", "distance of viscosity to 4.2"]);
    let limits: Vec<(&str, Limits)> = outcomes.limits().collect();
    let [most, least] =
        [(None, Some(99.0)), (Some(95.0), None)].map(|(at_least, at_most)| Limits { at_least, at_most });
    assert_eq!(limits, [("yield", most), ("purity", least)]);
    let late = read(r#"[{"name":"minutes"},{"name":"loss","goal":"minimize"},{"name":"cost","goal":"minimize"}]"#);
    assert_eq!(late.unwrap().declared_outcomes().unwrap().names().collect::<Vec<_>>(), ["loss", "minutes", "cost"]);
}

#[test]
fn outcomes_that_cannot_be_meant_are_refused_with_their_names() {
    for (list, words) in [
        (r#"[{"name":"a","goal":"minimize"},{"name":"a","at_least":1}]"#, "`a` twice"),
        (r#"[{"name":"a","goal":"minimize"},{"name":"b","at_least":2,"at_most":1}]"#, "`b` should be at least 2 and"),
        (r#"[{"name":"a","goal":"maximize","worst":5,"at_most":4}]"#, "`worst` of the result `a` is 5"),
        (r#"[{"name":"a","goal":"minimize","worst":5,"at_least":6}]"#, "`worst` of the result `a` is 5"),
        (r#"[{"name":"a","near":1,"worst":-1}]"#, "a distance is never negative"),
        (r#"[{"name":"a","goal":"minimize","near":1}]"#, "both `goal` and `near`"),
        (r#"[{"name":"a","goal":"minimize"},{"name":"b","worst":1}]"#, "`b` has a `worst` but no `goal`"),
        (r#"[{"name":"a","goal":"minimize"},{"name":"b","at_leest":1}]"#, "unknown field `at_leest`"),
        (r#"[{"name":"a","goal":"minimize","score":"bb + 1"},{"name":"b"}]"#, "no result is called `bb`"),
        (r#"[{"name":"a","goal":"minimize","score":"a + 1"}]"#, "the score of the result `a`"),
        (r#"[{"name":"a","goal":"minimize","score":"b < 1"},{"name":"b"}]"#, "a formula must be a number"),
        (r#"[{"name":"a","at_least":1}]"#, "no objective"),
    ] {
        let error = read(list).and_then(|config| Study::new(config).map_err(serde::de::Error::custom));
        let error = error.unwrap_err().to_string();
        assert!(error.contains(words), "{list}: {error}");
    }
}

#[test]
fn a_score_is_computed_when_the_last_result_that_it_needs_is_in() {
    let profit = Outcome::objective("profit", Goal::Maximize).computed("amount - 0.2 * cost");
    let list = vec![profit, Outcome::watched("amount"), Outcome::watched("cost")];
    let mut study = Study::new(config(list)).unwrap();
    let trials = study.ask(4).unwrap().trials;

    // All at once: the event has the value, just like a reported one.
    assert_eq!(study.tell(trials[0].id, [("amount", 3.0), ("cost", 5.0)]).unwrap(), Told::Recorded);
    assert!(matches!(study.events().last(), Some(Event::Told { value: 2.0, .. })));
    assert_eq!(study.trial(trials[0].id).unwrap().value(), Some(2.0));

    // One after the other: the trial is under way until the last one.
    study.tell(trials[1].id, [("amount", 4.0)]).unwrap();
    assert!(study.trial(trials[1].id).unwrap().is_pending());
    study.tell(trials[1].id, [("cost", 10.0)]).unwrap();
    assert_eq!(study.trial(trials[1].id).unwrap().value(), Some(2.0));
    assert_eq!(study.best().unwrap().id, trials[0].id);
    // A later cost is averaged with the first, and the score follows.
    study.tell(trials[1].id, [("cost", 0.0)]).unwrap();
    assert_eq!(study.trial(trials[1].id).unwrap().value(), Some(3.0));
    assert_eq!(study.best().unwrap().id, trials[1].id);

    // If the score is not a number, the trial is a failure.
    assert_eq!(study.tell(trials[2].id, [("amount", f64::NAN), ("cost", 1.0)]).unwrap(), Told::NotFinite);
    assert!(matches!(study.trial(trials[2].id).unwrap().state, TrialState::Failed { .. }));
    assert!(study.tell(trials[3].id, 1.0).unwrap_err().to_string().contains("`amount`, `cost` is missing"));

    let again = Study::replay(study.events().to_vec()).unwrap();
    assert_eq!(again, study);
}

#[test]
fn a_target_is_a_distance_that_is_computed_from_its_result() {
    let list = vec![Outcome::target("viscosity", 4.0), Outcome::watched("minutes")];
    let mut study = Study::new(config(list)).unwrap();
    let trials = study.ask(2).unwrap().trials;
    study.tell(trials[0].id, 5.5).unwrap();
    study.tell(trials[1].id, [("minutes", 2.0), ("viscosity", 3.0)]).unwrap();
    let best = study.best().unwrap();
    assert_eq!((best.id, best.value(), best.result("viscosity")), (trials[1].id, Some(1.0), Some(3.0)));
    assert_eq!(study.trial(trials[0].id).unwrap().value(), Some(1.5));
}

#[test]
fn an_objective_that_is_not_finite_is_a_failure_that_keeps_the_others() {
    let list = vec![Outcome::objective("loss", Goal::Minimize), Outcome::objective("cost", Goal::Minimize)];
    let mut study = Study::new(config(list)).unwrap();
    let trials = study.ask(2).unwrap().trials;
    assert_eq!(study.tell(trials[0].id, [("loss", 1.0), ("cost", f64::NAN)]).unwrap(), Told::NotFinite);
    let trial = study.trial(trials[0].id).unwrap();
    assert_eq!((trial.value(), trial.result("cost")), (None, None));
    assert!(format!("{:?}", trial.state).contains("cost was NaN; `loss` was 1"), "{:?}", trial.state);
    assert_eq!(study.tell(trials[1].id, [("loss", f64::NAN), ("cost", 1.0)]).unwrap(), Told::NotFinite);
    assert_eq!(study.trial(trials[1].id).unwrap().result("cost"), Some(1.0));
}
