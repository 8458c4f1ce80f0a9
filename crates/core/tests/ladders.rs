//! Numbers of a list at their true distances, and floats with a step, from outside.

use elbowroom::space::{Parameter, Point, SearchSpace, UnitPoint, Value};
use elbowroom::study::{Event, InitialDesign, Study, StudyConfig, verify};

fn space(parameter: Parameter) -> SearchSpace {
    SearchSpace::new(vec![parameter]).unwrap()
}

fn refusal(parameter: Parameter) -> String {
    SearchSpace::new(vec![parameter]).unwrap_err().to_string()
}

fn coordinate(space: &SearchSpace, value: impl Into<Value>) -> f64 {
    space.encode(&Point::new().with("x", value)).unwrap()[0]
}

#[test]
fn values_of_a_ladder_are_as_far_apart_as_the_numbers_or_their_logarithms() {
    let linear = space(Parameter::ladder("x", [1.0, 2.0, 10.0]));
    let gap = |a: f64, b: f64| coordinate(&linear, b) - coordinate(&linear, a);
    assert!((gap(2.0, 10.0) / gap(1.0, 2.0) - 8.0).abs() < 1e-12);
    let log = space(Parameter::ladder("x", [1, 2, 16]).log());
    let gap = |a: i64, b: i64| coordinate(&log, b) - coordinate(&log, a);
    assert!((gap(2, 16) / gap(1, 2) - 3.0).abs() < 1e-12);
    // A ladder with equal gaps is the same as integers.
    let (even, ints) = (space(Parameter::ladder("x", [3, 4, 5, 6])), space(Parameter::int("x", 3, 6)));
    for k in 3..=6 {
        assert!((coordinate(&even, k) - coordinate(&ints, k)).abs() < 1e-15);
    }
}

#[test]
fn a_design_has_each_value_of_a_ladder_as_often_as_the_others() {
    // One point in each eighth of the unit interval, so two in each quarter.
    let both = vec![Parameter::ladder("x", [1, 2, 3, 1000]), Parameter::float("y", 0.0, 1.0)];
    let config = StudyConfig::new(SearchSpace::new(both).unwrap()).design(InitialDesign::Sobol).initial(8);
    let mut study = Study::new(config).unwrap();
    let trials = study.ask(8).unwrap().trials;
    for value in [1, 2, 3, 1000] {
        let n = trials.iter().filter(|trial| trial.point.get("x") == Some(&Value::Int(value))).count();
        assert_eq!(n, 2, "{value}");
    }
}

#[test]
fn a_step_gives_the_numbers_that_people_write() {
    let space = space(Parameter::float("x", 0.0, 1.0).step(0.05));
    assert_eq!(space.n_points(), Some(21));
    let at = |u: f64| space.decode(&UnitPoint::clamped(vec![u])).get("x").unwrap().to_string();
    assert_eq!(at(3.5 / 21.0), "0.15");
    assert_eq!((at(0.0), at(1.0)), ("0".to_owned(), "1".to_owned()));
    // A computed value counts as its level, and values between levels are refused.
    assert_eq!(coordinate(&space, 0.15), coordinate(&space, 3.0 * 0.05));
    let error = space.encode(&Point::new().with("x", 0.17)).unwrap_err().to_string();
    assert!(error.contains("`x`: 0.17 is between two of its steps") && error.contains("give 0.15 or 0.2"), "{error}");
    assert!(space.encode(&Point::new().with("x", 1.1)).unwrap_err().to_string().contains("not between 0 and 1"));
}

#[test]
fn constraints_see_the_values_of_steps_and_ladders() {
    let parameters = vec![Parameter::float("x", 0.0, 1.0).step(0.25), Parameter::ladder("y", [1, 4, 16])];
    let space = SearchSpace::new(parameters).unwrap().with_constraints(["x * y <= 4"]).unwrap();
    let holds = |x: f64, y: i64| space.is_feasible(&space.encode(&Point::new().with("x", x).with("y", y)).unwrap());
    assert!(holds(0.25, 16) && holds(1.0, 4) && !holds(0.5, 16));
}

#[test]
fn what_makes_no_ladder_and_no_grid_is_refused_with_what_to_try() {
    let float = || Parameter::float("x", 0.0, 1.0);
    for (parameter, wanted) in [
        (Parameter::ladder("x", [2, 1]), "ascending order"),
        (Parameter::ladder("x", [1, 1]), "list each value once"),
        (Parameter::ladder("x", [0, 1]).log(), "list numbers above 0"),
        (Parameter::ladder("x", ["a", "b"]), "list numbers"),
        (Parameter::ladder("x", Vec::<f64>::new()), "list at least one value"),
        (Parameter::ladder("x", [1.0, f64::NAN]), "give finite numbers"),
        (float().step(0.3), "end it at 0.9 or 1.2"),
        (float().step(3.0), "end it at 3"),
        (float().step(0.0), "give a step above 0"),
        (float().step(f64::NAN), "give a step above 0"),
        (float().step(1e-17), "use a larger step"),
        (Parameter::float("x", 1.0, 2.0).step(0.5).log(), "as a ladder on a log scale"),
    ] {
        let error = refusal(parameter);
        assert!(error.contains("`x`") && error.contains(wanted), "{error}");
    }
}

#[test]
fn both_come_back_from_json_and_old_floats_are_written_as_before() {
    let parameters = vec![
        Parameter::ladder("a", [16, 32]).log(),
        Parameter::float("b", 0.0, 1.0).step(0.05),
        Parameter::float("c", 0.0, 1.0),
    ];
    let written = serde_json::to_string(&parameters).unwrap();
    assert_eq!(
        written,
        r#"[{"type":"ladder","name":"a","values":[16,32],"log":true},{"type":"float","name":"b","low":0.0,"high":1.0,"step":0.05},{"type":"float","name":"c","low":0.0,"high":1.0}]"#
    );
    assert_eq!(serde_json::from_str::<Vec<Parameter>>(&written).unwrap(), parameters);
}

#[test]
fn a_study_of_ladders_and_steps_replays() {
    let parameters = vec![
        Parameter::ladder("batch", [16, 32, 64, 512]).log(),
        Parameter::float("rate", 0.0, 1.0).step(0.05),
        Parameter::float("x", -1.0, 1.0),
    ];
    let mut study = Study::new(StudyConfig::new(SearchSpace::new(parameters).unwrap()).seed(4).initial(4)).unwrap();
    for q in [4, 2, 2] {
        for trial in study.ask(q).unwrap().trials {
            let (batch, rate) = (trial.point.f64("batch").unwrap(), trial.point.f64("rate").unwrap());
            assert!(Value::from(rate).to_string().len() <= 4, "{rate}");
            let x = trial.point.f64("x").unwrap();
            study.tell(trial.id, (batch.log2() - 6.0).powi(2) + (rate - 0.35).powi(2) + x * x).unwrap();
        }
    }
    let text: Vec<String> = study.events().iter().map(|event| serde_json::to_string(event).unwrap()).collect();
    let events: Vec<Event> = text.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(verify(&events).unwrap().is_empty());
}
