//! The API as programs use it.

use std::collections::HashSet;
use std::sync::Mutex;
use std::time::Duration;

use crate::common::{Served, space, study, yield_loss};
use elbowroom::space::{Parameter, Point, SearchSpace};
use elbowroom::study::{Event, Study, StudyConfig, Told, TrialId, Watched, verify};
use elbowroom_store::{Error, Heartbeat, SharedStudy, TrialStatus, open};
use elbowroom_web::document;
use serde_json::{Value, json};

#[test]
fn a_request_that_is_sent_again_has_the_same_answer_and_changes_nothing() {
    let served = Served::start(true);
    let mut study = study(&served.store, "plate", 6);
    let ask = json!({ "n": 2, "worker": "w", "request": "first" });
    let first = served.post("/api/studies/plate/ask", &ask).json();
    assert_eq!(first["trials"].as_array().unwrap().len(), 2);
    assert_eq!(served.post("/api/studies/plate/ask", &ask).json(), first);
    let tell = json!({ "trial": first["trials"][0]["trial"], "attempt": first["trials"][0]["attempt"], "value": 0.5, "request": "told" });
    assert_eq!(served.post("/api/studies/plate/tell", &tell).json()["told"], "recorded");
    assert_eq!(served.post("/api/studies/plate/tell", &tell).json()["told"], "repeated");
    let add = json!({ "point": { "temperature": 30, "rate": 0.1, "steps": 2, "gas": "N2" }, "request": "own" });
    let own = served.post("/api/studies/plate/add", &add).json();
    assert_eq!(served.post("/api/studies/plate/add", &add).json(), own);
    let held = json!({ "n": 3, "request": "held", "fixed": { "gas": "Ar", "steps": 4 } });
    let points = served.post("/api/studies/plate/ask", &held).json();
    assert_eq!(served.post("/api/studies/plate/ask", &held).json(), points);
    for trial in points["trials"].as_array().unwrap() {
        assert_eq!((&trial["point"]["gas"], &trial["point"]["steps"]), (&json!("Ar"), &json!(4)));
    }
    study.refresh().unwrap();
    // Six that ended and five under way, then two, one and three.
    assert_eq!(study.study().trials().len(), 6 + 5 + 2 + 1 + 3);
}

#[test]
fn points_with_fixed_parameters_are_distinct_and_end_with_the_space_and_the_budget() {
    let served = Served::start(true);
    let parameters = vec![Parameter::int("x", 1, 4), Parameter::int("y", 1, 2)];
    let config = StudyConfig::new(SearchSpace::new(parameters).unwrap()).budget(6);
    let mut study = SharedStudy::create(served.store.clone(), "few", config).unwrap();
    let ask = || served.post("/api/studies/few/ask", &json!({ "n": 2, "fixed": { "y": 1 } })).json();
    let answers = [ask(), ask(), ask()];
    let points: HashSet<String> =
        answers.iter().flat_map(|a| a["trials"].as_array().unwrap()).map(|trial| trial["point"].to_string()).collect();
    assert_eq!(points.len(), 4);
    assert_eq!(answers.map(|answer| answer["trials"].as_array().unwrap().len()), [2, 2, 0]);
    study.refresh().unwrap();
    study.ask(2).unwrap();
    let answer = served.post("/api/studies/few/ask", &json!({ "n": 1, "fixed": { "y": 2 } })).json();
    assert!(answer["short"].as_str().unwrap().contains("budget"), "{answer}");
}

#[test]
fn what_is_told_failed_released_and_alive_says_so() {
    let served = Served::start(true);
    let mut study = study(&served.store, "plate", 6);
    let post = |what: &str, body| served.post(&format!("/api/studies/plate/{what}"), &body).json();
    assert_eq!(
        post("heartbeat", json!({ "attempts": [{ "trial": 6, "attempt": 1 }, { "trial": 0, "attempt": 1 }] }))["attempts"]
            [0]["hold"],
        "held"
    );
    assert_eq!(post("tell", json!({ "trial": 6, "value": null }))["told"], "not_finite");
    // sd is the square root of noise, which is a variance; a parameter that is given twice is refused.
    let point = json!({ "temperature": 30, "rate": 0.1, "steps": 2, "gas": "N2" });
    let added = post("add", json!({ "point": point, "value": 2.0, "sd": 0.5 }))["trial"].clone();
    assert_eq!(served.get(&format!("/api/studies/plate/trials/{added}")).json()["noise"], 0.25);
    let both = json!({ "trial": added, "value": 2.0, "sd": 0.5, "noise": 0.25 });
    assert_eq!(served.post("/api/studies/plate/tell", &both).status, 400);
    assert_eq!(post("fail", json!({ "trial": 7, "reason": "broke", "infeasible": true }))["reported"], "appended");
    assert_eq!(post("release", json!({ "trial": 8 }))["reported"], "appended");
    assert_eq!(post("release", json!({ "trial": 9, "again": true }))["reported"], "queued");
    study.refresh().unwrap();
    let status = |id: usize| study.status(&study.study().trials()[id]);
    let all = [
        TrialStatus::Failed,
        TrialStatus::Infeasible,
        TrialStatus::Withdrawn,
        TrialStatus::Queued,
        TrialStatus::Running,
    ];
    assert_eq!([6, 7, 8, 9, 10].map(status), all);
    // The trial that was handed back goes to the next asker.
    assert_eq!(post("ask", json!({}))["trials"][0]["trial"], 9);
    // A trial can be read as soon as it is handed out.
    let new = post("ask", json!({}))["trials"][0]["trial"].as_u64().unwrap();
    assert_eq!(served.get(&format!("/api/studies/plate/trials/{new}")).status, 200);
    study.refresh().unwrap();
    let known = elbowroom::insight::why(study.study(), TrialId(new)).unwrap();
    assert_eq!(served.get(&format!("/api/studies/plate/trials/{new}/why")).json(), json!(known));
    let best = served.get("/api/studies/plate/best").json();
    assert_eq!(best["observed"]["value"].as_f64(), study.study().best().unwrap().value());
    let log = served.get("/api/studies/plate/events?from=1&events=2").json();
    assert_eq!((log["events"].as_array().unwrap().len(), &log["events"][0]["event"]["event"]), (2, &json!("asked")));
    assert_eq!(post("pause", json!({ "paused": true }))["paused"], true);
    assert_eq!(served.post("/api/studies/plate/ask", &json!({})).status, 409);
}

#[test]
fn results_are_told_by_name_over_http_and_shown() {
    let served = Served::start(true);
    let mut study =
        SharedStudy::create(served.store.clone(), "plate", StudyConfig::new(space()).metric("loss")).unwrap();
    study.ask(3).unwrap();
    let post = |what: &str, body| served.post(&format!("/api/studies/plate/{what}"), &body).json();
    let aside = post("tell", json!({ "trial": 0, "results": { "minutes": 12 } }));
    assert_eq!(aside["told"], "aside");
    assert!(aside["hint"].as_str().unwrap().contains("optimizes `loss`"), "{aside}");
    let both = json!({ "trial": 0, "results": { "loss": 0.3, "joules": { "value": 2, "noise": 0.5 } } });
    assert_eq!(post("tell", both)["told"], "recorded");
    assert_eq!(post("tell", json!({ "trial": 1, "value": 0.5, "results": { "minutes": 3 } }))["told"], "recorded");
    assert_eq!(post("tell", json!({ "trial": 2, "results": { "loss": null, "minutes": 4 } }))["told"], "not_finite");
    let point = json!({ "temperature": 30, "rate": 0.1, "steps": 2, "gas": "N2" });
    let added = post("add", json!({ "point": point, "results": { "loss": 1.0, "minutes": 9 } }))["trial"].clone();
    assert_eq!(added, 3);
    let refused = served.post("/api/studies/plate/tell", &json!({ "trial": 0 }));
    assert_eq!(refused.status, 400);
    assert!(refused.json()["error"].as_str().unwrap().contains("neither `value` nor `results`"));

    let table = served.get("/api/studies/plate/trials").json();
    assert_eq!((&table["metric"], &table["results"]), (&json!("loss"), &json!(["minutes", "joules"])));
    let results: Vec<&Value> = table["rows"].as_array().unwrap().iter().map(|row| &row["results"]).collect();
    assert_eq!(results, [&json!([12.0, 2.0]), &json!([3.0, null]), &json!([4.0, null]), &json!([9.0, null])]);
    let page = served.get("/api/studies/plate/trials/0").json();
    assert_eq!(page["results"], json!({ "loss": 0.3, "minutes": 12.0, "joules": 2.0 }));
    let history = served.get("/api/studies/plate/history").json();
    assert_eq!(
        (&history["watched"][0]["name"], &history["watched"][0]["trial"]),
        (&json!("minutes"), &json!([0, 1, 2, 3]))
    );

    // With the server as a store, the log is the same, byte for byte.
    study.refresh().unwrap();
    let remote = SharedStudy::open(open(&served.url).unwrap(), "plate").unwrap();
    assert_eq!((remote.stored().digest(), remote.study()), (study.stored().digest(), study.study()));
}

#[test]
fn a_budget_is_set_over_http_and_never_below_what_was_handed_out() {
    let served = Served::start(true);
    let config = StudyConfig::new(space()).budget(2);
    let mut study = SharedStudy::create(served.store.clone(), "plate", config).unwrap();
    assert_eq!(study.ask(4).unwrap().trials.len(), 2);
    let set = |trials| served.post("/api/studies/plate/budget", &json!({ "trials": trials }));
    assert_eq!(set(json!(5)).json(), json!({ "trials": 5, "changed": true }));
    assert_eq!(set(json!(5)).json(), json!({ "trials": 5, "changed": false }));
    assert_eq!(served.get("/api/studies/plate").json()["budget"], 5);
    assert_eq!(study.ask(4).unwrap().trials.len(), 3);
    let refused = set(json!(4));
    assert_eq!(refused.status, 422);
    assert!(refused.json()["error"].as_str().unwrap().contains("5 were handed out"));
    assert_eq!(refused.json()["kind"], "config");
    assert!(!refused.json()["try"].as_str().unwrap().is_empty());
    let unread = served.post("/api/studies/plate/budget", &json!({}));
    assert_eq!((unread.status, &unread.json()["kind"]), (400, &json!("request")));
    assert_eq!(served.get("/api/studies/nothing").json()["kind"], "no_study");
    assert_eq!(set(json!(null)).json()["trials"], json!(null));
    // The same by a worker whose store is behind HTTP.
    let mut far = SharedStudy::open(open(&served.url).unwrap(), "plate").unwrap();
    assert!(far.set_budget(Some(7)).unwrap());
    study.refresh().unwrap();
    assert_eq!(study.study().budget_left(), Some(2));
}

#[test]
fn many_events_go_over_http_in_parts_that_a_server_takes() {
    let served = Served::start(true);
    let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)]).unwrap();
    SharedStudy::create(served.store.clone(), "many", StudyConfig::new(space)).unwrap();
    let mut far = SharedStudy::open(open(&served.url).unwrap(), "many").unwrap();
    // A megabyte and a half in total; a body may have one.
    let row = |i: u64| Event::Added {
        trial: TrialId(i),
        point: Point::new().with("x", i as f64 / 1e4),
        value: Some(i as f64),
        noise: None,
        results: Watched::NONE,
        comment: Some("a remark ".repeat(10)),
        request: Some(format!("row {i}")),
    };
    let rows = |study: &Study| Ok::<_, Error>((study.trials().len() as u64..7000).map(row).collect());
    assert_eq!(far.append_all(rows).unwrap(), 7000);
    assert_eq!(far.append_all(rows).unwrap(), 0);
    let study = SharedStudy::open(served.store.clone(), "many").unwrap();
    assert_eq!((study.study(), study.counts().complete), (far.study(), 7000));
}

#[test]
fn a_request_that_is_sent_many_times_at_once_takes_its_points_once() {
    let served = Served::start(true);
    let mut study = study(&served.store, "plate", 6);
    let before = study.study().trials().len();
    let ask = json!({ "n": 1, "worker": "w", "request": "R" });
    let answers: Vec<serde_json::Value> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..12).map(|_| scope.spawn(|| served.post("/api/studies/plate/ask", &ask).json())).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert!(answers.iter().all(|answer| answer == &answers[0]), "{answers:?}");
    study.refresh().unwrap();
    assert_eq!(study.study().trials().len(), before + 1);
}

#[test]
fn a_trial_is_given_back_once_however_often_that_is_sent() {
    let served = Served::start(true);
    let mut study = study(&served.store, "plate", 6);
    let post = |what: &str, body| served.post(&format!("/api/studies/plate/{what}"), &body).json();
    for body in
        [json!({ "trial": 9, "again": true, "request": "back" }), json!({ "trial": 9, "again": true, "attempt": 2 })]
    {
        assert_eq!(post("release", body.clone())["reported"], "queued");
        let next = post("ask", json!({ "worker": "next" }))["trials"][0].clone();
        assert_eq!(next["trial"], 9);
        assert_eq!(post("release", body)["reported"], "queued");
        let alive = json!({ "attempts": [{ "trial": 9, "attempt": next["attempt"] }] });
        assert_eq!(post("heartbeat", alive)["attempts"][0]["hold"], "held", "the next one keeps it");
    }
    study.refresh().unwrap();
    assert_eq!(study.status(&study.study().trials()[9]), TrialStatus::Running);
}

#[test]
fn a_body_says_what_is_meant_or_is_refused() {
    let served = Served::start(true);
    let mut study = study(&served.store, "plate", 6);
    let status = |what: &str, body| served.post(&format!("/api/studies/plate/{what}"), &body).status;
    assert_eq!(status("tell", json!({ "trial": 6 })), 400, "no value is not a value of null");
    assert_eq!(status("tell", json!([6, 1.0, null, false, null, "list"])), 400);
    assert_eq!(status("heartbeat", json!({ "attempts": [{ "trial": u64::MAX, "attempt": 1 }] })), 404);
    let point = json!({ "temperature": 30, "rate": 0.1, "steps": 2, "gas": "N2" });
    assert_eq!(status("add", json!({ "point": point, "noise": 0.1 })), 400);
    assert_eq!(study.refresh().unwrap(), 0, "nothing was written");
    // A request's name may have the maximum length.
    let add = json!({ "point": point, "instead_of": 6, "request": "r".repeat(200) });
    let added = served.post("/api/studies/plate/add", &add).json();
    assert_eq!(served.post("/api/studies/plate/add", &add).json(), added);
    assert_eq!(study.refresh().unwrap(), 2, "one point more, one trial less");
    let ask = json!({ "worker": "alice", "fixed": { "gas": "Ar" }, "request": "q".repeat(200) });
    let asked = served.post("/api/studies/plate/ask", &ask).json();
    assert_eq!(served.post("/api/studies/plate/ask", &ask).json(), asked);
    study.refresh().unwrap();
    let id = asked["trials"][0]["trial"].as_u64().unwrap();
    assert_eq!(study.stored().leases().find(|lease| lease.attempt.trial.0 == id).unwrap().worker, "alice");
    let (worker, event) = ("w", json!({ "v": 1, "event": "added", "trial": id + 1, "point": point }));
    let expected = study.study().events().len();
    let of_another = json!([{ "trial": id, "attempt": 2 }]);
    let deed =
        json!({ "do": "append", "expected": expected, "event": event, "attempts": of_another, "worker": worker });
    assert_eq!(served.post("/api/store/plate", &deed).status, 400, "nobody else's trial is taken");
}

#[test]
fn who_asks_while_a_study_is_paused_waits() {
    let served = Served::start(true);
    SharedStudy::create(served.store.clone(), "plate", StudyConfig::new(space())).unwrap();
    let pause = |paused: bool| served.post("/api/studies/plate/pause", &json!({ "paused": paused })).json();
    pause(true);
    std::thread::scope(|scope| {
        let far = open(&served.url).unwrap();
        let asks = scope.spawn(move || SharedStudy::open(far, "plate").unwrap().ask(1).unwrap());
        std::thread::sleep(Duration::from_millis(600));
        assert!(!asks.is_finished());
        pause(false);
        assert_eq!(asks.join().unwrap().trials.len(), 1);
    });
}

#[test]
fn a_pause_ends_with_the_server_that_made_it() {
    let served = Served::start(true);
    let store = served.store.clone();
    let mut study = SharedStudy::create(store, "plate", StudyConfig::new(space())).unwrap();
    served.post("/api/studies/plate/pause", &json!({ "paused": true }));
    assert!(study.ask_unless_paused(1).unwrap().is_none());
    assert_eq!(served.post("/api/studies/plate/ask", &json!({ "n": 1 })).status, 409);
    let _stopped = served.stopped();
    assert!(study.ask_unless_paused(1).unwrap().is_some());
}

#[test]
fn clients_that_ask_at_once_get_points_of_their_own_that_the_log_can_choose_again() {
    let served = Served::start(true);
    SharedStudy::create(served.store.clone(), "many", StudyConfig::new(space()).seed(3).budget(60)).unwrap();
    let seen: Mutex<HashSet<String>> = Mutex::default();
    std::thread::scope(|scope| {
        for c in 0..8 {
            let (served, seen) = (&served, &seen);
            scope.spawn(move || {
                for k in 0..8 {
                    let ask = json!({ "worker": format!("client {c}"), "request": format!("{c} {k}") });
                    let handed = served.post("/api/studies/many/ask", &ask).json();
                    let Some(trial) = handed["trials"].get(0) else { return };
                    assert!(seen.lock().unwrap().insert(trial["point"].to_string()), "{trial} is live twice");
                    let x = trial["point"]["temperature"].as_f64().unwrap();
                    served.post(
                        "/api/studies/many/tell",
                        &json!({ "trial": trial["trial"], "attempt": trial["attempt"], "value": x }),
                    );
                }
            });
        }
    });
    let study = SharedStudy::open(served.store.clone(), "many").unwrap();
    assert_eq!((study.counts().complete, study.study().trials().len()), (60, 60), "the budget is exact");
    assert_eq!(verify(study.study().events()).unwrap(), []);
}

#[test]
fn a_server_hears_that_a_worker_is_gone() {
    let served = Served::start(true);
    let far = open(&served.url).unwrap();
    let mut ours = SharedStudy::create(far.clone(), "lost", StudyConfig::new(space()).budget(3)).unwrap();
    for number in 1..=3 {
        let handed = ours.ask(1).unwrap().trials.remove(0);
        assert_eq!((handed.id().0, handed.attempt.number), (0, number));
        far.lose("lost", &[handed.attempt]).unwrap();
    }
    ours.refresh().unwrap();
    assert_eq!(ours.counts().lost, 1);
}

#[test]
fn a_server_is_one_more_store() {
    let served = Served::start(true);
    let far = open(&served.url).unwrap();
    assert_eq!(far.label(), format!("http://{}", served.address), "the token is left out");
    let mut ours =
        SharedStudy::create(far.clone(), "Säule 3 / b", StudyConfig::new(space()).budget(14)).unwrap().worker("far");
    let mut theirs = SharedStudy::open(served.store.clone(), "Säule 3 / b").unwrap().worker("near");
    assert!(matches!(
        SharedStudy::create(far.clone(), "Säule 3 / b", StudyConfig::new(space())),
        Err(Error::Exists { .. })
    ));
    assert!(matches!(SharedStudy::open(far.clone(), "nothing"), Err(Error::NoStudy { .. })));
    let heartbeat = Heartbeat::start(far.clone(), ours.name(), Duration::from_millis(20));
    loop {
        let (mine, other) = (ours.ask(2).unwrap(), theirs.ask(1).unwrap());
        if mine.trials.is_empty() && other.trials.is_empty() {
            break;
        }
        for handed in &mine.trials {
            heartbeat.hold(handed.attempt);
            assert!(other.trials.iter().all(|their| their.point() != handed.point()));
            assert_eq!(ours.tell(handed, yield_loss(handed)).unwrap(), Told::Recorded);
            heartbeat.let_go(handed.attempt);
        }
        for handed in &other.trials {
            theirs.tell(handed, yield_loss(handed)).unwrap();
        }
    }
    theirs.refresh().unwrap();
    ours.refresh().unwrap();
    assert_eq!((ours.counts().complete, ours.stored().digest()), (14, theirs.stored().digest()));
    assert_eq!(verify(ours.study().events()).unwrap(), []);
    let wrong = served.url.replace("token=", "token=0");
    assert!(matches!(open(&wrong), Err(Error::Refused { .. })));
}

#[test]
fn a_study_that_became_shorter_is_not_gone_on_with() {
    let served = Served::start(true);
    let study = study(&served.store, "plate", 3);
    let far = open(&served.url).unwrap();
    let error = far.read("plate", study.study().events().len() + 1).unwrap_err();
    assert!(matches!(&error, Error::Damaged { what, .. } if what.contains("but it had")), "{error}");
}

#[test]
fn an_event_that_does_not_follow_is_kept_out_of_the_log() {
    let served = Served::start(true);
    let mut study = study(&served.store, "plate", 3);
    let revision = study.study().events().len();
    let told = json!({ "v": 1, "event": "told", "trial": 99, "value": 1.0 });
    let deed = json!({ "do": "report", "event": told });
    assert_eq!(served.post("/api/store/plate", &deed).status, 422);
    let asked =
        study.study().events().iter().rev().find(|e| matches!(e, elbowroom::study::Event::Asked { .. })).unwrap();
    let deed =
        json!({ "do": "append", "expected": revision, "event": asked, "attempts": [], "worker": "w", "ttl_ms": 1000 });
    assert_eq!(served.post("/api/store/plate", &deed).status, 422, "the numbers of its trials are taken");
    assert_eq!(study.refresh().unwrap(), 0);
}

#[test]
fn the_document_names_every_view_and_action() {
    let served = Served::start(false);
    study(&served.store, "plate", 12);
    let document = document();
    assert_eq!(served.get("/api/openapi.json").json(), document);
    for (path, methods) in document["paths"].as_object().unwrap() {
        if methods.get("get").is_some() && !path.ends_with("/live") {
            let path = path.replace("{study}", "plate").replace("{trial}", "11")
                + if path.ends_with("/map") || path.ends_with("/surface") { "?x=0&y=1" } else { "" };
            assert_eq!(served.get(&path).status, 200, "{path}");
        }
    }
}

#[test]
fn an_unknown_setting_sent_over_http_is_named_with_its_path_and_the_nearest_known_one() {
    let served = Served::start(true);
    let mut config = serde_json::to_value(StudyConfig::new(space())).unwrap();
    config["strategy"]["penalizr"] = json!("soft");
    let created = json!({ "v": 1, "event": "created", "config": config });
    let refused = served.post("/api/store/plate", &json!({ "do": "create", "created": created }));
    let said = refused.json();
    assert_eq!((refused.status, &said["try"]), (400, &json!("did you mean `penalizer`?")), "{said}");
    assert_eq!(said["error"], "there is no setting `created.config.strategy.penalizr`");
}
