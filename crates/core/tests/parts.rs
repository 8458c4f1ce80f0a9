//! Parts of a user: used, named in the log, and missed when they are needed.

use elbowroom::batch::{BatchSize, BatchStrategy, Chooser, Plain, Situation, Thompson};
use elbowroom::error::{Error, Kind, Result};
use elbowroom::insight::{expected_gain, why};
use elbowroom::space::{Parameter, SearchSpace};
use elbowroom::study::{Event, PartId, PartSettings, Parts, StrategyConfig, Study, StudyConfig, verify, verify_with};

/// One of two of our strategies, under a foreign name, according to its settings.
#[derive(Debug)]
enum Either {
    Plain(Plain),
    Thompson(Thompson),
}

impl Either {
    fn make(settings: &PartSettings) -> Result<Self> {
        if let Some(unknown) = settings.keys().find(|key| *key != "draw") {
            return Err(Error::config(format!("there is no setting `{unknown}`"), "take `draw`"));
        }
        let draws = settings.get("draw").and_then(|value| value.as_bool()).unwrap_or(false);
        Ok(if draws { Self::Thompson(Thompson::default()) } else { Self::Plain(Plain::default()) })
    }
}

impl BatchStrategy for Either {
    fn bind<'a>(&'a self, situation: &'a Situation<'a>, q: BatchSize) -> Result<Box<dyn Chooser + 'a>> {
        match self {
            Either::Plain(plain) => plain.bind(situation, q),
            Either::Thompson(thompson) => thompson.bind(situation, q),
        }
    }
}

fn id(version: &str) -> PartId {
    PartId::new("acme/either", version).unwrap()
}

fn parts(version: &str) -> Parts {
    Parts::new().with_strategy(id(version), Either::make)
}

fn config(strategy: StrategyConfig) -> StudyConfig {
    let space = SearchSpace::new(vec![Parameter::float("x", -1.0, 1.0), Parameter::float("y", -1.0, 1.0)]).unwrap();
    StudyConfig::new(space).seed(3).initial(4).strategy(strategy)
}

fn foreign(settings: &[(&str, bool)]) -> StrategyConfig {
    let settings = settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).into())).collect();
    StrategyConfig::Foreign { part: id("1"), settings }
}

/// Four points of the design, their results, and three points of the strategy.
fn driven(mut study: Study) -> Study {
    for trial in study.ask(4).unwrap().trials {
        let [x, y] = [trial.unit[0], trial.unit[1]];
        study.tell(trial.id, (x - 0.3).powi(2) + (y - 0.7).abs()).unwrap();
    }
    study.ask(3).unwrap();
    study
}

fn points(study: &Study) -> Vec<String> {
    study.trials().iter().map(|trial| trial.point.to_string()).collect()
}

#[test]
fn a_part_chooses_what_it_would_choose_as_one_of_ours_and_its_settings_reach_it() {
    for (settings, ours) in [
        (&[][..], StrategyConfig::Plain(Plain::default())),
        (&[("draw", true)], StrategyConfig::Thompson(Thompson::default())),
    ] {
        let theirs = driven(Study::with(config(foreign(settings)), &parts("1")).unwrap());
        assert_eq!(points(&theirs), points(&driven(Study::new(config(ours)).unwrap())));
        assert_eq!(verify_with(theirs.events(), &parts("1")).unwrap(), []);
    }
}

#[test]
fn without_the_part_a_study_is_read_and_told_and_asks_say_what_is_missing() {
    let events = driven(Study::with(config(foreign(&[])), &parts("1")).unwrap()).events().to_vec();
    let mut study = Study::replay(events.clone()).unwrap();
    assert_eq!((study.trials().len(), study.best().is_some()), (7, true));
    let pending = study.pending().next().unwrap().id;
    study.tell(pending, 0.0).unwrap();
    assert_eq!(study.best().unwrap().id, pending);
    let missing = [
        study.ask(1).unwrap_err(),
        study.suggest(1).unwrap_err(),
        study.strategy().err().unwrap(),
        verify(&events).unwrap_err(),
    ];
    for error in missing {
        assert_eq!(error.kind(), Kind::MissingPart);
        assert!(error.what().contains("acme/either 1") && error.hint().contains("replay_with"), "{error}");
    }
}

#[test]
fn a_configuration_names_its_part_on_the_wire_and_the_log_the_version_that_chose() {
    let strategy = foreign(&[("draw", true)]);
    let text = serde_json::to_string(&strategy).unwrap();
    let wire = r#"{"name":"foreign","part":{"name":"acme/either","version":"1"},"settings":{"draw":true}}"#;
    assert_eq!(text, wire);
    assert_eq!(serde_json::from_str::<StrategyConfig>(&text).unwrap(), strategy);
    let newer = driven(Study::with(config(strategy), &parts("2")).unwrap());
    let Some(Event::Asked { provenance, .. }) = newer.events().last() else { panic!("the log ends with an ask") };
    assert_eq!(provenance.strategy, Some(id("2")));
}

#[test]
fn a_difference_under_another_version_says_which_versions() {
    let study = driven(Study::with(config(foreign(&[])), &parts("1")).unwrap());
    // Another version that makes the same choices is not a difference.
    assert_eq!(verify_with(study.events(), &parts("2")).unwrap(), []);
    let other = Parts::new().with_strategy(id("2"), |_| Ok(Thompson::default()));
    let differences = verify_with(study.events(), &other).unwrap();
    assert_eq!(differences.len(), 1);
    assert!(differences[0].what.contains("acme/either 1") && differences[0].what.contains("acme/either 2"));
}

#[test]
fn what_a_part_refuses_is_refused_when_it_is_handed_in() {
    let error = Study::with(config(foreign(&[("drwa", true)])), &parts("1")).unwrap_err();
    assert_eq!((error.kind(), error.hint()), (Kind::Config, "take `draw`"));
    assert!(error.what().contains("acme/either 1") && error.what().contains("drwa"), "{error}");
    let unnamed = serde_json::from_str(r#"{"name":"foreign","part":{"name":"either","version":"1"}}"#).unwrap();
    assert!(Study::new(config(unnamed)).unwrap_err().hint().contains("acme/greedy"));
}

#[test]
fn why_and_the_expected_gain_ask_the_part_itself_and_say_if_it_is_missing() {
    let study = driven(Study::with(config(foreign(&[])), &parts("1")).unwrap());
    let ours = driven(Study::new(config(StrategyConfig::Plain(Plain::default()))).unwrap());
    let chosen = study.trials()[5].id;
    let (theirs_why, ours_why) = (why(&study, chosen).unwrap(), why(&ours, chosen).unwrap());
    let (theirs, ours_belief) = (theirs_why.belief.unwrap(), ours_why.belief.unwrap());
    assert_eq!(theirs.score, ours_belief.score);
    assert_eq!(theirs.strategy, "acme/either");
    assert_eq!(expected_gain(&study).unwrap(), expected_gain(&ours).unwrap());
    let without = Study::replay(study.events().to_vec()).unwrap();
    assert_eq!(why(&without, chosen).unwrap_err().kind(), Kind::MissingPart);
    assert_eq!(expected_gain(&without).unwrap_err().kind(), Kind::MissingPart);
    // Points from the design are not based on a strategy.
    assert!(why(&without, study.trials()[0].id).is_ok());
}
