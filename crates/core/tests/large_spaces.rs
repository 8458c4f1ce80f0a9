//! Spaces that are larger than usual: each gives an answer, or a refusal that says what to try.

use elbowroom::space::{Parameter, SearchSpace};
use elbowroom::study::{Study, StudyConfig};

/// A study that was asked for its design and for a batch after it.
fn goes_on(parameters: Vec<Parameter>, initial: usize, value: impl Fn(&elbowroom::space::Point) -> f64) -> Study {
    let space = SearchSpace::new(parameters).unwrap();
    let mut study = Study::new(StudyConfig::new(space).seed(1).initial(initial)).unwrap();
    for q in [initial, 3] {
        let trials = study.ask(q).unwrap().trials;
        assert_eq!(trials.len(), q);
        for trial in trials {
            study.tell(trial.id, value(&trial.point)).unwrap();
        }
    }
    study
}

#[test]
fn a_category_of_ten_thousand_levels_is_searched() {
    let parameters = vec![Parameter::category("kind", 0..10_000i64), Parameter::float("x", 0.0, 1.0)];
    let study = goes_on(parameters, 6, |point| {
        (point.i64("kind").unwrap() % 7) as f64 + (point.f64("x").unwrap() - 0.3).powi(2)
    });
    assert!(study.recommended().is_some());
}

#[test]
fn levels_that_were_never_tried_cost_an_ask_nothing() {
    let work = |levels: i64| {
        let parameters = vec![Parameter::category("kind", 0..levels), Parameter::float("x", 0.0, 1.0)];
        let space = SearchSpace::new(parameters).unwrap();
        let mut study = Study::new(StudyConfig::new(space).seed(3).initial(40)).unwrap();
        for trial in study.ask(40).unwrap().trials {
            let kind = trial.point.i64("kind").unwrap() % 7;
            study.tell(trial.id, kind as f64 + (trial.point.f64("x").unwrap() - 0.3).powi(2)).unwrap();
        }
        study.ask(4).unwrap().work.choice
    };
    // Trying them one by one would be most of the work: 10,000 levels against some thousand candidates.
    let (few, many) = (work(100), work(10_000));
    assert!(many < 2.0 * few, "{many:e} operations, with 100 levels {few:e}");
}

#[test]
fn five_hundred_parameters_are_searched() {
    let parameters = (0..500).map(|i| Parameter::float(format!("x{i}"), 0.0, 1.0)).collect();
    let study = goes_on(parameters, 6, |point| point.iter().filter_map(|(_, v)| v.as_f64()).sum());
    assert!(study.recommended().is_some());
}

#[test]
fn a_range_of_two_to_the_fifty_integers_is_searched_and_a_longer_one_refused() {
    let n = 1i64 << 50;
    let study = goes_on(vec![Parameter::int("n", 1, n)], 4, |point| (point.f64("n").unwrap() / n as f64 - 0.3).powi(2));
    assert!(study.recommended().is_some());
    let error = SearchSpace::new(vec![Parameter::int("n", 0, n)]).unwrap_err().to_string();
    assert!(error.contains("`n`: 0 to 1125899906842624 has more than 1125899906842624 whole numbers"), "{error}");
    assert!(error.contains("narrow the range, or search a float and round it"), "{error}");
}
