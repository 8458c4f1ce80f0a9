//! Every page of the dashboard as people see it: three widths, two themes, six workers, failures, values over decades,
//! several results. Skipped, with a message, if there is no Chromium; the pictures are in `target/screenshots`.

use std::sync::Arc;

use elbowroom::space::{Parameter, SearchSpace};
use elbowroom::study::{Goal, Outcome, Outcomes, StudyConfig};
use elbowroom_store::{SharedStudy, Store};

use crate::common::browser::Browser;
use crate::common::{Served, space, yield_loss};

/// Results over decades by six workers, some of which fail, with four trials under way.
fn decades(store: &Arc<dyn Store>, name: &str) -> SharedStudy {
    let mut study = SharedStudy::create(store.clone(), name, StudyConfig::new(space()).seed(3).budget(40)).unwrap();
    for i in 0..18 {
        study = study.worker(format!("node-{}", i % 6 + 1));
        let handed = study.ask(1).unwrap().trials.remove(0);
        match i {
            4 => drop(study.fail(&handed, "out of memory").unwrap()),
            9 => drop(study.infeasible(&handed, "does not dissolve").unwrap()),
            _ => drop(study.tell(&handed, (2.0 * yield_loss(&handed) - 12.0).exp()).unwrap()),
        }
    }
    for i in 0..4 {
        study = study.worker(format!("node-{}", i + 1));
        study.ask(1).unwrap();
    }
    study
}

/// Two objectives and a limit, with long names.
fn outcomes(store: &Arc<dyn Store>, name: &str) -> SharedStudy {
    let space = SearchSpace::new(vec![
        Parameter::float("catalyst_amount_mol_percent", 0.1, 10.0).log(),
        Parameter::float("celsius", 20.0, 110.0),
        Parameter::category("solvent", ["water", "ethanol", "a solvent with a long name"]),
    ]);
    let list = vec![
        Outcome::objective("yield", Goal::Maximize),
        Outcome::objective("cost", Goal::Minimize),
        Outcome::watched("purity").at_least(90.0),
    ];
    let config = StudyConfig::new(space.unwrap()).outcomes(Outcomes::new(list).unwrap()).seed(5).budget(30);
    let mut study = SharedStudy::create(store.clone(), name, config).unwrap();
    for i in 0..14 {
        study = study.worker(format!("bench {}", i % 6 + 1));
        let handed = study.ask(1).unwrap().trials.remove(0);
        let get = |name: &str| handed.point().get(name).and_then(|value| value.as_f64()).unwrap();
        let (c, t) = (get("catalyst_amount_mol_percent"), get("celsius"));
        let results = [
            ("yield", 90.0 * (-((t - 80.0) / 40.0).powi(2)).exp() * (1.0 - (-c).exp())),
            ("cost", 12.0 * c + t / 10.0),
            ("purity", 100.0 - 0.12 * (t - 30.0)),
        ];
        study.tell(&handed, results).unwrap();
    }
    study.ask(2).unwrap();
    study
}

fn go(browser: &mut Browser, study: &str, page: &str) {
    let at = format!("#/s/{study}/{page}");
    browser.eval(&format!("document.documentElement.dataset.ready = ''; location.hash = '{at}'"));
    browser.wait(&format!("document.documentElement.dataset.ready === '{at}'"));
    browser.wait("![...document.querySelectorAll('.state')].some((s) => s.textContent === 'Loading…')");
}

const PAGES: [&str; 9] = ["overview", "front", "map", "model", "trials", "parallel", "workers", "health", "trial/12"];

/// Makes the page record the texts on each canvas, and their positions: charts of lines are drawn there.
fn keep_what_is_written(browser: &mut Browser) {
    browser.eval(
        "const context = CanvasRenderingContext2D.prototype;
        const { fillText, clearRect } = context;
        context.clearRect = function (...box) {
            this.canvas.written = [];
            return clearRect.apply(this, box);
        };
        context.fillText = function (words, x, y, ...rest) {
            const { width, actualBoundingBoxAscent: up, actualBoundingBoxDescent: down } = this.measureText(words);
            const left = x - width * ({ right: 1, end: 1, center: 0.5 }[this.textAlign] ?? 0);
            const isTurned = Math.abs(this.getTransform().b) > 0.5;
            if (!isTurned && words.trim()) {
                (this.canvas.written ??= []).push({ words, left, right: left + width, top: y - up, bottom: y + down });
            }
            return fillText.call(this, words, x, y, ...rest);
        }; 0",
    );
}

/// Checks a page: nothing extends beyond the edge, and no two texts of a chart overlap. Saves a picture of it.
fn look(browser: &mut Browser, width: u32, name: &str) {
    // The page may have been drawn at another width: it keeps that width until it is redrawn.
    browser.wait(&format!("document.documentElement.scrollWidth <= {width}"));
    let covered = browser.eval(
        "[...document.querySelectorAll('svg')].flatMap((chart) => {
            const texts = [...chart.querySelectorAll('text')].filter((t) => t.textContent.trim());
            const boxes = texts.map((t) => t.getBoundingClientRect());
            return texts.flatMap((t, i) => texts.slice(i + 1).filter((_, k) => {
                const [a, b] = [boxes[i], boxes[i + 1 + k]];
                const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
                const along = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
                return across > 1 && along > 4;
            }).map((other) => `${t.textContent} | ${other.textContent}`));
        })",
    );
    let on_canvas = browser.eval(
        "[...document.querySelectorAll('canvas')].flatMap(({ written = [] }) => written.flatMap((a, i) =>
            written.slice(i + 1).filter((b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
                && Math.abs(a.bottom - b.bottom) < 13).map((b) => `${a.words} | ${b.words}`)))",
    );
    // A number that is broken across two lines reads as two numbers.
    let broken = browser.eval(
        "[...document.querySelectorAll('.tile .big')].filter((big) => big.scrollWidth > big.clientWidth
            || big.getBoundingClientRect().height > 45).map((big) => big.textContent)",
    );
    let over_the_edge = browser.eval(
        "[...document.querySelectorAll('.card select, .card input, .card button, .card svg')].filter((one) => !one.closest('.scroll')
            && one.getBoundingClientRect().right > one.closest('.card').getBoundingClientRect().right)
            .map((one) => one.textContent.slice(0, 40))",
    );
    browser.shot(&format!("{name}-{width}"));
    assert_eq!(over_the_edge, serde_json::json!([]), "{name} at {width}: hangs over the edge of its card");
    // On a narrow screen the tabs scroll, and the page's own tab is in view.
    let tab_in_view = browser.eval(
        "[...document.querySelectorAll('nav [aria-current]')].every((tab) =>
            tab.getBoundingClientRect().left >= 0 && tab.getBoundingClientRect().right <= innerWidth + 1)",
    );
    assert_eq!(tab_in_view, true, "{name} at {width}: the tab of the page");
    assert_eq!((on_canvas, broken), (serde_json::json!([]), serde_json::json!([])), "{name} at {width}");
    assert_eq!(covered, serde_json::json!([]), "{name} at {width}: texts that cover each other");
}

const WIDTHS: [(u32, u32); 3] = [(390, 844), (900, 1180), (1600, 900)];

#[test]
fn every_page_fits_a_telephone_a_tablet_and_a_desk_in_the_dark_and_in_the_light() {
    let Some(mut browser) = Browser::start() else { return };
    let served = Served::start(true);
    decades(&served.store, "decades");
    outcomes(&served.store, "outcomes");
    SharedStudy::create(served.store.clone(), "empty", StudyConfig::new(space()).seed(1)).unwrap();
    browser.open(&served.url);
    browser.wait("document.querySelector('td a')");
    keep_what_is_written(&mut browser);
    for (width, height) in WIDTHS {
        browser.size(width, height);
        for dark in [false, true] {
            browser.dark(dark);
            let theme = if dark { "dark" } else { "light" };
            browser.wait(&format!("document.documentElement.dataset.theme === '{theme}'"));
            for (study, failed) in [("decades", "trial/4"), ("outcomes", "trial/15"), ("empty", "trial/0")] {
                for page in PAGES.into_iter().chain([failed]) {
                    if (study == "empty" && page.starts_with("trial/")) || (study != "outcomes" && page == "front") {
                        continue;
                    }
                    go(&mut browser, study, page);
                    look(&mut browser, width, &format!("{theme}-{study}-{}", page.replace('/', "-")));
                }
            }
            for (page, name) in [("#/", "studies"), ("#/compare", "compare")] {
                browser.eval(&format!("document.documentElement.dataset.ready = ''; location.hash = '{page}'"));
                browser.wait(&format!("document.documentElement.dataset.ready === '{page}'"));
                look(&mut browser, width, &format!("{theme}-{name}"));
            }
            browser.eval("document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '?', bubbles: true }))");
            browser.wait("document.querySelector('dialog[open]')");
            look(&mut browser, width, &format!("{theme}-keys"));
            browser.eval("document.querySelector('dialog[open]').close()");
        }
    }
    go(&mut browser, "decades", "model");
    let n_written = browser.eval("Math.max(...[...document.querySelectorAll('canvas')].map((c) => c.written.length))");
    assert!(n_written.as_u64().unwrap() > 5, "labels were looked at: {n_written}");
    // A study without results has no model, and the browser logs that.
    let others: Vec<&String> = browser.complaints.iter().filter(|text| !text.contains("/studies/empty/")).collect();
    assert!(others.is_empty(), "{others:?}");
}

#[test]
fn every_page_of_a_report_fits_too() {
    let Some(mut browser) = Browser::start() else { return };
    let served = Served::start(false);
    let folder = tempfile::tempdir().unwrap();
    for (study, name) in
        [(decades(&served.store, "decades"), "decades"), (outcomes(&served.store, "outcomes"), "outcomes")]
    {
        let file = folder.path().join(format!("{name}.html"));
        let hash = study.stored().digest().to_string();
        std::fs::write(&file, elbowroom_view::report::report(&elbowroom_view::Scene::of(&study), &hash, true)).unwrap();
        browser.open(&format!("file://{}", file.display()));
        for (width, height) in WIDTHS {
            browser.size(width, height);
            for dark in [false, true] {
                browser.dark(dark);
                let theme = if dark { "dark" } else { "light" };
                browser.wait(&format!("document.documentElement.dataset.theme === '{theme}'"));
                for page in PAGES {
                    if name == "decades" && page == "front" {
                        continue;
                    }
                    go(&mut browser, name, page);
                    look(&mut browser, width, &format!("{theme}-report-{name}-{}", page.replace('/', "-")));
                }
            }
        }
    }
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}

#[test]
fn one_switch_turns_the_scales_of_every_view_and_is_remembered() {
    let Some(mut browser) = Browser::start() else { return };
    let served = Served::start(false);
    decades(&served.store, "decades");
    outcomes(&served.store, "outcomes");
    browser.open(&served.url);
    browser.wait("document.querySelector('td a')");
    let choose = |browser: &mut Browser, scale: &str| {
        browser.eval("document.documentElement.dataset.ready = ''");
        browser.eval(&format!("(() => {{ const s = document.getElementById('scale'); s.value = {scale:?}; s.dispatchEvent(new Event('change')); }})()"));
        browser.wait("document.documentElement.dataset.ready");
    };
    // The last axis is that of the values: over decades, its ticks are powers of ten.
    let marks = "[...document.querySelectorAll('svg.chart > text:not(.ink)')].map((t) => t.textContent)";
    let powers = format!("{marks}.filter((t) => /^(1|10+|0\\.0*1|1e-?\\d+)$/.test(t)).length");
    go(&mut browser, "decades", "parallel");
    let n_auto = browser.eval(&powers).as_u64().unwrap();
    choose(&mut browser, "linear");
    let n_linear = browser.eval(&powers).as_u64().unwrap();
    assert!(n_auto > n_linear + 2, "{n_auto} powers of ten, and {n_linear} on a linear scale");
    choose(&mut browser, "log");
    assert_eq!(browser.eval(&powers).as_u64().unwrap(), n_auto);

    // Costs do not span decades: they are on a log scale because that was chosen on another page.
    let at = "[...document.querySelectorAll('.mark.front')].map((m) => Number(m.querySelector('circle').getAttribute('cy')).toFixed(2)).join()";
    go(&mut browser, "outcomes", "front");
    let logarithmic = browser.eval(at);
    choose(&mut browser, "linear");
    let linear = browser.eval(at);
    assert_ne!(linear, logarithmic);
    go(&mut browser, "decades", "map");
    let bar = "[...document.querySelectorAll('.planes .bar-of-colours')][0].textContent";
    let linear = browser.eval(bar);
    choose(&mut browser, "auto");
    assert_ne!(browser.eval(bar), linear, "the colours of what is expected");
    assert_eq!(
        browser.count(".planes .bar-of-colours"),
        browser.count(".planes image"),
        "every picture has a colour bar"
    );
    browser.eval("document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'l', bubbles: true }))");
    browser.wait("document.getElementById('scale').value === 'log'");
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}

#[test]
fn a_point_says_what_it_is_and_a_click_opens_its_trial() {
    let Some(mut browser) = Browser::start() else { return };
    let served = Served::start(false);
    decades(&served.store, "decades");
    browser.open(&served.url);
    browser.wait("document.querySelector('td a')");
    for (page, mark) in [
        ("map", ".card circle[data-trial='7']"),
        ("map", ".planes circle[data-trial='7']"),
        ("model", "circle[data-trial='7']"),
        ("parallel", "path[data-trial='7']"),
        ("workers", "rect[data-trial='7']"),
    ] {
        go(&mut browser, "decades", page);
        browser.wait(&format!("document.querySelector({mark:?})"));
        browser.eval(&format!("document.querySelector({mark:?}).dispatchEvent(new PointerEvent('pointerenter', {{ clientX: 200, clientY: 200 }}))"));
        browser.wait("!document.querySelector('.tip').hidden && document.querySelector('.tip').textContent.includes('temperature')");
        assert!(
            browser.eval("document.querySelector('.tip').textContent").as_str().unwrap().starts_with("trial 7"),
            "{page}"
        );
        browser.eval(&format!(
            "document.querySelector({mark:?}).dispatchEvent(new MouseEvent('click', {{ bubbles: true }}))"
        ));
        browser.wait("document.documentElement.dataset.ready === '#/s/decades/trial/7'");
        assert_eq!(browser.eval("document.querySelector('.tip').hidden"), true, "{page}");
    }
    // On the canvas as well: the point of the first trial is somewhere along its line.
    go(&mut browser, "decades", "overview");
    browser.wait("document.querySelector('canvas')");
    browser.eval("(() => { const place = document.querySelector('.uplot').parentElement.parentElement; const box = place.getBoundingClientRect(); for (let x = box.left; x < box.right && (document.querySelector('.tip').hidden); x += 6) for (let y = box.top; y < box.bottom && document.querySelector('.tip').hidden; y += 6) place.dispatchEvent(new PointerEvent('pointermove', { clientX: x, clientY: y })); })()");
    assert!(browser.eval("document.querySelector('.tip').textContent").as_str().unwrap().starts_with("trial 0"));
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}

#[test]
fn trials_are_filtered_by_an_expression_and_their_columns_are_chosen() {
    let Some(mut browser) = Browser::start() else { return };
    let served = Served::start(false);
    decades(&served.store, "decades");
    browser.open(&served.url);
    browser.wait("document.querySelector('td a')");
    go(&mut browser, "decades", "trials");
    let type_in = |browser: &mut Browser, text: &str| {
        browser.eval(&format!("(() => {{ const f = document.getElementById('where'); f.value = {text:?}; f.dispatchEvent(new Event('input')); }})()"));
    };
    type_in(&mut browser, "temperature < 50 and gas == 'Ar'");
    let expected =
        served.get("/api/studies/decades/trials?where=temperature%20%3C%2050%20and%20gas%20%3D%3D%20%27Ar%27").json();
    let n = expected["rows"].as_array().unwrap().len();
    assert!((1..22).contains(&n), "{n} trials");
    browser.wait(&format!("document.querySelectorAll('tbody tr').length === {n}"));
    type_in(&mut browser, "weight < 50");
    browser.wait("document.body.innerText.includes('weight')");
    type_in(&mut browser, "");
    browser.wait("document.querySelectorAll('tbody tr').length === 22");

    let heads = "[...document.querySelectorAll('th')].map((head) => head.textContent.replace(/ [↑↓]/, '')).join()";
    assert_eq!(browser.eval(heads), "trial,state,value,temperature,rate,steps,gas,duration,worker,source,reason");
    assert!(
        browser.eval("document.querySelector('tbody').innerText").as_str().unwrap().contains("node-6"),
        "who ran it"
    );
    browser.eval("document.querySelector('[aria-label=\"show gas\"]').click()");
    browser.wait(&format!("!{heads}.includes('gas')"));
    go(&mut browser, "decades", "health");
    go(&mut browser, "decades", "trials");
    browser.wait("document.querySelectorAll('tbody tr').length === 22");
    assert_eq!(browser.eval(heads), "trial,state,value,temperature,rate,steps,duration,worker,source,reason");
}

#[test]
fn the_page_waits_for_a_study_that_has_not_begun_and_then_shows_it() {
    let Some(mut browser) = Browser::start() else { return };
    let served = Served::start(false);
    browser.open(&format!("{}#/s/decades/overview", served.url));
    browser.wait("document.body.innerText.includes('Waiting for the study decades to begin')");
    decades(&served.store, "decades");
    browser.wait("document.querySelector('.tile .big')");
    assert_eq!(
        browser.eval("[...document.querySelectorAll('.tile .label')].map((l) => l.textContent).join()"),
        "best (minimize),complete,running,failed,time left,last event"
    );
    // Four run, and sixteen have ended: the rest of the budget can be estimated.
    browser.wait("[...document.querySelectorAll('.tile .big')][4].textContent.startsWith('≈')");
}

#[test]
fn a_page_says_what_is_so_and_offers_what_can_be_done() {
    let Some(mut browser) = Browser::start() else { return };
    let served = Served::start(true);
    let study = decades(&served.store, "decades");
    SharedStudy::create(served.store.clone(), "empty", StudyConfig::new(space()).seed(1)).unwrap();
    browser.open(&served.url);
    browser.wait("document.querySelector('td a')");
    let words = |browser: &mut Browser| browser.eval("document.body.innerText").as_str().unwrap().to_owned();

    go(&mut browser, "empty", "model");
    let said = words(&mut browser);
    assert!(!said.contains("each of 0") && said.matches("A model needs at least two results").count() == 2, "{said}");
    go(&mut browser, "empty", "workers");
    assert!(words(&mut browser).contains("Start one with elbow worker or elbow run."));

    let buttons = "[...document.querySelectorAll('main button')].map((b) => b.textContent).join()";
    for (page, offered) in [
        ("trial/12", "Report another value,Infeasible"),
        ("trial/4", "Report,Infeasible"),
        ("trial/9", "Report"),
        ("trial/18", "Report,Failed,Infeasible,Release,Hand out again,Run this point instead"),
    ] {
        go(&mut browser, "decades", page);
        browser.wait(&format!("{buttons} === {offered:?}"));
        assert_eq!(browser.eval("document.querySelector('nav [aria-current]').textContent"), "Trials");
    }

    // The study is older than its last event, and both get older.
    go(&mut browser, "decades", "overview");
    let since =
        "[...document.querySelectorAll('#lasted, #since')].map((e) => parseFloat(e.textContent.match(/[0-9.]+/)))";
    browser.wait(&format!("({since})[1] >= ({since})[0] && ({since})[0] > 2"));

    // The best are the brightest, in the map of trials and in that of the model.
    go(&mut browser, "decades", "map");
    browser.wait("document.querySelectorAll('.planes .bar-of-colours').length === 5");
    let height_of = "[...document.querySelectorAll('.planes .bar-of-colours')][0].querySelectorAll('text')";
    let marks = browser.eval(&format!(
        "[...{height_of}].filter((t) => t.textContent).map((t) => [Number(t.textContent), Number(t.getAttribute('y'))])"
    ));
    let marks: Vec<(f64, f64)> = serde_json::from_value(marks).unwrap();
    assert!(marks.len() > 2 && marks.is_sorted_by(|a, b| (a.0 < b.0) && (a.1 < b.1)), "small values on top: {marks:?}");

    // A report is read later: it has a date.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.html");
    let hash = study.stored().digest().to_string();
    std::fs::write(&file, elbowroom_view::report::report(&elbowroom_view::Scene::of(&study), &hash, true)).unwrap();
    browser.open(&format!("file://{}", file.display()));
    browser.wait("document.querySelectorAll('.tile .big').length === 6");
    browser.wait("/^\\d{4}-\\d\\d-\\d\\d$/.test([...document.querySelectorAll('.tile .big')][5].textContent)");
}
