//! A study explains its points by the scores with which it chose them.

use std::collections::HashSet;

use elbowroom::batch::{
    Adaptive, BatchStrategy, HallucinatedUcb, LipschitzRule, LocalPenalization, Plain, PureExploration, StopRule,
};
use elbowroom::insight::{Level, findings, importance, landscape, why};
use elbowroom::linalg::Points;
use elbowroom::space::{Parameter, SearchSpace};
use elbowroom::study::{Ask, ModelConfig, Source, StrategyConfig, Study, StudyConfig, Trial};

fn value(trial: &Trial) -> f64 {
    (5.0 * trial.unit[0]).sin() + (4.0 * trial.unit[1] - 1.0).powi(2)
}

/// Twelve results, or eleven and a failure, and two trials under way.
fn begun(strategy: StrategyConfig, with_failure: bool) -> Study {
    let space =
        SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0), Parameter::float("y", 1e-3, 1.0).log()]).unwrap();
    let mut study = Study::new(StudyConfig::new(space).seed(4).initial(8).strategy(strategy)).unwrap();
    for n in [8, 4] {
        for trial in study.ask(n).unwrap().trials {
            if with_failure && trial.unit[0] > 0.8 {
                study.fail(trial.id, "too hot").unwrap();
            } else {
                study.tell(trial.id, value(&trial)).unwrap();
            }
        }
    }
    study.ask(2).unwrap();
    study
}

#[test]
fn why_says_what_each_point_of_a_batch_was_ranked_by() {
    for strategy in StrategyConfig::all() {
        for with_failure in [false, true] {
            let mut study = begun(strategy.clone(), with_failure);
            // What the strategy says while it chooses.
            let scores = study
                .in_situation(3, |situation, q| {
                    let mut chooser = study.config().strategy.bind(situation, q)?;
                    let mut scores = Vec::new();
                    while scores.len() < q.get() {
                        let Some(next) = chooser.propose()? else { break };
                        chooser.join(&next.point)?;
                        scores.push(next.score);
                    }
                    Ok(scores)
                })
                .unwrap();
            let trials = study.ask(3).unwrap().trials;
            let name = strategy.name();
            for (trial, score) in trials.iter().filter(|trial| trial.source == Source::Model).zip(scores) {
                let found = why(&study, trial.id).unwrap();
                let Some(belief) = found.belief else {
                    assert_eq!(name, "random");
                    continue;
                };
                let sum: f64 = belief.score.terms.iter().map(|term| term.value).sum();
                assert_eq!(belief.strategy, name);
                assert!((sum - belief.score.total).abs() <= 1e-12 * sum.abs().max(1.0), "{name}: {belief:?}");
                assert_eq!(belief.chance.is_some(), with_failure, "{name}");
                let has_chance = belief.score.terms.iter().any(|term| term.name.contains("chance of success"));
                // Outside its region, pure exploration ranks by the margin alone.
                assert!(has_chance == with_failure || name == "pure_exploration", "{name}: {:?}", belief.score);
                if let (true, Some(score)) = (belief.score.is_score, score) {
                    let error = (belief.score.total - score).abs();
                    assert!(error <= 1e-6 * score.abs().max(1.0), "{name}: {score} {:?}", belief.score);
                }
                let pending: HashSet<u64> = belief.pending.iter().map(|near| near.trial.0).collect();
                assert!((12..trial.id.0).all(|id| pending.contains(&id)), "{name}: {pending:?}");
            }
        }
    }
}

#[test]
fn why_knows_what_was_held_fixed_and_which_trial_a_penalty_is_of() {
    let mut study = begun(StrategyConfig::default(), false);
    let trials = study.ask(Ask::new(3).fix("x", 0.25)).unwrap().trials;
    let found = why(&study, trials[2].id).unwrap();
    assert!(found.narrowing.unwrap().fixed.contains_key("x"));
    let terms = found.belief.unwrap().score.terms;
    let penalties: Vec<Option<u64>> =
        terms.iter().filter(|term| term.name == "ln penalty").map(|term| term.trial.map(|id| id.0)).collect();
    assert_eq!(penalties, [Some(12), Some(13), Some(trials[0].id.0), Some(trials[1].id.0)]);
    // The second one refines: it is ranked by a bound, in which pending points affect the deviation.
    let second = why(&study, trials[1].id).unwrap().belief.unwrap().score.terms;
    assert_eq!(second.iter().map(|term| term.name.as_str()).collect::<Vec<_>>(), ["mean", "weighted deviation"]);
}

#[test]
fn why_names_the_terms_of_the_strategy_and_not_of_another() {
    let terms = |strategy: StrategyConfig| -> Vec<String> {
        let mut study = begun(strategy, false);
        let trial = study.ask(1).unwrap().trials.remove(0);
        why(&study, trial.id).unwrap().belief.unwrap().score.terms.into_iter().map(|term| term.name).collect()
    };
    let bound = ["mean", "weighted deviation"];
    assert_eq!(terms(StrategyConfig::HallucinatedUcb(HallucinatedUcb::default())), bound);
    assert_eq!(terms(StrategyConfig::Plain(Plain::default())), ["ln acquisition"]);
    assert!(terms(StrategyConfig::PureExploration(PureExploration::default())).len() <= 2);
}

#[test]
fn no_parameter_has_more_than_the_whole_variation() {
    let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0), Parameter::int("y", 1, 9)]).unwrap();
    for seed in 0..4 {
        let mut study = Study::new(StudyConfig::new(space.clone()).seed(seed)).unwrap();
        for trial in study.ask(12).unwrap().trials {
            let (x, y) = (trial.point.f64("x").unwrap(), trial.point.f64("y").unwrap());
            study.tell(trial.id, (x - 0.3).powi(2) + y).unwrap();
        }
        let rows = importance(&study).unwrap().rows;
        assert_eq!(rows[0].name, "y");
        assert!(rows.iter().all(|row| 0.0 <= row.low && row.high <= 1.0), "{rows:?}");
        assert!(rows[0].share > 0.8 && rows[1].share < 0.1, "{rows:?}");
    }
}

#[test]
fn a_point_ranked_by_a_bound_is_said_to_refine_only_near_the_best_prediction() {
    // A rough function in three dimensions with few results: bounds are highest far from all results, too.
    let axes = ["x", "y", "z"].map(|name| Parameter::float(name, 0.0, 1.0));
    let config = StudyConfig::new(SearchSpace::new(axes.to_vec()).unwrap()).seed(4).initial(8);
    let mut rough = Study::new(config).unwrap();
    for trial in rough.ask(8).unwrap().trials {
        rough.tell(trial.id, (23.0 * trial.unit[0]).sin() + (19.0 * trial.unit[1] * trial.unit[2]).cos()).unwrap();
    }
    let mut said = Vec::new();
    for mut study in [begun(StrategyConfig::default(), false), rough] {
        for trial in study.ask(6).unwrap().trials.iter().filter(|trial| trial.source == Source::Model) {
            let found = why(&study, trial.id).unwrap();
            let belief = found.belief.unwrap();
            let by_bound = belief.score.terms.iter().any(|term| term.name == "mean");
            assert_eq!(found.summary.contains("the best prediction"), by_bound, "{}", found.summary);
            // Without noise, the best prediction at the data is at the best result.
            let best = belief.best.unwrap();
            let is_near = belief.mean <= best
                || belief.nearest.iter().any(|other| other.value == Some(best) && other.distance <= 1.0);
            let (refines, tries) = (found.summary.contains("to refine around"), found.summary.contains("away from"));
            assert_eq!((refines, tries), (by_bound && is_near, by_bound && !is_near), "{}", found.summary);
            said.push((by_bound, is_near));
        }
    }
    let has = |one| said.contains(&one);
    assert!(has((true, true)) && has((true, false)) && said.iter().any(|(by_bound, _)| !by_bound), "{said:?}");
}

#[test]
fn pictures_show_the_penalizers_of_adaptive_batches_and_local_slopes() {
    let pending = |study: &Study| study.pending().map(|trial| trial.id).collect::<Vec<_>>();
    let nowhere = Points::new(2);
    let adaptive =
        begun(StrategyConfig::Adaptive(Adaptive { stop: StopRule::Gain { least: 0.0 }, ..Adaptive::default() }), false);
    assert_eq!(landscape(&adaptive, &pending(&adaptive), &nowhere).unwrap().penalizers.len(), 2);
    let with = |lipschitz| {
        let local = LocalPenalization { lipschitz, ..LocalPenalization::default() };
        let study = begun(StrategyConfig::LocalPenalization(local), false);
        let found = landscape(&study, &pending(&study), &nowhere).unwrap();
        found.penalizers.iter().map(|one| one.penalizer.lipschitz).collect::<Vec<f64>>()
    };
    let (global, local) = (with(LipschitzRule::Global), with(LipschitzRule::Point));
    assert!(global[0] == global[1] && local[0] != local[1], "{global:?} {local:?}");
}

#[test]
fn the_landscape_is_what_the_chooser_explains() {
    let study = begun(StrategyConfig::default(), true);
    let points = Points::from_rows(2, vec![0.1, 0.2, 0.5, 0.5, 0.9, 0.3]).unwrap();
    let pending: Vec<_> = study.pending().map(|trial| trial.id).collect();
    let seen = landscape(&study, &pending, &points).unwrap();
    let totals = study
        .in_situation(2, |situation, q| {
            let chooser = study.config().strategy.bind(situation, q)?;
            Ok(points.iter().map(|u| chooser.explain(u).total).collect::<Vec<f64>>())
        })
        .unwrap();
    assert_eq!(seen.seen.iter().map(|s| s.after).collect::<Vec<f64>>(), totals);
    assert!(seen.is_log && seen.seen.iter().all(|s| s.after <= s.before && s.chance.is_some()));
    // One deviation of a normal law covers 68 % of it: draws of the model at the point, mapped to values one by one.
    let model = study.model().unwrap();
    let mut values: Vec<f64> = model
        .posterior
        .sample(&points, 4000, &mut elbowroom::rng::Stream::new(1))
        .unwrap()
        .iter()
        .map(|draw| study.config().goal.maximized(model.scale.decode(draw[1])))
        .collect();
    values.sort_by(f64::total_cmp);
    let half = 0.5 * (values[3365] - values[635]);
    let (_, sd) = model.predict_value(points.row(1));
    assert!((half / sd - 1.0).abs() < 0.1, "{half} {sd}");
    // The displayed deviation also allows for noise.
    assert!(seen.seen[1].sd == study.outlook().unwrap().predict_value(points.row(1)).1 && seen.seen[1].sd >= sd);
    // Trials failed where x is large.
    assert!(seen.seen[2].chance < seen.seen[0].chance);
}

#[test]
fn no_finding_is_said_twice() {
    let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)]).unwrap();
    let model = ModelConfig { max_observations: 20, ..ModelConfig::default() };
    let mut study = Study::new(StudyConfig::new(space).model(model).initial(40)).unwrap();
    for trial in study.ask(40).unwrap().trials {
        study.tell(trial.id, (6.0 * trial.unit[0]).sin()).unwrap();
    }
    let said = findings(&study, true);
    let distinct: HashSet<&str> = said.iter().map(|finding| finding.what.as_str()).collect();
    assert_eq!(distinct.len(), said.len(), "{said:?}");
    assert!(said.iter().any(|finding| finding.level == Level::Fine && finding.what.contains("fitted to")), "{said:?}");
}

#[test]
fn the_sentence_says_what_was_refined_where_trials_failed_too() {
    let mut study = begun(StrategyConfig::default(), true);
    let trials = study.ask(4).unwrap().trials;
    let said: Vec<String> = trials.iter().map(|trial| why(&study, trial.id).unwrap().summary).collect();
    // Every second point of a batch maximizes the bound, which has no penalties.
    for (said, refines) in said.iter().zip([false, true, false, true]) {
        assert_eq!(said.contains("the best prediction"), refines, "{said}");
        assert!(!(refines && said.contains("keeps clear")), "{said}");
    }
}
