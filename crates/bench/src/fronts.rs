//! Problems with several objectives on which defaults are chosen. All objectives are minimized.
//!
//! The best hypervolume of each is found by a long random search that keeps the non-dominated points: no closed form is
//! needed, and its error is far below what a few dozen evaluations leave.

use elbowroom::pareto::hypervolume;
use elbowroom::problems::Problem;
use elbowroom::rng::Stream;

/// The problems, by name.
pub const PROBLEMS: [&str; 12] = [
    "schaffer",
    "fonseca3",
    "kursawe",
    "poloni",
    "gaps4",
    "truss4",
    "brake4",
    "hartmanns6",
    "waves2",
    "waves4",
    "waves6",
    "viennet",
];

/// A problem with several objectives, each to be minimized, on a box.
pub struct Multi {
    /// The box.
    pub bounds: Vec<(f64, f64)>,
    /// The worst value that counts, in each objective.
    pub reference: Vec<f64>,
    values: Values,
}

type Values = Box<dyn Fn(&[f64]) -> Vec<f64> + Send + Sync>;

impl Multi {
    /// A problem of [`PROBLEMS`], or `waves6x3` or `waves6x4`, which have 3 and 4 objectives.
    ///
    /// # Panics
    ///
    /// If there is no such problem.
    pub fn new(name: &str) -> Self {
        let unit = |d: usize| vec![(0.0, 1.0); d];
        let (bounds, reference, values): (Vec<(f64, f64)>, Vec<f64>, Values) = match name {
            "schaffer" => (vec![(-4.0, 6.0); 2], vec![6.0, 6.0], Box::new(schaffer)),
            "fonseca3" => (vec![(-2.0, 2.0); 3], vec![1.0, 1.0], Box::new(fonseca)),
            "kursawe" => (vec![(-5.0, 5.0); 3], vec![-13.5, 1.5], Box::new(kursawe)),
            "poloni" => (vec![(-std::f64::consts::PI, std::f64::consts::PI); 2], vec![18.0, 27.0], Box::new(poloni)),
            "gaps4" => (unit(4), vec![1.0, 12.0], Box::new(gaps)),
            "truss4" => {
                let root = std::f64::consts::SQRT_2;
                (vec![(1.0, 3.0), (root, 3.0), (root, 3.0), (1.0, 3.0)], vec![2700.0, 0.04], Box::new(truss))
            }
            "brake4" => {
                let bounds = vec![(55.0, 80.0), (75.0, 110.0), (1000.0, 3000.0), (11.0, 20.0)];
                (bounds, vec![5.0, 8.0], Box::new(brake))
            }
            "hartmanns6" => {
                let hartmann = Problem::by_name("hartmann6").expect("a known problem");
                let values = move |x: &[f64]| {
                    let turned: Vec<f64> = x.iter().rev().map(|v| 1.0 - v).collect();
                    vec![hartmann.value(x), hartmann.value(&turned)]
                };
                (unit(6), vec![0.0, 0.0], Box::new(values))
            }
            "waves2" => (unit(2), vec![0.5, 0.5], waves(2, 2)),
            "waves4" => (unit(4), vec![0.5, 0.5], waves(4, 2)),
            "waves6" => (unit(6), vec![0.5, 0.5], waves(6, 2)),
            "waves6x3" => (unit(6), vec![0.5; 3], waves(6, 3)),
            "waves6x4" => (unit(6), vec![0.5; 4], waves(6, 4)),
            "viennet" => (vec![(-3.0, 3.0); 2], vec![5.0, 18.0, 0.25], Box::new(viennet)),
            other => panic!("there is no problem {other}"),
        };
        Self { bounds, reference, values }
    }

    /// The objectives at a point of the unit cube.
    pub fn at_unit(&self, u: &[f64]) -> Vec<f64> {
        let x: Vec<f64> = u.iter().zip(&self.bounds).map(|(u, (low, high))| low + u * (high - low)).collect();
        (self.values)(&x)
    }

    /// The hypervolume of results.
    pub fn volume(&self, results: &[Vec<f64>]) -> f64 {
        let negated: Vec<Vec<f64>> = results.iter().map(|y| y.iter().map(|v| -v).collect()).collect();
        hypervolume(&negated, &self.reference.iter().map(|v| -v).collect::<Vec<f64>>())
    }

    /// The best known hypervolume: of what a search with this many steps keeps.
    pub fn best_volume(&self, n_steps: usize, seed: u64) -> f64 {
        let (mut draw, dim) = (Stream::new(seed).child("archive", 0), self.bounds.len());
        let mut kept: Vec<Kept> = Vec::new();
        for step in 0..n_steps {
            let mut u: Vec<f64> = (0..dim).map(|_| draw.uniform()).collect();
            if step > 1000 && !kept.is_empty() {
                let parent = &kept[draw.below(kept.len())].u;
                let size = 10f64.powf(-0.5 - 4.0 * draw.uniform());
                let moved = draw.below(dim);
                for k in 0..dim {
                    let moves = k == moved || draw.uniform() < 0.5;
                    u[k] = (parent[k] + if moves { size * draw.normal() } else { 0.0 }).clamp(0.0, 1.0);
                }
            }
            self.keep(&mut kept, u);
        }
        self.volume(&kept.into_iter().map(|kept| kept.y).collect::<Vec<_>>())
    }

    /// Keeps one point of each cell of a fine grid, which limits their number.
    fn keep(&self, kept: &mut Vec<Kept>, u: Vec<f64>) {
        let y = self.at_unit(&u);
        let fine = if y.len() > 2 { 0.005 } else { 0.001 };
        let gains: Vec<f64> =
            y.iter().zip(&self.reference).map(|(y, r)| (r - y) / (fine * r.abs().max(0.02))).collect();
        if gains.iter().any(|gain| *gain <= 0.0) {
            return;
        }
        let new = Kept { cell: gains.iter().map(|gain| *gain as i64).collect(), sum: gains.iter().sum(), u, y };
        let no_worse = |a: &Kept, b: &Kept| a.cell.iter().zip(&b.cell).all(|(a, b)| a >= b);
        if !kept.iter().any(|other| no_worse(other, &new) && (other.cell != new.cell || other.sum >= new.sum)) {
            kept.retain(|other| !no_worse(&new, other));
            kept.push(new);
        }
    }
}

/// A point that is not dominated, with its cell of a fine grid.
struct Kept {
    u: Vec<f64>,
    y: Vec<f64>,
    cell: Vec<i64>,
    sum: f64,
}

/// Schaffer's first problem in two coordinates.
fn schaffer(x: &[f64]) -> Vec<f64> {
    let to = |c: f64| (x[0] - c).powi(2) + 0.5 * (x[1] - 0.5).powi(2);
    vec![to(0.0), to(2.0)]
}

/// Fonseca and Fleming 1995.
fn fonseca(x: &[f64]) -> Vec<f64> {
    let root = 1.0 / (x.len() as f64).sqrt();
    let at = |sign: f64| 1.0 - (-x.iter().map(|x| (x - sign * root).powi(2)).sum::<f64>()).exp();
    vec![at(1.0), at(-1.0)]
}

/// Kursawe 1991.
fn kursawe(x: &[f64]) -> Vec<f64> {
    let pairs = x.windows(2).map(|p| -10.0 * (-0.2 * (p[0] * p[0] + p[1] * p[1]).sqrt()).exp());
    vec![pairs.sum(), x.iter().map(|x| x.abs().powf(0.8) + 5.0 * (x.powi(3)).sin()).sum()]
}

/// Poloni et al. 1996.
fn poloni(x: &[f64]) -> Vec<f64> {
    let b = |x: f64, y: f64| {
        let (sx, cx, sy, cy) = (x.sin(), x.cos(), y.sin(), y.cos());
        (0.5 * sx - 2.0 * cx + sy - 1.5 * cy, 1.5 * sx - cx + 2.0 * sy - 0.5 * cy)
    };
    let ((a1, a2), (b1, b2)) = (b(1.0, 2.0), b(x[0], x[1]));
    vec![1.0 + (a1 - b1).powi(2) + (a2 - b2).powi(2), (x[0] + 3.0).powi(2) + (x[1] + 1.0).powi(2)]
}

/// A front in pieces, based on the seventh problem of Deb, Thiele, Laumanns and Zitzler 2002.
fn gaps(x: &[f64]) -> Vec<f64> {
    let g = 1.0 + 9.0 * x[1..].iter().sum::<f64>() / (x.len() - 1) as f64;
    let h = 2.0 - x[0] / (1.0 + g) * (1.0 + (3.0 * std::f64::consts::PI * x[0]).sin());
    vec![x[0], (1.0 + g) * h]
}

/// A truss with four bars: its volume and how far its joint moves (Cheng and Li 1999).
fn truss(x: &[f64]) -> Vec<f64> {
    let (force, modulus, length, root) = (10.0, 2e5, 200.0, std::f64::consts::SQRT_2);
    let volume = length * (2.0 * x[0] + root * x[1] + x[2].sqrt() + x[3]);
    let bend = 2.0 / x[0] + 2.0 * root / x[1] - 2.0 * root / x[2] + 2.0 / x[3];
    vec![volume, force * length / modulus * bend]
}

/// A disc brake: its mass and how long it takes to stop (Ray and Liew 2002), without the constraints.
fn brake(x: &[f64]) -> Vec<f64> {
    let (squares, cubes) = (x[1] * x[1] - x[0] * x[0], x[1].powi(3) - x[0].powi(3));
    // Discs without width stop nothing: the box contains such discs, and they get the worst values.
    if squares < 100.0 {
        return vec![5.0, 40.0];
    }
    vec![4.9e-5 * squares * (x[3] - 1.0), (9.82e6 * squares / (x[2] * x[3] * cubes)).min(40.0)]
}

/// Viennet 1996, three objectives.
fn viennet(x: &[f64]) -> Vec<f64> {
    let (a, b) = (x[0], x[1]);
    let r = a * a + b * b;
    vec![
        0.5 * r + r.sin(),
        (3.0 * a - 2.0 * b + 4.0).powi(2) / 8.0 + (a - b + 1.0).powi(2) / 27.0 + 15.0,
        1.0 / (r + 1.0) - 1.1 * (-r).exp(),
    ]
}

/// Random objectives: sums of waves, like a Gaussian process with a squared exponential kernel.
fn waves(d: usize, m: usize) -> Values {
    let stream = Stream::new(0xf207).child("waves", d as u64);
    let n = 60;
    let draw_one = |k: usize| {
        let mut draw = stream.child("objective", k as u64);
        let lengthscale = 0.25 * (d as f64).sqrt();
        let wave = |draw: &mut Stream| {
            let frequency: Vec<f64> = (0..d).map(|_| draw.normal() / lengthscale).collect();
            (frequency, std::f64::consts::TAU * draw.uniform())
        };
        (0..n).map(|_| wave(&mut draw)).collect::<Vec<_>>()
    };
    let all: Vec<Vec<(Vec<f64>, f64)>> = (0..m).map(draw_one).collect();
    Box::new(move |x: &[f64]| {
        let of = |waves: &Vec<(Vec<f64>, f64)>| {
            let at = |(f, phase): &(Vec<f64>, f64)| (f.iter().zip(x).map(|(f, x)| f * x).sum::<f64>() + phase).cos();
            waves.iter().map(at).sum::<f64>() * (2.0 / n as f64).sqrt()
        };
        all.iter().map(of).collect()
    })
}
