//! The dashboard in a real browser. Skipped, with a message, if there is no Chromium.

use crate::common::browser::Browser;
use crate::common::{Served, study};
use elbowroom::space::{Parameter, SearchSpace};
use elbowroom::study::{StudyConfig, TrialId};
use elbowroom_store::{SharedStudy, TrialStatus};
use serde_json::Value;

/// Goes to a page of a study, and waits until it is drawn.
fn go(browser: &mut Browser, page: &str) {
    browser.eval(&format!("location.hash = '#/s/plate/{page}'"));
    browser.wait(&format!("document.documentElement.dataset.ready === '#/s/plate/{page}'"));
}

#[test]
fn a_running_study_is_seen_live_and_every_panel_draws_what_the_server_knows() {
    let Some(mut browser) = Browser::start() else { return };
    let served = Served::start(false);
    let mut study = study(&served.store, "plate", 24);
    browser.dark(false);
    browser.open(&served.url);
    browser.wait("document.querySelector('td a')");
    assert_eq!(browser.eval("location.search"), "", "the token is out of the address bar");

    go(&mut browser, "overview");
    browser.wait("document.querySelector('.dot.on')");
    assert_eq!(browser.eval("[...document.querySelectorAll('.tile .big')][1].textContent"), "22");
    assert_eq!(browser.count(".pending"), 5);
    assert_eq!(browser.count(".room"), 5, "each pending point has its exclusion ball");
    assert!(browser.count("canvas") >= 1 && browser.count(".finding") >= 3);
    browser.shot("overview-light");

    // A worker reports a value through the store file; the page shows it on its own.
    let trial = study.study().trial(TrialId(24)).unwrap().clone();
    study.tell(trial.id, 0.031).unwrap();
    browser.wait("[...document.querySelectorAll('.tile .big')][1].textContent === '23'");
    browser.wait("document.querySelectorAll('.pending').length === 4");
    assert_eq!(browser.eval("document.querySelector('.tile .big').textContent"), "0.031");

    go(&mut browser, "map");
    browser.wait("document.querySelectorAll('.planes image').length === 5");
    browser.eval("(() => { const s = document.querySelector('select[aria-label=up]'); s.value = '2'; s.dispatchEvent(new Event('change')); })()");
    browser.wait("[...document.querySelectorAll('svg.chart text.ink')].some((t) => t.textContent === 'steps')");
    assert_eq!(browser.count(".bar"), 4, "one for each parameter");
    browser.shot("map-light");
    go(&mut browser, "model");
    browser.wait("document.querySelectorAll('.slices canvas').length === 8");
    browser.shot("model-light");
    go(&mut browser, "trials");
    assert_eq!(browser.count("tbody tr"), 29);
    browser.eval("(() => { const f = document.getElementById('filter'); f.value = 'sample broke'; f.dispatchEvent(new Event('input')); })()");
    browser.wait("document.querySelectorAll('tbody tr').length === 2");
    browser.shot("trials-light");
    go(&mut browser, "parallel");
    assert_eq!(browser.count("polyline"), 23);
    go(&mut browser, "workers");
    assert_eq!(browser.count(".span"), 29);
    assert!(browser.eval("document.body.innerText").as_str().unwrap().contains("bench 2"));
    browser.shot("workers-light");
    go(&mut browser, "health");
    let hash = study.stored().digest().to_string();
    assert!(browser.eval("document.body.innerText").as_str().unwrap().contains(&hash));
    go(&mut browser, "trial/20");
    browser.wait("document.body.innerText.includes('Nearest results')");
    assert_eq!(browser.count("button.main"), 0, "nothing can be changed without --write");
    browser.shot("trial-light");
    let refused = browser.eval("fetch('/api/studies/plate/tell', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{\"trial\":25,\"value\":1}' }).then((r) => r.status)");
    assert_eq!(refused, 403);

    // The keys, the dark theme, and a narrow screen.
    browser.eval("document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '1', bubbles: true }))");
    browser.wait("document.documentElement.dataset.ready === '#/s/plate/overview'");
    browser.dark(true);
    browser.wait("document.documentElement.dataset.theme === 'dark' && document.querySelectorAll('.room').length === 4 && document.querySelector('canvas')");
    browser.shot("overview-dark");
    go(&mut browser, "map");
    browser.wait("document.querySelectorAll('.planes image').length === 5");
    browser.shot("map-dark");
    browser.size(390, 844);
    go(&mut browser, "overview");
    browser.wait("document.querySelectorAll('.room').length === 4 && document.querySelector('canvas')");
    assert!(
        browser.eval("document.documentElement.scrollWidth").as_u64().unwrap() <= 390,
        "nothing hangs over the edge"
    );
    browser.shot("overview-narrow-dark");

    // The browser logged the refused change, and nothing else.
    let others: Vec<&String> = browser.complaints.iter().filter(|text| !text.contains("403")).collect();
    assert!(others.is_empty(), "{others:?}");
}

#[test]
fn with_write_a_person_can_do_what_a_worker_can() {
    let Some(mut browser) = Browser::start() else { return };
    let served = Served::start(true);
    let mut study = study(&served.store, "plate", 10);
    browser.open(&served.url);
    browser.wait("document.querySelector('td a')");
    let click = |browser: &mut Browser, label: &str, said: &str| {
        browser.eval(&format!(
            "[...document.querySelectorAll('button')].find((b) => b.textContent === {label:?}).click()"
        ));
        browser.wait(&format!("[...document.querySelectorAll('.said')].some((s) => s.textContent.includes({said:?}))"));
    };
    let mut status = |id: u64| {
        study.refresh().unwrap();
        let trial = study.study().trial(TrialId(id)).unwrap();
        (study.status(trial), trial.value(), trial.point.clone())
    };

    go(&mut browser, "trial/10");
    browser.wait("document.querySelector('[data-result=value]')");
    browser.eval("document.querySelector('[data-result=value]').value = '0.125'");
    click(&mut browser, "Report", "recorded");
    assert_eq!((status(10).0, status(10).1), (TrialStatus::Complete, Some(0.125)));
    go(&mut browser, "trial/11");
    browser.wait("document.querySelector('[data-result=value]')");
    click(&mut browser, "Failed", "recorded");
    assert_eq!(status(11).0, TrialStatus::Failed);
    go(&mut browser, "trial/12");
    browser.wait("document.querySelector('[data-parameter=temperature]')");
    browser.eval("document.querySelector('input[data-parameter=temperature]').value = '41.5'");
    click(&mut browser, "Run this point instead", "replaced by trial");
    assert_eq!(status(12).0, TrialStatus::Withdrawn);
    assert_eq!(status(15).2.get("temperature").and_then(|v| v.as_f64()), Some(41.5));
    go(&mut browser, "trial/15");
    browser.wait("document.querySelector('[data-result=value]')");
    click(&mut browser, "Release", "recorded");
    assert_eq!(status(15).0, TrialStatus::Withdrawn);

    go(&mut browser, "trials");
    browser.wait("document.querySelector('[data-parameter=temperature]')");
    browser.eval("for (const [k, v] of Object.entries({ temperature: 50, rate: 0.01, steps: 3, gas: 'Ar' })) document.querySelector(`[data-form=add] [data-parameter=${k}]`).value = v");
    click(&mut browser, "Add this point", "added as trial 16");
    assert_eq!(status(16).0, TrialStatus::Running);
    browser.shot("write-light");
    browser.eval("document.getElementById('pause').click()");
    browser.wait("document.getElementById('pause').textContent === 'Resume'");
    click(&mut browser, "Ask", "paused");
    browser.eval("document.getElementById('pause').click()");
    browser.wait("document.getElementById('pause').textContent === 'Pause'");
    click(&mut browser, "Ask", "trials 17");
    assert_eq!(status(17).0, TrialStatus::Running);

    go(&mut browser, "health");
    browser.wait("document.getElementById('budget')");
    browser.eval("document.getElementById('budget').value = '60'");
    click(&mut browser, "Set the budget", "the budget is now 60 trials");
    browser.eval("document.getElementById('budget').value = '3'");
    click(&mut browser, "Set the budget", "is too small");
    study.refresh().unwrap();
    assert_eq!(study.study().config().budget, Some(60));
}

#[test]
fn a_person_can_tell_several_results_by_name_and_sort_the_trials_by_one() {
    let Some(mut browser) = Browser::start() else { return };
    let served = Served::start(true);
    let mut study = study(&served.store, "plate", 10);
    for (trial, minutes) in [(3, 30.0), (4, 10.0), (5, 20.0)] {
        study.tell(TrialId(trial), [("minutes", minutes)]).unwrap();
    }
    browser.open(&served.url);
    browser.wait("document.querySelector('td a')");
    go(&mut browser, "trial/10");
    browser.wait("document.querySelector('[data-result=minutes]')");
    browser.eval("document.querySelector('[data-result=value]').value = '0.125'");
    browser.eval("document.querySelector('[data-result=minutes]').value = '15'");
    browser.eval("[...document.querySelectorAll('button')].find((b) => b.textContent === 'Report').click()");
    browser.wait("[...document.querySelectorAll('.said')].some((s) => s.textContent.includes('recorded'))");
    study.refresh().unwrap();
    let told = study.study().trial(TrialId(10)).unwrap();
    assert_eq!((told.value(), told.result("minutes")), (Some(0.125), Some(15.0)));

    go(&mut browser, "trials");
    browser.wait("document.querySelector('th button')");
    browser.eval("[...document.querySelectorAll('th button')].find((b) => b.textContent === 'minutes').click()");
    browser.wait(
        "[...document.querySelectorAll('tbody tr')].slice(0, 4).map((r) => r.dataset.trial).join() === '4,10,5,3'",
    );
}

#[test]
fn a_report_opens_from_a_file_and_draws_the_same_panels() {
    let Some(mut browser) = Browser::start() else { return };
    let served = Served::start(false);
    let study = study(&served.store, "plate", 16);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.html");
    let page =
        elbowroom_view::report::report(&elbowroom_view::Scene::of(&study), &study.stored().digest().to_string(), true);
    std::fs::write(&file, page).unwrap();
    browser.open(&format!("file://{}", file.display()));
    browser.wait("document.querySelectorAll('.room').length === 5");
    browser.shot("report-light");
    let hash = study.stored().digest().to_string();
    for (page, drawn) in [
        ("map", "document.querySelectorAll('.planes image').length === 5"),
        ("model", "document.querySelectorAll('.slices canvas').length === 8"),
        ("trials", "document.querySelectorAll('tbody tr').length === 21"),
        ("parallel", "document.querySelectorAll('polyline').length === 14"),
        ("workers", "document.querySelectorAll('.span').length === 21"),
        ("health", &format!("document.body.innerText.includes('{hash}')")),
        ("trial/20", "document.body.innerText.includes('Nearest results')"),
    ] {
        go(&mut browser, page);
        browser.wait(drawn);
    }
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}

#[test]
fn a_report_sorts_and_filters_as_the_server_does() {
    let Some(mut browser) = Browser::start() else { return };
    let served = Served::start(false);
    let study = study(&served.store, "plate", 16);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.html");
    let page =
        elbowroom_view::report::report(&elbowroom_view::Scene::of(&study), &study.stored().digest().to_string(), false);
    std::fs::write(&file, page).unwrap();
    browser.open(&format!("file://{}#/s/plate/trials", file.display()));
    browser.wait("document.querySelectorAll('tbody tr').length === 21");
    let listed = |browser: &mut Browser| {
        browser.eval("[...document.querySelectorAll('tbody tr')].map((row) => Number(row.dataset.trial))")
    };
    let expected = |query: &str| {
        let table = served.get(&format!("/api/studies/plate/trials?{query}")).json();
        Value::from_iter(table["rows"].as_array().unwrap().iter().map(|row| row["trial"].clone()))
    };
    assert_eq!(listed(&mut browser), expected("sort=value"), "the best one stands first");
    for (head, query) in [
        ("trial", "sort=trial"),
        ("state", "sort=state"),
        ("value", "sort=value"),
        ("temperature", "sort=parameter&parameter=temperature"),
        ("rate", "sort=parameter&parameter=rate"),
        ("steps", "sort=parameter&parameter=steps"),
        ("worker", "sort=worker"),
        ("gas", "sort=parameter&parameter=gas"),
    ] {
        for (arrow, reverse) in [("↑", "false"), ("↓", "true")] {
            let cell =
                format!("[...document.querySelectorAll('th button')].find((b) => b.textContent.startsWith({head:?}))");
            browser.eval(&format!("{cell}.click()"));
            browser.wait(&format!("{cell}.textContent === {head:?} + ' {arrow}'"));
            assert_eq!(listed(&mut browser), expected(&format!("{query}&reverse={reverse}")), "{head} {arrow}");
        }
    }
    // Sorted by gas in descending order from here on.
    let sorted = "sort=parameter&parameter=gas&reverse=true";
    for (state, n) in [("failed", 2), ("complete", 14), ("", 21)] {
        browser.eval(&format!("(() => {{ const s = document.querySelector('select[aria-label=state]'); s.value = {state:?}; s.dispatchEvent(new Event('change')); }})()"));
        browser.wait(&format!("document.querySelectorAll('tbody tr').length === {n}"));
        let filter = if state.is_empty() { String::new() } else { format!("&state={state}") };
        assert_eq!(listed(&mut browser), expected(&format!("{sorted}{filter}")), "{state}");
    }
    for text in ["Sample BROKE", "17", "ar"] {
        browser.eval(&format!("(() => {{ const f = document.getElementById('filter'); f.value = {text:?}; f.dispatchEvent(new Event('input')); }})()"));
        let found = expected(&format!("{sorted}&text={}", text.replace(' ', "%20")));
        let n = found.as_array().unwrap().len();
        assert!((1..21).contains(&n), "{text}: {found}");
        browser.wait(&format!("JSON.stringify([...document.querySelectorAll('tbody tr')].map((row) => Number(row.dataset.trial))) === '{found}'"));
    }
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}

#[test]
fn nothing_yet_and_nobody_there_are_said() {
    let Some(mut browser) = Browser::start() else { return };
    let served = Served::start(false);
    browser.open(&served.url);
    browser.wait("document.body.innerText.includes('No study yet')");
    SharedStudy::create(served.store.clone(), "plate", StudyConfig::new(crate::common::space())).unwrap();
    SharedStudy::create(served.store.clone(), "other", StudyConfig::new(crate::common::space())).unwrap();
    for (page, said) in [
        ("overview", "No values yet"),
        ("map", "model needs at least two results"),
        ("model", "model needs at least two results"),
        ("trials", "No trials yet"),
        ("parallel", "No values yet"),
        ("workers", "No worker has joined yet"),
        ("trial/7", "trial 7 does not exist"),
    ] {
        go(&mut browser, page);
        browser.wait(&format!("document.body.innerText.toLowerCase().includes({:?})", said.to_lowercase()));
        assert_eq!(browser.count(".bar"), 0, "without results nothing is important: {page}");
    }
    browser.eval("location.hash = '#/compare'");
    browser.wait("document.querySelectorAll('tbody tr').length === 2");
    go(&mut browser, "overview");
    browser.wait("document.querySelector('.dot.on')");
    drop(served);
    browser.wait("document.querySelector('.dot.off')");
    browser.eval("location.hash = '#/'");
    browser.wait("document.body.innerText.toLowerCase().includes('the server does not answer')");
}

#[test]
fn results_by_name_are_columns_of_the_trials_and_pictures_of_their_own() {
    let Some(mut browser) = Browser::start() else { return };
    let served = Served::start(false);
    let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0), Parameter::float("y", 0.0, 1.0)]).unwrap();
    let config = StudyConfig::new(space).metric("loss");
    let mut study = SharedStudy::create(served.store.clone(), "plate", config).unwrap();
    for (i, handed) in study.ask(4).unwrap().trials.into_iter().enumerate() {
        study.tell(&handed, [("loss", i as f64), ("minutes", 10.5 + i as f64)]).unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.html");
    let page =
        elbowroom_view::report::report(&elbowroom_view::Scene::of(&study), &study.stored().digest().to_string(), true);
    std::fs::write(&file, page).unwrap();
    for address in [served.url.clone(), format!("file://{}", file.display())] {
        browser.open(&address);
        browser.wait("document.documentElement.dataset.ready");
        go(&mut browser, "overview");
        browser.wait("document.querySelector('[data-result=minutes] canvas')");
        go(&mut browser, "trials");
        let heads = "[...document.querySelectorAll('th')].map((head) => head.textContent.replace(/ [↑↓]/, '')).join()";
        browser.wait("document.querySelectorAll('tbody tr').length === 4");
        assert_eq!(browser.eval(heads), "trial,state,loss,x,y,minutes,duration,worker,source,reason");
        assert!(browser.eval("document.querySelector('tbody').innerText").as_str().unwrap().contains("13.5"));
        go(&mut browser, "trial/3");
        browser.wait("document.body.innerText.includes('minutes') && document.body.innerText.includes('13.5')");
    }
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}

#[test]
fn names_and_values_are_texts_whatever_they_say() {
    let Some(mut browser) = Browser::start() else { return };
    let served = Served::start(false);
    let evil = "<img src=x onerror=window.hacked=1>";
    let space = SearchSpace::new(vec![
        Parameter::float(evil, 0.0, 1.0),
        Parameter::category(
            "kind",
            ["<script>window.hacked=1</script>", "\"><svg onload=window.hacked=1>", "javascript:hacked"],
        ),
    ]);
    let mut study =
        SharedStudy::create(served.store.clone(), evil, StudyConfig::new(space.unwrap())).unwrap().worker(evil);
    for (i, handed) in study.ask(8).unwrap().trials.into_iter().enumerate() {
        match i {
            0 => drop(study.fail(&handed, evil).unwrap()),
            1 => {}
            _ => drop(study.tell(&handed, i as f64).unwrap()),
        }
    }
    browser.open(&served.url);
    browser.wait("document.querySelector('td a')");
    for page in ["overview", "map", "model", "trials", "parallel", "workers", "health", "trial/0", "trial/1"] {
        browser.eval(&format!("location.hash = '#/s/' + encodeURIComponent({evil:?}) + '/{page}'"));
        browser.wait(&format!(
            "document.documentElement.dataset.ready && document.documentElement.dataset.ready.endsWith('/{page}')"
        ));
        assert!(
            browser.eval("document.body.innerText").as_str().unwrap().contains(evil),
            "{page} shows the name as it is"
        );
        assert_eq!(browser.eval("typeof window.hacked"), "undefined", "{page}");
        assert_eq!(browser.count("main img, main script, main iframe"), 0, "{page}");
    }
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}
