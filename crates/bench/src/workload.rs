//! The workload for measuring speed: Levy's function on [−4, 6]ᵈ at uniform points, which a study sees as the unit
//! cube.

use elbowroom::design;
use elbowroom::linalg::Points;
use elbowroom::problems::Problem;
use elbowroom::rng::Stream;
use elbowroom::space::{Parameter, Point, SearchSpace, Value};
use elbowroom::study::{Study, StudyConfig};

/// Points in a batch.
pub const BATCH_SIZE: usize = 10;

/// A study with n results of Levy's function at uniform points of the unit cube.
pub fn study(n: usize, d: usize, seed: u64) -> Study {
    let mut study = Study::new(StudyConfig::new(space(d)).seed(seed).initial(BATCH_SIZE)).expect("a valid study");
    let (x, y) = data(n, d, seed);
    for (u, y) in x.iter().zip(y) {
        let point: Point = u.iter().enumerate().map(|(i, &v)| (name(i), Value::Float(v))).collect();
        study.add(&point, y).expect("a point of the cube");
    }
    study
}

/// Uniform points of the unit cube, and Levy's function there.
pub fn data(n: usize, d: usize, seed: u64) -> (Points, Vec<f64>) {
    let x = design::uniform(n, d, &mut Stream::new(seed).child("data", d as u64));
    let levy = Problem::levy(d);
    let y = x.iter().map(|u| levy.value(&in_levys_box(u))).collect();
    (x, y)
}

/// A point of the unit cube as one of the box [−4, 6]ᵈ.
pub fn in_levys_box(u: &[f64]) -> Vec<f64> {
    u.iter().map(|u| -4.0 + 10.0 * u).collect()
}

/// The unit cube as a space to search.
pub fn space(d: usize) -> SearchSpace {
    SearchSpace::new((0..d).map(|i| Parameter::float(name(i), 0.0, 1.0)).collect()).expect("a valid space")
}

fn name(i: usize) -> String {
    format!("x{i}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_are_levys_function_whose_minimum_is_at_one_half_of_the_cube() {
        // Levy's minimum 0 is at x = 1 = −4 + 10·½.
        assert!(Problem::levy(3).value(&in_levys_box(&[0.5; 3])).abs() < 1e-12);
    }
}
