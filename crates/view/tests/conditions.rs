//! Views of a study whose trials do not all have the same parameters.

use elbowroom::space::{Parameter, SearchSpace};
use elbowroom::study::{Study, StudyConfig};
use elbowroom_view::Scene;
use elbowroom_view::csv::csv;
use elbowroom_view::table::{Query, table};
use elbowroom_view::views::map::map;
use elbowroom_view::views::model::{parallel, slices};

/// A rate for all, a beta for one kind and a momentum for the other kind, which is better.
fn study() -> Study {
    let space = SearchSpace::new(vec![
        Parameter::category("kind", ["adam", "sgd"]),
        Parameter::float("rate", 0.0, 1.0),
        Parameter::float("beta", 0.0, 1.0).when("kind == 'adam'"),
        Parameter::float("momentum", 0.0, 1.0).when("kind == 'sgd'"),
    ]);
    let mut study = Study::new(StudyConfig::new(space.unwrap()).initial(12)).unwrap();
    for trial in study.ask(12).unwrap().trials {
        let own = trial.point.f64("beta").map_or_else(|_| trial.point.f64("momentum").unwrap(), |beta| 1.0 + beta);
        study.tell(trial.id, own + (trial.point.f64("rate").unwrap() - 0.3).powi(2)).unwrap();
    }
    study
}

#[test]
fn cells_of_parameters_that_a_trial_does_not_have_are_empty() {
    let study = study();
    let scene = Scene::alone("net", &study);
    let page = table(&scene, &Query::default()).unwrap();
    for (row, line) in page.rows.iter().zip(csv(&scene).lines().skip(1)) {
        let trial = &study.trials()[row.trial as usize];
        let is_adam = trial.point.str("kind").unwrap() == "adam";
        let [has_beta, has_momentum] = [2, 3].map(|i: usize| row.point[i].is_some());
        assert_eq!((has_beta, has_momentum), (is_adam, !is_adam));
        // trial, state, value, noise, then the parameters.
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!((cells[6].is_empty(), cells[7].is_empty()), (!is_adam, is_adam), "{line}");
    }
}

#[test]
fn pictures_leave_out_parameters_and_trials_that_have_no_part_in_them() {
    let study = study();
    let scene = Scene::alone("net", &study);
    let along: Vec<String> = slices(&scene).unwrap().slices.into_iter().map(|slice| slice.axis.name).collect();
    assert_eq!(along, ["kind", "rate", "momentum"], "the recommended point has no beta");
    // The map of the rate and the momentum shows the trials that have both.
    let n_sgd = study.trials().iter().filter(|trial| trial.point.get("momentum").is_some()).count();
    let drawn = map(&scene, false, 1, 3);
    assert_eq!(drawn.observed.len(), n_sgd);
    assert!((1..12).contains(&n_sgd));
    assert!(
        drawn
            .note
            .unwrap()
            .ends_with(&format!("{} trials do not have both parameters and cannot be shown here", 12 - n_sgd))
    );
    // A line has no position on the axis of a parameter that its trial does not have.
    for line in parallel(&scene, 12).lines {
        let point = &study.trial(line.trial).unwrap().point;
        let there: Vec<bool> = ["kind", "rate", "beta", "momentum"].map(|name| point.get(name).is_some()).into();
        assert_eq!(line.u.iter().map(Option::is_some).collect::<Vec<_>>(), there);
    }
}
