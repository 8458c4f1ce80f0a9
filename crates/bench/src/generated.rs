//! Generated studies for judging answers: several kinds of objectives whose true value is known at every point.
//!
//! They differ from seed to seed and have the features of real ones: tails over decades, places where the evaluation
//! fails, categories and integers, and noise from none to as large as the effect of the parameters.

use elbowroom::rng::Stream;
use elbowroom::space::{Parameter, Point, SearchSpace};

use crate::problems::{Task, fourier, rotation, task};

/// The kinds of objectives.
pub const KINDS: [&str; 10] =
    ["smooth", "decades", "tails", "border", "mixed", "network", "noise_small", "noise", "noise_large", "noise_mixed"];

/// An objective to be minimized, with its noise.
pub struct Objective {
    /// The space on which it is defined.
    pub space: SearchSpace,
    /// The standard deviation of the noise of a result.
    pub noise: f64,
    truth: Truth,
}

/// The true value at a point; `None` if the evaluation fails.
type Truth = Box<dyn Fn(&Point) -> Option<f64> + Send + Sync>;

impl Objective {
    /// The true value at a point; `None` if the evaluation fails.
    pub fn truth(&self, point: &Point) -> Option<f64> {
        (self.truth)(point)
    }

    /// The objective of this kind for one seed.
    ///
    /// # Panics
    ///
    /// If there is no such kind.
    pub fn new(kind: &str, seed: u64) -> Self {
        let stream = Stream::new(0x5afe).child(kind, seed);
        match kind {
            "smooth" => {
                of_task(task(["smooth3", "hartmann3", "six_hump_camel", "smooth6", "shekel7"][pick(seed)], seed))
            }
            "decades" => {
                of_task(task(["decades5", "goldstein_price", "zakharov5", "valley4", "decades8"][pick(seed)], seed))
            }
            "tails" => tails(&stream),
            "border" => border(&stream),
            "mixed" => mixed(&stream),
            "network" => network(&stream),
            "noise_small" => noisy(of_task(task(["smooth3", "hartmann3"][(seed % 2) as usize], seed)), 0.1),
            "noise" => {
                let name = ["smooth3", "six_hump_camel", "hartmann3", "smooth6", "ellipsoid8"][pick(seed)];
                noisy(of_task(task(name, seed)), 0.3)
            }
            "noise_large" => noisy(of_task(task(["smooth3", "hartmann3"][(seed % 2) as usize], seed)), 1.0),
            "noise_mixed" => noisy(if seed.is_multiple_of(2) { mixed(&stream) } else { border(&stream) }, 0.3),
            other => match (other.strip_prefix("features"), other.strip_prefix("bowl")) {
                (Some(d), _) => features(d.parse().expect("a dimension"), seed, &stream),
                (_, Some(d)) => bowl(d.parse().expect("a dimension"), &stream),
                _ => panic!("unknown kind {other}"),
            },
        }
    }

    /// The objective of this kind for one seed, with noise of this share of a typical deviation of its values instead
    /// of the kind's own noise.
    pub fn with_noise(kind: &str, seed: u64, share: f64) -> Self {
        noisy(Self::new(kind, seed), share)
    }

    /// A typical deviation of the values: their interquartile range over the space, as for a normal law.
    pub fn deviation(&self) -> f64 {
        let points = elbowroom::design::sobol(512, self.space.dim(), &elbowroom::rng::Stream::new(1));
        let at = |u: &[f64]| self.truth(&self.space.decode(&elbowroom::space::UnitPoint::clamped(u.to_vec())));
        let mut values: Vec<f64> = points.iter().filter_map(at).collect();
        values.sort_by(f64::total_cmp);
        (values[values.len() * 3 / 4] - values[values.len() / 4]) / 1.35
    }
}

fn pick(seed: u64) -> usize {
    (seed % 5) as usize
}

fn number(point: &Point, name: &str) -> f64 {
    point.get(name).and_then(|v| v.as_f64()).unwrap_or(f64::NAN)
}

fn word<'a>(point: &'a Point, name: &str) -> &'a str {
    point.get(name).and_then(|v| v.as_str()).unwrap_or("")
}

fn space(parameters: Vec<Parameter>) -> SearchSpace {
    SearchSpace::new(parameters).expect("a valid space")
}

fn of_task(task: Task) -> Objective {
    let parameters = task.bounds.iter().enumerate().map(|(i, b)| Parameter::float(format!("x{i}"), b.0, b.1));
    Objective {
        space: space(parameters.collect()),
        noise: 0.0,
        truth: Box::new(move |point| {
            let x: Vec<f64> = point.iter().filter_map(|(_, v)| v.as_f64()).collect();
            Some(task.value(&x))
        }),
    }
}

/// The same objective with noise, in typical deviations of the values.
fn noisy(mut objective: Objective, share: f64) -> Objective {
    objective.noise = share * objective.deviation();
    objective
}

/// A draw of a Gaussian process with lengthscales from a fifth to a half of √d, every second one rough.
fn features(dim: usize, seed: u64, stream: &Stream) -> Objective {
    let lengthscale = (0.2 + 0.3 * stream.child("lengthscale", 0).uniform()) * (dim as f64).sqrt();
    of_task(fourier("features", dim, lengthscale, seed % 2 == 1, None, stream))
}

/// A bowl with random axes and slight waves on it.
fn bowl(dim: usize, stream: &Stream) -> Objective {
    let mut draw = stream.child("bowl", 0);
    let axes = rotation(dim, stream);
    let centre: Vec<f64> = (0..dim).map(|_| 0.2 + 0.6 * draw.uniform()).collect();
    let weights: Vec<f64> = (0..dim).map(|_| 4f64.powf(draw.uniform())).collect();
    let height = 0.05 * draw.uniform();
    Objective {
        space: space((0..dim).map(|i| Parameter::float(format!("x{i}"), 0.0, 1.0)).collect()),
        noise: 0.0,
        truth: Box::new(move |point| {
            let z: Vec<f64> = (0..dim).map(|i| number(point, &format!("x{i}")) - centre[i]).collect();
            let along = |axis: &[f64]| axis.iter().zip(&z).map(|(a, b)| a * b).sum::<f64>();
            let one = |(axis, weight): (&Vec<f64>, &f64)| {
                let t = along(axis);
                weight * t * t + height * (1.0 - (12.0 * t).cos())
            };
            Some(axes.iter().zip(&weights).map(one).sum())
        }),
    }
}

/// A bowl that explodes towards one corner: up to ten decades.
fn tails(stream: &Stream) -> Objective {
    let mut draw = stream.child("tails", 0);
    let centre: Vec<f64> = (0..3).map(|_| 0.2 + 0.5 * draw.uniform()).collect();
    let steep = 15.0 + 15.0 * draw.uniform();
    Objective {
        space: space((0..3).map(|i| Parameter::float(format!("x{i}"), 0.0, 1.0)).collect()),
        noise: 0.0,
        truth: Box::new(move |point| {
            let z: Vec<f64> = (0..3).map(|i| number(point, &format!("x{i}")) - centre[i]).collect();
            let bowl: f64 = z.iter().map(|v| v * v).sum::<f64>() + 0.1 * (9.0 * z[0] + 5.0 * z[1]).sin().powi(2);
            let edge = (z.iter().sum::<f64>() - 0.45).max(0.0);
            Some(0.02 + bowl + 1e-2 * (steep * edge).exp_m1())
        }),
    }
}

/// The best point is next to a region where every evaluation fails.
fn border(stream: &Stream) -> Objective {
    let mut draw = stream.child("border", 0);
    let centre: Vec<f64> = (0..2).map(|_| 0.3 + 0.4 * draw.uniform()).collect();
    let angle = 2.0 * std::f64::consts::PI * draw.uniform();
    let gap = 0.01 + 0.04 * draw.uniform();
    Objective {
        space: space((0..2).map(|i| Parameter::float(format!("x{i}"), 0.0, 1.0)).collect()),
        noise: 0.0,
        truth: Box::new(move |point| {
            let (a, b) = (number(point, "x0") - centre[0], number(point, "x1") - centre[1]);
            let across = a * angle.cos() + b * angle.sin();
            // Values improve towards the border, and there are none beyond it.
            (across < gap).then(|| (across - gap).abs() + 2.0 * (b * angle.cos() - a * angle.sin()).powi(2))
        }),
    }
}

/// Numbers, an integer and a category, each with its own optimum.
fn mixed(stream: &Stream) -> Objective {
    let mut draw = stream.child("mixed", 0);
    let best: Vec<(f64, f64, f64)> = (0..3)
        .map(|_| (10f64.powf(-3.0 + 2.0 * draw.uniform()), 0.1 + 0.8 * draw.uniform(), 2.0 + 6.0 * draw.uniform()))
        .collect();
    let offset: Vec<f64> = (0..3).map(|_| 0.3 * draw.uniform()).collect();
    Objective {
        space: space(vec![
            Parameter::float("rate", 1e-4, 1.0).log(),
            Parameter::float("share", 0.0, 1.0),
            Parameter::int("depth", 1, 10),
            Parameter::category("kind", ["a", "b", "c"]),
        ]),
        noise: 0.0,
        truth: Box::new(move |point| {
            let kind = ["a", "b", "c"].iter().position(|k| *k == word(point, "kind")).unwrap_or(0);
            let (rate, share, depth) = best[kind];
            let far = 0.3 * (number(point, "rate") / rate).log10().powi(2)
                + 2.0 * (number(point, "share") - share).powi(2)
                + 0.03 * (number(point, "depth") - depth).powi(2);
            Some(offset[kind] + far)
        }),
    }
}

/// Like the training of a small network: smooth and a little rough below a rate that depends on the momentum, values
/// over decades next to it, failures beyond; and a unit, a decay and a kind as well.
fn network(stream: &Stream) -> Objective {
    let mut draw = stream.child("network", 0);
    let rate = 10f64.powf(-1.6 + 0.8 * draw.uniform());
    let phases: Vec<f64> = (0..4).map(|_| 6.0 * draw.uniform()).collect();
    let shift = [0.0, -0.3 - 0.5 * draw.uniform(), 0.3 * draw.uniform()];
    Objective {
        space: space(vec![
            Parameter::float("rate", 1e-3, 2.0).log(),
            Parameter::float("momentum", 0.0, 0.98),
            Parameter::int("hidden", 2, 16),
            Parameter::float("decay", 1e-6, 0.1).log(),
            Parameter::category("kind", ["plain", "nesterov", "adam"]),
        ]),
        noise: 0.0,
        truth: Box::new(move |point| {
            let kind = ["plain", "nesterov", "adam"].iter().position(|k| *k == word(point, "kind")).unwrap_or(0);
            let (decay, hidden) = (number(point, "decay").log10(), number(point, "hidden"));
            // The step size that momentum makes of the rate, in decades from the best.
            let step = (number(point, "rate") / rate / (1.0 - number(point, "momentum"))).log10() + shift[kind] - 0.3;
            let rough = 1e-3 * ((23.0 * step + phases[0]).sin() + (7.0 * decay + phases[1]).sin());
            let smooth = 0.02 + 0.05 * step * step + 0.02 / hidden + 0.05 * 10f64.powf(decay + 1.0);
            let diverging = (step - 0.9).max(0.0);
            (step < 1.5).then(|| smooth + rough + 0.05 * (14.0 * diverging).exp_m1())
        }),
    }
}
