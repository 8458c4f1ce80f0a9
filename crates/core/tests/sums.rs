//! Sums of integers, steps and ladders: points of tight sums are constructed on the grid.

use std::collections::HashSet;

use elbowroom::domain::{Domain, Narrowing};
use elbowroom::rng::Stream;
use elbowroom::space::{Parameter, Point, SearchSpace};
use elbowroom::study::{Ask, Event, InitialDesign, StrategyConfig, Study, StudyConfig, verify};

fn names(n: usize) -> Vec<String> {
    (1..=n).map(|i| format!("x{i}")).collect()
}

fn ints(n: usize, high: i64) -> Vec<Parameter> {
    names(n).into_iter().map(|name| Parameter::int(name, 0, high)).collect()
}

fn steps(n: usize, step: f64) -> Vec<Parameter> {
    names(n).into_iter().map(|name| Parameter::float(name, 0.0, 1.0).step(step)).collect()
}

fn space<T: Into<String>>(parameters: Vec<Parameter>, constraints: impl IntoIterator<Item = T>) -> SearchSpace {
    SearchSpace::new(parameters).unwrap().with_constraints(constraints).unwrap()
}

/// The sum of n parts, followed by the rest of a constraint.
fn sum(n: usize, rest: &str) -> String {
    format!("{} {rest}", names(n).join(" + "))
}

fn values(point: &Point) -> Vec<f64> {
    point.iter().map(|(_, value)| value.as_f64().unwrap()).collect()
}

/// Asks in batches, reports the squared distance to a recipe, and returns all points, which are distinct and feasible.
fn drive(study: &mut Study, batches: usize, q: usize, recipe: &[f64]) -> Vec<Vec<f64>> {
    let mut asked = Vec::new();
    for _ in 0..batches {
        let batch = study.ask(q).unwrap();
        assert_eq!((batch.trials.len(), batch.shortfall), (q, None));
        for trial in batch.trials {
            assert_eq!(study.space().broken_constraint(&trial.point).unwrap().map(|c| c.text().to_owned()), None);
            let x = values(&trial.point);
            study.tell(trial.id, distance(&x, recipe)).unwrap();
            asked.push(x);
        }
    }
    let different: HashSet<Vec<u64>> = asked.iter().map(|x| x.iter().map(|x| x.to_bits()).collect()).collect();
    assert_eq!(different.len(), asked.len());
    asked
}

fn distance(x: &[f64], recipe: &[f64]) -> f64 {
    x.iter().zip(recipe).map(|(x, y)| (x - y).powi(2)).sum()
}

fn is_on_step(x: f64, step: f64) -> bool {
    (x / step - (x / step).round()).abs() < 1e-9
}

#[test]
fn eight_whole_numbers_sum_to_a_hundred_exactly() {
    let mut study = Study::new(StudyConfig::new(space(ints(8, 100), [sum(8, "== 100")])).seed(1)).unwrap();
    let recipe = [40.0, 20.0, 10.0, 10.0, 8.0, 6.0, 4.0, 2.0];
    for x in drive(&mut study, 5, 6, &recipe) {
        assert!(x.iter().sum::<f64>() == 100.0 && x.iter().all(|x| x.fract() == 0.0), "{x:?}");
    }
    let recommended = study.recommended().expect("there are results");
    assert_eq!(values(&recommended.point).iter().sum::<f64>(), 100.0);
}

#[test]
fn nine_whole_or_stepped_parts_with_a_bounded_sum_give_every_point_that_is_asked_for() {
    for (parameters, bound) in [(ints(9, 100), 100.0), (steps(9, 0.05), 1.0)] {
        let space = space(parameters, [sum(9, &format!("<= {bound}"))]);
        let mut study = Study::new(StudyConfig::new(space).seed(3)).unwrap();
        let recipe: Vec<f64> = (0..9).map(|i| bound * 0.3 / (i + 1) as f64).collect();
        let asked = drive(&mut study, 2, 15, &recipe);
        assert!(asked.iter().all(|x| x.iter().sum::<f64>() <= bound * (1.0 + 1e-9)), "{asked:?}");
    }
}

#[test]
fn five_parts_in_steps_of_a_twentieth_make_a_whole() {
    for strategy in [StrategyConfig::default(), StrategyConfig::Random] {
        let config = StudyConfig::new(space(steps(5, 0.05), [sum(5, "== 1")])).seed(2).strategy(strategy);
        let mut study = Study::new(config).unwrap();
        for x in drive(&mut study, 6, 5, &[0.4, 0.3, 0.2, 0.1, 0.0]) {
            assert!((x.iter().sum::<f64>() - 1.0).abs() < 1e-9 && x.iter().all(|x| is_on_step(*x, 0.05)), "{x:?}");
        }
    }
}

#[test]
fn a_float_takes_what_stepped_parts_leave() {
    let mut parameters = steps(2, 0.05);
    parameters.push(Parameter::float("x3", 0.0, 1.0));
    let mut study = Study::new(StudyConfig::new(space(parameters, [sum(3, "== 1")])).seed(4).initial(5)).unwrap();
    for x in drive(&mut study, 4, 5, &[0.3, 0.25, 0.45]) {
        assert!((x.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{x:?}");
        assert!(is_on_step(x[0], 0.05) && is_on_step(x[1], 0.05), "{x:?}");
    }
    // Steps that have no common multiple with the whole, including an integer.
    let odd = vec![
        Parameter::int("x1", 0, 3),
        Parameter::float("x2", 0.0, 2.1).step(0.7),
        Parameter::ladder("x3", [0.0, 0.1, 0.5, 2.0]),
        Parameter::float("x4", 0.0, 1.0),
    ];
    let mut study = Study::new(StudyConfig::new(space(odd, [sum(4, "== 4")])).seed(4).initial(5)).unwrap();
    for x in drive(&mut study, 3, 5, &[1.0, 0.7, 2.0, 0.3]) {
        assert!((x.iter().sum::<f64>() - 4.0).abs() < 4e-9 && [0.0, 0.1, 0.5, 2.0].contains(&x[2]), "{x:?}");
    }
}

#[test]
fn at_most_so_many_stepped_parts_are_not_zero() {
    let few = format!("nonzero({}) <= 3", names(8).join(", "));
    let mut study = Study::new(StudyConfig::new(space(steps(8, 0.05), [sum(8, "== 1"), few])).seed(5)).unwrap();
    let asked = drive(&mut study, 5, 5, &[0.5, 0.3, 0.2, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let support = |x: &Vec<f64>| (0..8).filter(|&i| x[i] != 0.0).collect::<Vec<_>>();
    for x in &asked {
        assert!(support(x).len() <= 3 && (x.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{x:?}");
    }
    assert!(asked.iter().map(support).collect::<HashSet<_>>().len() > 5, "{asked:?}");
}

#[test]
fn dispensers_with_different_steps_meet_a_volume() {
    // 5 a + 3 b + 7 c = 101 in integers: coarse parts must leave an amount that the others can make up.
    let parameters = [("a", 5), ("b", 3), ("c", 7), ("d", 3), ("e", 5), ("f", 7)];
    let parameters: Vec<Parameter> = parameters
        .iter()
        .map(|(name, step)| Parameter::float(*name, 0.0, (step * 40) as f64).step(*step as f64))
        .collect();
    let mut study = Study::new(StudyConfig::new(space(parameters, ["a + b + c + d + e + f == 101"])).seed(6)).unwrap();
    let asked = drive(&mut study, 4, 6, &[30.0, 30.0, 14.0, 9.0, 15.0, 0.0]);
    assert!(asked.iter().all(|x| x.iter().sum::<f64>() == 101.0), "{asked:?}");
}

#[test]
fn a_study_on_a_grid_says_so_and_replays_to_the_bit() {
    let constructed = space(ints(8, 100), [sum(8, "== 100")]);
    assert!(Domain::whole(&constructed).is_constructed());
    let text = serde_json::to_string(&constructed).unwrap();
    assert!(text.contains(r#""feasible":"by_construction_on_grids""#), "{text}");
    assert_eq!(serde_json::from_str::<SearchSpace>(&text).unwrap(), constructed);
    let mut study = Study::new(StudyConfig::new(constructed.clone()).seed(7).initial(6)).unwrap();
    drive(&mut study, 4, 4, &[30.0, 30.0, 20.0, 10.0, 10.0, 0.0, 0.0, 0.0]);
    assert!(verify(study.events()).unwrap().is_empty());
    let mut again = Study::replay(study.events().to_vec()).unwrap();
    let points = |study: &mut Study| study.ask(4).unwrap().trials.into_iter().map(|t| t.point).collect::<Vec<_>>();
    assert_eq!(points(&mut study), points(&mut again));

    // Older logs continue by rejection; those of mixtures next to sums on grids, with the construction that they used.
    let created = serde_json::to_string(&Event::Created { config: Box::new(StudyConfig::new(constructed)) }).unwrap();
    let old = created.replace(r#","feasible":"by_construction_on_grids""#, "");
    let Event::Created { config } = serde_json::from_str(&old).unwrap() else { panic!("not created") };
    assert!(!Domain::whole(&config.space).is_constructed());
}

#[test]
fn spaces_that_rejection_does_well_with_stay_as_they_were() {
    let loose = [
        space(ints(3, 9), [sum(3, "== 12")]),
        space(steps(3, 0.1), [sum(3, "== 1")]),
        space(ints(4, 100), [sum(4, "<= 200")]),
        space(ints(2, 200), ["x1 < x2"]),
    ];
    for space in loose {
        assert!(!Domain::whole(&space).is_constructed());
        assert!(!serde_json::to_string(&space).unwrap().contains("feasible"));
    }
    // A mixture next to a loose sum of integers is constructed from its floats alone, as before.
    let mut parameters: Vec<Parameter> = ["a", "b", "c"].map(|name| Parameter::float(name, 0.0, 1.0)).to_vec();
    parameters.extend(ints(2, 9));
    let text = serde_json::to_string(&space(parameters, ["a + b + c == 1", "x1 + x2 <= 9"])).unwrap();
    assert!(text.contains(r#""feasible":"by_construction"}"#), "{text}");
}

#[test]
fn parts_that_are_held_leave_the_rest_to_the_others() {
    let mut study = Study::new(StudyConfig::new(space(ints(8, 100), [sum(8, "== 100")])).seed(8).initial(4)).unwrap();
    drive(&mut study, 2, 4, &[12.5; 8]);
    let narrowing = Narrowing::new().fix("x2", 37).within("x1", 0, 5);
    let batch = study.ask(Ask::new(6).narrowed(narrowing)).unwrap();
    assert_eq!(batch.trials.len(), 6);
    for trial in batch.trials {
        let x = values(&trial.point);
        assert!(x[1] == 37.0 && x[0] <= 5.0 && x.iter().sum::<f64>() == 100.0, "{x:?}");
    }
    let nothing = study.ask(Ask::new(1).narrowed(Narrowing::new().fix("x1", 90).fix("x2", 20))).unwrap();
    let why = nothing.shortfall.unwrap();
    assert!(nothing.trials.is_empty() && why.starts_with("no point within the narrowed ranges keeps"), "{why}");
}

#[test]
fn a_finite_set_that_is_used_up_says_so() {
    // Compositions of 2 into 8 parts: 8 + 28 = 36 of 101⁸ points.
    let mut study = Study::new(StudyConfig::new(space(ints(8, 100), [sum(8, "== 2")])).seed(9).initial(10)).unwrap();
    drive(&mut study, 3, 10, &[2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let rest = study.ask(10).unwrap();
    let why = rest.shortfall.unwrap();
    assert_eq!(rest.trials.len(), 6, "{why}");
    assert!(why.contains("36 keep the constraints, and all of these are taken or under way"), "{why}");
    // Even numbers have no odd sum.
    let even: Vec<Parameter> = names(8).into_iter().map(|name| Parameter::float(name, 0.0, 100.0).step(2.0)).collect();
    for odd in ["== 3", "== 301"] {
        let error = Study::new(StudyConfig::new(space(even.clone(), [sum(8, odd)]))).unwrap_err().to_string();
        assert!(error.contains("no point within the parameters' ranges keeps `x1 + "), "{error}");
    }
}

#[test]
fn random_points_of_a_stepped_mixture_are_all_over_it() {
    // No part is favoured: all eight have the same mean, 12.5.
    let space = space(ints(8, 100), [sum(8, "== 100")]);
    let (domain, mut stream) = (Domain::whole(&space), Stream::new(1));
    let mut sampler = domain.sampler();
    let mut means = [0.0; 8];
    for _ in 0..1000 {
        let u = sampler.next(&mut stream);
        assert!(domain.is_feasible(&u));
        means.iter_mut().zip(values(&domain.decode(&u))).for_each(|(mean, x)| *mean += x / 1000.0);
    }
    // The standard deviation of a part is 11; neighbours on the walk are worth a few.
    assert!(means.iter().all(|mean| (mean - 12.5).abs() < 3.0), "{means:?}");
}

#[test]
fn the_search_on_a_stepped_simplex_is_better_than_its_random_points() {
    let recipe = [0.45, 0.25, 0.15, 0.1, 0.05];
    let mut best = [0.0; 2];
    for seed in 1..=3 {
        for (i, strategy) in [StrategyConfig::default(), StrategyConfig::Random].into_iter().enumerate() {
            let config = StudyConfig::new(space(steps(5, 0.05), [sum(5, "== 1")])).seed(seed).strategy(strategy);
            let mut study = Study::new(config.design(InitialDesign::Sobol)).unwrap();
            let asked = drive(&mut study, 8, 4, &recipe);
            best[i] += asked.iter().map(|x| distance(x, &recipe)).fold(f64::INFINITY, f64::min);
        }
    }
    assert!(best[0] < 0.25 * best[1], "{best:?}");
}

#[test]
fn other_constraints_and_conditions_stand_beside_a_sum_on_a_grid() {
    let mut parameters = ints(6, 100);
    parameters.push(Parameter::category("kind", ["dry", "wet"]));
    parameters.push(Parameter::float("heat", 0.0, 1.0).when("x1 > 20"));
    let space = space(parameters, [sum(6, "== 100"), "x2 * x3 < 400".to_owned(), "x4 != 7".to_owned()]);
    assert!(Domain::whole(&space).is_constructed());
    let mut study = Study::new(StudyConfig::new(space).seed(2).initial(6)).unwrap();
    let mut n_with_heat = 0;
    for _ in 0..5 {
        for trial in study.ask(4).unwrap().trials {
            let number = |name: &str| trial.point.get(name).and_then(|value| value.as_f64());
            let x: Vec<f64> = names(6).iter().filter_map(|name| number(name)).collect();
            assert!(x.iter().sum::<f64>() == 100.0 && x[1] * x[2] < 400.0 && x[3] != 7.0, "{x:?}");
            assert_eq!(number("heat").is_some(), x[0] > 20.0);
            n_with_heat += usize::from(x[0] > 20.0);
            study.tell(trial.id, distance(&x, &[30.0, 20.0, 10.0, 20.0, 10.0, 10.0])).unwrap();
        }
    }
    assert!(n_with_heat > 3 && verify(study.events()).unwrap().is_empty(), "{n_with_heat}");
}

#[test]
fn wide_sums_on_grids_are_answered() {
    let few = format!("nonzero({}) <= 10", names(100).join(", "));
    let wide = [space(ints(50, 100), [sum(50, "== 1000")]), space(steps(100, 0.05), [sum(100, "== 1"), few])];
    for space in wide {
        let n = space.dim();
        let mut study = Study::new(StudyConfig::new(space).seed(1).initial(4)).unwrap();
        drive(&mut study, 2, 4, &vec![0.0; n]);
    }
}

#[test]
fn sums_that_cross_and_strict_bounds_are_kept() {
    let two = [sum(6, "== 60"), "2 * x1 + x2 - x3 == 7".to_owned(), "x4 + x5 < x6".to_owned()];
    let mut study = Study::new(StudyConfig::new(space(ints(6, 50), two)).seed(3).initial(6)).unwrap();
    drive(&mut study, 4, 5, &[5.0, 5.0, 8.0, 10.0, 10.0, 22.0]);
    // Two bounds that meet are an equation, and steps of 1/3 count as exact thirds.
    let both = [sum(6, ">= 0.5"), sum(6, "<= 0.5")];
    drive(&mut Study::new(StudyConfig::new(space(steps(6, 0.05), both)).seed(3)).unwrap(), 3, 5, &[0.1; 6]);
    let thirds = names(12).into_iter().map(|name| Parameter::float(name, 0.0, 1.0).step(1.0 / 3.0)).collect();
    let mut study = Study::new(StudyConfig::new(space(thirds, [sum(12, "== 1")])).seed(3)).unwrap();
    drive(&mut study, 3, 5, &[0.1; 12]);
}

#[test]
fn every_strategy_proposes_points_of_a_sum_on_a_grid() {
    // One of them ends its batches early, and is left out.
    for strategy in StrategyConfig::all().into_iter().filter(|strategy| strategy.name() != "adaptive") {
        let config = StudyConfig::new(space(ints(8, 100), [sum(8, "== 100")])).seed(4).initial(6).strategy(strategy);
        drive(&mut Study::new(config).unwrap(), 4, 3, &[12.5; 8]);
    }
}

#[test]
fn a_medium_of_whole_stepped_listed_and_free_parts_is_dispensed() {
    // The example of docs/spaces.md.
    let parameters = vec![
        Parameter::int("water", 0, 200),
        Parameter::float("buffer", 0.0, 200.0).step(5.0),
        Parameter::ladder("salt", [0, 1, 2, 5, 10, 20]),
        Parameter::float("dye", 0.0, 10.0),
    ];
    let constraints = ["water + buffer + salt + dye == 200", "nonzero(salt, dye) <= 1", "buffer <= 2 * water"];
    let mut study = Study::new(StudyConfig::new(space(parameters, constraints)).seed(1).initial(6)).unwrap();
    for x in drive(&mut study, 4, 5, &[120.0, 75.0, 5.0, 0.0]) {
        assert!((x.iter().sum::<f64>() - 200.0).abs() < 2e-7 && (x[2] == 0.0 || x[3] == 0.0), "{x:?}");
    }
    assert!(verify(study.events()).unwrap().is_empty());
}
