//! A table of candidates as the space, from outside.

use std::collections::BTreeSet;

use elbowroom::domain::Narrowing;
use elbowroom::space::{Parameter, Point, SearchSpace, Value};
use elbowroom::study::{Ask, Event, Study, StudyConfig, verify};

/// Thirty rows of a grid of 6 × 5 × 3 = 90 points, with very unevenly spaced numbers.
fn rows() -> Vec<Point> {
    let row = |i: i64| {
        let dose = [0.1, 0.2, 0.5, 1.0, 5.0, 20.0][(i % 6) as usize];
        let kind = ["a", "b", "c"][((i * i + i / 6) % 3) as usize];
        Point::new().with("dose", dose).with("kind", kind).with("hours", 1 + i / 6)
    };
    (0..30).map(row).collect()
}

fn value(point: &Point) -> f64 {
    let kind = if point.get("kind") == Some(&Value::from("b")) { 0.0 } else { 1.0 };
    (point.f64("dose").unwrap().ln() - 0.3).powi(2) + kind + 0.1 * point.f64("hours").unwrap()
}

fn study(seed: u64) -> Study {
    Study::new(StudyConfig::new(SearchSpace::of_candidates(rows()).unwrap()).seed(seed).initial(5)).unwrap()
}

#[test]
fn only_rows_are_proposed_in_batches_until_all_were() {
    let mut study = study(1);
    let listed: BTreeSet<String> = rows().iter().map(ToString::to_string).collect();
    let mut asked = BTreeSet::new();
    loop {
        let batch = study.ask(4).unwrap();
        for trial in &batch.trials {
            assert!(asked.insert(trial.point.to_string()), "{} twice", trial.point);
            study.tell(trial.id, value(&trial.point)).unwrap();
        }
        if batch.trials.len() < 4 {
            let why = batch.shortfall.unwrap().to_string();
            assert!(why.contains("the table has 30 points and all are taken"), "{why}");
            break;
        }
    }
    assert_eq!(asked, listed);
    assert!(study.ask(1).unwrap().trials.is_empty());
}

#[test]
fn pending_rows_are_not_proposed_again_and_the_best_is_found_early() {
    let mut study = study(2);
    let best = rows().iter().map(value).fold(f64::INFINITY, f64::min);
    let mut waiting: Vec<_> = study.ask(3).unwrap().trials;
    let mut seen: BTreeSet<String> = waiting.iter().map(|trial| trial.point.to_string()).collect();
    for _ in 0..17 {
        let next = waiting.remove(0);
        study.tell(next.id, value(&next.point)).unwrap();
        let trial = study.ask(1).unwrap().trials.remove(0);
        assert!(seen.insert(trial.point.to_string()));
        waiting.push(trial);
    }
    assert_eq!(study.best().unwrap().value(), Some(best));
    let recommended = study.recommended().unwrap();
    assert!(rows().iter().any(|row| row.to_string() == recommended.point.to_string()), "{}", recommended.point);
}

#[test]
fn points_that_are_no_rows_are_refused_with_a_row_that_is_near() {
    let mut study = study(3);
    let other = Point::new().with("dose", 0.1).with("kind", "b").with("hours", 1);
    assert!(!rows().iter().any(|row| row.to_string() == other.to_string()));
    let error = study.add(&other, 1.0).unwrap_err().to_string();
    assert!(error.contains("dose=0.1 kind=b hours=1 is not among the 30 candidates"), "{error}");
    assert!(error.contains("try: use one of them; dose="), "{error}");
    assert!(study.add(&rows()[7], 1.0).is_ok());
}

#[test]
fn an_ask_may_be_narrowed_to_some_rows() {
    let mut study = study(4);
    let narrowed = || Narrowing::new().fix("kind", "b");
    let n = rows().iter().filter(|row| row.get("kind") == Some(&Value::from("b"))).count();
    let batch = study.ask(Ask::new(n + 1).narrowed(narrowed())).unwrap();
    assert_eq!(batch.trials.len(), n);
    assert!(batch.trials.iter().all(|trial| trial.point.get("kind") == Some(&Value::from("b"))));
}

#[test]
fn constraints_leave_some_of_the_rows() {
    let space = SearchSpace::of_candidates(rows()).unwrap().with_constraints(["dose * hours <= 1"]).unwrap();
    let n = rows().iter().filter(|row| row.f64("dose").unwrap() * row.f64("hours").unwrap() <= 1.0).count();
    let mut study = Study::new(StudyConfig::new(space).seed(1).initial(3)).unwrap();
    let batch = study.ask(30).unwrap();
    assert_eq!(batch.trials.len(), n);
}

#[test]
fn columns_may_be_described_as_any_parameter() {
    let parameters = vec![
        Parameter::ladder("dose", [0.1, 0.2, 0.5, 1.0, 5.0, 20.0]).log(),
        Parameter::category("kind", ["a", "b", "c"]).described(["size"], [[1.0], [2.0], [5.0]]),
        Parameter::int("hours", 1, 5),
    ];
    let space = SearchSpace::new(parameters).unwrap().with_candidates(rows()).unwrap();
    assert_eq!(space.n_points(), Some(30));
    let mut study = Study::new(StudyConfig::new(space).initial(4)).unwrap();
    for trial in study.ask(4).unwrap().trials {
        study.tell(trial.id, value(&trial.point)).unwrap();
    }
    assert_eq!(study.ask(2).unwrap().trials.len(), 2);
}

#[test]
fn tables_that_make_no_space_are_refused_with_the_row() {
    let refusal = |rows: Vec<Point>| SearchSpace::of_candidates(rows).unwrap_err().to_string();
    assert!(refusal(Vec::new()).contains("no candidates"));
    let twice = refusal(vec![rows()[0].clone(), rows()[1].clone(), rows()[0].clone()]);
    assert!(twice.contains("candidates 1 and 3 are the same: dose=0.1"), "{twice}");
    let short = refusal(vec![rows()[0].clone(), Point::new().with("dose", 0.2).with("kind", "a")]);
    assert!(short.contains("candidate 2") && short.contains("`hours` has no value"), "{short}");
    let many = refusal((0..100_001i64).map(|i| Point::new().with("x", i)).collect());
    assert!(many.contains("more than 100000 candidates"), "{many}");
}

#[test]
fn a_study_of_a_table_replays_from_its_log_alone() {
    let mut study = study(5);
    for q in [5, 3, 3] {
        for trial in study.ask(q).unwrap().trials {
            study.tell(trial.id, value(&trial.point)).unwrap();
        }
    }
    study.ask(2).unwrap();
    let text: Vec<String> = study.events().iter().map(|event| serde_json::to_string(event).unwrap()).collect();
    assert!(text[0].contains(r#""candidates":[[0.1,"a",1],"#), "{}", text[0]);
    let events: Vec<Event> = text.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(verify(&events).unwrap().is_empty());
}

#[test]
fn a_table_of_many_rows_with_names_of_their_own_is_read_and_asked() {
    let row = |i: i64| Point::new().with("name", format!("m{i}")).with("x", (i * 7919 % 30_011) as f64);
    let space = SearchSpace::of_candidates((0..30_000).map(row)).unwrap();
    assert_eq!(space.n_points(), Some(30_000));
    let mut study = Study::new(StudyConfig::new(space).initial(3)).unwrap();
    for trial in study.ask(3).unwrap().trials {
        study.tell(trial.id, trial.point.f64("x").unwrap()).unwrap();
    }
    assert_eq!(study.ask(2).unwrap().trials.len(), 2);
}

#[test]
fn a_table_whose_rows_lack_parameters_by_a_condition_is_read_from_its_log() {
    let space = SearchSpace::new(vec![
        Parameter::category("kind", ["plain", "mixed"]),
        Parameter::float("share", 0.0, 1.0).when("kind == 'mixed'"),
        Parameter::int("hours", 1, 4),
    ])
    .unwrap();
    let plain = |hours: i64| Point::new().with("kind", "plain").with("hours", hours);
    let mixed = |share: f64| Point::new().with("kind", "mixed").with("share", share).with("hours", 2);
    let space = space.with_candidates([plain(1), plain(3), mixed(0.2), mixed(0.7)]).unwrap();
    let text = serde_json::to_string(&space).unwrap();
    assert!(text.contains(r#""candidates":[["plain",null,1],["plain",null,3],["mixed",0.2,2]"#), "{text}");
    assert_eq!(serde_json::from_str::<SearchSpace>(&text).unwrap(), space);
    let mut study = Study::new(StudyConfig::new(space).initial(2)).unwrap();
    for _ in 0..2 {
        for trial in study.ask(2).unwrap().trials {
            study.tell(trial.id, trial.point.f64("hours").unwrap()).unwrap();
        }
    }
    let written: Vec<String> = study.events().iter().map(|event| serde_json::to_string(event).unwrap()).collect();
    let read: Vec<Event> = written.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(verify(&read).unwrap().is_empty());
}
