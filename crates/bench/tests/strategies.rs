//! The table of strategies: its problems, its runs from outside, and the arithmetic of its summary.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use elbowroom::design::sobol;
use elbowroom::rng::Stream;
use elbowroom::space::UnitPoint;
use elbowroom_bench::strategies::problems::{ASYNCHRONOUS, Problem, names};
use elbowroom_bench::strategies::race::race;
use elbowroom_bench::strategies::summary::{View, summary};
use elbowroom_bench::strategies::{Cell, Job, STRATEGIES, Times};

const VIEW: View = View { floor: 1e-8, is_half: false };

#[test]
fn no_point_of_a_problem_is_below_its_minimum_and_none_is_tuned_or_compared_on() {
    let tuned: BTreeSet<&str> = elbowroom_bench::problems::NAMES.into_iter().collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let peers = std::fs::read_to_string(folder.join("peers/protocol.json")).unwrap();
    for name in names() {
        let problem = Problem::named(name).unwrap();
        assert!((2..=12).contains(&problem.space.dim()) && problem.spread > 0.0, "{name}");
        let points = sobol(2000, problem.space.dim(), &Stream::new(7));
        let least = points.iter().map(|u| problem.value(&problem.space.decode(&UnitPoint::clamped(u.to_vec()))));
        assert!(least.fold(f64::INFINITY, f64::min) > problem.minimum, "{name}");
        assert!(!tuned.contains(name) && !peers.contains(&format!("\"{name}\"")), "{name}");
    }
    assert!(ASYNCHRONOUS.iter().all(|name| names().contains(name)));
}

#[test]
fn the_protocol_names_every_problem_and_strategy_and_the_evaluations_of_every_cell() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let protocol = std::fs::read_to_string(folder.join("strategies.md")).unwrap();
    for name in names().into_iter().chain(STRATEGIES) {
        assert!(protocol.contains(name), "{name}");
    }
    for cell in Cell::all() {
        let row = format!("| {} | {} | {} |", cell.times.mode(), cell.at_once, cell.evaluations);
        assert!(protocol.contains(&row), "{row}");
    }
    let asynchronous = ASYNCHRONOUS.join(", ");
    assert!(protocol.contains(&asynchronous), "{asynchronous}");
}

#[test]
fn one_point_at_a_time_all_strategies_but_one_are_the_same_rule() {
    let problem = Problem::named("banana2r").unwrap();
    let cell = Cell { times: Times::Step, at_once: 1, noise: 0.0, evaluations: 14 };
    let end = |strategy| race(&problem, &Job { problem: "banana2r".into(), cell, strategy, seed: 3 })[0];
    let expected = end("default");
    for strategy in STRATEGIES {
        assert_eq!(end(strategy) == expected, strategy != "hallucinated", "{strategy}");
    }
}

/// The rows of a file without CPU times, sorted.
fn rows(path: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let without_cpu = |line: &str| line.rsplit_once(',').unwrap().0.to_owned();
    let rows: BTreeSet<String> = text.lines().map(without_cpu).collect();
    assert_eq!(rows.len(), text.lines().count(), "no row is there twice");
    rows
}

#[test]
fn a_run_that_is_taken_up_gives_the_rows_of_one_that_was_not_stopped() {
    let folder = std::env::temp_dir().join(format!("elbowroom-bench-strategies-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (whole, resumed) = (folder.join("whole.csv"), folder.join("resumed.csv"));
    let run = |rows: &Path, threads: &str| {
        let words =
            ["--problems", "banana2r", "--at-once", "5,8", "--evaluations", "15", "--seeds", "1", "--threads", threads];
        let program = env!("CARGO_BIN_EXE_strategies");
        let output = Command::new(program).args(words).arg("--rows").arg(rows).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    // Six strategies, two noises; in step, and with eight workers and three kinds of run times.
    assert!(run(&whole, "2").starts_with("48 of 48 runs"));
    let text = std::fs::read_to_string(&whole).unwrap();
    let part: Vec<&str> = text.lines().take(20).collect();
    let cut = &text.lines().nth(20).unwrap()[..30];
    std::fs::write(&resumed, format!("{}\n{cut}", part.join("\n"))).unwrap();
    run(&resumed, "1");
    assert_eq!(rows(&whole), rows(&resumed));
    let tables = Command::new(env!("CARGO_BIN_EXE_strategies")).arg("--summary").arg("--rows").arg(&whole).output();
    let tables = String::from_utf8(tables.unwrap().stdout).unwrap();
    assert!(
        tables.contains("## In step") && tables.contains("| 8 workers, heavy times, noise 0.3 | 15 | 1 | 1 |"),
        "{tables}"
    );
    std::fs::remove_dir_all(folder).unwrap();
}

/// Two cells, default and plain. Differences by problem, means of the seeds: in the first cell 1, 2 and 3; in the second,
/// where one value lies below the floor, −0.5 and 0.5. One block lacks plain.
const ROWS: &str =
    "problem,mode,at_once,times,noise,evaluations,strategy,seed,commit,log10_regret,log10_regret_half,cpu_s
a,step,5,step,0,100,default,0,abc,0.5,1,0.1
a,step,5,step,0,100,plain,0,abc,-0.5,1,0.2
a,step,5,step,0,100,default,1,abc,1,1,0.1
a,step,5,step,0,100,plain,1,abc,0,1,0.2
b,step,5,step,0,100,default,0,abc,0,1,0.1
b,step,5,step,0,100,plain,0,abc,-1,1,0.2
b,step,5,step,0,100,default,1,abc,0,1,0.1
b,step,5,step,0,100,plain,1,abc,-3,1,0.2
c,step,5,step,0,100,default,0,abc,-1,1,0.1
c,step,5,step,0,100,plain,0,abc,-4,1,0.2
c,step,5,step,0,100,default,1,abc,9,1,0.1
a,async,8,heavy,0.3,60,default,0,abc,-2,1,0.3
a,async,8,heavy,0.3,60,plain,0,abc,-1.5,1,0.4
b,async,8,heavy,0.3,60,default,0,abc,-7.5,1,0.3
b,async,8,heavy,0.3,60,plain,0,abc,-12,1,0.4
";

#[test]
fn the_summary_has_the_means_intervals_and_p_values_that_one_works_out_by_hand() {
    let tables = summary(ROWS, VIEW).unwrap();
    let line = |start: &str| tables.lines().find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("{tables}"));
    // The default's means by problem are 0.75, 0 and −1, with a mean of −0.083. Differences: mean 2, standard error
    // 1/√3, times 4.302653 is 2.484; p = 1 − √(12/14) = 0.0742 with two degrees of freedom, twice that by Holm.
    let step = "| q = 5, noise 0 | 100 | 3 | 5 | −0.083 |  |  |  |  | +2.000 ± 2.484 (0.148) | plain +2.000 |";
    assert_eq!(line("| q = 5,"), step);
    // Mean 0, standard error 0.5, times 12.706205; p = 1.
    let workers = "| 8 workers, heavy times, noise 0.3 | 60 | 2 | 2 | −4.750 |  |  |  |  | +0.000 ± 6.353 (1.000) | plain +0.000 |";
    assert_eq!(line("| 8 workers,"), workers);
    assert!(tables.contains("significantly worse than plain (Holm over 2 cells, 0.05): none."), "{tables}");
    assert!(tables.contains("worse than plain by more than 0.1: q = 5, noise 0."), "{tables}");
    assert!(tables.contains("| async | plain | 2 | 0.400 |"), "{tables}");
    let half = summary(ROWS, View { is_half: true, ..VIEW }).unwrap();
    assert!(half.contains("| q = 5, noise 0 | 100 | 3 | 5 | 1.000 |  |  |  |  | +0.000 ± 0.000 (1.000) |"), "{half}");
}

#[test]
fn rows_of_other_commits_are_counted_and_not_compared() {
    // A block of another engine, in which the default loses by far, and half of a block that it would complete.
    let others = "d,step,5,step,0,100,default,0,def,5,1,0.1
d,step,5,step,0,100,plain,0,def,-5,1,0.1
c,step,5,step,0,100,plain,1,def,-5,1,0.1
";
    let tables = summary(&format!("{ROWS}{others}"), VIEW).unwrap();
    let own = summary(ROWS, VIEW).unwrap();
    assert!(tables.contains("15 rows of abc; 3 of def are left out."), "{tables}");
    let below = |text: &str| text.split_once("## In step").unwrap().1.to_owned();
    assert_eq!(below(&tables), below(&own));
}

#[test]
fn a_line_that_is_no_row_is_named() {
    let error = summary("head\na,step,5,step,0,100,default,0,abc,low,0,0\n", VIEW).unwrap_err();
    assert!(error.starts_with("line 2 is no row of this table"), "{error}");
}
