//! Problems some of whose points have no value.
//!
//! Ten have a region where every point fails, and their best point is on its border, as happens when a faster or larger
//! setting is better until it breaks: the first five are plain functions, the others have integers and categories.
//! Eight fail at random, whatever the point, a tenth or three tenths of the time.

use elbowroom::problems::Problem;
use elbowroom::rng::Stream;
use elbowroom::space::{Parameter, Point, SearchSpace, Value};

use super::{islands, tuning, tuning_islands};

/// A function to be minimized, some of whose evaluations fail.
pub struct FailingProblem {
    /// Its name.
    pub name: String,
    /// What is searched.
    pub space: SearchSpace,
    /// The smallest value of a point that does not fail.
    pub best: f64,
    /// Why evaluations fail.
    pub cause: Cause,
    value: fn(&Point) -> f64,
}

/// Why evaluations fail.
#[derive(Clone, Copy)]
pub enum Cause {
    /// The point is in a region where every evaluation fails.
    Region(fn(&Point) -> bool),
    /// Chance, with this probability, whatever the point.
    Chance(f64),
    /// Either: every point in the region, and others by chance.
    Both(fn(&Point) -> bool, f64),
}

impl FailingProblem {
    /// A problem that fails in a region.
    pub(super) fn with_region(
        name: &str,
        parameters: Vec<Parameter>,
        value: fn(&Point) -> f64,
        fails: fn(&Point) -> bool,
        best: f64,
    ) -> Self {
        let space = SearchSpace::new(parameters).expect("a valid space");
        Self { name: name.into(), space, best, cause: Cause::Region(fails), value }
    }

    /// A problem whose trials fail by chance, with this probability.
    pub(super) fn by_chance(
        name: &str,
        parameters: Vec<Parameter>,
        value: fn(&Point) -> f64,
        best: f64,
        rate: f64,
    ) -> Self {
        let name = format!("{name}_{:.0}", 100.0 * rate);
        let space = SearchSpace::new(parameters).expect("a valid space");
        Self { name, space, best, cause: Cause::Chance(rate), value }
    }

    /// The same problem where, outside its region, trials fail by chance as well.
    pub(super) fn also_by_chance(mut self, rate: f64) -> Self {
        if let Cause::Region(within) = self.cause {
            self.name = format!("{}_and_{:.0}", self.name, 100.0 * rate);
            self.cause = Cause::Both(within, rate);
        }
        self
    }

    /// The value of a trial; `None` if it fails. Failures by chance depend only on the seed and the trial's number, so
    /// two runs with the same seed lose the same trials.
    pub fn evaluate(&self, point: &Point, seed: u64, trial: u64) -> Option<f64> {
        let is_lost = |rate: f64| Stream::new(seed).child("failure", trial).uniform() < rate;
        let fails = match self.cause {
            Cause::Region(_) => self.is_in_region(point),
            Cause::Chance(rate) => is_lost(rate),
            Cause::Both(_, rate) => self.is_in_region(point) || is_lost(rate),
        };
        (!fails).then(|| (self.value)(point))
    }

    /// Whether every trial of a point fails.
    pub fn is_in_region(&self, point: &Point) -> bool {
        match self.cause {
            Cause::Region(within) | Cause::Both(within, _) => within(point),
            Cause::Chance(_) => false,
        }
    }

    /// Whether it has a region that fails.
    pub fn has_region(&self) -> bool {
        !matches!(self.cause, Cause::Chance(_))
    }

    /// A point from text, such as on a command line; `None` if a name or a value does not fit.
    pub fn read(&self, texts: &[(&str, &str)]) -> Option<Point> {
        let mut point = Point::new();
        for parameter in self.space.parameters() {
            let (name, text) = texts.iter().find(|(name, _)| *name == parameter.name())?;
            let value = match parameter {
                Parameter::Float { .. } => Value::from(text.parse::<f64>().ok()?),
                Parameter::Int { .. } => Value::from(text.parse::<i64>().ok()?),
                _ => Value::from(*text),
            };
            point = point.with(*name, value);
        }
        self.space.check(&point).ok()
    }
}

/// All problems that are reported: ten with a region that fails, and eight that fail by chance.
pub fn all() -> Vec<FailingProblem> {
    let mut all = regions();
    for rate in [0.1, 0.3] {
        all.extend(by_chance(rate));
    }
    all
}

/// The problems that are reported, and those on which rules are chosen.
pub fn known() -> Vec<FailingProblem> {
    let of_tuning = tuning::all().into_iter().chain(tuning::by_chance()).chain(tuning::with_both());
    all().into_iter().chain(of_tuning).chain(islands::all()).chain(tuning_islands::all()).collect()
}

/// The problem of this name.
pub fn named(name: &str) -> Option<FailingProblem> {
    known().into_iter().find(|problem| problem.name == name)
}

fn regions() -> Vec<FailingProblem> {
    let region = FailingProblem::with_region;
    let unit = |names: &[&str]| names.iter().map(|name| Parameter::float(*name, 0.0, 1.0)).collect::<Vec<_>>();
    vec![
        // Values improve towards the edge, and there are none beyond it.
        region(
            "edge",
            unit(&["x", "y"]),
            |p| -number(p, "x") + (number(p, "y") - 0.4).powi(2),
            |p| number(p, "x") > 0.6,
            -0.6,
        ),
        // The optimum is in the middle of the region that fails: the best points are all around it.
        region("hole", unit(&["x", "y"]), from_centre, |p| from_centre(p) < 0.2, 0.2),
        // Two of Branin's three minima are left, one of them 0.18 from an edge.
        region("branin", branin_box(), branin, branin_fails, 0.397_887_357_729_738_16),
        region("corner4", unit(&["a", "b", "c", "d"]), |p| -sum(p), |p| sum(p) > 2.2, -2.2),
        // A rate, a momentum and a parameter that hardly matters: the first two together decide what diverges.
        region(
            "cliff",
            unit(&["r", "m", "w"]),
            |p| {
                let [r, m, w] = ["r", "m", "w"].map(|name| number(p, name));
                3.0 * (1.0 - r).powi(2) + (0.9 - m).powi(2) + 0.3 * (w - 0.3).powi(2)
            },
            |p| number(p, "r") / (1.02 - number(p, "m")) > 2.5,
            // On the border r = 2.5 (1.02 − m), with s = m − 0.62: 18.75 s² + (0.28 − s)², with the minimum at s = 0.28
            // / 19.75.
            0.28 * 0.28 * 18.75 / 19.75,
        ),
        // Training diverges above a rate that depends on the optimizer and the depth; the best rate would be above it.
        region(
            "diverge",
            net_space(),
            net,
            |p| number(p, "rate") > largest_rate(p),
            // Momentum with five layers, at its largest rate.
            0.20 + 0.06 * 1.5f64.log10().powi(2),
        ),
        // A network that has to fit into memory together with its batch; larger is better.
        region(
            "memory",
            vec![
                Parameter::int("depth", 2, 24),
                Parameter::int("width", 16, 1024).log(),
                Parameter::int("batch", 8, 512).log(),
                Parameter::category("precision", ["half", "single"]),
            ],
            |p| {
                let [depth, width, batch] = ["depth", "width", "batch"].map(|name| number(p, name));
                let rounding = if text(p, "precision") == "half" { 0.03 } else { 0.0 };
                1.2 * depth.powf(-0.4) + 4.0 * width.powf(-0.35) + 0.04 * (batch / 128.0).log2().powi(2) + rounding
            },
            |p| {
                let bytes = if text(p, "precision") == "half" { 2.0 } else { 4.0 };
                bytes * number(p, "depth") * number(p, "width") * number(p, "batch") > 1.5e6
            },
            MEMORY_BEST,
        ),
        // An explicit scheme blows up if its step is too long for the mesh (Courant, Friedrichs and Lewy); the goal is
        // a small error for little work.
        region(
            "mesh",
            vec![
                Parameter::int("cells", 10, 200),
                Parameter::float("step", 1e-4, 0.1).log(),
                Parameter::category("scheme", ["explicit", "midpoint", "implicit"]),
            ],
            |p| {
                let (n, h) = (number(p, "cells"), number(p, "step"));
                let (in_time, cost) = match text(p, "scheme") {
                    "explicit" => (0.02 * h, 1.0),
                    "midpoint" => (0.1 * h * h, 2.0),
                    _ => (0.4 * h * h, 6.0),
                };
                (4.0 / (n * n) + in_time).log10() + 0.4 * (cost * n / h).log10() + n / 100.0
            },
            |p| {
                let courant = number(p, "step") * number(p, "cells");
                match text(p, "scheme") {
                    "explicit" => courant > 1.0,
                    "midpoint" => courant > 2.0,
                    _ => false,
                }
            },
            MESH_BEST,
        ),
        // One of four methods is not built in and always fails; two of the others diverge if they are over-relaxed, the
        // best of them just above its optimum.
        region(
            "solver",
            vec![
                Parameter::category("method", ["jacobi", "gauss", "sor", "multigrid"]),
                Parameter::float("omega", 0.5, 2.0),
                Parameter::float("tolerance", 1e-10, 1e-2).log(),
            ],
            |p| {
                let omega = number(p, "omega");
                let by_method = match text(p, "method") {
                    "jacobi" => 2.0 + (1.5 - omega).powi(2),
                    "gauss" => 1.8 + 0.5 * (1.2 - omega).powi(2),
                    _ => 1.5 + 2.0 * (1.93 - omega).powi(2),
                };
                by_method + 0.05 * (number(p, "tolerance").log10() + 6.0).powi(2)
            },
            |p| match text(p, "method") {
                "jacobi" => number(p, "omega") > 1.4,
                "gauss" => false,
                "sor" => number(p, "omega") > 1.88,
                _ => true,
            },
            // Successive over-relaxation at ω = 1.88.
            1.5 + 2.0 * 0.05 * 0.05,
        ),
        // A firing schedule, mostly of integers: if it is too fast for the load, the pieces crack; if it is too hot for
        // the flux, they melt.
        region(
            "kiln",
            vec![
                Parameter::int("temperature", 900, 1300),
                Parameter::int("minutes", 10, 180),
                Parameter::int("ramp", 1, 15),
                Parameter::int("layers", 1, 6),
                Parameter::float("flux", 0.0, 1.0),
            ],
            |p| {
                ((1230.0 - number(p, "temperature")) / 100.0).powi(2)
                    + 2.0 * (0.7 - number(p, "flux")).powi(2)
                    + 0.3 * ((90.0 - number(p, "minutes")) / 60.0).powi(2)
                    + ((15.0 - number(p, "ramp")) / 10.0).powi(2)
                    + 0.1 * (4.0 - number(p, "layers")).powi(2)
            },
            |p| {
                let cracks = number(p, "ramp") * number(p, "layers") > 45.0;
                let melts = number(p, "temperature") + 100.0 * number(p, "flux") > 1280.0;
                cracks || melts
            },
            KILN_BEST,
        ),
    ]
}

// Found by trying every point (`the_best_values_are_those_of_an_exhaustive_search`).
const MEMORY_BEST: f64 = 0.859_153_021_950_112_4;
const MESH_BEST: f64 = -0.895_751_335_875_571_5;
const KILN_BEST: f64 = 0.1267;

fn by_chance(rate: f64) -> Vec<FailingProblem> {
    let chance = |name: &str, space, value, best| FailingProblem::by_chance(name, space, value, best, rate);
    let box_of = |problem: &Problem| {
        problem.bounds.iter().enumerate().map(|(i, b)| Parameter::float(format!("x{i}"), b.0, b.1)).collect()
    };
    let (hartmann3, levy4) = (Problem::hartmann3(), Problem::levy(4));
    vec![
        chance("branin", branin_box(), branin, Problem::branin().minimum),
        chance("hartmann3", box_of(&hartmann3), |p| Problem::hartmann3().value(&numbers(p)), hartmann3.minimum),
        chance("levy4", box_of(&levy4), |p| Problem::levy(4).value(&numbers(p)), levy4.minimum),
        // The network that diverges elsewhere: here too high a rate only makes training bad.
        chance("net", net_space(), net, 0.20),
    ]
}

/// A number of a point whose space always has it.
pub(super) fn number(point: &Point, name: &str) -> f64 {
    point.get(name).and_then(Value::as_f64).unwrap_or(f64::NAN)
}

pub(super) fn text<'a>(point: &'a Point, name: &str) -> &'a str {
    point.get(name).and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn numbers(point: &Point) -> Vec<f64> {
    point.iter().filter_map(|(_, value)| value.as_f64()).collect()
}

fn sum(point: &Point) -> f64 {
    numbers(point).iter().sum()
}

fn from_centre(point: &Point) -> f64 {
    (number(point, "x") - 0.7).hypot(number(point, "y") - 0.6)
}

fn branin_box() -> Vec<Parameter> {
    vec![Parameter::float("x", -5.0, 10.0), Parameter::float("y", 0.0, 15.0)]
}

fn branin(point: &Point) -> f64 {
    Problem::branin().value(&numbers(point))
}

fn branin_fails(point: &Point) -> bool {
    number(point, "x") + number(point, "y") < 7.0 || number(point, "x") > 9.6
}

fn net_space() -> Vec<Parameter> {
    vec![
        Parameter::float("rate", 1e-5, 1.0).log(),
        Parameter::int("layers", 1, 8),
        Parameter::category("optimizer", ["sgd", "momentum", "adam"]),
    ]
}

/// The loss of a network: it is best with five layers, at one and a half times the rate at which it diverges.
fn net(point: &Point) -> f64 {
    let least = match text(point, "optimizer") {
        "sgd" => 0.24,
        "momentum" => 0.20,
        _ => 0.21,
    };
    least
        + 0.06 * (number(point, "rate") / (1.5 * largest_rate(point))).log10().powi(2)
        + 0.01 * (number(point, "layers") - 5.0).powi(2)
}

fn largest_rate(point: &Point) -> f64 {
    let alone = match text(point, "optimizer") {
        "sgd" => 0.6,
        "momentum" => 0.12,
        _ => 0.02,
    };
    alone / number(point, "layers").sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The smallest value among points of a problem with a region.
    fn least(name: &str, points: impl Iterator<Item = Point>) -> f64 {
        let problem = named(name).expect("a problem");
        points.filter_map(|point| problem.evaluate(&point, 0, 0)).fold(f64::INFINITY, f64::min)
    }

    fn steps(n: usize) -> impl Iterator<Item = f64> + Clone {
        (0..=n).map(move |i| i as f64 / n as f64)
    }

    #[test]
    fn the_best_values_are_those_of_an_exhaustive_search() {
        let best = |name: &str| named(name).expect("a problem").best;
        let plane = |n: usize| steps(n).flat_map(move |x| steps(n).map(move |y| (x, y)));
        // No grid has a point below the best value, and each has one that is above it by no more than the slope times
        // the distance to the next grid point.
        let close = |name: &str, found: f64, tolerance: f64| {
            let gap = found - best(name);
            assert!((-1e-9..=tolerance).contains(&gap), "{name}: the grid has {found:?}, the best is {}", best(name));
        };
        let xy = |(x, y): (f64, f64)| Point::new().with("x", x).with("y", y);
        close("edge", least("edge", plane(1000).map(xy)), 1e-9);
        close("hole", least("hole", plane(1000).map(xy)), 1.5e-3);
        let in_box = |(u, v): (f64, f64)| Point::new().with("x", 15.0 * u - 5.0).with("y", 15.0 * v);
        close("branin", least("branin", plane(1000).map(in_box)), 2e-3);
        let corner = plane(20).flat_map(|(a, b)| plane(20).map(move |(c, d)| [a, b, c, d]));
        let abcd = |x: [f64; 4]| ["a", "b", "c", "d"].into_iter().zip(x).collect::<Point>();
        close("corner4", least("corner4", corner.map(abcd)), 0.05 + 1e-9);
        let rmw = |(r, m): (f64, f64)| Point::new().with("r", r).with("m", m).with("w", 0.3);
        close("cliff", least("cliff", plane(1000).map(rmw)), 2e-3);

        let fine = |low: f64, high: f64| steps(10_000).map(move |u| low * (high / low).powf(u));
        let nets = (1..=8i64).flat_map(|layers| {
            ["sgd", "momentum", "adam"].into_iter().flat_map(move |optimizer| {
                fine(1e-5, 1.0).map(move |rate| {
                    Point::new().with("rate", rate).with("layers", layers).with("optimizer", optimizer)
                })
            })
        });
        close("diverge", least("diverge", nets), 1e-4);
        let solvers = steps(300).flat_map(|u| {
            ["jacobi", "gauss", "sor", "multigrid"].into_iter().flat_map(move |method| {
                steps(160).map(move |v| {
                    let tolerance = 10f64.powf(8.0 * v - 10.0);
                    Point::new().with("method", method).with("omega", 0.5 + 1.5 * u).with("tolerance", tolerance)
                })
            })
        });
        // The largest ω on the grid below 1.88 is 0.005 away: 4 · 0.05 · 0.005 + 2 · 0.005².
        close("solver", least("solver", solvers), 1.1e-3);
        let meshes = (10..=200i64).flat_map(|cells| {
            ["explicit", "midpoint", "implicit"].into_iter().flat_map(move |scheme| {
                steps(4000)
                    .map(move |u| 1e-4 * 1000f64.powf(u))
                    .chain([1.0 / cells as f64, 2.0 / cells as f64])
                    .map(move |step| Point::new().with("cells", cells).with("step", step).with("scheme", scheme))
            })
        });
        close("mesh", least("mesh", meshes), 1e-9);
        // No duration is better than 90 minutes, whatever the other settings; the best flux, 0.63, is on the grid.
        let kilns = (900..=1300i64).flat_map(|temperature| {
            (1..=15i64).flat_map(move |ramp| {
                (1..=6i64).flat_map(move |layers| {
                    steps(100).map(move |flux| {
                        let heat = Point::new().with("temperature", temperature).with("minutes", 90);
                        heat.with("ramp", ramp).with("layers", layers).with("flux", flux)
                    })
                })
            })
        });
        close("kiln", least("kiln", kilns), 1e-9);
        // For each depth, batch and precision the widest that fits is the best: the loss falls with the width.
        let networks = (2..=24i64).flat_map(|depth| {
            (8..=512i64).flat_map(move |batch| {
                [("half", 2), ("single", 4)].into_iter().filter_map(move |(precision, bytes)| {
                    let width = (1_500_000 / (bytes * depth * batch)).min(1024);
                    let point = Point::new().with("depth", depth).with("width", width).with("batch", batch);
                    (width >= 16).then(|| point.with("precision", precision))
                })
            })
        });
        close("memory", least("memory", networks), 1e-9);
    }
}
