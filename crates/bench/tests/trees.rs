//! Random trees.

use elbowroom::domain::Domain;
use elbowroom::rng::Stream;
use elbowroom_bench::trees::drawn::{FUNCTIONS, SHAPES, drawn};
use elbowroom_bench::trees::race::{AT, race};

/// The median that a tree's scale is based on also holds for other random searches.
#[test]
fn a_regret_of_one_is_where_half_of_random_searches_end() {
    for shape in SHAPES {
        for function in FUNCTIONS {
            let tree = drawn(shape, function, 9);
            assert!(tree.space.is_conditional() || shape == "stages", "{}", tree.name);
            let (domain, mut draw) = (Domain::whole(&tree.space), Stream::new(4));
            let mut search = || {
                let values = (0..60).map(|_| tree.regret(tree.value(&domain.sample(&mut draw))));
                values.fold(f64::INFINITY, f64::min)
            };
            let n_below = (0..200).filter(|_| search() < 1.0).count();
            // Half of 200, with a standard error of 7, and another one of 10 since the median itself comes from 101
            // searches.
            assert!((50..=150).contains(&n_below), "{}: {n_below}", tree.name);
        }
    }
}

#[test]
fn the_same_name_is_the_same_tree_and_the_same_search_and_a_regret_never_rises_without_noise() {
    let search = |function: &str| race(&drawn("deep", function, 3), "random", 5);
    for function in ["bowl", "wave"] {
        let curve = search(function);
        assert_eq!(curve, search(function));
        assert_eq!(curve.len(), AT.len());
        assert!(curve.windows(2).all(|pair| pair[1] <= pair[0]) && curve[2] >= 0.0, "{curve:?}");
    }
}
