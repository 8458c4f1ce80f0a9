//! Results by name: one is optimized; the others are kept and change nothing else.

use elbowroom::space::{Parameter, Point, SearchSpace};
use elbowroom::study::{
    Event, Goal, Measured, Outcome, Outcomes, Results, Study, StudyConfig, Tell, Told, Trial, TrialId, TrialState,
    Watched, verify,
};
use proptest::prelude::*;

fn space() -> SearchSpace {
    SearchSpace::new(vec![Parameter::float("x", -1.0, 1.0), Parameter::float("y", 0.0, 1.0)]).unwrap()
}

fn config() -> StudyConfig {
    StudyConfig::new(space()).metric("loss").seed(3).initial(4)
}

fn study() -> Study {
    Study::new(config()).unwrap()
}

fn ask(study: &mut Study) -> TrialId {
    study.ask(1).unwrap().trials[0].id
}

fn named(trial: &Trial) -> Vec<(&str, f64)> {
    trial.results().collect()
}

fn line(event: &Event) -> String {
    serde_json::to_string(event).unwrap()
}

#[test]
fn the_optimized_result_ends_a_trial_and_the_others_are_kept() {
    let mut study = study();
    let id = ask(&mut study);
    assert_eq!(study.tell(id, [("minutes", 12.0), ("loss", 0.3)]).unwrap(), Told::Recorded);
    let trial = study.trial(id).unwrap();
    assert_eq!((trial.value(), named(trial)), (Some(0.3), vec![("loss", 0.3), ("minutes", 12.0)]));
    assert_eq!(study.n_observed(), 1);
    // A bare number is the metric too, whatever its name.
    let id = ask(&mut study);
    assert_eq!(study.tell(id, 0.5).unwrap(), Told::Recorded);
    assert_eq!(study.trial(id).unwrap().result("loss"), Some(0.5));
}

#[test]
fn results_without_the_optimized_one_leave_a_trial_as_it_stood_before_and_after_its_end() {
    let mut study = study();
    let (first, second) = (ask(&mut study), ask(&mut study));
    assert_eq!(study.tell(first, [("minutes", 12.0)]).unwrap(), Told::Aside);
    assert!(study.trial(first).unwrap().is_pending());
    assert_eq!(study.trial(first).unwrap().value(), None);
    study.tell(first, 0.3).unwrap();
    study.fail(second, "it broke").unwrap();
    let before = study.clone();
    for id in [first, second] {
        assert_eq!(study.tell(id, [("joules", 4.0)]).unwrap(), Told::Aside);
        assert_eq!(study.trial(id).unwrap().state, before.trial(id).unwrap().state);
        assert_eq!(study.trial(id).unwrap().result("joules"), Some(4.0));
    }
    assert_eq!(study.outcomes().names().collect::<Vec<_>>(), ["loss", "minutes", "joules"]);
    assert_eq!(study.streak(), before.streak());
}

#[test]
fn a_value_that_is_not_a_number_is_a_failure_that_keeps_the_finite_others() {
    let mut study = study();
    let id = ask(&mut study);
    assert_eq!(study.tell(id, [("loss", f64::NAN), ("minutes", 12.0)]).unwrap(), Told::NotFinite);
    let trial = study.trial(id).unwrap();
    assert_eq!(trial.state, TrialState::Failed { reason: "the value was NaN".to_owned() });
    assert_eq!(named(trial), [("minutes", 12.0)]);
}

#[test]
fn a_watched_result_that_is_not_a_number_becomes_a_note() {
    let mut study = study();
    let id = ask(&mut study);
    let results = [("loss", 0.3), ("minutes", f64::INFINITY), ("joules", 2.0)];
    assert_eq!(study.tell(id, Tell::new(results).comment("late run")).unwrap(), Told::Recorded);
    let trial = study.trial(id).unwrap();
    assert_eq!(named(trial), [("loss", 0.3), ("joules", 2.0)]);
    assert_eq!(trial.notes, ["late run; minutes was +infinity"]);
    // On its own it changes nothing but the notes.
    assert_eq!(study.tell(id, [("minutes", f64::NAN)]).unwrap(), Told::Aside);
    assert_eq!(study.trial(id).unwrap().notes.last().unwrap(), "minutes was NaN");
}

#[test]
fn a_correction_replaces_the_results_that_it_names() {
    let mut study = study();
    let id = ask(&mut study);
    study.tell(id, [("loss", 0.3), ("minutes", 12.0), ("joules", 2.0)]).unwrap();
    study.tell(id, [("minutes", 14.0)]).unwrap();
    // The mean of 12 and 14, until one of them is corrected.
    assert_eq!(study.trial(id).unwrap().result("minutes"), Some(13.0));
    let told = study.tell(id, Tell::new([("minutes", 20.0)]).correction()).unwrap();
    assert_eq!(told, Told::Aside);
    assert_eq!(named(study.trial(id).unwrap()), [("loss", 0.3), ("minutes", 20.0), ("joules", 2.0)]);
    let told = study.tell(id, Tell::new([("loss", 0.1)]).correction()).unwrap();
    assert_eq!(told, Told::Correction);
    assert_eq!(named(study.trial(id).unwrap()), [("loss", 0.1), ("minutes", 20.0), ("joules", 2.0)]);
}

#[test]
fn an_infeasible_trial_may_have_results() {
    let mut study = study();
    let id = ask(&mut study);
    study.tell(id, [("minutes", 12.0)]).unwrap();
    study.infeasible(id, "too hot").unwrap();
    study.tell(id, [("kelvin", 400.0)]).unwrap();
    assert_eq!(named(study.trial(id).unwrap()), [("minutes", 12.0), ("kelvin", 400.0)]);
}

#[test]
fn earlier_results_are_added_by_name() {
    let mut study = study();
    let point = Point::new().with("x", 0.5).with("y", 0.5);
    let trial = study.add(&point, [("loss", 1.0), ("minutes", 3.0)]).unwrap();
    assert_eq!((trial.value(), trial.result("minutes")), (Some(1.0), Some(3.0)));
    let trial = study.add(&point, [("minutes", 3.0)]).unwrap();
    assert!(trial.is_pending() && trial.result("minutes") == Some(3.0));
    let trial = study.add(&point, [("loss", f64::NAN), ("minutes", 3.0)]).unwrap();
    assert!(matches!(trial.state, TrialState::Failed { .. }) && trial.result("minutes") == Some(3.0));
    let again = Study::replay(study.events().to_vec()).unwrap();
    assert_eq!(again, study);
}

#[test]
fn results_that_contradict_each_other_are_refused_and_change_nothing() {
    let mut study = study();
    let id = ask(&mut study);
    let before = study.clone();
    let refused = [
        (Tell::new(Results::from(0.3).with("loss", 0.4)), "`loss` is given twice"),
        (Tell::new([("minutes", 1.0), ("minutes", 2.0)]), "`minutes` is given twice"),
        (Tell::new([("x", 1.0)]), "the result `x` has the name of a parameter"),
        (Tell::new([("", 1.0)]), "the name of a result is \"\""),
        (Tell::new(Results::default()), "no result was given"),
        (Tell::new([("minutes", 1.0)]).noise(0.1), "without `loss`, which it belongs to"),
        (Tell::new(Results::from(0.3).with("m", Measured { value: 1.0, noise: Some(-1.0) })), "variance of `m` is -1"),
    ];
    for (report, words) in refused {
        let error = study.tell(id, report).unwrap_err().to_string();
        assert!(error.contains(words) && error.contains("try: "), "{error}");
    }
    assert_eq!(study, before);
    // Nor does the fold accept the optimized result outside its own field.
    let text = r#"{"v":3,"event":"measured","trial":0,"results":{"loss":0.3}}"#;
    let error = study.apply(serde_json::from_str(text).unwrap()).unwrap_err().to_string();
    assert!(error.contains("the result `loss` is listed among the others"), "{error}");
}

#[test]
fn whoever_tells_other_names_learns_which_one_is_optimized() {
    let study = Study::new(StudyConfig::new(space())).unwrap();
    let words = study.outcomes().say_missing(["loss", "minutes"]);
    assert_eq!(
        words,
        "this study optimizes `value`, but `loss`, `minutes` came without it; report `value` too, or create a study with \
         metric = \"loss\""
    );
}

#[test]
fn only_events_with_named_results_have_the_version_that_older_builds_refuse() {
    // The form that builds before this one read and wrote.
    const BEFORE: &str = "\"v\":3";
    let mut unnamed = Study::new(StudyConfig::new(space())).unwrap();
    let id = ask(&mut unnamed);
    unnamed.tell(id, 0.3).unwrap();
    unnamed.fail(id, "broken").unwrap();
    unnamed.add(&Point::new().with("x", 0.5).with("y", 0.5), 1.0).unwrap();
    for event in unnamed.events() {
        let text = line(event);
        assert!(!text.contains(BEFORE) && !text.contains("results") && !text.contains("metric"), "{text}");
    }
    assert_eq!(line(&unnamed.events()[2]), r#"{"v":1,"event":"told","trial":0,"value":0.3}"#);
    unnamed.tell(id, [("value", 0.3), ("minutes", 12.0)]).unwrap();
    unnamed.tell(id, Results::default().with("joules", Measured { value: 2.0, noise: Some(0.5) })).unwrap();
    unnamed.tell(id, [("value", f64::NAN), ("minutes", 12.0)]).unwrap();
    let lines: Vec<String> = unnamed.events()[5..].iter().map(line).collect();
    assert_eq!(
        lines,
        [
            r#"{"v":3,"event":"told","trial":0,"value":0.3,"results":{"minutes":12.0}}"#,
            r#"{"v":3,"event":"measured","trial":0,"results":{"joules":{"value":2.0,"noise":0.5}}}"#,
            r#"{"v":3,"event":"failed","trial":0,"reason":"the value was NaN","results":{"minutes":12.0}}"#,
        ]
    );
    let named = study();
    assert!(line(&named.events()[0]).contains(BEFORE));
}

/// Written by hand according to the format; it must never be rewritten.
#[test]
fn a_log_with_named_results_is_read_and_written_as_it_was() {
    let log = include_str!("data/log-results.jsonl");
    let events: Vec<Event> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let again: Vec<String> = events.iter().map(line).collect();
    assert_eq!(again, log.lines().collect::<Vec<_>>());
    let study = Study::replay(events).unwrap();
    assert_eq!(study.outcomes().names().collect::<Vec<_>>(), ["loss", "minutes", "joules"]);
    let all: Vec<Vec<(&str, f64)>> = study.trials().iter().map(named).collect();
    assert_eq!(
        all,
        [
            vec![("loss", 0.25), ("minutes", 12.0), ("joules", 3.0)],
            vec![("minutes", 9.0)],
            vec![("loss", 0.5), ("minutes", 7.0)],
        ]
    );
}

#[test]
fn configurations_have_a_short_form_and_a_long_one() {
    let read = |results: &str| {
        let text =
            format!(r#"{{"space":{{"parameters":[{{"type":"float","name":"x","low":0.0,"high":1.0}}]}}{results}}}"#);
        serde_json::from_str::<StudyConfig>(&text)
    };
    let parameters = serde_json::to_value(StudyConfig::new(space())).unwrap();
    assert!(parameters.get("metric").is_none() && parameters.get("outcomes").is_none());
    assert_eq!(parameters["goal"], "minimize");
    let text = |config: &StudyConfig| serde_json::to_string(config).unwrap();
    let back = |config: &StudyConfig| serde_json::from_str::<StudyConfig>(&text(config)).unwrap();

    let short = config().goal(Goal::Maximize);
    assert!(text(&short).contains(r#""goal":"maximize","metric":"loss","seed":3"#), "{}", text(&short));
    assert_eq!(back(&short), short);
    let outcomes =
        Outcomes::new(vec![Outcome::watched("minutes"), Outcome::objective("loss", Goal::Maximize)]).unwrap();
    let long = config().outcomes(outcomes);
    let written = r#""outcomes":[{"name":"loss","goal":"maximize"},{"name":"minutes"}],"seed":3"#;
    assert!(text(&long).contains(written) && !text(&long).contains("metric"), "{}", text(&long));
    assert_eq!(back(&long), long);

    let refusals = [
        (r#","goal":"minimize","outcomes":[{"name":"loss","goal":"minimize"}]"#, "both `outcomes` and `goal`"),
        (r#","metric":"loss","outcomes":[{"name":"loss","goal":"minimize"}]"#, "both `outcomes` and `metric`"),
        (r#","outcomes":[{"name":"a"}]"#, "no objective"),
        (r#","outcomes":[{"name":"a","goal":"minimize"},{"name":"a"}]"#, "`a` twice"),
        (r#","outcomes":[{"name":"a","role":"watched"}]"#, "unknown field `role`"),
        (r#","metric":"""#, "the name of a result is \"\""),
    ];
    for (results, words) in refusals {
        let error = read(results).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    let named_like_a_parameter = StudyConfig::new(space()).metric("x");
    assert!(Study::new(named_like_a_parameter).unwrap_err().to_string().contains("name of a parameter"));
    // Nothing changes for a study without names whose parameter is called `value`.
    let value = SearchSpace::new(vec![Parameter::float("value", 0.0, 1.0)]).unwrap();
    Study::new(StudyConfig::new(value)).unwrap();
}

/// One step of a history: an ask, and the report on one of its trials.
#[derive(Debug, Clone)]
struct Step {
    n: usize,
    value: f64,
    aside_before: bool,
    aside_after: bool,
    beside: bool,
    is_failure: bool,
}

fn step() -> impl Strategy<Value = Step> {
    (1..3usize, -5.0..5.0, any::<[bool; 3]>(), prop::bool::weighted(0.15)).prop_map(|(n, value, asides, is_failure)| {
        let [aside_before, aside_after, beside] = asides;
        Step { n, value, aside_before, aside_after, beside, is_failure }
    })
}

/// The same history with and without watched results.
fn history(steps: &[Step], seed: u64, watches: bool) -> Study {
    let mut study = Study::new(config().seed(seed)).unwrap();
    for step in steps {
        let trials = study.ask(step.n).unwrap().trials;
        let id = trials[0].id;
        if watches && step.aside_before {
            study.tell(id, [("minutes", step.value * 10.0)]).unwrap();
        }
        match step.is_failure {
            true => study.fail(id, "it broke").unwrap(),
            false if watches && step.beside => drop(study.tell(id, [("joules", 1.0), ("loss", step.value)]).unwrap()),
            false => drop(study.tell(id, step.value).unwrap()),
        }
        if watches && step.aside_after {
            study.tell(TrialId(0), [("minutes", 1.0), ("kelvin", f64::NAN)]).unwrap();
        }
    }
    study
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_study_with_watched_results_suggests_what_it_would_without_them(
        steps in prop::collection::vec(step(), 1..10),
        seed in any::<u64>(),
    ) {
        let (plain, watching) = (history(&steps, seed, false), history(&steps, seed, true));
        let points = |study: &Study| study.trials().iter().map(|trial| trial.unit.clone()).collect::<Vec<_>>();
        prop_assert_eq!(points(&plain), points(&watching));
        prop_assert_eq!(plain.suggest(3).unwrap().trials, watching.suggest(3).unwrap().trials);
        prop_assert_eq!(plain.recommended(), watching.recommended());
        prop_assert_eq!(plain.n_observed(), watching.n_observed());
        prop_assert_eq!(verify(watching.events()).unwrap(), vec![]);
        let again = Study::replay(watching.events().to_vec()).unwrap();
        prop_assert_eq!(again, watching);
    }
}

#[test]
fn a_report_under_a_name_counts_once_whichever_results_it_has() {
    let mut study = study();
    let id = ask(&mut study);
    let aside = || Tell::new([("minutes", 1.0)]).request("a");
    assert_eq!(study.tell(id, aside()).unwrap(), Told::Aside);
    let n_events = study.events().len();
    assert_eq!(study.tell(id, aside()).unwrap(), Told::Repeated);
    assert_eq!((study.events().len(), study.trial(id).unwrap().result("minutes")), (n_events, Some(1.0)));
    let other = ask(&mut study);
    assert!(study.tell(other, aside()).unwrap_err().to_string().contains("was a report of trial 0"));
    assert!(Watched::NONE.is_empty());
}
