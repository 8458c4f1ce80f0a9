//! Problems whose feasible points lie apart or along a curve, for judging rules: nothing is chosen on them.
//!
//! Rules are chosen on those of [`tuning_islands`](super::tuning_islands), which share no formula with these.

use elbowroom::space::{Parameter, Point};

use super::problems::{FailingProblem, number, numbers, text};
use super::tuning_islands::{squared, unit};

/// All of them.
pub fn all() -> Vec<FailingProblem> {
    of_numbers().into_iter().chain(of_levels()).collect()
}

fn of_numbers() -> Vec<FailingProblem> {
    let region = FailingProblem::with_region;
    vec![
        // Six islands and parts of them; the two wells are in different ones.
        region(
            "lakes",
            unit(&["x", "y"]),
            |p| (1.0 - (-6.0 * squared(p, &[0.571, 0.698])).exp()).min(0.35 + squared(p, &[0.2, 0.3])),
            |p| (11.0 * number(p, "x")).cos() * (9.0 * number(p, "y")).cos() < 0.15,
            0.0,
        ),
        // A crescent, whose lower tip is the best point: x 0.755, where both circles meet.
        region(
            "crescent",
            unit(&["x", "y"]),
            |p| -number(p, "x") + 0.2 * number(p, "y"),
            |p| squared(p, &[0.5, 0.5]) > 0.42 * 0.42 || squared(p, &[0.62, 0.5]) < 0.36 * 0.36,
            CRESCENT_BEST,
        ),
        // Either side of a diagonal; one of them only where z is large.
        region(
            "wedges",
            unit(&["x", "y", "z"]),
            |p| squared(p, &[0.8, 0.3, 0.8]),
            |p| {
                let [x, y, z] = ["x", "y", "z"].map(|name| number(p, name));
                x > y - 0.25 && (x < y + 0.25 || z < 0.6)
            },
            0.0,
        ),
        region(
            "shell",
            unit(&["x", "y", "z"]),
            |p| -numbers(p).iter().sum::<f64>(),
            |p| !(0.33..=0.45).contains(&squared(p, &[0.5; 3]).sqrt()),
            // At the distance of 0.45 along the diagonal.
            -1.5 - 0.45 * 1.732_050_807_568_877_2,
        ),
        // A zigzag on log scales, from one side to the other.
        region(
            "zigzag",
            vec![Parameter::float("rate", 1e-4, 1.0).log(), Parameter::float("decay", 1e-6, 1e-2).log()],
            |p| {
                let (u, v) = zigzag(p);
                (u - 0.95).powi(2) + 0.3 * (v - 0.7).powi(2)
            },
            |p| {
                let (u, v) = zigzag(p);
                // Up to 0.8 at 1/3 and 1, down to 0.2 at 0 and 2/3.
                let wave = 0.2 + 0.6 * (1.0 - (1.0 - (3.0 * u) % 2.0).abs());
                (v - wave).abs() > 0.1
            },
            0.0,
        ),
        // An alloy with two phases, and a well in each.
        region(
            "alloy",
            unit(&["a", "b", "c", "d"]),
            |p| (0.12 + squared(p, &[0.2, 0.3, 0.7, 0.5])).min(0.8 * squared(p, &[0.75, 0.7, 0.25, 0.4])),
            |p| {
                let sum = number(p, "a") + number(p, "b");
                sum > 0.75 && (sum < 1.1 || number(p, "c") > 0.5)
            },
            0.0,
        ),
        // Two parts of five dimensions.
        region(
            "strait5",
            unit(&["a", "b", "c", "d", "e"]),
            |p| squared(p, &[0.8, 0.7, 0.4, 0.5, 0.3]),
            |p| {
                let a = number(p, "a");
                a > 0.35 && (a < 0.6 || number(p, "b") < 0.4)
            },
            0.0,
        ),
    ]
}

/// −0.755 + 0.2 (0.5 − √(0.42² − 0.255²)).
const CRESCENT_BEST: f64 = -0.721_745_786_383_861;

/// Both parameters as the search sees them.
fn zigzag(p: &Point) -> (f64, f64) {
    (1.0 + number(p, "rate").log10() / 4.0, (6.0 + number(p, "decay").log10()) / 4.0)
}

fn of_levels() -> Vec<FailingProblem> {
    let region = FailingProblem::with_region;
    vec![
        // Five methods: one never works, and the best only with a high order and a short step.
        region(
            "methods",
            vec![
                Parameter::category("method", ["euler", "heun", "spectral", "galerkin", "none"]),
                Parameter::int("order", 1, 9),
                Parameter::float("step", 1e-3, 10.0).log(),
            ],
            |p| {
                let (order, step) = (number(p, "order"), number(p, "step").log10());
                match text(p, "method") {
                    "euler" => 0.5 + 0.02 * (order - 2.0).powi(2) + 0.1 * (step + 1.0).powi(2),
                    "heun" => 0.4 + 0.02 * (order - 3.0).powi(2) + 0.1 * (step + 0.5).powi(2),
                    "spectral" => 0.3 + 0.02 * (order - 4.0).powi(2) + 0.1 * (step - 0.2).powi(2),
                    _ => 0.02 * (order - 7.0).powi(2) + 0.1 * (step + 1.5).powi(2),
                }
            },
            |p| {
                let (order, step) = (number(p, "order"), number(p, "step"));
                match text(p, "method") {
                    "euler" => step > 1.0,
                    "galerkin" => order < 6.0 || step > 0.2,
                    "none" => true,
                    _ => false,
                }
            },
            0.0,
        ),
        // Blocks of integers that fit, as on a board, with one of two layouts.
        region(
            "blocks",
            vec![
                Parameter::int("rows", 1, 40),
                Parameter::int("columns", 1, 40),
                Parameter::category("layout", ["plain", "tiled"]),
            ],
            |p| {
                let (rows, columns) = (number(p, "rows") / 40.0, number(p, "columns") / 40.0);
                let offset = if text(p, "layout") == "tiled" { 0.0 } else { 0.1 };
                (rows - 0.8).powi(2) + (columns - 0.5).powi(2) + offset
            },
            |p| {
                let block = |name: &str| ((number(p, name) - 1.0) / 8.0).floor();
                text(p, "layout") == "tiled" && (block("rows") + block("columns")) % 2.0 == 0.0
                    || text(p, "layout") == "plain" && number(p, "rows") > 20.0
            },
            0.0,
        ),
        // Eight levels that fail beyond a bound of their own; the best gives values only where most others fail.
        region(
            "levels8",
            vec![
                Parameter::category("level", ["a", "b", "c", "d", "e", "f", "g", "h"]),
                Parameter::float("x", 0.0, 1.0),
                Parameter::float("y", 0.0, 1.0),
            ],
            |p| {
                let i = level8(p);
                if i == 7.0 {
                    squared(p, &[0.88, 0.4])
                } else {
                    0.2 + 0.03 * i + squared(p, &[0.3 + 0.05 * i, 0.1 * i])
                }
            },
            |p| {
                let x = number(p, "x");
                if level8(p) == 7.0 { x < 0.75 } else { x > 0.9 - 0.04 * level8(p) }
            },
            0.0,
        ),
    ]
}

fn level8(p: &Point) -> f64 {
    f64::from(text(p, "level").bytes().next().unwrap_or(b'a') - b'a')
}

#[cfg(test)]
mod tests {
    use super::super::tuning_islands::tests::{at, check};
    use super::*;

    #[test]
    fn the_best_values_are_reached_and_not_passed() {
        let diagonal = 0.5 + (0.45 - 1e-8) / 3f64.sqrt();
        let best = [
            ("lakes", at(&[("x", 0.571), ("y", 0.698)])),
            // Just outside the inner circle and within the outer one.
            ("crescent", at(&[("x", 0.755 - 1e-8), ("y", 0.5 - 0.111_375f64.sqrt() - 0.6e-8)])),
            ("wedges", at(&[("x", 0.8), ("y", 0.3), ("z", 0.8)])),
            ("shell", at(&[("x", diagonal), ("y", diagonal), ("z", diagonal)])),
            ("zigzag", at(&[("rate", 10f64.powf(4.0 * 0.95 - 4.0)), ("decay", 10f64.powf(4.0 * 0.7 - 6.0))])),
            ("alloy", at(&[("a", 0.75), ("b", 0.7), ("c", 0.25), ("d", 0.4)])),
            ("strait5", at(&[("a", 0.8), ("b", 0.7), ("c", 0.4), ("d", 0.5), ("e", 0.3)])),
            ("methods", at(&[("step", 10f64.powf(-1.5))]).with("method", "galerkin").with("order", 7)),
            ("blocks", Point::new().with("rows", 32).with("columns", 20).with("layout", "tiled")),
            ("levels8", at(&[("x", 0.88), ("y", 0.4)]).with("level", "h")),
        ];
        check(&all(), &best);
    }
}
