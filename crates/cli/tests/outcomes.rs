//! Several outcomes: objectives, limits, targets, and results that come late, from the command.

use std::fs;

use crate::common::{Bench, flat};

/// A study of three measurements over `x`: two objectives and a limit.
fn laboratory() -> Bench {
    let bench = Bench { folder: tempfile::tempdir().unwrap() };
    bench.write(
        "study.toml",
        "name = \"lab\"\noutcomes = [\n{ name = \"yield\", goal = \"maximize\", worst = 0 },\n\
         { name = \"cost\", goal = \"minimize\", worst = 10 },\n{ name = \"purity\", at_least = 95 },\n]\n\
         [parameters]\nx = { float = [0, 1] }\n[budget]\ntrials = 20\n",
    );
    bench
}

/// Three trials: two that trade off, and one that would beat both but is not pure.
fn told() -> Bench {
    let bench = laboratory();
    for (x, told) in [
        ("x=0.1", ["yield=4", "cost=8", "purity=97"]),
        ("x=0.2", ["yield=2", "cost=5", "purity=96"]),
        ("x=0.3", ["yield=9", "cost=1", "purity=50"]),
    ] {
        bench.good(&[&["tell", "--at", x][..], &told].concat());
    }
    bench
}

#[test]
fn the_front_is_printed_with_what_it_is_measured_from() {
    let bench = told();
    let said = bench.good(&["best"]);
    let head = "front: 2 trials that no other trial beats in every objective, of those that keep all limits";
    assert!(flat(&said).contains(head), "{said}");
    let rows: Vec<&str> = said.lines().skip(3).take(2).map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(rows, ["0", "1"], "{said}");
    // 4 × 2 for the first, and 2 × 3 more for the second.
    assert!(said.contains("hypervolume: 14 from yield 0, cost 10"), "{said}");
    let json = bench.json(&["best"]);
    assert_eq!((&json["front"]["hypervolume"], &json["front"]["points"][1]["values"][1]), (&14.0.into(), &5.0.into()));
    assert_eq!(json["observed"]["trial"], 0, "the best of the first objective that keeps all limits");
}

#[test]
fn a_status_says_how_good_the_front_is_and_who_keeps_the_limits() {
    let bench = told();
    let said = bench.good(&["status"]);
    assert!(flat(&said).contains("(maximize yield, minimize cost, purity at least 95, "), "{said}");
    assert!(said.contains("front   2 trials, hypervolume 14 from yield 0, cost 10"), "{said}");
    assert!(said.contains("limits  2 of 3 trials keep them all"), "{said}");
    let json = bench.json(&["status"]);
    assert_eq!((&json["front"]["n_points"], &json["n_feasible"]), (&2.into(), &2.into()));
}

#[test]
fn while_no_trial_keeps_the_limits_the_nearest_is_named_with_what_it_breaks() {
    let bench = laboratory();
    bench.good(&["tell", "--at", "x=0.1", "yield=4", "cost=8", "purity=80"]);
    bench.good(&["tell", "--at", "x=0.2", "yield=4", "cost=8", "purity=91"]);
    let said = bench.good(&["best"]);
    let wanted = "no trial keeps all limits yet; trial 1 comes closest: purity is 91, but should be at least 95";
    assert!(said.contains(wanted), "{said}");
    assert_eq!(bench.json(&["best"])["least_infeasible"]["trial"], 1);
    let said = bench.good(&["trials"]);
    assert!(said.lines().next().unwrap().ends_with("breaks the limit of"), "{said}");
    assert!(said.lines().nth(1).unwrap().ends_with("purity"), "{said}");
}

#[test]
fn a_trial_whose_result_comes_late_is_shown_as_waiting_for_it() {
    let bench = laboratory();
    bench.good(&["ask"]);
    let said = bench.good(&["tell", "0", "yield=4", "cost=8"]);
    assert_eq!(said, "trial 0: recorded, waiting for purity\n");
    let said = bench.good(&["status"]);
    assert!(said.contains("waiting 1 trial waits for purity: 0"), "{said}");
    let said = bench.good(&["trials"]);
    assert!(said.lines().next().unwrap().ends_with("waiting for"), "{said}");
    assert_eq!(bench.json(&["trials"])["trials"][0]["waiting_for"][0], "purity");
    assert_eq!(bench.good(&["tell", "0", "purity=97"]), "trial 0: recorded\n");
    assert!(!bench.good(&["status"]).contains("waiting"));
    assert_eq!(bench.json(&["trials"])["trials"][0]["feasible"], true);
}

#[test]
fn the_front_is_drawn_in_the_terminal_and_in_a_file() {
    let bench = told();
    let said = bench.good(&["plot", "--what", "front"]);
    assert!(said.starts_with("cost (up) over yield (across)\n"), "{said}");
    assert!(said.contains("★ on the front") && said.contains("x breaks a limit"), "{said}");
    let said = bench.good(&["plot", "--what", "front", "--x", "purity"]);
    assert!(said.starts_with("yield (up) over purity (across)\n") && said.contains("┊ limit"), "{said}");
    bench.good(&["plot", "--what", "front", "--out", "front.svg"]);
    let svg = fs::read_to_string(bench.path("front.svg")).unwrap();
    assert!(svg.contains("Hypervolume 14 from yield 0, cost 10"), "{svg}");
    let said = bench.bad(1, &["plot", "--what", "front", "--x", "purty"]);
    assert!(said.contains("no result `purty`") && said.contains("yield, cost, purity"), "{said}");
}

#[test]
fn a_sheet_is_filled_in_bit_by_bit_and_no_value_counts_twice() {
    let bench = laboratory();
    bench.good(&["sheet", "-n", "2", "-o", "monday.csv"]);
    let text = fs::read_to_string(bench.path("monday.csv")).unwrap();
    assert!(text.starts_with("trial,x,yield,sd,cost,purity,comment\n"), "{text}");
    let filled = |cells: &str| -> String {
        let row = |line: &str| format!("{}{cells}\n", line.trim_end_matches(','));
        text.lines().take(1).map(|head| format!("{head}\n")).chain(text.lines().skip(1).map(row)).collect()
    };
    bench.write("monday.csv", &filled(",81,,5,,"));
    let said = bench.good(&["import", "monday.csv", "--yes"]);
    assert!(said.contains("trial 0: yield=81 cost=5"), "{said}");
    assert!(bench.good(&["status"]).contains("waiting 2 trials wait for purity: 0, 1"));
    bench.write("monday.csv", &filled(",81,,5,97,"));
    let said = bench.good(&["import", "monday.csv", "--yes"]);
    assert!(said.contains("trial 0: purity=97"), "{said}");
    let trial = bench.json(&["trials"])["trials"][0].clone();
    assert_eq!((trial["measurements"].as_array().unwrap().len(), &trial["feasible"]), (1, &true.into()), "{trial}");
    for _ in 0..2 {
        assert!(bench.good(&["import", "monday.csv", "--yes"]).contains("there is nothing to import"));
    }
    // The measurement alone, by somebody else.
    bench.good(&["ask"]);
    bench.good(&["tell", "2", "yield=70", "cost=4"]);
    bench.write("tuesday.csv", "trial;purity\n2;98,5\n");
    bench.good(&["import", "tuesday.csv", "--yes"]);
    assert_eq!(bench.json(&["trials"])["trials"][2]["results"]["purity"], 98.5);
}

#[test]
fn an_export_has_a_column_for_each_result_and_changes_nothing_when_it_is_read_back() {
    let bench = told();
    let csv = bench.good(&["export"]);
    assert!(csv.starts_with("trial,state,yield,noise,x,source,attempts,reason,notes,cost,purity\n"), "{csv}");
    bench.write("all.csv", &csv);
    assert!(bench.good(&["import", "all.csv", "--yes"]).contains("there is nothing to import"));
}

#[test]
fn a_command_prints_all_results_as_an_object_and_a_target_as_a_number() {
    let run = |outcomes: &str, print: &str| {
        let bench = Bench { folder: tempfile::tempdir().unwrap() };
        let command = toml::Value::String(format!("sh -c 'echo {print}'"));
        bench.write(
            "study.toml",
            &format!(
                "name = \"lab\"\noutcomes = [{outcomes}]\n[parameters]\nx = {{ float = [0, 1] }}\n[budget]\ntrials = 2\n\
                 [run]\ncommand = {command}\n"
            ),
        );
        let output = bench.elbow(&["run"]);
        (bench, crate::common::stderr(&output), output.status.success())
    };
    let both = "{ name = \"yield\", goal = \"maximize\" }, { name = \"cost\", goal = \"minimize\" }";
    let (bench, _, is_good) = run(both, r#"{\"yield\": {x}, \"cost\": 3.2}"#);
    assert!(is_good);
    assert_eq!(bench.json(&["best"])["front"]["points"][0]["values"][1], 3.2);
    let (bench, said, _) = run(both, "81");
    assert!(said.contains("81  waiting for cost") && said.contains("warning: the command printed no `cost`"), "{said}");
    assert_eq!(said.matches("warning: ").count(), 1, "{said}");
    assert!(bench.good(&["best"]).contains("no trial has every objective yet"));
    let limited = "{ name = \"yield\", goal = \"maximize\" }, { name = \"cost\", at_most = 3 }";
    let (bench, said, _) = run(limited, r#"{\"yield\": {x}, \"cots\": 3.2}"#);
    assert!(said.contains("the command printed no `cost` besides ") && said.contains("`cots`"), "{said}");
    let said = bench.good(&["best", "--in", "study.toml"]);
    assert!(said.contains("no trial has all its results yet; still missing: cost"), "{said}");

    let (bench, _, is_good) = run("{ name = \"viscosity\", near = 4 }", "5.5");
    assert!(is_good);
    let results = bench.json(&["trials"])["trials"][0]["results"].clone();
    assert_eq!(
        (&results["viscosity"], &results["distance of viscosity to 4"]),
        (&5.5.into(), &1.5.into()),
        "{results}"
    );
    let profit = "{ name = \"profit\", goal = \"maximize\", score = \"yield - cost\" }, { name = \"yield\" }, { name = \"cost\" }";
    let (bench, _, is_good) = run(profit, r#"{\"yield\": 5, \"cost\": 3}"#);
    assert!(is_good);
    assert_eq!(bench.json(&["best"])["observed"]["value"], 2.0);
    let (_, said, is_good) = run(profit, "2");
    assert!(!is_good && said.contains("`yield`, `cost` is missing"), "{said}");
}

#[test]
fn a_study_toml_of_several_outcomes_is_written_by_init_and_read() {
    let bench = Bench { folder: tempfile::tempdir().unwrap() };
    let outcomes = ["--outcome", "yield=maximize", "--outcome", "cost=minimize", "--outcome", "purity>=95"];
    bench.good(&[&["init", "--float", "x=0..1"][..], &outcomes].concat());
    let said = bench.good(&["ask"]);
    assert!(!said.is_empty());
    assert!(bench.good(&["status"]).contains("maximize yield, minimize cost, purity at least 95"));
    let said = bench.bad(1, &["init", "b.toml", "--outcome", "yield=more"]);
    assert!(said.contains("\"yield=more\" is not a result") && said.contains("try: write yield=maximize"), "{said}");
}

#[test]
fn a_value_beside_a_read_out_that_failed_is_kept_in_words() {
    let bench = laboratory();
    bench.good(&["ask", "-n", "2"]);
    bench.write("rows.csv", "trial,yield,cost,purity\n0,81,5,failed\n1,70,4,infeasible\n");
    bench.good(&["import", "rows.csv", "--yes"]);
    let trials = bench.json(&["trials"])["trials"].clone();
    assert_eq!((&trials[0]["state"], &trials[1]["state"]), (&"failed".into(), &"infeasible".into()), "{trials}");
    for (trial, value) in [(0, "81"), (1, "70")] {
        let why = trials[trial]["reason"].as_str().unwrap();
        assert!(why.contains(&format!("its value was {value}")), "{why}");
    }
}
