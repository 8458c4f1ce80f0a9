//! Studies with several objectives, from outside.

use elbowroom::insight::why;
use elbowroom::space::{Parameter, Point, SearchSpace};
use elbowroom::study::{
    Event, Goal, Outcome, Outcomes, StrategyConfig, Study, StudyConfig, Tell, Trial, TrialId, TrialState, verify,
};
use proptest::prelude::*;

fn space() -> SearchSpace {
    SearchSpace::new(["x", "y"].map(|name| Parameter::float(name, 0.0, 1.0)).to_vec()).unwrap()
}

/// Two separate minima: the front is the line between them.
fn results(trial: &Trial) -> [(&'static str, f64); 2] {
    let (x, y) = (trial.unit[0], trial.unit[1]);
    let squared = |a: f64, b: f64| (x - a).powi(2) + (y - b).powi(2);
    [("left", squared(0.25, 0.5)), ("right", -squared(0.75, 0.5))]
}

fn objectives() -> Vec<Outcome> {
    vec![Outcome::objective("left", Goal::Minimize).worst(0.5), Outcome::objective("right", Goal::Maximize).worst(-0.5)]
}

fn config(outcomes: Vec<Outcome>) -> StudyConfig {
    StudyConfig::new(space()).seed(7).initial(6).outcomes(Outcomes::new(outcomes).unwrap())
}

fn told(config: StudyConfig, n_rounds: usize) -> Study {
    let mut study = Study::new(config).unwrap();
    for _ in 0..n_rounds {
        for trial in study.ask(4).unwrap().trials {
            study.tell(trial.id, results(&trial)).unwrap();
        }
    }
    study
}

/// The volume between the whole front and (0.5, -0.5): with t from 0 to 1 along the line it is (t/2)², (1 - t)²/4, so
/// 0.25 less ∫ over left of right's loss, which is ∫ (1 - t)²/4 dt²/4 = 1/96, and the rest of the square.
const WHOLE: f64 = 0.25 - 1.0 / 96.0;

#[test]
fn each_strategy_that_knows_fronts_finds_most_of_one() {
    for name in ["local_penalization", "believer", "plain"] {
        let study = told(config(objectives()).strategy(StrategyConfig::named(name).unwrap()), 7);
        let front = study.front();
        let volume = front.hypervolume.unwrap();
        // Twenty-eight evenly spread points of the front leave 0.0002; a random design of the same size leaves ten
        // times this.
        assert!((WHOLE - 0.004..WHOLE).contains(&volume), "{name}: {volume} of {WHOLE}");
        assert!(front.points.len() >= 8, "{name}");
        assert!(front.history.is_sorted_by(|a, b| a.hypervolume <= b.hypervolume));
        assert!(verify(study.events()).unwrap().is_empty(), "{name}");
    }
    let random = told(config(objectives()).strategy(StrategyConfig::Random), 7).front().hypervolume.unwrap();
    assert!(random < WHOLE - 0.004, "{random}");
}

#[test]
fn a_strategy_for_one_objective_is_refused_with_several() {
    let names = StrategyConfig::names();
    let refused =
        |name: &&&str| Study::new(config(objectives()).strategy(StrategyConfig::named(name).unwrap())).is_err();
    let taken: Vec<&&str> = names.iter().filter(|name| !refused(name)).collect();
    assert_eq!(taken, [&"local_penalization", &"plain", &"believer", &"random"]);
    let error = Study::new(config(objectives()).strategy(StrategyConfig::named("thompson").unwrap())).unwrap_err();
    assert!(error.to_string().contains("`thompson` is for one objective, but this study has 2: `left`, `right`"));
    assert!(error.hint().contains("local_penalization, plain, believer, random"), "{error}");
}

#[test]
fn the_reference_point_is_the_users_or_inferred_and_stands_in_the_log() {
    let reference = |study: &Study| match study.events().iter().rev().find(|event| matches!(event, Event::Asked { .. }))
    {
        Some(Event::Asked { provenance, .. }) => provenance.reference.clone(),
        _ => panic!("no ask"),
    };
    assert_eq!(reference(&told(config(objectives()), 3)), [0.5, -0.5]);
    let unsaid = vec![Outcome::objective("left", Goal::Minimize), Outcome::objective("right", Goal::Maximize)];
    let mut study = told(config(unsaid), 3);
    let front = study.front();
    let worst =
        |k: usize, sign: f64| front.points.iter().map(|one| sign * one.values[k]).fold(f64::NEG_INFINITY, f64::max);
    let [left, right] = [front.objectives[0].reference.unwrap(), front.objectives[1].reference.unwrap()];
    assert!(left > worst(0, 1.0) && right < -worst(1, -1.0) && front.objectives[0].is_inferred);
    study.ask(1).unwrap();
    assert_eq!(reference(&study), [left, right]);
}

#[test]
fn a_study_of_one_objective_records_nothing_of_others() {
    let mut study = told(StudyConfig::new(space()).metric("left").initial(6), 3);
    study.ask(2).unwrap();
    for event in study.events().iter().filter(|event| matches!(event, Event::Asked { .. })) {
        let text = serde_json::to_string(event).unwrap();
        assert!(!text.contains("outcomes") && !text.contains("reference"), "{text}");
    }
}

#[test]
fn an_objective_that_comes_later_is_used_when_it_comes() {
    let mut study = Study::new(config(objectives())).unwrap();
    let trials = study.ask(8).unwrap().trials;
    for trial in &trials {
        study.tell(trial.id, [results(trial)[0]]).unwrap();
    }
    // Nothing is known about the second objective: points are spread.
    let spread = study.suggest(2).unwrap();
    assert!(spread.provenance.model.is_none() && spread.trials.len() == 2);
    for trial in &trials[..5] {
        study.tell(trial.id, [results(trial)[1]]).unwrap();
    }
    assert_eq!(study.front().history.len(), 5);
    let chosen = study.ask(2).unwrap().trials;
    let awaited = |study: &Study| study.in_situation(1, |situation, _| Ok(situation.pending.len())).unwrap();
    assert_eq!(awaited(&study), 3 + 2);
    for trial in trials[5..].iter().chain(&chosen) {
        study.tell(trial.id, results(trial)).unwrap();
    }
    assert_eq!(awaited(&study), 0);
    study.ask(2).unwrap();
    assert!(verify(study.events()).unwrap().is_empty());
}

#[test]
fn limits_hold_for_the_front_and_for_what_is_recommended() {
    let mut outcomes = objectives();
    outcomes.push(Outcome::watched("y").at_least(0.5));
    let space = SearchSpace::new(["a", "b"].map(|name| Parameter::float(name, 0.0, 1.0)).to_vec()).unwrap();
    let mut study =
        Study::new(StudyConfig::new(space).seed(2).initial(6).outcomes(Outcomes::new(outcomes).unwrap())).unwrap();
    for _ in 0..5 {
        for trial in study.ask(4).unwrap().trials {
            let [left, right] = results(&trial);
            study.tell(trial.id, [left, right, ("y", trial.unit[1] - 0.02)]).unwrap();
        }
    }
    let front = study.front();
    assert!(front.points.len() >= 4);
    for point in &front.points {
        assert!(study.trial(point.trial).unwrap().result("y").unwrap() >= 0.5);
    }
    let recommended = study.recommended_front().unwrap();
    assert!(!recommended.is_empty());
    assert!(recommended.iter().all(|one| one.chance_within_limits.unwrap() >= 0.8));
    let found = why(&study, TrialId(16)).unwrap();
    assert!(found.summary.contains("to add to the front of the objectives"), "{}", found.summary);
    let belief = found.belief.unwrap();
    assert!(belief.score.is_score && !belief.score.terms.is_empty(), "{belief:?}");
}

#[test]
fn the_front_of_the_models_is_not_made_of_lucky_measurements() {
    // One point measured at a time with noise of deviation 0.2, on a true front where right = -left² - 0.25.
    let unsaid = vec![Outcome::objective("left", Goal::Minimize), Outcome::objective("right", Goal::Maximize)];
    let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)]).unwrap();
    let config = StudyConfig::new(space).initial(4).outcomes(Outcomes::new(unsaid).unwrap());
    let mut study = Study::new(config).unwrap();
    // Noise by a fixed rule: fractional parts of multiples of an irrational number, around 0.
    let noise = |i: f64, by: f64| 0.7 * ((i * by).fract() - 0.5);
    for i in 0..40 {
        let x = f64::from(i) / 39.0;
        let [a, b] = [noise(f64::from(i), 2f64.sqrt()), noise(f64::from(i), 3f64.sqrt())];
        study.add(&Point::new().with("x", x), [("left", x + a), ("right", -(1.0 - x) + b)]).unwrap();
    }
    let measured = study.front();
    let error = |values: &[f64], trial: TrialId| {
        let x = study.trial(trial).unwrap().unit[0];
        (values[0] - x).abs() + (values[1] + (1.0 - x)).abs()
    };
    let of_measured: Vec<f64> = measured.points.iter().map(|one| error(&one.values, one.trial)).collect();
    let recommended = study.recommended_front().unwrap();
    let of_models: Vec<f64> = recommended.iter().map(|one| error(&one.means, one.trial)).collect();
    let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
    // All forty points are on the true front; the measured front has the few whose errors help them.
    assert!(recommended.len() > measured.points.len(), "{} {}", recommended.len(), measured.points.len());
    assert!(mean(&of_models) < 0.5 * mean(&of_measured), "{} {}", mean(&of_models), mean(&of_measured));
}

/// One step of a history: the report on a trial of a batch, and the report on an earlier trial.
#[derive(Debug, Clone)]
struct Step {
    n: usize,
    parts: u8,
    earlier: Option<usize>,
    correction: bool,
}

fn step() -> impl Strategy<Value = Step> {
    (1..3usize, 0..8u8, prop::option::of(0..8usize), any::<bool>()).prop_map(|(n, parts, earlier, correction)| Step {
        n,
        parts,
        earlier,
        correction,
    })
}

fn history(steps: &[Step], seed: u64) -> Study {
    let mut outcomes = objectives();
    outcomes.push(Outcome::watched("purity").at_most(0.9));
    let mut study = Study::new(config(outcomes).seed(seed).initial(3)).unwrap();
    for step in steps {
        let trial = study.ask(step.n).unwrap().trials[0].clone();
        let [left, right] = results(&trial);
        let all = [left, right, ("purity", trial.unit[0])];
        let told: Vec<(&str, f64)> = (0..3).filter(|k| step.parts >> k & 1 == 1).map(|k| all[k]).collect();
        match told.is_empty() {
            true => study.fail(trial.id, "it broke").unwrap(),
            false => drop(study.tell(trial.id, told.into_iter().collect::<elbowroom::study::Results>()).unwrap()),
        }
        if let Some(i) = step.earlier.filter(|i| *i < study.trials().len()) {
            let late = Tell::new([("right", -0.1 * i as f64)]);
            study.tell(TrialId(i as u64), if step.correction { late.correction() } else { late }).unwrap();
        }
    }
    study
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn the_fold_of_a_log_is_the_study_and_its_asks_replay(
        steps in prop::collection::vec(step(), 3..9),
        seed in 0..100u64,
    ) {
        let study = history(&steps, seed);
        let texts: Vec<String> = study.events().iter().map(|event| serde_json::to_string(event).unwrap()).collect();
        let events: Vec<Event> = texts.iter().map(|text| serde_json::from_str(text).unwrap()).collect();
        let again = Study::replay(events).unwrap();
        prop_assert_eq!(&again, &study);
        prop_assert!(verify(again.events()).unwrap().is_empty());
        prop_assert_eq!(again.suggest(2).unwrap(), study.suggest(2).unwrap());
        for trial in study.trials().iter().filter(|trial| matches!(trial.state, TrialState::Complete { .. })) {
            let kept = trial.result("purity").map(|purity| purity <= 0.9);
            prop_assert_eq!(study.is_feasible(trial), kept);
        }
    }
}

#[test]
fn several_objectives_are_modelled_in_the_units_they_are_told_in() {
    // Over decades, so that a single objective would be bent.
    let steep = |trial: &Trial| (6.0 * (trial.unit[0] + trial.unit[1])).exp();
    let mut several = Study::new(config(objectives()).initial(20)).unwrap();
    let mut one = Study::new(StudyConfig::new(space()).seed(7).initial(20)).unwrap();
    for trial in several.ask(20).unwrap().trials {
        several.tell(trial.id, [("left", steep(&trial)), ("right", -steep(&trial))]).unwrap();
    }
    for trial in one.ask(20).unwrap().trials {
        one.tell(trial.id, steep(&trial)).unwrap();
    }
    assert!(one.model().unwrap().scale.bend().is_some());
    assert!(["left", "right"].iter().all(|name| several.model_of(name).unwrap().scale.bend().is_none()));
}

#[test]
fn a_space_of_one_point_has_a_front_and_nothing_to_recommend() {
    let space = SearchSpace::new(vec![Parameter::fixed("x", 1)]).unwrap();
    let config = StudyConfig::new(space).outcomes(Outcomes::new(objectives()).unwrap());
    let mut study = Study::new(config).unwrap();
    study.add(&Point::new().with("x", 1), [("left", 0.1), ("right", -0.1)]).unwrap();
    assert_eq!(study.front().points.len(), 1);
    assert!(study.recommended_front().unwrap().is_empty());
}

#[test]
fn a_score_that_has_no_value_though_all_its_results_are_in_is_not_waited_for() {
    let mut outcomes = objectives();
    outcomes.push(Outcome::objective("ratio", Goal::Maximize).computed("left / waste"));
    outcomes.push(Outcome::watched("waste"));
    let mut study = Study::new(config(outcomes)).unwrap();
    let trials = study.ask(6).unwrap().trials;
    for trial in &trials {
        study.tell(trial.id, results(trial)).unwrap();
        study.tell(trial.id, [("waste", if trial.id == TrialId(0) { 0.0 } else { 2.0 })]).unwrap();
    }
    let awaited = |study: &Study| study.in_situation(1, |situation, _| Ok(situation.pending.len())).unwrap();
    assert_eq!((study.trial(trials[0].id).unwrap().result("ratio"), awaited(&study)), (None, 0));
    // A trial whose waste may still be reported is awaited.
    let later = study.ask(1).unwrap().trials.remove(0);
    study.tell(later.id, results(&later)).unwrap();
    assert_eq!(awaited(&study), 1);
}

#[test]
fn an_objective_that_is_not_a_number_is_a_failure_from_which_the_search_learns() {
    let mut study = Study::new(config(objectives())).unwrap();
    let trial = study.ask(1).unwrap().trials[0].id;
    study.tell(trial, [("left", 0.3), ("right", f64::NAN)]).unwrap();
    let state = &study.trial(trial).unwrap().state;
    assert!(matches!(state, TrialState::Failed { reason } if reason.contains("right was NaN")), "{state:?}");
    // A watched result decides nothing.
    let trial = study.ask(1).unwrap().trials[0].id;
    study.tell(trial, [("left", 0.3), ("right", -0.2), ("minutes", f64::NAN)]).unwrap();
    assert_eq!(study.trial(trial).unwrap().value(), Some(0.3));
}
