//! Shapes whose smallest value is 0 at z = 0: bowls, valleys and ridges, waves, kinks and plateaus.

use std::f64::consts::PI;

/// A function of z over the box [−half, half]ᵈ.
pub(super) struct Shape {
    pub name: &'static str,
    pub dim: usize,
    pub half: f64,
    pub f: fn(&[f64]) -> f64,
}

const fn shape(name: &'static str, dim: usize, half: f64, f: fn(&[f64]) -> f64) -> Shape {
    Shape { name, dim, half, f }
}

/// All of them; those whose name ends with `r` are rotated.
pub(super) const SHAPES: [Shape; 32] = [
    // Bowls.
    shape("bowl2r", 2, 3.0, |z| z[0] * z[0] + 10.0 * z[1] * z[1]),
    shape("ellipse3r", 3, 4.0, |z| stretched(z, 2.0)),
    shape("cigar5r", 5, 2.0, |z| z[0] * z[0] + 100.0 * squares(&z[1..])),
    shape("disc6", 6, 2.0, |z| 100.0 * z[0] * z[0] + squares(&z[1..])),
    shape("quartic7r", 7, 1.5, |z| weighted(z, |v| v.powi(4) + 0.2 * v * v)),
    shape("chain8", 8, 2.0, |z| squares(z) + 5.0 * pairs(z, |a, b| (a - b).powi(2))),
    shape("bowl12r", 12, 2.0, |z| stretched(z, 1.0)),
    // Valleys and ridges.
    shape("banana2r", 2, 2.0, |z| banana(z, 50.0)),
    shape("banana5r", 5, 1.5, |z| banana(z, 20.0)),
    shape("sharp_ridge4r", 4, 3.0, |z| z[0] * z[0] + 10.0 * squares(&z[1..]).sqrt()),
    shape("ridge8r", 8, 2.0, |z| 3.0 * z[0].abs() + 0.1 * squares(z)),
    shape("bent_ridge3r", 3, 2.0, |z| (z[1] - z[0] * z[0]).abs() + 0.2 * z[0] * z[0] + z[2] * z[2]),
    shape("beale2", 2, 3.0, beale),
    shape("powell4", 4, 3.0, powell),
    shape("helix3", 3, 4.0, |z| {
        5.0 * (z[0] - z[2].sin()).powi(2) + 5.0 * (z[1] + z[2].cos() - 1.0).powi(2) + 0.1 * z[2] * z[2]
    }),
    // Waves.
    shape("bohachevsky2r", 2, 4.0, |z| {
        z[0] * z[0] + 2.0 * z[1] * z[1] + 0.3 * wave(1.5 * z[0]) + 0.4 * wave(2.0 * z[1])
    }),
    shape("ackley3r", 3, 8.0, ackley),
    shape("levy4r", 4, 8.0, levy),
    shape("rastrigin2r", 2, 2.0, |z| squares(z) + 2.0 * z.iter().map(|v| wave(*v)).sum::<f64>()),
    shape("ripples6r", 6, 3.0, |z| squares(z) + z.iter().map(|v| wave(0.5 * v)).sum::<f64>()),
    shape("ripples10", 10, 2.0, |z| weighted(z, |v| v * v + 0.3 * wave(0.8 * v))),
    shape("rings4", 4, 1.5, |z| wave(squares(z).sqrt()) + 0.5 * squares(z).sqrt()),
    shape("double_well5", 5, 3.0, |z| z.iter().map(|v| v * v * ((v - 2.0).powi(2) + 0.2)).sum()),
    shape("wells6", 6, 1.0, wells),
    shape("two_basins3r", 3, 2.0, |z| {
        let far: f64 = z.iter().map(|v| (v - 1.0).powi(2)).sum();
        (4.0 * squares(z)).min(0.3 + 0.5 * far)
    }),
    shape("drop_wave2", 2, 3.0, |z| 1.0 - (1.0 + (6.0 * squares(z).sqrt()).cos()) / (0.5 * squares(z) + 2.0)),
    // Kinks and plateaus.
    shape("cusp4r", 4, 1.0, |z| z.iter().map(|v| v.abs().powf(0.6)).sum()),
    shape("octahedron7r", 7, 1.0, |z| weighted(z, f64::abs)),
    shape("cube5r", 5, 1.0, |z| z.iter().fold(0.0, |m: f64, v| m.max(v.abs()))),
    shape("terrace3", 3, 1.0, |z| (8.0 * squares(z).sqrt()).floor() / 8.0 + 0.1 * squares(z).sqrt()),
    shape("saturated6r", 6, 2.0, |z| stretched(z, 1.0) / (1.0 + stretched(z, 1.0))),
    shape("tilted9", 9, 1.0, |z| z.iter().map(|v| v.max(-3.0 * v) + 0.2 * v * v).sum()),
];

fn squares(z: &[f64]) -> f64 {
    z.iter().map(|v| v * v).sum()
}

/// 1 − cos 2πv.
fn wave(v: f64) -> f64 {
    1.0 - (2.0 * PI * v).cos()
}

/// A bowl whose curvatures span this many decades.
fn stretched(z: &[f64], decades: f64) -> f64 {
    let last = (z.len() - 1) as f64;
    z.iter().enumerate().map(|(i, v)| 10f64.powf(decades * i as f64 / last) * v * v).sum()
}

/// Σ (1 + i/2) g(zᵢ).
fn weighted(z: &[f64], g: fn(f64) -> f64) -> f64 {
    z.iter().enumerate().map(|(i, v)| (1.0 + 0.5 * i as f64) * g(*v)).sum()
}

/// The sum over neighbours.
fn pairs(z: &[f64], g: impl Fn(f64, f64) -> f64) -> f64 {
    z.windows(2).map(|pair| g(pair[0], pair[1])).sum()
}

/// Rosenbrock's valley, with its minimum at 0.
fn banana(z: &[f64], steep: f64) -> f64 {
    pairs(z, |a, b| steep * (b - a * a).powi(2) + a * a)
}

/// Beale (1958), with its minimum at 0 instead of (3, ½).
fn beale(z: &[f64]) -> f64 {
    let (x, y) = (z[0] + 3.0, z[1] + 0.5);
    let term = |constant: f64, power: i32| (constant - x + x * y.powi(power)).powi(2);
    term(1.5, 1) + term(2.25, 2) + term(2.625, 3)
}

/// Powell's singular function (1962).
fn powell(z: &[f64]) -> f64 {
    (z[0] + 10.0 * z[1]).powi(2)
        + 5.0 * (z[2] - z[3]).powi(2)
        + (z[1] - 2.0 * z[2]).powi(4)
        + 10.0 * (z[0] - z[3]).powi(4)
}

fn ackley(z: &[f64]) -> f64 {
    let n = z.len() as f64;
    let waves = z.iter().map(|v| (2.0 * PI * v).cos()).sum::<f64>() / n;
    20.0 * (1.0 - (-0.2 * (squares(z) / n).sqrt()).exp()) + 1f64.exp() - waves.exp()
}

/// Levy's function, with its minimum at 0 instead of 1.
fn levy(z: &[f64]) -> f64 {
    let w: Vec<f64> = z.iter().map(|v| 1.0 + v / 4.0).collect();
    let last = w[w.len() - 1];
    let inner = |v: &f64| (v - 1.0).powi(2) * (1.0 + 10.0 * (PI * v + 1.0).sin().powi(2));
    (PI * w[0]).sin().powi(2)
        + w[..w.len() - 1].iter().map(inner).sum::<f64>()
        + (last - 1.0).powi(2) * (1.0 + (2.0 * PI * last).sin().powi(2))
}

/// The lowest of six wells; the deepest, at 0, is narrower than the others.
fn wells(z: &[f64]) -> f64 {
    let well = |k: usize| {
        let (depth, width) = if k == 0 { (1.0, 0.5) } else { (0.9 - 0.1 * k as f64, 0.8) };
        // Directions of a lattice, kept apart by the golden ratio.
        let at = |i: usize| if k == 0 { 0.0 } else { 1.6 * ((0.618 * ((k + 1) * (i + 1)) as f64).fract() - 0.5) };
        let far: f64 = z.iter().enumerate().map(|(i, v)| (v - at(i)).powi(2)).sum();
        depth * (-0.5 * far / (width * width)).exp()
    };
    1.0 - (0..6).map(well).fold(0.0, f64::max)
}
