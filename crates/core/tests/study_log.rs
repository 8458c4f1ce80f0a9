//! The log of a study: read back exactly, and folded without panics, whatever was done to it.

use std::collections::HashSet;

use elbowroom::space::{Parameter, Point, SearchSpace, UnitPoint};
use elbowroom::study::{Ask, Event, Goal, PlacedTrial, Study, StudyConfig, Tell, TrialId, TrialState, Watched, verify};
use proptest::prelude::*;

/// Small spaces: continuous, mixed, finite, constrained, and with a single point.
fn space(which: usize) -> SearchSpace {
    let float = Parameter::float("x", -1.0, 3.0);
    let log = Parameter::float("r", 1e-5, 1e2).log();
    let int = Parameter::int("n", 0, 3);
    let category = Parameter::category("c", ["a", "b", "c"]);
    let parameters = match which {
        0 => vec![float],
        1 => vec![log, int, category],
        2 => vec![int, category],
        3 => vec![float, int],
        _ => vec![Parameter::fixed("k", "only"), Parameter::category("c", [true])],
    };
    let space = SearchSpace::new(parameters).unwrap();
    if which == 3 { space.with_constraints(["x + n < 3"]).unwrap() } else { space }
}

#[derive(Debug, Clone)]
enum Step {
    Ask(usize),
    AskAs(usize, u8),
    Tell(usize, f64),
    Watch(usize, f64),
    TellBoth(usize, f64),
    Correct(usize, f64),
    Fail(usize),
    Infeasible(usize),
    Release(usize),
    Add(u64, f64),
    Budget(usize),
    Place(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let trial = 0..12usize;
    let value = prop_oneof![8 => -5.0..5.0, 1 => Just(f64::NAN), 1 => Just(0.1 + 0.2)];
    prop_oneof![
        3 => (1..4usize).prop_map(Step::Ask),
        1 => (1..4usize, 0..3u8).prop_map(|(q, r)| Step::AskAs(q, r)),
        6 => (trial.clone(), value.clone()).prop_map(|(t, v)| Step::Tell(t, v)),
        1 => (trial.clone(), value.clone()).prop_map(|(t, v)| Step::Correct(t, v)),
        1 => (trial.clone(), value.clone()).prop_map(|(t, v)| Step::Watch(t, v)),
        1 => (trial.clone(), value.clone()).prop_map(|(t, v)| Step::TellBoth(t, v)),
        1 => trial.clone().prop_map(Step::Fail),
        1 => trial.clone().prop_map(Step::Infeasible),
        1 => trial.clone().prop_map(Step::Release),
        1 => (0..14usize).prop_map(Step::Budget),
        1 => trial.prop_map(Step::Place),
        1 => (any::<u64>(), value).prop_map(|(seed, v)| Step::Add(seed, v)),
    ]
}

/// Takes a step, if it can be taken; returns the trials that an ask created.
fn take(study: &mut Study, step: &Step) -> Vec<TrialId> {
    let n_trials = study.trials().len();
    let some = |i: usize| TrialId((i % n_trials.max(1)) as u64);
    match *step {
        Step::Ask(q) => return study.ask(q).unwrap().trials.iter().map(|t| t.id).collect(),
        Step::AskAs(q, r) => {
            study.ask(Ask::new(q).named(format!("request {r}"))).unwrap();
        }
        Step::Add(seed, value) => {
            let u = study.space().sample(&mut elbowroom::rng::Stream::new(seed));
            let point = study.space().decode(&u);
            study.add(&point, value).unwrap();
        }
        // A budget below the number handed out is refused; then nothing changes.
        Step::Budget(n) => drop(study.set_budget(Some(n).filter(|n| *n < 13))),
        _ if n_trials == 0 => {}
        Step::Place(i) => {
            let placed = PlacedTrial { trial: some(i), well: "B7".to_owned() };
            study.apply(Event::Placed { trials: vec![placed] }).unwrap();
        }
        Step::Tell(i, value) => {
            study.tell(some(i), value).unwrap();
        }
        Step::Watch(i, value) => {
            study.tell(some(i), [("minutes", value)]).unwrap();
        }
        Step::TellBoth(i, value) => {
            study.tell(some(i), [("minutes", 1.0), ("value", value)]).unwrap();
        }
        Step::Correct(i, value) => {
            study.tell(some(i), Tell::new(value).correction()).unwrap();
        }
        Step::Fail(i) => study.fail(some(i), "it failed").unwrap(),
        Step::Infeasible(i) => study.infeasible(some(i), "too hot").unwrap(),
        Step::Release(i) => study.withdraw(some(i)).unwrap(),
    }
    Vec::new()
}

fn written(study: &Study) -> Vec<String> {
    study.events().iter().map(|e| serde_json::to_string(e).unwrap()).collect()
}

fn run(which: usize, seed: u64, repeats: bool, steps: &[Step]) -> Study {
    let config = StudyConfig::new(space(which)).seed(seed).initial(3).repeats(repeats).goal(Goal::Maximize);
    let mut study = Study::new(config).unwrap();
    for step in steps {
        take(&mut study, step);
    }
    study
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_history_keeps_the_invariants(
        which in 0..5usize,
        seed in any::<u64>(),
        repeats in any::<bool>(),
        steps in prop::collection::vec(step(), 0..24),
    ) {
        let config = StudyConfig::new(space(which)).seed(seed).initial(3).repeats(repeats);
        let mut study = Study::new(config).unwrap();
        let mut n_told = 0;
        for step in &steps {
            let before = study.clone();
            let new = take(&mut study, step);
            // An asked point differs from those of all other trials that are not withdrawn, unless repeats are allowed.
            for id in new {
                let point = &study.trial(id).unwrap().point;
                let others = study.trials().iter().filter(|t| t.id != id && match t.state {
                    TrialState::Withdrawn => false,
                    TrialState::Complete { .. } => !repeats,
                    _ => true,
                });
                prop_assert!(others.clone().all(|t| t.point != *point), "{point}");
                prop_assert_eq!(study.space().broken_constraint(point).unwrap(), None);
            }
            // The log only grows, and no measured value gets lost.
            prop_assert_eq!(&study.events()[..before.events().len()], before.events());
            if matches!(step, Step::Tell(_, v) | Step::TellBoth(_, v) | Step::Correct(_, v) if v.is_finite() && !before.trials().is_empty())
                || matches!(step, Step::Add(_, v) if v.is_finite())
            {
                n_told += 1;
            }
            let kept = study.trials().iter().map(|t| match &t.state {
                TrialState::Complete { measurements } | TrialState::Infeasible { measurements, .. } => measurements.len(),
                _ => 0,
            });
            prop_assert_eq!(kept.sum::<usize>(), n_told);
        }
        let ids: Vec<u64> = study.trials().iter().map(|t| t.id.0).collect();
        prop_assert_eq!(ids, (0..study.trials().len() as u64).collect::<Vec<_>>());
        prop_assert_eq!(study.n_observed(), study.trials().iter().filter(|t| t.value().is_some()).count());
        prop_assert_eq!(study.best().is_some(), study.recommended().is_some());

        // The log reproduces the study and its next batch, also through JSON.
        let lines = written(&study);
        let read: Vec<Event> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        let again = Study::replay(read).unwrap();
        prop_assert_eq!(&again, &study);
        prop_assert_eq!(written(&again), lines);
        prop_assert_eq!(again.suggest(2).unwrap(), study.suggest(2).unwrap());
        prop_assert_eq!(verify(study.events()).unwrap(), vec![]);
    }

    #[test]
    fn results_told_in_another_order_mean_the_same_trials(
        seed in any::<u64>(),
        order in Just((0..6usize).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let told = |order: &[usize]| {
            let mut study = run(1, seed, false, &[Step::Ask(6)]);
            for &i in order {
                study.tell(TrialId(i as u64), i as f64).unwrap();
            }
            study
        };
        let (a, b) = (told(&[0, 1, 2, 3, 4, 5]), told(&order));
        prop_assert_eq!(a.trials(), b.trials());
        prop_assert_eq!(a.suggest(2).unwrap().trials, b.suggest(2).unwrap().trials);
    }

    #[test]
    fn a_log_that_was_damaged_is_refused_or_read_but_never_panics(
        which in 0..5usize,
        steps in prop::collection::vec(step(), 1..12),
        edits in prop::collection::vec((0..5u8, any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..4),
    ) {
        let study = run(which, 1, false, &steps);
        let other = run((which + 1) % 5, 2, false, &steps);
        let mut events = study.events().to_vec();
        for (kind, i, j) in edits {
            if events.is_empty() {
                break;
            }
            let (i, j) = (i.index(events.len()), j.index(events.len()));
            match kind {
                0 => events.swap(i, j),
                1 => events.insert(i, events[j].clone()),
                2 => events.truncate(i),
                3 => { events.remove(i); }
                _ => events[i] = other.events()[j % other.events().len()].clone(),
            }
        }
        if let Ok(mut read) = Study::replay(events.clone()) {
            let _ = read.ask(1);
            let _ = verify(&events);
        }
    }

    #[test]
    fn a_provenance_that_was_changed_is_reported_but_never_panics(
        which in 0..5usize,
        steps in prop::collection::vec(step(), 1..12),
        at in any::<prop::sample::Index>(),
        numbers in prop::array::uniform5(prop_oneof![0..20u64, any::<u64>(), Just(u64::MAX)]),
        theta in prop::collection::vec(-1e3..1e3f64, 0..6),
    ) {
        let mut events = run(which, 1, false, &steps).events().to_vec();
        let asked: Vec<usize> = (0..events.len()).filter(|&i| matches!(events[i], Event::Asked { .. })).collect();
        prop_assume!(!asked.is_empty());
        if let Event::Asked { wanted, provenance, .. } = &mut events[*at.get(&asked)] {
            *wanted = numbers[0] as usize;
            provenance.revision = numbers[1] as usize;
            provenance.data_revision = numbers[2] as usize;
            provenance.design_next = numbers[3];
            provenance.pending.push(TrialId(numbers[4]));
            if let Some(model) = &mut provenance.model {
                model.theta = theta;
            }
        }
        if let Ok(mut study) = Study::replay(events.clone()) {
            let _ = study.ask(2);
            let _ = verify(&events);
        }
    }

    #[test]
    fn text_that_was_changed_is_refused_or_read_but_never_panics(
        steps in prop::collection::vec(step(), 1..8),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut lines: Vec<Vec<u8>> = written(&run(1, 3, false, &steps)).into_iter().map(String::into_bytes).collect();
        for (line, at, byte) in edits {
            let line = line.index(lines.len());
            let at = at.index(lines[line].len());
            lines[line][at] = byte;
        }
        let events: Result<Vec<Event>, _> = lines.iter().map(|line| serde_json::from_slice(line)).collect();
        if let Ok(events) = events {
            let _ = Study::replay(events.clone()).map(|study| study.suggest(1));
            let _ = verify(&events);
        }
    }
}

#[test]
fn fields_of_later_builds_are_passed_over_and_other_versions_refused() {
    let read = |text: &str| serde_json::from_str::<Event>(text);
    let told = Event::Told {
        trial: TrialId(1),
        value: 0.5,
        noise: None,
        results: Watched::NONE,
        comment: None,
        correction: false,
        late: false,
        request: None,
    };
    assert_eq!(read(r#"{"v":1,"event":"told","trial":1,"value":0.5,"weather":"fine"}"#).unwrap(), told);
    // Wherever the version is, the message is about it.
    for text in [r#"{"v":4,"event":"sold","trial":[]}"#, r#"{"event":"told","trial":[],"v":4}"#] {
        assert!(read(text).unwrap_err().to_string().contains("version 4"), "{:?}", read(text));
    }
    assert!(read(r#"{"event":"released","trial":1}"#).unwrap_err().to_string().contains("missing field `v`"));
    assert!(read("[]").is_err() && read("null").is_err() && read("{}").is_err());
}

/// Version 1 is what 0.1.0 wrote, as in `old_log.rs`; anything that it does not know must have a number that it
/// refuses.
#[test]
fn kinds_of_events_that_older_builds_do_not_know_have_a_version_they_refuse() {
    let write = |event: &Event| serde_json::to_value(event).unwrap();
    let placed = PlacedTrial { trial: TrialId(0), well: "A1".to_owned() };
    for event in
        [Event::Budgeted { trials: Some(60) }, Event::Budgeted { trials: None }, Event::Placed { trials: vec![placed] }]
    {
        assert_eq!(write(&event)["v"], 2);
        assert_eq!(serde_json::from_value::<Event>(write(&event)).unwrap(), event);
    }
    assert_eq!(write(&Event::Withdrawn { trial: TrialId(0), request: None })["v"], 1);
}

#[test]
fn numbers_come_back_from_json_bit_by_bit() {
    for value in [0.1 + 0.2, 5e-324, f64::MAX, -0.0, 1.0, 1e22, 123456789.12345679] {
        let event = Event::Told {
            trial: TrialId(u64::MAX),
            value,
            noise: Some(value.abs()),
            results: Watched::NONE,
            comment: None,
            correction: true,
            late: false,
            request: None,
        };
        let text = serde_json::to_string(&event).unwrap();
        let Event::Told { value: back, trial, .. } = serde_json::from_str(&text).unwrap() else { panic!("{text}") };
        assert_eq!((back.to_bits(), trial.0), (value.to_bits(), u64::MAX), "{text}");
    }
}

#[test]
fn impossible_events_are_refused_by_number_and_trial() {
    let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)]).unwrap();
    let study = Study::new(StudyConfig::new(space)).unwrap();
    let refusal = |event: Event| study.clone().apply(event).unwrap_err().to_string();
    let added = |id, x: f64| Event::Added {
        trial: TrialId(id),
        point: Point::new().with("x", x),
        value: None,
        noise: None,
        results: Watched::NONE,
        comment: None,
        request: None,
    };

    assert!(refusal(study.events()[0].clone()).starts_with("event 1: a second `created`"));
    assert!(refusal(added(4, 0.5)).starts_with("event 1: the next new trial is 4, but it should be 0"));
    assert!(refusal(added(0, 2.0)).starts_with("event 1: trial 0: parameter `x`"));
    assert!(refusal(Event::Withdrawn { trial: TrialId(u64::MAX), request: None }).contains("does not exist"));
    assert!(Study::replay([]).unwrap_err().to_string().contains("the log is empty"));
    assert!(Study::replay([added(0, 0.5)]).unwrap_err().to_string().contains("event 0"));
}

#[test]
fn points_that_decode_alike_are_one_point_also_where_encoding_rounds() {
    // A log scale rounds on the way to the unit cube and back; a point must nevertheless never be asked twice.
    let space = SearchSpace::new(vec![Parameter::float("r", 1e-7, 3e5).log()]).unwrap();
    let mut study = Study::new(StudyConfig::new(space).initial(200)).unwrap();
    let trials = study.ask(200).unwrap().trials;
    let distinct: HashSet<String> = trials.iter().map(|t| t.point.to_string()).collect();
    assert_eq!(distinct.len(), 200);
    for trial in &trials {
        let u: &UnitPoint = &trial.unit;
        assert_eq!(*u, study.space().encode(&trial.point).unwrap());
    }
}

#[test]
fn a_trial_handed_out_again_is_the_same_trial() {
    let space = SearchSpace::new(vec![Parameter::int("n", 0, 99)]).unwrap();
    let mut study = Study::new(StudyConfig::new(space).budget(3)).unwrap();
    let lost = study.ask(Ask::new(2).named("first")).unwrap().trials;
    let suggestion = study.suggest(Ask::new(2).with_pending(vec![lost[0].id]).retrying(vec![lost[1].id])).unwrap();
    // The budget allows one new trial next to the lost one, which costs nothing.
    assert_eq!((suggestion.again.len(), suggestion.trials.len(), &suggestion.shortfall), (1, 1, &None));
    study.apply(suggestion.into_event(Some("second".to_owned()))).unwrap();
    let answer = study.answered("second").unwrap().trials;
    assert_eq!((answer[0].id, answer[0].attempts, answer[1].id), (lost[1].id, 2, TrialId(2)));
    assert_eq!(answer[0].point, lost[1].point);

    // With nothing new to choose there is still an answer; lost trials that are not requested stay lost.
    let all = study.suggest(Ask::new(1).with_pending(vec![]).retrying(vec![lost[0].id, lost[1].id])).unwrap();
    assert_eq!((all.again.len(), all.trials.len(), all.again[0].attempt), (1, 0, 2));
    let event = all.clone().into_event(None);
    study.apply(event.clone()).unwrap();
    assert_eq!(verify(study.events()).unwrap(), vec![]);

    // Attempts are counted without gaps, and an ended trial is not handed out.
    assert!(study.apply(event).unwrap_err().to_string().contains("cannot be handed out again as attempt 2"));
    study.tell(lost[0].id, 1.0).unwrap();
    let next = study.suggest(Ask::new(1).with_pending(vec![]).retrying(vec![lost[0].id])).unwrap().into_event(None);
    assert!(study.apply(next).is_err());
    let lines = written(&study);
    let read: Vec<Event> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(Study::replay(read).unwrap(), study);
}

#[test]
fn every_report_under_a_name_counts_once() {
    let space = SearchSpace::new(vec![Parameter::int("n", 0, 99)]).unwrap();
    let mut study = Study::new(StudyConfig::new(space)).unwrap();
    let trials = study.ask(3).unwrap().trials;
    let request = |name: &str| Some(name.to_owned());
    let (a, b) = (trials[0].id, trials[1].id);
    let late = Event::Told {
        trial: a,
        value: 1.0,
        noise: None,
        results: Watched::NONE,
        comment: None,
        correction: false,
        late: true,
        request: request("t"),
    };
    let infeasible = Event::Infeasible { trial: b, reason: "hot".to_owned(), request: request("i") };
    let released = Event::Withdrawn { trial: trials[2].id, request: request("r") };
    for event in [&late, &infeasible, &released] {
        study.check(event).unwrap();
        study.apply(event.clone()).unwrap();
        let once = study.trials().to_vec();
        study.apply(event.clone()).unwrap();
        assert_eq!(study.trials(), once);
    }
    assert_eq!(study.trial(a).unwrap().measurements()[0].kind, elbowroom::study::MeasurementKind::Late);
    assert_eq!(study.reported("i"), Some(b));
    // Nor can a name be used for a different report, which a store must know before it stores one.
    let other = Event::Withdrawn { trial: a, request: request("i") };
    assert!(study.check(&other).is_err() && study.apply(other).is_err());
    let added = |request| Event::Added {
        trial: TrialId(3),
        point: Point::new().with("n", 5),
        value: None,
        noise: None,
        results: Watched::NONE,
        comment: None,
        request,
    };
    assert!(study.check(&added(request("t"))).is_err());
    study.check(&added(request("new"))).unwrap();
    study.apply(added(request("new"))).unwrap();
    assert_eq!(study.reported("new"), Some(TrialId(3)));
}

/// A log with both kinds of reasons: for random points instead of the strategy's, and for fewer points than wanted.
fn with_reasons() -> Vec<Event> {
    let mut study = Study::new(StudyConfig::new(space(0)).initial(2).budget(4)).unwrap();
    for trial in study.ask(2).unwrap().trials {
        study.fail(trial.id, "broken").unwrap();
    }
    assert_eq!(study.ask(3).unwrap().trials.len(), 2);
    study.events().to_vec()
}

/// The log with a different last ask.
fn reworded(change: impl FnOnce(&mut Option<String>, &mut elbowroom::study::Provenance)) -> Vec<Event> {
    let mut events = with_reasons();
    let Some(Event::Asked { shortfall, provenance, .. }) = events.last_mut() else {
        panic!("the log ends with an ask")
    };
    assert!(shortfall.is_some() && provenance.fallback.is_some());
    change(shortfall, provenance);
    events
}

#[test]
fn a_reason_in_other_words_is_no_difference_and_another_kind_is() {
    let other_words = |shortfall: &mut Option<String>, fallback: &mut Option<String>| {
        *shortfall = Some("in other words".to_owned());
        *fallback = Some("likewise".to_owned());
    };
    let same = reworded(|shortfall, provenance| other_words(shortfall, &mut provenance.fallback));
    assert_eq!(verify(&same).unwrap(), []);
    // As written by older builds of this version.
    let old = reworded(|shortfall, provenance| {
        other_words(shortfall, &mut provenance.fallback);
        (provenance.shortfall_kind, provenance.fallback_kind) = (None, None);
    });
    assert_eq!(verify(&old).unwrap(), []);
    let missing = [
        reworded(|shortfall, provenance| (*shortfall, provenance.shortfall_kind) = (None, None)),
        reworded(|_, provenance| (provenance.fallback, provenance.fallback_kind) = (None, None)),
    ];
    let of_another_kind = [
        reworded(|_, provenance| provenance.shortfall_kind = Some("no_free_points".to_owned())),
        reworded(|_, provenance| provenance.fallback_kind = Some("numerical".to_owned())),
    ];
    for changed in missing.iter().chain(&of_another_kind) {
        assert_eq!(verify(changed).unwrap().len(), 1);
    }
}

#[test]
fn kinds_of_reasons_are_written_only_where_there_is_a_reason() {
    let text = |event: &Event| serde_json::to_string(event).unwrap();
    let events = with_reasons();
    assert!(!text(&events[1]).contains("_kind"), "{}", text(&events[1]));
    let last = text(events.last().unwrap());
    assert!(last.contains(r#""fallback_kind":"few_values","short_kind":"budget""#), "{last}");
}
