//! A recommended point is one that may be used: in a study in which nonsense was once reported, and in small ones whose
//! objective is known.
//!
//! `data/recommended_nonsense.jsonl` is the log of a study that trained a network: it diverges at high rates, and
//! values go from 0.02 to 48. After 326 of its events the recommended point had a rate of 1.83, where training fails,
//! and an expected loss of −0.815 ± 0.031.

use elbowroom::domain::Narrowing;
use elbowroom::insight::{findings, results_ahead};
use elbowroom::rng::Stream;
use elbowroom::space::{Parameter, Point, SearchSpace};
use elbowroom::study::{Event, HyperparameterRule, ModelConfig, Study, StudyConfig, TrialState};

/// Whether the finished trial nearest to a point failed, in the unit cube.
fn nearest_failed(study: &Study, point: &Point) -> bool {
    let unit = study.space().encode(point).unwrap();
    let squared = |other: &[f64]| other.iter().zip(unit.iter()).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    let finished = study.trials().iter().filter(|t| !t.is_pending() && t.state != TrialState::Withdrawn);
    let nearest = finished.min_by(|a, b| squared(&a.unit).total_cmp(&squared(&b.unit)));
    nearest.is_some_and(|t| t.value().is_none())
}

/// The expected value is believable, and the nearest trial did not fail.
fn check(study: &Study, place: &str) {
    let Some(found) = study.recommended() else { return };
    let best = study.best().unwrap().value().unwrap();
    let error = study.model().unwrap().leave_one_out().error;
    assert!(found.mean >= best - error, "{place}: {found:?}, where {best} is the best and {error} the error");
    assert!(!nearest_failed(study, &found.point), "{place}: {found:?}");
}

#[test]
fn no_prefix_of_the_log_recommends_what_it_has_no_ground_for() {
    let text = include_str!("data/recommended_nonsense.jsonl");
    let mut events = text.lines().map(|line| serde_json::from_str::<Event>(line).unwrap());
    let mut study = Study::replay([events.next().unwrap()]).unwrap();
    let windows = [1..23, 194..198, 266..274, 322..330, 350..358, 374..378];
    for (i, event) in events.enumerate() {
        let k = i + 2;
        let changes = !matches!(event, Event::Asked { .. });
        study.apply(event).unwrap();
        if changes && (k % 25 == 0 || windows.iter().any(|w| w.contains(&k))) {
            check(&study, &format!("{k} events"));
        }
    }
}

/// The true values of the recommended and the best observed point after each report of a study with four workers;
/// `None` if the evaluation fails.
fn states(space: SearchSpace, noise: f64, seed: u64, truth: &dyn Fn(&Point) -> Option<f64>) -> Vec<(f64, f64)> {
    let mut study = Study::new(StudyConfig::new(space).seed(seed)).unwrap();
    let mut draw = Stream::new(seed).child("workers", 0);
    let (mut pending, mut states) = (Vec::new(), Vec::new());
    for _ in 0..36 {
        while pending.len() < 4 {
            pending.extend(study.ask(1).unwrap().trials);
        }
        let trial = pending.swap_remove(draw.below(4));
        match truth(&trial.point) {
            Some(value) => drop(study.tell(trial.id, value + noise * draw.normal()).unwrap()),
            None => study.fail(trial.id, "diverged").unwrap(),
        }
        check(&study, &format!("seed {seed}, {} results", study.n_observed()));
        if let (Some(found), Some(best)) = (study.recommended(), study.best()) {
            let value = |point| truth(point).unwrap_or(f64::INFINITY);
            states.push((value(&found.point), value(&best.point)));
        }
    }
    states
}

fn at(point: &Point, name: &str) -> f64 {
    point.get(name).unwrap().as_f64().unwrap()
}

fn square() -> SearchSpace {
    SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0), Parameter::float("y", 0.0, 1.0)]).unwrap()
}

/// A bowl whose best points are next to the failures at x + y > 1.
fn beside_failures(p: &Point) -> Option<f64> {
    let (x, y) = (at(p, "x"), at(p, "y"));
    (x + y <= 1.0).then(|| (1.1 - x - y).powi(2) + (x - y - 0.2).powi(2))
}

/// A bowl that grows by decades towards a corner.
fn tailed(p: &Point) -> Option<f64> {
    let (x, y) = (at(p, "x"), at(p, "y"));
    Some(0.02 + (x - 0.3).powi(2) + (y - 0.4).powi(2) + 1e-3 * (14.0 * (x + y - 1.1).max(0.0)).exp_m1())
}

#[test]
fn without_noise_it_is_no_worse_than_the_best_observed_point() {
    let (mut n, mut n_worse) = (0, 0);
    for seed in 0..3 {
        for truth in [&beside_failures as &dyn Fn(&Point) -> Option<f64>, &tailed] {
            for (found, best) in states(square(), 0.0, seed, truth) {
                n += 1;
                n_worse += usize::from(found > best);
            }
        }
    }
    assert!(n > 190 && n_worse * 100 <= n, "{n_worse} of {n}");
}

#[test]
fn with_noise_it_is_better_than_the_best_observed_point_on_average() {
    let mut gains = Vec::new();
    for (noise, seed) in [(0.1, 0), (0.1, 1), (0.3, 0), (0.3, 1), (0.3, 2), (0.3, 3)] {
        gains.extend(states(square(), noise, seed, &tailed_bowl).into_iter().map(|(found, best)| best - found));
    }
    assert!(gains.iter().sum::<f64>() > 0.0, "{gains:?}");
    assert!(gains.iter().filter(|g| **g < -0.1).count() * 100 <= gains.len(), "{gains:?}");
}

/// Like [`tailed`], without the tail: noise as large as the effect of a third of the box.
fn tailed_bowl(p: &Point) -> Option<f64> {
    Some((at(p, "x") - 0.3).powi(2) + (at(p, "y") - 0.4).powi(2))
}

#[test]
fn a_model_that_is_too_sure_is_told_by_results_left_out_and_ahead() {
    // A lengthscale of three boxes and next to no noise: a wave does not fit, whatever the observations.
    let hyperparameters = HyperparameterRule::Fixed { variance: 1.0, lengthscales: vec![3.0], noise: 1e-9 };
    let model = ModelConfig { hyperparameters, ..ModelConfig::default() };
    let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)]).unwrap();
    let mut wrong = Study::new(StudyConfig::new(space.clone()).model(model)).unwrap();
    let mut right = Study::new(StudyConfig::new(space)).unwrap();
    for i in 0..24 {
        // In shuffled order: the multiples of 7 modulo 24.
        let x = f64::from(i * 7 % 24) / 23.0;
        let point = Point::new().with("x", x);
        wrong.add(&point, (11.0 * x).sin()).unwrap();
        right.add(&point, (11.0 * x).sin()).unwrap();
    }
    assert!(wrong.model().unwrap().leave_one_out().is_too_sure());
    assert!(results_ahead(&wrong).unwrap().misses_too_often());
    assert!(!right.model().unwrap().leave_one_out().is_too_sure());
    assert!(!results_ahead(&right).unwrap().misses_too_often());
}

#[test]
fn an_expectation_that_no_result_supports_gives_way_to_the_best_observed_point() {
    // Results follow a line, except the last and best one, which the model takes for noise: it predicts a better value
    // there than any result, and its errors on the others are small.
    let hyperparameters = HyperparameterRule::Fixed { variance: 400.0, lengthscales: vec![6.0], noise: 0.02 };
    let model = ModelConfig { hyperparameters, ..ModelConfig::default() };
    let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)]).unwrap();
    let mut study = Study::new(StudyConfig::new(space).model(model)).unwrap();
    for i in 0..16 {
        let x = f64::from(i) / 15.0;
        study.add(&Point::new().with("x", x), if i == 15 { -14.05 } else { -f64::from(i) }).unwrap();
    }
    let found = study.recommended().unwrap();
    assert_eq!((found.trial, found.mean, found.sd), (study.best().map(|t| t.id), -14.05, 0.0));
    assert!(found.fallback.unwrap().contains("better than any result"));
}

/// A study whose trials fail beyond x = 0.6, where the objective would be best.
fn failing(names: [&str; 2], contexts: &[&str]) -> Study {
    let space = SearchSpace::new(names.map(|name| Parameter::float(name, 0.0, 1.0)).to_vec()).unwrap();
    let mut study = Study::new(StudyConfig::new(space).contexts(contexts.iter().copied())).unwrap();
    for i in 0..36 {
        let (x, y) = (f64::from(i % 6) / 5.0, f64::from(i / 6) / 5.0);
        let id = study.start(&Point::new().with(names[0], x).with(names[1], y)).unwrap().id;
        if x > 0.6 {
            study.fail(id, "diverged").unwrap();
        } else {
            study.tell(id, 1.0 - x + y * y).unwrap();
        }
    }
    study
}

#[test]
fn what_is_recommended_under_given_values_lies_where_trials_gave_values() {
    for (names, contexts) in [(["x", "y"], &[][..]), (["x", "day"], &["day"][..])] {
        let study = failing(names, contexts);
        for given in [0.1, 0.5, 0.9] {
            let found = study.recommended_in(&Narrowing::new().fix(names[1], given)).unwrap().unwrap();
            assert!(found.point.f64("x").unwrap() <= 0.6 && found.fallback.is_none(), "{found:?}");
            // And it is not far from the border either: where the objective is good, the six nearest trials include
            // failed ones.
            assert!(found.point.f64("x").unwrap() > 0.55, "{found:?}");
        }
        // If everything failed nearby, there is no recommendation, or one with a warning.
        let Some(narrowing) = contexts.is_empty().then(|| Narrowing::new().fix("x", 0.9)) else { continue };
        let found = study.recommended_in(&narrowing).unwrap();
        assert!(found.is_none_or(|found| found.fallback.is_some()));
    }
}

#[test]
fn a_few_results_with_wild_ones_among_them_are_recommended_as_they_were_measured() {
    for wild in [1e3, 1e6, 1e9, 1e300] {
        for values in [&[wild, 0.25, 0.1][..], &[1.5, 1.5, wild], &[1.5, wild, 1.5, wild]] {
            let found = told(values).recommended().unwrap();
            let best = values.iter().copied().reduce(f64::min).unwrap();
            assert_eq!(found.trial.map(|id| values[id.0 as usize]), Some(best), "{values:?}");
            assert!((found.mean - best).abs() < 1.0, "{values:?}: {}", found.mean);
        }
    }
}

#[test]
fn of_equal_results_the_first_is_recommended_and_no_point_beside_it() {
    for values in [&[1.5, 1.5][..], &[2.0, 2.0, 2.0], &[1.0, 2.0, 1.0]] {
        let found = told(values).recommended().unwrap();
        assert_eq!(found.trial.map(|id| id.0), Some(0), "{values:?}");
    }
}

/// A study of two parameters with these results.
fn told(values: &[f64]) -> Study {
    let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0), Parameter::float("y", 0.0, 1.0)]).unwrap();
    let mut study = Study::new(StudyConfig::new(space)).unwrap();
    for value in values {
        let trial = study.ask(1).unwrap().trials[0].id;
        study.tell(trial, *value).unwrap();
    }
    study
}

/// A study of a bowl with this dimension and waves of this height on it, after batches of four, and the objective.
fn of_bowl(dim: usize, n: usize, waves: f64, noise: f64, seed: u64) -> (Study, impl Fn(&Point) -> f64) {
    let names: Vec<String> = (0..dim).map(|i| format!("x{i}")).collect();
    let space = SearchSpace::new(names.iter().map(|name| Parameter::float(name, 0.0, 1.0)).collect()).unwrap();
    let mut draw = Stream::new(seed).child("bowl", 0);
    let centre: Vec<f64> = names.iter().map(|_| 0.2 + 0.6 * draw.uniform()).collect();
    let truth = move |p: &Point| -> f64 {
        let far = names.iter().zip(&centre).map(|(name, c)| at(p, name) - c);
        far.map(|z| z * z + waves * (9.0 * z).cos()).sum()
    };
    let mut study = Study::new(StudyConfig::new(space).seed(seed)).unwrap();
    while study.n_observed() < n {
        for trial in study.ask(4).unwrap().trials {
            study.tell(trial.id, truth(&trial.point) + noise * draw.normal()).unwrap();
        }
    }
    (study, truth)
}

#[test]
fn few_noisy_results_are_not_believed_to_the_digit() {
    // The deviation of the bowl is about 0.1 for each of its dimensions; noise of a fifth of it to all of it.
    let (mut n_within, mut n) = (0, 0);
    for seed in 0..12 {
        let dim = 1 + seed as usize % 3;
        let noise = [0.02, 0.05, 0.1][seed as usize / 4] * (dim as f64).sqrt();
        let (study, truth) = of_bowl(dim, 12, 0.03, noise, seed);
        let found = study.recommended().unwrap();
        n += 1;
        n_within += usize::from((truth(&found.point) - found.mean).abs() <= 2.0 * found.sd);
    }
    // It used to be none of them; with a correct law it is 95 %.
    assert!(n_within * 100 >= 80 * n, "{n_within} of {n}");
}

#[test]
fn a_smooth_function_without_noise_is_not_said_to_have_some() {
    for seed in 0..6 {
        for dim in [1, 2] {
            let (study, _) = of_bowl(dim, 16, 0.002, 0.0, seed);
            let weight = study.outlook().unwrap().doubt().map_or(0.0, |doubt| doubt.weight_of_noise());
            assert!(weight < 0.05, "seed {seed}, {dim} parameters: {weight}");
            let said = findings(&study, true).into_iter().find(|one| one.what.contains("noisy"));
            assert_eq!(said, None);
        }
    }
}

#[test]
fn the_doctor_says_that_few_results_may_be_noisy_and_not_if_noise_is_declared() {
    let (study, _) = of_bowl(2, 16, 0.03, 0.07, 3);
    assert!(!study.model().unwrap().posterior.hyper().is_noisy(), "the search takes them for exact");
    let says = |study: &Study| findings(study, true).iter().any(|one| one.what.starts_with("results may be noisy"));
    assert!(says(&study));
    let model = ModelConfig { noise: Some(0.0049), ..ModelConfig::default() };
    let mut declared = Study::new(StudyConfig::new(study.space().clone()).model(model)).unwrap();
    for trial in study.trials() {
        if let Some(value) = trial.value() {
            declared.add(&trial.point, value).unwrap();
        }
    }
    assert!(!says(&declared) && declared.outlook().unwrap().doubt().is_none());
}

#[test]
fn what_is_said_does_not_change_what_is_chosen() {
    let (mut asked, _) = of_bowl(2, 12, 0.03, 0.05, 1);
    let mut silent = Study::replay(asked.events().iter().cloned()).unwrap();
    assert!(asked.outlook().unwrap().doubt().is_some() && asked.recommended().is_some());
    assert_eq!(asked.ask(3).unwrap().trials, silent.ask(3).unwrap().trials);
}
