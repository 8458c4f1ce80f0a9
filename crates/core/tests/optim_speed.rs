//! The cost of the solver apart from the function.

use elbowroom::optim::{Bounds, Lbfgsb, LbfgsbParams};
use std::hint::black_box;
use std::time::Instant;

fn rosenbrock(x: &[f64], g: &mut [f64]) -> f64 {
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

/// Run: `cargo test --profile dist -p elbowroom-tests optim_speed -- --ignored --nocapture`
#[test]
#[ignore = "a measurement"]
fn an_evaluation_costs_this_much_beside_the_function() {
    for d in [2, 6, 10, 20, 25, 30, 60, 100] {
        let mut solver = Lbfgsb::new(d, LbfgsbParams::default());
        let bounds = Bounds::new(vec![-2.0; d], vec![2.0; d]).unwrap();
        let (mut x, mut g) = (vec![0.0; d], vec![0.0; d]);
        let (mut whole, mut function) = (f64::INFINITY, f64::INFINITY);
        for run in 0..200 {
            (0..d).for_each(|i| x[i] = -1.2 + 0.1 * ((i * 7 + run % 5) % 10) as f64);
            let start = Instant::now();
            let info = solver.maximize(&mut rosenbrock, &mut x, &bounds);
            whole = whole.min(start.elapsed().as_nanos() as f64 / info.evaluations as f64);
            let start = Instant::now();
            (0..100).for_each(|_| _ = black_box(rosenbrock(black_box(&x), &mut g)));
            function = function.min(start.elapsed().as_nanos() as f64 / 100.0);
        }
        println!("{d:>3} variables: {:>6.0} ns, the function {function:.0} ns", whole - function);
    }
}
