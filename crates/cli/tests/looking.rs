//! Looking at a study, taking it elsewhere, and the laboratory's sheets.

use std::fs;

use crate::common::Bench;
use serde_json::{Value, json};

fn done() -> Bench {
    let bench = Bench::new(20, "awk 'BEGIN { print ({x} - 0.3) ^ 2 + {n} / 100 }'", "workers = 3");
    bench.good(&["run"]);
    bench
}

#[test]
fn a_study_is_explained_drawn_examined_and_chosen_again() {
    let bench = done();
    let why = bench.json(&["why", "19"]);
    assert_eq!((&why["trial"], &why["source"]), (&json!(19), &json!("model")));
    // The same facts, under the same names, as from the library.
    let store = elbowroom_store::open(bench.path("bench.elbow").to_str().unwrap()).unwrap();
    let shared = elbowroom_store::SharedStudy::open(store, "bench").unwrap();
    assert_eq!(why, json!(elbowroom::insight::why(shared.study(), elbowroom::study::TrialId(19)).unwrap()));
    let model = &why["belief"];
    let terms = model["score"]["terms"].as_array().unwrap();
    let sum: f64 = terms.iter().map(|term| term["value"].as_f64().unwrap()).sum();
    assert!((sum - model["score"]["total"].as_f64().unwrap()).abs() < 1e-9, "{model}");
    // By the acquisition, or by a bound if the point refines, as half of them do.
    let said = bench.good(&["why", "19"]);
    assert!(said.starts_with("Trial 19 was chosen to "), "it begins with a sentence: {said}");
    assert!(said.lines().all(|line| line.chars().count() <= 80), "{said}");
    assert!(said.contains("ln acquisition") || said.contains("weighted deviation"), "{said}");
    assert!(model["sd"].as_f64().unwrap() >= model["sd_with_pending"].as_f64().unwrap());
    assert!((0.0..=1.0).contains(&model["exploit"].as_f64().unwrap()));
    assert!(bench.good(&["why", "0"]).contains("initial design"));
    assert!(bench.bad(1, &["why", "20"]).contains("20"));

    for what in ["history", "slices", "map", "timeline"] {
        assert!(bench.good(&["plot", "--what", what]).contains('│'));
        assert!(!bench.json(&["plot", "--what", what])["charts"].as_array().unwrap().is_empty());
        bench.good(&["plot", "--what", what, "--out", "picture.png"]);
        assert!(fs::read(bench.path("picture.png")).unwrap().starts_with(b"\x89PNG\r\n"));
        bench.good(&["plot", "--what", what, "--out", "picture.svg"]);
        assert!(fs::read_to_string(bench.path("picture.svg")).unwrap().ends_with("</svg>\n"));
    }

    let findings = bench.json(&["doctor"]);
    assert!(findings["findings"].as_array().unwrap().iter().all(|finding| finding["level"] != "bad"), "{findings}");
    assert_eq!(bench.json(&["replay"])["differences"], json!([]));
    assert!(bench.good(&["completions", "bash"]).contains("elbow"));
    for cluster in ["slurm", "kubernetes"] {
        assert!(bench.good(&["deploy", cluster, "--workers", "3"]).contains("elbow"));
    }
}

#[test]
fn six_parallel_trials_of_one_run_are_six_lanes() {
    // Each trial waits until all six have started, so that they certainly run at the same time.
    let bench = Bench::new(6, "sh wait.sh {trial} {x}", "workers = 6");
    bench.write("wait.sh", "touch $1.begun; while [ $(ls *.begun | wc -l) -lt 6 ]; do sleep 0.02; done; echo $2");
    bench.good(&["run"]);
    let drawn = bench.json(&["plot", "--what", "timeline"]);
    let names = drawn["charts"][0]["y_names"].as_array().unwrap().clone();
    assert_eq!(names.len(), 6, "{drawn}");
    assert!(names[0] != "" && names[1..].iter().all(|name| name == ""), "one worker: {names:?}");
    let points = drawn["charts"][0]["series"][0]["points"].as_array().unwrap().clone();
    let mut lanes: Vec<u64> = points.iter().map(|point| point[1].as_f64().unwrap() as u64).collect();
    lanes.dedup();
    assert_eq!(lanes, [0, 1, 2, 3, 4, 5]);
    let text = bench.good(&["plot", "--what", "timeline"]);
    assert_eq!(text.lines().filter(|line| line.contains("│█")).count(), 6, "{text}");
}

#[test]
fn plots_and_tables_fit_eighty_columns() {
    let bench = Bench { folder: tempfile::tempdir().unwrap() };
    let long = |i: usize| format!("a_parameter_with_a_rather_long_name_{i}");
    let floats: String = (0..7).map(|i| format!("{} = {{ float = [1e-9, 1e9], log = true }}\n", long(i))).collect();
    let kinds = "kind = { categories = [\"a rather long category\", \"another long category\", \"c\", \"d\"] }\n";
    let why = "why ".repeat(40);
    bench.write("job.sh", &format!("[ $(($1 % 5)) = 3 ] && {{ echo {why} >&2; exit 1; }}; echo -0.000000123$1"));
    let command = "\"sh job.sh {trial}\"";
    bench.write(
        "study.toml",
        &format!("name = \"wide\"\n[parameters]\n{floats}{kinds}[budget]\ntrials = 24\n[run]\ncommand = {command}\nworkers = 3\n"),
    );
    bench.good(&["run"]);
    bench.good(&["ask", "-n", "2"]);
    let plots = ["history", "slices", "map", "timeline"].map(|what| ["plot", "--what", what]);
    let map = ["plot", "--what", "map", "--x", "kind"];
    for args in plots.iter().map(|plot| &plot[..]).chain([&map[..], &["trials"], &["status"]]) {
        let text = bench.good(args);
        // The address of a store is a single word, which cannot be broken.
        for line in text.lines().filter(|line| !line.starts_with("store ")) {
            assert!(line.chars().count() <= 80, "{args:?}: {line}");
        }
    }
    let trials = bench.good(&["trials"]);
    assert!((0..7).all(|i| trials.contains(&long(i))) && trials.contains("why why"), "{trials}");
}

#[test]
fn a_damaged_store_is_reported_by_the_doctor_and_saved() {
    let bench = done();
    let mut bytes = fs::read(bench.path("bench.elbow")).unwrap();
    // The last page contains some of the latest rows.
    let page = bytes.len() - 4096;
    bytes[page..].fill(0xff);
    fs::write(bench.path("bench.elbow"), &bytes).unwrap();
    let output = bench.elbow(&["--json", "doctor", "--save", "saved.elbow"]);
    assert_eq!(output.status.code(), Some(1));
    let findings = serde_json::from_slice::<Value>(&output.stdout).unwrap();
    assert_eq!(findings["findings"][0]["level"], "bad", "{findings}");
    assert_eq!(fs::read(bench.path("bench.elbow")).unwrap(), bytes, "looking changes nothing");
    assert!(findings["findings"][1]["what"].as_str().unwrap().contains("saved into saved.elbow"), "{findings}");
}

#[test]
fn a_study_is_exported_and_copied() {
    let bench = done();
    let csv = bench.good(&["export"]);
    assert_eq!(
        (csv.lines().count(), csv.lines().next()),
        (21, Some("trial,state,value,noise,x,n,source,attempts,reason,notes"))
    );
    let lines = bench.good(&["export", "--format", "jsonl"]);
    let trials: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(json!({ "trials": trials }), bench.json(&["trials"]));
    bench.good(&["export", "--format", "events", "-o", "log.jsonl"]);
    let events = bench.n_lines("log.jsonl");

    let copied = bench.json(&["copy", "study.toml", "other.elbow", "--as", "twin"]);
    assert_eq!(copied["events"], events);
    assert_eq!(bench.json(&["trials", "other.elbow"]), bench.json(&["trials"]));
    assert!(bench.bad(1, &["copy", "study.toml", "other.elbow", "--as", "twin"]).contains("already"));
    bench.good(&["copy", "study.toml", "other.elbow", "--as", "third"]);
    assert!(bench.bad(1, &["status", "other.elbow"]).contains("third, twin"));
}

#[test]
fn a_study_goes_on_with_a_larger_budget_under_another_name() {
    let bench = done();
    bench.good(&["copy", "study.toml", "bench.elbow", "--as", "more", "--trials", "3"]);
    // Repeated, it changes nothing.
    let copied = bench.json(&["copy", "study.toml", "bench.elbow", "--as", "more", "--trials", "3"]);
    assert_eq!(copied["results"], 20);
    let before = fs::read_to_string(bench.path("study.toml")).unwrap();
    bench.write(
        "study.toml",
        &before.replace("\"bench\"", "\"more\"\nstore = \"bench.elbow\"").replace("trials = 20", "trials = 3"),
    );
    let run = bench.json(&["run"]);
    assert_eq!((&run["told"], &run["counts"]["complete"]), (&json!(3), &json!(23)));
    assert_eq!(bench.json(&["trials"])["trials"][22]["source"], "model", "it knows the earlier results");
}

#[test]
fn whoever_looks_at_a_study_hears_first_in_what_its_study_toml_differs() {
    let bench = done();
    let text = fs::read_to_string(bench.path("study.toml")).unwrap();
    for args in [&["status"][..], &["best"], &["doctor"]] {
        assert!(!bench.good(args).contains("disagree"));
        assert!(bench.json(args).get("differs").is_none());
    }
    let changed = text.replace("trials = 20", "trials = 30").replace("float = [-1, 1]", "float = [-1, 2]");
    bench.write("study.toml", &format!("goal = \"maximize\"\n{changed}"));
    for args in [&["status"][..], &["best"], &["doctor"]] {
        let said = bench.good(args);
        let first: String = said.lines().take(4).collect::<Vec<_>>().join("\n");
        assert!(first.contains("study.toml and the study in the store disagree"), "{said}");
        for setting in ["budget.trials` is 30", "goal` is maximize", "parameters.x"] {
            assert!(first.contains(setting), "{setting}: {said}");
        }
    }
    assert_eq!(bench.json(&["status"])["differs"].as_array().unwrap().len(), 3);
    assert_eq!(bench.json(&["best"])["differs"].as_array().unwrap().len(), 3);
    let mut serve = bench.start(&["serve", "--port", "0"]);
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(serve.stdout.take().unwrap()), &mut line).unwrap();
    serve.kill().unwrap();
    serve.wait().unwrap();
    assert!(line.contains("disagree"), "{line}");
}

#[test]
fn what_makes_no_sense_is_said_and_makes_no_files() {
    let bench = Bench::new(3, "true", "");
    assert!(bench.bad(1, &["sheet", "--pending", "-o", "p.csv"]).contains("elbow run"));
    assert!(!bench.path("bench.elbow").exists() && !bench.path("p.csv").exists(), "looking makes no files");
    bench.good(&["ask"]);
    assert_eq!(bench.json(&["sheet", "--pending", "--plate", "6"])["trials"], json!([0]));
    assert!(bench.bad(1, &["plot", "--what", "map", "--x", "n", "--y", "n"]).contains("two different parameters"));
    let one = |args: &[&str]| bench.json(args)["charts"][0].clone();
    let named = one(&["plot", "--what", "map", "--x", "n"]);
    assert_eq!((&named["x"], &named["y"]), (&json!("n"), &json!("x")));
    let named = one(&["plot", "--what", "map", "--y", "x"]);
    assert_eq!((&named["x"], &named["y"]), (&json!("n"), &json!("x")));
    bench.write("empty.elbow", "");
    bench.write("text.elbow", "to be, or not to be");
    for (name, what) in [("empty.elbow", "is empty"), ("text.elbow", "is not a store")] {
        let output = bench.start(&["doctor", name]).wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&output.stdout).contains(what), "{name}");
        bench.start(&["doctor", name, "--save", "new.elbow"]).wait_with_output().unwrap();
        assert!(!bench.path("new.elbow").exists(), "there is nothing to save");
    }
    assert!(bench.bad(1, &["doctor", "."]).contains(". is not a file"));
}

#[test]
fn what_a_sheet_corrects_takes_the_place_of_all_there_was() {
    let bench = Bench::new(9, "true", "");
    bench.good(&["ask"]);
    let import = |rows: &str, correct: bool| {
        bench.write("sheet.csv", &format!("trial,value,noise,comment\n{rows}"));
        let more: &[&str] = if correct { &["--correct"] } else { &[] };
        let said = bench.json(&[&["import", "sheet.csv", "--yes"], more].concat());
        (said["changes"].as_array().unwrap().len(), bench.json(&["trials"])["trials"][0]["value"].as_f64().unwrap())
    };
    assert_eq!(import("0,1,,\n", false), (1, 1.0));
    assert_eq!(import("0,3,,\n", false), (1, 2.0));
    // A replicate may be equal to the mean, or to an earlier value under another name.
    assert_eq!(import("0,2,,third\n", false), (1, 2.0));
    assert_eq!(import("0,2,,\n0,5,,\n", true), (2, 3.5));
    assert_eq!(import("0,5,,\n0,2,,\n", true), (0, 3.5));
    assert_eq!(import("0,2,,\n", true), (1, 2.0));
    assert_eq!(import("0,1,,\n", true), (1, 1.0));
    assert_eq!(import("0,2,,\n", true), (1, 2.0), "a correction can be taken back");
    assert_eq!(import("0,2,0.25,\n", true), (1, 2.0), "the noise is new");
    assert_eq!(bench.json(&["trials"])["trials"][0]["noise"], 0.25);
    assert_eq!(import("0,2,0.25,\n", true), (0, 2.0));
    assert_eq!(import("0,failed,,broke\n", false).1, 2.0);
    // A spreadsheet keeps fifteen digits.
    bench.good(&["tell", "0", "0.12345678901234567"]);
    let mean = bench.json(&["trials"])["trials"][0]["value"].as_f64().unwrap();
    let exported = bench.good(&["export"]).replace(&mean.to_string(), &format!("{mean:.15}"));
    bench.write("all.csv", &exported);
    for more in [&[][..], &["--correct"]] {
        let said = bench.json(&[&["import", "all.csv", "--yes"], more].concat());
        assert_eq!((&said["changes"], &said["known"]), (&json!([]), &json!(1)));
    }
}

#[test]
fn cells_that_a_spreadsheet_would_run_are_guarded() {
    let bench = Bench { folder: tempfile::tempdir().unwrap() };
    bench.write(
        "study.toml",
        "name = \"a\"\n[parameters]\nk = { categories = [\"=1+1\", \"@x\"] }\n\"+y\" = { fixed = -2 }\n",
    );
    bench.good(&["ask", "-n", "2"]);
    bench.good(&["fail", "0", "--reason", "-cmd"]);
    let csv = bench.good(&["export"]);
    assert!(csv.starts_with("trial,state,value,noise,k,'+y,"), "{csv}");
    assert!(csv.contains(",'=1+1,-2,") && csv.contains(",'@x,-2,") && csv.contains(",'-cmd,\n"), "{csv}");
}

#[test]
fn a_sheet_goes_to_the_laboratory_and_comes_back() {
    let bench = Bench { folder: tempfile::tempdir().unwrap() };
    bench.good(&["init", "--name", "plate", "--float", "ph=3..9", "--choice", "salt=NaCl,none", "--maximize"]);
    bench.good(&["sheet", "-n", "5", "--plate", "96", "-o", "monday.csv"]);
    assert!(bench.bad(1, &["sheet", "-n", "2", "-o", "monday.csv"]).contains("already exists"));
    assert_eq!(bench.json(&["status"])["n_trials"], 5, "a sheet that cannot be written takes no points");
    assert!(bench.bad(1, &["sheet", "-n", "97", "--plate", "96"]).contains("do not fit"));

    let sheet = fs::read_to_string(bench.path("monday.csv")).unwrap();
    let rows: Vec<Vec<&str>> = sheet.lines().skip(1).map(|line| line.split(',').collect()).collect();
    assert_eq!((rows[0][1], rows[4][1]), ("A1", "A5"));
    let (ph, salt) = (|i: usize| rows[i][2], |i: usize| rows[i][3]);
    // In a different order, with a blank, a replicate, a failure, a pH that differs from the plan, and an older result.
    let filled = format!(
        "salt,trial,ph,value,comment,mine\n{},3,{},failed,spilled,\n{},0,{},0.5,,\n{},0,{},0.7,again,\n{},1,5.5,0.25,,\n{},2,{},,,\nnone,,4,0.1,,\n",
        salt(3),
        ph(3),
        salt(0),
        ph(0),
        salt(0),
        ph(0),
        salt(1),
        salt(2),
        ph(2)
    );
    bench.write("filled.csv", &filled);
    let plan = bench.json(&["import", "filled.csv"]);
    assert_eq!(
        (plan["changes"].as_array().unwrap().len(), &plan["blank"], &plan["written"]),
        (5, &json!(1), &json!(false))
    );
    assert_eq!(bench.count("complete"), 0, "nothing is written before it is wanted");
    assert_eq!(bench.json(&["import", "filled.csv", "--yes"])["written"], true);
    let again = bench.json(&["import", "filled.csv", "--yes"]);
    assert_eq!((&again["changes"], &again["known"]), (&json!([]), &json!(5)));

    bench.good(&["export", "-o", "all.csv"]);
    let own = bench.json(&["import", "all.csv", "--yes"]);
    assert_eq!((&own["changes"], &own["known"]), (&json!([]), &json!(4)), "what was exported stands there");

    let trials = bench.json(&["trials"]);
    let state = |i: usize| trials["trials"][i]["state"].as_str().unwrap();
    assert_eq!(
        [state(0), state(1), state(2), state(3), state(4)],
        ["complete", "released", "running", "failed", "running"]
    );
    assert_eq!(trials["trials"][0]["value"], 0.6);
    assert_eq!(trials["trials"][3]["reason"], "spilled");
    assert_eq!(trials["trials"][0]["notes"], json!(["again"]));
    for args in [&["trials"][..], &["why", "0"], &["export"], &["export", "--format", "events"]] {
        assert!(bench.good(args).contains("again"), "{args:?}");
    }
    assert_eq!((&trials["trials"][5]["point"]["ph"], &trials["trials"][5]["value"]), (&json!(5.5), &json!(0.25)));
    assert_eq!((&trials["trials"][6]["point"]["ph"], &trials["trials"][6]["value"]), (&json!(4.0), &json!(0.1)));

    // A corrected reading of a measurement that was made at another point than planned.
    bench.write("mended.csv", "trial,ph,value\n1,5.5,0.35\n");
    assert_eq!(bench.json(&["import", "mended.csv", "--yes", "--correct"])["written"], true);
    let trials = bench.json(&["trials"]);
    assert_eq!((trials["trials"].as_array().unwrap().len(), &trials["trials"][5]["value"]), (7, &json!(0.35)));

    bench.write("corrected.csv", "trial,value\n0,0.55\n");
    bench.good(&["import", "corrected.csv", "--yes", "--correct"]);
    assert_eq!(bench.json(&["trials"])["trials"][0]["value"], 0.55);
    bench.write("wrong.csv", "trial,value\n0,1\n77,1\n");
    assert!(bench.bad(1, &["import", "wrong.csv", "--yes"]).contains("wrong.csv, line 3: there is no trial 77"));
}

#[test]
fn an_import_begins_a_study_with_all_that_was_measured_before() {
    let bench = Bench::new(3, "echo {x}", "");
    bench.write("earlier.csv", "x,n,yield,sd\n0.5,3,1.25,0.1\n-0.5,9,2,\n0.25,1,failed,\n");
    assert!(bench.bad(1, &["import", "earlier.csv"]).contains("--value NAME"));
    let plan = bench.json(&["import", "earlier.csv", "--value", "Yield"]);
    assert_eq!((plan["changes"].as_array().unwrap().len(), &plan["written"]), (3, &json!(false)));
    assert!(!bench.path("bench.elbow").exists(), "looking makes no store");
    bench.good(&["import", "earlier.csv", "--value", "yield", "--yes"]);
    let trials = bench.json(&["trials"])["trials"].clone();
    assert_eq!(
        (&trials[0]["value"], &trials[1]["value"], &trials[2]["state"]),
        (&json!(1.25), &json!(2.0), &json!("failed"))
    );
    // sd is the square root of the noise, which is a variance.
    assert!((trials[0]["noise"].as_f64().unwrap() - 0.01).abs() < 1e-15);
    assert_eq!(bench.json(&["import", "earlier.csv", "--value", "yield", "--yes"])["changes"], json!([]));
    // They do not count against the budget.
    assert_eq!(bench.json(&["run"])["told"], 3);
}

#[test]
fn all_cells_that_cannot_be_read_are_reported_at_once() {
    let bench = Bench::new(3, "true", "");
    bench.good(&["ask"]);
    bench.write(
        "bad.csv",
        "trial,x,n,value,noise,sd\n0,,,about 3,,\n,5,2.5,1,,\n,0.5,,1,-1,\n77,,,1,,\nzero,,,1,0.1,0.2\n0,,,1,,\n",
    );
    let said = bench.bad(1, &["import", "bad.csv", "--yes"]);
    for part in [
        "line 2: the value \"about 3\" is not a number",
        "line 3: parameter `x`",
        "line 3: parameter `n`",
        "line 4: the noise \"-1\" is not a variance",
        "line 5: there is no trial 77",
        "line 6: \"zero\" is not a trial",
        "line 6: the row has both a noise of 0.1 and an sd of 0.2",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    assert_eq!(bench.count("complete"), 0, "nothing is written of such a file");
}

#[test]
fn an_export_of_another_study_is_taken_as_given_points() {
    let (other, bench) = (done(), Bench::new(2, "echo {x}", ""));
    other.good(&["tell", "--at", "x=0.125", "--at", "n=2", "nan"]);
    bench.write("other.csv", &other.good(&["export"]));
    // The same seed and space: the first points of the design are the same, and everything else differs.
    bench.good(&["ask", "-n", "2"]);
    let said = bench.json(&["import", "other.csv", "--yes"]);
    assert_eq!((said["changes"].as_array().unwrap().len(), &said["given"]), (21, &json!(true)));
    let trials = bench.json(&["trials"])["trials"].as_array().unwrap().clone();
    assert_eq!(trials.len(), 23);
    assert_eq!((&trials[0]["state"], &trials[1]["state"]), (&json!("running"), &json!("running")));
    let theirs = other.json(&["trials"])["trials"].as_array().unwrap().clone();
    for (ours, theirs) in trials[2..].iter().zip(&theirs) {
        assert_eq!(
            (&ours["point"], &ours["value"], &ours["state"]),
            (&theirs["point"], &theirs["value"], &theirs["state"])
        );
        assert_eq!(ours["source"], "given");
    }
    assert_eq!(bench.json(&["import", "other.csv", "--yes"])["changes"], json!([]));
}

#[test]
fn importing_ones_own_export_changes_nothing_whatever_the_trials_are() {
    let bench = Bench::new(9, "true", "");
    bench.good(&["ask", "-n", "7"]);
    bench.good(&["tell", "0", "1"]);
    bench.good(&["tell", "1", "2", "--noise", "0.25"]);
    bench.good(&["tell", "2", "nan"]);
    bench.good(&["fail", "3", "--infeasible", "--reason", "too, hot"]);
    bench.good(&["tell", "3", "5"]);
    bench.good(&["release", "4"]);
    bench.good(&["tell", "--at", "x=0.5", "--at", "n=2", "0.06"]);
    bench.write("own.csv", &bench.good(&["export"]));
    let events = |bench: &Bench| bench.json(&["status"])["revision"].as_u64().unwrap();
    let before = events(&bench);
    for more in [&[][..], &["--correct"]] {
        assert_eq!(bench.json(&[&["import", "own.csv", "--yes"], more].concat())["changes"], json!([]));
    }
    assert_eq!(events(&bench), before);
    // An older sheet changes nothing either, after more was measured.
    bench.good(&["tell", "0", "3"]);
    bench.good(&["tell", "2", "4"]);
    bench.good(&["tell", "5", "6"]);
    assert_eq!(bench.json(&["import", "own.csv", "--yes"])["changes"], json!([]));
    assert_eq!(bench.json(&["trials"])["trials"][0]["value"], 2.0);
}

#[test]
fn fifty_thousand_rows_are_imported_in_few_commits() {
    let bench = Bench::new(3, "true", "");
    let mut text = "x,n,value\n".to_owned();
    for i in 0..50_000 {
        text += &format!("{},{},{}\n", f64::from(i) / 25_000.0 - 1.0, i % 9 + 1, f64::from(i % 977));
    }
    bench.write("many.csv", &text);
    let begun = std::time::Instant::now();
    let said = bench.json(&["import", "many.csv", "--yes"]);
    assert_eq!((said["changes"].as_array().unwrap().len(), &said["written"]), (50_000, &json!(true)));
    // One commit per row would take minutes; the limit is for very busy machines.
    assert!(begun.elapsed() < std::time::Duration::from_secs(120), "{:?}", begun.elapsed());
    assert_eq!(bench.count("complete"), 50_000);
    assert_eq!(bench.json(&["import", "many.csv", "--yes"])["known"], 50_000);
}

#[test]
fn wells_are_remembered_and_find_their_trials() {
    let bench = Bench::new(20, "true", "");
    bench.good(&["sheet", "-n", "4", "--plate", "96", "-o", "monday.csv"]);
    bench.good(&["tell", "1", "0.5"]);
    let well = |text: &str| -> Vec<(String, String)> {
        let cells = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
        text.lines().skip(1).map(cells).map(|row| (row[0].clone(), row[1].clone())).collect()
    };
    let at = |all: &[(&str, &str)]| -> Vec<(String, String)> {
        all.iter().map(|(trial, well)| ((*trial).to_owned(), (*well).to_owned())).collect()
    };
    let pending = bench.good(&["sheet", "--pending"]);
    assert_eq!(well(&pending), at(&[("0", "A1"), ("2", "A3"), ("3", "A4")]), "each where it was");
    // A new trial gets a free well next to them.
    bench.good(&["ask"]);
    let pending = bench.good(&["sheet", "--pending", "--plate", "96"]);
    assert_eq!(well(&pending), at(&[("0", "A1"), ("2", "A3"), ("3", "A4"), ("4", "A2")]));

    // Without trial numbers, by the wells alone.
    bench.write("filled.csv", "well,value\na01,1\nA4,3\nA3,failed\n");
    assert_eq!(bench.json(&["import", "filled.csv", "--yes"])["changes"].as_array().unwrap().len(), 3);
    let trials = bench.json(&["trials"])["trials"].clone();
    assert_eq!(
        (&trials[0]["value"], &trials[3]["value"], &trials[2]["state"]),
        (&json!(1.0), &json!(3.0), &json!("failed"))
    );
    // The next plate has the same wells: earlier trials in them are not meant, unless the row says so by its point.
    let tuesday = bench.good(&["sheet", "-n", "2", "--plate", "96"]);
    let first: Vec<&str> = tuesday.lines().nth(1).unwrap().split(',').collect();
    assert_eq!((first[0], first[1]), ("5", "A1"));
    bench.write("tuesday.csv", "well,value\nA1,7\n");
    bench.good(&["import", "tuesday.csv", "--yes"]);
    assert_eq!(bench.json(&["trials"])["trials"][5]["value"], 7.0);
    let monday = fs::read_to_string(bench.path("monday.csv")).unwrap();
    let row: Vec<&str> = monday.lines().nth(1).unwrap().split(',').collect();
    bench.write("late.csv", &format!("well,x,n,value\nA1,{},{},2\n", row[2], row[3]));
    bench.good(&["import", "late.csv", "--yes"]);
    assert_eq!(bench.json(&["trials"])["trials"][0]["value"], 1.5, "a replicate of trial 0");
    bench.write("nobody.csv", "well,value\nH12,7\n");
    assert!(bench.bad(1, &["import", "nobody.csv", "--yes"]).contains("line 2: no running trial is in well H12"));
}

#[test]
fn a_measured_row_that_breaks_a_known_constraint_is_reported_and_not_called_best_without_a_word() {
    let bench = Bench::new(3, "true", "");
    let text = fs::read_to_string(bench.path("study.toml")).unwrap();
    bench.write("study.toml", &format!("constraints = [\"x + n <= 4\"]\n{text}"));
    bench.write("rows.csv", "x,n,value\n0.5,3,2\n0.5,9,1\n");
    let said = bench.good(&["import", "rows.csv", "--yes"]);
    assert!(said.contains("line 3: 1 as a new point, x=0.5 n=9, which breaks the constraint `x + n <= 4`"), "{said}");
    assert!(said.contains("1 of them was measured where a known constraint is broken"), "{said}");
    let words = "breaks the constraint `x + n <= 4`";
    for args in [&["best"][..], &["status"], &["doctor"]] {
        let said = bench.good(args);
        assert!(said.contains(words), "{args:?}: {said}");
    }
    assert_eq!(bench.json(&["best"])["observed"]["breaks"], "x + n <= 4");
    let told = bench.good(&["tell", "--at", "x=0.75", "--at", "n=8", "0.5"]);
    assert!(told.contains(words), "{told}");
}
