//! Test functions: their values compared with independent ones, and their minima with all other evidence.

use elbowroom::design::{sobol, uniform};
use elbowroom::problems::{COSINES_LIPSCHITZ, COSINES_WIDE_LIPSCHITZ, Problem};
use elbowroom::rng::Stream;

/// Name, value, coordinates: four points per problem, from formulas reimplemented in mpmath (40 digits).
const VALUES: &str = include_str!("data/problems_values.txt");

/// Whether a problem has no kink at its minimum.
fn is_smooth(problem: &Problem) -> bool {
    !(problem.name.starts_with("gsobol") || problem.name.starts_with("ackley"))
}

fn all_and_shifted() -> Vec<Problem> {
    let all = Problem::all();
    let shifted: Vec<Problem> = (0..3)
        .flat_map(|k| all.iter().map(move |p| p.shifted(&mut Stream::new(k).child(&p.name, 0))).collect::<Vec<_>>())
        .collect();
    all.into_iter().chain(shifted).collect()
}

fn scale_to_box(unit: &[f64], problem: &Problem) -> Vec<f64> {
    unit.iter().zip(&problem.bounds).map(|(u, (low, high))| low + u * (high - low)).collect()
}

#[test]
fn values_are_those_of_an_independent_implementation() {
    for line in VALUES.lines() {
        let (name, numbers) = line.split_once(' ').unwrap();
        let numbers: Vec<f64> = numbers.split(' ').map(|word| word.parse().unwrap()).collect();
        let (expected, x) = numbers.split_first().unwrap();
        let value = Problem::by_name(name).unwrap().value(x);
        // A cosine at 600 or a polynomial of degree 8 magnifies the rounding of its argument some hundred times.
        assert!((value - expected).abs() <= 1e-12 * (1.0 + expected.abs()), "{name} at {x:?}: {value} not {expected}");
    }
}

#[test]
fn the_value_at_every_minimizer_is_the_minimum() {
    for problem in all_and_shifted() {
        assert!(!problem.minimizers.is_empty(), "{}", problem.name);
        for x in &problem.minimizers {
            // Moving and moving back rounds a coordinate by some 1e-14, to which the kink of Ackley's function adds a
            // factor of 4 and Shekel's curvature nothing.
            let gap = (problem.value(x) - problem.minimum).abs();
            assert!(gap <= 1e-12 * (1.0 + problem.minimum.abs()), "{} at {x:?}: off by {gap:e}", problem.name);
        }
    }
}

#[test]
fn every_minimizer_is_inside_the_box() {
    for problem in all_and_shifted() {
        for x in &problem.minimizers {
            assert_eq!(x.len(), problem.dim());
            assert!(x.iter().zip(&problem.bounds).all(|(x, (low, high))| low < x && x < high), "{}", problem.name);
        }
    }
}

#[test]
fn the_gradient_vanishes_at_smooth_minimizers() {
    for problem in all_and_shifted().iter().filter(|p| is_smooth(p)) {
        for x in &problem.minimizers {
            for i in 0..problem.dim() {
                // Central differences: what remains is rounding (1e-15 of the value over the step) and the third
                // derivative times step². The step is relative to the curvature, so that a relative bound makes sense.
                let h = 1e-5;
                let at = |t: f64| {
                    let mut moved = x.clone();
                    moved[i] += t;
                    problem.value(&moved)
                };
                let slope = (at(h) - at(-h)) / (2.0 * h);
                let curvature = ((at(h) - problem.minimum) + (at(-h) - problem.minimum)) / (h * h);
                // A slope s moves the minimum by s/curvature: below 1e-7 is 100 times nearer than the step.
                assert!(slope.abs() < 1e-7 * curvature.max(1.0), "{} at {x:?}: {slope:e}, {curvature}", problem.name);
            }
        }
    }
}

#[test]
fn no_point_of_the_box_is_below_the_minimum() {
    for problem in all_and_shifted() {
        let mut stream = Stream::new(4).child(&problem.name, 1);
        let (even, random) = (sobol(10_000, problem.dim(), &stream), uniform(10_000, problem.dim(), &mut stream));
        for unit in even.iter().chain(random.iter()) {
            let x = scale_to_box(unit, &problem);
            assert!(problem.value(&x) >= problem.minimum, "{} at {x:?}", problem.name);
        }
    }
}

#[test]
fn a_shift_keeps_the_bounds_and_the_minimum_and_moves_the_optimum_inside() {
    for problem in Problem::all() {
        for seed in 0..20 {
            let shifted = problem.shifted(&mut Stream::new(seed));
            assert_eq!(shifted.bounds, problem.bounds);
            assert_eq!(shifted.minimum, problem.minimum);
            assert_eq!(shifted.name, format!("{}_shifted", problem.name));
            for x in &shifted.minimizers {
                assert!(!problem.minimizers.contains(x));
            }

            let again = shifted.shifted(&mut Stream::new(seed + 100));
            assert_eq!(again.name, shifted.name);
            assert!(!again.minimizers.is_empty());
        }
    }
}

#[test]
fn the_same_stream_shifts_the_same_way() {
    let shifted = |seed| Problem::hartmann6().shifted(&mut Stream::new(seed)).minimizers;
    assert_eq!(shifted(1), shifted(1));
    assert_ne!(shifted(1), shifted(2));
}

#[test]
fn a_shifted_function_is_the_function_elsewhere() {
    let problem = Problem::levy(3);
    let shifted = problem.shifted(&mut Stream::new(8));
    let shift: Vec<f64> = shifted.minimizers[0].iter().map(|m| m - 1.0).collect();
    for unit in uniform(100, 3, &mut Stream::new(1)).iter() {
        let x = scale_to_box(unit, &problem);
        let moved: Vec<f64> = x.iter().zip(&shift).map(|(x, s)| x + s).collect();
        assert!((shifted.value(&moved) - problem.value(&x)).abs() < 1e-11 * (1.0 + problem.value(&x)));
    }
}

#[test]
fn gsobol_is_1_5_to_the_d_at_the_centre_and_2_to_the_minus_d_at_its_lowest() {
    for d in [1, 2, 5, 10] {
        let problem = Problem::gsobol(d);
        assert_eq!(problem.value(&vec![0.0; d]), 1.5f64.powi(d as i32));
        assert_eq!(problem.minimum, 1.0 / (1u64 << d) as f64);
    }
}

#[test]
fn michalewicz_minima_are_those_of_the_literature_and_of_arbitrary_precision() {
    // Sums of one-dimensional minima over all lobes, by bisection in mpmath with 40 digits; for d = 2, 5 and 10 the
    // literature has −1.8013, −4.687658 and −9.66015.
    for (d, expected) in [
        (1, -0.8013034100985525),
        (2, -1.8013034100985525),
        (3, -2.7603946799945587),
        (5, -4.687658179088146),
        (10, -9.66015171564134),
        (20, -19.637013599349423),
    ] {
        let minimum = Problem::michalewicz(d).minimum;
        assert!((minimum - expected).abs() < 1e-14 * d as f64, "{d}: {minimum}");
    }
}

#[test]
fn the_lipschitz_constants_of_cosines_are_reached_and_not_exceeded() {
    // The slope in one coordinate, differentiated by hand: 1.6(2u + 0.9π sin 3πu) with u = 1.6x − ½.
    let slope = |x: f64| {
        let u = 1.6 * x - 0.5;
        1.6 * (2.0 * u + 0.9 * std::f64::consts::PI * (3.0 * std::f64::consts::PI * u).sin())
    };
    // At an inner peak the nearest point of the grid, at most h/2 away, is lower by √2 |slope''| h²/8 < 2e-9 (h = 1e-5 on
    // the wide box, |slope''| < 1.6³·9π²·0.9π).
    for (problem, constant) in
        [(Problem::cosines(), COSINES_LIPSCHITZ), (Problem::cosines_wide(), COSINES_WIDE_LIPSCHITZ)]
    {
        let high = problem.bounds[0].1;
        let n = 500_000;
        let steepest = (0..=n).map(|k| slope(high * k as f64 / n as f64).abs()).fold(0.0, f64::max);
        let norm = steepest * 2.0f64.sqrt();
        assert!(norm <= constant * (1.0 + 1e-15) && norm > constant - 1e-8, "{norm} {constant}");
    }
    // Close to the number that the paper prints, 8.808636, is a point where one coordinate only is at its steepest.
    // (Zeros of the second derivative, found with mpmath.)
    let local = slope(0.8383151064482003).hypot(slope(0.20335156021846637));
    assert!((local - 8.808636).abs() < 1.3e-5 && local < COSINES_LIPSCHITZ, "{local}");
}

#[test]
fn every_problem_is_found_by_its_name() {
    for problem in Problem::all() {
        let found = Problem::by_name(&problem.name).unwrap();
        assert_eq!((found.name, found.minimizers), (problem.name, problem.minimizers));
    }
}

#[test]
fn an_unknown_name_is_an_error_that_lists_the_known_ones() {
    let error = Problem::by_name("brannin").unwrap_err().to_string();
    assert!(error.contains("`brannin`") && error.contains("branin, ") && error.contains("ackley5"), "{error}");
    for name in ["", "5", "ackley", "ackley0", "rosenbrock1", "levy99999999999999999999", "hartmann4", "shekel6"] {
        assert!(Problem::by_name(name).is_err(), "{name}");
    }
}

#[test]
fn no_two_problems_share_a_name() {
    let mut names: Vec<String> = Problem::all().into_iter().map(|p| p.name).collect();
    let n = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), n);
}
