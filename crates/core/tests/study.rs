//! A study: asking, telling, and its answers when there is nothing more to ask for.

use std::collections::HashSet;

use elbowroom::error::Kind;
use elbowroom::space::{Parameter, Point, SearchSpace};
use elbowroom::study::{
    Ask, Event, Goal, InitialDesign, MeasurementKind, Source, StrategyConfig, Study, StudyConfig, Tell, Told, Trial,
    TrialId, TrialState, default_initial, verify,
};

fn config(parameters: Vec<Parameter>) -> StudyConfig {
    StudyConfig::new(SearchSpace::new(parameters).unwrap())
}

fn line() -> StudyConfig {
    config(vec![Parameter::float("x", -1.0, 1.0)])
}

fn dozen() -> StudyConfig {
    config(vec![Parameter::int("n", 1, 4), Parameter::category("c", ["a", "b", "c"])])
}

fn study(config: StudyConfig) -> Study {
    Study::new(config).unwrap()
}

fn x(trial: &Trial) -> f64 {
    trial.point.get("x").unwrap().as_f64().unwrap()
}

/// Some rounds of x² with q points each.
fn parabola(config: StudyConfig, rounds: usize, q: usize) -> Study {
    let mut study = study(config);
    for _ in 0..rounds {
        for trial in study.ask(q).unwrap().trials {
            study.tell(trial.id, x(&trial).powi(2)).unwrap();
        }
    }
    study
}

fn texts(trials: &[Trial]) -> Vec<String> {
    trials.iter().map(|t| t.point.to_string()).collect()
}

mod asking {
    use super::*;

    #[test]
    fn a_batch_of_nothing_is_refused() {
        assert_eq!(study(line()).ask(0).unwrap_err().kind(), Kind::Config);
    }

    #[test]
    fn the_same_seed_gives_the_same_batches_and_another_seed_others() {
        let run = |seed| texts(parabola(line().seed(seed), 4, 3).trials());
        assert_eq!(run(5), run(5));
        assert_ne!(run(5), run(6));
    }

    #[test]
    fn asking_point_by_point_gives_the_same_design_as_asking_at_once() {
        for design in [InitialDesign::Sobol, InitialDesign::LatinHypercube, InitialDesign::Uniform] {
            let (mut one, mut all) = (study(line().initial(6).design(design)), study(line().initial(6).design(design)));
            for _ in 0..6 {
                one.ask(1).unwrap();
            }
            all.ask(6).unwrap();
            assert_eq!(texts(one.trials()), texts(all.trials()), "{design:?}");
        }
    }

    #[test]
    fn a_latin_hypercube_visits_each_interval_once() {
        let mut study = study(line().initial(8).design(InitialDesign::LatinHypercube));
        let cells = study.ask(8).unwrap().trials.iter().map(|t| (4.0 * (x(t) + 1.0)) as usize).collect::<HashSet<_>>();
        assert_eq!(cells.len(), 8);
    }

    #[test]
    fn a_batch_may_straddle_the_design_and_the_model() {
        let mut study = study(line().initial(4));
        for trial in study.ask(3).unwrap().trials {
            study.tell(trial.id, x(&trial)).unwrap();
        }
        let sources: Vec<Source> = study.ask(3).unwrap().trials.iter().map(|t| t.source).collect();
        assert_eq!(sources, [Source::Design, Source::Model, Source::Model]);
        let Some(Event::Asked { provenance, .. }) = study.events().last() else { panic!() };
        assert!(provenance.model.is_some());
        assert_eq!((provenance.revision, provenance.data_revision), (5, 5));
    }

    #[test]
    fn without_results_the_design_goes_on() {
        let trials = study(line().initial(2)).ask(9).unwrap().trials;
        assert!(trials.iter().all(|t| t.source == Source::Design));
    }

    #[test]
    fn a_space_of_twelve_points_gives_ten_and_then_two_and_says_why() {
        let mut study = study(dozen());
        let first = study.ask(10).unwrap();
        assert_eq!((first.trials.len(), first.shortfall), (10, None));
        let second = study.ask(10).unwrap();
        assert_eq!(second.trials.len(), 2);
        assert_eq!(second.shortfall.unwrap(), "the space has 12 points and all are taken or under way");
        assert_eq!(texts(study.trials()).iter().collect::<HashSet<_>>().len(), 12);

        let revision = study.events().len();
        assert!(study.ask(1).unwrap().trials.is_empty());
        assert_eq!(study.events().len(), revision);
    }

    #[test]
    fn with_repeats_an_observed_point_comes_again_but_a_pending_one_does_not() {
        let mut study = study(dozen().repeats(true));
        for trial in study.ask(12).unwrap().trials {
            study.tell(trial.id, trial.id.0 as f64).unwrap();
        }
        assert_eq!(study.ask(12).unwrap().trials.len(), 12);
        assert!(study.ask(1).unwrap().trials.is_empty());
    }

    #[test]
    fn a_space_with_one_point_gives_it_once() {
        for parameter in [Parameter::category("c", ["only"]), Parameter::fixed("k", 3), Parameter::float("x", 2.0, 2.0)]
        {
            let mut study = study(config(vec![parameter]));
            let asked = study.ask(3).unwrap();
            assert_eq!(asked.trials.len(), 1);
            assert_eq!(asked.shortfall.unwrap(), "the space has 1 point and it is taken or under way");
            study.tell(asked.trials[0].id, 4.0).unwrap();
            assert!(study.ask(1).unwrap().trials.is_empty());
            let recommended = study.recommended().unwrap();
            assert_eq!((recommended.mean, recommended.sd), (4.0, 0.0));
        }
    }

    #[test]
    fn constraints_are_kept_and_the_reason_counts_the_points_that_keep_them() {
        let space = SearchSpace::new(vec![Parameter::int("a", 1, 20), Parameter::int("b", 1, 20)]).unwrap();
        let mut study = study(StudyConfig::new(space.with_constraints(["a * b == 12"]).unwrap()));
        let asked = study.ask(10).unwrap();
        assert_eq!(asked.trials.len(), 6); // 1·12, 2·6, 3·4 and their mirror images
        assert!(asked.shortfall.unwrap().contains("400 points, 6 keep the constraints"));
    }

    #[test]
    fn a_constraint_that_cannot_be_kept_ends_in_a_reason() {
        let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)]).unwrap();
        // It is not proved that this can never hold: over the range of x alone, both sides could be equal.
        let asked = study(StudyConfig::new(space.with_constraints(["x * x > x"]).unwrap())).ask(2).unwrap();
        assert!(asked.trials.is_empty() && asked.shortfall.unwrap().contains("no more free feasible point"));
    }

    #[test]
    fn asking_again_under_the_same_name_gives_the_same_trials() {
        let mut study = parabola(line(), 2, 4);
        let first = study.ask(Ask::new(2).named("worker 1")).unwrap();
        let revision = study.events().len();
        assert_eq!(study.ask(Ask::new(2).named("worker 1")).unwrap().trials, first.trials);
        assert_eq!(study.events().len(), revision);
        assert_ne!(study.ask(Ask::new(2).named("worker 2")).unwrap().trials, first.trials);
        let replayed = Study::replay(study.events().to_vec()).unwrap().answered("worker 1").unwrap();
        assert_eq!((replayed.trials, replayed.shortfall), (first.trials, first.shortfall));
    }

    #[test]
    fn a_released_point_may_come_again_and_a_failed_one_does_not() {
        let mut study = study(dozen());
        let trials = study.ask(12).unwrap().trials;
        study.withdraw(trials[3].id).unwrap();
        study.fail(trials[4].id, "out of memory").unwrap();
        study.infeasible(trials[5].id, "too hot").unwrap();
        let again = study.ask(12).unwrap().trials;
        assert_eq!(texts(&again), [trials[3].point.to_string()]);
    }

    #[test]
    fn no_more_trials_are_handed_out_than_the_budget_allows() {
        let mut study = study(line().budget(5));
        study.add(&Point::new().with("x", 0.5), 1.0).unwrap();
        let first = study.ask(4).unwrap();
        assert_eq!((first.trials.len(), first.shortfall), (4, None));
        let second = study.ask(4).unwrap();
        assert_eq!((second.trials.len(), second.shortfall.unwrap().as_str()), (1, "the budget of 5 trials is used up"));
        assert!(study.ask(1).unwrap().trials.is_empty());
        study.withdraw(second.trials[0].id).unwrap();
        assert_eq!(study.ask(2).unwrap().trials.len(), 1);
        assert_eq!(verify(study.events()).unwrap(), []);
        assert!(Study::new(line().budget(0)).is_err());
    }

    #[test]
    fn a_budget_may_be_raised_and_lowered_but_not_below_what_was_handed_out() {
        let mut study = study(line().budget(2));
        assert_eq!(study.ask(4).unwrap().trials.len(), 2);
        assert!(study.set_budget(Some(6)).unwrap());
        assert!(!study.set_budget(Some(6)).unwrap());
        let more = study.ask(3).unwrap();
        assert_eq!((more.trials.len(), study.budget_left()), (3, Some(1)));
        let refused = study.set_budget(Some(4)).unwrap_err().to_string();
        assert!(refused.contains("5 were handed out"), "{refused}");
        assert!(study.set_budget(Some(5)).unwrap() && study.ask(1).unwrap().trials.is_empty());
        // Withdrawn trials no longer count, so a smaller budget is allowed.
        study.withdraw(more.trials[0].id).unwrap();
        assert!(study.set_budget(Some(4)).unwrap() && study.set_budget(Some(0)).is_err());
        assert!(study.set_budget(None).unwrap());
        assert_eq!((study.ask(9).unwrap().trials.len(), study.budget_left()), (9, None));
        assert_eq!(verify(study.events()).unwrap(), []);
        assert_eq!(Study::replay(study.events().to_vec()).unwrap(), study);
    }

    #[test]
    fn a_batch_beyond_all_measure_is_refused() {
        assert_eq!(study(line()).ask(usize::MAX).unwrap_err().kind(), Kind::Config);
    }

    #[test]
    fn asking_twice_without_a_result_means_one_model_whether_kept_or_made_again() {
        let mut kept = parabola(line(), 2, 4);
        kept.ask(2).unwrap();
        let replayed = Study::replay(kept.events().to_vec()).unwrap();
        let (a, b) = (kept.suggest(3).unwrap(), replayed.suggest(3).unwrap());
        assert_eq!(a, b);
        let Some(Event::Asked { provenance, .. }) = kept.events().last() else { panic!() };
        assert_eq!(provenance.model, a.provenance.model);
    }

    #[test]
    fn random_points_are_those_of_before_and_no_model_is_fitted_for_them() {
        let parameters = vec![Parameter::float("x", -1.0, 1.0), Parameter::float("y", 0.0, 3.0)];
        let config = config(parameters).seed(3).initial(5).strategy(StrategyConfig::Random);
        let mut study = study(config);
        for _ in 0..14 {
            let asked = study.ask(1).unwrap().trials.remove(0);
            let value = x(study.trial(asked.id).unwrap());
            study.tell(asked.id, value).unwrap();
        }
        // The choices of a build that fitted a model for each ask but did not use it.
        let expected: [(f64, f64); 4] = [
            (0.9251165669642814, 1.912121559254487),
            (-0.8390672752196253, 2.152193520433825),
            (-0.7309724933077295, 0.44296680136972266),
            (-0.7212734961479086, 0.829700509284688),
        ];
        for (trial, expected) in study.trials()[10..].iter().zip(expected) {
            let of = |name: &str| trial.point.get(name).and_then(|v| v.as_f64()).unwrap();
            assert_eq!((of("x").to_bits(), of("y").to_bits()), (expected.0.to_bits(), expected.1.to_bits()));
        }
        let fitted = |event: &Event| matches!(event, Event::Asked { provenance, .. } if provenance.model.is_some());
        assert!(!study.events().iter().any(fitted));
        // A log of that build contains those models, and its asks are reproduced.
        let mut events = study.events().to_vec();
        let modelled = parabola(line(), 3, 4);
        let model = modelled.events().iter().rev().find_map(|event| match event {
            Event::Asked { provenance, .. } => provenance.model.clone(),
            _ => None,
        });
        for event in &mut events[20..] {
            if let Event::Asked { provenance, .. } = event {
                provenance.model = model.clone();
            }
        }
        assert!(events.iter().any(fitted));
        assert_eq!(verify(&events).unwrap(), []);
    }

    #[test]
    fn a_default_design_is_twice_the_dimension_and_two() {
        assert_eq!([0, 1, 6, 100].map(default_initial), [2, 4, 14, 30]);
        assert!(Study::new(line().initial(0)).is_err());
    }

    #[test]
    fn a_study_can_be_shared_between_threads() {
        fn check<T: Send + Sync>() {}
        check::<Study>();
    }
}

mod telling {
    use super::*;

    #[test]
    fn a_value_that_is_not_finite_is_a_failure_that_says_so() {
        let mut study = study(line());
        let trials = study.ask(3).unwrap().trials;
        for (trial, value) in trials.iter().zip([f64::NAN, f64::INFINITY, f64::NEG_INFINITY]) {
            assert_eq!(study.tell(trial.id, value).unwrap(), Told::NotFinite);
        }
        let reason = |i: usize| match &study.trials()[i].state {
            TrialState::Failed { reason } => reason.clone(),
            other => panic!("{other:?}"),
        };
        assert_eq!(reason(0), "the value was NaN");
        assert_eq!(reason(1), "the value was +infinity");
        assert_eq!(reason(2), "the value was -infinity");
        assert_eq!(study.n_observed(), 0);
        assert_eq!(study.ask(2).unwrap().trials.len(), 2);
    }

    #[test]
    fn further_values_are_replicates_whose_mean_counts() {
        let mut study = study(line());
        let id = study.ask(1).unwrap().trials[0].id;
        assert_eq!(study.tell(id, Tell::new(1.0).noise(0.5)).unwrap(), Told::Recorded);
        assert_eq!(study.tell(id, Tell::new(4.0).noise(0.3)).unwrap(), Told::Replicate);
        let trial = study.trial(id).unwrap();
        assert_eq!((trial.value(), trial.noise()), (Some(2.5), Some(0.2))); // (0.5 + 0.3) / 2²
        study.tell(id, 2.5).unwrap();
        assert_eq!(study.trial(id).unwrap().noise(), None);
    }

    #[test]
    fn a_correction_replaces_what_was_told_before_and_keeps_it() {
        let mut study = study(line());
        let id = study.ask(1).unwrap().trials[0].id;
        study.tell(id, 1e9).unwrap();
        assert_eq!(study.tell(id, Tell::new(1.0).correction()).unwrap(), Told::Correction);
        study.tell(id, 2.0).unwrap();
        let trial = study.trial(id).unwrap();
        assert_eq!(trial.value(), Some(1.5));
        let TrialState::Complete { measurements } = &trial.state else { panic!() };
        let kinds: Vec<_> = measurements.iter().map(|m| m.kind).collect();
        assert_eq!(kinds, [MeasurementKind::First, MeasurementKind::Correction, MeasurementKind::Replicate]);
    }

    #[test]
    fn a_late_value_is_kept() {
        let mut study = study(line());
        let trials = study.ask(3).unwrap().trials;
        study.withdraw(trials[0].id).unwrap();
        study.fail(trials[1].id, "lost").unwrap();
        study.infeasible(trials[2].id, "too hot").unwrap();
        for trial in &trials {
            assert_eq!(study.tell(trial.id, 1.0).unwrap(), Told::Late);
        }
        assert_eq!(study.n_observed(), 2);
        assert!(study.trials()[1].notes[0].contains("lost"));
        // An infeasible point stays infeasible until a correction says otherwise.
        assert!(
            matches!(&study.trials()[2].state, TrialState::Infeasible { measurements, .. } if measurements.len() == 1)
        );
        study.tell(trials[2].id, Tell::new(3.0).correction()).unwrap();
        assert_eq!(study.trials()[2].value(), Some(3.0));
    }

    #[test]
    fn a_report_told_again_under_its_name_changes_nothing() {
        let mut study = study(line());
        let trials = study.ask(2).unwrap().trials;
        let report = Tell::new(1.0).request("r1");
        assert_eq!(study.tell(trials[0].id, report.clone()).unwrap(), Told::Recorded);
        assert_eq!(study.tell(trials[0].id, report.clone()).unwrap(), Told::Repeated);
        // Also when the retry reached the log.
        let event = report.clone().into_event(trials[0].id, study.outcomes()).unwrap();
        study.apply(event).unwrap();
        assert_eq!(study.trials()[0].measurements().len(), 1);
        assert!(study.tell(trials[1].id, report).unwrap_err().to_string().contains("request `r1`"));
    }

    #[test]
    fn a_failure_after_a_value_is_a_note() {
        let mut study = study(line());
        let id = study.ask(1).unwrap().trials[0].id;
        study.tell(id, 1.0).unwrap();
        study.fail(id, "killed").unwrap();
        study.withdraw(id).unwrap();
        assert_eq!(study.trial(id).unwrap().value(), Some(1.0));
        assert_eq!(study.trial(id).unwrap().notes, ["failed: killed"]);
    }

    #[test]
    fn an_unknown_trial_is_named() {
        let mut study = study(line());
        for result in [study.tell(TrialId(7), 1.0).map(|_| ()), study.fail(TrialId(7), ""), study.withdraw(TrialId(7))]
        {
            let error = result.unwrap_err();
            assert!(error.kind() == Kind::Trial && error.to_string().contains("trial 7 does not exist"));
        }
    }

    #[test]
    fn a_noise_variance_below_zero_is_refused_and_nothing_changes() {
        let mut study = study(line());
        let id = study.ask(1).unwrap().trials[0].id;
        let before = study.clone();
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(study.tell(id, Tell::new(1.0).noise(bad)).unwrap_err().to_string().contains("trial 0: the noise"));
        }
        assert_eq!(study, before);
    }

    #[test]
    fn points_of_ones_own_count_and_are_checked() {
        let mut study = study(line().initial(2));
        study.add(&Point::new().with("x", 0.25), 3.0).unwrap();
        let trial = study.add(&Point::new().with("x", 0.5), f64::NAN).unwrap();
        assert!(matches!(trial.state, TrialState::Failed { .. }));
        assert!(study.add(&Point::new().with("y", 0.5), 1.0).unwrap_err().to_string().contains("`y`"));
        assert!(study.add(&Point::new().with("x", 5.0), 1.0).is_err());
        let own = study.start(&Point::new().with("x", -0.5)).unwrap();
        assert_eq!(study.pending().map(|t| t.id).collect::<Vec<_>>(), [own.id]);
        assert_eq!(study.best().unwrap().point.to_string(), "x=0.25");
        study.tell(own.id, 1.0).unwrap();
        assert_eq!(study.ask(1).unwrap().trials[0].source, Source::Model);
    }
}

mod results {
    use super::*;

    #[test]
    fn the_best_follows_the_goal_and_is_the_first_of_equals() {
        for (goal, best) in [(Goal::Minimize, 1), (Goal::Maximize, 0)] {
            let mut study = study(line().goal(goal));
            assert!(study.best().is_none() && study.recommended().is_none());
            let trials = study.ask(4).unwrap().trials;
            for (trial, value) in trials.iter().zip([3.0, 1.0, 1.0, 3.0]) {
                study.tell(trial.id, value).unwrap();
            }
            assert_eq!(study.best().unwrap().id, TrialId(best));
        }
    }

    #[test]
    fn the_recommendation_of_a_smooth_function_is_near_its_optimum() {
        for (goal, sign) in [(Goal::Minimize, 1.0), (Goal::Maximize, -1.0)] {
            let mut study = study(line().goal(goal));
            for i in 0..9 {
                let x = -0.8 + 0.2 * f64::from(i);
                study.add(&Point::new().with("x", x), sign * (x - 0.2).powi(2)).unwrap();
            }
            let found = study.recommended().unwrap();
            let x = found.point.get("x").unwrap().as_f64().unwrap();
            assert!((x - 0.2).abs() < 0.21, "{found:?}");
            assert!(found.mean.abs() < 0.1 && found.sd >= 0.0, "{found:?}");
        }
    }

    #[test]
    fn extreme_constant_and_single_values_go_through() {
        let sets: [&[f64]; 7] = [
            &[1.0],
            &[2.0, 2.0, 2.0],
            &[1e300, -1e300, 3.0],
            &[f64::MAX, f64::MIN, 0.0],
            &[1e-300, 2e-300, 0.0],
            &[5e-324, 0.0, 5e-324],
            &[1e300, 1e-300, 1.0],
        ];
        for values in sets {
            let mut study = study(line().initial(1));
            for (trial, value) in study.ask(values.len()).unwrap().trials.iter().zip(values) {
                study.tell(trial.id, *value).unwrap();
            }
            let asked = study.ask(2).unwrap();
            assert_eq!((asked.trials.len(), asked.shortfall), (2, None), "{values:?}");
            assert!(study.recommended().is_some(), "{values:?}");
        }
    }

    #[test]
    fn the_mean_of_huge_replicates_is_finite() {
        let mut study = study(line());
        let id = study.ask(1).unwrap().trials[0].id;
        for _ in 0..4 {
            study.tell(id, f64::MAX).unwrap();
        }
        assert_eq!(study.trial(id).unwrap().value(), Some(f64::MAX));
    }

    #[test]
    fn each_suggestion_can_be_chosen_again_from_the_log() {
        let mut study = parabola(line(), 3, 3);
        let trials = study.ask(3).unwrap().trials;
        study.tell(trials[1].id, 0.5).unwrap();
        study.withdraw(trials[2].id).unwrap();
        study.ask(1).unwrap();
        // A store that had an older model, and regarded one pending trial as lost.
        let older = study.clone();
        study.tell(trials[0].id, 0.1).unwrap();
        let pending = study.pending().map(|t| t.id).skip(1).collect();
        let event = study.suggest_with(Ask::new(2).with_pending(pending), &older.belief()).unwrap().into_event(None);
        study.apply(event).unwrap();
        assert_eq!(verify(study.events()).unwrap(), []);

        // A point that was changed in the log is detected.
        let mut events = study.events().to_vec();
        let changed = events.iter().position(|e| matches!(e, Event::Asked { .. })).unwrap();
        if let Event::Asked { trials, .. } = &mut events[changed] {
            trials[0].point = Point::new().with("x", 0.123);
        }
        assert_eq!(verify(&events).unwrap()[0].event, changed);
    }

    /// From five to nine values of a function that they do not determine, the model knows its uncertainty: the true
    /// value halfway between two of them is not a thousand deviations off.
    #[test]
    fn a_model_of_few_results_is_not_far_too_sure() {
        let mut n_tried = 0;
        for (seed, n) in (0..12).flat_map(|seed| [5, 6, 8, 9].map(|n| (seed, n))) {
            let truth = |x: f64| (6.0 * x + seed as f64).sin() + 0.3 * (17.0 * x).cos() + (2.0 * x).exp();
            let mut study = study(line().initial(n).seed(seed));
            for trial in study.ask(n).unwrap().trials {
                study.tell(trial.id, truth(x(&trial))).unwrap();
            }
            let model = study.model().unwrap();
            let mut known: Vec<f64> = study.trials().iter().map(x).collect();
            known.sort_by(f64::total_cmp);
            for pair in known.windows(2) {
                let middle = (pair[0] + pair[1]) / 2.0;
                let (mean, sd) = model.predict_value(&[(middle + 1.0) / 2.0]);
                // The model is of values to be maximized.
                let error = (mean + truth(middle)).abs();
                assert!(error < 1000.0 * sd, "seed {seed}, {n} results: off by {error} at {middle} with sd {sd}");
                n_tried += 1;
            }
        }
        assert_eq!(n_tried, 12 * (4 + 5 + 7 + 8));
    }

    #[test]
    fn results_over_decades_are_warped_once_there_are_ten() {
        let mut study = study(line().initial(12));
        for (i, trial) in study.ask(12).unwrap().trials.iter().enumerate() {
            study.tell(trial.id, (9.0 * x(trial)).exp()).unwrap();
            let bend = study.model().unwrap().record.bend;
            assert_eq!(bend.is_some(), i + 1 >= 10, "{} results: {bend:?}", i + 1);
        }
    }
}

mod large_studies {
    use super::*;
    use elbowroom::study::{ModelConfig, TrainingSubset};

    fn bounded(max_observations: usize) -> StudyConfig {
        line().model(ModelConfig { max_observations, ..ModelConfig::default() })
    }

    #[test]
    fn up_to_the_bound_a_model_is_made_of_all_and_nothing_is_different() {
        let (mut bounded, mut free) = (parabola(bounded(20), 5, 4), parabola(line(), 5, 4));
        assert_eq!(bounded.subset(), None);
        let (ours, theirs) = (bounded.ask(2).unwrap(), free.ask(2).unwrap());
        assert_eq!((ours.trials, ours.subset), (theirs.trials, None));
        assert_eq!(bounded.events()[1..], free.events()[1..]);
    }

    #[test]
    fn beyond_the_bound_it_is_made_of_the_best_and_others_and_says_so() {
        let mut study = parabola(bounded(20), 11, 4);
        let subset = TrainingSubset { best: 10, latest: 5, spread: 5, of: 44 };
        assert_eq!(study.subset(), Some(subset));
        let model = study.model().unwrap();
        let used: Vec<f64> = model.posterior.observed().map(|u| u[0]).collect();
        assert_eq!(used.len(), 20);
        let mut trials: Vec<&Trial> = study.trials().iter().collect();
        trials.sort_by(|a, b| a.value().unwrap().total_cmp(&b.value().unwrap()));
        assert!(trials[..10].iter().all(|trial| used.contains(&trial.unit[0])));
        assert!(study.trials()[39..].iter().all(|trial| used.contains(&trial.unit[0])));
        assert_eq!(study.ask(Ask::new(1).named("more")).unwrap().subset, Some(subset));
        assert_eq!(study.answered("more").unwrap().subset, Some(subset));
    }

    #[test]
    fn what_gave_no_value_is_no_observation() {
        let mut study = parabola(bounded(20), 6, 4);
        for trial in study.ask(3).unwrap().trials {
            study.infeasible(trial.id, "too hot").unwrap();
        }
        assert_eq!(study.subset().unwrap().of, 24);
        assert_eq!(study.model().unwrap().posterior.observed().count(), 20);
    }

    #[test]
    fn their_suggestions_come_from_the_log_too() {
        let study = parabola(bounded(20), 12, 3);
        let (again, log) = (Study::replay(study.events().to_vec()).unwrap(), study.events());
        assert_eq!(again.suggest(3).unwrap(), study.suggest(3).unwrap());
        assert_eq!(verify(log).unwrap(), []);
    }

    #[test]
    fn no_point_comes_twice_also_if_the_model_does_not_know_it() {
        let parameters = vec![Parameter::int("a", 0, 7), Parameter::int("b", 0, 7)];
        let mut study = study(config(parameters).model(bounded(20).model));
        let mut seen = HashSet::new();
        while let Some(trial) = study.ask(1).unwrap().trials.pop() {
            assert!(seen.insert(trial.point.to_string()), "{}", trial.point);
            let of = |name: &str| trial.point.get(name).unwrap().as_f64().unwrap();
            study.tell(trial.id, (of("a") - 2.0).powi(2) + of("b")).unwrap();
        }
        assert_eq!(seen.len(), 64);
    }

    #[test]
    fn too_small_a_bound_is_refused() {
        assert!(Study::new(bounded(19)).unwrap_err().to_string().contains("model.max_observations is 19"));
    }
}

mod recommendations {
    use super::*;
    use elbowroom::rng::Stream;
    use elbowroom::study::ModelConfig;

    fn wave(x: f64, y: f64) -> f64 {
        (7.0 * x).sin() + (5.0 * y - 1.0).cos()
    }

    /// Results of a wavy function on the unit square, with known noise.
    fn wavy(n: usize, noise: f64) -> Study {
        let model = ModelConfig { noise: (noise > 0.0).then_some(noise * noise), ..ModelConfig::default() };
        let square = config(vec![Parameter::float("x", 0.0, 1.0), Parameter::float("y", 0.0, 1.0)]);
        let mut study = study(square.model(model));
        let mut draw = Stream::new(5);
        for _ in 0..n {
            let (x, y) = (draw.uniform(), draw.uniform());
            let value = wave(x, y) + if noise > 0.0 { noise * draw.normal() } else { 0.0 };
            study.add(&Point::new().with("x", x).with("y", y), value).unwrap();
        }
        study
    }

    /// The largest μ − κs on a grid and at the observations, using predictions only.
    fn most(study: &Study, kappa: f64) -> f64 {
        let model = study.model().unwrap();
        let bound = |u: &[f64]| {
            let p = model.posterior.predict(u);
            p.mean - kappa * p.variance.sqrt()
        };
        let grid = (0..=100).flat_map(|i| (0..=100).map(move |j| [i as f64 / 100.0, j as f64 / 100.0]));
        let observed = model.posterior.observed().map(&bound);
        grid.map(|u| bound(&u)).chain(observed).fold(f64::NEG_INFINITY, f64::max)
    }

    fn reached(study: &Study, point: &Point, kappa: f64) -> f64 {
        let u: Vec<f64> = point.iter().filter_map(|(_, v)| v.as_f64()).collect();
        let p = study.model().unwrap().posterior.predict(&u);
        p.mean - kappa * p.variance.sqrt()
    }

    #[test]
    fn with_noise_the_recommended_point_has_the_highest_mean_less_a_deviation() {
        let study = wavy(60, 0.3);
        let found = study.recommended().unwrap();
        assert!(reached(&study, &found.point, 1.0) >= most(&study, 1.0) - 1e-9);
    }

    #[test]
    fn without_noise_the_recommended_point_is_no_worse_than_the_best_observed_one() {
        for n in 3..16 {
            let study = wavy(n, 0.0);
            let found = study.recommended().unwrap().point;
            let at = |name: &str| found.get(name).and_then(|v| v.as_f64()).unwrap();
            assert!(wave(at("x"), at("y")) <= study.best().unwrap().value().unwrap(), "{n}: {found:?}");
        }
    }

    #[test]
    fn the_papers_recommendation_has_the_highest_mean() {
        let study = wavy(15, 0.0);
        let found = study.highest_mean().unwrap();
        assert!(reached(&study, &found.point, 0.0) >= most(&study, 0.0) - 1e-9);
        assert!(reached(&study, &found.point, 0.0) >= reached(&study, &study.recommended().unwrap().point, 0.0));
    }
}
