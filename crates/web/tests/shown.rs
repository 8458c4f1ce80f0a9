//! What the dashboard's pictures show, checked in a real browser. Skipped, with a message, if there is no Chromium.

use crate::common::browser::Browser;
use crate::common::{Served, space, yield_loss};
use elbowroom::study::StudyConfig;
use elbowroom_store::{SharedStudy, Store};
use serde_json::json;
use std::sync::Arc;

/// A study of one worker that runs six trials at once: values over decades, the best at the end; two failures, three
/// infeasible points, and six trials under way.
fn six_at_once(store: &Arc<dyn Store>) -> SharedStudy {
    let config = StudyConfig::new(space()).seed(7).budget(60).initial(24);
    let mut study = SharedStudy::create(store.clone(), "plate", config).unwrap().worker("laptop 4711");
    for round in 0..4 {
        for (i, handed) in study.ask(6).unwrap().trials.iter().enumerate() {
            match (round, i) {
                (1 | 3, 2) => drop(study.fail(handed, "the sample broke").unwrap()),
                (1..=3, 4) => drop(study.infeasible(handed, "does not dissolve").unwrap()),
                _ => {
                    let value = yield_loss(handed).abs() * 10f64.powi(4 - 2 * round);
                    study.tell(handed, value).unwrap();
                }
            }
        }
    }
    study.ask(6).unwrap();
    study
}

/// A browser that has opened the study's overview.
fn opened(served: &Served) -> Option<Browser> {
    let mut browser = Browser::start()?;
    browser.dark(false);
    browser.open(&served.url);
    browser.wait("document.querySelector('td a')");
    go(&mut browser, "overview");
    Some(browser)
}

fn go(browser: &mut Browser, page: &str) {
    browser.eval(&format!("location.hash = '#/s/plate/{page}'"));
    browser.wait(&format!("document.documentElement.dataset.ready === '#/s/plate/{page}'"));
}

/// The positions of a colour in a chart: rows and columns, in pixels of the page from the plot's corner.
const PIXELS: &str = "((place, hue) => {
    const canvas = place.querySelector('canvas'), over = place.querySelector('.u-over').getBoundingClientRect();
    const box = canvas.getBoundingClientRect(), scale = canvas.width / box.width;
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const name = getComputedStyle(document.documentElement).getPropertyValue(`--${hue}`).trim();
    const want = [1, 3, 5].map((i) => parseInt(name.slice(i, i + 2), 16));
    const rows = new Set(), columns = new Set();
    for (let i = 0; i < data.length; i += 4) {
        if (data[i + 3] < 200 || want.some((c, k) => Math.abs(c - data[i + k]) > 12)) continue;
        rows.add(Math.round(Math.floor(i / 4 / canvas.width) / scale + box.top - over.top));
        columns.add(Math.round((i / 4) % canvas.width / scale + box.left - over.left));
    }
    return { rows: [...rows], columns: [...columns], width: over.width, height: over.height };
})";

#[test]
fn parallel_trials_of_one_worker_are_in_lanes_of_their_own() {
    let served = Served::start(false);
    six_at_once(&served.store);
    let Some(mut browser) = opened(&served) else { return };
    go(&mut browser, "workers");
    browser.wait("document.querySelectorAll('.span').length === 30");
    let heights = browser.eval("new Set([...document.querySelectorAll('.span')].map((s) => s.getAttribute('y'))).size");
    assert_eq!(heights, 6, "six at once are six lanes");
    browser.shot("lanes-light");
    // No two of them overlap.
    let upon = browser.eval(
        "(() => { const all = [...document.querySelectorAll('.span')].map((s) => s.getBoundingClientRect());
            return all.filter((a, i) => all.some((b, j) => i < j && a.top === b.top && a.left < b.right - 1.6 && b.left < a.right - 1.6)).length; })()",
    );
    assert_eq!(upon, 0);
}

#[test]
fn failed_marks_are_off_the_line_of_the_best_value() {
    let served = Served::start(false);
    six_at_once(&served.store);
    let Some(mut browser) = opened(&served) else { return };
    browser.wait("document.querySelector('.uplot canvas')");
    browser.shot("history-light");
    for hue in ["vermillion", "purple"] {
        let seen = browser.eval(&format!("{PIXELS}(document.querySelector('.uplot'), '{hue}')"));
        let rows: Vec<f64> = seen["rows"].as_array().unwrap().iter().map(|row| row.as_f64().unwrap()).collect();
        assert!(!rows.is_empty(), "there are marks in {hue}");
        assert!(rows.iter().all(|row| *row < 0.0), "{hue} marks stand above the values: {rows:?}");
    }
    let line = browser.eval(&format!("{PIXELS}(document.querySelector('.uplot'), 'blue')"));
    assert!(line["rows"].as_array().unwrap().iter().all(|row| row.as_f64().unwrap() >= -2.0), "{line}");
}

#[test]
fn categories_are_not_joined_by_lines_in_a_slice() {
    let served = Served::start(false);
    six_at_once(&served.store);
    let Some(mut browser) = opened(&served) else { return };
    go(&mut browser, "model");
    browser.wait("document.querySelectorAll('.slices canvas').length === 8");
    browser.shot("slices-light");
    let share = |browser: &mut Browser, place: usize| {
        let seen = browser.eval(&format!("{PIXELS}(document.querySelectorAll('.slices .uplot')[{place}], 'blue')"));
        seen["columns"].as_array().unwrap().len() as f64 / seen["width"].as_f64().unwrap()
    };
    // Charts of the temperature and of the gas: a line covers nearly every column, three marks with whiskers do not.
    assert!(share(&mut browser, 0) > 0.8, "{}", share(&mut browser, 0));
    assert!((0.01..0.4).contains(&share(&mut browser, 6)), "{}", share(&mut browser, 6));
}

#[test]
fn failed_and_infeasible_trials_are_counted_as_everywhere_else() {
    let served = Served::start(false);
    let study = six_at_once(&served.store);
    let counts = study.counts();
    assert_eq!((counts.failed, counts.infeasible), (2, 3));
    let told = served.get("/api/studies/plate").json();
    assert_eq!((&told["counts"]["failed"], &told["counts"]["infeasible"]), (&json!(2), &json!(3)));
    let Some(mut browser) = opened(&served) else { return };
    let tile = "(() => { const t = [...document.querySelectorAll('.tile')].find((t) => t.querySelector('.label').textContent === 'failed'); return [t.querySelector('.big').textContent, t.querySelector('.under').textContent]; })()";
    assert_eq!(browser.eval(tile), json!(["2", "3 infeasible, 0 lost"]));
    browser.eval("location.hash = '#/'");
    browser.wait("document.querySelectorAll('tbody td').length > 3 && document.querySelectorAll('tbody td')[2].textContent === '19'");
    let heads = browser.eval("[...document.querySelectorAll('th')].map((t) => t.textContent)");
    let cells = browser.eval("[...document.querySelectorAll('tbody td')].map((t) => t.textContent)");
    let of = |name: &str| {
        let at = heads.as_array().unwrap().iter().position(|head| head == name);
        at.map(|at| cells[at].clone())
    };
    assert_eq!((of("failed"), of("infeasible")), (Some(json!("2")), Some(json!("3"))), "{heads} {cells}");
}

#[test]
fn the_header_fits_on_a_phone_also_where_studies_can_be_changed() {
    let served = Served::start(true);
    six_at_once(&served.store);
    let Some(mut browser) = opened(&served) else { return };
    for (width, dark) in [(390, false), (390, true), (320, false)] {
        browser.size(width, 844);
        browser.dark(dark);
        for page in ["overview", "trials", "workers"] {
            go(&mut browser, page);
            browser.wait("document.querySelector('.dot.on')");
            // The page may have been shown before at another width: it keeps that width until it is redrawn.
            browser.wait(&format!("document.documentElement.scrollWidth <= {width}"));
            let out = browser.eval(
                "[...document.querySelectorAll('header *')].filter((e) => e.getClientRects().length).map((e) => [e.tagName, e.textContent, e.getBoundingClientRect()]).filter(([, , r]) => r.right > innerWidth + 0.5 || r.left < -0.5).map(([t, w]) => `${t} ${w}`)",
            );
            assert_eq!(out, json!([]), "{page} on {width}");
            let whole = "(() => { const name = document.querySelector('.crumb'); return name.scrollWidth <= name.clientWidth; })()";
            assert_eq!(browser.eval(whole), true, "the study's name is seen: {page} on {width}");
            browser.shot(&format!("{page}-phone-{width}-{}", if dark { "dark" } else { "light" }));
        }
    }
}
