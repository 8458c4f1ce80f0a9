//! Designs: compared with scipy, and with the properties that their definitions promise.

use elbowroom::design::{SOBOL_TABLE_DIM, Sobol, latin_hypercube, sobol, uniform};
use elbowroom::linalg::Points;
use elbowroom::rng::Stream;

/// The first 16 points in 10 dimensions of scipy 1.17.1, `scipy.stats.qmc.Sobol(10, scramble=False).random(16)`.
const SCIPY: &str = include_str!("data/design_sobol.txt");

#[test]
fn unscrambled_sobol_points_are_those_of_scipy() {
    let mut sequence = Sobol::unscrambled(10);
    let mut x = [0.0; 10];
    for line in SCIPY.lines() {
        let expected: Vec<f64> = line.split(' ').map(|word| word.parse().unwrap()).collect();
        sequence.next_into(&mut x);
        assert_eq!(x, expected[..]);
    }
}

#[test]
fn unscrambled_sobol_points_are_those_of_scipy_far_out_in_index_and_dimension() {
    // scipy 1.17.1, qmc.Sobol(1024, scramble=False) after fast_forward(index): (index, coordinate from 0, value).
    for (index, coordinate, expected) in [
        (1, 999, 0.5),
        (5, 100, 0.125),
        (5, 500, 0.875),
        (5, 767, 0.375),
        (5, 999, 0.625),
        (5, 1023, 0.375),
        (777, 100, 0.8427734375),
        (777, 500, 0.8701171875),
        (777, 767, 0.8076171875),
        (777, 999, 0.3837890625),
        (777, 1023, 0.4521484375),
        (12345, 100, 0.53948974609375),
        (12345, 500, 0.30255126953125),
        (12345, 767, 0.88726806640625),
        (12345, 999, 0.13104248046875),
        (12345, 1023, 0.57708740234375),
        (1000003, 100, 0.7894201278686523),
        (1000003, 500, 0.2814970016479492),
        (1000003, 767, 0.4477262496948242),
        (1000003, 999, 0.039755821228027344),
        (1000003, 1023, 0.048842430114746094),
    ] {
        let mut sequence = Sobol::unscrambled(SOBOL_TABLE_DIM);
        let mut x = vec![0.0; SOBOL_TABLE_DIM];
        sequence.skip(index);
        sequence.next_into(&mut x);
        assert_eq!(x[coordinate], expected, "index {index}, coordinate {coordinate}");
    }
}

#[test]
fn skipping_is_the_same_as_walking() {
    let dim = SOBOL_TABLE_DIM + 2;
    let walked = sobol(200, dim, &Stream::new(5));
    let mut sequence = Sobol::scrambled(dim, &Stream::new(5));
    let mut x = vec![0.0; dim];
    for (from, step) in [(0, 0), (1, 6), (8, 55), (64, 64), (129, 70)] {
        sequence.skip(step);
        sequence.next_into(&mut x);
        assert_eq!(x, walked.row(from + step as usize));
    }
}

#[test]
fn after_its_last_point_the_sequence_begins_again() {
    let mut sequence = Sobol::scrambled(4, &Stream::new(5));
    let (mut first, mut again) = ([0.0; 4], [0.0; 4]);
    sequence.next_into(&mut first);
    sequence.skip((1 << 52) - 2);
    sequence.next_into(&mut again);
    sequence.next_into(&mut again);
    assert_eq!(first, again);
}

/// How many points lie in each of `n` equal intervals of a coordinate.
fn counts(points: &Points, coordinate: usize, n: usize) -> Vec<usize> {
    let mut counts = vec![0; n];
    for x in points.iter() {
        counts[(x[coordinate] * n as f64) as usize] += 1;
    }
    counts
}

#[test]
fn the_first_2_to_the_m_scrambled_points_visit_each_interval_of_each_coordinate_once() {
    // Also beyond the table of direction numbers.
    let dim = SOBOL_TABLE_DIM + 20;
    for m in [0, 1, 4, 8] {
        let n = 1 << m;
        let points = sobol(n, dim, &Stream::new(m as u64));
        for j in 0..dim {
            assert_eq!(counts(&points, j, n), vec![1; n], "coordinate {j}");
        }
    }
}

#[test]
fn the_first_two_coordinates_are_a_net_in_base_2_after_scrambling() {
    // Sobol's first two coordinates form a (0, 2)-sequence, and scrambling keeps it one: of 2^m points each
    // 2^a × 2^(m−a) rectangle holds exactly one.
    let m = 8;
    let points = sobol(1 << m, 2, &Stream::new(11));
    for a in 0..=m {
        let (rows, columns) = (1usize << a, 1usize << (m - a));
        let mut seen = vec![false; rows * columns];
        for x in points.iter() {
            let cell = (x[0] * rows as f64) as usize * columns + (x[1] * columns as f64) as usize;
            assert!(!std::mem::replace(&mut seen[cell], true));
        }
    }
}

#[test]
fn coordinates_beyond_the_table_are_uncorrelated() {
    // The correlation of n independent pairs has standard deviation 1/√n = 1/32; none of the 190 pairs goes beyond 5.
    let n = 1024;
    let points = sobol(n, SOBOL_TABLE_DIM + 20, &Stream::new(2));
    let column = |j: usize| points.iter().map(|x| x[SOBOL_TABLE_DIM + j] - 0.5).collect::<Vec<f64>>();
    for j in 0..20 {
        for k in 0..j {
            let sum: f64 = column(j).iter().zip(column(k)).map(|(a, b)| a * b).sum();
            assert!((12.0 * sum / n as f64).abs() < 5.0 / 32.0, "{j} {k}: {sum}");
        }
    }
}

#[test]
fn scrambled_points_are_uniform_over_streams() {
    // Each point of the sequence by itself is uniform: mean ½, variance 1/12 over many streams, within 5 deviations.
    let n = 4000;
    for index in [0, 1, 6] {
        let values: Vec<f64> = (0..n).map(|seed| sobol(7, 3, &Stream::new(seed)).row(index)[2]).collect();
        let mean = values.iter().sum::<f64>() / n as f64;
        let variance = values.iter().map(|v| (v - 0.5).powi(2)).sum::<f64>() / n as f64;
        let root_n = (n as f64).sqrt();
        assert!((mean - 0.5).abs() < 5.0 * (1.0f64 / 12.0).sqrt() / root_n);
        assert!((variance - 1.0 / 12.0).abs() < 5.0 * (1.0f64 / 180.0).sqrt() / root_n);
    }
}

#[test]
fn scrambled_points_are_never_at_an_edge_or_at_the_centre() {
    for seed in 0..50 {
        for x in sobol(256, 5, &Stream::new(seed)).as_slice() {
            assert!(*x > 0.0 && *x < 1.0 && *x != 0.5);
        }
    }
}

#[test]
fn sobol_points_integrate_a_smooth_function_far_better_than_uniform_ones() {
    // ∏ (1 + (xᵢ − ½)) has the integral 1. With n points the error of uniform ones is about
    // √((13/12)⁵ − 1)/√n = 0.011; scrambled nets gain at least a factor of order √n up to logarithms.
    let (n, dim, seeds) = (4096, 5, 20);
    let error = |points: &Points| {
        let mean = points.iter().map(|x| x.iter().map(|x| x + 0.5).product::<f64>()).sum::<f64>() / n as f64;
        (mean - 1.0).powi(2)
    };
    let quasi: f64 = (0..seeds).map(|s| error(&sobol(n, dim, &Stream::new(s)))).sum();
    let plain: f64 = (0..seeds).map(|s| error(&uniform(n, dim, &mut Stream::new(s)))).sum();
    assert!(quasi.sqrt() < 0.05 * plain.sqrt(), "{} {}", quasi.sqrt(), plain.sqrt());
}

#[test]
fn a_sobol_coordinate_does_not_depend_on_how_many_others_there_are() {
    let (few, many) = (sobol(10, 3, &Stream::new(1)), sobol(10, 30, &Stream::new(1)));
    for i in 0..10 {
        assert_eq!(few.row(i), &many.row(i)[..3]);
    }
}

#[test]
fn a_latin_hypercube_has_one_point_in_every_stratum_of_every_coordinate() {
    for n in [1, 2, 7, 100] {
        let points = latin_hypercube(n, 6, &mut Stream::new(n as u64));
        for j in 0..6 {
            assert_eq!(counts(&points, j, n), vec![1; n]);
        }
    }
}

#[test]
fn the_same_stream_gives_the_same_points_and_another_stream_others() {
    let root = Stream::new(9);
    let (a, b) = (root.child("a", 0), root.child("b", 0));

    assert_eq!(sobol(20, 4, &a), sobol(20, 4, &a));
    assert_ne!(sobol(20, 4, &a), sobol(20, 4, &b));

    assert_eq!(latin_hypercube(20, 4, &mut a.clone()), latin_hypercube(20, 4, &mut a.clone()));
    assert_ne!(latin_hypercube(20, 4, &mut a.clone()), latin_hypercube(20, 4, &mut b.clone()));

    assert_eq!(uniform(20, 4, &mut a.clone()), uniform(20, 4, &mut a.clone()));
    assert_ne!(uniform(20, 4, &mut a.clone()), uniform(20, 4, &mut b.clone()));
}

#[test]
fn no_points_and_one_dimension_are_fine() {
    let mut stream = Stream::new(0);
    for dim in [1, 3] {
        for n in [0, 1, 3] {
            for points in [sobol(n, dim, &stream), latin_hypercube(n, dim, &mut stream), uniform(n, dim, &mut stream)] {
                assert_eq!((points.len(), points.dim()), (n, dim));
            }
        }
    }
}
