//! The exact fit of the paper: `faithful` finds the same likelihood as scipy, on all data.

use elbowroom::data::Dataset;
use elbowroom::gp::{KernelKind, Likelihood, MeanRule, NoiseRule, Shape};
use elbowroom::linalg::Points;
use elbowroom::rng::Stream;
use elbowroom::space::{Parameter, SearchSpace};
use elbowroom::study::{Model, Observations};
use elbowroom_paper::methods::Track;
use serde::Deserialize;

/// A data set with the largest likelihood that scipy finds; see `data/faithful.py`.
#[derive(Deserialize)]
struct Reference {
    name: String,
    x: Vec<Vec<f64>>,
    values: Vec<f64>,
    ln_likelihood: f64,
    theta: Vec<f64>,
}

fn references() -> Vec<Reference> {
    serde_json::from_str(include_str!("data/faithful.json")).unwrap()
}

impl Reference {
    fn points(&self) -> Points {
        Points::from_rows(self.x[0].len(), self.x.concat()).unwrap()
    }

    /// ln p of the centred values under the paper's model at θ = (ln ℓ, ln σ_f², ln σ_n²).
    fn ln_likelihood_at(&self, theta: &[f64]) -> f64 {
        let mean = self.values.iter().sum::<f64>() / self.values.len() as f64;
        let centred = self.values.iter().map(|y| y - mean).collect();
        let data = Dataset::new(self.points(), centred).unwrap();
        let shape = Shape {
            ard: false,
            mean: MeanRule::Known(0.0),
            noise: NoiseRule::Fitted { floor: 0.0 },
            ..Shape::new(KernelKind::Rbf, data.dim())
        };
        Likelihood::new(&data, shape).evaluate(theta, &mut [0.0; 3])
    }

    fn fitted(&self, seed: u64) -> Model {
        let parameters = (0..self.x[0].len()).map(|k| Parameter::float(format!("x{k}"), 0.0, 1.0)).collect();
        let observations = Observations { x: self.points(), values: self.values.clone(), noise: None };
        let space = SearchSpace::new(parameters).unwrap();
        Model::fit(&Track::Faithful.model(), &space, &observations, None, &Stream::new(seed)).unwrap()
    }
}

#[test]
fn the_likelihood_is_scipys() {
    for reference in references() {
        let ours = reference.ln_likelihood_at(&reference.theta);
        // Both solve with a factor of a matrix whose condition number is at most about 10⁹; the sum has a hundred terms
        // of size 1.
        assert!((ours - reference.ln_likelihood).abs() < 1e-6, "{}: {ours}", reference.name);
    }
}

#[test]
fn ten_starts_on_all_data_find_the_largest_likelihood_that_scipy_finds() {
    for reference in references() {
        for seed in 0..3 {
            let model = reference.fitted(seed);
            let found = reference.ln_likelihood_at(&model.record.theta);
            // A search ends when a step gains less than 1e-9 of the logarithm, which is below 1,500.
            let name = &reference.name;
            assert!((found - reference.ln_likelihood).abs() < 1e-3, "{name}, seed {seed}: {found}");
        }
    }
}

#[test]
fn a_fit_does_not_depend_on_the_one_before_it() {
    let reference = &references()[0];
    let model = reference.fitted(7);
    let parameters = (0..2).map(|k| Parameter::float(format!("x{k}"), 0.0, 1.0)).collect();
    let observations = Observations { x: reference.points(), values: reference.values.clone(), noise: None };
    let space = SearchSpace::new(parameters).unwrap();
    let stream = Stream::new(7);
    let again = Model::fit(&Track::Faithful.model(), &space, &observations, Some(&model.record), &stream).unwrap();
    assert_eq!(again.record.theta, model.record.theta);
}
