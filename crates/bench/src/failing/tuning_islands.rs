//! Problems whose feasible points lie apart or along a curve, on which rules for failures are chosen.
//!
//! Several parts of different size with the best value not in the largest, thin curved bands, a checkerboard, and
//! categories one of whose levels is the best but fails in most of its range. Nothing is chosen on those of
//! [`islands`](super::islands), which share no formula with these.

use elbowroom::space::{Parameter, Point};

use super::problems::{FailingProblem, number, numbers, text};

/// All of them.
pub fn all() -> Vec<FailingProblem> {
    of_numbers().into_iter().chain(of_more_numbers()).chain(of_levels()).collect()
}

/// Floats from 0 to 1.
pub(super) fn unit(names: &[&str]) -> Vec<Parameter> {
    names.iter().map(|name| Parameter::float(*name, 0.0, 1.0)).collect()
}

/// The squared distance of a point's numbers from a centre.
pub(super) fn squared(p: &Point, centre: &[f64]) -> f64 {
    numbers(p).iter().zip(centre).map(|(x, c)| (x - c) * (x - c)).sum()
}

fn of_numbers() -> Vec<FailingProblem> {
    let region = FailingProblem::with_region;
    vec![
        // Four discs; the best well is not in the largest.
        region(
            "four_discs",
            unit(&["x", "y"]),
            |p| (squared(p, &[0.3, 0.35]) + 0.08).min(1.5 * squared(p, &[0.8, 0.8])),
            |p| !in_discs(p, &[[0.3, 0.35, 0.25], [0.8, 0.8, 0.12], [0.8, 0.2, 0.1], [0.15, 0.85, 0.1]]),
            0.0,
        ),
        // Three discs along a slope; the best point is on the border of the smallest.
        region(
            "slope_discs",
            unit(&["x", "y"]),
            |p| -number(p, "x") - 0.3 * number(p, "y"),
            |p| !in_discs(p, &[[0.25, 0.5, 0.22], [0.85, 0.25, 0.09], [0.6, 0.85, 0.12]]),
            -0.925 - 0.09 * 1.044_030_650_891_055,
        ),
        // Two rooms with a wall between them; the second is a quarter of the first.
        region(
            "rooms",
            unit(&["x", "y", "z"]),
            |p| squared(p, &[0.85, 0.8, 0.3]),
            |p| {
                let (x, y) = (number(p, "x"), number(p, "y"));
                x > 0.4 && (x < 0.65 || y < 0.55)
            },
            0.0,
        ),
        region(
            "ring",
            unit(&["x", "y"]),
            |p| -number(p, "x") - 0.5 * number(p, "y"),
            |p| {
                let r = squared(p, &[0.5, 0.5]).sqrt();
                !(0.3..=0.4).contains(&r)
            },
            // At the distance of 0.4 in the direction of the slope, whose length is √1.25.
            -0.75 - 0.4 * 1.118_033_988_749_895,
        ),
        region(
            "banana",
            unit(&["x", "y"]),
            |p| (number(p, "x") - 0.95).powi(2) + 0.5 * (number(p, "y") - 0.717).powi(2),
            |p| (number(p, "y") - 0.15 - 2.8 * (number(p, "x") - 0.5).powi(2)).abs() > 0.06,
            0.0,
        ),
        // Two turns of a spiral; the best point is on the outer one.
        region(
            "spiral",
            unit(&["x", "y"]),
            |p| squared(p, &[0.761, 0.643]),
            |p| {
                let (x, y) = (number(p, "x") - 0.5, number(p, "y") - 0.5);
                let (r, turn) = (x.hypot(y), y.atan2(x).rem_euclid(std::f64::consts::TAU));
                [0.0, 1.0].iter().all(|n| (r - 0.06 - 0.035 * (turn + n * std::f64::consts::TAU)).abs() > 0.045)
            },
            0.0,
        ),
        region(
            "checkers",
            unit(&["x", "y"]),
            |p| (squared(p, &[0.15, 0.1]) + 0.05).min(squared(p, &[0.62, 0.65])),
            |p| ((4.0 * number(p, "x")).floor() + (4.0 * number(p, "y")).floor()) % 2.0 != 0.0,
            0.0,
        ),
    ]
}

fn of_more_numbers() -> Vec<FailingProblem> {
    let region = FailingProblem::with_region;
    vec![
        // Diagonal bands in two of four dimensions.
        region(
            "stripes4",
            unit(&["a", "b", "c", "d"]),
            |p| squared(p, &[0.85, 0.75, 0.3, 0.6]),
            |p| (2.0 * (number(p, "a") + number(p, "b"))).fract() > 0.5,
            0.0,
        ),
        // Two corners of five dimensions, and a well in each.
        region(
            "corners5",
            unit(&["a", "b", "c", "d", "e"]),
            |p| (squared(p, &[0.25; 5]) + 0.1).min(squared(p, &[0.8; 5])),
            |p| {
                let sum: f64 = numbers(p).iter().sum();
                sum > 2.2 && (sum < 3.2 || number(p, "a") < 0.5)
            },
            0.0,
        ),
    ]
}

/// Whether a point is in one of some discs, each with its centre and radius.
pub(super) fn in_discs(p: &Point, discs: &[[f64; 3]]) -> bool {
    discs.iter().any(|[x, y, r]| squared(p, &[*x, *y]) < r * r)
}

fn of_levels() -> Vec<FailingProblem> {
    let region = FailingProblem::with_region;
    let with = |parameter: Parameter, names: &[&str]| [vec![parameter], unit(names)].concat();
    vec![
        // The best of four levels gives values in an eighth of its range.
        region(
            "switch",
            with(Parameter::category("mode", ["a", "b", "c", "d"]), &["x", "y"]),
            |p| match text(p, "mode") {
                "a" => 0.3 + squared(p, &[0.4, 0.3]),
                "b" => 0.35 + squared(p, &[0.2, 0.8]),
                "c" => 0.25 + squared(p, &[0.5, 0.5]),
                _ => squared(p, &[0.75, 0.75]),
            },
            |p| {
                let (x, y) = (number(p, "x"), number(p, "y"));
                text(p, "mode") == "d" && !((0.6..0.9).contains(&x) && (0.55..0.95).contains(&y))
            },
            0.0,
        ),
        // The best gear works from 15 teeth on, and slowly.
        region(
            "gear",
            vec![
                Parameter::category("gear", ["low", "middle", "high"]),
                Parameter::int("teeth", 1, 20),
                Parameter::float("speed", 0.0, 1.0),
            ],
            |p| {
                let (teeth, speed) = (number(p, "teeth"), number(p, "speed"));
                match text(p, "gear") {
                    "low" => 0.2 + ((teeth - 8.0) / 10.0).powi(2) + (speed - 0.6).powi(2),
                    "middle" => 0.15 + ((teeth - 6.0) / 10.0).powi(2) + (speed - 0.5).powi(2),
                    _ => ((teeth - 17.0) / 10.0).powi(2) + (speed - 0.3).powi(2),
                }
            },
            |p| text(p, "gear") == "high" && (number(p, "teeth") < 15.0 || number(p, "speed") > 0.5),
            0.0,
        ),
        // Two of five levels always fail, and the best one in half of its range.
        region(
            "modes",
            with(Parameter::category("mode", ["a", "b", "c", "d", "e"]), &["x", "y", "z"]),
            |p| match text(p, "mode") {
                "a" => 0.1 + squared(p, &[0.3, 0.3, 0.5]),
                "b" => 0.15 + squared(p, &[0.5, 0.2, 0.7]),
                _ => squared(p, &[0.8, 0.7, 0.4]),
            },
            |p| match text(p, "mode") {
                "a" | "b" => false,
                "c" => number(p, "x") + number(p, "y") < 1.25,
                _ => true,
            },
            0.0,
        ),
    ]
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use elbowroom::rng::Stream;
    use elbowroom::space::UnitPoint;

    /// Asserts that the given points have the best values of their problems, to 10⁻⁶, that none of many random points is
    /// better, and that a part of each space fails.
    pub fn check(problems: &[FailingProblem], best: &[(&str, Point)]) {
        assert_eq!(problems.len(), best.len());
        for (problem, (name, point)) in problems.iter().zip(best) {
            assert_eq!(problem.name, *name);
            let point = problem.space.check(point).expect("a point of the space");
            let value = problem.evaluate(&point, 0, 0).unwrap_or_else(|| panic!("{name} fails at its best point"));
            assert!((value - problem.best).abs() < 1e-6, "{name}: {value:?}, {:?}", problem.best);
            let (mut failed, mut draw) = (0, Stream::new(1));
            for _ in 0..20_000 {
                let mut u: Vec<f64> = (0..problem.space.dim()).map(|_| draw.uniform()).collect();
                problem.space.snap(&mut u);
                match problem.evaluate(&problem.space.decode(&UnitPoint::clamped(u)), 0, 0) {
                    Some(value) => assert!(value >= problem.best - 1e-12, "{name}: {value:?}"),
                    None => failed += 1,
                }
            }
            let share = f64::from(failed) / 20_000.0;
            assert!((0.1..0.9).contains(&share), "{name}: {share}");
        }
    }

    /// A point of numbers.
    pub fn at(numbers: &[(&str, f64)]) -> Point {
        numbers.iter().map(|(name, x)| (*name, *x)).collect()
    }

    #[test]
    fn the_best_values_are_reached_and_not_passed() {
        let xy = |x: f64, y: f64| at(&[("x", x), ("y", y)]);
        // Just inside the border, in the direction of the slope.
        let along = |x: f64, y: f64, r: f64, w: f64| {
            let length = (1.0 + w * w).sqrt();
            xy(x + (r - 1e-8) / length, y + (r - 1e-8) * w / length)
        };
        let five = ["a", "b", "c", "d", "e"].map(|name| (name, 0.8));
        let best = [
            ("four_discs", xy(0.8, 0.8)),
            ("slope_discs", along(0.85, 0.25, 0.09, 0.3)),
            ("rooms", at(&[("x", 0.85), ("y", 0.8), ("z", 0.3)])),
            ("ring", along(0.5, 0.5, 0.4, 0.5)),
            ("banana", xy(0.95, 0.717)),
            ("spiral", xy(0.761, 0.643)),
            ("checkers", xy(0.62, 0.65)),
            ("stripes4", at(&[("a", 0.85), ("b", 0.75), ("c", 0.3), ("d", 0.6)])),
            ("corners5", at(&five)),
            ("switch", xy(0.75, 0.75).with("mode", "d")),
            ("gear", Point::new().with("gear", "high").with("teeth", 17).with("speed", 0.3)),
            ("modes", at(&[("x", 0.8), ("y", 0.7), ("z", 0.4)]).with("mode", "c")),
        ];
        check(&all(), &best);
    }
}
