//! Pools: drawn ones, and ones read from files.

use elbowroom_bench::pools::race::{BATCH, BUDGET, race};
use elbowroom_bench::pools::{data, summary, tuning};

#[test]
fn drawn_pools_have_a_fitting_size_and_are_the_same_each_time() {
    for kind in tuning::KINDS {
        let pool = tuning::drawn(kind, 0);
        assert!((300..=20_000).contains(&pool.len()), "{}: {}", pool.name, pool.len());
        assert_eq!(pool.len() as u128, pool.space.n_points().unwrap());
        assert_eq!(pool.best().to_bits(), tuning::drawn(kind, 0).best().to_bits());
        assert_eq!(pool.regret(pool.best()), 0.0);
    }
}

#[test]
fn a_pool_for_other_programs_has_a_row_for_each_point() {
    let pool = tuning::drawn("few", 1);
    let text = pool.to_csv();
    let (header, rows) = text.split_once('\n').unwrap();
    // The product of the numbers of levels is the number of points.
    let levels = header.split(',').filter_map(|name| name.get(1..)?.parse::<usize>().ok());
    assert_eq!((levels.product::<usize>(), rows.lines().count()), (pool.len(), pool.len()));
    let value = |row: &str| row.rsplit(',').next().unwrap().parse::<f64>().unwrap();
    assert_eq!(rows.lines().map(value).fold(f64::NEG_INFINITY, f64::max), pool.best());
}

#[test]
fn a_race_measures_fifty_points_and_its_best_never_falls() {
    let pool = tuning::drawn("pests", 1);
    for method in ["random", "elbowroom+initial=5"] {
        let curve = race(&pool, method, 0);
        assert_eq!(curve.len(), BUDGET / BATCH);
        assert!(curve.is_sorted(), "{method}: {curve:?}");
        assert_eq!(curve, race(&pool, method, 0));
    }
}

#[test]
fn a_table_of_candidates_is_a_pool_in_which_only_its_rows_are_tried() {
    let folder = std::env::temp_dir().join(format!("elbowroom-bench-candidates-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("hplc")).unwrap();
    let row = |i: i32| format!("{},{},{}\n", f64::from(i).sin(), i % 7, i);
    // The last one is measured twice, and has the mean of its values.
    let lines: String = (0..60).map(row).chain([format!("{},{},69\n", 59f64.sin(), 59 % 7)]).collect();
    std::fs::write(folder.join("hplc/hplc.csv"), format!("loop,volume,peak\n{lines}")).unwrap();
    let pool = data::read(&folder, "hplc").unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!((pool.len(), pool.space.dim(), pool.best()), (60, 2, 64.0));
    // A point without a row would cost nothing, and the race would not end: fifty of sixty rows are measured.
    assert_eq!(race(&pool, "elbowroom", 0).len(), BUDGET / BATCH);
}

#[test]
fn a_table_of_reactions_is_read_as_a_pool_and_what_is_wrong_is_said_with_its_file() {
    let folder = std::env::temp_dir().join(format!("elbowroom-bench-pools-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("DreherDoyle.csv");
    let header = "ligand,additive,base,aryl halide,rxn,yield\n";
    std::fs::write(&path, format!("{header}L,A,B,H,r,10\nL,A,B,H,r,20\nM,A,C,H,r,70.5\n")).unwrap();
    let pool = data::read(&folder, "buchwald").unwrap();
    // Measured twice: the mean.
    assert_eq!((pool.len(), pool.space.dim(), pool.best()), (2, 2, 70.5));
    std::fs::write(&path, format!("{header}L,A,B,H,r,much\n")).unwrap();
    assert!(data::read(&folder, "buchwald").unwrap_err().contains("DreherDoyle.csv: \"much\" is not a number"));
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(data::read(&folder, "buchwald").unwrap_err().contains("--data"));
    assert!(data::read(&folder, "nylon").unwrap_err().contains("take one of arylation"));
    assert!(summary::edbo(&folder).is_err());
}
