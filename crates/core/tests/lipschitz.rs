//! GP-LCA: golden values of GPy, bounds that must hold for every posterior, dense grids, and the paper's Cosines figure.

use elbowroom::data::Dataset;
use elbowroom::design::Sobol;
use elbowroom::gp::{FitParams, Hyperparameters, KernelKind, Noise, NoiseRule, Posterior, Scratch, Shape, fit};
use elbowroom::linalg::Points;
use elbowroom::optim::Bounds;
use elbowroom::penalty::{
    Norm, Penalizer, PenalizerKind, gradient_certificate, lipschitz, lipschitz_at, ln_penalizer, whitened_lipschitz,
};
use elbowroom::problems::{COSINES_LIPSCHITZ, Problem};
use elbowroom::rng::Stream;

const KERNELS: [KernelKind; 4] = [KernelKind::Rbf, KernelKind::Matern52, KernelKind::Matern32, KernelKind::TwoScale];
const NORMS: [Norm; 3] = [Norm::One, Norm::Two, Norm::Infinity];

/// The model of GPy's numbers (see gp_golden.rs): Forrester's function at five points, standardized and negated.
fn forrester() -> Posterior {
    let x = [0.0, 0.25, 0.5, 0.75, 1.0];
    let y = x.map(|x: f64| (6.0 * x - 2.0).powi(2) * (12.0 * x - 4.0).sin());
    let mean = y.iter().sum::<f64>() / 5.0;
    let sd = (y.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 5.0).sqrt();
    let negated = y.map(|v| -(v - mean) / sd).to_vec();
    let data = Dataset::new(Points::from_rows(1, x.to_vec()).unwrap(), negated).unwrap();
    Posterior::new(&data, Hyperparameters::new(KernelKind::Rbf, 1.0, vec![0.2], 1e-6 + 1e-8)).unwrap()
}

/// A random posterior of up to 4 coordinates and 14 observations.
fn random(seed: u64, dim: usize) -> Posterior {
    let mut s = Stream::new(seed).child("random posterior", 0);
    let n = 2 + s.below(12);
    let x = Points::from_rows(dim, (0..n * dim).map(|_| s.uniform()).collect()).unwrap();
    let y = (0..n).map(|_| 2.0 * s.normal()).collect();
    let mut hyper = Hyperparameters::new(KERNELS[s.below(3)], 0.3 + 2.0 * s.uniform(), vec![], 0.0);
    hyper.noise = Noise::Equal(hyper.variance * 10f64.powf(-1.0 - 3.0 * s.uniform()));
    hyper.lengthscales = (0..dim).map(|_| 0.15 + s.uniform()).collect();
    hyper.metric = vec![elbowroom::gp::Metric::Distance; dim];
    hyper.mean = s.normal();
    Posterior::new(&Dataset::new(x, y).unwrap(), hyper).unwrap()
}

fn gradient(gp: &Posterior, x: &[f64]) -> Vec<f64> {
    let mut scratch = Scratch::default();
    gp.mean_gradient(x, &mut scratch);
    scratch.d_mean
}

/// ‖g‖ in the norm dual to that of distances, from its definition as max g·v over ‖v‖_p ≤ 1.
fn dual(g: &[f64], norm: Norm) -> f64 {
    match norm {
        Norm::One => g.iter().map(|v| v.abs()).fold(0.0, f64::max),
        Norm::Two => g.iter().map(|v| v * v).sum::<f64>().sqrt(),
        Norm::Infinity => g.iter().map(|v| v.abs()).sum(),
    }
}

fn distance(a: &[f64], b: &[f64], norm: Norm) -> f64 {
    let differences = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    match norm {
        Norm::One => differences.sum(),
        Norm::Two => differences.map(|d| d * d).sum::<f64>().sqrt(),
        Norm::Infinity => differences.fold(0.0, f64::max),
    }
}

/// The maximum of f over a grid of m × m points of a 2-D box.
fn grid_maximum(low: [f64; 2], high: [f64; 2], m: usize, mut f: impl FnMut(&[f64]) -> f64) -> f64 {
    let mut largest = f64::NEG_INFINITY;
    for i in 0..m {
        for j in 0..m {
            let t = [i as f64 / (m - 1) as f64, j as f64 / (m - 1) as f64];
            let x = [low[0] + t[0] * (high[0] - low[0]), low[1] + t[1] * (high[1] - low[1])];
            largest = largest.max(f(&x));
        }
    }
    largest
}

#[test]
fn the_constant_of_forresters_function_is_that_of_gpy() {
    let gp = forrester();
    for seed in 0..5 {
        let l = lipschitz(&gp, &Bounds::unit(1), Norm::Two, &Stream::new(seed));
        // Twelve digits of L are printed; the position of a maximum is known only to the square root of that.
        assert!((l.value - 15.022466239509).abs() < 1e-9, "{}", l.value);
        assert!((l.at[0] - 0.891520194896).abs() < 1e-5, "{:?}", l.at);
        // One lengthscale of 0.2 everywhere: a fifth of it in whitened coordinates.
        let w = whitened_lipschitz(&gp, &Bounds::unit(1), 96, &Stream::new(seed));
        assert!((w.value - 0.2 * 15.022466239509).abs() < 1e-9, "{}", w.value);
    }
}

#[test]
fn the_penalizers_of_forresters_function_are_those_of_gpy() {
    let gp = forrester();
    let l = lipschitz(&gp, &Bounds::unit(1), Norm::Two, &Stream::new(0)).value;
    let at = |center: f64| {
        let p = gp.predict(&[center]);
        // GPy's deviation is that of an observation.
        let sd = (p.variance + 1e-6).sqrt();
        Penalizer { kind: PenalizerKind::Soft, lipschitz: l, best: 1.2078666463841, mean: p.mean, sd }
    };
    for (query, wants) in
        [(0.1, [0.0, 0.0]), (0.6, [-5.912386629e-05, -1.1671e-38]), (0.9, [-8.1541e-86, -2.2447775422668])]
    {
        for (center, want) in [0.65, 0.85].into_iter().zip(wants) {
            let got = ln_penalizer(&at(center), &[query], &[center], &mut [0.0]);
            // ln φ ≈ −φ(z)/z for z ≫ 0: an error of 10⁻¹¹ in z is z times that in ln φ. Then come the printed digits:
            // five of the smallest two, ten and fourteen of the others.
            let digits = if f64::abs(want) < 1e-30 { 5e-5 } else { 1e-9 };
            assert!((got - want).abs() <= digits * f64::abs(want), "{query} {center}: {got:e} {want:e}");
        }
    }
}

#[test]
fn the_slope_of_the_mean_never_exceeds_its_certificate() {
    let mut closest: f64 = 0.0;
    for seed in 0..400 {
        let dim = 1 + seed as usize % 4;
        let gp = random(seed, dim);
        let hyper = gp.hyper();
        let certificate = gradient_certificate(&gp);
        let mut s = Stream::new(seed);
        for _ in 0..30 {
            let x: Vec<f64> = (0..dim).map(|_| 2.0 * s.uniform() - 0.5).collect();
            let whitened: Vec<f64> = gradient(&gp, &x).iter().zip(&hyper.lengthscales).map(|(g, l)| g * l).collect();
            assert!(dual(&whitened, Norm::Two) <= certificate * (1.0 + 1e-9), "{seed}");
        }
        let found = whitened_lipschitz(&gp, &Bounds::unit(dim), 64, &s).value;
        let low = 0.25 * (hyper.kernel.gradient_variance() * hyper.variance).sqrt();
        if found > low * (1.0 + 1e-12) {
            assert!(found <= certificate * (1.0 + 1e-9), "{seed}: {found} {certificate}");
            closest = closest.max(found / certificate);
        }
    }
    // The bound is not trivial: some posterior comes near it.
    assert!(closest > 0.8, "{closest}");
}

#[test]
fn in_every_norm_the_constant_is_the_grids_maximum_and_bounds_all_differences() {
    for seed in 0..12 {
        let gp = random(seed, 2);
        for (low, high) in [([0.0, 0.0], [1.0, 1.0]), ([0.2, 0.6], [0.45, 0.9])] {
            let bounds = Bounds::new(low.to_vec(), high.to_vec()).unwrap();
            for norm in NORMS {
                let l = lipschitz(&gp, &bounds, norm, &Stream::new(seed));
                assert!(bounds.contains(&l.at), "{:?}", l.at);
                let there = dual(&gradient(&gp, &l.at), norm);
                assert!((there - l.value).abs() <= 1e-9 * l.value, "{seed} {norm:?}: {there} {}", l.value);
                let grid = grid_maximum(low, high, 101, |x| dual(&gradient(&gp, x), norm));
                // A search can end below the grid's best only if it fails; above it by what lies between grid points.
                assert!(l.value >= grid * (1.0 - 1e-6), "{seed} {norm:?} {low:?}: {} below the grid's {grid}", l.value);
                assert!(l.value <= grid * 1.02, "{seed} {norm:?} {low:?}: {} above the grid's {grid}", l.value);

                let mut s = Stream::new(seed).child("pairs", 0);
                for _ in 0..200 {
                    let draw = |s: &mut Stream| [0, 1].map(|k| low[k] + s.uniform() * (high[k] - low[k]));
                    let (a, b) = (draw(&mut s), draw(&mut s));
                    let difference = (gp.predict(&a).mean - gp.predict(&b).mean).abs();
                    let bound = l.value * distance(&a, &b, norm);
                    assert!(difference <= bound * (1.0 + 1e-6) + 1e-12, "{seed} {norm:?}: {difference} {bound}");
                }
            }
        }
    }
}

#[test]
fn a_part_of_the_box_is_no_steeper_than_the_whole() {
    for seed in 0..20 {
        let gp = random(seed, 3);
        let part = Bounds::new(vec![0.1, 0.3, 0.5], vec![0.6, 0.4, 1.0]).unwrap();
        let whole = lipschitz(&gp, &Bounds::unit(3), Norm::Two, &Stream::new(1)).value;
        assert!(lipschitz(&gp, &part, Norm::Two, &Stream::new(2)).value <= whole * (1.0 + 1e-6), "{seed}");
    }
}

#[test]
fn a_box_without_width_has_the_slope_of_its_point() {
    let gp = random(3, 2);
    let x = vec![0.3, 0.8];
    let bounds = Bounds::new(x.clone(), x.clone()).unwrap();
    let l = lipschitz(&gp, &bounds, Norm::Two, &Stream::new(0));
    assert_eq!(l.at, x);
    assert!((l.value - lipschitz_at(&gp, &x, Norm::Two)).abs() < 1e-12 * l.value);
}

#[test]
fn the_value_at_a_point_is_the_norm_of_the_means_differences_there() {
    for seed in 0..10 {
        let gp = random(seed, 3);
        let x = [0.37, 0.61, 0.24];
        let h = 1e-5;
        let slopes: Vec<f64> = (0..3)
            .map(|k| {
                let (mut up, mut down) = (x, x);
                up[k] += h;
                down[k] -= h;
                (gp.predict(&up).mean - gp.predict(&down).mean) / (2.0 * h)
            })
            .collect();
        for norm in NORMS {
            let (got, want) = (lipschitz_at(&gp, &x, norm), dual(&slopes, norm));
            assert!((got - want).abs() < 1e-6 * (1.0 + want), "{norm:?}: {got} {want}");
        }
    }
}

#[test]
fn the_strategys_constant_is_the_whitened_maximum_where_the_posterior_is_not_flat() {
    for seed in 20..35 {
        let gp = random(seed, 2);
        let hyper = gp.hyper();
        let whitened = |x: &[f64]| {
            let g: Vec<f64> = gradient(&gp, x).iter().zip(&hyper.lengthscales).map(|(g, l)| g * l).collect();
            dual(&g, Norm::Two)
        };
        let grid = grid_maximum([0.0; 2], [1.0; 2], 101, whitened);
        let low = 0.25 * (hyper.kernel.gradient_variance() * hyper.variance).sqrt();
        let found = whitened_lipschitz(&gp, &Bounds::unit(2), 128, &Stream::new(seed)).value;
        if grid > low {
            assert!(found >= grid * (1.0 - 1e-6) && found <= grid * 1.02, "{seed}: {found} {grid}");
        } else {
            assert!(found >= grid * (1.0 - 1e-6) && found <= low * (1.0 + 1e-6), "{seed}: {found} {grid} {low}");
        }
    }
}

#[test]
fn a_flat_posterior_is_as_steep_as_a_quarter_of_the_prior() {
    // Only a value equal to the mean was observed: ∇μ = 0, while away from the data E‖∇f‖² is near d·c_ν σ_f².
    for kernel in KERNELS {
        for dim in [1, 2, 5] {
            let x = Points::from_rows(dim, vec![0.5; dim]).unwrap();
            let mut hyper = Hyperparameters::new(kernel, 4.0, vec![0.2; dim], 1e-6);
            hyper.mean = 1.5;
            let gp = Posterior::new(&Dataset::new(x, vec![1.5]).unwrap(), hyper).unwrap();
            let l = whitened_lipschitz(&gp, &Bounds::unit(dim), 64, &Stream::new(0));
            // c_ν = 1, 5/3, 3; with two scales, w/(1 − w) = e⁻² and R = e^1.8, 1 − w + 5/3 w R².
            let w = 1.0 / (1.0 + 2f64.exp());
            let c: f64 = match kernel {
                KernelKind::Rbf => 1.0,
                KernelKind::Matern52 => 5.0 / 3.0,
                KernelKind::Matern32 => 3.0,
                _ => 1.0 - w + 5.0 / 3.0 * w * 3.6f64.exp(),
            };
            assert!((l.value - 0.25 * c.sqrt() * 2.0).abs() < 1e-12, "{kernel:?}: {}", l.value);
            assert_eq!(lipschitz(&gp, &Bounds::unit(dim), Norm::Two, &Stream::new(0)).value, 0.0);
        }
    }
}

#[test]
fn fifty_points_of_cosines_give_its_constant_within_five_percent_on_average() {
    // The maximum of ‖∇f‖ over [0, 1]² is 10.187015 (the paper prints 8.8086).
    assert!((COSINES_LIPSCHITZ - 10.18701505552653).abs() < 1e-9);
    let problem = Problem::cosines();
    let seeds = 30;
    let mut total = 0.0;
    for seed in 0..seeds {
        let mut sobol = Sobol::scrambled(2, &Stream::new(seed).child("cosines", 0));
        let mut x = Points::new(2);
        let mut u = vec![0.0; 2];
        for _ in 0..50 {
            sobol.next_into(&mut u);
            x.push(&u);
        }
        let y = x.iter().map(|x| problem.value(x)).collect();
        let data = Dataset::new(x, y).unwrap();
        let mut shape = Shape::new(KernelKind::Rbf, 2);
        shape.ard = false;
        shape.noise = NoiseRule::Known(1e-8);
        let found = fit(&data, &FitParams::maximum_likelihood(shape, vec![1.0; 2], 10), &Stream::new(seed)).unwrap();
        total += lipschitz(&found.posterior, &Bounds::unit(2), Norm::Two, &Stream::new(seed)).value;
    }
    let mean = total / seeds as f64;
    assert!((mean / COSINES_LIPSCHITZ - 1.0).abs() < 0.05, "{mean}");
}

#[test]
fn with_a_category_the_strategys_constant_is_the_steepest_slope_at_its_levels() {
    // One float and one category of three levels, each with its own function.
    for seed in 0..12 {
        let mut s = Stream::new(seed).child("category", 0);
        let levels = [1.0 / 6.0, 0.5, 5.0 / 6.0];
        let mut x = Points::new(2);
        for i in 0..12 {
            x.push(&[s.uniform(), levels[i % 3]]);
        }
        let y = (0..12).map(|_| s.normal()).collect();
        let mut hyper = Hyperparameters::new(KERNELS[seed as usize % 2], 1.0, vec![0.2, 0.6], 1e-3);
        hyper.metric[1] = elbowroom::gp::Metric::Mismatch;
        let gp = Posterior::new(&Dataset::new(x, y).unwrap(), hyper).unwrap();
        let slope = |x: f64, level: f64| 0.2 * gradient(&gp, &[x, level])[0].abs();
        let grid = levels.iter().flat_map(|&l| (0..2001).map(move |i| (f64::from(i) / 2000.0, l)));
        let want = grid.map(|(x, l)| slope(x, l)).fold(0.0, f64::max);
        let found = whitened_lipschitz(&gp, &Bounds::unit(2), 96, &Stream::new(seed));
        // A position between two levels is not a point of the space, and the mean has no relevant slope there.
        assert!(levels.contains(&found.at[1]), "{seed}: {:?}", found.at);
        assert!(found.value >= want * (1.0 - 1e-6) && found.value <= want * 1.001, "{seed}: {} {want}", found.value);
    }
}

#[test]
fn among_categories_alone_the_strategys_constant_is_a_difference_quotient_and_never_zero() {
    let x = Points::from_rows(1, vec![0.25, 0.75]).unwrap();
    let posterior = |y: Vec<f64>| {
        let mut hyper = Hyperparameters::new(KERNELS[0], 1.0, vec![0.5], 0.0);
        hyper.metric[0] = elbowroom::gp::Metric::Mismatch;
        Posterior::new(&Dataset::new(x.clone(), y).unwrap(), hyper).unwrap()
    };
    let constant = |y| whitened_lipschitz(&posterior(y), &Bounds::unit(1), 96, &Stream::new(0)).value;
    // Different levels are 1/ℓ = 2 apart, and without noise the mean goes through the values: |3 − (−1)|/2.
    assert!((constant(vec![3.0, -1.0]) - 2.0).abs() < 1e-12);
    assert!(constant(vec![0.0, 0.0]) > 0.1);
}
