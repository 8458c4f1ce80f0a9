//! Problems on which rules for failures are chosen, so that those of [`problems`](super::problems) are only used to
//! judge them.
//!
//! They are of the same kind as those but otherwise unrelated: floats, integers and categories in two to six
//! dimensions; half-spaces, bands, discs and corners that fail; the best point on a border, near one, or away from it.
//! Others fail by chance, or in a region and by chance. Each best value has a formula or comes from trying all
//! integers.

use elbowroom::problems::Problem;
use elbowroom::space::{Parameter, Point};

use super::problems::{FailingProblem, number, numbers, text};

/// The problems with a region that fails.
pub fn all() -> Vec<FailingProblem> {
    of_numbers().into_iter().chain([cluster(), solvent(), press()]).collect()
}

/// The problems that fail by chance: 15 and 35 % of the trials.
pub fn by_chance() -> Vec<FailingProblem> {
    let box_of = |problem: &Problem| {
        problem.bounds.iter().enumerate().map(|(i, b)| Parameter::float(format!("x{i}"), b.0, b.1)).collect()
    };
    let of = |rate: f64| {
        let chance = move |name: &str, space, value, best| FailingProblem::by_chance(name, space, value, best, rate);
        let camel = Problem::six_hump_camel();
        let (rosenbrock3, hartmann6) = (Problem::rosenbrock(3), Problem::hartmann6());
        [
            chance("camel", box_of(&camel), |p| Problem::six_hump_camel().value(&numbers(p)), camel.minimum),
            chance("rosenbrock3", box_of(&rosenbrock3), |p| Problem::rosenbrock(3).value(&numbers(p)), 0.0),
            chance("hartmann6", box_of(&hartmann6), |p| Problem::hartmann6().value(&numbers(p)), hartmann6.minimum),
            // 32 nodes, 13 threads and the dynamic scheme, with a chunk of 0.01.
            chance("cluster", cluster_space(), cluster_time, 0.0),
        ]
    };
    [0.15, 0.35].into_iter().flat_map(of).collect()
}

/// The problems with a region where, in addition, 10 and 25 % of the trials fail by chance.
pub fn with_both() -> Vec<FailingProblem> {
    [0.1, 0.25].into_iter().flat_map(|rate| all().into_iter().map(move |of| of.also_by_chance(rate))).collect()
}

fn of_numbers() -> Vec<FailingProblem> {
    let unit = |names: &[&str]| names.iter().map(|name| Parameter::float(*name, 0.0, 1.0)).collect::<Vec<_>>();
    let region = FailingProblem::with_region;
    vec![
        // A diagonal half-space: on x + 2y = 2 the minimum is at (0.8, 0.6).
        region(
            "slope",
            unit(&["x", "y"]),
            |p| (1.0 - number(p, "x")).powi(2) + 2.0 * (0.8 - number(p, "y")).powi(2),
            |p| number(p, "x") + 2.0 * number(p, "y") > 2.0,
            0.12,
        ),
        // Values only inside a disc, with the best where a line touches it.
        region(
            "disc",
            unit(&["x", "y"]),
            |p| -number(p, "x") - 0.5 * number(p, "y"),
            |p| (number(p, "x") - 0.45).hypot(number(p, "y") - 0.5) > 0.48,
            -0.7 - 0.48 * 1.118_033_988_749_895,
        ),
        // Two equally deep minima: one is lost, and the other is 0.19 from a second border.
        region(
            "camel",
            vec![Parameter::float("x", -2.0, 2.0), Parameter::float("y", -1.0, 1.0)],
            |p| camel(number(p, "x"), number(p, "y")),
            |p| {
                let (x, y) = (number(p, "x"), number(p, "y"));
                y > 0.5 + 0.3 * x || y < -0.9
            },
            -1.031_628_453_489_877,
        ),
        // The middle of the bowl is in a band that fails, closer to one of its sides: x + y = 1.05.
        region(
            "band",
            unit(&["x", "y", "z"]),
            |p| {
                let [x, y, z] = ["x", "y", "z"].map(|name| number(p, name));
                (x - 0.5).powi(2) + (y - 0.45).powi(2) + 0.5 * (z - 0.3).powi(2)
            },
            |p| (number(p, "x") + number(p, "y") - 0.9).abs() < 0.15,
            0.005,
        ),
        // Two borders meet at the best point.
        region(
            "notch",
            unit(&["x", "y", "z"]),
            |p| (number(p, "z") - 0.5).powi(2) - number(p, "x") - 0.7 * number(p, "y"),
            |p| number(p, "x") > 0.85 || number(p, "y") > 0.85,
            -0.85 - 0.7 * 0.85,
        ),
        // A curved valley whose best point is 0.15 from the region that fails.
        region(
            "valley",
            unit(&["a", "b", "c", "d"]),
            |p| {
                let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| number(p, name));
                (a - 0.4).powi(2) + 4.0 * (b - a * a).powi(2) + 2.0 * (c - 0.5 * b).powi(2) + (d - 0.7).powi(2)
            },
            |p| number(p, "b") > 0.75 || number(p, "d") > 0.85,
            0.0,
        ),
        // Values improve with the distance from the origin, up to √3: the best point is in the direction of the
        // weights.
        region(
            "ball6",
            unit(&["a", "b", "c", "d", "e", "f"]),
            |p| -numbers(p).iter().zip([1.0, 0.9, 0.8, 0.7, 0.6, 0.5]).map(|(x, w)| x * w).sum::<f64>(),
            |p| numbers(p).iter().map(|x| x * x).sum::<f64>() > 3.0,
            // √3 times the length √3.55 of the weights.
            -3.263_433_774_416_144,
        ),
    ]
}

/// Jobs on a cluster: too many processes at once, and the scheduler kills them.
fn cluster() -> FailingProblem {
    let fails = |p: &Point| {
        let most = match text(p, "scheme") {
            "static" => 288.0,
            "dynamic" => 128.0,
            _ => 192.0,
        };
        number(p, "nodes") * number(p, "threads") > most
    };
    FailingProblem::with_region("cluster", cluster_space(), cluster_time, fails, CLUSTER_BEST)
}

fn cluster_space() -> Vec<Parameter> {
    vec![
        Parameter::int("nodes", 1, 64).log(),
        Parameter::int("threads", 1, 16),
        Parameter::float("chunk", 1e-4, 1.0).log(),
        Parameter::category("scheme", ["static", "dynamic", "guided"]),
    ]
}

fn cluster_time(p: &Point) -> f64 {
    let (nodes, threads) = (number(p, "nodes"), number(p, "threads"));
    let offset = match text(p, "scheme") {
        "static" => 0.12,
        "dynamic" => 0.0,
        _ => 0.05,
    };
    let over_chunk = 0.1 * (number(p, "chunk").log10() + 2.0).powi(2);
    0.1 * (nodes.log2() - 5.0).powi(2) + 0.005 * (threads - 13.0).powi(2) + over_chunk + offset
}

/// A solvent boils above a temperature that rises with the pressure.
fn solvent() -> FailingProblem {
    FailingProblem::with_region(
        "solvent",
        vec![
            Parameter::category("solvent", ["ether", "ethanol", "water", "toluene"]),
            Parameter::float("temperature", 20.0, 200.0),
            Parameter::float("pressure", 0.1, 10.0).log(),
            Parameter::int("grams", 1, 20),
        ],
        |p| {
            let (warmth, lift) = (number(p, "temperature") / 100.0, number(p, "pressure").log10());
            let offset = match text(p, "solvent") {
                "ether" => 0.1,
                "ethanol" => 0.0,
                "water" => 0.3,
                _ => 0.15,
            };
            (2.2 - warmth).powi(2) + 0.2 * lift * lift + 0.002 * (number(p, "grams") - 14.0).powi(2) + offset
        },
        |p| {
            let boils = match text(p, "solvent") {
                "ether" => 120.0,
                "ethanol" => 140.0,
                "water" => 165.0,
                _ => 180.0,
            };
            number(p, "temperature") > boils + 40.0 * number(p, "pressure").log10()
        },
        // Toluene on its border, t = 1.8 + 0.4 l: (0.4 − 0.4 l)² + 0.2 l² has its minimum at l = 0.16/0.36.
        0.15 + 0.4 * 0.4 * 0.2 / 0.36,
    )
}

/// A press in five dimensions: force and speed together tear the sheet, heat and oil together burn it; the best point
/// is between the two, on the border of the first.
fn press() -> FailingProblem {
    FailingProblem::with_region(
        "press",
        vec![
            Parameter::int("force", 0, 100),
            Parameter::float("speed", 0.0, 1.0),
            Parameter::float("heat", 0.0, 1.0),
            Parameter::int("oil", 0, 10),
            Parameter::category("sheet", ["thin", "thick"]),
        ],
        |p| {
            let [force, speed, heat, oil] = ["force", "speed", "heat", "oil"].map(|name| number(p, name));
            let offset = if text(p, "sheet") == "thin" { 0.02 } else { 0.0 };
            let strain = (1.0 - force / 100.0).powi(2) + (0.8 - speed).powi(2);
            strain + 0.5 * (heat - 0.5).powi(2) + 0.004 * (oil - 4.0).powi(2) + offset
        },
        |p| {
            let [force, speed, heat, oil] = ["force", "speed", "heat", "oil"].map(|name| number(p, name));
            let most = if text(p, "sheet") == "thin" { 1.5 } else { 1.3 };
            force / 100.0 + speed > most || heat + 0.1 * oil > 1.5
        },
        // Thin: both give way equally, by 0.15.
        0.02 + 2.0 * 0.15 * 0.15,
    )
}

/// Found by trying every point, with the best chunk (`the_best_values_are_reached_and_not_passed`).
const CLUSTER_BEST: f64 = 0.142_225_612_580_763_63;

/// The six-hump camel.
fn camel(x: f64, y: f64) -> f64 {
    let x2 = x * x;
    (4.0 - 2.1 * x2 + x2 * x2 / 3.0) * x2 + x * y + (4.0 * y * y - 4.0) * y * y
}

#[cfg(test)]
mod tests {
    use super::super::problems::Cause;
    use super::*;
    use elbowroom::rng::Stream;
    use elbowroom::space::UnitPoint;

    fn at(problem: &FailingProblem, point: Point) -> Option<f64> {
        problem.evaluate(&problem.space.check(&point).expect("a point of the space"), 0, 0)
    }

    #[test]
    fn the_best_values_are_reached_and_not_passed() {
        let point = |numbers: &[(&str, f64)]| numbers.iter().map(|(name, x)| (*name, *x)).collect::<Point>();
        // Points with the best values, just inside the border.
        let e = 1e-9;
        let along = |w: f64| (w * (3.0f64 / 3.55).sqrt()) - e;
        let toluene = 0.16 / 0.36;
        let best = [
            ("slope", point(&[("x", 0.8 - e), ("y", 0.6)])),
            ("disc", point(&[("x", 0.45 + 0.96 / 5f64.sqrt() - e), ("y", 0.5 + 0.48 / 5f64.sqrt() - e)])),
            ("camel", point(&[("x", 0.089_842_013_1), ("y", -0.712_656_403_0)])),
            ("band", point(&[("x", 0.55 + e), ("y", 0.5 + e), ("z", 0.3)])),
            ("notch", point(&[("x", 0.85), ("y", 0.85), ("z", 0.5)])),
            ("valley", point(&[("a", 0.4), ("b", 0.16), ("c", 0.08), ("d", 0.7)])),
            (
                "ball6",
                point(&[
                    ("a", along(1.0)),
                    ("b", along(0.9)),
                    ("c", along(0.8)),
                    ("d", along(0.7)),
                    ("e", along(0.6)),
                    ("f", along(0.5)),
                ]),
            ),
            (
                "solvent",
                point(&[("temperature", 180.0 + 40.0 * toluene - e), ("pressure", 10f64.powf(toluene))])
                    .with("solvent", "toluene")
                    .with("grams", 14),
            ),
            ("press", point(&[("speed", 0.65), ("heat", 0.5)]).with("force", 85).with("oil", 4).with("sheet", "thin")),
        ];
        let all = all();
        for (name, point) in best {
            let problem = all.iter().find(|problem| problem.name == name).expect("a problem");
            let value = at(problem, point).unwrap_or_else(|| panic!("{name} fails at its best point"));
            assert!((value - problem.best).abs() < 1e-7, "{name}: {value:?}, {:?}", problem.best);
        }
        let cluster = all.iter().find(|problem| problem.name == "cluster").expect("a problem");
        let found = (1..=64i64).flat_map(|nodes| {
            (1..=16i64).flat_map(move |threads| {
                ["static", "dynamic", "guided"].map(|scheme| {
                    let point = Point::new().with("nodes", nodes).with("threads", threads);
                    point.with("chunk", 0.01).with("scheme", scheme)
                })
            })
        });
        let found = found.filter_map(|point| at(cluster, point)).fold(f64::INFINITY, f64::min);
        assert!((found - cluster.best).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn where_both_fail_chance_takes_its_share_of_what_the_region_leaves() {
        let mut draw = Stream::new(5);
        for problem in with_both() {
            let Cause::Both(_, rate) = problem.cause else { panic!("{} has one cause", problem.name) };
            let mut point = |fails: bool| loop {
                let mut u: Vec<f64> = (0..problem.space.dim()).map(|_| draw.uniform()).collect();
                problem.space.snap(&mut u);
                let point = problem.space.decode(&UnitPoint::clamped(u));
                if problem.is_in_region(&point) == fails {
                    return point;
                }
            };
            let (good, bad) = (point(false), point(true));
            let lost = (0..2000).filter(|&trial| problem.evaluate(&good, 3, trial).is_none()).count() as f64 / 2000.0;
            // Four standard deviations of a share of 2000.
            assert!((lost - rate).abs() < 4.0 * (rate * (1.0 - rate) / 2000.0).sqrt(), "{}: {lost}", problem.name);
            assert!((0..50).all(|trial| problem.evaluate(&bad, 3, trial).is_none()), "{}", problem.name);
        }
    }

    #[test]
    fn no_point_is_better_than_the_best_and_a_part_of_each_space_fails() {
        let mut draw = Stream::new(1);
        for problem in all() {
            let mut failed = 0;
            for _ in 0..20_000 {
                let mut u: Vec<f64> = (0..problem.space.dim()).map(|_| draw.uniform()).collect();
                problem.space.snap(&mut u);
                match problem.evaluate(&problem.space.decode(&UnitPoint::clamped(u)), 0, 0) {
                    Some(value) => assert!(value >= problem.best - 1e-12, "{}: {value:?}", problem.name),
                    None => failed += 1,
                }
            }
            let share = f64::from(failed) / 20_000.0;
            assert!((0.05..0.5).contains(&share), "{}: {share}", problem.name);
        }
    }
}
