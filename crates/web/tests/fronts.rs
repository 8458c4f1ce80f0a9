//! Several outcomes over HTTP and in a real browser, which is skipped, with a message, if there is no Chromium.

use std::sync::Arc;

use elbowroom::space::{Parameter, Point, SearchSpace};
use elbowroom::study::{Goal, Outcome, Outcomes, StudyConfig};
use elbowroom_store::{BestAnswer, SharedStudy, Store};
use serde_json::{Value, json};

use crate::common::Served;
use crate::common::browser::Browser;

/// A study of two or three objectives with costs over many decades, a limit, failures and late results.
fn laboratory(store: &Arc<dyn Store>, name: &str, with_third: bool) -> SharedStudy {
    let space =
        SearchSpace::new(vec![Parameter::float("celsius", 20.0, 90.0), Parameter::float("hours", 1.0, 12.0)]).unwrap();
    let mut list = vec![
        Outcome::objective("yield", Goal::Maximize).worst(0.0),
        Outcome::objective("cost", Goal::Minimize),
        Outcome::watched("purity").at_least(95.0),
    ];
    if with_third {
        list.insert(1, Outcome::objective("waste", Goal::Minimize));
    }
    let config = StudyConfig::new(space).outcomes(Outcomes::new(list).unwrap());
    let mut study = SharedStudy::create(store.clone(), name, config).unwrap();
    for i in 0..14 {
        let u = f64::from(i) / 13.0;
        let point =
            Point::new().with("celsius", 20.0 + 70.0 * u).with("hours", 1.0 + f64::from(i * 5 % 14) / 13.0 * 11.0);
        let waste = (u - 0.6).abs() * 10.0 + f64::from(i % 3);
        let told = [("yield", 20.0 + 75.0 * u), ("cost", 10f64.powf(4.0 * u + f64::from(i % 2))), ("waste", waste)];
        let told: Vec<(&str, f64)> = told.into_iter().filter(|(name, _)| with_third || *name != "waste").collect();
        let purity = 99.5 - 7.0 * u;
        // The purity of the last two is still missing.
        let told: Vec<(&str, f64)> = told.into_iter().chain((i < 12).then_some(("purity", purity))).collect();
        let told: elbowroom::study::Results = told.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        study.add(&point, told).unwrap();
    }
    for handed in study.ask(2).unwrap().trials {
        study.fail(handed.attempt, "the flask broke").unwrap();
    }
    study
}

/// The front of the study above, by comparing all pairs of pure trials.
fn front_by_hand(study: &SharedStudy) -> Vec<u64> {
    let pure: Vec<(u64, Vec<f64>)> = study
        .study()
        .trials()
        .iter()
        .filter(|trial| trial.result("purity").is_some_and(|purity| purity >= 95.0))
        .map(|trial| {
            let waste = trial.result("waste").map_or(0.0, |waste| -waste);
            (trial.id.0, vec![trial.result("yield").unwrap(), -trial.result("cost").unwrap(), waste])
        })
        .collect();
    let beats = |a: &[f64], b: &[f64]| a != b && a.iter().zip(b).all(|(a, b)| a >= b);
    pure.iter().filter(|(_, b)| !pure.iter().any(|(_, a)| beats(a, b))).map(|(id, _)| *id).collect()
}

#[test]
fn the_best_and_the_front_have_the_shape_that_the_command_prints() {
    let served = Served::start(false);
    let study = laboratory(&served.store, "lab", false);
    let best = served.get("/api/studies/lab/best").json();
    let printed = json!(BestAnswer::of(&study));
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&best), keys(&printed));
    assert_eq!((&best["front"], &best["observed"]["trial"]), (&printed["front"], &printed["observed"]["trial"]));
    assert_eq!(best["recommended_front"], printed["recommended_front"]);
    let ids: Vec<u64> =
        best["front"]["points"].as_array().unwrap().iter().map(|point| point["trial"].as_u64().unwrap()).collect();
    assert_eq!(ids, front_by_hand(&study));

    let front = served.get("/api/studies/lab/front").json();
    for key in keys(&best["front"]) {
        assert_eq!(front[&key], best["front"][&key], "{key}");
    }
    assert_eq!(front["trials"].as_array().unwrap().len(), 14, "failed ones have no results");
    assert_eq!(front["trials"][13]["waiting_for"], json!(["purity"]));
    let seen = served.get("/api/studies/lab").json();
    assert_eq!(seen["front"]["n_points"], ids.len());
}

#[test]
fn the_front_is_drawn_and_a_trial_that_is_picked_shows_its_parameters() {
    let Some(mut browser) = Browser::start() else { return };
    let served = Served::start(false);
    let study = laboratory(&served.store, "two", false);
    laboratory(&served.store, "three", true);
    browser.dark(false);
    browser.open(&served.url);
    browser.wait("document.querySelector('td a')");
    let go = |browser: &mut Browser, name: &str, page: &str| {
        browser.eval(&format!("location.hash = '#/s/{name}/{page}'"));
        browser.wait(&format!("document.documentElement.dataset.ready === '#/s/{name}/{page}'"));
    };
    go(&mut browser, "two", "front");
    assert_eq!(browser.count(".mark.front"), front_by_hand(&study).len() as u64);
    assert_eq!((browser.count(".mark.waiting"), browser.count("polyline"), browser.count("canvas")), (2, 1, 1));
    browser.eval("document.querySelector('.mark[data-trial=\"3\"]').dispatchEvent(new MouseEvent('click'))");
    let picked = browser.eval("document.querySelector('.picked').innerText");
    let picked = picked.as_str().unwrap();
    assert!(picked.contains("trial 3") && picked.contains("celsius") && picked.contains("36.154"), "{picked}");
    browser.shot("front-two");

    // Another pair of results, with a visible limit.
    let choose = |browser: &mut Browser, label: &str, k: usize| {
        browser.eval(&format!(
            "(() => {{ const s = document.querySelector('select[aria-label={label}]'); s.value = '{k}'; \
             s.dispatchEvent(new Event('change')); }})()"
        ));
    };
    choose(&mut browser, "across", 2);
    assert_eq!((browser.count(".feasible"), browser.count("polyline")), (1, 0));
    assert_eq!(browser.count(".mark.broken"), 3, "those with a purity below 95");
    browser.shot("front-limit");
    go(&mut browser, "two", "overview");
    browser.wait("document.querySelectorAll('canvas').length >= 3");
    browser.shot("front-overview");
    go(&mut browser, "two", "model");
    browser.wait("document.querySelectorAll('.slices [data-result] canvas').length === 4");
    browser.shot("front-model");
    go(&mut browser, "two", "trials");
    assert!(browser.eval("document.body.innerText").as_str().unwrap().contains("waiting for purity"));

    go(&mut browser, "three", "front");
    assert_eq!(browser.count("polyline"), 0, "three objectives have no border in a plane");
    browser.shot("front-three");
    browser.dark(true);
    browser.size(390, 844);
    go(&mut browser, "three", "overview");
    go(&mut browser, "three", "front");
    browser.wait("document.querySelector('canvas')");
    let width = browser.eval("document.documentElement.scrollWidth").as_u64().unwrap();
    assert!(width <= 390, "nothing hangs over the edge: {width}");
    browser.shot("front-narrow-dark");
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}
