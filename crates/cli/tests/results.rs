//! Results by name, from the shell: told, run, shown, exported, read back and drawn.

use crate::common::Bench;
use serde_json::json;

/// A study whose metric is `loss`, with this command.
fn bench(top: &str, command: &str, run: &str) -> Bench {
    let bench = Bench { folder: tempfile::tempdir().unwrap() };
    let command = toml::Value::String(command.to_owned());
    let text = format!(
        "name = \"bench\"\n{top}\n[parameters]\nx = {{ float = [-1, 1] }}\n[budget]\ntrials = 6\n\
         [run]\ncommand = {command}\n{run}\n"
    );
    bench.write("study.toml", &text);
    bench
}

#[test]
fn results_are_told_by_name_and_the_metric_ends_a_trial() {
    let bench = bench("metric = \"loss\"", "echo 1", "");
    bench.good(&["ask", "-n", "3"]);
    let aside = bench.json(&["tell", "0", "minutes=12"]);
    assert_eq!(aside["told"], "aside");
    assert!(aside["hint"].as_str().unwrap().contains("optimizes `loss`"), "{aside}");
    assert_eq!((bench.count("running"), bench.count("complete")), (3, 0));
    assert_eq!(bench.json(&["tell", "0", "loss=0.3", "joules=-5"])["told"], "recorded");
    assert_eq!(bench.json(&["tell", "1", "0.5", "minutes=3"])["told"], "recorded");
    assert_eq!(bench.json(&["tell", "1", "minutes=4", "--correction"])["told"], "aside");
    assert_eq!(bench.json(&["tell", "2", "loss=nan", "minutes=9"])["told"], "not_finite");
    assert_eq!(bench.json(&["tell", "--at", "x=0.5", "loss=0.1", "minutes=7"])["source"], "given");

    let trials = bench.json(&["trials"])["trials"].clone();
    assert_eq!(trials[0]["results"], json!({ "loss": 0.3, "minutes": 12.0, "joules": -5.0 }));
    assert_eq!(trials[1]["results"], json!({ "loss": 0.5, "minutes": 4.0 }));
    assert_eq!((&trials[2]["state"], &trials[2]["results"]), (&json!("failed"), &json!({ "minutes": 9.0 })));
    assert_eq!(trials[3]["results"], json!({ "loss": 0.1, "minutes": 7.0 }));
    let status = bench.json(&["status"]);
    assert_eq!((&status["metric"], &status["watched"]), (&json!("loss"), &json!(["minutes", "joules"])));
    let said = bench.good(&["status"]);
    assert!(said.contains("minimize loss") && said.contains("results minutes, joules"), "{said}");
    assert!(bench.good(&["best"]).contains("with minutes=7"));
    let list = bench.good(&["trials", "--sort", "minutes"]);
    assert!(
        list.lines().next().unwrap().contains("minutes") && list.lines().nth(1).unwrap().trim_start().starts_with('1'),
        "{list}"
    );
    let few = bench.json(&["trials", "--where", "minutes > 8 and loss < 1"]);
    assert_eq!(few["trials"].as_array().unwrap().len(), 1);

    let plot = bench.json(&["plot", "--result", "minutes"]);
    assert_eq!(plot["charts"][0]["series"][0]["points"], json!([[0.0, 12.0], [1.0, 4.0], [2.0, 9.0], [3.0, 7.0]]));
    assert_eq!(bench.json(&["plot", "--result", "loss"]), bench.json(&["plot"]));
    assert!(bench.bad(1, &["plot", "--result", "cost"]).contains("loss, minutes, joules"));

    for (words, complaint) in [
        (&["tell", "0", "1", "2"][..], "2 values without a name"),
        (&["tell", "0", "minutes=long"], "\"long\" is not a number"),
        (&["tell", "0", "x=1"], "the name of a parameter"),
        (&["tell", "0", "1", "loss=2"], "`loss` is given twice"),
    ] {
        assert!(bench.bad(1, words).contains(complaint), "{words:?}: {}", bench.bad(1, words));
    }
}

#[test]
fn whoever_tells_names_to_a_study_without_any_learns_which_is_optimized() {
    let bench = bench("", "echo 1", "");
    bench.good(&["ask"]);
    let said = bench.good(&["tell", "0", "loss=0.3", "minutes=12"]);
    assert!(said.contains("optimizes `value`") && said.contains("metric = \"loss\""), "{said}");
    assert_eq!(bench.count("running"), 1);
}

#[test]
fn the_last_line_of_a_command_may_be_an_object_of_results() {
    let object = r#"sh -c 'echo training; echo "{\"minutes\": 12, \"loss\": {x}, \"x\": {x}, \"note\": \"fine\"}"'"#;
    let named = bench("metric = \"loss\"", object, "");
    assert_eq!(named.json(&["run"])["told"], 6);
    for trial in named.json(&["trials"])["trials"].as_array().unwrap() {
        assert_eq!(trial["results"], json!({ "loss": trial["point"]["x"], "minutes": 12.0 }));
    }
    // A plain number is the metric too.
    let plain = bench("metric = \"loss\"", "echo {x}", "");
    assert_eq!(plain.json(&["run"])["told"], 6);
    // A key for which the study has no name, as before there were names.
    let keyed = bench("", object, "metric = \"loss\"");
    assert_eq!(keyed.json(&["run"])["told"], 6);
    assert_eq!(keyed.json(&["best"])["observed"]["results"]["minutes"], 12.0);
    // Without the metric the trial has failed, and keeps its other results.
    let other = bench("metric = \"cost\"", object, "");
    other.elbow(&["run", "--trials", "1"]);
    let trial = &other.json(&["trials"])["trials"][0];
    assert_eq!(trial["results"]["minutes"], 12.0);
    assert!(trial["reason"].as_str().unwrap().contains("optimizes `cost`"), "{trial}");
    // The outcomes may be listed.
    let listed = bench("outcomes = [{ name = \"loss\", goal = \"maximize\" }, { name = \"minutes\" }]", object, "");
    assert_eq!(listed.json(&["run"])["told"], 6);
    assert_eq!(listed.json(&["status"])["goal"], "maximize");
}

#[test]
fn a_study_toml_that_contradicts_itself_about_results_is_refused() {
    for (top, complaint) in [
        ("goal = \"minimize\"\noutcomes = [{ name = \"a\", goal = \"minimize\" }]", "both `outcomes` and `goal`"),
        ("outcomes = [{ name = \"a\", goal = \"minimize\", near = 3 }]", "both `goal` and `near`"),
        ("metric = \"x\"", "the name of a parameter"),
    ] {
        let said = bench(top, "echo 1", "").bad(1, &["ask"]);
        assert!(said.contains(complaint), "{said}");
    }
}

#[test]
fn exports_and_sheets_have_a_column_for_each_result_and_are_read_back() {
    let first = bench("metric = \"loss\"", "echo 1", "");
    first.good(&["ask", "-n", "3"]);
    first.good(&["tell", "0", "loss=0.3", "minutes=12", "noise=1"]);
    first.good(&["tell", "1", "minutes=3"]);
    first.good(&["tell", "2", "nan", "minutes=4"]);
    let csv = first.good(&["export"]);
    let head = "trial,state,value,noise,x,source,attempts,reason,notes,minutes,result noise\n";
    assert!(csv.starts_with(head) && csv.lines().nth(1).unwrap().ends_with(",12.0,1.0"), "{csv}");
    first.write("export.csv", &csv);
    let again = first.json(&["import", "export.csv"]);
    assert!(again["changes"].as_array().unwrap().is_empty() || again["new"] == 0, "{again}");

    // Into another study, where the rows are new points.
    let other = bench("metric = \"loss\"\nseed = 9", "echo 1", "");
    other.good(&["ask", "-n", "1"]);
    other.good(&["tell", "0", "loss=5", "minutes=1"]);
    other.write("export.csv", &csv);
    other.good(&["import", "export.csv", "--given", "--yes"]);
    let trials = other.json(&["trials"])["trials"].clone();
    assert_eq!(trials[1]["results"], json!({ "loss": 0.3, "minutes": 12.0, "noise": 1.0 }));
    assert_eq!(trials[2]["results"], json!({ "minutes": 3.0 }));
    assert_eq!((&trials[3]["state"], &trials[3]["results"]), (&json!("failed"), &json!({ "minutes": 4.0 })));

    // A sheet to fill in, with a result that the study does not have yet.
    let sheet = first.good(&["sheet", "-n", "2"]);
    assert!(sheet.starts_with("trial,x,value,sd,comment,minutes,result noise\n3,"), "{sheet}");
    first.write("sheet.csv", "trial,loss,minutes,result kelvin,mine\n3,0.25,8,300,a\n4,,9,,b\n1,failed,,310,c\n");
    first.good(&["import", "sheet.csv", "--yes"]);
    let trials = first.json(&["trials"])["trials"].clone();
    assert_eq!(trials[3]["results"], json!({ "loss": 0.25, "minutes": 8.0, "kelvin": 300.0 }));
    assert_eq!((&trials[4]["state"], &trials[4]["results"]), (&json!("running"), &json!({ "minutes": 9.0 })));
    assert_eq!((&trials[1]["state"], &trials[1]["results"]["kelvin"]), (&json!("failed"), &json!(310.0)));
    // Importing the same sheet again changes nothing; another number replaces the first one on request.
    assert!(first.good(&["import", "sheet.csv", "--yes"]).contains("there is nothing to import"));
    first.write("sheet.csv", "trial,value,minutes\n4,,10\n3,0.25,8\n");
    first.good(&["import", "sheet.csv", "--yes", "--correct"]);
    assert!(first.good(&["import", "sheet.csv", "--yes", "--correct"]).contains("there is nothing to import"));
    let trials = first.json(&["trials"])["trials"].clone();
    assert_eq!(trials[4]["results"]["minutes"], 10.0);

    // A copy has the same log, and a new study made from its results has all of them.
    first.good(&["copy", "bench.elbow", "copy.elbow"]);
    let events = |store: &str| first.good(&["export", store, "--format", "events"]);
    assert_eq!(events("bench.elbow"), events("copy.elbow"));
    first.good(&["copy", "bench.elbow", "more.elbow", "--trials", "9"]);
    let more = first.json(&["trials", "more.elbow"])["trials"].clone();
    assert_eq!(more[0]["results"], trials[0]["results"]);
}

#[test]
fn nothing_changes_for_a_study_with_one_result_without_a_name() {
    let bench = bench("", "echo {x}", "");
    bench.good(&["run"]);
    assert!(bench.good(&["export"]).starts_with("trial,state,value,noise,x,source,attempts,reason,notes\n"));
    let first = bench.json(&["trials"])["trials"][0].clone();
    assert_eq!(first["results"], json!({ "value": first["value"] }));
    assert_eq!(bench.json(&["status"])["metric"], "value");
    for line in bench.good(&["export", "--format", "events"]).lines() {
        assert!(line.starts_with("{\"v\":1,") && !line.contains("results"), "{line}");
    }
}
