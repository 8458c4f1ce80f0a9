//! Ladders, steps, descriptors and tables of candidates, through the command.

use std::path::Path;

use crate::common::Bench;

const SOLVENTS: &str = "solvent,permittivity,density,is_protic\nhexane,1.9,0.66,False\nethanol,24.5,0.79,True\nacetone,20.7,0.78,False\n\
     water,80.1,1.0,True\nmethanol,32.7,0.79,True\n";

fn bench(study: &str) -> Bench {
    let bench = Bench { folder: tempfile::tempdir().unwrap() };
    bench.write("study.toml", study);
    bench.write("solvents.csv", SOLVENTS);
    bench.write("candidates.csv", "dose;kind;hours\n0.1;a;1\n0.5;b;1\n20;b;4\n");
    bench
}

#[test]
fn every_study_of_the_page_on_spaces_can_be_asked() {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/spaces.md")).unwrap();
    let studies: Vec<&str> = page.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert_eq!(studies.len(), 5);
    for study in studies {
        let bench = bench(study);
        let asked = bench.json(&["ask", "-n", "2"]);
        assert_eq!(asked["trials"].as_array().unwrap().len(), 2, "{study}");
    }
}

#[test]
fn a_sheet_that_is_refused_leaves_no_file_and_the_next_try_may_have_its_name() {
    let bench = bench(
        "name = \"a\"\ncontexts = [\"humidity\"]\n[parameters]\nx = { float = [0, 1] }\nhumidity = { float = [0, 90] }\n",
    );
    for wrong in [&[][..], &["--fix", "humidity=100"], &["--fix", "humidty=40"]] {
        bench.bad(1, &[&["sheet", "-o", "monday.csv"], wrong].concat());
        assert!(!bench.path("monday.csv").exists(), "{wrong:?}");
    }
    bench.good(&["sheet", "--fix", "humidity=40", "-o", "monday.csv"]);
    let said = bench.bad(1, &["sheet", "--fix", "humidity=40", "-o", "monday.csv"]);
    assert!(said.contains("monday.csv already exists"), "{said}");
}

#[test]
fn a_step_is_asked_for_and_told_as_it_is_written() {
    let bench = bench("name = \"a\"\n[parameters]\nangle = { float = [0, 1], step = 0.05 }\n");
    let said = bench.good(&["ask", "-n", "5"]);
    assert!(!said.contains("00000000"), "{said}");
    bench.good(&["tell", "--at", "angle=0.15000000000000002", "3"]);
    let trials = bench.json(&["trials"]);
    assert_eq!(trials["trials"][5]["point"]["angle"], 0.15, "{trials}");
    let error = bench.bad(1, &["tell", "--at", "angle=0.17", "3"]);
    assert!(error.contains("0.17 is between two of its steps") && error.contains("give 0.15 or 0.2"), "{error}");
    let study = "name = \"a\"\n[parameters]\nangle = { float = [0, 1], step = 0.3 }\n";
    bench.write("other.toml", study);
    let error = bench.bad(1, &["ask", "--in", "other.toml"]);
    assert!(error.contains("other.toml, line 3") && error.contains("end it at 0.9 or 1.2"), "{error}");
}

#[test]
fn a_table_with_semicolons_and_decimal_commas_has_numbers() {
    let bench = bench("name = \"a\"\ncandidates = \"rows.csv\"\n");
    bench.write("rows.csv", "sep=;\r\ndose;kind\r\n0,1;a,b\r\n2,5;a,b\r\n20;c\r\n");
    let asked = bench.json(&["ask", "-n", "3"]);
    let of = |name: &str| -> Vec<String> {
        let trials = asked["trials"].as_array().unwrap();
        let mut found: Vec<String> = trials.iter().map(|trial| trial["point"][name].to_string()).collect();
        found.sort();
        found
    };
    assert_eq!(of("dose"), ["0.1", "2.5", "20.0"].map(|text| text.trim_end_matches(".0")), "{asked}");
    assert_eq!(of("kind"), ["\"a,b\"", "\"a,b\"", "\"c\""]);
}

#[test]
fn a_table_ends_when_all_its_rows_were_tried_and_takes_no_other_point() {
    let bench = bench("name = \"a\"\ncandidates = \"candidates.csv\"\n");
    let error = bench.bad(1, &["tell", "--at", "dose=0.1", "--at", "kind=b", "--at", "hours=1", "3"]);
    assert!(error.contains("dose=0.1 kind=b hours=1 is not among the 3 candidates"), "{error}");
    // The log contains the rows, so the file is no longer needed.
    bench.good(&["ask", "-n", "1"]);
    std::fs::remove_file(bench.path("candidates.csv")).unwrap();
    std::fs::remove_file(bench.path("study.toml")).unwrap();
    let asked = bench.json(&["ask", "--in", "a.elbow", "-n", "5"]);
    assert_eq!(asked["trials"].as_array().unwrap().len(), 2, "{asked}");
    let none = bench.json(&["ask", "--in", "a.elbow", "-n", "1"]);
    assert!(none["trials"].as_array().unwrap().is_empty());
    assert!(none["short"].as_str().unwrap().contains("the table has 3 points and all are taken"), "{none}");
}

#[test]
fn tables_that_cannot_be_used_are_refused_with_the_file_and_the_line() {
    let solvent = |levels: &str, file: &str| {
        format!("name = \"a\"\n[parameters]\nsolvent = {{ categories = [{levels}], descriptors = \"{file}\" }}\n")
    };
    let bench = bench(&solvent("\"water\", \"hexane\"", "solvents.csv"));
    bench.write("bad.csv", "solvent,density\nwater,1.0\nhexane,light\n");
    bench.write("ragged.csv", "solvent,density\nwater,1.0,2.0\n");
    bench.write("twice.csv", "x,y\n1,2\n3,4\n1,2\n");
    bench.good(&["ask"]);
    let table = |file: &str| format!("name = \"a\"\ncandidates = \"{file}\"\n");
    for (study, wanted) in [
        (solvent("\"water\", \"hexane\"", "none.csv"), "none.csv could not be read"),
        (
            solvent("\"water\", \"hexane\"", "bad.csv"),
            "bad.csv, line 3: \"light\" in the column `density` is not a number",
        ),
        (solvent("\"water\", \"hexane\"", "ragged.csv"), "ragged.csv, line 2: 3 cells for 2 columns"),
        (solvent("\"water\", \"toluene\"", "solvents.csv"), "the text \"toluene\" has no descriptors"),
        (table("twice.csv"), "candidates 1 and 3 are the same: x=1 y=2"),
        (table("none.csv"), "none.csv could not be read"),
        ("name = \"a\"\n".to_owned(), "the key `parameters` is missing"),
        ("name = \"a\"\n[parameters]\nx = { int = [1, 9], step = 2 }\n".to_owned(), "has `step`, but is not a float"),
    ] {
        bench.write("wrong.toml", &study);
        let error = bench.bad(1, &["ask", "--in", "wrong.toml"]);
        assert!(error.contains("wrong.toml") && error.contains(wanted) && error.contains("try: "), "{study}: {error}");
    }
}

#[test]
fn a_sheet_of_ladders_and_steps_goes_out_and_comes_back() {
    let parameters = "batch = { ladder = [16, 32, 512], log = true }\nangle = { float = [0, 1], step = 0.05 }\n";
    let bench = bench(&format!("name = \"a\"\n[parameters]\n{parameters}"));
    let sheet = bench.good(&["sheet", "-n", "4"]);
    let filled = sheet.replace(",,,", ",3,,");
    assert_eq!(filled.matches(",3,,").count(), 4, "{sheet}");
    assert!(sheet.lines().skip(1).all(|line| line.len() <= "0,512,0.55,,,".len()), "{sheet}");
    bench.write("filled.csv", &filled);
    bench.good(&["import", "filled.csv", "--yes"]);
    assert_eq!(bench.count("complete"), 4);
}

#[test]
fn a_table_with_conditions_has_empty_cells_where_they_do_not_hold_and_nowhere_else() {
    let bench = bench(
        "name = \"a\"\ncandidates = \"rows.csv\"\n[parameters]\nshare = { float = [0, 1], when = \"kind == 'mixed'\" }\n",
    );
    bench.write("rows.csv", "kind,share,hours\nplain,,1\nplain,,3\nmixed,0.2,2\nmixed,0.7,2\n");
    let asked = bench.json(&["ask", "-n", "4"]);
    let points: Vec<&serde_json::Value> =
        asked["trials"].as_array().unwrap().iter().map(|trial| &trial["point"]).collect();
    assert_eq!(points.len(), 4, "{asked}");
    assert!(points.iter().all(|point| point.get("share").is_some() == (point["kind"] == "mixed")), "{asked}");
    // The study is read again from its store, without the file.
    std::fs::remove_file(bench.path("rows.csv")).unwrap();
    assert_eq!(bench.json(&["trials", "a.elbow"])["trials"].as_array().unwrap().len(), 4);
    bench.write("other.toml", "name = \"b\"\ncandidates = \"gaps.csv\"\n");
    bench.write("gaps.csv", "kind,dose\na,1\nb,\nc,3\n");
    let error = bench.bad(1, &["ask", "--in", "other.toml"]);
    assert!(error.contains("gaps.csv, line 3: the cell of `dose` is empty"), "{error}");
}
