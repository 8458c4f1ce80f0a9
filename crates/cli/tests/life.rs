//! The life of a study, seen from the shell.

use crate::common::{Bench, stderr};
use serde_json::json;

/// Prints (x - 0.3)^2 + n/100.
const SQUARE: &str = "awk 'BEGIN { x = {x}; print (x - 0.3) ^ 2 + {n} / 100 }'";

#[test]
fn a_study_is_written_run_and_looked_at() {
    let bench = Bench { folder: tempfile::tempdir().unwrap() };
    let init = ["init", "--name", "mix", "--float", "x=-1..2", "--int", "n=1..3", "--choice", "kind=a,b"];
    bench.good(&[&init[..], &["--trials", "12", "--command", "awk 'BEGIN { print ({x} - 0.5) ^ 2 }'"]].concat());
    assert!(bench.bad(1, &["init"]).contains("--force"), "a file is not replaced by accident");

    let said = bench.good(&["run", "--workers", "4"]);
    assert!(said.contains("best observed: ") && said.contains("store: mix.elbow"), "{said}");
    let status = bench.json(&["status"]);
    assert_eq!((&status["counts"]["complete"], &status["n_trials"]), (&json!(12), &json!(12)));
    assert!(bench.good(&["status"]).contains("12 complete, of 12"));

    let best = bench.json(&["best"]);
    let trials = bench.json(&["trials", "--sort", "value", "--limit", "3"]);
    assert_eq!(trials["trials"].as_array().unwrap().len(), 3);
    assert_eq!(trials["trials"][0], best["observed"]);
    assert!(best["recommended"]["sd"].as_f64().unwrap() >= 0.0);
    assert!(bench.good(&["trials"]).lines().next().unwrap().contains("kind"));
    let point = |trial: &serde_json::Value, name: &str| trial["point"][name].as_f64().unwrap();
    let all = bench.json(&["trials", "--sort", "x"])["trials"].as_array().unwrap().clone();
    assert!(all.len() == 12 && all.is_sorted_by_key(|trial| point(trial, "x")));
    let middle = point(&all[6], "x");
    let n_below = all.iter().filter(|trial| point(trial, "x") < middle).count();
    let few = bench.json(&["trials", "--where", &format!("x < {middle} and value > -1e9"), "--sort", "x", "--reverse"]);
    let few = few["trials"].as_array().unwrap();
    assert!(few.len() == n_below && few.iter().all(|trial| point(trial, "x") < middle));
    assert!(few.is_sorted_by_key(|trial| -point(trial, "x")));
    assert!(bench.bad(1, &["trials", "--where", "zz < 1"]).contains("no parameter is called `zz`"));
    assert!(bench.bad(1, &["trials", "--sort", "zz"]).contains("trial, value, state, "));

    // The budget is used up for everybody.
    let asked = bench.json(&["ask"]);
    assert_eq!(asked["trials"], json!([]));
    assert!(asked["short"].as_str().unwrap().contains("budget"));
    let again = bench.json(&["run"]);
    assert_eq!((&again["told"], &again["counts"]["complete"]), (&json!(0), &json!(12)));
}

#[test]
fn trials_are_asked_told_failed_and_released_by_hand() {
    let bench = Bench::new(6, SQUARE, "");
    assert!(bench.bad(1, &["status"]).contains("there is no store"));
    let asked = bench.json(&["ask", "-n", "4", "--request", "sheet 1"]);
    let ids: Vec<u64> = asked["trials"].as_array().unwrap().iter().map(|t| t["trial"].as_u64().unwrap()).collect();
    assert_eq!(ids, [0, 1, 2, 3]);
    assert_eq!(bench.json(&["ask", "-n", "4", "--request", "sheet 1"])["trials"], asked["trials"]);

    // Trials of a person wait for the person, although the process that asked has ended.
    assert_eq!(bench.json(&["run", "--trials", "1", "--", "echo", "1"])["told"], 1);
    assert_eq!(bench.count("running"), 4);

    assert_eq!(bench.json(&["tell", "0", "-0.5"])["told"], "recorded");
    assert_eq!(bench.json(&["tell", "0", "0.5"])["told"], "replicate");
    assert_eq!(bench.json(&["tell", "0", "0.25", "--correction", "--request", "r"])["told"], "correction");
    assert_eq!(bench.json(&["tell", "0", "0.25", "--correction", "--request", "r"])["told"], "repeated");
    assert_eq!(bench.json(&["tell", "1", "nan"])["told"], "not_finite");
    assert_eq!(bench.json(&["fail", "2", "--infeasible", "--reason", "too hot"])["state"], "infeasible");
    assert_eq!(bench.json(&["release", "3"])["state"], "released");
    assert_eq!(bench.json(&["tell", "3", "2"])["told"], "late");
    assert_eq!(bench.json(&["tell", "--at", "x=0.5", "--at", "n=2", "0.06"])["source"], "given");
    assert!(bench.bad(1, &["tell", "--at", "x=5", "--at", "n=2", "0.06"]).contains('x'));
    assert!(bench.bad(1, &["tell", "99", "1"]).contains("99"));

    let listed = bench.json(&["trials", "--state", "failed,infeasible"]);
    let reasons: Vec<&str> =
        listed["trials"].as_array().unwrap().iter().map(|t| t["reason"].as_str().unwrap()).collect();
    assert_eq!(reasons, ["the value was NaN", "too hot"]);
    assert_eq!(bench.json(&["best"])["observed"]["value"], 0.06);
}

#[test]
fn exit_codes_say_what_became_of_a_trial() {
    // By n: a value, infeasible, failed, killed.
    let script = "case $ELBOW_PARAM_N in 1|2|3) echo 1; echo \"$ELBOW_PARAM_X\";; 4|5) echo dry >&2; exit 65;; \
                  6|7) echo broken >&2; exit 3;; *) kill -9 $$;; esac";
    let bench = Bench::new(24, "true", "");
    let run = bench.json(&["run", "--workers", "3", "--", "sh", "-c", script]);
    assert_eq!(
        run["told"].as_u64().unwrap() + run["failed"].as_u64().unwrap() + run["infeasible"].as_u64().unwrap(),
        24
    );
    for trial in bench.json(&["trials"])["trials"].as_array().unwrap() {
        let (state, reason) = (trial["state"].as_str().unwrap(), trial["reason"].as_str().unwrap_or(""));
        match trial["point"]["n"].as_i64().unwrap() {
            1..=3 => assert_eq!((state, &trial["value"]), ("complete", &trial["point"]["x"])),
            4 | 5 => assert_eq!((state, reason), ("infeasible", "dry")),
            6 | 7 => assert_eq!((state, reason), ("failed", "exit code 3: broken")),
            _ => assert_eq!((state, reason), ("failed", "killed by signal 9")),
        }
    }
}

#[test]
fn exit_code_75_hands_a_trial_out_again_and_is_not_a_failure() {
    let bench = Bench::new(1, "sh -c 'echo >> tries; test $(grep -c ^ tries) -gt 2 || exit 75; echo {x}'", "");
    let run = bench.json(&["run"]);
    assert_eq!((&run["told"], &run["given_back"], &run["failed"]), (&json!(1), &json!(2), &json!(0)));
}

#[test]
fn a_command_that_cannot_work_does_not_use_up_the_budget() {
    let bench = Bench::new(40, "./no-such-program {x}", "workers = 2");
    let said = bench.bad(1, &["run"]);
    assert!(said.contains("no-such-program") && said.contains("could not be started"), "{said}");
    let status = bench.json(&["status"]);
    assert_eq!((&status["counts"]["failed"], &status["counts"]["queued"]), (&json!(0), &json!(2)));
    let said = bench.bad(1, &["run", "--workers", "1", "--", "false"]);
    assert!(said.contains("failed"), "{said}");
    assert_eq!(bench.count("failed"), 10);
    assert_eq!(bench.json(&["run", "--", "echo", "{x}"])["counts"]["complete"], 30);
}

#[test]
fn results_come_from_json_and_from_files() {
    let bench = Bench::new(2, "sh -c 'echo {}; echo \"{\\\"loss\\\": $ELBOW_PARAM_X}\"'", "metric = \"loss\"");
    assert_eq!(bench.json(&["run"])["told"], 2);
    let bench = Bench::new(2, "cp {params} {result}", "metric = \"x\"\nresult = \"file\"");
    assert_eq!(bench.json(&["run"])["told"], 2);
    for trial in bench.json(&["trials"])["trials"].as_array().unwrap() {
        assert_eq!(trial["value"], trial["point"]["x"], "to the last digit");
    }
}

#[test]
fn limits_hold_for_the_whole_process_group() {
    // The shell's child continues to write unless the group is killed.
    let bench = Bench::new(
        2,
        "sh -c '(while true; do date >> ticks; sleep 0.05; done) & sleep 60'",
        "timeout = \"300ms\"\nworkers = 2",
    );
    bench.bad(1, &["run"]);
    let failed = bench.json(&["trials", "--state", "failed"]);
    assert!(failed["trials"][0]["reason"].as_str().unwrap().contains("longer than 0.3 s"));
    let n = bench.n_lines("ticks");
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(n > 0 && bench.n_lines("ticks") == n, "something still runs");

    let bench = Bench::new(
        1,
        "awk 'BEGIN { s = \"x\"; for (i = 0; i < 30; i++) s = s s; print length(s) }'",
        "memory = \"200M\"",
    );
    bench.bad(1, &["run"]);
    assert_eq!(bench.count("failed"), 1);

    // None of four processes takes too much, but all of them together do; and their work ends with the trial.
    let bench = Bench::new(
        1,
        "perl -e 'for (1..3) { if (!fork) { system(\"date >> ticks\"); vec($s, 60 << 20, 8) = 1; $s =~ tr/\\0/y/; \
         while (1) { system(\"date >> ticks\"); select(undef, undef, undef, 0.05) } } } sleep 60'",
        "memory = \"150M\"",
    );
    bench.bad(1, &["run"]);
    let failed = bench.json(&["trials", "--state", "failed"]);
    let reason = failed["trials"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("together, more than 150 MB"), "{reason}");
    let n = bench.n_lines("ticks");
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(n > 0 && bench.n_lines("ticks") == n, "something still runs");
}

#[test]
fn a_run_goes_on_when_nobody_reads_what_it_says() {
    let bench = Bench::new(6, "echo 1", "");
    let mut command = bench.command(&["run"]);
    let mut run = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    drop((run.stdout.take(), run.stderr.take()));
    run.wait().unwrap();
    assert_eq!(bench.count("complete"), 6);
}

#[test]
fn a_run_ends_at_its_target_its_time_and_its_trials() {
    let bench = Bench::new(50, SQUARE, "");
    let run = bench.json(&["run", "--trials", "3"]);
    assert_eq!((&run["told"], &run["ended"]), (&json!(3), &json!("this run has reached its number of trials")));
    let run = bench.json(&["run", "--target", "1e9"]);
    assert_eq!((&run["told"], &run["ended"]), (&json!(0), &json!("the target was reached")));
    let run = bench.json(&["run", "--time", "300ms", "--", "sh", "-c", "sleep 0.1; echo 1"]);
    assert_eq!(run["ended"], "the time is up");
    let n = run["told"].as_u64().unwrap();
    assert!((1..=4).contains(&n), "{n}");
    let run = bench.json(&["run", "--batch", "--workers", "4", "--trials", "8"]);
    assert_eq!(run["told"], 8);
    let run = bench.json(&["run", "--min-gain", "1e9"]);
    assert_eq!((&run["told"], &run["ended"]), (&json!(0), &json!("one more trial is expected to gain too little")));
}

#[test]
fn points_are_asked_for_in_a_part_of_the_space_and_chosen_again_there() {
    let bench = Bench::new(40, SQUARE, "");
    bench.good(&["run", "--trials", "12"]);
    let asked = bench.json(&["ask", "-n", "3", "--fix", "n=4", "--within", "x=-0.5..0.25"]);
    let trials = asked["trials"].as_array().unwrap();
    assert_eq!(trials.len(), 3);
    for trial in trials {
        assert_eq!(trial["point"]["n"], 4);
        assert!((-0.5..=0.25).contains(&trial["point"]["x"].as_f64().unwrap()), "{trial}");
    }
    let sheet = bench.good(&["sheet", "-n", "2", "--fix", "n=7"]);
    assert_eq!(sheet.lines().skip(1).filter(|line| line.contains(",7,") || line.ends_with(",7")).count(), 2, "{sheet}");
    let replayed = bench.json(&["replay"]);
    assert_eq!(replayed["differences"].as_array().map(Vec::len).unwrap_or(0), 0, "{replayed}");
    assert!(bench.good(&["why", "13"]).contains("asked for with n=4 x=-0.5..0.25"));
    assert!(bench.bad(1, &["ask", "--fix", "m=4"]).contains("`m`"));
    assert!(bench.bad(1, &["ask", "--fix", "n"]).contains("--fix name=value"));
    assert!(bench.bad(1, &["ask", "--within", "x=1"]).contains("--within name=low..high"));
    assert!(bench.bad(1, &["ask", "--within", "x=1..-1"]).contains("smaller value first"));
}

#[test]
fn faults_say_what_where_and_what_to_try() {
    let bench = Bench::new(3, SQUARE, "");
    bench.write("bad.toml", "name = \"a\"\n[parameters]\nx = { float = [1, 0] }\n");
    let said = bench.bad(1, &["run", "bad.toml"]);
    assert!(
        said.starts_with("error: bad.toml, line 3: ") && said.contains("  3 | x = ") && said.contains("\n  try: "),
        "{said}"
    );
    assert!(bench.bad(1, &["run", "none.toml"]).contains("elbow init"));
    assert!(bench.bad(1, &["run", "--", "true", "{y}"]).contains("{y}"));
    bench.bad(2, &["run", "--workers", "0"]);
    bench.bad(2, &["rnu"]);
    let said = bench.bad(1, &["status", "nowhere.elbow", "--json"]);
    assert!(serde_json::from_str::<serde_json::Value>(&said).unwrap()["error"].as_str().unwrap().contains("nowhere"));
    let said = |words: &[&str]| serde_json::from_str::<serde_json::Value>(&bench.bad(1, words)).unwrap();
    let file = said(&["run", "bad.toml", "--json"]);
    assert_eq!(file["kind"], "space", "{file}");
    assert!(!file["error"].as_str().unwrap().contains("try:") && !file["try"].as_str().unwrap().is_empty(), "{file}");
    assert!(!bench.path("nowhere.elbow").exists(), "looking makes no store");

    bench.good(&["run"]);
    let text = std::fs::read_to_string(bench.path("study.toml")).unwrap();
    bench.write("study.toml", &text.replace("n = { int = [1, 9] }", "n = { int = [1, 8] }"));
    let said = bench.bad(1, &["run"]);
    assert!(
        said.contains("was created with a different parameters.n") && said.contains("{ int = [1, 8] } in study.toml"),
        "{said}"
    );
}

#[test]
fn a_run_that_could_not_do_its_work_ends_with_a_code_that_says_so() {
    let bench = Bench::new(3, SQUARE, "");
    let text = std::fs::read_to_string(bench.path("study.toml")).unwrap();
    bench.write("none.toml", &format!("constraints = [\"x > 2\"]\n{}", text.replace("\"bench\"", "\"none\"")));
    let output = bench.elbow(&["run", "none.toml"]);
    assert_eq!(output.status.code(), Some(1), "constraints that nobody can meet: {}", stderr(&output));
    let output = bench.elbow(&["run", "--time", "0s"]);
    assert_eq!(output.status.code(), Some(1), "no time for any trial: {}", stderr(&output));
    bench.good(&["run"]);
    bench.good(&["run"]);
    // A space whose every point was tried is done, whatever the budget.
    bench.write(
        "few.toml",
        "name = \"few\"\n[parameters]\nn = { int = [1, 2] }\n[budget]\ntrials = 9\n[run]\ncommand = \"echo {n}\"\n",
    );
    bench.good(&["run", "few.toml"]);
    bench.good(&["run", "few.toml"]);
    // Trials were run, and none has a value: whether they failed or were infeasible.
    for code in [1, 65] {
        let command = format!("command = [\"sh\", \"-c\", \"exit {code}\"]\n");
        let head =
            format!("name = \"code {code}\"\n[parameters]\nn = {{ int = [1, 9] }}\n[budget]\ntrials = 3\n[run]\n");
        bench.write("never.toml", &(head + &command));
        let output = bench.elbow(&["run", "never.toml"]);
        assert_eq!(output.status.code(), Some(1), "exit code {code}: {}", stderr(&output));
    }
}

#[test]
fn what_is_mistyped_is_answered_with_what_was_meant() {
    let bench = Bench::new(3, SQUARE, "");
    assert!(bench.bad(1, &["status"]).contains("the study has not started: there is no store at"));
    bench.good(&["run"]);
    for (code, words, answer) in [
        (1, &["status", "--name", "bnech"][..], "try: did you mean `bench`?"),
        (1, &["status", "--name", "oven"], "try: use one of bench"),
        (1, &["tell", "1", "0,5"], "try: write a decimal point: 0.5"),
        (1, &["tell", "1", "1,234.5"], "try: give what was measured"),
        (2, &["why", "first"], "give a trial's number"),
        (2, &["trials", "--limit", "-3"], "give a whole number, at least 1"),
        (1, &["plot", "--what", "map", "--x", "width"], "try: "),
    ] {
        let said = bench.bad(code, words);
        assert!(said.contains(answer), "{words:?}: {said}");
    }
}

#[test]
fn a_parameter_that_is_given_twice_and_a_target_that_is_no_number_are_refused() {
    let bench = Bench::new(3, SQUARE, "");
    let said = bench.bad(1, &["tell", "--at", "x=0.5", "--at", "n=2", "--at", "x=0.25", "1"]);
    assert!(said.contains("--at gives `x` twice"), "{said}");
    for args in
        [&["run", "--target", "nan"][..], &["tell", "0", "1", "--noise", "-1"], &["tell", "0", "1", "--sd", "nan"]]
    {
        bench.bad(2, args);
    }
    bench.good(&["tell", "--at", "x=0.5", "--at", "n=2", "--sd", "0.5", "1"]);
    assert_eq!(bench.json(&["trials"])["trials"][0]["noise"], 0.25);
    bench.bad(2, &["tell", "0", "1", "--sd", "0.5", "--noise", "0.25"]);
}

#[test]
fn a_larger_budget_in_study_toml_is_said_and_the_study_goes_on() {
    let bench = Bench::new(3, SQUARE, "");
    bench.good(&["run"]);
    let text = std::fs::read_to_string(bench.path("study.toml")).unwrap();
    let budget = |n: usize| bench.write("study.toml", &text.replace("trials = 3", &format!("trials = {n}")));
    budget(7);
    let output = bench.elbow(&["run"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).contains("the budget is now 7 trials; it was 3 trials"), "{}", stderr(&output));
    assert_eq!(bench.count("complete"), 7);
    assert_eq!(bench.json(&["status"])["budget"], 7);
    // A smaller budget, but not less than was handed out.
    budget(9);
    bench.good(&["ask"]);
    budget(8);
    assert_eq!(bench.json(&["ask"])["trials"], json!([]));
    budget(5);
    assert!(bench.bad(1, &["run"]).contains("8 were handed out"));
    // A study.toml without a budget accepts the current one.
    bench.write("study.toml", &text.replace("[budget]\ntrials = 3\n", ""));
    assert_eq!(bench.json(&["ask"])["trials"], json!([]));
    assert_eq!((&bench.json(&["status"])["budget"], &bench.json(&["replay"])["differences"]), (&json!(8), &json!([])));
    // The event that changed the budget has a version that older builds refuse by its number.
    let log = bench.good(&["export", "--format", "events"]);
    assert!(log.contains("{\"v\":2,\"event\":\"budgeted\",\"trials\":7}"), "{log}");
}

#[test]
fn a_study_that_starts_with_results_of_another_says_what_is_left_of_its_own_budget() {
    let bench = Bench::new(4, "echo 1", "");
    bench.good(&["run"]);
    bench.good(&["copy", "study.toml", "next.elbow", "--as", "next", "--trials", "3"]);
    assert!(bench.good(&["status", "--in", "next.elbow"]).contains("4 complete; 3 of the budget of 3 left"));
    bench.good(&["ask", "--in", "next.elbow"]);
    assert!(bench.good(&["status", "--in", "next.elbow"]).contains("; 2 of the budget of 3 left"));
}

#[test]
fn a_result_may_say_that_its_trial_was_run_at_other_values_than_planned() {
    let bench = Bench::new(9, "echo 1", "");
    let parameters = "[parameters]\nx = { float = [0, 1] }\nhumidity = { float = [0, 90] }\n";
    bench.write("day.toml", &format!("name = \"day\"\ncontexts = [\"humidity\"]\n{parameters}"));
    let there = ["--in", "day.toml"];
    let asked = bench.json(&[&["ask", "-n", "2", "--fix", "humidity=40"], &there[..]].concat());
    let x = &asked["trials"][0]["point"]["x"];
    let tell = |words: &[&str]| bench.good(&[&["tell"], words, &there[..]].concat());
    let said = tell(&["0", "0.25", "--actual", "humidity=47", "--request", "a"]);
    assert_eq!(said, "trial 2: added with 0.25, in place of trial 0\n");
    // A report that is repeated under its name changes nothing.
    assert_eq!(tell(&["0", "0.25", "--actual", "humidity=47", "--request", "a"]), said);
    assert_eq!(tell(&["1", "0.5", "--actual", "humidity=40"]), "trial 1: recorded 0.5, at the planned point\n");
    let trials = bench.json(&[&["trials"], &there[..]].concat());
    let (planned, run) = (&trials["trials"][0], &trials["trials"][2]);
    assert_eq!(trials["trials"].as_array().unwrap().len(), 3);
    assert_eq!((&run["point"]["x"], &run["point"]["humidity"]), (x, &serde_json::json!(47.0)), "{run}");
    assert_eq!((&planned["state"], &planned["point"]["humidity"]), (&"released".into(), &serde_json::json!(40.0)));
    let wrong = bench.bad(1, &[&["tell", "1", "0.5", "--actual", "humidty=40"], &there[..]].concat());
    assert!(wrong.contains("humidity"), "{wrong}");
}

#[test]
fn a_parameter_called_value_has_a_column_of_its_own_name() {
    let bench = Bench::new(2, "echo 1", "");
    bench.write("other.toml", "name = \"other\"\n[parameters]\nvalue = { float = [0, 1] }\n");
    bench.good(&["tell", "--in", "other.toml", "--at", "value=0.25", "3"]);
    let said = bench.good(&["trials", "--in", "other.toml"]);
    assert!(said.lines().next().unwrap().contains("value  parameter value"), "{said}");
}

#[test]
fn what_is_wrong_with_a_command_line_is_json_for_programs() {
    let bench = Bench::new(1, "echo 1", "");
    for words in [&["trials", "--state", "bogus", "--json"][..], &["run", "--lease", "0s", "--json"]] {
        let output = bench.start(words).wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let said: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
        assert!(said["error"].as_str().unwrap().contains(words[2]), "{said}");
        assert_eq!(said["kind"], "usage");
        assert!(!said["try"].as_str().unwrap().is_empty(), "{said}");
    }
}

#[test]
fn a_new_study_keeps_the_rule_for_failures_that_it_began_with() {
    let bench = Bench::new(9, "echo 1", "");
    let text = std::fs::read_to_string(bench.path("study.toml")).unwrap();
    bench.write("study.toml", &format!("failures = \"ignore\"\n{text}"));
    bench.good(&["ask"]);
    let log = bench.good(&["export", "--format", "events"]);
    assert!(log.lines().next().unwrap().contains(r#""failures":"ignore""#), "{log}");
    bench.write("study.toml", &text);
    assert!(bench.bad(1, &["ask"]).contains("was created with a different failures"));
    bench.write("study.toml", &format!("failures = \"forget\"\n{text}"));
    let said = bench.bad(1, &["ask"]);
    assert!(said.contains("study.toml, line 1: ") && said.contains("use one of `learn`, `ignore`"), "{said}");
}

#[test]
fn many_failures_in_a_row_are_said_aloud_with_the_commonest_reason() {
    // The first two give a value; after that, every third one fails in a different way.
    let command = "sh -c 't={trial}; [ $t -lt 2 ] && echo $t && exit; [ $((t % 3)) = 0 ] && exit 3; \
                   echo oven $t is cold >&2; exit 1'";
    let bench = Bench::new(14, command, "");
    let output = bench.elbow(&["run"]);
    let said = stderr(&output);
    let warnings: Vec<&str> = said.lines().filter(|line| line.starts_with("warning: ")).collect();
    assert_eq!(
        warnings,
        [
            "warning: the last 5 trials gave no value; most often: exit code 1 (3 of 5). The latest: exit code 1: oven 5 \
             is cold. See `elbow trials --state failed,infeasible`",
            "warning: the last 10 trials gave no value; most often: exit code 1 (7 of 10). The latest: exit code 1: oven \
             11 is cold. See `elbow trials --state failed,infeasible`",
        ],
        "{said}"
    );
    let status = bench.json(&["status"]);
    let streak =
        json!({ "n_trials": 12, "reason": "exit code 1", "n_alike": 8, "latest": "exit code 1: oven 13 is cold" });
    assert_eq!(status["streak"], streak);
    let words = "the last 12 trials gave no value; most often: exit code 1 (8 of 12)";
    assert!(bench.good(&["status"]).contains(&format!("failing {words}\n")));
    assert!(bench.good(&["doctor"]).contains(words));

    // Programs read standard output, and people read the log.
    let more = Bench::new(5, "false", "");
    let output = more.elbow(&["--json", "run"]);
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told["streak"]["n_trials"], 5);
    assert!(
        stderr(&output).starts_with("warning: the last 5 trials gave no value; most often: exit code 1 (5 of 5). See")
    );
}

#[test]
fn a_study_whose_strategy_is_a_part_is_looked_at_and_told_and_an_ask_says_what_is_missing() {
    use elbowroom::batch::Plain;
    use elbowroom::study::{PartId, Parts, StrategyConfig};
    use elbowroom::{Parameter, SearchSpace, StudyConfig};

    let bench = Bench { folder: tempfile::tempdir().unwrap() };
    let part = PartId::new("acme/plain", "1").unwrap();
    let parts = Parts::new().with_strategy(part.clone(), |_| Ok(Plain::default()));
    let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)]).unwrap();
    let config = StudyConfig::new(space).strategy(StrategyConfig::foreign(part));
    let store = elbowroom_store::open(bench.path("own.elbow").to_str().unwrap()).unwrap();
    let mut study = elbowroom_store::SharedStudy::create(store, "own", config).unwrap().with_parts(&parts).unwrap();
    study.ask(2).unwrap();
    drop(study);

    assert_eq!(bench.json(&["tell", "0", "1.5", "--in", "own.elbow"])["told"], "recorded");
    let status = bench.json(&["status", "own.elbow"]);
    assert_eq!((&status["strategy"], &status["counts"]["complete"]), (&json!("acme/plain"), &json!(1)));
    assert_eq!(bench.json(&["best", "own.elbow"])["observed"]["value"], 1.5);
    assert!(bench.good(&["export", "own.elbow", "--format", "events"]).contains("acme/plain"));
    let refused: serde_json::Value =
        serde_json::from_str(&bench.bad(1, &["ask", "--in", "own.elbow", "--json"])).unwrap();
    assert_eq!(refused["kind"], "missing_part", "{refused}");
    let said = bench.bad(1, &["replay", "own.elbow"]);
    assert!(said.contains("acme/plain 1") && said.contains("try: provide it"), "{said}");
}

#[test]
fn a_study_whose_kernel_is_a_part_is_looked_at_and_told_and_an_ask_says_what_is_missing() {
    use elbowroom::gp::Matern52;
    use elbowroom::study::{KernelConfig, PartId, Parts};
    use elbowroom::{Parameter, SearchSpace, StudyConfig};

    let bench = Bench { folder: tempfile::tempdir().unwrap() };
    let part = PartId::new("acme/smooth", "1").unwrap();
    let parts = Parts::new().with_kernel(part.clone(), |_| Ok(Matern52));
    let mut config = StudyConfig::new(SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)]).unwrap()).initial(3);
    config.model.kernels = vec![KernelConfig::foreign(part)];
    let store = elbowroom_store::open(bench.path("own.elbow").to_str().unwrap()).unwrap();
    let mut study = elbowroom_store::SharedStudy::create(store, "own", config).unwrap().with_parts(&parts).unwrap();
    for value in [3.0, 2.5, 2.0, 1.75] {
        let trial = study.ask(1).unwrap().trials.remove(0);
        study.tell(&trial, value).unwrap();
    }
    study.ask(1).unwrap();
    drop(study);

    assert_eq!(bench.json(&["tell", "4", "1.5", "--in", "own.elbow"])["told"], "recorded");
    assert_eq!(bench.json(&["status", "own.elbow"])["counts"]["complete"], json!(5));
    // Without a model the best result is recommended as it is, with the reason.
    let best = bench.json(&["best", "own.elbow"]);
    assert_eq!(best["observed"]["value"], 1.5);
    assert!(best.to_string().contains("acme/smooth 1"), "{best}");
    assert!(bench.good(&["export", "own.elbow", "--format", "events"]).contains("acme/smooth"));
    let refused: serde_json::Value =
        serde_json::from_str(&bench.bad(1, &["ask", "--in", "own.elbow", "--json"])).unwrap();
    assert_eq!(refused["kind"], "missing_part", "{refused}");
    let said = bench.bad(1, &["replay", "own.elbow"]);
    assert!(said.contains("acme/smooth 1") && said.contains("try: provide it"), "{said}");
}

/// A study.toml of nine parts with these constraints.
fn nine_parts(constraints: &str) -> Bench {
    let bench = Bench::new(30, "true", "");
    let parts: String = (1..=9).map(|i| format!("x{i} = {{ float = [0, 1] }}\n")).collect();
    bench.write("study.toml", &format!("name = \"parts\"\nconstraints = [{constraints}]\n[parameters]\n{parts}"));
    bench
}

#[test]
fn a_sheet_of_mixtures_is_full_and_every_row_of_it_sums_to_one() {
    let sum = (1..=9).map(|i| format!("x{i}")).collect::<Vec<_>>().join(" + ");
    let bench = nine_parts(&format!("\"{sum} == 1\""));
    let sheet = bench.good(&["sheet", "-n", "12"]);
    let rows: Vec<Vec<f64>> =
        sheet.lines().skip(1).map(|row| row.split(',').filter_map(|cell| cell.parse().ok()).collect()).collect();
    assert_eq!(rows.len(), 12, "{sheet}");
    for row in rows {
        // The number of the trial, then the parts, which a sheet shows with six digits.
        let parts = &row[1..];
        assert!(parts.len() == 9 && (parts.iter().sum::<f64>() - 1.0).abs() < 1e-6, "{row:?}");
    }
    for trial in bench.json(&["ask", "-n", "3"])["trials"].as_array().unwrap() {
        let sum: f64 = (1..=9).map(|i| trial["point"][format!("x{i}")].as_f64().unwrap()).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{trial}");
    }
}

#[test]
fn an_ask_for_which_no_point_was_found_fails_and_says_what_was_tried() {
    // Feasible on a thin set that no random point hits, and which is not a sum of floats.
    let bench = nine_parts("\"abs(x1 * x2 - 0.25) < 1e-13\"");
    let said = bench.bad(1, &["ask"]);
    assert!(said.contains("no more free feasible point was found in 10000 random tries"), "{said}");
    let said = bench.bad(1, &["sheet", "-o", "sheet.csv"]);
    assert!(said.contains("10000 random tries") && !bench.path("sheet.csv").exists(), "{said}");
}

#[test]
fn a_study_toml_whose_space_is_empty_is_refused() {
    let bench = nine_parts("\"x1 + x2 + x3 == 1\", \"x4 >= x1 + x2 + x3 + 0.5\"");
    let said = bench.bad(1, &["ask"]);
    assert!(said.contains("no point within the parameters' ranges keeps all of"), "{said}");
}

#[test]
fn a_context_is_given_with_each_ask_and_the_best_is_shown_for_one() {
    let bench = Bench::new(9, "true", "");
    let text = std::fs::read_to_string(bench.path("study.toml")).unwrap();
    bench.write("study.toml", &format!("contexts = [\"n\"]\n{text}"));
    assert!(bench.bad(1, &["ask"]).contains("parameter `n` is observed, not chosen"));
    for trial in 0..4 {
        assert!(bench.good(&["ask", "--fix", "n=4"]).contains("n = 4"));
        bench.good(&["tell", &trial.to_string(), &format!("0.{trial}")]);
    }
    assert!(bench.bad(1, &["best", "--fix", "x=0"]).contains("parameter `n` is observed"));
    let shown = bench.good(&["best", "--fix", "n=4"]);
    assert!(shown.starts_with("recommended for these values: expected") && shown.contains("n = 4"), "{shown}");
}
