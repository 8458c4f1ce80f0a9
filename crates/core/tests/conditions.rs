//! Parameters that are present only if a condition holds: points, the unit cube, branches, designs and searches.

use std::collections::{BTreeMap, HashSet};

use elbowroom::data::Dataset;
use elbowroom::domain::{Domain, Narrowing};
use elbowroom::gp::{Hyperparameters, KernelKind, Metric, Posterior};
use elbowroom::insight::{findings, importance, landscape};
use elbowroom::linalg::Points;
use elbowroom::rng::Stream;
use elbowroom::space::{Parameter, Point, SearchSpace, Value};
use elbowroom::study::{Ask, Event, InitialDesign, Study, StudyConfig};

/// Two levels: an optimizer with settings for each kind, one of which is a schedule with a further setting.
fn optimizer() -> Vec<Parameter> {
    vec![
        Parameter::float("rate", 1e-4, 1.0).log(),
        Parameter::category("kind", ["adam", "sgd", "none"]),
        Parameter::float("momentum", 0.0, 1.0).when("kind == 'sgd'"),
        Parameter::category("schedule", ["flat", "steps", "cosine"]).when("kind == 'sgd'"),
        Parameter::int("n_steps", 1, 40).when("schedule == 'steps'"),
        Parameter::float("beta", 0.8, 1.0).when("kind == 'adam'"),
        Parameter::fixed("nesterov", true).when("kind == 'sgd'"),
    ]
}

fn space() -> SearchSpace {
    SearchSpace::new(optimizer()).unwrap()
}

fn names(point: &Point) -> Vec<&str> {
    point.iter().map(|(name, _)| name).collect()
}

/// The parameters that a point of [`optimizer`] must have, according to the conditions.
fn expected_names(point: &Point) -> Vec<&'static str> {
    match (point.str("kind").unwrap(), point.get("schedule").and_then(Value::as_str)) {
        ("adam", None) => vec!["rate", "kind", "beta"],
        ("sgd", Some("steps")) => vec!["rate", "kind", "momentum", "schedule", "n_steps", "nesterov"],
        ("sgd", Some(_)) => vec!["rate", "kind", "momentum", "schedule", "nesterov"],
        _ => vec!["rate", "kind"],
    }
}

/// A loss whose best branch is the one with steps.
fn loss(point: &Point) -> f64 {
    let square = |x: f64| x * x;
    let rate = square((point.f64("rate").unwrap().log10() + 2.0) / 4.0);
    let below = match point.str("kind").unwrap() {
        "adam" => 0.3 + square(point.f64("beta").unwrap() - 0.95),
        "none" => 1.0,
        _ => {
            let steps = point.i64("n_steps").map_or(0.5, |n| square((n as f64 - 13.0) / 40.0));
            square(point.f64("momentum").unwrap() - 0.7) + steps
        }
    };
    rate + below
}

fn run(study: &mut Study, n: usize) -> Vec<Point> {
    let mut points = Vec::new();
    for _ in 0..n {
        for trial in study.ask(1).unwrap().trials {
            study.tell(trial.id, loss(&trial.point)).unwrap();
            points.push(trial.point.clone());
        }
    }
    points
}

#[test]
fn a_point_has_the_parameters_whose_conditions_hold_and_no_others() {
    let space = space();
    let mut draw = Stream::new(3);
    for _ in 0..300 {
        let u = space.sample(&mut draw);
        let point = space.decode(&u);
        assert_eq!(names(&point), expected_names(&point));
        // There and back: the same point, to the bit.
        assert_eq!(space.decode(&space.encode(&point).unwrap()), point);
        assert_eq!(space.check(&point).unwrap(), point);
    }
}

#[test]
fn a_value_of_an_inactive_parameter_and_a_missing_one_of_an_active_parameter_are_refused() {
    let space = space();
    let adam = Point::new().with("rate", 0.1).with("kind", "adam");
    let error = space.encode(&adam.clone().with("beta", 0.9).with("momentum", 0.5)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "parameter `momentum` has a value at this point, where `kind == 'sgd'` does not hold\n  \
         try: leave it out: it exists only where its condition holds"
    );
    let error = space.encode(&adam).unwrap_err();
    assert_eq!(error.what(), "parameter `beta` has no value at this point, where `kind == 'adam'` holds");
    // Nested: a parameter that depends on an inactive one is inactive too.
    let error = space.encode(&adam.with("beta", 0.9).with("n_steps", 4)).unwrap_err();
    assert_eq!(
        error.what(),
        "parameter `n_steps` has a value at this point, where `schedule == 'steps'` does not hold"
    );
}

#[test]
fn conditions_that_cannot_be_are_refused_with_what_is_wrong() {
    let refused = |parameters: Vec<Parameter>| SearchSpace::new(parameters).unwrap_err().to_string();
    let kind = || Parameter::category("kind", ["adam", "sgd"]);
    let x = |condition: &str| Parameter::float("x", 0.0, 1.0).when(condition);
    let error = refused(vec![kind(), x("kidn == 'sgd'")]);
    assert!(error.starts_with("the condition of `x`: no parameter is called `kidn`, at column 1"), "{error}");
    assert!(error.contains("did you mean `kind`?"), "{error}");
    let error = refused(vec![kind(), x("kind == 'sdg'")]);
    assert!(error.contains("'sdg' is not a value of `kind`") && error.contains("did you mean 'sgd'?"), "{error}");
    let error = refused(vec![kind(), x("kind < 2")]);
    assert!(error.contains("`<` needs a number, but this is a text"), "{error}");
    let error = refused(vec![kind(), x("kind == 'sgd' and kind == 'adam'")]);
    assert!(error.contains("parameter `x`: its condition `kind == 'sgd' and kind == 'adam'` is never true"), "{error}");
    let error = refused(vec![Parameter::float("y", 0.0, 1.0), x("y > 0.5")]);
    assert!(error.contains("parameter `x`: its condition depends on `y`, which can be any number"), "{error}");
    let error = refused(vec![Parameter::int("n", 1, 3).when("n > 1"), kind()]);
    assert!(error.contains("parameter `n`: its condition depends on the parameter itself"), "{error}");
    let circle = ["b", "c", "a"].iter().zip(["a", "b", "c"]);
    let circle = circle.map(|(on, name)| Parameter::int(name, 0, 3).when(format!("{on} > 1"))).collect();
    let error = refused(circle);
    assert!(error.contains("circular: `a` depends on `b` depends on `c` depends on `a`"), "{error}");
    // Never true because of the conditions above it, and by intervals if there are too many settings to try.
    let error = refused(vec![kind(), Parameter::int("n", 1, 3).when("kind == 'sgd'"), x("n == 2 and kind == 'adam'")]);
    assert!(error.contains("is never true"), "{error}");
    let error = refused(vec![Parameter::int("n", 1, 1 << 40), x("n < 0")]);
    assert!(error.contains("is never true"), "{error}");
}

#[test]
fn conditions_speak_of_categories_lists_whole_numbers_fixed_values_and_of_parameters_further_down() {
    let space = SearchSpace::new(vec![
        Parameter::float("a", 0.0, 1.0).when("n in (2, 4) and not flag"),
        Parameter::float("b", 0.0, 1.0).when("size >= 8 or version == 3"),
        Parameter::int("n", 1, 5),
        Parameter::category("flag", [false, true]),
        Parameter::ordered("size", [2, 8, 32]),
        Parameter::fixed("version", 2),
        Parameter::int("in", 0, 1),
        Parameter::float("c", 0.0, 1.0).when("in in (1)"),
    ])
    .unwrap();
    let mut draw = Stream::new(5);
    let mut seen = HashSet::new();
    for _ in 0..400 {
        let point = space.decode(&space.sample(&mut draw));
        let has = |name: &str| point.get(name).is_some();
        assert_eq!(has("a"), [2, 4].contains(&point.i64("n").unwrap()) && !point.bool("flag").unwrap());
        assert_eq!(has("b"), point.i64("size").unwrap() >= 8);
        assert_eq!(has("c"), point.i64("in").unwrap() == 1);
        seen.insert([has("a"), has("b"), has("c")]);
    }
    assert_eq!(seen.len(), 8);
}

#[test]
fn a_condition_is_written_as_when_and_read_back() {
    let space = space();
    let text = serde_json::to_string(&space).unwrap();
    let momentum = r#"{"type":"float","name":"momentum","low":0.0,"high":1.0,"when":"kind == 'sgd'"}"#;
    assert!(text.contains(momentum), "{text}");
    assert_eq!(serde_json::from_str::<SearchSpace>(&text).unwrap(), space);
    // Without conditions, none are written: the bytes are those of old logs.
    let plain = serde_json::to_string(&Parameter::float("x", 0.0, 1.0)).unwrap();
    assert_eq!(plain, r#"{"type":"float","name":"x","low":0.0,"high":1.0}"#);
}

#[test]
fn inactive_coordinates_rest_so_that_keys_and_kernels_see_equal_bits() {
    let space = space();
    let mut draw = Stream::new(9);
    let raw = |draw: &mut Stream| -> Vec<f64> { (0..space.dim()).map(|_| draw.uniform()).collect() };
    for _ in 0..200 {
        let (mut one, mut other) = (raw(&mut draw), raw(&mut draw));
        let active = space.active(&one);
        // The same point except for the parameters that it does not have.
        (0..space.dim()).filter(|k| active[*k]).for_each(|k| other[k] = one[k]);
        assert_eq!(space.key(&one), space.key(&other));
        space.snap(&mut one);
        space.snap(&mut other);
        assert_eq!(one, other);
        // A number is in the middle; a category is between levels, so that it is equally far from each of them.
        let resting: Vec<f64> = (0..space.dim()).filter(|k| !active[*k]).map(|k| one[k]).collect();
        let levels = |k: usize| space.dimensions()[k].levels();
        for (k, rest) in (0..space.dim()).filter(|k| !active[*k]).zip(resting) {
            match space.searched(k) {
                Parameter::Category { .. } => {
                    assert!((0..levels(k).unwrap()).all(|level| space.coordinate(k, level) != rest));
                }
                _ => assert_eq!(rest, 0.5),
            }
        }
    }
}

#[test]
fn the_kernel_between_branches_has_the_values_worked_out_for_it_elsewhere() {
    // s = Σ (x − x')²/ℓ² with an inactive momentum at ½ and a mismatch of 1 between optimizers; Matérn 5/2 of it, in mpmath
    // with 25 digits: lengthscales .4 of the rate, .5 of the mismatch, .3 of the momentum.
    let space = SearchSpace::new(vec![
        Parameter::float("rate", 0.0, 1.0),
        Parameter::category("kind", ["sgd", "adam"]),
        Parameter::float("momentum", 0.0, 1.0).when("kind == 'sgd'"),
    ])
    .unwrap();
    let sgd = |rate: f64, momentum: f64| {
        space.encode(&Point::new().with("rate", rate).with("kind", "sgd").with("momentum", momentum)).unwrap()
    };
    let adam = |rate: f64| space.encode(&Point::new().with("rate", rate).with("kind", "adam")).unwrap();
    let (a, b, c, d) = (sgd(0.2, 0.9), sgd(0.3, 0.6), adam(0.2), adam(0.5));
    let mut hyper = Hyperparameters::new(KernelKind::Matern52, 1.0, vec![0.4, 0.5, 0.3], 0.0);
    hyper.metric = vec![Metric::Distance, Metric::Mismatch, Metric::Distance];
    let x = Points::from_rows(3, a.to_vec()).unwrap();
    let posterior = Posterior::new(&Dataset::new(x, vec![0.0]).unwrap(), hyper).unwrap();
    for (x, y, s, k) in [
        (&a, &b, 1.0625, 0.506_405_353_584_98),
        (&a, &c, 5.777_777_777_777_8, 0.074_127_361_962_859),
        (&c, &d, 0.5625, 0.675_647_800_018_66),
    ] {
        let squared = posterior.squared_distance(x, y);
        assert!((squared - s).abs() < 1e-12 * s, "{squared} {s}");
        let r = (5.0 * squared).sqrt();
        assert!(((1.0 + r + r * r / 3.0) * (-r).exp() - k).abs() < 1e-13);
    }
}

#[test]
fn a_constraint_that_an_inactive_parameter_leaves_undecided_does_not_apply() {
    let space = space().with_constraints(["momentum < 0.5", "kind == 'adam' or n_steps + 10 * momentum < 20"]).unwrap();
    let feasible = |point: Point| space.is_feasible(&space.encode(&point).unwrap());
    let adam = Point::new().with("rate", 0.1).with("kind", "adam").with("beta", 0.9);
    let sgd = |momentum: f64, schedule: &str| {
        let point = Point::new().with("rate", 0.1).with("kind", "sgd").with("momentum", momentum);
        point.with("schedule", schedule).with("nesterov", true)
    };
    assert!(feasible(adam.clone()) && space.broken_constraint(&adam).unwrap().is_none());
    assert!(feasible(sgd(0.4, "flat")) && feasible(sgd(0.4, "steps").with("n_steps", 3)));
    assert!(!feasible(sgd(0.6, "flat")) && !feasible(sgd(0.4, "steps").with("n_steps", 30)));
    assert_eq!(space.broken_constraint(&sgd(0.6, "flat")).unwrap().unwrap().text(), "momentum < 0.5");
    let error = self::space().with_constraints(["momentum + beta == 1"]).unwrap_err();
    assert_eq!(error.what(), "constraint `momentum + beta == 1`: its part `momentum` has a condition");
}

#[test]
fn a_finite_space_with_conditions_has_each_of_its_points_once() {
    let space = SearchSpace::new(vec![
        Parameter::category("kind", ["a", "b", "c"]),
        Parameter::int("n", 1, 4).when("kind != 'c'"),
        Parameter::category("mode", ["x", "y", "z"]).when("n >= 3"),
        Parameter::ordered("size", [1, 2]).when("kind == 'c' or mode == 'x'"),
    ])
    .unwrap();
    let domain = Domain::whole(&space);
    let all: Vec<String> = domain.enumerate().unwrap().map(|u| space.decode(&u).to_string()).collect();
    // By hand: for a and b each 2 + 2 × (2 + 1 + 1), for c 2.
    assert_eq!((all.len(), domain.n_points()), (22, Some(22)));
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), 22);
    // When all have been tried, there are no more.
    let mut study = Study::new(StudyConfig::new(space)).unwrap();
    let mut tried = HashSet::new();
    for i in 0..22 {
        let trial = study.ask(1).unwrap().trials.remove(0);
        assert!(tried.insert(trial.point.to_string()));
        study.tell(trial.id, f64::from(i)).unwrap();
    }
    let rest = study.ask(1).unwrap();
    assert!(rest.trials.is_empty());
    assert_eq!(rest.shortfall.as_deref(), Some("the space has 22 points and all are taken or under way"));
}

#[test]
fn the_design_fills_every_branch_in_proportion_to_its_coordinates() {
    for design in [InitialDesign::Sobol, InitialDesign::LatinHypercube, InitialDesign::Uniform] {
        let mut study = Study::new(StudyConfig::new(space()).initial(20).design(design)).unwrap();
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let mut rates = Vec::new();
        for trial in study.ask(20).unwrap().trials {
            assert_eq!(names(&trial.point), expected_names(&trial.point));
            *counts.entry(names(&trial.point).join(" ")).or_default() += 1;
            if trial.point.str("kind").unwrap() == "adam" {
                rates.push(trial.unit[0]);
            }
        }
        // Rate alone; rate and beta; rate, momentum and one of two schedules; rate, momentum and steps. 1 + d is 2, 3, 4, 4,
        // and 20/13 of these are 3.1, 4.6, 6.2, 6.2.
        let counts: Vec<usize> = counts.into_values().collect();
        assert_eq!(counts, [3, 5, 6, 6]);
        // A branch has its own design: the five rates of one are in different fifths of a Latin hypercube.
        if design == InitialDesign::LatinHypercube {
            let fifths: HashSet<usize> = rates.iter().map(|u| (5.0 * u) as usize).collect();
            assert_eq!(fifths.len(), 5);
        }
    }
}

#[test]
fn a_study_with_conditions_finds_the_best_branch_and_its_log_replays() {
    let mut study = Study::new(StudyConfig::new(space()).seed(4)).unwrap();
    let points = run(&mut study, 40);
    assert!(points.iter().all(|point| names(point) == expected_names(point)));
    let best = study.best().unwrap();
    assert_eq!(names(&best.point), ["rate", "kind", "momentum", "schedule", "n_steps", "nesterov"]);
    assert!(best.value().unwrap() < 0.01, "{:?}", best.value());
    let events: Vec<Event> = study.events().to_vec();
    let text: Vec<String> = events.iter().map(|event| serde_json::to_string(event).unwrap()).collect();
    let adam = text.iter().find(|line| line.contains(r#""kind":"adam""#) && line.contains("asked")).unwrap();
    assert!(!adam.contains("momentum"), "an event names only what its points have: {adam}");
    let read = text.iter().map(|line| serde_json::from_str(line).unwrap());
    let mut again = Study::replay(read).unwrap();
    assert_eq!(again.ask(3).unwrap().trials, study.ask(3).unwrap().trials);
}

#[test]
fn insight_leaves_out_what_a_point_does_not_have() {
    let mut study = Study::new(StudyConfig::new(space()).seed(4)).unwrap();
    run(&mut study, 30);
    assert_eq!(importance(&study).unwrap().rows.len(), 6);
    let recommended = study.recommended().unwrap();
    assert_eq!(names(&recommended.point), expected_names(&recommended.point));
    assert!(!findings(&study, true).is_empty());
    let mut grid = Points::new(6);
    grid.push(&study.best().unwrap().unit);
    assert_eq!(landscape(&study, &[], &grid).unwrap().seen.len(), 1);
}

#[test]
fn an_ask_that_holds_a_parameter_gets_points_that_have_it() {
    let mut study = Study::new(StudyConfig::new(space()).seed(1)).unwrap();
    let hold = |narrowing: Narrowing, study: &mut Study| -> Vec<Point> {
        let ask = Ask::new(4).narrowed(narrowing);
        study.ask(ask).unwrap().trials.into_iter().map(|trial| trial.point.clone()).collect()
    };
    for round in 0..2 {
        let held = hold(Narrowing::new().fix("momentum", 0.5), &mut study);
        assert!(held.iter().all(|point| point.f64("momentum").unwrap() == 0.5), "{round} {held:?}");
        let within = hold(Narrowing::new().within("n_steps", 3, 5), &mut study);
        assert!(within.iter().all(|point| (3..=5).contains(&point.i64("n_steps").unwrap())), "{within:?}");
        let adam = hold(Narrowing::new().fix("kind", "adam"), &mut study);
        assert!(adam.iter().all(|point| names(point) == ["rate", "kind", "beta"]), "{adam:?}");
        run(&mut study, 14);
    }
    let both = Narrowing::new().fix("kind", "adam").fix("momentum", 0.5);
    let error = study.ask(Ask::new(1).narrowed(both)).unwrap_err();
    let what = "parameter `momentum` is held or given a range where its condition `kind == 'sgd'` does not hold";
    assert_eq!(error.what(), what);
}

#[test]
fn conditions_go_with_constraints_contexts_batches_and_failures() {
    let space = SearchSpace::new(optimizer())
        .unwrap()
        .with_constraints(["kind != 'none'", "momentum < 0.8", "schedule != 'flat'"])
        .unwrap();
    let config = StudyConfig::new(space).contexts(["rate"]).seed(2);
    let mut study = Study::new(config).unwrap();
    for round in 0..10 {
        let rate = [0.001, 0.01, 0.1][round % 3];
        let asked = study.ask(Ask::new(3).narrowed(Narrowing::new().fix("rate", rate))).unwrap();
        assert_eq!(asked.trials.len(), 3);
        for (i, trial) in asked.trials.into_iter().enumerate() {
            let point = &trial.point;
            assert_eq!(names(point), expected_names(point));
            assert_eq!(point.f64("rate").unwrap(), rate);
            assert!(point.str("kind").unwrap() != "none");
            assert!(point.get("momentum").is_none_or(|m| m.as_f64().unwrap() < 0.8));
            assert!(point.get("schedule").is_none_or(|s| s.as_str() != Some("flat")));
            if i == 2 && round == 5 {
                study.fail(trial.id, "out of memory").unwrap();
            } else {
                study.tell(trial.id, loss(point)).unwrap();
            }
        }
    }
}

#[test]
fn a_climb_stays_in_its_branch() {
    let space = space();
    let domain = Domain::whole(&space);
    let mut draw = Stream::new(8);
    for _ in 0..50 {
        let mut u = domain.sample(&mut draw).into_vec();
        let before = space.active(&u);
        let resting: Vec<f64> = u.clone();
        // A slope in every coordinate, including those of inactive parameters.
        let mut slope = |u: &[f64], gradient: &mut [f64]| {
            gradient.fill(1.0);
            u.iter().sum()
        };
        domain.climber(50).from(&mut slope, &mut u);
        assert_eq!(space.active(&u), before);
        for k in 0..space.dim() {
            if !before[k] {
                assert_eq!(u[k], resting[k], "inactive");
            } else if space.dimensions()[k].levels().is_none() {
                assert_eq!(u[k], 1.0, "climbed");
            }
        }
    }
}

#[test]
fn a_tree_of_depth_four_and_one_of_a_million_branches_are_answered() {
    // Four levels of three: 81 leaves, each with its own number.
    let mut parameters = vec![Parameter::category("top", ["0", "1", "2"])];
    let mut level = vec![("top".to_owned(), String::new())];
    for depth in 0..3 {
        let mut next = Vec::new();
        for (parent, path) in &level {
            for choice in ["0", "1", "2"] {
                let name = format!("n{depth}{path}{choice}");
                let child = Parameter::category(&name, ["0", "1", "2"]).when(format!("{parent} == '{choice}'"));
                parameters.push(child);
                next.push((name, format!("{path}{choice}")));
            }
        }
        level = next;
    }
    for (parent, path) in &level {
        for choice in ["0", "1", "2"] {
            let leaf = Parameter::float(format!("x{path}{choice}"), 0.0, 1.0);
            parameters.push(leaf.when(format!("{parent} == '{choice}'")));
        }
    }
    answers(SearchSpace::new(parameters).unwrap(), 5);
    let flags = (0..20).map(|i| Parameter::category(format!("f{i}"), [false, true]));
    let below = (0..20).map(|i| Parameter::float(format!("x{i}"), 0.0, 1.0).when(format!("f{i}")));
    answers(SearchSpace::new(flags.chain(below).collect()).unwrap(), 20);
}

/// A study that asks for points with at least this many parameters, until the model chooses.
fn answers(space: SearchSpace, least: usize) {
    let mut study = Study::new(StudyConfig::new(space).initial(6)).unwrap();
    for i in 0..8 {
        let trial = study.ask(1).unwrap().trials.remove(0);
        assert!(trial.point.len() >= least, "{}", trial.point);
        let numbers = trial.point.iter().filter_map(|(_, value)| match value {
            Value::Float(x) => Some((x - 0.3).powi(2)),
            _ => None,
        });
        study.tell(trial.id, numbers.sum::<f64>() + f64::from(i % 3)).unwrap();
    }
}

#[test]
fn a_branch_that_one_of_very_many_settings_leads_to_is_designed_searched_and_held() {
    let rare = |above: Parameter, condition: &str| {
        SearchSpace::new(vec![above, Parameter::float("x", 0.0, 1.0).when(condition), Parameter::float("y", 0.0, 1.0)])
    };
    let kinds = Parameter::category("kind", (0..10_000i64).map(|i| format!("c{i}")));
    let numbers = Parameter::int("n", 1, 1 << 50);
    for space in [rare(kinds, "kind == 'c7777'"), rare(numbers.clone(), "n == 17"), rare(numbers, "not n > 3")] {
        let mut study = Study::new(StudyConfig::new(space.unwrap()).seed(2).initial(4)).unwrap();
        let design = study.ask(4).unwrap().trials;
        assert!(design.iter().any(|trial| trial.point.get("x").is_some()), "{:?}", design[0].point);
        assert!(design.iter().any(|trial| trial.point.get("x").is_none()), "{:?}", design[0].point);
        // The parameter of the rare branch may be held.
        let held = study.ask(Ask::new(3).fix("x", 0.25)).unwrap();
        assert_eq!((held.trials.len(), held.shortfall), (3, None));
        assert!(held.trials.iter().all(|trial| trial.point.f64("x").unwrap() == 0.25));
    }
    // Fourteen at once, and a chain in which each must be the second of two.
    let all: Vec<String> = (0..14).map(|i| format!("k{i} == 'b'")).collect();
    let mut parameters: Vec<Parameter> = (0..14).map(|i| Parameter::category(format!("k{i}"), ["a", "b"])).collect();
    parameters.push(Parameter::float("x", 0.0, 1.0).when(all.join(" and ")));
    let mut chain = vec![Parameter::category("k0", ["a", "b"])];
    chain.extend((1..14).map(|i| Parameter::category(format!("k{i}"), ["a", "b"]).when(all[i - 1].clone())));
    chain.push(Parameter::float("x", 0.0, 1.0).when(all[13].clone()));
    for parameters in [parameters, chain] {
        let mut study = Study::new(StudyConfig::new(SearchSpace::new(parameters).unwrap()).seed(2)).unwrap();
        let held = study.ask(Ask::new(3).within("x", 0.2, 0.4)).unwrap().trials;
        assert!(held.len() == 3 && held.iter().all(|trial| trial.point.str("k13").unwrap() == "b"));
    }
}
