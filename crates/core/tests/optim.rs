//! The solver compared with closed forms, optimality conditions, and scipy's L-BFGS-B.

use elbowroom::optim::{Bounds, Lbfgsb, LbfgsbInfo, LbfgsbParams, Stop, best, climb_all};
use proptest::prelude::*;

const INF: f64 = f64::INFINITY;

fn solve(f: impl FnMut(&[f64], &mut [f64]) -> f64, start: &[f64], bounds: &Bounds) -> (Vec<f64>, LbfgsbInfo) {
    let mut f = f;
    let mut x = start.to_vec();
    let info = Lbfgsb::new(x.len(), LbfgsbParams::default()).maximize(&mut f, &mut x, bounds);
    assert!(bounds.contains(&x) || info.stop == Stop::NotFinite, "{x:?} left the box");
    (x, info)
}

/// The functions of data/optim.py, there minimized, here with the sign turned.
mod problems {
    pub fn rosenbrock(x: &[f64], g: &mut [f64]) -> f64 {
        g.fill(0.0);
        let mut value = 0.0;
        for i in 0..x.len() - 1 {
            let r = x[i + 1] - x[i] * x[i];
            value -= 100.0 * r * r + (1.0 - x[i]).powi(2);
            g[i] += 400.0 * x[i] * r + 2.0 * (1.0 - x[i]);
            g[i + 1] -= 200.0 * r;
        }
        value
    }

    pub fn quadratic(x: &[f64], g: &mut [f64]) -> f64 {
        let d = x.len() as f64;
        let v = |i: usize| (i as f64).cos() / (2.0 * d).sqrt();
        let e = |i: usize| x[i] - (0.5 + 0.7 * (1.0 + i as f64).sin());
        let ve: f64 = (0..x.len()).map(|i| v(i) * e(i)).sum();
        let mut value = 0.0;
        for i in 0..x.len() {
            g[i] = v(i) * ve - 10f64.powf(3.0 * i as f64 / (d - 1.0)) * e(i);
            value += 0.5 * e(i) * g[i];
        }
        value
    }

    const N: usize = 20;

    pub fn likelihood(p: &[f64], g: &mut [f64]) -> f64 {
        let x = |i: usize, j: usize| ((i + 1) as f64 * [0.8191725134, 0.6710436067, 0.5497004779][j]).fract();
        let y = |i: usize| (5.0 * x(i, 0)).sin() + x(i, 1).powi(2) - 0.5 * (3.0 * x(i, 2)).cos();
        let square = |i: usize, k: usize, j: usize| ((x(i, j) - x(k, j)) / p[j].exp()).powi(2);
        let kernel = |i: usize, k: usize| (p[3] - 0.5 * (0..3).map(|j| square(i, k, j)).sum::<f64>()).exp();

        // Gauss-Jordan without pivoting (the matrix is positive definite) gives inverse and determinant.
        let mut a = [[0.0; 2 * N]; N];
        for i in 0..N {
            for k in 0..N {
                a[i][k] = kernel(i, k);
            }
            a[i][i] += p[4].exp();
            a[i][N + i] = 1.0;
        }
        let mut ln_det = 0.0;
        for k in 0..N {
            let pivot = a[k][k];
            ln_det += pivot.ln();
            a[k].iter_mut().for_each(|v| *v /= pivot);
            let row = a[k];
            for i in (0..N).filter(|i| *i != k) {
                let factor = a[i][k];
                a[i].iter_mut().zip(&row).for_each(|(v, r)| *v -= factor * r);
            }
        }
        let alpha: Vec<f64> = (0..N).map(|i| (0..N).map(|k| a[i][N + k] * y(k)).sum()).collect();
        g.fill(0.0);
        for i in 0..N {
            for k in 0..N {
                let q = 0.5 * (alpha[i] * alpha[k] - a[i][N + k]);
                let qk = q * kernel(i, k);
                (0..3).for_each(|j| g[j] += qk * square(i, k, j));
                g[3] += qk;
                if i == k {
                    g[4] += q * p[4].exp();
                }
            }
        }
        let fit: f64 = (0..N).map(|i| alpha[i] * y(i)).sum();
        -0.5 * (fit + ln_det + N as f64 * (2.0 * std::f64::consts::PI).ln())
    }

    pub fn bumps(x: &[f64], g: &mut [f64]) -> f64 {
        let d = x.len() as f64;
        g.fill(0.0);
        let mut value = 0.0;
        for (b, (height, width)) in [(1.0, 0.35), (0.8, 0.25), (0.5, 0.5)].into_iter().enumerate() {
            let e = |i: usize| (x[i] - 0.5 - 0.45 * (1.7 * (b + 1) as f64 * (i + 1) as f64).sin()) / width;
            let v: f64 = height * (-0.5 * (0..x.len()).map(|i| e(i) * e(i)).sum::<f64>() / d).exp();
            value += v;
            (0..x.len()).for_each(|i| g[i] -= v * e(i) / (width * d));
        }
        value
    }

    pub fn ln_bumps(x: &[f64], g: &mut [f64]) -> f64 {
        g.fill(0.0);
        let mut value = 0.0;
        for (b, (height, width)) in [(1.0, 0.15), (0.8, 0.1), (0.5, 0.3)].into_iter().enumerate() {
            let e = |i: usize| (x[i] - 0.5 - 0.45 * (1.7 * (b + 1) as f64 * (i + 1) as f64).sin()) / width;
            let v: f64 = height * (-0.5 * (0..x.len()).map(|i| e(i) * e(i)).sum::<f64>()).exp();
            value += v;
            (0..x.len()).for_each(|i| g[i] -= v * e(i) / width);
        }
        g.iter_mut().for_each(|g| *g /= value);
        value.ln()
    }
}

#[test]
fn scipys_optima_are_found_from_the_same_starts_in_about_as_many_evaluations() {
    // data/optim.json is scipy 1.17.1's L-BFGS-B, written by data/optim.py with the tolerances below. A stop with a stalled
    // value leaves a gradient of about sqrt(1e-12 |f| curvature), so 1e-2 is ample. Different local optima can be reached
    // from the same start, so it is the best of ten that must agree.
    let table: serde_json::Value = serde_json::from_str(include_str!("data/optim.json")).unwrap();
    let params = LbfgsbParams {
        max_iterations: 2000,
        max_evaluations: 2000,
        gradient_tolerance: 1e-5,
        value_tolerance: 1e-12,
        memory: LbfgsbParams::default().memory,
    };
    for row in table["problems"].as_array().unwrap() {
        let numbers =
            |v: &serde_json::Value| -> Vec<f64> { v.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect() };
        let name = row["name"].as_str().unwrap();
        let dim = row["dim"].as_u64().unwrap() as usize;
        let (low, high) = (row["low"].as_f64().unwrap(), row["high"].as_f64().unwrap());
        let mut f = match name {
            "rosenbrock" => problems::rosenbrock,
            "quadratic" => problems::quadratic,
            "likelihood" => problems::likelihood,
            "bumps" => problems::bumps,
            _ => problems::ln_bumps,
        };
        let bounds = Bounds::new(vec![low; dim], vec![high; dim]).unwrap();
        let starts: Vec<Vec<f64>> = row["starts"].as_array().unwrap().iter().map(numbers).collect();

        let mut solver = Lbfgsb::new(dim, params);
        let (mut values, mut evaluations) = (Vec::new(), 0);
        for start in &starts {
            let mut x = start.clone();
            let info = solver.maximize(&mut f, &mut x, &bounds);
            assert!(bounds.contains(&x));
            assert!(info.projected_gradient < 1e-2, "{name} {dim}: {info:?}");
            values.push(-info.value);
            evaluations += info.evaluations;
        }

        let theirs = numbers(&row["values"]);
        let their_evaluations: f64 = numbers(&row["evaluations"]).iter().sum();
        let lowest = |v: &[f64]| v.iter().copied().fold(INF, f64::min);
        let best = lowest(&values).min(lowest(&theirs));
        let hits = |v: &[f64]| v.iter().filter(|v| **v < best + 1e-6).count();
        println!(
            "{name:>10} {dim:>3} [{low}, {high}]: hits {} and scipy {}, evaluations {} and scipy {}",
            hits(&values),
            hits(&theirs),
            evaluations,
            their_evaluations
        );
        assert!(
            lowest(&values) < lowest(&theirs) + 1e-7 && hits(&values) + 2 >= hits(&theirs),
            "{name} {dim}: best {} and scipy {}",
            lowest(&values),
            lowest(&theirs)
        );
        assert!(evaluations as f64 <= 1.1 * their_evaluations, "{name} {dim}: {evaluations} and {their_evaluations}");
    }
}

#[test]
fn a_concave_parabola_ends_where_its_top_is_projected() {
    // Separable, so the optimum is the top (3, -1, 0.4) clamped to the box, and the value follows by hand.
    let top = [3.0, -1.0, 0.4];
    let f = |x: &[f64], g: &mut [f64]| {
        (0..3).for_each(|i| g[i] = -2.0 * (i as f64 + 1.0) * (x[i] - top[i]));
        -(0..3).map(|i| (i as f64 + 1.0) * (x[i] - top[i]).powi(2)).sum::<f64>()
    };
    let (x, info) = solve(f, &[0.2, 0.9, 0.9], &Bounds::unit(3));
    assert_eq!((x[0], x[1]), (1.0, 0.0));
    assert!((x[2] - 0.4).abs() < 1e-6);
    assert!((info.value + 6.0).abs() < 1e-10);
    assert_eq!(info.stop, Stop::GradientSmall);
}

#[test]
fn a_linear_function_ends_in_its_vertex_exactly() {
    let slopes = [1.0, -1e-3, 500.0, -2.0];
    let f = |x: &[f64], g: &mut [f64]| {
        g.copy_from_slice(&slopes);
        x.iter().zip(slopes).map(|(x, s)| x * s).sum()
    };
    let (x, info) = solve(f, &[0.5; 4], &Bounds::unit(4));
    assert_eq!(x, [1.0, 0.0, 1.0, 0.0]);
    assert_eq!((info.stop, info.projected_gradient), (Stop::GradientSmall, 0.0));
}

#[test]
fn one_variable_without_bounds_is_enough() {
    // ln x - x has its maximum -1 at 1, and is minus infinity or not a number left of 0.
    let f = |x: &[f64], g: &mut [f64]| {
        g[0] = 1.0 / x[0] - 1.0;
        x[0].ln() - x[0]
    };
    for start in [1e-3, 0.5, 3.0, 40.0] {
        let (x, info) = solve(f, &[start], &Bounds::new(vec![-INF], vec![INF]).unwrap());
        assert!((x[0] - 1.0).abs() < 1e-5, "from {start}: {info:?}");
        assert!((info.value + 1.0).abs() < 1e-9);
    }
}

#[test]
fn a_fixed_variable_stays_and_the_others_move() {
    let bounds = Bounds::new(vec![0.5, -INF, 0.0], vec![0.5, INF, 1.0]).unwrap();
    let f = |x: &[f64], g: &mut [f64]| {
        (0..3).for_each(|i| g[i] = -2.0 * (x[i] - 0.75));
        -(0..3).map(|i| (x[i] - 0.75).powi(2)).sum::<f64>()
    };
    let (x, _) = solve(f, &[0.0, 1.0, 1.0], &bounds);
    assert_eq!(x[0], 0.5);
    assert!((x[1] - 0.75).abs() < 1e-6 && (x[2] - 0.75).abs() < 1e-6);
}

#[test]
fn a_flat_start_is_returned_after_one_evaluation() {
    let f = |_: &[f64], g: &mut [f64]| {
        g.fill(0.0);
        7.0
    };
    let (x, info) = solve(f, &[0.3, 0.0], &Bounds::unit(2));
    assert_eq!(x, [0.3, 0.0]);
    assert_eq!((info.value, info.evaluations, info.stop), (7.0, 1, Stop::GradientSmall));
}

#[test]
fn a_start_that_is_not_finite_is_returned_as_it_was() {
    let bounds = Bounds::unit(2);
    for (value, gradient) in [(f64::NAN, 1.0), (-INF, 1.0), (INF, 1.0), (0.0, f64::NAN), (0.0, INF)] {
        let f = |_: &[f64], g: &mut [f64]| {
            g.fill(gradient);
            value
        };
        let (x, info) = solve(f, &[2.0, 0.5], &bounds);
        assert_eq!((x, info.stop), (vec![2.0, 0.5], Stop::NotFinite));
    }
    let (_, info) = solve(|_, _| unreachable!(), &[f64::NAN, 0.5], &bounds);
    assert_eq!((info.stop, info.evaluations), (Stop::NotFinite, 0));
}

#[test]
fn an_optimum_beside_a_region_of_minus_infinity_is_found() {
    // ln(1 - 3x - y) + ln(x) + ln(y): minus infinity or not a number in most of the square. Setting the gradient to zero
    // gives 3x = y = 1 - 3x - y, so x = 1/9 and y = 1/3.
    let f = |x: &[f64], g: &mut [f64]| {
        let rest = 1.0 - 3.0 * x[0] - x[1];
        g[0] = 1.0 / x[0] - 3.0 / rest;
        g[1] = 1.0 / x[1] - 1.0 / rest;
        rest.ln() + x[0].ln() + x[1].ln()
    };
    for start in [[0.01, 0.01], [0.3, 0.05], [0.001, 0.99], [1e-6, 0.5]] {
        let (x, info) = solve(f, &start, &Bounds::unit(2));
        assert!((x[0] - 1.0 / 9.0).abs() < 1e-5 && (x[1] - 1.0 / 3.0).abs() < 1e-5, "{start:?}: {x:?} {info:?}");
        assert!(info.evaluations <= 40, "{info:?}");
    }
}

#[test]
fn the_limits_are_kept_and_the_best_point_so_far_is_returned() {
    let bounds = Bounds::new(vec![-2.0; 10], vec![2.0; 10]).unwrap();
    let mut f = problems::rosenbrock;
    let start = [-1.5; 10];
    let mut gradient = [0.0; 10];
    let first = f(&start, &mut gradient);
    for limit in 1..30 {
        let params = LbfgsbParams { max_evaluations: limit, ..LbfgsbParams::default() };
        let mut x = start;
        let mut solver = Lbfgsb::new(10, params);
        let info = solver.maximize(&mut f, &mut x, &bounds);
        assert_eq!((info.stop, info.evaluations), (Stop::EvaluationLimit, limit));
        assert_eq!(info.value, f(&x, &mut gradient));
        assert_eq!(solver.gradient(), gradient);
        assert!(info.value >= first);
    }
    let params = LbfgsbParams { max_iterations: 3, ..LbfgsbParams::default() };
    let info = Lbfgsb::new(10, params).maximize(&mut f, &mut start.clone(), &bounds);
    assert_eq!((info.stop, info.iterations), (Stop::IterationLimit, 3));
}

#[test]
fn a_reused_solver_gives_the_same_bits_as_a_new_one() {
    for dim in [5, 40] {
        let bounds = Bounds::new(vec![-2.0; dim], vec![0.8; dim]).unwrap();
        let (x, info) = solve(problems::rosenbrock, &vec![-0.4; dim], &bounds);
        let mut solver = Lbfgsb::new(dim, LbfgsbParams::default());
        let mut other = vec![0.7; dim];
        solver.maximize(&mut problems::quadratic, &mut other, &bounds);
        let mut again = vec![-0.4; dim];
        assert_eq!(solver.maximize(&mut problems::rosenbrock, &mut again, &bounds), info);
        assert_eq!(again, x);
    }
}

#[test]
fn of_equally_good_starts_the_first_wins_and_useless_ones_are_passed_over() {
    // cos(2πx) has the same maximum, 1, at 0, 1 and 2; x > 2.5 is not allowed.
    let mut f = |x: &[f64], g: &mut [f64]| {
        let turn = 2.0 * std::f64::consts::PI;
        g[0] = -turn * (turn * x[0]).sin();
        if x[0] > 2.5 { f64::NAN } else { (turn * x[0]).cos() }
    };
    let bounds = Bounds::new(vec![0.0], vec![3.0]).unwrap();
    let mut solver = Lbfgsb::new(1, LbfgsbParams::default());
    let starts = [[2.9], [1.0], [0.0], [2.0]];
    let ends = climb_all(starts.iter().map(|x| &x[..]), |x| solver.maximize(&mut f, x, &bounds).value);
    assert_eq!(ends.iter().map(|end| end.start).collect::<Vec<_>>(), [0, 1, 2, 3]);
    let top = best(&ends).unwrap();
    assert_eq!((&top.point, top.value), (&vec![1.0], 1.0));
    assert!(best(&ends[..1]).is_none_or(|end| end.value == f64::NEG_INFINITY));
    assert!(best(&[]).is_none());
}

#[test]
fn a_projected_step_that_hardly_descends_is_not_taken() {
    // Found by the property test below: the projected Newton step was almost orthogonal to the gradient, and the solver
    // stopped with a stalled value and a projected gradient of 0.035. With the second variable at its lower bound (its
    // slope there is outwards), the first is at the root of a linear equation.
    let a = [[-0.9985168476372995, -0.25047659983595555], [0.5885944938491947, -0.14093063095895592]];
    let c = [-0.32214986719421973, 0.07113459084824732];
    let h = |i: usize, j: usize| a[i][0] * a[j][0] + a[i][1] * a[j][1] + if i == j { 0.01 } else { 0.0 };
    let f = |x: &[f64], g: &mut [f64]| {
        let e = [x[0] - c[0], x[1] - c[1]];
        (0..2).for_each(|i| g[i] = -h(i, 0) * e[0] - h(i, 1) * e[1]);
        0.5 * (e[0] * g[0] + e[1] * g[1])
    };
    let low = 0.328909705708808;
    let bounds = Bounds::new(vec![-0.6868295419041669, low], vec![-0.02202148998016662, INF]).unwrap();
    let (x, info) = solve(f, &[0.0, 0.9329222242565721], &bounds);
    assert_eq!(x[1], low);
    let root = c[0] - h(0, 1) / h(0, 0) * (low - c[1]);
    assert!((x[0] - root).abs() < 1e-5, "{x:?} {root} {info:?}");
}

#[test]
fn a_variable_with_a_tiny_gradient_does_not_hold_up_the_others() {
    // The first variable's gradient is 1e-9, so once the second has met its bound, the curvature left on the path is
    // lost in rounding. The optimum is the vertex.
    let f = |x: &[f64], g: &mut [f64]| {
        g.copy_from_slice(&[1e-9, 3.0]);
        1e-9 * x[0] + 3.0 * x[1]
    };
    let (x, info) = solve(f, &[0.5, 0.999], &Bounds::unit(2));
    assert_eq!((x[1], info.stop), (1.0, Stop::GradientSmall));
}

#[test]
fn no_variables_are_no_trouble() {
    let (x, info) = solve(|_, _| 3.0, &[], &Bounds::unit(0));
    assert_eq!((x.len(), info.value, info.stop), (0, 3.0, Stop::GradientSmall));
}

/// A concave quadratic `-(x - c)ᵀ (A Aᵀ + 0.01 I) (x - c) / 2` and a box, some sides of which are infinite or shut.
fn quadratic_in_a_box() -> impl Strategy<Value = (Vec<f64>, Vec<f64>, Bounds, Vec<f64>)> {
    prop_oneof![1usize..9, 24usize..30].prop_flat_map(|d| {
        let side = (-1.0..1.0, 0.0..1.5, 0..8u8).prop_map(|(l, w, kind): (f64, f64, u8)| match kind {
            0 => (-INF, l),
            1 => (l, INF),
            2 => (l, l),
            _ => (l, l + w),
        });
        let vector = |n| prop::collection::vec(-1.0..1.0, n);
        (vector(d * d), vector(d), prop::collection::vec(side, d), vector(d)).prop_map(|(a, c, sides, start)| {
            let (low, high) = sides.into_iter().unzip();
            (a, c, Bounds::new(low, high).unwrap(), start)
        })
    })
}

proptest! {
    #[test]
    fn concave_quadratics_satisfy_the_optimality_conditions((a, c, bounds, start) in quadratic_in_a_box()) {
        let d = c.len();
        let f = |x: &[f64], g: &mut [f64]| {
            let e: Vec<f64> = x.iter().zip(&c).map(|(x, c)| x - c).collect();
            let t: Vec<f64> = (0..d).map(|j| (0..d).map(|i| a[i * d + j] * e[i]).sum()).collect();
            (0..d).for_each(|i| g[i] = -0.01 * e[i] - (0..d).map(|j| a[i * d + j] * t[j]).sum::<f64>());
            0.5 * e.iter().zip(g.iter()).map(|(e, g)| e * g).sum::<f64>()
        };
        let mut inside = start.clone();
        bounds.project(&mut inside);
        let mut g = vec![0.0; d];
        let first = f(&inside, &mut g);

        let mut x = start.clone();
        let params = LbfgsbParams { value_tolerance: 0.0, max_evaluations: 2000, max_iterations: 2000, ..Default::default() };
        let info = Lbfgsb::new(d, params).maximize(&mut { f }, &mut x, &bounds);
        prop_assert!(bounds.contains(&x));
        prop_assert!(info.value >= first);

        // Karush, Kuhn and Tucker, with a recomputed gradient: zero inside, pointing outwards only at a bound. A
        // variable closer to its bound than the tolerance may keep a gradient towards it. If the arithmetic reaches its
        // limit first (values of size 10 resolve gradients to about sqrt(1e-16 * 10 * curvature 10)), 1e-5 is left.
        f(&x, &mut g);
        let tolerance = if info.stop == Stop::GradientSmall { 1e-6 } else { 1e-5 };
        for i in 0..d {
            prop_assert!(g[i] <= tolerance || bounds.high()[i] - x[i] <= tolerance, "{i}: {} {info:?}", g[i]);
            prop_assert!(g[i] >= -tolerance || x[i] - bounds.low()[i] <= tolerance, "{i}: {} {info:?}", g[i]);
        }
    }

    #[test]
    fn whatever_the_function_returns_the_result_is_in_the_box_and_no_worse(
        values in prop::collection::vec(prop_oneof![4 => -10.0..10.0f64, 1 => Just(f64::NAN), 1 => Just(INF)], 40),
        start in prop::collection::vec(0.0..1.0f64, 3),
    ) {
        // Noise instead of a function: value and gradient are unrelated.
        let mut calls = 0;
        let mut best = f64::NAN;
        let f = |_: &[f64], g: &mut [f64]| {
            let at = |k: usize| values[(4 * calls + k) % values.len()];
            let value = at(0);
            (0..3).for_each(|k| g[k] = at(k + 1));
            if calls == 0 {
                best = value;
            }
            calls += 1;
            value
        };
        let (_, info) = solve(f, &start, &Bounds::unit(3));
        prop_assert!(info.stop == Stop::NotFinite || info.value >= best);
        prop_assert_eq!(info.evaluations, calls);
    }
}
