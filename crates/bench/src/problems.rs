//! Problems on which defaults are chosen.
//!
//! None of them is among the peers' problems; all are shifted, so that no optimum is at the centre of its box. A third
//! are random functions (Fourier features of a Gaussian process, some exponentiated), a different one for each seed, so
//! that a default cannot be fitted to a few landscapes.

use elbowroom::optim::{Bounds, Lbfgsb, LbfgsbParams};
use elbowroom::problems::Problem;
use elbowroom::rng::Stream;

/// A function to be minimized over a box.
pub struct Task {
    /// Its name.
    pub name: String,
    /// Its box.
    pub bounds: Vec<(f64, f64)>,
    /// Its smallest value.
    pub minimum: f64,
    function: Function,
}

/// A function of several numbers.
pub(crate) type Function = Box<dyn Fn(&[f64]) -> f64 + Send + Sync>;

impl Task {
    /// The value at x.
    pub fn value(&self, x: &[f64]) -> f64 {
        (self.function)(x)
    }

    /// The number of coordinates.
    pub fn dim(&self) -> usize {
        self.bounds.len()
    }
}

/// The names of all tasks.
pub const NAMES: [&str; 27] = [
    "six_hump_camel",
    "goldstein_price",
    "hartmann3",
    "shekel7",
    "rastrigin4",
    "zakharov5",
    "dixon_price6",
    "ellipsoid8",
    "alpine6",
    "root6",
    "rough4",
    "smooth3",
    "smooth6",
    "decades5",
    "decades8",
    "valley4",
    "wavy_bowl5",
    "wavy_bowl9",
    "cusp2",
    "cusp5",
    "rotated6",
    "rotated_valley4",
    "funnel5",
    "steps4",
    "circuit6",
    "piston7",
    "wing10",
];

/// The prefix of the names of library problems that are not shifted.
pub const AS_IS: &str = "as_is:";

/// The task of this name for one seed: shifts and random functions differ from seed to seed.
pub fn task(name: &str, seed: u64) -> Task {
    let stream = Stream::new(0x7a5c).child(name, seed);
    let sum_along = |axes: Option<Vec<Vec<f64>>>, d: usize, low: f64, high: f64, f: fn(&[f64]) -> f64| {
        let mut draw = stream.child("shift", 0);
        let centre: Vec<f64> = (0..d).map(|_| low + (high - low) * (0.15 + 0.7 * draw.uniform())).collect();
        Task { name: name.into(), bounds: vec![(low, high); d], minimum: 0.0, function: moved(centre, axes, f) }
    };
    let sum = |d: usize, low: f64, high: f64, f: fn(&[f64]) -> f64| sum_along(None, d, low, high, f);
    match name {
        "zakharov5" => sum(5, -5.0, 10.0, |z| {
            let s: f64 = z.iter().enumerate().map(|(i, v)| 0.5 * (i + 1) as f64 * v).sum();
            z.iter().map(|v| v * v).sum::<f64>() + s.powi(2) + s.powi(4)
        }),
        "dixon_price6" => sum(6, -10.0, 10.0, |z| {
            let z: Vec<f64> = z.iter().enumerate().map(|(i, v)| v + dixon(i)).collect();
            (z[0] - 1.0).powi(2)
                + (1..z.len()).map(|i| (i + 1) as f64 * (2.0 * z[i] * z[i] - z[i - 1]).powi(2)).sum::<f64>()
        }),
        "ellipsoid8" => {
            sum(8, -5.0, 5.0, |z| z.iter().enumerate().map(|(i, v)| 10f64.powf(i as f64 * 3.0 / 7.0) * v * v).sum())
        }
        "alpine6" => sum(6, -10.0, 10.0, |z| z.iter().map(|v| (v * v.sin() + 0.1 * v).abs()).sum()),
        "root6" => sum(6, -1.0, 1.0, |z| z.iter().map(|v| v.abs().sqrt()).sum()),
        "valley4" => sum(4, -2.0, 2.0, |z| {
            let bent = z[1] - z[0] * z[0];
            100.0 * bent * bent + z[0] * z[0] + 10.0 * (z[2] + z[0] * z[3]).powi(2) + z[3] * z[3] + z[2] * z[2]
        }),
        "wavy_bowl5" => sum(5, -6.0, 6.0, |z| wavy_bowl(z, 0.02, 1.0)),
        "wavy_bowl9" => sum(9, -4.0, 4.0, |z| wavy_bowl(z, 0.3, 2.0)),
        "cusp2" => sum(2, -1.0, 1.0, cusp),
        "cusp5" => sum(5, -1.0, 1.0, cusp),
        "funnel5" => sum(5, -20.0, 20.0, |z| {
            let n = z.len() as f64;
            let r = (z.iter().map(|v| v * v).sum::<f64>() / n).sqrt();
            let waves = z.iter().map(|v| 1.0 - (4.0 * v).cos()).sum::<f64>() / n;
            10.0 * (1.0 - (-0.25 * r).exp()) + 0.5 * waves
        }),
        "steps4" => sum(4, -1.0, 1.0, |z| {
            let smooth =
                z.iter().enumerate().map(|(i, v)| (i + 1) as f64 * v * v).sum::<f64>().sqrt() + 0.3 * z[0] * z[1];
            (12.0 * smooth.max(0.0)).floor() / 12.0 + 0.02 * z.iter().map(|v| v.abs()).sum::<f64>()
        }),
        "rotated6" => sum_along(Some(rotation(6, &stream)), 6, -5.0, 5.0, |z| {
            z.iter().enumerate().map(|(i, v)| 10f64.powf(i as f64 * 2.0 / 5.0) * v * v).sum::<f64>()
        }),
        "rotated_valley4" => sum_along(Some(rotation(4, &stream)), 4, -3.0, 3.0, |z| {
            let s: f64 = z.iter().enumerate().map(|(i, v)| (i + 1) as f64 * v).sum();
            z.iter().map(|v| v * v).sum::<f64>() + 0.5 * s.powi(2) + 0.1 * s.powi(4)
        }),
        "circuit6" => simulated(name, &CIRCUIT, CIRCUIT_LEAST, circuit),
        "piston7" => simulated(name, &PISTON, PISTON_LEAST, piston),
        "wing10" => simulated(name, &WING, WING_LEAST, wing),
        "rough4" => fourier(name, 4, 0.25, true, None, &stream),
        "smooth3" => fourier(name, 3, 0.25, false, None, &stream),
        "smooth6" => fourier(name, 6, 0.5, false, None, &stream),
        "decades5" => fourier(name, 5, 0.5, false, Some(3.0), &stream),
        "decades8" => fourier(name, 8, 0.8, false, Some(3.0), &stream),
        _ => {
            let as_is = name.strip_prefix(AS_IS);
            let mut problem = Problem::by_name(as_is.unwrap_or(name)).expect("a known problem");
            if as_is.is_none() {
                problem = problem.shifted(&mut stream.child("shift", 0));
            }
            Task {
                name: name.into(),
                bounds: problem.bounds.clone(),
                minimum: problem.minimum,
                function: Box::new(move |x| problem.value(x)),
            }
        }
    }
}

/// An engineering formula whose smallest value is in a corner of its box or on an edge.
fn simulated(name: &str, bounds: &[(f64, f64)], minimum: f64, f: fn(&[f64]) -> f64) -> Task {
    Task { name: name.into(), bounds: bounds.to_vec(), minimum, function: Box::new(f) }
}

/// The midpoint voltage of a push-pull circuit (Ben-Ari and Steinberg 2007), its box and its smallest value.
const CIRCUIT: [(f64, f64); 6] = [(50.0, 150.0), (25.0, 70.0), (0.5, 3.0), (1.2, 2.5), (0.25, 1.2), (50.0, 300.0)];
const CIRCUIT_LEAST: f64 = 2.603_714_845_846_850_4;
fn circuit(x: &[f64]) -> f64 {
    let gain = x[5] * (x[4] + 9.0);
    let base = 12.0 * x[1] / (x[0] + x[1]);
    ((base + 0.74) * gain + 11.35 * x[2] + 0.74 * x[2] * gain / x[3]) / (gain + x[2])
}

/// The cycle time of a piston (Kenett and Zacks 1998), its box and its smallest value.
const PISTON: [(f64, f64); 7] = [
    (30.0, 60.0),
    (0.005, 0.02),
    (0.002, 0.01),
    (1000.0, 5000.0),
    (90_000.0, 110_000.0),
    (290.0, 296.0),
    (340.0, 360.0),
];
const PISTON_LEAST: f64 = 0.164_228_849_162_531_86;
fn piston(x: &[f64]) -> f64 {
    let [mass, surface, volume, spring, pressure, ambient, filling] = *x else { panic!("seven coordinates") };
    let gas = pressure * volume / filling * ambient;
    let a = pressure * surface + 19.62 * mass - spring * volume / surface;
    let v = surface / (2.0 * spring) * ((a * a + 4.0 * spring * gas).sqrt() - a);
    2.0 * std::f64::consts::PI * (mass / (spring + surface * surface * gas / (v * v))).sqrt()
}

/// The weight of a light aircraft's wing (Forrester, Sobester and Keane 2008), its box and its smallest value.
const WING: [(f64, f64); 10] = [
    (150.0, 200.0),
    (220.0, 300.0),
    (6.0, 10.0),
    (-10.0, 10.0),
    (16.0, 45.0),
    (0.5, 1.0),
    (0.08, 0.18),
    (2.5, 6.0),
    (1700.0, 2500.0),
    (0.025, 0.08),
];
const WING_LEAST: f64 = 123.253_671_700_917_85;
fn wing(x: &[f64]) -> f64 {
    let cos = x[3].to_radians().cos();
    0.036
        * x[0].powf(0.758)
        * x[1].powf(0.0035)
        * (x[2] / (cos * cos)).powf(0.6)
        * x[4].powf(0.006)
        * x[5].powf(0.04)
        * (100.0 * x[6] / cos).powf(-0.3)
        * (x[7] * x[8]).powf(0.49)
        + x[0] * x[9]
}

/// The function with its origin moved to the centre, along these axes or those of the box.
pub(crate) fn moved(centre: Vec<f64>, axes: Option<Vec<Vec<f64>>>, f: fn(&[f64]) -> f64) -> Function {
    Box::new(move |x| {
        let shifted: Vec<f64> = x.iter().zip(&centre).map(|(a, b)| a - b).collect();
        let along = |axis: &Vec<f64>| axis.iter().zip(&shifted).map(|(a, b)| a * b).sum();
        axes.as_ref().map_or_else(|| f(&shifted), |axes| f(&axes.iter().map(along).collect::<Vec<f64>>()))
    })
}

/// A bowl with fine waves on it.
fn wavy_bowl(z: &[f64], steep: f64, pitch: f64) -> f64 {
    let bowl: f64 = z.iter().map(|v| v * v).sum();
    let waves: f64 = z.iter().enumerate().map(|(i, v)| (pitch * v * 2.0 / (1.0 + i as f64).sqrt()).cos()).product();
    steep * bowl + 1.0 - waves
}

/// A product of cusps: steep and sharp at the minimum, over decades away from it.
fn cusp(z: &[f64]) -> f64 {
    z.iter().enumerate().map(|(i, v)| (1.0 + 6.0 * v.abs()) / (1.0 + 0.3 * i as f64 * v.abs())).product::<f64>() - 1.0
}

/// Random orthonormal directions, uniformly distributed.
pub(crate) fn rotation(d: usize, stream: &Stream) -> Vec<Vec<f64>> {
    let mut draw = stream.child("rotation", 0);
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let mut axes: Vec<Vec<f64>> = Vec::new();
    while axes.len() < d {
        let mut v: Vec<f64> = (0..d).map(|_| draw.normal()).collect();
        for a in &axes {
            let along = dot(a, &v);
            v.iter_mut().zip(a).for_each(|(x, y)| *x -= along * y);
        }
        let length = dot(&v, &v).sqrt();
        axes.push(v.iter().map(|x| x / length).collect());
    }
    axes
}

/// The minimizer of Dixon and Price, so that `z = 0` is the minimum.
fn dixon(i: usize) -> f64 {
    2f64.powf(-(2f64.powi(i as i32 + 1) - 2.0) / 2f64.powi(i as i32 + 1))
}

/// A draw of a Gaussian process on the unit cube (200 Fourier features), exponentiated if `spread` says how strongly.
pub(crate) fn fourier(
    name: &str,
    d: usize,
    lengthscale: f64,
    rough: bool,
    spread: Option<f64>,
    stream: &Stream,
) -> Task {
    const FEATURES: usize = 200;
    let mut draw = stream.child("features", 0);
    let features: Vec<(Vec<f64>, f64, f64)> = (0..FEATURES)
        .map(|_| {
            // Matérn-5/2 frequencies are Student-t with 5 degrees of freedom.
            let widen = if rough { (5.0 / (0..5).map(|_| draw.normal().powi(2)).sum::<f64>()).sqrt() } else { 1.0 };
            let omega = (0..d).map(|_| widen * draw.normal() / lengthscale).collect();
            (omega, 2.0 * std::f64::consts::PI * draw.uniform(), draw.normal())
        })
        .collect();
    let amplitude = (2.0 / FEATURES as f64).sqrt();
    let field = move |x: &[f64], gradient: Option<&mut [f64]>| {
        let mut value = 0.0;
        let mut g = vec![0.0; d];
        for (omega, phase, weight) in &features {
            let t = omega.iter().zip(x).map(|(a, b)| a * b).sum::<f64>() + phase;
            value += weight * t.cos();
            for k in 0..d {
                g[k] -= weight * t.sin() * omega[k];
            }
        }
        if let Some(out) = gradient {
            out.iter_mut().zip(&g).for_each(|(o, v)| *o = amplitude * v);
        }
        amplitude * value
    };
    // The smallest value, by many descents.
    let mut least = f64::INFINITY;
    let mut solver = Lbfgsb::new(d, LbfgsbParams::default());
    let mut starts: Vec<(f64, Vec<f64>)> = elbowroom::design::sobol(4000, d, &stream.child("minimum", 0))
        .iter()
        .map(|x| (field(x, None), x.to_vec()))
        .collect();
    starts.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (_, mut x) in starts.into_iter().take(100) {
        let mut negated = |x: &[f64], g: &mut [f64]| {
            let v = field(x, Some(g));
            g.iter_mut().for_each(|a| *a = -*a);
            -v
        };
        least = least.min(-solver.maximize(&mut negated, &mut x, &Bounds::unit(d)).value);
    }
    let out = move |v: f64| spread.map_or(v, |s| (s * v).exp());
    Task {
        name: name.into(),
        bounds: vec![(0.0, 1.0); d],
        minimum: out(least),
        function: Box::new(move |x| out(field(x, None))),
    }
}
