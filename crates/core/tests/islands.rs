//! Where points that give values lie apart, a search that has nothing left to gain leaves the part that it found first.

use elbowroom::insight::why;
use elbowroom::space::{Parameter, Point, SearchSpace};
use elbowroom::study::{Study, StudyConfig, Trial, TrialState, verify};

fn number(point: &Point, name: &str) -> f64 {
    point.get(name).unwrap().as_f64().unwrap()
}

/// A study of so many trials, two of them under way at a time; points without a value fail.
fn run(space: Vec<Parameter>, seed: u64, n: usize, value: impl Fn(&Point) -> Option<f64>) -> Study {
    let mut study = Study::new(StudyConfig::new(SearchSpace::new(space).unwrap()).seed(seed)).unwrap();
    let mut under_way = study.ask(1).unwrap().trials;
    while study.trials().len() < n {
        under_way.extend(study.ask(1).unwrap().trials);
        let trial = under_way.remove(0);
        match value(&trial.point) {
            Some(value) => drop(study.tell(trial.id, value).unwrap()),
            None => study.fail(trial.id, "no value").unwrap(),
        }
    }
    study
}

/// Two opposite corners of a square give values, and the better well is in the smaller one.
fn in_two_corners(seed: u64) -> Study {
    let space = vec![Parameter::float("x", 0.0, 1.0), Parameter::float("y", 0.0, 1.0)];
    run(space, seed, 70, |point| {
        let (x, y) = (number(point, "x"), number(point, "y"));
        let well = |a: f64, b: f64| (x - a).powi(2) + (y - b).powi(2);
        let has_value = (x < 0.5 && y < 0.5) || (x > 0.65 && y > 0.65);
        has_value.then(|| (0.1 + well(0.25, 0.3)).min(well(0.82, 0.84)))
    })
}

/// Three of four levels always give values; the last is better, and gives them in a fifth of its range.
fn of_levels(seed: u64) -> Study {
    let levels = Parameter::category("level", ["a", "b", "c", "d"]);
    let space = vec![levels, Parameter::float("x", 0.0, 1.0), Parameter::float("y", 0.0, 1.0)];
    run(space, seed, 80, |point| {
        let (x, y) = (number(point, "x"), number(point, "y"));
        let well = |a: f64, b: f64| (x - a).powi(2) + (y - b).powi(2);
        match point.get("level").unwrap().as_str().unwrap() {
            "a" => Some(0.1 + well(0.3, 0.4)),
            "b" => Some(0.15 + well(0.5, 0.4)),
            "c" => Some(0.2 + well(0.5, 0.7)),
            _ => (x > 0.6 && y > 0.5).then(|| well(0.8, 0.8)),
        }
    })
}

fn best(study: &Study) -> f64 {
    study.best().unwrap().value().unwrap()
}

#[test]
fn a_search_leaves_its_first_island_once_nothing_is_left_to_gain() {
    let found: Vec<f64> = (0..4).map(|seed| best(&in_two_corners(seed))).collect();
    // The best of the larger island is 0.1.
    assert!(found.iter().all(|best| *best < 0.01), "{found:?}");
}

#[test]
fn a_level_whose_first_trials_failed_is_tried_again() {
    let found: Vec<f64> = (2..5).map(|seed| best(&of_levels(seed))).collect();
    // The best of the others is 0.1, where the search with the second of these seeds used to end.
    assert!(found.iter().all(|best| *best < 0.01), "{found:?}");
}

#[test]
fn opened_points_say_why_and_are_chosen_again_to_the_bit() {
    let study = in_two_corners(0);
    let is_opened = |trial: &&Trial| {
        let summary = why(&study, trial.id).unwrap().summary;
        summary.contains("next to nothing is left to gain where values are likely")
    };
    let opened: Vec<&Trial> = study.trials().iter().skip(12).filter(is_opened).collect();
    assert!(!opened.is_empty());
    assert!(verify(study.events()).unwrap().is_empty());
    // At most one is under way, and a failure of one ends the calm.
    let n_failed = opened.iter().filter(|trial| matches!(trial.state, TrialState::Failed { .. })).count();
    assert!(13 * n_failed <= study.trials().len(), "{n_failed}");
}
