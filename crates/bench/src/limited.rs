//! Problems with one objective and limits on further results, with known best feasible values: rules for limits are
//! chosen on them. None of them is in the comparison with the peers.

use std::f64::consts::PI;

/// A function to be minimized where every further result is at most 0.
#[derive(Debug, Clone, Copy)]
pub struct Limited {
    /// Its name.
    pub name: &'static str,
    /// The bounds of its arguments.
    pub bounds: &'static [(f64, f64)],
    /// The number of limited results.
    pub limits: usize,
    /// The smallest feasible value.
    pub least: f64,
    /// The value at a point, and the limited results.
    pub evaluate: fn(&[f64]) -> (f64, Vec<f64>),
}

/// All of them.
pub const PROBLEMS: [Limited; 12] = [
    Limited { name: "g04", bounds: &G04, limits: 6, least: -30665.538671783, evaluate: g04 },
    Limited { name: "g06", bounds: &[(13.0, 100.0), (0.0, 100.0)], limits: 2, least: -6961.813875580, evaluate: g06 },
    Limited { name: "g08", bounds: &[(0.01, 10.0), (0.01, 10.0)], limits: 2, least: -0.0958250414180, evaluate: g08 },
    Limited { name: "g09", bounds: &[(-10.0, 10.0); 7], limits: 4, least: 680.630057374402, evaluate: g09 },
    Limited { name: "g24", bounds: &[(0.0, 3.0), (0.0, 4.0)], limits: 2, least: -5.50801327159536, evaluate: g24 },
    Limited { name: "spring", bounds: &SPRING, limits: 4, least: 0.012665232788, evaluate: spring },
    Limited { name: "truss", bounds: &[(0.01, 1.0); 2], limits: 3, least: 263.8958433765, evaluate: truss },
    Limited { name: "bird", bounds: &[(-10.0, 0.0), (-6.5, 0.0)], limits: 1, least: -106.764536749, evaluate: bird },
    Limited { name: "disk", bounds: &[(-1.5, 1.5); 2], limits: 1, least: 0.0, evaluate: disk },
    Limited { name: "gomez", bounds: &[(-1.0, 0.75), (-1.0, 1.0)], limits: 1, least: -1.031628453, evaluate: gomez },
    Limited { name: "flower", bounds: &[(-1.25, 1.25); 2], limits: 1, least: -0.072, evaluate: flower },
    Limited { name: "ellipse5", bounds: &[(-1.0, 2.0); 5], limits: 2, least: 1.0, evaluate: ellipse },
];

const G04: [(f64, f64); 5] = [(78.0, 102.0), (33.0, 45.0), (27.0, 45.0), (27.0, 45.0), (27.0, 45.0)];

const SPRING: [(f64, f64); 3] = [(0.05, 2.0), (0.25, 1.3), (2.0, 15.0)];

/// Five coordinates whose weighted squares should be small, beyond a plane and outside a ball: the best point is (1, 0,
/// 0, 0, 0).
fn ellipse(x: &[f64]) -> (f64, Vec<f64>) {
    let squares: f64 = x.iter().map(|x| x * x).sum();
    let value = x.iter().enumerate().map(|(i, x)| (1.0 + 3.0 * i as f64) * x * x).sum();
    (value, vec![1.0 - squares, 0.5 - x[0]])
}

/// Himmelblau's problem.
fn g04(x: &[f64]) -> (f64, Vec<f64>) {
    let value = 5.3578547 * x[2] * x[2] + 0.8356891 * x[0] * x[4] + 37.293239 * x[0] - 40792.141;
    let u = 85.334407 + 0.0056858 * x[1] * x[4] + 0.0006262 * x[0] * x[3] - 0.0022053 * x[2] * x[4];
    let v = 80.51249 + 0.0071317 * x[1] * x[4] + 0.0029955 * x[0] * x[1] + 0.0021813 * x[2] * x[2];
    let w = 9.300961 + 0.0047026 * x[2] * x[4] + 0.0012547 * x[0] * x[2] + 0.0019085 * x[2] * x[3];
    (value, vec![u - 92.0, -u, v - 110.0, 90.0 - v, w - 25.0, 20.0 - w])
}

fn g06(x: &[f64]) -> (f64, Vec<f64>) {
    let value = (x[0] - 10.0).powi(3) + (x[1] - 20.0).powi(3);
    let near = 100.0 - (x[0] - 5.0).powi(2) - (x[1] - 5.0).powi(2);
    let far = (x[0] - 6.0).powi(2) + (x[1] - 5.0).powi(2) - 82.81;
    (value, vec![near, far])
}

fn g08(x: &[f64]) -> (f64, Vec<f64>) {
    let (a, b) = (x[0], x[1]);
    let value = -(2.0 * PI * a).sin().powi(3) * (2.0 * PI * b).sin() / (a.powi(3) * (a + b));
    (value, vec![a * a - b + 1.0, 1.0 - a + (b - 4.0).powi(2)])
}

fn g09(x: &[f64]) -> (f64, Vec<f64>) {
    let value = (x[0] - 10.0).powi(2)
        + 5.0 * (x[1] - 12.0).powi(2)
        + x[2].powi(4)
        + 3.0 * (x[3] - 11.0).powi(2)
        + 10.0 * x[4].powi(6)
        + 7.0 * x[5].powi(2)
        + x[6].powi(4)
        - 4.0 * x[5] * x[6]
        - 10.0 * x[5]
        - 8.0 * x[6];
    let limits = vec![
        -127.0 + 2.0 * x[0].powi(2) + 3.0 * x[1].powi(4) + x[2] + 4.0 * x[3].powi(2) + 5.0 * x[4],
        -282.0 + 7.0 * x[0] + 3.0 * x[1] + 10.0 * x[2].powi(2) + x[3] - x[4],
        -196.0 + 23.0 * x[0] + x[1].powi(2) + 6.0 * x[5].powi(2) - 8.0 * x[6],
        4.0 * x[0].powi(2) + x[1].powi(2) - 3.0 * x[0] * x[1] + 2.0 * x[2].powi(2) + 5.0 * x[5] - 11.0 * x[6],
    ];
    (value, limits)
}

fn g24(x: &[f64]) -> (f64, Vec<f64>) {
    let a = x[0];
    let first = -2.0 * a.powi(4) + 8.0 * a.powi(3) - 8.0 * a * a + x[1] - 2.0;
    let second = -4.0 * a.powi(4) + 32.0 * a.powi(3) - 88.0 * a * a + 96.0 * a + x[1] - 36.0;
    (-a - x[1], vec![first, second])
}

/// The weight of a spring.
fn spring(x: &[f64]) -> (f64, Vec<f64>) {
    let (wire, coil, n) = (x[0], x[1], x[2]);
    let limits = vec![
        1.0 - coil.powi(3) * n / (71785.0 * wire.powi(4)),
        (4.0 * coil * coil - wire * coil) / (12566.0 * (coil * wire.powi(3) - wire.powi(4)))
            + 1.0 / (5108.0 * wire * wire)
            - 1.0,
        1.0 - 140.45 * wire / (coil * coil * n),
        (coil + wire) / 1.5 - 1.0,
    ];
    ((n + 2.0) * coil * wire * wire, limits)
}

/// The weight of three bars.
fn truss(x: &[f64]) -> (f64, Vec<f64>) {
    let root = 2.0f64.sqrt();
    let (a, b) = (x[0], x[1]);
    let shared = root * a * a + 2.0 * a * b;
    let limits = vec![(root * a + b) / shared * 2.0 - 2.0, b / shared * 2.0 - 2.0, 1.0 / (a + root * b) * 2.0 - 2.0];
    (100.0 * (2.0 * root * a + b), limits)
}

/// By Mishra.
fn bird(x: &[f64]) -> (f64, Vec<f64>) {
    let (a, b) = (x[0], x[1]);
    let value = b.sin() * (1.0 - a.cos()).powi(2).exp() + a.cos() * (1.0 - b.sin()).powi(2).exp() + (a - b).powi(2);
    (value, vec![(a + 5.0).powi(2) + (b + 5.0).powi(2) - 25.0])
}

/// Rosenbrock's valley in a disk through its end.
fn disk(x: &[f64]) -> (f64, Vec<f64>) {
    let value = (1.0 - x[0]).powi(2) + 100.0 * (x[1] - x[0] * x[0]).powi(2);
    (value, vec![x[0] * x[0] + x[1] * x[1] - 2.0])
}

/// By Gómez and Levy.
fn gomez(x: &[f64]) -> (f64, Vec<f64>) {
    let (a, b) = (x[0], x[1]);
    let value = 4.0 * a * a - 2.1 * a.powi(4) + a.powi(6) / 3.0 + a * b - 4.0 * b * b + 4.0 * b.powi(4);
    (value, vec![-(4.0 * PI * a).sin() + 2.0 * (2.0 * PI * b).sin().powi(2) - 1.5])
}

/// By Simionescu.
fn flower(x: &[f64]) -> (f64, Vec<f64>) {
    let (a, b) = (x[0], x[1]);
    let reach = 1.0 + 0.2 * (8.0 * a.atan2(b)).cos();
    (0.1 * a * b, vec![a * a + b * b - reach * reach])
}
