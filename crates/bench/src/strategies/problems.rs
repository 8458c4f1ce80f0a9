//! Forty problems on which strategies are compared, and on which nothing was chosen.
//!
//! None is a tuning task of [`crate::problems`], and none is among the peers' problems. Each is one fixed function: its
//! shift, and its rotation if its name ends with `r`, follow from its name alone. Most are a shape of z, the shifted
//! and rotated point, with the smallest value 0 at z = 0. The smallest value of a draw from a Gaussian process is found
//! by a hundred descents.

use elbowroom::design::sobol;
use elbowroom::rng::Stream;
use elbowroom::space::{Parameter, Point, SearchSpace, UnitPoint};

use super::shapes::SHAPES;
use crate::problems::{Function, fourier, moved, rotation};

/// A function to be minimized.
pub struct Problem {
    /// Its name.
    pub name: &'static str,
    /// The space on which it is defined.
    pub space: SearchSpace,
    /// Its smallest value.
    pub minimum: f64,
    /// The standard deviation of its values over the space.
    pub spread: f64,
    truth: Truth,
}

/// The value at a point.
type Truth = Box<dyn Fn(&Point) -> f64 + Send + Sync>;

/// Draws from Gaussian processes by random features: name, dimension, lengthscale, whether they are as rough as
/// Matérn-5/2, and the factor of the draw if the function is its exponential.
const FIELDS: [(&str, usize, f64, bool, Option<f64>); 6] = [
    ("field2", 2, 0.15, true, None),
    ("field3", 3, 0.3, true, None),
    ("field4", 4, 0.35, false, None),
    ("field6", 6, 0.6, true, None),
    ("field8", 8, 0.9, false, None),
    ("log_field5", 5, 0.5, false, Some(2.0)),
];

/// Problems with integers and categories.
const MIXED: [&str; 2] = ["recipe5", "gears6"];

/// The ten problems that are also run asynchronously: two of each kind.
pub const ASYNCHRONOUS: [&str; 10] = [
    "cigar5r",
    "banana2r",
    "sharp_ridge4r",
    "levy4r",
    "double_well5",
    "wells6",
    "cube5r",
    "saturated6r",
    "field3",
    "recipe5",
];

/// The names of all problems.
///
/// ```
/// assert_eq!(elbowroom_bench::strategies::problems::names().len(), 40);
/// ```
pub fn names() -> Vec<&'static str> {
    let shapes = SHAPES.iter().map(|shape| shape.name);
    shapes.chain(FIELDS.iter().map(|field| field.0)).chain(MIXED).collect()
}

impl Problem {
    /// The problem of this name.
    ///
    /// ```
    /// use elbowroom_bench::strategies::problems::Problem;
    /// assert_eq!(Problem::named("banana2r").unwrap().space.dim(), 2);
    /// assert!(Problem::named("banana").is_none());
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        let stream = Stream::new(0x57a7).child(name, 0);
        if let Some(shape) = SHAPES.iter().find(|shape| shape.name == name) {
            let centre = centre(shape.dim, &stream).iter().map(|u| shape.half * (2.0 * u - 1.0)).collect();
            let axes = name.ends_with('r').then(|| rotation(shape.dim, &stream));
            return Some(in_box(
                shape.name,
                vec![(-shape.half, shape.half); shape.dim],
                0.0,
                moved(centre, axes, shape.f),
            ));
        }
        if let Some(&(name, d, lengthscale, is_rough, power)) = FIELDS.iter().find(|field| field.0 == name) {
            let task = fourier(name, d, lengthscale, is_rough, power, &stream);
            let (bounds, minimum) = (task.bounds.clone(), task.minimum);
            return Some(in_box(name, bounds, minimum, Box::new(move |x| task.value(x))));
        }
        match MIXED.into_iter().find(|mixed| *mixed == name)? {
            "recipe5" => Some(recipe(&stream)),
            _ => Some(gears(&stream)),
        }
    }

    /// The value at a point.
    pub fn value(&self, point: &Point) -> f64 {
        (self.truth)(point)
    }

    fn new(name: &'static str, parameters: Vec<Parameter>, minimum: f64, truth: Truth) -> Self {
        let space = SearchSpace::new(parameters).expect("a valid space");
        let points = sobol(4096, space.dim(), &Stream::new(1));
        let values: Vec<f64> = points.iter().map(|u| truth(&space.decode(&UnitPoint::clamped(u.to_vec())))).collect();
        let mean = crate::rows::mean(&values);
        let squares: Vec<f64> = values.iter().map(|v| (v - mean).powi(2)).collect();
        Self { name, space, minimum, spread: crate::rows::mean(&squares).sqrt(), truth }
    }
}

/// A point of the unit cube away from its faces and from the symmetry of its centre.
fn centre(d: usize, stream: &Stream) -> Vec<f64> {
    let mut draw = stream.child("shift", 0);
    (0..d).map(|_| 0.15 + 0.7 * draw.uniform()).collect()
}

fn in_box(name: &'static str, bounds: Vec<(f64, f64)>, minimum: f64, function: Function) -> Problem {
    let parameters = bounds.iter().enumerate().map(|(i, b)| Parameter::float(format!("x{i}"), b.0, b.1));
    let truth = move |point: &Point| {
        let x: Vec<f64> = point.iter().filter_map(|(_, v)| v.as_f64()).collect();
        function(&x)
    };
    Problem::new(name, parameters.collect(), minimum, Box::new(truth))
}

fn number(point: &Point, name: &str) -> f64 {
    point.get(name).and_then(|v| v.as_f64()).unwrap_or(f64::NAN)
}

/// A rate, two shares, a count and a category, whose optima differ by category; the smallest value is 0, in `b`.
fn recipe(stream: &Stream) -> Problem {
    const KINDS: [&str; 4] = ["a", "b", "c", "d"];
    let optima: Vec<Vec<f64>> = (0..4).map(|i| centre(4, &stream.child("kind", i))).collect();
    let truth = move |point: &Point| {
        let kind = point.get("kind").and_then(|v| v.as_str()).unwrap_or("");
        let kind = KINDS.iter().position(|k| *k == kind).unwrap_or(0);
        let best = &optima[kind];
        let rate = number(point, "rate").log10() + 4.0 - 4.0 * best[0];
        let (salt, water) = (number(point, "salt") - best[1], number(point, "water") - best[2]);
        let turns = number(point, "turns") - (1.0 + 19.0 * best[3]).round();
        let bowl = 0.2 * rate * rate + 2.0 * salt * salt + (water - 0.5 * rate).powi(2) + 0.01 * turns * turns;
        [0.15, 0.0, 0.3, 0.1][kind] + bowl + 0.1 * (1.0 - (6.0 * salt + 0.5 * turns).cos())
    };
    let parameters = vec![
        Parameter::float("rate", 1e-4, 1.0).log(),
        Parameter::float("salt", 0.0, 1.0),
        Parameter::float("water", 0.0, 1.0),
        Parameter::int("turns", 1, 20),
        Parameter::category("kind", KINDS),
    ];
    Problem::new("recipe5", parameters, 0.0, Box::new(truth))
}

/// Three counts and three numbers, one for each count, which depends on it; the smallest value is 0.
fn gears(stream: &Stream) -> Problem {
    let best = centre(6, stream);
    let truth = move |point: &Point| {
        (0..3)
            .map(|i| {
                let teeth = (number(point, &format!("teeth{i}")) - (5.0 + 25.0 * best[i]).round()) / 5.0;
                let load = number(point, &format!("load{i}")) - best[3 + i];
                (1.0 + i as f64) * teeth * teeth + 8.0 * (load - 0.1 * teeth).powi(2) + 0.3 * teeth.abs()
            })
            .sum()
    };
    let teeth = (0..3).map(|i| Parameter::int(format!("teeth{i}"), 5, 30));
    let loads = (0..3).map(|i| Parameter::float(format!("load{i}"), 0.0, 1.0));
    Problem::new("gears6", teeth.chain(loads).collect(), 0.0, Box::new(truth))
}
