//! Files of rows from which runs are resumed.

use std::time::Instant;

use elbowroom_bench::rows::Rows;

#[test]
fn a_row_that_was_cut_off_is_run_again_and_no_run_begins_after_the_last_moment() {
    let path = std::env::temp_dir().join(format!("elbowroom-bench-rows-{}.csv", std::process::id()));
    let path = path.to_str().unwrap();
    // The second row lost its end; what is left of it could be read as a number.
    std::fs::write(path, "job,commit,square,cube\n2,abc,4,8\n3,abc,9,2").unwrap();
    let open = || Rows::open(path, &["job"], &["square", "cube"]);
    let run = |rows: Rows| rows.run(&[2.0f64, 3.0], 1, |job| job.to_string(), |job| vec![job * job, job.powi(3)]);
    assert_eq!(run(open().until(Some(Instant::now()))).len(), 1);
    assert_eq!(run(open())["3"], [9.0, 27.0]);
    let text = std::fs::read_to_string(path).unwrap();
    assert_eq!(text.lines().count(), 3, "{text}");
    assert!(text.lines().nth(2).unwrap().starts_with("3,") && text.ends_with(",9,27\n"), "{text}");
    std::fs::remove_file(path).unwrap();
}
