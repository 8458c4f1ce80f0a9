//! Asks for a part of the space: they stay within it, can be replayed, and count like any others.

use std::collections::BTreeSet;

use elbowroom::batch::{LipschitzRule, LocalPenalization};
use elbowroom::domain::{Domain, Narrowing};
use elbowroom::insight::why;
use elbowroom::normal::{cdf, pdf};
use elbowroom::rng::Stream;
use elbowroom::space::{Parameter, Point, SearchSpace, Value};
use elbowroom::study::{Ask, Event, InitialDesign, StrategyConfig, Study, StudyConfig, Trial, verify};

fn space() -> SearchSpace {
    SearchSpace::new(vec![
        Parameter::float("celsius", 20.0, 90.0),
        Parameter::float("rate", 1e-4, 1.0).log(),
        Parameter::int("cycles", 1, 40),
        Parameter::category("gas", ["Ar", "N2", "He"]),
        Parameter::fixed("volume", 20),
    ])
    .unwrap()
}

fn number(point: &Point, name: &str) -> f64 {
    point.get(name).unwrap().as_f64().unwrap()
}

fn value(point: &Point) -> f64 {
    let gas = point.get("gas").unwrap().as_str() == Some("N2");
    (number(point, "celsius") / 50.0 - 1.0).powi(2)
        + (number(point, "rate").log10() + 2.0).powi(2)
        + (number(point, "cycles") / 20.0 - 1.0).powi(2)
        + f64::from(u8::from(gas))
}

/// Twelve results, one failure, two trials under way.
fn begun(strategy: StrategyConfig) -> Study {
    let mut study = Study::new(StudyConfig::new(space()).seed(3).initial(8).strategy(strategy)).unwrap();
    for trial in study.ask(8).unwrap().trials {
        study.tell(trial.id, value(&trial.point)).unwrap();
    }
    for trial in study.ask(5).unwrap().trials {
        match trial.id.0 {
            8 => study.fail(trial.id, "no value").unwrap(),
            _ => drop(study.tell(trial.id, value(&trial.point)).unwrap()),
        }
    }
    study.ask(2).unwrap();
    study
}

fn strategies() -> Vec<StrategyConfig> {
    let local = LocalPenalization { lipschitz: LipschitzRule::Local, ..LocalPenalization::default() };
    StrategyConfig::all().into_iter().chain([StrategyConfig::LocalPenalization(local)]).collect()
}

#[test]
fn every_strategy_keeps_to_the_part_that_is_asked_for_and_replays() {
    for strategy in strategies() {
        let mut study = begun(strategy.clone());
        let ask = Ask::new(3).fix("celsius", 60).fix("gas", "He").within("cycles", 5, 9).within("rate", 0.001, 0.1);
        let trials = study.ask(ask).unwrap().trials;
        assert!(!trials.is_empty() && (trials.len() == 3 || matches!(strategy, StrategyConfig::Adaptive(_))));
        for Trial { point, .. } in &trials {
            assert_eq!(point.get("celsius"), Some(&Value::Float(60.0)), "{strategy:?}");
            assert_eq!(point.get("gas"), Some(&Value::from("He")), "{strategy:?}");
            assert!((5.0..=9.0).contains(&number(point, "cycles")), "{strategy:?}: {point}");
            assert!((0.001..=0.1).contains(&number(point, "rate")), "{strategy:?}: {point}");
        }
        let distinct: BTreeSet<String> = trials.iter().map(|trial| trial.point.to_string()).collect();
        assert_eq!(distinct.len(), trials.len(), "{strategy:?}");
        assert_eq!(verify(study.events()).unwrap(), [], "{strategy:?}");
        // Through its JSON, as in a log.
        let texts: Vec<String> = study.events().iter().map(|event| serde_json::to_string(event).unwrap()).collect();
        let events: Vec<Event> = texts.iter().map(|text| serde_json::from_str(text).unwrap()).collect();
        assert_eq!(Study::replay(events.clone()).unwrap(), study);
        assert_eq!(verify(&events).unwrap(), []);
    }
}

#[test]
fn an_ask_for_the_whole_space_is_the_same_with_an_empty_narrowing_and_with_the_whole_ranges() {
    for strategy in strategies() {
        let study = begun(strategy.clone());
        let plain = study.suggest(3).unwrap();
        assert_eq!(plain, study.suggest(Ask::new(3).narrowed(Narrowing::new())).unwrap(), "{strategy:?}");
        let wide = study.suggest(Ask::new(3).within("celsius", 20.0, 90.0).within("cycles", 1, 40)).unwrap();
        assert_eq!(plain.trials, wide.trials, "{strategy:?}");
    }
}

#[test]
fn the_initial_design_is_spread_over_the_part_that_is_asked_for() {
    for design in [InitialDesign::Sobol, InitialDesign::LatinHypercube, InitialDesign::Uniform] {
        let mut study = Study::new(StudyConfig::new(space()).initial(40).design(design)).unwrap();
        let points: Vec<Point> = study
            .ask(Ask::new(40).fix("gas", "Ar").within("celsius", 40.0, 50.0))
            .unwrap()
            .trials
            .into_iter()
            .map(|trial| trial.point)
            .collect();
        assert!(points.iter().all(|point| point.get("gas") == Some(&Value::from("Ar"))));
        let mut celsius: Vec<f64> = points.iter().map(|point| number(point, "celsius")).collect();
        celsius.sort_by(f64::total_cmp);
        assert!(celsius[0] >= 40.0 && celsius[39] <= 50.0 && celsius[0] < 42.0 && celsius[39] > 48.0, "{design:?}");
        assert_eq!(verify(study.events()).unwrap(), [], "{design:?}");
    }
}

#[test]
fn fixed_values_are_recorded_as_they_were_given() {
    // 0.1 + 0.2 is not a value to which a coordinate of this range decodes.
    let odd = 0.1 + 0.2;
    let space = SearchSpace::new(vec![Parameter::float("x", -7.3, 11.9), Parameter::float("y", 1e-7, 3e5).log()])
        .unwrap()
        .with_constraints(["x <= 0.30000000000000004", "x >= 0.30000000000000004"])
        .unwrap();
    for seed in 0..20 {
        let mut study = Study::new(StudyConfig::new(space.clone()).seed(seed)).unwrap();
        let y = 1.1f64.powi(seed as i32) * 1e-3;
        let trials = study.ask(Ask::new(1).fix("x", odd).fix("y", y)).unwrap().trials;
        assert_eq!(trials[0].point.get("x"), Some(&Value::Float(odd)));
        assert_eq!(trials[0].point.get("y"), Some(&Value::Float(y)));
        // The only point that exists is taken now.
        let again = study.ask(Ask::new(1).fix("x", odd).fix("y", y)).unwrap();
        assert!(again.trials.is_empty());
        assert_eq!(again.shortfall.unwrap(), "the narrowed space has 1 point and it is taken or under way");
        assert_eq!(verify(study.events()).unwrap(), []);
    }
}

#[test]
fn a_narrowed_ask_counts_in_the_budget_and_its_trials_push_others_away() {
    let mut study = Study::new(StudyConfig::new(space()).initial(2).budget(5)).unwrap();
    assert_eq!(study.ask(Ask::new(3).fix("cycles", 7)).unwrap().trials.len(), 3);
    assert_eq!(study.budget_left(), Some(2));
    let rest = study.ask(Ask::new(9).fix("cycles", 7)).unwrap();
    assert_eq!((rest.trials.len(), rest.shortfall.as_deref()), (2, Some("the budget of 5 trials is used up")));
    let units: BTreeSet<String> = study.trials().iter().map(|trial| trial.point.to_string()).collect();
    assert_eq!(units.len(), 5);
}

#[test]
fn what_the_space_does_not_have_cannot_be_held() {
    let study = begun(StrategyConfig::default());
    let message = |ask: Ask| study.suggest(ask).unwrap_err().to_string();
    assert!(message(Ask::new(1).fix("celcius", 60)).contains("did you mean `celsius`?"));
    assert!(message(Ask::new(1).fix("celsius", 95)).contains("95 is not between 20 and 90"));
    assert!(message(Ask::new(1).fix("gas", "Xe")).contains("`gas`"));
    assert!(message(Ask::new(1).fix("volume", 21)).contains("`volume`"));
    assert!(message(Ask::new(1).within("gas", "Ar", "He")).contains("no order"));
    assert!(message(Ask::new(1).within("celsius", 60, 50)).contains("the smaller value first"));
    assert!(message(Ask::new(1).within("celsius", 30, 50).fix("celsius", 40)).contains("one of the two"));
    // A parameter with a single value may be named.
    assert!(study.suggest(Ask::new(1).fix("volume", 20)).is_ok());
}

#[test]
fn constraints_hold_in_a_narrowed_space_and_an_empty_part_is_said() {
    let space = SearchSpace::new(vec![Parameter::float("a", 0.0, 1.0), Parameter::float("b", 0.0, 1.0)])
        .unwrap()
        .with_constraints(["a + b <= 1"])
        .unwrap();
    let mut study = Study::new(StudyConfig::new(space).initial(4)).unwrap();
    for _ in 0..3 {
        for trial in study.ask(Ask::new(4).fix("a", 0.75)).unwrap().trials {
            assert!(number(&trial.point, "b") <= 0.25);
            study.tell(trial.id, number(&trial.point, "b")).unwrap();
        }
    }
    assert_eq!(study.n_observed(), 12);
    let none = study.ask(Ask::new(1).fix("a", 1.0).within("b", 0.5, 1.0)).unwrap();
    assert!(none.trials.is_empty() && none.shortfall.unwrap().contains("no point within the narrowed ranges"));
}

#[test]
fn draws_of_a_part_are_uniform_over_its_levels() {
    let space = space();
    let narrowing = Narrowing::new().within("cycles", 3, 6).fix("gas", "N2").within("rate", 0.01, 0.1);
    let domain = Domain::narrowed(&space, &narrowing).unwrap();
    let mut draw = Stream::new(5);
    let mut counts = [0usize; 4];
    for _ in 0..8000 {
        let u = domain.sample(&mut draw);
        assert!(domain.is_inside(&u) && narrowing.holds_at(&domain.decode(&u)));
        counts[number(&domain.decode(&u), "cycles") as usize - 3] += 1;
    }
    // Within five standard deviations of 2000.
    assert!(counts.iter().all(|&n| n.abs_diff(2000) < 195), "{counts:?}");
    assert_eq!(domain.n_points(), None);
    let few = Narrowing::new().within("cycles", 3, 6).fix("rate", 0.1).fix("celsius", 33.0);
    let few = Domain::narrowed(&space, &few).unwrap();
    assert_eq!(few.n_points(), Some(12));
    let all: BTreeSet<String> = few.enumerate().unwrap().map(|u| few.decode(&u).to_string()).collect();
    assert_eq!(all.len(), 12);
    assert!(all.contains("celsius=33 rate=0.1 cycles=6 gas=He volume=20"), "{all:?}");
}

#[test]
fn with_a_parameter_held_far_from_the_optimum_the_best_point_there_is_found() {
    // f = (x − 0.2)² + (y − x)²: at x = 0.9 the best y is 0.9, and no point there comes close to the record at x = 0.2.
    let f = |point: &Point| (number(point, "x") - 0.2).powi(2) + (number(point, "y") - number(point, "x")).powi(2);
    for seed in 0..5 {
        let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0), Parameter::float("y", 0.0, 1.0)]).unwrap();
        let mut study = Study::new(StudyConfig::new(space).seed(seed).initial(8)).unwrap();
        for _ in 0..4 {
            for trial in study.ask(4).unwrap().trials {
                study.tell(trial.id, f(&trial.point)).unwrap();
            }
        }
        let mut nearest = f64::INFINITY;
        for _ in 0..3 {
            for trial in study.ask(Ask::new(2).fix("x", 0.9)).unwrap().trials {
                nearest = nearest.min((number(&trial.point, "y") - 0.9).abs());
                study.tell(trial.id, f(&trial.point)).unwrap();
            }
        }
        assert!(nearest < 0.02, "seed {seed}: {nearest}");
    }
}

#[test]
fn why_takes_the_exploit_share_against_the_best_of_the_part_that_was_asked_for() {
    // f = (x − 0.2)² + (y − x)²: at x = 0.9 no point comes close to the record at x = 0.2, but some y is better than
    // others.
    let f = |point: &Point| (number(point, "x") - 0.2).powi(2) + (number(point, "y") - number(point, "x")).powi(2);
    let mut most = 0f64;
    for seed in 0..6 {
        let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0), Parameter::float("y", 0.0, 1.0)]).unwrap();
        let mut study = Study::new(StudyConfig::new(space).seed(seed).initial(8)).unwrap();
        for trial in study.ask(8).unwrap().trials {
            study.tell(trial.id, f(&trial.point)).unwrap();
        }
        let chosen = study.ask(Ask::new(1).fix("x", 0.9)).unwrap().trials.remove(0);
        // EI = (μ − best) Φ(z) + s φ(z), where the best is the largest mean of the observed points, each moved to x = 0.9.
        let posterior = &study.model().unwrap().posterior;
        let moved = posterior.observed().map(|at| posterior.predict(&[0.9, at[1]]).mean);
        let best = moved.fold(f64::NEG_INFINITY, f64::max);
        let there = posterior.predict(&chosen.unit);
        let z = (there.mean - best) / there.variance.sqrt();
        let (expected, unknown) = ((z * cdf(z)).max(0.0), pdf(z));
        let exploit = why(&study, chosen.id).unwrap().belief.unwrap().exploit;
        assert!((exploit - expected / (expected + unknown)).abs() < 1e-9, "{exploit} at z = {z}");
        most = most.max(exploit);
    }
    // Relative to the record of the whole space, no point there is expected to be an improvement.
    assert!(most > 0.05, "{most}");
}

#[test]
fn a_range_of_one_value_holds_the_parameter_at_it_to_the_bit() {
    let space = SearchSpace::new(vec![Parameter::float("a", -1.0, 2.7), Parameter::float("b", 0.0, 1.0)]).unwrap();
    let mut draw = Stream::new(8);
    for _ in 0..200 {
        let at = -1.0 + 3.7 * draw.uniform();
        let narrowing = Narrowing::new().within("a", at, at);
        let domain = Domain::narrowed(&space, &narrowing).unwrap();
        let point = domain.decode(&domain.sample(&mut draw));
        assert!(narrowing.holds_at(&point), "{point} for {at}");
    }
}
