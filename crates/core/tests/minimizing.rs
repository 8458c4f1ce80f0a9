//! A closure minimized on threads.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use elbowroom::error::Kind;
use elbowroom::minimize::run;
use elbowroom::study::{TrialState, verify};
use elbowroom::{Error, Goal, Parameter, Point, SearchSpace, Study, StudyConfig, minimize};

fn space() -> SearchSpace {
    SearchSpace::new(vec![
        Parameter::float("x", -1.0, 1.0),
        Parameter::int("n", 1, 9),
        Parameter::category("kind", ["a", "b"]),
        Parameter::fixed("on", true),
    ])
    .unwrap()
}

fn loss(p: &Point) -> Result<f64, Error> {
    let extra = if p.str("kind")? == "a" { 0.5 } else { 0.0 };
    Ok((p.f64("x")? - 0.25).powi(2) + (p.i64("n")? - 3).abs() as f64 + extra)
}

#[test]
fn with_one_worker_the_same_call_gives_the_same_study() {
    let [a, b] = [(), ()].map(|()| minimize(space(), 15, 1, loss).unwrap());
    assert_eq!(a, b);
    assert_eq!((a.n_observed(), a.budget_left()), (15, Some(0)));
    assert_eq!(verify(a.events()).unwrap(), []);
}

#[test]
fn workers_evaluate_distinct_points_at_the_same_time_and_never_more_than_the_budget() {
    let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let seen = Mutex::new(HashSet::new());
    let meet = std::sync::Barrier::new(3);
    let n_evaluated = AtomicUsize::new(0);
    let study = minimize(space(), 15, 3, |p| {
        most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        // The first three wait for each other: they can only continue if they run at the same time.
        if n_evaluated.fetch_add(1, Ordering::SeqCst) < 3 {
            meet.wait();
        }
        assert!(seen.lock().unwrap().insert(p.to_string()), "{p} came twice");
        running.fetch_sub(1, Ordering::SeqCst);
        loss(p)
    })
    .unwrap();
    assert_eq!((study.n_observed(), most.into_inner(), n_evaluated.into_inner()), (15, 3, 15));
    assert_eq!(verify(study.events()).unwrap(), []);
}

#[test]
fn an_error_and_a_panic_are_failed_trials_and_the_search_goes_on() {
    let n = AtomicUsize::new(0);
    let study = minimize(space(), 8, 2, |p| match n.fetch_add(1, Ordering::SeqCst) {
        0 => Err("out of memory".to_owned()),
        1 => panic!("as it should in this test"),
        _ => Ok(p.f64("x").unwrap()),
    });
    let study = study.unwrap();
    let reasons: HashSet<String> = study
        .trials()
        .iter()
        .filter_map(|trial| match &trial.state {
            TrialState::Failed { reason } => Some(reason.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(reasons, ["out of memory", "it panicked: as it should in this test"].map(str::to_owned).into());
    assert_eq!(study.n_observed(), 6);
}

#[test]
fn a_space_that_runs_out_ends_the_search_and_a_study_of_ones_own_goes_on() {
    let few = SearchSpace::new(vec![Parameter::int("n", 1, 4)]).unwrap();
    let mut study = Study::new(StudyConfig::new(few).goal(Goal::Maximize).budget(50)).unwrap();
    let first = study.ask(1).unwrap().trials.remove(0);
    study.tell(first.id, 0.0).unwrap();
    run(&mut study, 3, |p| p.i64("n").map(|n| n as f64)).unwrap();
    assert_eq!(study.n_observed(), 4);
}

#[test]
fn results_by_name_are_told_and_a_trial_without_the_one_that_is_searched_for_fails() {
    let space = || SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)]).unwrap();
    let study = minimize(space(), 6, 1, |p| p.f64("x").map(|x| [("value", x), ("minutes", 12.0)])).unwrap();
    assert_eq!(study.n_observed(), 6);
    assert_eq!(study.trials()[0].result("minutes"), Some(12.0));
    let other = minimize(space(), 3, 2, |_| [("minutes", 12.0)]).unwrap();
    assert_eq!((other.n_observed(), other.pending().count()), (0, 0));
    assert!(other.trials().iter().all(|trial| matches!(trial.state, TrialState::Failed { .. })));
}

#[test]
fn what_could_not_run_is_refused() {
    assert_eq!(minimize(space(), 5, 0, loss).unwrap_err().kind(), Kind::Config);
    assert_eq!(minimize(space(), 0, 1, loss).unwrap_err().kind(), Kind::Config);
    let mut endless = Study::new(StudyConfig::new(space())).unwrap();
    assert!(run(&mut endless, 1, loss).unwrap_err().what().contains("no budget"));
}

#[test]
fn values_of_a_point_are_read_by_type_and_errors_name_the_parameter_and_the_type_it_has() {
    let point = Point::new().with("rate", 0.5).with("n", 3).with("kind", "relu").with("on", true);
    assert_eq!((point.f64("rate").unwrap(), point.f64("n").unwrap(), point.i64("n").unwrap()), (0.5, 3.0, 3));
    assert_eq!((point.str("kind").unwrap(), point.bool("on").unwrap()), ("relu", true));
    let said = |error: Error| (error.kind(), format!("{} / {}", error.what(), error.hint()));
    let is = |found: (Kind, String), words: &str| assert_eq!(found, (Kind::Space, words.to_owned()));
    is(said(point.f64("kind").unwrap_err()), "parameter `kind` is \"relu\", a text, not a number / read it with `str`");
    is(
        said(point.i64("rate").unwrap_err()),
        "parameter `rate` is 0.5, a number, not a whole number / read it with `f64`",
    );
    is(said(point.str("n").unwrap_err()), "parameter `n` is 3, a whole number, not a text / read it with `i64`");
    is(
        said(point.bool("n").unwrap_err()),
        "parameter `n` is 3, a whole number, not true or false / read it with `i64`",
    );
    is(said(point.f64("raet").unwrap_err()), "the point has no parameter `raet` / did you mean `rate`?");
    is(
        said(point.f64("momentum").unwrap_err()),
        "the point has no parameter `momentum` / use one of rate, n, kind, on",
    );
}
