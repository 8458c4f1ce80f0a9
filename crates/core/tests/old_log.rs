//! A log that version 0.1.0 wrote, at the last commit before failed trials affected the search: 30 trials, 5 of them
//! failed and 7 infeasible. It was written with `elbow run study.toml --trials 30` and `elbow export --format events`,
//! and must never be rewritten.

use elbowroom::batch::LocalPenalization;
use elbowroom::gp::Prior;
use elbowroom::space::{Parameter, SearchSpace};
use elbowroom::study::{
    Build, Event, FailureRule, Goal, StrategyConfig, Study, StudyConfig, TrialState, other_versions, verify,
};

const LOG: &str = include_str!("data/log-0.1.0.jsonl");

fn events() -> Vec<Event> {
    LOG.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn old() -> Study {
    Study::replay(events()).unwrap()
}

fn is_ask(event: &Event) -> bool {
    matches!(event, Event::Asked { .. })
}

/// Continues as the study started: two at a time, some of them failing.
fn go_on(study: &mut Study, n_asks: usize) {
    for _ in 0..n_asks {
        for trial in study.ask(2).unwrap().trials {
            let get = |name| trial.point.get(name).unwrap().as_f64().unwrap();
            let (rate, x, n): (f64, f64, f64) = (get("rate"), get("x"), get("n"));
            if x > 0.5 {
                study.infeasible(trial.id, "x is too large").unwrap();
            } else if rate > 0.02 {
                study.fail(trial.id, "diverged").unwrap();
            } else {
                let value = (rate.log10() + 2.0).powi(2) + (x - 0.4).powi(2) + 0.05 * (n - 4.0).powi(2);
                study.tell(trial.id, value).unwrap();
            }
        }
    }
}

#[test]
fn a_log_of_an_older_version_is_read_and_its_failures_teach_nothing() {
    let study = old();
    let count = |is: fn(&TrialState) -> bool| study.trials().iter().filter(|trial| is(&trial.state)).count();
    // As `elbow status` of 0.1.0 counted them.
    assert_eq!(count(|state| matches!(state, TrialState::Complete { .. })), 18);
    assert_eq!(count(|state| matches!(state, TrialState::Failed { .. })), 5);
    assert_eq!(count(|state| matches!(state, TrialState::Infeasible { .. })), 7);
    let config = study.config();
    assert_eq!((config.failures, config.goal, config.seed), (FailureRule::Ignore, Goal::Minimize, 11));
}

#[test]
fn what_an_older_version_wrote_is_written_as_it_was_but_for_settings_it_lacked() {
    for (event, line) in events().iter().zip(LOG.lines()).skip(1) {
        assert_eq!(serde_json::to_string(event).unwrap(), line);
    }
}

#[test]
fn asks_of_an_older_version_are_listed_apart_and_are_no_differences() {
    let events = events();
    let asks: Vec<usize> = (0..events.len()).filter(|i| is_ask(&events[*i])).collect();
    assert_eq!(asks.len(), 29);
    assert_eq!(other_versions(&events).into_iter().collect::<Vec<_>>(), [("0.1.0".to_owned(), asks.clone())]);
    assert_eq!(verify(&events).unwrap(), []);

    // They are not compared at all: even a modified one is left out.
    let mut changed = events;
    if let Event::Asked { wanted, .. } = &mut changed[asks[3]] {
        *wanted += 1;
    }
    assert_eq!(verify(&changed).unwrap(), []);
}

#[test]
fn an_old_log_goes_on_and_its_new_asks_are_compared() {
    let mut study = old();
    let n_old = study.events().len();
    go_on(&mut study, 4);
    let mut events = study.events().to_vec();
    assert_eq!(other_versions(&events)["0.1.0"].len(), 29);
    assert!(other_versions(&events)["0.1.0"].iter().all(|event| *event < n_old));
    assert_eq!(verify(&events).unwrap(), []);

    // A modified ask of this version is found, in a log with asks of both.
    let ours = (n_old..events.len()).filter(|i| is_ask(&events[*i])).nth(2).unwrap();
    if let Event::Asked { trials, .. } = &mut events[ours] {
        let point = trials[0].point.clone();
        trials[0].point = point.with("x", 0.123);
    }
    let found: Vec<usize> = verify(&events).unwrap().iter().map(|difference| difference.event).collect();
    assert!(found.contains(&ours), "{found:?}");
    assert!(found.iter().all(|event| *event >= n_old), "{found:?}");
}

#[test]
fn asks_of_a_newer_version_are_listed_apart_too() {
    let mut study = old();
    go_on(&mut study, 2);
    let mut events = study.events().to_vec();
    let last = (0..events.len()).rfind(|i| is_ask(&events[*i])).unwrap();
    if let Event::Asked { wanted, provenance, .. } = &mut events[last] {
        *wanted += 3;
        provenance.build.version = "99.0.0".to_owned();
    }
    let others = other_versions(&events);
    assert_eq!(others.keys().collect::<Vec<_>>(), ["0.1.0", "99.0.0"]);
    assert_eq!(others["99.0.0"], [last]);
    assert_eq!(verify(&events).unwrap(), []);
}

#[test]
fn an_ask_of_this_version_on_another_processor_level_is_compared_and_says_so() {
    let mut study = old();
    go_on(&mut study, 1);
    let mut events = study.events().to_vec();
    let last = (0..events.len()).rfind(|i| is_ask(&events[*i])).unwrap();
    if let Event::Asked { provenance, .. } = &mut events[last] {
        provenance.build.cpu = "abacus".to_owned();
    }
    // The same points on another level are the same.
    assert_eq!(verify(&events).unwrap(), []);
    if let Event::Asked { trials, .. } = &mut events[last] {
        let point = trials[0].point.clone();
        trials[0].point = point.with("x", 0.123);
    }
    let differences = verify(&events).unwrap();
    let now = Build::current();
    let words = format!("(recorded by {0} on abacus, chosen again by {0} on {1})", now.version, now.cpu);
    assert_eq!((differences.len(), differences[0].event), (1, last));
    assert!(differences[0].what.ends_with(&words), "{}", differences[0].what);
}

/// A log of 0.2.0, at the commit that raised the version to 0.3.0: 24 trials, 3 of them failed. Made like the other
/// one.
const LOG_2: &str = include_str!("data/log-0.2.0.jsonl");

#[test]
fn a_log_of_0_2_0_is_read_written_as_it_was_and_its_asks_are_listed_apart() {
    let events: Vec<Event> = LOG_2.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for (event, line) in events.iter().zip(LOG_2.lines()) {
        assert_eq!(serde_json::to_string(event).unwrap(), line);
    }
    let n_asks = events.iter().filter(|event| is_ask(event)).count();
    let others: Vec<(String, usize)> = other_versions(&events).into_iter().map(|(v, asks)| (v, asks.len())).collect();
    assert_eq!(others, [("0.2.0".to_owned(), n_asks)]);
    assert_eq!(verify(&events).unwrap(), []);

    let mut study = Study::replay(events).unwrap();
    assert_eq!((study.n_observed(), study.config().failures), (21, FailureRule::Learn));
    // Its failures still affect the search.
    assert!(study.chance().unwrap().is_some());
    study.set_budget(Some(30)).unwrap();
    study.ask(2).unwrap();
    assert_eq!(verify(study.events()).unwrap(), []);
}

#[test]
fn a_log_without_a_rule_for_refining_means_never_and_a_configuration_without_one_the_default() {
    let local = |strategy: &StrategyConfig| match strategy {
        StrategyConfig::LocalPenalization(local) => local.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(local(&old().config().strategy).refine, None);
    let first: serde_json::Value = serde_json::from_str(LOG.lines().next().unwrap()).unwrap();
    assert!(first["config"]["strategy"].get("refine").is_none());
    // In a configuration written by people, omitted settings have their defaults; and they are then written explicitly.
    let config: StudyConfig = serde_json::from_value(first["config"].clone()).unwrap();
    assert_eq!(local(&config.strategy), LocalPenalization::default());
    let study = Study::new(config).unwrap();
    let created = serde_json::to_value(&study.events()[0]).unwrap();
    assert_eq!(created["config"]["strategy"]["refine"]["alternate"]["kappa"], 2.0);
    assert_eq!(Study::replay(study.events().to_vec()).unwrap().config(), study.config());
}

#[test]
fn a_log_without_rules_for_categories_means_what_was_done_then_and_a_configuration_without_them_the_defaults() {
    let space = |parameter| SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0), parameter]).unwrap();
    let begin = |config| Study::new(config).unwrap();
    let study = begin(StudyConfig::new(space(Parameter::category("kind", ["a", "b"]))));
    let rules = |study: &Study| (study.config().model.category_prior, study.config().score_all);
    assert_eq!(rules(&study), (Some(Prior::OF_CATEGORIES), Some(100_000)));
    let mut created = serde_json::to_value(&study.events()[0]).unwrap();
    assert_eq!(created["config"]["model"]["category_prior"]["log_normal"]["sigma"], 1.0);
    assert_eq!(Study::replay(study.events().to_vec()).unwrap().config(), study.config());

    created["config"]["model"].as_object_mut().unwrap().remove("category_prior");
    created["config"].as_object_mut().unwrap().remove("score_all");
    let older = Study::replay([serde_json::from_value::<Event>(created.clone()).unwrap()]).unwrap();
    assert_eq!(rules(&older), (None, None));
    assert_eq!(serde_json::to_value(&older.events()[0]).unwrap(), created);
    assert_eq!(&study.config().clone().with_defaults_of(older.config()), older.config());
    // In a configuration written by people, omitted settings have their defaults.
    let config: StudyConfig = serde_json::from_value(created["config"].clone()).unwrap();
    assert_eq!(&config, study.config());

    // Without categories there is nothing to write about them.
    let plain = begin(StudyConfig::new(space(Parameter::int("n", 1, 9))));
    assert_eq!(rules(&plain), (None, None));
    assert!(!serde_json::to_string(&plain.events()[0]).unwrap().contains("category_prior"));
}
