//! Views of studies, compared with facts that are known from elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use elbowroom::batch::LocalPenalization;
use elbowroom::insight::{importance, landscape, quality, why};
use elbowroom::linalg::Points;
use elbowroom::space::{Parameter, Point, SearchSpace, Value};
use elbowroom::study::{
    Ask, Event, Goal, HyperparameterRule, ModelConfig, Outcome, Outcomes, Retry, StrategyConfig, Study, StudyConfig,
    Trial, TrialId,
};
use elbowroom_store::{Memory, SharedStudy};
use elbowroom_view::overview::overview;
use elbowroom_view::table::{Query, Sort, listing, table};
use elbowroom_view::views::health::{Level, health};
use elbowroom_view::views::history::history;
use elbowroom_view::views::map::map;
use elbowroom_view::views::model::{parallel, slices, surface};
use elbowroom_view::views::timeline::timeline;
use elbowroom_view::views::{Look, VIEWS};
use elbowroom_view::{Scene, TrialStatus};

fn floats(n: usize) -> SearchSpace {
    SearchSpace::new((0..n).map(|i| Parameter::float(format!("x{i}"), 0.0, 1.0)).collect()).unwrap()
}

fn x(trial: &Trial, i: usize) -> f64 {
    trial.point.get(&format!("x{i}")).and_then(Value::as_f64).unwrap()
}

/// The points of one trial.
fn one(trial: &Trial) -> Points {
    Points::from_rows(trial.unit.len(), trial.unit.to_vec()).unwrap()
}

/// A study of n results of a function, in batches of four.
fn study(config: StudyConfig, n: usize, f: impl Fn(&Trial) -> f64) -> Study {
    let mut study = Study::new(config).unwrap();
    while study.n_observed() < n {
        for trial in study.ask(4).unwrap().trials {
            study.tell(trial.id, f(&trial)).unwrap();
        }
    }
    study
}

#[test]
fn the_importance_of_a_linear_functions_parameters_is_their_share_of_its_variance() {
    let none = study(StudyConfig::new(floats(2)), 0, |_| 0.0);
    assert_eq!(importance(&none).unwrap_err().what(), "a model needs at least two results");
    // f = x0 + 2 x1 on the unit cube: Var = 1/12 + 4/12, and x2 contributes nothing. Shares 1/5, 4/5, 0.
    let study = study(StudyConfig::new(floats(3)).initial(40).seed(3), 40, |t| x(t, 0) + 2.0 * x(t, 1));
    let found = importance(&study).unwrap();
    let share: BTreeMap<&str, f64> = found.rows.iter().map(|row| (row.name.as_str(), row.share)).collect();
    // Jansen's estimator of 160 pairs has a relative deviation of about √(2/160).
    for (name, want) in [("x0", 0.2), ("x1", 0.8), ("x2", 0.0)] {
        assert!((share[name] - want).abs() < 0.2 * want + 0.02, "{name}: {} {want}", share[name]);
    }
    assert!(found.rows.iter().all(|row| row.low <= row.share && row.share <= row.high));
}

#[test]
fn the_papers_penalizer_is_one_half_at_the_radius_that_is_drawn() {
    // Φ((L d − M + μ)/s) = Φ(0) at d = (M − μ)/L, the radius r_j.
    let paper = StrategyConfig::LocalPenalization(LocalPenalization::paper_ucb());
    let config = StudyConfig::new(floats(2)).seed(5).strategy(paper);
    let mut study = study(config, 12, |t| (9.0 * x(t, 0)).sin() + (7.0 * x(t, 1)).cos());
    study.ask(3).unwrap();
    let scene = Scene::alone("balls", &study);
    let balls = landscape(&study, &scene.pending_ids(), &Points::new(2)).unwrap().penalizers;
    let model = study.model().unwrap();
    let drawn = map(&scene, true, 0, 1);
    assert_eq!(drawn.pending.len(), 3);
    let mut positive = 0;
    for (pending, ball) in drawn.pending.iter().zip(&balls) {
        let (rx, ry) = (pending.rx.unwrap(), pending.ry.unwrap());
        if rx == 0.0 {
            continue;
        }
        positive += 1;
        let at = |dx: f64, dy: f64| [pending.at.x + dx, pending.at.y + dy];
        for point in [at(rx, 0.0), at(0.0, ry), at(-rx, 0.0)] {
            let ln = ball.ln_value(&model.posterior, &point);
            assert!((ln - 0.5f64.ln()).abs() < 1e-9, "{ln}");
        }
    }
    assert!(positive > 0);
}

#[test]
fn the_acquisition_vanishes_at_a_pending_point_and_is_as_before_without_any() {
    let f = |t: &Trial| (x(t, 0) - 0.3).powi(2) + (x(t, 1) - 0.6).powi(2);
    let mut study = study(StudyConfig::new(floats(2)).seed(6), 10, f);
    let scene = Scene::alone("free", &study);
    let drawn = surface(&scene, 0, 1).unwrap();
    assert_eq!((drawn.before.len(), drawn.n), (drawn.n * drawn.n, 41));
    assert!(drawn.before.iter().zip(&drawn.after).all(|(b, a)| (a - b).abs() < 1e-12));
    let trial = study.ask(1).unwrap().trials.remove(0);
    let seen = landscape(&study, &[trial.id], &one(&trial)).unwrap().seen[0];
    assert!(seen.before.is_finite() && seen.after == f64::NEG_INFINITY);
}

#[test]
fn slices_go_through_what_was_measured() {
    // Without noise, the model passes through its data, in the user's units and direction.
    let config = StudyConfig::new(floats(1)).goal(Goal::Maximize).initial(9).seed(1);
    let study = study(config, 9, |t| 10.0 - (x(t, 0) - 0.4).powi(2));
    let scene = Scene::alone("slice", &study);
    for trial in study.trials() {
        let seen = landscape(&study, &[], &one(trial)).unwrap().seen[0];
        assert!((seen.mean - trial.value().unwrap()).abs() < 1e-3, "{seen:?} {:?}", trial.value());
    }
    let drawn = slices(&scene).unwrap();
    let (low, high) = drawn.slices[0].mean.iter().fold((f64::MAX, f64::MIN), |(l, h), m| (l.min(*m), h.max(*m)));
    assert!(high <= 10.05 && low > 9.5, "{low} {high}");
}

#[test]
fn results_that_are_left_out_are_predicted_and_named() {
    let study = study(StudyConfig::new(floats(2)).initial(20).seed(2), 20, |t| (3.0 * x(t, 0)).sin() + x(t, 1));
    let quality = quality(&study).unwrap();
    assert_eq!(quality.n, 20);
    for point in &quality.points {
        let value = study.trial(point.trial.unwrap()).unwrap().value().unwrap();
        // The conversion to the model's scale and back costs a few digits.
        assert!((point.observed - value).abs() < 1e-9 * value.abs().max(1.0), "{point:?} {value}");
        assert!((point.mean - value).abs() < 0.5, "a smooth function is predicted well: {point:?}");
    }
    assert!(quality.calibration.windows(2).all(|pair| pair[0].share <= pair[1].share));
}

#[test]
fn pages_of_a_table_are_the_whole_table_in_order() {
    let study = study(StudyConfig::new(floats(2)).initial(24), 24, |t| x(t, 0));
    let scene = Scene::alone("table", &study);
    for (sort, reverse) in [(Sort::Trial, false), (Sort::Value, false), (Sort::Value, true), (Sort::Parameter, false)] {
        let page = |from: usize| {
            let query =
                Query { sort, reverse, from, rows: Some(7), parameter: Some("x1".to_owned()), ..Query::default() };
            table(&scene, &query).unwrap()
        };
        let rows: Vec<_> = (0..4).flat_map(|i| page(7 * i).rows).collect();
        assert_eq!(rows.iter().map(|row| row.trial).collect::<BTreeSet<u64>>(), (0..24).collect());
        let key = |row: &elbowroom_view::table::Row| match sort {
            Sort::Value => row.value.unwrap(),
            Sort::Parameter => row.point[1].as_ref().and_then(|value| value.as_f64()).unwrap(),
            _ => row.trial as f64,
        };
        let sorted = rows
            .windows(2)
            .all(|pair| if reverse { key(&pair[0]) >= key(&pair[1]) } else { key(&pair[0]) <= key(&pair[1]) });
        assert!(sorted, "{sort:?} {reverse}");
    }
    let none = table(&scene, &Query { state: Some(TrialStatus::Failed), ..Query::default() }).unwrap();
    assert_eq!((none.n_found, none.n_trials), (0, 24));
    let past = table(&scene, &Query { rows: Some(usize::MAX), from: usize::MAX, ..Query::default() });
    assert!(past.unwrap().rows.is_empty());
}

#[test]
fn a_timeline_shows_lost_attempts_and_those_that_followed() {
    let mut study = Study::new(StudyConfig::new(floats(1))).unwrap();
    let by = |study: &Study, worker: &str, again: Vec<TrialId>| {
        let mut suggestion = study.suggest(Ask::new(1).with_pending(vec![]).retrying(again)).unwrap();
        suggestion.provenance.worker = Some(worker.to_owned());
        suggestion.into_event(None)
    };
    let first = by(&study, "a", vec![]);
    study.apply(first).unwrap();
    let second = by(&study, "b", vec![TrialId(0)]);
    assert!(matches!(&second, Event::Asked { again, .. } if again == &[Retry { id: TrialId(0), attempt: 2 }]));
    study.apply(second).unwrap();
    study.tell(TrialId(0), 1.0).unwrap();
    let scene = Scene { times: vec![0, 10, 50, 80], now: 100, ..Scene::alone("time", &study) };
    let drawn = timeline(&scene, 100);
    let spans: Vec<_> = drawn
        .workers
        .iter()
        .flat_map(|w| w.spans.iter().map(|s| (w.name.as_str(), s.trial.0, s.attempt, s.from, s.to, s.end)))
        .collect();
    assert_eq!(spans, [("a", 0, 1, 10, 50, TrialStatus::Lost), ("b", 0, 2, 50, 80, TrialStatus::Complete)]);
    assert_eq!(timeline(&scene, 1).left_out, 1);
}

#[test]
fn trials_that_one_worker_runs_at_once_are_in_lanes_of_their_own() {
    // Six at once, then two more when the first and the third are done: six lanes are sufficient and necessary.
    let mut study = Study::new(StudyConfig::new(floats(1)).initial(9)).unwrap();
    let ask = |study: &mut Study, q: usize| {
        let mut suggestion = study.suggest(q).unwrap();
        suggestion.provenance.worker = Some("run".to_owned());
        study.apply(suggestion.into_event(None)).unwrap();
    };
    ask(&mut study, 6);
    study.tell(TrialId(0), 1.0).unwrap();
    study.fail(TrialId(2), "broke").unwrap();
    ask(&mut study, 2);
    let scene = Scene { times: vec![0, 10, 20, 30, 30], now: 100, ..Scene::alone("lanes", &study) };
    let drawn = timeline(&scene, 100);
    let [worker] = &drawn.workers[..] else { panic!("one worker: {drawn:?}") };
    assert_eq!(worker.n_lanes, 6);
    let lanes: Vec<(u64, usize)> = worker.spans.iter().map(|span| (span.trial.0, span.lane)).collect();
    assert_eq!(lanes, [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 0), (7, 2)]);
}

#[test]
fn failed_infeasible_and_lost_trials_are_counted_apart_in_every_view() {
    let mut study = Study::new(StudyConfig::new(floats(2)).initial(9)).unwrap();
    for trial in study.ask(9).unwrap().trials {
        match trial.id.0 {
            0..=2 => drop(study.tell(trial.id, trial.id.0 as f64).unwrap()),
            3..=5 => study.fail(trial.id, "broke").unwrap(),
            6 | 7 => study.infeasible(trial.id, "does not dissolve").unwrap(),
            _ => {}
        }
    }
    let mut scene = Scene::alone("counts", &study);
    scene.statuses[8] = TrialStatus::Lost;
    let counts = overview(&scene).status.counts;
    let known = [counts.failed, counts.infeasible, counts.lost];
    assert_eq!(known, [3, 2, 1]);
    let drawn = history(&scene, 100);
    assert_eq!([drawn.failed.len(), drawn.infeasible.len(), drawn.lost.len()], known);
    let drawn = map(&scene, false, 0, 1);
    assert_eq!([drawn.failed.len(), drawn.infeasible.len()], known[..2]);
    let findings = health(&scene, false);
    let said = "3 of 9 trials failed, and 2 were infeasible";
    assert!(findings.iter().any(|finding| finding.what == said), "{findings:?}");
}

#[test]
fn a_pending_neighbour_leaves_less_to_learn() {
    let mut study = study(StudyConfig::new(floats(1)).seed(4), 6, |t| (6.0 * x(t, 0)).sin());
    let batch = study.ask(2).unwrap().trials;
    let reasons = why(&study, batch[1].id).unwrap().belief.unwrap();
    assert_eq!(reasons.pending.iter().map(|n| n.trial).collect::<Vec<_>>(), [batch[0].id]);
    assert!(reasons.sd_with_pending < reasons.sd, "{reasons:?}");
    assert_eq!(reasons.n_observed, study.n_observed());
    assert!(why(&study, TrialId(0)).unwrap().belief.is_none(), "a point of the design");
}

#[test]
fn the_best_line_is_the_last_and_the_highest() {
    let study = study(StudyConfig::new(floats(2)).initial(16), 16, |t| x(t, 0));
    let drawn = parallel(&Scene::alone("lines", &study), 8);
    assert_eq!(drawn.lines.len(), 8);
    let best = drawn.lines.last().unwrap();
    assert_eq!((best.trial, best.height), (study.best().unwrap().id, 1.0));
}

#[test]
fn every_picture_of_every_state_of_a_study_is_drawn_or_says_why_not() {
    let space = || {
        let parameters =
            vec![Parameter::float("a", 0.0, 1.0), Parameter::category("b", ["u", "v"]), Parameter::fixed("c", 3)];
        SearchSpace::new(parameters).unwrap()
    };
    let empty = Study::new(StudyConfig::new(space())).unwrap();
    let mut failed = empty.clone();
    for trial in failed.ask(3).unwrap().trials {
        failed.fail(trial.id, "no").unwrap();
    }
    let constant = study(StudyConfig::new(space()).initial(6), 6, |_| 1.0);
    let fixed = Study::new(StudyConfig::new(SearchSpace::new(vec![Parameter::fixed("c", 3)]).unwrap())).unwrap();
    for (name, study) in [("empty", &empty), ("failed", &failed), ("constant", &constant), ("fixed", &fixed)] {
        let scene = Scene::alone(name, study);
        for view in VIEWS {
            let path = view.name;
            match view.draw(&scene, Look { x: 0, y: 1, with_model: true }) {
                Ok(drawn) => assert!(drawn.is_object(), "{name} {path}"),
                Err(error) => assert!(error.to_string().contains("\n"), "{name} {path}: {error}"),
            }
        }
        elbowroom_view::report::report(&scene, "", true);
    }
}

#[test]
fn the_doctor_tells_a_model_that_is_too_sure_from_one_that_is_not() {
    // A lengthscale of three boxes and next to no noise: a wave does not fit, whatever the observations.
    let hyperparameters = HyperparameterRule::Fixed { variance: 1.0, lengthscales: vec![3.0], noise: 1e-9 };
    let wrong = ModelConfig { hyperparameters, ..ModelConfig::default() };
    for (model, is_too_sure) in [(wrong, true), (ModelConfig::default(), false)] {
        let study = study(StudyConfig::new(floats(1)).initial(24).model(model).seed(2), 24, |t| (11.0 * x(t, 0)).sin());
        let findings = health(&Scene::alone("sure", &study), true);
        let told = findings.iter().find(|finding| finding.what.contains("the model is overconfident"));
        assert_eq!(told.is_some_and(|finding| finding.level == Level::Note), is_too_sure, "{findings:?}");
    }
}

#[test]
fn a_report_has_the_orders_and_filters_of_the_table() {
    let space = SearchSpace::new(vec![
        Parameter::float("rate", 0.0, 1.0),
        Parameter::fixed("shape", "flat"),
        Parameter::category("gas", ["N2", "Ar", "He"]),
    ]);
    let mut study = Study::new(StudyConfig::new(space.unwrap()).initial(12).goal(Goal::Maximize)).unwrap();
    for (i, trial) in study.ask(12).unwrap().trials.iter().enumerate() {
        match i {
            2 | 5 => study.fail(trial.id, "The sample broke").unwrap(),
            7 => {}
            // Some values are equal, and some trials have no minutes.
            _ if i % 3 == 0 => drop(study.tell(trial.id, (i % 4) as f64).unwrap()),
            _ => drop(study.tell(trial.id, [("value", (i % 4) as f64), ("minutes", 40.0 - 3.0 * i as f64)]).unwrap()),
        }
    }
    let times = (0..study.events().len() as i64).map(|i| 700 * i).collect();
    let scene = Scene { times, now: 60_000, ..Scene::alone("plate", &study) };
    let ids: Vec<TrialId> = study.trials().iter().rev().map(|trial| trial.id).collect();
    let kept = listing(&scene, &ids);
    let orders = [
        (Sort::Trial, None, &kept.orders.trial),
        (Sort::Value, None, &kept.orders.value),
        (Sort::State, None, &kept.orders.state),
        (Sort::Parameter, Some("rate"), &kept.orders.parameter[0]),
        (Sort::Parameter, Some("shape"), &kept.orders.parameter[1]),
        (Sort::Parameter, Some("gas"), &kept.orders.parameter[2]),
        (Sort::Result, Some("minutes"), &kept.orders.result[0]),
        (Sort::Duration, None, &kept.orders.duration),
        (Sort::Worker, None, &kept.orders.worker),
    ];
    for (sort, name, order) in orders {
        for state in std::iter::once(None).chain(TrialStatus::ALL.map(Some)) {
            for text in ["", "sample BROKE", "ar", "11"] {
                let name = name.map(str::to_owned);
                let (parameter, result) = if sort == Sort::Result { (None, name) } else { (name, None) };
                let query = Query { sort, state, text: text.into(), parameter, result, ..Query::default() };
                let text = text.to_lowercase();
                let wanted = |i: &&usize| {
                    state.is_none_or(|state| kept.states[&state].contains(i))
                        && (kept.texts[**i].contains(&text) || kept.rows[**i].trial.to_string() == text)
                };
                let looked_up: Vec<u64> = order.iter().filter(wanted).map(|i| kept.rows[*i].trial).collect();
                let found: Vec<u64> = table(&scene, &query).unwrap().rows.iter().map(|row| row.trial).collect();
                assert_eq!(looked_up, found, "{query:?}");
            }
        }
    }
}

#[test]
fn trials_are_sorted_by_a_watched_result_with_those_that_lack_it_last() {
    let mut study = Study::new(StudyConfig::new(floats(1)).initial(4)).unwrap();
    let trials = study.ask(4).unwrap().trials;
    for (trial, minutes) in trials.iter().zip([Some(9.0), None, Some(3.0), Some(5.0)]) {
        match minutes {
            Some(minutes) => study.tell(trial.id, [("value", 1.0), ("minutes", minutes)]).unwrap(),
            None => study.tell(trial.id, 0.0).unwrap(),
        };
    }
    let query = Query { sort: Sort::Result, result: Some("minutes".into()), ..Query::default() };
    let numbers = |query: &Query| -> Vec<u64> {
        table(&Scene::alone("plate", &study), query).unwrap().rows.iter().map(|row| row.trial).collect()
    };
    assert_eq!(numbers(&query), [2, 3, 0, 1]);
    assert_eq!(numbers(&Query { reverse: true, ..query }), [1, 0, 3, 2]);
}

#[test]
fn slices_of_results_over_decades_are_on_a_log_scale_and_others_are_not() {
    let made = |f: &dyn Fn(f64) -> f64| {
        let study = study(StudyConfig::new(floats(1)).initial(16), 16, |t| f(x(t, 0)));
        slices(&Scene::alone("plate", &study)).unwrap()
    };
    // From 0.001 to 1000, and predictions stay positive.
    let wide = made(&|x| 10f64.powf(6.0 * x - 3.0));
    let floor = wide.log_floor;
    assert_eq!(floor.is_some(), wide.slices[0].mean.iter().all(|mean| *mean > 0.0), "{wide:?}");
    let wide = made(&|x| 10f64.powf(2.0 * x));
    let floor = wide.log_floor.expect("a log scale");
    assert!(floor > 0.0 && wide.slices[0].mean.iter().all(|mean| *mean >= 10.0 * floor));
    assert_eq!(made(&|x| 1.0 + x).log_floor, None);
    assert_eq!(made(&|x| 10f64.powf(2.0 * x) - 50.0).log_floor, None, "there is no logarithm of what is negative");
}

#[test]
fn slices_have_what_is_expected_of_every_objective_and_limited_result() {
    let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)]).unwrap();
    let list = vec![
        Outcome::objective("loss", Goal::Minimize),
        Outcome::objective("cost", Goal::Minimize),
        Outcome::watched("purity").at_least(0.5),
        Outcome::watched("hours"),
    ];
    let config = StudyConfig::new(space).initial(8).outcomes(Outcomes::new(list).unwrap());
    let mut study = Study::new(config).unwrap();
    for trial in study.ask(8).unwrap().trials {
        let x = trial.unit[0];
        let told = [("loss", x * x), ("cost", 10.0 - 10.0 * x), ("purity", x), ("hours", 3.0)];
        study.tell(trial.id, told).unwrap();
    }
    let found = slices(&Scene::alone("plate", &study)).unwrap();
    let slice = &found.slices[0];
    let names: Vec<&str> = slice.others.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["cost", "purity"], "nothing is modelled of what is only kept");
    assert_eq!(slice.others[1].limits.at_least, Some(0.5));
    let within = slice.within_limits.as_ref().unwrap();
    for (i, u) in slice.u.iter().enumerate() {
        // Straight lines, which a model of eight points reproduces to a hundredth of their range.
        assert!((slice.others[0].mean[i] - (10.0 - 10.0 * u)).abs() < 0.1, "{u}: {}", slice.others[0].mean[i]);
        assert!((u - 0.5).abs() < 0.1 || (within[i] > 0.5) == (*u > 0.5), "{u}: {}", within[i]);
    }
}

#[test]
fn a_table_says_how_long_trials_took_and_who_ran_them_and_keeps_what_an_expression_is_true_of() {
    let config = StudyConfig::new(floats(1)).initial(3);
    let mut study = SharedStudy::create(std::sync::Arc::new(Memory::new()), "plate", config).unwrap();
    for (worker, value) in [("zoe", 4.0), ("ada", 2.0), ("mia", 3.0)] {
        study = study.worker(worker);
        let handed = study.ask(1).unwrap().trials.remove(0);
        study.tell(&handed, value).unwrap();
    }
    study.add(&Point::new().with("x0", 0.5), 1.0).unwrap();
    // Created at 0; asked and reported at these times; added last.
    let times = vec![0, 1000, 9000, 10_000, 12_000, 13_000, 18_500, 20_000];
    let scene = Scene { times, now: 30_000, ..Scene::of(&study) };
    let page = |query: Query| table(&scene, &query).unwrap();
    let by =
        |sort: Sort| -> Vec<u64> { page(Query { sort, ..Query::default() }).rows.iter().map(|r| r.trial).collect() };
    assert_eq!(by(Sort::Duration), [1, 2, 0, 3], "a point that was added with its value took nobody any time");
    assert_eq!(by(Sort::Worker), [1, 2, 0, 3]);
    let all = page(Query::default());
    let seconds: Vec<Option<f64>> = all.rows.iter().map(|row| row.seconds).collect();
    assert_eq!(seconds, [Some(8.0), Some(2.0), Some(5.5), None]);
    assert_eq!((all.rows[0].worker.as_deref(), all.rows[3].worker.as_deref()), (Some("zoe"), None));
    let small = page(Query { condition: " value < 3 and x0 <= 1 ".into(), ..Query::default() });
    assert_eq!(small.rows.iter().map(|row| row.trial).collect::<Vec<_>>(), [1, 3]);
    let refused = table(&scene, &Query { condition: "weight < 3".into(), ..Query::default() }).unwrap_err();
    assert!(refused.to_string().contains("weight"), "{refused}");
}
