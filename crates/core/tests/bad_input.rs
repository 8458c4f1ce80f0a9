//! Input that could break a study, through the public interface with the default strategy: each case ends in a plain
//! result or in an error that says what is wrong and what to try; and if a model can be used, it is used.

use elbowroom::batch::{AcquisitionKind, Believer, LocalPenalization, MaximumRule, Refit};
use elbowroom::error::{Error, Kind};
use elbowroom::gp::Prior;
use elbowroom::problems::Problem;
use elbowroom::rng::Stream;
use elbowroom::space::{Parameter, Point, SearchSpace};
use elbowroom::study::{
    Goal, HyperparameterRule, ModelConfig, ScaleRule, Source, StrategyConfig, Study, StudyConfig, Suggestion, Tell,
    Told, Trial,
};

fn space(parameters: Vec<Parameter>) -> SearchSpace {
    SearchSpace::new(parameters).unwrap()
}

fn square() -> SearchSpace {
    space(vec![Parameter::float("x", 0.0, 1.0), Parameter::float("y", -2.0, 2.0)])
}

fn unit_square() -> SearchSpace {
    space(["x", "y"].map(|name| Parameter::float(name, 0.0, 1.0)).to_vec())
}

fn study(space: SearchSpace) -> Study {
    Study::new(StudyConfig::new(space).seed(1)).unwrap()
}

fn at(trial: &Trial, name: &str) -> f64 {
    trial.point.get(name).unwrap().as_f64().unwrap()
}

/// Asks for the whole design and reports values by number.
fn told(mut study: Study, value: impl Fn(usize, &Trial) -> f64) -> Study {
    let n = study.config().n_initial();
    for (i, trial) in study.ask(n).unwrap().trials.iter().enumerate() {
        assert_eq!(study.tell(trial.id, value(i, trial)).unwrap(), Told::Recorded);
    }
    study
}

/// The next q points, which must all come from the model, be different and be in the space; from the design if all results
/// are equal.
fn expect_model(name: &str, study: &Study, q: usize) -> Suggestion {
    let mut values = study.trials().iter().filter_map(Trial::value);
    let first = values.next();
    let is_flat = study.n_observed() > 1 && values.all(|value| Some(value) == first);
    let source = if is_flat { Source::Design } else { Source::Model };
    let next = study.suggest(q).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(next.provenance.fallback, None, "{name}");
    assert_eq!(next.shortfall, None, "{name}");
    assert_eq!(next.trials.len(), q, "{name}");
    for (i, trial) in next.trials.iter().enumerate() {
        assert_eq!(trial.source, source, "{name}: point {i} of {}", next.trials.len());
        study.space().check(&trial.point).unwrap();
        assert!(next.trials[..i].iter().all(|other| other.point != trial.point), "{name}: the same point twice");
    }
    assert_eq!(next.provenance.model.is_some(), !is_flat, "{name}");
    next
}

/// What an error must contain: the facts, and a hint on a separate line.
fn assert_helpful(error: &Error, words: &[&str]) {
    let text = error.to_string();
    for word in words {
        assert!(text.contains(word), "`{word}` is missing in: {text}");
    }
    assert!(text.contains("\n  try: "), "no hint in: {text}");
}

#[test]
fn values_of_any_size_are_modelled() {
    let max = f64::MAX;
    type Values = Box<dyn Fn(usize) -> f64>;
    let table: Vec<(&str, Values)> = vec![
        ("constant", Box::new(|_| 3.5)),
        ("constant zero", Box::new(|_| 0.0)),
        ("constant 1e300", Box::new(|_| 1e300)),
        ("constant −1e300", Box::new(|_| -1e300)),
        ("constant 1e-300", Box::new(|_| 1e-300)),
        ("constant f64::MAX", Box::new(move |_| max)),
        ("sizes of 1e300", Box::new(|i| 1e300 * (i as f64 - 2.5))),
        ("sizes of 1e-300", Box::new(|i| 1e-300 * (i as f64 - 2.5))),
        ("subnormal", Box::new(|i| 5e-324 * i as f64)),
        ("both ends of the numbers", Box::new(move |i| if i % 2 == 0 { max } else { -max })),
        ("decades", Box::new(|i| 10f64.powi(60 * i as i32 - 150))),
        ("decades of both signs", Box::new(|i| (-1f64).powi(i as i32) * 10f64.powi(100 * (i as i32 - 3)))),
        ("one outlier", Box::new(|i| if i == 3 { 1e300 } else { i as f64 })),
        ("one tiny value among ones", Box::new(|i| if i == 3 { 1e-300 } else { 1.0 })),
        ("almost constant", Box::new(|i| 1.0 + 1e-15 * i as f64)),
        ("almost constant and huge", Box::new(|i| 1e300 * (1.0 + 1e-13 * i as f64))),
        ("almost constant and large", Box::new(|i| 1e20 * (1.0 + 1e-14 * i as f64))),
    ];
    for (name, value) in table {
        for goal in [Goal::Minimize, Goal::Maximize] {
            let new = Study::new(StudyConfig::new(square()).seed(3).goal(goal)).unwrap();
            let study = told(new, |i, _| value(i));
            expect_model(name, &study, 4);
            let model = study.model().unwrap();
            let p = model.posterior.predict(&[0.3, 0.6]);
            // The model works on values of size 1, whatever was reported.
            assert!(p.mean.abs() < 1e3 && p.variance > 0.0 && p.variance < 1e6, "{name}: {p:?}");
            let best = study.recommended().unwrap();
            assert!(best.mean.is_finite() && best.sd.is_finite() && best.sd >= 0.0, "{name}: {best:?}");
        }
    }
}

#[test]
fn one_observation_is_enough_to_go_on() {
    let mut one = Study::new(StudyConfig::new(square()).initial(1)).unwrap();
    let trial = one.ask(1).unwrap().trials.remove(0);
    one.tell(trial.id, 2.0).unwrap();
    expect_model("one observation", &one, 3);

    // With a larger design the design continues.
    let mut study = study(square());
    let trial = study.ask(1).unwrap().trials.remove(0);
    study.tell(trial.id, 2.0).unwrap();
    assert!(study.suggest(3).unwrap().trials.iter().all(|t| t.source == Source::Design));
}

#[test]
fn different_values_at_the_same_point_are_noise() {
    // By adding the same point again, and by reporting a trial more than once.
    let mut added = study(square());
    for (i, value) in [1.0, 2.0, -1.0, 5.0, 5.0, 1e3].into_iter().enumerate() {
        let x = 0.25 * (i % 2) as f64;
        added.add(&Point::new().with("x", x).with("y", 0.5), value).unwrap();
    }
    expect_model("added twice", &added, 4);

    let mut replicated = told(study(square()), |i, _| i as f64);
    for i in 0..6 {
        let id = replicated.trials()[i].id;
        assert_eq!(replicated.tell(id, -3.0).unwrap(), Told::Replicate);
    }
    expect_model("replicates", &replicated, 4);

    let repeats = Study::new(StudyConfig::new(square()).repeats(true)).unwrap();
    let mut repeats = told(repeats, |i, _| (i % 3) as f64);
    for _ in 0..3 {
        for trial in repeats.ask(3).unwrap().trials {
            repeats.tell(trial.id, at(&trial, "x")).unwrap();
        }
    }
    expect_model("repeats allowed", &repeats, 4);
}

#[test]
fn what_is_not_a_number_is_a_failure_and_the_rest_is_modelled() {
    let mut s = study(square());
    let trials = s.ask(6).unwrap().trials;
    for (trial, value) in trials.iter().zip([f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1.0, 2.0, 0.5]) {
        let want = if value.is_finite() { Told::Recorded } else { Told::NotFinite };
        assert_eq!(s.tell(trial.id, value).unwrap(), want);
    }
    assert_eq!(s.n_observed(), 3);
    let next = expect_model("after NaN", &s, 4);
    for failed in &trials[..3] {
        assert!(next.trials.iter().all(|t| t.point != failed.point));
    }
    for noise in [f64::NAN, f64::INFINITY, -1.0] {
        assert_helpful(&s.tell(trials[0].id, Tell::new(1.0).noise(noise)).unwrap_err(), &["trial 0", "noise variance"]);
    }
    assert_helpful(&s.add(&Point::new().with("x", f64::NAN).with("y", 0.0), 1.0).unwrap_err(), &["`x`"]);
    assert_helpful(&s.add(&Point::new().with("x", 7.0).with("y", 0.0), 1.0).unwrap_err(), &["`x`", "7"]);
}

#[test]
fn a_space_of_twelve_points_ends_with_its_twelfth() {
    let dozen = space(vec![Parameter::int("i", 0, 3), Parameter::category("c", ["a", "b", "c"])]);
    let mut s = study(dozen);
    let first = s.ask(10).unwrap();
    assert_eq!((first.trials.len(), first.shortfall), (10, None));
    for (i, trial) in first.trials.iter().enumerate() {
        s.tell(trial.id, i as f64).unwrap();
    }
    let second = s.suggest(10).unwrap();
    assert_eq!(second.trials.len(), 2);
    assert!(second.shortfall.as_ref().unwrap().contains("12 points"), "{:?}", second.shortfall);
    assert_eq!(second.provenance.fallback, None);
    assert!(second.trials.iter().all(|t| t.source == Source::Model), "{:?}", second.trials);
    s.ask(10).unwrap();
    let third = s.ask(10).unwrap();
    assert!(third.trials.is_empty() && third.shortfall.is_some());
    // The recommendation is still one of the twelve.
    assert!(s.recommended().is_some());
}

#[test]
fn a_hundred_dimensions_and_twenty_observations_give_a_batch() {
    let wide = space((0..100).map(|i| Parameter::float(format!("x{i}"), -5.0, 5.0)).collect());
    let s = Study::new(StudyConfig::new(wide).initial(20)).unwrap();
    let s = told(s, |_, t| (0..100).map(|i| at(t, &format!("x{i}")).powi(2)).sum());
    let next = expect_model("d = 100", &s, 4);
    for trial in &next.trials {
        for (name, value) in trial.point.iter() {
            let value = value.as_f64().unwrap();
            assert!((-5.0..=5.0).contains(&value), "{name} is {value}");
        }
    }
}

#[test]
fn parameters_of_one_value_are_no_hindrance() {
    let with = space(vec![
        Parameter::category("only", ["one"]),
        Parameter::float("equal", 2.0, 2.0),
        Parameter::int("same", 4, 4),
        Parameter::float("x", 0.0, 1.0),
    ]);
    assert_eq!(with.dim(), 1);
    let s = told(study(with), |_, t| at(t, "x").sin());
    for trial in expect_model("one value", &s, 3).trials {
        assert_eq!(trial.point.get("equal").unwrap().as_f64(), Some(2.0));
    }
    // Nothing is searched: one point, then none.
    let mut s = study(space(vec![Parameter::category("only", ["one"])]));
    let first = s.ask(3).unwrap();
    assert_eq!(first.trials.len(), 1);
    s.tell(first.trials[0].id, 1.0).unwrap();
    let second = s.ask(1).unwrap();
    assert!(second.trials.is_empty() && second.shortfall.unwrap().contains("1 point"));
    assert!(s.recommended().is_some());
}

#[test]
fn spaces_that_cannot_be_are_refused_with_a_hint() {
    for (parameter, words) in [
        (Parameter::float("x", 1.0, 0.0), vec!["`x`", "1", "0"]),
        (Parameter::int("x", 3, 2), vec!["`x`", "3", "2"]),
        (Parameter::float("x", f64::NEG_INFINITY, 0.0), vec!["`x`"]),
        (Parameter::float("x", 0.0, f64::INFINITY), vec!["`x`"]),
        (Parameter::float("x", f64::NAN, 1.0), vec!["`x`"]),
        (Parameter::float("x", 0.0, 1.0).log(), vec!["`x`", "log"]),
        (Parameter::float("x", -1.0, 1.0).log(), vec!["`x`", "log"]),
        (Parameter::category("x", Vec::<&str>::new()), vec!["`x`"]),
        (Parameter::category("x", ["a", "a"]), vec!["`x`", "a"]),
        (Parameter::ordered("x", Vec::<f64>::new()), vec!["`x`"]),
        (Parameter::ordered("x", [1.0, f64::NAN]), vec!["`x`"]),
    ] {
        let what = format!("{parameter:?}");
        let error = SearchSpace::new(vec![parameter]).expect_err(&what);
        assert_helpful(&error, &words);
    }
    assert_helpful(&SearchSpace::new(vec![]).unwrap_err(), &["no parameters"]);
    assert_helpful(&square().with_constraints(["x +"]).unwrap_err(), &["x +"]);
    assert_helpful(&square().with_constraints(["z < 1"]).unwrap_err(), &["z"]);
}

#[test]
fn an_empty_batch_and_an_immense_one_are_refused() {
    let mut s = told(study(square()), |i, _| i as f64);
    assert_helpful(&s.ask(0).unwrap_err(), &["0"]);
    assert_helpful(&s.suggest(0).unwrap_err(), &["0"]);
    assert_helpful(&s.ask(usize::MAX).unwrap_err(), &["batch"]);
    assert_helpful(&Study::new(StudyConfig::new(square()).initial(0)).unwrap_err(), &["0"]);
    assert_helpful(&Study::new(StudyConfig::new(square()).budget(0)).unwrap_err(), &["budget", "0"]);
}

#[test]
fn failures_and_infeasible_points_alone_leave_the_study_searching() {
    for infeasible in [false, true] {
        let mut s = study(square());
        for round in 0..3 {
            let asked = s.ask(4).unwrap();
            assert_eq!(asked.trials.len(), 4, "{round}");
            for trial in asked.trials {
                if infeasible {
                    s.infeasible(trial.id, "too hot").unwrap();
                } else {
                    s.fail(trial.id, "crashed").unwrap();
                }
            }
        }
        assert_eq!(s.n_observed(), 0);
        let next = s.suggest(2).unwrap();
        // There is no model of values, and the study has only learned where not to search.
        assert!(next.trials.len() == 2 && next.provenance.fallback.unwrap().contains("too few values"));
        assert!(s.recommended().is_none() && s.best().is_none());
        // Two results later there is a model of them, which does not include trials without a value.
        for trial in s.ask(2).unwrap().trials {
            s.tell(trial.id, at(&trial, "x")).unwrap();
        }
        expect_model("after failures", &s, 2);
        let n = s.model().unwrap().posterior.n_data();
        assert_eq!(n, 2);
    }
}

#[test]
fn fifty_points_can_be_pending_on_few_results() {
    let mut s = told(study(square()), |_, t| at(t, "x") - at(t, "y"));
    let mut points: Vec<Point> = s.trials().iter().map(|t| t.point.clone()).collect();
    for _ in 0..50 {
        expect_model("one more pending", &s, 1);
        let asked = s.ask(1).unwrap();
        assert!(!points.contains(&asked.trials[0].point));
        points.push(asked.trials[0].point.clone());
    }
    assert_eq!(s.pending().count(), 50);
    // With one result the design continues for as long as points are requested.
    let mut one = study(square());
    let first = one.ask(1).unwrap().trials.remove(0);
    one.tell(first.id, 1.0).unwrap();
    for _ in 0..50 {
        assert_eq!(one.ask(1).unwrap().trials.len(), 1);
    }
    assert_eq!(one.suggest(1).unwrap().provenance.fallback, None);
}

#[test]
fn told_noise_of_any_size_is_modelled() {
    type ByNumber = fn(usize) -> f64;
    let table: Vec<(&str, ByNumber, ByNumber)> = vec![
        ("none", |i| i as f64, |_| 0.0),
        ("none, constant values", |_| 1.0, |_| 0.0),
        ("little", |i| i as f64, |_| 1e-300),
        ("much", |i| i as f64, |_| 1e6),
        ("immense", |i| i as f64, |_| 1e300),
        ("as large as numbers go", |i| 0.1 * i as f64, |_| f64::MAX),
        ("mixed", |i| i as f64, |i| if i % 2 == 0 { 0.0 } else { 1e300 }),
        ("1 for values of 1e-300", |i| 1e-300 * i as f64, |_| 1.0),
        ("1 for values of 1e300", |i| 1e300 * i as f64, |_| 1.0),
        ("immense, constant values", |_| 2.0, |_| 1e300),
    ];
    for (name, value, noise) in table {
        let mut s = study(square());
        for (i, trial) in s.ask(6).unwrap().trials.iter().enumerate() {
            s.tell(trial.id, Tell::new(value(i)).noise(noise(i))).unwrap();
        }
        expect_model(&format!("noise: {name}"), &s, 3);
        let best = s.recommended().unwrap();
        assert!(best.mean.is_finite() && best.sd.is_finite(), "{name}: {best:?}");
    }

    // Exact results with two values at one point: a contradiction, which must not break anything.
    let mut s = told(study(square()), |i, _| i as f64);
    let id = s.trials()[0].id;
    s.tell(id, Tell::new(5.0).noise(0.0)).unwrap();
    s.tell(id, Tell::new(-5.0).noise(0.0)).unwrap();
    expect_model("contradicting values without noise", &s, 3);
}

/// One value with a large standard deviation among sixteen exact ones: what is known of one says nothing of the others.
#[test]
fn a_known_noise_is_that_of_its_value_alone() {
    let mut s = study(unit_square());
    for i in 0..16 {
        let (x, y) = (0.1 + 0.25 * f64::from(i / 4), 0.05 + 0.28 * f64::from(i % 4));
        s.add(&Point::new().with("x", x).with("y", y), (x - 0.8).powi(2) + (y - 0.3).powi(2)).unwrap();
    }
    let alone = s.recommended().unwrap();
    let sixteen = s.trials().iter().filter_map(Trial::value).fold(f64::INFINITY, f64::min);
    s.add(&Point::new().with("x", 0.1).with("y", 0.9), Tell::new(0.4).noise(0.25)).unwrap();
    let with = s.recommended().unwrap();
    assert_eq!(with.point, alone.point);
    assert!((with.mean - sixteen).abs() < 1e-3 && with.sd < 0.01, "{with:?}");
    // Nor is a small one that of the others, whose noise is found as if it were not there.
    let noise_of_signal = |known: Option<f64>| {
        let (mut s, mut stream) = (study(unit_square()), Stream::new(3));
        for i in 0..24 {
            let point = Point::new().with("x", stream.uniform()).with("y", stream.uniform());
            let value = point.get("x").unwrap().as_f64().unwrap() + 0.3 * stream.normal();
            let tell = known.filter(|_| i == 0).map_or(Tell::new(value), |variance| Tell::new(value).noise(variance));
            s.add(&point, tell).unwrap();
        }
        let model = s.model().unwrap();
        model.posterior.hyper().noise.typical().sqrt() / model.posterior.hyper().variance.sqrt()
    };
    let (with, without) = (noise_of_signal(Some(1e-8)), noise_of_signal(None));
    assert!((with / without).ln().abs() < 0.7, "{with}, and {without} if none is known");
}

/// Most of the square has the same value; the rest is a well of a sixteenth of it. Searches by a model of equal values went
/// to the corners and stayed there.
#[test]
fn while_all_results_are_equal_points_are_spread() {
    let mut found = 0;
    for seed in 0..8 {
        let mut s = Study::new(StudyConfig::new(unit_square()).seed(seed)).unwrap();
        for _ in 0..40 {
            let trial = s.ask(1).unwrap().trials.remove(0);
            let distance = (at(&trial, "x") - 0.3).powi(2) + (at(&trial, "y") - 0.6).powi(2);
            s.tell(trial.id, if distance < 0.02 { distance } else { 1e6 }).unwrap();
        }
        found += usize::from(s.best().and_then(Trial::value).is_some_and(|best| best < 0.02));
    }
    assert!(found >= 7, "{found} of 8");
}

#[test]
fn maximizing_is_minimizing_the_negative() {
    let run = |goal: Goal, sign: f64| {
        let mut s = Study::new(StudyConfig::new(square()).seed(5).goal(goal)).unwrap();
        let mut points = Vec::new();
        for _ in 0..4 {
            for trial in s.ask(4).unwrap().trials {
                let f = (5.0 * at(&trial, "x")).sin() + at(&trial, "y").powi(2);
                s.tell(trial.id, sign * f).unwrap();
                points.push(trial.point);
            }
        }
        assert_eq!(s.suggest(1).unwrap().trials[0].source, Source::Model);
        let best = s.recommended().unwrap();
        (points, best.point, sign * best.mean, best.sd)
    };
    assert_eq!(run(Goal::Minimize, 1.0), run(Goal::Maximize, -1.0));
}

#[test]
fn a_logarithm_over_thirty_decades_is_searched_like_any_other() {
    let decades = space(vec![Parameter::float("rate", 1e-15, 1e15).log(), Parameter::float("x", 0.0, 1.0)]);
    let mut s = study(decades);
    let mut best = f64::INFINITY;
    for _ in 0..6 {
        for trial in s.ask(5).unwrap().trials {
            let rate = at(&trial, "rate");
            assert!((1e-15..=1e15).contains(&rate));
            let value = (rate.log10() - 7.0).powi(2) / 10.0 + at(&trial, "x");
            best = best.min(value);
            s.tell(trial.id, value).unwrap();
        }
    }
    expect_model("thirty decades", &s, 5);
    // A parabola in the exponent: found within a decade.
    assert!(best < 0.2, "{best}");
}

#[test]
fn long_runs_on_a_discrete_space_use_the_model_to_the_end() {
    // Every point of a space of 60, three at a time: random points only when there is nothing else.
    let small = space(vec![Parameter::int("i", 0, 9), Parameter::category("c", ["a", "b", "c", "d", "e", "f"])]);
    let mut s = study(small);
    let mut n = 0;
    loop {
        let asked = s.ask(3).unwrap();
        for trial in &asked.trials {
            assert!(n < s.config().n_initial() || trial.source == Source::Model, "{:?}", trial);
            s.tell(trial.id, (at(trial, "i") - 3.0).powi(2)).unwrap();
            n += 1;
        }
        if asked.trials.len() < 3 {
            break;
        }
    }
    assert_eq!(n, 60);
}

#[test]
fn functions_with_huge_ranges_are_still_modelled_after_many_results() {
    // Goldstein and Price's function spans five decades, Rosenbrock's four.
    for problem in [Problem::goldstein_price(), Problem::rosenbrock(4)] {
        let parameters = problem.bounds.iter().enumerate().map(|(i, b)| Parameter::float(format!("x{i}"), b.0, b.1));
        let mut s = study(space(parameters.collect()));
        for _ in 0..6 {
            for trial in s.ask(6).unwrap().trials {
                let x: Vec<f64> = (0..problem.dim()).map(|i| at(&trial, &format!("x{i}"))).collect();
                s.tell(trial.id, 1e280 * problem.value(&x)).unwrap();
            }
        }
        expect_model(&problem.name, &s, 6);
    }
}

#[test]
fn settings_out_of_their_range_are_refused_by_name() {
    let model = |change: &dyn Fn(&mut ModelConfig)| {
        let mut model = ModelConfig::default();
        change(&mut model);
        StudyConfig::new(square()).model(model)
    };
    let fixed = |variance, lengthscales: &[f64], noise| {
        let lengthscales = lengthscales.to_vec();
        let rule = HyperparameterRule::Fixed { variance, lengthscales, noise };
        model(&|m| m.hyperparameters = rule.clone())
    };
    let strategy = |change: &dyn Fn(&mut LocalPenalization)| {
        let mut strategy = LocalPenalization::default();
        change(&mut strategy);
        StudyConfig::new(square()).strategy(StrategyConfig::LocalPenalization(strategy))
    };
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    let likelihood = |starts| model(&|m| m.hyperparameters = HyperparameterRule::MaximumLikelihood { starts });
    let of_all = |starts| model(&|m| m.hyperparameters = HyperparameterRule::MaximumLikelihoodOfAll { starts });
    let refit = |noise_floor| {
        let refit = Refit::MaximumLikelihoodOfAll { ard: false, starts: 10, noise_floor };
        StudyConfig::new(square()).strategy(StrategyConfig::Believer(Believer { refit, ..Believer::default() }))
    };
    let noise_prior = |prior| model(&|m| m.noise_prior = prior);
    let ucb = |kappa| strategy(&|s| s.acquisition = AcquisitionKind::Ucb { kappa });
    for (config, words) in [
        (fixed(1.0, &[0.2, -0.1], 0.0), "model.hyperparameters: lengthscale 1 is -0.1"),
        (fixed(1.0, &[nan, 0.1], 0.0), "model.hyperparameters: lengthscale 0 is NaN"),
        (fixed(1.0, &[0.2], 0.0), "model.hyperparameters: 1 lengthscales"),
        (fixed(0.0, &[0.2, 0.2], 0.0), "model.hyperparameters: the kernel variance is 0"),
        (fixed(1.0, &[0.2, 0.2], -1.0), "-1"),
        (likelihood(0), "model.hyperparameters: maximum likelihood with 0 starts"),
        (likelihood(usize::MAX), "model.hyperparameters"),
        (of_all(0), "model.hyperparameters: maximum likelihood with 0 starts"),
        (of_all(1001), "model.hyperparameters: 1001 random starts"),
        (refit(nan), "strategy.refit: the noise floor is NaN"),
        (strategy(&|s| s.safeguards.starts = 0), "strategy.safeguards.starts is 0"),
        (strategy(&|s| s.safeguards.climb_evaluations = 100_000), "strategy.safeguards.climb_evaluations is 100000"),
        (model(&|m| m.kernels.clear()), "model.kernels is empty"),
        (model(&|m| m.noise = Some(nan)), "model.noise is NaN"),
        (model(&|m| m.noise_floor = inf), "model.noise_floor is inf"),
        (model(&|m| m.noise_floor = nan), "model.noise_floor is NaN"),
        (model(&|m| m.noise_floor = -1e-9), "model.noise_floor is -"),
        (noise_prior(Prior::LogNormal { mu: 0.0, sigma: 0.0 }), "model.noise_prior"),
        (noise_prior(Prior::Gamma { shape: 2.0, rate: nan }), "model.noise_prior"),
        (ucb(nan), "strategy.acquisition: kappa is NaN"),
        (ucb(-1.0), "strategy.acquisition: kappa is -1"),
        (strategy(&|s| s.maximum = MaximumRule::Given(nan)), "strategy.maximum is NaN"),
    ] {
        let error = Study::new(config).expect_err(words);
        assert!(error.kind() == Kind::Config, "{error}");
        assert_helpful(&error, &[words]);
    }
    for config in [model(&|m| m.noise_floor = 0.0), fixed(1.0, &[0.2, 0.2], 0.0), ucb(0.0), likelihood(1)] {
        config.validate().expect("a setting at the end of its range");
    }
}

#[test]
fn a_space_of_categories_alone_is_searched_by_the_model_and_not_in_order() {
    // 6 × 6 × 6 × 6 points. The function is a sum of the four levels, so that the model knows it after a few results:
    // the test is whether the batch's further points follow the score and not the order of enumeration.
    let names = ["a", "b", "c", "d"];
    let mut n_best = 0;
    for seed in 0..5 {
        let parameters = names.map(|name| Parameter::category(name, 0..6)).to_vec();
        let mut study = Study::new(StudyConfig::new(space(parameters)).seed(seed)).unwrap();
        for _ in 0..5 {
            for trial in study.ask(10).unwrap().trials {
                let levels = names.map(|name| (at(&trial, name) + 2.0) % 6.0);
                study.tell(trial.id, levels.iter().sum::<f64>()).unwrap();
            }
        }
        n_best += usize::from(study.best().unwrap().value() == Some(0.0));
    }
    assert!(n_best >= 4, "the best of 1296 points was found by {n_best} of 5 runs of 50");
}

#[test]
fn results_without_a_noise_of_their_own_have_the_configured_one() {
    let model = ModelConfig { noise: Some(4.0), scale: ScaleRule::Standardized, ..ModelConfig::default() };
    let mut study = Study::new(StudyConfig::new(square()).model(model)).unwrap();
    let trials = study.ask(4).unwrap().trials;
    for (i, trial) in trials.iter().enumerate() {
        let report = Tell::new(10.0 * i as f64);
        study.tell(trial.id, if i == 0 { report.noise(1.0) } else { report }).unwrap();
    }
    let model = study.model().unwrap();
    let noise = &model.posterior.hyper().noise;
    // Scaling the results scales all variances equally, so the ratios stay.
    for i in 1..4 {
        let ratio = noise.variance(i) / noise.variance(0);
        assert!((ratio - 4.0).abs() < 1e-12, "{i}: {ratio}");
    }
}

#[test]
fn results_that_are_only_centred_are_modelled_at_any_size() {
    let model = ModelConfig { scale: ScaleRule::Centred, ..ModelConfig::default() };
    for size in [1e300, 1e60, 1e40, 1.0, 1e-40, 1e-300] {
        let mut study = Study::new(StudyConfig::new(square()).model(model.clone()).seed(3)).unwrap();
        for trial in study.ask(8).unwrap().trials {
            study.tell(trial.id, size * ((at(&trial, "x") - 0.3).powi(2) + at(&trial, "y").powi(2) - 2.0)).unwrap();
        }
        expect_model(&format!("size {size}"), &study, 3);
        let recommended = study.recommended().unwrap();
        // The smallest value is −2 sizes, in the middle of the space.
        assert!((-2.2..-1.5).contains(&(recommended.mean / size)), "size {size}: {recommended:?}");
        // In the results' own units, the deviation of the prior has their size; the hyperparameters do not depend on
        // it.
        let hyper = study.model().unwrap().posterior.hyper().clone();
        let own = if (1e-50..=1e50).contains(&size) { size } else { 1.0 };
        assert!((0.03..30.0).contains(&(hyper.variance.sqrt() / own)), "size {size}: {hyper:?}");
        assert_eq!(hyper.mean, 0.0);
    }
}

#[test]
fn results_that_are_only_centred_are_the_values_of_the_model() {
    let given = HyperparameterRule::Fixed { variance: 1.0, lengthscales: vec![0.3, 0.3], noise: 1e-6 };
    let model = ModelConfig { scale: ScaleRule::Centred, hyperparameters: given, ..ModelConfig::default() };
    let mut study = Study::new(StudyConfig::new(square()).model(model)).unwrap();
    for (trial, value) in study.ask(4).unwrap().trials.iter().zip([10.0, 20.0, 40.0, 50.0]) {
        study.tell(trial.id, value).unwrap();
    }
    // Values are minimized by default, so the model maximizes their negatives; the mean is 30.
    assert_eq!(study.model().unwrap().posterior.values(), [20.0, 10.0, -10.0, -20.0]);
}

#[test]
fn a_huge_batch_takes_its_first_points_from_the_model_and_spreads_the_rest() {
    use elbowroom::study::Source;
    let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0), Parameter::float("y", 0.0, 1.0)]).unwrap();
    let mut study = Study::new(StudyConfig::new(space).seed(3)).unwrap();
    for trial in study.ask(6).unwrap().trials {
        study.tell(trial.id, trial.unit[0]).unwrap();
    }
    let asked = study.ask(1000).unwrap();
    assert_eq!(asked.trials.len(), 1000);
    let from = |source: Source| asked.trials.iter().filter(|t| t.source == source).count();
    assert!(from(Source::Model) >= 100 && from(Source::Design) >= 700);
}

#[test]
fn a_misspelled_setting_is_refused() {
    let bad: Result<elbowroom::study::ModelConfig, _> = serde_json::from_str(r#"{"noise_flor":1e-6}"#);
    assert!(bad.unwrap_err().to_string().contains("noise_flor"));
    let text = r#"{"name":"local_penalization","shrnk":false}"#;
    let bad: Result<elbowroom::study::StrategyConfig, _> = serde_json::from_str(text);
    assert!(bad.unwrap_err().to_string().contains("shrnk"));
}

#[test]
fn a_point_that_failed_is_not_recommended() {
    let space = SearchSpace::new(vec![Parameter::int("n", 0, 9)]).unwrap();
    let mut study = Study::new(StudyConfig::new(space).seed(1).initial(6)).unwrap();
    // The values decrease towards n = 9, which always fails.
    for _ in 0..10 {
        for trial in study.ask(1).unwrap().trials {
            let n = trial.point.get("n").unwrap().as_i64().unwrap();
            if n == 9 {
                study.fail(trial.id, "it broke").unwrap();
            } else {
                study.tell(trial.id, -(n as f64)).unwrap();
            }
        }
    }
    let n = study.recommended().unwrap().point.get("n").unwrap().as_i64().unwrap();
    assert_eq!(n, 8);
}
