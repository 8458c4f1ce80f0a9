//! The objective: train a support vector regression, and measure its error on other rows.
//!
//! The machine is LIBSVM's ε-SVR with the kernel exp(−γ‖x − x'‖²), by `libsvm-rs`, a port of LIBSVM to Rust. Its test
//! errors and numbers of support vectors agreed with those of scikit-learn's SVR, which also uses LIBSVM, to all
//! printed digits.

use elbowroom::rng::Stream;
use libsvm_rs::predict::predict;
use libsvm_rs::train::svm_train;
use libsvm_rs::{KernelType, SvmNode, SvmParameterBuilder, SvmProblem, SvmType, set_quiet};

use crate::Result;
use crate::data::{moments, standardized};

/// Rows of attributes and their targets.
#[derive(Debug, Clone, PartialEq)]
pub struct Rows {
    /// Attributes.
    pub x: Vec<Vec<f64>>,
    /// Targets.
    pub y: Vec<f64>,
}

/// Rows to train on and rows to test on, in LIBSVM's form.
pub struct Split {
    train: SvmProblem,
    test: SvmProblem,
}

/// The three parameters that are tuned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameters {
    /// The price of an error beyond the band.
    pub c: f64,
    /// Half the width of the band.
    pub epsilon: f64,
    /// Inverse squared width of the kernel.
    pub gamma: f64,
}

/// LIBSVM's own default: the stopping tolerance of its solver.
const TOLERANCE: f64 = 1e-3;

/// Megabytes of memory for rows of the kernel matrix.
const CACHE: f64 = 500.0;

impl Split {
    /// Random rows to train on, other random rows to test on; attributes are scaled by the training rows.
    pub fn new(rows: &Rows, n_train: usize, n_test: usize, replicate: u64) -> Self {
        let mut order: Vec<usize> = (0..rows.y.len()).collect();
        Stream::new(replicate).child("rows", 0).shuffle(&mut order);
        let pick = |at: &[usize]| at.iter().map(|&i| rows.x[i].clone()).collect::<Vec<_>>();
        let n_train = n_train.min(order.len() / 2);
        let test = &order[n_train..order.len().min(n_train + n_test)];
        let scale = moments(&pick(&order[..n_train]));
        let problem = |at: &[usize]| SvmProblem {
            labels: at.iter().map(|&i| rows.y[i]).collect(),
            instances: standardized(&pick(at), &scale).iter().map(|row| nodes(row)).collect(),
        };
        Self { train: problem(&order[..n_train]), test: problem(test) }
    }

    /// Trains, and returns the root mean square error on the test rows.
    pub fn error(&self, parameters: Parameters) -> Result<f64> {
        set_quiet(true);
        let settings = SvmParameterBuilder::new()
            .svm_type(SvmType::EpsilonSvr)
            .kernel_type(KernelType::Rbf)
            .gamma(parameters.gamma)
            .c(parameters.c)
            .p(parameters.epsilon)
            .eps(TOLERANCE)
            .cache_size(CACHE)
            .build()?;
        let machine = svm_train(&self.train, &settings);
        let square = |(x, y): (&Vec<SvmNode>, &f64)| (predict(&machine, x) - y).powi(2);
        let sum: f64 = self.test.instances.iter().zip(&self.test.labels).map(square).sum();
        Ok((sum / self.test.labels.len() as f64).sqrt())
    }
}

fn nodes(row: &[f64]) -> Vec<SvmNode> {
    (1..).zip(row).map(|(index, &value)| SvmNode { index, value }).collect()
}

/// Generated rows for a quick run: nine attributes, a smooth target, some noise. They do not represent real data.
pub fn generated(n: usize) -> Rows {
    let mut stream = Stream::new(0).child("generated rows", 0);
    let x: Vec<Vec<f64>> = (0..n).map(|_| (0..9).map(|_| stream.normal()).collect()).collect();
    let y = x.iter().map(|x| 5.0 * (x[0] + 0.5 * x[1]).sin() + 2.0 * x[2] * x[3] + stream.normal()).collect();
    Rows { x, y }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows from a formula, so that scikit-learn can be given the same ones.
    fn formula() -> Split {
        let row = |i: usize| (0..3).map(|k| ((i * (7 * k + 3)) as f64 * 0.37).sin()).collect::<Vec<f64>>();
        let target = |x: &[f64]| 3.0 * x[0] + (4.0 * x[1]).cos() * x[2];
        let problem = |from: usize, to: usize| {
            let x: Vec<Vec<f64>> = (from..to).map(row).collect();
            SvmProblem {
                labels: x.iter().map(|x| target(x)).collect(),
                instances: x.iter().map(|x| nodes(x)).collect(),
            }
        };
        Split { train: problem(0, 120), test: problem(120, 200) }
    }

    #[test]
    fn the_error_is_that_of_scikit_learn() {
        let split = formula();
        // scikit-learn 1.9.1: SVR(C=…, epsilon=…, gamma=…).fit(…), root mean square error on the 80 other rows.
        for (c, epsilon, gamma, expected) in SCIKIT_LEARN {
            let found = split.error(Parameters { c, epsilon, gamma }).unwrap();
            // The solvers stop at a tolerance of 1e-3 in the dual's gradient.
            assert!((found - expected).abs() < 1e-3, "{c} {epsilon} {gamma}: {found} {expected}");
        }
    }

    const SCIKIT_LEARN: [(f64, f64, f64, f64); 3] =
        [(1.0, 0.1, 0.5, 0.368585), (10.0, 0.05, 2.0, 0.217631), (0.2, 0.5, 0.1, 0.644233)];
}
